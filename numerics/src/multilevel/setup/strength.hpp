// Which couplings of a level matter for its coarsening. Internal to numerics/.
#pragma once

#include <cstdint>
#include <vector>

#include "mantissa/sparse/multilevel.hpp"
#include "unknowns.hpp"

namespace mantissa::detail {

struct Couplings {
    /// Of each entry: does it join two nodes strongly, or two unknowns of one node? Never on the diagonal.
    std::vector<std::uint8_t> strong;
    /// Of each node: does the smoother do all that it needs, so that the next level shall not know it?
    std::vector<std::uint8_t> alone;
};

/// Two nodes are joined strongly where the largest entry between them is at least `threshold` times the largest that
/// one of the two has: a measure that knows neither the length of a row (an entry of a 3-D 27-point row is 1/26) nor a
/// scale, and is symmetric. A node is alone where the magnitudes beside the diagonal add up to at most `dominated` in
/// each of its rows. `a` has a unit diagonal.
Couplings find_couplings(const RealRows& a, const Unknowns& unknowns, double threshold, double dominated, int threads);

} // namespace mantissa::detail
