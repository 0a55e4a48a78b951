// Gauss-Jordan elimination in the arithmetic that a LuSpec names: solutions for many right-hand sides, and the inverse.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "mantissa/lu/dense.hpp"
#include "mantissa/lu/factor.hpp"
#include "mantissa/lu/spec.hpp"

namespace mantissa {

/// How an elimination ended, and its solutions.
struct GaussJordanResult {
    LuEnd end = LuEnd::factored; ///< `factored`: solved
    std::size_t at = 0;          ///< see LuEnd; n when solved
    std::size_t sides = 0;       ///< right-hand sides
    std::vector<double> x;       ///< n x sides by rows, values of `u`; complete when solved
    std::uint64_t exchanges = 0; ///< rows and columns that changed places
};

/// X of A X = B, b by rows with `sides` elements each. w is the n x (n + sides) matrix [A B], each element rounded into
/// `a`, then into acc (a window: truncated to its grid). For k = 0 ... n - 1:
///     the pivot is chosen among w_ik, i >= k, as for the factors, and changes places with row k (and column k)
///     p = w_kk rounded into `u`; g_j = (w_kj rounded into `u`) / p, rounded into `u`, for j > k;
///         div=reciprocal: times 1 / p rounded into `u`
///     w_kj <- g_j rounded into acc
///     w_ij <- w_ij - l g_j for every row i but k, with l = (w_ik rounded into `u`) rounded into `l`; product rounded,
///         then the difference, as for the factors
/// Row k of w, rounded into `u`, then is row k of X (with pivot=full that of the unknown that column k holds). The
/// order must be right, and the pivoting none, partial, full or threshold. Bits do not depend on the threads (0: as
/// many as OpenMP gives). Throws InvalidInput otherwise, and where the sizes do not fit.
GaussJordanResult gauss_jordan(const LuSpec& spec, const DenseMatrix& a, std::span<const double> b, std::size_t sides,
                               int threads = 0);

/// The inverse: gauss_jordan() of the identity. `x` has n sides.
GaussJordanResult invert(const LuSpec& spec, const DenseMatrix& a, int threads = 0);

} // namespace mantissa
