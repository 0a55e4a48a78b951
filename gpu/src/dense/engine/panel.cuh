// A panel of at most 32 columns: pivots, L, and the square of U beside it. Each block keeps its rows of the panel in
// shared memory; all meet once in each column, where every block has left its best candidate with that row.
#pragma once

#include "problem.cuh"

namespace mantissa::gpu::lu {

#ifdef __CUDACC__

/// Shared memory of factor_panel for `rows` rows in a block.
template <class Sums> constexpr std::size_t panel_bytes(std::size_t rows) {
    return rows * (kPanel * sizeof(typename Sums::W) + sizeof(typename Sums::Op) + 2 * sizeof(int));
}

template <class Sums> class Panel {
    using W = typename Sums::W;
    using Op = typename Sums::Op;
    using Best = Candidate<W>;

public:
    __device__ Panel(const Problem<Sums>& p, int begin, int end, char* memory)
        : p_(p), begin_(begin), end_(end), width_(end - begin), lane_(static_cast<int>(threadIdx.x) & 31),
          warp_(static_cast<int>(threadIdx.x) >> 5), blocks_(static_cast<int>(gridDim.x)), meeting_(p.arrived) {
        const int rows = p.n - begin, each = (rows + blocks_ - 1) / blocks_,
                  first = static_cast<int>(blockIdx.x) * each;
        count_ = max(0, min(each, rows - first));
        tile_ = reinterpret_cast<W*>(memory);
        l_ = reinterpret_cast<Op*>(tile_ + each * kPanel);
        position_ = reinterpret_cast<int*>(l_ + each);
        row_ = position_ + each;
        for (int r = static_cast<int>(threadIdx.x); r < count_; r += kThreads) {
            position_[r] = begin + first + r;
            row_[r] = static_cast<int>(p.row_at[begin + first + r]);
        }
        __syncthreads();
        for (int r = warp_; r < count_; r += kWarps)
            if (lane_ < width_) tile_[r * kPanel + lane_] = p.row(row_[r])[begin + lane_];
        __syncthreads();
    }

    __device__ void run() {
        __shared__ Choice choice;
        for (int k = begin_; k < end_; ++k) {
            offer(k);
            meeting_.wait();
            if (warp_ == 0) choose(k, choice);
            __syncthreads();
            if (choice.singular) break;
            divide(k, choice);
            __syncthreads();
            update(k, choice);
            __syncthreads();
        }
        for (int r = static_cast<int>(threadIdx.x); r < count_; r += kThreads)
            p_.row_at[position_[r]] = static_cast<unsigned>(row_[r]);
    }

private:
    /// The pivot of a column, known to every block.
    struct Choice {
        int position;
        bool singular;
        double pivot, reciprocal;
        Op u[kPanel];
    };

    const Problem<Sums>& p_;
    int begin_, end_, width_, lane_, warp_, blocks_, count_;
    Meeting meeting_;
    W* tile_;       ///< [rows][kPanel]
    Op* l_;         ///< of the column of now
    int* position_; ///< of each row; those of rows that have been pivots are behind
    int* row_;

    __device__ Best* candidates(int k) const { return p_.candidates + (k & 1) * (blocks_ + 1); }
    __device__ W* candidate_row(int k, int slot) const {
        return p_.candidate_rows + ((k & 1) * (blocks_ + 1) + slot) * kPanel;
    }

    /// This block's best row, and the one at the diagonal if it is here.
    __device__ void offer(int k) {
        if (warp_ != 0) return;
        const int c = k - begin_;
        Best mine;
        int at = -1, diagonal = -1;
        for (int r = lane_; r < count_; r += 32) {
            const Best here{tile_[r * kPanel + c], position_[r], 0, r};
            if (here.position < k) continue;
            if (here.position == k) diagonal = r;
            if (Sums::comparable(Sums::magnitude(here.value)) && better<Sums>(here, mine)) mine = here;
        }
        mine = best_of_warp<Sums>(mine);
        at = mine.row;
        if (mine.position != INT_MAX) {
            mine.row = row_[at];
            if (lane_ < width_) candidate_row(k, static_cast<int>(blockIdx.x))[lane_] = tile_[at * kPanel + lane_];
        }
        if (lane_ == 0) candidates(k)[blockIdx.x] = mine;
        for (int mask = 16; mask > 0; mask >>= 1) diagonal = max(diagonal, __shfl_xor_sync(~0u, diagonal, mask));
        if (diagonal < 0) return;
        if (lane_ < width_) candidate_row(k, blocks_)[lane_] = tile_[diagonal * kPanel + lane_];
        if (lane_ == 0) candidates(k)[blocks_] = Best{tile_[diagonal * kPanel + c], k, 0, row_[diagonal]};
    }

    /// The first warp: the pivot among all that was offered, and its row rounded.
    __device__ void choose(int k, Choice& choice) {
        Best mine;
        int slot = blocks_;
        for (int b = lane_; b < blocks_; b += 32) {
            Best here = candidates(k)[b];
            here.row = b;
            if (better<Sums>(here, mine)) mine = here;
        }
        mine = best_of_warp<Sums>(mine);
        const Best diagonal = candidates(k)[blocks_];
        if (!keeps_diagonal(p_, diagonal.value, mine)) slot = mine.row;
        const int c = k - begin_;
        Marks marks, pivot_marks;
        double u = 0;
        if (lane_ >= c && lane_ < width_)
            u = p_.sums.rounded(candidate_row(k, slot)[lane_], lane_ == c ? pivot_marks : marks);
        const double pivot = __shfl_sync(~0u, u, c);
        const bool pivot_outside = __shfl_sync(~0u, static_cast<int>(pivot_marks.outside), c) != 0;
        const bool singular = !pivot_outside && pivot == 0;
        if (lane_ < kPanel) choice.u[lane_] = static_cast<Op>(u);
        const double reciprocal = p_.reciprocal ? p_.l_unit.div(1.0, pivot) : 0.0;
        if (lane_ == 0) {
            choice.position = slot == blocks_ ? k : mine.position;
            choice.singular = singular;
            choice.pivot = pivot;
            choice.reciprocal = reciprocal;
        }
        if (blockIdx.x != 0) return;
        if (singular) {
            if (lane_ == 0) note(p_.fault, FaultRank::singular, k);
        } else {
            note(p_.fault, marks, k);
            note(p_.fault, pivot_marks, k);
            if (lane_ == 0 && slot != blocks_ && mine.position != k) *p_.exchanges += 1;
        }
    }

    /// Positions after the exchange, and the column of L.
    __device__ void divide(int k, const Choice& choice) {
        const int c = k - begin_;
        for (int r = static_cast<int>(threadIdx.x); r < count_; r += kThreads) {
            const int before = position_[r];
            const int now = before == choice.position ? k : before == k ? choice.position : before;
            position_[r] = now;
            if (now <= k) continue;
            Marks marks;
            const double l = quotient(p_, tile_[r * kPanel + c], choice.pivot, choice.reciprocal, marks);
            note(p_.fault, marks, k);
            l_[r] = static_cast<Op>(l);
            p_.factor_row(row_[r])[k] = static_cast<Op>(l);
        }
    }

    __device__ void update(int k, const Choice& choice) {
        const int c = k - begin_;
        for (int r = warp_; r < count_; r += kWarps) {
            if (position_[r] == k && lane_ >= c && lane_ < width_)
                p_.factor_row(row_[r])[begin_ + lane_] = choice.u[lane_];
            if (position_[r] <= k || lane_ <= c || lane_ >= width_) continue;
            Marks marks;
            W& w = tile_[r * kPanel + lane_];
            w = p_.sums.subtract(w, l_[r], choice.u[lane_], marks);
            note(p_.fault, marks, k);
        }
    }
};

template <class Sums>
__global__ __launch_bounds__(kThreads) void factor_panel(const __grid_constant__ Problem<Sums> p, int begin, int end) {
    extern __shared__ __align__(16) char memory[];
    if (over(p, begin)) return; // all blocks see the same: what noted it has ended
    Panel<Sums>(p, begin, end, memory).run();
}

#endif

} // namespace mantissa::gpu::lu
