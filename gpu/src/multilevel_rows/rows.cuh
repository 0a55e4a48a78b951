// Rows of a matrix times a vector, some lanes of a warp a row, and what kernels of cycles on rows share. A kernel
// begins while the one before it ends (dependent_launch.cuh), and does nothing once the solve is done.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <type_traits>

#include "loop.hpp"
#include "sync/block_sums.cuh"
#include "sync/dependent_launch.cuh"

namespace mantissa::gpu::multilevel_rows {

inline constexpr int kThreads = 256;

#ifdef __CUDACC__
/// What a thread finds of z.r and of z.q for the q's that CG keeps, and a block's sums of them.
struct SumsOfZ {
    double rz = 0, zq[kMostDirections] = {};
    __device__ __forceinline__ void add(const LoopView& loop, std::uint32_t i, double z) {
        rz += z * loop.r[i];
#pragma unroll
        for (int k = 0; k < kMostDirections; ++k)
            if (k < loop.directions) zq[k] += z * loop.q[k][i];
    }
    __device__ __forceinline__ void leave(const LoopView& loop) const {
        Sums& to = *loop.sums.sums;
        double *const first = to.rz + loop.sums.first, *const second = to.zq[0] + loop.sums.first,
                      *const third = to.zq[1] + loop.sums.first, *const fourth = to.zq[2] + loop.sums.first;
        static_assert(kMostDirections == 3);
        if (loop.directions == 1) leave_sums<kThreads, 2>({rz, zq[0]}, {first, second});
        else if (loop.directions == 2) leave_sums<kThreads, 3>({rz, zq[0], zq[1]}, {first, second, third});
        else leave_sums<kThreads, 4>({rz, zq[0], zq[1], zq[2]}, {first, second, third, fourth});
    }
};
#endif

/// Calls work with the number of lanes at compile time, 0 for slices.
template <class V, class Work> void with_lanes(const LaidRows<V>& a, const Work& work) {
    if (a.sliced) return work(std::integral_constant<int, 0>{});
    switch (a.lanes()) {
    case 1:
        return work(std::integral_constant<int, 1>{});
    case 2:
        return work(std::integral_constant<int, 2>{});
    case 4:
        return work(std::integral_constant<int, 4>{});
    case 8:
        return work(std::integral_constant<int, 8>{});
    default:
        return work(std::integral_constant<int, 16>{});
    }
}

/// Threads that kernels of so many rows want.
template <int Lanes> double threads_of(std::uint32_t rows) {
    return std::max(1, Lanes) * static_cast<double>(rows);
}
/// Blocks for so many threads, as far as the device runs them at once.
inline unsigned blocks_for(double threads) {
    constexpr double kBlocksEach = 8;
    return static_cast<unsigned>(
        std::clamp(std::ceil(threads / kThreads), 1.0, kBlocksEach * require_device().multiprocessors));
}

#ifdef __CUDACC__

/// At most so many blocks of a kernel, and no more than run at a time: the rest would follow in a round of their own.
/// (Kernels go over their rows in strides, and sums of blocks that are not there are zero.)
template <class... Parameters> unsigned at_a_time(void (*kernel)(Parameters...), unsigned most) {
    int each = 0;
    check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, kernel, kThreads, 0), "cudaOccupancy");
    return std::min(most, static_cast<unsigned>(std::max(each, 1) * require_device().multiprocessors));
}

/// A kernel begins before those in front of it have ended; from here on they have. False where the solve is done.
__device__ __forceinline__ bool begin_kernel(const Status* status) {
    let_next_kernel_start();
    AwaitEarlierKernels{}();
    return status->done == 0;
}

/// take(row, the row of a times x) for every row, from the first of its Lanes threads.
template <int Lanes, class Sum, class V, class Gather, class Take>
__device__ __forceinline__ void for_rows_by_lanes(const Rows<V>& a, const Gather& gather, const Take& take) {
    const long long all = (static_cast<long long>(a.rows) * Lanes + 31) / 32 * 32;
    const long long threads = static_cast<long long>(gridDim.x) * kThreads;
    for (long long t = static_cast<long long>(blockIdx.x) * kThreads + threadIdx.x; t < all; t += threads) {
        const auto row = static_cast<std::uint32_t>(t / Lanes);
        const int part = static_cast<int>(t % Lanes);
        Sum sum = 0;
        if (row < a.rows) {
            const std::uint32_t end = a.begin[row + 1];
            for (std::uint32_t k = a.begin[row] + part; k < end; k += 2 * Lanes) { // two at a time, under way together
                const bool two = k + Lanes < end;
                const std::uint32_t one = a.column[k], other = two ? a.column[k + Lanes] : one;
                const Sum value = a.value[k], next = two ? a.value[k + Lanes] : V{};
                const auto x = gather(one), y = gather(other);
                sum += value * x;
                sum += next * y;
            }
        }
#pragma unroll
        for (int d = Lanes / 2; d > 0; d >>= 1) sum += __shfl_xor_sync(~0u, sum, d);
        if (part == 0 && row < a.rows) take(a.first + row, sum);
    }
}

/// What a pass reads once, and by whole sectors: caches give it up first, and keep x. (Not for rows by lanes: threads
/// side by side read the same sectors one after the other.)
template <class T> __device__ __forceinline__ T read_once(const T* at) {
    return __ldcs(at);
}
/// Where a slice begins and ends; nothing after the last.
struct SliceRange {
    std::uint32_t begin = 0, end = 0;
    template <class V>
    __device__ __forceinline__ SliceRange(const Rows<V>& a, std::uint32_t slice, std::uint32_t slices) {
        if (slice >= slices) return;
        begin = a.begin[slice];
        end = a.begin[slice + 1];
    }
};
/// The same for slices, a thread a row. The range of the next slice is on its way while one is summed.
template <class Sum, class V, class Gather, class Take>
__device__ __forceinline__ void for_sliced_rows(const Rows<V>& a, const Gather& gather, const Take& take) {
    const std::uint32_t lane = threadIdx.x % kSlice, slices = (a.rows + kSlice - 1) / kSlice;
    const std::uint32_t stride = gridDim.x * (kThreads / kSlice);
    std::uint32_t s = blockIdx.x * (kThreads / kSlice) + threadIdx.x / kSlice;
    for (SliceRange now(a, s, slices); s < slices; s += stride) {
        const SliceRange next(a, s + stride, slices);
        Sum sum = 0;
#pragma unroll 4
        for (std::uint32_t k = now.begin; k < now.end; ++k) {
            const std::size_t at = std::size_t{k} * kSlice + lane;
            sum += static_cast<Sum>(read_once(a.value + at)) * gather(read_once(a.column + at));
        }
        const std::uint32_t row = s * kSlice + lane;
        if (row < a.rows) take(a.first + row, sum);
        now = next;
    }
}

/// take(row, the row of a times x) for every row, from the first of its Lanes threads; gather(column) is x's element.
/// Lanes 0: in slices.
template <int Lanes, class Sum, class V, class Gather, class Take>
__device__ __forceinline__ void for_rows(const Rows<V>& a, const Gather& gather, const Take& take) {
    if constexpr (Lanes == 0) return for_sliced_rows<Sum>(a, gather, take);
    else return for_rows_by_lanes<Lanes, Sum>(a, gather, take);
}

/// *to = the largest of it and of all threads' values, which are not negative.
__device__ __forceinline__ void leave_largest(unsigned long long value, unsigned long long* to) {
#pragma unroll
    for (int d = 16; d > 0; d >>= 1) {
        const unsigned long long other = __shfl_xor_sync(~0u, value, d);
        value = other > value ? other : value;
    }
    if ((threadIdx.x & 31) == 0 && value > *reinterpret_cast<volatile unsigned long long*>(to)) atomicMax(to, value);
}
/// The same order as the numbers': bits of one that is not negative.
__device__ __forceinline__ unsigned long long ordered(double x) {
    return static_cast<unsigned long long>(__double_as_longlong(x));
}

#endif

} // namespace mantissa::gpu::multilevel_rows
