// A real system that is a complex one in disguise. Internal to numerics/.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "mantissa/sparse/compressed_rows.hpp"

namespace mantissa::detail {

/// Rows of complex numbers: real parts by rows, and imaginary ones where there are any, in the order of their rows.
struct ComplexRows {
    std::vector<std::uint64_t> begin;
    std::vector<std::uint32_t> column;
    std::vector<double> value;
    std::vector<std::uint32_t> imaginary_row, imaginary_column;
    std::vector<double> imaginary_value;
};

/// The matrix as complex numbers, one row for two, where its 2 x 2 blocks are [[u, -v], [v, u]] to within 2^-38 of the
/// diagonal and fewer than a quarter of them have an imaginary part; none elsewhere. `diagonal` is the matrix's, above
/// zero.
std::optional<ComplexRows> complex_rows(const CompressedRows& a, const std::vector<double>& diagonal);

} // namespace mantissa::detail
