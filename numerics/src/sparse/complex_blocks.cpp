#include "mantissa/sparse/complex_blocks.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "mantissa/format.hpp"
#include "mantissa/sparse/formats.hpp"

namespace mantissa {

namespace {

/// sqrt(a_ii), or 0 where it is not above zero.
std::vector<double> scales(const CompressedRows& a) {
    std::vector<double> scale(a.rows(), 0.0);
    for (std::size_t i = 0; i < a.rows(); ++i) {
        const auto first = a.column().begin() + static_cast<std::ptrdiff_t>(a.row_begin()[i]);
        const auto last = a.column().begin() + static_cast<std::ptrdiff_t>(a.row_begin()[i + 1]);
        const auto at = std::lower_bound(first, last, static_cast<std::uint32_t>(i));
        if (at == last || *at != i) continue;
        const double diagonal = a.value()[static_cast<std::size_t>(at - a.column().begin())];
        if (diagonal > 0) scale[i] = std::sqrt(diagonal);
    }
    return scale;
}

/// The blocks of one row of blocks in the order of their columns: four values each, row-major. Both real rows are
/// walked together.
template <class Sink> void for_blocks(const CompressedRows& a, std::size_t block_row, Sink&& sink) {
    std::uint64_t k[2] = {a.row_begin()[2 * block_row], a.row_begin()[2 * block_row + 1]};
    const std::uint64_t end[2] = {k[1], a.row_begin()[2 * block_row + 2]};
    while (k[0] < end[0] || k[1] < end[1]) {
        std::uint32_t column = 0xFFFFFFFF;
        for (int r = 0; r < 2; ++r)
            if (k[r] < end[r]) column = std::min(column, a.column()[k[r]] / 2);
        double v[2][2] = {};
        for (int r = 0; r < 2; ++r)
            for (; k[r] < end[r] && a.column()[k[r]] / 2 == column; ++k[r])
                v[r][a.column()[k[r]] % 2] = a.value()[k[r]];
        if (!sink(column, v)) return;
    }
}

} // namespace

std::string why_no_complex_blocks(const CompressedRows& a, double tolerance) {
    if (a.rows() % 2 != 0)
        return fmt::format("complex 2x2 blocks: {} rows are no pairs: take another format", a.rows());
    const std::vector<double> scale = scales(a);
    std::string why;
    for (std::size_t row = 0; row < a.rows() / 2 && why.empty(); ++row)
        for_blocks(a, row, [&](std::uint32_t column, const double(&v)[2][2]) {
            const double row_scale = std::max(scale[2 * row], scale[2 * row + 1]);
            const double column_scale = std::max(scale[2 * std::size_t{column}], scale[2 * std::size_t{column} + 1]);
            const double bound = tolerance * row_scale * column_scale;
            const bool same = std::abs(v[0][0] - v[1][1]) <= bound && std::abs(v[0][1] + v[1][0]) <= bound;
            if (!same)
                why = fmt::format("complex 2x2 blocks: rows {} and {}, columns {} and {} hold [[{}, {}], [{}, {}]], "
                                  "which is no [[x, -y], [y, x]] to within {:.2g}: take BCRS 2x2",
                                  2 * row, 2 * row + 1, 2 * std::size_t{column}, 2 * std::size_t{column} + 1, v[0][0],
                                  v[0][1], v[1][0], v[1][1], bound);
            return same;
        });
    return why;
}

ComplexBlocks to_complex_blocks(const CompressedRows& a, double tolerance) {
    static_cast<void>(narrow_row_begin(a)); // refuses what 32 bits do not number
    if (const std::string why = why_no_complex_blocks(a, tolerance); !why.empty()) throw InvalidInput(why);
    ComplexBlocks b;
    b.rows = static_cast<std::uint32_t>(a.rows());
    b.row_begin.reserve(a.rows() / 2 + 1);
    b.row_begin.push_back(0);
    b.column.reserve(a.nonzeros() / 2);
    b.value.reserve(a.nonzeros());
    for (std::size_t row = 0; row < a.rows() / 2; ++row) {
        for_blocks(a, row, [&](std::uint32_t column, const double(&v)[2][2]) {
            b.column.push_back(column);
            b.value.push_back(0.5 * (v[0][0] + v[1][1]));
            b.value.push_back(0.5 * (v[1][0] - v[0][1]));
            return true;
        });
        b.row_begin.push_back(static_cast<std::uint32_t>(b.column.size()));
    }
    return b;
}

CompressedRows to_compressed_rows(const ComplexBlocks& b) {
    std::vector<std::uint64_t> row_begin = {0};
    std::vector<std::uint32_t> column;
    std::vector<double> value;
    const auto add = [&](std::uint32_t j, double v) {
        if (v == 0) return;
        column.push_back(j);
        value.push_back(v);
    };
    for (std::uint32_t row = 0; row < b.rows; ++row) {
        for (std::uint32_t k = b.row_begin[row / 2]; k < b.row_begin[row / 2 + 1]; ++k) {
            const double x = b.value[2 * std::size_t{k}], y = b.value[2 * std::size_t{k} + 1];
            add(2 * b.column[k], row % 2 == 0 ? x : y);
            add(2 * b.column[k] + 1, row % 2 == 0 ? -y : x);
        }
        row_begin.push_back(value.size());
    }
    return {std::move(row_begin), std::move(column), std::move(value)};
}

} // namespace mantissa
