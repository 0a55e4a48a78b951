#include <cmath>

#include <gtest/gtest.h>

#include "dense.hpp"
#include "expect_invalid.hpp"
#include "mantissa/host/problem.hpp"
#include "mantissa/host/residual.hpp"
#include "mantissa/host/scaling.hpp"

namespace {

using namespace mantissa;

TEST(JacobiScaling, UnitDiagonalSymmetricAndTheWayBack) {
    for (const char* text : {"poisson2d:level=3", "diffusion2d:level=3,field=smooth", "diffusion2d:level=3,field=jump",
                             "poisson3d:level=2"}) {
        const Problem p = make_problem(text);
        const ScaledProblem s = jacobi_scaled(p);
        EXPECT_EQ(s.problem.system.kind(), p.system.kind());
        const Dense a = dense(p.system), scaled = dense(s.problem.system);
        for (std::size_t i = 0; i < p.system.size(); ++i) {
            EXPECT_EQ(scaled[i][i] == 0, a[i][i] == 0) << text;
            if (a[i][i] != 0) {
                EXPECT_NEAR(scaled[i][i], 1.0, 3e-16);
            }
            EXPECT_DOUBLE_EQ(s.problem.b[i], p.b[i] * s.at(i));
            if (p.exact) {
                EXPECT_DOUBLE_EQ(s.problem.exact(i) * s.at(i), p.exact(i));
            }
            for (std::size_t j = 0; j < p.system.size(); ++j) {
                EXPECT_NEAR(scaled[i][j], a[i][j] * s.at(i) * s.at(j), 1e-15);
                if (p.system.kind() != System::Kind::stencil) {
                    EXPECT_EQ(scaled[i][j], scaled[j][i]);
                }
            }
        }
        // y solves the scaled system as well as u = D^-1/2 y solves the first: the defects map by D^-1/2 too.
        std::vector<double> y(p.system.size());
        for (std::size_t i = 0; i < y.size(); ++i) y[i] = a[i][i] != 0 ? std::sin(static_cast<double>(i)) : 0.0;
        std::vector<double> u = y, d(y.size()), e(y.size());
        s.map_back(u);
        defect(p.system, u, p.b, d, 1);
        defect(s.problem.system, y, s.problem.b, e, 1);
        for (std::size_t i = 0; i < y.size(); ++i) EXPECT_NEAR(e[i], d[i] * s.at(i), 1e-14) << text << ' ' << i;
    }
}

// Symmetric bands stay of their kind: couplings as those of nine bands, to the bit, row sums formed anew.
TEST(JacobiScaling, SymmetricBandsStaySymmetricBands) {
    for (const char* text : {"diffusion2d:level=4,field=smooth", "diffusion2d:level=4,field=jump"}) {
        const Problem nine = make_problem(text);
        Problem p = nine;
        p.system = SymmetricBands::from(std::get<Bands>(nine.system.matrix()));
        const ScaledProblem want = jacobi_scaled(nine), got = jacobi_scaled(p);
        ASSERT_EQ(got.problem.system.kind(), System::Kind::symmetric);
        const Dense a = dense(want.problem.system), b = dense(got.problem.system);
        for (std::size_t i = 0; i < p.system.size(); ++i)
            for (std::size_t j = 0; j < p.system.size(); ++j) {
                EXPECT_NEAR(b[i][j], a[i][j], 2e-15) << text;
                EXPECT_EQ(b[i][j], b[j][i]) << text;
            }
        // The defects of the scaled systems are the same function.
        std::vector<double> y(p.system.size()), d(y.size()), e(y.size());
        for (std::size_t i = 0; i < y.size(); ++i) y[i] = std::sin(static_cast<double>(i));
        defect(want.problem.system, y, want.problem.b, d, 1);
        defect(got.problem.system, y, got.problem.b, e, 1);
        for (std::size_t i = 0; i < y.size(); ++i) EXPECT_NEAR(e[i], d[i], 1e-14) << text << ' ' << i;
    }
}

const CompressedRows& rows_of(const Problem& p) {
    return std::get<CompressedRows>(p.system.matrix());
}

// At the ends of double precision the scaled matrix is the one of the middle, to the bit.
TEST(JacobiScaling, EntriesAtTheEndsOfDoublePrecision) {
    const Problem middle{"middle", CompressedRows({0, 2, 4}, {0, 1, 0, 1}, {3.1, -1.7, -1.7, 5.3}), {0.3, -0.7}, {}};
    const ScaledProblem want = jacobi_scaled(middle);
    EXPECT_EQ(want.shift, 0);
    // Powers of D: the diagonal takes them twice, so that its roots are exact.
    const std::pair<int, int> powers[] = {{510, 510}, {-510, -510}, {505, -500}, {-510, 500}};
    for (const auto& [x, y] : powers) {
        Problem p = middle;
        p.name = "ends";
        const int e[] = {2 * x, x + y, x + y, 2 * y};
        std::vector<double> value = rows_of(p).value();
        for (std::size_t k = 0; k < 4; ++k) value[k] = std::ldexp(value[k], e[k]);
        p.system = rows_of(p).with_values(value);
        p.b = {std::ldexp(p.b[0], x), std::ldexp(p.b[1], y)};
        const ScaledProblem got = jacobi_scaled(p);
        EXPECT_EQ(rows_of(got.problem).value(), rows_of(want.problem).value()) << x << ' ' << y;
        EXPECT_EQ(got.problem.b, want.problem.b);
        EXPECT_EQ(got.shift, 0);
    }
}

TEST(JacobiScaling, RightHandSidesBeyondTheRangeAreShifted) {
    Problem p{"far", CompressedRows({0, 1, 2}, {0, 1}, {0x1p-900, 0x1p-902}), {0x1.8p800, 0x1p800}, {}};
    const ScaledProblem s = jacobi_scaled(p); // scales 2^450 and 2^451
    EXPECT_EQ(s.shift, 1251);
    EXPECT_EQ(s.problem.b, (std::vector<double>{0x1.8p-1, 1.0}));
    std::vector<double> y = {0x1p-1000, 0.0};
    s.map_back(y);
    EXPECT_EQ(y[0], 0x1p701);
    y = {1.0, 1.0};
    s.map_back(y);
    EXPECT_TRUE(std::isinf(y[0]));
    const auto range = range_scaled(p, 2);
    ASSERT_TRUE(range.has_value());
    EXPECT_EQ(range->shift, 800);
    p.b = {1, 1};
    EXPECT_FALSE(range_scaled(p, 2).has_value());
    p.b = {0, 0};
    EXPECT_FALSE(range_scaled(p, 2).has_value());
    p.b = {1, std::nan("")};
    expect_invalid([&] { range_scaled(p, 2); }, "right-hand side element 2 is nan");
    expect_invalid([&] { jacobi_scaled(p); }, "right-hand side element 2 is nan");
}

TEST(JacobiScaling, TheGivenDefectsNormFromTheScaledOne) {
    const Problem p = make_problem("diffusion2d:level=3,field=jump");
    const ScaledProblem s = jacobi_scaled(p);
    std::vector<double> y(p.system.size()), d(y.size()), e(y.size());
    for (std::size_t i = 0; i < y.size(); ++i) y[i] = s.problem.b[i] != 0 ? std::cos(static_cast<double>(i)) : 0.0;
    std::vector<double> u = y;
    s.map_back(u);
    defect(p.system, u, p.b, d, 1);
    defect(s.problem.system, y, s.problem.b, e, 1);
    EXPECT_NEAR(s.norm_as_given(e, 1) / norm2(d, 1), 1, 1e-12);
}

TEST(JacobiScaling, EntriesThatNoDefiniteMatrixHasAreRefused) {
    Problem p{"wild", CompressedRows({0, 2, 4}, {0, 1, 0, 1}, {1e-300, 1e100, 1e100, 1e-300}), {1, 1}, {}};
    expect_invalid([&] { jacobi_scaled(p); }, "problem 'wild': entry (1, 2)");
}

TEST(JacobiScaling, NegativeDiagonalIsRefused) {
    const Problem p{"broken", CompressedRows({0, 1, 2}, {0, 1}, {1.0, -2.0}), {1, 1}, {}};
    expect_invalid([&] { jacobi_scaled(p); }, "problem 'broken': diagonal entry 2 is -2");
}

} // namespace
