// Sums of the level-1 operations: a block's lanes, and the blocks' sums handed to the last one. blas1_order.hpp has the
// order, which the processor shares.
#pragma once

#include <cstddef>
#include <type_traits>

#include "mantissa/blas1_order.hpp"
#include "schedules/storage.cuh"
#include "sync/grid_reduce.cuh"

namespace mantissa::gpu::blas1 {

#ifdef __CUDACC__

constexpr int kThreads = 256, kWarps = kThreads / 32;
constexpr int kOwn = static_cast<int>(kBlas1Lanes) / kThreads; ///< lanes of a thread, adjacent ones
static_assert(kOwn == 4);

/// A thread's elements of a row: 16 bytes at a time where `Aligned`.
/// `Streamed`: the cache need not keep them.
template <bool Aligned, bool Streamed = false, class T>
__device__ __forceinline__ Vector<T, kOwn> own_of_row(const T* row) {
    const T* const from = row + threadIdx.x * kOwn;
    Vector<T, kOwn> v;
    if constexpr (Aligned) {
        constexpr int kAtOnce = 16 / sizeof(T);
#pragma unroll
        for (int k = 0; k < kOwn; k += kAtOnce) {
            using Words = Vector<T, kAtOnce>;
            Words w;
            if constexpr (Streamed) {
                const int4 bits = __ldcs(reinterpret_cast<const int4*>(from + k));
                w = *reinterpret_cast<const Words*>(&bits);
            } else {
                w = *reinterpret_cast<const Words*>(from + k);
            }
#pragma unroll
            for (int j = 0; j < kAtOnce; ++j) v.x[k + j] = w.x[j];
        }
    } else {
#pragma unroll
        for (int k = 0; k < kOwn; ++k) v.x[k] = from[k];
    }
    return v;
}
/// The same of the last row, which ends at `left` elements.
template <class T> __device__ __forceinline__ Vector<T, kOwn> own_of_rest(const T* row, std::size_t left) {
    Vector<T, kOwn> v{};
#pragma unroll
    for (int k = 0; k < kOwn; ++k)
        if (threadIdx.x * kOwn + k < left) v.x[k] = row[threadIdx.x * kOwn + k];
    return v;
}

/// What the kernel before this one leaves time for: the first `Bytes` of a segment of `bytes` go to the second-level
/// cache. (That is coherent: what an earlier kernel still writes is seen there.)
template <unsigned Bytes> __device__ __forceinline__ void look_ahead(const void* from, std::size_t bytes) {
    constexpr unsigned kLine = 128;
    static_assert(Bytes <= kThreads * kLine);
    const unsigned at = threadIdx.x * kLine;
    if (at < Bytes && at < bytes) asm volatile("prefetch.global.L2 [%0];" ::"l"(static_cast<const char*>(from) + at));
}

template <class Sum> __device__ __forceinline__ Sum from_lane(const Sum& s, int distance) {
    constexpr int kParts = sizeof(Sum) / sizeof(double);
    Sum other;
    const double* const from = reinterpret_cast<const double*>(&s);
    double* const to = reinterpret_cast<double*>(&other);
#pragma unroll
    for (int k = 0; k < kParts; ++k) to[k] = __shfl_xor_sync(~0u, from[k], distance);
    return other;
}

/// Is everything in one number? The sums of large and of small elements rarely hold anything.
template <class Sum> __device__ __forceinline__ bool in_one_number(const Sum& s) {
    if constexpr (std::is_same_v<Sum, DoubleSquares>) return s.large == 0 && s.small == 0;
    else return true;
}
/// The sums of a warp's lanes, those of adjacent groups of `Lanes` first; either partner forms the same sum.
template <int Lanes, class Sum> __device__ __forceinline__ void join_lanes(Sum& s) {
    if (__all_sync(~0u, in_one_number(s))) { // what is not added would be zeros
        double& number = *reinterpret_cast<double*>(&s);
#pragma unroll
        for (int d = 1; d < Lanes; d *= 2) number = blas1_add(number, __shfl_xor_sync(~0u, number, d));
    } else {
#pragma unroll
        for (int d = 1; d < Lanes; d *= 2) s.join(from_lane(s, d));
    }
}

/// The block's lanes added up, adjacent ones first; the sum is the first warp's.
template <class Sum> __device__ __forceinline__ Sum tree(Sum (&lane)[kOwn]) {
    __shared__ Sum scratch[kWarps];
    lane[0].join(lane[1]);
    lane[2].join(lane[3]);
    lane[0].join(lane[2]);
    Sum s = lane[0];
    join_lanes<32>(s);
    if (threadIdx.x % 32 == 0) scratch[threadIdx.x / 32] = s;
    __syncthreads();
    if (threadIdx.x < 32) {
        s = scratch[threadIdx.x % kWarps];
        join_lanes<kWarps>(s);
    }
    __syncthreads(); // the scratch is free again
    return s;
}

/// Whether all of these squares go to DoubleSquares::middle, told by exponents: 2^-511 <= |x| < 2^486.
template <int N> __device__ __forceinline__ bool all_in_the_middle(const Vector<double, kOwn> (&x)[N]) {
    unsigned farthest = 0;
#pragma unroll
    for (int r = 0; r < N; ++r)
#pragma unroll
        for (int k = 0; k < kOwn; ++k)
            farthest = max(farthest, (static_cast<unsigned>(__double2hiint(x[r].x[k])) & 0x7FFFFFFFU) - (512U << 20));
    return farthest < (997U << 20);
}

template <class Sum, int N, class T>
__device__ __forceinline__ void take_own(Sum (&lane)[kOwn], const Vector<T, kOwn> (&x)[N],
                                         const Vector<T, kOwn> (&y)[N]) {
    if constexpr (std::is_same_v<Sum, DoubleSquares>) {
        if (all_in_the_middle(x)) {
#pragma unroll
            for (int r = 0; r < N; ++r)
#pragma unroll
                for (int k = 0; k < kOwn; ++k)
                    lane[k].middle = blas1_add(lane[k].middle, blas1_mul(x[r].x[k], x[r].x[k]));
            return;
        }
    }
#pragma unroll
    for (int r = 0; r < N; ++r)
#pragma unroll
        for (int k = 0; k < kOwn; ++k) lane[k].take(static_cast<double>(x[r].x[k]), static_cast<double>(y[r].x[k]));
}

/// What a sum's blocks leave for the last one: a packet a block, and where a sum is in several numbers, others after
/// all blocks' first ones.
template <class Sum> struct Parts {
    static constexpr unsigned kOf = sizeof(Sum) / sizeof(double);
    /// In a first packet's tag: the sum's other numbers are zero.
    static constexpr Tag kAlone = kOf == 1 ? 0 : Tag{1} << 63;
    Tag* launches; ///< sums made so far; the packets of this one carry the next number
    Packet* packet;

    [[nodiscard]] __device__ __forceinline__ Packet* of(unsigned block, unsigned number) const {
        return packet + number * kBlas1Segments + block;
    }
    __device__ __forceinline__ void put(unsigned block, const Sum& s, Tag tag) const {
        const double* const number = reinterpret_cast<const double*>(&s);
        const bool alone = in_one_number(s);
        put_packet(of(block, 0), number[0], alone ? tag | kAlone : tag);
        if (!alone)
            for (unsigned j = 1; j < kOf; ++j) put_packet(of(block, j), number[j], tag);
    }
};

static_assert(kBlas1Segments <= kBlas1Lanes, "the segments' sums are one row");

/// The segments' sums, from the other blocks' packets and this block's first thread, added up by this block.
template <class Sum> __device__ __forceinline__ Sum collect(const Parts<Sum>& parts, Tag tag, const Sum& own) {
    constexpr unsigned kRounds = (kBlas1Segments + kThreads - 1) / kThreads;
    constexpr Tag kAlone = Parts<Sum>::kAlone;
    __shared__ Sum sums[kBlas1Segments];
    const unsigned others = gridDim.x - 1;
    const auto block = [](unsigned round) { return threadIdx.x + round * kThreads; };
    Packet got[kRounds];
    bool complete = false;
    for (bool again = false; !complete; again = true) { // all loads of a round are under way together
#pragma unroll
        for (unsigned k = 0; k < kRounds; ++k)
            if (block(k) < others && (!again || (got[k].tag & ~kAlone) != tag))
                got[k] = get_packet(parts.of(block(k), 0));
        complete = true;
#pragma unroll
        for (unsigned k = 0; k < kRounds; ++k)
            complete = complete && (block(k) >= others || (got[k].tag & ~kAlone) == tag);
    }
#pragma unroll
    for (unsigned k = 0; k < kRounds; ++k)
        if (block(k) < others) {
            Sum part;
            double* const number = reinterpret_cast<double*>(&part);
            number[0] = got[k].value;
            if (kAlone != 0 && !(got[k].tag & kAlone))
                for (unsigned j = 1; j < Parts<Sum>::kOf; ++j) number[j] = wait_packet(parts.of(block(k), j), tag);
            sums[block(k)] = part;
        }
    if (threadIdx.x == 0) sums[others] = own;
    __syncthreads();
    Sum total[kOwn];
#pragma unroll
    for (int k = 0; k < kOwn; ++k)
        if (threadIdx.x * kOwn + k < gridDim.x) total[k].join(sums[threadIdx.x * kOwn + k]);
    return tree(total);
}

/// After a block's segment, whose sum the first thread has: the last block forms the result and writes it.
template <class Sum, class T>
__device__ __forceinline__ void hand_over(const Parts<Sum>& parts, Tag tag, Sum s, T* result) {
    if (gridDim.x != 1) {
        if (blockIdx.x != gridDim.x - 1) {
            if (threadIdx.x == 0) parts.put(blockIdx.x, s, tag);
            return;
        }
        s = collect(parts, tag, s);
        if (threadIdx.x == 0) *parts.launches = tag; // every block has read it: their packets are here
    }
    if (threadIdx.x == 0) *result = static_cast<T>(s.result());
}
/// The number of this sum, which tells its packets from those before.
template <class Sum> __device__ __forceinline__ Tag tag_of(const Parts<Sum>& parts) {
    return gridDim.x == 1 ? 0 : *static_cast<volatile Tag*>(parts.launches) + 1;
}

#endif

} // namespace mantissa::gpu::blas1
