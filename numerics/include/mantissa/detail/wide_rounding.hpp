// Products, quotients and roots of formats that only double can carry. There is no wider type to form them in, so they
// are formed on significands in [1, 2), where nothing overflows or underflows: the rounded result, and the sign of
// what rounding left out, from an exact product of two significands in two doubles (Dekker). Flushing formats only:
// below the smallest normal number there is nothing to round.
#pragma once

#include "mantissa/detail/rounding.hpp"

namespace mantissa::detail {

/// What is left of x y behind their rounded product, exactly; x and y in [1, 2].
constexpr double product_tail(double x, double y, double product) {
    constexpr double kShift = 0x1.8p27; // leaves multiples of 2^-25, and rests of at most 26 bits
    const double x_high = (x + kShift) - kShift, y_high = (y + kShift) - kShift;
    const double x_low = x - x_high, y_low = y - y_high;
    return ((x_high * y_high - product) + x_high * y_low + x_low * y_high) + x_low * y_low;
}

/// The significand of x, in [1, 2); of a normal number.
constexpr double significand_of(double x) {
    return from_bits_of<double>((bits_of(x) & ((std::int64_t{1} << 52) - 1)) | bits_of(1.0));
}
constexpr std::int64_t exponent_field(double x) {
    return (bits_of(x) & ~kSignBit<double>) >> 52;
}
constexpr bool zero_or_not_finite(double x) {
    const std::int64_t magnitude = bits_of(x) & ~kSignBit<double>;
    return (magnitude == 0) | (magnitude >= kInfinityBits<double>);
}

/// Formats served here: a flushing F whose tail fits behind its last bit.
template <Format F> inline constexpr bool kWideRounding = F.flushes() && (F.truncates() || F.fraction_bits != 51);

/// significand * 2^exponent rounded into F, with `sign` as its sign bit; significand in [1, 4) is the processor's
/// rounding of a number that differs from it by something of tail's sign.
template <Format F>
constexpr double from_significand(double significand, double tail, std::int64_t exponent, std::int64_t sign) {
    constexpr int kDropped = 52 - F.fraction_bits;
    constexpr std::int64_t kFractionMask = (std::int64_t{1} << 52) - 1;
    std::int64_t bits = bits_of(significand);
    if constexpr (F.truncates() || kDropped > 0) bits -= static_cast<std::int64_t>(tail < 0);
    if constexpr (!F.truncates() && kDropped > 0)
        bits |= static_cast<std::int64_t>(tail < 0) | static_cast<std::int64_t>(tail > 0);
    bits = drop_bits<F, kDropped>(bits);
    const std::int64_t field = (bits >> 52) + exponent;
    std::int64_t magnitude =
        (bits & kFractionMask) | static_cast<std::int64_t>(static_cast<std::uint64_t>(field) << 52);
    magnitude = field > 1023 + F.max_exponent() ? kOverflowBits<F, double> : magnitude;
    magnitude = field < 1023 + F.min_exponent() ? 0 : magnitude;
    return from_bits_of<double>(magnitude | sign);
}

template <Format F> constexpr double wide_product(double a, double b) {
    const double x = significand_of(a), y = significand_of(b);
    const double product = x * y;
    const double rounded =
        from_significand<F>(product, product_tail(x, y, product), exponent_field(a) + exponent_field(b) - 2046,
                            (bits_of(a) ^ bits_of(b)) & kSignBit<double>);
    return zero_or_not_finite(a) | zero_or_not_finite(b) ? a * b : rounded;
}

template <Format F> constexpr double wide_quotient(double a, double b) {
    const double x = significand_of(a), y = significand_of(b);
    const bool short_of = x < y;
    const double dividend = short_of ? 2 * x : x;
    const double quotient = dividend / y; // in [1, 2]
    const double product = quotient * y;
    const double tail = (dividend - product) - product_tail(quotient, y, product);
    const double rounded =
        from_significand<F>(quotient, tail, exponent_field(a) - exponent_field(b) - static_cast<std::int64_t>(short_of),
                            (bits_of(a) ^ bits_of(b)) & kSignBit<double>);
    return zero_or_not_finite(a) | zero_or_not_finite(b) ? a / b : rounded;
}

template <Format F> inline double wide_root(double a) {
    if (zero_or_not_finite(a) || a < 0) return std::sqrt(a);
    const std::int64_t field = exponent_field(a), odd = (field & 1) ^ 1; // odd power of two: bias 1023 is odd
    const double x = odd != 0 ? 2 * significand_of(a) : significand_of(a);
    const double root = std::sqrt(x); // in [1, 2)
    const double square = root * root;
    const double tail = (x - square) - product_tail(root, root, square);
    return from_significand<F>(root, tail, (field - 1023 - odd) / 2, 0);
}

} // namespace mantissa::detail
