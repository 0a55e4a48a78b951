// Bounds of a level's spectrum. Internal to numerics/.
#pragma once

#include <vector>

#include "mantissa/sparse/multilevel.hpp"

namespace mantissa::detail {

/// At least about the largest eigenvalue of a symmetric matrix: the estimate of a few steps of Lanczos's method and a
/// margin, but no more than Gershgorin's bounds of the matrix and of the one that |function| scales.
double largest_eigenvalue(const RealRows& a, const std::vector<double>& function, int threads);

} // namespace mantissa::detail
