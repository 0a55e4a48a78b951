#include "mantissa/lu/factor.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "form.hpp"
#include "mantissa/exact.hpp"
#include "reference.hpp"

#ifdef MANTISSA_LAPACK
extern "C" void dgetrf_(const int* m, const int* n, double* a, const int* lda, int* ipiv, int* info);
#endif

namespace mantissa {
namespace {

using test::form_exact;
using test::JudgeForm;

DenseMatrix uniform(std::size_t n, unsigned seed, double scale = 1) {
    std::mt19937_64 random(seed);
    DenseMatrix a(n);
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j) a(i, j) = scale * (static_cast<double>(random() >> 11) * 0x1p-53 - 0.5);
    return a;
}

/// Small whole numbers, so that pivots tie.
DenseMatrix coarse(std::size_t n, unsigned seed) {
    std::mt19937_64 random(seed);
    DenseMatrix a(n);
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j) a(i, j) = static_cast<double>(static_cast<int>(random() % 5) - 2);
    return a;
}

void expect_same(const LuFactors& got, const LuFactors& want, const std::string& what) {
    ASSERT_EQ(to_string(got.end), to_string(want.end)) << what;
    ASSERT_EQ(got.at, want.at) << what;
    if (want.end != LuEnd::factored) return;
    EXPECT_EQ(got.rows, want.rows) << what;
    EXPECT_EQ(got.columns, want.columns) << what;
    EXPECT_EQ(got.exchanges, want.exchanges) << what;
    for (std::size_t i = 0; i < got.size(); ++i)
        for (std::size_t j = 0; j < got.size(); ++j)
            ASSERT_EQ(std::bit_cast<std::uint64_t>(got.lu(i, j)), std::bit_cast<std::uint64_t>(want.lu(i, j)))
                << what << " element " << i << ", " << j << ": " << got.lu(i, j) << " for " << want.lu(i, j);
}

const std::vector<std::string> kSpecs = {
    "lu:s52e11:rne:subnormals",
    "lu:s23e8",
    "lu:s10e5",
    "lu:half",
    "lu:s7e8:rne,order=crout",
    "lu:s14e8,pivot=full",
    "lu:s10e5,acc=s23e8,order=blocked:8",
    "lu:s10e5,acc=s23e8,product=exact,order=blocked:5,pivot=threshold:0.3",
    "lu:s10e8,acc=s23e8,product=s14e8,order=blocked:4",
    "lu:s17e8,l=s12e8,a=s20e8,product=exact,div=reciprocal",
    "lu:s20e8,product=s17e8,pivot=none",
    "lu:s28e11,acc=s36e11,pivot=full,div=reciprocal",
    "lu:s10e5,acc=fixed[15:-34]",
    "lu:s10e5:rne,acc=fixed[12:-20],order=crout,pivot=threshold:0.1",
    "lu:s23e8,acc=fixed[15:-34],pivot=full",
    "lu:s36e11,acc=fixed[13:-50],order=blocked:8",
    "lu:s4e8,acc=fixed[12:-12],div=reciprocal",
    "lu:s10e5,acc=fixed[15:-34],pivot=tournament:4:8",
    "lu:s23e8,pivot=tournament:5:6",
    "lu:s7e8,pivot=tournament:1:3",
    "lu:s10e5,acc=s23e8,order=blocked:12,pivot=tournament:4:4,div=reciprocal",
    "lu:s14e8,product=exact,order=crout,pivot=tournament",
};

TEST(Lu, EqualsItsDefinitionInEverySpecAtOddSizes) {
    for (const std::string& text : kSpecs) {
        const LuSpec spec = parse_lu_spec(text);
        for (const std::size_t n :
             {std::size_t{0}, std::size_t{1}, std::size_t{2}, std::size_t{7}, std::size_t{33}, std::size_t{71}})
            for (const bool tie : {false, true}) {
                const DenseMatrix a =
                    tie ? coarse(n, 7U + static_cast<unsigned>(n)) : uniform(n, static_cast<unsigned>(n));
                const LuFactors want = test::LuReference(spec, a, form_exact).run();
                for (const int threads : {1, 3})
                    expect_same(factor(spec, a, threads), want, text + ", n = " + std::to_string(n));
            }
    }
}

TEST(Lu, IsJudgedByMpfrInEightFormats) {
    for (const char* base : {"s2e3", "s4e8", "s7e8", "s10e5", "half", "s17e8:rne", "s23e8", "s36e11"}) {
        for (const char* rest : {"", ",product=exact,order=blocked:6"}) {
            const LuSpec spec = parse_lu_spec("lu:" + std::string(base) + rest);
            for (const std::size_t n : {std::size_t{3}, std::size_t{17}, std::size_t{32}}) {
                const DenseMatrix a = uniform(n, 100U + static_cast<unsigned>(n));
                const LuFactors want = test::LuReference(spec, a, JudgeForm()).run();
                expect_same(factor(spec, a, 2), want, to_string(spec) + ", n = " + std::to_string(n));
            }
        }
    }
}

/// A fixed window's factor depends on the spec alone: not on the order, nor on panels.
TEST(Lu, AFixedWindowsFactorDoesNotDependOnTheOrder) {
    const DenseMatrix a = uniform(150, 5);
    const LuFactors want = factor(parse_lu_spec("lu:s10e5,acc=fixed[15:-34]"), a, 1);
    for (const char* order : {"crout", "blocked:1", "blocked:7", "blocked:64", "blocked:200"})
        expect_same(factor(parse_lu_spec("lu:s10e5,acc=fixed[15:-34],order=" + std::string(order)), a, 2), want, order);
}

/// One leaf that holds every row is partial pivoting; a tournament of leaves that is played again level by level
/// chooses other rows, and the elements stay about as small.
TEST(Lu, ATournamentOfOneLeafIsPartialPivoting) {
    for (const char* base : {"lu:s10e5,acc=fixed[15:-34]", "lu:s23e8", "lu:s10e5,acc=s23e8,order=blocked:64"})
        for (const DenseMatrix& a : {uniform(200, 3), coarse(200, 3)}) {
            const std::string text = base;
            const LuFactors partial = factor(parse_lu_spec(text), a, 2);
            expect_same(factor(parse_lu_spec(text + ",pivot=tournament:32:200"), a, 2), partial, text);
            const LuFactors several = factor(parse_lu_spec(text + ",pivot=tournament:16:32"), a, 2);
            if (partial.end != LuEnd::factored) continue;
            ASSERT_EQ(several.end, LuEnd::factored);
            EXPECT_NE(several.rows, partial.rows);
            EXPECT_LT(several.growth, 4 * partial.growth);
        }
}

/// In a window the tournament too depends on the spec alone: any order whose panels hold whole tournaments.
TEST(Lu, ATournamentInAWindowDoesNotDependOnTheOrder) {
    const DenseMatrix a = uniform(150, 6);
    const LuFactors want = factor(parse_lu_spec("lu:s10e5,acc=fixed[15:-34],pivot=tournament:8:16"), a, 1);
    for (const char* order : {"crout", "blocked:8", "blocked:24", "blocked:160"})
        expect_same(
            factor(parse_lu_spec("lu:s10e5,acc=fixed[15:-34],pivot=tournament:8:16,order=" + std::string(order)), a, 3),
            want, order);
}

/// The word path and the general one, at the seam between them: the same spec at sizes on both sides would differ in
/// nothing but the path, so the general one is forced by a format of more exponent bits.
TEST(Lu, BothPathsOfAWindowAgree) {
    const DenseMatrix a = uniform(90, 11);
    const LuFactors quick = factor(parse_lu_spec("lu:s10e8,acc=fixed[12:-30]"), a, 2);
    const LuFactors general = factor(parse_lu_spec("lu:s10e9,acc=fixed[12:-30]"), a, 2);
    ASSERT_EQ(quick.end, LuEnd::factored);
    expect_same(quick, general, "s10e8 beside s10e9");
}

/// Pivots as LAPACK's, in double, on a thousand systems; the factors within the bound of two backward-stable
/// eliminations with the same pivots. Both are exact factors of matrices within gamma_n |L||U| of P A (Higham, Accuracy
/// and Stability, 9.3), and what that means for an element is tested where it is plain: L U is P A again.
TEST(Lu, PivotsAreLapacksAndTheFactorsGiveTheMatrixBack) {
#ifndef MANTISSA_LAPACK
    GTEST_SKIP() << "built without LAPACK";
#else
    const LuSpec spec = parse_lu_spec("lu:double");
    std::mt19937 sizes(3);
    for (unsigned seed = 0; seed < 1000; ++seed) {
        const std::size_t n = 1 + sizes() % 40;
        const DenseMatrix a = uniform(n, 1000 + seed);
        const LuFactors f = factor(spec, a, 1);
        ASSERT_EQ(f.end, LuEnd::factored);
        const int m = static_cast<int>(n);
        int info = 0;
        std::vector<double> lapack(n * n);
        std::vector<int> pivots(n);
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = 0; j < n; ++j) lapack[j * n + i] = a(i, j);
        dgetrf_(&m, &m, lapack.data(), &m, pivots.data(), &info);
        ASSERT_EQ(info, 0);
        std::vector<std::uint32_t> rows(n);
        std::iota(rows.begin(), rows.end(), 0U);
        for (std::size_t k = 0; k < n; ++k) std::swap(rows[k], rows[static_cast<std::size_t>(pivots[k]) - 1]);
        ASSERT_EQ(f.rows, rows) << "seed " << seed;
        const double gamma = static_cast<double>(n) * 0x1p-53 / (1 - static_cast<double>(n) * 0x1p-53);
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = 0; j < n; ++j) {
                long double product = 0, magnitude = 0;
                for (std::size_t k = 0; k <= std::min(i, j); ++k) {
                    const long double l = k == i ? 1 : f.lu(i, k), u = f.lu(k, j);
                    product += l * u;
                    magnitude += std::fabs(l * u);
                }
                // The long double sum's own error is n 2^-64 of the magnitude.
                ASSERT_LE(std::fabs(product - static_cast<long double>(a(f.rows[i], j))),
                          magnitude * (gamma + static_cast<double>(n) * 0x1p-64));
            }
    }
#endif
}

TEST(Lu, SubstitutionSolves) {
    for (const char* text : {"lu:double", "lu:double,pivot=full", "lu:double,order=blocked:16"}) {
        const DenseMatrix a = uniform(60, 9);
        const LuFactors f = factor(parse_lu_spec(text), a, 2);
        std::vector<double> b(60, 0.0);
        for (std::size_t i = 0; i < 60; ++i)
            for (std::size_t j = 0; j < 60; ++j) b[i] += a(i, j) * (static_cast<double>(j) - 30);
        const std::vector<double> x = substitute(f, b), y = substitute(parse_lu_spec(text), f, b);
        // cond(A) of this matrix is below 1e4, so the answer has eleven digits.
        for (std::size_t j = 0; j < 60; ++j) {
            EXPECT_NEAR(x[j], static_cast<double>(j) - 30, 1e-9);
            EXPECT_NEAR(y[j], static_cast<double>(j) - 30, 1e-9);
        }
    }
}

/// In double the datapath's substitution and the plain one take the same roundings.
TEST(Lu, SubstitutionInDoubleIsThePlainOne) {
    const DenseMatrix a = uniform(40, 21);
    const LuSpec spec = parse_lu_spec("lu:double");
    const LuFactors f = factor(spec, a, 1);
    const std::vector<double> b(40, 1.0);
    EXPECT_EQ(substitute(f, b), substitute(spec, f, b));
}

TEST(Lu, FaultsHaveAStatusAndAColumn) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    for (const char* text : {"lu:s23e8", "lu:s10e5,acc=fixed[15:-34]", "lu:s10e5,order=blocked:4",
                             "lu:s36e11,acc=fixed[13:-50]", "lu:s23e8,pivot=tournament:8:16"}) {
        const LuSpec spec = parse_lu_spec(text);
        DenseMatrix a = uniform(50, 1);
        for (std::size_t i = 0; i < 50; ++i) a(i, 41) = 0;
        for (const int threads : {1, 2}) {
            const LuFactors f = factor(spec, a, threads);
            EXPECT_EQ(f.end, LuEnd::singular) << text;
            EXPECT_EQ(f.at, 41U) << text;
            EXPECT_THROW((void)substitute(f, std::vector<double>(50, 1.0)), InvalidInput);
        }
        a = uniform(50, 1);
        a(20, 7) = nan;
        EXPECT_EQ(factor(spec, a).end, LuEnd::not_finite);
        EXPECT_EQ(factor(spec, a).at, 7U);
    }
}

/// The column of an overflow is the first one whose product or element leaves the window, whatever the panels.
TEST(Lu, OverflowIsTheSameForEveryOrderAndThreadCount) {
    const DenseMatrix a = uniform(130, 2);
    const LuFactors first = factor(parse_lu_spec("lu:s10e5,acc=fixed[1:-30],pivot=none"), a, 1);
    ASSERT_EQ(first.end, LuEnd::overflow);
    for (const char* order : {"right", "crout", "blocked:1", "blocked:9", "blocked:100"})
        for (const int threads : {1, 2, 5}) {
            const LuFactors f =
                factor(parse_lu_spec("lu:s10e5,acc=fixed[1:-30],pivot=none,order=" + std::string(order)), a, threads);
            EXPECT_EQ(f.end, LuEnd::overflow) << order;
            EXPECT_EQ(f.at, first.at) << order;
        }
    // In the general path too.
    const LuFactors wide = factor(parse_lu_spec("lu:s10e9,acc=fixed[1:-30],pivot=none"), a, 2);
    EXPECT_EQ(wide.end, LuEnd::overflow);
    EXPECT_EQ(wide.at, first.at);
    DenseMatrix large = uniform(4, 2);
    large(2, 3) = 1e4;
    EXPECT_EQ(factor(parse_lu_spec("lu:s10e8,acc=fixed[4:-30]"), large).end, LuEnd::overflow);
}

/// An election that leaves its window, or whose values are not finite, ends all: in the column where it was held.
TEST(Lu, AFaultOfATournamentIsInItsFirstColumn) {
    const DenseMatrix a = uniform(40, 2);
    for (const int threads : {1, 3})
        for (const char* order : {"right", "blocked:16"}) {
            // In 32 steps, elements of up to 1/2 grow to 1 and more, and -1 is the least number of the window.
            const std::string text = "lu:s10e5,acc=fixed[0:-30],pivot=tournament:8:10,order=";
            const LuFactors f = factor(parse_lu_spec(text + order), a, threads);
            EXPECT_EQ(f.end, LuEnd::overflow);
            EXPECT_EQ(f.at % 8, 0U);
        }
    DenseMatrix huge(9);
    for (std::size_t i = 0; i < 9; ++i)
        for (std::size_t j = 0; j < 9; ++j) huge(i, j) = i == j ? 1 : i > j && j > 5 ? -1 : i < j && j == 8 ? 60000 : 0;
    const LuFactors f = factor(parse_lu_spec("lu:half,pivot=tournament:3:3"), huge);
    EXPECT_EQ(f.end, LuEnd::not_finite);
    EXPECT_EQ(f.at, 6U);
}

/// Half's largest number is 65504.
TEST(Lu, AFloatingOverflowIsNotFinite) {
    DenseMatrix a(2, {1, 60000, -1, 60000});
    const LuFactors f = factor(parse_lu_spec("lu:half,pivot=none"), a);
    EXPECT_EQ(f.end, LuEnd::not_finite);
    EXPECT_EQ(f.at, 1U);
}

/// Wilkinson's matrix: partial pivoting lets elements grow to 2^(n-1), and complete pivoting does not.
TEST(Lu, GrowthOfWilkinsonsMatrix) {
    const std::size_t n = 20;
    DenseMatrix a(n);
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j) a(i, j) = j == n - 1 || i == j ? 1 : j < i ? -1 : 0;
    EXPECT_EQ(factor(parse_lu_spec("lu:double"), a).growth, 0x1p19);
    EXPECT_LE(factor(parse_lu_spec("lu:double,pivot=full"), a).growth, 4);
}

TEST(LuSpecText, ReadsBackWhatItWrites) {
    for (const std::string& text : kSpecs) {
        const LuSpec spec = parse_lu_spec(text);
        EXPECT_EQ(parse_lu_spec(to_string(spec)), spec) << text;
        EXPECT_EQ(to_string(parse_lu_spec(to_string(spec))), to_string(spec));
    }
}

TEST(LuSpecText, RefusesInOneLine) {
    for (const char* text : {"",
                             "s23e8",
                             "lu:",
                             "lu:fx18.16",
                             "lu:s23e8,acc=fx18.16",
                             "lu:s23e8,acc=fixed[3]",
                             "lu:s23e8,acc=fixed[3:5]",
                             "lu:s23e8,acc=fixed[40:-40]",
                             "lu:s23e8,order=left",
                             "lu:s23e8,order=blocked:0",
                             "lu:s23e8,order=blocked:x",
                             "lu:s23e8,order=crout,pivot=full",
                             "lu:s23e8,pivot=threshold:0",
                             "lu:s23e8,pivot=threshold:2",
                             "lu:s23e8,pivot=threshold:nan",
                             "lu:s23e8,pivot=tournament:",
                             "lu:s23e8,pivot=tournament:0",
                             "lu:s23e8,pivot=tournament:8:7",
                             "lu:s23e8,pivot=tournament:8:x",
                             "lu:s23e8,pivot=tournament:2147483647",
                             "lu:s23e8,pivot=tournament:8,order=blocked:12",
                             "lu:s23e8,pivot=tournaments",
                             "lu:s23e8,div=maybe",
                             "lu:s23e8,x=1",
                             "lu:s23e8,l=s10e5,l=s10e5",
                             "lu:s23e8,",
                             "lu:s23e8,acc=fixed[15:-34],product=s23e8"}) {
        try {
            (void)parse_lu_spec(text);
            ADD_FAILURE() << "'" << text << "' was taken";
        } catch (const InvalidInput& e) {
            EXPECT_EQ(std::string(e.what()).find('\n'), std::string::npos);
            EXPECT_GT(std::string(e.what()).size(), 10U);
        }
    }
}

} // namespace
} // namespace mantissa
