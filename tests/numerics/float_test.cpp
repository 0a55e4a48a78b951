// Float<F> as a C++ type: what converts to what, constants, limits, bit patterns, text. Its arithmetic stands before
// the judge.
#include "mantissa/float.hpp"

#include <numeric>
#include <sstream>
#include <unordered_set>
#include <vector>

#include <gtest/gtest.h>

#include "mantissa/float_fmt.hpp"
#include "mantissa/float_io.hpp"

namespace mantissa {
namespace {

using namespace literals;
using Short = Float<"s17e8"_fmt>;
using Single = Float<formats::kFloat>;
using Double = Float<formats::kDouble>;
using Half = Float<formats::kHalf>;
using Wide = Float<"s36e11"_fmt>;

static_assert(sizeof(Short) == 4 && sizeof(Half) == 4 && sizeof(Wide) == 8 && sizeof(Float<"s10e9"_fmt>) == 8);
static_assert(std::is_trivially_copyable_v<Short> && std::is_standard_layout_v<Short>);
static_assert(std::same_as<Short::bits_type, std::uint32_t> && std::same_as<Half::bits_type, std::uint16_t>);
static_assert(std::same_as<Float<"s3e4"_fmt>::bits_type, std::uint8_t> && std::same_as<Wide::bits_type, std::uint64_t>);

// Implicit where exact, explicit where rounding may happen.
static_assert(std::is_convertible_v<Half, Single> && std::is_convertible_v<Short, Wide>);
static_assert(std::is_convertible_v<Single, Double> && !std::is_convertible_v<Double, Single>);
static_assert(std::is_constructible_v<Single, Double> && !std::is_convertible_v<Single, Half>);
static_assert(!std::is_convertible_v<Single, Short> && !std::is_convertible_v<Half, Float<"s10e5"_fmt>>);
static_assert(std::is_convertible_v<Half, Short>); // half's subnormal numbers are normal there
static_assert(!std::is_convertible_v<Short, double> && std::is_constructible_v<double, Short>);

// Constants that the format holds need no cast, and everything is constexpr.
constexpr Short kConstant = 1.5;
static_assert(kConstant * 2 == 3 && 0.5 - kConstant == -1 && kConstant / 3 == 0.5);
static_assert(Short(1) / Short(3) == Short(1.0 / 3) && sqrt(Short(2)) < Short(2) &&
              fma(kConstant, kConstant, 1) == 3.25);
static_assert(Half(65504) * 2 == std::numeric_limits<Half>::infinity());
static_assert(isnan(std::numeric_limits<Half>::infinity() - std::numeric_limits<Half>::infinity()));
static_assert(Short(0x1p127) * Short(4) == std::numeric_limits<Short>::max());
static_assert(Short(0x1p-100) * Short(0x1p-100) == 0 && Short(65537) == 65536 + 1 && Short(262145) == 262144);
static_assert(Short(~std::uint64_t{0}) == Short(0x1.ffff8p63) && Double(std::int64_t{-1} - INT64_MAX) == -0x1p63);

TEST(FloatType, SolverCodeReadsAsUsual) {
    std::vector<Short> x(10, Short(1) / Short(3));
    const Short sum = std::accumulate(x.begin(), x.end(), Short(0));
    Short by_hand;
    for (Short v : x) by_hand += v;
    EXPECT_EQ(sum, by_hand);
    EXPECT_LT(double(sum), 10.0 / 3);
    Short y = x[0];
    y -= x[1];
    EXPECT_EQ(y, 0);
    y = 4;
    y *= y;
    y /= 2;
    EXPECT_EQ(y, 8);
    EXPECT_EQ(-y, -8);
    EXPECT_EQ(abs(-y), +y);
    EXPECT_TRUE(y > 7 && y >= 8 && y < 9 && y != 0);
    EXPECT_TRUE(static_cast<bool>(y));
    EXPECT_EQ(static_cast<int>(Short(-2.75)), -2);
    const double tenth = 0.1;
    EXPECT_TRUE(Short(tenth) < tenth && tenth > Short(tenth) && Short(tenth) != tenth); // the comparison rounds nothing
}

TEST(FloatType, MixedFormatsMeetInTheWiderOne) {
    const Half a(1.0 / 3);
    const Single b(1.0F / 3);
    static_assert(std::same_as<decltype(a + b), Single>);
    EXPECT_EQ(a + b, Single(a) + b);
    EXPECT_EQ(Half(b), a);
    EXPECT_TRUE(a < b || b < a);
}

TEST(FloatType, ComparisonsArePartial) {
    const Short nan = std::numeric_limits<Short>::quiet_NaN();
    EXPECT_FALSE(nan == nan);
    EXPECT_TRUE(nan != nan);
    EXPECT_FALSE(nan < 1 || nan > 1 || nan <= 1 || nan >= 1);
    EXPECT_EQ(nan <=> Short(1), std::partial_ordering::unordered);
    EXPECT_EQ(Short(-0.0) <=> Short(0), std::partial_ordering::equivalent);
    EXPECT_TRUE(signbit(Short(-0.0)) && !signbit(Short(0)));
    EXPECT_TRUE(isinf(-std::numeric_limits<Short>::infinity()) && !isinf(nan) && !isfinite(nan) && isfinite(Short(1)));
    EXPECT_EQ(std::hash<Short>{}(Short(-0.0)), std::hash<Short>{}(Short(0)));
    EXPECT_EQ((std::unordered_set<Short>{Short(1), Short(1), Short(2)}.size()), 2u);
}

template <class T> class FloatFormats : public testing::Test {};
using Formats =
    testing::Types<Float<"s2e2"_fmt>, Float<"s3e4:subnormals"_fmt>, Float<"s4e3:rne:sat"_fmt>, Half, Short, Single,
                   Float<formats::kBfloat16>, Float<"s28e11"_fmt>, Wide, Float<"s10e11:subnormals"_fmt>, Double,
                   Float<"s52e11"_fmt>, Float<"s51e11:rne"_fmt>, Float<"s52e2:subnormals"_fmt>>;
TYPED_TEST_SUITE(FloatFormats, Formats);

TYPED_TEST(FloatFormats, LimitsAreTheFormats) {
    using T = TypeParam;
    using Limits = std::numeric_limits<T>;
    constexpr Format kF = T::format;
    static_assert(Limits::is_specialized && Limits::digits == kF.fraction_bits + 1 && Limits::radix == 2);
    EXPECT_EQ(double(Limits::max()), kF.max());
    EXPECT_EQ(double(Limits::lowest()), -kF.max());
    EXPECT_EQ(double(Limits::min()), kF.min_normal());
    EXPECT_EQ(double(Limits::denorm_min()), kF.min_positive());
    EXPECT_EQ(std::ldexp(1.0, Limits::min_exponent - 1), kF.min_normal());
    EXPECT_EQ(std::ilogb(kF.max()) + 1, Limits::max_exponent);
    EXPECT_TRUE(isnan(Limits::quiet_NaN()) && isinf(Limits::infinity()));
    if (kF.epsilon() >= kF.min_positive()) {
        EXPECT_EQ(double(Limits::epsilon()), kF.epsilon());
        EXPECT_EQ(double(T(1) + Limits::epsilon()), 1 + kF.epsilon());
    }
}

TEST(FloatType, LimitsOfNativeFormatsAreTheNativeOnes) {
    const auto equal = []<class T, class N>(T, N) {
        using A = std::numeric_limits<T>;
        using B = std::numeric_limits<N>;
        static_assert(A::digits == B::digits && A::digits10 == B::digits10 && A::max_digits10 == B::max_digits10);
        static_assert(A::min_exponent == B::min_exponent && A::max_exponent == B::max_exponent);
        static_assert(A::min_exponent10 == B::min_exponent10 && A::max_exponent10 == B::max_exponent10);
        static_assert(A::is_iec559 && A::round_style == B::round_style && A::has_denorm == B::has_denorm);
        EXPECT_EQ(N(A::denorm_min()), B::denorm_min());
        EXPECT_EQ(N(A::round_error()), B::round_error());
    };
    equal(Single(), float());
    equal(Double(), double());
    static_assert(!std::numeric_limits<Short>::is_iec559);
    static_assert(std::numeric_limits<Short>::round_style == std::round_toward_zero);
}

TYPED_TEST(FloatFormats, BitPatternsAreTheEncodings) {
    using T = TypeParam;
    constexpr Format kF = T::format;
    constexpr std::uint64_t kAll = ~std::uint64_t{0} >> (64 - kF.width());
    std::uint64_t state = 1;
    const std::uint64_t count = std::min<std::uint64_t>(kAll, 200000);
    for (std::uint64_t i = 0; i <= count; ++i) {
        std::uint64_t bits = i;
        if (kAll > count) { // not all: random ones, every other time with few exponent bits
            state = state * 6364136223846793005U + 1442695040888963407U;
            bits = (state >> 64 / 7 ^ state << 29) & kAll;
            if ((i & 1) != 0) bits &= ~(kAll >> 1) | ((std::uint64_t{1} << (kF.fraction_bits + 1)) - 1);
        }
        const T x = T::from_bits(static_cast<typename T::bits_type>(bits));
        const double value = decode(kF, bits);
        if (std::isnan(value)) {
            ASSERT_TRUE(isnan(x));
        } else {
            ASSERT_EQ(std::bit_cast<std::uint64_t>(double(x)), std::bit_cast<std::uint64_t>(value));
        }
        ASSERT_EQ(x.bits(), encode(kF, value)) << std::hex << bits;
    }
}

TEST(FloatType, OneNaN) {
    const Short nan = std::numeric_limits<Short>::quiet_NaN();
    for (Short x : {nan, -nan, nan + 1, nan * nan, sqrt(Short(-1)), Short(0) / Short(0), Short(std::nan("77"))})
        EXPECT_EQ(x.bits(), Short::bits_type{0x1FF << 16 | 0}) << bit_string(Short::format, double(x));
}

TEST(FloatText, PrintsAsItsDouble) {
    std::ostringstream out;
    out << Short(0.1) << ' ' << Half(-65504.0);
    EXPECT_EQ(out.str(), "0.0999999 -65504");
    EXPECT_EQ(fmt::format("{:.3e} {}", Short(0.5), Half(2)), "5.000e-01 2");
    std::istringstream in("0.1 x");
    Short x;
    EXPECT_TRUE(in >> x);
    EXPECT_EQ(x, Short(0.1));
    EXPECT_FALSE(in >> x);
    EXPECT_EQ(x, Short(0.1));
}

} // namespace
} // namespace mantissa
