// Text into and out of fixed-point formats: rounded once, the shortest text that reads back, and the exact one; against
// exact integers.
#include "mantissa/fixed_charconv.hpp"

#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include <boost/multiprecision/cpp_int.hpp>
#include <gtest/gtest.h>

#include "fixed_operands.hpp"

namespace mantissa {
namespace {

using namespace literals;
using boost::multiprecision::cpp_int;
using judge::FixedOperands;
using judge::Random;

constexpr Format kFormats[] = {"fx2.0"_fmt,   "fx8.4"_fmt,          "fx8.4:floor"_fmt, "fx12.15"_fmt,
                               "fx18.16"_fmt, "fx18.16:floor"_fmt,  "fx22.-2"_fmt,     "fx32.30:floor"_fmt,
                               "fx48.46"_fmt, "fx53.52"_fmt,        "fx64.62"_fmt,     "fx64.62:floor"_fmt,
                               "fx64.0"_fmt,  "fx64.-64:floor"_fmt, "fx64.126"_fmt,    "fx24.126:floor"_fmt};

cpp_int power(int base, int exponent) {
    const cpp_int b = base;
    return pow(b, static_cast<unsigned>(exponent));
}

/// digits 10^exponent onto f's grid, as cpp_int divides.
fixed::Rounded rounded(const Format& f, const cpp_int& digits, int exponent) {
    cpp_int over = digits * power(10, std::max(exponent, 0)) * power(2, std::max(f.fraction_bits, 0));
    cpp_int under = power(10, std::max(-exponent, 0)) * power(2, std::max(-f.fraction_bits, 0));
    if (f.rounding == Rounding::nearest_up) over = 2 * over + under, under *= 2;
    cpp_int units = over / under;
    if (units * under > over) --units;
    if (units > fixed::max_word(f)) return {fixed::max_word(f), true};
    if (units < fixed::min_word(f)) return {fixed::min_word(f), true};
    return {static_cast<fixed::Word>(units), false};
}

void expect_read(const Format& f, const std::string& text, const fixed::Rounded& want,
                 std::chars_format notation = std::chars_format::general) {
    fixed::Word word = 77;
    const std::string longer = text + "x";
    const auto [end, error] = from_chars(longer.data(), longer.data() + longer.size(), f, word, notation);
    ASSERT_EQ(end, longer.data() + text.size()) << text;
    ASSERT_EQ(word, want.word) << to_string(f) << " " << text.substr(0, 80);
    ASSERT_EQ(error, want.overflow ? std::errc::result_out_of_range : std::errc()) << to_string(f) << " " << text;
    double value = 77;
    from_chars(text.data(), text.data() + text.size(), f, value, notation); // as a double
    ASSERT_EQ(value, fixed::to_double(f, want.word));
}

std::string written(const Format& f, fixed::Word word, std::chars_format notation = std::chars_format::general) {
    char buffer[kMaxCharacters];
    const auto [end, error] = to_chars(buffer, buffer + sizeof buffer, f, word, notation);
    EXPECT_EQ(error, std::errc());
    char tight[kMaxCharacters];
    EXPECT_EQ(to_chars(tight, tight + (end - buffer) - 1, f, word, notation).ec, std::errc::value_too_large);
    EXPECT_EQ(to_chars(tight, tight + (end - buffer), f, word, notation).ec, std::errc());
    return {buffer, end};
}
std::string exactly(const Format& f, fixed::Word word) {
    char buffer[kMaxCharacters];
    return {buffer, to_chars_exact(buffer, buffer + sizeof buffer, f, word).ptr};
}

/// The exact decimal digits of a word, times 10^places.
cpp_int exact_digits(const Format& f, fixed::Word word, int& places) {
    places = std::max(f.fraction_bits, 0);
    return cpp_int(word) * power(5, places) * power(2, std::max(-f.fraction_bits, 0));
}

TEST(FixedText, IsRoundedOnce) {
    for (const Format& f : kFormats) {
        FixedOperands operands(f, 1);
        Random random(2);
        for (int i = 0; i < 400; ++i) {
            const fixed::Word word = operands.draw(judge::FixedOp::ldexp, judge::kFixedClasses[i % 5]).a;
            // The word, the tie above it, a quarter, and decimals just beside them.
            for (int quarter : {0, 1, 2, 3}) {
                const int bits = f.fraction_bits + 2;
                const cpp_int units = cpp_int(word) * 4 + quarter;
                const int places = std::max(bits, 0) + 3;
                cpp_int digits = units * power(10, places);
                digits = bits >= 0 ? cpp_int(digits / power(2, bits)) : cpp_int(digits * power(2, -bits));
                for (int near : {-1, 0, 1}) {
                    const cpp_int text = digits + near;
                    expect_read(f, text.str() + "e-" + std::to_string(places), rounded(f, text, -places));
                }
            }
            const cpp_int digits = static_cast<std::int64_t>(random()) >> random.between(0, 60);
            const int exponent = random.between(-60, 30);
            const std::string exponent_text = (exponent >= 0 ? "e+" : "e") + std::to_string(exponent);
            expect_read(f, digits.str() + exponent_text, rounded(f, digits, exponent));
            expect_read(f, digits.str() + ".000" + exponent_text, rounded(f, digits, exponent));
        }
    }
}

TEST(FixedText, ShortestReadsBackAndNoneIsShorter) {
    for (const Format& f : kFormats) {
        FixedOperands operands(f, 4);
        for (int i = 0; i < 600; ++i) {
            const fixed::Word word = operands.draw(judge::FixedOp::ldexp, judge::kFixedClasses[i % 5]).a;
            const std::string text = written(f, word);
            expect_read(f, text, {word, false});
            for (const auto notation : {std::chars_format::fixed, std::chars_format::scientific})
                expect_read(f, written(f, word, notation), {word, false});
            expect_read(f, written(f, word, std::chars_format::hex), {word, false}, std::chars_format::hex);
            if (word == 0) continue;
            // One digit less, on either side of the value, reads back as another word.
            const std::string shortest = written(f, word, std::chars_format::scientific);
            std::string digits;
            for (const char c : shortest.substr(0, shortest.find('e')))
                if (c >= '0' && c <= '9') digits += c;
            const int leading = std::stoi(shortest.substr(shortest.find('e') + 1));
            const auto count = static_cast<int>(digits.size());
            int places = 0;
            const cpp_int exact = abs(exact_digits(f, word, places));
            const auto value_at = [&](int length) { // the value in units of its length-th digit, rounded down
                const int scale = places + leading - length + 1;
                return scale >= 0 ? cpp_int(exact / power(10, scale)) : cpp_int(exact * power(10, -scale));
            };
            if (count > 1) {
                for (const cpp_int& other : {value_at(count - 1), cpp_int(value_at(count - 1) + 1)}) {
                    const cpp_int with_sign = word < 0 ? cpp_int(-other) : other;
                    ASSERT_NE(rounded(f, with_sign, leading - count + 2), (fixed::Rounded{word, false}))
                        << to_string(f) << " " << word << ": " << shortest << " and " << other;
                }
            }
            // Of its length, the nearest that reads back: the value's neighbour on the other side is farther, or is
            // none.
            const cpp_int mine(digits), below = value_at(count);
            ASSERT_TRUE(mine == below || mine == below + 1) << to_string(f) << " " << text;
            const cpp_int other = mine == below ? cpp_int(below + 1) : below;
            if (rounded(f, word < 0 ? cpp_int(-other) : other, leading - count + 1) == fixed::Rounded{word, false}) {
                const int scale = places + leading - count + 1;
                const cpp_int at = scale >= 0 ? exact : cpp_int(exact * power(10, -scale));
                const cpp_int unit = power(10, std::max(scale, 0));
                ASSERT_LE(abs(cpp_int(mine * unit - at)), abs(cpp_int(other * unit - at)))
                    << to_string(f) << " " << text;
            }
        }
    }
}

TEST(FixedText, ExactTextHasEveryDigit) {
    EXPECT_EQ(exactly("fx18.16"_fmt, 6554), "0.100006103515625");
    EXPECT_EQ(exactly("fx18.16"_fmt, -131072), "-2");
    EXPECT_EQ(exactly("fx8.-64"_fmt, -1), "-18446744073709551616");
    EXPECT_EQ(exactly("fx64.0"_fmt, INT64_MIN), "-9223372036854775808");
    EXPECT_EQ(exactly("fx8.4"_fmt, 0), "0");
    EXPECT_EQ(exactly("fx64.126"_fmt, 1).size(), 128u);
    for (const Format& f : kFormats) {
        FixedOperands operands(f, 6);
        for (int i = 0; i < 200; ++i) {
            const fixed::Word word = operands.draw(judge::FixedOp::ldexp, judge::kFixedClasses[i % 5]).a;
            std::string text = exactly(f, word);
            expect_read(f, text, {word, false});
            int places = 0;
            cpp_int digits = exact_digits(f, word, places);
            const auto point = text.find('.');
            const int fraction = point == std::string::npos ? 0 : static_cast<int>(text.size() - point) - 1;
            if (point != std::string::npos) text.erase(point, 1);
            if (text.front() == '0')
                text.erase(0, text.find_first_not_of('0') == std::string::npos ? text.size() - 1
                                                                               : text.find_first_not_of('0'));
            if (text.starts_with("-0")) text = "-" + text.substr(text.find_first_not_of("-0"));
            ASSERT_EQ(cpp_int(text) * power(10, places - fraction), digits) << to_string(f) << " " << word;
        }
    }
}

TEST(FixedText, ByHand) {
    using Short = Fixed<"fx18.16"_fmt>;
    const auto read = [](const std::string& text) {
        Short x = 0.5;
        const auto [end, error] = from_chars(text.data(), text.data() + text.size(), x);
        return std::tuple(double(x), error, end - text.data());
    };
    constexpr auto kBeyond = std::errc::result_out_of_range;
    EXPECT_EQ(read("0.1 and more"), std::tuple(6554 / 65536.0, std::errc(), 3));
    EXPECT_EQ(read("-1.5e0"), std::tuple(-1.5, std::errc(), 6));
    EXPECT_EQ(read("1e-30"), std::tuple(0.0, std::errc(), 5)); // rounded to zero is no error
    EXPECT_EQ(read("2"), std::tuple(2 - 0x1p-16, kBeyond, 1));
    EXPECT_EQ(read("-2.00001"), std::tuple(-2.0, kBeyond, 8));
    EXPECT_EQ(read("-2.000001"), std::tuple(-2.0, std::errc(), 9)); // less than half a unit beyond
    EXPECT_EQ(read("inf"), std::tuple(2 - 0x1p-16, kBeyond, 3));
    EXPECT_EQ(read("-infinity"), std::tuple(-2.0, kBeyond, 9));
    EXPECT_EQ(read("nan"), std::tuple(0.0, kBeyond, 3));
    EXPECT_EQ(read("1e999999999999"), std::tuple(2 - 0x1p-16, kBeyond, 14));
    EXPECT_EQ(read("-1e-999999999999"), std::tuple(0.0, std::errc(), 16));
    for (const char* text : {"", "x", "+1", " 1", "-", ".", "e5"})
        EXPECT_EQ(read(text), std::tuple(0.5, std::errc::invalid_argument, 0)) << text;
    Fixed<"fx18.16:floor"_fmt> below;
    const std::string tiny = "-1e-999999999999";
    EXPECT_EQ(from_chars(tiny.data(), tiny.data() + tiny.size(), below).ec, std::errc());
    EXPECT_EQ(below.word(), -1);
    // A tie by 1 in its 1500th digit.
    const std::string tie = "0." + std::string("00000762939453125") + std::string(1500, '0') + "1";
    Short x;
    from_chars(tie.data(), tie.data() + tie.size() - 1, x);
    EXPECT_EQ(x.word(), 1);
    const std::string under = "-" + tie;
    from_chars(under.data(), under.data() + under.size() - 1, x);
    EXPECT_EQ(x.word(), 0);
    from_chars(under.data(), under.data() + under.size(), x);
    EXPECT_EQ(x.word(), -1);
    char buffer[kMaxCharacters];
    EXPECT_EQ(std::string(buffer, to_chars(buffer, buffer + sizeof buffer, Short(0.1)).ptr), "0.1");
    EXPECT_EQ(std::string(buffer, to_chars(buffer, buffer + sizeof buffer, Short(-1.5), std::chars_format::hex).ptr),
              "-1.8p+0");
    EXPECT_EQ(std::string(buffer, to_chars_exact(buffer, buffer + sizeof buffer, Short(0.1)).ptr), "0.100006103515625");
    EXPECT_EQ(to_chars_exact(buffer, buffer + 5, Short(0.1)).ec, std::errc::value_too_large);
    EXPECT_EQ(std::string(buffer, to_chars(buffer, buffer + sizeof buffer, "fx18.16"_fmt, 6554 / 65536.0).ptr), "0.1");
}

} // namespace
} // namespace mantissa
