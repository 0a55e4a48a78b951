// Level-1 operations on the processor, and the arithmetic that the device shares.
#include "mantissa/blas1.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "mantissa/blas1_order.hpp"
#include "mantissa/format.hpp"

namespace mantissa {
namespace {

template <class T> std::vector<T> random_vector(std::size_t n, unsigned seed, int exponents = 0) {
    std::mt19937_64 random(seed);
    std::uniform_real_distribution<double> unit(-1, 1);
    std::uniform_int_distribution<int> exponent(-exponents, exponents);
    std::vector<T> v(n);
    for (T& x : v) x = static_cast<T>(std::ldexp(unit(random), exponent(random)));
    return v;
}

/// The order of the sums as the header tells it, written once more and without its helpers' loops.
template <class Term> double ordered_sum(std::size_t n, const Term& term) {
    const auto tree = [](std::vector<double> lane) {
        while (lane.size() > 1) {
            std::vector<double> half(lane.size() / 2);
            for (std::size_t k = 0; k < half.size(); ++k) half[k] = lane[2 * k] + lane[2 * k + 1];
            lane = half;
        }
        return lane[0];
    };
    if (n == 0) return 0;
    const std::size_t rows = (n + 1023) / 1024, segments = rows <= 8 ? 1 : std::min<std::size_t>(rows, 528);
    std::vector<double> total(1024, 0.0);
    for (std::size_t s = 0; s < segments; ++s) {
        std::vector<double> lane(1024, 0.0);
        for (std::size_t i = s * rows / segments * 1024; i < std::min(n, (s + 1) * rows / segments * 1024); ++i)
            lane[i % 1024] += term(i);
        total[s % 1024] += tree(lane);
    }
    return tree(total);
}

template <class T> class Blas1Test : public ::testing::Test {};
using Types = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Blas1Test, Types);

constexpr std::size_t kSizes[] = {0,    1,    2,    3,    31,    1023,  1024,           1025,
                                  4095, 4097, 8192, 8193, 65535, 65537, 528 * 1024 + 1, 2500003};

TYPED_TEST(Blas1Test, SumsHaveTheOrderThatTheHeaderTellsForAnyThreads) {
    using T = TypeParam;
    for (const std::size_t n : kSizes) {
        SCOPED_TRACE(n);
        const auto x = random_vector<T>(n, 1, 8), y = random_vector<T>(n, 2, 8);
        const auto at = [](const std::vector<T>& v, std::size_t i) { return static_cast<double>(v[i]); };
        const T want = static_cast<T>(ordered_sum(n, [&](std::size_t i) { return at(x, i) * at(y, i); }));
        const T norm = static_cast<T>(std::sqrt(ordered_sum(n, [&](std::size_t i) { return at(x, i) * at(x, i); })));
        for (const int threads : {1, 2, 3}) {
            EXPECT_EQ((dot<T>(x, y, threads)), want);
            EXPECT_EQ((nrm2<T>(x, threads)), norm);
            std::vector<T> z = y;
            axpy<T>(T(0.3), x, z, threads);
            for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(z[i], static_cast<T>(y[i] + static_cast<T>(T(0.3) * x[i])));
        }
    }
}

// (Rounding errors of lanes and trees: log2 n + n/1024/1056 + ... additions deep, far from n.)
TYPED_TEST(Blas1Test, SumsAreNearTheExactOnes) {
    using T = TypeParam;
    for (const std::size_t n : kSizes) {
        const auto x = random_vector<T>(n, 3, 4), y = random_vector<T>(n, 4, 4);
        long double exact = 0, magnitude = 0;
        for (std::size_t i = 0; i < n; ++i) {
            const long double term = static_cast<long double>(x[i]) * static_cast<long double>(y[i]);
            exact += term;
            magnitude += std::abs(term);
        }
        const double got = static_cast<double>(dot<T>(x, y)), bound = sizeof(T) == 4 ? 0x1p-24 : 0x1p-48;
        EXPECT_LE(std::abs(got - static_cast<double>(exact)),
                  bound * static_cast<double>(sizeof(T) == 4 ? std::abs(exact) : magnitude) +
                      (sizeof(T) == 4 ? 0x1p-46 * static_cast<double>(magnitude) : 0.0))
            << n;
    }
}

TYPED_TEST(Blas1Test, NormsNeitherOverflowNorUnderflow) {
    using T = TypeParam;
    using Limits = std::numeric_limits<T>;
    const T huge = Limits::max() / 4, tiny = Limits::denorm_min();
    EXPECT_EQ((nrm2<T>(std::vector<T>{3 * (huge / 4), huge})), 5 * (huge / 4));
    EXPECT_EQ((nrm2<T>(std::vector<T>{3 * tiny, 4 * tiny})), 5 * tiny);
    EXPECT_EQ((nrm2<T>(std::vector<T>(4096, Limits::min()))), 64 * Limits::min());
    EXPECT_EQ((nrm2<T>(std::vector<T>{huge, 1, tiny})), huge);
    EXPECT_EQ((nrm2<T>(std::vector<T>{1, tiny})), 1);
    EXPECT_EQ((nrm2<T>(std::vector<T>{0, -0.0F})), 0);
    EXPECT_TRUE(std::isinf(nrm2<T>(std::vector<T>{1, -Limits::infinity()})));
    EXPECT_TRUE(std::isinf(nrm2<T>(std::vector<T>(64, Limits::max()))));
    for (const T other : {T(0), T(1), tiny, huge})
        EXPECT_TRUE(std::isnan(nrm2<T>(std::vector<T>{other, Limits::quiet_NaN()})));
    // A power of two beside moves the result by it.
    for (const int scale : {-1000, -540, -512, -500, 0, 400, 480, 490, 980})
        if (sizeof(T) == 8) {
            auto v = random_vector<T>(5000, 7);
            const T plain = nrm2<T>(v);
            for (T& x : v) x = std::ldexp(x, scale);
            EXPECT_NEAR(std::ldexp(static_cast<double>(nrm2<T>(v)), -scale), static_cast<double>(plain),
                        0x1p-50 * static_cast<double>(plain))
                << scale;
        }
}

TYPED_TEST(Blas1Test, VectorsOfTwoSizesAreRefused) {
    using T = TypeParam;
    std::vector<T> x(3), y(4);
    EXPECT_THROW((axpy<T>(T(1), x, y)), InvalidInput);
    EXPECT_THROW(static_cast<void>(dot<T>(x, y)), InvalidInput);
}

TEST(Blas1Segments, CoverEveryRowOnceAndDifferByOneAtMost) {
    for (const std::size_t n :
         {std::size_t{1}, std::size_t{1024}, std::size_t{1025}, std::size_t{8192}, std::size_t{8193},
          std::size_t{528} * 1024, std::size_t{529} * 1024, std::size_t{1} << 24, (std::size_t{1} << 33) + 5}) {
        const std::size_t segments = blas1_segments(n), rows = blas1_rows(n);
        ASSERT_GT(segments, 0U);
        EXPECT_EQ(blas1_segment_row(n, 0), 0U);
        EXPECT_EQ(blas1_segment_row(n, segments), rows);
        for (std::size_t s = 0; s < segments; ++s) {
            const std::size_t length = blas1_segment_row(n, s + 1) - blas1_segment_row(n, s);
            ASSERT_GE(length, rows / segments);
            ASSERT_LE(length, rows / segments + 1);
        }
    }
}

} // namespace
} // namespace mantissa
