// Solves that stop on the energy of the error.
#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "../expect_invalid.hpp"
#include "mantissa/engine.hpp"
#include "mantissa/host/options.hpp"
#include "mantissa/host/solve.hpp"
#include "mantissa/recurrence/energy.hpp"

namespace {

using mantissa::make_problem;
using mantissa::Scheme;
using mantissa::SolveOptions;
using mantissa::Status;
using mantissa::recurrence::EnergyDrops;

SolveOptions options_of(Scheme scheme, bool in_double, double energy) {
    SolveOptions o;
    o.scheme = scheme;
    if (in_double) o.spec = mantissa::DatapathSpec(mantissa::formats::kDouble);
    o.energy = energy;
    return o;
}

TEST(EnergyDrops, OfAGeometricSequenceKnowTheRest) {
    // Squares fall by q a step: drop_k = q^k (1 - q), and q^l is left of step l on.
    constexpr double kQ = 0.8;
    EnergyDrops drops(0.25);
    for (int k = 0; k < 200; ++k) drops.add(std::pow(kQ, k) * (1 - kQ));
    EXPECT_EQ(drops.steps(), 200U);
    ASSERT_GT(drops.known(), 150U);
    const double left = std::pow(kQ, static_cast<double>(drops.known() - 1));
    EXPECT_LE(drops.square(), left * (1 + 1e-12));
    EXPECT_GE(drops.square(), left * (1 - 0.25));
    EXPECT_NEAR(drops.whole(), 1, 1e-12);
    EXPECT_TRUE(drops.reached(1e-6));
    EXPECT_FALSE(drops.reached(1e-12));
}

TEST(EnergyDrops, WaitOverAPlateau) {
    EnergyDrops drops;
    for (int k = 0; k < 5; ++k) drops.add(1);
    for (int k = 0; k < 50; ++k) drops.add(1e-9); // nothing happens
    drops.add(1);                                 // and then it does
    EXPECT_LE(drops.known(), 6U) << "no bound of the plateau's iterates may have been given";
}

TEST(EnergyDrops, ABeginningAnewKeepsTheWhole) {
    EnergyDrops drops;
    for (int k = 0; k < 50; ++k) drops.add(std::pow(0.5, k));
    const double whole = drops.whole();
    drops.begin_anew();
    EXPECT_EQ(drops.known(), 0U);
    EXPECT_EQ(drops.whole(), whole);
    EXPECT_FALSE(drops.reached(0.5));
}

TEST(GaussRadau, BoundsADiagonalSystem) {
    // CG on diag(1 .. 5), b = 1: its own numbers, and the error's square known in closed form after each step.
    std::vector<double> d{1, 2, 3, 4, 5}, x(5, 0.0), r(5, 1.0), p = r, alpha, rho{5};
    for (int k = 0; k < 3; ++k) {
        double pq = 0, next = 0;
        for (std::size_t i = 0; i < 5; ++i) pq += d[i] * p[i] * p[i];
        alpha.push_back(rho.back() / pq);
        for (std::size_t i = 0; i < 5; ++i) {
            x[i] += alpha.back() * p[i];
            r[i] -= alpha.back() * d[i] * p[i];
            next += r[i] * r[i];
        }
        for (std::size_t i = 0; i < 5; ++i) p[i] = r[i] + next / rho.back() * p[i];
        rho.push_back(next);
        double square = 0;
        for (std::size_t i = 0; i < 5; ++i) square += d[i] * (x[i] - 1 / d[i]) * (x[i] - 1 / d[i]);
        const double near = mantissa::recurrence::gauss_radau(alpha, rho, 0.999999),
                     far = mantissa::recurrence::gauss_radau(alpha, rho, 0.1);
        EXPECT_GE(near, square);
        EXPECT_GE(far, near);
        EXPECT_LE(near, 3 * square);
    }
}

TEST(EnergyStop, EverySchemeThatHasAlphaAndBeta) {
    const auto engine = mantissa::make_emulated_engine();
    const mantissa::Problem problem = make_problem("poisson2d:level=5");
    struct Case {
        const char* scheme;
        bool in_double, jacobi;
    };
    for (const Case& c : {Case{"direct", true, false}, Case{"direct", true, true}, Case{"pipelined", true, false},
                          Case{"chronopoulos-gear", true, false}, Case{"ghysels-vanroose", true, false},
                          Case{"residual-guided", false, false}, Case{"defect-correction", false, false},
                          Case{"inexact-pcg", false, true}}) {
        SolveOptions o = options_of(Scheme::cg, c.in_double, 1e-5);
        mantissa::set_scheme(o, c.scheme);
        o.jacobi = c.jacobi;
        const auto r = solve(problem, *engine, o);
        EXPECT_EQ(r.status, Status::converged) << c.scheme << ": " << r.detail;
        ASSERT_TRUE(r.energy) << c.scheme;
        EXPECT_LE(r.energy->upper, 1e-5);
        SolveOptions longer = o; // it stops on the energy and not long after it
        longer.energy = 1e-9;
        EXPECT_LT(r.inner_iterations, solve(problem, *engine, longer).inner_iterations) << c.scheme;
    }
}

TEST(EnergyStop, AroundMultilevelCycles) {
    SolveOptions o = options_of(Scheme::inexact_pcg, false, 1e-6);
    o.spec = SolveOptions().spec;
    o.preconditioner = mantissa::parse_cycle_spec("v11,w=10");
    const auto r = solve(make_problem("poisson2d:level=6"), *mantissa::make_emulated_engine(), o);
    EXPECT_EQ(r.status, Status::converged) << r.detail;
    ASSERT_TRUE(r.energy);
    EXPECT_LE(r.energy->upper, 1e-6);
}

TEST(EnergyStop, FormatsThatCannotAreNotCalledConverged) {
    const auto r = solve(make_problem("poisson2d:level=5"), *mantissa::make_emulated_engine(),
                         options_of(Scheme::cg, false, 1e-9));
    if (r.status == Status::converged) EXPECT_LE(r.energy->upper, 1e-9);
    else EXPECT_FALSE(r.detail.empty());
}

/// A small eigenvalue whose part of b is small too: the energy stays until the residual has come down to it.
TEST(EnergyStop, GoesOnWhileTheResidualFalls) {
    constexpr std::uint32_t kRows = 20;
    std::vector<std::uint64_t> begin{0};
    std::vector<std::uint32_t> column;
    std::vector<double> diagonal, b(kRows, 1.0);
    for (std::uint32_t i = 0; i < kRows; ++i) {
        diagonal.push_back(i == 0 ? 1e-8 : 0.5 + 0.5 * i);
        column.push_back(i);
        begin.push_back(i + 1);
    }
    b[0] = 1e-6;
    mantissa::Problem problem = make_problem("poisson2d:level=3");
    problem.system = mantissa::System(mantissa::CompressedRows(begin, column, diagonal));
    problem.b = b;
    problem.exact = {};
    for (const char* scheme : {"direct", "pipelined", "chronopoulos-gear"}) {
        SolveOptions o = options_of(Scheme::cg, true, 1e-4);
        mantissa::set_scheme(o, scheme);
        o.keep_solution = true;
        const auto error_of = [&](const std::vector<double>& u) {
            double error = 0, whole = 0;
            for (std::uint32_t i = 0; i < kRows; ++i) {
                const double x = b[i] / diagonal[i];
                error += diagonal[i] * (u[i] - x) * (u[i] - x);
                whole += b[i] * x;
            }
            return std::sqrt(error / whole);
        };
        const auto r = solve(problem, *mantissa::make_emulated_engine(), o);
        EXPECT_EQ(r.status, Status::converged) << scheme << ": " << r.detail;
        EXPECT_LE(error_of(r.u), 1e-4) << scheme;
        // Where the limit ends it, the iterate that it leaves is judged, and not one of before.
        for (o.max_iterations = 10; o.max_iterations < r.inner_iterations; ++o.max_iterations) {
            const auto early = solve(problem, *mantissa::make_emulated_engine(), o);
            ASSERT_TRUE(early.energy);
            const double error = error_of(early.u);
            EXPECT_EQ(early.status == Status::converged, early.energy->upper <= 1e-4);
            if (error < 1e-10) continue;
            EXPECT_LE(early.energy->lower, 1.001 * error) << scheme << ", " << o.max_iterations;
            EXPECT_GE(early.energy->upper, 0.999 * error) << scheme << ", " << o.max_iterations;
        }
    }
}

/// A diagonal matrix, 3 on the diagonal or rising by `rise` a row, and a right-hand side without a pattern.
mantissa::Problem diagonal_problem(std::uint32_t rows, double rise) {
    std::vector<std::uint64_t> begin{0};
    std::vector<std::uint32_t> column;
    std::vector<double> diagonal, b;
    for (std::uint32_t i = 0; i < rows; ++i) {
        diagonal.push_back(3 + rise * i);
        column.push_back(i);
        begin.push_back(i + 1);
        b.push_back(std::sin(1.0 + 7.0 * i));
    }
    mantissa::Problem problem = make_problem("poisson2d:level=3");
    problem.system = mantissa::System(mantissa::CompressedRows(begin, column, diagonal));
    problem.b = b;
    problem.exact = {};
    return problem;
}

/// Where one step is all that there is to do, the next ones are of rounding errors and lead away again, by a flexible
/// beta as far as one likes.
TEST(EnergyStop, EndsWhereAStepLeavesRoundingAlone) {
    for (const char* cycle : {"", "v22,w=double", "v11,w=10"})
        for (const char* scheme : {"flexible", "inexact-pcg"})
            for (const double rise : {0.0, 0.37})
                for (std::uint32_t rows = 1; rows < 24; ++rows)
                    for (const double energy : {1e-3, 1e-8, 1e-12}) {
                        SolveOptions o = options_of(Scheme::cg, true, energy);
                        mantissa::set_scheme(o, scheme);
                        if (*cycle != 0) o.preconditioner = mantissa::parse_cycle_spec(cycle);
                        if (*cycle != 0 && o.scheme == Scheme::inexact_pcg) o.spec = SolveOptions().spec;
                        const auto r = solve(diagonal_problem(rows, rise), *mantissa::make_emulated_engine(), o);
                        ASSERT_EQ(r.status, Status::converged)
                            << scheme << " " << cycle << ", " << rows << " rows, " << rise << ", to " << energy << ": "
                            << r.detail << ", residual " << r.true_residual << ", " << r.inner_iterations;
                        ASSERT_LT(r.true_residual, 2 * energy) << scheme << " " << cycle << ", " << rows << " rows";
                    }
}

TEST(EnergyStop, ZeroRightHandSide) {
    mantissa::Problem problem = make_problem("poisson2d:level=3");
    std::fill(problem.b.begin(), problem.b.end(), 0.0);
    const auto r = solve(problem, *mantissa::make_emulated_engine(), options_of(Scheme::cg, true, 1e-6));
    EXPECT_EQ(r.status, Status::converged) << r.detail;
}

TEST(EnergyStop, RefusesWhatHasNoAlphaAndBeta) {
    const auto refused = [](SolveOptions o, const std::string& part) {
        o.energy = 1e-6;
        EXPECT_NE(mantissa::options::refusal(o).find(part), std::string::npos) << mantissa::options::refusal(o);
    };
    SolveOptions o = options_of(Scheme::jacobi_pcg, true, 1e-6);
    refused(o, "take scheme direct");
    mantissa::set_scheme(o, "gmres");
    refused(o, "GMRES has no alpha");
    o = {};
    o.resident = true;
    refused(o, "resident core keeps");
    o = {};
    o.scheme = Scheme::defect_correction;
    o.recurrence = mantissa::RecurrenceChoice::chebyshev;
    refused(o, "neither cycles nor Chebyshev");
    o.recurrence = mantissa::RecurrenceChoice::pipelined;
    o.middle = {mantissa::formats::kFloat};
    refused(o, "leave middle out");
    o = {};
    mantissa::set_scheme(o, "bicgstab");
    refused(o, "bicgstab has no alpha");
    mantissa::Problem problem = make_problem("poisson2d:level=3");
    problem.guess = problem.b;
    expect_invalid([&] { solve(problem, *mantissa::make_emulated_engine(), options_of(Scheme::cg, true, 1e-6)); },
                   "leave the guess out");
}

} // namespace
