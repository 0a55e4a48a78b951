// How a session of one part of a system meets the sessions of the others. The part's own system has its rows and its
// ghosts; r and q of a ghost are zero, so that it adds nothing to a sum: its row is empty, or, in symmetric bands,
// where couplings that ghosts store belong to owned rows as well, sessions clear what it gives. Sums are integers, and
// integers alone: what a pass finds does not depend on how many parts there are.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "mantissa/engine.hpp"
#include "mantissa/fixed_words.hpp"

namespace mantissa::detail {

/// A dot product's terms over some elements: units of its window, or of the exact products.
struct PartSum {
    fixed::Wide units = 0;
    bool lost = false; ///< a term or the sum left what is kept of it
};

/// What a part has found out in a pass, or what all have.
struct PartFindings {
    std::array<PartSum, 3> sums; ///< rho, pq, qq, or fewer
    bool overflow = false;       ///< of a word
    bool unfit = false;          ///< a value was written that fits no word
    WordUse use;

    void merge(const PartFindings& other) {
        for (std::size_t k = 0; k < sums.size(); ++k) {
            sums[k].lost |=
                other.sums[k].lost || __builtin_add_overflow(sums[k].units, other.sums[k].units, &sums[k].units);
        }
        overflow |= other.overflow;
        unfit |= other.unfit;
        use.merge(other.use);
    }
};

class PartLinks {
public:
    PartLinks() = default;
    PartLinks(const PartLinks&) = delete;
    PartLinks& operator=(const PartLinks&) = delete;
    virtual ~PartLinks() = default;
    /// The elements of the part's system that others own.
    [[nodiscard]] virtual std::span<const std::uint32_t> ghosts() const = 0;
    /// Sends this part's elements of p to who needs them and takes its ghosts. Every part calls it once a pass.
    virtual void exchange(std::span<double> p) = 0;
    virtual void exchange(std::span<float> p) = 0;
    virtual void exchange(std::span<fixed::Word> p) = 0;
    virtual void exchange(std::span<std::int32_t> p) = 0;
    /// Merges all parts' findings; every part gets the same. Every part calls it equally often.
    virtual void combine(PartFindings& findings) = 0;
};

/// The ends of a strip's system that a sweep over its rows must find up to date: ghosts, and the rows next to them,
/// which other parts wait for. Of other systems, everything is in front.
struct StripEnds {
    std::size_t front = 0, back = 0;             ///< elements [0, front) and [back, size)
    std::size_t ghost_front = 0, ghost_back = 0; ///< of these, ghosts: [0, ghost_front) and [ghost_back, size)
};
inline StripEnds strip_ends(std::span<const std::uint32_t> ghosts, std::size_t size, std::size_t row_length) {
    if (row_length == 0) return {size, size, 0, size};
    StripEnds ends{0, size, 0, size};
    if (!ghosts.empty() && ghosts.front() == 0) {
        ends.ghost_front = row_length;
        ends.front = 2 * row_length;
    }
    if (!ghosts.empty() && ghosts.back() == size - 1) {
        ends.ghost_back = size - row_length;
        ends.back = std::max(ends.front, size - 2 * row_length);
    }
    return ends;
}

} // namespace mantissa::detail
