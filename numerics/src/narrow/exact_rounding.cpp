#include "exact_rounding.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "mantissa/errors.hpp"
#include "mantissa/exact.hpp"

namespace mantissa::narrow {

namespace {

using exact::detail::Kind;
using exact::detail::normalise;
using exact::detail::Operand;
using exact::detail::u128;
using exact::detail::Wide;

constexpr double kInf = std::numeric_limits<double>::infinity(), kNaN = std::numeric_limits<double>::quiet_NaN();

/// The exact result of an operation.
struct Exact {
    Kind kind = Kind::nan;
    bool negative = false;
    Wide wide;

    static Exact of(const Wide& w) { return {Kind::finite, w.negative, w}; }
    /// significand 2^(exponent - 127), as normalise() has it.
    static Exact of(bool negative, int exponent, u128 significand, bool sticky) {
        if (significand == 0) return {Kind::zero, negative, {}};
        return of(normalise(negative, exponent, significand, sticky));
    }
    static Exact of(const Operand& o) { return {o.kind, o.negative, o.kind == Kind::finite ? widen(o) : Wide{}}; }
};

Exact sum(const Exact& a, const Exact& b) {
    if (a.kind == Kind::nan || b.kind == Kind::nan) return {};
    if (a.kind == Kind::infinite) return b.kind == Kind::infinite && a.negative != b.negative ? Exact{} : a;
    if (b.kind == Kind::infinite) return b;
    if (a.kind == Kind::zero && b.kind == Kind::zero) return {Kind::zero, a.negative && b.negative, {}};
    if (a.kind == Kind::zero) return b;
    if (b.kind == Kind::zero) return a;
    Wide total;
    if (!add_wide(a.wide, b.wide, total)) return {Kind::zero, false, {}};
    return Exact::of(total);
}

Exact product(const Operand& x, const Operand& y) {
    const bool negative = x.negative != y.negative;
    if (x.kind == Kind::nan || y.kind == Kind::nan) return {};
    if (x.kind == Kind::infinite || y.kind == Kind::infinite)
        return x.kind == Kind::zero || y.kind == Kind::zero ? Exact{} : Exact{Kind::infinite, negative, {}};
    if (x.kind == Kind::zero || y.kind == Kind::zero) return {Kind::zero, negative, {}};
    return Exact::of(negative, x.exponent + y.exponent + 1, static_cast<u128>(x.significand) * y.significand, false);
}

Exact quotient(const Operand& x, const Operand& y) {
    const bool negative = x.negative != y.negative;
    if (x.kind == Kind::nan || y.kind == Kind::nan) return {};
    if (x.kind == y.kind && x.kind != Kind::finite) return {};
    if (x.kind == Kind::infinite || y.kind == Kind::zero) return {Kind::infinite, negative, {}};
    if (y.kind == Kind::infinite || x.kind == Kind::zero) return {Kind::zero, negative, {}};
    // 2^127 x / y has 127 or 128 bits, of which 32 stochastic rounding reads after the last that a format keeps.
    const u128 high = static_cast<u128>(x.significand) << 63;
    const u128 first = high / y.significand, rest = high % y.significand;
    const u128 second = (rest << 63) / y.significand, last = (rest << 63) % y.significand;
    return Exact::of(negative, x.exponent - y.exponent + 1, (first << 63) + second, last != 0);
}

Exact root(const Operand& x) {
    if (x.kind == Kind::nan || (x.negative && x.kind != Kind::zero)) return {};
    if (x.kind != Kind::finite) return Exact::of(x);
    const bool odd = (x.exponent & 1) != 0;
    const int shift = odd ? 62 : 63;
    const u128 radicand = static_cast<u128>(x.significand) << shift; // an even power of two, 126 or 127 bits
    const std::uint64_t whole = exact::detail::integer_root(radicand);
    // sqrt(w^2 + r) = w + r / (2 w) - e with 0 <= e < 2^-63: 60 bits more, of which e may change the last. No root of
    // 53 bits lies within 2^-109 of a number of 54, so that no rounding sees it.
    const u128 rest = radicand - static_cast<u128>(whole) * whole;
    const u128 more = (rest << 60) / (2 * static_cast<u128>(whole));
    const u128 found = (static_cast<u128>(whole) << 60) + more;
    return Exact::of(false, (x.exponent - 63 - shift) / 2 + 127 - 60, found, rest != 0);
}

Exact result(Operation op, double a, double b, double c) {
    const Operand x = exact::detail::unpack(a), y = exact::detail::unpack(b), z = exact::detail::unpack(c);
    switch (op) {
    case Operation::add:
        return sum(Exact::of(x), Exact::of(y));
    case Operation::sub:
        return sum(Exact::of(x), Exact::of(exact::detail::unpack(-b)));
    case Operation::mul:
        return product(x, y);
    case Operation::div:
        return quotient(x, y);
    case Operation::sqrt:
        return root(x);
    case Operation::fma:
        return sum(product(x, y), Exact::of(z));
    default:
        return Exact::of(x);
    }
}

/// The bits of a significand in front of 2^(exponent - keep + 1), with what is known of the others.
struct Cut {
    std::uint64_t kept = 0;
    std::uint32_t share = 0; ///< floor(2^32 t), t being what is cut, in units of the last bit kept
    int half = 0;            ///< t against one half: -1, 0 or 1
    bool any = false;        ///< t > 0
};

Cut cut(const Wide& w, int keep) {
    Cut c;
    c.any = w.sticky;
    // t as a binary fraction of 128 bits, and a tail.
    u128 t = 0;
    if (keep > 0) {
        c.kept = static_cast<std::uint64_t>(w.significand >> (128 - keep));
        t = w.significand << keep;
    } else if (keep > -128) {
        t = w.significand >> -keep;
        c.any = c.any || (t << -keep) != w.significand;
    } else {
        c.any = true;
    }
    constexpr u128 kHalf = static_cast<u128>(1) << 127;
    c.half = t > kHalf || (t == kHalf && c.any) ? 1 : t == kHalf ? 0 : -1;
    c.share = static_cast<std::uint32_t>(t >> 96);
    c.any = c.any || t != 0;
    return c;
}

bool goes_up(const NarrowFormat& f, const Cut& c, int exponent, bool negative, std::uint32_t random) {
    // Even and odd are those of the pattern: with no fraction bits, of its exponent.
    const bool odd = f.fraction_bits > 0 ? (c.kept & 1) != 0 : c.kept != 0 && ((exponent + f.bias()) & 1) != 0;
    switch (f.direction) {
    case Direction::toward_zero:
        return false;
    case Direction::nearest_even:
        return c.half > 0 || (c.half == 0 && odd);
    case Direction::nearest_away:
        return c.half >= 0;
    case Direction::to_odd:
        return c.any && !odd;
    case Direction::up:
        return c.any && !negative;
    case Direction::down:
        return c.any && negative;
    case Direction::stochastic:
        return c.share > random;
    }
    return false;
}

double finite(const NarrowFormat& f, const Wide& w, std::uint32_t random) {
    const Extremes extremes(f);
    const int grid = (f.gradual ? std::max(w.exponent, f.min_exponent) : w.exponent) - f.fraction_bits;
    const Cut c = cut(w, w.exponent - grid + 1);
    const std::uint64_t units = c.kept + (goes_up(f, c, w.exponent, w.negative, random) ? 1 : 0);
    const double size =
        std::ldexp(static_cast<double>(units), grid); // of at most 53 bits, and infinity counts as beyond
    const bool beyond = size > f.max;
    const double smallest = f.has_zero ? 0.0 : std::ldexp(1.0, f.min_exponent);
    // Not by `size`, which a double's own range may have rounded.
    const bool tiny = !f.gradual && units != 0 && std::ilogb(static_cast<double>(units)) + grid < f.min_exponent;
    const double kept = tiny ? smallest : size;
    if (w.negative && !f.is_signed && kept != 0) return extremes.negative;
    if (beyond) return extremes.over[w.negative ? 1 : 0];
    if (kept == 0 && !f.signed_zero()) return 0;
    return w.negative ? -kept : kept;
}

} // namespace

Extremes::Extremes(const NarrowFormat& f) {
    const double beyond = f.beyond == Beyond::nan                          ? kNaN
                          : f.beyond == Beyond::infinity && f.has_infinity ? kInf
                                                                           : f.max;
    const double infinity = f.has_infinity && f.beyond != Beyond::saturate_all ? kInf : beyond;
    const bool clamps = f.beyond == Beyond::saturate || f.beyond == Beyond::saturate_all;
    // Without a sign the least number is the largest one on the other side.
    const double least = f.has_zero ? 0.0 : std::ldexp(1.0, f.min_exponent);
    const bool zero_way = f.direction == Direction::toward_zero;
    // To odd stays at the largest number; P3109's goes on to the infinity above it where that has the odd pattern.
    bool odd = f.direction == Direction::to_odd;
    if (odd && f.coding == Coding::p3109) odd = (encode(f, f.max) & 1) != 0;
    over[0] = zero_way || odd || f.direction == Direction::down ? f.max : beyond;
    over[1] = -(zero_way || odd || f.direction == Direction::up ? f.max : beyond);
    infinite[0] = infinity;
    infinite[1] = -infinity;
    negative = clamps || zero_way || f.direction == Direction::up ? least : kNaN;
    zero = f.has_zero ? 0.0 : kNaN;
    if (!f.is_signed) {
        over[1] = negative;
        infinite[1] = clamps ? least : kNaN;
    }
}

double exact_round(const NarrowFormat& f, Operation op, double a, double b, double c, std::uint32_t random) {
    const Exact r = result(op, a, b, c);
    switch (r.kind) {
    case Kind::nan:
        return kNaN;
    case Kind::infinite:
        return Extremes(f).infinite[r.negative ? 1 : 0];
    case Kind::zero:
        return f.signed_zero() && r.negative ? -0.0 : Extremes(f).zero;
    case Kind::finite:
        break;
    }
    return finite(f, r.wide, random);
}

} // namespace mantissa::narrow
