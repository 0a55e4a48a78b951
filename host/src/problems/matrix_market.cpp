#include "mantissa/host/matrix_market.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "mantissa/symmetry.hpp"
#include "text/market_banner.hpp"
#include "text/number_text.hpp"
#include "text/packed_file.hpp"

namespace mantissa {

namespace {

using Banner = text::MarketBanner;
using text::NumberText;
using text::refuse_foreign;
using text::without_mark;

struct Entry {
    std::uint32_t row, column; ///< from 0
    double value;
};

struct Coordinates {
    std::uint64_t size = 0, size_line = 0;
    std::size_t first_entry_offset = 0;
    std::vector<Entry> entries;
    /// Of an array file: the first row whose diagonal entry is not above zero, and its line.
    std::optional<std::pair<std::uint64_t, std::uint64_t>> bad_diagonal;
};

std::string diagonal_fault(std::string_view name, std::uint64_t line, std::uint64_t row, double value) {
    return fmt::format("{}:{}: diagonal entry {} is {}: a positive definite matrix has a positive diagonal", name, line,
                       row + 1, value == 0 ? "zero or missing" : "negative");
}

/// The line of the entry `index` of the file, found by reading it again: errors only.
std::uint64_t line_of_entry(std::string_view file, std::string_view name, std::size_t index) {
    NumberText text(file, name);
    text.take_line();
    for (std::size_t k = 0; k <= index; ++k) { // the size line counts as one
        text.next_content();
        text.take_line();
    }
    text.next_content();
    return text.line();
}

/// The size line up to the columns.
std::uint64_t read_rows(NumberText& text, Coordinates& c, const char* size_line) {
    if (!text.next_content()) text.fail(fmt::format("the file ends before the size line: give {}", size_line));
    c.size_line = text.line();
    const std::uint64_t rows = text.whole("the number of rows");
    const std::uint64_t columns = text.whole("the number of columns");
    if (rows != columns) text.fail(fmt::format("{} rows and {} columns: the matrix must be square", rows, columns));
    if (rows == 0) text.fail("a matrix without rows: give at least one");
    if (rows > std::numeric_limits<std::uint32_t>::max())
        text.fail(fmt::format("{} rows: at most 4294967295 can be indexed", rows));
    c.size = rows;
    return rows;
}

/// An array file: columns one below the other, of a symmetric matrix from the diagonal down, of a skew-symmetric one
/// below it. Its zeros are left out.
Coordinates read_array(NumberText& text, const Banner& banner) {
    Coordinates c;
    const std::uint64_t rows = read_rows(text, c, "ROWS COLUMNS");
    text::end_market_line(text, "the number of columns");
    const std::uint64_t values = banner.array_values(rows);
    if (values > (text.left() + 1) / 2) // "1" and a line end
        text.fail(fmt::format("{} values announced, but the file is too short for them: it is truncated or its size "
                              "line (line {}) is wrong",
                              values, c.size_line));
    for (std::uint64_t column = 0; column < rows; ++column)
        for (std::uint64_t row = banner.first_row(column); row < rows; ++row) {
            if (!text.next_content())
                text.fail(fmt::format("the file ends in column {} of {}: it is truncated or its size line (line {}) is "
                                      "wrong",
                                      column + 1, rows, c.size_line));
            const std::uint64_t line = text.line();
            const double value = text::read_market_value(text, banner, "the value");
            if (row == column && !(value > 0) && !c.bad_diagonal) c.bad_diagonal = {row, line};
            if (value != 0)
                c.entries.push_back({static_cast<std::uint32_t>(row), static_cast<std::uint32_t>(column), value});
        }
    if (text.next_content())
        text.fail(
            fmt::format("text after the last of {} values: correct the size line (line {})", values, c.size_line));
    return c;
}

Coordinates read_entries(NumberText& text, const Banner& banner) {
    Coordinates c;
    const std::uint64_t rows = read_rows(text, c, "ROWS COLUMNS ENTRIES");
    const std::uint64_t entries = text.whole("the number of entries");
    if (entries < (banner.mirrored() != 0 ? (rows + 1) / 2 : rows))
        text.fail(fmt::format("{} entries for {} rows: a matrix with an empty row is singular", entries, rows));
    text::end_market_line(text, "the number of entries");
    // "1 1 1" and a line end: no entry is shorter, so a wrong count is found before memory is taken for it.
    if (entries > (text.left() + 1) / 6)
        text.fail(fmt::format("{} entries announced, but the file is too short for them: it is truncated or its size "
                              "line (line {}) is wrong",
                              entries, c.size_line));
    c.entries.reserve(entries);
    text::OneTriangle triangle(banner);
    for (std::uint64_t k = 0; k < entries; ++k) {
        if (!text.next_content())
            text.fail(fmt::format("the file ends after {} of {} entries: it is truncated or its size line (line {}) is "
                                  "wrong",
                                  k, entries, c.size_line));
        const std::uint64_t row = text.whole("the row index");
        const std::uint64_t column = text.whole("the column index");
        if (row < 1 || row > rows || column < 1 || column > rows)
            text.fail(fmt::format("entry ({}, {}) lies outside 1..{}", row, column, rows));
        const double value = text::read_market_value(text, banner, "the value");
        triangle.see(text, row, column);
        text::end_market_line(text, "the value");
        c.entries.push_back({static_cast<std::uint32_t>(row - 1), static_cast<std::uint32_t>(column - 1), value});
    }
    if (text.next_content())
        text.fail(
            fmt::format("text after the last of {} entries: correct the size line (line {})", entries, c.size_line));
    triangle.check(text.name());
    return c;
}

/// The parts of CompressedRows while they are being made.
struct Rows {
    std::vector<std::uint64_t> row_begin;
    std::vector<std::uint32_t> column;
    std::vector<double> value;
};

/// Compressed rows, columns ascending, duplicates added in file order, zeros off the diagonal left out.
/// `mirror`: what an entry is multiplied by on the other side of the diagonal; 0 where both sides are given.
Rows compress(const Coordinates& c, int mirror) {
    Rows rows;
    rows.row_begin.assign(c.size + 1, 0);
    for (const Entry& e : c.entries) {
        ++rows.row_begin[e.row + 1];
        if (mirror != 0 && e.row != e.column) ++rows.row_begin[e.column + 1];
    }
    for (std::size_t i = 0; i < c.size; ++i) rows.row_begin[i + 1] += rows.row_begin[i];
    rows.column.resize(rows.row_begin.back());
    rows.value.resize(rows.row_begin.back());
    std::vector<std::uint64_t> next(rows.row_begin.begin(), rows.row_begin.end() - 1);
    const auto put = [&](std::uint32_t row, std::uint32_t column, double value) {
        const std::uint64_t k = next[row]++;
        rows.column[k] = column;
        rows.value[k] = value;
    };
    for (const Entry& e : c.entries) {
        put(e.row, e.column, e.value);
        if (mirror != 0 && e.row != e.column) put(e.column, e.row, mirror * e.value);
    }
    std::vector<std::pair<std::uint32_t, double>> scratch;
    std::uint64_t out = 0;
    for (std::size_t i = 0; i < c.size; ++i) {
        const std::uint64_t begin = rows.row_begin[i], end = next[i];
        rows.row_begin[i] = out;
        const auto row_columns = rows.column.begin() + static_cast<std::ptrdiff_t>(begin);
        if (!std::is_sorted(row_columns, row_columns + static_cast<std::ptrdiff_t>(end - begin))) {
            scratch.clear();
            for (std::uint64_t k = begin; k < end; ++k) scratch.emplace_back(rows.column[k], rows.value[k]);
            std::stable_sort(scratch.begin(), scratch.end(),
                             [](const auto& a, const auto& b) { return a.first < b.first; });
            for (std::uint64_t k = begin; k < end; ++k)
                std::tie(rows.column[k], rows.value[k]) = scratch[static_cast<std::size_t>(k - begin)];
        }
        const std::uint64_t row_out = out;
        for (std::uint64_t k = begin; k < end; ++k) {
            if (out > row_out && rows.column[out - 1] == rows.column[k]) {
                rows.value[out - 1] += rows.value[k];
            } else {
                rows.column[out] = rows.column[k];
                rows.value[out] = rows.value[k];
                ++out;
            }
        }
        // Stored zeros say nothing, and their partners may be missing; the diagonal's are kept to be complained about.
        std::uint64_t kept = row_out;
        for (std::uint64_t k = row_out; k < out; ++k) {
            if (rows.value[k] == 0 && rows.column[k] != i) continue;
            rows.column[kept] = rows.column[k];
            rows.value[kept++] = rows.value[k];
        }
        out = kept;
    }
    rows.row_begin[c.size] = out;
    rows.column.resize(out);
    rows.value.resize(out);
    return rows;
}

CompressedRows compressed(const Coordinates& c) {
    Rows rows = compress(c, 0);
    return {std::move(rows.row_begin), std::move(rows.column), std::move(rows.value)};
}

double entry(const CompressedRows& rows, std::size_t i, std::size_t j) {
    const auto begin = rows.column().begin() + static_cast<std::ptrdiff_t>(rows.row_begin()[i]);
    const auto end = rows.column().begin() + static_cast<std::ptrdiff_t>(rows.row_begin()[i + 1]);
    const auto it = std::lower_bound(begin, end, static_cast<std::uint32_t>(j));
    return it != end && *it == j ? rows.value()[static_cast<std::size_t>(it - rows.column().begin())] : 0.0;
}

/// How far a matrix is from a symmetric one.
struct Asymmetry {
    double largest = 0; ///< entry
    double most = 0;    ///< difference of two partners
    std::size_t pairs = 0;
    bool beyond = false; ///< is a pair further apart than rounding explains?
};

Asymmetry measure_asymmetry(const CompressedRows& rows) {
    constexpr double kOfLargest = 16 * std::numeric_limits<double>::epsilon();
    constexpr double kOfOwn = 1e-14; // duplicates that were added in another order
    Asymmetry a;
    for (const double v : rows.value()) a.largest = std::max(a.largest, std::abs(v));
    for (std::uint32_t i = 0; i < rows.rows(); ++i)
        for (std::uint64_t k = rows.row_begin()[i]; k < rows.row_begin()[i + 1]; ++k) {
            const std::uint32_t j = rows.column()[k];
            const double mine = rows.value()[k], partner = entry(rows, j, i);
            const double apart = std::abs(mine - partner);
            if (apart == 0 || (i > j && partner != 0)) continue; // (seen from row j)
            ++a.pairs;
            a.most = std::max(a.most, apart);
            const double own = std::max(std::abs(mine), std::abs(partner));
            a.beyond = a.beyond || (apart > kOfLargest * a.largest && apart > kOfOwn * own);
        }
    return a;
}

/// The mean of the matrix and its transpose, the same to the bit on both sides of the diagonal.
CompressedRows mean_with_transpose(const CompressedRows& rows) {
    Coordinates c;
    c.size = rows.rows();
    for (std::uint32_t i = 0; i < c.size; ++i)
        for (std::uint64_t k = rows.row_begin()[i]; k < rows.row_begin()[i + 1]; ++k) {
            const std::uint32_t j = rows.column()[k];
            if (i == j) {
                c.entries.push_back({i, i, rows.value()[k]});
                continue;
            }
            c.entries.push_back({i, j, 0.5 * rows.value()[k]});
            c.entries.push_back({j, i, 0.5 * rows.value()[k]});
        }
    return compressed(c);
}

} // namespace

namespace {

/// Of a matrix file, by its size line.
std::optional<std::size_t> matrix_limit(std::string_view beginning, std::string_view name) {
    refuse_foreign(beginning, name);
    NumberText text(without_mark(beginning), name);
    const Banner banner = text::read_market_banner(text, name);
    if (!text.next_content() || text.left() < 100) return std::nullopt; // the line may not be all there
    const std::uint64_t rows = text.whole("the number of rows");
    text.whole("the number of columns");
    if (banner.array) return text::longest_market_text(banner.array_values(rows));
    return text::longest_market_text(text.whole("the number of entries"));
}

/// Of a vector file, or one of `columns` at most.
std::size_t vector_limit(std::string_view beginning, std::string_view name, std::size_t size, std::size_t columns) {
    refuse_foreign(beginning, name);
    if (beginning.find('\0') != std::string_view::npos)
        NumberText::fail(name, 1, "binary data: give a text file of numbers");
    return text::longest_market_text(size * columns);
}

/// The size line of an array of `size` rows: its columns. `what` the file is for.
std::size_t array_columns(NumberText& text, const Banner& banner, std::string_view name, std::size_t size,
                          std::size_t most, std::string_view what) {
    if (!banner.array)
        NumberText::fail(name, 1, fmt::format("a coordinate file as {}: write it in array storage", what));
    if (banner.mirrored() != 0) NumberText::fail(name, 1, fmt::format("a symmetric file as {}: name it general", what));
    if (!text.next_content()) text.fail("the file ends before the size line: give ROWS COLUMNS");
    const std::uint64_t rows = text.whole("the number of rows");
    const std::uint64_t columns = text.whole("the number of columns");
    if (rows != size || columns == 0 || columns > most)
        text.fail(fmt::format("a {} of {} x {}: the system needs {} x {}; give a file of that", what, rows, columns,
                              size, most == 1 ? "1" : fmt::format("1 to {}", most)));
    text::end_market_line(text, "the number of columns");
    return columns;
}

/// All numbers of a file of vectors, column by column.
std::vector<double> parse_columns(std::string_view file, std::string_view name, std::size_t size, std::size_t most,
                                  std::string_view what) {
    refuse_foreign(file, name);
    file = without_mark(file);
    NumberText text(file, name);
    const bool named = file.substr(0, 2) == "%%";
    const Banner banner = named ? text::read_market_banner(text, name) : Banner();
    const std::size_t columns = named ? array_columns(text, banner, name, size, most, what) : 1;
    const std::size_t wanted = size * columns;
    std::vector<double> values;
    values.reserve(std::min(wanted, file.size() / 2 + 1));
    while (text.next_content()) {
        if (text.peek() == '#') {
            text.take_line();
            continue;
        }
        if (values.size() == wanted)
            text.fail(columns == 1
                          ? fmt::format("more numbers than the system's {} unknowns: remove them", size)
                          : fmt::format("more numbers than {} columns of {} unknowns: remove them", columns, size));
        values.push_back(text::read_market_value(text, banner, "the number"));
    }
    if (values.size() != wanted)
        text.fail(fmt::format("the file ends after {} numbers: the system needs {}", values.size(), wanted));
    return values;
}

} // namespace

CompressedRows parse_matrix_market(std::string_view file, std::string_view name, std::string* note,
                                   std::string* indefinite) {
    if (indefinite != nullptr) indefinite->clear();
    refuse_foreign(file, name);
    file = without_mark(file);
    NumberText text(file, name);
    const Banner banner = text::read_market_banner(text, name);
    const Coordinates c = banner.array ? read_array(text, banner) : read_entries(text, banner);

    const auto find = [&](std::uint32_t row, std::uint32_t column) -> std::uint64_t {
        for (std::size_t k = 0; k < c.entries.size() && !banner.array; ++k)
            if (c.entries[k].row == row && c.entries[k].column == column) return line_of_entry(file, name, k);
        return c.size_line;
    };
    Rows parts = compress(c, banner.mirrored());
    for (const double value : parts.value)
        if (!std::isfinite(value))
            NumberText::fail(name, c.size_line, "duplicate entries add up beyond double precision: scale the file");
    CompressedRows rows(std::move(parts.row_begin), std::move(parts.column), std::move(parts.value));
    if (!banner.symmetric && asymmetry(rows)) {
        const Asymmetry a = measure_asymmetry(rows);
        if (a.beyond) return rows;
        if (note != nullptr)
            *note = fmt::format("{}: {} pairs of entries across the diagonal differ, by {:.2g} at most, {:.2g} of the "
                                "largest entry: rounding errors; their means are taken",
                                name, a.pairs, a.most, a.most / a.largest);
        rows = mean_with_transpose(rows);
    }
    for (std::size_t i = 0; i < c.size; ++i) {
        const double d = entry(rows, i, i);
        const auto at = static_cast<std::uint32_t>(i);
        if (d > 0) continue;
        const auto begin = rows.value().begin();
        const auto from = static_cast<std::ptrdiff_t>(rows.row_begin()[i]),
                   to = static_cast<std::ptrdiff_t>(rows.row_begin()[i + 1]);
        const bool empty = std::all_of(begin + from, begin + to, [](double v) { return v == 0; });
        if (indefinite != nullptr && !empty && !indefinite->empty()) continue; // (the first one is named)
        const std::string fault = diagonal_fault(name, c.bad_diagonal ? c.bad_diagonal->second : find(at, at), i, d);
        if (indefinite == nullptr || empty) throw InvalidInput(fault);
        *indefinite = fault;
    }
    return rows;
}

CompressedRows read_matrix_market(const std::string& path, std::string* note, std::string* indefinite) {
    const auto limit = [&](std::string_view beginning) { return matrix_limit(beginning, path); };
    return parse_matrix_market(text::read_packed_file(path, limit).view(), path, note, indefinite);
}

std::vector<double> parse_vector(std::string_view file, std::string_view name, std::size_t size,
                                 std::string_view what) {
    return parse_columns(file, name, size, 1, what);
}

std::vector<double> read_vector(const std::string& path, std::size_t size, std::string_view what) {
    const auto limit = [&](std::string_view beginning) {
        return std::optional(vector_limit(beginning, path, size, 1));
    };
    return parse_vector(text::read_packed_file(path, limit).view(), path, size, what);
}

std::vector<double> read_columns_together(const std::string& path, std::size_t size, std::size_t most,
                                          std::string_view what) {
    const auto limit = [&](std::string_view beginning) {
        return std::optional(vector_limit(beginning, path, size, most));
    };
    return parse_columns(text::read_packed_file(path, limit).view(), path, size, most, what);
}

std::vector<std::vector<double>> read_columns(const std::string& path, std::size_t size) {
    const std::vector<double> all = read_columns_together(path, size, kMostColumns);
    std::vector<std::vector<double>> columns;
    for (std::size_t first = 0; first < all.size(); first += size)
        columns.emplace_back(all.begin() + static_cast<std::ptrdiff_t>(first),
                             all.begin() + static_cast<std::ptrdiff_t>(first + size));
    return columns;
}

} // namespace mantissa
