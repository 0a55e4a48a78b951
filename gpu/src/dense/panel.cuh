// The panel of a blocked LU factorisation: `columns` columns from the diagonal down, factored with partial pivoting by
// one cluster of blocks. A thread has the same few rows from the first column to the last, kWidth columns of them at a
// time in registers; finished elements go to memory as they come.
//
// A column takes one exchange. Every warp proposes its best row, and puts it into shared memory whole; the block sends
// the best of these to all blocks; each block finds the best of those, and has the pivot's row at once.
//
// Rows are not moved while the panel is factored: a thread knows at which place its row stands, and rows whose place is
// another one go there at the end. Equal magnitudes: the lowest place wins, as in LAPACK.
//
// Panels wider than kWidth go by parts of kWidth columns. A part's columns first take part in what earlier parts did:
// the earlier pivots' rows are solved with, in every block, and each thread updates its own rows.
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
    static __device__ __forceinline__ Bits of(float x) { return __float_as_uint(x) & 0x7fffffffU; }
    static __device__ __forceinline__ Bits warp_largest(Bits b) { return __reduce_max_sync(0xffffffffU, b); }
    static __device__ __forceinline__ float fma(float a, float b, float c) { return __fmaf_rn(a, b, c); }
    static __device__ __forceinline__ float quotient(float a, float b) { return __fdiv_rn(a, b); }
    /// A power of two that brings x, where it is very small or large, to where its reciprocal is a normal number.
    static __device__ __forceinline__ float scale(float x) {
        const float large = fabsf(x) > 0x1p+100F ? 0x1p-64F : 1.0F;
        return fabsf(x) < 0x1p-100F ? 0x1p+64F : large;
    }
    /// 1 / x to nearest for x of 2^-100 to 2^100: the hardware's estimate and one step, no branch.
    static __device__ __forceinline__ float reciprocal(float x) {
        float y;
        asm volatile("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
        return __fmaf_rn(y, __fmaf_rn(-x, y, 1.0F), y);
    }
};
template <> struct Magnitude<double> {
    using Bits = unsigned long long;
    static constexpr Bits kInfinity = 0x7ff0000000000000ULL;
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
    static __device__ __forceinline__ double quotient(double a, double b) { return __ddiv_rn(a, b); }
    static __device__ __forceinline__ double scale(double x) {
        const double large = fabs(x) > 0x1p+900 ? 0x1p-500 : 1.0;
        return fabs(x) < 0x1p-900 ? 0x1p+500 : large;
    }
    static __device__ __forceinline__ double reciprocal(double x) { return __drcp_rn(x); }
};

/// What a warp or a block says of its best row.
template <class T> struct alignas(16) Candidate {
    typename Magnitude<T>::Bits bits;
    int place; ///< INT_MAX: none
    T inverse; ///< of the row's element in the pivot's column times `scale`; 0 where that is 0
    T scale;   ///< a power of two
};

constexpr int kPanelBlocksMax = 16;
constexpr int kPanelThreadsMax = 512;
constexpr int kPartMax = 32; ///< columns of a part where a panel has several

/// A row offered as the pivot's.
template <class T, int kWidth> struct alignas(16) PanelMessage {
    T row[kWidth]; ///< from the pivot's column on, zeros after the part's end
    Candidate<T> head;
};

template <class T, int kWidth> struct PanelShared {
    PanelMessage<T, kWidth> received[2][kPanelBlocksMax];
    PanelMessage<T, kWidth> proposed[2][kPanelThreadsMax / 32];
    /// Of an earlier part: the pivots' rows in this part's columns, and in their own.
    alignas(16) T upper[kWidth <= kPartMax ? kWidth : 1][kWidth];
    alignas(16) T lower[kWidth <= kPartMax ? kWidth : 1][kWidth];
    std::uint64_t barrier[2];
};

/// One thread's rows.
template <class T, int kWidth, int kRows> struct PanelRows {
    T a[kRows][kWidth];
    int row[kRows];   ///< where the row stood before the panel, from the panel's first; at least task.rows: none
    int place[kRows]; ///< where it stands now; -1: no row
    T* out[kRows];    ///< the row's element in the column that is next finished
};

/// Among the warp's lanes, the one whose candidate is the best, of equal magnitudes the one of the lowest place; none
/// where no lane has a candidate. `most` is warp_largest() of all the candidates' bits.
template <class T>
__device__ __forceinline__ unsigned best_lane(typename Magnitude<T>::Bits bits, int place,
                                              typename Magnitude<T>::Bits most) {
    const bool among = place != INT_MAX && bits == most;
    unsigned lanes = __ballot_sync(0xffffffffU, among);
    if ((lanes & (lanes - 1)) != 0) {
        const unsigned lowest = __reduce_min_sync(0xffffffffU, among ? static_cast<unsigned>(place) : UINT_MAX);
        lanes = __ballot_sync(0xffffffffU, among && static_cast<unsigned>(place) == lowest);
    }
    return lanes;
}

/// The number of the one lane in `lanes`; 0 where there is none.
__device__ __forceinline__ int lane_number(unsigned lanes) {
    return max(0, 31 - __clz(static_cast<int>(lanes)));
}

/// The factorisation of one part: the columns from first_column on, of which rows.a has them.
template <class T, int kWidth, int kRows> class PanelPart {
public:
    static constexpr int kPiece = 16 / sizeof(T);
    using Mag = Magnitude<T>;
    using Message = PanelMessage<T, kWidth>;
    using Shared = PanelShared<T, kWidth>;
    using Rows = PanelRows<T, kWidth, kRows>;

    __device__ PanelPart(const PanelTask<T>& task, Shared& shared, Rows& rows)
        : task_(task), shared_(shared), rows_(rows), thread_(static_cast<int>(threadIdx.x)), lane_(thread_ & 31),
          warp_(thread_ >> 5), warps_(static_cast<int>(blockDim.x) >> 5), blocks_(static_cast<int>(cluster_blocks())),
          rank_(static_cast<int>(cluster_rank())) {
        // Threads t, t + threads, .. send pieces t / blocks .. to block t % blocks; `blocks` divides 32.
        far_ = remote_address(shared_address(&shared_), static_cast<std::uint32_t>(thread_ % blocks_));
        first_piece_ = thread_ / blocks_;
        piece_stride_ = static_cast<int>(blockDim.x) / blocks_;
    }

    /// Factors columns `first` .. `first + count - 1` of the panel.
    __device__ __forceinline__ void factor(int first, int count) {
        propose(first, [] {});
        if (blocks_ == 1) steps<true>(first, count);
        else steps<false>(first, count);
        if (rank_ != 0 || warp_ != 0) return;
        for (int i = 0; i < kHistory; ++i)
            if (lane_ + 32 * i < count) task_.pivots[first + lane_ + 32 * i] = task_.first + pivots_[i];
        if (lane_ != 0) return;
        if (zero_ != 0 && task_.flags->zero_pivot == 0) task_.flags->zero_pivot = task_.first + zero_;
        if (not_finite_ != 0 && task_.flags->not_finite == 0) task_.flags->not_finite = task_.first + not_finite_;
    }

private:
    static constexpr int kHistory = (kWidth + 31) / 32;

    template <bool kAlone> __device__ __forceinline__ void steps(int first, int count) {
        for (int k = first; k < first + count; ++k) {
            const int side = k & 1;
            if constexpr (kAlone) { // every warp finds the best of the proposals itself
                __syncthreads();
                eliminate(k, first, shared_.proposed[side], warps_);
            } else {
                send_best(side);
                byte_barrier_expect(thread_ == 0, &shared_.barrier[side],
                                    static_cast<std::uint32_t>(blocks_ * sizeof(Message)));
                byte_barrier_wait(&shared_.barrier[side], static_cast<std::uint32_t>(k >> 1) & 1U);
                eliminate(k, first, shared_.received[side], blocks_);
            }
        }
    }

    /// Every warp's best row for step k goes to shared memory; `meanwhile` runs while the warp compares.
    template <class Meanwhile> __device__ __forceinline__ void propose(int k, Meanwhile meanwhile) {
        Candidate<T> mine{0, INT_MAX, T(0), T(1)};
        T value = T(1);
#pragma unroll
        for (int i = 0; i < kRows; ++i) {
            const typename Mag::Bits bits = Mag::of(rows_.a[i][0]);
            const bool better = rows_.place[i] >= k && (mine.place == INT_MAX || bits > mine.bits ||
                                                        (bits == mine.bits && rows_.place[i] < mine.place));
            mine.bits = better ? bits : mine.bits;
            mine.place = better ? rows_.place[i] : mine.place;
            value = better ? rows_.a[i][0] : value;
        }
        const typename Mag::Bits most = Mag::warp_largest(mine.bits);
        mine.scale = Mag::scale(value);
        mine.inverse = Mag::reciprocal(value * mine.scale);
        mine.inverse = value == T(0) ? T(0) : mine.inverse;
        meanwhile();
        const unsigned best = best_lane<T>(mine.bits, mine.place, most);
        const bool speaks = best == 0 ? lane_ == 0 : (best >> lane_ & 1U) != 0;
        Message& message = shared_.proposed[k & 1][warp_];
#pragma unroll
        for (unsigned w = 0; w < sizeof(Candidate<T>) / 16; ++w)
            store(speaks, reinterpret_cast<uint4*>(&message.head) + w, reinterpret_cast<const uint4*>(&mine)[w]);
#pragma unroll
        for (int i = 0; i < kRows; ++i)
#pragma unroll
            for (int j = 0; j < kWidth; j += kPiece)
                store(speaks && rows_.place[i] == mine.place, &message.row[j],
                      *reinterpret_cast<const uint4*>(&rows_.a[i][j]));
    }

    /// The best of the warps' rows goes to all blocks.
    __device__ __forceinline__ void send_best(int side) {
        constexpr int kPieces = sizeof(Message) / 16;
        __syncthreads();
        typename Mag::Bits bits = 0;
        int place = INT_MAX;
        if (lane_ < warps_) {
            bits = shared_.proposed[side][lane_].head.bits;
            place = shared_.proposed[side][lane_].head.place;
        }
        const int best = lane_number(best_lane<T>(bits, place, Mag::warp_largest(bits)));
        const uint4* const words = reinterpret_cast<const uint4*>(&shared_.proposed[side][best]);
        const std::uint32_t base = shared_address(&shared_);
        const std::uint32_t to = far_ + (shared_address(&shared_.received[side][rank_]) - base);
        const std::uint32_t barrier = far_ + (shared_address(&shared_.barrier[side]) - base);
        send(first_piece_ < kPieces, to + 16 * first_piece_, words[min(first_piece_, kPieces - 1)], barrier);
        for (int piece = first_piece_ + piece_stride_; piece < kPieces; piece += piece_stride_)
            send(true, to + 16 * piece, words[piece], barrier);
    }

    /// Takes column k's pivot from `count` offered rows, eliminates, and proposes for the next column. (After a part's
    /// last column that proposal is of zeros, and nobody reads it.)
    __device__ __forceinline__ void eliminate(int k, int first, const Message* offered, int count) {
        typename Mag::Bits bits = 0;
        int place = INT_MAX;
        if (lane_ < count) {
            bits = offered[lane_].head.bits;
            place = offered[lane_].head.place;
        }
        const Message& pivot = offered[lane_number(best_lane<T>(bits, place, Mag::warp_largest(bits)))];
        const Candidate<T> head = pivot.head;
        T u[kPiece]; // of the pivot's row, a piece at a time
        *reinterpret_cast<uint4*>(u) = *reinterpret_cast<const uint4*>(pivot.row);
        T factor[kRows];
#pragma unroll
        for (int i = 0; i < kRows; ++i) {
            const bool is_pivot = rows_.place[i] == head.place, below = rows_.place[i] >= k && !is_pivot;
            const T l = rows_.a[i][0] * head.scale * head.inverse;
            const T final_value = below ? l : rows_.a[i][0];
            factor[i] = below ? -l : T(0);
            rows_.a[i][0] = Mag::fma(factor[i], u[1], rows_.a[i][1]);
            if (rows_.place[i] >= 0) *rows_.out[i] = final_value;
            rows_.out[i] += task_.stride;
            const int elsewhere = rows_.place[i] == k ? head.place : rows_.place[i];
            rows_.place[i] = is_pivot ? k : elsewhere;
        }
        const auto others = [&] {
#pragma unroll
            for (int j = 0; j < kWidth; j += kPiece) {
                if (j > 0) *reinterpret_cast<uint4*>(u) = *reinterpret_cast<const uint4*>(&pivot.row[j]);
#pragma unroll
                for (int e = 0; e < kPiece; ++e)
                    if (j + e >= 2)
#pragma unroll
                        for (int i = 0; i < kRows; ++i)
                            rows_.a[i][j + e - 1] = Mag::fma(factor[i], u[e], rows_.a[i][j + e]);
            }
#pragma unroll
            for (int i = 0; i < kRows; ++i) rows_.a[i][kWidth - 1] = T(0);
        };
        propose(k + 1, others);
        // What is told of the pivots is kept until the end.
#pragma unroll
        for (int i = 0; i < kHistory; ++i) pivots_[i] = k - first == lane_ + 32 * i ? head.place : pivots_[i];
        zero_ = head.bits == 0 && zero_ == 0 ? k + 1 : zero_;
        not_finite_ = head.bits >= Mag::kInfinity && not_finite_ == 0 ? k + 1 : not_finite_;
    }

    const PanelTask<T>& task_;
    Shared& shared_;
    Rows& rows_;
    int thread_, lane_, warp_, warps_, blocks_, rank_, first_piece_, piece_stride_;
    std::uint32_t far_;
    int pivots_[kHistory]{}; ///< the place of the pivot of the part's column 32 i + lane
    int zero_ = 0, not_finite_ = 0;
};

/// What the earlier part at column `begin` does to this part's columns: its pivots' rows are solved with its unit lower
/// triangle, all rows below are updated. `scratch`: 2 * kWidth * kWidth elements of this call, in the device's memory.
template <class T, int kWidth, int kRows>
__device__ __forceinline__ void apply_part(const PanelTask<T>& task, PanelShared<T, kWidth>& shared,
                                           PanelRows<T, kWidth, kRows>& rows, int begin, T* scratch) {
    constexpr int kPiece = 16 / sizeof(T), kBatch = 8;
    static_assert(kWidth <= kPartMax);
    const int thread = static_cast<int>(threadIdx.x), threads = static_cast<int>(blockDim.x);
#pragma unroll
    for (int i = 0; i < kRows; ++i)
        if (const int k = rows.place[i] - begin; k >= 0 && k < kWidth) {
#pragma unroll
            for (int j = 0; j < kWidth; ++j) {
                scratch[2 * k * kWidth + j] = rows.a[i][j];
                scratch[(2 * k + 1) * kWidth + j] = task.a[rows.row[i] + (begin + j) * task.stride];
            }
        }
    cluster_barrier();
    for (int i = thread; i < kWidth * kWidth; i += threads) {
        const int k = i / kWidth, j = i % kWidth;
        shared.upper[k][j] = __ldcg(&scratch[2 * k * kWidth + j]);
        shared.lower[k][j] = __ldcg(&scratch[(2 * k + 1) * kWidth + j]);
    }
    __syncthreads();
    if (thread < kWidth) { // a column each
        T x[kWidth];
#pragma unroll
        for (int k = 0; k < kWidth; ++k) {
            x[k] = shared.upper[k][thread];
#pragma unroll
            for (int j = 0; j < k; ++j) x[k] = Magnitude<T>::fma(-shared.lower[k][j], x[j], x[k]);
        }
#pragma unroll
        for (int k = 0; k < kWidth; ++k) shared.upper[k][thread] = x[k];
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < kRows; ++i) {
        const int k = rows.place[i] - begin;
        if (k >= 0 && k < kWidth) {
#pragma unroll
            for (int j = 0; j < kWidth; ++j) rows.a[i][j] = shared.upper[k][j];
        }
    }
    for (int from = 0; from < kWidth; from += kBatch) {
        T factor[kRows][kBatch];
#pragma unroll
        for (int i = 0; i < kRows; ++i)
#pragma unroll
            for (int e = 0; e < kBatch; ++e)
                factor[i][e] =
                    rows.place[i] >= begin + kWidth ? -task.a[rows.row[i] + (begin + from + e) * task.stride] : T(0);
#pragma unroll
        for (int e = 0; e < kBatch; ++e)
#pragma unroll
            for (int j = 0; j < kWidth; j += kPiece) {
                T u[kPiece];
                *reinterpret_cast<uint4*>(u) = *reinterpret_cast<const uint4*>(&shared.upper[from + e][j]);
#pragma unroll
                for (int p = 0; p < kPiece; ++p)
#pragma unroll
                    for (int i = 0; i < kRows; ++i)
                        rows.a[i][j + p] = Magnitude<T>::fma(factor[i][e], u[p], rows.a[i][j + p]);
            }
    }
    __syncthreads();
}

/// Rows that stand at another place than before go there, and the lists say so.
template <class T, int kWidth, int kRows>
__device__ __forceinline__ void move_rows(const PanelTask<T>& task, PanelRows<T, kWidth, kRows>& rows) {
    for (int begin = 0; begin < task.columns; begin += kWidth) {
#pragma unroll
        for (int i = 0; i < kRows; ++i)
            if (rows.place[i] >= 0 && rows.place[i] != rows.row[i])
#pragma unroll
                for (int j = 0; j < kWidth; ++j)
                    if (begin + j < task.columns) rows.a[i][j] = task.a[rows.row[i] + (begin + j) * task.stride];
        cluster_barrier(); // all are read
#pragma unroll
        for (int i = 0; i < kRows; ++i)
            if (rows.place[i] >= 0 && rows.place[i] != rows.row[i])
#pragma unroll
                for (int j = 0; j < kWidth; ++j)
                    if (begin + j < task.columns) task.a[rows.place[i] + (begin + j) * task.stride] = rows.a[i][j];
    }
#pragma unroll
    for (int i = 0; i < kRows; ++i) {
        if (rows.place[i] < 0) continue;
        if (rows.row[i] < task.columns) task.target[rows.row[i]] = task.first + rows.place[i];
        if (rows.place[i] < task.columns) task.source[rows.place[i]] = task.first + rows.row[i];
    }
}

/// Launched as one cluster; a panel of more than kWidth columns needs kWidth <= kPartMax; threads a multiple of 32;
/// blocks x threads x kRows >= task.rows.
template <class T, int kWidth, int kRows>
__global__ void __launch_bounds__(kPanelThreadsMax, 1) factor_panel(const PanelTask<T> task) {
    extern __shared__ __align__(16) unsigned char memory[];
    auto& shared = *reinterpret_cast<PanelShared<T, kWidth>*>(memory);
    const int thread = static_cast<int>(threadIdx.x), threads = static_cast<int>(blockDim.x);
    const int blocks = static_cast<int>(cluster_blocks()), rank = static_cast<int>(cluster_rank());
    if (thread == 0) {
        byte_barrier_start(&shared.barrier[0]);
        byte_barrier_start(&shared.barrier[1]);
        byte_barrier_fence();
        if (rank == 0 && task.started != nullptr) {
            asm volatile("st.relaxed.gpu.global.s32 [%0], 1;" ::"l"(task.started) : "memory");
        }
    }
    PanelRows<T, kWidth, kRows> rows;
#pragma unroll
    for (int i = 0; i < kRows; ++i) {
        rows.row[i] = (i * blocks + rank) * threads + thread;
        rows.place[i] = rows.row[i] < task.rows ? rows.row[i] : -1;
    }
    cluster_barrier(); // the barriers are there
    PanelPart<T, kWidth, kRows> part(task, shared, rows);
    int applied = 0;
    cudaGridDependencySynchronize();
    for (int begin = 0; begin < task.columns; begin += kWidth) {
#pragma unroll
        for (int i = 0; i < kRows; ++i)
#pragma unroll
            for (int j = 0; j < kWidth; ++j)
                rows.a[i][j] = rows.row[i] < task.rows && begin + j < task.columns
                                   ? task.a[rows.row[i] + (begin + j) * task.stride]
                                   : T(0);
#pragma unroll
        for (int i = 0; i < kRows; ++i) rows.out[i] = task.a + rows.row[i] + begin * task.stride;
        if constexpr (kWidth <= kPartMax)
            for (int before = 0; before < begin; before += kWidth, ++applied)
                apply_part<T, kWidth, kRows>(task, shared, rows, before,
                                             task.scratch + (applied & 1) * 2 * kWidth * kWidth);
        part.factor(begin, min(kWidth, task.columns - begin));
    }
    cudaTriggerProgrammaticLaunchCompletion();
    move_rows<T, kWidth, kRows>(task, rows);
}

} // namespace mantissa::gpu::dense
