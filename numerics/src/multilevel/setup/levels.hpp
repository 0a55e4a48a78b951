// What every way to make a hierarchy ends a level with. Internal to numerics/.
#pragma once

#include <string>
#include <vector>

#include "mantissa/multilevel/hierarchy.hpp"

namespace mantissa::detail {

/// Sets a level's prolongation and restriction from `p`, whose columns are not scaled yet, and forms the next level's
/// matrix, without the entries that are tiny in proportion to `function` (galerkin.hpp). Returns its scales S'; none
/// where a diagonal entry is not above zero.
std::vector<double> make_next(multilevel::Level& level, RealRows p, const std::vector<double>& function, RealRows& next,
                              int threads);

/// The inverse of the last level's matrix, dense, by rows, exactly symmetric, from Cholesky's factors. Empty where a
/// pivot is not above zero or a row of the inverse adds up to more than kMostInverse: the matrix, which has a unit
/// diagonal, is not positive definite, or rounding errors of double precision decide whether it is.
std::vector<double> dense_inverse(const RealRows& a);
/// Inverts the last level, or says why not.
void finish(multilevel::Hierarchy& h);

inline constexpr const char* kNotDefinite = "the matrix is not positive definite, or double precision cannot tell";
inline constexpr const char* kNoFactors = "the matrix is not positive definite, or double precision cannot tell: the "
                                          "coarsest level has no Cholesky factors";

} // namespace mantissa::detail
