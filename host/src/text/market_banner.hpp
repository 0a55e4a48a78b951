// The first line of a MatrixMarket file. Internal to host/.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "text/number_text.hpp"

namespace mantissa::text {

struct MarketBanner {
    bool array = false, integer = false, symmetric = false, skew = false;

    /// What an entry is multiplied by on the other side of the diagonal; 0 where both sides are stored.
    [[nodiscard]] int mirrored() const { return skew ? -1 : symmetric ? 1 : 0; }
    /// The first row that an array file stores of a column, from 0.
    [[nodiscard]] std::uint64_t first_row(std::uint64_t column) const {
        return mirrored() == 0 ? 0 : column + (skew ? 1 : 0);
    }
    /// The number of values in an array file; as many as can be where the size line asks for more.
    [[nodiscard]] std::uint64_t array_values(std::uint64_t rows) const;
};

/// %%MatrixMarket matrix coordinate|array real|integer symmetric|skew-symmetric|general. Throws InvalidInput for
/// anything else.
MarketBanner read_market_banner(NumberText& text, std::string_view name);

/// The next number of the file, called `what` in an error: a whole one where the first line names integers.
double read_market_value(NumberText& text, const MarketBanner& banner, const char* what);

/// A symmetric file holds the entries on one side of the diagonal: those on both sides would count twice. A
/// skew-symmetric one has none on the diagonal. Sees all entries (from 1) of a file, then refuses it, or not.
class OneTriangle {
public:
    explicit OneTriangle(const MarketBanner& banner) : banner_(banner) {}
    void see(const NumberText& text, std::uint64_t row, std::uint64_t column) {
        if (banner_.mirrored() == 0) return;
        const std::uint64_t line = text.line();
        if (banner_.skew && row == column) refuse_diagonal(text, row);
        below_ = below_ || row > column;
        if (row < column && line_ == 0) {
            row_ = row;
            column_ = column;
            line_ = line;
        }
    }
    void check(std::string_view name) const;

private:
    [[noreturn]] static void refuse_diagonal(const NumberText& text, std::uint64_t row);

    MarketBanner banner_;
    std::uint64_t row_ = 0, column_ = 0, line_ = 0; ///< of the first above the diagonal
    bool below_ = false;
};

/// A byte-order mark says that the text is UTF-8, which it is anyway.
std::string_view without_mark(std::string_view text);

/// Throws InvalidInput for a text that begins as a file of another kind.
void refuse_foreign(std::string_view text, std::string_view name);

/// The longest text that a sensible file with so many numbers has: 256 characters for each, and a mebibyte.
std::size_t longest_market_text(std::uint64_t numbers);

/// The end of a line, or InvalidInput naming what stands in front of the surplus.
void end_market_line(NumberText& text, const char* after);

} // namespace mantissa::text
