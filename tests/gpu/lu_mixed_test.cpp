// Dense systems by mixed precision: double accuracy by every word and refinement, the same bits in every run, and a
// verdict where there is no solution.
#include <cmath>
#include <limits>
#include <numeric>
#include <random>

#include "device_test.hpp"
#include "mantissa/format.hpp"
#include "mantissa/gpu/lu_mixed.hpp"

namespace mantissa::gpu {
namespace {

struct System {
    std::size_t n;
    std::vector<double> a, b; // row after row; b belongs to x = (1, ..., 1)

    explicit System(std::size_t size, unsigned seed = 7, double scale = 1.0) : n(size), a(size * size), b(size) {
        std::mt19937_64 bits(seed);
        std::uniform_real_distribution<double> entry(-0.5, 0.5);
        for (double& x : a) x = scale * entry(bits);
        set_right();
    }
    void set_right() {
        for (std::size_t i = 0; i < n; ++i) {
            long double sum = 0;
            for (std::size_t j = 0; j < n; ++j) sum += a[i * n + j];
            b[i] = static_cast<double>(sum);
        }
    }
    /// ||b - A x|| / (||A|| ||x|| + ||b||) / (n u), judged in long double.
    [[nodiscard]] double judged(const std::vector<double>& x) const {
        long double residual = 0, norm = 0, largest_x = 0, largest_b = 0;
        for (std::size_t i = 0; i < n; ++i) {
            long double r = b[i], row = 0;
            for (std::size_t j = 0; j < n; ++j) {
                r -= static_cast<long double>(a[i * n + j]) * x[j];
                row += std::fabs(a[i * n + j]);
            }
            residual = std::max(residual, std::fabs(r));
            norm = std::max(norm, row);
            largest_x = std::max(largest_x, std::fabs(static_cast<long double>(x[i])));
            largest_b = std::max(largest_b, std::fabs(static_cast<long double>(b[i])));
        }
        return static_cast<double>(residual / (norm * largest_x + largest_b) /
                                   (static_cast<long double>(n) * 0x1p-53L));
    }
};

class MixedLu : public testing::DeviceTest {};

MixedResult solved(const System& system, std::vector<double>& x, const MixedOptions& options = {},
                   bool by_rows = true) {
    x.assign(system.n, -1.0);
    return solve_mixed(system.a, system.b, x, by_rows, options);
}

TEST_F(MixedLu, ReachesDoubleAccuracyWithEveryWord) {
    const System system(1000);
    for (const MixedWords words :
         {MixedWords::half, MixedWords::half_pair, MixedWords::bfloat, MixedWords::bfloat_pair}) {
        MixedOptions options;
        options.words = words;
        std::vector<double> x;
        const MixedResult r = solved(system, x, options);
        EXPECT_EQ(r.status, MixedStatus::converged) << to_string(words);
        const double judged = system.judged(x);
        EXPECT_LE(judged, 1.0) << to_string(words);
        EXPECT_NEAR(r.hpl_residual, judged, 0.5 * judged + 1.0 / static_cast<double>(system.n)) << to_string(words);
        EXPECT_GT(r.corrections, 0);
        for (const double value : x) EXPECT_NEAR(value, 1.0, 1e-9);
    }
}

TEST_F(MixedLu, SizesThatAreNoMultipleOfABlock) {
    for (const std::size_t n : {1U, 2U, 31U, 255U, 256U, 257U, 513U, 1100U}) {
        const System system(n, static_cast<unsigned>(n));
        std::vector<double> x;
        EXPECT_EQ(solved(system, x).status, MixedStatus::converged) << n;
        EXPECT_LE(system.judged(x), 1.0) << n;
    }
}

TEST_F(MixedLu, ClassicalRefinementOverPairs) {
    MixedOptions options;
    options.words = MixedWords::half_pair;
    options.refinement = MixedRefinement::classical;
    const System system(900);
    std::vector<double> x;
    EXPECT_EQ(solved(system, x, options).status, MixedStatus::converged);
    EXPECT_LE(system.judged(x), 1.0);
}

TEST_F(MixedLu, ColumnsAndRowsGiveTheSameBits) {
    System system(600);
    std::vector<double> by_rows, again, by_columns;
    solved(system, by_rows);
    solved(system, again);
    EXPECT_EQ(by_rows, again);
    System columns = system;
    for (std::size_t i = 0; i < system.n; ++i)
        for (std::size_t j = 0; j < system.n; ++j) columns.a[j * system.n + i] = system.a[i * system.n + j];
    solved(columns, by_columns, {}, false);
    EXPECT_EQ(by_rows, by_columns);
}

TEST_F(MixedLu, RowsAndColumnsOfManyScales) {
    System system(500);
    for (std::size_t i = 0; i < system.n; ++i)
        for (std::size_t j = 0; j < system.n; ++j)
            system.a[i * system.n + j] *= std::exp2(static_cast<double>(i % 97) * 3.0 - static_cast<double>(j % 11));
    system.set_right();
    std::vector<double> x;
    EXPECT_EQ(solved(system, x).status, MixedStatus::converged);
    EXPECT_LE(system.judged(x), 1.0);
}

TEST_F(MixedLu, SaysWhyThereIsNoSolution) {
    std::vector<double> x;
    System zero_column(300);
    for (std::size_t i = 0; i < 300; ++i) zero_column.a[i * 300 + 41] = 0.0;
    const MixedResult singular = solved(zero_column, x);
    EXPECT_EQ(singular.status, MixedStatus::singular);
    EXPECT_EQ(singular.column, 41);
    for (const double bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
        System matrix(300), right(300);
        matrix.a[12345] = bad;
        right.b[7] = bad;
        EXPECT_EQ(solved(matrix, x).status, MixedStatus::not_finite);
        EXPECT_EQ(solved(right, x).status, MixedStatus::not_finite);
    }
    // Wilkinson's matrix: its last column doubles at every step, and leaves the range of half words.
    System growing(200);
    for (std::size_t i = 0; i < 200; ++i)
        for (std::size_t j = 0; j < 200; ++j) growing.a[i * 200 + j] = i == j || j == 199 ? 1.0 : (i > j ? -1.0 : 0.0);
    growing.set_right();
    EXPECT_NE(solved(growing, x).status, MixedStatus::singular);
}

TEST_F(MixedLu, TheEmptySystemAndAZeroRightHandSide) {
    std::vector<double> nothing;
    EXPECT_EQ(solve_mixed({}, {}, nothing, true).status, MixedStatus::converged);
    System system(64);
    for (double& b : system.b) b = 0.0;
    std::vector<double> x;
    EXPECT_EQ(solved(system, x).status, MixedStatus::converged);
    EXPECT_EQ(x, std::vector<double>(64, 0.0));
}

TEST_F(MixedLu, RefusesBadSizesAndOptions) {
    EXPECT_THROW(MixedSolver(-1), InvalidInput);
    EXPECT_THROW(MixedSolver(40000), InvalidInput);
    MixedOptions options;
    options.cycle_vectors = 65;
    EXPECT_THROW(MixedSolver(16, options), InvalidInput);
    options = {};
    options.cycle_tolerance = 1.0;
    EXPECT_THROW(MixedSolver(16, options), InvalidInput);
    std::vector<double> x(3);
    EXPECT_THROW(solve_mixed(std::vector<double>(8), std::vector<double>(3), x, true), InvalidInput);
}

TEST_F(MixedLu, ThePermutationIsOne) {
    const System system(700);
    Buffer<double> a(system.a.size());
    a.upload(system.a);
    MixedSolver solver(700);
    EXPECT_GT(solver.factor(a.data(), 700), 0.0);
    std::vector<int> rows = solver.permutation(), all(700);
    std::sort(rows.begin(), rows.end());
    std::iota(all.begin(), all.end(), 0);
    EXPECT_EQ(rows, all);
}

} // namespace
} // namespace mantissa::gpu
