// The first line of a MatrixMarket file. Internal to host/.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "text/number_text.hpp"

namespace mantissa::text {

struct MarketBanner {
    bool array = false, integer = false, symmetric = false;
};

/// %%MatrixMarket matrix coordinate|array real|integer symmetric|general. Throws InvalidInput for anything else.
MarketBanner read_market_banner(NumberText& text, std::string_view name);

/// A symmetric file holds the entries on one side of the diagonal: those on both sides would count twice. Sees all
/// entries (from 1) of one, then refuses it, or not.
class OneTriangle {
public:
    void see(std::uint64_t row, std::uint64_t column, std::uint64_t line) {
        below_ = below_ || row > column;
        if (row < column && line_ == 0) {
            row_ = row;
            column_ = column;
            line_ = line;
        }
    }
    void check(std::string_view name) const;

private:
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
void end_market_line(NumberText& text, const char* behind);

} // namespace mantissa::text
