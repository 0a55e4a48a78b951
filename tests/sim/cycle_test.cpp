// Solves by multilevel cycles on the cycle core: the same words of U, the same end, count and history as the
// reference's, and the engine around them. MANTISSA_CORE_SWEEP=1 adds random specs (each is a model, 15 s and more).
#include <cstdint>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "mantissa/checked_engine.hpp"
#include "mantissa/errors.hpp"
#include "mantissa/host/problem.hpp"
#include "mantissa/host/solve.hpp"
#include "mantissa/multilevel/word_solve.hpp"
#include "mantissa/sim/cycle_core.hpp"
#include "mantissa/sim/rtl_engine.hpp"
#include "word_solves.hpp"

namespace mantissa::sim {
namespace {

using multilevel::GridWords, multilevel::WordOutcome, multilevel::WordRequest, multilevel::WordSolver;
using Words = std::vector<std::int64_t>;

const WordRequest kAlone{.tolerance = {}, .alone = true};

void expect_alike(WordSolver& core, WordSolver& reference, const Words& b, const WordRequest& request,
                  const std::string& what) {
    SCOPED_TRACE(what);
    Words expected, found;
    const WordOutcome there = reference.solve(b, request, expected), here = core.solve(b, request, found);
    EXPECT_EQ(here.end, there.end);
    EXPECT_EQ(here.cycles, there.cycles);
    EXPECT_EQ(here.history, there.history);
    EXPECT_EQ(found, expected);
    EXPECT_GT(here.clocks.value_or(0), here.cycles * b.size()); // a node a clock, down and up
    reference.solve(b, kAlone, expected);
    EXPECT_EQ(core.solve(b, kAlone, found).history, std::vector<multilevel::WordVerdict>{});
    EXPECT_EQ(found, expected);
}

void expect_levels(const char* text, bool stretched, std::size_t most) {
    const CycleSpec spec = parse_cycle_spec(text);
    for (std::size_t level = 3; level <= most; ++level) {
        const GridWords grid = test::word_grid(level, stretched);
        ASSERT_EQ(cycle_core_refusal(grid, spec), "");
        const Words b = test::word_right_hand_side(grid, 48, level);
        const auto core = make_cycle_core(grid, spec, {});
        const auto reference = multilevel::make_reference_word_solver(grid, spec);
        const std::string what = std::string(text) + ", level " + std::to_string(level);
        const WordRequest request{multilevel::word_tolerance(1e-10 * test::word_norm(b)), 40};
        expect_alike(*core, *reference, b, request, what);
        expect_alike(*core, *reference, b, {{}, 3}, what + ", three cycles");
        expect_alike(*core, *reference, b, request, what + ", again"); // a solve leaves nothing behind
    }
}

TEST(CycleEngine, HasTheReferencesBits) {
    expect_levels("b2,w=10", false, 6);
}
TEST(CycleEngine, HasTheReferencesBitsWithStepsAfter) {
    expect_levels("v12,w=12,f=18,e=20,g=3", true, 5);
}

TEST(CycleEngine, HasTheReferencesBitsOfRandomSpecs) {
    std::mt19937_64 random(20261127);
    const auto among = [&](int first, int last) {
        return std::to_string(first + static_cast<int>(random() % static_cast<std::uint64_t>(last - first + 1)));
    };
    const int specs = std::getenv("MANTISSA_CORE_SWEEP") == nullptr ? 1 : 12;
    for (int k = 0; k < specs; ++k) {
        const std::string shape = random() % 2 == 0 ? "b" + among(1, 4) : "v" + among(1, 4) + among(1, 4);
        const std::string text =
            shape + ",w=" + among(4, 16) + ",f=" + among(4, 24) + ",e=" + among(4, 24) + ",g=" + among(0, 8);
        const CycleSpec spec = parse_cycle_spec(text);
        const GridWords grid = test::word_grid(4, k % 2 == 0);
        const Words b = test::word_right_hand_side(grid, 40, random());
        expect_alike(*make_cycle_core(grid, spec, {}), *multilevel::make_reference_word_solver(grid, spec), b,
                     {multilevel::word_tolerance(1e-6 * test::word_norm(b)), 12}, text);
    }
}

/// Lanes and cores change the clocks alone, and what too small a grid does not have is refused.
TEST(CycleEngine, SeveralCoresHaveTheBitsOfOne) {
    const CycleSpec spec = parse_cycle_spec("b2,w=10");
    const GridWords grid = test::word_grid(6);
    const Words b = test::word_right_hand_side(grid, 48);
    const WordRequest request{multilevel::word_tolerance(1e-10 * test::word_norm(b)), 40};
    RtlOptions options;
    options.cores = 2;
    options.cycle_lanes = 2;
    Words expected, found;
    const WordOutcome there = multilevel::make_reference_word_solver(grid, spec)->solve(b, request, expected);
    const WordOutcome here = make_cycle_core(grid, spec, options)->solve(b, request, found);
    EXPECT_EQ(here.history, there.history);
    EXPECT_EQ(found, expected);
    EXPECT_LT(here.clocks.value_or(0), here.cycles * b.size() * 13 / 10); // (one core of two lanes: 1.5)
    EXPECT_NE(cycle_core_refusal(grid, spec, 13), "");
    options.cores = 1;
    options.cycle_lanes = 3;
    EXPECT_THROW(make_cycle_core(grid, spec, options), InvalidInput);
}

TEST(CycleEngine, EndsAsTheReferenceDoes) {
    const CycleSpec spec = parse_cycle_spec("b2,w=10");
    const GridWords grid = test::word_grid(5);
    const auto core = make_cycle_core(grid, spec, {});
    const auto reference = multilevel::make_reference_word_solver(grid, spec);
    const Words b = test::word_right_hand_side(grid, 48);
    Words large = b, u;
    for (std::int64_t& word : large) word = (word < 0 ? -1 : 1) * (std::int64_t{1} << 59);
    const WordOutcome there = reference->solve(large, {}, u), here = core->solve(large, {}, u);
    ASSERT_EQ(there.end, CycleSolveEnd::overflow);
    EXPECT_EQ(here.end, there.end);
    EXPECT_EQ(here.cycles, there.cycles);
    EXPECT_EQ(here.history, there.history);
    const WordOutcome nothing = core->solve(Words(b.size(), 0), {}, u);
    EXPECT_EQ(nothing.end, CycleSolveEnd::reached);
    EXPECT_EQ(nothing.cycles, 0U);
    EXPECT_EQ(u, Words(b.size(), 0));
    expect_alike(*core, *reference, b, {{}, 2}, "after an overflow");
    EXPECT_THROW(static_cast<void>(core->solve(b, {{}, 0}, u)), InvalidInput);
}

// A whole solve as the command has it, every norm and u compared.
TEST(CycleEngine, SolvesAsTheEmulatedEngineDoes) {
    const auto rtl = make_rtl_engine(), emulated = make_emulated_engine();
    const auto checked = make_checked_engine(*rtl, *emulated);
    SolveOptions o;
    o.scheme = Scheme::defect_correction;
    o.preconditioner = parse_cycle_spec("b2,w=10");
    o.outer = Format::fixed(64, 54);
    o.tolerance = 1e-10;
    const Problem problem = make_problem("poisson2d:level=5");
    const SolveResult result = solve(problem, *checked, o), alone = solve(problem, *emulated, o);
    EXPECT_EQ(result.status, Status::converged) << result.detail;
    EXPECT_GT(result.cycles.value_or(0), 0U);
    EXPECT_EQ(result.u, alone.u);
}

// CG of the host around the core's cycles: every correction compared, u that of the processor alone.
TEST(CycleEngine, IsAPreconditionerOfCg) {
    const auto rtl = make_rtl_engine(), emulated = make_emulated_engine();
    const auto checked = make_checked_engine(*rtl, *emulated);
    SolveOptions o;
    o.scheme = Scheme::inexact_pcg;
    o.preconditioner = parse_cycle_spec("v12,w=12,f=18,e=20,g=3"); // (a model that another test has built)
    o.tolerance = 1e-10;
    const Problem problem = make_problem("poisson2d:level=5");
    const SolveResult result = solve(problem, *checked, o), alone = solve(problem, *emulated, o);
    EXPECT_EQ(result.status, Status::converged) << result.detail;
    EXPECT_EQ(result.u, alone.u);
    EXPECT_EQ(result.inner_iterations, alone.inner_iterations);
    EXPECT_GT(result.cycles.value_or(0), result.inner_iterations * problem.system.size() * 2);
    EXPECT_EQ(alone.cycles, std::nullopt);
}

TEST(CycleEngine, RefusesWhatTheCoreHasNot) {
    const auto rtl = make_rtl_engine();
    const auto refusal = [&](const System& system, const char* text) {
        std::string why = rtl->cycles_refusal(system, parse_cycle_spec(text), {});
        EXPECT_NE(why, "");
        EXPECT_THROW(static_cast<void>(rtl->cycles(system, parse_cycle_spec(text), {})), InvalidInput);
        return why;
    };
    const auto box = [](std::size_t n) { return System(Stencil(n, n, {-1, -1, -1, -1, 8, -1, -1, -1, -1})); };
    EXPECT_EQ(rtl->cycle_refusal(box(33), parse_cycle_spec("v11,w=10")), "");
    EXPECT_NE(rtl->cycle_refusal(box(33), parse_cycle_spec("v11,w=10/8")).find("the same bits on all levels"),
              std::string::npos);
    EXPECT_THROW(static_cast<void>(rtl->cycle(box(34), parse_cycle_spec("v11,w=10"), 1)), InvalidInput);
    EXPECT_NE(refusal(box(33), "b2,w=10/8").find("the same bits on all levels"), std::string::npos);
    EXPECT_NE(refusal(box(33), "b2,w=double").find("give bits"), std::string::npos);
    EXPECT_NE(refusal(box(17 * 2), "b2,w=10").find("2^n + 1 nodes"), std::string::npos);
    EXPECT_NE(refusal(box(8193), "b2,w=10").find("2^12 + 1"), std::string::npos);
    EXPECT_EQ(rtl->cycles_refusal(box(33), parse_cycle_spec("b2,w=10/10"), {}), "");
    RtlOptions many;
    many.cores = 13;
    EXPECT_NE(make_rtl_engine(many)->cycles_refusal(box(33), parse_cycle_spec("b2,w=10"), {}).find("too few rows"),
              std::string::npos);
}

} // namespace
} // namespace mantissa::sim
