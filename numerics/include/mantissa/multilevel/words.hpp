// Arithmetic on words of a cycle, and the numbers that its levels work with (multilevel/cycle.hpp).
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "mantissa/multilevel/cycle_spec.hpp"

namespace mantissa::multilevel {

using Wide = std::int64_t;

/// x / 2^s rounded to the nearest, halves up. |x| < 2^62; what x 2^-s would take beyond that is held there.
[[nodiscard]] constexpr Wide half(Wide x, int s) {
    if (s > 62) return 0;
    if (s > 0) return ((x >> (s - 1)) + 1) >> 1;
    if (s == 0 || x == 0) return x;
    const int room = 62 - (64 - std::countl_zero(static_cast<std::uint64_t>(x < 0 ? -x : x)));
    if (-s > room) return x < 0 ? -(Wide{1} << 62) : Wide{1} << 62;
    return x * (Wide{1} << -s);
}
[[nodiscard]] constexpr Wide cut(Wide x, int bits) {
    const Wide most = (Wide{1} << (bits - 1)) - 1;
    return std::clamp(x, -most, most);
}
[[nodiscard]] constexpr int bit_length(std::uint64_t magnitudes) {
    return 64 - std::countl_zero(magnitudes);
}
/// len(v), for words of any type.
template <class T> [[nodiscard]] int length(std::span<const T> v) {
    std::uint64_t largest = 0;
    for (const T x : v) largest = std::max(largest, static_cast<std::uint64_t>(x < 0 ? -Wide{x} : Wide{x}));
    return bit_length(largest);
}
/// The least l with x <= 2^l.
[[nodiscard]] inline int ceil_log2(double x) {
    int exponent = 0;
    const double fraction = std::frexp(x, &exponent);
    return fraction == 0.5 ? exponent - 1 : exponent;
}
/// The least x with |d| < 2^x for all d; 0 where all are zero.
[[nodiscard]] inline int exponent_of(double largest) {
    int exponent = 0;
    static_cast<void>(std::frexp(largest, &exponent));
    return exponent;
}

/// x 2^exponent, by a product where 2^exponent is a normal number far from the ends of the range.
class PowerOfTwo {
public:
    explicit PowerOfTwo(int exponent)
        : exponent_(exponent), plain_(std::abs(exponent) < 900), factor_(plain_ ? std::ldexp(1.0, exponent) : 0) {}
    [[nodiscard]] double operator()(double x) const { return plain_ ? x * factor_ : std::ldexp(x, exponent_); }

private:
    int exponent_;
    bool plain_;
    double factor_;
};

inline constexpr int kWeightBits = 9; ///< significant bits of a smoothing step's weight
/// significand 2^-shift
struct Weight {
    int significand = 0, shift = 0;
    [[nodiscard]] double value() const { return std::ldexp(significand, -shift); }
};
/// Smoothing on rows of unit diagonal is for eigenvalues from here on: below a third coarser levels do better.
[[nodiscard]] inline double least_smoothed(double largest) {
    return std::min(largest / 4, 1.0 / 3);
}
/// Of Chebyshev's method of `steps` steps for eigenvalues in [smallest, largest], as products of one step each.
std::vector<Weight> chebyshev_weights(int steps, double smallest, double largest);

/// What a level computes with beside its matrices.
struct LevelWords {
    int w = 0, e = 0, f = 0, guard = 0;
    int phi = 0;        ///< point of f
    int h = 0;          ///< bits of r inside
    int n = 0;          ///< bits of e inside, but for the steps after
    int pl = 0;         ///< 2^pl bounds the row sums of |P|'s words
    int pc = 0, ac = 0; ///< points of P and A
    std::vector<Weight> before, after;

    /// The point of e from what comes from the level below: b of the definition, and i.
    [[nodiscard]] int point_of_e(int length_of_v, int j) const {
        const int bound = std::max(f - 1 - phi, length_of_v + pl - j - pc) + 1;
        return std::min(phi, n - 1 - bound);
    }
};
/// `row_sum_log2`: 2^l bounds the row sums of |A|'s words; `sum_bits`: S of the definition.
LevelWords level_words(const CycleSpec& spec, std::size_t level, double smallest, double largest, int row_sum_log2,
                       int sum_bits);

} // namespace mantissa::multilevel
