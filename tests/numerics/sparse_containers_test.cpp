// Complex blocks, sliced ELL, and the product that every container defines: the same bits from all of them.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <random>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "mantissa/format.hpp"
#include "mantissa/sparse/cpu.hpp"
#include "mantissa/sparse/reference.hpp"

namespace mantissa {
namespace {

/// Rows of very different lengths: empty ones, short ones, a few with most of the columns, at odd places.
CompressedRows skewed_matrix(std::uint32_t rows, unsigned seed, bool dyadic) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> uniform(-1, 1);
    std::vector<std::uint64_t> row_begin = {0};
    std::vector<std::uint32_t> column;
    std::vector<double> value;
    for (std::uint32_t i = 0; i < rows; ++i) {
        const auto kind = random() % 16;
        const double share = kind == 0 ? 0.9 : kind == 1 ? 0.3 : kind < 4 ? 0.0 : 5.0 / rows;
        for (std::uint32_t j = 0; j < rows; ++j)
            if (std::generate_canonical<double, 32>(random) < share) {
                column.push_back(j);
                value.push_back(dyadic ? std::ldexp(static_cast<double>(1 + random() % 15), -3) *
                                             (random() % 2 == 0 ? 1 : -1)
                                       : uniform(random));
            }
        row_begin.push_back(value.size());
    }
    return {std::move(row_begin), std::move(column), std::move(value)};
}

/// The real form of a Hermitian matrix of n x n; `rounding`: relative differences of the entries that are one number.
CompressedRows hermitian_matrix(std::uint32_t n, unsigned seed, double rounding = 0) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> uniform(-1, 1);
    const std::uint32_t rows = 2 * n;
    std::vector<std::vector<double>> dense(rows, std::vector<double>(rows, 0.0));
    for (std::uint32_t i = 0; i < n; ++i) {
        dense[2 * i][2 * i] = dense[2 * i + 1][2 * i + 1] = 8 + uniform(random);
        for (std::uint32_t k = 0; k < 3 && n > 1; ++k) {
            const auto j = static_cast<std::uint32_t>(random() % n);
            if (j == i) continue;
            const double x = uniform(random), y = k == 2 ? 0 : uniform(random); // some are real
            for (const auto& [a, b, s] : {std::tuple{i, j, 1.0}, std::tuple{j, i, -1.0}}) {
                dense[2 * a][2 * b] = x * (1 + rounding * uniform(random));
                dense[2 * a + 1][2 * b + 1] = x;
                dense[2 * a][2 * b + 1] = -s * y * (1 + rounding * uniform(random));
                dense[2 * a + 1][2 * b] = s * y;
            }
        }
    }
    std::vector<std::uint64_t> row_begin = {0};
    std::vector<std::uint32_t> column;
    std::vector<double> value;
    for (std::uint32_t i = 0; i < rows; ++i) {
        for (std::uint32_t j = 0; j < rows; ++j)
            if (dense[i][j] != 0) {
                column.push_back(j);
                value.push_back(dense[i][j]);
            }
        row_begin.push_back(value.size());
    }
    return {std::move(row_begin), std::move(column), std::move(value)};
}

template <class T> bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
    return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
}
template <class T> std::vector<T> random_vector(std::size_t n, unsigned seed) {
    std::mt19937 random(seed);
    std::vector<T> x(n);
    for (T& v : x) v = static_cast<T>(std::uniform_real_distribution<double>(-1, 1)(random));
    return x;
}
/// From poison, so that an element left out shows.
template <class T, class Matrix>
std::vector<T> product_of(const Matrix& a, const std::vector<T>& x, std::size_t columns) {
    std::vector<T> y(x.size(), std::numeric_limits<T>::quiet_NaN());
    reference_product<T>(a, x, y, columns);
    return y;
}

const SlicedOptions kShapes[] = {kPlainSell,
                                 kSellByLengths,
                                 {.window = 1, .depth = 0, .longest_piece = 0},
                                 {.window = 64, .depth = 1, .longest_piece = 1},
                                 {.window = 0, .depth = 3, .longest_piece = 2}};

template <class T> void check_reference(std::uint32_t rows, std::size_t columns) {
    const CompressedRows a = skewed_matrix(rows, rows, false);
    const std::vector<T> x = random_vector<T>(rows * columns, 5);
    const std::vector<T> want = product_of(a, x, columns);
    for (std::uint32_t i = 0; i < rows; ++i) // the definition itself, on the first vector
        if (columns == 1) {
            T sum = 0;
            for (std::uint64_t k = a.row_begin()[i]; k < a.row_begin()[i + 1]; ++k)
                sum += static_cast<T>(a.value()[k]) * x[a.column()[k]];
            ASSERT_EQ(std::memcmp(&sum, &want[i], sizeof(T)), 0) << i;
        }
    EXPECT_TRUE(same_bits(want, product_of(to_bcrs(a, 2), x, columns)));
    EXPECT_TRUE(same_bits(want, product_of(to_bcrs(a, 4), x, columns)));
    EXPECT_TRUE(same_bits(want, product_of(to_jds(a), x, columns)));
    for (const SlicedOptions& shape : kShapes)
        EXPECT_TRUE(same_bits(want, product_of(to_sliced_ell(a, shape), x, columns))) << shape.window << shape.depth;
}

TEST(SellByLengths, DepthFollowsFromEntriesAThread) {
    const CompressedRows a = skewed_matrix(700, 1, false);
    const std::uint64_t n = a.nonzeros();
    ASSERT_GT(n, 2000U);
    // 2.6 and 5.5 entries a thread are where short rows of steps end, on any device.
    EXPECT_EQ(sell_by_lengths(a, n).depth, 4U);
    EXPECT_EQ(sell_by_lengths(a, n / 4).depth, 8U);
    EXPECT_EQ(sell_by_lengths(a, n / 8).depth, 12U);
    EXPECT_EQ(sell_by_lengths(a, n / 8).longest_piece, 24U);
    EXPECT_EQ(sell_by_lengths(a).depth, sell_by_lengths(a, kUsualThreads).depth);
}

TEST(ReferenceProduct, HasTheSameBitsInEveryContainer) {
    for (const std::uint32_t rows : {1U, 2U, 7U, 33U, 203U, 700U})
        for (const std::size_t columns : {1UL, 3UL}) {
            SCOPED_TRACE(std::to_string(rows) + " rows, vectors: " + std::to_string(columns));
            check_reference<float>(rows, columns);
            check_reference<double>(rows, columns);
        }
    for (const std::uint32_t n : {1U, 2U, 51U}) {
        const CompressedRows a = hermitian_matrix(n, n);
        for (const std::size_t columns : {1UL, 3UL}) {
            const std::vector<float> x = random_vector<float>(a.rows() * columns, n);
            EXPECT_TRUE(same_bits(product_of(a, x, columns), product_of(to_complex_blocks(a), x, columns)));
        }
    }
}

TEST(OrderedEll, HoldsWhatItIsMadeOf) {
    for (const std::uint32_t rows : {1U, 31U, 33U, 203U}) {
        std::vector<std::uint64_t> begin = {0};
        std::vector<std::uint32_t> column;
        std::vector<double> value;
        std::mt19937 random(rows);
        for (std::uint32_t i = 0; i < rows; ++i) {
            for (std::uint32_t j = 0; j < rows; ++j)
                if (random() % rows < i % 9) {
                    column.push_back(j);
                    value.push_back(1.0 + j);
                }
            begin.push_back(value.size());
        }
        const CompressedRows a(begin, column, value);
        const OrderedEll e = to_ordered_ell(a);
        EXPECT_EQ(to_compressed_rows(e), a);
        EXPECT_EQ(e.value.size(), 32 * ordered_steps(a));
        EXPECT_EQ(e.begin.size(), (rows + 31) / 32 + 1);
    }
    std::vector<std::uint32_t> all(256);
    for (std::uint32_t j = 0; j < 256; ++j) all[j] = j;
    std::vector<std::uint64_t> begin(257, 256);
    begin[0] = 0;
    const CompressedRows wide(begin, all, std::vector<double>(256, 1.0));
    EXPECT_EQ(ordered_steps(wide), 0U);
    EXPECT_THROW(static_cast<void>(to_ordered_ell(wide)), InvalidInput);
    for (const FormatReport& r : report_formats(wide, 8)) EXPECT_NE(r.format, SparseFormat::sell_in_order);
}

TEST(ReferenceProduct, SeveralVectorsAreThoseOneByOne) {
    const CompressedRows a = skewed_matrix(203, 3, false);
    const std::vector<double> x = random_vector<double>(3 * 203, 9), y = product_of(a, x, 3);
    for (std::size_t c = 0; c < 3; ++c) {
        std::vector<double> one(203), want(203);
        for (std::size_t i = 0; i < 203; ++i) one[i] = x[3 * i + c];
        want = product_of(a, one, 1);
        for (std::size_t i = 0; i < 203; ++i) EXPECT_EQ(want[i], y[3 * i + c]);
    }
    std::vector<double> wrong(5);
    EXPECT_THROW(reference_product<double>(a, wrong, wrong), InvalidInput);
}

TEST(ReferenceProduct, TheProcessorsProductsGiveItWhereSumsAreExact) {
    const CompressedRows skewed = skewed_matrix(503, 21, true);
    std::vector<double> x(skewed.rows());
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<double>(i % 33) - 16;
    const std::vector<double> want = product_of(skewed, x, 1);
    for (const SparseFormat format : {SparseFormat::crs, SparseFormat::sell, SparseFormat::sell_lengths}) {
        const CpuProduct<double> product(skewed, format, 2);
        std::vector<double> y(product.padded_rows(), 7);
        product.apply(x, y);
        EXPECT_EQ(y, want) << to_string(format);
    }
    CompressedRows complex = hermitian_matrix(101, 4);
    std::vector<double> values = complex.value();
    for (double& v : values) v = std::nearbyint(v * 8);
    complex = complex.with_values(std::move(values));
    x.resize(complex.rows());
    std::vector<double> y(complex.rows(), 7);
    CpuProduct<double>(complex, SparseFormat::complex2, 2).apply(x, y);
    EXPECT_EQ(y, product_of(complex, x, 1));
}

TEST(SlicedEll, GoesThereAndBack) {
    for (const std::uint32_t rows : {1U, 31U, 32U, 33U, 203U, 1200U})
        for (const SlicedOptions& shape : kShapes) {
            const CompressedRows a = skewed_matrix(rows, rows + 1, false);
            const SlicedEll s = to_sliced_ell(a, shape);
            EXPECT_EQ(to_compressed_rows(s), a) << rows;
            const SlicedSize size = sliced_size(a, shape);
            EXPECT_EQ(size.steps, s.steps());
            EXPECT_EQ(size.slices, s.slice.size());
            EXPECT_EQ(size.long_rows, s.long_row.size());
        }
}

TEST(SlicedEll, LanesAndPiecesKeepEveryWarpsWorkShort) {
    const CompressedRows a = skewed_matrix(1200, 8, false);
    const SlicedEll s = to_sliced_ell(a, {.window = 0, .depth = 2, .longest_piece = 3});
    EXPECT_GT(s.long_row.size(), 10U);
    for (const SlicedEll::Slice& slice : s.slice) {
        EXPECT_LE(slice.steps, 3U);
        EXPECT_TRUE(std::has_single_bit(slice.lanes) && slice.lanes <= SlicedEll::kWidth);
    }
    for (const SlicedEll::LongRow& row : s.long_row) {
        EXPECT_GT(s.row_count[row.row], 3 * SlicedEll::kWidth);
        std::uint32_t steps = 0;
        for (std::uint32_t p = 0; p < row.pieces; ++p) {
            EXPECT_EQ(s.slice[row.first_slice + p].row, row.row);
            EXPECT_EQ(s.slice[row.first_slice + p].begin, s.slice[row.first_slice].begin + steps);
            steps += s.slice[row.first_slice + p].steps;
        }
        EXPECT_EQ(steps, (s.row_count[row.row] + 31) / 32);
    }
    // Sorting leaves little to fill up: the rows of one or two steps.
    EXPECT_LT(static_cast<double>(s.value.size()), 1.1 * static_cast<double>(a.nonzeros()));
    // Windows keep their rows.
    const SlicedEll windows = to_sliced_ell(a, {.window = 64, .depth = 0, .longest_piece = 0});
    for (std::uint32_t t = 0; t < 1200; ++t) EXPECT_EQ(windows.permutation[t] / 64, t / 64);
}

TEST(ComplexBlocks, GoThereAndBack) {
    for (const std::uint32_t n : {1U, 2U, 3U, 50U, 51U}) {
        const CompressedRows a = hermitian_matrix(n, n + 7);
        EXPECT_EQ(to_compressed_rows(to_complex_blocks(a, 0)), a);
        EXPECT_EQ(why_no_complex_blocks(a, 0), "");
    }
}

TEST(SlicedEll, HoldsComplexBlocks) {
    const ComplexBlocks b = to_complex_blocks(hermitian_matrix(203, 6));
    for (const SlicedOptions& shape : kShapes) {
        const SlicedEll s = to_sliced_ell(b, shape);
        EXPECT_TRUE(s.long_row.empty());
        ASSERT_EQ(s.rows, b.block_rows());
        ASSERT_EQ(s.value.size(), 2 * s.column.size());
        std::size_t seen = 0;
        for (std::size_t k = 0; k < s.slice.size(); ++k) {
            const std::uint32_t end = k + 1 < s.slice.size() ? s.slice[k + 1].row : s.rows;
            for (std::uint32_t t = s.slice[k].row; t < end; ++t)
                for (std::uint32_t e = 0; e < s.slice[k].steps * s.slice[k].lanes; ++e) {
                    const std::size_t place = sliced_place(s.slice[k], t, e), from = b.row_begin[s.permutation[t]] + e;
                    const bool there = e < s.row_count[t];
                    EXPECT_EQ(s.value[2 * place], there ? b.value[2 * from] : 0);
                    EXPECT_EQ(s.value[2 * place + 1], there ? b.value[2 * from + 1] : 0);
                    EXPECT_TRUE(!there || s.column[place] == b.column[from]);
                    seen += there ? 1 : 0;
                }
        }
        EXPECT_EQ(seen, b.column.size());
    }
}

TEST(ComplexBlocks, RoundingIsTakenUpToTheToleranceAndStaysHermitian) {
    const CompressedRows near = hermitian_matrix(50, 3, 1e-14), far = hermitian_matrix(50, 3, 1e-9);
    EXPECT_EQ(why_no_complex_blocks(near), "");
    EXPECT_NE(why_no_complex_blocks(near, 0), "");
    EXPECT_NE(why_no_complex_blocks(far), "");
    const ComplexBlocks b = to_complex_blocks(near);
    for (std::uint32_t i = 0; i < b.block_rows(); ++i)
        for (std::uint32_t k = b.row_begin[i]; k < b.row_begin[i + 1]; ++k)
            EXPECT_TRUE(b.column[k] != i || b.value[2 * k + 1] == 0);
    const CompressedRows back = to_compressed_rows(b);
    ASSERT_EQ(back.nonzeros(), near.nonzeros());
    for (std::size_t k = 0; k < back.nonzeros(); ++k) EXPECT_NEAR(back.value()[k], near.value()[k], 1e-13);
}

TEST(ComplexBlocks, RefusesOthersInOneLine) {
    const auto why = [](const CompressedRows& a) {
        try {
            static_cast<void>(to_complex_blocks(a));
        } catch (const InvalidInput& e) {
            EXPECT_EQ(std::string(e.what()).find('\n'), std::string::npos);
            return std::string(e.what());
        }
        return std::string("taken");
    };
    EXPECT_NE(why(CompressedRows({0, 1, 2, 3}, {0, 1, 2}, {1, 1, 1})).find("3 rows"), std::string::npos);
    // a_11 differs; the sign of y is wrong; y has no partner; an entry without a diagonal to measure it by.
    EXPECT_NE(why(CompressedRows({0, 1, 2}, {0, 1}, {1, 2})).find("rows 0 and 1"), std::string::npos);
    EXPECT_NE(why(CompressedRows({0, 2, 4}, {0, 1, 0, 1}, {1, 0.5, 0.5, 1})), "taken");
    EXPECT_NE(why(CompressedRows({0, 2, 3}, {0, 1, 1}, {1, 0.5, 1})), "taken");
    EXPECT_NE(why(CompressedRows({0, 1, 1}, {1}, {1e-30})), "taken");
    EXPECT_EQ(why(CompressedRows({0, 2, 4}, {0, 1, 0, 1}, {1, -0.5, 0.5, 1})), "taken");
    // The line names the place, where it is not the first block.
    EXPECT_NE(why(CompressedRows({0, 1, 2, 3, 4}, {0, 1, 2, 3}, {1, 1, 1, 3})).find("columns 2 and 3"),
              std::string::npos);
}

TEST(ComplexBlocks, AreReportedAndChosenByBytes) {
    const CompressedRows a = hermitian_matrix(300, 5);
    const auto reports = report_formats(a, 8);
    ASSERT_EQ(reports.size(), 10U);
    const ComplexBlocks b = to_complex_blocks(a);
    EXPECT_EQ(reports[8].format, SparseFormat::complex2);
    EXPECT_EQ(reports[8].stored, b.value.size());
    EXPECT_EQ(reports[8].matrix_bytes, 8 * b.value.size() + 4 * b.column.size() + 4 * b.row_begin.size());
    EXPECT_EQ(reports[9].format, SparseFormat::complex_sell);
    EXPECT_EQ(to_string(reports[8].format), "complex 2x2");
    EXPECT_EQ(to_string(reports[9].format), "complex SELL");
    EXPECT_EQ(reports[9].stored, to_sliced_ell(b, kPlainSell).value.size());
    EXPECT_EQ(choose_format(a, 8).format, SparseFormat::complex2);
    EXPECT_EQ(choose_format(a, 4).format, SparseFormat::complex2);
}

} // namespace
} // namespace mantissa
