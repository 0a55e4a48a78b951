// Products without a wider type: the rounded product in the carrier, and the sign of what rounding left out. So are
// products, quotients and roots formed in formats that only double can carry, and, where the processor has a fused
// multiply-add, products in float too. Flushing formats only: below the smallest normal number nothing is rounded.
#pragma once

#include "mantissa/detail/rounding.hpp"

namespace mantissa::detail {

#if defined(__FMA__) || (defined(__FP_FAST_FMA) && defined(__FP_FAST_FMAF))
inline constexpr bool kHasFusedProduct = true;
#else
inline constexpr bool kHasFusedProduct = false;
#endif
template <class T> constexpr T fused(T a, T b, T c) {
    if constexpr (sizeof(T) == 4) return __builtin_fmaf(a, b, c);
    else return __builtin_fma(a, b, c);
}

/// Formats served here.
template <Format F> inline constexpr bool kWideRounding = F.flushes();

/// A magnitude of T that was rounded to nearest, given the sign of (exact - rounded), rounded to F's precision.
template <Format F, class T> constexpr carrier_bits<T> finish_rounding(carrier_bits<T> magnitude, T tail) {
    using Bits = carrier_bits<T>;
    constexpr int kDropped = Carrier<T>::kFraction - F.fraction_bits;
    if constexpr (F.truncates() || kDropped > 0) magnitude -= static_cast<Bits>(tail < 0);
    const Bits lost = static_cast<Bits>(tail < 0) | static_cast<Bits>(tail > 0);
    // In the last bit where that is below the tie: compilers make more of it.
    if constexpr (!F.truncates() && kDropped > 1) return drop_bits<F, kDropped>(magnitude | lost);
    return drop_bits<F, kDropped>(magnitude, lost);
}

/// The product in T itself, its tail from a fused multiply-add. So that the tail does not underflow, the lesser operand
/// of a product that may be small is scaled up; the product's range is seen to before it is scaled down again.
template <Format F, class T> constexpr T fused_product(T a, T b) {
    using Bits = carrier_bits<T>;
    constexpr bool kFullRange = F.exponent_bits == Carrier<T>::kExponent;
    constexpr T kSmall = sizeof(T) == 4 ? T(0x1p-32) : T(0x1p-256), kUp = sizeof(T) == 4 ? T(0x1p24) : T(0x1p64);
    const Bits sign = (bits_of(a) ^ bits_of(b)) & kSignBit<T>;
    const Bits x = bits_of(a) & ~kSignBit<T>, y = bits_of(b) & ~kSignBit<T>;
    const T greater = from_bits_of<T>(x > y ? x : y);
    T lesser = from_bits_of<T>(x > y ? y : x);
    // Choices as masks: compilers branch around products with 1, and around those whose result may not be used.
    constexpr Bits kBinades = bits_of(kUp) - bits_of(T(1));
    const Bits binades = -static_cast<Bits>(kFullRange && bits_of(lesser) < bits_of(kSmall)) & kBinades;
    lesser *= from_bits_of<T>(bits_of(T(1)) + binades);
    const T product = greater * lesser;
    // Below zero when the product is beyond the exact one, and when it overflowed; NaN with an infinite operand.
    const T tail = fused(greater, lesser, -product);
    // Processors may give the NaN of an infinity times zero a sign.
    Bits bits = bits_of(product);
    if constexpr (!F.truncates() && F.fraction_bits < Carrier<T>::kFraction) bits = limited_nan<T>(bits);
    Bits magnitude = finish_rounding<F>(bits, tail) & ~kSignBit<T>;
    const Bits kept = static_cast<Bits>(magnitude < kMinBits<F, T> + binades) - 1;
    if constexpr (!kFullRange) {
        magnitude = magnitude > kMaxBits<F, T> && bits_of(greater) < kInfinityBits<T> ? kOverflowBits<F, T> : magnitude;
    } else if constexpr (!F.truncates() && F.overflow == Overflow::saturate) {
        magnitude = magnitude > kMaxBits<F, T> && bits_of(greater) < kInfinityBits<T> ? kMaxBits<F, T> : magnitude;
    }
    const Bits back = bits_of(from_bits_of<T>(magnitude) * from_bits_of<T>(bits_of(T(1)) - binades));
    return from_bits_of<T>(sign | (back & kept));
}

/// The nearest-even product of a flushing s<M>e8 that overflows to infinity, M < 23. With c a power of two so much
/// greater than the product that their sum ends where F does, one fused a b + c rounds the product, and taking c away
/// leaves it. The factors are scaled so that neither c nor the product leaves float's range.
template <Format F> constexpr float nearest_product(float a, float b) {
    using Bits = std::int32_t;
    static_assert(!F.truncates() && F.flushes() && F.overflow == Overflow::infinity && F.exponent_bits == 8);
    constexpr float kSmall = 0x1p-32F, kDown = 0x1p-24F;
    constexpr Bits kOne = bits_of(1.0F), kBinades = Bits{28} << 23;
    const Bits sign = (bits_of(a) ^ bits_of(b)) & kSignBit<float>;
    const Bits x = bits_of(a) & ~kSignBit<float>, y = bits_of(b) & ~kSignBit<float>;
    const float lesser = from_bits_of<float>(x > y ? y : x);
    // 2^28 for a lesser factor below 2^-32, and 2^-24 for the other one: 2^4 or 2^-24 in all, which keeps c within
    // 2^-122 and 2^125 wherever the product is neither flushed nor infinite.
    const Bits binades = -static_cast<Bits>(bits_of(lesser) < bits_of(kSmall)) & kBinades;
    const float up = lesser * from_bits_of<float>(kOne + binades);
    const float down = from_bits_of<float>(x > y ? x : y) * kDown;
    const float product = up * down;
    const float c = from_bits_of<float>((bits_of(product) & kInfinityBits<float>)+(Bits{23 - F.fraction_bits} << 23));
    const float rounded = fused(up, down, c) - c;
    const Bits kept = static_cast<Bits>(bits_of(rounded) < kMinBits<F, float> + binades - (Bits{24} << 23)) - 1;
    const Bits back = bits_of(rounded * from_bits_of<float>(kOne + (Bits{24} << 23) - binades));
    // Infinite and NaN factors, and products beyond the range: as the processor has them.
    const Bits native = bits_of(a * b) & ~kSignBit<float>;
    const Bits special = -static_cast<Bits>(native >= kInfinityBits<float>);
    return from_bits_of<float>(sign | (special & native) | (~special & kept & back));
}

/// What is left of x y after their rounded product, exactly; x and y in [1, 2].
constexpr double product_tail(double x, double y, double product) {
    if constexpr (kHasFusedProduct) return fused(x, y, -product);
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

/// significand * 2^exponent rounded into F, with `sign` as its sign bit; significand in [1, 4) is the processor's
/// rounding of a number that differs from it by something of tail's sign.
template <Format F>
constexpr double from_significand(double significand, double tail, std::int64_t exponent, std::int64_t sign) {
    constexpr std::int64_t kFractionMask = (std::int64_t{1} << 52) - 1;
    const std::int64_t bits = finish_rounding<F>(bits_of(significand), tail);
    const std::int64_t field = (bits >> 52) + exponent;
    std::int64_t magnitude =
        (bits & kFractionMask) | static_cast<std::int64_t>(static_cast<std::uint64_t>(field) << 52);
    magnitude = field > 1023 + F.max_exponent() ? kOverflowBits<F, double> : magnitude;
    magnitude = field < 1023 + F.min_exponent() ? 0 : magnitude;
    return from_bits_of<double>(magnitude | sign);
}

/// The product formed on significands in [1, 2), where nothing overflows or underflows.
template <Format F> constexpr double wide_product(double a, double b) {
    const double x = significand_of(a), y = significand_of(b);
    const double product = x * y;
    const double rounded =
        from_significand<F>(product, product_tail(x, y, product), exponent_field(a) + exponent_field(b) - 2046,
                            (bits_of(a) ^ bits_of(b)) & kSignBit<double>);
    return (zero_or_not_finite(a) | zero_or_not_finite(b)) ? a * b : rounded;
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
    return (zero_or_not_finite(a) | zero_or_not_finite(b)) ? a / b : rounded;
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
