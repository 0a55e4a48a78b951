// The matrix of the next level. Internal to numerics/.
#pragma once

#include "mantissa/sparse/multilevel.hpp"

namespace mantissa::detail {

/// R a P with R = P^T, exactly symmetric (one triangle is formed, the other is its mirror image); columns ascend.
RealRows galerkin(const RealRows& a, const RealRows& prolongation, const RealRows& restriction, int threads);

/// Makes the diagonal of a symmetric matrix 1: a_ij becomes (s_i s_j) a_ij. Returns s; the element of a diagonal entry
/// that is not above zero is 0, and nothing is changed then.
std::vector<double> scale_to_unit_diagonal(RealRows& a, int threads);

/// Adds entries of less than `least` to the diagonal, in the proportion of `function`, which a change does not touch:
/// (a f) stays as it is.
RealRows without_tiny_entries(const RealRows& a, const std::vector<double>& function, double least, int threads);

} // namespace mantissa::detail
