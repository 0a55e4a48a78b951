#include "matrix_file.hpp"

#include <cmath>
#include <cstdint>
#include <optional>

#include <fmt/format.h>

#include "text/market_banner.hpp"
#include "text/number_text.hpp"
#include "text/packed_file.hpp"

namespace mantissa::dense {

namespace {

using text::NumberText;

struct Heading {
    text::MarketBanner banner;
    std::uint64_t rows = 0, numbers = 0; ///< numbers: values or entries that follow
    std::uint64_t size_line = 0;
};

Heading read_heading(NumberText& text, std::string_view name, std::size_t most) {
    Heading h;
    h.banner = text::read_market_banner(text, name);
    if (!text.next_content()) text.fail("the file ends before the size line: give ROWS COLUMNS");
    h.size_line = text.line();
    h.rows = text.whole("the number of rows");
    const std::uint64_t columns = text.whole("the number of columns");
    if (h.rows != columns) text.fail(fmt::format("{} rows and {} columns: the matrix must be square", h.rows, columns));
    if (h.rows == 0) text.fail("0 rows: there is nothing to solve");
    if (h.rows > most) text.fail(fmt::format("{} rows; a dense matrix has {} at most here", h.rows, most));
    if (!h.banner.array) h.numbers = text.whole("the number of entries");
    else h.numbers = h.banner.array_values(h.rows);
    text::end_market_line(text, "the size");
    return h;
}

void read_array(NumberText& text, const Heading& h, DenseMatrix& a) {
    for (std::size_t j = 0; j < h.rows; ++j)
        for (std::size_t i = h.banner.first_row(j); i < h.rows; ++i) {
            if (!text.next_content())
                text.fail(fmt::format("the file ends in column {} of {}: it is truncated or its size line (line {}) is "
                                      "wrong",
                                      j + 1, h.rows, h.size_line));
            a(i, j) = text::read_market_value(text, h.banner, "the value");
            if (h.banner.mirrored() != 0) a(j, i) = h.banner.mirrored() * a(i, j);
        }
}

void read_coordinates(NumberText& text, std::string_view name, const Heading& h, DenseMatrix& a) {
    text::OneTriangle triangle(h.banner);
    for (std::uint64_t k = 0; k < h.numbers; ++k) {
        if (!text.next_content())
            text.fail(fmt::format("the file ends after {} of {} entries: it is truncated or its size line (line {}) is "
                                  "wrong",
                                  k, h.numbers, h.size_line));
        const std::uint64_t row = text.whole("the row index");
        const std::uint64_t column = text.whole("the column index");
        if (row < 1 || row > h.rows || column < 1 || column > h.rows)
            text.fail(fmt::format("entry ({}, {}) lies outside 1..{}", row, column, h.rows));
        const double value = text::read_market_value(text, h.banner, "the value");
        double& element = a(row - 1, column - 1);
        element += value;
        if (!std::isfinite(element)) text.fail("entries given twice add up beyond double precision: scale the file");
        triangle.see(text, row, column);
        if (h.banner.mirrored() != 0) a(column - 1, row - 1) = h.banner.mirrored() * element;
        text::end_market_line(text, "the value");
    }
    triangle.check(name);
}

} // namespace

DenseMatrix parse_dense_matrix(std::string_view file, std::string_view name, std::size_t most) {
    text::refuse_foreign(file, name);
    NumberText text(text::without_mark(file), name);
    const Heading h = read_heading(text, name, most);
    // No number is shorter than a digit and a line end, so a wrong size is found before memory is taken for it.
    if (h.numbers > (text.left() + 1) / 2)
        text.fail(fmt::format("{} numbers announced, but the file is too short for them: it is truncated or its size "
                              "line (line {}) is wrong",
                              h.numbers, h.size_line));
    DenseMatrix a(h.rows);
    if (h.banner.array) read_array(text, h, a);
    else read_coordinates(text, name, h, a);
    if (text.next_content())
        text.fail(
            fmt::format("text after the last of {} numbers: correct the size line (line {})", h.numbers, h.size_line));
    return a;
}

namespace {

/// How long the file's text may be, by its size line.
std::optional<std::size_t> longest_text(std::string_view beginning, const std::string& path, std::size_t most) {
    text::refuse_foreign(beginning, path);
    NumberText text(text::without_mark(beginning), path);
    (void)text::read_market_banner(text, path);
    if (!text.next_content() || text.left() < 100) return std::nullopt; // the line may not be all there
    NumberText again(text::without_mark(beginning), path);
    return text::longest_market_text(read_heading(again, path, most).numbers);
}

base::FileText read_text(const std::string& path, std::size_t most) {
    return text::read_packed_file(path,
                                  [&](std::string_view beginning) { return longest_text(beginning, path, most); });
}

} // namespace

DenseMatrix read_dense_matrix(const std::string& path, std::size_t most) {
    return parse_dense_matrix(read_text(path, most).view(), path, most);
}

std::size_t read_dense_rows(const std::string& path, std::size_t most) {
    const base::FileText file = read_text(path, most);
    text::refuse_foreign(file.view(), path);
    NumberText text(text::without_mark(file.view()), path);
    return read_heading(text, path, most).rows;
}

} // namespace mantissa::dense
