// The parts of a dense solve after the factors. Internal to host/.
#pragma once

#include <cstdint>
#include <functional>
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

/// An approximation M of the inverse, by what it does.
struct ApproximateInverse {
    using Apply = std::function<std::vector<double>(std::span<const double>)>;
    Apply apply, apply_transposed; ///< M x and M^T x
};
/// Q U^-1 L^-1 P. The factors must outlive it.
ApproximateInverse inverse_by_factors(const LuFactors& factors);
/// A matrix, which must outlive it.
ApproximateInverse inverse_by_matrix(const DenseMatrix& inverse, int threads);

/// The correction d of A d = r by GMRES on M A, from 0: until the preconditioned residual's 2-norm is below
/// `tolerance` times the first, in at most `most` steps (without restarts). `steps` grows by those taken.
std::vector<double> gmres(const DenseMatrix& a, const ApproximateInverse& inverse, std::span<const double> r,
                          double tolerance, std::uint32_t most, int threads, std::uint32_t& steps);

/// Hager's lower estimate of ||A||_1 ||A^-1||_1, with M for A^-1 (Higham, Accuracy and Stability, 15.1).
double estimate_condition(const DenseMatrix& a, const ApproximateInverse& inverse);

/// ||P A Q - L U|| / ||A|| in maximum norms; products in double.
double factor_error(const DenseMatrix& a, const LuFactors& factors, int threads);

/// ||A M - I|| / (||A|| ||M||) in maximum norms; products in double.
double inverse_error(const DenseMatrix& a, const DenseMatrix& inverse, int threads);

} // namespace mantissa::dense
