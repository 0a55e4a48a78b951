// Sparse products and the Jacobi-preconditioned pipelined CG on the device.
#include "mantissa/gpu/sparse_solver.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <random>
#include <set>
#include <string>
#include <utility>

#include "device_test.hpp"
#include "mantissa/format.hpp"
#include "mantissa/sparse/cpu.hpp"
#include "mantissa/sparse/reference.hpp"
#include "mantissa/sparse/reorder.hpp"

namespace mantissa::gpu {
namespace {

constexpr SparseFormat kFormats[] = {SparseFormat::crs,         SparseFormat::bcrs2, SparseFormat::bcrs4,
                                     SparseFormat::jds_rows,    SparseFormat::jds,   SparseFormat::sell,
                                     SparseFormat::sell_lengths};

/// Five-point grid with a few long rows, and a diagonal that varies by orders of magnitude.
CompressedRows grid_matrix(std::uint32_t n, bool long_rows) {
    std::vector<std::uint64_t> row_begin = {0};
    std::vector<std::uint32_t> column;
    std::vector<double> value;
    const std::uint32_t rows = n * n;
    const auto scale = [&](std::uint32_t i) { return std::pow(10.0, static_cast<double>(i % 7) / 3); };
    for (std::uint32_t i = 0; i < rows; ++i) {
        std::vector<std::uint32_t> columns;
        if (i >= n) columns.push_back(i - n);
        if (i % n != 0) columns.push_back(i - 1);
        columns.push_back(i);
        if (i % n != n - 1) columns.push_back(i + 1);
        if (i + n < rows) columns.push_back(i + n);
        if (long_rows && i == 0)
            for (std::uint32_t j = n + 1; j < rows; j += 3) columns.push_back(j);
        else if (long_rows && i > n && (i - n - 1) % 3 == 0) columns.insert(columns.begin(), 0);
        for (const std::uint32_t j : columns) {
            const double entry = i == j             ? (long_rows && i == 0 ? 4.1 + 0.001 * rows : 4.1)
                                 : i == 0 || j == 0 ? -0.001
                                                    : -1.0;
            column.push_back(j);
            value.push_back(entry * std::sqrt(scale(i) * scale(j)));
        }
        row_begin.push_back(value.size());
    }
    return {std::move(row_begin), std::move(column), std::move(value)};
}

/// Rows of very different lengths, empty ones among them, the longest in many pieces; every product and sum is exact.
CompressedRows skewed_matrix(std::uint32_t rows) {
    std::mt19937 random(rows);
    std::vector<std::uint64_t> row_begin = {0};
    std::vector<std::uint32_t> column;
    std::vector<double> value;
    for (std::uint32_t i = 0; i < rows; ++i) {
        const auto kind = random() % 16;
        const double share = kind == 0 ? 0.9 : kind == 1 ? 0.3 : kind < 4 ? 0.0 : 5.0 / rows;
        for (std::uint32_t j = 0; j < rows; ++j)
            if (std::generate_canonical<double, 32>(random) < share) {
                column.push_back(j);
                value.push_back(std::ldexp(1.0 + static_cast<double>(random() % 15), -3));
            }
        row_begin.push_back(value.size());
    }
    return {std::move(row_begin), std::move(column), std::move(value)};
}

/// The real form of a complex Hermitian grid matrix, diagonally dominant.
CompressedRows complex_grid(std::uint32_t n) {
    std::vector<std::uint64_t> row_begin = {0};
    std::vector<std::uint32_t> column;
    std::vector<double> value;
    for (std::uint32_t i = 0; i < n * n; ++i) {
        std::vector<std::uint32_t> columns;
        if (i >= n) columns.push_back(i - n);
        if (i % n != 0) columns.push_back(i - 1);
        columns.push_back(i);
        if (i % n != n - 1) columns.push_back(i + 1);
        if (i + n < n * n) columns.push_back(i + n);
        for (int r = 0; r < 2; ++r) {
            for (const std::uint32_t j : columns) {
                const double x = i == j ? 6.5 : -1.25, y = i == j ? 0 : i < j ? 0.5 : -0.5;
                for (int c = 0; c < 2; ++c) {
                    column.push_back(2 * j + static_cast<std::uint32_t>(c));
                    value.push_back(r == c ? x : r == 0 ? -y : y);
                }
            }
            row_begin.push_back(value.size());
        }
    }
    return {std::move(row_begin), std::move(column), std::move(value)};
}

std::vector<std::vector<double>> whole_vectors(std::size_t rows, std::size_t count) {
    std::vector<std::vector<double>> x(count, std::vector<double>(rows));
    for (std::size_t j = 0; j < count; ++j)
        for (std::size_t i = 0; i < rows; ++i) x[j][i] = static_cast<double>((i * (j + 3) + j) % 33) - 16;
    return x;
}

using SparseSolverTest = mantissa::testing::DeviceTest;

// Where every sum is exact, each format gives the bits of the definition, whatever its order; the counters of rows in
// pieces serve again and again.
TEST_F(SparseSolverTest, ExactSumsAreTheDefinitionsInEveryFormat) {
    std::vector<CompressedRows> matrices;
    for (const std::uint32_t rows : {1U, 2U, 7U, 33U, 65U, 257U, 1203U}) matrices.push_back(skewed_matrix(rows));
    for (const std::uint32_t n : {1U, 2U, 5U, 23U}) matrices.push_back(complex_grid(n));
    for (const CompressedRows& a : matrices) {
        const auto x = whole_vectors(a.rows(), 3);
        std::vector<std::vector<double>> want(3, std::vector<double>(a.rows())), y;
        for (std::size_t j = 0; j < 3; ++j) reference_product<double>(a, x[j], want[j]);
        for (const FormatReport& report : report_formats(a, 8))
            for (const auto precision : {SparsePrecision::single_precision, SparsePrecision::double_precision}) {
                SCOPED_TRACE(to_string(report.format) + " rows " + std::to_string(a.rows()));
                const SparseMatrix matrix(a, report.format, precision);
                std::vector<double> one(a.rows(), 99);
                for (std::size_t j = 0; j < 3; ++j) {
                    matrix.apply(x[j], one);
                    EXPECT_EQ(one, want[j]);
                }
                matrix.apply_several(std::span(x).first(1), y);
                EXPECT_EQ(y[0], want[0]);
                const bool several = report.format == SparseFormat::crs || report.format == SparseFormat::sell ||
                                     report.format == SparseFormat::sell_lengths;
                if (several) {
                    matrix.apply_several(x, y);
                    EXPECT_EQ(y, want);
                } else {
                    EXPECT_THROW(matrix.apply_several(x, y), InvalidInput);
                }
            }
    }
    const SparseMatrix matrix(matrices[0], SparseFormat::crs, SparsePrecision::double_precision);
    std::vector<std::vector<double>> y;
    EXPECT_THROW(matrix.apply_several(whole_vectors(1, 4), y), InvalidInput);
    EXPECT_THROW(matrix.apply_several(whole_vectors(2, 2), y), InvalidInput);
}

// Each column takes its own iterations, those of a solve by itself, and a column that has converged stays as it is.
TEST_F(SparseSolverTest, SeveralRightHandSidesAreSolvedEachByItself) {
    const CompressedRows a = grid_matrix(60, true);
    std::vector<std::vector<double>> b(3, std::vector<double>(a.rows(), 0.0)), x, alone;
    for (std::size_t i = 0; i < a.rows(); ++i) {
        b[0][i] = std::cos(0.1 * static_cast<double>(i));
        b[2][i] = i == 1234 ? 1 : 0;
    } // the second is zero
    for (const SparseFormat format : {SparseFormat::crs, SparseFormat::sell, SparseFormat::sell_lengths}) {
        SCOPED_TRACE(to_string(format));
        const SparseMatrix matrix(a, format, SparsePrecision::double_precision);
        const auto reports = matrix.solve_several(b, 1e-10, 2000, &x);
        ASSERT_EQ(reports.size(), 3U);
        EXPECT_EQ(x[1], b[1]);
        EXPECT_EQ(reports[1].iterations, 0U);
        for (const std::size_t j : {0U, 2U}) {
            const SparseCgReport one = matrix.solve(b[j], 1e-10, 2000);
            EXPECT_EQ(reports[j].end, CgEnd::converged);
            EXPECT_LT(reports[j].true_residual, 1.1e-10);
            EXPECT_NEAR(reports[j].iterations, one.iterations, 0.01 * one.iterations + 1);
            // The same bits, whatever the other columns are.
            const std::vector<std::vector<double>> other = {b[2 - j], b[1], b[j]};
            static_cast<void>(matrix.solve_several(other, 1e-10, 2000, &alone));
            EXPECT_EQ(alone[2], x[j]);
        }
        EXPECT_EQ(matrix.solve_several(b, 1e-10, 7)[0].iterations, 7U);
        std::vector<std::vector<double>> again;
        static_cast<void>(matrix.solve_several(b, 1e-10, 2000, &again));
        EXPECT_EQ(x, again);
    }
    // One, in any format.
    const CompressedRows complex = complex_grid(40);
    std::vector<double> right(complex.rows());
    for (std::size_t i = 0; i < right.size(); ++i) right[i] = std::sin(0.7 * static_cast<double>(i));
    const auto host = cpu_jacobi_cg<double>(complex, SparseFormat::crs, right, 1e-10, 2000, 1);
    for (const SparseFormat format : {SparseFormat::crs, SparseFormat::bcrs2, SparseFormat::complex2}) {
        const SparseMatrix matrix(complex, format, SparsePrecision::double_precision);
        for (const auto& report :
             {matrix.solve(right, 1e-10, 2000), matrix.solve_several({&right, 1}, 1e-10, 2000)[0]}) {
            EXPECT_EQ(report.end, CgEnd::converged);
            EXPECT_NEAR(report.iterations, static_cast<double>(host.iterations), 2);
        }
    }
}

// A solve on the chip: each column by itself and in the same bits every time, for blocks of every number of rows a
// thread, fewer rows than blocks, and rows that do not divide.
TEST_F(SparseSolverTest, ResidentSolvesAreThoseOfStreams) {
    for (const std::uint32_t n : {1U, 3U, 17U, 60U, 163U, 220U, 317U}) {
        SCOPED_TRACE("n " + std::to_string(n));
        const CompressedRows a = grid_matrix(n, false);
        std::vector<std::vector<double>> b(3, std::vector<double>(a.rows(), 0.0)), x, other, again;
        for (std::size_t i = 0; i < a.rows(); ++i) {
            b[0][i] = std::cos(0.1 * static_cast<double>(i));
            b[2][i] = i == a.rows() / 3 ? 1 : 0;
        } // the second is zero
        const SparseMatrix matrix(a, SparseFormat::sell_lengths, SparsePrecision::double_precision);
        const auto on_chip = matrix.solve_several(b, 1e-10, 2000, &x);
        const auto streamed = matrix.solve_several(b, 1e-10, 2000, nullptr, SeveralPlan::stream);
        EXPECT_EQ(x[1], b[1]);
        EXPECT_EQ(on_chip[1].iterations, 0U);
        for (const std::size_t j : {0U, 2U}) {
            EXPECT_TRUE(on_chip[j].resident);
            EXPECT_FALSE(streamed[j].resident);
            EXPECT_EQ(on_chip[j].end, CgEnd::converged);
            EXPECT_LT(on_chip[j].true_residual, 1.1e-10);
            EXPECT_NEAR(on_chip[j].iterations, streamed[j].iterations, 0.01 * streamed[j].iterations + 1);
            const auto alone = matrix.solve_several({&b[j], 1}, 1e-10, 2000, nullptr, SeveralPlan::resident)[0];
            EXPECT_EQ(alone.end, CgEnd::converged);
            EXPECT_LT(alone.true_residual, 1.1e-10);
            EXPECT_NEAR(alone.iterations, on_chip[j].iterations, 0.01 * alone.iterations + 1);
            static_cast<void>(matrix.solve_several(std::vector{b[2 - j], b[1], b[j]}, 1e-10, 2000, &other));
            EXPECT_EQ(other[2], x[j]);
        }
        static_cast<void>(matrix.solve_several(b, 1e-10, 2000, &again));
        EXPECT_EQ(x, again);
        if (n >= 17) { // (small ones need fewer)
            const auto limited = matrix.solve_several(b, 1e-10, 7);
            EXPECT_EQ(limited[0].iterations, 7U);
            EXPECT_EQ(limited[0].end, CgEnd::passes);
        }
        const SparseMatrix single(a, SparseFormat::crs, SparsePrecision::single_precision);
        for (const auto& report : single.solve_several(b, 1e-4, 2000)) {
            EXPECT_TRUE(report.resident);
            EXPECT_LT(report.true_residual, 2e-4);
        }
    }
    // One right-hand side has room for more rows.
    const CompressedRows a = grid_matrix(500, false);
    const std::vector<double> b(a.rows(), 1.0);
    const SparseMatrix matrix(a, SparseFormat::crs, SparsePrecision::double_precision);
    const auto report = matrix.solve_several({&b, 1}, 1e-10, 2000)[0];
    EXPECT_TRUE(report.resident);
    EXPECT_EQ(report.end, CgEnd::converged);
    EXPECT_LT(report.true_residual, 1.1e-10);
}

TEST_F(SparseSolverTest, ResidentSolvesAreRefusedWhereTheyDoNotFit) {
    const CompressedRows long_rows = grid_matrix(60, true), many = grid_matrix(900, false);
    for (const CompressedRows* const a : {&long_rows, &many}) {
        const SparseMatrix matrix(*a, SparseFormat::crs, SparsePrecision::double_precision);
        const std::vector<std::vector<double>> b(3, std::vector<double>(a->rows(), 1.0));
        EXPECT_THROW(matrix.solve_several(b, 1e-4, 10, nullptr, SeveralPlan::resident), InvalidInput);
        EXPECT_FALSE(matrix.solve_several(b, 1e-4, 10)[0].resident);
    }
}

TEST_F(SparseSolverTest, ProductsInEveryFormat) {
    for (const std::uint32_t n : {2U, 5U, 33U, 150U})
        for (const bool long_rows : {false, true}) {
            const CompressedRows a = grid_matrix(n, long_rows);
            std::mt19937 random(n);
            std::vector<double> x(a.rows()), y(a.rows()), want(a.rows(), 0.0), magnitude(a.rows(), 0.0);
            for (double& v : x) v = std::uniform_real_distribution<double>(-1, 1)(random);
            for (std::uint32_t i = 0; i < a.rows(); ++i)
                for (std::uint64_t k = a.row_begin()[i]; k < a.row_begin()[i + 1]; ++k) {
                    want[i] += a.value()[k] * x[a.column()[k]];
                    magnitude[i] += std::abs(a.value()[k] * x[a.column()[k]]);
                }
            for (const SparseFormat format : kFormats)
                for (const auto precision : {SparsePrecision::single_precision, SparsePrecision::double_precision}) {
                    SCOPED_TRACE(to_string(format) + " n " + std::to_string(n));
                    std::fill(y.begin(), y.end(), 99.0);
                    SparseMatrix(a, format, precision).apply(x, y);
                    const double bound = precision == SparsePrecision::single_precision ? 4e-6 : 1e-14;
                    for (std::uint32_t i = 0; i < a.rows(); ++i) ASSERT_NEAR(y[i], want[i], bound * magnitude[i]) << i;
                }
        }
}

/// More rows than the card has threads at once, a few entries each, in an order at random; where `longest` is not 0,
/// one row has so many. Symmetric in its pattern alone; every product with whole numbers is exact.
CompressedRows few_entries(std::uint32_t rows, std::uint32_t longest) {
    std::mt19937 random(rows);
    std::vector<std::uint64_t> row_begin = {0};
    std::vector<std::uint32_t> column;
    std::vector<double> value;
    for (std::uint32_t i = 0; i < rows; ++i) {
        const std::uint32_t count = i == rows / 2 && longest != 0 ? longest : static_cast<std::uint32_t>(random() % 8);
        std::set<std::uint32_t> columns;
        for (std::uint32_t k = 0; k < count; ++k) columns.insert(static_cast<std::uint32_t>(random() % rows));
        for (const std::uint32_t j : columns) {
            column.push_back(j);
            value.push_back(static_cast<double>(random() % 15) - 7);
        }
        row_begin.push_back(value.size());
    }
    return {std::move(row_begin), std::move(column), std::move(value)};
}

// Those that have kernels of their own where there are many: by whole lines of entries, and in slices as they come.
TEST_F(SparseSolverTest, ManyRowsOfFewEntries) {
    for (const std::uint32_t longest : {0U, 5000U}) {
        const CompressedRows a = few_entries(400003, longest);
        const auto x = whole_vectors(a.rows(), 3);
        std::vector<std::vector<double>> want(3, std::vector<double>(a.rows())), y;
        for (std::size_t j = 0; j < 3; ++j) reference_product<double>(a, x[j], want[j]);
        for (const SparseFormat format : {SparseFormat::crs, SparseFormat::sell, SparseFormat::sell_in_order})
            for (const auto precision : {SparsePrecision::single_precision, SparsePrecision::double_precision}) {
                SCOPED_TRACE(to_string(format) + " longest " + std::to_string(longest));
                if (format == SparseFormat::sell_in_order && longest != 0) {
                    EXPECT_THROW(SparseMatrix(a, format, precision), InvalidInput);
                    continue;
                }
                const SparseMatrix matrix(a, format, precision);
                std::vector<double> one(a.rows(), 99);
                for (std::size_t j = 0; j < 3; ++j) {
                    matrix.apply(x[j], one);
                    EXPECT_EQ(one, want[j]);
                }
                for (const bool dependent : {false, true}) EXPECT_GT(matrix.product_batches(dependent)(), 0);
                matrix.apply(x[0], one); // (as before the batches)
                EXPECT_EQ(one, want[0]);
                matrix.apply_several(std::span(x).first(1), y);
                EXPECT_EQ(y[0], want[0]);
                if (format == SparseFormat::sell_in_order) continue;
                matrix.apply_several(x, y);
                EXPECT_EQ(y, want);
            }
    }
}

TEST_F(SparseSolverTest, ManyRowsOfFewEntriesAreSolvedAlikeInEveryFormat) {
    const CompressedRows a = grid_matrix(600, false);
    const std::vector<double> b(a.rows(), 1.0);
    const CpuCgResult host = cpu_jacobi_cg<double>(a, SparseFormat::crs, b, 1e-8, 2000, 1);
    ASSERT_TRUE(host.converged);
    for (const SparseFormat format : {SparseFormat::crs, SparseFormat::sell, SparseFormat::sell_in_order}) {
        SCOPED_TRACE(to_string(format));
        std::vector<double> x, again;
        const SparseMatrix matrix(a, format, SparsePrecision::double_precision);
        const SparseCgReport report = matrix.solve(b, 1e-8, 2000, true, &x);
        EXPECT_EQ(report.end, CgEnd::converged);
        EXPECT_LT(report.true_residual, 2e-8);
        EXPECT_NEAR(report.iterations, static_cast<double>(host.iterations),
                    0.03 * static_cast<double>(host.iterations) + 2);
        static_cast<void>(matrix.solve(b, 1e-8, 2000, true, &again));
        EXPECT_EQ(x, again);
    }
}

TEST_F(SparseSolverTest, JacobiCgInEveryFormatTakesTheProcessorsIterations) {
    const CompressedRows a = grid_matrix(60, true);
    std::vector<double> b(a.rows()), x;
    for (std::size_t i = 0; i < b.size(); ++i) b[i] = std::cos(0.1 * static_cast<double>(i));
    const CpuCgResult host = cpu_jacobi_cg<double>(a, SparseFormat::crs, b, 1e-10, 2000, 1);
    ASSERT_TRUE(host.converged);
    for (const SparseFormat format : kFormats) {
        SCOPED_TRACE(to_string(format));
        const SparseMatrix matrix(a, format, SparsePrecision::double_precision);
        const SparseCgReport report = matrix.solve(b, 1e-10, 2000, true, &x);
        EXPECT_EQ(report.end, CgEnd::converged);
        EXPECT_LT(report.true_residual, 2e-10);
        EXPECT_NEAR(report.iterations, static_cast<double>(host.iterations),
                    0.03 * static_cast<double>(host.iterations) + 2);
        EXPECT_EQ(matrix.solve(b, 1e-10, 7).iterations, 7U);
        std::vector<double> again;
        static_cast<void>(matrix.solve(b, 1e-10, 2000, true, &again));
        EXPECT_EQ(x, again);
    }
    EXPECT_LT(SparseMatrix(a, SparseFormat::crs, SparsePrecision::single_precision).solve(b, 1e-4, 2000).true_residual,
              2e-4);
}

TEST_F(SparseSolverTest, NineBands) {
    Bands::Array bands;
    for (auto& band : bands) band.assign(40 * 30, 0.0);
    for (std::size_t y = 0; y < 30; ++y)
        for (std::size_t x = 0; x < 40; ++x)
            for (int b = 0; b < kBands; ++b) {
                const int dx = b % 3 - 1, dy = b / 3 - 1;
                const bool inside =
                    (x > 0 || dx >= 0) && (x < 39 || dx <= 0) && (y > 0 || dy >= 0) && (y < 29 || dy <= 0);
                bands[static_cast<std::size_t>(b)][y * 40 + x] = b == 4 ? 8.1 : inside ? -1.0 : 0.0;
            }
    const System system = Bands(40, std::move(bands));
    const SparseMatrix matrix(system, SparsePrecision::double_precision);
    std::vector<double> b(system.size());
    for (std::size_t i = 0; i < b.size(); ++i) b[i] = static_cast<double>(i % 13) - 5;
    const SparseCgReport report = matrix.solve(b, 1e-10, 1000);
    EXPECT_EQ(report.end, CgEnd::converged);
    EXPECT_LT(report.true_residual, 1.1e-10);
}

TEST_F(SparseSolverTest, EndsAndRefusals) {
    const CompressedRows a = grid_matrix(10, false);
    std::vector<double> b(a.rows(), 1.0);
    EXPECT_EQ(SparseMatrix(a, SparseFormat::crs, SparsePrecision::double_precision)
                  .solve(std::vector<double>(a.rows()), 1e-10, 10)
                  .end,
              CgEnd::converged);
    std::vector<double> values = a.value();
    for (double& v : values) v = -v;
    const SparseMatrix negative(a.with_values(std::move(values)), SparseFormat::crs, SparsePrecision::double_precision);
    EXPECT_EQ(negative.solve(b, 1e-10, 100, false).end, CgEnd::indefinite);
    EXPECT_THROW(static_cast<void>(negative.solve(b, 1e-10, 100, true)), InvalidInput);
    EXPECT_THROW(static_cast<void>(negative.solve(std::vector<double>(3), 1e-10, 100)), InvalidInput);
}

/// A band of full 4 x 4 blocks, 17 a row of blocks.
CompressedRows full_blocks(std::uint32_t blocks) {
    std::vector<std::uint64_t> row_begin = {0};
    std::vector<std::uint32_t> column;
    std::vector<double> value;
    for (std::uint32_t row = 0; row < 4 * blocks; ++row) {
        const std::uint32_t b = row / 4, first = b < 8 ? 0 : b - 8, last = std::min(blocks - 1, b + 8);
        for (std::uint32_t j = 4 * first; j < 4 * (last + 1); ++j) {
            column.push_back(j);
            value.push_back(j == row ? 100.0 : -0.5);
        }
        row_begin.push_back(value.size());
    }
    return {std::move(row_begin), std::move(column), std::move(value)};
}

// The choice is the fastest of the formats, once, with its time in words; reports and times stand in the same order.
// On full blocks plain JDS moves three times the bytes of 4 x 4 blocks, more than any cache hides at this size.
TEST_F(SparseSolverTest, TimedChoiceIsTheFastestAndSaysItsTime) {
    const CompressedRows a = full_blocks(60000);
    for (const auto precision : {SparsePrecision::single_precision, SparsePrecision::double_precision}) {
        const TimedChoice timed = choose_on_device(a, precision);
        const auto want = report_formats(a, precision == SparsePrecision::single_precision ? 4 : 8);
        ASSERT_EQ(timed.reports.size(), want.size());
        ASSERT_EQ(timed.seconds.size(), want.size());
        std::size_t chosen = want.size();
        for (std::size_t i = 0; i < want.size(); ++i) {
            EXPECT_EQ(timed.reports[i].format, want[i].format);
            EXPECT_EQ(timed.reports[i].traffic, want[i].traffic);
            EXPECT_GT(timed.seconds[i], 0.0);
            if (timed.reports[i].format == timed.choice.format) chosen = i;
        }
        ASSERT_LT(chosen, want.size());
        EXPECT_EQ(timed.seconds[chosen], *std::ranges::min_element(timed.seconds));
        EXPECT_NE(timed.choice.format, SparseFormat::jds);
        EXPECT_GT(timed.seconds[4], timed.seconds[2]) << "plain JDS against 4 x 4 blocks";
        char time[64];
        std::snprintf(time, sizeof time, " took %.2f us", 1e6 * timed.seconds[chosen]);
        EXPECT_TRUE(timed.choice.why.starts_with(to_string(timed.choice.format) + time)) << timed.choice.why;
    }
}

// A band in random order: after reverse Cuthill-McKee its blocks are full again and its gathers are near.
TEST_F(SparseSolverTest, ChoiceTakesTheOrderThatIsFaster) {
    const CompressedRows band = full_blocks(20000);
    std::vector<std::uint32_t> shuffled(band.rows());
    for (std::uint32_t i = 0; i < shuffled.size(); ++i) shuffled[i] = i;
    std::shuffle(shuffled.begin(), shuffled.end(), std::mt19937(7));
    const TimedChoice timed = choose_on_device(permuted(band, shuffled), SparsePrecision::double_precision, true);
    EXPECT_TRUE(timed.reordered) << timed.choice.why;
    EXPECT_NE(timed.choice.why.find("Cuthill-McKee"), std::string::npos);
}

} // namespace
} // namespace mantissa::gpu
