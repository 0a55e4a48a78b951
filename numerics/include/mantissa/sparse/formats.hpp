// Storage formats for sparse matrices, and conversion from compressed rows. Host code: it needs no CUDA.
//
//     CRS        row by row, a column index for each nonzero
//     BCRS 2, 4  dense B x B blocks with an index each; blocks are padded with zeros (Buatois et al. 2008)
//     JDS        rows sorted by length and stored column by column, each jagged diagonal padded to 16 entries so that
//                a warp's accesses stay aligned (Cevahir et al. 2009)
//     complex    2 x 2 blocks [[x, -y], [y, x]], two values of each: complex_blocks.hpp
//     SELL       slices of rows sorted by length within windows, one thread a row, or as many as its length asks for:
//                sliced_ell.hpp
//     SELL in    the same with rows as they come and nothing said of their order: what a row's padding would be is
//     order      not read, and sums are written side by side
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "mantissa/nine_point.hpp"
#include "mantissa/sparse/compressed_rows.hpp"

namespace mantissa {

/// B x B blocks, row-major inside a block. Rows after the last are zero and so are columns.
struct Bcrs {
    std::uint32_t rows = 0, block = 2;
    std::vector<std::uint32_t> row_begin; ///< block rows + 1
    std::vector<std::uint32_t> column;    ///< block columns
    std::vector<double> value;
    [[nodiscard]] std::uint32_t block_rows() const { return (rows + block - 1) / block; }
};

/// A matrix as jagged diagonals: rows by length, then the first entries of all rows, the second, and so on.
struct Jds {
    static constexpr std::uint32_t kAlign = 16;
    std::uint32_t rows = 0;
    std::vector<std::uint32_t> permutation;    ///< stored row t is the matrix's row permutation[t]
    std::vector<std::uint32_t> row_count;      ///< nonzeros of stored row t, descending
    std::vector<std::uint32_t> diagonal_begin; ///< jagged diagonals + 1, multiples of kAlign
    std::vector<std::uint32_t> column;         ///< padding: column 0, value 0
    std::vector<double> value;
};

/// The row pointers in 32 bits, as products on the processor and on a device read them. These three throw InvalidInput
/// on a matrix whose rows or stored entries are 2^32 - 1 or more.
std::vector<std::uint32_t> narrow_row_begin(const CompressedRows& a);
/// block: 2 or 4.
Bcrs to_bcrs(const CompressedRows& a, std::uint32_t block);
Jds to_jds(const CompressedRows& a);
/// Back again, without the padding. Explicit zeros of the matrix are dropped.
CompressedRows to_compressed_rows(const Bcrs& a);
CompressedRows to_compressed_rows(const Jds& a);
/// Rows of a nine-point grid's matrix, without zeros and what lies outside of the grid's numbers. coefficients(i): the
/// nine of row i, in the order of bands.
template <class Coefficients>
CompressedRows nine_point_rows(std::size_t size, std::size_t row_length, const Coefficients& coefficients) {
    std::vector<std::uint64_t> begin{0};
    std::vector<std::uint32_t> column;
    std::vector<double> value;
    for (std::size_t i = 0; i < size; ++i) {
        const std::array<double, kBands> row = coefficients(i);
        for (std::size_t b = 0; b < kBands; ++b) {
            const std::ptrdiff_t j = static_cast<std::ptrdiff_t>(i) + band_offset(static_cast<int>(b), row_length);
            if (row[b] == 0 || j < 0 || j >= static_cast<std::ptrdiff_t>(size)) continue;
            column.push_back(static_cast<std::uint32_t>(j));
            value.push_back(row[b]);
        }
        begin.push_back(value.size());
    }
    return {std::move(begin), std::move(column), std::move(value)};
}
/// Nine bands by rows, without their zeros.
CompressedRows to_compressed_rows(const Bands& a);

enum class SparseFormat : std::uint8_t {
    crs,
    bcrs2,
    bcrs4,
    jds_rows,
    jds,
    sell,
    sell_lengths,
    sell_in_order,
    complex2,
    complex_sell
};
/// "CRS", "BCRS 2x2", "BCRS 4x4", "JDS by rows", "JDS", "SELL", "SELL by lengths", "SELL in order",
/// "complex 2x2", "complex SELL".
std::string to_string(SparseFormat f);

/// What a storage format takes for a matrix.
struct FormatReport {
    SparseFormat format = SparseFormat::crs;
    std::size_t stored = 0;       ///< values kept, padding included
    double fill = 0;              ///< nonzeros over stored values; complex: over the four that a block stands for
    std::size_t matrix_bytes = 0; ///< values, indices and row pointers, each read once in a product
    std::size_t traffic = 0;      ///< matrix_bytes and one read of x and one write of y
};
/// What a product y = A x moves in each format that can hold `a`, for values of `value_bytes` (4 or 8): one report for
/// each of SparseFormat, in its order. "SELL in order" is left out where a row has more than 255 entries, the last two
/// where a block is not of their form.
std::vector<FormatReport> report_formats(const CompressedRows& a, std::size_t value_bytes);

/// The storage format that was chosen for a matrix, with the reason.
struct FormatChoice {
    SparseFormat format = SparseFormat::crs;
    std::string why; ///< one line
};
/// The format that moves the fewest bytes, with the reason in words. Plain JDS is never chosen: it reads and writes y
/// once a diagonal.
FormatChoice choose_format(const CompressedRows& a, std::size_t value_bytes);
/// The same from times of products (seconds, in the order of `reports`), which is what a device that is here decides
/// by.
FormatChoice choose_format(std::span<const FormatReport> reports, std::span<const double> seconds);

/// The fill of B x B blocks above which they move fewer bytes than CRS: (B^2 v + 4) / (B^2 (v + 4)) without the row
/// pointers; 53 % for 4 x 4 blocks of floats.
double break_even_fill(std::uint32_t block, std::size_t value_bytes);

} // namespace mantissa
