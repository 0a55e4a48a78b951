// Solves that nobody asked a way for (mantissa/host/fastest.hpp), on this processor.
#include "mantissa/host/fastest.hpp"

#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "mantissa/engine.hpp"
#include "mantissa/format.hpp"
#include "mantissa/host/native.hpp"
#include "mantissa/host/problem.hpp"
#include "mantissa/host/residual.hpp"
#include "scratch.hpp"

namespace mantissa {
namespace {

/// As `--problem mtx:FILE` alone has it.
SolveOptions as_chosen() {
    SolveOptions o;
    o.scheme = Scheme::jacobi_pcg;
    o.spec = DatapathSpec(formats::kDouble);
    o.tolerance = 1e-8;
    o.threads = 2;
    o.keep_solution = true;
    return o;
}

struct Told {
    SolveOptions options;
    std::vector<SolveResult> results;
    std::string lines;
};

Told solved(const Problem& problem, SolveOptions options, const Progress& progress = {}) {
    Told told;
    const auto engine = make_emulated_engine();
    told.results =
        solve_fastest(problem, *engine, options, progress, [&](const std::string& line) { told.lines += line + "\n"; });
    told.options = options;
    return told;
}

void expect_solved(const Problem& problem, const std::vector<double>& b, const SolveResult& r) {
    EXPECT_EQ(r.status, Status::converged) << r.detail;
    EXPECT_LT(relative_residual(problem.system, r.u, b, 2), 1.001e-8);
}

std::uint64_t by_cg_alone(const Problem& problem) {
    return solve(problem, *make_emulated_engine(), as_chosen(), {}).inner_iterations;
}

TEST(Fastest, CgThatIsQuickIsLeftAlone) {
    const Problem problem = make_problem("poisson3d:level=4");
    const Told told = solved(problem, as_chosen());
    expect_solved(problem, problem.b, told.results.front());
    EXPECT_EQ(told.lines, "");
    EXPECT_EQ(told.options.scheme, Scheme::jacobi_pcg);
    EXPECT_EQ(told.results.front().inner_iterations, by_cg_alone(problem));
    EXPECT_FALSE(told.results.front().gave_up);
}

TEST(Fastest, CyclesTakeOverFromCgThatIsSlow) {
    const Problem problem = make_problem("generated:kind=supply,n=20000");
    const std::uint64_t alone = by_cg_alone(problem);
    ASSERT_GT(alone, 400U);
    SolveOptions asked = as_chosen();
    asked.history = true;
    const Told told = solved(problem, asked);
    const SolveResult& r = told.results.front();
    expect_solved(problem, problem.b, r);
    EXPECT_NE(told.lines.find("multilevel cycles, v22,w=double, take over\n"), std::string::npos) << told.lines;
    EXPECT_EQ(told.options.scheme, Scheme::inexact_pcg);
    ASSERT_TRUE(told.options.preconditioner);
    EXPECT_TRUE(r.levels) << "the answer says what the hierarchy was";
    EXPECT_LT(r.inner_iterations, alone / 2);
    // One count and one history over both ways, and the same ones again.
    EXPECT_EQ(r.history.back().inner_iterations, r.inner_iterations);
    for (std::size_t k = 1; k < r.history.size(); ++k)
        EXPECT_LT(r.history[k - 1].inner_iterations, r.history[k].inner_iterations) << k;
    const Told again = solved(problem, asked);
    EXPECT_EQ(again.results.front().inner_iterations, r.inner_iterations);
    EXPECT_EQ(again.results.front().u, r.u) << "no clock decides";
    SolveOptions one = asked;
    one.threads = 1;
    EXPECT_EQ(solved(problem, one).results.front().u, r.u) << "threads change no bits";
}

TEST(Fastest, AHierarchyServesAllRightHandSides) {
    Problem problem = make_problem("generated:kind=supply,n=20000");
    problem.more.assign(2, problem.b);
    for (std::size_t i = 0; i < problem.b.size(); ++i) problem.more[1][i] *= std::sin(static_cast<double>(i));
    const Told told = solved(problem, as_chosen());
    ASSERT_EQ(told.results.size(), 3U);
    expect_solved(problem, problem.b, told.results[0]);
    expect_solved(problem, problem.more[0], told.results[1]);
    expect_solved(problem, problem.more[1], told.results[2]);
    EXPECT_NE(told.lines.find("take over"), std::string::npos) << told.lines;
}

/// A beam: fourth differences, whose near kernel holds more than constants. Its condition number is some n^4 / 60.
std::string beam(std::size_t n) {
    std::string text = fmt::format("%%MatrixMarket matrix coordinate real symmetric\n{} {} {}\n", n, n, 3 * n - 3);
    for (std::size_t i = 1; i <= n; ++i) {
        text += fmt::format("{} {} 6\n", i, i);
        if (i > 1) text += fmt::format("{} {} -4\n", i, i - 1);
        if (i > 2) text += fmt::format("{} {} 1\n", i, i - 2);
    }
    return text;
}

TEST(Fastest, CgGoesOnWhereCyclesDoNotPay) {
    const Scratch scratch;
    const Problem problem = make_problem("mtx:" + scratch.write("beam.mtx", beam(400)));
    SolveOptions asked = as_chosen();
    asked.tolerance = 1e-6;
    const Told told = solved(problem, asked);
    const SolveResult& r = told.results.front();
    EXPECT_NE(told.lines.find("multilevel cycles do not pay here"), std::string::npos) << told.lines;
    EXPECT_EQ(told.options.scheme, Scheme::jacobi_pcg);
    EXPECT_FALSE(told.options.preconditioner);
    // What CG alone reaches, it reaches after the detour too.
    const SolveResult alone = solve(problem, *make_emulated_engine(), asked, {});
    EXPECT_EQ(r.status, alone.status) << r.detail;
}

/// A path of positive diagonal whose couplings outweigh it: eigenvalues of both signs.
TEST(Fastest, GmresTakesOverFromCgThatBreaksDown) {
    const Scratch scratch;
    std::string text = "%%MatrixMarket matrix coordinate real symmetric\n50 50 99\n";
    for (int i = 1; i <= 50; ++i) {
        text += fmt::format("{} {} 1\n", i, i);
        if (i > 1) text += fmt::format("{} {} -3\n", i, i - 1);
    }
    const Problem problem = make_problem("mtx:" + scratch.write("indefinite.mtx", text));
    EXPECT_EQ(solve(problem, *make_emulated_engine(), as_chosen(), {}).status, Status::breakdown);
    const Told told = solved(problem, as_chosen());
    expect_solved(problem, problem.b, told.results.front());
    EXPECT_NE(told.lines.find("CG by the diagonal: breakdown"), std::string::npos) << told.lines;
    EXPECT_EQ(iterated(told.options).name, RecurrenceChoice::gmres);
}

TEST(Fastest, StopsWhereItIsTold) {
    const Problem problem = make_problem("generated:kind=supply,n=20000");
    SolveOptions few = as_chosen();
    few.max_iterations = 100; // more than CG gets before it is judged
    const Told told = solved(problem, few);
    EXPECT_EQ(told.results.front().status,
              told.results.front().true_residual < 1.001e-8 ? Status::converged : Status::iteration_limit);
    EXPECT_LE(told.results.front().inner_iterations, 100U);
    few.max_iterations = 112;
    // (Cycles take over after 108, and four are too few.)
    const SolveResult spent = solved(problem, few).results.front();
    EXPECT_EQ(spent.status, Status::iteration_limit);
    EXPECT_EQ(spent.inner_iterations, 112U);
    EXPECT_NE(spent.detail.find("limit of 112"), std::string::npos) << spent.detail;
    // From outside: nothing else takes over. (It is asked ten times a second.)
    SolveOptions alone = as_chosen();
    alone.threads = 1;
    const Told stopped =
        solved(make_problem("generated:kind=thermal,n=400000"), alone, [](const HistoryPoint&) { return false; });
    EXPECT_EQ(stopped.results.front().status, Status::iteration_limit);
    EXPECT_EQ(stopped.lines, "");
}

TEST(Fastest, IsForWaysThatWereNobodysWish) {
    SolveOptions o = as_chosen();
    EXPECT_TRUE(has_other_ways(o));
    o.energy = 1e-6;
    EXPECT_FALSE(has_other_ways(o)); // (an estimate needs CG's own steps from zero on)
    o = SolveOptions{};
    EXPECT_FALSE(has_other_ways(o));
}

} // namespace
} // namespace mantissa
