// Complex numbers in disguise: a real matrix of 2x2 blocks [[x, -y], [y, x]] is a complex matrix of x + i y, and two of
// the four values need not be stored. The systems of least squares conformal maps are of this kind (u + i v), and stay
// so where vertices are held, both of their variables.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "mantissa/sparse/compressed_rows.hpp"

namespace mantissa {

/// 2x2 blocks by rows of blocks. Block k is [[x, -y], [y, x]] with x = value[2 k], y = value[2 k + 1].
struct ComplexBlocks {
    std::uint32_t rows = 0;               ///< of the real matrix, an even number
    std::vector<std::uint32_t> row_begin; ///< block rows + 1
    std::vector<std::uint32_t> column;    ///< block columns, ascending within a row
    std::vector<double> value;
    [[nodiscard]] std::uint32_t block_rows() const { return rows / 2; }
};

/// How far two entries that stand for one number may differ, relative to sqrt(N_ii N_jj). In normal equations both are
/// sums of the same m products in different orders, so each is within m u sum |a_i a_j| <= m u sqrt(N_ii N_jj) of the
/// exact sum (u = 2^-53; Cauchy and Schwarz), and they differ by at most 2 m u: 2^-42 for 1024 products. A builder may
/// also have dropped one of them, at up to 1e-12 (LscmOptions::drop). 2^-39 = 1.8e-12 covers both.
inline constexpr double kComplexTolerance = 0x1p-39;

/// Empty where `a` is made of such blocks to within the tolerance (0: exactly); else one line that names the first
/// block that is not and says what to take. Where a row has no diagonal above zero its entries must agree exactly.
std::string why_no_complex_blocks(const CompressedRows& a, double tolerance = kComplexTolerance);
/// x and y are the means of the two entries that stand for them, so that a symmetric matrix stays one. Throws
/// InvalidInput with why_no_complex_blocks()'s line, or on a matrix whose indices need more than 32 bits.
ComplexBlocks to_complex_blocks(const CompressedRows& a, double tolerance = kComplexTolerance);
/// The real matrix again, without zeros.
CompressedRows to_compressed_rows(const ComplexBlocks& a);

} // namespace mantissa
