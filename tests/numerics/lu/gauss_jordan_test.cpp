#include "mantissa/lu/gauss_jordan.hpp"

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "form.hpp"
#include "mantissa/accumulate.hpp"
#include "mantissa/errors.hpp"

namespace mantissa {
namespace {

DenseMatrix uniform(std::size_t n, unsigned seed) {
    std::mt19937_64 random(seed);
    DenseMatrix a(n);
    for (std::size_t i = 0; i < n; ++i)
        for (double& x : a.row(i)) x = static_cast<double>(random() >> 11) * 0x1p-53 - 0.5;
    return a;
}

/// The definition of gauss_jordan(), with each operation formed by `form`; the test gives no system that overflows.
template <class Form> class Reference {
public:
    Reference(const LuSpec& spec, const DenseMatrix& a, std::span<const double> b, std::size_t sides, Form form)
        : spec_(spec), form_(form), n_(a.size()), sides_(sides), w_(n_, std::vector<Sum>(n_ + sides)), unknown_(n_) {
        for (std::size_t i = 0; i < n_; ++i) {
            unknown_[i] = i;
            for (std::size_t j = 0; j < n_ + sides; ++j)
                w_[i][j] = entered(form_(Operation::convert, spec.a, j < n_ ? a(i, j) : b[i * sides + j - n_], 0, 0));
        }
    }
    std::vector<double> run() {
        for (std::size_t k = 0; k < n_; ++k) {
            pivot(k);
            const double p = rounded(w_[k][k]);
            const double reciprocal = form_(Operation::div, spec_.u, 1, p, 0);
            std::vector<double> g(n_ + sides_);
            for (std::size_t j = k + 1; j < n_ + sides_; ++j) {
                g[j] = spec_.division == LuDivision::exact
                           ? form_(Operation::div, spec_.u, rounded(w_[k][j]), p, 0)
                           : form_(Operation::mul, spec_.u, rounded(w_[k][j]), reciprocal, 0);
                w_[k][j] = entered(g[j]);
            }
            for (std::size_t i = 0; i < n_; ++i) {
                if (i == k) continue;
                const double l = form_(Operation::convert, spec_.l, rounded(w_[i][k]), 0, 0);
                for (std::size_t j = k + 1; j < n_ + sides_; ++j) subtract(w_[i][j], l, g[j]);
            }
        }
        std::vector<double> x(n_ * sides_);
        for (std::size_t k = 0; k < n_; ++k)
            for (std::size_t j = 0; j < sides_; ++j) x[unknown_[k] * sides_ + j] = rounded(w_[k][n_ + j]);
        return x;
    }

private:
    struct Sum {
        double value = 0;
        FixedAccumulator::Wide units = 0;
        [[nodiscard]] bool larger(const Sum& o, bool fixed) const {
            if (!fixed) return std::fabs(value) > std::fabs(o.value);
            return (units < 0 ? -units : units) > (o.units < 0 ? -o.units : o.units);
        }
    };
    LuSpec spec_;
    Form form_;
    std::size_t n_, sides_;
    std::vector<std::vector<Sum>> w_;
    std::vector<std::size_t> unknown_;

    [[nodiscard]] Sum entered(double v) const {
        bool fits = true;
        if (spec_.fixed) return {0, FixedAccumulator::product_units(spec_.window, v, 1.0, fits)};
        return {form_(Operation::convert, spec_.accumulator, v, 0, 0), 0};
    }
    [[nodiscard]] double rounded(const Sum& s) const {
        if (!spec_.fixed) return form_(Operation::convert, spec_.u, s.value, 0, 0);
        const bool negative = s.units < 0;
        return exact::from_integer(spec_.u, static_cast<exact::detail::u128>(negative ? -s.units : s.units), negative,
                                   spec_.window.lsb);
    }
    void subtract(Sum& s, double l, double g) const {
        bool fits = true;
        if (spec_.fixed) s.units -= FixedAccumulator::product_units(spec_.window, l, g, fits);
        else if (spec_.exact_product) s.value = form_(Operation::fma, spec_.accumulator, -l, g, s.value);
        else
            s.value =
                form_(Operation::sub, spec_.accumulator, s.value, form_(Operation::mul, spec_.product, l, g, 0), 0);
    }
    void pivot(std::size_t k) {
        if (spec_.pivot == LuPivot::none) return;
        std::size_t row = k, column = k;
        for (std::size_t j = k; j < (spec_.pivot == LuPivot::full ? n_ : k + 1); ++j)
            for (std::size_t i = k; i < n_; ++i)
                if (w_[i][j].larger(w_[row][column], spec_.fixed)) {
                    row = i;
                    column = j;
                }
        std::swap(w_[row], w_[k]);
        for (auto& r : w_) std::swap(r[column], r[k]);
        std::swap(unknown_[column], unknown_[k]);
    }
};

void expect_same(const std::vector<double>& got, const std::vector<double>& want, const std::string& what) {
    ASSERT_EQ(got.size(), want.size()) << what;
    for (std::size_t k = 0; k < got.size(); ++k)
        ASSERT_EQ(std::bit_cast<std::uint64_t>(got[k]), std::bit_cast<std::uint64_t>(want[k]))
            << what << " element " << k << ": " << got[k] << " for " << want[k];
}

TEST(GaussJordan, EqualsItsDefinitionAndIsJudgedByMpfr) {
    for (const char* text :
         {"lu:double", "lu:s23e8,pivot=full", "lu:s10e8", "lu:s7e8:rne,div=reciprocal", "lu:s14e8,pivot=none",
          "lu:s10e8,acc=s23e8", "lu:s17e8,l=s12e8,a=s20e8,product=exact", "lu:s10e8,acc=s20e8,product=s14e8",
          "lu:s4e8,acc=s23e8", "lu:s28e11,acc=s36e11", "lu:s10e8,acc=fixed[20:-32],pivot=full",
          "lu:s7e8,acc=fixed[20:-30],div=reciprocal", "lu:s36e11,acc=fixed[13:-50]"}) {
        const LuSpec spec = parse_lu_spec(text);
        for (const std::size_t n : {std::size_t{0}, std::size_t{1}, std::size_t{2}, std::size_t{7}, std::size_t{20}}) {
            const DenseMatrix a = uniform(n, 3U + static_cast<unsigned>(n));
            const DenseMatrix right = uniform(n, 40); // its first three columns
            std::vector<double> b;
            const std::size_t sides = std::min<std::size_t>(n, 3);
            for (std::size_t i = 0; i < n; ++i)
                for (std::size_t j = 0; j < sides; ++j) b.push_back(right(i, j));
            const std::string what = std::string(text) + ", n = " + std::to_string(n);
            const auto judged = Reference(spec, a, b, sides, test::JudgeForm()).run();
            expect_same(Reference(spec, a, b, sides, test::form_exact).run(), judged, what);
            for (const int threads : {1, 3}) {
                const GaussJordanResult r = gauss_jordan(spec, a, b, sides, threads);
                ASSERT_EQ(r.end, LuEnd::factored) << what;
                expect_same(r.x, judged, what);
            }
        }
    }
}

TEST(GaussJordan, TheInverseIsOne) {
    for (const char* text : {"lu:double", "lu:double,pivot=full"}) {
        const DenseMatrix a = uniform(50, 9);
        const GaussJordanResult r = invert(parse_lu_spec(text), a, 2);
        ASSERT_EQ(r.end, LuEnd::factored);
        ASSERT_EQ(r.sides, 50U);
        for (std::size_t i = 0; i < 50; ++i)
            for (std::size_t j = 0; j < 50; ++j) {
                double sum = 0;
                for (std::size_t k = 0; k < 50; ++k) sum += a(i, k) * r.x[k * 50 + j];
                EXPECT_NEAR(sum, i == j ? 1 : 0, 1e-10); // its condition is below 1e5
            }
    }
}

TEST(GaussJordan, FaultsHaveAStatusAndAColumn) {
    DenseMatrix a = uniform(20, 1);
    const std::vector<double> b(20, 1.0);
    for (std::size_t i = 0; i < 20; ++i) a(i, 13) = 0;
    for (const char* text : {"lu:s10e8", "lu:s10e8,acc=fixed[20:-30]"}) {
        const GaussJordanResult r = gauss_jordan(parse_lu_spec(text), a, b, 1);
        EXPECT_EQ(r.end, LuEnd::singular);
        EXPECT_EQ(r.at, 13U);
    }
    a = uniform(20, 1);
    EXPECT_EQ(gauss_jordan(parse_lu_spec("lu:s10e8,acc=fixed[0:-30]"), a, b, 1).end, LuEnd::overflow);
    a(3, 5) = std::numeric_limits<double>::infinity();
    EXPECT_EQ(gauss_jordan(parse_lu_spec("lu:s23e8"), a, b, 1).end, LuEnd::not_finite);
    EXPECT_EQ(gauss_jordan(parse_lu_spec("lu:s23e8"), a, b, 1).at, 5U);
    EXPECT_EQ(gauss_jordan(parse_lu_spec("lu:half,pivot=none"), DenseMatrix(2, {1, 60000, -1, 60000}),
                           std::vector<double>(2, 1.0), 1)
                  .end,
              LuEnd::not_finite);
    EXPECT_THROW((void)gauss_jordan(parse_lu_spec("lu:s23e8,order=crout"), a, b, 1), InvalidInput);
    EXPECT_THROW((void)gauss_jordan(parse_lu_spec("lu:s23e8,pivot=tournament"), a, b, 1), InvalidInput);
    EXPECT_THROW((void)gauss_jordan(parse_lu_spec("lu:s23e8"), a, b, 2), InvalidInput);
}

} // namespace
} // namespace mantissa
