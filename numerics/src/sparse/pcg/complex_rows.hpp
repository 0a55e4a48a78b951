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

/// The matrix as complex numbers, one row for two, where it is made of such blocks (complex_blocks.hpp) and fewer than
/// a quarter of them have an imaginary part; none elsewhere.
std::optional<ComplexRows> complex_rows(const CompressedRows& a);

} // namespace mantissa::detail
