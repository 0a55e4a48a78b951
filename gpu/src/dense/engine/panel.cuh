// A panel of at most 32 columns: pivots, L, and the square of U beside it. Each block keeps its rows of the panel in
// shared memory; all meet once in each column, where every block has shown the others its best candidate and that row.
#pragma once

#include <cooperative_groups.h>

#include "problem.cuh"

namespace mantissa::gpu::lu {

inline constexpr int kPanelThreads = 512;
inline constexpr int kPanelWarps = kPanelThreads / 32;
inline constexpr int kPitch = kPanel + 1; ///< elements from row to row in shared memory
inline constexpr int kMostInCluster = 16; ///< blocks; 16 is more than every device promises, and what Hopper has

#ifdef __CUDACC__

/// What the blocks of a panel show each other, for two columns in turn: slot i is block i's best row, the last slot the
/// row at the diagonal.
template <class W, int Slots> struct Shown {
    Candidate<W> best[2][Slots];
    W row[2][Slots][kPanel];
};

/// Blocks of one cluster: each writes into the shared memory of all.
template <class Sums> class ClusterLink {
    using W = typename Sums::W;
    using Table = Shown<W, kMostInCluster + 1>;

public:
    static constexpr std::size_t kBytes = sizeof(Table);
    __device__ ClusterLink(const Problem<Sums>&, char* memory) : mine_(reinterpret_cast<Table*>(memory)) {
        cooperative_groups::this_cluster().sync(); // nobody writes into a block that has not begun
    }
    __device__ static int blocks() { return static_cast<int>(cooperative_groups::this_cluster().num_blocks()); }
    __device__ static int block() { return static_cast<int>(cooperative_groups::this_cluster().block_rank()); }
    /// Warp w is for block w.
    __device__ void show(int warp, int lane, int k, int slot, const Candidate<W>& best, const W* row) {
        for (int peer = warp; peer < blocks(); peer += kPanelWarps) {
            Table* const theirs = cooperative_groups::this_cluster().map_shared_rank(mine_, peer);
            if (best.position != INT_MAX) theirs->row[k & 1][slot][lane] = row[lane];
            if (lane == 0) theirs->best[k & 1][slot] = best;
        }
    }
    __device__ Candidate<W> best(int k, int slot) const { return mine_->best[k & 1][slot]; }
    __device__ W value(int k, int slot, int lane) const { return mine_->row[k & 1][slot][lane]; }
    __device__ void wait() { cooperative_groups::this_cluster().sync(); }
    __device__ void leave() { cooperative_groups::this_cluster().sync(); }

private:
    Table* mine_;
};

/// Blocks of a cooperative launch, by way of global memory: for more rows than a cluster keeps.
template <class Sums> class GridLink {
    using W = typename Sums::W;

public:
    static constexpr std::size_t kBytes = 0;
    __device__ GridLink(const Problem<Sums>& p, char*) : p_(p), barrier_(p.arrived) {}
    __device__ static int blocks() { return static_cast<int>(gridDim.x); }
    __device__ static int block() { return static_cast<int>(blockIdx.x); }
    __device__ void show(int warp, int lane, int k, int slot, const Candidate<W>& best, const W* row) {
        if (warp != 0) return;
        if (best.position != INT_MAX) p_.candidate_rows[at(k, slot) * kPanel + lane] = row[lane];
        if (lane == 0) p_.candidates[at(k, slot)] = best;
    }
    __device__ Candidate<W> best(int k, int slot) const { return p_.candidates[at(k, slot)]; }
    __device__ W value(int k, int slot, int lane) const { return p_.candidate_rows[at(k, slot) * kPanel + lane]; }
    __device__ void wait() { barrier_.wait(); }
    __device__ void leave() {}

private:
    const Problem<Sums>& p_;
    TrapGridBarrier barrier_;
    __device__ static int at(int k, int slot) { return (k & 1) * (blocks() + 1) + slot; }
};

/// Shared memory of factor_panel for `rows` rows in a block.
template <class Sums, class Link> constexpr std::size_t panel_bytes(std::size_t rows) {
    return Link::kBytes + rows * (kPitch * sizeof(typename Sums::W) + 2 * sizeof(int));
}

template <class Sums, class Link> class Panel {
    using W = typename Sums::W;
    using Op = typename Sums::Op;
    using Best = Candidate<W>;

public:
    struct Shared {
        alignas(16) unsigned char best[kPanelWarps][sizeof(Best)]; ///< each warp's best row for the next column
        int diagonal[2]; ///< this block's row at the diagonal of a column and the next, or -1
    };

    __device__ Panel(const Problem<Sums>& p, int begin, int end, char* memory, Shared& shared)
        : p_(p), shared_(shared), link_(p, memory), begin_(begin), end_(end), width_(end - begin),
          lane_(static_cast<int>(threadIdx.x) & 31), warp_(static_cast<int>(threadIdx.x) >> 5) {
        const int rows = p.n - begin, each = (rows + Link::blocks() - 1) / Link::blocks(), first = Link::block() * each;
        const int count = max(0, min(each, rows - first)), mine = (count + kPanelWarps - 1) / kPanelWarps;
        first_ = min(count, warp_ * mine);
        last_ = min(count, first_ + mine);
        tile_ = reinterpret_cast<W*>(memory + Link::kBytes);
        position_ = reinterpret_cast<int*>(tile_ + each * kPitch);
        row_ = position_ + each;
        for (int r = first_ + lane_; r < last_; r += 32) {
            position_[r] = begin + first + r;
            row_[r] = static_cast<int>(p.row_at[begin + first + r]);
        }
        __syncwarp();
        for (int r = first_; r < last_; ++r)
            if (lane_ < width_) tile_[r * kPitch + lane_] = p.row(row_[r])[begin + lane_];
        if (threadIdx.x == 0) shared_.diagonal[0] = shared_.diagonal[1] = -1;
        __syncthreads();
    }

    __device__ void run() {
        Best best;
        for (int r = first_ + lane_; r < last_; r += 32) consider(best, tile_[r * kPitch], position_[r], r, begin_);
        best = best_of_warp<Sums>(best);
        for (int k = begin_; k < end_; ++k) {
            offer(k, best);
            link_.wait();
            Choice choice = choose(k);
            if (choice.singular) break;
            best = Best();
            for (int q = first_; q < last_; q += 32) eliminate(k, choice, q, best);
            best = best_of_warp<Sums>(best);
        }
        for (int r = first_ + lane_; r < last_; r += 32) p_.row_at[position_[r]] = static_cast<unsigned>(row_[r]);
        link_.leave();
    }

private:
    /// The pivot of a column, known to every warp.
    struct Choice {
        int position;
        bool singular;
        double pivot, reciprocal;
        Op u; ///< this lane's element of the pivot's row
    };

    const Problem<Sums>& p_;
    Shared& shared_;
    Link link_;
    int begin_, end_, width_, lane_, warp_;
    int first_, last_; ///< this warp's rows
    W* tile_;          ///< [rows][kPitch]
    int* position_;    ///< of each row; those of rows that have been pivots are lower
    int* row_;

    __device__ __forceinline__ void consider(Best& best, W w, int position, int r, int k) {
        if (position < k) return;
        if (position == k) shared_.diagonal[k & 1] = r;
        const Best here{w, position, 0, r};
        if (Sums::comparable(Sums::magnitude(w)) && better<Sums>(here, best)) best = here;
    }
    /// Shows the other blocks this one's best row, and the one at the diagonal if it is here.
    __device__ void offer(int k, const Best& best) {
        auto* const of_warp = reinterpret_cast<Best*>(shared_.best);
        if (lane_ == 0) of_warp[warp_] = best;
        __syncthreads();
        Best mine;
        if (lane_ < kPanelWarps) mine = of_warp[lane_];
        mine = best_of_warp<Sums>(mine);
        const int r = mine.row, diagonal = shared_.diagonal[k & 1];
        if (mine.position != INT_MAX) mine.row = row_[r];
        link_.show(warp_, lane_, k, Link::block(), mine, tile_ + r * kPitch);
        if (diagonal >= 0)
            link_.show(warp_, lane_, k, Link::blocks(),
                       Best{tile_[diagonal * kPitch + k - begin_], k, 0, row_[diagonal]}, tile_ + diagonal * kPitch);
    }

    /// The pivot among all that was shown, and its row rounded. Every warp finds the same.
    __device__ Choice choose(int k) {
        const int blocks = Link::blocks(), c = k - begin_;
        Best mine;
        for (int b = lane_; b < blocks; b += 32) {
            Best here = link_.best(k, b);
            here.row = b;
            if (better<Sums>(here, mine)) mine = here;
        }
        mine = best_of_warp<Sums>(mine);
        const bool stays = keeps_diagonal(p_, link_.best(k, blocks).value, mine);
        const int slot = stays ? blocks : mine.row;
        Marks marks, pivot_marks;
        double u = 0;
        if (lane_ >= c && lane_ < width_)
            u = p_.sums.rounded(link_.value(k, slot, lane_), lane_ == c ? pivot_marks : marks);
        Choice choice;
        choice.position = stays ? k : mine.position;
        choice.pivot = __shfl_sync(~0u, u, c);
        const bool pivot_outside = __shfl_sync(~0u, static_cast<int>(pivot_marks.outside), c) != 0;
        choice.singular = !pivot_outside && choice.pivot == 0;
        choice.reciprocal = p_.reciprocal ? p_.l_unit.div(1.0, choice.pivot) : 0.0;
        choice.u = static_cast<Op>(u);
        if (threadIdx.x == 0) shared_.diagonal[k & 1] = -1; // for column k + 2, after the next barrier
        if (Link::block() == 0 && warp_ == 0) {
            if (choice.singular) {
                if (lane_ == 0) note(p_.fault, FaultRank::singular, k);
            } else {
                note(p_.fault, marks, k);
                note(p_.fault, pivot_marks, k);
                if (lane_ == 0 && choice.position != k) *p_.exchanges += 1;
            }
        }
        return choice;
    }

    /// Positions after the exchange, L and what it takes off, for 32 of this warp's rows from q on; and the best row
    /// for the next column.
    __device__ void eliminate(int k, const Choice& choice, int q, Best& best) {
        const int c = k - begin_, r = q + lane_;
        Marks marks;
        Op l = 0;
        int now = -1, row = 0;
        if (r < last_) {
            const int before = position_[r];
            now = before == choice.position ? k : before == k ? choice.position : before;
            position_[r] = now;
            row = row_[r];
            if (now > k) {
                l = static_cast<Op>(quotient(p_, tile_[r * kPitch + c], choice.pivot, choice.reciprocal, marks));
                p_.factor_row(row)[k] = l;
            }
        }
        const unsigned active = __ballot_sync(~0u, now > k);
        const unsigned pivot = __ballot_sync(~0u, now == k);
        if (pivot != 0) {
            const int at = __shfl_sync(~0u, row, __ffs(static_cast<int>(pivot)) - 1);
            if (lane_ >= c && lane_ < width_) p_.factor_row(at)[begin_ + lane_] = choice.u;
        }
        const bool mine = lane_ > c && lane_ < width_;
#pragma unroll 4
        for (int i = 0; i < min(32, last_ - q); ++i) {
            const Op l_i = __shfl_sync(~0u, l, i);
            if (((active >> i) & 1) == 0 || !mine) continue;
            W& w = tile_[(q + i) * kPitch + lane_];
            w = p_.sums.subtract(w, l_i, choice.u, marks);
        }
        __syncwarp();
        if (r < last_ && c + 1 < width_) consider(best, tile_[r * kPitch + c + 1], now, r, k + 1);
        note(p_.fault, marks, k);
    }
};

template <class Sums, class Link>
__global__ __launch_bounds__(kPanelThreads) void factor_panel(const __grid_constant__ Problem<Sums> p, int begin,
                                                              int end) {
    extern __shared__ __align__(16) char memory[];
    __shared__ typename Panel<Sums, Link>::Shared shared;
    if (over(p, begin)) return; // all blocks see the same: what noted it has ended
    Panel<Sums, Link>(p, begin, end, memory, shared).run();
}

#endif

} // namespace mantissa::gpu::lu
