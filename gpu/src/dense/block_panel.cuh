// The panel of a blocked LU factorisation in one block, for few rows: no word has to leave the multiprocessor, and a
// column takes two barriers of the block. The arithmetic is that of panel.cuh, operation for operation, so that a
// factorisation does not show which of the two made a panel.
//
// A thread has kRows rows, kWidth columns of them at a time in registers. Every warp proposes its best row by its head
// alone; the row itself is put into shared memory by the one thread whose row won. What bounds a column is the way of
// the pivot's row out of shared memory into every warp, so more than a few hundred rows are better shared by a cluster.
//
// Panels wider than kWidth go by parts, as in panel.cuh. What a thread has finished of its rows stays in shared memory
// beside the matrix, for the parts that follow; no other thread looks there.
#pragma once

#include "panel.cuh"

namespace mantissa::gpu::dense {

/// Columns that a step does or leaves out together.
constexpr int kPanelChunk = 8;

template <class T, int kWidth> struct BlockPanelShared {
    Candidate<T> head[32];                 ///< of each warp's best row
    alignas(16) T row[kWidth];             ///< the pivot's, from its column on
    alignas(16) T upper[kWidth][kWidth];   ///< an earlier part's pivots' rows in this part's columns
    alignas(16) T columns[kWidth][kWidth]; ///< and in their own, by columns
};

/// Bytes of shared memory for a panel of `columns` columns.
template <class T, int kWidth, int kRows, int kThreads> constexpr std::size_t block_panel_bytes(int columns) {
    const int kept = columns > kWidth ? (columns - 1) / kWidth * kWidth : 0;
    return sizeof(BlockPanelShared<T, kWidth>) + sizeof(T) * static_cast<std::size_t>(kept) * kRows * kThreads;
}

template <class T, int kWidth, int kRows, int kThreads> class BlockPanel {
public:
    using Mag = Magnitude<T>;
    using Shared = BlockPanelShared<T, kWidth>;
    static constexpr int kPiece = 16 / sizeof(T);
    static constexpr int kWarps = kThreads / 32;
    static_assert(kWidth % kPanelChunk == 0 && kPanelChunk % kPiece == 0 && kWarps <= 32);

    __device__ __forceinline__ BlockPanel(const PanelTask<T>& task, Shared& shared, T* finished)
        : task_(task), shared_(shared), finished_(finished + threadIdx.x), thread_(static_cast<int>(threadIdx.x)),
          lane_(thread_ & 31), warp_(thread_ >> 5) {
#pragma unroll
        for (int i = 0; i < kRows; ++i) place_[i] = row(i) < task_.rows ? row(i) : -1;
    }

    __device__ __forceinline__ void run() {
        for (int begin = 0; begin < task_.columns; begin += kWidth) {
            load(begin);
            for (int before = 0; before < begin; before += kWidth) apply(before);
            factor(begin, min(kWidth, task_.columns - begin));
        }
        if (thread_ == 0) {
            if (zero_ != 0 && task_.flags->zero_pivot == 0) task_.flags->zero_pivot = task_.first + zero_;
            if (not_finite_ != 0 && task_.flags->not_finite == 0) task_.flags->not_finite = task_.first + not_finite_;
        }
    }

    /// Rows that stand at another place than before go there, and the lists say so.
    __device__ __forceinline__ void move_rows() {
        for (int begin = 0; begin < task_.columns; begin += kWidth) {
#pragma unroll
            for (int i = 0; i < kRows; ++i)
                if (place_[i] >= 0 && place_[i] != row(i))
#pragma unroll
                    for (int j = 0; j < kWidth; ++j)
                        if (begin + j < task_.columns) a_[i][j] = task_.a[row(i) + (begin + j) * task_.stride];
            __syncthreads(); // all are read
#pragma unroll
            for (int i = 0; i < kRows; ++i)
                if (place_[i] >= 0 && place_[i] != row(i))
#pragma unroll
                    for (int j = 0; j < kWidth; ++j)
                        if (begin + j < task_.columns) task_.a[place_[i] + (begin + j) * task_.stride] = a_[i][j];
        }
#pragma unroll
        for (int i = 0; i < kRows; ++i) {
            if (place_[i] < 0) continue;
            if (row(i) < task_.columns) task_.target[row(i)] = task_.first + place_[i];
            if (place_[i] < task_.columns) task_.source[place_[i]] = task_.first + row(i);
        }
    }

private:
    /// Where my row stood before the panel, from the panel's first.
    __device__ __forceinline__ int row(int i) const {
        return i * kThreads + thread_;
    }
    __device__ __forceinline__ T& finished(int k, int i) const {
        return finished_[(k * kRows + i) * kThreads];
    }

    __device__ __forceinline__ void load(int begin) {
        out_ = task_.a + thread_ + begin * task_.stride;
#pragma unroll
        for (int i = 0; i < kRows; ++i)
#pragma unroll
            for (int j = 0; j < kWidth; ++j)
                a_[i][j] =
                    row(i) < task_.rows && begin + j < task_.columns ? out_[i * kThreads + j * task_.stride] : T(0);
    }

    /// Columns `first` .. `first + count - 1` of the panel.
    __device__ __forceinline__ void factor(int first, int count) {
        const bool more = first + count < task_.columns;
        propose(first, [] {});
        for (int k = first; k < first + count; ++k) {
            __syncthreads();
            const Candidate<T> head = best_head();
            const int left = first + count - k;
#pragma unroll
            for (int i = 0; i < kRows; ++i)
                if (place_[i] == head.place) offer(a_[i], left);
            eliminate(k, head, left, more);
            if (thread_ == 0) task_.pivots[k] = task_.first + head.place;
            zero_ = head.bits == 0 && zero_ == 0 ? k + 1 : zero_;
            not_finite_ = head.bits >= Mag::kInfinity && not_finite_ == 0 ? k + 1 : not_finite_;
        }
    }

    /// The head of every warp's best row for step k goes to shared memory; `meanwhile` runs while the warp compares.
    template <class Meanwhile> __device__ __forceinline__ void propose(int k, Meanwhile meanwhile) {
        Candidate<T> mine{0, INT_MAX, T(0), T(1)};
        T value = T(1);
#pragma unroll
        for (int i = 0; i < kRows; ++i) {
            const typename Mag::Bits bits = Mag::of(a_[i][0]);
            const bool better = place_[i] >= k && (mine.place == INT_MAX || bits > mine.bits ||
                                                   (bits == mine.bits && place_[i] < mine.place));
            mine.bits = better ? bits : mine.bits;
            mine.place = better ? place_[i] : mine.place;
            value = better ? a_[i][0] : value;
        }
        const typename Mag::Bits most = Mag::warp_largest(mine.bits);
        mine.scale = Mag::scale(value);
        mine.inverse = Mag::reciprocal(value * mine.scale);
        mine.inverse = value == T(0) ? T(0) : mine.inverse;
        meanwhile();
        const unsigned best = best_lane<T>(mine.bits, mine.place, most);
        if (best == 0 ? lane_ == 0 : (best >> lane_ & 1U) != 0) shared_.head[warp_] = mine;
    }

    __device__ __forceinline__ Candidate<T> best_head() const {
        typename Mag::Bits bits = 0;
        int place = INT_MAX;
        if (lane_ < kWarps) {
            bits = shared_.head[lane_].bits;
            place = shared_.head[lane_].place;
        }
        return shared_.head[lane_number(best_lane<T>(bits, place, Mag::warp_largest(bits)))];
    }

    __device__ __forceinline__ void offer(const T (&row)[kWidth], int left) {
#pragma unroll
        for (int j0 = 0; j0 < kWidth; j0 += kPanelChunk)
            if (j0 < left)
#pragma unroll
                for (int j = j0; j < j0 + kPanelChunk; j += kPiece) store_piece(&shared_.row[j], &row[j]);
    }
    static __device__ __forceinline__ void store_piece(T* to, const T* from) {
        if constexpr (sizeof(T) == 4) *reinterpret_cast<float4*>(to) = make_float4(from[0], from[1], from[2], from[3]);
        else *reinterpret_cast<double2*>(to) = make_double2(from[0], from[1]);
    }
    static __device__ __forceinline__ void load_piece(T (&to)[kPiece], const T* from) {
        *reinterpret_cast<uint4*>(to) = *reinterpret_cast<const uint4*>(from);
    }

    /// Column k's quotients, what they do to the other `left` columns, and the proposal for the next one. (After a
    /// part's last column nobody reads that.)
    __device__ __forceinline__ void eliminate(int k, const Candidate<T>& head, int left, bool more) {
        T factor[kRows];
#pragma unroll
        for (int i = 0; i < kRows; ++i) {
            const bool is_pivot = place_[i] == head.place, below = place_[i] >= k && !is_pivot;
            const T l = a_[i][0] * head.scale * head.inverse;
            const T final_value = below ? l : a_[i][0];
            factor[i] = below ? -l : T(0);
            if (place_[i] >= 0) out_[i * kThreads] = final_value;
            if (more) finished(k, i) = final_value;
            const int elsewhere = place_[i] == k ? head.place : place_[i];
            place_[i] = is_pivot ? k : elsewhere;
        }
        out_ += task_.stride;
        __syncthreads(); // the pivot's row is there
        T u[kPiece];
        load_piece(u, shared_.row);
#pragma unroll
        for (int i = 0; i < kRows; ++i) a_[i][0] = Mag::fma(factor[i], u[1], a_[i][1]);
        propose(k + 1, [&] {
#pragma unroll
            for (int j0 = 0; j0 < kWidth; j0 += kPanelChunk)
                if (j0 < left)
#pragma unroll
                    for (int j = j0; j < j0 + kPanelChunk; j += kPiece) {
                        if (j > 0) load_piece(u, &shared_.row[j]);
#pragma unroll
                        for (int e = 0; e < kPiece; ++e)
                            if (j + e >= 2)
#pragma unroll
                                for (int i = 0; i < kRows; ++i)
                                    a_[i][j + e - 1] = Mag::fma(factor[i], u[e], a_[i][j + e]);
                    }
        });
    }

    /// What the earlier part at column `begin` does to this part's columns.
    __device__ __forceinline__ void apply(int begin) {
#pragma unroll
        for (int i = 0; i < kRows; ++i)
            if (const int k = place_[i] - begin; k >= 0 && k < kWidth)
#pragma unroll
                for (int j = 0; j < kWidth; ++j) {
                    shared_.upper[k][j] = a_[i][j];
                    shared_.columns[j][k] = finished(begin + j, i);
                }
        __syncthreads();
        if (thread_ < kWidth) { // a column each
            T x[kWidth];
#pragma unroll
            for (int k = 0; k < kWidth; ++k) x[k] = shared_.upper[k][thread_];
#pragma unroll
            for (int k = 0; k < kWidth; ++k)
#pragma unroll
                for (int j = k + 1; j < kWidth; ++j) x[j] = Mag::fma(-shared_.columns[k][j], x[k], x[j]);
#pragma unroll
            for (int k = 0; k < kWidth; ++k) shared_.upper[k][thread_] = x[k];
        }
        __syncthreads();
#pragma unroll
        for (int i = 0; i < kRows; ++i)
            if (const int k = place_[i] - begin; k >= 0 && k < kWidth)
#pragma unroll
                for (int j = 0; j < kWidth; ++j) a_[i][j] = shared_.upper[k][j];
#pragma unroll 2
        for (int k = 0; k < kWidth; ++k) {
            T factor[kRows];
#pragma unroll
            for (int i = 0; i < kRows; ++i) factor[i] = place_[i] >= begin + kWidth ? -finished(begin + k, i) : T(0);
#pragma unroll
            for (int j = 0; j < kWidth; j += kPiece) {
                T u[kPiece];
                load_piece(u, &shared_.upper[k][j]);
#pragma unroll
                for (int e = 0; e < kPiece; ++e)
#pragma unroll
                    for (int i = 0; i < kRows; ++i) a_[i][j + e] = Mag::fma(factor[i], u[e], a_[i][j + e]);
            }
        }
        __syncthreads();
    }

    const PanelTask<T>& task_;
    Shared& shared_;
    T* const finished_; ///< [column][row of mine][thread]
    const int thread_, lane_, warp_;
    T a_[kRows][kWidth];
    int place_[kRows]; ///< where my row stands now; -1: no row
    T* out_ = nullptr; ///< my first row's element in the column that is next finished
    int zero_ = 0, not_finite_ = 0;
};

/// Launched as one block of kThreads; kThreads x kRows >= task.rows.
template <class T, int kWidth, int kRows, int kThreads>
__global__ void __launch_bounds__(kThreads, 1) factor_block_panel(const PanelTask<T> task) {
    extern __shared__ __align__(16) unsigned char memory[];
    auto& shared = *reinterpret_cast<BlockPanelShared<T, kWidth>*>(memory);
    if (threadIdx.x == 0 && task.started != nullptr)
        asm volatile("st.relaxed.gpu.global.s32 [%0], 1;" ::"l"(task.started) : "memory");
    BlockPanel<T, kWidth, kRows, kThreads> panel(task, shared,
                                                 reinterpret_cast<T*>(memory + sizeof(BlockPanelShared<T, kWidth>)));
    cudaGridDependencySynchronize();
    panel.run();
    cudaTriggerProgrammaticLaunchCompletion();
    panel.move_rows();
}

} // namespace mantissa::gpu::dense
