// Fixed-point words in integers: what alpha and beta are for a whole pass, products with them, the word that stays, and
// exact sums on their way into the scalar format. All of it runs on the host as well, where the tests compare it with
// fixed_arithmetic.hpp.
#pragma once

#include <bit>
#include <cstdint>

#include "engine/engine_arithmetic.cuh"
#include "mantissa/fixed_words.hpp"

namespace mantissa::gpu {

using fixed::UnsignedWide;
using fixed::Wide;

/// What the kernels know of a fixed format.
struct WordFormat {
    int bits = 0; ///< W; 0 of a floating format
    int point = 0;
    bool down = false;

    WordFormat() = default;
    explicit WordFormat(const Format& f)
        : bits(f.word_bits), point(f.is_fixed() ? f.fraction_bits : 0), down(f.rounding == Rounding::down) {}
};

/// alpha or beta: significand 2^exponent, of at most 53 bits.
struct WordScalar {
    long long significand = 0;
    int exponent = 0;

    WordScalar() = default;
    /// A value of a format with `fraction` bits; infinities and NaN, which mean nothing, become zero.
    MANTISSA_BOTH WordScalar(double value, int fraction) {
        const auto bits = std::bit_cast<std::uint64_t>(value);
        const int field = static_cast<int>((bits >> 52) & 0x7FF);
        std::uint64_t magnitude = bits & ((std::uint64_t{1} << 52) - 1);
        if (field == 0x7FF || (field == 0 && magnitude == 0)) return;
        exponent = field == 0 ? -1074 : field - 1023 - fraction;
        if (field != 0) magnitude = (magnitude | std::uint64_t{1} << 52) >> (52 - fraction);
        significand = (bits >> 63) != 0 ? -static_cast<long long>(magnitude) : static_cast<long long>(magnitude);
    }
    /// The shift to the right that brings a product with a word of point `from` onto the point `to`.
    MANTISSA_BOTH int shift(int from, int to) const { return from - to - exponent; }
};

MANTISSA_BOTH int bits_of_magnitude(long long x) {
    const auto magnitude = static_cast<std::uint64_t>(x < 0 ? -x : x);
    return 64 - exact::detail::leading_zeros(magnitude | 1) - (magnitude == 0 ? 1 : 0);
}

/// A scalar in front of words of one vector for a whole pass, where short integers do:
/// rnd(scalar * word) = (significand * word + half) >> shift.
struct WordScale {
    int significand = 0, shift = 0;
    long long half = 0;

    /// False where 32-bit significands are too short, or where |rnd(scalar * word)| may pass 2^(most-1) for a word of
    /// `bits` bits; `leaves` becomes the exponent that it does not pass.
    MANTISSA_BOTH bool set(const WordScalar& s, int right, int bits, bool down, int most, int& leaves) {
        leaves = 0;
        significand = shift = 0;
        half = 0;
        if (s.significand == 0) return true;
        int length = bits_of_magnitude(s.significand);
        if (length > 31) return false;
        const int left = right < 0 ? -right : 0;
        length += left;
        if (left > 30 || length > 31) return false;
        shift = right < 0 ? 0 : right;
        leaves = length + bits - 1 - shift;
        if (leaves >= most) return false; // (rounding may add one)
        if (shift > 62 && !down) {
            shift = 0;
            return true; // of less than half a unit nothing is left
        }
        significand = static_cast<int>(s.significand * (1ll << left));
        if (shift > 62) shift = 62; // all that is left is the sign
        if (shift > 0 && !down) half = 1ll << (shift - 1);
        return true;
    }
    [[nodiscard]] MANTISSA_BOTH long long times(int word) const {
        return (static_cast<long long>(significand) * word + half) >> shift;
    }
};

/// rnd(scalar * word), whatever the two: `lost` where 127 bits do not hold it. Its low bits, all that a word keeps, are
/// right all the same.
MANTISSA_CALLED Wide scaled_word(const WordScalar& s, long long word, int shift, bool down, bool& lost) {
    const Wide product = Wide{s.significand} * word;
    if (shift >= 0) return fixed::shift_round(product, shift, down ? Rounding::down : Rounding::nearest_up);
    if (product == 0) return 0;
    if (shift <= -127) {
        lost = true;
        return 0;
    }
    const Wide moved = static_cast<Wide>(static_cast<UnsignedWide>(product) << -shift);
    if (moved >> -shift != product) lost = true;
    return moved;
}

/// The low `bits` bits of x as a number; short_word() for fewer than 32.
MANTISSA_BOTH int short_word(int x, int bits) {
#ifdef __CUDA_ARCH__
    int word;
    asm("szext.wrap.s32 %0, %1, %2;" : "=r"(word) : "r"(x), "r"(bits));
    return word;
#else
    const int above = 32 - bits;
    return static_cast<int>(static_cast<unsigned>(x) << above) >> above;
#endif
}
MANTISSA_BOTH int cut_word(int x, int bits) {
#ifdef __CUDA_ARCH__
    return bits == 32 ? x : short_word(x, bits);
#else
    const int above = 32 - bits;
    return static_cast<int>(static_cast<unsigned>(x) << above) >> above;
#endif
}
MANTISSA_BOTH long long cut_word(long long x, int bits) {
    const int above = 64 - bits;
    return static_cast<long long>(static_cast<unsigned long long>(x) << above) >> above;
}

MANTISSA_BOTH long long short_word(long long x, int bits) {
    return cut_word(x, bits);
}

/// Bits that differ from their neighbour below (a zero, for the lowest): the OR of them has as many bits as the longest
/// word of a vector, more than the format where one overflowed. |x| below a quarter of the integer's range.
MANTISSA_BOTH unsigned sign_apart(int x) {
    return static_cast<unsigned>(x) ^ (static_cast<unsigned>(x) << 1);
}
MANTISSA_BOTH unsigned long long sign_apart(long long x) {
    return static_cast<unsigned long long>(x) ^ (static_cast<unsigned long long>(x) << 1);
}

/// units 2^-point rounded once into f.
MANTISSA_BOTH double total_into(const DoubleUnit& f, Wide units, int point) {
    const bool negative = units < 0;
    const UnsignedWide magnitude =
        negative ? UnsignedWide{0} - static_cast<UnsignedWide>(units) : static_cast<UnsignedWide>(units);
    if (magnitude == 0) return 0.0;
    if (f.way != DoubleUnit::Way::truncate) {
        // Up to 53 bits are a double as they are.
        if (magnitude >> 53 == 0) {
            const double exact = static_cast<double>(static_cast<std::uint64_t>(magnitude));
            return f.convert((negative ? -exact : exact) * Format::power_of_two(-point));
        }
        return exact::from_integer(f.format, magnitude, negative, -point);
    }
    // Truncation composes: toward zero into 53 bits, then into the format.
    const int zeros = exact::detail::leading_zeros(magnitude);
    const auto top = static_cast<std::uint64_t>((magnitude << zeros) >> 64);
    const int exponent = 127 - zeros - point;
    const std::uint64_t bits = (std::uint64_t{negative} << 63) | (static_cast<std::uint64_t>(exponent + 1023) << 52) |
                               ((top >> 11) & ((std::uint64_t{1} << 52) - 1));
    return f.cut(std::bit_cast<double>(bits));
}

} // namespace mantissa::gpu
