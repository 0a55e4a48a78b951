// Narrow formats against their own tables: every bit pattern there and back, and every rounding by looking at the two
// neighbours of a number. tests/python judges them by exact fractions besides.
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "mantissa/errors.hpp"
#include "mantissa/format.hpp"
#include "mantissa/narrow/narrow_unit.hpp"

namespace {

using namespace mantissa;
using namespace mantissa::narrow;

constexpr const char* kNames[] = {"fp8_e4m3", "fp8_e5m2", "fp6_e3m2", "fp6_e2m3", "fp4_e2m1"};

NarrowFormat of(const std::string& text) {
    const auto f = parse_narrow(text);
    EXPECT_TRUE(f.has_value()) << text;
    return f.value_or(NarrowFormat{});
}

double rounded(const NarrowFormat& f, double x, std::uint64_t seed = 0, std::uint64_t index = 0) {
    double y = 0;
    NarrowUnit(f, seed).round({&x, 1}, {&y, 1}, index);
    return y;
}

std::vector<double> magnitudes(const NarrowFormat& f) {
    std::vector<double> all;
    for (std::uint32_t bits = 0; bits < 1U << (f.width() - 1); ++bits)
        if (const double v = decode(f, bits); std::isfinite(v)) all.push_back(v);
    return all;
}

TEST(Narrow, EveryPatternReadsBack) {
    for (const char* name : kNames) {
        const NarrowFormat f = of(name);
        for (std::uint32_t bits = 0; bits < 1U << f.width(); ++bits)
            if (const double v = decode(f, bits); !std::isnan(v)) {
                EXPECT_EQ(encode(f, v), bits) << name;
            }
        const std::vector<double> all = magnitudes(f);
        EXPECT_EQ(all.back(), f.max) << name;
        EXPECT_TRUE(std::is_sorted(all.begin(), all.end())) << name;
    }
    EXPECT_EQ(of("fp8_e4m3").max, 448);
    EXPECT_EQ(decode(of("fp8_e5m2"), 0x7C), std::numeric_limits<double>::infinity());
    EXPECT_TRUE(std::isnan(decode(of("fp8_e4m3"), 0x7F)));
}

TEST(Narrow, EachDirectionPicksItsNeighbour) {
    for (const char* name : kNames) {
        const NarrowFormat base = of(name);
        const std::vector<double> table = magnitudes(base);
        const auto in = [&](const char* word, double x) { return rounded(of(std::string(name) + ":" + word), x); };
        for (std::size_t i = 0; i + 1 < table.size(); ++i) {
            const double low = table[i], high = table[i + 1], tie = (low + high) / 2;
            const double even = i % 2 == 0 ? low : high, odd = i % 2 == 0 ? high : low;
            const double below = std::nextafter(tie, low), above = std::nextafter(tie, high);
            EXPECT_EQ(in("rne", tie), even) << name << " " << tie;
            EXPECT_EQ(in("rne", below), low) << name;
            EXPECT_EQ(in("rne", above), high) << name;
            EXPECT_EQ(in("rna", tie), high) << name;
            EXPECT_EQ(in("rna", -tie), -high) << name;
            EXPECT_EQ(in("rna", below), low) << name;
            EXPECT_EQ(in("odd", below), odd) << name;
            EXPECT_EQ(in("rz", -above), -low) << name;
            EXPECT_EQ(in("up", below), high) << name;
            EXPECT_EQ(in("up", -above), -low) << name;
            EXPECT_EQ(in("down", -below), -high) << name;
            for (const char* word : {"rne", "rna", "odd", "rz", "up", "down", "sr"})
                EXPECT_EQ(in(word, high), high) << word;
        }
    }
}

TEST(Narrow, BeyondTheLargest) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    EXPECT_EQ(rounded(of("fp8_e4m3"), 464), 448);
    EXPECT_EQ(rounded(of("fp8_e4m3"), -kInfinity), -448);
    EXPECT_EQ(rounded(of("fp8_e4m3:nan"), 464), 448);
    EXPECT_TRUE(std::isnan(rounded(of("fp8_e4m3:nan"), 465)));
    EXPECT_EQ(rounded(of("fp8_e5m2"), 61440), kInfinity);
    EXPECT_EQ(rounded(of("fp8_e5m2:rz"), 1e300), 57344);
    EXPECT_EQ(rounded(of("fp8_e5m2:sat"), 1e300), 57344);
    EXPECT_EQ(rounded(of("s7e8:odd"), 1e300), of("s7e8:odd").max);
    EXPECT_EQ(rounded(of("s7e8:rna"), 5e-324), 0);
}

TEST(Narrow, StochasticRoundingFollowsItsRandomBits) {
    const NarrowFormat f = of("s7e8:sr");
    const double x = 1 + 0x1p-9; // a quarter of the step above 1
    for (std::uint64_t i = 0; i < 1000; ++i)
        EXPECT_EQ(rounded(f, x, 9, i), random_bits(9, i) < 0x40000000U ? 1 + 0x1p-7 : 1.0);
}

TEST(Narrow, OperationsRoundOnce) {
    const NarrowFormat f = of("s10e5:rna:subnormals");
    const std::vector<double> a = {1 + 0x1p-10, 1, 3, 2}, b = {1 + 0x1p-10, 0x1p-11, 3, 7}, c = {0, 0, 0x1p-12, 1};
    std::vector<double> out(4);
    const NarrowUnit unit(f);
    unit.apply(Operation::mul, a, b, {}, out);
    EXPECT_EQ(out[0], 1 + 0x1p-9); // 1 + 2^-9 + 2^-20
    unit.apply(Operation::add, a, b, {}, out);
    EXPECT_EQ(out[1], 1 + 0x1p-10); // a tie, away
    unit.apply(Operation::sub, a, b, {}, out);
    EXPECT_EQ(out[1], 1 - 0x1p-11);
    unit.apply(Operation::fma, a, b, c, out);
    EXPECT_EQ(out[2], 9);
    const std::vector<double> tenth(4, 0.1); // no float's value
    unit.apply(Operation::add, tenth, b, {}, out);
    EXPECT_EQ(out[1], rounded(f, 0.1 + 0x1p-11));
}

TEST(Narrow, TextsReadBack) {
    for (const char* text : {"fp8_e4m3:sr:nan", "fp8_e5m2:sat", "s10e5:odd", "s7e8:rna:subnormals:sat", "fp4_e2m1"})
        EXPECT_EQ(of(to_string(of(text))), of(text)) << text;
    EXPECT_FALSE(parse_narrow("s17e8").has_value());
    EXPECT_FALSE(parse_narrow("fx18.16").has_value());
    EXPECT_THROW((void)parse_narrow("fp4_e2m1:inf"), InvalidInput);
    EXPECT_THROW((void)parse_narrow("s60e8:rna"), InvalidInput);
    EXPECT_THROW((void)parse_narrow("binary8p8se"), InvalidInput);
    EXPECT_THROW((void)parse_narrow("binary17p3"), InvalidInput);
    EXPECT_THROW((void)parse_narrow("binary8p3x"), InvalidInput);
    for (const char* text : {"binary8p3se", "binary16p1uf:satfinite", "e8m0", "e8m0:rne", "fp8_e4m3fnuz", "s52e11:up",
                             "fp8_e5m2fnuz:nan", "binary8p4sf:nan", "binary8p4sf:sat", "binary12p7uf:odd"})
        EXPECT_EQ(of(to_string(of(text))), of(text)) << text;
    EXPECT_EQ(of("binary8p3"), of("Binary8p3se"));
    EXPECT_EQ(of("float8_e4m3fn"), of("fp8_e4m3:nan"));
    EXPECT_EQ(parse_format("bf16"), formats::kBfloat16);
    EXPECT_EQ(parse_format("float16:flush"), formats::kHalf.with(Subnormals::flush));
}

} // namespace
