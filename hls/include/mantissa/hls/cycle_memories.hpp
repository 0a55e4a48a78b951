// The memories of a cycle core, and what its interface calls its ends.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "mantissa/multilevel/word_solve.hpp"
#include "mantissa_hls/cycle/core.hpp"

namespace mantissa::hls {

/// Memories of a core for grids of 2^levels + 1 nodes a side.
class CycleMemories {
public:
    explicit CycleMemories(int levels) : levels_(levels), d_(words(0)), u_(words(0)) {
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
        for_kept([&](std::size_t node, std::size_t word, bool edge) { d_[word] = edge ? 0 : b[node]; });
        std::fill(u_.begin(), u_.end(), 0);
    }
    void read(std::vector<std::int64_t>& u) const {
        const std::size_t n = (std::size_t{1} << levels_) + 1;
        u.assign(n * n, 0);
        for_kept([&](std::size_t node, std::size_t word, bool) { u[node] = u_[word]; });
    }

private:
    template <class T> struct Words {
        std::vector<T> at;
        T* assign(std::size_t words) {
            at.assign(words, 0);
            return at.data();
        }
    };
    template <class Body> void for_kept(const Body& body) const {
        const std::size_t side = std::size_t{1} << levels_;
        for (std::size_t j = 0; j < side; ++j)
            for (std::size_t i = 0; i < side; ++i) body(j * (side + 1) + i, j * side + i, i == 0 || j == 0);
    }
    [[nodiscard]] std::size_t words(int l) const { return std::size_t{1} << 2 * (levels_ - l); }

    int levels_;
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
