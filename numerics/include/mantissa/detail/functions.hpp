// What Float<F>'s mathematical functions are made of: on doubles that hold a format's values, in integers, constexpr.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "mantissa/exact.hpp"

namespace mantissa::detail {

inline constexpr std::uint64_t kDoubleSign = std::uint64_t{1} << 63;

constexpr double with_sign_of(double magnitude, double sign) {
    return std::bit_cast<double>((std::bit_cast<std::uint64_t>(magnitude) & ~kDoubleSign) |
                                 (std::bit_cast<std::uint64_t>(sign) & kDoubleSign));
}

/// x 2^exponent rounded once into f.
constexpr double scaled(const Format& f, double x, int exponent) {
    const exact::detail::Operand o = exact::detail::unpack(x);
    if (o.kind == exact::detail::Kind::nan) return exact::detail::kNaN;
    if (o.kind != exact::detail::Kind::finite) return x;
    exact::detail::Wide w = exact::detail::widen(o);
    w.exponent += std::clamp(exponent, -100'000, 100'000); // far beyond every format already
    return exact::detail::round_to(f, w);
}

/// The integer e with 2^e <= |x| < 2^(e+1), of a finite x that is not zero.
constexpr int exponent_of(double x) {
    return exact::detail::unpack(x).exponent;
}

/// x 2^-(1 + exponent_of(x)): its magnitude is in [1/2, 1).
constexpr double fraction_of(double x) {
    const exact::detail::Operand o = exact::detail::unpack(x);
    const std::uint64_t fraction = (o.significand << 1) >> 12;
    return with_sign_of(std::bit_cast<double>((std::uint64_t{1022} << 52) | fraction), x);
}

enum class ToInteger : std::uint8_t { down, up, toward_zero, nearest_even, nearest_away };

/// x as an integer, whatever the processor's rounding mode; zeros, infinities and NaN as they are, and zeros of x's
/// sign.
constexpr double to_integer(double x, ToInteger way) {
    const double magnitude = with_sign_of(x, 1.0);
    if (!(magnitude < 0x1p52)) return x; // an integer, an infinity or NaN
    const auto whole = static_cast<std::int64_t>(magnitude);
    const double rest = magnitude - static_cast<double>(whole); // exact
    const bool negative = std::bit_cast<std::uint64_t>(x) >> 63 != 0;
    bool away = false;
    switch (way) {
    case ToInteger::down:
        away = negative && rest > 0;
        break;
    case ToInteger::up:
        away = !negative && rest > 0;
        break;
    case ToInteger::toward_zero:
        break;
    case ToInteger::nearest_even:
        away = rest > 0.5 || (rest == 0.5 && whole % 2 != 0);
        break;
    case ToInteger::nearest_away:
        away = rest >= 0.5;
        break;
    }
    return with_sign_of(static_cast<double>(whole + (away ? 1 : 0)), x);
}

} // namespace mantissa::detail
