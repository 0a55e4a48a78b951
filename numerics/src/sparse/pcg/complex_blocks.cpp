#include "complex_blocks.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace mantissa::detail {

namespace {

constexpr double kEqual = 0x1p-38;

/// Calls body(block column, [a00, a01, a10, a11]) for the 2 x 2 blocks of rows 2 k and 2 k + 1, in order, until it
/// returns false.
template <class Body> bool for_blocks(const CompressedRows& a, std::size_t k, const Body& body) {
    const auto& column = a.column();
    const auto& begin = a.row_begin();
    std::uint64_t upper = begin[2 * k], lower = begin[2 * k + 1];
    const std::uint64_t upper_end = lower, lower_end = begin[2 * k + 2];
    while (upper < upper_end || lower < lower_end) {
        const std::uint32_t next = std::min(upper < upper_end ? column[upper] / 2 : UINT32_MAX,
                                            lower < lower_end ? column[lower] / 2 : UINT32_MAX);
        std::array<double, 4> block{};
        for (; upper < upper_end && column[upper] / 2 == next; ++upper) block[column[upper] % 2] = a.value()[upper];
        for (; lower < lower_end && column[lower] / 2 == next; ++lower) block[2 + column[lower] % 2] = a.value()[lower];
        if (!body(next, block)) return false;
    }
    return true;
}

} // namespace

std::optional<ComplexRows> complex_rows(const CompressedRows& a, const std::vector<double>& diagonal) {
    if (a.rows() % 2 != 0) return std::nullopt;
    ComplexRows c;
    const std::size_t rows = a.rows() / 2;
    c.begin.reserve(rows + 1);
    c.begin.push_back(0);
    for (std::size_t k = 0; k < rows; ++k) {
        const bool complex = for_blocks(a, k, [&](std::uint32_t j, const std::array<double, 4>& block) {
            const double most = kEqual * std::sqrt(diagonal[2 * k]) * std::sqrt(diagonal[2 * std::size_t{j}]);
            if (!(std::abs(block[0] - block[3]) <= most && std::abs(block[1] + block[2]) <= most)) return false;
            const double imaginary = 0.5 * block[2] - 0.5 * block[1];
            c.column.push_back(j);
            c.value.push_back(0.5 * block[0] + 0.5 * block[3]);
            if (j != k && imaginary != 0) {
                c.imaginary_row.push_back(static_cast<std::uint32_t>(k));
                c.imaginary_column.push_back(j);
                c.imaginary_value.push_back(imaginary);
            }
            return true;
        });
        // The first rows tell most systems that are none; many imaginary parts are better stored in the matrix.
        if (!complex || c.imaginary_row.size() > c.column.size() / 4 + 64) return std::nullopt;
        c.begin.push_back(c.column.size());
    }
    return c;
}

} // namespace mantissa::detail
