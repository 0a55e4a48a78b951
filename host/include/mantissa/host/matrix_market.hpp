// Reading MatrixMarket files: square matrices and right-hand sides.
//
// Every fault is InvalidInput with one line, `FILE:LINE: what; the mend`.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mantissa/system.hpp"

namespace mantissa {

/// The matrix in MatrixMarket `text` (coordinate or array; real or integer; symmetric, skew-symmetric or general).
/// `name` stands for the file in error lines. Duplicate entries are added in file order; zeros off the diagonal are
/// left out. A general file whose partners across the diagonal differ by rounding errors (16 units in the last place of
/// the largest entry, or 1e-14 of their own) becomes symmetric by their mean, and `note`, where it is given, a line
/// that says how far they were apart. Any other general file stays as it is: asymmetry() (mantissa/symmetry.hpp) tells.
/// Refused with a reason: pattern and complex values, hermitian files, a matrix that is not square, a symmetric file
/// with entries on both sides of the diagonal, a skew-symmetric one with an entry on it, entries out of range, NaN,
/// infinities, a count of entries that does not match. A symmetric matrix with a missing, zero or negative diagonal
/// entry is refused too, unless `indefinite` is given: then that line goes there. Whether a symmetric matrix with a
/// positive diagonal is positive definite is for the solver to find out. A UTF-8 byte-order mark in front is passed
/// over.
CompressedRows parse_matrix_market(std::string_view text, std::string_view name, std::string* note = nullptr,
                                   std::string* indefinite = nullptr);

/// The same from a regular file, a FIFO or a pipe, gzipped or not (told by the first bytes). What is packed or comes
/// through a pipe may be as long as 1 MiB and 256 characters for each announced entry, and half of this machine's
/// memory; a first line that is no MatrixMarket banner is refused before more is read.
CompressedRows read_matrix_market(const std::string& path, std::string* note = nullptr,
                                  std::string* indefinite = nullptr);

/// A vector of `size` numbers: a MatrixMarket array file with one column (real or integer, general), or plain numbers
/// separated by blanks or line ends, with comments after # or %. Faults call it `what`.
inline constexpr std::string_view kRightHandSide = "right-hand side";
std::vector<double> parse_vector(std::string_view text, std::string_view name, std::size_t size,
                                 std::string_view what = kRightHandSide);

/// The same from a regular file, a FIFO or a pipe, gzipped or not, with the same bounds.
std::vector<double> read_vector(const std::string& path, std::size_t size, std::string_view what = kRightHandSide);

/// Its columns one after the other, `most` of them.
std::vector<double> read_columns_together(const std::string& path, std::size_t size, std::size_t most,
                                          std::string_view what = kRightHandSide);

/// Several vectors of `size` numbers each: the columns of a MatrixMarket array file (real or integer, general), from 1
/// to kMostColumns; other files have one, as read_vector() takes it.
std::vector<std::vector<double>> read_columns(const std::string& path, std::size_t size);
inline constexpr std::size_t kMostColumns = 4096;

/// Nine bands when the pattern is that of a nine-point grid: every non-zero entry couples neighbours of one grid and
/// none wraps round a row's end. Nothing when it is not.
std::optional<Bands> nine_bands(const CompressedRows& rows);

} // namespace mantissa
