// Products in the units of a fixed-point window: one definition for host and device.
#pragma once

#include <cstdint>

#include "mantissa/exact.hpp"
#include "mantissa/spec.hpp"

namespace mantissa {

/// trunc(a b / 2^lsb); `fits` becomes false, and 0 is returned, when it lies outside the window.
constexpr std::int64_t product_units(const FixedWindow& window, double a, double b, bool& fits) {
    using namespace exact::detail;
    const Operand x = unpack(a), y = unpack(b);
    if (x.kind == Kind::nan || y.kind == Kind::nan || x.kind == Kind::infinite || y.kind == Kind::infinite) {
        fits = false;
        return 0;
    }
    if (x.kind == Kind::zero || y.kind == Kind::zero) return 0;
    const bool negative = x.negative != y.negative;
    // The product is significand * 2^scale with a significand of 127 or 128 bits.
    const u128 significand = static_cast<u128>(x.significand) * y.significand;
    const int scale = x.exponent + y.exponent - 126;
    const int shift = window.lsb - scale; // bits that fall off
    if (shift >= 128) return 0;
    const int top = 127 - leading_zeros(significand) - shift; // place of the leading bit that stays
    if (shift < 0 || top >= window.width()) {
        fits = false;
        return 0;
    }
    const u128 units = significand >> shift;
    const u128 limit = u128{1} << (window.width() - 1);
    if (negative ? units > limit : units >= limit) {
        fits = false;
        return 0;
    }
    const auto low = static_cast<std::uint64_t>(units);
    return static_cast<std::int64_t>(negative ? ~low + 1 : low);
}

} // namespace mantissa
