// Text into and out of formats: rounded once, as MPFR reads it, and out as the shortest text that reads back.
#include "mantissa/float_charconv.hpp"

#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "judge.hpp"
#include "operands.hpp"

namespace mantissa {
namespace {

using namespace literals;
using judge::Judge;
using judge::Random;

constexpr Format kFormats[] = {
    "s2e2"_fmt,   "s3e4:rne:subnormals"_fmt, "s4e3:rne:sat"_fmt,   formats::kHalf,  "s10e5"_fmt,  "s7e8:rne"_fmt,
    "s17e8"_fmt,  "s17e8:subnormals"_fmt,    "s22e8:rne"_fmt,      formats::kFloat, "s36e11"_fmt, "s51e11:rne"_fmt,
    "s52e11"_fmt, "s52e11:rne"_fmt,          "s52e11:rne:sat"_fmt, formats::kDouble};

/// A finite number of f that is not zero.
double draw(const Format& f, Random& random) {
    const std::uint64_t all = ~std::uint64_t{0} >> (64 - f.width());
    for (;;) {
        std::uint64_t bits = random() & all;
        if ((random() & 3) == 0) bits &= ~std::uint64_t{0} << (f.fraction_bits / 2 + 1); // few digits
        const double x = decode(f, bits);
        if (std::isfinite(x) && x != 0) return x;
    }
}

/// An MPFR number exactly, in decimal.
std::string exact_text(mpfr_srcptr x) {
    char* text = nullptr;
    mpfr_asprintf(&text, "%.1100Re", x);
    std::string result = text;
    mpfr_free_str(text);
    return result;
}
/// x + numerator/denominator of the distance to the next double.
std::string between(double x, int numerator, int denominator) {
    mpfr_t wide, next;
    mpfr_inits2(200, wide, next, nullptr);
    mpfr_set_d(wide, x, MPFR_RNDN);
    mpfr_set_d(next, std::nextafter(x, 2 * x), MPFR_RNDN);
    mpfr_sub(next, next, wide, MPFR_RNDN);
    mpfr_mul_si(next, next, numerator, MPFR_RNDN);
    mpfr_div_si(next, next, denominator, MPFR_RNDN);
    mpfr_add(wide, wide, next, MPFR_RNDN);
    const std::string text = exact_text(wide);
    mpfr_clears(wide, next, nullptr);
    return text;
}

void expect_as_mpfr(const Format& f, Judge& judge, const std::string& text, std::chars_format notation) {
    const bool hex = notation == std::chars_format::hex;
    ASSERT_TRUE(judge.form_text(text, hex ? 16 : 10)) << text;
    const double want = judge.result(f);
    double got = 77;
    const auto [end, error] = from_chars(text.data(), text.data() + text.size(), f, got, notation);
    ASSERT_EQ(end, text.data() + text.size()) << text;
    ASSERT_TRUE(judge::same(got, want)) << to_string(f) << " " << text.substr(0, 60) << ": " << got << ", expected "
                                        << want;
    if (error != std::errc()) {
        ASSERT_EQ(error, std::errc::result_out_of_range);
        ASSERT_TRUE(want == 0 || std::fabs(want) >= f.max()) << text;
    } else {
        ASSERT_TRUE(std::isfinite(want));
    }
}

/// Texts at and beside everything that decides a rounding, of f's number x.
std::vector<std::string> texts_about(const Format& f, double x, Random& random) {
    std::vector<std::string> texts;
    const double unit = std::ldexp(f.epsilon(), std::max(std::ilogb(x), f.min_exponent()));
    const double magnitude = std::fabs(x), middle = magnitude + unit / 2; // a double, but of the longest formats
    for (const double at : {magnitude, middle, magnitude + unit, magnitude - unit / 2, magnitude - unit / 4}) {
        if (at <= 0 || !std::isfinite(at) || !std::isfinite(std::nextafter(at, HUGE_VAL))) continue;
        for (const auto& [numerator, denominator] : {std::pair(0, 1), {1, 2}, {1, 1000}, {-1, 1000}, {1, 3}})
            texts.push_back(between(at, numerator, denominator));
        // A digit far after the last one that a double needs, and a number that ends far before.
        std::string far = texts[texts.size() - 5];
        far.insert(far.find('e'), 900, '0').insert(far.find('e'), "1");
        texts.push_back(far);
        char shorter[40];
        std::snprintf(shorter, sizeof shorter, "%.*e", static_cast<int>(random() % 18), at);
        texts.emplace_back(shorter);
    }
    if (x < 0)
        for (std::string& text : texts) text.insert(0, "-");
    return texts;
}

TEST(CharconvReads, AsMpfr) {
    Random random(3);
    std::size_t read = 0;
    for (const Format& f : kFormats) {
        Judge judge(f, 53);
        for (int i = 0; i < 25; ++i)
            for (const std::string& text : texts_about(f, draw(f, random), random)) {
                expect_as_mpfr(f, judge, text, std::chars_format::general);
                if (HasFatalFailure()) return;
                ++read;
            }
        for (const double end : {f.max(), f.min_normal(), f.min_positive()})
            for (const double sign : {1.0, -1.0})
                for (const std::string& text : texts_about(f, sign * end, random)) {
                    expect_as_mpfr(f, judge, text, std::chars_format::general);
                    if (HasFatalFailure()) return;
                }
        for (const char* text :
             {"0", "-0", "-0.000e5", "1", "0.1", "1e5000", "-1e-5000", "1e9999", "-1e-99999", "0e99999999999",
              "123456789012345678901234567890", "1.7976931348623159e308", "2.4703282292062328e-324",
              "2.4703282292062327e-324", "4.9e-324", "1e400", "-3e-400"}) {
            expect_as_mpfr(f, judge, text, std::chars_format::general);
            if (HasFatalFailure()) return;
        }
        for (const char* text : {"1.8p0", "-1.fffffffffffff8p3", "1.00000000000008p-1", "1.000000000000080000001p0",
                                 "0.0000000000000000000008p-1000", "abcdef0123456789.5", "1p2000", "-1p-2000", "0p9"}) {
            expect_as_mpfr(f, judge, text, std::chars_format::hex);
            if (HasFatalFailure()) return;
        }
    }
    EXPECT_GT(read, 5000u);
}

TEST(CharconvReads, WhatIsNoNumberAsTheStandard) {
    Float<"s17e8"_fmt> x = 7;
    const auto read = [&x](std::string_view text, std::chars_format notation = std::chars_format::general) {
        const auto [end, error] = from_chars(text.data(), text.data() + text.size(), x, notation);
        return std::pair(end - text.data(), error);
    };
    for (const char* text : {"", "x", "+1", " 1", "-", ".", "e5"}) {
        EXPECT_EQ(read(text), std::pair(std::ptrdiff_t{0}, std::errc::invalid_argument)) << text;
        EXPECT_EQ(x, 7);
    }
    EXPECT_EQ(read("1.5x"), std::pair(std::ptrdiff_t{3}, std::errc()));
    EXPECT_EQ(x, 1.5);
    EXPECT_EQ(read("2e"), std::pair(std::ptrdiff_t{1}, std::errc()));
    EXPECT_EQ(x, 2);
    EXPECT_EQ(read("3e4", std::chars_format::fixed), std::pair(std::ptrdiff_t{1}, std::errc()));
    EXPECT_EQ(x, 3);
    EXPECT_EQ(read("-inf"), std::pair(std::ptrdiff_t{4}, std::errc()));
    EXPECT_TRUE(isinf(x) && x < 0);
    EXPECT_EQ(read("nan"), std::pair(std::ptrdiff_t{3}, std::errc()));
    EXPECT_TRUE(isnan(x));
    EXPECT_EQ(read("1e60"), std::pair(std::ptrdiff_t{4}, std::errc::result_out_of_range)); // by the policy
    EXPECT_EQ(x, std::numeric_limits<decltype(x)>::max());
    EXPECT_EQ(read("-1e-60"), std::pair(std::ptrdiff_t{6}, std::errc::result_out_of_range));
    EXPECT_TRUE(x == 0 && signbit(x));
}

// Exponents that no arithmetic holds.
TEST(CharconvReads, EndlessExponents) {
    const auto read = [](const char* text) {
        double value = 7;
        const auto [end, error] = from_chars(text, text + std::strlen(text), formats::kHalf, value);
        EXPECT_EQ(*end, '\0');
        return std::pair(value, error);
    };
    const std::string zeros(3000, '0'), many = "1" + zeros + "e-2990", few = "0." + zeros + "15e3001";
    EXPECT_EQ(read("1e99999999999999999999"), std::pair(HUGE_VAL, std::errc::result_out_of_range));
    EXPECT_EQ(read("-2e-99999999999999999999"), std::pair(-0.0, std::errc::result_out_of_range));
    EXPECT_EQ(read("0e99999999999999999999"), std::pair(0.0, std::errc()));
    EXPECT_EQ(read("0.0e-99999999999999999999"), std::pair(0.0, std::errc()));
    EXPECT_EQ(read(("1" + zeros).c_str()), std::pair(HUGE_VAL, std::errc::result_out_of_range));
    EXPECT_EQ(read(many.c_str()), std::pair(HUGE_VAL, std::errc::result_out_of_range)); // 1e10
    EXPECT_EQ(read(("1" + zeros + "e-2997").c_str()), std::pair(1000.0, std::errc()));
    EXPECT_EQ(read(few.c_str()), std::pair(1.5, std::errc()));
}

// Decimal, then double, then s17e8 rounds up what is below the tie: through a double it is on it.
TEST(CharconvReads, RoundsOnce) {
    const std::string below = between(1 + 0x1p-18, -1, 1000);
    Float<"s17e8:rne"_fmt> once;
    from_chars(below.data(), below.data() + below.size(), once);
    EXPECT_EQ(once, 1);
    const std::string above = between(1 + 0x1p-18, 1, 1000);
    from_chars(above.data(), above.data() + above.size(), once);
    EXPECT_EQ(once, 1 + 0x1p-17);
    EXPECT_EQ(Float<"s17e8:rne"_fmt>(std::stod(above)), 1);
}

std::string text_of(const Format& f, double x, std::chars_format notation = std::chars_format::general) {
    char buffer[kMaxCharacters];
    const auto [end, error] = to_chars(buffer, buffer + sizeof buffer, f, x, notation);
    EXPECT_EQ(error, std::errc());
    return {buffer, end};
}

std::size_t digits_in(const std::string& text) {
    std::string digits;
    for (const char c : text.substr(0, text.find('e')))
        if (std::isdigit(static_cast<unsigned char>(c)) != 0 && (c != '0' || !digits.empty())) digits += c;
    while (digits.size() > 1 && digits.back() == '0') digits.pop_back();
    return digits.size();
}

void expect_shortest(const Format& f, Judge& judge, double x) {
    const std::string text = text_of(f, x);
    ASSERT_TRUE(judge.form_text(text, 10));
    ASSERT_TRUE(judge::same(judge.result(f), x)) << to_string(f) << " " << x << " as " << text;
    for (auto notation : {std::chars_format::scientific, std::chars_format::fixed}) {
        const std::string other = text_of(f, x, notation);
        ASSERT_EQ(other.find('e') != std::string::npos, notation == std::chars_format::scientific);
        ASSERT_TRUE(judge.form_text(other, 10));
        ASSERT_TRUE(judge::same(judge.result(f), x)) << other;
        ASSERT_EQ(digits_in(other), digits_in(text));
    }
    // Of one digit fewer, neither neighbour of x reads back.
    const std::size_t fewer = digits_in(text) - 1;
    if (fewer == 0) return;
    mpfr_t wide;
    mpfr_init2(wide, 53);
    mpfr_set_d(wide, x, MPFR_RNDN);
    for (const mpfr_rnd_t way : {MPFR_RNDD, MPFR_RNDU}) {
        mpfr_exp_t exponent = 0;
        char* digits = mpfr_get_str(nullptr, &exponent, 10, fewer == 1 ? 2 : fewer, wide, way);
        std::string candidate = digits;
        mpfr_free_str(digits);
        if (fewer == 1) { // MPFR gives two at least: to one by hand, the way asked for
            const bool negative = candidate[0] == '-';
            const std::size_t first = negative ? 1 : 0;
            int leading = candidate[first] - '0';
            if ((way == MPFR_RNDU) != negative && candidate[first + 1] != '0') ++leading;
            candidate = (negative ? "-" : "") + std::to_string(leading);
        }
        const std::string shorter = candidate[0] == '-' ? "-0." + candidate.substr(1) : "0." + candidate;
        const long point = fewer == 1 && candidate.size() > (candidate[0] == '-' ? 2U : 1U) ? exponent + 1 : exponent;
        const std::string shorter_text = shorter + "e" + std::to_string(point);
        double beyond = 0; // what only saturates to x does not count
        if (from_chars(shorter_text.data(), shorter_text.data() + shorter_text.size(), f, beyond).ec != std::errc())
            continue;
        ASSERT_TRUE(judge.form_text(shorter_text, 10));
        ASSERT_FALSE(judge::same(judge.result(f), x))
            << to_string(f) << " " << x << " is " << text << ", but " << shorter << "e" << point << " reads back";
    }
    mpfr_clear(wide);
}

TEST(CharconvWrites, TheShortestTextThatReadsBack) {
    Random random(5);
    for (const Format& f : kFormats) {
        Judge judge(f, 53);
        if (f.width() <= 8) {
            for (std::uint64_t bits = 0; bits < std::uint64_t{1} << f.width(); ++bits) {
                const double x = decode(f, bits);
                if (std::isfinite(x) && x != 0) expect_shortest(f, judge, x);
                if (HasFatalFailure()) return;
            }
        }
        for (const double end : {f.max(), f.min_normal(), f.min_positive(), 1.0, 1 + f.epsilon()}) {
            if (end <= f.max()) expect_shortest(f, judge, end);
            if (HasFatalFailure()) return;
        }
        for (int i = 0; i < 150; ++i) {
            expect_shortest(f, judge, draw(f, random));
            if (HasFatalFailure()) return;
        }
    }
}

// Native formats print as the standard library prints the native types.
TEST(CharconvWrites, NativeFormatsAsTheStandard) {
    Random random(9);
    const auto standard = [](auto x) {
        char buffer[64];
        return std::string(buffer, std::to_chars(buffer, buffer + sizeof buffer, x).ptr);
    };
    for (int i = 0; i < 1500; ++i) {
        const double x = draw(formats::kDouble, random), near = std::ldexp(x, -std::ilogb(x) + random.between(-40, 50));
        EXPECT_EQ(text_of(formats::kDouble, near), standard(near));
        if (std::fabs(x) < 1e16 || std::fabs(x) > 1e40) {
            EXPECT_EQ(text_of(formats::kDouble, x), standard(x));
        }
        const auto y = static_cast<float>(draw(formats::kFloat, random));
        if (std::fabs(y) < 1e7F || std::fabs(y) > 1e20F) {
            EXPECT_EQ(text_of(formats::kFloat, y), standard(y));
        }
    }
    for (const double x : {0.0, -0.0, HUGE_VAL, -HUGE_VAL}) EXPECT_EQ(text_of(formats::kDouble, x), standard(x));
}

TEST(CharconvWrites, Examples) {
    const Float<"s17e8"_fmt> tenth(0.1); // truncated; 0.1 reads back as it
    EXPECT_EQ(text_of("s17e8"_fmt, double(tenth)), "0.1");
    EXPECT_EQ(text_of("s17e8"_fmt, double(nextafter(tenth, 0))), "0.0999995");
    EXPECT_EQ(text_of(formats::kHalf, 65504), "65500");
    EXPECT_EQ(text_of(formats::kBfloat16, double(Float<formats::kBfloat16>(0.1))), "0.1");
    EXPECT_EQ(text_of("s17e8"_fmt, 0.375, std::chars_format::hex), "1.8p-2");
    char buffer[8];
    const Float<"s17e8"_fmt> x = 0.5;
    auto [end, error] = to_chars(buffer, buffer + 8, x, std::chars_format::fixed, 3);
    EXPECT_EQ(std::string(buffer, end), "0.500");
    EXPECT_EQ(to_chars(buffer, buffer + 2, x).ec, std::errc::value_too_large);
    EXPECT_EQ(to_chars(buffer, buffer + 3, x).ec, std::errc());
}

} // namespace
} // namespace mantissa
