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
        EXPECT_EQ(s.problem.system.kind, p.system.kind);
        const Dense a = dense(p.system), scaled = dense(s.problem.system);
        for (std::size_t i = 0; i < p.system.size; ++i) {
            EXPECT_EQ(scaled[i][i] == 0, a[i][i] == 0) << text;
            if (a[i][i] != 0) {
                EXPECT_NEAR(scaled[i][i], 1.0, 3e-16);
            }
            EXPECT_DOUBLE_EQ(s.problem.b[i], p.b[i] * s.at(i));
            if (p.exact) {
                EXPECT_DOUBLE_EQ(s.problem.exact(i) * s.at(i), p.exact(i));
            }
            for (std::size_t j = 0; j < p.system.size; ++j) {
                EXPECT_NEAR(scaled[i][j], a[i][j] * s.at(i) * s.at(j), 1e-15);
                if (p.system.kind != System::Kind::stencil) {
                    EXPECT_EQ(scaled[i][j], scaled[j][i]);
                }
            }
        }
        // y solves the scaled system as well as u = D^-1/2 y solves the first: the defects map by D^-1/2 too.
        std::vector<double> y(p.system.size);
        for (std::size_t i = 0; i < y.size(); ++i) y[i] = a[i][i] != 0 ? std::sin(static_cast<double>(i)) : 0.0;
        std::vector<double> u = y, d(y.size()), e(y.size());
        s.map_back(u);
        defect(p.system, u, p.b, d, 1);
        defect(s.problem.system, y, s.problem.b, e, 1);
        for (std::size_t i = 0; i < y.size(); ++i) EXPECT_NEAR(e[i], d[i] * s.at(i), 1e-14) << text << ' ' << i;
    }
}

TEST(JacobiScaling, NegativeDiagonalIsRefused) {
    Problem p;
    p.name = "broken";
    p.system = System::from_rows({{0, 1, 2}, {0, 1}, {1.0, -2.0}});
    p.b = {1, 1};
    expect_invalid([&] { jacobi_scaled(p); }, "problem 'broken': diagonal entry 2 is -2");
}

} // namespace
