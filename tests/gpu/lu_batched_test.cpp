// Batched LU on the device: pivots as the emulated engine's in double, errors inside the bounds that every order of
// summation has, one system's failure, and what is refused.
#include <cmath>
#include <limits>
#include <random>

#include "device_test.hpp"
#include "lu_reference.hpp"
#include "mantissa/format.hpp"
#include "mantissa/gpu/bubbles.hpp"
#include "mantissa/gpu/lu_batched.hpp"
#include "mantissa/lu/factor.hpp"

namespace mantissa::gpu {
namespace {

using testing::reference;
using testing::uniform;

/// Row i of P A is row rows_of(...)[i] of A.
std::vector<std::size_t> rows_of(std::span<const std::int32_t> pivots) {
    std::vector<std::size_t> rows(pivots.size());
    for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = i;
    for (std::size_t k = 0; k < rows.size(); ++k) {
        EXPECT_GE(pivots[k], static_cast<std::int32_t>(k));
        EXPECT_LT(pivots[k], static_cast<std::int32_t>(rows.size()));
        std::swap(rows[k], rows[static_cast<std::size_t>(pivots[k])]);
    }
    return rows;
}

/// The bound of Higham, Accuracy and Stability, theorem 9.3, |P A - L U| <= gamma |L| |U|, for each element of one
/// system; l = a * (1 / u) adds one rounding. `unit`: half an ulp of 1, or what stands for it.
template <class T>
void expect_factors(std::span<const T> a, std::span<const T> lu, std::span<const std::int32_t> pivots,
                    long double unit) {
    const std::size_t n = pivots.size();
    const std::vector<std::size_t> rows = rows_of(pivots);
    const long double gamma = static_cast<long double>(n + 2) * unit / (1 - static_cast<long double>(n + 2) * unit);
    std::size_t outside = 0;
    std::vector<long double> sum(n), magnitude(n);
    const std::size_t step = n > 600 ? 61 : 1;      // of large systems some columns
    for (std::size_t j = n - 1; j < n; j -= step) { // until it wraps
        for (std::size_t i = 0; i < n; ++i) sum[i] = magnitude[i] = 0;
        for (std::size_t k = 0; k <= j; ++k) {
            const long double u = lu[k + j * n];
            sum[k] += u;
            magnitude[k] += std::fabs(u);
            for (std::size_t i = k + 1; i < n; ++i) {
                sum[i] += lu[i + k * n] * u;
                magnitude[i] += std::fabs(lu[i + k * n] * u);
            }
        }
        for (std::size_t i = 0; i < n; ++i)
            if (!(std::fabs(a[rows[i] + j * n] - sum[i]) <=
                  gamma * magnitude[i] + std::numeric_limits<T>::denorm_min()))
                ++outside;
    }
    EXPECT_EQ(outside, 0U) << n;
}

/// Theorem 9.4: |b - A x| <= gamma(3 n) P^T |L| |U| |x|.
template <class T>
void expect_solution(std::span<const T> a, std::span<const T> lu, std::span<const std::int32_t> pivots,
                     std::span<const T> b, std::span<const T> x, double unit) {
    const std::size_t n = pivots.size();
    const std::vector<std::size_t> rows = rows_of(pivots);
    std::vector<double> upper(n), bound(n), residual(b.begin(), b.end());
    for (std::size_t j = 0; j < n; ++j)
        for (std::size_t i = 0; i <= j; ++i) upper[i] += std::fabs(lu[i + j * n]) * std::fabs(x[j]);
    for (std::size_t j = 0; j < n; ++j) {
        bound[j] += upper[j];
        for (std::size_t i = j + 1; i < n; ++i) bound[i] += std::fabs(lu[i + j * n]) * upper[j];
        for (std::size_t i = 0; i < n; ++i)
            residual[i] -= static_cast<double>(a[i + j * n]) * static_cast<double>(x[j]);
    }
    std::size_t outside = 0;
    for (std::size_t i = 0; i < n; ++i)
        if (!(std::fabs(residual[rows[i]]) <= 3.03 * static_cast<double>(n + 2) * unit * bound[i])) ++outside;
    EXPECT_EQ(outside, 0U) << n;
}

template <class T>
void expect_batch(std::size_t n, std::size_t batch, LuPivoting pivoting,
                  BatchedProducts products = BatchedProducts::plain) {
    std::vector<T> a = uniform<T>(n * n * batch, static_cast<unsigned>(n));
    const std::vector<T> b = uniform<T>(n * batch, 1 + static_cast<unsigned>(n));
    for (std::size_t s = 0; pivoting == LuPivoting::none && s < batch; ++s)
        for (std::size_t i = 0; i < n; ++i) a[s * n * n + i + i * n] += static_cast<T>(n);
    BatchedLu<T> lu(n, batch, pivoting, products);
    lu.load(a);
    const BatchedLuReport report = lu.factor();
    ASSERT_EQ(report.systems.size(), batch);
    ASSERT_TRUE(report.factored()) << n;
    const std::vector<T> factors = lu.factors(), x = lu.solve(b);
    const std::vector<std::int32_t> pivots = lu.pivots();
    const double unit =
        products == BatchedProducts::tf32x3 ? 0x1p-20 : static_cast<double>(std::numeric_limits<T>::epsilon()) / 2;
    for (const std::size_t s : {std::size_t{0}, batch / 2, batch - 1}) {
        const std::span<const T> as(a.data() + s * n * n, n * n), fs(factors.data() + s * n * n, n * n);
        const std::span<const std::int32_t> ps(pivots.data() + s * n, n);
        expect_factors<T>(as, fs, ps, unit);
        expect_solution<T>(as, fs, ps, std::span(b).subspan(s * n, n), std::span(x).subspan(s * n, n), unit);
        for (std::size_t i = 0; pivoting == LuPivoting::none && i < n; ++i)
            ASSERT_EQ(ps[i], static_cast<std::int32_t>(i));
    }
}

template <class T> class BatchedLuTest : public testing::DeviceTest {};
using Numbers = ::testing::Types<float, double>;
TYPED_TEST_SUITE(BatchedLuTest, Numbers);
using BatchedLuDoubleTest = testing::DeviceTest;
using BatchedLuFloatTest = testing::DeviceTest;

TEST_F(BatchedLuDoubleTest, PivotsAreThoseOfTheEmulatedEngine) {
    for (const std::size_t n : {1, 2, 7, 16, 17, 32, 33, 50, 64, 90, 97, 130, 200, 257}) {
        const std::size_t batch = n <= 100 ? 40 : 3;
        const std::vector<double> a = uniform<double>(n * n * batch, 5 + static_cast<unsigned>(n));
        BatchedLu<double> lu(n, batch);
        lu.load(a);
        ASSERT_TRUE(lu.factor().factored());
        const std::vector<std::int32_t> pivots = lu.pivots();
        for (std::size_t s = 0; s < batch; ++s) {
            const LuFactors expected = reference(std::span(a).subspan(s * n * n, n * n), n);
            const std::vector<std::size_t> rows = rows_of(std::span(pivots).subspan(s * n, n));
            for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(rows[i], expected.rows[i]) << n << " " << s << " " << i;
        }
    }
}

TYPED_TEST(BatchedLuTest, ErrorsStayInsideTheBound) {
    for (const std::size_t n :
         {1, 2, 3, 15, 16, 17, 31, 32, 33, 48, 63, 65, 96, 97, 100, 127, 128, 129, 191, 255, 257, 330, 511, 513})
        for (const LuPivoting pivoting : {LuPivoting::partial, LuPivoting::none})
            expect_batch<TypeParam>(n, 5, pivoting);
}

TYPED_TEST(BatchedLuTest, LargeSystems) {
    expect_batch<TypeParam>(1023, 2, LuPivoting::partial);
    expect_batch<TypeParam>(1150, 2, LuPivoting::partial);
    expect_batch<TypeParam>(1150, 2, LuPivoting::none);
    expect_batch<TypeParam>(2049, 1, LuPivoting::partial);
    expect_batch<TypeParam>(2049, 1, LuPivoting::none);
}

TEST_F(BatchedLuFloatTest, TensorCoresKeepTwentyBits) {
    for (const std::size_t n : {200, 513, 1150})
        for (const LuPivoting pivoting : {LuPivoting::partial, LuPivoting::none})
            expect_batch<float>(n, 2, pivoting, BatchedProducts::tf32x3);
}

TYPED_TEST(BatchedLuTest, TiesTakeTheLowestRow) {
    // A Hadamard matrix of Sylvester's kind: every step is exact and has nothing but ties.
    for (const std::size_t n : {2, 16, 64, 128, 256}) {
        std::vector<TypeParam> a(n * n);
        std::vector<double> same(n * n);
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = 0; j < n; ++j)
                same[i + j * n] = a[i + j * n] = __builtin_popcountll(i & j) % 2 == 0 ? 1 : -1;
        BatchedLu<TypeParam> lu(n, 1);
        lu.load(a);
        ASSERT_TRUE(lu.factor().factored());
        const std::vector<TypeParam> f = lu.factors();
        const LuFactors expected = reference(same, n);
        const std::vector<std::size_t> rows = rows_of(lu.pivots());
        for (std::size_t i = 0; i < n; ++i) {
            ASSERT_EQ(rows[i], expected.rows[i]) << n;
            for (std::size_t j = 0; j < n; ++j)
                ASSERT_EQ(static_cast<double>(f[i + j * n]), expected.lu(i, j)) << n << " " << i << " " << j;
        }
    }
}

TYPED_TEST(BatchedLuTest, OneSystemsFailureLeavesTheOthersAlone) {
    using Limits = std::numeric_limits<TypeParam>;
    for (const LuPivoting pivoting : {LuPivoting::partial, LuPivoting::none})
        for (const std::size_t n : {20, 90, 150}) {
            const std::size_t batch = 5, size = n * n, at = n - 7;
            std::vector<TypeParam> a(size * batch);
            for (std::size_t s = 0; s < batch; ++s)
                for (std::size_t i = 0; i < n; ++i) a[s * size + i + i * n] = 2;
            a[1 * size + at + at * n] = 0;
            a[2 * size + at + at * n] = Limits::quiet_NaN();
            a[3 * size + at + at * n] = Limits::infinity();
            BatchedLu<TypeParam> lu(n, batch, pivoting);
            lu.load(a);
            const BatchedLuReport report = lu.factor();
            EXPECT_FALSE(report.factored());
            EXPECT_EQ(report.systems[0], (LuSystemEnd{LuEnd::factored, n}));
            EXPECT_EQ(report.systems[1], (LuSystemEnd{LuEnd::singular, at}));
            EXPECT_EQ(report.systems[2], (LuSystemEnd{LuEnd::not_finite, at}));
            EXPECT_EQ(report.systems[3], (LuSystemEnd{LuEnd::not_finite, at}));
            EXPECT_EQ(report.systems[4], (LuSystemEnd{LuEnd::factored, n}));
            const std::vector<TypeParam> x = lu.solve(std::vector<TypeParam>(n * batch, 4));
            for (std::size_t i = 0; i < n; ++i) {
                EXPECT_EQ(x[i], 2);
                EXPECT_TRUE(std::isnan(x[1 * n + i]) && std::isnan(x[2 * n + i]) && std::isnan(x[3 * n + i]));
                EXPECT_EQ(x[4 * n + i], 2);
            }
        }
}

TYPED_TEST(BatchedLuTest, BitsDoNotDependOnTheBatch) {
    for (const std::size_t n : {30, 60, 300}) {
        const std::size_t batch = 300;
        const std::vector<TypeParam> one = uniform<TypeParam>(n * n, 9);
        std::vector<TypeParam> many;
        for (std::size_t s = 0; s < batch; ++s) many.insert(many.end(), one.begin(), one.end());
        BatchedLu<TypeParam> alone(n, 1), together(n, batch);
        alone.load(one);
        together.load(many);
        ASSERT_TRUE(alone.factor().factored());
        ASSERT_TRUE(together.factor().factored());
        const std::vector<TypeParam> expected = alone.factors(), got = together.factors();
        for (std::size_t s = 0; s < batch; ++s)
            ASSERT_TRUE(
                std::equal(expected.begin(), expected.end(), got.begin() + static_cast<std::ptrdiff_t>(s * n * n)))
                << n << " " << s;
    }
}

TYPED_TEST(BatchedLuTest, SmallestSizesAndRefusals) {
    for (const auto& [n, batch] : {std::pair<std::size_t, std::size_t>{0, 0}, {0, 3}, {3, 0}}) {
        BatchedLu<TypeParam> none(n, batch);
        none.load({});
        EXPECT_EQ(none.factor().systems.size(), batch);
        EXPECT_TRUE(none.solve({}).empty());
    }
    BatchedLu<TypeParam> one(1, 2);
    EXPECT_THROW(static_cast<void>(one.solve(std::vector<TypeParam>(2))), InvalidInput); // nothing factored yet
    one.load(std::vector<TypeParam>{4, -8});
    EXPECT_TRUE(one.factor().factored());
    EXPECT_EQ(one.solve(std::vector<TypeParam>{8, 8}), (std::vector<TypeParam>{2, -1}));
    EXPECT_THROW(one.load(std::vector<TypeParam>(3)), InvalidInput); // not square matrices
    EXPECT_THROW(static_cast<void>(one.solve(std::vector<TypeParam>(3))), InvalidInput);
    EXPECT_THROW(BatchedLu<TypeParam>(4097, 1), InvalidInput);
    EXPECT_THROW(BatchedLu<TypeParam>(4096, 60000), InvalidInput); // no device has the memory
    EXPECT_THROW(BatchedLu<TypeParam>(4, 70000), InvalidInput);
    EXPECT_THROW(BatchedLu<double>(4, 1, LuPivoting::partial, BatchedProducts::tf32x3), InvalidInput);
}

TYPED_TEST(BatchedLuTest, OneBubbleMovesTheFluidByItsShare) {
    const std::array<double, 2> centre{0.4, 0.6};
    const double radius = std::sqrt(0.05 / 3.14159265358979);
    BubbleCells<TypeParam> cells(1, 48, 3, LuPivoting::none, BatchedProducts::plain);
    const std::vector<BubbleSystem> systems{{{&centre, 1}, radius, {0.3, -1.1}}, {{&centre, 1}, radius, {1, 0}}};
    const BubbleReport r = cells.solve(systems, true);
    ASSERT_EQ(r.flow.size(), 2U);
    const double bound = 48 * static_cast<double>(std::numeric_limits<TypeParam>::epsilon());
    EXPECT_NEAR(r.flow[0][0], 0.05 * 0.3, bound * 0.05);
    EXPECT_NEAR(r.flow[0][1], 0.05 * -1.1, bound * 0.05);
    EXPECT_NEAR(r.flow[1][0], 0.05, bound * 0.05);
    EXPECT_NEAR(r.flow[1][1], 0, bound * 0.05);
    EXPECT_LT(r.backward_error, bound);
    EXPECT_THROW(cells.solve(std::vector<BubbleSystem>(4, systems[0])), InvalidInput);
}

} // namespace
} // namespace mantissa::gpu
