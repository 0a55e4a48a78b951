// Operands that leave nothing out: any exponent of a format, its limits, ties and their neighbours, zeros and
// infinities of both signs, NaNs of every payload.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "mantissa/exact.hpp"
#include "operands.hpp"

namespace mantissa::judge {

/// Draws values of a format (doubles for conversions), and NaNs of every kind.
class WideOperands {
public:
    WideOperands(const Format& f, std::uint64_t seed) : f_(f), random_(seed) {}

    double value() {
        const std::uint64_t kind = random_() % 32;
        if (kind == 0) return nan();
        if (kind == 1) return signed_of(std::numeric_limits<double>::infinity());
        if (kind == 2) return signed_of(0);
        if (kind == 3) return signed_of(f_.max());
        if (kind == 4) return signed_of(f_.min_normal());
        if (kind == 5) return signed_of(f_.min_positive());
        if (kind == 6) return signed_of(1 + f_.epsilon());
        if (kind < 10) return near(previous_);
        // Any exponent of the format with any fraction: mostly zeros, mostly ones, anything.
        const int low = f_.flushes() ? f_.min_exponent() : f_.min_exponent() - f_.fraction_bits;
        int exponent = random_.between(low, f_.max_exponent());
        if (kind < 14) exponent = random_.between(std::max(low, -4), std::min(f_.max_exponent(), 4));
        if (kind < 18) exponent = random_.between(std::max(low, f_.max_exponent() / 2 - 3), f_.max_exponent() / 2 + 1);
        if (kind < 22) exponent = random_.between(std::max(low, f_.min_exponent() / 2 - 3), f_.min_exponent() / 2 + 2);
        const double x = std::ldexp(1 + std::ldexp(static_cast<double>(fraction()), -f_.fraction_bits), exponent);
        return previous_ = signed_of(exact::convert(truncating(), x));
    }
    /// A double in and about the format's range, on and beside its ties.
    double unrounded() {
        const double x = value();
        const std::uint64_t kind = random_() % 8;
        if (!std::isfinite(x) || kind == 0) return kind == 0 ? std::bit_cast<double>(random_()) : x;
        if (kind == 1) return std::ldexp(x, random_.between(-f_.fraction_bits - 3, 2));
        const int spare = 52 - f_.fraction_bits;
        if (spare == 0) return x;
        const std::uint64_t tie = std::uint64_t{1} << (spare - 1), all = 2 * tie - 1;
        const std::uint64_t tail = kind < 4 ? tie : kind < 6 ? (tie + (random_() & 1) * 2 - 1) & all : random_() & all;
        return std::bit_cast<double>(std::bit_cast<std::uint64_t>(x) | tail);
    }
    /// In T, as a NaN's bits must arrive as they are: all ones, one alone, anything; quiet or signalling; either sign.
    template <class T> T carried(double x) {
        if (!std::isnan(x)) return static_cast<T>(x);
        using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
        constexpr int kFraction = sizeof(T) == 4 ? 23 : 52, kWidth = 8 * sizeof(T);
        const std::uint64_t kind = random_(), all = (std::uint64_t{1} << kFraction) - 1;
        const std::uint64_t fraction = (kind & 1) != 0   ? all
                                       : (kind & 2) != 0 ? std::uint64_t{1} << (kind >> 8) % kFraction
                                                         : (kind >> 8 & all) | 1;
        const std::uint64_t infinity = ((std::uint64_t{1} << (kWidth - 1 - kFraction)) - 1) << kFraction;
        return std::bit_cast<T>(static_cast<Bits>((kind >> 63) << (kWidth - 1) | infinity | fraction));
    }

private:
    [[nodiscard]] Format truncating() const { return f_.with(Rounding::toward_zero); }
    static double nan() { return std::numeric_limits<double>::quiet_NaN(); }
    double signed_of(double x) { return (random_() & 1) != 0 ? -x : x; }
    std::uint64_t fraction() {
        const std::uint64_t mask = (std::uint64_t{1} << f_.fraction_bits) - 1, kind = random_() & 3;
        std::uint64_t x = random_();
        if (kind == 0) x &= random_() & random_() & random_();
        if (kind == 1) x |= random_() | random_() | random_();
        return x & mask;
    }
    /// A few units beside x, for sums that cancel; or far below it, for tails.
    double near(double x) {
        if (!std::isfinite(x) || x == 0) return signed_of(1);
        const double units = std::ldexp(f_.epsilon(), std::ilogb(x)) * random_.between(-3, 3);
        const double y = (random_() & 1) != 0 ? x + units : std::ldexp(x, -f_.precision() + random_.between(-2, 2));
        return signed_of(exact::convert(truncating(), y));
    }

    Format f_;
    Random random_;
    double previous_ = 1;
};

} // namespace mantissa::judge
