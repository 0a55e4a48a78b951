// Dense LU on the device: pivots as the emulated engine's in double, errors inside the bounds that every order of
// summation has, the same bits in every run, and what is refused.
#include <cmath>
#include <limits>
#include <numeric>
#include <random>

#include "device_test.hpp"
#include "lu_reference.hpp"
#include "mantissa/format.hpp"
#include "mantissa/gpu/lu.hpp"
#include "mantissa/lu/factor.hpp"

namespace mantissa::gpu {
namespace {

using testing::reference;
template <class T> std::vector<T> uniform(std::size_t n, unsigned seed) {
    return testing::uniform<T>(n * n, seed);
}

template <class T> struct Factored {
    LuReport report;
    std::vector<T> lu;
    std::vector<std::int32_t> pivots, rows;
};

template <class T> Factored<T> factored(Lu<T>& lu, const std::vector<T>& a) {
    lu.load(a);
    Factored<T> f;
    f.report = lu.factor();
    f.lu.resize(a.size());
    lu.factors(f.lu);
    f.pivots = lu.pivots();
    f.rows = lu.rows();
    return f;
}

/// For every element of P A - L U the bound of Higham, Accuracy and Stability of Numerical Algorithms, theorem 9.3,
/// |P A - L U| <= gamma(n) |L| |U|, which holds in every order of summation, fused or not; l = a * (1 / u) adds one
/// rounding. Sums here are in long double.
template <class T> void expect_factors(const std::vector<T>& a, const Factored<T>& f) {
    const std::size_t n = f.rows.size();
    const long double u = std::numeric_limits<T>::epsilon() / 2;
    const long double steps = static_cast<long double>(n + 2), gamma = steps * u / (1 - steps * u);
    std::size_t outside = 0;
    for (std::size_t j = 0; j < n; ++j)
        for (std::size_t i = 0; i < n; ++i) {
            long double sum = 0, magnitude = 0;
            for (std::size_t k = 0; k <= std::min(i, j); ++k) {
                const long double product =
                    (k == i ? 1.0L : static_cast<long double>(f.lu[i + k * n])) * f.lu[k + j * n];
                sum += product;
                magnitude += std::fabs(product);
            }
            const long double was = a[static_cast<std::size_t>(f.rows[i]) + j * n];
            if (!(std::fabs(was - sum) <= gamma * magnitude + std::numeric_limits<T>::denorm_min())) ++outside;
        }
    EXPECT_EQ(outside, 0U);
}

/// The list of exchanges and the permutation say the same.
template <class T> void expect_permutation(const Factored<T>& f) {
    std::vector<std::int32_t> rows(f.rows.size());
    std::iota(rows.begin(), rows.end(), 0);
    for (std::size_t k = 0; k < rows.size(); ++k) {
        ASSERT_GE(f.pivots[k], static_cast<std::int32_t>(k));
        ASSERT_LT(f.pivots[k], static_cast<std::int32_t>(rows.size()));
        std::swap(rows[k], rows[static_cast<std::size_t>(f.pivots[k])]);
    }
    EXPECT_EQ(rows, f.rows);
}

template <class T> class LuTest : public testing::DeviceTest {};
using Numbers = ::testing::Types<float, double>;
TYPED_TEST_SUITE(LuTest, Numbers);
using LuDoubleTest = testing::DeviceTest;

TEST_F(LuDoubleTest, PivotsAreThoseOfTheEmulatedEngine) {
    for (std::size_t n = 1; n <= 100; ++n) {
        Lu<double> lu(n);
        for (unsigned seed = 0; seed < 4; ++seed) {
            const std::vector<double> a = uniform<double>(n, 1000 * static_cast<unsigned>(n) + seed);
            const Factored<double> f = factored(lu, a);
            const LuFactors expected = reference(a, n);
            ASSERT_EQ(f.report.end, expected.end);
            for (std::size_t i = 0; i < n; ++i)
                ASSERT_EQ(static_cast<std::uint32_t>(f.rows[i]), expected.rows[i]) << n << " " << seed << " " << i;
        }
    }
}

TEST_F(LuDoubleTest, PivotsOfLargerSystems) {
    for (const std::size_t n : {257, 640, 1000}) {
        Lu<double> lu(n);
        const std::vector<double> a = uniform<double>(n, static_cast<unsigned>(n));
        const Factored<double> f = factored(lu, a);
        const LuFactors expected = reference(a, n);
        for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(static_cast<std::uint32_t>(f.rows[i]), expected.rows[i]) << n;
    }
}

TYPED_TEST(LuTest, TiesTakeTheLowestRow) {
    // A Hadamard matrix of Sylvester's kind: every step is exact and has nothing but ties.
    for (const std::size_t n : {2, 16, 64, 128, 256}) {
        std::vector<TypeParam> a(n * n);
        std::vector<double> same(n * n);
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = 0; j < n; ++j)
                same[i + j * n] = a[i + j * n] = __builtin_popcountll(i & j) % 2 == 0 ? 1 : -1;
        Lu<TypeParam> lu(n);
        const Factored<TypeParam> f = factored(lu, a);
        const LuFactors expected = reference(same, n);
        ASSERT_EQ(f.report.end, LuEnd::factored);
        for (std::size_t i = 0; i < n; ++i) {
            ASSERT_EQ(static_cast<std::uint32_t>(f.rows[i]), expected.rows[i]) << n;
            for (std::size_t j = 0; j < n; ++j)
                ASSERT_EQ(static_cast<double>(f.lu[i + j * n]), expected.lu(i, j)) << n << " " << i << " " << j;
        }
    }
}

TYPED_TEST(LuTest, ErrorsStayInsideTheBound) {
    for (const LuPivoting pivoting : {LuPivoting::partial, LuPivoting::none})
        for (const std::size_t n : {1, 2, 31, 64, 65, 129, 200, 333}) {
            std::vector<TypeParam> a = uniform<TypeParam>(n, 7 * static_cast<unsigned>(n));
            if (pivoting == LuPivoting::none)
                for (std::size_t i = 0; i < n; ++i) a[i + i * n] += static_cast<TypeParam>(n);
            Lu<TypeParam> lu(n, pivoting);
            const Factored<TypeParam> f = factored(lu, a);
            ASSERT_EQ(f.report.end, LuEnd::factored) << n;
            EXPECT_EQ(f.report.at, n);
            expect_permutation(f);
            expect_factors(a, f);
        }
}

TYPED_TEST(LuTest, MultipliersAreAtMostOneAndSolvesAreBackwardStable) {
    for (const std::size_t n : {100, 1025, 2500}) {
        const std::vector<TypeParam> a = uniform<TypeParam>(n, 3 * static_cast<unsigned>(n));
        Lu<TypeParam> lu(n);
        const Factored<TypeParam> f = factored(lu, a);
        ASSERT_EQ(f.report.end, LuEnd::factored);
        expect_permutation(f);
        TypeParam largest = 0;
        for (std::size_t j = 0; j < n; ++j)
            for (std::size_t i = j + 1; i < n; ++i) largest = std::max(largest, std::fabs(f.lu[i + j * n]));
        EXPECT_LE(largest, TypeParam(1));
        std::vector<TypeParam> b(n);
        for (std::size_t i = 0; i < n; ++i) b[i] = static_cast<TypeParam>(std::cos(static_cast<double>(i)));
        const std::vector<TypeParam> x = lu.solve(b);
        // Theorem 9.4: |b - A x| <= gamma(3 n) P^T |L| |U| |x|.
        const double u = std::numeric_limits<TypeParam>::epsilon() / 2, gamma = 3.0 * static_cast<double>(n + 2) * u;
        std::vector<double> upper(n), bound(n), residual(b.begin(), b.end());
        for (std::size_t j = 0; j < n; ++j)
            for (std::size_t i = 0; i <= j; ++i) upper[i] += std::fabs(f.lu[i + j * n]) * std::fabs(x[j]);
        for (std::size_t j = 0; j < n; ++j) {
            bound[j] += upper[j];
            for (std::size_t i = j + 1; i < n; ++i) bound[i] += std::fabs(f.lu[i + j * n]) * upper[j];
            for (std::size_t i = 0; i < n; ++i)
                residual[i] -= static_cast<double>(a[i + j * n]) * static_cast<double>(x[j]);
        }
        for (std::size_t i = 0; i < n; ++i)
            ASSERT_LE(std::fabs(residual[static_cast<std::size_t>(f.rows[i])]), gamma * bound[i] * 1.01) << n;
    }
}

TYPED_TEST(LuTest, BitsAreTheSameInEveryRun) {
    const std::size_t n = 1500;
    const std::vector<TypeParam> a = uniform<TypeParam>(n, 5);
    Lu<TypeParam> lu(n), other(n);
    const Factored<TypeParam> first = factored(lu, a);
    for (int run = 0; run < 5; ++run) {
        const Factored<TypeParam> again = factored(run % 2 == 0 ? lu : other, a);
        ASSERT_EQ(again.lu, first.lu);
        ASSERT_EQ(again.pivots, first.pivots);
    }
}

TYPED_TEST(LuTest, SingularAndNotFiniteNameTheColumn) {
    for (const LuPivoting pivoting : {LuPivoting::partial, LuPivoting::none}) {
        const std::size_t n = 150;
        std::vector<TypeParam> a(n * n);
        for (std::size_t i = 0; i < n; ++i) a[i + i * n] = 2;
        Lu<TypeParam> lu(n, pivoting);
        EXPECT_EQ(factored(lu, a).report.end, LuEnd::factored);
        std::vector<TypeParam> singular = a;
        singular[97 + 97 * n] = 0;
        const LuReport zero = factored(lu, singular).report;
        EXPECT_EQ(zero.end, LuEnd::singular);
        EXPECT_EQ(zero.at, 97U);
        EXPECT_THROW(static_cast<void>(lu.solve(std::vector<TypeParam>(n))), InvalidInput);
        for (const TypeParam bad :
             {std::numeric_limits<TypeParam>::quiet_NaN(), std::numeric_limits<TypeParam>::infinity()}) {
            std::vector<TypeParam> broken = a;
            broken[70 + 70 * n] = bad;
            const LuReport report = factored(lu, broken).report;
            EXPECT_EQ(report.end, LuEnd::not_finite);
            EXPECT_EQ(report.at, 70U);
        }
        EXPECT_EQ(factored(lu, a).report.end, LuEnd::factored); // and the object goes on
    }
}

TYPED_TEST(LuTest, SmallestSizesAndRefusals) {
    Lu<TypeParam> none(0);
    none.load({});
    EXPECT_EQ(none.factor().end, LuEnd::factored);
    EXPECT_TRUE(none.solve({}).empty());
    Lu<TypeParam> one(1);
    EXPECT_THROW(static_cast<void>(one.solve(std::vector<TypeParam>(1))), InvalidInput); // nothing factored yet
    one.load(std::vector<TypeParam>{4});
    EXPECT_EQ(one.factor().end, LuEnd::factored);
    EXPECT_EQ(one.solve(std::vector<TypeParam>{8}), std::vector<TypeParam>{2});
    EXPECT_THROW(one.load(std::vector<TypeParam>(2)), InvalidInput);
    EXPECT_THROW(static_cast<void>(one.solve(std::vector<TypeParam>(2))), InvalidInput);
    EXPECT_THROW(Lu<TypeParam>(std::size_t{1} << 20), InvalidInput);
    EXPECT_THROW(Lu<TypeParam>(std::size_t{1} << 40), InvalidInput);
}

TEST(LuChoice, GoesByShapeAndCard) {
    constexpr double kH100 = 3.35e12, kH200 = 4.8e12; // bytes per second
    for (const double card : {kH100, kH200})
        for (const bool single : {false, true})
            for (const std::size_t n : {100, 4096, 20000}) {
                EXPECT_EQ(lu_by_for(n, LuPivoting::none, single, card).factor, LuBy::cusolver);
                EXPECT_EQ(lu_by_for(n, LuPivoting::partial, single, card).solve, LuBy::cusolver);
                EXPECT_EQ(lu_by_for(n, LuPivoting::partial, single, card).factor,
                          single || n < 10000 ? LuBy::own : LuBy::cusolver);
            }
    EXPECT_EQ(lu_by_for(12000, LuPivoting::partial, false, kH100).factor, LuBy::cusolver);
    EXPECT_EQ(lu_by_for(12000, LuPivoting::partial, false, kH200).factor, LuBy::own);
}

// The vendor's kernels in the same class: factors inside the same bounds, the same ends, and hands over lists of
// exchanges between the two.
TYPED_TEST(LuTest, ByCusolverOrByWhoeverIsFaster) {
    for (const LuPivoting pivoting : {LuPivoting::partial, LuPivoting::none})
        for (const std::size_t n : {1, 2, 33, 200, 515}) {
            SCOPED_TRACE(std::to_string(n) + " " + to_string(pivoting));
            std::vector<TypeParam> a = uniform<TypeParam>(n, static_cast<unsigned>(n));
            if (pivoting == LuPivoting::none)
                for (std::size_t i = 0; i < n; ++i) a[i + i * n] += static_cast<TypeParam>(n);
            const std::vector<TypeParam> b = testing::uniform<TypeParam>(n, 7);
            Lu<TypeParam> own(n, pivoting), fastest(n, pivoting, LuBy::automatic);
            EXPECT_EQ(own.by().factor, LuBy::own);
            EXPECT_NE(fastest.by().solve, LuBy::automatic);
            const Factored<TypeParam> f = factored(fastest, a), g = factored(own, a);
            ASSERT_EQ(f.report.end, LuEnd::factored);
            expect_factors(a, f);
            expect_permutation(f);
            EXPECT_EQ(f.rows, g.rows);
            const std::vector<TypeParam> x = fastest.solve(b), y = own.solve(b);
            double residual[2] = {}, size = 0;
            for (std::size_t i = 0; i < n; ++i) {
                double r[2] = {-static_cast<double>(b[i]), -static_cast<double>(b[i])};
                for (std::size_t j = 0; j < n; ++j) {
                    const double entry = static_cast<double>(a[i + j * n]);
                    r[0] += entry * static_cast<double>(x[j]);
                    r[1] += entry * static_cast<double>(y[j]);
                }
                for (int k = 0; k < 2; ++k) residual[k] = std::max(residual[k], std::fabs(r[k]));
                size = std::max(size, std::fabs(static_cast<double>(x[i])));
            }
            const double unit = std::numeric_limits<TypeParam>::epsilon();
            for (const double r : residual) EXPECT_LT(r, 100 * static_cast<double>(n) * unit * (size + 1));
        }
}

TYPED_TEST(LuTest, CusolverEndsAsOursDo) {
    try {
        static_cast<void>(Lu<TypeParam>(4, LuPivoting::none, LuBy::cusolver));
    } catch (const DeviceError& e) {
        GTEST_SKIP() << e.what();
    }
    const std::size_t n = 70;
    for (const LuPivoting pivoting : {LuPivoting::partial, LuPivoting::none})
        for (const bool finite : {true, false}) {
            std::vector<TypeParam> a = uniform<TypeParam>(n, 5);
            for (std::size_t i = 0; i < n; ++i) a[i + i * n] += static_cast<TypeParam>(n);
            // An empty column, or an element that is no number.
            for (std::size_t i = 0; i < n && finite; ++i) a[i + 41 * n] = 0;
            if (!finite) a[41 + 41 * n] = std::numeric_limits<TypeParam>::quiet_NaN();
            Lu<TypeParam> own(n, pivoting), theirs(n, pivoting, LuBy::cusolver);
            own.load(a);
            theirs.load(a);
            const LuReport mine = own.factor(), other = theirs.factor();
            EXPECT_EQ(mine.end, finite ? LuEnd::singular : LuEnd::not_finite);
            EXPECT_EQ(other.end, mine.end);
            EXPECT_EQ(other.at, mine.at);
            EXPECT_THROW(static_cast<void>(theirs.solve(std::vector<TypeParam>(n, 1))), InvalidInput);
        }
}

} // namespace
} // namespace mantissa::gpu
