// What Jacobi CG of rows forms on the processor, wherever its iterations run: the diagonal before them, the defect and
// its norm after them.
#pragma once

#include <span>
#include <vector>

#include "mantissa/sparse/compressed_rows.hpp"

namespace mantissa {

/// d = b - A x in double, by OpenMP's threads; the sum of a row is formed in the order of its entries, so the bits do
/// not depend on the threads. All have as many elements as `a` has rows.
void form_defect(const CompressedRows& a, std::span<const double> b, std::span<const double> x, std::span<double> d);

/// The squares' sum, from the first element on.
double sum_of_squares(std::span<const double> v);

/// 1 / a_ii; entries at one place add up. Throws InvalidInput, one line, naming the first row (from 0) whose diagonal
/// is not above zero.
std::vector<double> jacobi_inverse(const CompressedRows& a);

} // namespace mantissa
