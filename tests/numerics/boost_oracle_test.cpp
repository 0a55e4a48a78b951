// A second oracle, which shares nothing with MPFR: Boost.Multiprecision's integers hold results exactly, as fractions,
// and the rounding is written out here from the text of docs/arithmetic.md. It judges the library and the first judge.
#include <cmath>
#include <limits>
#include <optional>
#include <string>

#include <boost/multiprecision/cpp_bin_float.hpp>
#include <boost/multiprecision/cpp_int.hpp>
#include <gtest/gtest.h>

#include "judge.hpp"
#include "mantissa/kernels.hpp"
#include "operands.hpp"

namespace mantissa::judge {
namespace {

using namespace literals;
using boost::multiprecision::cpp_int;

/// numerator / denominator * 2^exponent; the denominator is positive.
struct Fraction {
    cpp_int numerator, denominator = 1;
    int exponent = 0;
};

Fraction fraction(double x) {
    int exponent = 0;
    const double significand = std::frexp(x, &exponent);
    return {cpp_int(static_cast<std::int64_t>(std::ldexp(significand, 53))), 1, exponent - 53};
}

/// Both numerators to the lesser exponent.
void align(Fraction& x, Fraction& y) {
    const int least = std::min(x.exponent, y.exponent);
    for (Fraction* z : {&x, &y}) {
        z->numerator <<= static_cast<unsigned>(z->exponent - least);
        z->exponent = least;
    }
}
Fraction sum(Fraction x, Fraction y) {
    align(x, y);
    return {x.numerator + y.numerator, 1, x.exponent};
}
Fraction product(const Fraction& x, const Fraction& y) {
    return {x.numerator * y.numerator, 1, x.exponent + y.exponent};
}
Fraction quotient(const Fraction& x, const Fraction& y) {
    const cpp_int sign = y.numerator < 0 ? -1 : 1;
    return {x.numerator * sign, y.numerator * sign, x.exponent - y.exponent};
}
/// A root to 200 bits; one that is inexact is moved half a unit up, where it stands for all numbers between two others.
Fraction root(Fraction x) {
    const unsigned shift = 400 + static_cast<unsigned>((x.exponent % 2 + 2) % 2);
    cpp_int rest;
    const cpp_int whole = sqrt(cpp_int(x.numerator << shift), rest);
    return {2 * whole + (rest == 0 ? 0 : 1), 1, (x.exponent - static_cast<int>(shift)) / 2 - 1};
}

/// Compares |x| with 2^e.
bool below_power(const Fraction& x, int e) {
    const int shift = x.exponent - e;
    const cpp_int magnitude = abs(x.numerator);
    if (shift >= 0) return (magnitude << static_cast<unsigned>(shift)) < x.denominator;
    return magnitude < (x.denominator << static_cast<unsigned>(-shift));
}

/// |x| in units of 2^e, rounded.
cpp_int in_units(const Fraction& x, int e, Rounding rounding) {
    cpp_int numerator = abs(x.numerator), denominator = x.denominator;
    if (x.exponent >= e) numerator <<= static_cast<unsigned>(x.exponent - e);
    else denominator <<= static_cast<unsigned>(e - x.exponent);
    cpp_int whole, rest;
    divide_qr(numerator, denominator, whole, rest);
    if (rounding == Rounding::nearest_even && (2 * rest > denominator || (2 * rest == denominator && whole % 2 != 0)))
        ++whole;
    return whole;
}

/// x, not zero, rounded once into f. The five steps of docs/arithmetic.md.
double rounded(const Format& f, const Fraction& x) {
    const double sign = x.numerator < 0 ? -1.0 : 1.0;
    int exponent = static_cast<int>(msb(abs(x.numerator))) - static_cast<int>(msb(x.denominator)) + x.exponent;
    if (below_power(x, exponent)) --exponent; // now 2^exponent <= |x| < 2^(exponent + 1)
    const bool subnormal = f.subnormals == Subnormals::gradual && exponent < f.min_exponent();
    const int unit = (subnormal ? f.min_exponent() : exponent) - f.fraction_bits;
    const cpp_int units = in_units(x, unit, f.rounding);
    const Fraction result{units, 1, unit};
    if (units != 0 && !below_power(result, f.max_exponent() + 1)) {
        const bool infinite = f.rounding == Rounding::nearest_even && f.overflow == Overflow::infinity;
        return sign * (infinite ? std::numeric_limits<double>::infinity() : f.max());
    }
    if (units == 0 || (f.subnormals == Subnormals::flush && below_power(result, f.min_exponent()))) return sign * 0.0;
    return sign * std::ldexp(static_cast<double>(static_cast<std::uint64_t>(units)), unit); // at most 53 bits: exact
}

/// The exact result; nothing where it is not a number other than zero, which IEEE 754 decides and not the rounding.
std::optional<Fraction> exact_result(Op op, double a, double b, double c) {
    const auto finite = [](double x) { return std::isfinite(x); };
    if (!finite(a) || (arity(op) > 1 && !finite(b)) || (arity(op) > 2 && !finite(c))) return std::nullopt;
    if ((op == Op::div && b == 0) || (op == Op::sqrt && a <= 0)) return std::nullopt;
    Fraction x = fraction(a);
    if (op == Op::add) x = sum(x, fraction(b));
    else if (op == Op::sub) x = sum(x, fraction(-b));
    else if (op == Op::mul) x = product(x, fraction(b));
    else if (op == Op::div) x = quotient(x, fraction(b));
    else if (op == Op::sqrt) x = root(x);
    else if (op == Op::fma) x = sum(product(x, fraction(b)), fraction(c));
    if (x.numerator == 0) return std::nullopt;
    return x;
}

/// Boost's own floating-point type of f's precision, nearest-even without a range to speak of.
template <int M> double boost_float(Op op, double a, double b, double c) {
    using namespace boost::multiprecision;
    using Number = number<cpp_bin_float<M + 1, digit_base_2, void, std::int32_t, -1'000'000, 1'000'000>, et_off>;
    const Number x(a), y(b), z(c);
    switch (op) {
    case Op::add:
        return static_cast<double>(Number(x + y));
    case Op::sub:
        return static_cast<double>(Number(x - y));
    case Op::mul:
        return static_cast<double>(Number(x * y));
    case Op::div:
        return static_cast<double>(Number(x / y));
    case Op::sqrt:
        return static_cast<double>(Number(sqrt(x)));
    default:
        return std::numeric_limits<double>::quiet_NaN();
    }
}

/// Vectors of an operation's operands through the library: exact and, in double, the kernels.
struct Library {
    explicit Library(const Format& f) : format(f), unit(f) {}
    Format format;
    VectorUnit<double> unit;
    std::string fault(Op op, double a, double b, double c, double want) const {
        const double exact = exact::apply(op, format, a, b, c, 0);
        if (!same(exact, want)) return mismatch(format, "exact", op, a, b, c, exact, want);
        double got = 0;
        unit.apply(op, {&a, 1}, {&b, 1}, {&c, 1}, 0, {&got, 1});
        if (!same(got, want)) return mismatch(format, "kernel", op, a, b, c, got, want);
        return {};
    }
};

constexpr Op kJudged[] = {Op::add, Op::sub, Op::mul, Op::div, Op::sqrt, Op::fma, Op::convert};

template <int M, int E> void judge_format(int draws) {
    std::vector<Format> policies;
    for (Rounding r : {Rounding::toward_zero, Rounding::nearest_even})
        for (Subnormals s : {Subnormals::flush, Subnormals::gradual})
            for (Overflow o : {Overflow::infinity, Overflow::saturate})
                if (const Format f{M, E, r, s, o}; f == f.canonical()) policies.push_back(f);
    std::vector<Library> libraries(policies.begin(), policies.end());
    std::size_t judged = 0, native = 0;
    for (const Op op : kJudged) {
        Judge first(policies[0], 53);
        for (const Class c : kAllClasses) {
            Operands operands(policies[0], 100 * static_cast<std::uint64_t>(op) + static_cast<std::uint64_t>(c));
            for (int i = 0; i < draws; ++i) {
                const auto [x, y, z] = operands.draw(op, c);
                const auto exactly = exact_result(op, x, y, z);
                if (!exactly) continue;
                first.form(op, x, y, z);
                for (const Library& library : libraries) {
                    const Format& f = library.format;
                    if (c == Class::subnormal_operands && f.flushes() && op != Op::convert) continue;
                    const double want = rounded(f, *exactly);
                    ASSERT_TRUE(same(want, first.result(f)))
                        << "the oracles differ: " << mismatch(f, "MPFR", op, x, y, z, first.result(f), want);
                    ASSERT_EQ(library.fault(op, x, y, z, want), "");
                    ++judged;
                    if (f != formats::ieee(M, E) || op == Op::fma || op == Op::convert) continue;
                    if (std::isinf(want) || std::fabs(want) <= f.min_normal()) continue; // no bounds there
                    ASSERT_EQ(boost_float<M>(op, x, y, z), want) << mismatch(f, "cpp_bin_float", op, x, y, z, 0, want);
                    ++native;
                }
            }
        }
    }
    EXPECT_GT(judged, static_cast<std::size_t>(draws) * 150);
    EXPECT_GT(native, static_cast<std::size_t>(draws) * 10);
}

TEST(BoostOracle, JudgesS3E4) {
    judge_format<3, 4>(400);
}
TEST(BoostOracle, JudgesS10E5) {
    judge_format<10, 5>(400);
}
TEST(BoostOracle, JudgesS17E8) {
    judge_format<17, 8>(400);
}
TEST(BoostOracle, JudgesS23E8) {
    judge_format<23, 8>(400);
}
TEST(BoostOracle, JudgesS36E11) {
    judge_format<36, 11>(300);
}
TEST(BoostOracle, JudgesS52E11) {
    judge_format<52, 11>(300);
}

/// Every sum, product and quotient of a small format.
TEST(BoostOracle, JudgesEveryPairOfS2E3) {
    std::size_t judged = 0;
    for (Rounding r : {Rounding::toward_zero, Rounding::nearest_even})
        for (Subnormals s : {Subnormals::flush, Subnormals::gradual}) {
            const Library library(Format{2, 3, r, s});
            const Format& f = library.format;
            for (std::uint64_t i = 0; i < 64; ++i)
                for (std::uint64_t j = 0; j < 64; ++j)
                    for (const Op op : {Op::add, Op::sub, Op::mul, Op::div, Op::sqrt}) {
                        const double a = decode(f, i), b = decode(f, j);
                        const auto exactly = exact_result(op, a, b, 0);
                        if (!exactly) continue;
                        ASSERT_EQ(library.fault(op, a, b, 0, rounded(f, *exactly)), "");
                        ++judged;
                    }
        }
    EXPECT_GT(judged, 40'000u);
}

} // namespace
} // namespace mantissa::judge
