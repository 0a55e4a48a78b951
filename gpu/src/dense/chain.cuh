// Panels one after the other in one cluster of blocks. A thread has one place of the matrix' rows, from the first
// panel on until it has passed that place; while a panel is factored rows stay where they are, and then those that
// have moved go to the threads of their new places, at most 64. So threads next to each other always load and store
// neighbours.
//
// Finished columns go to shared memory, and to the matrix when their panel ends; the same words are one operand of the
// update of the next panel's columns. Between two panels:
//     the next panel's columns come from memory, every block solves with the square of L for the rows of U,
//     multiplies its rows of L with them, and subtracts.
// The sums are those of swap_and_solve and update, in their order, so the bits are theirs.
#pragma once

#include "chain.hpp"
#include "panel.cuh"
#include "triangular_solve.cuh"

namespace mantissa::gpu::dense {

template <class T, int kWidth> struct ChainShared {
    PanelShared<T, kWidth> panel;
    alignas(16) T lower[kWidth][kWidth];         ///< the pivots' rows of L, in their order
    alignas(16) T upper[2][kWidth][kWidth + 4];  ///< the same rows in the next panel's columns; even and odd panels
    alignas(16) T pivots[2][kWidth][kWidth + 4]; ///< the pivots' rows of L, in the block that has their places
    int band[kWidth];                            ///< where the pivots' rows stood before
    int came[kPanelThreadsMax];                  ///< where a thread's new row stood before
};

/// After ChainShared: the panel's finished columns, and the product, [column][thread] each.
template <class T, int kWidth> constexpr std::size_t chain_bytes(int threads) {
    return sizeof(ChainShared<T, kWidth>) + (2 * kWidth + 4) * sizeof(T) * static_cast<std::size_t>(threads);
}

template <class T, int kWidth> class PanelChain {
    static constexpr int kPiece = 16 / sizeof(T);
    using Mag = Magnitude<T>;
    using Shared = ChainShared<T, kWidth>;

public:
    __device__ PanelChain(const ChainTask<T>& task, Shared& shared, T* finished)
        : task_(task), shared_(shared), thread_(static_cast<int>(threadIdx.x)), threads_(static_cast<int>(blockDim.x)),
          blocks_(static_cast<int>(cluster_blocks())), rank_(static_cast<int>(cluster_rank())), finished_(finished),
          product_(finished + kWidth * threads_), home_(rank_ * threads_ + thread_) {
        if (home_ >= task.n - task.first) home_ = -1;
        rows_.place[0] = rows_.row[0] = home_;
    }

    __device__ __forceinline__ void run() {
        int first = task_.first;
        load(first, first);
        for (int p = 0;; ++p, first += kWidth) {
            const int columns = min(kWidth, task_.n - first);
            PanelTask<T> panel{};
            panel.stride = static_cast<std::size_t>(threads_);
            panel.columns = columns;
            panel.first = first;
            panel.pivots = task_.pivots + first;
            panel.flags = task_.flags;
            rows_.out[0] = finished_ + thread_;
            PanelPart<T, kWidth, 1>(panel, shared_.panel, rows_).factor(0, columns);
            const bool more = p + 1 < task_.panels;
            if (more && thread_ == threads_ - 1) await_flag(task_.ready + p);
            send(p);
            cluster_barrier();
            take(p);
            T band[kBandEach];
            if (more) {
                load_band(first, band);
                load(first, first + kWidth);
                fetch_lower(p);
            }
            write(p, first, columns);
            if (more) store_band(shared_.upper[p & 1], band);
            __syncthreads();
            if (thread_ == threads_ - 32)
                asm volatile("red.release.gpu.global.add.s32 [%0], 1;" ::"l"(task_.finished + p) : "memory");
            if (!more) return;
            apply(shared_.upper[p & 1]);
        }
    }

private:
    static constexpr int kPitch = kWidth + 4;
    static constexpr int kBandEach = kWidth * kWidth / 64; ///< elements of the pivots' rows for each of 64 threads

    /// Columns from `begin` on, of the rows where they stood before the panel at `first`. No thread writes to such an
    /// element before all have come to the end of the panel these columns are.
    __device__ __forceinline__ void load(int first, int begin) {
        const T* const row = task_.matrix + first + rows_.row[0] + begin * task_.stride;
#pragma unroll
        for (int j = 0; j < kWidth; ++j)
            rows_.a[0][j] = home_ >= 0 && begin + j < task_.n ? __ldcg(row + j * task_.stride) : T(0);
    }
    /// The pivots' rows in the next panel's columns, in every block.
    __device__ __forceinline__ void load_band(int first, T (&band)[kBandEach]) const {
#pragma unroll
        for (int e = 0; e < kBandEach; ++e)
            if (const int i = thread_ + e * threads_; i < kWidth * kWidth) {
                const int j = first + kWidth + i / kWidth;
                band[e] =
                    j < task_.n ? __ldcg(task_.matrix + first + shared_.band[i % kWidth] + j * task_.stride) : T(0);
            }
    }
    __device__ __forceinline__ void store_band(T (&upper)[kWidth][kPitch], const T (&band)[kBandEach]) const {
#pragma unroll
        for (int e = 0; e < kBandEach; ++e)
            if (const int i = thread_ + e * threads_; i < kWidth * kWidth) upper[i % kWidth][i / kWidth] = band[e];
    }

    /// Rows that have moved go to the threads that have their places: a pivot's place is a thread's of the first
    /// kWidth, and who had that pivot gets the row that stood there. The pivots' rows of L go to all blocks.
    __device__ __forceinline__ void send(int p) {
        if (home_ < 0) return;
        const int place = rows_.place[0];
        const std::uint32_t base = shared_address(&shared_);
        if (place != home_ || place < kWidth) {
            const int thread = place + p * kWidth, to = thread / threads_, at = thread - to * threads_;
            const std::uint32_t far = remote_address(base, static_cast<std::uint32_t>(to));
            store_word(far + (shared_address(&shared_.came[at]) - base), home_);
            const T* const row = place < kWidth ? shared_.pivots[p & 1][place] : product_ + at * kPitch;
            const std::uint32_t there = far + (shared_address(row) - base);
#pragma unroll
            for (int j = 0; j < kWidth; j += kPiece) {
                T l[kPiece];
#pragma unroll
                for (int e = 0; e < kPiece; ++e) l[e] = finished_[(j + e) * threads_ + thread_];
                store_piece(there + static_cast<std::uint32_t>(j * static_cast<int>(sizeof(T))),
                            *reinterpret_cast<const uint4*>(l));
            }
        }
        if (place >= kWidth) return;
        const std::uint32_t band = shared_address(&shared_.band[place]) - base;
        for (int b = 0; b < blocks_; ++b) store_word(remote_address(base, static_cast<std::uint32_t>(b)) + band, home_);
    }
    /// The pivots' rows of L, from the block that has their places.
    __device__ __forceinline__ void fetch_lower(int p) {
        const std::uint32_t far =
            remote_address(shared_address(shared_.pivots[p & 1]), static_cast<std::uint32_t>(p * kWidth / threads_));
        constexpr int kPieces = kWidth / kPiece;
        for (int i = thread_; i < kWidth * kPieces; i += threads_) {
            const int k = i / kPieces, j = i % kPieces * kPiece;
            uint4 v;
            asm volatile("ld.shared::cluster.v4.b32 {%0, %1, %2, %3}, [%4];"
                         : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                         : "r"(far + static_cast<std::uint32_t>((k * kPitch + j) * static_cast<int>(sizeof(T))))
                         : "memory");
            *reinterpret_cast<uint4*>(&shared_.lower[k][j]) = v;
        }
    }
    static __device__ __forceinline__ void store_word(std::uint32_t to, int v) {
        asm volatile("st.shared::cluster.b32 [%0], %1;" ::"r"(to), "r"(v) : "memory");
    }
    static __device__ __forceinline__ void store_piece(std::uint32_t to, uint4 v) {
        asm volatile("st.shared::cluster.v4.b32 [%0], {%1, %2, %3, %4};" ::"r"(to), "r"(v.x), "r"(v.y), "r"(v.z),
                     "r"(v.w)
                     : "memory");
    }
    /// The row that has come to my place.
    __device__ __forceinline__ void take(int p) {
        went_ = rows_.place[0];
        if (home_ < 0 || went_ == home_) return;
        rows_.row[0] = shared_.came[thread_];
        const T* const row = home_ < kWidth ? shared_.pivots[p & 1][home_] : product_ + thread_ * kPitch;
#pragma unroll
        for (int j = 0; j < kWidth; j += kPiece) {
            T l[kPiece];
            *reinterpret_cast<uint4*>(l) = *reinterpret_cast<const uint4*>(row + j);
#pragma unroll
            for (int e = 0; e < kPiece; ++e) finished_[(j + e) * threads_ + thread_] = l[e];
        }
    }

    /// The finished panel, the rows of U over it, and what is told of its exchanges.
    __device__ __forceinline__ void write(int p, int first, int columns) {
        if (home_ >= 0) {
            T* const to = task_.matrix + first + home_ + first * task_.stride;
            if (columns == kWidth) {
#pragma unroll
                for (int k = 0; k < kWidth; ++k) to[k * task_.stride] = finished_[k * threads_ + thread_];
            } else
                for (int k = 0; k < columns; ++k) to[k * task_.stride] = finished_[k * threads_ + thread_];
            if (home_ < columns) {
                task_.target[first + home_] = first + went_;
                task_.source[first + home_] = first + rows_.row[0];
            }
        }
        if (p > 0)
            for (int i = rank_ * threads_ + thread_; i < columns * kWidth; i += blocks_ * threads_)
                task_.matrix[first - kWidth + i % kWidth + (first + i / kWidth) * task_.stride] =
                    shared_.upper[(p - 1) & 1][i % kWidth][i / kWidth];
    }

    /// What the panel does to the next one's columns.
    __device__ __forceinline__ void apply(T (&upper)[kWidth][kPitch]) {
        if (thread_ < kWidth) solve(upper);
        __syncthreads();
        multiply(upper);
        __syncthreads();
        home_ = max(home_ - kWidth, -1);
        rows_.place[0] = rows_.row[0] = home_;
#pragma unroll
        for (int j = 0; j < kWidth; ++j) rows_.a[0][j] -= product_[j * threads_ + thread_];
    }

    /// upper <- lower^-1 upper, a thread for each column.
    __device__ __forceinline__ void solve(T (&upper)[kWidth][kPitch]) {
        T x[kWidth];
#pragma unroll
        for (int k = 0; k < kWidth; ++k) x[k] = upper[k][thread_];
#pragma unroll
        for (int i = 0; i < kWidth; i += kPiece)
#pragma unroll
            for (int r = i + 1; r < kWidth; ++r) {
                T l[kPiece];
                *reinterpret_cast<uint4*>(l) = *reinterpret_cast<const uint4*>(&shared_.lower[r][i]);
#pragma unroll
                for (int e = 0; e < kPiece; ++e)
                    if (i + e < r) x[r] = Mag::fma(-l[e], x[i + e], x[r]);
            }
#pragma unroll
        for (int k = 0; k < kWidth; ++k) upper[k][thread_] = x[k];
    }

    /// The product of the block's rows of L and `upper`: a thread has 8 rows and 4 columns of it.
    __device__ __forceinline__ void multiply(const T (&upper)[kWidth][kPitch]) {
        constexpr int kRows = 8, kColumns = 4, kPiecesM = kRows / kPiece, kPiecesN = kColumns / kPiece;
        const int groups = threads_ / kRows, row = thread_ % groups * kPiece, column = thread_ / groups * kColumns;
        const int apart = threads_ / kPiecesM;
        T sum[kColumns][kRows];
#pragma unroll
        for (int j = 0; j < kColumns; ++j)
#pragma unroll
            for (int i = 0; i < kRows; ++i) sum[j][i] = T(0);
#pragma unroll 8
        for (int k = 0; k < kWidth; ++k) {
            T x[kRows], y[kColumns];
#pragma unroll
            for (int i = 0; i < kPiecesM; ++i)
                *reinterpret_cast<uint4*>(&x[i * kPiece]) =
                    *reinterpret_cast<const uint4*>(&finished_[k * threads_ + i * apart + row]);
#pragma unroll
            for (int j = 0; j < kPiecesN; ++j)
                *reinterpret_cast<uint4*>(&y[j * kPiece]) =
                    *reinterpret_cast<const uint4*>(&upper[k][column + j * kPiece]);
#pragma unroll
            for (int j = 0; j < kColumns; ++j)
#pragma unroll
                for (int i = 0; i < kRows; ++i) sum[j][i] = Mag::fma(x[i], y[j], sum[j][i]);
        }
#pragma unroll
        for (int j = 0; j < kColumns; ++j)
#pragma unroll
            for (int i = 0; i < kPiecesM; ++i)
                *reinterpret_cast<uint4*>(&product_[(column + j) * threads_ + i * apart + row]) =
                    *reinterpret_cast<const uint4*>(&sum[j][i * kPiece]);
    }

    const ChainTask<T>& task_;
    Shared& shared_;
    const int thread_, threads_, blocks_, rank_;
    T *const finished_, *const product_;
    PanelRows<T, kWidth, 1> rows_; ///< places are counted from the panel's first row
    int home_;                     ///< the place that is mine; -1: it is none, or before this panel
    int went_ = 0;                 ///< the place of the row that I had before the panel
};

/// Launched as one cluster of up to kPanelBlocksMax blocks, a number that divides 32, of a multiple of 32 threads, at
/// least 64 and at most kThreads; blocks x threads >= task.n - task.first.
template <class T, int kWidth, int kThreads>
__global__ void __launch_bounds__(kThreads, 1) factor_chain(const ChainTask<T> task) {
    extern __shared__ __align__(16) unsigned char memory[];
    auto& shared = *reinterpret_cast<ChainShared<T, kWidth>*>(memory);
    if (threadIdx.x == 0) {
        byte_barrier_start(&shared.panel.barrier[0]);
        byte_barrier_start(&shared.panel.barrier[1]);
        byte_barrier_fence();
        if (cluster_rank() == 0) asm volatile("st.relaxed.gpu.global.s32 [%0], 1;" ::"l"(task.started) : "memory");
    }
    cluster_barrier(); // the barriers are there
    PanelChain<T, kWidth> chain(task, shared, reinterpret_cast<T*>(memory + sizeof(ChainShared<T, kWidth>)));
    cudaGridDependencySynchronize();
    chain.run();
    cluster_barrier(); // no block leaves before the others have what it sent
}

} // namespace mantissa::gpu::dense
