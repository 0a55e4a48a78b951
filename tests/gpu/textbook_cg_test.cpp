// Textbook Jacobi-PCG on the device, its tests and starts, and the residual histories of both recurrences.
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "device_test.hpp"
#include "mantissa/format.hpp"
#include "mantissa/gpu/sparse_solver.hpp"
#include "mantissa/sparse/jacobi_pcg.hpp"

namespace mantissa::gpu {
namespace {

/// Five points of an n x n grid, its diagonal over three orders of magnitude.
CompressedRows grid_matrix(std::uint32_t n) {
    std::vector<std::uint64_t> row_begin = {0};
    std::vector<std::uint32_t> column;
    std::vector<double> value;
    const auto scale = [](std::uint32_t i) { return std::pow(10.0, static_cast<double>(i % 7) / 4); };
    for (std::uint32_t i = 0; i < n * n; ++i) {
        const auto add = [&](std::uint32_t j, double entry) {
            column.push_back(j);
            value.push_back(entry * scale(i) * scale(j));
        };
        if (i >= n) add(i - n, -1);
        if (i % n != 0) add(i - 1, -1);
        add(i, 4.02);
        if (i % n != n - 1) add(i + 1, -1);
        if (i + n < n * n) add(i + n, -1);
        row_begin.push_back(value.size());
    }
    return {std::move(row_begin), std::move(column), std::move(value)};
}

std::vector<double> times(const CompressedRows& a, const std::vector<double>& x) {
    std::vector<double> y(a.rows(), 0.0);
    for (std::size_t i = 0; i < a.rows(); ++i)
        for (std::uint64_t k = a.row_begin()[i]; k < a.row_begin()[i + 1]; ++k) y[i] += a.value()[k] * x[a.column()[k]];
    return y;
}
double norm(const std::vector<double>& v) {
    double sum = 0;
    for (const double x : v) sum += x * x;
    return std::sqrt(sum);
}
double residual(const CompressedRows& a, const std::vector<double>& b, const std::vector<double>& x) {
    std::vector<double> d = times(a, x);
    for (std::size_t i = 0; i < d.size(); ++i) d[i] = b[i] - d[i];
    return norm(d) / norm(b);
}

class TextbookTest : public mantissa::testing::DeviceTest {
protected:
    TextbookTest() : a_(grid_matrix(61)), b_(a_.rows()) {
        for (std::size_t i = 0; i < b_.size(); ++i) b_[i] = std::cos(0.1 * static_cast<double>(i));
    }
    /// The processor's solver from the same start.
    PcgReport on_host(PcgTest test, double tolerance, std::vector<double> start = {}) const {
        std::vector<std::vector<double>> x = {std::move(start)};
        PcgOptions options;
        options.test = test;
        options.tolerance = tolerance;
        options.history = true;
        return jacobi_pcg(a_, {b_}, x, options).front();
    }
    CompressedRows a_;
    std::vector<double> b_;
};

constexpr SparseFormat kFormats[] = {SparseFormat::crs,      SparseFormat::bcrs2, SparseFormat::bcrs4,
                                     SparseFormat::jds_rows, SparseFormat::sell,  SparseFormat::sell_lengths};

TEST_F(TextbookTest, BothTestsTakeTheHostsIterationsInEveryFormat) {
    for (const PcgTest test : {PcgTest::residual, PcgTest::delta}) {
        const PcgReport host = on_host(test, 1e-7);
        ASSERT_EQ(host.end, PcgEnd::reached);
        for (const SparseFormat format : kFormats) {
            SCOPED_TRACE(to_string(format));
            const SparseMatrix matrix(a_, format, SparsePrecision::double_precision);
            TextbookOptions options{.test = test, .tolerance = 1e-7, .history = true};
            std::vector<double> x, again;
            const TextbookReport report = matrix.textbook(b_, options, &x);
            EXPECT_EQ(report.end, CgEnd::converged);
            EXPECT_NEAR(report.iterations, static_cast<double>(host.iterations), 1);
            EXPECT_NEAR(report.true_residual, residual(a_, b_, x), 1e-12);
            ASSERT_EQ(report.history.recursive.size(), report.iterations + 1U);
            ASSERT_EQ(report.history.true_residual.size(), report.iterations + 1U);
            // The host's history begins after the first iteration, the device's in front of it.
            for (std::size_t k = 1; k < std::min<std::size_t>(60, host.history.size()); ++k) {
                EXPECT_NEAR(report.history.recursive[k], host.history[k - 1], 1e-9 * host.history[k - 1]) << k;
                EXPECT_NEAR(report.history.true_residual[k], report.history.recursive[k], 1e-9) << k;
            }
            EXPECT_NEAR(report.history.true_residual.back(), report.true_residual, 1e-3 * report.true_residual);
            // A history changes no bit, and neither does a second run.
            options.history = false;
            const TextbookReport plain = matrix.textbook(b_, options, &again);
            EXPECT_TRUE(plain.history.recursive.empty());
            EXPECT_EQ(plain.iterations, report.iterations);
            EXPECT_EQ(x, again);
        }
    }
}

TEST_F(TextbookTest, StartsFromAnyIterate) {
    const SparseMatrix matrix(a_, SparseFormat::crs, SparsePrecision::double_precision);
    std::vector<double> solution, x;
    TextbookOptions options{.tolerance = 1e-11};
    ASSERT_EQ(matrix.textbook(b_, options, &solution).end, CgEnd::converged);
    options.start = solution;
    options.tolerance = 1e-10;
    const TextbookReport none = matrix.textbook(b_, options, &x);
    EXPECT_EQ(none.iterations, 0U);
    EXPECT_EQ(none.end, CgEnd::converged);
    EXPECT_EQ(x, solution);
    std::vector<double> start = solution;
    std::mt19937 random(3);
    for (double& v : start) v += std::uniform_real_distribution<double>(-1, 1)(random);
    options.start = start;
    options.tolerance = 1e-6;
    options.history = true;
    const TextbookReport report = matrix.textbook(b_, options, &x);
    EXPECT_EQ(report.end, CgEnd::converged);
    EXPECT_LE(residual(a_, b_, x), 1.001e-6);
    EXPECT_NEAR(report.history.true_residual.front(), residual(a_, b_, start), 1e-9);
    EXPECT_NEAR(report.iterations, static_cast<double>(on_host(PcgTest::residual, 1e-6, start).iterations), 1);
}

TEST_F(TextbookTest, FloatStagnatesAndSaysSo) {
    const SparseMatrix matrix(a_, SparseFormat::crs, SparsePrecision::single_precision);
    const TextbookReport report = matrix.textbook(b_, {.tolerance = 1e-9, .max_iterations = 3000, .history = true});
    EXPECT_EQ(report.end, CgEnd::stagnated);
    EXPECT_LT(report.history.recursive.back(), 1e-9);
    EXPECT_GT(report.history.true_residual.back(), 1e-9);
    EXPECT_NEAR(report.history.true_residual.back(), report.true_residual, 1e-3 * report.true_residual);
}

TEST_F(TextbookTest, EndsAndRefusals) {
    const SparseMatrix matrix(a_, SparseFormat::crs, SparsePrecision::double_precision);
    EXPECT_EQ(matrix.textbook(b_, {.tolerance = 1e-12, .max_iterations = 7}).iterations, 7U);
    EXPECT_EQ(matrix.textbook(b_, {.tolerance = 1e-12, .max_iterations = 7}).end, CgEnd::passes);
    EXPECT_EQ(matrix.textbook(std::vector<double>(b_.size()), {}).iterations, 0U);
    EXPECT_THROW(static_cast<void>(matrix.textbook(std::vector<double>(3), {})), InvalidInput);
    const std::vector<double> shorter(5);
    EXPECT_THROW(static_cast<void>(matrix.textbook(b_, {.start = shorter})), InvalidInput);
    std::vector<double> values = a_.value();
    for (double& v : values) v = -v;
    const SparseMatrix negative(a_.with_values(std::move(values)), SparseFormat::crs,
                                SparsePrecision::double_precision);
    EXPECT_EQ(negative.textbook(b_, {.jacobi = false}).end, CgEnd::indefinite);
    EXPECT_THROW(static_cast<void>(negative.textbook(b_, {})), InvalidInput);
    EXPECT_GT(matrix.textbook(b_, {.measure_idle = true}).idle_seconds, 0);
}

TEST_F(TextbookTest, PipelinedHistoriesFollowTheTextbooks) {
    const SparseMatrix matrix(a_, SparseFormat::bcrs2, SparsePrecision::double_precision);
    SparseHistory history;
    std::vector<double> x, again;
    const SparseCgReport report = matrix.solve(b_, 1e-10, 3000, true, &x, &history);
    ASSERT_EQ(report.end, CgEnd::converged);
    ASSERT_EQ(history.recursive.size(), report.iterations + 1U);
    const TextbookReport textbook = matrix.textbook(b_, {.tolerance = 1e-10, .history = true});
    for (std::size_t k = 0; k < 60; ++k) {
        EXPECT_NEAR(history.recursive[k], textbook.history.recursive[k], 1e-8 * history.recursive[k]) << k;
        EXPECT_NEAR(history.true_residual[k], history.recursive[k], 1e-9) << k;
    }
    EXPECT_NEAR(history.true_residual.back(), report.true_residual, 1e-3 * report.true_residual);
    EXPECT_EQ(matrix.solve(b_, 1e-10, 3000, true, &again).iterations, report.iterations);
    EXPECT_EQ(x, again);
}

} // namespace
} // namespace mantissa::gpu
