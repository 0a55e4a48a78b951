// The arithmetic contract, executable: every operation is the exact result of its operands, rounded once into a
// format by the format's policy. Integers only, so it does not depend on the processor's rounding mode, and constexpr.
//
// Operands are doubles that may come from any format (every value of every format is a double); the result is a
// value of `f`. One function rounds (detail::round_to); every operation ends in it.
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

#include "mantissa/format.hpp"

namespace mantissa::exact {

namespace detail {

__extension__ using u128 = unsigned __int128;

inline constexpr double kNaN = std::bit_cast<double>(std::uint64_t{0x7FF8} << 48);

constexpr double infinity(bool negative) {
    return std::bit_cast<double>((std::uint64_t{negative} << 63) | (std::uint64_t{0x7FF0} << 48));
}
constexpr double zero(bool negative) {
    return std::bit_cast<double>(std::uint64_t{negative} << 63);
}

/// A finite non-zero magnitude: (-1)^negative * significand * 2^(exponent-127), bit 127 of the significand set, so
/// that 2^exponent <= magnitude < 2^(exponent+1). `sticky` stands for a positive tail below the last bit.
struct Wide {
    bool negative = false;
    int exponent = 0;
    u128 significand = 0;
    bool sticky = false;
};

enum class Kind : std::uint8_t { zero, finite, infinite, nan };

struct Operand {
    Kind kind = Kind::zero;
    bool negative = false;
    int exponent = 0;
    std::uint64_t significand = 0; ///< bit 63 set when finite
};

constexpr int leading_zeros(std::uint64_t x) {
#ifdef __CUDA_ARCH__
    // nvcc 13.0 compiles libstdc++'s std::countl_zero to the constant 64 in device code.
    if (!std::is_constant_evaluated()) return __clzll(static_cast<long long>(x));
#endif
    return std::countl_zero(x);
}
constexpr int leading_zeros(u128 x) {
    const auto high = static_cast<std::uint64_t>(x >> 64);
    return high != 0 ? leading_zeros(high) : 64 + leading_zeros(static_cast<std::uint64_t>(x));
}

constexpr Operand unpack(double value) {
    const auto bits = std::bit_cast<std::uint64_t>(value);
    Operand o;
    o.negative = (bits >> 63) != 0;
    const int field = static_cast<int>((bits >> 52) & 0x7FF);
    const std::uint64_t fraction = bits & ((std::uint64_t{1} << 52) - 1);
    if (field == 0x7FF) {
        o.kind = fraction != 0 ? Kind::nan : Kind::infinite;
    } else if (field != 0) {
        o.kind = Kind::finite;
        o.exponent = field - 1023;
        o.significand = (std::uint64_t{1} << 63) | (fraction << 11);
    } else if (fraction != 0) {
        o.kind = Kind::finite;
        const int shift = leading_zeros(fraction);
        o.exponent = -1011 - shift; // fraction * 2^-1074 with its leading one at bit 63 - shift
        o.significand = fraction << shift;
    }
    return o;
}

constexpr Wide widen(const Operand& o) {
    return {o.negative, o.exponent, static_cast<u128>(o.significand) << 64, false};
}

/// significand * 2^(exponent-127) without the requirement on bit 127; significand must not be 0.
constexpr Wide normalise(bool negative, int exponent, u128 significand, bool sticky) {
    const int shift = leading_zeros(significand);
    return {negative, exponent - shift, significand << shift, sticky};
}

/// The one rounding site. Rounds to the format's precision as if the exponent were unbounded, then applies the
/// range: flush compares the *rounded* value with the smallest normal number, and gradual underflow rounds at the
/// subnormal grid instead.
constexpr double round_to(const Format& f, const Wide& w) {
    const bool gradual = f.subnormals == Subnormals::gradual;
    int keep = f.precision(); // significant bits that stay
    if (gradual && w.exponent < f.min_exponent()) keep -= f.min_exponent() - w.exponent;
    int exponent = w.exponent;
    u128 kept = 0; // an integer of `keep` bits
    if (keep >= 0) {
        const int drop = 128 - keep;
        kept = keep == 0 ? u128{0} : w.significand >> drop;
        if (f.rounding == Rounding::nearest_even) {
            const u128 half = u128{1} << (drop - 1);
            const u128 rest = keep == 0 ? w.significand : w.significand & ((u128{1} << drop) - 1);
            if (rest > half || (rest == half && (w.sticky || (kept & 1) != 0))) ++kept;
        }
    }
    if (kept == 0) return zero(w.negative);
    if (keep >= 1 && (kept >> keep) != 0) {
        kept >>= 1;
        ++exponent;
    } else if (keep <= 0) { // rounded up from below the smallest subnormal to it
        exponent = f.min_exponent() - f.fraction_bits;
        keep = 1;
    }
    if (exponent > f.max_exponent()) {
        const bool to_infinity = f.rounding == Rounding::nearest_even && f.overflow == Overflow::infinity;
        if (to_infinity) return infinity(w.negative);
        return w.negative ? -f.max() : f.max();
    }
    if (!gradual && exponent < f.min_exponent()) return zero(w.negative);
    // kept has `keep` bits, the top one worth 2^exponent. Into a double's fields:
    const auto integer = static_cast<std::uint64_t>(kept);
    std::uint64_t bits = std::uint64_t{w.negative} << 63;
    if (exponent >= -1022)
        bits |= (static_cast<std::uint64_t>(exponent + 1023) << 52) |
                ((integer << (53 - keep)) & ((std::uint64_t{1} << 52) - 1));
    else bits |= integer << (exponent + 1074 - (keep - 1));
    return std::bit_cast<double>(bits);
}

/// The exact sum of two finite non-zero numbers with a sticky tail; nothing when it is zero.
constexpr bool add_wide(Wide a, Wide b, Wide& sum) {
    if (b.exponent > a.exponent || (b.exponent == a.exponent && b.significand > a.significand)) {
        const Wide t = a;
        a = b;
        b = t;
    }
    // Two bits of headroom: one for the carry, one so that the tail of a subtraction borrows from a real bit.
    // Operands have at most 106 significant bits, so nothing of them is lost here.
    u128 big = a.significand >> 2;
    u128 small = b.significand >> 2;
    bool sticky = false;
    const int distance = a.exponent - b.exponent;
    if (distance >= 128) {
        sticky = true;
        small = 0;
    } else if (distance > 0) {
        sticky = (small & ((u128{1} << distance) - 1)) != 0;
        small >>= distance;
    }
    const u128 result = a.negative == b.negative ? big + small : big - small - (sticky ? 1 : 0);
    if (result == 0) return false; // only when sticky is clear: a sticky tail needs distance > 20, so big wins
    sum = normalise(a.negative, a.exponent + 2, result, sticky);
    return true;
}

/// The largest integer whose square is at most x, for 2^125 <= x < 2^127.
constexpr std::uint64_t integer_root(u128 x) {
    // Newton's iteration from above falls until it arrives. It starts on a tangent of the square root, at most 6 %
    // too high: 16 sqrt(top), scaled by 2^54.5.
    const auto top = static_cast<std::uint64_t>(x >> 117); // 2^8 .. 2^10
    const std::uint64_t above = top < 512 ? 257 + (top - 255) / 2 : 364 + (top - 512) * 363 / 1024;
    u128 root = static_cast<u128>(above) << 54;
    root = root * 46341 >> 15; // * sqrt(2), rounded up
    for (;;) {
        const u128 next = (root + x / root) >> 1;
        if (next >= root) return static_cast<std::uint64_t>(root);
        root = next;
    }
}

} // namespace detail

/// value rounded into f.
constexpr double convert(const Format& f, double value) {
    using namespace detail;
    const Operand o = unpack(value);
    if (o.kind == Kind::nan) return kNaN;
    if (o.kind != Kind::finite) return value;
    return round_to(f, widen(o));
}

/// a + b rounded once into f. x + (-x) is +0 in both roundings.
constexpr double add(const Format& f, double a, double b) {
    using namespace detail;
    const Operand x = unpack(a), y = unpack(b);
    if (x.kind == Kind::nan || y.kind == Kind::nan) return kNaN;
    if (x.kind == Kind::infinite || y.kind == Kind::infinite) {
        if (x.kind == y.kind && x.negative != y.negative) return kNaN;
        return infinity(x.kind == Kind::infinite ? x.negative : y.negative);
    }
    if (x.kind == Kind::zero && y.kind == Kind::zero) return zero(x.negative && y.negative);
    if (x.kind == Kind::zero) return round_to(f, widen(y));
    if (y.kind == Kind::zero) return round_to(f, widen(x));
    Wide sum;
    if (!add_wide(widen(x), widen(y), sum)) return zero(false);
    return round_to(f, sum);
}

constexpr double negate(double a) {
    return std::bit_cast<double>(std::bit_cast<std::uint64_t>(a) ^ (std::uint64_t{1} << 63));
}

/// a - b rounded once into f.
constexpr double sub(const Format& f, double a, double b) {
    return add(f, a, negate(b));
}

/// a * b rounded once into f.
constexpr double mul(const Format& f, double a, double b) {
    using namespace detail;
    const Operand x = unpack(a), y = unpack(b);
    if (x.kind == Kind::nan || y.kind == Kind::nan) return kNaN;
    const bool negative = x.negative != y.negative;
    if (x.kind == Kind::infinite || y.kind == Kind::infinite)
        return x.kind == Kind::zero || y.kind == Kind::zero ? kNaN : infinity(negative);
    if (x.kind == Kind::zero || y.kind == Kind::zero) return zero(negative);
    const u128 product = static_cast<u128>(x.significand) * y.significand;
    return round_to(f, normalise(negative, x.exponent + y.exponent + 1, product, false));
}

/// a / b rounded once into f. A finite number over zero is an infinity, exactly, under every policy.
constexpr double div(const Format& f, double a, double b) {
    using namespace detail;
    const Operand x = unpack(a), y = unpack(b);
    if (x.kind == Kind::nan || y.kind == Kind::nan) return kNaN;
    const bool negative = x.negative != y.negative;
    if (x.kind == Kind::infinite) return y.kind == Kind::infinite ? kNaN : infinity(negative);
    if (y.kind == Kind::infinite) return zero(negative);
    if (y.kind == Kind::zero) return x.kind == Kind::zero ? kNaN : infinity(negative);
    if (x.kind == Kind::zero) return zero(negative);
    const u128 numerator = static_cast<u128>(x.significand) << 63;
    const u128 quotient = numerator / y.significand; // 2^62 < quotient < 2^64
    const bool sticky = quotient * y.significand != numerator;
    // x/y = quotient * 2^(ex - ey - 63), and a Wide's significand counts units of 2^(exponent-127).
    return round_to(f, normalise(negative, x.exponent - y.exponent + 64, quotient, sticky));
}

/// The square root of a rounded once into f; -0 for -0, NaN below zero.
constexpr double sqrt(const Format& f, double a) {
    using namespace detail;
    const Operand x = unpack(a);
    if (x.kind == Kind::nan) return kNaN;
    if (x.kind == Kind::zero) return a;
    if (x.negative) return kNaN;
    if (x.kind == Kind::infinite) return a;
    // significand * 2^(exponent-63) as radicand * 2^(2k) with an even power and a radicand of 126 or 127 bits.
    const bool odd = (x.exponent & 1) != 0;
    const int shift = odd ? 62 : 63;
    const u128 radicand = static_cast<u128>(x.significand) << shift;
    const std::uint64_t root = integer_root(radicand);
    const bool sticky = static_cast<u128>(root) * root != radicand;
    const int power = (x.exponent - 63 - shift) / 2; // even by construction
    return round_to(f, normalise(false, power + 127, root, sticky));
}

/// a * b + c rounded once into f.
constexpr double fma(const Format& f, double a, double b, double c) {
    using namespace detail;
    const Operand x = unpack(a), y = unpack(b), z = unpack(c);
    if (x.kind == Kind::nan || y.kind == Kind::nan || z.kind == Kind::nan) return kNaN;
    const bool negative = x.negative != y.negative;
    if (x.kind == Kind::infinite || y.kind == Kind::infinite) {
        if (x.kind == Kind::zero || y.kind == Kind::zero) return kNaN;
        if (z.kind == Kind::infinite && z.negative != negative) return kNaN;
        return infinity(negative);
    }
    if (z.kind == Kind::infinite) return c;
    if (x.kind == Kind::zero || y.kind == Kind::zero) {
        if (z.kind == Kind::zero) return zero(negative && z.negative);
        return round_to(f, widen(z));
    }
    const u128 product = static_cast<u128>(x.significand) * y.significand;
    const Wide p = normalise(negative, x.exponent + y.exponent + 1, product, false);
    if (z.kind == Kind::zero) return round_to(f, p);
    Wide sum;
    if (!add_wide(p, widen(z), sum)) return zero(false);
    return round_to(f, sum);
}

/// An integer times 2^scale, rounded once into f (the way out of a fixed-point accumulator).
constexpr double from_integer(const Format& f, detail::u128 magnitude, bool negative, int scale) {
    using namespace detail;
    if (magnitude == 0) return zero(false);
    return round_to(f, normalise(negative, scale + 127, magnitude, false));
}

} // namespace mantissa::exact
