// Sums of squares of long vectors: a block's segment comes through a ring in shared memory by the bulk copy engine,
// which reads one vector faster than loads do. The bits are those of the kernel that loads.
#pragma once

#include <cstdint>

#include "blas1/blas1_sums.cuh"
#include "sync/dependent_launch.cuh"

namespace mantissa::gpu::blas1 {

#ifdef __CUDACC__

constexpr int kStages = 3;
constexpr unsigned kStageBytes = 16384; ///< larger copies are faster ones; three of a block, four blocks' on a chip
/// Elements of the shortest vector that comes so: below, the ring's begin costs more than it saves (H200).
constexpr std::size_t kLeastForRing = std::size_t{1} << 21;

__device__ __forceinline__ std::uint32_t shared_address_of(const void* p) {
    return static_cast<std::uint32_t>(__cvta_generic_to_shared(p));
}

/// The stages of a block, and an mbarrier for each.
struct Ring {
    unsigned char* place;
    std::uint64_t* arrived;

    /// By the first thread, before anybody waits.
    __device__ __forceinline__ void begin() const {
#pragma unroll
        for (int d = 0; d < kStages; ++d)
            asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address_of(arrived + d)) : "memory");
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    /// By the first thread: copies `bytes`, a multiple of 16, to a stage that nobody reads.
    __device__ __forceinline__ void ask(int stage, const void* from, unsigned bytes) const {
        const std::uint32_t barrier = shared_address_of(arrived + stage);
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes) : "memory");
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                         shared_address_of(place + stage * kStageBytes)),
                     "l"(from), "r"(bytes), "r"(barrier)
                     : "memory");
    }
    __device__ __forceinline__ void wait(int stage, unsigned phase) const {
        std::uint32_t there = 0;
        while (there == 0)
            asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                         : "=r"(there)
                         : "r"(shared_address_of(arrived + stage)), "r"(phase)
                         : "memory");
    }
};

/// A thread's elements of a row in shared memory, whose banks a warp uses evenly: of 32 bytes, every other group of
/// four threads begins with the second half.
template <class T> __device__ __forceinline__ Vector<T, kOwn> own_of_shared_row(const unsigned char* row) {
    constexpr int kWords = kOwn * sizeof(T) / 16;
    const unsigned char* const from = row + threadIdx.x * kOwn * sizeof(T);
    const unsigned other = kWords == 2 ? threadIdx.x >> 2 & 1 : 0;
    int4 word[kWords];
#pragma unroll
    for (unsigned w = 0; w < kWords; ++w) word[w] = *reinterpret_cast<const int4*>(from + (w ^ other) * 16);
    Vector<T, kOwn> v;
#pragma unroll
    for (unsigned w = 0; w < kWords; ++w) {
        const int4 bits = other != 0 ? word[kWords - 1 - w] : word[w];
        if constexpr (sizeof(T) == 4) {
            v.x[0] = __int_as_float(bits.x);
            v.x[1] = __int_as_float(bits.y);
            v.x[2] = __int_as_float(bits.z);
            v.x[3] = __int_as_float(bits.w);
        } else {
            v.x[2 * w] = __hiloint2double(bits.y, bits.x);
            v.x[2 * w + 1] = __hiloint2double(bits.w, bits.z);
        }
    }
    return v;
}

/// A block sums the squares of one segment of x, which is aligned to 16 bytes; the last one collects.
template <class Sum, class T>
__global__ void __launch_bounds__(kThreads, 4) ring_kernel(std::size_t n, const T* x, Parts<Sum> parts, T* result) {
    extern __shared__ __align__(128) unsigned char places[];
    __shared__ std::uint64_t arrived[kStages];
    constexpr unsigned kRowBytes = kBlas1Lanes * sizeof(T), kRows = kStageBytes / kRowBytes;
    const Ring ring{places, arrived};
    let_next_kernel_start();
    const std::size_t end = blas1_segment_row(n, blockIdx.x + 1), full = min(end, n / kBlas1Lanes);
    const std::size_t begin = blas1_segment_row(n, blockIdx.x);
    if (threadIdx.x == 0) ring.begin();
    look_ahead<8192>(x + begin * kBlas1Lanes, (full - begin) * kRowBytes);
    const auto ask = [&](std::size_t row, int stage) {
        if (row < full)
            ring.ask(stage, x + row * kBlas1Lanes,
                     static_cast<unsigned>(min(full - row, static_cast<std::size_t>(kRows))) * kRowBytes);
    };
    AwaitEarlierKernels{}();
    if (threadIdx.x == 0)
        for (int d = 0; d < kStages; ++d) ask(begin + d * kRows, d);
    __syncthreads(); // the barriers are there
    const Tag tag = tag_of(parts);
    Sum lane[kOwn];
    int stage = 0;
    unsigned phase = 0;
    for (std::size_t row = begin; row < full; row += kRows) {
        ring.wait(stage, phase);
        const unsigned char* const here = places + stage * kStageBytes;
        if (row + kRows <= full) {
            Vector<T, kOwn> a[kRows];
#pragma unroll
            for (unsigned r = 0; r < kRows; ++r) a[r] = own_of_shared_row<T>(here + r * kRowBytes);
            if (row + kStages * kRows < full) {
                asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); // loads end before the engine writes there
                __syncthreads();
                if (threadIdx.x == 0) ask(row + kStages * kRows, stage);
            }
            take_own(lane, a, a);
        } else {
            for (unsigned r = 0; row + r < full; ++r) {
                const Vector<T, kOwn> a[1] = {own_of_shared_row<T>(here + r * kRowBytes)};
                take_own(lane, a, a);
            }
        }
        if (++stage == kStages) {
            stage = 0;
            phase ^= 1;
        }
    }
    if (full < end) { // the vector's last row, which is short
        const Vector<T, kOwn> a[1] = {own_of_rest(x + full * kBlas1Lanes, n - full * kBlas1Lanes)};
        take_own(lane, a, a);
    }
    hand_over(parts, tag, tree(lane), result);
}

template <class Sum, class T>
void launch_ring(std::size_t n, const T* x, const Parts<Sum>& parts, T* result, cudaStream_t stream) {
    const auto kernel = ring_kernel<Sum, T>;
    constexpr std::size_t kShared = kStages * kStageBytes;
    check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(kShared)),
          "cudaFuncSetAttribute");
    launch_with_shared(kernel, static_cast<unsigned>(blas1_segments(n)), kThreads, kShared, stream, true, n, x, parts,
                       result);
}

#endif

} // namespace mantissa::gpu::blas1
