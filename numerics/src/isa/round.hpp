// Rounding of single values inside kernels, branch-free so that loops over them vectorise. Included only by sources
// under isa/, inside their namespace (MANTISSA_ISA).
#pragma once

#include "isa.hpp"

namespace mantissa::detail::MANTISSA_ISA {

MANTISSA_INLINE std::uint32_t bits_of(float x) {
    return __builtin_bit_cast(std::uint32_t, x);
}
MANTISSA_INLINE std::uint64_t bits_of(double x) {
    return __builtin_bit_cast(std::uint64_t, x);
}
MANTISSA_INLINE float masked(float x, std::uint32_t m) {
    return __builtin_bit_cast(float, bits_of(x) & m);
}
MANTISSA_INLINE double masked(double x, std::uint64_t m) {
    return __builtin_bit_cast(double, bits_of(x) & m);
}

MANTISSA_INLINE float root(float x) {
    return __builtin_sqrtf(x);
}
MANTISSA_INLINE double root(double x) {
    return __builtin_sqrt(x);
}
#if defined(__FMA__)
MANTISSA_INLINE float fused_sum(float a, float b, float c) {
    return __builtin_fmaf(a, b, c);
}
MANTISSA_INLINE double fused_sum(double a, double b, double c) {
    return __builtin_fma(a, b, c);
}
#endif

inline constexpr double kInfinity = __builtin_inf();

/// Truncated result in hardware truncating mode -> a format with fewer exponent bits than the carrier.
template <class T> MANTISSA_INLINE T clamp_range(T x, T max, T min_normal) {
    const T magnitude = __builtin_fabs(x);
    const T limited = magnitude > max && magnitude != static_cast<T>(kInfinity) ? __builtin_copysign(max, x) : x;
    return magnitude < min_normal ? __builtin_copysign(T{0}, x) : limited;
}
template <> MANTISSA_INLINE float clamp_range(float x, float max, float min_normal) {
    const float magnitude = __builtin_fabsf(x);
    const float limited =
        magnitude > max && magnitude != static_cast<float>(kInfinity) ? __builtin_copysignf(max, x) : x;
    return magnitude < min_normal ? __builtin_copysignf(0.0F, x) : limited;
}

/// Nearest-even at `drop` bits above the bottom of a double, exponent unbounded. A NaN is left alone: the rounding of
/// its fraction might carry out of it.
MANTISSA_INLINE double nearest_even(double x, int drop, std::uint64_t mask) {
    const std::uint64_t b = bits_of(x);
    const std::uint64_t half = (std::uint64_t{1} << (drop - 1)) - 1;
    return x == x ? __builtin_bit_cast(double, (b + half + ((b >> drop) & 1)) & mask) : x;
}

MANTISSA_INLINE double nearest_even_range(double x, const FinishParams& f) {
    const double y = nearest_even(x, f.drop, f.mask64);
    const double before = __builtin_fabs(x), after = __builtin_fabs(y);
    // Below the smallest normal number the grid is absolute; adding and subtracting 2^52 units rounds to it.
    const double subnormal = (before + f.grid) - f.grid;
    const double tiny = f.grid != 0 ? subnormal : 0.0;
    double magnitude = after > f.max && before != kInfinity ? f.overflow : after;
    magnitude = (f.grid != 0 ? before : after) < f.min_normal ? tiny : magnitude;
    return __builtin_copysign(magnitude, x);
}

template <class C> using DirectedBits = typename DirectedParams<C>::Bits;
template <class C> constexpr MANTISSA_INLINE DirectedBits<C> pattern_of(C x) {
    return __builtin_bit_cast(DirectedBits<C>, x);
}

/// A result, known by its directed roundings, rounded into a format. `near` is read where kNear says so.
///
/// Down and up are neighbours or equal, and of one sign but for zeros, whose sign is up's: x - x is +0. The exact
/// result is in [truncated, away]; with inexact results strictly inside. No number of C, so no tie of a shorter format
/// and no limit of its range, lies strictly inside either.
template <class C, bool kGrid, bool kNear>
MANTISSA_INLINE C round_directed(C down, C up, C near, const DirectedParams<C>& f) {
    using Bits = DirectedBits<C>;
    using Unsigned = decltype(bits_of(C{}));
    constexpr Bits kSign = pattern_of(C(-0.0)), kInf = pattern_of(static_cast<C>(kInfinity));
    const Bits sign = pattern_of(up) & kSign;
    const Bits a = pattern_of(down) & ~kSign, b = pattern_of(up) & ~kSign;
    const Bits away = a > b ? a : b, truncated = a > b ? b : a;
    const Bits exact = a == b ? 1 : 0;
    // An exact result rounds by its last bit at a tie. An inexact one is above `truncated`: at a tie of that it goes
    // up, and away is one unit more.
    const auto last = static_cast<Bits>(static_cast<Unsigned>(away) >> f.drop) & exact & f.odd;
    Bits rounded = (away + f.half_less_one + last) & f.mask;
    [[maybe_unused]] const Bits nearest = pattern_of(near) & ~kSign;
    if constexpr (kNear) rounded = f.whole ? nearest : rounded;
    rounded = rounded > f.max ? f.overflow : rounded;
    rounded = (kNear ? nearest : truncated) < f.least ? 0 : rounded;
    if constexpr (kGrid) {
        const C x = __builtin_bit_cast(C, truncated);
        const C on_grid = (x + f.grid) - f.grid;
        // Just above a tie that went down to even.
        const bool above_tie = (x - on_grid) + (x - on_grid) == f.unit && exact == 0;
        const C subnormal = above_tie ? on_grid + f.unit : on_grid;
        rounded = truncated < f.min_normal ? pattern_of(subnormal) : rounded;
    }
    // Infinities of infinite operands and of divisions by zero are exact; NaN.
    rounded = away > kInf - exact ? away : rounded;
    return __builtin_bit_cast(C, rounded | sign);
}

/// A number of C rounded into a format. Without kLimits the format has C's exponent range, subnormal numbers, and no
/// number beyond which it saturates: rounding carries into infinity by itself.
template <class C, bool kLimits, bool kGrid> MANTISSA_INLINE C round_exact(C x, const DirectedParams<C>& f) {
    using Bits = DirectedBits<C>;
    using Unsigned = decltype(bits_of(C{}));
    constexpr Bits kSign = pattern_of(C(-0.0)), kInf = pattern_of(static_cast<C>(kInfinity));
    const Bits magnitude = pattern_of(x) & ~kSign, sign = pattern_of(x) & kSign;
    const auto last = static_cast<Bits>(static_cast<Unsigned>(magnitude) >> f.drop) & f.odd;
    Bits rounded = (magnitude + f.half_less_one + last) & f.mask;
    if constexpr (kLimits) {
        rounded = rounded > f.max ? f.overflow : rounded;
        rounded = magnitude < f.least ? 0 : rounded;
    }
    if constexpr (kGrid) {
        const C on_grid = (__builtin_bit_cast(C, magnitude) + f.grid) - f.grid;
        rounded = magnitude < f.min_normal ? pattern_of(on_grid) : rounded;
    }
    // A signalling NaN's payload may lie wholly below the fraction: it stays.
    rounded = magnitude >= kInf ? magnitude : rounded;
    return __builtin_bit_cast(C, rounded | sign);
}

} // namespace mantissa::detail::MANTISSA_ISA
