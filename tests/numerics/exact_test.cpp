// exact.hpp as a constant expression, its special values, and the worked examples of docs/arithmetic.md.
#include "mantissa/exact.hpp"

#include <bit>
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

namespace mantissa {
namespace {

using namespace literals;

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNaN = exact::detail::kNaN;

constexpr bool same(double a, double b) {
    return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

// Rounding, once, by each policy.
static_assert(same(exact::add("s17e8"_fmt, 1, 0x1p-18), 1));
static_assert(same(exact::add("s17e8"_fmt, 1, -0x1p-30), 1 - 0x1p-18));
static_assert(same(exact::add("s17e8:rne"_fmt, 1, 0x1p-18), 1));
static_assert(same(exact::add("s17e8:rne"_fmt, 1, 0x1.00002p-18), 1 + 0x1p-17));
static_assert(same(exact::mul("s2e4"_fmt, 1.75, 1.75), 3)); // 3.0625
static_assert(same(exact::div("s17e8"_fmt, 1, 3), 0x1.5555p-2));
static_assert(same(exact::sqrt("s17e8"_fmt, 2), 0x1.6a098p0));
static_assert(same(exact::fma("s17e8"_fmt, 1 + 0x1p-17, 1 + 0x1p-17, -1 - 0x1p-16), 0x1p-34));
static_assert(same(exact::convert(formats::kHalf, 1.0 / 3), 0x1.554p-2));

// Overflow: truncation stops at the largest number, nearest follows its policy; infinite operands stay infinite.
static_assert(same(exact::add("s17e8"_fmt, 0x1.ffff8p127, 0x1.ffff8p127), 0x1.ffff8p127));
static_assert(same(exact::mul("s17e8:rne"_fmt, -0x1p100, 0x1p100), -kInf));
static_assert(same(exact::mul("s17e8:rne:sat"_fmt, -0x1p100, 0x1p100), -0x1.ffff8p127));
static_assert(same(exact::mul("s17e8:rne:sat"_fmt, -kInf, 2), -kInf));
static_assert(same(exact::convert("s3e4:rne"_fmt, 247), 240)); // halfway to 2^8 is 248
static_assert(same(exact::convert("s3e4:rne"_fmt, 248), kInf));

// Underflow: tininess is judged on the rounded number.
static_assert(same(exact::mul("s3e4"_fmt, -0x1p-4, 0x1p-3), -0.0));
static_assert(same(exact::mul("s3e4:subnormals"_fmt, -0x1p-4, 0x1p-3), -0x1p-7));
static_assert(same(exact::convert("s3e4"_fmt, 0x1.fp-7), 0));
static_assert(same(exact::convert("s3e4:rne"_fmt, 0x1.fp-7), 0x1p-6)); // a tie with 2^-6, which is even
static_assert(same(exact::convert("s3e4:rne"_fmt, 0x1.efp-7), 0));     // rounds to 1.875 2^-7, which is flushed
static_assert(same(exact::convert("s3e4:rne:subnormals"_fmt, 0x1.efp-7), 0x1p-6));
static_assert(same(exact::convert("s3e4:rne:subnormals"_fmt, 0x1p-10), 0)); // half the least number, to even
static_assert(same(exact::convert("s3e4:rne:subnormals"_fmt, 0x1.01p-10), 0x1p-9));

// Zeros, infinities, NaN.
static_assert(same(exact::add("s17e8"_fmt, 3, -3), 0) && same(exact::add("s17e8:rne"_fmt, -3, 3), 0));
static_assert(same(exact::add("s17e8"_fmt, -0.0, -0.0), -0.0) && same(exact::sub("s17e8"_fmt, -0.0, 0.0), -0.0));
static_assert(same(exact::add("s17e8"_fmt, kInf, -kInf), kNaN) && same(exact::mul("s17e8"_fmt, 0, -kInf), kNaN));
static_assert(same(exact::div("s17e8"_fmt, -1, 0), -kInf) && same(exact::div("s17e8"_fmt, 0, 0), kNaN));
static_assert(same(exact::div("s17e8"_fmt, 1, -kInf), -0.0) && same(exact::div("s17e8"_fmt, kInf, kInf), kNaN));
static_assert(same(exact::sqrt("s17e8"_fmt, -1), kNaN) && same(exact::sqrt("s17e8"_fmt, -0.0), -0.0));
static_assert(same(exact::sqrt("s17e8"_fmt, kInf), kInf) && same(exact::convert("s3e4"_fmt, -kInf), -kInf));
static_assert(same(exact::fma("s17e8"_fmt, 0, kInf, 1), kNaN) && same(exact::fma("s17e8"_fmt, 2, -3, 6), 0));
static_assert(same(exact::fma("s17e8"_fmt, kInf, 1, -kInf), kNaN) && same(exact::fma("s17e8"_fmt, 1, 1, kInf), kInf));
static_assert(same(exact::convert("s3e4"_fmt, std::bit_cast<double>(~std::uint64_t{0})), kNaN));

// Integers, the way out of a fixed-point accumulator.
static_assert(same(exact::from_integer("s3e4"_fmt, 0, true, 7), 0));
static_assert(same(exact::from_integer("s3e4"_fmt, 31, true, 0), -30));
static_assert(same(exact::from_integer("s3e4:rne"_fmt, 31, false, 0), 32));
static_assert(same(exact::from_integer("s52e11"_fmt, (exact::detail::u128{1} << 127) + 1, false, -127), 1));

TEST(ArithmeticGuide, FarExponentExample) {
    // 1 - 2^-30 in s17e8. Truncation gives the number below 1. Rounding to nearest in float first gives 1, which
    // dropping bits cannot mend.
    const Format f = "s17e8"_fmt;
    const double truncated = exact::add(f, 1, -0x1p-30);
    EXPECT_EQ(bit_string(f, truncated), "0 01111110 11111111111111111");
    const float nearest = 1.0F - 0x1p-30F;
    EXPECT_EQ(bit_string(f, exact::convert(f, static_cast<double>(nearest))), "0 01111111 00000000000000000");
}

TEST(ArithmeticGuide, TruncationComposesAndNearestDoesNot) {
    const double x = 1 + 0x1p-18 + 0x1p-30;
    const auto twice = [x](const Format& first, const Format& then) {
        return exact::convert(then, exact::convert(first, x));
    };
    EXPECT_EQ(twice("s23e8"_fmt, "s17e8"_fmt), exact::convert("s17e8"_fmt, x));
    // Nearest through s23e8 loses the 2^-30 and finds a tie; at once it does not.
    EXPECT_EQ(twice("s23e8:rne"_fmt, "s17e8:rne"_fmt), 1);
    EXPECT_EQ(exact::convert("s17e8:rne"_fmt, x), 1 + 0x1p-17);
}

TEST(ArithmeticGuide, WorkedEncodings) {
    const Format f = "s17e8"_fmt;
    EXPECT_EQ(bit_string(f, 1), "0 01111111 00000000000000000");
    EXPECT_EQ(bit_string(f, -2.5), "1 10000000 01000000000000000");
    EXPECT_EQ(bit_string(f, exact::convert(f, 0.1)), "0 01111011 10011001100110011");
    EXPECT_EQ(bit_string(f, f.max()), "0 11111110 11111111111111111");
    EXPECT_EQ(bit_string(f, f.min_normal()), "0 00000001 00000000000000000");
    EXPECT_EQ(bit_string(f, kInf), "0 11111111 00000000000000000");
    EXPECT_EQ(bit_string(f, kNaN), "0 11111111 10000000000000000");
}

TEST(ArithmeticGuide, TininessAfterRounding) {
    // 63/64 of the smallest normal number of s3e4, 2^-6.
    EXPECT_EQ(exact::mul("s3e4:rne"_fmt, 1.125 * 0x1p-4, 1.75 * 0x1p-3), 0x1p-6);
    EXPECT_EQ(exact::mul("s3e4"_fmt, 1.125 * 0x1p-4, 1.75 * 0x1p-3), 0);
}

/// Nothing depends on, or changes, the order of operands where the mathematics does not.
TEST(Exact, CommutesAndMirrors) {
    const Format f = formats::ieee(3, 4).with(Subnormals::gradual);
    for (std::uint64_t i = 0; i < 256; ++i)
        for (std::uint64_t j = 0; j < 256; ++j)
            for (const Format& g : {f, f.with(Rounding::toward_zero), f.with(Overflow::saturate)}) {
                const double a = decode(f, i), b = decode(f, j);
                ASSERT_TRUE(same(exact::add(g, a, b), exact::add(g, b, a)));
                ASSERT_TRUE(same(exact::mul(g, a, b), exact::mul(g, b, a)));
                const double mirrored = exact::mul(g, exact::negate(a), b), plain = exact::mul(g, a, b);
                ASSERT_TRUE(std::isnan(plain) ? std::isnan(mirrored) : same(mirrored, -plain));
            }
}

} // namespace
} // namespace mantissa
