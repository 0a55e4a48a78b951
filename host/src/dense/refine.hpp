// The parts of a dense solve behind the factors. Internal to host/.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mantissa/lu/factor.hpp"

namespace mantissa::dense {

/// y = A x in double: each row in ascending order, rows over threads.
std::vector<double> product(const DenseMatrix& a, std::span<const double> x, int threads);

/// b - A x in double, the sum of each row from b_i on in ascending order.
std::vector<double> defect(const DenseMatrix& a, std::span<const double> x, std::span<const double> b, int threads);

double max_norm(std::span<const double> x);
/// The greatest sum of a row's magnitudes.
double max_norm(const DenseMatrix& a);

/// The correction d of A d = r by GMRES on U^-1 L^-1 P A, from 0: until the preconditioned residual's 2-norm is below
/// `tolerance` times the first, in at most `most` steps (without restarts). `steps` grows by those taken.
std::vector<double> gmres(const DenseMatrix& a, const LuFactors& factors, std::span<const double> r, double tolerance,
                          std::uint32_t most, int threads, std::uint32_t& steps);

/// Hager's lower estimate of ||A||_1 ||A^-1||_1, with A^-1 by the factors (Higham, Accuracy and Stability, 15.1).
double estimate_condition(const DenseMatrix& a, const LuFactors& factors);

/// ||P A Q - L U|| / ||A|| in maximum norms; products in double.
double factor_error(const DenseMatrix& a, const LuFactors& factors, int threads);

} // namespace mantissa::dense
