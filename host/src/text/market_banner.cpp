#include "text/market_banner.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <string>

#include <fmt/format.h>

#include "text/packed_file.hpp"

namespace mantissa::text {

namespace {

/// What is wrong with the words of a first line; empty when nothing is.
std::string banner_fault(const std::array<std::string, 5>& word, std::size_t count) {
    if (word[0] != "%%matrixmarket") return "no MatrixMarket file: the first line must begin with %%MatrixMarket";
    if (count != word.size() || word[1] != "matrix")
        return "the first line must read %%MatrixMarket matrix coordinate real symmetric (or general)";
    if (word[2] != "coordinate" && word[2] != "array")
        return "the storage named on the first line must be coordinate or array";
    if (word[3] == "pattern") return "a pattern file holds no values: write it with real values";
    if (word[3] == "complex") return "complex values, and systems here are real: write it with real or integer values";
    if (word[3] != "real" && word[3] != "integer" && word[3] != "double")
        return "the field named on the first line must be real or integer";
    if (word[4] == "hermitian") return "a hermitian file: name a real matrix symmetric, which is the same";
    if (word[4] != "symmetric" && word[4] != "general" && word[4] != "skew-symmetric")
        return "the symmetry named on the first line must be symmetric, skew-symmetric or general";
    return {};
}

} // namespace

std::string_view without_mark(std::string_view text) {
    constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
    if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
    return text;
}

void refuse_foreign(std::string_view text, std::string_view name) {
    if (const std::string kind = foreign_kind(text); !kind.empty()) NumberText::fail(name, 1, kind);
}

MarketBanner read_market_banner(NumberText& text, std::string_view name) {
    std::string line(text.take_line().substr(0, 200));
    for (char& c : line) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    std::array<std::string, 5> word;
    std::size_t count = 0;
    for (std::size_t at = line.find_first_not_of(" \t"); at < line.size(); at = line.find_first_not_of(" \t", at)) {
        const std::size_t end = std::min(line.find_first_of(" \t", at), line.size());
        if (count < word.size()) word[count] = line.substr(at, end - at);
        ++count;
        at = end;
    }
    const std::string fault = banner_fault(word, count);
    if (!fault.empty()) NumberText::fail(name, 1, fault);
    return {word[2] == "array", word[3] == "integer", word[4] == "symmetric", word[4] == "skew-symmetric"};
}

double read_market_value(NumberText& text, const MarketBanner& banner, const char* what) {
    const double value = text.real(what);
    if (banner.integer && value != std::trunc(value))
        text.fail("a fraction in an integer file: name the field real on line 1");
    return value;
}

void OneTriangle::check(std::string_view name) const {
    if (below_ && line_ != 0)
        NumberText::fail(name, line_,
                         fmt::format("entry ({}, {}) lies above the diagonal of a {} file that has others below it: "
                                     "store one triangle, or name the file general on line 1",
                                     row_, column_, banner_.skew ? "skew-symmetric" : "symmetric"));
}

void OneTriangle::refuse_diagonal(const NumberText& text, std::uint64_t row) {
    text.fail(fmt::format("entry ({}, {}) lies on the diagonal of a skew-symmetric file, which is zero: remove it, or "
                          "name the file general on line 1",
                          row, row));
}

std::uint64_t MarketBanner::array_values(std::uint64_t rows) const {
    if (rows > UINT32_MAX) return UINT64_MAX;
    if (skew) return rows == 0 ? 0 : rows * (rows - 1) / 2;
    return symmetric ? rows * (rows + 1) / 2 : rows * rows;
}

std::size_t longest_market_text(std::uint64_t numbers) {
    constexpr std::uint64_t kMargin = std::uint64_t{1} << 20, kEach = 256;
    return numbers < SIZE_MAX / kEach - kMargin ? static_cast<std::size_t>(kMargin + numbers * kEach) : SIZE_MAX;
}

void end_market_line(NumberText& text, const char* after) {
    text.skip_blanks();
    if (!text.at_line_end()) text.fail(fmt::format("'{}' after {}: remove it", text.word(), after));
    text.next_line();
}

} // namespace mantissa::text
