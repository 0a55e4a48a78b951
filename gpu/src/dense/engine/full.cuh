// Full pivoting: one kernel for all steps. Rows stay with their blocks; all meet once in each step. Each block looks
// for its best element while it updates its rows, so that no step reads the matrix twice.
#pragma once

#include "problem.cuh"

namespace mantissa::gpu::lu {

#ifdef __CUDACC__

template <class Sums> constexpr std::size_t full_bytes(std::size_t n, std::size_t blocks) {
    return n * sizeof(typename Sums::Op) + (n + blocks - 1) / blocks * sizeof(int);
}

template <class Sums> class FullPivoting {
    using W = typename Sums::W;
    using Op = typename Sums::Op;
    using Best = Candidate<W>;

public:
    __device__ FullPivoting(const Problem<Sums>& p, Op* upper, char* memory)
        : p_(p), upper_(upper), u_(reinterpret_cast<Op*>(memory)), position_(reinterpret_cast<int*>(u_ + p.n)),
          lane_(static_cast<int>(threadIdx.x) & 31), warp_(static_cast<int>(threadIdx.x) >> 5),
          blocks_(static_cast<int>(gridDim.x)), block_(static_cast<int>(blockIdx.x)), barrier_(p.arrived) {
        count_ = (p.n - block_ + blocks_ - 1) / blocks_;
        for (int r = static_cast<int>(threadIdx.x); r < count_; r += kThreads) position_[r] = row_of(r);
        __syncthreads();
    }

    __device__ void run() {
        __shared__ Choice choice;
        Best best;
        for (int r = warp_; r < count_; r += kWarps)
            for (int j = lane_; j < p_.n; j += 32) consider(best, p_.row(row_of(r))[j], position_[r], j, r, 0);
        offer(best, 0);
        for (int k = 0; k < p_.n; ++k) {
            barrier_.wait();
            if (warp_ == 0) choose(k, choice);
            __syncthreads();
            round_row(k, choice);
            __syncthreads();
            if (choice.singular) break;
            store_row(k);
            best = update(k, choice);
            offer(best, k + 1);
        }
        __syncthreads();
        for (int r = static_cast<int>(threadIdx.x); r < count_; r += kThreads)
            p_.row_at[position_[r]] = static_cast<unsigned>(row_of(r));
    }

private:
    struct Choice {
        int position, column, row;
        bool singular;
        double pivot;
    };

    const Problem<Sums>& p_;
    Op* upper_;     ///< rows of U, their columns in the order of the beginning
    Op* u_;         ///< the pivot's row
    int* position_; ///< of each row of this block
    int lane_, warp_, blocks_, block_, count_;
    TrapGridBarrier barrier_;

    [[nodiscard]] __device__ int row_of(int r) const { return block_ + r * blocks_; }
    __device__ Best* candidates(int k) const { return p_.candidates + (k & 1) * (blocks_ + 1); }

    __device__ __forceinline__ void consider(Best& best, W w, int position, int column, int r, int k) {
        if (position == k && column == k) candidates(k)[blocks_] = Best{w, k, k, row_of(r)};
        const Best here{w, position, column, row_of(r)};
        if (Sums::comparable(Sums::magnitude(w)) && better<Sums>(here, best)) best = here;
    }

    __device__ void offer(Best best, int k) {
        __shared__ Best of_warp[kWarps];
        if (k == p_.n) return;
        best = best_of_warp<Sums, true>(best);
        if (lane_ == 0) of_warp[warp_] = best;
        __syncthreads();
        if (threadIdx.x != 0) return;
        for (int i = 1; i < kWarps; ++i)
            if (better<Sums>(of_warp[i], best)) best = of_warp[i];
        candidates(k)[block_] = best;
    }

    __device__ void choose(int k, Choice& choice) {
        Best mine;
        for (int b = lane_; b < blocks_; b += 32)
            if (better<Sums>(candidates(k)[b], mine)) mine = candidates(k)[b];
        mine = best_of_warp<Sums, true>(mine);
        const Best diagonal = candidates(k)[blocks_];
        if (keeps_diagonal(p_, diagonal.value, mine)) mine = diagonal;
        if (lane_ != 0) return;
        Marks marks;
        const double pivot = p_.sums.rounded(mine.value, marks);
        choice = {mine.position, mine.column, mine.row, !marks.outside && pivot == 0, pivot};
        if (block_ != 0) return;
        if (choice.singular) {
            note(p_.fault, FaultRank::singular, k);
            return;
        }
        note(p_.fault, marks, k);
        *p_.exchanges += static_cast<unsigned>(mine.position != k) + static_cast<unsigned>(mine.column != k);
        const unsigned column = p_.column_at[k];
        p_.column_at[k] = p_.column_at[mine.column];
        p_.column_at[mine.column] = column;
    }

    /// The element of a row that belongs to column j after the exchange of columns k and `column`.
    __device__ __forceinline__ W after_exchange(const W* row, int j, int k, int column) const {
        return row[j == column ? k : j == k ? column : j];
    }

    __device__ void round_row(int k, const Choice& choice) {
        const W* const row = p_.row(choice.row);
        Marks marks;
        for (int j = k + static_cast<int>(threadIdx.x); j < p_.n; j += kThreads)
            u_[j] = static_cast<Op>(p_.sums.rounded(after_exchange(row, j, k, choice.column), marks));
        if (block_ == 0 && !choice.singular) note(p_.fault, marks, k);
    }

    __device__ void store_row(int k) {
        if (block_ != 0) return; // which exchanged the columns' names in choose()
        for (int j = k + static_cast<int>(threadIdx.x); j < p_.n; j += kThreads)
            upper_[static_cast<long long>(k) * p_.n + p_.column_at[j]] = u_[j];
    }

    __device__ Best update(int k, const Choice& choice) {
        Best best;
        const double reciprocal = p_.reciprocal ? p_.l_unit.div(1.0, choice.pivot) : 0.0;
        for (int r = warp_; r < count_; r += kWarps) {
            const int before = position_[r];
            const int now = before == choice.position ? k : before == k ? choice.position : before;
            __syncwarp();
            if (lane_ == 0) position_[r] = now;
            if (now <= k) continue;
            W* const row = p_.row(row_of(r));
            Marks marks;
            const W left = row[k];
            const auto l = static_cast<Op>(quotient(p_, row[choice.column], choice.pivot, reciprocal, marks));
            if (lane_ == 0) p_.factor_row(row_of(r))[k] = l;
            __syncwarp();
            for (int j = k + 1 + lane_; j < p_.n; j += 32) {
                const W w = p_.sums.subtract(j == choice.column ? left : row[j], l, u_[j], marks);
                row[j] = w;
                consider(best, w, now, j, r, k + 1);
            }
            note(p_.fault, marks, k);
        }
        return best;
    }
};

template <class Sums>
__global__ __launch_bounds__(kThreads) void factor_full(const __grid_constant__ Problem<Sums> p,
                                                        typename Sums::Op* upper) {
    extern __shared__ __align__(16) char memory[];
    FullPivoting<Sums>(p, upper, memory).run();
}

#endif

} // namespace mantissa::gpu::lu
