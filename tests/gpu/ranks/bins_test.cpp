// Sums in words of their bins, on the host, against OrderFreeSum bit for bit.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "mantissa/partition/order_free_sum.hpp"
#include "ranks/bins.hpp"

namespace {

using namespace mantissa;
using namespace mantissa::gpu;
using Words = std::array<std::uint64_t, kSumWords>;

/// What a warp does with its terms (block_bins.cuh), in plain loops.
void add(Words& words, const std::vector<double>& terms) {
    std::uint32_t key = 0;
    for (const double term : terms) key = std::max(key, size_key(term));
    if (key == 0) return;
    if (is_lost(key)) {
        ++words[kLostWord];
        return;
    }
    const int top = top_of(key);
    ++words[static_cast<std::size_t>(bin_word(top, kTopWord))];
    for (double rest : terms)
        for (int b = 0; b < kBinsKept; ++b) {
            const int bin = top - b;
            const volatile double up = rest + rounder_of(bin);
            const double digits = up - rounder_of(bin);
            rest -= digits;
            const std::int64_t count = units_of(digits, bin);
            words[static_cast<std::size_t>(bin_word(bin, kLowWord))] += static_cast<std::uint64_t>(count) & 0xFFFFFFFFu;
            words[static_cast<std::size_t>(bin_word(bin, kHighWord))] += static_cast<std::uint64_t>(count >> 32);
        }
}

void expect_same(const std::vector<double>& a, const std::vector<double>& b, std::size_t share) {
    OrderFreeSum whole;
    whole.add_products(a, b);
    Words words{};
    for (std::size_t at = 0; at < a.size(); at += share) { // as if ranks had `share` terms each, the last ones fewer
        Words own{};
        std::vector<double> terms;
        for (std::size_t k = at; k < std::min(at + share, a.size()); ++k) terms.push_back(a[k] * b[k]);
        add(own, terms);
        for (std::size_t k = 0; k < words.size(); ++k) words[k] += own[k];
    }
    EXPECT_EQ(std::bit_cast<std::uint64_t>(total_of(words.data())), std::bit_cast<std::uint64_t>(whole.total()))
        << total_of(words.data()) << " for " << whole.total();
}

TEST(RankBins, TotalsAreOrderFreeSums) {
    std::mt19937_64 random(20);
    for (const int spread : {1, 20, 100, 400}) // exponents of the factors
        for (const std::size_t count : {1UL, 7UL, 1000UL, 5000UL})
            for (const std::size_t share : {1UL, 33UL, 700UL}) {
                std::uniform_real_distribution<double> number(-1, 1);
                std::uniform_int_distribution<int> exponent(-spread, spread);
                std::vector<double> a, b;
                for (std::size_t k = 0; k < count; ++k) {
                    a.push_back(std::ldexp(number(random), exponent(random)));
                    b.push_back(std::ldexp(number(random), exponent(random)));
                }
                expect_same(a, b, share);
            }
}

TEST(RankBins, LargestTermsThatCancelStillSetTheBins) {
    // What is left of 2^200 - 2^200 + 2^80 + 2^-30 is what its three bins hold.
    expect_same({0x1p200, -0x1p200, 0x1p80, 0x1p-30}, {1, 1, 1, 1}, 1);
    expect_same({0x1p200, -0x1p200, 0x1.8p-30}, {1, 1, 1}, 2);
    expect_same({1, -1}, {1, 1}, 1);
}

TEST(RankBins, EndsOfTheRange) {
    constexpr double kTiny = std::numeric_limits<double>::denorm_min(), kHuge = 0x1.fffffp958;
    expect_same({0, -0.0}, {1, 1}, 1);
    expect_same({kTiny, 3 * kTiny, 0x1p-1000}, {1, 1, 1}, 1);
    expect_same({kHuge, kHuge, -1.5}, {1, 1, 1}, 1);
    for (const double lost :
         {0x1p959, -0x1p1000, std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
        Words words{};
        add(words, {1, lost});
        EXPECT_TRUE(std::isnan(total_of(words.data()))) << lost;
    }
}

TEST(RankBins, WideIntegersRoundToTheNearest) {
    EXPECT_EQ(to_double((__int128{1} << 100) + 1), 0x1p100);
    EXPECT_EQ(to_double((__int128{1} << 100) + (__int128{1} << 47)), 0x1p100); // half, to even
    EXPECT_EQ(to_double((__int128{1} << 100) + (__int128{1} << 47) + 1), std::nextafter(0x1p100, 0x1p101));
    EXPECT_EQ(to_double(-(__int128{1} << 90)), -0x1p90);
    EXPECT_EQ(to_double(0), 0.0);
}

} // namespace
