// The inverse of a small matrix. Internal to numerics/.
#pragma once

#include <vector>

#include "mantissa/sparse/multilevel.hpp"

namespace mantissa::detail {

/// Dense, by rows, exactly symmetric, from Cholesky's factors. Empty where a pivot is not above zero or a row of the
/// inverse adds up to more than 2^42: the matrix, which has a unit diagonal, is not positive definite, or rounding
/// errors of double precision decide whether it is.
std::vector<double> dense_inverse(const RealRows& a);

} // namespace mantissa::detail
