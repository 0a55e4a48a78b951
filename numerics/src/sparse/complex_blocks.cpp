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
    const auto bound = [&](std::size_t row, std::size_t column) {
        return tolerance * std::max(scale[2 * row], scale[2 * row + 1]) *
               std::max(scale[2 * column], scale[2 * column + 1]);
    };
    const auto holds = [&](std::size_t row, std::size_t column, const double(&v)[2][2]) {
        return std::abs(v[0][0] - v[1][1]) <= bound(row, column) && std::abs(v[0][1] + v[1][0]) <= bound(row, column);
    };
    const auto rows = static_cast<std::ptrdiff_t>(a.rows() / 2);
    std::ptrdiff_t first = rows; // row of blocks that has one
#pragma omp parallel for schedule(static) reduction(min : first)
    for (std::ptrdiff_t row = 0; row < rows; ++row) {
        if (row > first) continue;
        for_blocks(a, static_cast<std::size_t>(row), [&](std::uint32_t column, const double(&v)[2][2]) {
            if (holds(static_cast<std::size_t>(row), column, v)) return true;
            first = std::min(first, row);
            return false;
        });
    }
    if (first == rows) return {};
    std::string why;
    const auto row = static_cast<std::size_t>(first);
    for_blocks(a, row, [&](std::uint32_t column, const double(&v)[2][2]) {
        if (holds(row, column, v)) return true;
        why =
            fmt::format("complex 2x2 blocks: rows {} and {}, columns {} and {} hold [[{}, {}], [{}, {}]], which is no "
                        "[[x, -y], [y, x]] to within {:.2g}: take BCRS 2x2",
                        2 * row, 2 * row + 1, 2 * std::size_t{column}, 2 * std::size_t{column} + 1, v[0][0], v[0][1],
                        v[1][0], v[1][1], bound(row, column));
        return false;
    });
    return why;
}

ComplexBlocks to_complex_blocks(const CompressedRows& a, double tolerance) {
    if (const std::string why = why_no_complex_blocks(a, tolerance); !why.empty()) throw InvalidInput(why);
    static_cast<void>(narrow_row_begin(a)); // refuses what 32 bits do not number
    ComplexBlocks b;
    b.rows = static_cast<std::uint32_t>(a.rows());
    b.row_begin.assign(a.rows() / 2 + 1, 0);
    const auto rows = static_cast<std::ptrdiff_t>(a.rows() / 2);
#pragma omp parallel for schedule(static)
    for (std::ptrdiff_t row = 0; row < rows; ++row) {
        std::uint32_t blocks = 0;
        for_blocks(a, static_cast<std::size_t>(row), [&](std::uint32_t, const double(&)[2][2]) {
            ++blocks;
            return true;
        });
        b.row_begin[static_cast<std::size_t>(row) + 1] = blocks;
    }
    for (std::size_t row = 0; row < a.rows() / 2; ++row) b.row_begin[row + 1] += b.row_begin[row];
    b.column.resize(b.row_begin.back());
    b.value.resize(2 * std::size_t{b.row_begin.back()});
#pragma omp parallel for schedule(static)
    for (std::ptrdiff_t row = 0; row < rows; ++row) {
        std::size_t k = b.row_begin[static_cast<std::size_t>(row)];
        for_blocks(a, static_cast<std::size_t>(row), [&](std::uint32_t column, const double(&v)[2][2]) {
            b.column[k] = column;
            b.value[2 * k] = 0.5 * (v[0][0] + v[1][1]);
            b.value[2 * k + 1] = 0.5 * (v[1][0] - v[0][1]);
            ++k;
            return true;
        });
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
