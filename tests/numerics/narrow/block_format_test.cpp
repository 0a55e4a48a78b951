// Blocks of MX words beside reference_blocks.hpp, which works in exact fractions: every element, every rule, at the
// borders of both.
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "expect_line.hpp"
#include "mantissa/narrow/block_format.hpp"
#include "reference_blocks.hpp"

namespace mantissa {
namespace {

using narrow::BlockFormat;
using narrow::parse_block_format;
using narrow::round_blocks;
using testing::reference_blocks;
using testing::ReferenceElement;

constexpr const char* kElements[] = {"mxint8", "mxfp8_e4m3", "mxfp8_e5m2", "mxfp6_e3m2", "mxfp6_e2m3", "mxfp4_e2m1"};
constexpr const char* kRules[] = {"floor", "ceil", "even", "rceil"};

void expect_reference(const std::string& text, const std::vector<double>& x) {
    const BlockFormat f = *parse_block_format(text);
    const std::vector<double> want = reference_blocks(f, x);
    std::vector<double> got(x.size());
    round_blocks(f, x, got);
    for (std::size_t i = 0; i < x.size(); ++i) {
        if (std::isnan(want[i])) {
            ASSERT_TRUE(std::isnan(got[i])) << text << " [" << i << "] of " << x[i];
            continue;
        }
        ASSERT_EQ(got[i], want[i]) << text << " [" << i << "] of " << x[i];
        ASSERT_EQ(std::signbit(got[i]), std::signbit(want[i])) << text << " [" << i << "] of " << x[i];
    }
    std::vector<double> in_place = x, again(x.size());
    round_blocks(f, in_place, in_place);
    for (std::size_t i = 0; i < x.size(); ++i) EXPECT_TRUE(in_place[i] == got[i] || std::isnan(got[i])) << text;
}

template <class Body> void for_every_format(Body&& body) {
    for (const char* element : kElements)
        for (const char* rule : kRules) body(std::string(element) + ":" + rule);
}

// Numbers of many magnitudes, so that blocks have large and small ones, both signs, zeros.
TEST(BlockFormat, RoundsAsTheReference) {
    std::mt19937_64 random(3);
    std::vector<double> x(32 * 9 + 5);
    for (std::size_t i = 0; i < x.size(); ++i) {
        const int spread = static_cast<int>(random() % 40), base = static_cast<int>(i / 32) * 16 - 60;
        const double sign = random() % 2 == 0 ? 1.0 : -1.0;
        x[i] = random() % 11 == 0 ? sign * 0.0 : sign * std::ldexp(static_cast<double>(random() >> 11), base - spread);
    }
    for_every_format([&](const std::string& text) {
        expect_reference(text, x);
        expect_reference(text + "/1", x);
        expect_reference(text + "/8", x);
        expect_reference(text + "/4096", x);
    });
}

// Of each element every number, every tie and their neighbours, beside a largest one that fixes the scale.
TEST(BlockFormat, TiesAndTheirNeighbours) {
    for_every_format([&](const std::string& text) {
        const ReferenceElement e = ReferenceElement::of(parse_block_format(text)->element);
        std::vector<double> numbers;
        for (std::size_t k = 0; k + 1 < e.magnitudes.size(); ++k) {
            const auto low = static_cast<double>(e.magnitudes[k]), high = static_cast<double>(e.magnitudes[k + 1]);
            const double tie = (low + high) / 2;
            for (const double v : {low, tie, std::nextafter(tie, low), std::nextafter(tie, high)}) {
                numbers.push_back(v);
                numbers.push_back(-v);
            }
        }
        const auto largest = static_cast<double>(e.magnitudes.back());
        std::vector<double> x;
        for (std::size_t i = 0; i < numbers.size(); ++i) {
            if (i % 31 == 0) x.push_back(largest); // at the head of each block of 32
            x.push_back(numbers[i]);
        }
        expect_reference(text, x);
    });
}

// The rules differ where the largest magnitude is about a power of two, about the element's largest number and about
// what its fraction bits round up; and at the ends of scales.
TEST(BlockFormat, ScalesAtTheirBorders) {
    for_every_format([&](const std::string& text) {
        const ReferenceElement e = ReferenceElement::of(parse_block_format(text)->element);
        const auto largest = static_cast<double>(e.magnitudes.back());
        std::vector<double> at;
        for (const int k : {-300, -160, -140, -128, -127, -126, -30, -1, 0, 1, 30, 126, 127, 128, 140, 300}) {
            const double one = std::ldexp(1.0, k);
            at.insert(at.end(), {one, one * largest, one * 1.5, one * (2 - std::ldexp(1.0, -e.fraction_bits - 1)),
                                 one * static_cast<double>(static_cast<float>(1 / largest))});
        }
        std::vector<double> x;
        for (const double v : at)
            for (const double most : {v, std::nextafter(v, 0.0), std::nextafter(v, 1e300), v * (1 + 0x1p-24)})
                x.insert(x.end(), {most, -most / 3});
        expect_reference(text + "/2", x);
    });
}

TEST(BlockFormat, ZerosInfinitiesAndNaN) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
    const std::vector<double> x = {0, -0.0,       0,    0,       1,     2, kInfinity, 3, kNaN,   1, 5e-324, -5e-324,
                                   1, -kInfinity, kNaN, 0x1p128, 1e308, 2, -1e308,    1, 0x1p127};
    for_every_format([&](const std::string& text) { expect_reference(text + "/4", x); });
}

// Section 5.3 of the specification names the numbers.
TEST(BlockFormat, NumbersOfTheSpecification) {
    const auto one = [](const char* text, double x, double most) {
        const std::vector<double> in = {most, x};
        std::vector<double> out(2);
        round_blocks(*parse_block_format(text), in, out);
        return out;
    };
    EXPECT_EQ(one("mxint8", 1.0 / 64, 127.0 / 64), (std::vector<double>{127.0 / 64, 1.0 / 64}));
    EXPECT_EQ(one("mxfp8_e4m3", 0x1p-9, 448), (std::vector<double>{448, 0x1p-9}));
    EXPECT_EQ(one("mxfp8_e5m2", 0x1p-16, 57344), (std::vector<double>{57344, 0x1p-16}));
    EXPECT_EQ(one("mxfp6_e3m2", 0.0625, 28), (std::vector<double>{28, 0.0625}));
    EXPECT_EQ(one("mxfp6_e2m3", 0.125, 7.5), (std::vector<double>{7.5, 0.125}));
    EXPECT_EQ(one("mxfp4_e2m1", 0.5, 6), (std::vector<double>{6, 0.5}));
    EXPECT_EQ(one("mxfp4_e2m1", 1, 7.9)[0], 6); // floor saturates
    EXPECT_EQ(one("mxfp4_e2m1:ceil", 1, 7.9)[0], 8);
    EXPECT_EQ(one("mxfp4_e2m1:rceil", 1, 7.9)[0], 8);
    EXPECT_EQ(one("mxfp4_e2m1:even", 1, 6.9)[0], 6);
    EXPECT_EQ(one("mxfp4_e2m1:even", 1, 7)[0], 8);
}

TEST(BlockFormat, TextsReadBack) {
    for (const char* element : kElements)
        for (const char* rule : kRules)
            for (const char* length : {"", "/1", "/16", "/32", "/65536"}) {
                const BlockFormat f = *parse_block_format(std::string(element) + ":" + rule + length);
                EXPECT_EQ(*parse_block_format(to_string(f)), f);
            }
    EXPECT_EQ(to_string(*parse_block_format("mxint8:floor/32")), "mxint8");
    EXPECT_EQ(to_string(*parse_block_format("mxfp6_e3m2:rceil/64")), "mxfp6_e3m2:rceil/64");
    EXPECT_EQ(to_string(BlockFormat{}), "");
    EXPECT_FALSE(parse_block_format("s17e8").has_value());
    EXPECT_FALSE(parse_block_format("").has_value());
    EXPECT_DOUBLE_EQ(parse_block_format("mxint8")->bits(), 8.25);
    EXPECT_DOUBLE_EQ(parse_block_format("mxfp4_e2m1/16")->bits(), 4.5);
    EXPECT_EQ(parse_block_format("mxfp6_e2m3")->factor_bits(), 4);
}

TEST(BlockFormat, FaultsAreNamedInOneLine) {
    const auto faulty = [](const std::string& text, const std::string& phrase) {
        SCOPED_TRACE(text);
        test::expect_line([&] { (void)parse_block_format(text); }, phrase);
    };
    for (const char* text : {"mx", "mxint", "mxint9", "mxfp8", "mxfp8_e3m4", "mxint8 ", "mx/32"})
        faulty(text, "the block formats are mxint8, mxfp8_e4m3, mxfp8_e5m2, mxfp6_e3m2, mxfp6_e2m3, mxfp4_e2m1");
    for (const char* text : {"mxint8:", "mxint8:round", "mxint8:ceil:floor", "mxint8:CEIL"})
        faulty(text, "after the colon is the scale's rule: floor, ceil, even or rceil");
    for (const char* text : {"mxint8/", "mxint8/0", "mxint8/-2", "mxint8/33", "mxint8/131072", "mxint8/99999999999",
                             "mxint8/32/32", "mxint8/32:ceil", "mxint8:ceil/x"})
        faulty(text, "after the slash is a block's length, a power of two in 1..65536");
    std::vector<double> two(2), three(3);
    test::expect_line([&] { round_blocks(*parse_block_format("mxint8"), two, three); }, "2 numbers into 3 places");
}

} // namespace
} // namespace mantissa
