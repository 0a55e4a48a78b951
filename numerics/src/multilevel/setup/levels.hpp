// What every way to make a hierarchy ends a level with. Internal to numerics/.
#pragma once

#include <string>
#include <vector>

#include "mantissa/multilevel/hierarchy.hpp"

namespace mantissa::detail {

inline constexpr std::uint32_t kCoarsest = 256; ///< unknowns of a level that is inverted

/// Sets a level's prolongation and restriction from `p`, whose columns are not scaled yet, and forms the next level's
/// matrix, without the entries that are tiny in proportion to `function` (galerkin.hpp). Returns its scales S'; none
/// where a diagonal entry is not above zero.
std::vector<double> make_next(multilevel::Level& level, RealRows p, const std::vector<double>& function, RealRows& next,
                              int threads);

/// Inverts the last level, or says why not.
void finish(multilevel::Hierarchy& h);

inline constexpr const char* kNotDefinite = "the matrix is not positive definite, or double precision cannot tell";

} // namespace mantissa::detail
