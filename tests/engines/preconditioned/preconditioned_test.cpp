// Recurrences preconditioned by multilevel cycles: beside the same algorithms on A M, with M made dense column by
// column of a cycle in double, and beside inexact PCG, which has flexible's formulas. The true residual decides at the
// end.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "mantissa/format.hpp"
#include "mantissa/host/options.hpp"
#include "mantissa/host/problem.hpp"
#include "mantissa/host/residual.hpp"
#include "mantissa/host/solve.hpp"
#include "mantissa/multilevel/cycle.hpp"
#include "mantissa/recurrence/gmres.hpp"
#include "mantissa/recurrence/interpreter.hpp"
#include "mantissa/recurrence/library.hpp"

namespace mantissa {
namespace {

using Dense = std::vector<std::vector<double>>; ///< by columns
using recurrence::Interpreter;

SolveOptions by(const char* recurrence, const char* cycle, const char* spec = "double", double tolerance = 1e-9) {
    SolveOptions o;
    o.scheme = Scheme::recurrence;
    o.recurrence = parse_recurrence_choice(recurrence);
    o.preconditioner = parse_cycle_spec(cycle);
    o.spec = parse_spec(spec);
    o.tolerance = tolerance;
    o.keep_solution = true;
    return o;
}

SolveResult solved(const Problem& problem, const SolveOptions& o) {
    const SolveResult r = solve(problem, *make_emulated_engine(), o);
    EXPECT_EQ(r.true_residual, relative_residual(problem.system, r.u, problem.b, 1, 1.001 * o.tolerance));
    return r;
}

/// (A + A^T) / 2, by definition.
CompressedRows symmetric_part(const CompressedRows& a) {
    Dense full(a.rows(), std::vector<double>(a.rows(), 0.0));
    for (std::size_t i = 0; i < a.rows(); ++i)
        for (std::uint64_t k = a.row_begin()[i]; k < a.row_begin()[i + 1]; ++k) full[i][a.column()[k]] = a.value()[k];
    std::vector<std::uint64_t> begin{0};
    std::vector<std::uint32_t> column;
    std::vector<double> value;
    for (std::uint32_t i = 0; i < a.rows(); ++i) {
        for (std::uint32_t j = 0; j < a.rows(); ++j) {
            if (full[i][j] == 0 && full[j][i] == 0) continue;
            column.push_back(j);
            value.push_back((full[i][j] + full[j][i]) / 2);
        }
        begin.push_back(column.size());
    }
    return {std::move(begin), std::move(column), std::move(value)};
}

/// A cycle in double is linear: its columns.
Dense columns_of(Cycle& cycle, std::size_t n) {
    Dense m(n, std::vector<double>(n));
    std::vector<double> unit(n, 0.0);
    for (std::size_t j = 0; j < n; ++j) {
        unit[j] = 1;
        cycle.correct(unit, m[j]);
        unit[j] = 0;
    }
    return m;
}

std::vector<double> times(const CompressedRows& a, const std::vector<double>& x) {
    std::vector<double> y(x.size(), 0.0);
    for (std::size_t i = 0; i < y.size(); ++i)
        for (std::uint64_t k = a.row_begin()[i]; k < a.row_begin()[i + 1]; ++k) y[i] += a.value()[k] * x[a.column()[k]];
    return y;
}

/// A M as rows.
System product(const CompressedRows& a, const Dense& m) {
    const std::size_t n = a.rows();
    Dense am(n);
    for (std::size_t j = 0; j < n; ++j) am[j] = times(a, m[j]);
    std::vector<std::uint64_t> begin{0};
    std::vector<std::uint32_t> column;
    std::vector<double> value;
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j) {
            column.push_back(static_cast<std::uint32_t>(j));
            value.push_back(am[j][i]);
        }
        begin.push_back(column.size());
    }
    return System(CompressedRows(std::move(begin), std::move(column), std::move(value)));
}

double square_of(const std::vector<double>& b) {
    double s = 0;
    for (const double x : b) s += x * x;
    return s;
}

constexpr const char* kCycle = "v11,w=double";

/// Runs on A with the cycle and on A M without one, a step at a time.
template <class Mine, class OnProduct> void compare(Mine& mine, OnProduct& other, int steps, double tolerance) {
    for (int k = 1; k <= steps; ++k) {
        const RunReport a = mine.run({.passes = 1}), b = other.run({.passes = 1});
        ASSERT_EQ(to_string(a.end), to_string(b.end)) << k;
        double got = 0, want = 0;
        if constexpr (requires { mine.rho(); }) got = mine.rho(), want = other.rho();
        else got = mine.square(), want = other.square();
        EXPECT_NEAR(std::sqrt(got / want), 1, tolerance) << k;
    }
}

struct WithCycle {
    Problem problem = make_problem("convection2d:n=15,peclet=20");
    const CompressedRows& a = std::get<CompressedRows>(problem.system.matrix());
    std::shared_ptr<Cycle> cycle = make_cycle(System(symmetric_part(a)), parse_cycle_spec(kCycle), 1);
    Dense m = columns_of(*cycle, a.rows());
    recurrence::Preconditioner preconditioner = [this](std::span<const double> x, std::span<double> out) {
        cycle->correct(x, out);
    };
};

// In exact arithmetic both are the same steps; rounding grows from 1e-16 as the residual falls.
TEST(Preconditioned, BicgstabIsThatOfTheProduct) {
    WithCycle s;
    Interpreter mine(s.problem.system, parse_spec("double"), recurrence::kRightBicgstab, 1, s.preconditioner);
    Interpreter other(product(s.a, s.m), parse_spec("double"), recurrence::kBicgstab);
    mine.start(s.problem.b);
    other.start(s.problem.b);
    compare(mine, other, 6, 1e-6);
    EXPECT_LT(mine.square(), 1e-5 * square_of(s.problem.b)); // it has come somewhere
    std::vector<double> y(s.a.rows()), got(y.size()), want(y.size(), 0.0);
    mine.solution(0, got);
    other.solution(0, y);
    for (std::size_t j = 0; j < y.size(); ++j)
        for (std::size_t i = 0; i < y.size(); ++i) want[i] += s.m[j][i] * y[j];
    for (std::size_t i = 0; i < y.size(); ++i) EXPECT_NEAR(got[i], want[i], 1e-7 * std::sqrt(square_of(want)));
}

TEST(Preconditioned, BicgstabWithoutACycleIsBicgstab) {
    const Problem problem = make_problem("convection2d:n=15,peclet=20");
    Interpreter mine(problem.system, parse_spec("s23e8"), recurrence::kRightBicgstab);
    Interpreter other(problem.system, parse_spec("s23e8"), recurrence::kBicgstab);
    mine.start(problem.b);
    other.start(problem.b);
    std::vector<double> got(problem.b.size()), want(problem.b.size());
    for (int k = 0; k < 30; ++k) {
        ASSERT_EQ(to_string(mine.run({.passes = 1}).end), to_string(other.run({.passes = 1}).end));
        mine.solution(0, got);
        other.solution(0, want);
        ASSERT_EQ(got, want) << k;
    }
}

TEST(Preconditioned, GmresIsThatOfTheProduct) {
    WithCycle s;
    for (const std::size_t restart : {std::size_t{4}, std::size_t{30}}) {
        GmresSolver mine(s.problem.system, parse_spec("double"), restart, 1, GmresPath::fastest, s.preconditioner);
        GmresSolver general(s.problem.system, parse_spec("double"), restart, 1, GmresPath::general, s.preconditioner);
        GmresSolver other(product(s.a, s.m), parse_spec("double"), restart);
        mine.start(s.problem.b);
        general.start(s.problem.b);
        other.start(s.problem.b);
        compare(mine, other, 10, 1e-6);
        EXPECT_LT(mine.rho(), 1e-3 * square_of(s.problem.b));
        static_cast<void>(general.run({.passes = 10}));
        EXPECT_EQ(general.rho(), mine.rho());
        const auto a = mine.solution(), b = general.solution();
        EXPECT_TRUE(std::ranges::equal(a, b));
        std::vector<double> defect = times(s.a, std::vector<double>(a.begin(), a.end()));
        for (std::size_t i = 0; i < defect.size(); ++i) defect[i] = s.problem.b[i] - defect[i];
        EXPECT_NEAR(std::sqrt(square_of(defect) / mine.rho()), 1, 1e-6);
    }
}

// The same formulas in another order of sums: the same counts.
TEST(Preconditioned, FlexibleTakesInexactPcgsSteps) {
    for (const char* name : {"poisson2d:level=6", "diffusion2d:level=5,field=jump,contrast=100", "poisson3d:level=4"})
        for (const char* cycle : {"v11,w=10", "v22,w=double", "v12,w=9,c=9"}) {
            SCOPED_TRACE(std::string(name) + " " + cycle);
            const Problem problem = make_problem(name);
            const SolveResult r = solved(problem, by("flexible", cycle));
            EXPECT_EQ(r.status, Status::converged) << r.detail;
            EXPECT_LT(r.true_residual, 1.001e-9);
            SolveOptions o;
            o.scheme = Scheme::inexact_pcg;
            o.preconditioner = parse_cycle_spec(cycle);
            o.directions = 1; // (as many as the recurrence keeps)
            o.tolerance = 1e-9;
            const SolveResult other = solve(problem, *make_emulated_engine(), o);
            EXPECT_EQ(other.status, Status::converged);
            EXPECT_EQ(r.inner_iterations, other.outer_iterations);
        }
}

// Native loops on rows: the datapath's counts, but for the order of sums; in float rounds from the true residual.
TEST(Preconditioned, NativeLoopsTakeCyclesAndTheDiagonal) {
    for (const char* name : {"poisson3d:level=4", "convection2d:n=31,peclet=20", "generated:kind=thermal,n=900"})
        for (const char* recurrence : {"flexible", "bicgstab"})
            for (const char* m : {"v11,w=10", "v22,w=double", "jacobi"}) {
                const Problem problem = make_problem(name);
                if (!problem.symmetric && std::string(recurrence) == "flexible") continue;
                SCOPED_TRACE(std::string(name) + " " + recurrence + " " + m);
                SolveOptions o = by(recurrence, m == std::string("jacobi") ? kCycle : m);
                o.jacobi = m == std::string("jacobi");
                if (o.jacobi) o.preconditioner.reset();
                const SolveResult want = solved(problem, o);
                o.spec.sum = SumOrder::free;
                const SolveResult got = solved(problem, o);
                EXPECT_EQ(got.status, Status::converged) << got.detail;
                ASSERT_TRUE(got.native.has_value());
                EXPECT_EQ(got.native->plan, NativePlan::processor);
                // (Both stop within an iteration of one another, and bicgstab's rounding spreads it.)
                const auto count = static_cast<double>(want.inner_iterations);
                EXPECT_NEAR(static_cast<double>(got.inner_iterations), count, 1 + 0.15 * count);
                o.spec = parse_spec("float,sum=free");
                const SolveResult single = solved(problem, o);
                EXPECT_EQ(single.status, Status::converged) << single.detail;
                EXPECT_GE(single.outer_iterations, 1U);
            }
}

TEST(Preconditioned, ReachesTheTrueResidual) {
    for (const char* name : {"poisson2d:level=6", "poisson3d:level=4", "convection2d:n=31,peclet=20",
                             "convection3d:n=12,peclet=10", "convection2d:n=31,peclet=20,difference=central"})
        for (const char* recurrence : {"flexible", "bicgstab", "gmres(20)"})
            for (const char* cycle : {"v11,w=10", "v22,w=double"}) {
                const Problem problem = make_problem(name);
                if (!problem.symmetric && std::string(recurrence) == "flexible") continue;
                SCOPED_TRACE(std::string(name) + " " + recurrence + " " + cycle);
                const SolveResult r = solved(problem, by(recurrence, cycle));
                EXPECT_EQ(r.status, Status::converged) << r.detail;
                EXPECT_LT(r.true_residual, 1.001e-9);
                SolveOptions plain = by(recurrence, cycle);
                plain.preconditioner.reset();
                EXPECT_LT((problem.symmetric ? 2 : 1) * r.inner_iterations,
                          solve(problem, *make_emulated_engine(), plain).inner_iterations);
            }
}

TEST(Preconditioned, RunsInShortFloats) { // to what they hold
    for (const char* recurrence : {"flexible", "bicgstab", "gmres(20)"}) {
        const Problem problem = make_problem("poisson2d:level=6");
        const SolveResult r = solved(problem, by(recurrence, "v11,w=10", "float", 1e-4));
        EXPECT_EQ(r.status, Status::converged) << recurrence << ": " << r.detail;
        EXPECT_LT(r.inner_iterations, 12U);
    }
}

TEST(Preconditioned, WhatHasNoStepOfOneIsRefusedInOneLine) {
    const auto why = [](const char* recurrence, auto&& change) {
        SolveOptions o = by(recurrence, "v11,w=10");
        if (std::string(recurrence) == "cg") o.scheme = Scheme::cg;
        change(o);
        return options::refusal(o);
    };
    const auto as_it_is = [](SolveOptions&) {};
    for (const char* recurrence : {"flexible", "bicgstab", "gmres(5)"}) {
        EXPECT_EQ(why(recurrence, as_it_is), "");
        EXPECT_NE(why(recurrence, [](SolveOptions& o) { o.inner = 3; }).find("no inner loop"), std::string::npos);
    }
    for (const char* recurrence : {"cg", "chronopoulos-gear", "ghysels-vanroose"})
        EXPECT_NE(why(recurrence, as_it_is).find("flexible, bicgstab or gmres"), std::string::npos) << recurrence;
    // A symmetric part that is not positive definite has no hierarchy.
    Problem problem = make_problem("convection2d:n=2,peclet=10");
    problem.system = System(CompressedRows({0, 1, 2, 3, 4}, {1, 0, 3, 2}, {1, -1, 2, -2}));
    problem.exact = nullptr;
    problem.b = {1, 2, 3, 4};
    try {
        static_cast<void>(solve(problem, *make_emulated_engine(), by("gmres(4)", "v11,w=10")));
        FAIL();
    } catch (const InvalidInput& e) {
        EXPECT_EQ(std::string(e.what()),
                  "preconditioner multilevel, on the matrix's symmetric part: the diagonal entry of "
                  "row 1 is not above zero: the matrix is not positive definite");
    }
}

} // namespace
} // namespace mantissa
