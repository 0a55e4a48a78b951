// Blocks of MX words written out from OCP's specification and the head of mantissa/narrow/block_format.hpp, in exact
// fractions: the elements' tables from their exponents, the scale's rule from its inequality, the nearest element by
// distance. It takes nothing from the library but the names of what is asked for.
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <vector>

#include <boost/multiprecision/cpp_int.hpp>

#include "mantissa/narrow/block_format.hpp"

namespace mantissa::testing {

using Fraction = boost::multiprecision::cpp_rational;

inline Fraction power_of_two(int k) {
    const boost::multiprecision::cpp_int one = boost::multiprecision::cpp_int(1) << std::abs(k);
    return k < 0 ? Fraction(1, one) : Fraction(one, 1);
}

/// What an element may be.
struct ReferenceElement {
    std::vector<Fraction> magnitudes; ///< in order of their codes, from 0
    int top = 0;                      ///< exponent of the largest power of two
    int fraction_bits = 0;
    bool minus_zero = true;

    /// E exponents from `low` on, `high` the last; `missing` codes at the top are no numbers.
    ReferenceElement(int low, int high, int bits, int missing) : top(high), fraction_bits(bits) {
        const int steps = 1 << bits;
        for (int k = 0; k < steps; ++k) magnitudes.push_back(Fraction(k, steps) * power_of_two(low));
        for (int e = low; e <= high; ++e)
            for (int k = 0; k < steps; ++k) magnitudes.push_back((1 + Fraction(k, steps)) * power_of_two(e));
        magnitudes.resize(magnitudes.size() - static_cast<std::size_t>(missing));
    }
    static ReferenceElement of(narrow::BlockElement element) {
        using narrow::BlockElement;
        switch (element) {
        case BlockElement::fp8_e4m3:
            return {-6, 8, 3, 1};
        case BlockElement::fp8_e5m2:
            return {-14, 15, 2, 0};
        case BlockElement::fp6_e3m2:
            return {-2, 4, 2, 0};
        case BlockElement::fp6_e2m3:
            return {0, 2, 3, 0};
        case BlockElement::fp4_e2m1:
            return {0, 2, 1, 0};
        case BlockElement::int8:
        case BlockElement::none:
            break;
        }
        ReferenceElement eighth{0, 0, 6, 0};
        eighth.magnitudes.clear();
        for (int k = 0; k < 128; ++k) eighth.magnitudes.emplace_back(k, 64);
        eighth.minus_zero = false;
        return eighth;
    }
    /// The nearest one; between two as near, that of the even code; the largest beyond it.
    [[nodiscard]] const Fraction& nearest(const Fraction& x) const {
        std::size_t best = 0;
        for (std::size_t k = 1; k < magnitudes.size(); ++k) {
            const Fraction to_best = abs(x - magnitudes[best]), to_this = abs(x - magnitudes[k]);
            if (to_this < to_best || (to_this == to_best && k % 2 == 0)) best = k;
        }
        return magnitudes[best];
    }
};

/// floor(log2 x) of x > 0.
inline int reference_log2(const Fraction& x) {
    int k = 0;
    while (power_of_two(k) > x) --k;
    while (power_of_two(k + 1) <= x) ++k;
    return k;
}

/// x >= 0 in float, to nearest-even; none beyond its largest number.
inline std::optional<Fraction> reference_float(const Fraction& x) {
    if (x == 0) return x;
    const Fraction unit = power_of_two(std::max(reference_log2(x), -126) - 23);
    const Fraction scaled = x / unit;
    boost::multiprecision::cpp_int whole = numerator(scaled) / denominator(scaled);
    const Fraction rest = scaled - Fraction(whole);
    if (rest > Fraction(1, 2) || (rest == Fraction(1, 2) && whole % 2 != 0)) ++whole;
    const Fraction rounded = Fraction(whole) * unit;
    if (rounded >= power_of_two(128)) return std::nullopt;
    return rounded;
}

/// The exponent of a block's scale, its largest magnitude being `most`; none: NaN.
inline std::optional<int> reference_scale(const ReferenceElement& e, narrow::ScaleRule rule, const Fraction& most) {
    const auto kept = [](int k) { return std::min(127, std::max(-127, k)); };
    if (rule == narrow::ScaleRule::rceil) {
        const auto m = reference_float(most);
        if (!m) return std::nullopt;
        const Fraction quotient = *reference_float(*m * *reference_float(1 / e.magnitudes.back()));
        if (quotient == 0) return -127;
        const int k = reference_log2(quotient);
        return kept(power_of_two(k) == quotient ? k : k + 1);
    }
    if (most == 0) return -127;
    int k = reference_log2(most);
    if (rule == narrow::ScaleRule::ceil && power_of_two(k) != most) ++k;
    // half a step below 2^(k + 1), or nearer
    if (rule == narrow::ScaleRule::even && power_of_two(k + 1) - most <= power_of_two(k - e.fraction_bits - 1)) ++k;
    return kept(k - e.top);
}

/// What blocks stand for.
inline std::vector<double> reference_blocks(const narrow::BlockFormat& f, const std::vector<double>& x) {
    if (!f.given()) return x;
    const ReferenceElement e = ReferenceElement::of(f.element);
    std::vector<double> out(x.size(), std::numeric_limits<double>::quiet_NaN());
    const auto length = static_cast<std::size_t>(f.length);
    for (std::size_t begin = 0; begin < x.size(); begin += length) {
        const std::size_t end = std::min(x.size(), begin + length);
        bool finite = true;
        Fraction most = 0;
        for (std::size_t i = begin; i < end; ++i) {
            finite = finite && std::isfinite(x[i]);
            if (std::isfinite(x[i])) most = std::max(most, Fraction(std::fabs(x[i])));
        }
        const auto scale = reference_scale(e, f.rule, most);
        if (!finite || !scale) continue; // NaN
        for (std::size_t i = begin; i < end; ++i) {
            const Fraction element = e.nearest(Fraction(std::fabs(x[i])) / power_of_two(*scale));
            const bool negative = std::signbit(x[i]) && (element != 0 || e.minus_zero);
            const auto magnitude = static_cast<double>(Fraction(element * power_of_two(*scale)));
            out[i] = negative ? -magnitude : magnitude;
        }
    }
    return out;
}

} // namespace mantissa::testing
