// Words of fixed-point formats: rounding onto a grid, the word that stays, and whether it overflowed. The definition
// for every engine; Fixed<F> in fixed.hpp is a number over it.
#pragma once

#include <bit>
#include <cstdint>

#include "mantissa/format.hpp"

namespace mantissa::fixed {

using Word = std::int64_t;
__extension__ using Wide = __int128;
__extension__ using UnsignedWide = unsigned __int128;

/// What an operation leaves in a format's word.
struct Rounded {
    Word word = 0;
    bool overflow = false;
    friend constexpr bool operator==(const Rounded&, const Rounded&) = default;
};

/// x 2^-shift as an integer, rounded half up (floor(x 2^-shift + 1/2)) or down (floor(x 2^-shift)), for any x. A shift
/// below zero moves left, exactly: then |x| 2^-shift must stay below 2^127 (fit_shifted() has no such limit).
constexpr Wide shift_round(Wide x, int shift, Rounding rounding) {
    if (shift <= -128) return 0; // of 0, as said above
    if (shift <= 0) return static_cast<Wide>(static_cast<UnsignedWide>(x) << -shift);
    if (shift >= 128) return rounding == Rounding::down && x < 0 ? -1 : 0; // x 2^-shift is in [-1/2, 1/2)
    const Wide below = x >> shift;
    // Half a unit more carries just where the first bit that is cut off is set; nothing can overflow this way.
    return rounding == Rounding::nearest_up ? below + ((x >> (shift - 1)) & 1) : below;
}

/// The word of `units` (of 2^-F each) in a fixed format: its low W bits, which is another number where it overflows.
constexpr Rounded fit(const Format& f, Wide units) {
    const int above = 64 - f.word_bits;
    const auto low = static_cast<std::uint64_t>(units) << above;
    const Word word = static_cast<Word>(low) >> above;
    return {word, Wide{word} != units};
}

/// The word of x 2^-shift, rounded, plus `more`: the exact sum, rounded once, since rounding to a grid lets its
/// multiples pass. For any x and shift; |more| < 2^127.
constexpr Rounded fit_shifted(const Format& f, Wide x, int shift, Wide more = 0) {
    if (shift >= 0) {
        const Wide units = shift_round(x, shift, f.rounding);
        Wide sum = 0;
        const bool lost = __builtin_add_overflow(units, more, &sum);
        const Rounded rounded = fit(f, sum);
        return {rounded.word, rounded.overflow || lost};
    }
    // Words have 64 bits at most, so what a left shift loses of 128 is beyond them, whatever is added.
    const int left = shift > -128 ? -shift : 128;
    const auto moved = left < 128 ? static_cast<UnsignedWide>(x) << left : UnsignedWide{0};
    const bool whole = left < 128 ? (static_cast<Wide>(moved) >> left) == x : x == 0;
    Wide sum = 0;
    const bool lost = __builtin_add_overflow(static_cast<Wide>(moved), more, &sum);
    const Rounded rounded = fit(f, sum);
    return {rounded.word, rounded.overflow || !whole || lost};
}

/// The largest and the smallest word.
[[nodiscard]] constexpr Word max_word(const Format& f) {
    return static_cast<Word>(~std::uint64_t{0} >> (65 - f.word_bits));
}
[[nodiscard]] constexpr Word min_word(const Format& f) {
    return -max_word(f) - 1;
}

/// `value` rounded once into a fixed format. Beyond its words it overflows to the largest or the smallest one; NaN
/// overflows to the word 0.
constexpr Rounded from_double(const Format& f, double value) {
    const auto bits = std::bit_cast<std::uint64_t>(value);
    const bool negative = (bits >> 63) != 0;
    const int field = static_cast<int>((bits >> 52) & 0x7FF);
    const std::uint64_t fraction = bits & ((std::uint64_t{1} << 52) - 1);
    if (field == 0x7FF) return fraction != 0 ? Rounded{0, true} : Rounded{negative ? min_word(f) : max_word(f), true};
    const Wide significand = static_cast<Wide>(field == 0 ? fraction : fraction | (std::uint64_t{1} << 52));
    if (significand == 0) return {};
    const int left = (field == 0 ? 1 : field) - 1075 + f.fraction_bits; // value 2^F = significand 2^left
    if (left > 64) return {negative ? min_word(f) : max_word(f), true};
    const Wide units = shift_round(negative ? -significand : significand, -left, f.rounding);
    if (units > max_word(f)) return {max_word(f), true};
    if (units < min_word(f)) return {min_word(f), true};
    return {static_cast<Word>(units), false};
}

/// The value of a word: exact for W <= 53, else rounded to nearest even.
[[nodiscard]] constexpr double to_double(const Format& f, Word word) {
    return static_cast<double>(word) * Format::power_of_two(-f.fraction_bits);
}

/// Bits that a word takes: the shortest two's complement word that holds it, 1 for 0 and -1.
[[nodiscard]] constexpr int bits_of(Word word) {
    return 1 + static_cast<int>(std::bit_width(static_cast<std::uint64_t>(word < 0 ? ~word : word)));
}

} // namespace mantissa::fixed
