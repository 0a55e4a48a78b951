// Fixed-point formats as values: text, limits, encodings.
#include <cmath>
#include <limits>
#include <string>

#include <gtest/gtest.h>

#include "expect_line.hpp"
#include "mantissa/fixed_arithmetic.hpp"
#include "operands.hpp"

namespace mantissa {
namespace {

using namespace literals;
using test::expect_line;

TEST(FixedFormatText, EveryFormatRoundTrips) {
    for (int w = Format::kMinWord; w <= Format::kMaxWord; ++w)
        for (int f = Format::kMinPoint; f <= Format::kMaxPoint; ++f)
            for (const Rounding r : {Rounding::nearest_up, Rounding::down}) {
                const Format format = Format::fixed(w, f, r);
                ASSERT_TRUE(format.valid() && format.is_fixed() && format == format.canonical());
                ASSERT_EQ(parse_format(to_string(format)), format) << to_string(format);
                ASSERT_EQ(try_parse_format(to_string(format)), format);
            }
    EXPECT_EQ(to_string(Format::fixed(18, 16)), "fx18.16");
    EXPECT_EQ(to_string(Format::fixed(18, -2, Rounding::down)), "fx18.-2:floor");
    EXPECT_EQ("fx18.16:nearest"_fmt, "fx18.16"_fmt);
    EXPECT_EQ("fx018.016"_fmt, "fx18.16"_fmt);
    EXPECT_NE("fx18.16:floor"_fmt, "fx18.16"_fmt);
    EXPECT_EQ("fx18.16"_fmt.with(Rounding::down), "fx18.16:floor"_fmt);
    EXPECT_EQ("fx18.16"_fmt.with_fraction(3), "fx18.3"_fmt);
    // Members that no fixed format uses do not make two of one.
    Format other = "fx18.16"_fmt;
    other.overflow = Overflow::saturate;
    other.subnormals = Subnormals::gradual;
    EXPECT_EQ(other.canonical(), "fx18.16"_fmt);
}

TEST(FixedFormatText, FaultsAreNamedInOneLine) {
    const auto faulty = [](const char* text, const char* phrase) {
        SCOPED_TRACE(text);
        expect_line([&] { (void)parse_format(text); }, phrase);
        expect_line([&] { (void)parse_format(text); }, "fx<W>.<F> with W in 2..64, as in fx18.16");
        EXPECT_FALSE(try_parse_format(text).has_value());
    };
    faulty("fx", "no word width after fx");
    faulty("fx.", "no word width after fx");
    faulty("fx.16", "no word width after fx");
    faulty("fx-18.16", "no word width after fx");
    faulty("fx+18.16", "no word width after fx");
    faulty("fx 18.16", "no word width after fx");
    faulty("fxx18.16", "no word width after fx");
    faulty("fx18446744073709551634.16", "no word width after fx");
    faulty("fx18", "no point after the word width");
    faulty("fx18,16", "no point after the word width");
    faulty("fx18:16", "no point after the word width");
    faulty("fx18e8", "no point after the word width");
    faulty("fx18.", "no number of fraction bits after the point");
    faulty("fx18.-", "no number of fraction bits after the point");
    faulty("fx18.--2", "no number of fraction bits after the point");
    faulty("fx18.+2", "no number of fraction bits after the point");
    faulty("fx18.x", "no number of fraction bits after the point");
    faulty("fx18.:floor", "no number of fraction bits after the point");
    faulty("fx18.99999", "no number of fraction bits after the point");
    faulty("fx18.16x", "unexpected characters after the fraction bits");
    faulty("fx18.16.2", "unexpected characters after the fraction bits");
    faulty("fx18.16 ", "unexpected characters after the fraction bits");
    faulty("fx18.1-6", "unexpected characters after the fraction bits");
    faulty("fx0.0", "the word width is outside 2..64");
    faulty("fx1.0", "the word width is outside 2..64");
    faulty("fx65.0", "the word width is outside 2..64");
    faulty("fx9999.0", "the word width is outside 2..64");
    faulty("fx18.127", "the number of fraction bits is outside -64..126");
    faulty("fx18.-65", "the number of fraction bits is outside -64..126");
    faulty("fx18.16:", "the policy words of fixed formats are nearest and floor");
    faulty("fx18.16:rne", "the policy words of fixed formats are nearest and floor");
    faulty("fx18.16:rz", "the policy words of fixed formats are nearest and floor");
    expect_line([] { (void)parse_format("fx18.16:floor:nearest"); }, "floor and nearest are two words for one thing");
    faulty("fx18.16:floor ", "the policy words of fixed formats are nearest and floor");
    faulty("FX18.16", "it does not begin with s or fx or a known name");
    faulty("f18.16", "it does not begin with s or fx or a known name");
    expect_line([] { (void)parse_format("fx18.166"); }, "format 'fx18.166'");
}

/// Texts near good ones, by random edits: refused in one line, or read as a format whose own text reads back.
TEST(FixedFormatText, EditedTextsAreReadOrRefused) {
    judge::Random random(11);
    const std::string seeds[] = {"fx18.16", "fx64.-64:floor", "fx2.126:nearest", "s17e8:rne"};
    const std::string letters = "fxs0123456789.-:+ earnlor\n\0~"; // without what follows the zero
    int good = 0, bad = 0;
    for (int i = 0; i < 50000; ++i) {
        std::string text = seeds[i % 4];
        for (int edits = random.between(1, 3); edits > 0; --edits) {
            const auto at = static_cast<std::size_t>(random.between(0, static_cast<int>(text.size())));
            const char letter = letters[random() % letters.size()];
            const int kind = random.between(0, 2);
            if (kind == 0) text.insert(at, 1, letter);
            else if (at < text.size() && kind == 1) text[at] = letter;
            else if (at < text.size()) text.erase(at, 1);
        }
        const auto read = try_parse_format(text);
        if (read) {
            ASSERT_TRUE(read->valid()) << text;
            ASSERT_EQ(parse_format(to_string(*read)), *read) << text;
            ++good;
        } else {
            ASSERT_THROW((void)parse_format(text), InvalidInput) << text;
            ++bad;
        }
    }
    EXPECT_GT(good, 1000);
    EXPECT_GT(bad, 1000);
}

TEST(FixedFormatLimits, AreThoseOfTheWords) {
    static_assert("fx18.16"_fmt.width() == 18 && "fx18.16"_fmt.max() == 2 - 0x1p-16 &&
                  "fx18.16"_fmt.epsilon() == 0x1p-16);
    static_assert("fx18.16"_fmt.min_positive() == 0x1p-16 && "fx2.126"_fmt.max() == 0x1p-126);
    static_assert("fx64.-64"_fmt.max() == 0x1p127 && "fx53.0"_fmt.max() == 0x1p52 - 1);
    static_assert(!Format::fixed(1, 0).valid() && !Format::fixed(65, 0).valid() && !Format::fixed(18, 127).valid() &&
                  !Format::fixed(18, -65).valid() && !Format::fixed(18, 16, Rounding::nearest_even).valid());
    static_assert("fx53.50"_fmt.fits<double>() && !"fx54.50"_fmt.fits<double>() && "fx24.20"_fmt.fits<float>() &&
                  !"fx25.20"_fmt.fits<float>());
    static_assert(fixed::max_word("fx64.0"_fmt) == INT64_MAX && fixed::min_word("fx64.0"_fmt) == INT64_MIN &&
                  fixed::max_word("fx2.0"_fmt) == 1 && fixed::min_word("fx2.0"_fmt) == -2);
}

/// Every pattern of short words, by the defining sum of its bits.
TEST(FixedEncoding, EveryPatternOfShortWords) {
    for (int w = 2; w <= 8; ++w)
        for (const int point : {0, w / 2, w, w + 3, -2, 126, -64}) {
            const Format f = Format::fixed(w, point);
            for (std::uint64_t bits = 0; bits < std::uint64_t{1} << w; ++bits) {
                double value = 0;
                for (int i = 0; i < w; ++i)
                    if ((bits >> i & 1) != 0) value += (i == w - 1 ? -1.0 : 1.0) * std::pow(2.0, i - point);
                ASSERT_EQ(decode(f, bits), value) << to_string(f) << " " << bits;
                ASSERT_EQ(decode(f, bits | ~std::uint64_t{0} << w), value) << "bits above the width count";
                ASSERT_EQ(encode(f, value), bits) << to_string(f);
                ASSERT_TRUE(representable(f, value));
                ASSERT_FALSE(representable(f, value + std::pow(2.0, -point - 1)));
                ASSERT_EQ(fixed::from_double(f, value).word, fixed::Word(value * std::pow(2.0, point)));
            }
            const double above = std::pow(2.0, w - 1 - point);
            ASSERT_FALSE(representable(f, above));
            ASSERT_TRUE(representable(f, -above));
            ASSERT_FALSE(representable(f, -above - std::pow(2.0, -point)));
            for (const double x : {HUGE_VAL, -HUGE_VAL, std::nan(""), 1e308, -1e308, 5e-324})
                ASSERT_FALSE(representable(f, x)) << to_string(f) << " " << x;
            ASSERT_TRUE(representable(f, -0.0));
            ASSERT_EQ(encode(f, -0.0), 0u);
        }
}

TEST(FixedEncoding, LongWords) {
    judge::Random random(8);
    for (int i = 0; i < 20000; ++i) {
        const Format f = Format::fixed(random.between(9, 64), random.between(-64, 126));
        const std::uint64_t bits = random() >> (64 - f.word_bits);
        const double value = decode(f, bits);
        const auto word = static_cast<std::int64_t>(bits << (64 - f.word_bits)) >> (64 - f.word_bits);
        ASSERT_EQ(value, std::ldexp(static_cast<double>(word), -f.fraction_bits));
        if (f.word_bits > 53) continue;
        ASSERT_EQ(encode(f, value), bits) << to_string(f);
        ASSERT_TRUE(representable(f, value));
    }
    EXPECT_EQ(encode("fx64.0"_fmt, -0x1p63), std::uint64_t{1} << 63);
    EXPECT_EQ(decode("fx64.64"_fmt, ~std::uint64_t{0} >> 1), 0.5); // rounded to nearest
}

TEST(FixedEncoding, BitStrings) {
    EXPECT_EQ(bit_string("fx18.16"_fmt, 0.5), "00.1000000000000000");
    EXPECT_EQ(bit_string("fx18.16"_fmt, -2), "10.0000000000000000");
    EXPECT_EQ(bit_string("fx6.4"_fmt, -0.0625), "11.1111");
    EXPECT_EQ(bit_string("fx6.5"_fmt, -0.5), "1.10000");
    EXPECT_EQ(bit_string("fx6.0"_fmt, 5), "000101.");
    EXPECT_EQ(bit_string("fx6.9"_fmt, 0x1p-6), "001000 * 2^-9");
    EXPECT_EQ(bit_string("fx6.6"_fmt, 0x1p-6), "000001 * 2^-6");
    EXPECT_EQ(bit_string("fx6.-3"_fmt, -8), "111111 * 2^3");
}

/// contains() against every value of pairs of small formats; floating and fixed ones contain none of the other kind.
TEST(FixedFormats, ContainJustWhatTheyHold) {
    for (int w = 2; w <= 6; ++w)
        for (int f = -2; f <= 8; ++f)
            for (int v = 2; v <= 6; ++v)
                for (int g = -2; g <= 8; ++g) {
                    const Format outer = Format::fixed(w, f), inner = Format::fixed(v, g, Rounding::down);
                    bool all = true;
                    for (std::uint64_t bits = 0; bits < std::uint64_t{1} << v; ++bits)
                        all = all && representable(outer, decode(inner, bits));
                    ASSERT_EQ(outer.contains(inner), all) << to_string(outer) << " and " << to_string(inner);
                }
    EXPECT_FALSE(formats::kDouble.contains("fx18.16"_fmt));
    EXPECT_FALSE("fx64.0"_fmt.contains("s2e2"_fmt));
}

} // namespace
} // namespace mantissa
