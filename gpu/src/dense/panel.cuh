// The panel of a blocked LU factorisation: `columns` columns from the diagonal down, factored with partial pivoting by
// one cluster of blocks. Every row lives in the registers of one thread from the first column to the last; finished
// elements go to shared memory. Each column takes one exchange: every block sends every other its best candidate,
// value, place and whole row, so that each block finds the pivot and has its row at once.
//
// Rows are not moved while the panel is factored: a thread knows at which place its row stands, and writes it there at
// the end. Equal magnitudes: the lowest place wins, as in LAPACK.
#pragma once

#include <climits>
#include <cstddef>
#include <cstdint>

#include "cluster.cuh"
#include "steps.hpp"

namespace mantissa::gpu::dense {

/// The magnitude of a number as an unsigned integer of the same order; NaN is above infinity.
template <class T> struct Magnitude;
template <> struct Magnitude<float> {
    using Bits = std::uint32_t;
    static constexpr Bits kInfinity = 0x7f800000U;
    static constexpr float kSmallestInverted = 1.17549435e-38F; ///< below it the reciprocal may overflow
    static __device__ __forceinline__ Bits of(float x) { return __float_as_uint(x) & 0x7fffffffU; }
    static __device__ __forceinline__ Bits warp_largest(Bits b) { return __reduce_max_sync(0xffffffffU, b); }
    static __device__ __forceinline__ float fma(float a, float b, float c) { return __fmaf_rn(a, b, c); }
    static __device__ __forceinline__ float reciprocal(float x) { return __frcp_rn(x); }
    static __device__ __forceinline__ float quotient(float a, float b) { return __fdiv_rn(a, b); }
};
template <> struct Magnitude<double> {
    using Bits = unsigned long long;
    static constexpr Bits kInfinity = 0x7ff0000000000000ULL;
    static constexpr double kSmallestInverted = 2.2250738585072014e-308;
    static __device__ __forceinline__ Bits of(double x) {
        return static_cast<Bits>(__double_as_longlong(x)) & 0x7fffffffffffffffULL;
    }
    static __device__ __forceinline__ Bits warp_largest(Bits b) {
        const std::uint32_t high = static_cast<std::uint32_t>(b >> 32);
        const std::uint32_t highest = __reduce_max_sync(0xffffffffU, high);
        const std::uint32_t low = high == highest ? static_cast<std::uint32_t>(b) : 0;
        return (static_cast<Bits>(highest) << 32) | __reduce_max_sync(0xffffffffU, low);
    }
    static __device__ __forceinline__ double fma(double a, double b, double c) { return __fma_rn(a, b, c); }
    static __device__ __forceinline__ double reciprocal(double x) { return __drcp_rn(x); }
    static __device__ __forceinline__ double quotient(double a, double b) { return __ddiv_rn(a, b); }
};

/// A candidate for a pivot as blocks and warps hand it on.
template <class T> struct alignas(16) Candidate {
    typename Magnitude<T>::Bits bits;
    int place; ///< INT_MAX: none
};

/// The best of the warp's candidates: the largest magnitude, among equals the lowest place.
template <class T> __device__ __forceinline__ Candidate<T> warp_best(Candidate<T> mine) {
    Candidate<T> best;
    best.bits = Magnitude<T>::warp_largest(mine.bits);
    best.place = static_cast<int>(__reduce_min_sync(
        0xffffffffU, mine.bits == best.bits ? static_cast<unsigned>(mine.place) : static_cast<unsigned>(INT_MAX)));
    return best;
}

constexpr int kPanelBlocksMax = 16;
constexpr int kPanelThreadsMax = 512;

/// A message of one block to another.
template <class T, int kWidth> struct alignas(16) PanelMessage {
    Candidate<T> head;
    T row[kWidth]; ///< from the pivot's column on, zeros behind the panel's end
};

template <class T, int kWidth> struct PanelShared {
    PanelMessage<T, kWidth> received[2][kPanelBlocksMax];
    alignas(16) T outgoing[kWidth];
    Candidate<T> of_warp[2][32];
    std::uint64_t barrier[2];
};

/// Bytes of dynamic shared memory of a block.
template <class T, int kWidth, int kRows> constexpr std::size_t panel_shared_bytes(int threads) {
    return sizeof(PanelShared<T, kWidth>) + sizeof(T) * static_cast<std::size_t>(kWidth) * kRows * threads;
}

/// Launched as one cluster; threads a multiple of 32; blocks x threads x kRows >= task.rows.
template <class T, int kWidth, int kRows>
__global__ void __launch_bounds__(kPanelThreadsMax, 1) factor_panel(const PanelTask<T> task) {
    using Mag = Magnitude<T>;
    using Message = PanelMessage<T, kWidth>;
    constexpr int kPiece = 16 / sizeof(T);        // elements of one store
    constexpr int kPieces = sizeof(Message) / 16; // stores of one message
    extern __shared__ __align__(16) unsigned char memory[];
    auto& shared = *reinterpret_cast<PanelShared<T, kWidth>*>(memory);
    T* const finished = reinterpret_cast<T*>(memory + sizeof(PanelShared<T, kWidth>)); // [column][row of this block]
    const int thread = static_cast<int>(threadIdx.x), lane = thread & 31, warp = thread >> 5;
    const int warps = static_cast<int>(blockDim.x) >> 5, threads = static_cast<int>(blockDim.x);
    const int blocks = static_cast<int>(cluster_blocks()), rank = static_cast<int>(cluster_rank());
    const int here = threads * kRows; // rows of this block in `finished`

    if (thread == 0) {
        byte_barrier_start(&shared.barrier[0]);
        byte_barrier_start(&shared.barrier[1]);
        byte_barrier_fence();
    }
    T a[kRows][kWidth];
    int place[kRows]; // where the row stands now, counted from the panel's first; -1: no row
#pragma unroll
    for (int i = 0; i < kRows; ++i) {
        const int row = (i * blocks + rank) * threads + thread;
        place[i] = row < task.rows ? row : -1;
#pragma unroll
        for (int j = 0; j < kWidth; ++j)
            a[i][j] = row < task.rows && j < task.columns ? task.a[row + j * task.stride] : T(0);
    }
    cluster_barrier();

    const int destination = lane % blocks; // blocks divides 32
    const std::uint32_t far = remote_address(shared_address(memory), static_cast<std::uint32_t>(destination));
    const auto remote = [&](const void* p) { return far + (shared_address(p) - shared_address(memory)); };

    // The best of this warp's rows for step k goes to shared memory.
    const auto propose = [&](int k) {
        Candidate<T> best{0, INT_MAX};
#pragma unroll
        for (int i = 0; i < kRows; ++i)
            if (place[i] >= k) {
                const typename Mag::Bits bits = Mag::of(a[i][0]);
                if (bits > best.bits || (bits == best.bits && place[i] < best.place)) best = {bits, place[i]};
            }
        best = warp_best(best);
        if (lane == 0) shared.of_warp[k & 1][warp] = best;
    };
    propose(0);
    for (int k = 0; k < task.columns; ++k) {
        const int side = k & 1;
        __syncthreads();
        const Candidate<T> best = warp_best(lane < warps ? shared.of_warp[side][lane] : Candidate<T>{0, INT_MAX});
        // The warp that holds the block's best row sends it to all blocks; without one, the first warp says so.
        bool mine = false;
#pragma unroll
        for (int i = 0; i < kRows; ++i)
            if (best.place != INT_MAX && place[i] == best.place) {
                mine = true;
#pragma unroll
                for (int j = 0; j < kWidth; ++j) shared.outgoing[j] = a[i][j];
            }
        const bool sends = best.place == INT_MAX ? warp == 0 : __any_sync(0xffffffffU, mine);
        if (sends) {
            __syncwarp();
            const std::uint32_t to = remote(&shared.received[side][rank]), barrier = remote(&shared.barrier[side]);
            for (int piece = lane / blocks; piece < kPieces; piece += 32 / blocks) {
                uint4 words;
                if (piece == 0) words = *reinterpret_cast<const uint4*>(&best);
                else words = *reinterpret_cast<const uint4*>(&shared.outgoing[(piece - 1) * kPiece]);
                send(to + 16 * piece, words, barrier);
            }
        }
        if (thread == 0)
            byte_barrier_expect(&shared.barrier[side], static_cast<std::uint32_t>(blocks * sizeof(Message)));
        byte_barrier_wait(&shared.barrier[side], static_cast<std::uint32_t>(k >> 1) & 1U);

        const Candidate<T> heard = lane < blocks ? shared.received[side][lane].head : Candidate<T>{0, INT_MAX};
        const Candidate<T> pivot = warp_best(heard);
        const unsigned from = __ballot_sync(0xffffffffU, heard.place == pivot.place);
        const T* const row = shared.received[side][__ffs(static_cast<int>(from)) - 1].row;
        T u[kPiece]; // of the pivot's row, a piece at a time
        *reinterpret_cast<uint4*>(u) = *reinterpret_cast<const uint4*>(row);
        const bool tiny = pivot.bits < Mag::of(Mag::kSmallestInverted);
        const T inverse = Mag::reciprocal(u[0]);
        T factor[kRows];
#pragma unroll
        for (int i = 0; i < kRows; ++i) {
            const bool below = place[i] >= k && place[i] != pivot.place;
            if (place[i] == pivot.place) place[i] = k;
            else if (place[i] == k) place[i] = pivot.place;
            T l = T(0);
            if (below) {
                l = a[i][0] * inverse;
                if (tiny) l = pivot.bits == 0 ? T(0) : Mag::quotient(a[i][0], u[0]);
            }
            finished[k * here + i * threads + thread] = below ? l : a[i][0];
            factor[i] = -l;
            a[i][0] = Mag::fma(factor[i], u[1], a[i][1]);
        }
        if (k + 1 < task.columns) propose(k + 1);
#pragma unroll
        for (int j = 0; j < kWidth; j += kPiece) {
            if (j > 0) *reinterpret_cast<uint4*>(u) = *reinterpret_cast<const uint4*>(&row[j]);
#pragma unroll
            for (int e = 0; e < kPiece; ++e)
                if (j + e >= 2) {
#pragma unroll
                    for (int i = 0; i < kRows; ++i) a[i][j + e - 1] = Mag::fma(factor[i], u[e], a[i][j + e]);
                }
        }
#pragma unroll
        for (int i = 0; i < kRows; ++i) a[i][kWidth - 1] = T(0);
        if (rank == 0 && thread == 0) {
            task.pivots[k] = task.first + pivot.place;
            if (pivot.bits == 0 && task.flags->zero_pivot == 0) task.flags->zero_pivot = task.first + k + 1;
            if (pivot.bits >= Mag::kInfinity && task.flags->not_finite == 0)
                task.flags->not_finite = task.first + k + 1;
        }
    }
    // All blocks have read all their rows: the last step's messages depend on them.
#pragma unroll
    for (int i = 0; i < kRows; ++i) {
        const int row = (i * blocks + rank) * threads + thread;
        if (row >= task.rows) continue;
        for (int j = 0; j < task.columns; ++j)
            task.a[place[i] + j * task.stride] = finished[j * here + i * threads + thread];
        if (row < task.columns) task.target[row] = task.first + place[i];
        if (place[i] < task.columns) task.source[place[i]] = task.first + row;
    }
}

} // namespace mantissa::gpu::dense
