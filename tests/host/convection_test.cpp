// Convection-diffusion problems, and matrices that are not symmetric at the doors that need one that is.
#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "dense.hpp"
#include "expect_invalid.hpp"
#include "mantissa/engine.hpp"
#include "mantissa/host/advise.hpp"
#include "mantissa/host/options.hpp"
#include "mantissa/host/problem.hpp"
#include "mantissa/host/residual.hpp"
#include "mantissa/symmetry.hpp"

namespace {

using namespace mantissa;

double bump(double t) {
    return 4 * t * (1 - t);
}
double slope(double t) {
    return 4 * (1 - 2 * t);
}

/// Central differences are exact on u, of second degree along each axis, so b is h^2 times the differential operator.
TEST(Convection, CentralDifferencesGiveTheOperatorOnTheKnownSolution) {
    for (const char* wind : {"constant", "recirculating"}) {
        const Problem p = make_problem(std::string("convection2d:n=9,peclet=40,difference=central,wind=") + wind);
        ASSERT_EQ(p.system.size(), 81u);
        const double h = 0.1;
        for (std::size_t i = 0; i < 81; ++i) {
            const double x = h * static_cast<double>(i % 9 + 1), y = h * static_cast<double>(i / 9 + 1);
            const double across = 2 * x - 1, up = 2 * y - 1;
            const bool turns = std::string(wind) == "recirculating";
            const double wx = turns ? up * (1 - across * across) : 0.8, wy = turns ? -across * (1 - up * up) : 0.6;
            const double laplace = -8 * bump(y) - 8 * bump(x);
            const double f = -laplace + 40 * (wx * slope(x) * bump(y) + wy * bump(x) * slope(y));
            EXPECT_NEAR(p.b[i], h * h * f, 1e-13) << wind << ' ' << i;
            EXPECT_NEAR(p.exact(i), bump(x) * bump(y), 1e-15);
        }
    }
    const Problem cube = make_problem("convection3d:n=3,peclet=12,difference=central");
    const double q = 0.25;
    for (std::size_t i = 0; i < 27; ++i) {
        const double x = q * static_cast<double>(i % 3 + 1), y = q * static_cast<double>(i / 3 % 3 + 1),
                     z = q * static_cast<double>(i / 9 + 1);
        const double f =
            8 * (bump(y) * bump(z) + bump(x) * bump(z) + bump(x) * bump(y)) +
            4 * (2 * slope(x) * bump(y) * bump(z) + bump(x) * slope(y) * bump(z) + 2 * bump(x) * bump(y) * slope(z));
        EXPECT_NEAR(cube.b[i], q * q * f, 1e-13) << i;
    }
}

TEST(Convection, UpwindDifferencesTakeTheNodeThatTheWindComesFrom) {
    const Problem p = make_problem("convection2d:n=4,peclet=50");
    const double h = 0.2, cx = 50 * h * 0.8, cy = 50 * h * 0.6;
    const Dense a = dense(p.system);
    EXPECT_NEAR(a[5][5], 4 + cx + cy, 1e-14);
    EXPECT_NEAR(a[5][4], -1 - cx, 1e-14);
    EXPECT_EQ(a[5][6], -1.0);
    EXPECT_NEAR(a[5][1], -1 - cy, 1e-14);
    EXPECT_EQ(a[5][9], -1.0);
    // Weakly diagonally dominant rows of an M-matrix whatever the Peclet number; the solution is the known one.
    const Problem fast = make_problem("convection3d:n=5,peclet=1e6,wind=recirculating");
    const Dense m = dense(fast.system);
    std::vector<double> u(m.size());
    for (std::size_t i = 0; i < m.size(); ++i) {
        double off = 0;
        for (std::size_t j = 0; j < m.size(); ++j) {
            if (i != j) {
                EXPECT_LE(m[i][j], 0.0);
                off -= m[i][j];
            }
        }
        EXPECT_LE(off, m[i][i] * (1 + 1e-15));
        u[i] = fast.exact(i);
    }
    EXPECT_LT(relative_residual(fast.system, u, fast.b, 1), 1e-15);
}

TEST(Convection, TextsAndWhetherTheMatrixIsSymmetric) {
    const Problem p = make_problem("convection2d:level=3,peclet=0.5,wind=recirculating");
    EXPECT_EQ(p.name, "convection2d:n=7,peclet=0.5,difference=upwind,wind=recirculating");
    EXPECT_FALSE(p.symmetric);
    EXPECT_TRUE(make_problem("convection2d:n=1").symmetric); // one unknown
    EXPECT_TRUE(make_problem("convection2d:n=9,peclet=0").symmetric);
    EXPECT_EQ(make_problem("convection3d:level=2,peclet=0").system, make_problem("poisson3d:level=2").system);
    EXPECT_TRUE(make_problem("poisson3d:level=2").symmetric);
    EXPECT_TRUE(make_problem("diffusion2d:level=3").symmetric);
    for (const char* text : {"poisson2d:level=3,anisotropy=8", "diffusion2d:level=3", "poisson3d:level=2"})
        EXPECT_FALSE(asymmetry(make_problem(text).system)) << text;
    const Problem random = make_problem("convection2d:n=4,rhs=random");
    EXPECT_EQ(random.name, "convection2d:n=4,peclet=100,difference=upwind,wind=constant,rhs=random,seed=1");
    EXPECT_FALSE(random.exact);
    EXPECT_NE(random.b, make_problem("convection2d:n=4,rhs=random,seed=2").b);
    expect_invalid([] { make_problem("convection2d:n=4,rhs=ones"); }, "rhs=ones must be known or random");
    expect_invalid([] { make_problem("convection2d:peclet=3"); }, "level= is missing");
    expect_invalid([] { make_problem("convection3d:level=9"); }, "level=9 must be a whole number in 1..8");
    expect_invalid([] { make_problem("convection2d:n=4,difference=up"); }, "difference=up must be upwind or central");
    expect_invalid([] { make_problem("convection2d:n=4,wind=east"); }, "wind=east must be constant or recirculating");
    expect_invalid([] { make_problem("convection2d:n=4,peclet=1e12"); },
                   "peclet=1e12 must be a number from 0 to 1000000000");
    expect_invalid([] { make_problem("convection2d:n=4,level=2"); }, "level= does not go beside n=");
}

/// Every kind of matrix, with one coefficient changed.
TEST(Symmetry, IsAskedOfEveryKind) {
    const std::array<double, kBands> even{-1, -2, -3, -4, 24, -4, -3, -2, -1};
    std::array<double, kBands> odd = even;
    odd[5] = -5;
    EXPECT_FALSE(asymmetry(System(Stencil(5, 5, even))));
    EXPECT_EQ(asymmetry(System(Stencil(5, 5, odd))), (std::pair<std::size_t, std::size_t>(6, 7)));
    EXPECT_FALSE(asymmetry(System(Stencil(3, 3, odd)))); // one node inside couples to nothing
    Bands::Array bands;
    for (auto& band : bands) band.assign(9, 0.0);
    bands[5][0] = bands[3][1] = -1;
    EXPECT_FALSE(asymmetry(System(Bands(3, bands))));
    bands[3][1] = -0.5;
    EXPECT_EQ(asymmetry(System(Bands(3, bands))), (std::pair<std::size_t, std::size_t>(0, 1)));
    // An entry that is stored as zero is none.
    EXPECT_FALSE(asymmetry(CompressedRows({0, 2, 3}, {0, 1, 1}, {1, 0, 1})));
}

TEST(Symmetry, WhatNeedsItRefusesInOneLine) {
    const Problem p = make_problem("convection2d:n=4");
    const auto engine = make_emulated_engine();
    const std::string line =
        "the matrix of convection2d:n=4,peclet=100,difference=upwind,wind=constant is not symmetric "
        "(entries (1, 2) and (2, 1) differ) and CG needs a symmetric positive definite one; take the recurrence "
        "bicgstab or gmres in a solve on engine emulated, or in double on gpu";
    for (const options::SchemeAxes& s : options::schemes()) {
        SolveOptions o;
        set_scheme(o, s.name);
        if (takes_any_matrix(iterated(o))) continue;
        o.spec = DatapathSpec(formats::kDouble);
        EXPECT_TRUE(options::refusal(o, p).ends_with(" " + std::string(s.name) + ": " + line));
        EXPECT_TRUE(options::refusal(o, make_problem("poisson2d:level=2")).empty());
        expect_invalid([&] { solve(p, *engine, o); }, line);
    }
    SolveOptions cycles;
    cycles.preconditioner = CycleSpec{};
    cycles.scheme = Scheme::inexact_pcg;
    expect_invalid([&] { solve(p, *engine, cycles); }, "preconditioner multilevel: " + line);
    expect_invalid([&] { advise(p, {}); }, "advise: " + line);
}

} // namespace
