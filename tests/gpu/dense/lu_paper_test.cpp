// The paper's unblocked algorithms: the bytes that they move, Lemma 4.1, pivots, and Gauss-Jordan.
#include "mantissa/gpu/lu_paper.hpp"

#include <cmath>
#include <limits>
#include <random>
#include <string>

#include "device_test.hpp"
#include "mantissa/format.hpp"
#include "mantissa/gpu/gauss_jordan.hpp"
#include "mantissa/lu/factor.hpp"

namespace mantissa::gpu {
namespace {

using LuPaper = mantissa::testing::DeviceTest;

template <class T> std::vector<T> uniform(std::size_t count, unsigned seed) {
    std::mt19937_64 random(seed);
    std::vector<T> a(count);
    for (T& x : a) x = static_cast<T>(static_cast<double>(random() >> 11) * 0x1p-53 - 0.5);
    return a;
}
template <class T> std::vector<T> dominant(std::size_t n, unsigned seed) {
    std::vector<T> a = uniform<T>(n * n, seed);
    for (std::size_t i = 0; i < n; ++i) a[i * n + i] += static_cast<T>(n);
    return a;
}

template <class T> void expect_ledger(std::size_t n) {
    PaperOptions options;
    options.count = true;
    const std::vector<T> a = dominant<T>(n, 3);
    for (const PaperPivot pivot : {PaperPivot::none, PaperPivot::partial, PaperPivot::full}) {
        options.pivot = pivot;
        const PaperLedger got = paper_lu(a, n, options).ledger, want = paper_lu_ledger(n, sizeof(T));
        for (const PaperPass pass :
             {PaperPass::copy_row, PaperPass::normalize, PaperPass::copy_back, PaperPass::eliminate})
            EXPECT_EQ(count_of(got, pass), count_of(want, pass)) << n << " " << to_string(pass);
        std::uint64_t looked = 0; // by the search, in words
        for (std::size_t k = 0; k < n; ++k)
            looked += pivot == PaperPivot::none ? 0 : pivot == PaperPivot::partial ? n - k : (n - k) * (n - k);
        EXPECT_EQ(count_of(got, PaperPass::search).bytes, looked * sizeof(T));
        if (pivot == PaperPivot::none) {
            EXPECT_EQ(count_of(got, PaperPass::exchange), PaperCount());
        }
    }
    options.pivot = PaperPivot::none;
    for (const std::size_t sides : {1, 3})
        EXPECT_EQ(paper_gauss_jordan(a, uniform<T>(n * sides, 4), n, sides, options).ledger,
                  paper_gauss_jordan_ledger(n, sides, sizeof(T)));
}
TEST_F(LuPaper, MovesTheBytesOfTable1) {
    for (const std::size_t n : {1, 2, 33, 200, 513}) expect_ledger<float>(n);
    expect_ledger<double>(150);
}

/// After the last pass both surfaces hold the whole result, though no pass wrote all of either.
TEST_F(LuPaper, BothSurfacesAreUpToDate) {
    for (const std::size_t n : {1, 2, 7, 64, 301})
        for (const PaperPivot pivot : {PaperPivot::none, PaperPivot::partial, PaperPivot::full}) {
            PaperOptions options;
            options.pivot = pivot;
            const PaperResult<float> r = paper_lu(dominant<float>(n, 9), n, options);
            ASSERT_EQ(r.end, LuEnd::factored);
            EXPECT_EQ(r.values, r.other) << n;
        }
}

TEST_F(LuPaper, GivesTheEmulatedBits) {
    for (const auto& [pivot, name] : {std::pair{PaperPivot::none, "none"}, std::pair{PaperPivot::partial, "partial"},
                                      std::pair{PaperPivot::full, "full"}})
        for (const std::size_t n : {5, 100, 260}) {
            const std::vector<float> a = pivot == PaperPivot::none ? dominant<float>(n, 1) : uniform<float>(n * n, 1);
            const LuFactors want = factor(parse_lu_spec(std::string("lu:float,pivot=") + name),
                                          DenseMatrix(n, std::vector<double>(a.begin(), a.end())), 2);
            PaperOptions options;
            options.pivot = pivot;
            options.multiprocessors = n == 100 ? 8 : 0;
            const PaperResult<float> got = paper_lu(a, n, options);
            ASSERT_EQ(got.end, LuEnd::factored);
            EXPECT_EQ(got.rows, want.rows) << name << " " << n;
            EXPECT_EQ(got.columns, want.columns) << name << " " << n;
            for (std::size_t i = 0; i < n * n; ++i)
                ASSERT_EQ(static_cast<double>(got.values[i]), want.lu.values()[i]) << name << " " << n << " " << i;
        }
}

TEST_F(LuPaper, FaultsHaveAStatusAndAStep) {
    for (const PaperPivot pivot : {PaperPivot::none, PaperPivot::partial, PaperPivot::full}) {
        PaperOptions options;
        options.pivot = pivot;
        const PaperResult<float> ones = paper_lu(std::vector<float>(100, 1.0F), 10, options);
        EXPECT_EQ(ones.end, LuEnd::singular);
        EXPECT_EQ(ones.at, 1U);
        std::vector<float> a = uniform<float>(100, 1);
        a[0] = std::numeric_limits<float>::infinity();
        EXPECT_EQ(paper_lu(a, 10, options).end, LuEnd::not_finite);
    }
    EXPECT_EQ(paper_lu(std::vector<float>(), 0).end, LuEnd::factored);
    EXPECT_THROW(paper_lu(std::vector<float>(5), 2), InvalidInput);
    EXPECT_THROW(paper_gauss_jordan(std::vector<float>(4), std::vector<float>(3), 2, 1), InvalidInput);
    PaperOptions many;
    many.multiprocessors = 100000;
    EXPECT_THROW(paper_lu(std::vector<float>(4), 2, many), InvalidInput);
    EXPECT_EQ(paper_gauss_jordan(std::vector<float>(4), std::vector<float>(2), 2, 1).end, LuEnd::singular);
}

/// The defect of A X = B and of A inverse(A) = I, in units of the largest element of the answer.
template <class T> void expect_solved(std::size_t n, std::size_t sides, double tolerance) {
    const std::vector<T> a = uniform<T>(n * n, static_cast<unsigned>(n)), b = uniform<T>(n * sides, 2);
    const GaussJordanResult<T> r = gauss_jordan(a, b, n, sides, true);
    ASSERT_EQ(r.end, LuEnd::factored) << n;
    ASSERT_EQ(r.at, n);
    double largest = 0, defect = 0;
    for (const T x : r.x) largest = std::max(largest, std::fabs(static_cast<double>(x)));
    for (const T x : r.inverse) largest = std::max(largest, std::fabs(static_cast<double>(x)));
    for (std::size_t i = 0; i < n; ++i) {
        std::vector<double> row(n, 0.0), side(sides, 0.0);
        for (std::size_t j = 0; j < n; ++j) {
            for (std::size_t c = 0; c < n; ++c)
                row[c] += static_cast<double>(a[i * n + j]) * static_cast<double>(r.inverse[j * n + c]);
            for (std::size_t c = 0; c < sides; ++c)
                side[c] += static_cast<double>(a[i * n + j]) * static_cast<double>(r.x[j * sides + c]);
        }
        for (std::size_t c = 0; c < n; ++c) defect = std::max(defect, std::fabs(row[c] - (c == i ? 1.0 : 0.0)));
        for (std::size_t c = 0; c < sides; ++c)
            defect = std::max(defect, std::fabs(side[c] - static_cast<double>(b[i * sides + c])));
    }
    EXPECT_LT(defect, tolerance * largest * static_cast<double>(n)) << n;
}
TEST_F(LuPaper, GaussJordanSolvesAndInverts) {
    for (const std::size_t n : {1, 2, 15, 16, 17, 100, 257, 300}) {
        expect_solved<float>(n, 2, 0x1p-20);
        expect_solved<double>(n, 1, 0x1p-49);
    }
    const std::size_t n = 200;
    const std::vector<double> a = dominant<double>(n, 6), b = uniform<double>(n, 7);
    const std::vector<double> ours = gauss_jordan(a, b, n, 1).x, papers = paper_gauss_jordan(a, b, n, 1).values;
    for (std::size_t i = 0; i < n; ++i) EXPECT_NEAR(ours[i], papers[i], 1e-15);
}
TEST_F(LuPaper, GaussJordanHasAStatus) {
    EXPECT_EQ(gauss_jordan(std::vector<float>(100, 1.0F), std::vector<float>(10), 10, 1).end, LuEnd::singular);
    std::vector<float> a = uniform<float>(400, 1);
    a[17] = std::numeric_limits<float>::quiet_NaN();
    EXPECT_EQ(gauss_jordan(a, std::vector<float>(20), 20, 1).end, LuEnd::not_finite);
    EXPECT_EQ(gauss_jordan(std::vector<float>(), std::vector<float>(), 0, 1).end, LuEnd::factored);
    EXPECT_THROW(gauss_jordan(std::vector<float>(5), std::vector<float>(2), 2, 1), InvalidInput);
    EXPECT_THROW(gauss_jordan(std::vector<float>(4), std::vector<float>(3), 2, 1), InvalidInput);
}

} // namespace
} // namespace mantissa::gpu
