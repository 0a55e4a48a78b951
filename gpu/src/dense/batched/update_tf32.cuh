// The update on tensor cores: each float is the sum of two tf32 values to 2^-21, and of the four products the three
// greater ones are formed; sums are the tensor cores' own, about float's.
#pragma once

#include "keys.cuh"

namespace mantissa::gpu::batched {

template <int KS> struct TensorStage {
    static constexpr int kSide = 128, kLd = kSide + 8; // a warp's reads then meet all banks
    alignas(16) float l[KS][kLd];
    alignas(16) float u[KS][kLd];
};

/// x = leading + trailing exactly. The tensor cores read eleven significant bits: leading has no more, of trailing's
/// thirteen the last two are lost.
__device__ __forceinline__ void split(float x, unsigned& leading, unsigned& trailing) {
    leading = __float_as_uint(x) & 0xffffe000U;
    trailing = __float_as_uint(x - __uint_as_float(leading));
}
__device__ __forceinline__ void multiply_add(float (&c)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {
    asm volatile(
        "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

/// A warp's 64 columns and 32 rows. The tensor cores' rows are U's columns, so that a thread's two neighbouring results
/// are neighbours in memory.
template <int KS>
__device__ __forceinline__ void multiply_warp(float (&sum)[4][4][4], const TensorStage<KS>& stage, int column, int row,
                                              int g, int q) {
#pragma unroll
    for (int k = 0; k < KS; k += 8) {
        unsigned leading[4][2], trailing[4][2];
#pragma unroll
        for (int j = 0; j < 4; ++j)
#pragma unroll
            for (int e = 0; e < 2; ++e) split(stage.l[k + q + 4 * e][row + 8 * j + g], leading[j][e], trailing[j][e]);
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            unsigned high[4], low[4];
#pragma unroll
            for (int e = 0; e < 4; ++e)
                split(stage.u[k + q + 4 * (e >> 1)][column + 16 * i + g + 8 * (e & 1)], high[e], low[e]);
#pragma unroll
            for (int j = 0; j < 4; ++j) multiply_add(sum[i][j], low, leading[j]);
#pragma unroll
            for (int j = 0; j < 4; ++j) multiply_add(sum[i][j], high, trailing[j]);
#pragma unroll
            for (int j = 0; j < 4; ++j) multiply_add(sum[i][j], high, leading[j]);
        }
    }
}

/// C -= the block's sums, by way of shared memory so that a warp's accesses are neighbours: 64 columns at a time, those
/// of every other warp. At least kHalf * kLd floats of shared memory.
__device__ __forceinline__ void subtract_tile(const float (&sum)[4][4][4], float* tile, float* c, int lda, int rows,
                                              int cols, int t) {
    constexpr int kHalf = 64, kLd = 128 + 4, kThreads = 256, V = 4, kPacks = 128 / V;
    const int warp = t >> 5, g = (t & 31) >> 2, q = t & 3, row = (warp >> 1) * 32;
#pragma unroll
    for (int half = 0; half < 2; ++half) {
        __syncthreads();
        if ((warp & 1) == half) {
#pragma unroll
            for (int i = 0; i < 4; ++i)
#pragma unroll
                for (int j = 0; j < 4; ++j)
#pragma unroll
                    for (int h = 0; h < 2; ++h)
                        *reinterpret_cast<float2*>(tile + (16 * i + g + 8 * h) * kLd + row + 8 * j + 2 * q) =
                            make_float2(sum[i][j][2 * h], sum[i][j][2 * h + 1]);
        }
        __syncthreads();
#pragma unroll
        for (int i = t; i < kHalf * kPacks; i += kThreads) {
            const int column = i / kPacks, r = i % kPacks * V;
            if (half * kHalf + column >= cols || r >= rows) continue;
            auto* const at =
                reinterpret_cast<Pack<float, V>*>(c + static_cast<long long>(half * kHalf + column) * lda + r);
            const auto taken = *reinterpret_cast<const Pack<float, V>*>(tile + column * kLd + r);
            Pack<float, V> v = *at;
#pragma unroll
            for (int e = 0; e < V; ++e) v.x[e] -= taken.x[e];
            *at = v;
        }
    }
}

/// As update() on floats.
template <int OB, int KS, int STAGES>
__global__ void __launch_bounds__(256, 2)
    update_tf32(float* all, int n, int lda, long long stride, int k0, const float* workspace, int ldu) {
    constexpr int kSide = TensorStage<KS>::kSide, V = 4, kThreads = 256;
    extern __shared__ __align__(16) unsigned char raw[];
    auto* const stages = reinterpret_cast<TensorStage<KS>*>(raw);
    const int t = static_cast<int>(threadIdx.x), warp = t >> 5, g = (t & 31) >> 2, q = t & 3;
    const int row0 = k0 + OB + static_cast<int>(blockIdx.x) * kSide,
              col0 = k0 + OB + static_cast<int>(blockIdx.y) * kSide;
    float* const a = all + blockIdx.z * stride;
    const float* const l = a + static_cast<long long>(k0) * lda + row0;
    const float* const u = workspace + static_cast<long long>(blockIdx.z) * OB * ldu + col0;
    prefetch_tile<float, kSide, kSide, kThreads>(a + static_cast<long long>(col0) * lda + row0, lda, n - row0, n - col0,
                                                 t);
    const auto load = [&](int first) {
        auto& stage = stages[first / KS % STAGES];
#pragma unroll
        for (int i = t; i < KS * kSide / V; i += kThreads) {
            const int k = i / (kSide / V), at = i % (kSide / V) * V;
            copy16(&stage.l[k][at], l + static_cast<long long>(first + k) * lda + at, row0 + at < n);
            copy16(&stage.u[k][at], u + static_cast<long long>(first + k) * ldu + at, col0 + at < n);
        }
        close_copies();
    };
#pragma unroll
    for (int s = 0; s < STAGES - 1; ++s) load(s * KS);
    const int column = (warp & 1) * 64, row = (warp >> 1) * 32;
    float sum[4][4][4] = {};
    for (int k = 0; k < OB; k += KS) {
        await_copies<STAGES - 2>();
        __syncthreads();
        if (k + (STAGES - 1) * KS < OB) load(k + (STAGES - 1) * KS);
        else close_copies();
        multiply_warp<KS>(sum, stages[k / KS % STAGES], column, row, g, q);
    }
    await_copies<0>();
    subtract_tile(sum, reinterpret_cast<float*>(raw), a + static_cast<long long>(col0) * lda + row0, lda, n - row0,
                  n - col0, t);
}

} // namespace mantissa::gpu::batched
