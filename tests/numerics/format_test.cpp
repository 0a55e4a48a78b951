#include "mantissa/format.hpp"

#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "expect_line.hpp"

namespace mantissa {
namespace {

using namespace literals;
using test::expect_line;

/// Every policy in its canonical spelling: truncation never overflows.
std::vector<Format> canonical_policies(int m, int e) {
    std::vector<Format> all;
    for (Subnormals s : {Subnormals::flush, Subnormals::gradual}) {
        all.push_back({m, e, Rounding::toward_zero, s, Overflow::infinity});
        for (Overflow o : {Overflow::infinity, Overflow::saturate}) all.push_back({m, e, Rounding::nearest_even, s, o});
    }
    return all;
}

TEST(FormatText, EveryFormatRoundTrips) {
    for (int m = Format::kMinFraction; m <= Format::kMaxFraction; ++m)
        for (int e = Format::kMinExponent; e <= Format::kMaxExponent; ++e)
            for (const Format& f : canonical_policies(m, e)) {
                EXPECT_TRUE(f.valid());
                EXPECT_EQ(parse_format(to_string(f)), f) << to_string(f);
                EXPECT_EQ(try_parse_format(to_string(f)), f);
            }
}

TEST(FormatText, HardwarePolicyIsBareAndOthersAreNamed) {
    EXPECT_EQ(to_string(Format{17, 8}), "s17e8");
    EXPECT_EQ(to_string("s17e8:rz:flush:inf"_fmt), "s17e8");
    EXPECT_EQ(to_string("s23e8:rne"_fmt), "s23e8:rne");
    EXPECT_EQ(to_string("s10e5:subnormals:rne"_fmt), "s10e5:rne:subnormals");
    EXPECT_EQ(to_string("s23e8:sat:rne"_fmt), "s23e8:rne:sat");
    EXPECT_EQ("s17e8"_fmt, (Format{17, 8, Rounding::toward_zero, Subnormals::flush, Overflow::infinity}));
}

TEST(FormatText, NamesAreIeeeFormats) {
    EXPECT_EQ(parse_format("double"), formats::ieee(52, 11));
    EXPECT_EQ(parse_format("float"), formats::ieee(23, 8));
    EXPECT_EQ(parse_format("half"), formats::ieee(10, 5));
    EXPECT_EQ(parse_format("bfloat16"), formats::ieee(7, 8));
    EXPECT_EQ(parse_format("tf32"), formats::ieee(10, 8));
    EXPECT_EQ(to_string(parse_format("float")), "s23e8:rne:subnormals");
    EXPECT_EQ(parse_format("float:rz:flush"), "s23e8"_fmt);
}

TEST(FormatText, TruncationHasOneSpelling) {
    EXPECT_EQ(parse_format("s17e8:sat"), parse_format("s17e8"));
    EXPECT_EQ(parse_format("s17e8:rz:sat").canonical(), "s17e8"_fmt);
    EXPECT_EQ("s17e8:rne:sat"_fmt.with(Rounding::toward_zero), "s17e8"_fmt);
    EXPECT_EQ("s17e8"_fmt.with(Overflow::saturate), "s17e8"_fmt);
    EXPECT_EQ("s17e8"_fmt.with(Rounding::nearest_even).with(Overflow::saturate), "s17e8:rne:sat"_fmt);
    EXPECT_EQ("s17e8"_fmt.with_fraction(20).with(Subnormals::gradual), "s20e8:subnormals"_fmt);
}

TEST(FormatText, FaultsAreNamedInOneLine) {
    const auto faulty = [](const char* text, const char* phrase) {
        SCOPED_TRACE(text);
        expect_line([&] { (void)parse_format(text); }, phrase);
        expect_line([&] { (void)parse_format(text); }, "write s<M>e<E>");
        EXPECT_FALSE(try_parse_format(text).has_value());
    };
    faulty("", "it does not begin with s or fx or a known name");
    faulty("float33", "it does not begin with s or fx or a known name");
    faulty("S17e8", "it does not begin with s or fx or a known name");
    faulty("s", "no fraction width after s");
    faulty("se8", "no fraction width after s");
    faulty("s-3e8", "no fraction width after s");
    faulty("s99999e8", "no fraction width after s");
    faulty("s17", "no e after the fraction width");
    faulty("s17.e8", "no e after the fraction width");
    faulty("s17e", "no exponent width after e");
    faulty("s17e8x", "unexpected characters after the exponent width");
    faulty("s17e8 ", "unexpected characters after the exponent width");
    faulty("s1e8", "the fraction width is outside 2..52");
    faulty("s53e11", "the fraction width is outside 2..52");
    faulty("s17e1", "the exponent width is outside 2..11");
    faulty("s17e12", "the exponent width is outside 2..11");
    faulty("s17e8:", "the policy words are rz, rne, flush, subnormals, inf and sat");
    faulty("s17e8:rtz", "the policy words are rz, rne, flush, subnormals, inf and sat");
    faulty("double::rne", "the policy words are rz, rne, flush, subnormals, inf and sat");
    expect_line([] { (void)parse_format("s17e88"); }, "format 's17e88'");
}

TEST(FormatLimits, AreThoseOfTheNativeTypes) {
    constexpr Format kFloat = formats::kFloat, kDouble = formats::kDouble, kHalf = formats::kHalf;
    static_assert(kFloat.max() == std::numeric_limits<float>::max());
    static_assert(kFloat.min_normal() == std::numeric_limits<float>::min());
    static_assert(kFloat.min_positive() == std::numeric_limits<float>::denorm_min());
    static_assert(kFloat.epsilon() == std::numeric_limits<float>::epsilon());
    static_assert(kDouble.max() == std::numeric_limits<double>::max());
    static_assert(kDouble.min_normal() == std::numeric_limits<double>::min());
    static_assert(kDouble.min_positive() == std::numeric_limits<double>::denorm_min());
    static_assert(kDouble.epsilon() == std::numeric_limits<double>::epsilon());
    static_assert(kHalf.max() == 65504 && kHalf.min_normal() == 0x1p-14 && kHalf.min_positive() == 0x1p-24);
    static_assert(kHalf.width() == 16 && kHalf.bias() == 15 && kHalf.precision() == 11);
    static_assert("s17e8"_fmt.max() == 0x1.ffff8p127 && "s17e8"_fmt.width() == 26);
    static_assert("s17e8"_fmt.min_positive() == 0x1p-126);
    static_assert("s2e2"_fmt.max() == 3.5 && "s2e2"_fmt.min_normal() == 1.0);
    static_assert(kFloat.fits<float>() && "s2e8"_fmt.fits<float>() && !"s24e8"_fmt.fits<float>() &&
                  !"s2e9"_fmt.fits<float>() && kDouble.fits<double>());
    static_assert(!Format{1, 8}.valid() && !Format{53, 8}.valid() && !Format{17, 1}.valid() && !Format{17, 12}.valid());
}

/// Bit patterns in order, decoded by the defining sum rather than by field arithmetic.
double value_of(const Format& f, std::uint64_t bits) {
    const std::uint64_t fraction = bits & ((1U << f.fraction_bits) - 1);
    const int field = static_cast<int>(bits >> f.fraction_bits) & ((1 << f.exponent_bits) - 1);
    const double sign = (bits >> (f.fraction_bits + f.exponent_bits)) != 0 ? -1.0 : 1.0;
    const double fraction_value = static_cast<double>(fraction) / std::pow(2.0, f.fraction_bits);
    if (field == (1 << f.exponent_bits) - 1)
        return fraction != 0 ? std::nan("") : sign * std::numeric_limits<double>::infinity();
    if (field == 0) return f.flushes() ? sign * 0.0 : sign * fraction_value * std::pow(2.0, 1 - f.bias());
    return sign * (1.0 + fraction_value) * std::pow(2.0, field - f.bias());
}

TEST(Encoding, EveryPatternOfSmallFormats) {
    for (int m = 2; m <= 5; ++m)
        for (int e = 2; e <= 6; ++e)
            for (Subnormals s : {Subnormals::flush, Subnormals::gradual}) {
                Format f{m, e};
                f.subnormals = s;
                for (std::uint64_t bits = 0; bits < std::uint64_t{1} << f.width(); ++bits) {
                    const double x = decode(f, bits), want = value_of(f, bits);
                    if (std::isnan(want)) {
                        ASSERT_TRUE(std::isnan(x));
                        ASSERT_EQ(encode(f, x), encode(f, -x));
                        continue;
                    }
                    ASSERT_EQ(std::bit_cast<std::uint64_t>(x), std::bit_cast<std::uint64_t>(want));
                    ASSERT_TRUE(representable(f, x));
                    const bool flushed = x == 0 && f.flushes();
                    const std::uint64_t sign = std::uint64_t{std::signbit(x)} << (f.width() - 1);
                    ASSERT_EQ(encode(f, x), flushed ? sign : bits) << to_string(f);
                    ASSERT_EQ(decode(f, bits | std::uint64_t{1} << f.width()), x) << "bits above the width count";
                    if (std::isfinite(x)) {
                        // Halfway to the next number is none.
                        const double unit =
                            std::ldexp(1.0, std::max(x == 0 ? -99 : std::ilogb(x), f.min_exponent()) - m);
                        ASSERT_FALSE(representable(f, x + std::copysign(unit / 2, x))) << to_string(f) << " " << x;
                    }
                }
            }
}

TEST(Encoding, NativeTypesKeepTheirBits) {
    for (double x : {0.0, -0.0, 1.0, -1.5, 3.14159, 1e-310, 4.9e-324, 1.7976931348623157e308, 2.2250738585072014e-308})
        EXPECT_EQ(encode(formats::kDouble, x), std::bit_cast<std::uint64_t>(x));
    for (float x : {0.0F, -0.0F, 1.0F, -1.5F, 3.14159F, 1e-40F, 1.4e-45F, 3.4028235e38F, 1.17549435e-38F})
        EXPECT_EQ(encode(formats::kFloat, x), std::bit_cast<std::uint32_t>(x));
    EXPECT_EQ(encode(formats::kHalf, 65504), 0x7BFFu);
    EXPECT_EQ(encode(formats::kHalf, -0x1p-24), 0x8001u);
    EXPECT_EQ(encode(formats::kHalf, std::nan("")), 0x7E00u);
    EXPECT_EQ(encode(formats::kHalf, -std::nan("1")), 0x7E00u);
    EXPECT_EQ(encode(formats::kBfloat16, 1), 0x3F80u);
}

TEST(Encoding, BitStrings) {
    EXPECT_EQ(bit_string("s17e8"_fmt, 1), "0 01111111 00000000000000000");
    EXPECT_EQ(bit_string("s10e5"_fmt, -1.5), "1 01111 1000000000");
    EXPECT_EQ(bit_string("s3e4:subnormals"_fmt, 0x1p-9), "0 0000 001");
    EXPECT_EQ(bit_string("s3e4"_fmt, std::numeric_limits<double>::infinity()), "0 1111 000");
}

/// contains() against every value of pairs of small formats.
TEST(Formats, ContainJustWhatTheyHold) {
    for (int m = 2; m <= 4; ++m)
        for (int e = 2; e <= 4; ++e)
            for (int n = 2; n <= 4; ++n)
                for (int d = 2; d <= 5; ++d)
                    for (const Format& f : canonical_policies(m, e))
                        for (const Format& g : canonical_policies(n, d)) {
                            bool all = true;
                            for (std::uint64_t bits = 0; bits < std::uint64_t{1} << g.width(); ++bits)
                                all = all && representable(f, decode(g, bits));
                            ASSERT_EQ(f.contains(g), all) << to_string(f) << " and " << to_string(g);
                        }
}

} // namespace
} // namespace mantissa
