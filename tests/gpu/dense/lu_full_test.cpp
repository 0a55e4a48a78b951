// LU with full pivoting on the device against the emulated engine, bit by bit.
#include "mantissa/gpu/lu_full.hpp"

#include <cmath>
#include <limits>
#include <random>
#include <string>

#include "device_test.hpp"
#include "mantissa/format.hpp"
#include "mantissa/lu/factor.hpp"

namespace mantissa::gpu {
namespace {

using LuFull = mantissa::testing::DeviceTest;

enum class Kind : std::uint8_t { uniform, whole, ones };

/// `whole`: numbers from -3 to 3, so that pivots tie.
template <class T> std::vector<T> matrix(std::size_t n, Kind kind, unsigned seed) {
    std::mt19937_64 random(seed);
    std::vector<T> a(n * n);
    for (T& x : a) {
        const double u = static_cast<double>(random() >> 11) * 0x1p-53 - 0.5;
        x = kind == Kind::uniform ? static_cast<T>(u) : kind == Kind::whole ? static_cast<T>(std::round(6 * u)) : T(1);
    }
    return a;
}

template <class T> LuFactors emulated(const std::vector<T>& a, std::size_t n) {
    return factor(parse_lu_spec(sizeof(T) == 4 ? "lu:float,pivot=full" : "lu:double,pivot=full"),
                  DenseMatrix(n, std::vector<double>(a.begin(), a.end())), 2);
}

template <class T> void expect_emulated(std::size_t n, Kind kind, FullLuMethod method) {
    const std::vector<T> a = matrix<T>(n, kind, static_cast<unsigned>(n));
    const std::string what = "n = " + std::to_string(n) + ", kind " + std::to_string(static_cast<int>(kind)) +
                             ", method " + std::to_string(static_cast<int>(method)) + ", " + std::to_string(sizeof(T)) +
                             " bytes";
    const LuFactors want = emulated(a, n);
    FullLuOptions options;
    options.method = method;
    const FullLuResult<T> got = full_lu(a, n, options);
    ASSERT_EQ(to_string(got.end), to_string(want.end)) << what;
    ASSERT_EQ(got.at, want.at) << what;
    if (want.end != LuEnd::factored) return;
    ASSERT_EQ(got.rows, want.rows) << what;
    ASSERT_EQ(got.columns, want.columns) << what;
    for (std::size_t i = 0; i < n * n; ++i)
        ASSERT_EQ(static_cast<double>(got.lu[i]), want.lu.values()[i]) << what << ", element " << i;
}

TEST_F(LuFull, GivesTheEmulatedBitsOnTheChip) {
    for (const std::size_t n : {1, 2, 3, 31, 32, 33, 131, 132, 133, 200, 300, 515})
        for (const Kind kind : {Kind::uniform, Kind::whole}) {
            expect_emulated<float>(n, kind, FullLuMethod::resident);
            expect_emulated<double>(n, kind, FullLuMethod::resident);
        }
}

/// 64 steps are left to the chip, so the larger of these take passes with and without a write-back after them.
TEST_F(LuFull, GivesTheEmulatedBitsByPasses) {
    for (const std::size_t n : {1, 64, 65, 72, 73, 100, 301, 450})
        for (const Kind kind : {Kind::uniform, Kind::whole}) {
            expect_emulated<float>(n, kind, FullLuMethod::passes);
            expect_emulated<double>(n, kind, FullLuMethod::passes);
        }
}

/// P A Q x = L U x for a size with columns in shared memory.
template <class T> void expect_factors(std::size_t n, FullLuMethod method, double tolerance) {
    const std::vector<T> a = matrix<T>(n, Kind::uniform, 5);
    FullLuOptions options;
    options.method = method;
    const FullLuResult<T> r = full_lu(a, n, options);
    ASSERT_EQ(r.end, LuEnd::factored);
    std::vector<double> z(n, 0.0);
    const auto x = [](std::size_t j) { return std::cos(1.7 * static_cast<double>(j)); };
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = i; j < n; ++j) z[i] += static_cast<double>(r.lu[i * n + j]) * x(j);
    double worst = 0;
    for (std::size_t i = 0; i < n; ++i) {
        double factors = z[i], product = 0;
        for (std::size_t j = 0; j < i; ++j) factors += static_cast<double>(r.lu[i * n + j]) * z[j];
        for (std::size_t j = 0; j < n; ++j) product += static_cast<double>(a[r.rows[i] * n + r.columns[j]]) * x(j);
        worst = std::max(worst, std::fabs(factors - product));
        for (std::size_t j = 0; j < i; ++j) ASSERT_LE(std::fabs(r.lu[i * n + j]), T(1)) << i << " " << j;
    }
    EXPECT_LT(worst, tolerance);
}
TEST_F(LuFull, FactorsWhatFillsTheChip) {
    expect_factors<float>(3000, FullLuMethod::best, 1e-2);
    expect_factors<double>(2048, FullLuMethod::best, 1e-11);
    expect_factors<float>(2000, FullLuMethod::passes, 1e-2);
}
TEST_F(LuFull, FactorsWhatDoesNotFitTheChip) {
    const std::size_t n = full_lu_resident_most<double>() + 600;
    expect_factors<double>(n, FullLuMethod::best, 1e-11);
    FullLuOptions options;
    options.method = FullLuMethod::resident;
    EXPECT_THROW(full_lu(std::vector<double>(n * n), n, options), InvalidInput);
}

TEST_F(LuFull, FaultsHaveAStatusAndAStep) {
    for (const FullLuMethod method : {FullLuMethod::resident, FullLuMethod::passes}) {
        FullLuOptions options;
        options.method = method;
        const std::size_t n = 150;
        const FullLuResult<float> zero = full_lu(std::vector<float>(n * n), n, options);
        EXPECT_EQ(zero.end, LuEnd::singular);
        EXPECT_EQ(zero.at, 0U);
        const FullLuResult<float> ones = full_lu(matrix<float>(n, Kind::ones, 1), n, options);
        EXPECT_EQ(ones.end, LuEnd::singular);
        EXPECT_EQ(ones.at, 1U);
        std::vector<float> rank(n * n);
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = 0; j < n; ++j)
                rank[i * n + j] = i < 120 && i == j ? 2.0F : 0.0F; // the rest is zero after step 120
        const FullLuResult<float> partly = full_lu(rank, n, options);
        EXPECT_EQ(partly.end, LuEnd::singular);
        EXPECT_EQ(partly.at, 120U);
        for (const float bad : {std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()}) {
            std::vector<float> a = matrix<float>(n, Kind::uniform, 2);
            a[77 * n + 3] = bad;
            const FullLuResult<float> r = full_lu(a, n, options);
            EXPECT_EQ(to_string(r.end), "not finite");
        }
        // An update that overflows: the next pivot is infinite.
        std::vector<float> large(n * n, 3e38F);
        for (std::size_t i = 0; i < n; i += 2) large[i * n + i] = -3e38F;
        const FullLuResult<float> r = full_lu(large, n, options);
        EXPECT_EQ(to_string(r.end), "not finite");
        EXPECT_EQ(r.at, 1U);
    }
    EXPECT_EQ(full_lu(std::vector<double>(), 0).end, LuEnd::factored);
    EXPECT_THROW(full_lu(std::vector<double>(5), 2), InvalidInput);
    FullLuOptions none;
    none.repeat = 0;
    EXPECT_THROW(full_lu(std::vector<double>(1), 1, none), InvalidInput);
}

TEST_F(LuFull, RefusesWhatMemoryDoesNotHold) {
    std::size_t free = 0, total = 0;
    ASSERT_EQ(cudaMemGetInfo(&free, &total), cudaSuccess);
    Buffer<char> most(free - (free >> 6)); // little is left
    const std::size_t n = 16000;
    EXPECT_THROW(full_lu(std::vector<double>(n * n), n), DeviceError);
}

} // namespace
} // namespace mantissa::gpu
