// Fixed<F> as a C++ type: what converts to what, constants, limits, overflow, comparison, text. Its arithmetic stands
// before the judge.
#include "mantissa/fixed.hpp"

#include <cmath>
#include <numeric>
#include <sstream>
#include <unordered_set>
#include <vector>

#include <gtest/gtest.h>

#include "mantissa/fixed_fmt.hpp"
#include "mantissa/fixed_io.hpp"
#include "operands.hpp"

namespace mantissa {
namespace {

using namespace literals;
using Short = Fixed<"fx18.16"_fmt>;
using Floor = Fixed<"fx18.16:floor"_fmt>;
using Wide = Fixed<"fx32.30"_fmt>;
using Long = Fixed<"fx64.62"_fmt>;
using Integer = Fixed<"fx16.0"_fmt>;
using Single = Float<formats::kFloat>;

static_assert(sizeof(Short) == 4 && sizeof(Wide) == 4 && sizeof(Long) == 8 && sizeof(Fixed<"fx33.0"_fmt>) == 8);
static_assert(std::is_trivially_copyable_v<Short> && std::is_standard_layout_v<Short>);
static_assert(std::same_as<Short::word_type, std::int32_t> && std::same_as<Long::word_type, std::int64_t>);

// Implicit where exact, explicit where rounding may happen.
static_assert(std::is_convertible_v<Short, Wide> && std::is_convertible_v<Wide, Long>);
static_assert(!std::is_convertible_v<Wide, Short> && std::is_constructible_v<Short, Wide>);
static_assert(std::is_convertible_v<Short, Floor> && std::is_convertible_v<Floor, Short>); // the same words
static_assert(!std::is_convertible_v<Integer, Short> && std::is_constructible_v<Short, Integer>);
static_assert(!std::is_convertible_v<Short, double> && std::is_constructible_v<double, Short>);
static_assert(!std::is_convertible_v<Single, Short> && std::is_constructible_v<Short, Single>);
static_assert(!std::is_convertible_v<Short, Single> && std::is_constructible_v<Single, Short>);

// Constants that the format holds need no cast, and everything is constexpr.
constexpr Short kConstant = 1.5;
static_assert(kConstant * 0.5 == 0.75 && 1 - kConstant == -0.5 && kConstant / -1.5 == -1 && -kConstant < 0);
static_assert(Short(0.1) == Short::from_word(6554) && Floor(0.1) == Floor::from_word(6553));
static_assert(Short(0x1p-17) == Short::from_word(1) && Short(-0x1p-17) == 0 && Floor(-0x1p-40) == Floor::from_word(-1));
static_assert(fma(kConstant, kConstant, -1.25) == 1 && abs(-kConstant) == 1.5 && ldexp(kConstant, -1) == 0.75);
static_assert(min(kConstant, Short(1)) == 1 && max(kConstant, Short(1)) == 1.5 &&
              copysign(kConstant, Short(-1)) == -1.5);
static_assert(!add_checked(kConstant, kConstant) && *add_checked(kConstant, -1) == 0.5);
static_assert(!div_checked(kConstant, 0) && !Short::checked(2.0) && *Short::checked(-2) == -2 && !Short::checked(2U));
static_assert(Short(Single(0.1F)) == Short(0.1F) && float(Short(0.1)) == 6554 / 65536.0F && double(Short(0.5)) == 0.5);
static_assert(Single(Short(0.1)) == Single(6554 / 65536.0F) && Integer(-3) / 2 == -1 && int(Short(-1.75)) == -1);
static_assert(Long(kConstant) == kConstant && kConstant != Long::from_word(1) && kConstant > Long::from_word(1));
static_assert(std::same_as<decltype(kConstant + Long(0)), Long>); // mixed formats meet in the wider one

// What overflows is no constant expression; a constant that the format does not hold does not compile.
template <auto Form>
concept Compiles = requires {
    typename std::bool_constant<(Form(), true)>;
};
static_assert(Compiles<[] { return kConstant + Short(0.25); }>);
static_assert(!Compiles<[] { return kConstant + kConstant; }>);
static_assert(!Compiles<[] { return kConstant * -kConstant; }>);
static_assert(!Compiles<[] { return kConstant / Short(0); }>);
static_assert(!Compiles<[] { return -Short(-2); }>);
static_assert(!Compiles<[] { return ldexp(kConstant, 1); }>);
static_assert(!Compiles<[] { return Short(2.0); }>);
static_assert(!Compiles<[] { return Short(Integer(2)); }>);
static_assert(!Compiles<[] { return static_cast<std::int8_t>(Integer(128)); }>);
static_assert(!Compiles<[] { return static_cast<unsigned>(Integer(-1)); }>);

/// `action` throws FixedOverflow, one line with `phrase` and the range.
template <class Action> void expect_overflow(Action action, const std::string& phrase) {
    try {
        action();
        ADD_FAILURE() << "no overflow; expected: " << phrase;
    } catch (const std::overflow_error& e) {
        const std::string what = e.what();
        EXPECT_NE(dynamic_cast<const FixedOverflow*>(&e), nullptr);
        EXPECT_NE(what.find(phrase), std::string::npos) << what;
        EXPECT_EQ(what.find('\n'), std::string::npos) << what;
    }
}

TEST(FixedType, OverflowIsSaidInOneLine) {
    const Short x = 1.5, zero;
    const std::string range = "; its words hold -2 to 1.99998";
    expect_overflow([&] { (void)(x + x); }, "fx18.16: 1.5 + 1.5 overflows" + range);
    expect_overflow([&] { (void)(x - (-x)); }, "1.5 - -1.5 overflows" + range);
    expect_overflow([&] { (void)(x * x); }, "1.5 * 1.5 overflows");
    expect_overflow([&] { (void)(x / Short(0.5)); }, "1.5 / 0.5 overflows");
    expect_overflow([&] { (void)(x / zero); }, "1.5 / 0 divides by zero");
    expect_overflow([&] { (void)(zero / zero); }, "0 / 0 divides by zero");
    expect_overflow([&] { (void)(-std::numeric_limits<Short>::lowest()); }, "-(-2) overflows");
    expect_overflow([&] { (void)abs(std::numeric_limits<Short>::lowest()); }, "-(-2) overflows");
    expect_overflow([&] { (void)fma(x, x, x); }, "fma(1.5, 1.5, 1.5) overflows");
    expect_overflow([&] { (void)ldexp(x, 1); }, "ldexp(1.5, 1) overflows");
    expect_overflow([&] { (void)Short(2.0); }, "fx18.16: a conversion of 2 overflows" + range);
    expect_overflow([&] { (void)Floor(-2.00001F); }, "fx18.16:floor: a conversion of -2.0000");
    expect_overflow([&] { (void)Short(std::nan("")); }, "a conversion of nan overflows");
    expect_overflow([&] { (void)Short(HUGE_VAL); }, "a conversion of inf overflows");
    expect_overflow([&] { (void)Short(7); }, "a conversion of 7 overflows");
    expect_overflow([&] { (void)Short(Integer(7)); }, "a conversion of 7 overflows");
    expect_overflow([&] { (void)static_cast<std::int8_t>(Integer(200)); },
                    "fx16.0: 200 does not fit a signed integer of 8 bits");
    expect_overflow([&] { (void)static_cast<std::uint64_t>(Short(-1)); },
                    "-1 does not fit an unsigned integer of 64 bits");
    expect_overflow([&] { (void)static_cast<std::int64_t>(Fixed<"fx64.-2"_fmt>(0x1p63)); }, "does not fit a signed");
    Short y = 1.5;
    EXPECT_THROW(y += x, FixedOverflow);
    EXPECT_EQ(y, 1.5); // as it was
}

TEST(FixedType, CheckedFormsGiveNothingInstead) {
    const Short x = 1.5, least = std::numeric_limits<Short>::lowest();
    EXPECT_FALSE(add_checked(x, x) || sub_checked(x, -x) || mul_checked(x, x) || div_checked(x, Short(0.5)) ||
                 fma_checked(x, x, x) || negate_checked(least) || abs_checked(least) || ldexp_checked(x, 1) ||
                 Short::checked(std::nan("")) || Short::checked(2.5F) || Short::checked(Single(-3)) ||
                 Short::checked(Integer(2)) || Short::checked(~std::uint64_t{0}));
    EXPECT_EQ(sub_checked(x, x), Short());
    EXPECT_EQ(mul_checked(x, Short(0.5)), Short(0.75));
    EXPECT_EQ(div_checked(x, Short(-1)), Short(-1.5));
    EXPECT_EQ(fma_checked(x, x, Short(-0.5)), Short(1.75));
    EXPECT_EQ(negate_checked(x), -x);
    EXPECT_EQ(abs_checked(Short(-1)), Short(1));
    EXPECT_EQ(ldexp_checked(x, -20), Short());
    EXPECT_EQ(Short::checked(0.75), Short(0.75));
}

TEST(FixedType, CodeReadsAsUsual) {
    const std::vector<Short> x(5, Short(1.0 / 3));
    EXPECT_EQ(double(x[0]), 21845 / 65536.0);
    const Short sum = std::accumulate(x.begin(), x.end(), Short(0));
    EXPECT_EQ(sum, Short::from_word(5 * x[0].word())); // exact
    Short y = x[0];
    y -= x[1];
    EXPECT_EQ(y, 0);
    y = 1;
    y /= -2;
    y *= y;
    EXPECT_EQ(y, 0.25);
    EXPECT_TRUE(y > 0 && y >= 0.25 && y < 1 && y != 0 && +y == abs(-y));
    EXPECT_TRUE(static_cast<bool>(y) && !static_cast<bool>(Short()));
    const double tenth = 0.1;
    EXPECT_TRUE(Short(tenth) > tenth && Floor(tenth) < tenth && Short(tenth) != tenth); // the comparison rounds nothing
    EXPECT_TRUE(signbit(Short(-1)) && !signbit(Short(0)) && fmin(y, Short(0)) == 0 && fmax(y, Short(0)) == y);
    EXPECT_EQ((std::unordered_set<Short>{Short(1), Short(1), Short(0)}.size()), 2u);
}

/// Values of words of any two formats against each other, doubles and integers, by exact integers.
TEST(FixedType, ComparisonsAreOfValues) {
    const auto compare = []<class A, class B>(A, B) {
        judge::Random random(3);
        for (int i = 0; i < 20000; ++i) {
            const auto draw = [&](const Format& f) {
                return static_cast<std::int64_t>(random()) >> (64 - f.word_bits) >> random.between(0, f.word_bits - 1);
            };
            const A a = A::from_word(static_cast<typename A::word_type>(draw(A::format)));
            std::int64_t near = draw(B::format); // or about a's value
            const int up = B::format.fraction_bits - A::format.fraction_bits;
            if (const auto same = B::checked(a); i % 2 == 0 && same) near = same->word();
            const B b = B::from_word(static_cast<typename B::word_type>(near));
            mpfr_t x, y;
            mpfr_inits2(64, x, y, nullptr);
            mpfr_set_si_2exp(x, a.word(), up, MPFR_RNDN);
            mpfr_set_si_2exp(y, b.word(), 0, MPFR_RNDN);
            const int want = mpfr_cmp(x, y);
            mpfr_set_si_2exp(x, a.word(), -A::format.fraction_bits, MPFR_RNDN);
            const auto number = mpfr_get_d(x, i % 3 == 0 ? MPFR_RNDU : MPFR_RNDD);
            const int want_double = mpfr_cmp_d(x, number);
            mpfr_clears(x, y, nullptr);
            ASSERT_EQ(a == b, want == 0);
            ASSERT_EQ(a < b, want < 0);
            ASSERT_EQ(b<a, want> 0);
            ASSERT_EQ(a == number, want_double == 0);
            ASSERT_EQ(a < number, want_double < 0);
            ASSERT_EQ(number<a, want_double> 0);
        }
    };
    compare(Short(), Long());
    compare(Long(), Fixed<"fx64.-64"_fmt>());
    compare(Fixed<"fx64.126"_fmt>(), Fixed<"fx64.-64"_fmt>());
    compare(Fixed<"fx64.0"_fmt>(), Fixed<"fx64.60:floor"_fmt>());
    compare(Fixed<"fx64.-1"_fmt>(), Wide());
    EXPECT_EQ(Short(0) <=> std::nan(""), std::partial_ordering::unordered);
    EXPECT_FALSE(Short(0) == std::nan("") || Short(0) < std::nan(""));
    EXPECT_TRUE(Short(1) < HUGE_VAL && Short(1) > -HUGE_VAL && Short(0) == -0.0 && Short(1) > -1e-300);
    EXPECT_TRUE((Fixed<"fx64.-1"_fmt>(0x1p63) == (std::uint64_t{1} << 63)));
    EXPECT_TRUE((Fixed<"fx64.-1"_fmt>(0x1p63) < (std::uint64_t{1} << 63) + 1));
    EXPECT_TRUE((Fixed<"fx64.0"_fmt>(-1) < ~std::uint64_t{0} && Long(1) < ~std::uint64_t{0} && Long(-2) == -2L));
}

TEST(FixedType, IntegersGoInAndOut) {
    using Big = Fixed<"fx64.0"_fmt>;
    using Even = Fixed<"fx64.-1"_fmt>;
    EXPECT_EQ(Big(INT64_MIN).word(), INT64_MIN);
    EXPECT_FALSE(Big::checked(std::uint64_t{1} << 63));
    EXPECT_EQ(Even(std::uint64_t{1} << 63).word(), std::int64_t{1} << 62);
    EXPECT_EQ(Even(3).word(), 2); // half up
    EXPECT_EQ(Even(-3).word(), -1);
    EXPECT_EQ(static_cast<std::uint64_t>(Even(0x1p63)), std::uint64_t{1} << 63);
    EXPECT_EQ(static_cast<std::int64_t>(Big(INT64_MIN)), INT64_MIN);
    EXPECT_EQ(static_cast<std::int64_t>(Long::from_word(INT64_MIN)), -2);
    EXPECT_EQ(static_cast<int>(Long::from_word(-1)), 0);
    EXPECT_EQ(static_cast<int>(Floor(-1.99)), -1); // as of a double, whatever the format's rounding
}

template <class T> class FixedFormats : public testing::Test {};
using Formats = testing::Types<Fixed<"fx2.0"_fmt>, Short, Floor, Wide, Long, Fixed<"fx8.12"_fmt>, Fixed<"fx64.126"_fmt>,
                               Fixed<"fx53.52"_fmt>, Fixed<"fx64.-64:floor"_fmt>>;
TYPED_TEST_SUITE(FixedFormats, Formats);

TYPED_TEST(FixedFormats, LimitsAreTheFormats) {
    using T = TypeParam;
    using Limits = std::numeric_limits<T>;
    constexpr Format kF = T::format;
    static_assert(Limits::is_specialized && Limits::is_signed && Limits::is_exact && !Limits::is_integer &&
                  Limits::is_bounded && !Limits::is_modulo && Limits::radix == 2 && Limits::digits == kF.word_bits - 1);
    static_assert(!Limits::has_infinity && !Limits::has_quiet_NaN);
    static_assert(Limits::round_style ==
                  (kF.rounding == Rounding::down ? std::round_toward_neg_infinity : std::round_to_nearest));
    EXPECT_EQ(double(Limits::max()), kF.max());
    EXPECT_EQ(double(Limits::lowest()), -std::ldexp(1.0, kF.word_bits - 1 - kF.fraction_bits));
    EXPECT_EQ(Limits::min(), Limits::lowest());
    EXPECT_EQ(double(Limits::epsilon()), kF.epsilon());
    EXPECT_EQ(double(Limits::denorm_min()), kF.min_positive());
    EXPECT_EQ(Limits::lowest().word(), fixed::min_word(kF));
    EXPECT_FALSE(add_checked(Limits::max(), Limits::epsilon()));
    EXPECT_EQ(Limits::max() + Limits::lowest(), -Limits::epsilon());
}

TEST(FixedText, PrintsAsTheNumberOfItsValue) {
    std::ostringstream out;
    out << Short(0.1) << ' ' << Short(-2) << ' ' << Long(0.5);
    EXPECT_EQ(out.str(), "0.100006 -2 0.5");
    out.str("");
    out.precision(30);
    out << Short(0.1);
    EXPECT_EQ(out.str(), "0.100006103515625");
    EXPECT_EQ(fmt::format("{:.3e} {} {:+8.2f}|", Short(0.5), Short(-1), Wide(0.25)), "5.000e-01 -1    +0.25|");
    if (std::numeric_limits<long double>::digits >= 64) { // every bit of a long word
        EXPECT_EQ(fmt::format("{:.20f}", Fixed<"fx64.0"_fmt>(INT64_MAX)), "9223372036854775807.00000000000000000000");
    }
    std::istringstream in("0.1 7 x");
    Short x;
    EXPECT_TRUE(in >> x);
    EXPECT_EQ(x, Short(0.1));
    EXPECT_FALSE(in >> x); // beyond the words
    EXPECT_EQ(x, std::numeric_limits<Short>::max());
    in.clear();
    EXPECT_FALSE(in >> x);
}

} // namespace
} // namespace mantissa
