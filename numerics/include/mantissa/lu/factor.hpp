// Dense LU in the arithmetic that a LuSpec names: the emulated engine and the substitutions.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "mantissa/lu/dense.hpp"
#include "mantissa/lu/spec.hpp"

namespace mantissa {

enum class LuEnd : std::uint8_t {
    factored,
    singular,   ///< a pivot is zero; `at` is its column
    not_finite, ///< the matrix, or a sum of column `at`, is not finite
    overflow,   ///< a product or a sum of column `at` is outside the fixed window
};
/// "factored", "singular", "not finite", "overflow".
std::string_view to_string(LuEnd end);

/// P A Q = L U. Row i of P A is row rows[i] of A; column j of A Q is column columns[j] of A.
struct LuFactors {
    LuEnd end = LuEnd::factored;
    std::size_t at = 0;                 ///< see LuEnd; n when factored
    DenseMatrix lu;                     ///< L below the diagonal (its own is 1), U on and above; complete when factored
    std::vector<std::uint32_t> rows;    ///< the permutation P
    std::vector<std::uint32_t> columns; ///< the permutation Q: the identity but with pivot=full
    std::uint64_t exchanges = 0;        ///< rows and columns that changed places: det A = (-1)^exchanges prod u_kk
    double growth = 0;                  ///< max |u_ij| / max |a_ij|

    [[nodiscard]] std::size_t size() const { return rows.size(); }
};

/// Factors on `threads` threads (0: as many as OpenMP gives); the bits do not depend on them. A matrix of size 0 has
/// factors of size 0. Throws InvalidInput where the spec is not valid.
LuFactors factor(const LuSpec& spec, const DenseMatrix& a, int threads = 0);

/// x of A x = b in double from factors of any format: y = L^-1 P b, then x = Q U^-1 y, by columns in ascending and
/// descending order, products and differences rounded to nearest. Throws InvalidInput unless the factors are complete
/// and b has n elements.
std::vector<double> substitute(const LuFactors& factors, std::span<const double> b);

/// The same in the spec's own arithmetic, as its datapath would: b rounded into `a`, sums in acc, each y_i rounded into
/// `u` and each x_i = (w_i rounded into `u`) / u_ii into `u`. Throws InvalidInput as above, and where a sum leaves a
/// fixed window.
std::vector<double> substitute(const LuSpec& spec, const LuFactors& factors, std::span<const double> b);

} // namespace mantissa
