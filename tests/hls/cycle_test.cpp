// The cycle core's kernel: whole solves have the reference's bits, words and history, for lanes from 1 to 64; and the
// engine's refusals.
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "cycle/machine.hpp"
#include "mantissa/engine.hpp"
#include "mantissa/hls/cycles.hpp"
#include "mantissa/hls/engine.hpp"
#include "word_solves.hpp"

namespace mantissa {
namespace {

using multilevel::GridWords, multilevel::WordOutcome, multilevel::WordRequest, multilevel::WordSolver;
using Words = std::vector<std::int64_t>;

const WordRequest kAlone{.tolerance = {}, .alone = true};

void expect_alike(WordSolver& core, WordSolver& reference, const GridWords& grid, const WordRequest& request,
                  const Words& b, const std::string& what) {
    Words expected, found;
    const WordOutcome there = reference.solve(b, request, expected), here = core.solve(b, request, found);
    EXPECT_EQ(here.end, there.end) << what;
    EXPECT_EQ(here.cycles, there.cycles) << what;
    EXPECT_EQ(here.history, there.history) << what;
    EXPECT_EQ(found, expected) << what;
    EXPECT_EQ(found.size(), grid.row_length * grid.row_length);
}

TEST(HlsCycle, SixSpecsHaveTheReferencesBitsOnLevels3To7) {
    for (const char* const text : test::kCycleSpecs)
        for (std::size_t level = 3; level <= 7; ++level) {
            const CycleSpec spec = parse_cycle_spec(text);
            const GridWords grid = test::word_grid(level, level % 2 == 0);
            const Words b = test::word_right_hand_side(grid, 48, level);
            const WordRequest request{multilevel::word_tolerance(1e-8 * test::word_norm(b)), 40};
            const auto core = hls::make_cycle_core(grid, spec);
            const auto reference = multilevel::make_reference_word_solver(grid, spec);
            const std::string what = std::string(text) + ", level " + std::to_string(level);
            expect_alike(*core, *reference, grid, request, b, what);
            expect_alike(*core, *reference, grid, kAlone, b, what + ", alone");
        }
}

template <int Before, int After, int Lanes> void expect_lanes(const char* text, std::size_t level) {
    const CycleSpec spec = parse_cycle_spec(text);
    const GridWords grid = test::word_grid(level);
    const Words b = test::word_right_hand_side(grid, 50, Lanes);
    hls::CycleMachine<Before, After, Lanes> core(multilevel::grid_plan(grid, spec));
    expect_alike(core, *multilevel::make_reference_word_solver(grid, spec), grid,
                 {multilevel::word_tolerance(1e-9 * test::word_norm(b)), 40}, b,
                 std::string(text) + ", lanes " + std::to_string(Lanes));
}
template <int Lanes> void expect_lanes_of_both_kinds() {
    for (const std::size_t level : {3, 5}) {
        expect_lanes<2, 0, Lanes>("b2,w=10", level);
        expect_lanes<2, 1, Lanes>("v21,w=10/8,f=14,e=12", level);
    }
}
TEST(HlsCycle, LanesDoNotChangeABit) {
    expect_lanes_of_both_kinds<1>();
    expect_lanes_of_both_kinds<2>();
    expect_lanes_of_both_kinds<4>();
    expect_lanes_of_both_kinds<16>();
    expect_lanes_of_both_kinds<64>();
}

template <int Before, int After, int Lanes, int Cores> void expect_cores(const char* text, bool stretched = false) {
    const CycleSpec spec = parse_cycle_spec(text);
    for (std::size_t level = 3; level <= 7; ++level) {
        const GridWords grid = test::word_grid(level, stretched);
        const Words b = test::word_right_hand_side(grid, 50, level);
        hls::CycleMachine<Before, After, Lanes, Cores> cores(multilevel::grid_plan(grid, spec));
        const auto reference = multilevel::make_reference_word_solver(grid, spec);
        const std::string what = std::string(text) + ", level " + std::to_string(level) + ", cores " +
                                 std::to_string(Cores) + " of lanes " + std::to_string(Lanes);
        expect_alike(cores, *reference, grid, {multilevel::word_tolerance(1e-9 * test::word_norm(b)), 40}, b, what);
        expect_alike(cores, *reference, grid, {{}, 2}, test::word_right_hand_side(grid, 30, 7), what + ", two cycles");
        expect_alike(cores, *reference, grid, kAlone, b, what + ", alone");
    }
}
/// Slabs of 4, 8 and 16 rows of neighbours, of one and of several levels; and levels that all cores have whole.
TEST(HlsCycle, CoresDoNotChangeABit) {
    expect_cores<2, 0, 1, 2>("b2,w=10");
    expect_cores<1, 2, 4, 2>("v12,w=10,f=16");
    expect_cores<1, 1, 1, 3>("v11,w=10", true);
    expect_cores<2, 2, 2, 3>("v22,w=10,f=16");
    expect_cores<2, 0, 4, 5>("b2,w=10", true);
    expect_cores<4, 4, 1, 2>("v44,w=12/8,f=20,e=14");
}

/// Memories come as they are on a device; a core of other steps than the plan's does not begin.
TEST(HlsCycle, WhatItsMemoriesHoldBeforeDoesNotMatter) {
    const CycleSpec spec = parse_cycle_spec("b2,w=10");
    const GridWords grid = test::word_grid(4);
    const multilevel::GridPlan given = multilevel::grid_plan(grid, spec);
    const mantissa_hls::cycle::CyclePlan plan = hls::cycle_plan(given);
    const mantissa_hls::cycle::CycleSlab slabs[] = {hls::cycle_slab(given, 0, 1)};
    hls::CycleMemories memories(plan.levels, slabs[0]);
    const mantissa_hls::cycle::CycleMemory memory[] = {memories.memory()};
    for (int l = 0; l < plan.levels; ++l)
        for (int k = 0; k < 1 << 2 * (plan.levels - l); ++k) {
            if (l > 0) {
                memory[0].e[l][k] = 0x5555;
                memory[0].t[l][k] = 0x5555;
            }
            if (l + 1 < plan.levels) memory[0].f[l][k] = 0x5555;
        }
    const Words b = test::word_right_hand_side(grid, 48, 4);
    memories.load(b);
    auto core = std::make_unique<mantissa_hls::cycle::CycleCore<2, 0, 4>>();
    ASSERT_TRUE(core->begin(plan, slabs, memory));
    const WordRequest request{multilevel::word_tolerance(1e-8 * test::word_norm(b)), 40};
    std::uint64_t cycles = 0;
    core->solve({request.tolerance.t, request.tolerance.point, 40}, cycles, [](const auto&) {});
    Words expected, found(b.size(), 0);
    EXPECT_EQ(multilevel::make_reference_word_solver(grid, spec)->solve(b, request, expected).cycles, cycles);
    memories.read(found);
    EXPECT_EQ(found, expected);
    auto other = std::make_unique<mantissa_hls::cycle::CycleCore<1, 0, 4>>();
    EXPECT_FALSE(other->begin(plan, slabs, memory));
}

TEST(HlsCycle, RandomSpecs) {
    std::mt19937_64 random(20261127);
    const auto among = [&](int first, int last) {
        return first + static_cast<int>(random() % static_cast<std::uint64_t>(last - first + 1));
    };
    for (int k = 0; k < 12; ++k) {
        const int after = among(0, 4), w = among(4, 16);
        std::string text =
            after == 0 ? "b" + std::to_string(among(1, 4)) : "v" + std::to_string(among(1, 4)) + std::to_string(after);
        text += ",w=" + std::to_string(w) + "/" + std::to_string(among(4, 16)) + ",f=" + std::to_string(among(4, 24)) +
                ",e=" + std::to_string(among(4, 24)) + ",g=" + std::to_string(among(0, 8));
        const CycleSpec spec = parse_cycle_spec(text);
        const GridWords grid = test::word_grid(4, k % 2 == 0);
        const Words b = test::word_right_hand_side(grid, 40, random());
        expect_alike(*hls::make_cycle_core(grid, spec), *multilevel::make_reference_word_solver(grid, spec), grid,
                     {multilevel::word_tolerance(1e-6 * test::word_norm(b)), 12}, b, text);
    }
}

TEST(HlsCycle, EndsAsTheReferenceDoes) {
    const CycleSpec spec = parse_cycle_spec("v11,w=10");
    const GridWords grid = test::word_grid(6);
    const auto core = hls::make_cycle_core(grid, spec);
    const auto reference = multilevel::make_word_solver(grid, spec);
    const Words b = test::word_right_hand_side(grid, 50);
    Words u, one(b.size(), 0);
    one[grid.row_length * 3 + 5] = -1;
    EXPECT_EQ(core->solve(Words(b.size(), 0), {{}, 9}, u).end, CycleSolveEnd::reached);
    expect_alike(*core, *reference, grid, {{}, 3}, b, "three cycles");
    expect_alike(*core, *reference, grid, {{}, 3}, one, "one word");
    expect_alike(*core, *reference, grid, kAlone, one, "one word alone");
    expect_alike(*core, *reference, grid, kAlone, Words(b.size(), 0), "nothing alone");
    const Words large = test::word_right_hand_side(grid, 60);
    EXPECT_EQ(core->solve(large, {{}, 9}, u).end, CycleSolveEnd::overflow);
    EXPECT_EQ(reference->solve(large, {{}, 9}, u).end, CycleSolveEnd::overflow);
    expect_alike(*core, *reference, grid, {{}, 3}, b, "after an overflow");
    // Of a cycle alone D - S c is not looked at, so a word of it that is too long for a solve is none.
    expect_alike(*core, *reference, grid, kAlone, large, "large words alone");
    expect_alike(*core, *reference, grid, kAlone, test::word_right_hand_side(grid, 61), "words that do not fit, alone");
}

TEST(HlsCycle, TheEngineRefusesAsTheEmulatedOneDoes) {
    const auto hls = make_hls_engine(), emulated = make_emulated_engine();
    const CycleSpec spec = parse_cycle_spec("b2,w=10");
    const double off = -1.0 / 3;
    const System odd(Stencil(16, 16, {off, off, off, off, 8.0 / 3, off, off, off, off}));
    std::string expected = emulated->cycles_refusal(odd, spec, {});
    EXPECT_NE(expected, "");
    expected.replace(expected.find("emulated"), 8, "hls");
    EXPECT_EQ(hls->cycles_refusal(odd, spec, {}), expected);
    EXPECT_THROW(static_cast<void>(hls->cycles(odd, spec, {})), InvalidInput);
}

} // namespace
} // namespace mantissa
