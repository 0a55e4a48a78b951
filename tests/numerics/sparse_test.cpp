// Sparse formats, orderings and CPU products: conversions are exact, reports count what the conversions make.
#include "mantissa/sparse/formats.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <utility>

#include <gtest/gtest.h>

#include "mantissa/format.hpp"
#include "mantissa/reached.hpp"
#include "mantissa/sparse/cpu.hpp"
#include "mantissa/sparse/reorder.hpp"
#include "mantissa/sparse/sliced_ell.hpp"
#include "plain_cuthill_mckee.hpp"

namespace mantissa {
namespace {

/// A symmetric, diagonally dominant matrix with rows of very different lengths, some of them only a diagonal.
CompressedRows random_matrix(std::uint32_t rows, unsigned seed) {
    std::mt19937 random(seed);
    std::vector<std::vector<double>> dense(rows, std::vector<double>(rows, 0.0));
    for (std::uint32_t i = 0; i < rows; ++i) {
        const std::uint32_t n = random() % 5 == 0 ? rows / 3 : random() % 4;
        for (std::uint32_t k = 0; k < n; ++k) {
            const auto j = static_cast<std::uint32_t>(random() % rows);
            if (j != i) dense[i][j] = dense[j][i] = -0.25 - static_cast<double>(random() % 64) / 128;
        }
    }
    std::vector<std::uint64_t> row_begin = {0};
    std::vector<std::uint32_t> column;
    std::vector<double> value;
    for (std::uint32_t i = 0; i < rows; ++i) {
        dense[i][i] = 1.0;
        for (std::uint32_t j = 0; j < rows; ++j)
            if (j != i) dense[i][i] += std::abs(dense[i][j]);
        for (std::uint32_t j = 0; j < rows; ++j)
            if (dense[i][j] != 0) {
                column.push_back(j);
                value.push_back(dense[i][j]);
            }
        row_begin.push_back(value.size());
    }
    return {std::move(row_begin), std::move(column), std::move(value)};
}

/// Blocks of `block`, all full.
CompressedRows block_matrix(std::uint32_t blocks, std::uint32_t block) {
    std::vector<std::uint64_t> row_begin = {0};
    std::vector<std::uint32_t> column;
    std::vector<double> value;
    const std::uint32_t rows = blocks * block;
    for (std::uint32_t i = 0; i < rows; ++i) {
        const std::uint32_t b = i / block, from = b == 0 ? 0 : b - 1, to = std::min(blocks - 1, b + 1);
        for (std::uint32_t j = from * block; j < (to + 1) * block; ++j) {
            column.push_back(j);
            value.push_back(i == j ? 20.0 : -0.5);
        }
        row_begin.push_back(value.size());
    }
    return {std::move(row_begin), std::move(column), std::move(value)};
}

void expect_equal(const CompressedRows& a, const CompressedRows& b) {
    EXPECT_EQ(a.row_begin(), b.row_begin());
    EXPECT_EQ(a.column(), b.column());
    EXPECT_EQ(a.value(), b.value());
}

TEST(SparseFormats, ConversionsGoThereAndBack) {
    for (const std::uint32_t rows : {1U, 2U, 3U, 7U, 64U, 101U}) {
        const CompressedRows a = random_matrix(rows, rows);
        expect_equal(a, to_compressed_rows(to_bcrs(a, 2)));
        expect_equal(a, to_compressed_rows(to_bcrs(a, 4)));
        expect_equal(a, to_compressed_rows(to_jds(a)));
    }
}

TEST(SparseFormats, JaggedDiagonalsAreSortedAlignedAndPadded) {
    const Jds j = to_jds(random_matrix(101, 5));
    EXPECT_TRUE(std::ranges::is_sorted(j.row_count, std::greater<>{}));
    for (const std::uint32_t begin : j.diagonal_begin) EXPECT_EQ(begin % Jds::kAlign, 0U);
    EXPECT_EQ(j.diagonal_begin.back(), j.value.size());
    std::vector<std::uint32_t> sorted = j.permutation;
    std::ranges::sort(sorted);
    for (std::uint32_t k = 0; k < 101; ++k) EXPECT_EQ(sorted[k], k);
}

TEST(SparseFormats, ReportsCountWhatConversionsMake) {
    for (const std::size_t value_bytes : {4UL, 8UL}) {
        const CompressedRows a = random_matrix(203, 9);
        const auto reports = report_formats(a, value_bytes);
        ASSERT_EQ(reports.size(), 8U); // none for complex blocks, which it is not made of
        for (const std::uint32_t block : {2U, 4U}) {
            const Bcrs b = to_bcrs(a, block);
            const FormatReport& r = reports[block / 2];
            EXPECT_EQ(r.stored, b.value.size());
            EXPECT_EQ(r.matrix_bytes, b.value.size() * value_bytes + 4 * b.column.size() + 4 * b.row_begin.size());
            EXPECT_DOUBLE_EQ(r.fill, static_cast<double>(a.nonzeros()) / static_cast<double>(b.value.size()));
        }
        EXPECT_EQ(reports[3].stored, to_jds(a).value.size());
        EXPECT_GT(reports[4].traffic, reports[3].traffic);
        EXPECT_EQ(reports[5].stored, to_sliced_ell(a, kPlainSell).value.size());
        EXPECT_EQ(reports[6].stored, to_sliced_ell(a, kSellByLengths).value.size());
        const OrderedEll e = to_ordered_ell(a);
        EXPECT_EQ(reports[7].format, SparseFormat::sell_in_order);
        EXPECT_EQ(reports[7].stored, e.value.size());
        EXPECT_EQ(reports[7].matrix_bytes,
                  e.value.size() * value_bytes + 4 * e.column.size() + 4 * e.begin.size() + e.count.size());
    }
    EXPECT_NEAR(break_even_fill(4, 4), 0.53, 0.005);
}

TEST(SparseFormats, ChoiceFollowsTheBytesAndSaysWhy) {
    const FormatChoice full = choose_format(block_matrix(50, 4), 4);
    EXPECT_EQ(full.format, SparseFormat::bcrs4);
    EXPECT_NE(full.why.find("100 % full"), std::string::npos) << full.why;
    const FormatChoice pairs = choose_format(block_matrix(51, 2), 8);
    EXPECT_EQ(pairs.format, SparseFormat::bcrs2) << pairs.why;
    // A diagonal, and every sixteenth row longer: padding everywhere but in CRS.
    std::vector<std::uint64_t> row_begin = {0};
    std::vector<std::uint32_t> column;
    std::vector<double> value;
    for (std::uint32_t i = 0; i < 90; ++i) {
        for (std::uint32_t j = i; j < std::min(90U, i + (i % 16 == 0 ? 8 : 1)); ++j) {
            column.push_back(j);
            value.push_back(1.0 + static_cast<double>(value.size())); // no complex blocks
        }
        row_begin.push_back(value.size());
    }
    const FormatChoice thin = choose_format(CompressedRows(row_begin, column, value), 4);
    EXPECT_EQ(thin.format, SparseFormat::crs) << thin.why;
    const auto reports = report_formats(block_matrix(50, 4), 4);
    const std::vector<double> seconds = {3e-6, 2e-6, 4e-6, 5e-6, 9e-6};
    const FormatChoice timed = choose_format(std::span(reports).first(seconds.size()), seconds);
    EXPECT_EQ(timed.format, SparseFormat::bcrs2);
    EXPECT_NE(timed.why.find("2.00 us"), std::string::npos) << timed.why;
}

TEST(SparseFormats, RefusesBadInput) {
    EXPECT_THROW(static_cast<void>(to_bcrs(block_matrix(3, 2), 3)), InvalidInput);
    const CompressedRows two = block_matrix(1, 2);
    EXPECT_THROW(static_cast<void>(permuted(two, {0})), InvalidInput);
    EXPECT_THROW(static_cast<void>(permuted(two, {0, 2})), InvalidInput);
    EXPECT_THROW(static_cast<void>(permuted(two, {1, 1})), InvalidInput);
    const std::vector<double> short_vector(1, 1.0);
    EXPECT_THROW(static_cast<void>(cpu_jacobi_cg<double>(two, SparseFormat::crs, short_vector, 1e-6, 5, 1)),
                 InvalidInput);
}

TEST(Reordering, IsAPermutationAndNarrowsABand) {
    // A chain in random order has bandwidth 1 when it is found again.
    std::vector<std::uint32_t> shuffled(500);
    std::iota(shuffled.begin(), shuffled.end(), 0U);
    std::shuffle(shuffled.begin(), shuffled.end(), std::mt19937(3));
    const CompressedRows chain = permuted(block_matrix(500, 1), shuffled);
    EXPECT_GT(bandwidth(chain).largest, 400U);
    EXPECT_EQ(bandwidth(permuted(chain, reverse_cuthill_mckee(chain))).largest, 1U);
    // Several components, all placed.
    const CompressedRows a = random_matrix(211, 4);
    std::vector<std::uint32_t> order = reverse_cuthill_mckee(a);
    ASSERT_EQ(order.size(), 211U);
    std::vector<std::uint32_t> inverse(211);
    for (std::uint32_t k = 0; k < 211; ++k) inverse[order[k]] = k;
    expect_equal(a, permuted(permuted(a, order), inverse));
    std::ranges::sort(order);
    for (std::uint32_t k = 0; k < 211; ++k) EXPECT_EQ(order[k], k);
}

// The library's ordering is Boost's with every tie decided; the definition written out gives the same order.
TEST(Reordering, EqualsTheDefinition) {
    for (const std::uint32_t rows : {1U, 2U, 40U, 211U, 700U})
        for (unsigned seed = 1; seed <= 4; ++seed) {
            const CompressedRows a = random_matrix(rows, seed);
            EXPECT_EQ(reverse_cuthill_mckee(a), testing::PlainCuthillMckee(a).order()) << rows << ' ' << seed;
        }
    const CompressedRows blocks = block_matrix(120, 4); // rows of equal length: ties everywhere
    std::vector<std::uint32_t> shuffled(blocks.rows());
    std::iota(shuffled.begin(), shuffled.end(), 0U);
    std::shuffle(shuffled.begin(), shuffled.end(), std::mt19937(5));
    const CompressedRows mixed = permuted(blocks, shuffled);
    EXPECT_EQ(reverse_cuthill_mckee(mixed), testing::PlainCuthillMckee(mixed).order());
}

template <class T> void check_products(const CompressedRows& a) {
    std::mt19937 random(17);
    std::uniform_real_distribution<double> uniform(-1, 1);
    for (const SparseFormat format :
         {SparseFormat::crs, SparseFormat::bcrs2, SparseFormat::bcrs4, SparseFormat::jds_rows, SparseFormat::jds,
          SparseFormat::sell, SparseFormat::sell_lengths, SparseFormat::sell_in_order})
        for (const int threads : {1, 3}) {
            SCOPED_TRACE(to_string(format));
            const CpuProduct<T> product(a, format, threads);
            std::vector<T> x(product.padded_rows(), 0), y(product.padded_rows(), T(7));
            for (std::uint32_t i = 0; i < a.rows(); ++i) x[i] = static_cast<T>(uniform(random));
            product.apply(x, y);
            for (std::uint32_t i = 0; i < a.rows(); ++i) {
                long double exact = 0, magnitude = 0;
                for (std::uint64_t k = a.row_begin()[i]; k < a.row_begin()[i + 1]; ++k) {
                    const long double term = static_cast<long double>(static_cast<T>(a.value()[k])) * x[a.column()[k]];
                    exact += term;
                    magnitude += std::abs(term);
                }
                const auto bound = magnitude * static_cast<long double>(std::numeric_limits<T>::epsilon()) * 60;
                ASSERT_LE(std::abs(static_cast<long double>(y[i]) - exact), bound) << "row " << i;
            }
        }
}

TEST(CpuProducts, EqualTheDefinition) {
    for (const std::uint32_t rows : {1U, 5U, 103U}) {
        check_products<float>(random_matrix(rows, rows + 1));
        check_products<double>(random_matrix(rows, rows + 2));
    }
}

TEST(CpuProducts, JacobiCgSolvesInEveryFormat) {
    const CompressedRows a = random_matrix(150, 8);
    std::vector<double> b(150);
    for (std::size_t i = 0; i < b.size(); ++i) b[i] = std::sin(static_cast<double>(i));
    for (const SparseFormat format :
         {SparseFormat::crs, SparseFormat::bcrs2, SparseFormat::bcrs4, SparseFormat::jds_rows, SparseFormat::jds,
          SparseFormat::sell, SparseFormat::sell_lengths, SparseFormat::sell_in_order}) {
        const CpuCgResult r = cpu_jacobi_cg<double>(a, format, b, 1e-10, 500, 1);
        EXPECT_TRUE(r.converged);
        EXPECT_LT(r.true_residual, 1.1e-10);
        EXPECT_TRUE(cpu_jacobi_cg<float>(a, format, b, 1e-4, 500, 1).converged);
    }
}

// The second difference squared, of condition n^4: the recursion's residual falls to any tolerance, the true one does
// not.
TEST(CpuProducts, TheTrueResidualDecides) {
    constexpr std::uint32_t kRows = 60;
    std::vector<std::uint64_t> row_begin = {0};
    std::vector<std::uint32_t> column;
    std::vector<double> value;
    for (int i = 0; i < static_cast<int>(kRows); ++i) {
        for (int j = std::max(0, i - 2); j <= std::min(static_cast<int>(kRows) - 1, i + 2); ++j) {
            constexpr double kBiharmonic[] = {6, -4, 1};
            column.push_back(static_cast<std::uint32_t>(j));
            value.push_back(kBiharmonic[std::abs(i - j)]);
        }
        row_begin.push_back(value.size());
    }
    const CompressedRows a(std::move(row_begin), std::move(column), std::move(value));
    const std::vector<double> b(kRows, 1.0);
    int reached = 0, missed = 0;
    for (const double tolerance : {1e-6, 1e-9, 1e-11, 1e-13, 1e-15}) {
        std::vector<double> x;
        const CpuCgResult r = cpu_jacobi_cg<double>(a, SparseFormat::crs, b, tolerance, 20000, 1, &x);
        double defect = 0; // every term is an exact product, and the sum is formed in 64 bits
        for (std::uint32_t i = 0; i < kRows; ++i) {
            long double d = b[i];
            for (std::uint64_t k = a.row_begin()[i]; k < a.row_begin()[i + 1]; ++k)
                d -= static_cast<long double>(a.value()[k]) * x[a.column()[k]];
            defect += static_cast<double>(d * d);
        }
        const double relative = std::sqrt(defect / kRows);
        // A defect takes ten operations on sums of at most 16 x, x at most 4e4 (a clamped beam: 60^4 / 384).
        EXPECT_NEAR(r.true_residual, relative, 10 * 16 * 4e4 * 0x1p-53) << tolerance;
        EXPECT_EQ(r.converged, r.true_residual < tolerance * (1 + kReachedSlack)) << tolerance;
        ++(r.converged ? reached : missed);
    }
    EXPECT_GE(reached, 1);
    EXPECT_GE(missed, 1);
}

} // namespace
} // namespace mantissa
