// What the fixed-point kernels compute with, on the processor, against the definitions of fixed_words.hpp and
// exact.hpp.
#include <bit>
#include <cmath>
#include <cstdlib>
#include <random>

#include <gtest/gtest.h>

#include "fixed/quick_rounding.cuh"
#include "fixed/words.cuh"
#include "mantissa/fixed_arithmetic.hpp"

namespace mantissa::gpu {
namespace {

TEST(WordScale, RoundsProductsAsTheDefinition) {
    std::mt19937_64 random(1);
    int taken = 0, left = 0;
    for (int n = 0; n < 200000; ++n) {
        const int fraction = 2 + static_cast<int>(random() % 29), bits = 2 + static_cast<int>(random() % 31);
        const bool down = random() % 2 != 0;
        const Format from = Format::fixed(bits, static_cast<int>(random() % 40)),
                     to = Format::fixed(53, static_cast<int>(random() % 40),
                                        down ? Rounding::down : Rounding::nearest_up);
        const double any =
            std::ldexp(1 + static_cast<double>(random() >> 12) * 0x1p-52, static_cast<int>(random() % 120) - 80);
        const double scalar = exact::convert(Format{fraction, 11}, random() % 2 != 0 ? any : -any);
        const WordScalar s(scalar, fraction);
        EXPECT_EQ(std::ldexp(static_cast<double>(s.significand), s.exponent), scalar);
        WordScale scale;
        int leaves = 0;
        const int right = s.shift(from.fraction_bits, to.fraction_bits);
        const bool fits = scale.set(s, right, bits, down, 52, leaves);
        for (int k = 0; k < 8; ++k) {
            const int word = k == 0   ? static_cast<int>(fixed::min_word(from))
                             : k == 1 ? static_cast<int>(fixed::max_word(from))
                                      : cut_word(static_cast<int>(random()), bits);
            const fixed::Rounded want = fixed::scale(to, fixed::Scalar::of(scalar), from, word);
            bool lost = false;
            const Wide exact = scaled_word(s, word, right, down, lost);
            EXPECT_EQ(fixed::fit(to, exact).word, want.word);
            EXPECT_EQ(lost || fixed::fit(to, exact).overflow, want.overflow);
            if (!fits) continue;
            EXPECT_EQ(scale.times(word), want.word) << scalar << " " << word;
            if (leaves >= 0) {
                EXPECT_LE(std::llabs(scale.times(word)), 1ll << leaves);
            }
        }
        ++(fits ? taken : left);
    }
    EXPECT_GT(taken, 20000);
    EXPECT_GT(left, 20000);
}

TEST(Words, LongestOfAnOr) {
    for (const int x : {0, -1, 1, -2, 2, 3, -3, 1000, -1000, (1 << 29) - 1, -(1 << 29)}) {
        EXPECT_EQ(std::max(1, static_cast<int>(std::bit_width(sign_apart(x)))), fixed::bits_of(x)) << x;
        EXPECT_EQ(std::max(1, static_cast<int>(std::bit_width(sign_apart(static_cast<long long>(x) << 20)))),
                  fixed::bits_of(static_cast<long long>(x) << 20));
    }
    for (int bits = 2; bits <= 32; ++bits)
        for (const int x : {0, 1, -1, 123456789, -987654321})
            EXPECT_EQ(cut_word(x, bits), fixed::fit(Format::fixed(bits, 0), x).word);
}

TEST(Totals, RoundOnce) {
    std::mt19937_64 random(2);
    for (const char* text : {"s52e11", "s16e8:rne", "s23e8", "double", "s10e5", "s36e11:rne"}) {
        const Format f = parse_format(text);
        const DoubleUnit unit(f);
        for (int n = 0; n < 20000; ++n) {
            const auto high = static_cast<Wide>(static_cast<long long>(random())) << 32;
            const Wide units = n == 0 ? 0 : (high + static_cast<long long>(random() >> 1)) >> (random() % 120);
            const int point = static_cast<int>(random() % 120);
            const bool negative = units < 0;
            const auto magnitude = static_cast<UnsignedWide>(negative ? -units : units);
            EXPECT_EQ(std::bit_cast<std::uint64_t>(total_into(unit, units, point)),
                      std::bit_cast<std::uint64_t>(exact::from_integer(f, magnitude, negative, -point)))
                << text;
        }
    }
}

// From a result toward zero and whether it was exact, as the kernels have them.
TEST(QuickRounding, IsTheFormats) {
    std::mt19937_64 random(3);
    constexpr Format kRz = Format{52, 11}.with(Subnormals::gradual);
    for (const char* text : {"s52e11", "s23e8", "s16e8:rne", "s23e8:rne", "s50e11:rne", "s5e4:rne", "s10e5"}) {
        const Format f = parse_format(text);
        const QuickRounding quick(f);
        ASSERT_TRUE(quick.fits);
        int moderate_ones = 0;
        for (int n = 0; n < 50000; ++n) {
            const auto value = [&] {
                const double x =
                    std::ldexp(1 + static_cast<double>(random() >> 12) * 0x1p-52, static_cast<int>(random() % 12) - 6);
                return exact::convert(f, random() % 3 == 0 ? std::ldexp(std::round(std::ldexp(x, 4)), -4) : x);
            };
            const double a = value(), b = value(), want = exact::div(f, a, b), z = exact::div(kRz, a, b);
            if (z == 0 || !std::isfinite(z)) continue;
            const bool inexact = exact::fma(kRz, z, b, -a) != 0;
            bool moderate = true;
            const double got =
                quick.nearest ? quick.round<true>(z, inexact, moderate) : quick.round<false>(z, inexact, moderate);
            if (!moderate) continue;
            ++moderate_ones;
            EXPECT_EQ(std::bit_cast<std::uint64_t>(got), std::bit_cast<std::uint64_t>(want))
                << text << " " << a << " / " << b;
            bool negative = true;
            static_cast<void>(quick.nearest ? quick.round<true>(-z, inexact, negative)
                                            : quick.round<false>(-z, inexact, negative));
            EXPECT_FALSE(negative);
        }
        EXPECT_GT(moderate_ones, 20000);
    }
    EXPECT_FALSE(QuickRounding(formats::kDouble).fits);
}

} // namespace
} // namespace mantissa::gpu
