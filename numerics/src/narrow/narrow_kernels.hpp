// Kernels that round arrays into narrow formats, on the bits of doubles; compiled once for each instruction set.
#pragma once

#include <cstddef>
#include <cstdint>

namespace mantissa::detail {

/// Of a format: a sign and both zeros, a sign and one zero, no sign.
enum class Signs : std::uint8_t { two_zeros, one_zero, none };

/// What becomes of magnitudes below the normal numbers: flushed, or on a grid of their own; `lowest`: either, where a
/// double of their binade is itself subnormal.
enum class Tiny : std::uint8_t { flush, gradual, lowest };

/// What a kernel needs of a format. Patterns are those of doubles.
struct NarrowParams {
    int drop = 0;                 ///< bits of a double's fraction below the format's
    std::int64_t least_field = 0; ///< exponent field of the smallest normal number as a double, 1 or more
    std::int64_t unit = 0;        ///< smallest subnormal number
    std::int64_t last_or = 0;     ///< | and ^ that make the last bit kept the one that says even or odd, where only
    std::int64_t last_xor = 0;    ///< the hidden bit is kept
    std::int64_t max = 0;         ///< largest number
    bool flushes = false;
    std::int64_t min_normal = 0; ///< flushing formats: what is rounded to less becomes `below`
    std::int64_t below = 0;      ///< ... and a zero `zero`
    std::int64_t zero = 0;
    std::int64_t over[2] = {};     ///< beyond the largest number above zero, and what ^ makes of it that below zero
    std::int64_t infinite[2] = {}; ///< infinities, likewise
    std::int64_t negative = 0;     ///< without a sign: what is rounded to less than zero
    double grid = 0;               ///< 2^52 units
    double half = 0;               ///< half a unit, NaN where that is no double
    double unit_scale[2] = {};     ///< whose product is 2^32 over `unit`
    std::uint64_t seed = 0;
};

/// out[i] = a[i] rounded; in place allowed. `first` is the number of the first element among those with random bits.
using NarrowRound = void (*)(const double* a, double* out, std::size_t n, const NarrowParams& f, std::uint64_t first);

inline constexpr int kNarrowDirections = 7; ///< as narrow::Direction counts them
struct NarrowKernels {
    NarrowRound round[kNarrowDirections][2][3]; ///< [direction][subnormal numbers?][signs]; in nearest mode
};
/// For formats of at most 16 fraction bits; nullptr where the processor rounds them by the others. In any mode.
struct ShortKernels {
    NarrowRound round[kNarrowDirections][3][3]; ///< [direction][Tiny][signs]
};
inline constexpr int kShortFraction = 16;

namespace baseline {
const NarrowKernels& narrow_kernels();
const ShortKernels& short_kernels();
} // namespace baseline
#if defined(__x86_64__)
namespace avx2 {
const NarrowKernels& narrow_kernels();
const ShortKernels& short_kernels();
} // namespace avx2
namespace avx512 {
const NarrowKernels& narrow_kernels();
const ShortKernels& short_kernels();
} // namespace avx512
#endif

} // namespace mantissa::detail
