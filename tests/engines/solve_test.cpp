// Refinement schemes and direct solvers on the emulated engine.
#include <cmath>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "mantissa/host/solve.hpp"
#include "running/parallel.hpp"

namespace mantissa {
namespace {

SolveResult run(const std::string& problem, SolveOptions options) {
    const auto engine = make_emulated_engine();
    return solve(make_problem(problem), *engine, options);
}

struct Cell {
    std::string scheme, format, stop;
    int level = 0;
    std::uint64_t inner = 0, outer = 0;
};

std::vector<Cell> paper_cells(const std::string& format, int level) {
    std::ifstream file(MANTISSA_PAPER_TABLES "/tables2to4_iterations.csv");
    std::vector<Cell> cells;
    for (std::string line; std::getline(file, line);) {
        if (line.empty() || line[0] == '#') continue;
        std::vector<std::string> f;
        std::stringstream fields(line);
        for (std::string x; std::getline(fields, x, ',');) f.push_back(x);
        if (f.size() < 7 || f[2] != format || f[4] != std::to_string(level) || f[5] != "ok") continue;
        cells.push_back(
            {f[1], f[2], f[3], level, std::stoull(f[6]), f.size() > 7 && !f[7].empty() ? std::stoull(f[7]) : 0});
    }
    return cells;
}

// FCCM'06, Tables 2 to 4, level 8: every cell with double inside, digit for digit (342 for the printed 341 of
// fixed500, which cannot stop before the direct solver does).
TEST(PaperCells, DoubleAtLevel8) {
    const auto cells = paper_cells("double", 8);
    ASSERT_EQ(cells.size(), 13U);
    for (const Cell& cell : cells) {
        SolveOptions o;
        o.spec = parse_spec("double");
        set_scheme(o, cell.scheme == "direct"              ? "direct"
                      : cell.scheme == "defect_correction" ? "defect-correction"
                                                           : "residual-guided");
        if (cell.stop.starts_with("digits")) o.digits = std::stod(cell.stop.substr(6));
        if (cell.stop.starts_with("fixed")) o.inner = std::stoull(cell.stop.substr(5));
        const SolveResult r = run("poisson2d:level=8", o);
        EXPECT_EQ(r.status, Status::converged);
        const std::uint64_t expected = cell.inner == 341 ? 342 : cell.inner;
        EXPECT_EQ(r.inner_iterations, expected) << cell.scheme << " " << cell.stop;
        EXPECT_EQ(r.outer_iterations, cell.outer) << cell.scheme << " " << cell.stop;
        ASSERT_TRUE(r.error.has_value());
        // Table 1 is half the discrete error; 4.18105e-07 at level 8, one unit of its last digit either way.
        EXPECT_NEAR(*r.error / 2, 4.18105e-07, 1.1e-12);
    }
}

// The design with 15-bit multipliers converges like the paper's s23e8, whatever the lanes and threads.
TEST(Design, S14WithWideIterateAndRowSums) {
    std::uint64_t count = 0;
    for (const char* lanes : {"", ",lanes=8", ",lanes=16"})
        for (const int threads : {1, 2}) {
            SolveOptions o;
            o.spec = parse_spec(std::string("s14e8,u=s23e8,row=s20e8,dot=fixed[13:-50]") + lanes);
            o.threads = threads;
            const SolveResult r = run("poisson2d:level=8", o);
            EXPECT_EQ(r.status, Status::converged);
            EXPECT_LE(r.inner_iterations, 750U);
            if (count == 0) count = r.inner_iterations;
            EXPECT_EQ(r.inner_iterations, count);
        }
}

/// Solves with one thread and with `threads`, and expects the same iterate, counts and history to the last bit.
void expect_threads_change_nothing(const Problem& problem, SolveOptions o, int threads) {
    SCOPED_TRACE(problem.name + " " + to_string(o.scheme) + " on " + std::to_string(threads) + " threads");
    const auto engine = make_emulated_engine();
    o.history = o.keep_solution = true;
    const SolveResult one = solve(problem, *engine, o);
    o.threads = threads;
    const SolveResult many = solve(problem, *engine, o);
    EXPECT_EQ(one.status, many.status);
    EXPECT_EQ(one.u, many.u);
    EXPECT_EQ(one.inner_iterations, many.inner_iterations);
    EXPECT_EQ(one.outer_iterations, many.outer_iterations);
    EXPECT_EQ(one.true_residual, many.true_residual);
    EXPECT_GE(one.history.size(),
              o.scheme == Scheme::defect_correction || o.scheme == Scheme::residual_guided ? 3U : 2U);
    ASSERT_EQ(one.history.size(), many.history.size());
    for (std::size_t k = 0; k < one.history.size(); ++k) {
        EXPECT_EQ(one.history[k].inner_iterations, many.history[k].inner_iterations);
        EXPECT_EQ(one.history[k].outer_iterations, many.history[k].outer_iterations);
        EXPECT_EQ(one.history[k].relative_defect, many.history[k].relative_defect) << "point " << k;
    }
}

TEST(Solve, ThreadsDoNotChangeTheHistory) {
    for (const char* problem :
         {"poisson2d:level=6", "diffusion2d:level=5,field=jump,contrast=100", "poisson3d:level=4"})
        for (const char* scheme :
             {"direct", "pipelined", "chronopoulos-gear", "ghysels-vanroose", "defect-correction", "residual-guided"}) {
            SolveOptions o;
            set_scheme(o, scheme);
            o.spec = parse_spec(std::string(scheme).find("-") == std::string::npos ? "s36e11" : "s17e8");
            o.max_iterations = 400;
            expect_threads_change_nothing(make_problem(problem), o, 2);
        }
}

// Defects and norms are split above one grain, so this takes problems of that size.
TEST(Solve, ThreadsThatSplitTheOuterLoopDoNotChangeTheHistory) {
    for (const char* text : {"poisson2d:level=9", "diffusion2d:level=9,field=jump,contrast=100", "poisson3d:level=6"}) {
        const Problem problem = make_problem(text);
        ASSERT_GT(problem.system.size(), running::kParallelGrain);
        for (const bool jacobi : {false, true})
            for (const char* scheme : {"direct", "defect-correction", "residual-guided"}) {
                if (jacobi && std::string(scheme) != "residual-guided") continue;
                SolveOptions o;
                set_scheme(o, scheme);
                o.spec = parse_spec("s17e8");
                o.inner = 3;
                o.jacobi = jacobi;
                o.max_iterations = 9;
                expect_threads_change_nothing(problem, o, 3);
            }
    }
}

TEST(Solve, EveryProblemConvergesToDoubleAccuracyInShortFormats) {
    for (const char* problem : {"poisson2d:level=6", "poisson2d:level=6,anisotropy=4", "diffusion2d:level=6",
                                "diffusion2d:level=5,field=jump,contrast=1000", "poisson3d:level=4"})
        for (const char* scheme : {"defect-correction", "residual-guided"}) {
            SolveOptions o;
            set_scheme(o, scheme);
            o.inner = 50;
            o.spec = parse_spec("s17e8,u=s23e8,row=s23e8");
            const SolveResult r = run(problem, o);
            EXPECT_EQ(r.status, Status::converged) << problem << " " << scheme << " " << r.detail;
            EXPECT_LT(r.true_residual, 1.01e-10);
        }
}

TEST(Solve, CascadeOfThreeAndFourFormats) {
    for (const std::vector<Format>& middle :
         {std::vector<Format>{parse_format("s30e11")}, {parse_format("s40e11"), parse_format("s23e8")}}) {
        SolveOptions o;
        o.scheme = Scheme::defect_correction;
        o.spec = parse_spec("s12e8");
        o.middle = middle;
        o.digits = 1;
        o.middle_digits = 3;
        const SolveResult r = run("poisson2d:level=6", o);
        EXPECT_EQ(r.status, Status::converged) << r.detail;
        EXPECT_LT(r.true_residual, 1e-10);
        o.middle.clear();
        const SolveResult flat = run("poisson2d:level=6", o);
        EXPECT_LT(r.outer_iterations, flat.outer_iterations); // the middle loop takes double defects over
    }
}

// Also where an inner solve gains its digits within a few passes.
TEST(Solve, DigitsEndAnInnerSolve) {
    for (const char* spec : {"s17e8", "fx18.16"}) {
        std::uint64_t before = UINT64_MAX;
        for (const double digits : {0.2, 0.5, 2.0}) {
            SolveOptions o;
            o.spec = parse_spec(spec);
            o.digits = digits;
            const SolveResult r = run("poisson2d:level=5", o);
            EXPECT_EQ(r.status, Status::converged) << r.detail;
            EXPECT_LT(r.outer_iterations, before) << spec << " " << digits;
            before = r.outer_iterations;
        }
    }
}

// A recurrence by its name: alone, around rounding errors, and what is said where the matrix or the engine is none for
// it.
TEST(Solve, BicgstabSolvesConvection) {
    const Problem problem = make_problem("convection2d:level=4,peclet=40");
    const auto emulated = make_emulated_engine();
    SolveOptions o;
    o.scheme = Scheme::recurrence;
    o.recurrence = RecurrenceChoice::bicgstab;
    o.spec = parse_spec("double");
    const SolveResult alone = solve(problem, *emulated, o);
    EXPECT_EQ(alone.status, Status::converged) << alone.detail;
    EXPECT_LT(alone.true_residual, 1.001e-10);
    o.scheme = Scheme::defect_correction;
    for (const char* spec : {"s17e8", "fx24.20"}) {
        SCOPED_TRACE(spec);
        o.spec = parse_spec(spec);
        const SolveResult refined = solve(problem, *emulated, o);
        EXPECT_EQ(refined.status, Status::converged) << refined.detail;
        EXPECT_LT(refined.true_residual, 1.001e-10);
        EXPECT_GT(refined.outer_iterations, 1U);
    }
    o.recurrence = RecurrenceChoice::flexible;
    EXPECT_THROW(solve(problem, *emulated, o), InvalidInput);
}

TEST(Solve, FlexibleCountsLikeDirectCg) {
    const Problem problem = make_problem("poisson2d:level=4");
    const auto emulated = make_emulated_engine();
    SolveOptions o;
    o.spec = parse_spec("double");
    o.scheme = Scheme::cg;
    const SolveResult direct = solve(problem, *emulated, o);
    o.scheme = Scheme::recurrence;
    o.recurrence = RecurrenceChoice::flexible;
    const SolveResult flexible = solve(problem, *emulated, o);
    EXPECT_EQ(flexible.status, Status::converged) << flexible.detail;
    EXPECT_NEAR(static_cast<double>(flexible.inner_iterations), static_cast<double>(direct.inner_iterations), 1);
    o.recurrence.reset();
    EXPECT_THROW(solve(problem, *emulated, o), InvalidInput);
}

TEST(Solve, VariantsCountLikeDirectCg) {
    SolveOptions o;
    o.spec = parse_spec("double");
    o.scheme = Scheme::cg;
    o.tolerance = 1e-9; // which the true residual of all of them attains
    const auto direct = run("poisson2d:level=7", o);
    for (const char* scheme : {"pipelined", "chronopoulos-gear", "ghysels-vanroose"}) {
        set_scheme(o, scheme);
        const auto r = run("poisson2d:level=7", o);
        EXPECT_NEAR(static_cast<double>(r.inner_iterations), static_cast<double>(direct.inner_iterations),
                    0.03 * static_cast<double>(direct.inner_iterations)) // section 5: less than 3 %
            << scheme;
    }
}

TEST(Solve, PlainAndPipelinedInnerCgBothRefine) {
    for (const RecurrenceChoice recurrence : {RecurrenceChoice::cg, RecurrenceChoice::pipelined}) {
        SolveOptions o;
        o.scheme = Scheme::defect_correction;
        o.recurrence = recurrence;
        o.spec = parse_spec("s17e8");
        o.inner = 100;
        const SolveResult r = run("poisson2d:level=6", o);
        EXPECT_EQ(r.status, Status::converged);
        EXPECT_LT(r.true_residual, 1.01e-10);
    }
}

TEST(Verdicts, DirectSolverInShortFormatSaysSoWhenTheTrueResidualStays) {
    SolveOptions o;
    o.scheme = Scheme::pipelined;
    o.spec = parse_spec("s17e8");
    o.max_iterations = 3000;
    const SolveResult r = run("poisson2d:level=6", o);
    EXPECT_NE(r.status, Status::converged);
    EXPECT_FALSE(r.detail.empty());
    EXPECT_GT(r.true_residual, 1e-9);
}

TEST(Verdicts, IterationLimitAndCancellation) {
    SolveOptions o;
    o.max_iterations = 30;
    const SolveResult r = run("poisson2d:level=7", o);
    EXPECT_EQ(r.status, Status::iteration_limit);
    EXPECT_EQ(r.inner_iterations, 30U);
    const auto engine = make_emulated_engine();
    o.max_iterations = 0;
    o.inner = 1; // many outer steps, so that progress is asked for
    o.tolerance = 1e-14;
    const SolveResult cancelled =
        solve(make_problem("poisson2d:level=9"), *engine, o, [](const HistoryPoint&) { return false; });
    EXPECT_EQ(cancelled.status, Status::iteration_limit);
    EXPECT_EQ(cancelled.detail, "stopped on request");
}

TEST(Verdicts, ASolveWithoutOuterStepsEndsOnRequest) {
    const auto engine = make_emulated_engine();
    for (const char* scheme : {"direct", "pipelined", "chronopoulos-gear", "flexible", "bicgstab", "gmres"}) {
        SolveOptions o;
        set_scheme(o, scheme);
        o.spec = parse_spec("double");
        int calls = 0;
        const SolveResult r = solve(make_problem("poisson2d:level=8"), *engine, o, [&](const HistoryPoint& point) {
            EXPECT_GT(point.relative_defect, 0) << scheme;
            return ++calls < 2;
        });
        EXPECT_EQ(calls, 2) << scheme; // and not again
        EXPECT_EQ(r.detail, "stopped on request") << scheme;
    }
}

TEST(Verdicts, IndefiniteMatrixBreaksDown) {
    Problem p = make_problem("poisson2d:level=4");
    const Stencil stencil = std::get<Stencil>(p.system.matrix());
    std::array<double, kBands> negative = stencil.coefficients();
    for (double& c : negative) c = -c;
    p.system = Stencil(stencil.row_length(), stencil.rows(), negative);
    const auto engine = make_emulated_engine();
    for (const char* scheme : {"direct", "pipelined", "chronopoulos-gear", "defect-correction", "residual-guided"}) {
        SolveOptions o;
        set_scheme(o, scheme);
        const SolveResult r = solve(p, *engine, o);
        EXPECT_EQ(r.status, Status::breakdown) << scheme;
        EXPECT_NE(r.detail.find("indefinite"), std::string::npos) << r.detail;
    }
}

TEST(Verdicts, WindowTooSmallBreaksDown) {
    SolveOptions o;
    o.spec = parse_spec("s17e8,dot=fixed[-3:-50]"); // r.r starts at 1
    const SolveResult r = run("poisson2d:level=5", o);
    EXPECT_EQ(r.status, Status::breakdown);
    EXPECT_NE(r.detail.find("window overflow"), std::string::npos) << r.detail;
}

// A format that cannot gain accuracy ends in stagnation or divergence, not in an endless loop.
TEST(Verdicts, HopelessFormatStagnates) {
    SolveOptions o;
    o.scheme = Scheme::defect_correction; // residual guided, even s2e8 converges at this level
    o.inner = 500;
    o.spec = parse_spec("s2e8");
    const SolveResult r = run("poisson2d:level=7", o);
    EXPECT_EQ(r.status, Status::stagnated) << r.detail;
}

TEST(Verdicts, ZeroRightHandSideIsSolvedAtOnce) {
    Problem p = make_problem("poisson2d:level=4");
    std::fill(p.b.begin(), p.b.end(), 0.0);
    const auto engine = make_emulated_engine();
    const SolveResult r = solve(p, *engine, {});
    EXPECT_EQ(r.status, Status::converged);
    EXPECT_EQ(r.inner_iterations, 0U);
}

TEST(Verdicts, OptionsThatContradictAreRefused) {
    SolveOptions o;
    o.middle = {parse_format("s23e8")};
    EXPECT_THROW(run("poisson2d:level=4", o), InvalidInput);
    o.middle.clear();
    o.recurrence = RecurrenceChoice::cg;
    EXPECT_THROW(run("poisson2d:level=4", o), InvalidInput);
    o.recurrence = RecurrenceChoice::pipelined;
    o.tolerance = 0;
    EXPECT_THROW(run("poisson2d:level=4", o), InvalidInput);
}

TEST(Jacobi, ScalingHelpsAJumpingCoefficient) {
    SolveOptions o;
    o.scheme = Scheme::cg;
    o.spec = parse_spec("double");
    const std::string problem = "diffusion2d:level=5,field=jump,contrast=10000";
    const SolveResult without = run(problem, o);
    o.jacobi = true;
    const SolveResult with = run(problem, o);
    EXPECT_EQ(with.status, Status::converged);
    EXPECT_LT(with.inner_iterations, without.inner_iterations);
}

// The tolerance holds for the problem as given, not for the scaled one.
TEST(Jacobi, ToleranceIsTheTrueOne) {
    for (const char* scheme : {"pipelined", "defect-correction", "residual-guided"}) {
        SolveOptions o;
        set_scheme(o, scheme);
        o.spec = parse_spec(o.scheme == Scheme::pipelined ? "double" : "s23e8");
        o.inner = 200;
        o.jacobi = true;
        const SolveResult r = run("diffusion2d:level=6,field=jump,contrast=100000", o);
        EXPECT_EQ(r.status, Status::converged) << scheme << ": " << r.detail;
        EXPECT_LT(r.true_residual, o.tolerance * 1.01) << scheme;
    }
}

} // namespace
} // namespace mantissa
