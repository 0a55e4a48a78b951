// Explicit SIMD products: the scalar twin's bits where every sum is exact or has the same order, the order of the
// header elsewhere, and nothing that threads change. CTest runs it once for each instruction set.
#include <bit>
#include <cmath>
#include <cstring>
#include <random>

#include <gtest/gtest.h>

#include "mantissa/format.hpp"
#include "mantissa/sparse/reference.hpp"
#include "mantissa/sparse/simd_product.hpp"

namespace mantissa {
namespace {

constexpr SparseFormat kFormats[] = {SparseFormat::crs, SparseFormat::bcrs2, SparseFormat::bcrs4, SparseFormat::sell,
                                     SparseFormat::complex2};

/// Blocks [[x, -y], [y, x]], rows of 0 to 40 blocks; multiples of 1/8 below 2 where `dyadic`.
CompressedRows matrix(std::uint32_t blocks, unsigned seed, bool dyadic) {
    std::mt19937 random(seed);
    const auto number = [&] {
        const double sign = random() % 2 == 0 ? 1 : -1;
        return sign *
               (dyadic ? static_cast<double>(1 + random() % 15) / 8 : std::generate_canonical<double, 53>(random));
    };
    std::vector<std::uint64_t> begin = {0};
    std::vector<std::uint32_t> column;
    std::vector<double> value;
    for (std::uint32_t i = 0; i < blocks; ++i) {
        const double share = static_cast<double>(random() % 41) / blocks;
        std::vector<std::uint32_t> columns;
        std::vector<double> re, im;
        for (std::uint32_t j = 0; j < blocks; ++j)
            if (std::generate_canonical<double, 32>(random) < share) {
                columns.push_back(j);
                re.push_back(number());
                im.push_back(number());
            }
        for (int row = 0; row < 2; ++row) {
            for (std::size_t k = 0; k < columns.size(); ++k) {
                column.insert(column.end(), {2 * columns[k], 2 * columns[k] + 1});
                if (row == 0) value.insert(value.end(), {re[k], -im[k]});
                else value.insert(value.end(), {im[k], re[k]});
            }
            begin.push_back(value.size());
        }
    }
    return {std::move(begin), std::move(column), std::move(value)};
}

template <class T> std::vector<T> numbers(std::size_t n, std::size_t padded, bool dyadic) {
    std::mt19937 random(7);
    std::vector<T> x(padded, T(0));
    for (std::size_t i = 0; i < n; ++i)
        x[i] = dyadic ? static_cast<T>(static_cast<int>(random() % 31) - 15) / T(8)
                      : static_cast<T>(std::generate_canonical<double, 53>(random) - 0.5);
    return x;
}

template <class T>
std::vector<T> product(const CompressedRows& a, SparseFormat format, ProductCode code, int threads, bool dyadic) {
    const SimdProduct<T> p(a, format, code, threads);
    std::vector<T> y(p.padded_rows(), T(77));
    p.apply(numbers<T>(a.rows(), p.padded_rows(), dyadic), y);
    y.resize(a.rows());
    return y;
}

template <class T> void expect_bits(const std::vector<T>& a, const std::vector<T>& b, const std::string& what) {
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t i = 0; i < a.size(); ++i)
        ASSERT_EQ(0, std::memcmp(&a[i], &b[i], sizeof(T))) << what << ", row " << i << ": " << a[i] << ", " << b[i];
}

template <class T> class SimdProducts : public ::testing::Test {};
using Numbers = ::testing::Types<float, double>;
TYPED_TEST_SUITE(SimdProducts, Numbers);

TYPED_TEST(SimdProducts, ExactSumsHaveOneAnswer) {
    using T = TypeParam;
    for (const std::uint32_t blocks : {1U, 2U, 3U, 7U, 33U, 64U, 150U}) {
        const CompressedRows a = matrix(blocks, blocks, true);
        std::vector<T> expected(a.rows());
        reference_product<T>(a, numbers<T>(a.rows(), a.rows(), true), expected);
        for (const SparseFormat format : kFormats)
            for (const ProductCode code : {ProductCode::scalar, ProductCode::simd})
                for (const int threads : {1, 3}) {
                    const auto y = product<T>(a, format, code, threads, true);
                    for (std::size_t i = 0; i < y.size(); ++i)
                        ASSERT_EQ(y[i], expected[i]) << to_string(format) << ", row " << i << " of " << blocks;
                }
    }
}

TYPED_TEST(SimdProducts, ThreadsChangeNoBit) {
    using T = TypeParam;
    const CompressedRows a = matrix(211, 5, false);
    for (const SparseFormat format : kFormats)
        for (const int threads : {2, 3, 8, 300})
            expect_bits(product<T>(a, format, ProductCode::simd, threads, false),
                        product<T>(a, format, ProductCode::simd, 1, false), to_string(format));
}

TYPED_TEST(SimdProducts, SlicesKeepTheOrderOfTheEntries) {
    using T = TypeParam;
    const CompressedRows a = matrix(211, 6, false);
    std::vector<T> expected(a.rows());
    reference_product<T>(a, numbers<T>(a.rows(), a.rows(), false), expected);
    expect_bits(product<T>(a, SparseFormat::sell, ProductCode::simd, 1, false), expected, "SIMD");
    expect_bits(product<T>(a, SparseFormat::sell, ProductCode::scalar, 1, false), expected, "scalar");
    expect_bits(product<T>(a, SparseFormat::crs, ProductCode::scalar, 1, false), expected, "CRS, scalar");
}

/// Partial sums closed by halving.
template <class T> T halved(std::vector<T> sum) {
    for (std::size_t half = sum.size() / 2; half > 0; half /= 2)
        for (std::size_t l = 0; l < half; ++l) sum[l] += sum[l + half];
    return sum[0];
}

TYPED_TEST(SimdProducts, OrdersAreThoseOfTheHeader) {
    using T = TypeParam;
    const CompressedRows a = matrix(97, 8, false);
    const std::vector<T> x = numbers<T>(a.rows(), a.rows() + 4, false);
    std::vector<T> crs, bcrs2, complex;
    constexpr std::size_t kApart = 4;
    for (std::size_t i = 0; i < a.rows(); ++i) {
        std::vector<T> lanes(64 / sizeof(T)), first(kApart), second(kApart), re_x(4), im_other(4);
        const std::uint64_t begin = a.row_begin()[i];
        for (std::uint64_t k = begin; k < a.row_begin()[i + 1]; ++k) {
            const T v = static_cast<T>(a.value()[k]), part = x[a.column()[k]];
            const std::uint64_t block = (k - begin) / 2;
            lanes[(k - begin) % lanes.size()] += v * part;
            (a.column()[k] % 2 == 0 ? first : second)[block % kApart] += v * part;
            if (a.column()[k] % 2 == i % 2) re_x[block % 4] += v * part;
            else im_other[block % 4] += std::abs(v) * (std::signbit(v) == (i % 2 == 0) ? part : -part);
        }
        crs.push_back(halved(lanes));
        bcrs2.push_back(halved(first) + halved(second));
        complex.push_back(i % 2 == 0 ? halved(re_x) - halved(im_other) : halved(re_x) + halved(im_other));
    }
    expect_bits(product<T>(a, SparseFormat::crs, ProductCode::simd, 1, false), crs, "CRS");
    expect_bits(product<T>(a, SparseFormat::bcrs2, ProductCode::simd, 1, false), bcrs2, "BCRS 2x2");
    expect_bits(product<T>(a, SparseFormat::complex2, ProductCode::simd, 1, false), complex, "complex");
    const Bcrs four = to_bcrs(a, 4);
    std::vector<T> bcrs4;
    for (std::size_t i = 0; i < a.rows(); ++i) {
        std::vector<T> sum(4);
        for (std::size_t k = four.row_begin[i / 4]; k < four.row_begin[i / 4 + 1]; ++k)
            for (std::size_t c = 0; c < 4; ++c)
                sum[c] += static_cast<T>(four.value[16 * k + 4 * (i % 4) + c]) * x[4 * std::size_t{four.column[k]} + c];
        bcrs4.push_back(halved(sum));
    }
    expect_bits(product<T>(a, SparseFormat::bcrs4, ProductCode::simd, 1, false), bcrs4, "BCRS 4x4");
}

TEST(SimdProduct, RefusesInOneLine) {
    const CompressedRows a = matrix(3, 1, false);
    EXPECT_THROW(SimdProduct<double>(a, SparseFormat::jds), InvalidInput);
    const SimdProduct<double> p(a, SparseFormat::crs);
    std::vector<double> x(5), y(6);
    EXPECT_THROW(p.apply(x, y), InvalidInput);
}

} // namespace
} // namespace mantissa
