// The arithmetic of fixed-point words, executable: every operation is the exact result of its operands, rounded once
// onto the format's grid by its rounding, and whether that result fits the format's words. Integers only, constexpr,
// for every fixed format. The definition that Fixed<F> (fixed.hpp) and FixedUnit (fixed_kernels.hpp) keep to the bit.
//
// Operands are words of `f`. Where a result does not fit, its low W bits are the word (of a quotient by zero: the word
// 0) and `overflow` says so; nobody but the caller of these functions decides what becomes of it.
#pragma once

#include <compare>
#include <cstdint>

#include "mantissa/exact.hpp"
#include "mantissa/fixed_words.hpp"

namespace mantissa::fixed {

/// A factor significand * 2^exponent, as a multiplier and a shift take it: alpha and beta of a solver's vector updates.
struct Scalar {
    std::int64_t significand = 0;
    int exponent = 0;

    /// A finite double, exactly; its significand is odd, or 0. Of an infinity and NaN: nothing that has a meaning.
    static constexpr Scalar of(double value) {
        const exact::detail::Operand o = exact::detail::unpack(value);
        if (o.kind != exact::detail::Kind::finite) return {};
        const int zeros = std::countr_zero(o.significand); // 11 at least: bit 63 is worth 2^exponent
        const auto odd = static_cast<std::int64_t>(o.significand >> zeros);
        return {o.negative ? -odd : odd, o.exponent - 63 + zeros};
    }
    friend constexpr bool operator==(const Scalar&, const Scalar&) = default;
};

constexpr Rounded add(const Format& f, Word a, Word b) {
    return fit(f, Wide{a} + b);
}
constexpr Rounded sub(const Format& f, Word a, Word b) {
    return fit(f, Wide{a} - b);
}
/// -a, which overflows for the smallest word.
constexpr Rounded negate(const Format& f, Word a) {
    return fit(f, -Wide{a});
}
constexpr Rounded mul(const Format& f, Word a, Word b) {
    return fit_shifted(f, Wide{a} * b, f.fraction_bits);
}
/// a * b + c rounded once.
constexpr Rounded fma(const Format& f, Word a, Word b, Word c) {
    return fit_shifted(f, Wide{a} * b, f.fraction_bits, c);
}
/// a 2^exponent.
constexpr Rounded ldexp(const Format& f, Word a, int exponent) {
    return fit_shifted(f, a, exponent < -1000 ? 1000 : exponent > 1000 ? -1000 : -exponent);
}

namespace detail {
constexpr UnsignedWide magnitude(Wide x) {
    return x < 0 ? UnsignedWide{0} - static_cast<UnsignedWide>(x) : static_cast<UnsignedWide>(x);
}

/// A quotient of magnitudes: its integer part modulo 2^128, the rest's place against half of the divisor, and whether
/// the integer part is 2^127 or more.
struct Quotient {
    UnsignedWide whole = 0;
    bool exact = true;
    std::strong_ordering rest_to_half = std::strong_ordering::less;
    bool beyond = false;
};

/// a 2^scale / b; a and b below 2^64, b not zero, -64 <= scale <= 126.
constexpr Quotient quotient(std::uint64_t a, std::uint64_t b, int scale) {
    Quotient q;
    UnsignedWide divisor = b, rest = 0;
    if (scale < 0) {
        divisor <<= -scale;
        q.whole = a / divisor;
        rest = a % divisor;
    } else {
        q.whole = a / b;
        rest = a % b;
        for (int left = scale; left > 0; left -= 64) { // 64 more bits of the quotient at a time
            const int bits = left < 64 ? left : 64;
            const UnsignedWide more = rest << bits;
            q.beyond |= q.whole >> (127 - bits) != 0;
            q.whole = (q.whole << bits) + more / b;
            rest = more % b;
        }
    }
    q.exact = rest == 0;
    q.rest_to_half = rest <=> divisor - rest; // 2 rest against the divisor
    return q;
}
} // namespace detail

/// a / b. Division by zero overflows.
constexpr Rounded div(const Format& f, Word a, Word b) {
    if (b == 0) return {0, true};
    const auto size = [](Word x) { return static_cast<std::uint64_t>(detail::magnitude(x)); };
    const detail::Quotient q = detail::quotient(size(a), size(b), f.fraction_bits);
    const bool negative = (a < 0) != (b < 0);
    bool away = negative && !q.exact; // down
    if (f.rounding == Rounding::nearest_up) away = negative ? std::is_gt(q.rest_to_half) : std::is_gteq(q.rest_to_half);
    const UnsignedWide units = q.whole + (away ? 1U : 0U);
    const Rounded rounded = fit(f, static_cast<Wide>(negative ? UnsignedWide{0} - units : units));
    return {rounded.word, rounded.overflow || q.beyond};
}

/// The shift to the right that brings s times a word of `from` onto f's grid. Beyond 1000 either way nothing is left of
/// a word but its sign.
constexpr int shift_of(const Format& f, const Scalar& s, const Format& from) {
    const int exponent = s.exponent < -1000 ? -1000 : s.exponent > 1000 ? 1000 : s.exponent;
    return from.fraction_bits - f.fraction_bits - exponent;
}
/// s * a, a word of `from`, rounded once onto f's grid.
constexpr Rounded scale(const Format& f, const Scalar& s, const Format& from, Word a) {
    return fit_shifted(f, Wide{s.significand} * a, shift_of(f, s, from));
}
/// b + (s * a): the product, of a word of `from`, is rounded onto f's grid; that it fits a word is not asked, but that
/// the sum does.
constexpr Rounded add_scaled(const Format& f, Word b, const Scalar& s, const Format& from, Word a) {
    return fit_shifted(f, Wide{s.significand} * a, shift_of(f, s, from), b);
}
/// b - (s * a), as add_scaled(). Half up is not symmetric: it is not b + (-s * a).
constexpr Rounded sub_scaled(const Format& f, Word b, const Scalar& s, const Format& from, Word a) {
    const int shift = shift_of(f, s, from);
    const Wide product = Wide{s.significand} * a;
    if (shift <= 0) return fit_shifted(f, -product, shift, b);
    return fit(f, b - shift_round(product, shift, f.rounding));
}

/// A word of `from` rounded into f.
constexpr Rounded convert(const Format& f, const Format& from, Word word) {
    return fit_shifted(f, word, from.fraction_bits - f.fraction_bits);
}
/// An integer rounded into f (it loses bits where F is below zero).
constexpr Rounded from_integer(const Format& f, Wide value) {
    return fit_shifted(f, value, -f.fraction_bits);
}
/// The value of a word rounded once into a floating format.
constexpr double to_floating(const Format& floating, const Format& f, Word word) {
    return exact::from_integer(floating, detail::magnitude(word), word < 0, -f.fraction_bits);
}

/// Values, exactly, whatever the two grids.
constexpr std::strong_ordering compare(const Format& f, Word a, const Format& g, Word b) {
    const int left = f.fraction_bits - g.fraction_bits; // b's word stands 2^left times as far
    if (left >= 64) return b != 0 ? Word{0} <=> b : a <=> Word{0};
    if (left <= -64) return a != 0 ? a <=> Word{0} : Word{0} <=> b;
    if (left >= 0) return Wide{a} <=> Wide{b} * (Wide{1} << left);
    return Wide{a} * (Wide{1} << -left) <=> Wide{b};
}
constexpr std::partial_ordering compare(const Format& f, Word a, double b) {
    const exact::detail::Operand o = exact::detail::unpack(b);
    if (o.kind == exact::detail::Kind::nan) return std::partial_ordering::unordered;
    if (o.kind == exact::detail::Kind::zero) return a <=> Word{0};
    const int right = 63 - o.exponent - f.fraction_bits; // |b| = significand 2^-right units, 2^(63-right) at least
    if (o.kind == exact::detail::Kind::infinite || right < 0)
        return o.negative ? std::partial_ordering::greater : std::partial_ordering::less;
    const Wide size = static_cast<Wide>(o.significand), units = o.negative ? -size : size;
    const Wide below = shift_round(units, right, Rounding::down);
    if (Wide{a} != below) return Wide{a} <=> below;
    const bool equal = right < 128 && static_cast<Wide>(static_cast<UnsignedWide>(below) << right) == units;
    return equal ? std::partial_ordering::equivalent : std::partial_ordering::less;
}

} // namespace mantissa::fixed
