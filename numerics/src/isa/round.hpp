// Rounding of single values inside kernels, branch-free so that loops over them vectorise. Included only by sources
// under isa/, inside their namespace (MANTISSA_ISA).
#pragma once

#include "isa.hpp"

#define MANTISSA_INLINE inline __attribute__((always_inline))

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

/// Nearest-even at `drop` bits above the bottom of a double, exponent unbounded.
MANTISSA_INLINE double nearest_even(double x, int drop, std::uint64_t mask) {
    const std::uint64_t b = bits_of(x);
    const std::uint64_t half = (std::uint64_t{1} << (drop - 1)) - 1;
    return __builtin_bit_cast(double, (b + half + ((b >> drop) & 1)) & mask);
}

MANTISSA_INLINE double nearest_even_range(double x, const FinishParams& f) {
    const double y = nearest_even(x, f.drop, f.mask64);
    const double before = __builtin_fabs(x), after = __builtin_fabs(y);
    // Below the smallest normal number the grid is absolute; adding and subtracting 1.5 * 2^52 units rounds to it.
    const double subnormal = (before + f.grid) - f.grid;
    const double tiny = f.grid != 0 ? subnormal : 0.0;
    double magnitude = after > f.max && before != kInfinity ? f.overflow : after;
    magnitude = (f.grid != 0 ? before : after) < f.min_normal ? tiny : magnitude;
    return __builtin_copysign(magnitude, x);
}

} // namespace mantissa::detail::MANTISSA_ISA
