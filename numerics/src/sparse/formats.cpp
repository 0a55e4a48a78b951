#include "mantissa/sparse/formats.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "mantissa/format.hpp"
#include "mantissa/sparse/complex_blocks.hpp"
#include "mantissa/sparse/sliced_ell.hpp"

namespace mantissa {

std::vector<std::uint32_t> narrow_row_begin(const CompressedRows& a) {
    constexpr std::size_t kMost = std::numeric_limits<std::uint32_t>::max();
    if (a.rows() >= kMost || a.nonzeros() >= kMost)
        throw InvalidInput(fmt::format(
            "sparse matrix of {} nonzeros: 32-bit indices hold fewer than 2^32 rows and nonzeros", a.nonzeros()));
    return {a.row_begin().begin(), a.row_begin().end()};
}

Bcrs to_bcrs(const CompressedRows& a, std::uint32_t block) {
    if (block != 2 && block != 4) throw InvalidInput(fmt::format("BCRS blocks of {}: they are 2 or 4 wide", block));
    const std::vector<std::uint32_t> row_begin = narrow_row_begin(a);
    const auto& column = a.column();
    const auto& value = a.value();
    Bcrs b;
    b.rows = static_cast<std::uint32_t>(a.rows());
    b.block = block;
    b.row_begin.push_back(0);
    const std::size_t area = std::size_t{block} * block;
    std::vector<std::uint32_t> place(b.block_rows(), std::numeric_limits<std::uint32_t>::max()), columns;
    for (std::uint32_t i = 0; i < b.block_rows(); ++i) {
        columns.clear();
        const std::uint32_t first = i * block, last = std::min(b.rows, first + block);
        for (std::uint32_t k = row_begin[first]; k < row_begin[last]; ++k) columns.push_back(column[k] / block);
        std::ranges::sort(columns);
        columns.erase(std::unique(columns.begin(), columns.end()),
                      columns.end()); // (clang 14 cannot take ranges::unique)
        const auto base = static_cast<std::uint32_t>(b.column.size());
        for (std::uint32_t k = 0; k < columns.size(); ++k) place[columns[k]] = base + k;
        b.column.insert(b.column.end(), columns.begin(), columns.end());
        b.value.resize(b.column.size() * area, 0.0);
        for (std::uint32_t row = first; row < last; ++row)
            for (std::uint32_t k = row_begin[row]; k < row_begin[row + 1]; ++k)
                b.value[place[column[k] / block] * area + (row - first) * block + column[k] % block] += value[k];
        b.row_begin.push_back(static_cast<std::uint32_t>(b.column.size()));
    }
    return b;
}

Jds to_jds(const CompressedRows& a) {
    const std::vector<std::uint32_t> row_begin = narrow_row_begin(a);
    const auto rows = static_cast<std::uint32_t>(a.rows());
    Jds j;
    j.rows = rows;
    j.permutation.resize(rows);
    std::iota(j.permutation.begin(), j.permutation.end(), 0U);
    const auto count = [&](std::uint32_t row) { return row_begin[row + 1] - row_begin[row]; };
    std::ranges::stable_sort(j.permutation, [&](std::uint32_t x, std::uint32_t y) { return count(x) > count(y); });
    j.row_count.resize(rows);
    std::ranges::transform(j.permutation, j.row_count.begin(), count);
    const std::uint32_t diagonals = rows == 0 ? 0 : j.row_count[0];
    std::uint32_t length = rows; // of the diagonal: rows with more nonzeros than its number
    j.diagonal_begin.push_back(0);
    for (std::uint32_t d = 0; d < diagonals; ++d) {
        while (length > 0 && j.row_count[length - 1] <= d) --length;
        const std::uint32_t begin = j.diagonal_begin.back();
        const std::uint32_t padded = (length + Jds::kAlign - 1) / Jds::kAlign * Jds::kAlign;
        if (padded > std::numeric_limits<std::uint32_t>::max() - begin)
            throw InvalidInput(
                fmt::format("sparse matrix of {} nonzeros: with the padding of jagged diagonals they are "
                            "2^32 or more; take another format",
                            a.nonzeros()));
        j.column.resize(begin + padded, 0);
        j.value.resize(begin + padded, 0.0);
        for (std::uint32_t t = 0; t < length; ++t) {
            const std::uint32_t k = row_begin[j.permutation[t]] + d;
            j.column[begin + t] = a.column()[k];
            j.value[begin + t] = a.value()[k];
        }
        j.diagonal_begin.push_back(begin + padded);
    }
    return j;
}

CompressedRows to_compressed_rows(const Bcrs& b) {
    std::vector<std::uint64_t> row_begin = {0};
    std::vector<std::uint32_t> column;
    std::vector<double> value;
    const std::size_t area = std::size_t{b.block} * b.block;
    for (std::uint32_t row = 0; row < b.rows; ++row) {
        const std::uint32_t i = row / b.block;
        for (std::uint32_t k = b.row_begin[i]; k < b.row_begin[i + 1]; ++k)
            for (std::uint32_t c = 0; c < b.block; ++c) {
                const double v = b.value[k * area + (row % b.block) * b.block + c];
                if (v == 0) continue;
                column.push_back(b.column[k] * b.block + c);
                value.push_back(v);
            }
        row_begin.push_back(value.size());
    }
    return {std::move(row_begin), std::move(column), std::move(value)};
}

CompressedRows to_compressed_rows(const Jds& j) {
    std::vector<std::uint32_t> stored(j.rows);
    for (std::uint32_t t = 0; t < j.rows; ++t) stored[j.permutation[t]] = t;
    std::vector<std::uint64_t> row_begin = {0};
    std::vector<std::uint32_t> column;
    std::vector<double> value;
    for (std::uint32_t row = 0; row < j.rows; ++row) {
        const std::uint32_t t = stored[row];
        for (std::uint32_t d = 0; d < j.row_count[t]; ++d) {
            const std::uint32_t k = j.diagonal_begin[d] + t;
            if (j.value[k] == 0) continue;
            column.push_back(j.column[k]);
            value.push_back(j.value[k]);
        }
        row_begin.push_back(value.size());
    }
    return {std::move(row_begin), std::move(column), std::move(value)};
}

CompressedRows to_compressed_rows(const Bands& a) {
    return nine_point_rows(a.size(), a.row_length(), [&](std::size_t i) {
        std::array<double, kBands> row{};
        for (std::size_t b = 0; b < kBands; ++b) row[b] = a.band(b)[i];
        return row;
    });
}

std::string to_string(SparseFormat f) {
    constexpr const char* kNames[] = {"CRS",  "BCRS 2x2",        "BCRS 4x4",      "JDS by rows", "JDS",
                                      "SELL", "SELL by lengths", "SELL in order", "complex 2x2", "complex SELL"};
    return kNames[static_cast<int>(f)];
}

namespace {

/// Distinct B x B blocks with a nonzero, without building them.
std::size_t count_blocks(const CompressedRows& a, std::uint32_t block) {
    std::vector<std::size_t> seen((a.rows() + block - 1) / block, std::numeric_limits<std::size_t>::max());
    std::size_t blocks = 0;
    for (std::size_t row = 0; row < a.rows(); ++row)
        for (std::uint64_t k = a.row_begin()[row]; k < a.row_begin()[row + 1]; ++k) {
            std::size_t& last = seen[a.column()[k] / block];
            if (last != row / block) {
                last = row / block;
                ++blocks;
            }
        }
    return blocks;
}

} // namespace

std::vector<FormatReport> report_formats(const CompressedRows& a, std::size_t value_bytes) {
    const std::size_t nonzeros = a.nonzeros(), rows = a.rows(), vectors = 2 * rows * value_bytes;
    std::vector<FormatReport> reports;
    const auto add = [&](SparseFormat format, std::size_t stored, std::size_t index_bytes, std::size_t more) {
        FormatReport r;
        r.format = format;
        r.stored = stored;
        r.fill = stored == 0 ? 1 : static_cast<double>(nonzeros) / static_cast<double>(stored);
        r.matrix_bytes = stored * value_bytes + index_bytes;
        r.traffic = r.matrix_bytes + vectors + more;
        reports.push_back(r);
    };
    add(SparseFormat::crs, nonzeros, 4 * nonzeros + 4 * (rows + 1), 0);
    for (const std::uint32_t block : {2U, 4U}) {
        const std::size_t blocks = count_blocks(a, block);
        add(block == 2 ? SparseFormat::bcrs2 : SparseFormat::bcrs4, blocks * block * block,
            4 * blocks + 4 * ((rows + block - 1) / block + 1), 0);
    }
    // Jagged diagonals: their lengths are the numbers of rows longer than 0, 1, 2, ...
    std::vector<std::size_t> of_length;
    for (std::size_t row = 0; row < rows; ++row) {
        const std::size_t n = a.row_begin()[row + 1] - a.row_begin()[row];
        if (n >= of_length.size()) of_length.resize(n + 1, 0);
        ++of_length[n];
    }
    std::size_t stored = 0, length = rows, again = 0;
    for (std::size_t d = 0; d + 1 < of_length.size(); ++d) {
        length -= of_length[d];
        stored += (length + Jds::kAlign - 1) / Jds::kAlign * Jds::kAlign;
        if (d > 0) again += 2 * length * value_bytes;
    }
    add(SparseFormat::jds_rows, stored, 4 * stored + 8 * rows, 0);
    add(SparseFormat::jds, stored, 4 * stored + 4 * rows, again + 2 * rows * value_bytes);
    for (const SparseFormat format : {SparseFormat::sell, SparseFormat::sell_lengths}) {
        const SlicedSize size = sliced_size(a, format == SparseFormat::sell ? kPlainSell : sell_by_lengths(a));
        const std::size_t entries = size.steps * SlicedEll::kWidth;
        add(format, entries, 4 * entries + 16 * size.slices + 4 * rows, 0);
    }
    if (const std::size_t steps = ordered_steps(a); steps != 0 || nonzeros == 0) {
        const std::size_t entries = steps * SlicedEll::kWidth,
                          slices = (rows + SlicedEll::kWidth - 1) / SlicedEll::kWidth;
        add(SparseFormat::sell_in_order, entries, 4 * entries + 4 * (slices + 1) + rows, 0);
    }
    if (!why_no_complex_blocks(a).empty()) return reports;
    const ComplexBlocks complex = to_complex_blocks(a);
    const SlicedEll sliced = to_sliced_ell(complex, kPlainSell);
    const auto fill = [&](std::size_t entries) {
        reports.back().fill =
            static_cast<double>(nonzeros) / static_cast<double>(std::max<std::size_t>(1, 4 * entries));
    };
    add(SparseFormat::complex2, complex.value.size(), 4 * complex.column.size() + 4 * complex.row_begin.size(), 0);
    fill(complex.column.size());
    add(SparseFormat::complex_sell, sliced.value.size(),
        4 * sliced.column.size() + 16 * sliced.slice.size() + 4 * sliced.permutation.size(), 0);
    fill(sliced.column.size());
    return reports;
}

double break_even_fill(std::uint32_t block, std::size_t value_bytes) {
    const double area = static_cast<double>(block) * block, v = static_cast<double>(value_bytes);
    return (area * v + 4) / (area * (v + 4));
}

FormatChoice choose_format(const CompressedRows& a, std::size_t value_bytes) {
    const std::vector<FormatReport> reports = report_formats(a, value_bytes);
    const FormatReport& crs = reports[0];
    const FormatReport* best = &crs;
    for (const FormatReport& r : reports)
        if (r.format != SparseFormat::jds && r.traffic < best->traffic) best = &r;
    if (best == &crs)
        return {SparseFormat::crs,
                fmt::format(
                    "CRS moves the fewest bytes, {:.2f} MB per product: 4x4 blocks would be {:.0f} % full, below the "
                    "{:.0f} % where they pay",
                    1e-6 * static_cast<double>(crs.traffic), 100 * reports[2].fill,
                    100 * break_even_fill(4, value_bytes))};
    return {best->format, fmt::format("{} moves {:.2f} MB per product, {:.0f} % of CRS; its storage is {:.0f} % full",
                                      to_string(best->format), 1e-6 * static_cast<double>(best->traffic),
                                      100.0 * static_cast<double>(best->traffic) / static_cast<double>(crs.traffic),
                                      100 * best->fill)};
}

FormatChoice choose_format(std::span<const FormatReport> reports, std::span<const double> seconds) {
    if (reports.empty() || reports.size() != seconds.size())
        throw InvalidInput("choice of a sparse format: give one time for each format");
    std::size_t best = 0, next = 0;
    for (std::size_t i = 1; i < seconds.size(); ++i)
        if (seconds[i] < seconds[best]) best = i;
    for (std::size_t i = 0; i < seconds.size(); ++i)
        if (i != best && (next == best || seconds[i] < seconds[next])) next = i;
    std::string why = fmt::format("{} took {:.2f} us per product at {:.0f} % fill", to_string(reports[best].format),
                                  1e6 * seconds[best], 100 * reports[best].fill);
    if (next != best)
        why += fmt::format(", {} {:.2f} us at {:.0f} %", to_string(reports[next].format), 1e6 * seconds[next],
                           100 * reports[next].fill);
    return {reports[best].format, why};
}

} // namespace mantissa
