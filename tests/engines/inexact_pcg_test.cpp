// Inexact preconditioned CG against what it is in exact limits, and against the formulas written down once more.
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "mantissa/host/residual.hpp"
#include "mantissa/host/solve.hpp"
#include "mantissa/multilevel/cycle_spec.hpp"
#include "systems.hpp"

namespace mantissa {
namespace {

SolveOptions inexact(const std::string& spec, std::uint64_t inner) {
    SolveOptions o;
    o.scheme = Scheme::inexact_pcg;
    o.spec = parse_spec(spec);
    o.inner = inner;
    o.history = o.keep_solution = true;
    return o;
}
SolveResult run(const std::string& problem, const SolveOptions& o) {
    return solve(make_problem(problem), *make_emulated_engine(), o);
}

// With enough inner steps, z solves A z = r: one outer step is the solve.
TEST(InexactPcg, AnExactPreconditionerTakesOneStep) {
    for (const char* problem : {"poisson2d:level=5", "diffusion2d:level=5,field=jump,contrast=100"})
        for (const RecurrenceChoice inner : {RecurrenceChoice::pipelined, RecurrenceChoice::cg}) {
            SolveOptions o = inexact("double", 100000);
            o.recurrence = inner;
            const SolveResult r = run(problem, o);
            EXPECT_EQ(r.status, Status::converged) << r.detail;
            EXPECT_EQ(r.outer_iterations, 1U);
        }
}

// One inner step gives z along r, and so the directions of plain CG: its iterates and their defects, step for step.
TEST(InexactPcg, OneInnerStepIsPlainCg) {
    for (const char* problem : {"poisson2d:level=6", "diffusion2d:level=5"}) {
        SolveOptions direct = inexact("double", 1);
        direct.scheme = Scheme::cg;
        const SolveResult plain = run(problem, direct);
        const SolveResult r = run(problem, inexact("double", 1));
        EXPECT_EQ(r.status, Status::converged);
        EXPECT_NEAR(static_cast<double>(r.outer_iterations), static_cast<double>(plain.inner_iterations), 1);
        EXPECT_EQ(r.inner_iterations, r.outer_iterations);
        for (const std::uint64_t steps : {1U, 5U, 20U}) {
            SolveOptions some = inexact("double", 1);
            some.max_iterations = direct.max_iterations = steps;
            const SolveResult a = run(problem, some), b = run(problem, direct);
            ASSERT_EQ(a.inner_iterations, steps);
            ASSERT_EQ(b.inner_iterations, steps);
            for (std::size_t i = 0; i < a.u.size(); ++i) ASSERT_NEAR(a.u[i], b.u[i], 1e-13) << problem << " " << steps;
        }
    }
}

/// The iteration as the file's head has it, with z from defect correction's first inner solve: the same K, by another
/// way.
std::vector<double> by_the_book(const Problem& problem, const SolveOptions& o, int steps) {
    const std::size_t n = problem.system.size();
    const auto k = [&](const std::vector<double>& r) {
        Problem one = problem;
        one.b = r;
        one.exact = {};
        SolveOptions inner = o;
        inner.scheme = Scheme::defect_correction;
        inner.max_iterations = o.inner;
        inner.tolerance = 1e-15;
        return solve(one, *make_emulated_engine(), inner).u;
    };
    const auto dot = [n](const std::vector<double>& a, const std::vector<double>& b) {
        double sum = 0;
        for (std::size_t i = 0; i < n; ++i) sum += a[i] * b[i];
        return sum;
    };
    std::vector<double> u(n, 0.0), r = problem.b, z = k(r), p = z, ap(n), before;
    const std::vector<double> zero(n, 0.0);
    for (int step = 0; step < steps; ++step) {
        defect(problem.system, p, zero, ap, 1);
        for (double& x : ap) x = -x;
        const double rz = dot(r, z), alpha = rz / dot(p, ap);
        before = r;
        for (std::size_t i = 0; i < n; ++i) {
            u[i] += alpha * p[i];
            r[i] -= alpha * ap[i];
        }
        z = k(r);
        double change = 0;
        for (std::size_t i = 0; i < n; ++i) change += z[i] * (r[i] - before[i]);
        for (std::size_t i = 0; i < n; ++i) p[i] = z[i] + change / rz * p[i];
    }
    return u;
}

TEST(InexactPcg, FollowsItsFormulas) {
    for (const char* spec : {"s10e8,u=s23e8,row=s17e8", "s23e8", "double"}) {
        const Problem problem = make_problem("poisson2d:level=5");
        SolveOptions o = inexact(spec, 6);
        o.tolerance = 1e-14;
        o.max_iterations = 4 * o.inner;
        const SolveResult r = solve(problem, *make_emulated_engine(), o);
        ASSERT_EQ(r.outer_iterations, 4U);
        o.max_iterations = 0;
        const std::vector<double> want = by_the_book(problem, o, 4);
        double largest = 0, apart = 0;
        for (std::size_t i = 0; i < want.size(); ++i) {
            largest = std::max(largest, std::abs(want[i]));
            apart = std::max(apart, std::abs(want[i] - r.u[i]));
        }
        // A defect that is rounded otherwise may round to another short word now and then.
        EXPECT_LE(apart, 1e-3 * largest) << spec;
        EXPECT_GT(largest, 0);
    }
}

// Double accuracy from short formats, floating and fixed, and a history that ends with the true defect.
TEST(InexactPcg, ConvergesInEveryKindOfDatapath) {
    for (const char* spec : {"s10e8,u=s23e8,row=s20e8", "s14e8,u=s23e8,row=s20e8,dot=fixed[13:-50]", "s17e8", "fx18.16",
                             "fx18.16,point=moving", "fx24.19,u=s23e8,coef=fx18.17"})
        for (const std::uint64_t inner : {10U, 40U}) {
            const SolveResult r = run("poisson2d:level=6", inexact(spec, inner));
            EXPECT_EQ(r.status, Status::converged) << spec << ": " << r.detail;
            EXPECT_LT(r.true_residual, 1e-10 * (1 + 1e-3)) << spec;
            ASSERT_FALSE(r.history.empty());
            EXPECT_NEAR(r.history.back().relative_defect / r.true_residual, 1, 1e-3) << spec;
        }
}

TEST(InexactPcg, DigitsEndInnerSolvesToo) {
    SolveOptions o = inexact("s17e8", 10);
    o.digits = 1;
    const SolveResult r = run("poisson2d:level=6", o);
    EXPECT_EQ(r.status, Status::converged) << r.detail;
    EXPECT_LE(r.outer_iterations, 11U); // a digit each, or more
    EXPECT_GE(r.outer_iterations, 5U);
}

SolveResult by_cycles(const Problem& problem, const std::string& cycle, std::optional<int> directions) {
    SolveOptions o;
    o.scheme = Scheme::inexact_pcg;
    o.preconditioner = parse_cycle_spec(cycle);
    o.directions = directions;
    o.tolerance = 1e-8;
    o.threads = 2;
    o.history = true;
    const SolveResult r = solve(problem, *make_emulated_engine(), o);
    EXPECT_EQ(r.status, Status::converged) << problem.name << ", " << cycle << ": " << r.detail;
    return r;
}
Problem with_ones(CompressedRows a) {
    Problem problem{.name = std::to_string(a.rows()) + " rows", .system = System(std::move(a)), .b = {}, .exact = {}};
    const std::vector<double> ones(problem.system.size(), 1.0), zero(ones.size(), 0.0);
    problem.b.resize(ones.size());
    defect(problem.system, ones, zero, problem.b, 2);
    for (double& x : problem.b) x = -x;
    return problem;
}

// A fixed symmetric K makes all directions conjugate anyway: what is taken off along older ones is rounding.
TEST(InexactPcg, MoreDirectionsThanOneChangeNothingForAFixedPreconditioner) {
    const Problem problem = with_ones(test::circuit(60, 3));
    const SolveResult one = by_cycles(problem, "v22,w=double", 1);
    for (const int directions : {2, 3}) {
        const SolveResult more = by_cycles(problem, "v22,w=double", directions);
        ASSERT_EQ(more.history.size(), one.history.size());
        // CG's directions lose conjugacy in double as its residual falls, and these lose less.
        for (std::size_t k = 0; k < one.history.size(); ++k)
            EXPECT_NEAR(more.history[k].relative_defect, one.history[k].relative_defect,
                        1e-4 * one.history[k].relative_defect)
                << k;
    }
    EXPECT_EQ(by_cycles(problem, "v22,w=double", std::nullopt).history.back().relative_defect,
              one.history.back().relative_defect);
}

// Ten bits where conductances span decades: at most a quarter more iterations than in double, what one direction
// misses.
TEST(InexactPcg, CyclesInTenBitsKeepThreeDirections) {
    for (const auto& [edge, decades] : {std::pair(150, 3), std::pair(200, 4), std::pair(300, 2)}) {
        const Problem problem = with_ones(test::circuit(static_cast<std::size_t>(edge), decades));
        for (const std::string shape : {"v22", "v11"}) {
            SCOPED_TRACE(shape + ", " + problem.name);
            const auto exact = by_cycles(problem, shape + ",w=double", std::nullopt).inner_iterations;
            const SolveResult words = by_cycles(problem, shape + ",w=10,c=10", std::nullopt);
            EXPECT_LE(words.inner_iterations, exact * 5 / 4);
            EXPECT_LE(words.inner_iterations, by_cycles(problem, shape + ",w=10,c=10", 1).inner_iterations);
            EXPECT_EQ(words.inner_iterations, by_cycles(problem, shape + ",w=10,c=10", 3).inner_iterations);
        }
    }
    const Problem four = with_ones(test::circuit(200, 4));
    EXPECT_LT(by_cycles(four, "v22,w=10,c=10", 3).inner_iterations,
              by_cycles(four, "v22,w=10,c=10", 1).inner_iterations);
}

TEST(InexactPcg, RefusesWhatItHasNot) {
    const auto refused = [](const SolveOptions& o, const std::string& part) {
        try {
            run("poisson2d:level=3", o);
            ADD_FAILURE() << part;
        } catch (const InvalidInput& e) {
            EXPECT_NE(std::string(e.what()).find(part), std::string::npos) << e.what();
        }
    };
    SolveOptions o = inexact("s17e8", 10);
    o.outer = Format::fixed(64, 62);
    refused(o, "outer");
    o = inexact("s17e8", 10);
    o.middle = {formats::kFloat};
    refused(o, "middle");
    o = inexact("s17e8", 10);
    o.schedule = {{1, o.spec}, {1e-3, parse_spec("s23e8")}};
    refused(o, "schedule");
    o = inexact("s17e8", 10);
    o.directions = 4;
    refused(o, "directions 4: give 1 to 3");
    o.directions = 2;
    o.scheme = Scheme::defect_correction;
    refused(o, "directions: scheme defect-correction has no flexible CG");
}

} // namespace
} // namespace mantissa
