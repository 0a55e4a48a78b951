// The cycle core: one level after the other through the same stages, and the loop around them; or several cores on one
// grid, in step.
#pragma once

#include "mantissa_hls/cycle/sweeps.hpp"

namespace mantissa_hls::cycle {

/// A vector of a level as one of several cores has it.
template <class T> struct CoreRows {
    LevelSlab slab;
    T* words = nullptr;
};
/// Rows that are not a core's own come from the one that has them, each of `side` words: of neighbours where all have
/// slabs, of all cores where the level is whole.
template <class T> void share_rows(const CoreRows<T>* cores, int count, int side) {
    for (int to = 0; to < count; ++to)
        for (int from = 0; from < count; ++from) {
            if (from == to) continue;
            const LevelSlab &mine = cores[to].slab, &theirs = cores[from].slab;
            const int first = larger(mine.low, theirs.low + theirs.own_first),
                      last = smaller(mine.low + mine.rows, theirs.low + theirs.own_last);
            for (int row = first; row < last; ++row) {
                const T* const source = cores[from].words + static_cast<std::int64_t>(row - theirs.low) * side;
                T* const target = cores[to].words + static_cast<std::int64_t>(row - mine.low) * side;
                for (int i = 0; i < side; ++i) {
#pragma HLS PIPELINE II = 1
                    target[i] = source[i];
                }
            }
        }
}

template <int Before, int After, int Lanes, int Cores = 1> class CycleCore {
public:
    /// Slabs and memories of each core, whose words need not be zero but for U and the edge of D. False, and nothing is
    /// begun, where the plan has other steps than the core.
    [[nodiscard]] bool begin(const CyclePlan& plan, const CycleSlab (&slabs)[Cores],
                             const CycleMemory (&memories)[Cores]) {
        if (plan.before != Before || plan.after != After) return false;
        plan_ = plan;
        for (int c = 0; c < Cores; ++c) cores_[c].begin(plan, slabs[c], memories[c]);
        return true;
    }
    /// D is loaded, U is zero. `look` is told of every verdict; of a cycle alone there is none, and D is not D any
    /// more.
    template <class Look> CycleEnd solve(const CycleLimit& limit, std::uint64_t& cycles, const Look& look) {
        std::uint64_t all = 0;
        for (Sweeps& core : cores_) {
            all |= core.all_of_d();
            core.begin_solve(limit.alone);
        }
        cycles = 0;
        if (limit.alone) return correct_alone(length(all), cycles);
        for (;; ++cycles) {
            const int x = length(all);
            const bool over = is_over();
            if (over || x > kMostWordBits || x == 0) {
                look(CycleVerdict{x, 0});
                return x == 0 && !over ? CycleEnd::reached : CycleEnd::overflow;
            }
            sequencer_.begin(plan_, x);
            // What VERDICT sums passes by on the way down; where the solve ends here, what that pass made is not used.
            const std::uint64_t next = down(0);
            std::uint64_t sum = 0;
            for (const Sweeps& core : cores_) sum += core.squares();
            look(CycleVerdict{x, sum});
            if (sum <= limit.at(x)) return CycleEnd::reached;
            if (cycles == limit.most_cycles) return CycleEnd::limit;
            descend(next);
            all = up(0);
        }
    }

private:
    using Sweeps = CycleSweeps<Before, After, Lanes>;

    [[nodiscard]] bool is_over() const {
        bool over = false;
        for (const Sweeps& core : cores_) over |= core.over();
        return over;
    }
    CycleEnd correct_alone(int x, std::uint64_t& cycles) {
        if (x == 0) return CycleEnd::reached;
        sequencer_.begin(plan_, x);
        descend(down(0));
        up(0);
        cycles = 1;
        return is_over() ? CycleEnd::overflow : CycleEnd::limit;
    }
    /// From the finest level's t to its neighbour's e.
    void descend(std::uint64_t all) {
        int l = 0;
        const int coarsest = plan_.levels - 1;
        while (sequencer_.descended(l, all)) {
            ++l;
            if (l == coarsest) break;
            all = down(l);
        }
        if (l == coarsest) coarsest_level(l);
        // Where t was zero, that level's e comes from its f alone.
        for (int k = l == coarsest ? l - 1 : l; k > 0; --k) {
            const std::uint64_t of_e = up(k);
            sequencer_[k].e_length = length(of_e);
        }
    }
    void coarsest_level(int l) {
        const Word v = sequencer_.coarsest(l, cores_[0].memory().t[l][kCoarsestNode]);
        for (Sweeps& core : cores_) keep_coarsest(core.memory().e[l], v);
    }
    /// The OR of t's magnitudes.
    std::uint64_t down(int l) {
        std::uint64_t all = 0;
        for (Sweeps& core : cores_) {
#pragma HLS UNROLL
            all |= core.down(l, sequencer_);
        }
        if (splits(l)) share<Word>(l + 1, [l](const CycleMemory& m) { return m.t[l + 1]; });
        return all;
    }
    /// The OR of e's magnitudes, of the finest level D's.
    std::uint64_t up(int l) {
        sequencer_.rises(l);
        std::uint64_t all = 0;
        for (Sweeps& core : cores_) {
#pragma HLS UNROLL
            all |= core.up(l, sequencer_);
        }
        if (splits(l) && l == 0) share<Word>(l, [](const CycleMemory& m) { return m.d; });
        if (splits(l) && l > 0) share<std::int32_t>(l, [l](const CycleMemory& m) { return m.e[l]; });
        return all;
    }
    /// Of level l the memory that `words` picks.
    template <class T, class Words> void share(int l, const Words& words) {
        CoreRows<T> rows[Cores];
        for (int c = 0; c < Cores; ++c) rows[c] = {cores_[c].slab(l), words(cores_[c].memory())};
        share_rows(rows, Cores, cores_[0].grid(l).side);
    }
    /// Have the cores slabs of a level? What all have whole all compute alike.
    [[nodiscard]] bool splits(int l) const {
        return cores_[0].slab(l).rows < cores_[0].grid(l).side;
    }

    CyclePlan plan_;
    Sweeps cores_[Cores];
    Sequencer sequencer_;
};

} // namespace mantissa_hls::cycle
