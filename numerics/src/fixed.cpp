#include "mantissa/fixed.hpp"

#include <array>
#include <string>

#include <fmt/format.h>

#include "mantissa/fixed_charconv.hpp"

namespace mantissa::detail {

namespace {

std::string shown(const Format& f, fixed::Word word) {
    std::array<char, kMaxCharacters> text{};
    return {text.data(), to_chars(text.data(), text.data() + text.size(), f, word).ptr};
}

std::string range(const Format& f) {
    return fmt::format("its words hold {} to {}", shown(f, fixed::min_word(f)), shown(f, fixed::max_word(f)));
}

} // namespace

void throw_fixed_overflow(const Format& f, std::string_view operation, fixed::Word a, fixed::Word b, fixed::Word c) {
    std::string text = fmt::format("{} {} {}", shown(f, a), operation, shown(f, b));
    if (operation == "negate") text = fmt::format("-({})", shown(f, a));
    if (operation == "ldexp") text = fmt::format("ldexp({}, {})", shown(f, a), b);
    if (operation == "fma") text = fmt::format("fma({}, {}, {})", shown(f, a), shown(f, b), shown(f, c));
    const bool by_zero = operation == "/" && b == 0;
    throw FixedOverflow(
        fmt::format("{}: {} {}; {}", to_string(f), text, by_zero ? "divides by zero" : "overflows", range(f)));
}

void throw_fixed_conversion(const Format& f, double value) {
    throw FixedOverflow(fmt::format("{}: a conversion of {} overflows; {}", to_string(f), value, range(f)));
}

void throw_fixed_to_integer(const Format& f, fixed::Word word, int bits, bool is_signed) {
    throw FixedOverflow(fmt::format("{}: {} does not fit {} integer of {} bits", to_string(f), shown(f, word),
                                    is_signed ? "a signed" : "an unsigned", bits));
}

} // namespace mantissa::detail
