// The order in which the outer loop of refinement adds up norms and projections in double precision. Every place that
// forms them, on the host or on a device, takes it from here, so that all have the same bits.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <utility>

namespace mantissa::outer_order {

/// Sums of squares: blocks of so many elements, added in order, each of so many interleaved sums closed by halving.
inline constexpr std::size_t kNormBlock = 4096, kNormLanes = 16;

/// Projections r.p: parts of so many elements, likewise. (A part is also what crosses to an inner solver at a time.)
inline constexpr std::size_t kPart = std::size_t{1} << 16, kPartLanes = 8;

/// The sum of (scale v_i)^2 over one block of a norm, of at most kNormBlock elements.
inline double block_squares(const double* v, std::size_t count, double scale) {
    std::array<double, kNormLanes> s{};
    std::size_t i = 0;
    for (; i + kNormLanes <= count; i += kNormLanes)
        for (std::size_t lane = 0; lane < kNormLanes; ++lane) {
            const double x = v[i + lane] * scale;
            s[lane] += x * x;
        }
    for (std::size_t lane = 0; i < count; ++i, ++lane) {
        const double x = v[i] * scale;
        s[lane] += x * x;
    }
    for (std::size_t half = kNormLanes / 2; half > 0; half /= 2)
        for (std::size_t lane = 0; lane < half; ++lane) s[lane] += s[lane + half];
    return s[0];
}

/// The sum of one part of a projection, of at most kPart elements; term(i) is the i-th product.
template <class Term> double part_sum(std::size_t count, Term&& term) {
    std::array<double, kPartLanes> lane{};
    for (std::size_t i = 0; i < count; ++i) lane[i % kPartLanes] += term(i);
    for (std::size_t half = kPartLanes / 2; half > 0; half /= 2)
        for (std::size_t j = 0; j < half; ++j) lane[j] += lane[j + half];
    return lane[0];
}

/// Whether a sum of squares that was formed without scaling lost nothing to the range of double precision: then the
/// norm is its root.
inline bool squares_suffice(double sum) {
    // Squares from 2^-511 to 2^511 lose nothing.
    return (sum >= 0x1p-900 && sum <= std::numeric_limits<double>::max()) || std::isnan(sum);
}

/// The norm of v where its squares do not suffice: with the power of two of its largest magnitude taken out.
/// sum_of_squares(scale): of scale v, in blocks.
template <class Sum> double scaled_norm(double largest, Sum&& sum_of_squares) {
    if (largest == 0 || std::isinf(largest)) return largest;
    const int exponent = std::clamp(std::ilogb(largest), -1000, 1000);
    return std::ldexp(std::sqrt(sum_of_squares(std::ldexp(1.0, -exponent))), exponent);
}

inline double largest_magnitude(std::span<const double> v) {
    double largest = 0;
    for (const double x : v) largest = std::max(largest, std::abs(x));
    return largest;
}
template <class Sum> double scaled_norm(std::span<const double> v, Sum&& sum_of_squares) {
    return scaled_norm(largest_magnitude(v), std::forward<Sum>(sum_of_squares));
}

inline double scaled_norm(std::span<const double> v) {
    return scaled_norm(v, [&](double scale) {
        double sum = 0;
        for (std::size_t i = 0; i < v.size(); i += kNormBlock)
            sum += block_squares(v.data() + i, std::min(kNormBlock, v.size() - i), scale);
        return sum;
    });
}

} // namespace mantissa::outer_order
