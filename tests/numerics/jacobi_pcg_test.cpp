// Jacobi-PCG on the processor: the same bits for any number of threads, alone or together with other right-hand sides
// and with each instruction set; the textbook's recursion; complex blocks; the ends.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <random>
#include <stdexcept>

#include <gtest/gtest.h>

#include "mantissa/format.hpp"
#include "mantissa/sparse/complex_blocks.hpp"
#include "mantissa/sparse/jacobi_pcg.hpp"
#include "mantissa/sparse/reorder.hpp"

namespace mantissa {
namespace {

using Vectors = std::vector<std::vector<double>>;

CompressedRows from_dense(const std::vector<std::vector<double>>& dense) {
    std::vector<std::uint64_t> begin = {0};
    std::vector<std::uint32_t> column;
    std::vector<double> value;
    for (const auto& row : dense) {
        for (std::uint32_t j = 0; j < row.size(); ++j)
            if (row[j] != 0) {
                column.push_back(j);
                value.push_back(row[j]);
            }
        begin.push_back(value.size());
    }
    return {std::move(begin), std::move(column), std::move(value)};
}

/// A chain with long bonds, diagonal from 1 to 3 and more: positive definite.
CompressedRows chain(std::uint32_t rows, unsigned seed = 3) {
    std::mt19937 random(seed);
    std::vector<std::vector<std::pair<std::uint32_t, double>>> bonds(rows);
    std::vector<double> diagonal(rows, 0.02);
    for (std::uint32_t i = 0; i + 1 < rows; ++i)
        for (const std::uint32_t j : {i + 1, i + 1 + static_cast<std::uint32_t>(random() % 40)}) {
            if (j >= rows || (!bonds[i].empty() && bonds[i].back().first == j)) continue;
            const double w = 0.5 + std::generate_canonical<double, 53>(random);
            bonds[i].emplace_back(j, -w);
            diagonal[i] += w;
            diagonal[j] += w;
        }
    std::vector<std::vector<std::pair<std::uint32_t, double>>> all(rows);
    for (std::uint32_t i = 0; i < rows; ++i)
        for (const auto& [j, v] : bonds[i]) all[j].emplace_back(i, v);
    std::vector<std::uint64_t> begin = {0};
    std::vector<std::uint32_t> column;
    std::vector<double> value;
    const auto put = [&](std::uint32_t j, double v) {
        column.push_back(j);
        value.push_back(v);
    };
    for (std::uint32_t i = 0; i < rows; ++i) {
        for (const auto& [j, v] : all[i]) put(j, v);
        put(i, diagonal[i]);
        for (const auto& [j, v] : bonds[i]) put(j, v);
        begin.push_back(value.size());
    }
    return {std::move(begin), std::move(column), std::move(value)};
}

/// Complex numbers of which some are real: D + an antisymmetric imaginary part and a symmetric real one.
CompressedRows hermitian(std::uint32_t n, bool all_imaginary) {
    std::mt19937 random(4);
    std::vector<std::vector<double>> dense(2 * n, std::vector<double>(2 * n, 0.0));
    for (std::uint32_t i = 0; i < n; ++i) {
        dense[2 * i][2 * i] += 0.01;
        dense[2 * i + 1][2 * i + 1] += 0.01;
        for (const std::uint32_t j : {(i + 1) % n, (i + 7) % n}) {
            const double x = 1 + std::generate_canonical<double, 53>(random);
            const double y = all_imaginary || (i % 16 == 0 && j == i + 1) ? 0.5 : 0;
            const double size = std::hypot(x, y);
            for (const std::uint32_t e : {0U, 1U}) {
                dense[2 * i + e][2 * i + e] += size;
                dense[2 * j + e][2 * j + e] += size;
                dense[2 * i + e][2 * j + e] -= x;
                dense[2 * j + e][2 * i + e] -= x;
            }
            dense[2 * i][2 * j + 1] -= y;
            dense[2 * i + 1][2 * j] += y;
            dense[2 * j][2 * i + 1] += y;
            dense[2 * j + 1][2 * i] -= y;
        }
    }
    return from_dense(dense);
}

std::vector<double> right_hand_side(std::size_t n, unsigned seed) {
    std::mt19937 random(seed);
    std::vector<double> b(n);
    for (double& e : b) e = std::generate_canonical<double, 53>(random) - 0.5;
    return b;
}

double residual(const CompressedRows& a, const std::vector<double>& b, const std::vector<double>& x) {
    long double top = 0, bottom = 0;
    for (std::size_t i = 0; i < a.rows(); ++i) {
        long double d = b[i];
        for (std::uint64_t k = a.row_begin()[i]; k < a.row_begin()[i + 1]; ++k)
            d -= static_cast<long double>(a.value()[k]) * x[a.column()[k]];
        top += d * d;
        bottom += static_cast<long double>(b[i]) * b[i];
    }
    return static_cast<double>(std::sqrt(top / bottom));
}

PcgOptions options(double tolerance, int threads = 1) {
    PcgOptions o;
    o.tolerance = tolerance;
    o.threads = threads;
    o.history = true;
    return o;
}

/// The recursion as it is printed, sums in long double.
std::vector<double> textbook(const CompressedRows& a, const std::vector<double>& b, std::size_t iterations) {
    const std::size_t n = a.rows();
    std::vector<long double> r(b.begin(), b.end()), d(n), q(n), diagonal(n);
    long double norm = 0, delta = 0;
    for (std::size_t i = 0; i < n; ++i)
        for (std::uint64_t k = a.row_begin()[i]; k < a.row_begin()[i + 1]; ++k)
            if (a.column()[k] == i) diagonal[i] = a.value()[k];
    for (std::size_t i = 0; i < n; ++i) {
        d[i] = r[i] / diagonal[i];
        delta += r[i] * d[i];
        norm += r[i] * r[i];
    }
    std::vector<double> history;
    for (std::size_t m = 0; m < iterations; ++m) {
        long double dq = 0, next = 0, squares = 0;
        for (std::size_t i = 0; i < n; ++i) {
            q[i] = 0;
            for (std::uint64_t k = a.row_begin()[i]; k < a.row_begin()[i + 1]; ++k)
                q[i] += a.value()[k] * d[a.column()[k]];
            dq += d[i] * q[i];
        }
        for (std::size_t i = 0; i < n; ++i) {
            r[i] -= delta / dq * q[i];
            next += r[i] * r[i] / diagonal[i];
            squares += r[i] * r[i];
        }
        for (std::size_t i = 0; i < n; ++i) d[i] = r[i] / diagonal[i] + next / delta * d[i];
        delta = next;
        history.push_back(static_cast<double>(std::sqrt(squares / norm)));
    }
    return history;
}

TEST(JacobiPcg, IsTheTextbooksRecursion) {
    for (const CompressedRows& a : {chain(500), hermitian(150, false), hermitian(150, true)}) {
        const Vectors b = {right_hand_side(a.rows(), 1)};
        Vectors x(1);
        const PcgReport report = jacobi_pcg(a, b, x, options(1e-8)).front();
        EXPECT_EQ(report.end, PcgEnd::reached);
        EXPECT_LE(residual(a, b[0], x[0]), 1.001e-8);
        EXPECT_NEAR(report.true_residual / residual(a, b[0], x[0]), 1, 1e-6);
        EXPECT_EQ(report.history.size(), report.iterations);
        const std::vector<double> expected = textbook(a, b[0], 20);
        for (std::size_t k = 0; k < expected.size(); ++k) EXPECT_NEAR(report.history[k] / expected[k], 1, 1e-9) << k;
    }
}

TEST(JacobiPcg, FewImaginaryPartsGoAsComplexNumbers) {
    const auto is_complex = [](const CompressedRows& a) {
        Vectors x(1);
        return jacobi_pcg(a, {right_hand_side(a.rows(), 1)}, x, options(1e-3)).front().complex_blocks;
    };
    EXPECT_TRUE(is_complex(hermitian(400, false)));
    EXPECT_FALSE(is_complex(hermitian(400, true)));
    EXPECT_FALSE(is_complex(chain(400)));
}

TEST(JacobiPcg, ThreadsAndCompanyChangeNoBit) {
    for (const CompressedRows& a : {chain(9001), hermitian(601, false)}) {
        Vectors b;
        for (unsigned s = 0; s < 7; ++s) b.push_back(right_hand_side(a.rows(), s + 1));
        for (double& e : b[2]) e *= 1e-9; // it ends with the others all the same
        for (std::size_t i = 100; i < b[3].size(); ++i) b[3][i] = 0;
        Vectors alone(b.size());
        std::vector<PcgReport> reports;
        for (std::size_t s = 0; s < b.size(); ++s) {
            Vectors x(1);
            reports.push_back(jacobi_pcg(a, {b[s]}, x, options(1e-7)).front());
            EXPECT_EQ(reports.back().end, PcgEnd::reached);
            alone[s] = x[0];
        }
        for (const int threads : {1, 2, 3}) {
            Vectors together(b.size());
            const auto all = jacobi_pcg(a, b, together, options(1e-7, threads));
            for (std::size_t s = 0; s < b.size(); ++s) {
                EXPECT_EQ(together[s], alone[s]) << s << " with " << threads;
                EXPECT_EQ(all[s].iterations, reports[s].iterations);
                EXPECT_EQ(all[s].history, reports[s].history);
            }
        }
    }
}

/// Every number of `a` as a complex one: some off the diagonal with an imaginary part, the matrix Hermitian.
CompressedRows as_complex(const CompressedRows& a) {
    std::vector<std::uint64_t> begin = {0};
    std::vector<std::uint32_t> column;
    std::vector<double> value;
    for (std::uint32_t i = 0; i < a.rows(); ++i)
        for (std::uint32_t part = 0; part < 2; ++part) {
            for (std::uint64_t k = a.row_begin()[i]; k < a.row_begin()[i + 1]; ++k) {
                const std::uint32_t j = a.column()[k];
                const double y = i == j || std::min(i, j) % 64 != 0 ? 0 : i < j ? 0.1 : -0.1;
                column.insert(column.end(), {2 * j, 2 * j + 1});
                const double x = a.value()[k] + (i == j ? 0.4 : 0);
                if (part == 0) value.insert(value.end(), {x, -y});
                else value.insert(value.end(), {y, x});
            }
            begin.push_back(value.size());
        }
    return {std::move(begin), std::move(column), std::move(value)};
}

TEST(JacobiPcg, ScatteredRowsAreOrderedAndComeBack) {
    const std::uint32_t rows = 60001;
    std::vector<std::uint32_t> order(rows), pairs(2 * rows);
    for (std::uint32_t i = 0; i < rows; ++i) order[i] = i;
    std::shuffle(order.begin(), order.end(), std::mt19937(9));
    for (std::uint32_t i = 0; i < 2 * rows; ++i) pairs[i] = 2 * order[i / 2] + i % 2;
    const CompressedRows plain = chain(rows);
    for (const bool complex : {false, true}) {
        const CompressedRows a = complex ? permuted(as_complex(plain), pairs) : permuted(plain, order);
        const Vectors b = {right_hand_side(a.rows(), 1), right_hand_side(a.rows(), 2)};
        Vectors x(2), again(2);
        const auto reports = jacobi_pcg(a, b, x, options(1e-6));
        jacobi_pcg(a, b, again, options(1e-6, 3));
        for (std::size_t s = 0; s < 2; ++s) {
            EXPECT_EQ(reports[s].complex_blocks, complex);
            EXPECT_EQ(reports[s].end, PcgEnd::reached);
            EXPECT_LE(residual(a, b[s], x[s]), 1.001e-6);
            EXPECT_EQ(x[s], again[s]);
        }
        const std::vector<double> expected = textbook(a, b[0], 5);
        for (std::size_t k = 0; k < expected.size(); ++k) EXPECT_NEAR(reports[0].history[k] / expected[k], 1, 1e-9);
    }
}

TEST(JacobiPcg, StartsFromWhatItIsGiven) {
    const CompressedRows a = chain(300);
    const Vectors b = {right_hand_side(a.rows(), 1)};
    Vectors x(1);
    jacobi_pcg(a, b, x, options(1e-10));
    const PcgReport again = jacobi_pcg(a, b, x, options(1e-9)).front();
    EXPECT_EQ(again.end, PcgEnd::reached);
    EXPECT_EQ(again.iterations, 0U);
}

TEST(JacobiPcg, ThePapersTestIsOfDelta) {
    const CompressedRows a = chain(300);
    const Vectors b = {right_hand_side(a.rows(), 1)};
    const auto delta = [&](const std::vector<double>& x) { // r . M^-1 r
        double sum = 0;
        for (std::size_t i = 0; i < a.rows(); ++i) {
            double r = b[0][i], diagonal = 0;
            for (std::uint64_t k = a.row_begin()[i]; k < a.row_begin()[i + 1]; ++k) {
                r -= a.value()[k] * x[a.column()[k]];
                if (a.column()[k] == i) diagonal = a.value()[k];
            }
            sum += r * r / diagonal;
        }
        return sum;
    };
    const double goal = 1e-12 * delta(std::vector<double>(a.rows(), 0.0));
    PcgOptions o = options(1e-6);
    o.test = PcgTest::delta;
    Vectors x(1), before(1);
    const PcgReport report = jacobi_pcg(a, b, x, o).front();
    EXPECT_EQ(report.end, PcgEnd::reached);
    EXPECT_LE(delta(x[0]), goal * (1 + 1e-6));
    o.max_iterations = report.iterations - 1;
    EXPECT_EQ(jacobi_pcg(a, b, before, o).front().end, PcgEnd::limit);
    EXPECT_GT(delta(before[0]), goal);
}

TEST(JacobiPcg, GoesOnFromTheTrueResidual) {
    // A tolerance that the recursion reaches long before the true residual does.
    const CompressedRows a = chain(2000);
    const Vectors b = {right_hand_side(a.rows(), 1)};
    Vectors x(1);
    const PcgReport report = jacobi_pcg(a, b, x, options(2e-16)).front();
    EXPECT_NE(report.end, PcgEnd::limit);
    EXPECT_LT(report.true_residual, 1e-12);
    EXPECT_EQ(report.end == PcgEnd::reached, report.true_residual < 2.002e-16);
}

TEST(JacobiPcg, EndsAsItShould) {
    const CompressedRows a = chain(300);
    Vectors x(1);
    PcgOptions o = options(1e-12);
    o.max_iterations = 3;
    PcgReport report = jacobi_pcg(a, {right_hand_side(300, 1)}, x, o).front();
    EXPECT_EQ(report.end, PcgEnd::limit);
    EXPECT_EQ(report.iterations, 3U);

    x = Vectors(1);
    report = jacobi_pcg(from_dense({{1, 2}, {2, 1}}), {{1, -1}}, x, options(1e-6)).front();
    EXPECT_EQ(report.end, PcgEnd::indefinite);

    x = Vectors(1);
    report = jacobi_pcg(a, {std::vector<double>(300, 0.0)}, x, options(1e-6)).front();
    EXPECT_EQ(report.end, PcgEnd::reached);
    EXPECT_EQ(x[0], std::vector<double>(300, 0.0));

    x = Vectors(1);
    EXPECT_THROW(jacobi_pcg(from_dense({{0, 1}, {1, 1}}), {{1, 1}}, x, options(1e-6)), InvalidInput);
    EXPECT_THROW(jacobi_pcg(a, {{1, 2}}, x, options(1e-6)), InvalidInput);
    for (const double bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
        x = Vectors(1);
        EXPECT_THROW(jacobi_pcg(a, {std::vector<double>(300, bad)}, x, options(1e-6)), InvalidInput);
    }
}

/// The reciprocals of these are no numbers: the iterate is the one before.
TEST(JacobiPcg, AnIterateThatIsNotFiniteIsGivenUp) {
    const CompressedRows a = from_dense({{4e-320, 1e-320}, {1e-320, 4e-320}});
    for (const double begin : {0.0, 0.25}) {
        Vectors x{{begin, begin}};
        const PcgReport report = jacobi_pcg(a, {{0.5, 1.0}}, x, {}).front();
        EXPECT_EQ(report.end, PcgEnd::not_finite);
        EXPECT_EQ(x.front(), std::vector<double>(2, begin));
        EXPECT_NEAR(report.true_residual, 1, 1e-12);
    }
}

TEST(JacobiPcg, PassesOnWhatProgressThrows) {
    const CompressedRows a = chain(20000);
    const std::vector<double> b(a.rows(), 1.0);
    for (const int threads : {1, 3})
        for (const bool pace : {false, true}) {
            PcgOptions o = options(1e-10);
            o.threads = threads;
            int calls = 0;
            (pace ? o.pace : o.progress) = [&](std::uint64_t, double) -> bool {
                if (++calls == 5) throw std::runtime_error("enough");
                return true;
            };
            Vectors x(1);
            EXPECT_THROW(jacobi_pcg(a, {b}, x, o), std::runtime_error) << threads;
            EXPECT_EQ(calls, 5) << threads;
        }
}

TEST(JacobiPcg, StopsWhenItIsTold) {
    const CompressedRows a = chain(60000);
    Vectors x(1);
    PcgOptions o = options(1e-300, 2);
    o.max_iterations = 1000000;
    o.history = false;
    std::atomic<int> calls = 0;
    o.progress = [&](std::uint64_t, double relative) {
        EXPECT_GT(relative, 0);
        return ++calls < 2;
    };
    const PcgReport report = jacobi_pcg(a, {right_hand_side(60000, 1)}, x, o).front();
    EXPECT_EQ(calls, 2);
    EXPECT_EQ(report.end, PcgEnd::cancelled);
}

} // namespace
} // namespace mantissa
