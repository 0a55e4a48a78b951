// Float's mathematical functions: every number of small formats, a sample of large ones, against MPFR and the
// processor's double.
#include <cfloat>
#include <climits>
#include <cmath>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "judge.hpp"
#include "mantissa/float.hpp"

namespace mantissa {
namespace {

using namespace literals;

/// Every number of F of at most twelve bits, else 3000 spread over its bit patterns, the ends among them; one NaN.
template <Format F> std::vector<Float<F>> numbers() {
    using Number = Float<F>;
    constexpr std::uint64_t kAll = ~std::uint64_t{0} >> (64 - F.width());
    std::vector<Number> list;
    std::set<std::uint64_t> seen;
    const auto put = [&](std::uint64_t bits) {
        const Number x = Number::from_bits(static_cast<typename Number::bits_type>(bits & kAll));
        if (seen.insert(x.bits()).second) list.push_back(x);
    };
    if (F.width() <= 12) {
        for (std::uint64_t bits = 0; bits <= kAll; ++bits) put(bits);
        return list;
    }
    const std::uint64_t exponents = std::uint64_t{1} << F.exponent_bits;
    for (std::uint64_t field :
         {std::uint64_t{0}, std::uint64_t{1}, exponents / 2 - 1, exponents / 2, exponents - 2, exponents - 1})
        for (std::uint64_t fraction : {0, 1, 2, 3})
            for (std::uint64_t sign : {0, 1})
                for (int complement : {0, 1}) {
                    const std::uint64_t mask = (std::uint64_t{1} << F.fraction_bits) - 1;
                    put(sign << (F.width() - 1) | field << F.fraction_bits |
                        (complement != 0 ? mask & ~fraction : fraction));
                }
    std::uint64_t state = 7;
    for (int i = 0; i < 3000; ++i) {
        state = state * 6364136223846793005U + 1442695040888963407U;
        std::uint64_t bits = state >> (64 - F.width());
        if (i % 2 == 0) { // near 1, where there are integers and their halves
            const std::uint64_t near =
                exponents / 2 - 3 + (state >> 7) % static_cast<std::uint64_t>(F.fraction_bits + 4);
            const std::uint64_t field = (exponents - 1) << F.fraction_bits;
            bits = (bits & ~field) | (std::min(near, exponents - 2) << F.fraction_bits);
            if (i % 4 == 0) bits &= ~((std::uint64_t{1} << (F.fraction_bits / 2)) - 1);
        }
        put(bits);
    }
    return list;
}

/// The same number, or both NaN.
template <class X> void expect_same(X got, double want, const char* what, X of) {
    const bool same = std::isnan(want) ? isnan(got) : judge::same(static_cast<double>(got), want);
    ASSERT_TRUE(same) << to_string(X::format) << " " << what << " of " << bit_string(X::format, double(of)) << " ("
                      << double(of) << "): " << double(got) << ", expected " << want;
}

template <class T> class FloatFunctions : public testing::Test {};
using Formats =
    testing::Types<Float<"s2e2"_fmt>, Float<"s2e2:rne:subnormals"_fmt>, Float<"s3e4:subnormals"_fmt>, Float<"s3e4"_fmt>,
                   Float<"s4e3:rne:sat"_fmt>, Float<"s5e5:rne"_fmt>, Float<"s2e8:rne:subnormals"_fmt>,
                   Float<formats::kHalf>, Float<"s17e8"_fmt>, Float<formats::kFloat>, Float<"s23e8:rne:sat"_fmt>,
                   Float<"s36e11"_fmt>, Float<"s52e11:rne"_fmt>, Float<formats::kDouble>>;
TYPED_TEST_SUITE(FloatFunctions, Formats);

TYPED_TEST(FloatFunctions, LdexpIsAProductWithAPowerOfTwo) {
    constexpr Format kF = TypeParam::format;
    judge::Judge judge(kF, 53);
    const int range = 2 * (kF.max_exponent() + kF.fraction_bits);
    for (const TypeParam x : numbers<kF>())
        for (int e = -range; e <= range; e += kF.width() <= 12 ? 1 : range / 12 + 1) {
            // In two steps: the exact factor is beyond double's powers of two where the exponents are.
            const int first = std::clamp(e, -500, 500);
            if (e != first) continue;
            judge.form(judge::Op::mul, double(x), std::ldexp(1.0, first), 0);
            expect_same(ldexp(x, e), judge.result(kF), "ldexp", x);
            expect_same(scalbn(x, e), judge.result(kF), "scalbn", x);
        }
    const TypeParam one = 1;
    const bool infinite = !kF.truncates() && kF.overflow == Overflow::infinity;
    const double greatest = infinite ? HUGE_VAL : kF.max();
    for (const int e : {INT_MAX, 5000}) expect_same(ldexp(one, e), greatest, "ldexp far", one);
    for (const int e : {INT_MIN, -5000}) expect_same(ldexp(-one, e), -0.0, "ldexp far", one);
}

TYPED_TEST(FloatFunctions, PartsAreTheDoubles) {
    constexpr Format kF = TypeParam::format;
    judge::Judge judge(kF, 53);
    for (const TypeParam x : numbers<kF>()) {
        const auto wide = double(x);
        if constexpr (kF.exponent_bits > 2) {
            int got = 77, want = 77;
            const double fraction = std::frexp(wide, &want);
            expect_same(frexp(x, &got), fraction, "frexp", x);
            if (std::isfinite(wide)) {
                ASSERT_EQ(got, want);
            }
            ASSERT_TRUE(representable(kF, fraction));
        }
        ASSERT_EQ(ilogb(x), std::ilogb(wide));
        judge.form(judge::Op::convert, std::logb(wide), 0, 0);
        expect_same(logb(x), judge.result(kF), "logb", x);
        const auto rounded = [&](double value) {
            judge.form(judge::Op::convert, value, 0, 0);
            return judge.result(kF);
        };
        expect_same(floor(x), rounded(std::floor(wide)), "floor", x);
        expect_same(ceil(x), rounded(std::ceil(wide)), "ceil", x);
        expect_same(trunc(x), rounded(std::trunc(wide)), "trunc", x);
        expect_same(round(x), rounded(std::round(wide)), "round", x);
        expect_same(rint(x), rounded(std::rint(wide)), "rint", x);
        const int kind = std::isnan(wide)                    ? FP_NAN
                         : std::isinf(wide)                  ? FP_INFINITE
                         : wide == 0                         ? FP_ZERO
                         : std::fabs(wide) < kF.min_normal() ? FP_SUBNORMAL
                                                             : FP_NORMAL;
        ASSERT_EQ(fpclassify(x), kind);
        ASSERT_EQ(isnormal(x), kind == FP_NORMAL);
    }
}

TYPED_TEST(FloatFunctions, PairsAreTheDoubles) {
    constexpr Format kF = TypeParam::format;
    const auto all = numbers<kF>();
    const std::size_t step = all.size() > 300 ? all.size() / 97 : 1;
    for (const TypeParam x : all)
        for (std::size_t i = 0; i < all.size(); i += step) {
            const TypeParam y = all[i];
            const auto a = double(x), b = double(y);
            expect_same(min(x, y), b < a ? b : a, "min", x);
            expect_same(max(x, y), a < b ? b : a, "max", x);
            if (a != b) { // the processor may take either zero
                expect_same(fmin(x, y), std::fmin(a, b), "fmin", x);
                expect_same(fmax(x, y), std::fmax(a, b), "fmax", x);
            }
            if (!isnan(x)) expect_same(copysign(x, y), signbit(y) ? -std::fabs(a) : std::fabs(a), "copysign", x);
        }
    const TypeParam zero = 0;
    for (const auto& [a, b] : {std::pair(zero, -zero), std::pair(-zero, zero)}) {
        expect_same(fmin(a, b), -0.0, "fmin", a);
        expect_same(fmax(a, b), 0.0, "fmax", a);
    }
}

/// Walks a small format from end to end and back; steps of large ones are those of the carrier where they share its
/// last bit, and else lead to a number with none between.
TYPED_TEST(FloatFunctions, NextafterWalksThroughAllNumbers) {
    constexpr Format kF = TypeParam::format;
    using Limits = std::numeric_limits<TypeParam>;
    const TypeParam inf = Limits::infinity();
    if (kF.width() <= 12) {
        std::set<double> values;
        for (const TypeParam x : numbers<kF>())
            if (!isnan(x)) values.insert(double(x));
        TypeParam up = -inf;
        for (auto it = values.begin(); it != values.end(); up = nextafter(up, inf), ++it) ASSERT_EQ(double(up), *it);
        TypeParam down = inf;
        for (auto it = values.rbegin(); it != values.rend(); down = nextafter(down, -inf), ++it)
            ASSERT_EQ(double(down), *it);
    }
    for (const TypeParam x : numbers<kF>()) {
        if (!isfinite(x)) continue;
        const TypeParam above = nextafter(x, inf), below = nextafter(x, -inf);
        ASSERT_TRUE(below < x && x < above);
        if (x != 0) {
            ASSERT_EQ(nextafter(above, -inf), x);
            ASSERT_EQ(nextafter(below, inf), x);
        }
        ASSERT_TRUE(isinf(above) || representable(kF, double(above)));
        // No double between but those that round to one of the two.
        if (isfinite(above) && x > 0) {
            const double middle = double(x) + (double(above) - double(x)) / 2;
            const TypeParam rounded(middle);
            ASSERT_TRUE(rounded == x || rounded == above);
        }
        expect_same(nextafter(x, x), double(x), "nextafter itself", x);
    }
    EXPECT_TRUE(isnan(nextafter(Limits::quiet_NaN(), TypeParam(0))) &&
                isnan(nextafter(TypeParam(0), Limits::quiet_NaN())));
    EXPECT_EQ(nextafter(TypeParam(0), inf), Limits::denorm_min());
    EXPECT_TRUE(signbit(nextafter(-Limits::denorm_min(), inf)));
    EXPECT_EQ(nextafter(Limits::max(), inf), inf);
    EXPECT_EQ(nextafter(inf, TypeParam(0)), Limits::max());
}

// Constant expressions, and found by argument from within a template that also works on double.
using Short = Float<"s17e8"_fmt>;
static_assert(ldexp(Short(1.5), 3) == 12 && ilogb(Short(12)) == 3 && logb(Short(12)) == 3 && rint(Short(2.5)) == 2);
static_assert(nextafter(Short(1), Short(2)) == 1 + 0x1p-17 && nextafter(Short(0), Short(1)) == 0x1p-126);
static_assert(min(Short(1), Short(2)) == 1 && copysign(Short(1), Short(-0.0)) == -1 && floor(Short(-0.5)) == -1);
static_assert(isnormal(Short(1)) && fpclassify(Short(0)) == FP_ZERO);

template <class T> T distance_to_integer(T x) {
    using std::fmin, std::floor, std::ceil;
    return fmin(x - floor(x), ceil(x) - x);
}
TEST(FloatFunctions, ServeGenericCode) {
    EXPECT_EQ(distance_to_integer(2.75), 0.25);
    EXPECT_EQ(distance_to_integer(Short(2.75)), 0.25);
    using std::max;
    EXPECT_EQ(max(Short(3), Short(4)), 4);
}

} // namespace
} // namespace mantissa
