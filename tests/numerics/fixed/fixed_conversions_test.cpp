// Into and out of fixed-point formats: doubles, floating formats and other fixed ones, every implementation against
// MPFR.
#include <bit>
#include <cfloat>
#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "fixed_operands.hpp"
#include "judge.hpp"
#include "mantissa/fixed.hpp"
#include "mantissa/fixed_kernels.hpp"

namespace mantissa {
namespace {

using namespace literals;
using judge::FixedClass;
using judge::FixedOperands;
using judge::Random;

/// A double, or a word of another format, rounded onto a format's grid by MPFR's floor alone.
class Grid {
public:
    explicit Grid(const Format& f) : f_(f) {
        mpfr_inits2(2400, x_, limit_, nullptr); // every sum of two doubles
    }
    ~Grid() { mpfr_clears(x_, limit_, nullptr); }
    Grid(const Grid&) = delete;
    Grid& operator=(const Grid&) = delete;

    fixed::Rounded of(double value) {
        if (std::isnan(value)) return {0, true};
        mpfr_set_d(x_, value, MPFR_RNDN);
        return rounded(true);
    }
    fixed::Rounded of(const Format& from, fixed::Word word) {
        mpfr_set_si_2exp(x_, word, -from.fraction_bits, MPFR_RNDN);
        return rounded(false);
    }

private:
    fixed::Rounded rounded(bool saturates) {
        mpfr_mul_2si(x_, x_, f_.fraction_bits, MPFR_RNDN);
        if (f_.rounding == Rounding::nearest_up) mpfr_add_d(x_, x_, 0.5, MPFR_RNDN);
        mpfr_floor(x_, x_);
        mpfr_set_si_2exp(limit_, 1, f_.word_bits - 1, MPFR_RNDN);
        const bool above = mpfr_greaterequal_p(x_, limit_) != 0;
        mpfr_neg(limit_, limit_, MPFR_RNDN);
        const bool below = mpfr_less_p(x_, limit_) != 0;
        if (!above && !below) return {mpfr_get_si(x_, MPFR_RNDN), false};
        if (saturates) {
            mpfr_neg(limit_, limit_, MPFR_RNDN);
            if (above) mpfr_sub_ui(limit_, limit_, 1, MPFR_RNDN);
            if (below) mpfr_neg(limit_, limit_, MPFR_RNDN);
            return {mpfr_get_si(limit_, MPFR_RNDN), true};
        }
        // The low W bits: what is left of whole multiples of 2^W.
        mpfr_set_si_2exp(limit_, 1, f_.word_bits, MPFR_RNDN);
        mpfr_fmod(x_, x_, limit_, MPFR_RNDN);
        mpfr_div_2ui(limit_, limit_, 1, MPFR_RNDN);
        if (mpfr_greaterequal_p(x_, limit_) != 0)
            mpfr_sub(x_, x_, limit_, MPFR_RNDN), mpfr_sub(x_, x_, limit_, MPFR_RNDN);
        mpfr_neg(limit_, limit_, MPFR_RNDN);
        if (mpfr_less_p(x_, limit_) != 0) mpfr_sub(x_, x_, limit_, MPFR_RNDN), mpfr_sub(x_, x_, limit_, MPFR_RNDN);
        return {mpfr_get_si(x_, MPFR_RNDN), true};
    }
    Format f_;
    mpfr_t x_, limit_;
};

/// Doubles about a format's words, ties and limits, and from everywhere.
double draw_double(const Format& f, Random& random) {
    const double unit = Format::power_of_two(-f.fraction_bits);
    const auto word = static_cast<std::int64_t>(random()) >> (64 - f.word_bits) >> random.between(0, f.word_bits - 1);
    const int steps = random.between(-2, 2);
    const auto stepped = [&](double x) {
        for (int i = 0; i < std::abs(steps); ++i) x = std::nextafter(x, steps < 0 ? -HUGE_VAL : HUGE_VAL);
        return x;
    };
    switch (random.between(0, 5)) {
    case 0: // words, ties and quarters, and beside them
        return stepped((static_cast<double>(word) + 0.25 * random.between(0, 3)) * unit);
    case 1: // about the ends
        return stepped(
            (std::ldexp(random.between(0, 1) != 0 ? 1.0 : -1.0, f.word_bits - 1) + 0.5 * random.between(-3, 3)) * unit);
    case 2: // any bits: subnormal numbers, infinities and NaN among them
        return std::bit_cast<double>(random());
    case 3: { // an exponent near the format's
        const double significand = std::bit_cast<double>((random() >> 12) | std::uint64_t{1023} << 52);
        return std::ldexp(random.between(0, 1) != 0 ? significand : -significand,
                          random.between(-3, f.word_bits + 2) - f.fraction_bits);
    }
    case 4: { // what has a name
        const double named[] = {0.0,     -0.0,     DBL_MIN,  -DBL_MIN,  DBL_TRUE_MIN, -DBL_TRUE_MIN,
                                DBL_MAX, -DBL_MAX, HUGE_VAL, -HUGE_VAL, std::nan("7")};
        return named[random() % std::size(named)];
    }
    default:
        return std::ldexp(static_cast<double>(static_cast<std::int64_t>(random())), random.between(-1137, 960));
    }
}

template <class N> class FixedConversions : public testing::Test {};
using Numbers =
    testing::Types<Fixed<"fx2.1"_fmt>, Fixed<"fx8.4:floor"_fmt>, Fixed<"fx12.15"_fmt>, Fixed<"fx18.16"_fmt>,
                   Fixed<"fx18.16:floor"_fmt>, Fixed<"fx22.-2"_fmt>, Fixed<"fx22.0:floor"_fmt>, Fixed<"fx32.30"_fmt>,
                   Fixed<"fx32.32:floor"_fmt>, Fixed<"fx48.46"_fmt>, Fixed<"fx53.20"_fmt>, Fixed<"fx53.56:floor"_fmt>,
                   Fixed<"fx54.0"_fmt>, Fixed<"fx64.62"_fmt>, Fixed<"fx64.126:floor"_fmt>, Fixed<"fx64.-64"_fmt>,
                   Fixed<"fx40.126"_fmt>, Fixed<"fx12.-64:floor"_fmt>>;
TYPED_TEST_SUITE(FixedConversions, Numbers);

constexpr int kCount = 40000;

template <class T, class A>
void expect_kernel(const Format& f, const std::vector<A>& from, const std::vector<fixed::Rounded>& want,
                   const Format& other) {
    bool lost = false;
    for (const fixed::Rounded& w : want) lost |= w.overflow;
    for (const auto path : {FixedUnit<T>::Path::fastest, FixedUnit<T>::Path::portable}) {
        const FixedUnit<T> unit(f, path);
        std::vector<T> out(from.size(), T{77});
        bool got = false;
        if constexpr (std::same_as<A, double>) got = unit.convert(from, out);
        else got = unit.round(other, from, out);
        ASSERT_EQ(got, lost);
        for (std::size_t i = 0; i < from.size(); ++i)
            ASSERT_EQ(out[i], want[i].word) << to_string(f) << " kernel of " << from[i] << " of " << to_string(other);
    }
}

TYPED_TEST(FixedConversions, DoublesAreRoundedOnce) {
    constexpr Format kF = TypeParam::format;
    Random random(5);
    Grid grid(kF);
    std::vector<double> from;
    std::vector<fixed::Rounded> want;
    for (int i = 0; i < kCount; ++i) {
        const double x = draw_double(kF, random);
        from.push_back(x);
        want.push_back(grid.of(x));
        const fixed::Rounded got = fixed::from_double(kF, x);
        ASSERT_EQ(got, want.back()) << to_string(kF) << " of " << x << ": " << got.word << ", expected "
                                    << want.back().word;
        const auto number = TypeParam::checked(x);
        ASSERT_EQ(number.has_value(), !want.back().overflow);
        if (number) {
            ASSERT_EQ(number->word(), want.back().word);
            ASSERT_EQ(TypeParam(x), *number);
        }
        const auto single = static_cast<float>(x);
        const fixed::Rounded of_single = grid.of(static_cast<double>(single));
        ASSERT_EQ(TypeParam::checked(single).has_value(), !of_single.overflow);
        if (!of_single.overflow) {
            ASSERT_EQ(TypeParam(single).word(), of_single.word);
        }
    }
    if constexpr (kF.word_bits <= 32) expect_kernel<std::int32_t>(kF, from, want, formats::kDouble);
    expect_kernel<std::int64_t>(kF, from, want, formats::kDouble);
    // One that overflows is not lost among those that do not, wherever it stands.
    const FixedUnit<std::int64_t> unit(kF);
    std::vector<double> zeros(37);
    std::vector<std::int64_t> out(zeros.size());
    ASSERT_FALSE(unit.convert(zeros, out));
    for (double& x : zeros)
        for (const double bad : {HUGE_VAL, -1e300, std::nan("")}) {
            x = bad;
            ASSERT_TRUE(unit.convert(zeros, out));
            x = 0;
        }
}

/// Words into double, float and floating formats of every policy, rounded once.
TYPED_TEST(FixedConversions, WordsBecomeFloatingNumbers) {
    constexpr Format kF = TypeParam::format;
    FixedOperands operands(kF, 3);
    std::vector<typename TypeParam::word_type> words;
    std::vector<double> doubles;
    mpfr_t exact;
    mpfr_init2(exact, 64);
    const auto expect = [&]<Format G>(Float<G>, const std::string& text, TypeParam x) {
        judge::Judge judge(G, 53);
        ASSERT_TRUE(judge.form_text(text, 16));
        const double want = judge.result(G);
        ASSERT_TRUE(judge::same(static_cast<double>(static_cast<Float<G>>(x)), want))
            << to_string(kF) << " " << text << " into " << to_string(G);
    };
    for (int i = 0; i < kCount / 4; ++i) {
        const FixedClass c = judge::kFixedClasses[i % 5];
        const fixed::Word word = operands.draw(judge::FixedOp::ldexp, c).a;
        const auto x = TypeParam::from_word(static_cast<typename TypeParam::word_type>(word));
        mpfr_set_si_2exp(exact, word, -kF.fraction_bits, MPFR_RNDN);
        words.push_back(x.word());
        doubles.push_back(mpfr_get_d(exact, MPFR_RNDN) + 0.0);
        ASSERT_TRUE(judge::same(fixed::to_double(kF, word), doubles.back())) << to_string(kF) << " " << word;
        ASSERT_TRUE(judge::same(static_cast<double>(x), doubles.back()));
        ASSERT_TRUE(judge::same(decode(kF, static_cast<std::uint64_t>(word)), doubles.back()));
        ASSERT_EQ(static_cast<float>(x), mpfr_get_flt(exact, MPFR_RNDN));
        const auto magnitude = word < 0 ? 0 - static_cast<std::uint64_t>(word) : static_cast<std::uint64_t>(word);
        const std::string text = fmt::format("{}{:x}p{}", word < 0 ? "-" : "", magnitude, -kF.fraction_bits);
        expect(Float<"s17e8"_fmt>(), text, x);
        expect(Float<"s5e4:rne:subnormals"_fmt>(), text, x);
        expect(Float<"s7e5:rne:sat"_fmt>(), text, x);
        expect(Float<"s36e11"_fmt>(), text, x);
        expect(Float<"s3e4"_fmt>(), text, x);
        if constexpr (kF.word_bits <= Format::kMaxDoubleWord) { // every value is a double, and comes back
            ASSERT_EQ(fixed::from_double(kF, doubles.back()), (fixed::Rounded{word, false}));
            ASSERT_EQ(TypeParam(Float<formats::kDouble>(doubles.back())), x);
        }
    }
    mpfr_clear(exact);
    for (const auto path : {FixedUnit<std::int64_t>::Path::fastest, FixedUnit<std::int64_t>::Path::portable}) {
        std::vector<double> out(words.size());
        FixedUnit<typename TypeParam::word_type>(kF, path).to_doubles(words, out);
        for (std::size_t i = 0; i < out.size(); ++i) ASSERT_TRUE(judge::same(out[i], doubles[i])) << words[i];
    }
}

/// From formats of every kind into each: words of any length, finer and coarser grids.
TYPED_TEST(FixedConversions, OtherFormatsAreRoundedOnce) {
    constexpr Format kF = TypeParam::format;
    Grid grid(kF);
    std::vector<std::int64_t> from;
    std::vector<fixed::Rounded> want;
    const auto draw = [&](const Format& g) {
        FixedOperands operands(g, 9);
        from.clear();
        want.clear();
        for (int i = 0; i < kCount / 40; ++i) {
            from.push_back(operands.draw(judge::FixedOp::ldexp, judge::kFixedClasses[i % 5]).a);
            want.push_back(grid.of(g, from.back()));
            ASSERT_EQ(fixed::convert(kF, g, from.back()), want.back()) << to_string(g) << " " << from.back();
        }
        if constexpr (kF.word_bits <= 32) expect_kernel<std::int32_t>(kF, from, want, g);
        expect_kernel<std::int64_t>(kF, from, want, g);
        if (g.word_bits > 32) return;
        const std::vector<std::int32_t> shorter(from.begin(), from.end());
        expect_kernel<std::int64_t>(kF, shorter, want, g);
        if constexpr (kF.word_bits <= 32) expect_kernel<std::int32_t>(kF, shorter, want, g);
    };
    for (const char* text :
         {"fx2.1", "fx8.4", "fx12.15", "fx18.16", "fx18.17", "fx22.-2", "fx31.30", "fx32.0", "fx32.32", "fx48.46",
          "fx53.56", "fx64.62", "fx64.126", "fx64.-64", "fx64.0", "fx5.126", "fx5.-64"})
        draw(parse_format(text));
    const auto from_number = [&]<class G>(G) {
        draw(G::format);
        for (std::size_t i = 0; i < from.size(); ++i) {
            const G other = G::from_word(static_cast<typename G::word_type>(from[i]));
            const auto number = TypeParam::checked(other);
            ASSERT_EQ(number.has_value(), !want[i].overflow);
            if (!number) continue;
            ASSERT_EQ(number->word(), want[i].word);
            ASSERT_EQ(TypeParam(other), *number);
            ASSERT_EQ(*number == other, fixed::compare(G::format, from[i], kF, want[i].word) == 0);
            if (kF.contains(G::format)) {
                ASSERT_EQ(*number, other);
            }
        }
    };
    from_number(Fixed<"fx20.9:floor"_fmt>());
    from_number(Fixed<"fx64.40"_fmt>());
}

} // namespace
} // namespace mantissa
