// The kernels that round arrays, beside the definition in integers (exact_rounding.hpp): around every number of formats
// of at most 16 bits, and on random doubles; and that definition beside exact.hpp, where a narrow format is one of
// Format's.
#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "mantissa/exact.hpp"
#include "mantissa/narrow/narrow_unit.hpp"
#include "narrow/exact_rounding.hpp"

namespace {

using namespace mantissa;
using namespace mantissa::narrow;

constexpr const char* kDirections[] = {"rz", "rne", "rna", "odd", "up", "down", "sr"};

bool same(double x, double y) {
    return std::bit_cast<std::uint64_t>(x) == std::bit_cast<std::uint64_t>(y) || (std::isnan(x) && std::isnan(y));
}

/// Of each number of the format: itself, the tie above it and what lies beside the two; and extremes.
std::vector<double> around_every_number(const NarrowFormat& f) {
    std::vector<double> x = {0.0,
                             0x1p-1074,
                             0x1p-1022,
                             0x1p-1060,
                             0x1.fffffffffffffp1023,
                             0x1p1023,
                             1e-300,
                             std::numeric_limits<double>::infinity(),
                             std::numeric_limits<double>::quiet_NaN()};
    double before = 0;
    for (std::uint64_t bits = 0; bits < std::uint64_t{1} << (f.width() - (f.is_signed ? 1 : 0)); ++bits) {
        const double v = decode(f, bits);
        if (!std::isfinite(v)) continue;
        for (const double p : {v, (v + before) / 2, v / 2 + before / 2 + v / 8})
            for (const double q : {p, std::nextafter(p, 0.0), std::nextafter(p, 1e308)}) x.push_back(q);
        before = v;
    }
    for (const double factor : {1.0 + 0x1p-17, 1.0 + 0x1p-5, 1.25, 1.5, 1.75, 2.0, 3.0}) x.push_back(f.max * factor);
    const std::size_t n = x.size();
    for (std::size_t i = 0; i < n; ++i) x.push_back(-x[i]);
    return x;
}

std::vector<double> random_doubles(std::size_t n) {
    std::mt19937_64 random(1);
    std::normal_distribution<double> normal;
    std::uniform_int_distribution<int> power(-60, 60);
    std::vector<double> x;
    for (std::size_t i = 0; i < n; ++i) {
        x.push_back(std::bit_cast<double>(random()));
        x.push_back(std::ldexp(normal(random), power(random)));
        x.push_back(std::ldexp(static_cast<double>(random() % 4096), power(random)));
    }
    return x;
}

void compare(const std::string& text, const std::vector<double>& x) {
    const auto f = parse_narrow(text);
    ASSERT_TRUE(f.has_value()) << text;
    std::vector<double> out(x.size());
    NarrowUnit(*f, 5).round(x, out, 3);
    int shown = 0;
    for (std::size_t i = 0; i < x.size() && shown < 3; ++i) {
        const double wanted = exact_round(*f, Operation::convert, x[i], 0, 0, random_bits(5, 3 + i));
        if (same(out[i], wanted)) continue;
        ++shown;
        ADD_FAILURE() << text << " rounds " << std::hexfloat << x[i] << " to " << out[i] << ", by definition "
                      << wanted;
    }
}

TEST(NarrowKernels, AroundEveryNumberOfShortFormats) {
    for (const char* head :
         {"fp8_e4m3", "fp8_e5m2", "fp8_e4m3fnuz", "fp8_e5m2fnuz", "fp8_e4m3b11fnuz", "fp6_e3m2", "fp6_e2m3", "fp4_e2m1",
          "e8m0", "s10e5:subnormals", "s7e8", "s7e8:subnormals", "s3e4", "s2e5"})
        for (const char* direction : kDirections) {
            const std::string text = std::string(head) + ":" + direction;
            const auto f = parse_narrow(text);
            if (!f) continue; // a Format, which other kernels round
            for (const char* more : {"", ":sat", ":satfinite", ":nan"})
                if (f->has_nan || std::string(more) != ":nan") compare(text + more, around_every_number(*f));
        }
}

TEST(NarrowKernels, AroundEveryNumberOfP3109) {
    for (int bits = 3; bits <= 8; ++bits)
        for (int precision = 1; precision <= bits; ++precision)
            for (const char* kind : {"se", "sf", "ue", "uf"}) {
                if (precision == bits && kind[0] == 's') continue;
                const std::string head = "binary" + std::to_string(bits) + "p" + std::to_string(precision) + kind;
                const std::vector<double> x = around_every_number(*parse_narrow(head));
                for (const char* direction : kDirections)
                    for (const char* more : {"", ":sat", ":satfinite"}) compare(head + ":" + direction + more, x);
            }
    for (const char* head : {"binary16p11se", "binary16p8uf", "binary15p5se", "binary12p2ue", "binary11p1se"}) {
        const std::vector<double> x = around_every_number(*parse_narrow(head));
        for (const char* direction : kDirections) compare(std::string(head) + ":" + direction, x);
    }
}

/// Every split of 16 bits into fraction and exponent, the longest exponents among them, whose smallest numbers are
/// doubles below the normal ones.
TEST(NarrowKernels, AroundEveryNumberOfSixteenBits) {
    for (int exponent = 2; exponent <= 11; ++exponent)
        for (const char* policy : {"subnormals", "flush"}) {
            const std::string head =
                "s" + std::to_string(15 - exponent) + "e" + std::to_string(exponent) + ":" + policy + ":";
            const std::vector<double> x = around_every_number(*parse_narrow(head + "rna"));
            for (const char* direction : kDirections)
                if (parse_narrow(head + direction)) compare(head + direction, x);
        }
    for (int precision = 1; precision <= 16; ++precision) {
        const std::string head = "binary16p" + std::to_string(precision) + (precision % 2 == 0 ? "ue" : "sf");
        const NarrowFormat f = *parse_narrow(head);
        if (!f.fits_double()) continue; // arrays are refused
        const std::vector<double> x = around_every_number(f);
        for (const char* direction : kDirections) compare(head + ":" + direction, x);
    }
}

TEST(NarrowKernels, RandomDoubles) {
    std::vector<double> x = random_doubles(20'000);
    std::mt19937_64 random(2);
    std::normal_distribution<double> normal; // in a row: what most formats have as normal numbers
    for (int i = 0; i < 20'001; ++i) x.push_back(normal(random));
    for (const char* head : {"fp8_e4m3", "s10e5:subnormals", "s23e8", "s23e8:subnormals", "s40e8:subnormals",
                             "s52e11:subnormals", "s51e11:subnormals", "s52e8:subnormals", "s30e11", "binary8p3ue",
                             "e8m0", "s2e2:subnormals", "binary12p2ue", "s7e8:subnormals", "s16e8", "s20e11"})
        for (const char* direction : kDirections)
            compare(std::string(head) + ":" + direction + (head[0] == 's' ? ":nan" : ""), x);
}

/// Where the numbers and the rounding are a Format's, so are the results: of every operation, on any doubles.
TEST(ExactRounding, IsThatOfTheContract) {
    const std::vector<double> a = random_doubles(3000), b(a.rbegin(), a.rend());
    for (const std::string text : {"s10e5:subnormals", "s7e8", "s40e11:subnormals", "s52e11:subnormals", "s30e9"}) {
        const bool truncates = text.find(':') == std::string::npos;
        const Format format = parse_format(text + (truncates ? ":rz" : ":rne"));
        auto f = parse_narrow(text + ":rna"); // (a word that makes it a narrow format)
        f->direction = truncates ? Direction::toward_zero : Direction::nearest_even;
        for (const Operation op : {Operation::add, Operation::sub, Operation::mul, Operation::div, Operation::sqrt,
                                   Operation::fma, Operation::convert})
            for (std::size_t i = 0; i < a.size(); ++i) {
                const double c = a[(i + 7) % a.size()], mine = exact_round(*f, op, a[i], b[i], c, 0);
                ASSERT_TRUE(same(mine, exact::apply(op, format, a[i], b[i], c, 0.0)))
                    << text << " " << name(op) << std::hexfloat << " " << a[i] << " " << b[i] << " " << c;
            }
    }
}

TEST(ExactRounding, BeyondADoublesRangeIsRefused) {
    EXPECT_THROW(NarrowUnit(*parse_narrow("binary16p1se")), InvalidInput);
    EXPECT_EQ(decode_value(*parse_narrow("binary16p1se"), 0x7FFE).exponent, 16382);
    EXPECT_EQ(encode(*parse_narrow("binary16p1se"), Value{Value::Kind::finite, true, 2, -16384}), 0x8001U);
}

} // namespace
