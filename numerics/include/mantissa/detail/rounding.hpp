// The contract's arithmetic in the processor's own: how Float<F> forms sums, products, quotients and roots from
// float and double operations under the default rounding mode. Branch-free, so that plain loops over Float vectorise.
//
// Two facts carry it all.
//   - The error of a rounded sum s = a + b is a floating-point number, and its sign comes cheaply: with |hi| >= |lo|,
//     s - hi is exact, and s lies beyond the exact sum just when s - hi lies beyond lo. Stepping s back by one unit
//     then truncates it. With the lost tail recorded beside it, it also rounds correctly to any shorter format; with
//     the tail recorded in the last bit ("round to odd"), to any that is at least two bits shorter.
//   - 53 >= 2p + 2 for p <= 24: a sum, quotient or root rounded to double and then to nearest p bits is rounded once,
//     below the smallest normal number too; a quotient or root that is no p-bit number is further than a double's
//     half unit from every p-bit number, so its double truncates correctly as well. Products are exact in double.
#pragma once

#include <bit>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <type_traits>

#include "mantissa/format.hpp"

#ifdef __FAST_MATH__
#error "mantissa's arithmetic is exact about rounding, zeros and NaN: compile without -ffast-math"
#endif

namespace mantissa::detail {

/// What the formulas need to know of the native type that holds a format's values.
template <class T> struct Carrier;
template <> struct Carrier<float> {
    using Bits = std::int32_t;
    static constexpr int kFraction = 23, kExponent = 8;
};
template <> struct Carrier<double> {
    using Bits = std::int64_t;
    static constexpr int kFraction = 52, kExponent = 11;
};

/// Bit patterns are handled as signed integers: magnitudes stay positive, and processors compare signed vectors.
template <class T> using carrier_bits = typename Carrier<T>::Bits;

template <class T> constexpr carrier_bits<T> bits_of(T x) {
    return std::bit_cast<carrier_bits<T>>(x);
}
template <class T> constexpr T from_bits_of(carrier_bits<T> x) {
    return std::bit_cast<T>(x);
}

template <class T> inline constexpr carrier_bits<T> kSignBit = bits_of(T(-0.0));
template <class T>
inline constexpr carrier_bits<T> kInfinityBits = ((carrier_bits<T>{1} << Carrier<T>::kExponent) - 1)
                                                 << Carrier<T>::kFraction;
/// F's largest finite number and its smallest normal one, as T.
template <Format F, class T> inline constexpr carrier_bits<T> kMaxBits = bits_of(static_cast<T>(F.max()));
template <Format F, class T> inline constexpr carrier_bits<T> kMinBits = bits_of(static_cast<T>(F.min_normal()));
/// What a finite result beyond the largest finite number becomes.
template <Format F, class T>
inline constexpr carrier_bits<T> kOverflowBits =
    !F.truncates() && F.overflow == Overflow::infinity ? kInfinityBits<T> : kMaxBits<F, T>;

/// F is T itself: the processor's operations are the format's.
template <Format F, class T>
inline constexpr bool kNative = F.fraction_bits == Carrier<T>::kFraction&& F.exponent_bits == Carrier<T>::kExponent &&
                                !F.truncates() && !F.flushes() && F.overflow == Overflow::infinity;

/// A magnitude's bits, any quiet NaN being one that rounding cannot carry out of.
template <class T> constexpr carrier_bits<T> limited_nan(carrier_bits<T> magnitude) {
    constexpr carrier_bits<T> kNaN = kInfinityBits<T> | carrier_bits<T>{1} << (Carrier<T>::kFraction - 1);
    return magnitude < kNaN ? magnitude : kNaN;
}

/// A magnitude's bits without its last `Dropped` bits, rounded by F. `lost` is 1 when the magnitude is what truncation
/// left of a greater one: that is above a tie, not on it.
template <Format F, int Dropped, class Bits> constexpr Bits drop_bits(Bits magnitude, Bits lost = 0) {
    if constexpr (Dropped == 0) {
        return magnitude;
    } else {
        constexpr Bits kMask = -(Bits{1} << Dropped);
        if constexpr (F.truncates()) return magnitude & kMask;
        constexpr Bits kBelowHalf = (Bits{1} << (Dropped - 1)) - 1;
        // A logical shift: processors lack arithmetic ones of 64-bit vectors.
        const auto last = static_cast<Bits>(static_cast<std::make_unsigned_t<Bits>>(magnitude) >> Dropped) & 1;
        return (magnitude + kBelowHalf + (last | lost)) & kMask;
    }
}

/// The largest multiple of F's subnormal unit not above x, or the nearest, for 0 <= x < min_normal.
template <Format F> constexpr double to_subnormal_grid(double x) {
    // Adding 2^52 units leaves a double with no room for less than one unit.
    constexpr double kUnit = Format::power_of_two(F.min_exponent() - F.fraction_bits);
    constexpr double kShift = Format::power_of_two(F.min_exponent() - F.fraction_bits + 52);
    const double nearest = (x + kShift) - kShift;
    if constexpr (!F.truncates()) return nearest;
    return nearest > x ? nearest - kUnit : nearest;
}

/// Any double (a NaN: a quiet one) rounded into F, carried in T.
template <Format F, std::floating_point T> constexpr T round_double(double x) {
    if constexpr (kNative<F, T>) return static_cast<T>(x);
    constexpr int kDropped = 52 - F.fraction_bits;
    const std::int64_t sign = bits_of(x) & kSignBit<double>;
    const std::int64_t exact = bits_of(x) ^ sign;
    std::int64_t magnitude = drop_bits<F, kDropped>(F.truncates() ? exact : limited_nan<double>(exact));
    magnitude = magnitude > kMaxBits<F, double> && exact < kInfinityBits<double> ? kOverflowBits<F, double> : magnitude;
    if constexpr (F.flushes()) {
        // The least magnitude that rounds to min_normal: halfway from the number below it, in its own binade; where
        // double has no number there, min_normal itself.
        constexpr bool kHasHalfway = !F.truncates() && kDropped > 0 && (F.exponent_bits < 11 || F.fraction_bits < 51);
        constexpr std::int64_t kLeast =
            bits_of(kHasHalfway ? F.min_normal() - F.min_normal() * Format::power_of_two(-F.fraction_bits - 2)
                                : F.min_normal());
        magnitude = exact < kLeast ? 0 : magnitude;
    } else {
        const std::int64_t subnormal = bits_of(to_subnormal_grid<F>(from_bits_of<double>(exact)));
        magnitude = exact < kMinBits<F, double> ? subnormal : magnitude;
    }
    return static_cast<T>(from_bits_of<double>(magnitude | sign));
}

/// The magnitude of a + b in T's bits, given s = a + b as the processor rounds it and s's sign: truncated, with `lost`
/// 1 when that lost a tail. A sum that overflowed gives T's largest finite number; an infinite or NaN operand leaves s
/// as it is.
template <class T> constexpr carrier_bits<T> truncated_sum(T a, T b, T s, carrier_bits<T> sign, carrier_bits<T>& lost) {
    using Bits = carrier_bits<T>;
    // With the sum's sign taken out of all three, the larger operand is the larger in magnitude, and not negative, so
    // patterns compare like numbers.
    const Bits x = bits_of(a) ^ sign, y = bits_of(b) ^ sign;
    const T sum = from_bits_of<T>(bits_of(s) ^ sign);
    const T high = from_bits_of<T>(x > y ? x : y), low = from_bits_of<T>(x > y ? y : x);
    const T added = sum - high; // exact; NaN when an operand is infinite
    lost = static_cast<Bits>(added > low) | static_cast<Bits>(added < low);
    return bits_of(sum) - static_cast<Bits>(added > low);
}

/// a + b rounded once into F, for values of F.
template <Format F, std::floating_point T> constexpr T rounded_sum(T a, T b) {
    using Bits = carrier_bits<T>;
    constexpr int kDropped = Carrier<T>::kFraction - F.fraction_bits;
    constexpr bool kFullRange = F.exponent_bits == Carrier<T>::kExponent;
    const T s = a + b;
    if constexpr (kNative<F, T>) return s;
    const Bits sign = bits_of(s) & kSignBit<T>;
    Bits magnitude = bits_of(s) ^ sign, lost = 0;
    if constexpr (F.truncates() || kDropped > 0) magnitude = truncated_sum(a, b, s, sign, lost);
    if constexpr (!F.truncates() && kDropped > 0) magnitude = limited_nan<T>(magnitude);
    magnitude = drop_bits<F, kDropped>(magnitude, lost);
    // A sum below min_normal is exact (operands are multiples of the subnormal unit), so only its flushing is left.
    if constexpr (!kFullRange) {
        magnitude = magnitude > kMaxBits<F, T> && magnitude < kInfinityBits<T> ? kOverflowBits<F, T> : magnitude;
    } else if constexpr (!F.truncates() && F.overflow == Overflow::saturate) {
        const Bits x = bits_of(a) & ~kSignBit<T>, y = bits_of(b) & ~kSignBit<T>;
        const bool finite = (x > y ? x : y) < kInfinityBits<T>;
        magnitude = finite && magnitude > kMaxBits<F, T> ? kMaxBits<F, T> : magnitude;
    }
    if constexpr (F.flushes()) magnitude = magnitude < kMinBits<F, T> ? 0 : magnitude;
    return from_bits_of<T>(magnitude | sign);
}

/// x rounded to odd: p + c in double with its lost tail in the last bit, for any finite p and c.
constexpr double sum_to_odd(double p, double c) {
    const double s = p + c;
    const std::int64_t sign = bits_of(s) & kSignBit<double>;
    std::int64_t lost = 0;
    const std::int64_t magnitude = truncated_sum(p, c, s, sign, lost);
    return from_bits_of<double>(magnitude | lost | sign);
}

/// The product of two values of a flushing, float-carried F: as round_double on the exact product, with the range seen
/// to on the float, which has half the bits to handle.
template <Format F> constexpr float flushed_product(float a, float b) {
    using Bits = std::int32_t;
    const double product = static_cast<double>(a) * static_cast<double>(b);
    const auto bits = static_cast<std::uint64_t>(bits_of(product)); // unsigned: rounding may carry out of a NaN
    auto kept = std::bit_cast<double>(drop_bits<F, 52 - F.fraction_bits>(bits));
    // Just below 2^-126 float has 23 significant bits: a product of 24 ones would round up to 2^-126 and escape
    // flushing. Anything less than it does not, and the conversion takes normal numbers back to where they were.
    if constexpr (F.fraction_bits == 23 && F.exponent_bits == 8) kept *= 1.0 - 0x1p-53;
    const Bits rounded = bits_of(static_cast<float>(kept));
    const Bits sign = rounded & kSignBit<float>, magnitude = rounded & ~kSignBit<float>;
    const Bits x = bits_of(a) & ~kSignBit<float>, y = bits_of(b) & ~kSignBit<float>;
    [[maybe_unused]] const Bits larger = x > y ? x : y;
    Bits result = rounded;
    if constexpr (F.exponent_bits < 8) {
        result = magnitude > kMaxBits<F, float> && magnitude < kInfinityBits<float> ? kOverflowBits<F, float> | sign
                                                                                    : rounded;
    } else if constexpr (kOverflowBits<F, float> != kInfinityBits<float>) {
        // Infinite from finite operands: one unit back is float's largest finite number, and F's lies above its zeros.
        result -= static_cast<Bits>((magnitude == kInfinityBits<float>)&(larger < kInfinityBits<float>));
        if constexpr (F.fraction_bits < 23) result &= -(Bits{1} << (23 - F.fraction_bits));
    }
    result = magnitude < kMinBits<F, float> ? sign : result;
    // Rounding may carry out of an operand's NaN.
    if constexpr (!F.truncates()) result = larger > kInfinityBits<float> ? larger : result;
    return from_bits_of<float>(result);
}

} // namespace mantissa::detail
