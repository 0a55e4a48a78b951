// The outer loop's kernels. They run operation by operation and sum by sum as the host's outer loop does
// (host/src/solve/residual.cpp, host/src/solve/host_vectors.cpp): products and sums rounded apart, in the same order.
#pragma once

#include "engine/outer_vectors.hpp"
#include "mantissa/outer_order.hpp"

namespace mantissa::gpu {

inline constexpr int kOuterThreads = 256;
inline constexpr long long kNormBlock = outer_order::kNormBlock, kDotPart = outer_order::kPart;
inline constexpr int kNormLanes = outer_order::kNormLanes, kDotLanes = outer_order::kPartLanes;

#ifdef __CUDACC__

__device__ __forceinline__ long long outer_element() {
    return static_cast<long long>(blockIdx.x) * kOuterThreads + threadIdx.x;
}

/// d = b - A u, of elements begin to end - 1
inline __global__ void __launch_bounds__(kOuterThreads)
    outer_defect(const __grid_constant__ OuterMatrix a, long long begin, long long end, const double* u,
                 const double* b, double* d) {
    const long long i = begin + outer_element(), n = a.row_length;
    if (i >= end) return;
    double sum = 0;
    if (a.kind == System::Kind::sparse) {
        for (std::uint64_t k = a.row_begin[i]; k < a.row_begin[i + 1]; ++k)
            sum = __dadd_rn(sum, __dmul_rn(a.value[k], u[a.column[k]]));
    } else {
        if (a.kind == System::Kind::stencil) {
            const auto column = static_cast<std::uint32_t>(i) % static_cast<std::uint32_t>(n);
            if (i < n || i >= a.size - n || column == 0 || column == n - 1) {
                d[i] = b[i];
                return;
            }
        }
        for (int k = 0; k < kBands; ++k) {
            const long long j = i + n * (k / 3 - 1) + (k % 3 - 1);
            const double c = a.kind == System::Kind::stencil ? a.coefficient[k] : a.band[k][i];
            const double product = __dmul_rn(c, j >= 0 && j < a.size ? u[j] : 0.0);
            sum = k == 0 ? product : __dadd_rn(sum, product);
        }
    }
    d[i] = __dadd_rn(b[i], -sum);
}

/// Sums of squares of blocks of kNormBlock elements; kNormLanes threads a block.
inline __global__ void __launch_bounds__(kOuterThreads) outer_squares(const double* v, long long size, double* blocks) {
    const long long block = outer_element() / kNormLanes, begin = block * kNormBlock;
    const int lane = static_cast<int>(threadIdx.x % kNormLanes);
    const long long end = min(size, begin + kNormBlock);
    double s = 0;
    constexpr int kDeep = 16; // loads under way, ahead of the additions
    for (long long i = begin + lane; i < end; i += kNormLanes * kDeep) {
        double x[kDeep];
#pragma unroll
        for (int k = 0; k < kDeep; ++k) x[k] = i + kNormLanes * k < end ? v[i + kNormLanes * k] : 0.0;
#pragma unroll
        for (int k = 0; k < kDeep; ++k) s = __dadd_rn(s, __dmul_rn(x[k], x[k])); // (zeros change no sum)
    }
    for (int half = kNormLanes / 2; half > 0; half /= 2) {
        const double other = __shfl_down_sync(~0u, s, half, kNormLanes);
        if (lane < half) s = __dadd_rn(s, other);
    }
    if (lane == 0 && begin < size) blocks[block] = s;
}

inline constexpr int kPartThreads = 512, kPartRounds = 4, kPartTile = kPartThreads * kPartRounds;

/// Sums of parts of kDotPart products, a block each. kDotLanes of its threads add what all bring to shared memory.
inline __global__ void __launch_bounds__(kPartThreads)
    outer_sums(const double* product, long long size, double* parts) {
    static_assert(kDotPart % kPartTile == 0 && kPartTile % kDotLanes == 0);
    __shared__ double tile[2][kPartTile];
    const long long begin = blockIdx.x * kDotPart, end = min(size, begin + kDotPart);
    const int tid = static_cast<int>(threadIdx.x);
    double x[kPartRounds], s = 0;
    const auto load = [&](long long from) {
#pragma unroll
        for (int k = 0; k < kPartRounds; ++k) {
            const long long i = from + tid + k * kPartThreads;
            x[k] = i < end ? product[i] : 0.0; // (zeros change no sum)
        }
    };
    load(begin);
    int which = 0;
    for (long long from = begin; from < end; from += kPartTile, which ^= 1) {
#pragma unroll
        for (int k = 0; k < kPartRounds; ++k) tile[which][tid + k * kPartThreads] = x[k];
        load(from + kPartTile);
        __syncthreads();
        if (tid < kDotLanes)
#pragma unroll 32
            for (int k = 0; k < kPartTile / kDotLanes; ++k) s = __dadd_rn(s, tile[which][tid + k * kDotLanes]);
    }
    for (int half = kDotLanes / 2; half > 0; half /= 2) {
        const double other = __shfl_down_sync(~0u, s, half);
        if (tid < half) s = __dadd_rn(s, other);
    }
    if (tid == 0) parts[blockIdx.x] = s;
}

/// u += scale correction
inline __global__ void __launch_bounds__(kOuterThreads)
    outer_correct(double* u, double scale, const double* correction, long long size) {
    const long long i = outer_element();
    if (i < size) u[i] = __dadd_rn(u[i], __dmul_rn(scale, correction[i]));
}

#endif

} // namespace mantissa::gpu
