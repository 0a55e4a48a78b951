#include "complex_rows.hpp"

#include "mantissa/sparse/complex_blocks.hpp"

namespace mantissa::detail {

std::optional<ComplexRows> complex_rows(const CompressedRows& a) {
    if (a.rows() % 2 != 0 || !why_no_complex_blocks(a).empty()) return std::nullopt;
    ComplexBlocks blocks = to_complex_blocks(a);
    const std::size_t count = blocks.column.size();
    ComplexRows c;
    for (std::uint32_t row = 0; row < blocks.block_rows(); ++row)
        for (std::uint32_t k = blocks.row_begin[row]; k < blocks.row_begin[row + 1]; ++k) {
            const double imaginary = blocks.value[2 * std::size_t{k} + 1];
            if (imaginary == 0) continue;
            c.imaginary_row.push_back(row);
            c.imaginary_column.push_back(blocks.column[k]);
            c.imaginary_value.push_back(imaginary);
        }
    if (c.imaginary_row.size() > count / 4 + 64) return std::nullopt; // (better stored in the matrix)
    c.begin.assign(blocks.row_begin.begin(), blocks.row_begin.end());
    c.column = std::move(blocks.column);
    c.value.resize(count);
    for (std::size_t k = 0; k < count; ++k) c.value[k] = blocks.value[2 * k];
    return c;
}

} // namespace mantissa::detail
