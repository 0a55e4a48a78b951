// Systems scaled for a datapath: the multiple of a stencil that makes its coefficients integers, and the power of two
// with which words hold them best.
#include <array>
#include <cmath>
#include <limits>
#include <random>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "mantissa/fitted.hpp"
#include "mantissa/fixed_words.hpp"
#include "symmetric_systems.hpp"

namespace mantissa {
namespace {

using Nine = std::array<double, kBands>;

Stencil of(double corner, double north, double east, double centre) {
    return {9, 9, {corner, north, corner, east, centre, east, corner, north, corner}};
}
const Stencil& stencil_of(const std::optional<Fitted>& f) {
    return std::get<Stencil>(f->system.matrix());
}
Stencil times(const Stencil& s, int exponent) {
    Nine c = s.coefficients();
    for (double& v : c) v = std::ldexp(v, exponent);
    return {s.row_length(), s.rows(), c};
}

const Stencil kPoisson = of(-1.0 / 3, -1.0 / 3, -1.0 / 3, 8.0 / 3);
const DatapathSpec kSecond = parse_spec("s10e8,u=s23e8,order=second-difference");

TEST(FittedSecondDifferences, PoissonIsThreeTimesIntegers) {
    const auto f = fitted(kPoisson, kSecond);
    ASSERT_TRUE(f);
    EXPECT_EQ(f->scale, 3);
    EXPECT_EQ(stencil_of(f), of(-1, -1, -1, 8));
    EXPECT_FALSE(fitted(of(-1, -1, -1, 8), kSecond)); // as it is
}

// Bilinear elements of -u_xx - A u_yy: (2/3 + ...) with thirds and sixths of A.
TEST(FittedSecondDifferences, AnisotropicElements) {
    for (const double a : {3.0, 0.1, 7.0, 0.01}) {
        const double corner = -(1 + a) / 6, east = (a - 2) / 3, north = (1 - 2 * a) / 3, centre = 4 * (1 + a) / 3;
        const auto f = fitted(of(corner, north, east, centre), parse_spec("s23e8,order=second-difference"));
        ASSERT_TRUE(f) << a;
        EXPECT_EQ(f->scale, a == 3 ? 3 : a == 7 ? 3 : a == 0.1 ? 15 : 75) << a; // twos are powers of two anyway
        const Nine& c = stencil_of(f).coefficients();
        double sum = 0;
        for (std::size_t b = 0; b < kBands; ++b) {
            const double whole = std::ldexp(c[b], 3);
            EXPECT_EQ(whole, std::nearbyint(whole)) << a;
            sum += c[b];
        }
        EXPECT_EQ(sum, 0) << a;
    }
}

TEST(FittedSecondDifferences, FivePointsAreIntegersAlready) {
    EXPECT_FALSE(fitted(of(0, -1, -1, 4), kSecond));
    EXPECT_FALSE(fitted(times(of(0, -1, -1, 4), -20), kSecond));
    const auto tenth = fitted(of(0, -0.1, -0.1, 0.4), kSecond);
    ASSERT_TRUE(tenth);
    EXPECT_EQ(tenth->scale, 5);
    EXPECT_EQ(stencil_of(tenth), of(0, -0.5, -0.5, 2));
}

TEST(FittedSecondDifferences, NothingWhereNoMultipleIsFoundOrNothingIsAsked) {
    std::mt19937_64 random(5);
    std::uniform_real_distribution<double> uniform(0.1, 1);
    for (int k = 0; k < 20; ++k)
        EXPECT_FALSE(fitted(of(-uniform(random), -uniform(random), -uniform(random), 4), kSecond));
    EXPECT_FALSE(fitted(of(0, 0, 0, 0), kSecond));
    EXPECT_FALSE(fitted(kPoisson, parse_spec("s10e8")));
    EXPECT_FALSE(fitted(kPoisson, parse_spec("s10e8,order=flux")));
    EXPECT_FALSE(fitted(testing::symmetric_bands(9, 9, 3, true), kSecond));
    EXPECT_FALSE(fitted(testing::symmetric_stencil(9, 9), kSecond)); // its corners differ
    // (641, -1, ...): alpha = -641 has ten bits, and s7e8 eight.
    EXPECT_TRUE(fitted(of(-1.0 / 3, -1.0 / 3, -639.0 / 3, 1284.0 / 3), kSecond));
    EXPECT_FALSE(fitted(of(-1.0 / 3, -1.0 / 3, -639.0 / 3, 1284.0 / 3), parse_spec("s7e8,order=second-difference")));
}

TEST(FittedSecondDifferences, HugeAndTinyMagnitudes) {
    for (const int x : {1000, -1000, 1020}) {
        const auto f = fitted(times(kPoisson, x), parse_spec("s30e11,order=second-difference"));
        ASSERT_TRUE(f) << x;
        EXPECT_EQ(f->scale, 3);
        EXPECT_EQ(stencil_of(f), times(of(-1, -1, -1, 8), x));
    }
    EXPECT_FALSE(fitted(times(kPoisson, 1022), parse_spec("s30e11,order=second-difference"))); // 8 2^1022 is none
}

// Integers on p's grid are words of q: no row is rounded.
TEST(FittedWords, PoissonIsIntegers) {
    const auto f = fitted(kPoisson, parse_spec("fx18.16"));
    ASSERT_TRUE(f);
    EXPECT_EQ(f->scale, 3);
    EXPECT_EQ(stencil_of(f), of(-1, -1, -1, 8));
    // Two bits more in q's words than in p's take coefficients of quarters.
    const auto finer = fitted(kPoisson, parse_spec("fx18.16,q=fx20.18"));
    ASSERT_TRUE(finer);
    EXPECT_EQ(finer->scale, 0.75);
    EXPECT_EQ(stencil_of(finer), of(-0.25, -0.25, -0.25, 2));
    EXPECT_FALSE(fitted(f->system, parse_spec("fx18.16")));
    for (const int x : {900, -900}) {
        const auto far = fitted(times(kPoisson, x), parse_spec("fx18.16"));
        ASSERT_TRUE(far) << x;
        EXPECT_EQ(far->scale, std::ldexp(3.0, -x));
        EXPECT_EQ(far->system, f->system);
    }
}

/// The words of a row, by the definition: the largest power of two is the last one with which they fit.
bool words_fit(const System& system, const Format& f, int k) {
    Format wide = f;
    ++wide.word_bits;
    const auto fit = [&](const Format& g, double v) { return !fixed::from_double(g, std::ldexp(v, k)).overflow; };
    const auto& m = std::get<CompressedRows>(system.matrix());
    for (std::size_t i = 0; i < m.rows(); ++i)
        for (auto e = m.row_begin()[i]; e < m.row_begin()[i + 1]; ++e)
            if (!fit(m.column()[e] == i ? wide : f, m.value()[e])) return false;
    return true;
}

TEST(FittedWords, TakeTheLargestPowerOfTwo) {
    std::mt19937_64 random(9);
    std::uniform_real_distribution<double> uniform(-1, 1);
    for (const char* text : {"fx18.17", "fx12.3", "fx24.40", "fx8.-5"}) {
        const DatapathSpec spec = parse_spec(text);
        for (int k = 0; k < 30; ++k) {
            const double reach = std::ldexp(1.0, static_cast<int>(random() % 200) - 100);
            const CompressedRows rows({0, 2, 4}, {0, 1, 0, 1},
                                      {std::abs(uniform(random)) * reach, uniform(random) * reach, -reach, reach});
            const auto f = fitted(rows, spec);
            const double scale = f ? f->scale : 1;
            const int power = std::ilogb(scale);
            EXPECT_EQ(scale, std::ldexp(1.0, power));
            EXPECT_TRUE(words_fit(rows, spec.coefficient, power)) << text << ' ' << power;
            EXPECT_FALSE(words_fit(rows, spec.coefficient, power + 1)) << text << ' ' << power;
        }
    }
}

TEST(FittedWords, UnitDiagonalsStayAsTheyAre) {
    EXPECT_FALSE(fitted(CompressedRows({0, 2, 4}, {0, 1, 0, 1}, {1, -0.99, -0.99, 1}), parse_spec("fx18.17")));
    EXPECT_FALSE(fitted(CompressedRows({0, 1}, {0}, {0}), parse_spec("fx18.17"))); // nothing to scale
    EXPECT_FALSE(fitted(of(0, 0, 0, 0), parse_spec("fx18.17")));
}

// All kinds of matrices; the derived diagonal of a grid decides with.
TEST(FittedWords, BandsOfEitherKind) {
    const SymmetricBands m = testing::symmetric_bands(9, 7, 3, true);
    const auto symmetric = fitted(m, parse_spec("fx18.17")), bands = fitted(m.bands(), parse_spec("fx18.17"));
    ASSERT_TRUE(symmetric);
    ASSERT_TRUE(bands);
    EXPECT_EQ(symmetric->scale, 0.5);
    EXPECT_EQ(bands->scale, 0.5);
    EXPECT_EQ(std::get<SymmetricBands>(symmetric->system.matrix()).weight(2)[3], 0.5 * m.weight(2)[3]);
    EXPECT_EQ(std::get<Bands>(bands->system.matrix()).band(4)[30], 0.5 * m.diagonal(30));
}

TEST(FittedWords, NoScaleBeyondDouble) {
    try {
        static_cast<void>(fitted(CompressedRows({0, 1}, {0}, {0x1p-1060}), parse_spec("fx18.17")));
        ADD_FAILURE() << "accepted";
    } catch (const InvalidInput& fault) {
        EXPECT_STREQ(
            fault.what(),
            "coef=fx18.17: its coefficients reach 8.095e-320 and would be scaled by 2^1061, which is beyond double "
            "precision: scale the equation first");
    }
}

} // namespace
} // namespace mantissa
