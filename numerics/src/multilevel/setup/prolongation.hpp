// The way from the next level. Internal to numerics/.
#pragma once

#include <vector>

#include "aggregates.hpp"

namespace mantissa::detail {

/// The near-kernel functions, orthonormal on each aggregate, as an unknown's values of the functions that its
/// aggregate keeps.
struct Tentative {
    std::vector<double> value; ///< `functions` of each unknown, the kept ones first
    Unknowns next; ///< of the next level: aggregate g has the unknowns next.begin[g] .. next.begin[g + 1] - 1
};

/// Functions that depend on those before them on an aggregate are left out there (Gram-Schmidt, twice).
Tentative orthonormal_functions(const Unknowns& unknowns, const Aggregates& aggregates, int threads);

/// (1 - 4 / (3 largest) D^-1 F) T: F has the strong couplings alone, and the others, times what the first function
/// becomes along them, on the diagonal D. Rows outside of the aggregates are empty. Columns ascend.
RealRows smoothed_functions(const RealRows& a, const Unknowns& unknowns, const Couplings& couplings,
                            const Aggregates& aggregates, const Tentative& tentative, double largest, int threads);

} // namespace mantissa::detail
