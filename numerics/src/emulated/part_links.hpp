// How a session of one part of a system meets the sessions of the others. The part's own system has its rows and its
// ghosts; ghosts have empty rows, so that their r and q stay zero and they add nothing to a sum. Sums are integers, and
// integers alone: what a pass finds does not depend on how many parts there are.
#pragma once

#include <array>
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
    virtual void exchange(std::span<fixed::Word> p) = 0;
    /// Merges all parts' findings; every part gets the same. Every part calls it equally often.
    virtual void combine(PartFindings& findings) = 0;
};

} // namespace mantissa::detail
