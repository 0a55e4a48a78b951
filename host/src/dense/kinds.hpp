// The matrices that are made: kinds of `--dense n=N,kind=KIND`. Internal to host/.
#pragma once

#include <cstddef>
#include <cstdint>

#include "mantissa/lu/dense.hpp"

namespace mantissa::dense {

// docs/lu.md and mantissa/host/dense.hpp say what each is.
DenseMatrix uniform_matrix(std::size_t n, std::uint64_t seed);
DenseMatrix dominant_matrix(std::size_t n, std::uint64_t seed);
DenseMatrix graded_matrix(std::size_t n, std::uint64_t seed);
DenseMatrix randsvd_matrix(std::size_t n, double kappa, std::uint64_t seed);
DenseMatrix wilkinson_matrix(std::size_t n);
DenseMatrix hilbert_matrix(std::size_t n);
DenseMatrix kahan_matrix(std::size_t n);

} // namespace mantissa::dense
