// The memories of a cycle core, and what its interface calls its ends.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "mantissa/multilevel/word_solve.hpp"
#include "mantissa_hls/cycle/core.hpp"

namespace mantissa::hls {

/// Memories of a core for grids of 2^levels + 1 nodes a side, for its rows.
class CycleMemories {
public:
    CycleMemories(int levels, const mantissa_hls::cycle::CycleSlab& slab)
        : levels_(levels), slab_(slab), d_(words(0)), u_(words(0)) {
        memory_.d = d_.data();
        memory_.u = u_.data();
        for (int l = 0; l < levels; ++l) {
            const auto at = static_cast<std::size_t>(l);
            if (l > 0) {
                memory_.t[l] = t_[at].assign(words(l));
                memory_.e[l] = e_[at].assign(words(l));
            }
            if (l + 1 < levels) memory_.f[l] = f_[at].assign(words(l));
        }
    }
    [[nodiscard]] const mantissa_hls::cycle::CycleMemory& memory() const { return memory_; }
    /// From the words of all nodes to those that the core keeps, U zero.
    void load(std::span<const std::int64_t> b) {
        for_rows(0, slab_.level[0].rows,
                 [&](std::size_t node, std::size_t word, bool edge) { d_[word] = edge ? 0 : b[node]; });
        std::fill(u_.begin(), u_.end(), 0);
    }
    /// The core's own rows of U, among those of all nodes.
    void read(std::span<std::int64_t> u) const {
        for_rows(slab_.level[0].own_first, slab_.level[0].own_last,
                 [&](std::size_t node, std::size_t word, bool) { u[node] = u_[word]; });
    }

private:
    template <class T> struct Words {
        std::vector<T> at;
        T* assign(std::size_t words) {
            at.assign(words, 0);
            return at.data();
        }
    };
    /// Of rows of the finest level's slab: the node, its word here, and whether the edge of the grid is there.
    template <class Body> void for_rows(int first, int last, const Body& body) const {
        const std::size_t side = std::size_t{1} << levels_;
        for (int row = first; row < last; ++row) {
            const auto j = static_cast<std::size_t>(row + slab_.level[0].low);
            for (std::size_t i = 0; i < side; ++i)
                body(j * (side + 1) + i, static_cast<std::size_t>(row) * side + i, i == 0 || j == 0);
        }
    }
    [[nodiscard]] std::size_t words(int l) const {
        return static_cast<std::size_t>(slab_.level[l].rows) << (levels_ - l);
    }

    int levels_;
    mantissa_hls::cycle::CycleSlab slab_;
    std::vector<std::int64_t> d_, u_;
    Words<std::int64_t> t_[mantissa_hls::cycle::kMostLevel];
    Words<std::int32_t> f_[mantissa_hls::cycle::kMostLevel], e_[mantissa_hls::cycle::kMostLevel];
    mantissa_hls::cycle::CycleMemory memory_;
};

/// Ends and verdicts in the words of the interface.
inline CycleSolveEnd end_of(mantissa_hls::cycle::CycleEnd end) {
    using mantissa_hls::cycle::CycleEnd;
    return end == CycleEnd::reached ? CycleSolveEnd::reached
           : end == CycleEnd::limit ? CycleSolveEnd::limit
                                    : CycleSolveEnd::overflow;
}

} // namespace mantissa::hls
