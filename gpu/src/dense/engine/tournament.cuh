// Tournament pivoting: the pivots of a panel's columns at once. A block plays one election in shared memory; a launch
// plays one level of the tree.
#pragma once

#include "problem.cuh"

namespace mantissa::gpu::lu {

/// One level's lists of candidates, and whether an election of it or of an earlier one failed.
struct Lists {
    unsigned* row; ///< [lists][kPanel]
    int* count;    ///< of each list
};

#ifdef __CUDACC__

template <class Sums> constexpr std::size_t election_bytes(std::size_t rows) {
    return rows * (kPanel * sizeof(typename Sums::W) + sizeof(typename Sums::Op) + sizeof(int));
}

template <class Sums> class Election {
    using W = typename Sums::W;
    using Op = typename Sums::Op;
    using Best = Candidate<W>;

public:
    struct Shared {
        double pivot, reciprocal;
        Op u[kPanel];
        int first_bad; ///< the row from which on nothing is taken off: an l in front of it is not finite
    };

    /// `most`: rows that the memory holds.
    __device__ Election(const Problem<Sums>& p, int k, int columns, int most, char* memory, Shared& shared)
        : p_(p), s_(shared), k_(k), columns_(columns), lane_(static_cast<int>(threadIdx.x) & 31),
          warp_(static_cast<int>(threadIdx.x) >> 5), tile_(reinterpret_cast<W*>(memory)),
          l_(reinterpret_cast<Op*>(tile_ + most * kPanel)), row_(reinterpret_cast<int*>(l_ + most)) {}

    /// Names of the rows that play; after play() the winners are in front.
    [[nodiscard]] __device__ int* rows() const { return row_; }

    /// Plays with the first `rows` rows. Whether this thread saw a fault; it has been noted in column k.
    __device__ bool play(int rows) {
        if (threadIdx.x == 0) s_.first_bad = INT_MAX;
        __syncthreads();
        for (int r = warp_; r < rows; r += kWarps)
            if (lane_ < columns_) tile_[r * kPanel + lane_] = p_.row(row_[r])[k_ + lane_];
        __syncthreads();
        Marks all;
        for (int t = 0; t < min(columns_, rows); ++t) {
            if (warp_ == 0) bring_pivot(t, rows, all);
            __syncthreads();
            if (s_.pivot != 0) {
                divide(t, rows, all);
                __syncthreads();
                take_off(t, rows, all);
                __syncthreads();
                if (threadIdx.x == 0 && s_.first_bad != INT_MAX) s_.first_bad = 0;
            }
            __syncthreads();
        }
        note(p_.fault, all, k_);
        return all.outside || all.not_finite;
    }

private:
    const Problem<Sums>& p_;
    Shared& s_;
    int k_, columns_, lane_, warp_;
    W* tile_;
    Op* l_;
    int* row_;

    __device__ void bring_pivot(int t, int rows, Marks& all) {
        Best mine;
        for (int r = t + lane_; r < rows; r += 32) {
            const Best here{tile_[r * kPanel + t], r, 0, r};
            if (Sums::comparable(Sums::magnitude(here.value)) && better<Sums>(here, mine)) mine = here;
        }
        mine = best_of_warp<Sums>(mine);
        const bool stay = mine.position == INT_MAX || !Sums::comparable(Sums::magnitude(tile_[t * kPanel + t]));
        const int from = stay ? t : mine.position;
        if (from != t) {
            if (lane_ < columns_) {
                const W w = tile_[t * kPanel + lane_];
                tile_[t * kPanel + lane_] = tile_[from * kPanel + lane_];
                tile_[from * kPanel + lane_] = w;
            }
            if (lane_ == 0) {
                const int row = row_[t];
                row_[t] = row_[from];
                row_[from] = row;
            }
        }
        __syncwarp();
        double u = 0;
        if (lane_ == t) u = p_.sums.rounded(tile_[t * kPanel + t], all);
        const double pivot = __shfl_sync(~0u, u, t);
        if (pivot != 0 && lane_ > t && lane_ < columns_) u = p_.sums.rounded(tile_[t * kPanel + lane_], all);
        s_.u[lane_] = static_cast<Op>(u);
        if (!isfinite(u)) s_.first_bad = 0;
        if (lane_ == 0) {
            s_.pivot = pivot;
            s_.reciprocal = p_.reciprocal ? p_.l_unit.div(1.0, pivot) : 0.0;
        }
    }
    __device__ void divide(int t, int rows, Marks& all) {
        for (int r = t + 1 + static_cast<int>(threadIdx.x); r < rows; r += kThreads) {
            const double l = quotient(p_, tile_[r * kPanel + t], s_.pivot, s_.reciprocal, all);
            if (!isfinite(l)) atomicMin(&s_.first_bad, r);
            l_[r] = static_cast<Op>(l);
        }
    }
    __device__ void take_off(int t, int rows, Marks& all) {
        const int end = min(rows, s_.first_bad);
        for (int r = t + 1 + warp_; r < end; r += kWarps)
            if (lane_ > t && lane_ < columns_) {
                W& w = tile_[r * kPanel + lane_];
                w = p_.sums.subtract(w, l_[r], s_.u[lane_], all);
            }
    }
};

/// One level: list i of `out` is the winners of lists 2 i and 2 i + 1 of `in`, or, at level 0, of leaf i of the rows
/// from position k on. A fault ends the tree after its level.
template <class Sums>
__global__ __launch_bounds__(kThreads) void play_level(const __grid_constant__ Problem<Sums> p, int k, int columns,
                                                       int level, int leaf, int most, int lists, Lists in, Lists out) {
    using Play = Election<Sums>;
    extern __shared__ __align__(16) char memory[];
    __shared__ typename Play::Shared shared;
    const int before = *reinterpret_cast<volatile int*>(p.failed), i = static_cast<int>(blockIdx.x),
              t = static_cast<int>(threadIdx.x);
    if (failed_before(p.fault, k) || (before != 0 && before <= k * kLevels + level)) return;
    Play election(p, k, columns, most, memory, shared);
    int count = 0;
    bool play = true;
    if (level == 0) {
        count = min(leaf, p.n - k - i * leaf);
        for (int r = t; r < count; r += kThreads) election.rows()[r] = static_cast<int>(p.row_at[k + i * leaf + r]);
    } else {
        const int first = in.count[2 * i], second = 2 * i + 1 < lists ? in.count[2 * i + 1] : 0;
        count = first + second;
        play = 2 * i + 1 < lists;
        for (int r = t; r < count; r += kThreads)
            election.rows()[r] =
                static_cast<int>(r < first ? in.row[2 * i * kPanel + r] : in.row[(2 * i + 1) * kPanel + r - first]);
    }
    __syncthreads();
    if (play && election.play(count)) atomicCAS(p.failed, 0, k * kLevels + level + 1);
    __syncthreads();
    const int winners = min(columns, count);
    for (int r = t; r < winners; r += kThreads) out.row[i * kPanel + r] = static_cast<unsigned>(election.rows()[r]);
    if (t == 0) out.count[i] = winners;
}

/// The winners to the positions from k on, one exchange after the other.
template <class Sums>
__global__ __launch_bounds__(kThreads) void bring_winners(const __grid_constant__ Problem<Sums> p, int k, Lists winners,
                                                          int* position_of) {
    if (over(p, k)) return;
    for (int i = k + static_cast<int>(threadIdx.x); i < p.n; i += kThreads) position_of[p.row_at[i]] = i;
    __syncthreads();
    if (threadIdx.x != 0) return;
    for (int t = 0; t < winners.count[0]; ++t) {
        const unsigned row = winners.row[t], other = p.row_at[k + t];
        const int place = position_of[row];
        if (place == k + t) continue;
        p.row_at[k + t] = row;
        p.row_at[place] = other;
        position_of[other] = place;
        *p.exchanges += 1;
    }
}

#endif

} // namespace mantissa::gpu::lu
