// The timed cycle core: the reference's bits for any lanes, and the clocks that its stages add up to.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "mantissa/engine.hpp"
#include "mantissa/multilevel/cycle.hpp"
#include "mantissa/multilevel/cycle_clocks.hpp"
#include "mantissa/sim/systemc_engine.hpp"
#include "word_solves.hpp"

namespace mantissa {
namespace {

using multilevel::GridWords;

System system_of(const GridWords& grid) {
    const double c = grid.corner, e = grid.east, n = grid.north;
    return System(
        Stencil(grid.row_length, grid.row_length, {c, n, c, e, static_cast<double>(grid.centre), e, c, n, c}));
}

/// Both engines' solves of a smooth problem; returns the clocks and the cycles.
CycleSolveReport expect_alike(const char* text, std::size_t level, int lanes, bool stretched = false, int cores = 1) {
    const GridWords grid = test::word_grid(level, stretched);
    const CycleSpec spec = parse_cycle_spec(text);
    const System system = system_of(grid);
    sim::SystemcOptions options;
    options.cycle_lanes = lanes;
    options.cycle_cores = cores;
    std::vector<double> b, expected, found;
    for (const std::int64_t word : test::word_right_hand_side(grid, 44, level))
        b.push_back(std::ldexp(static_cast<double>(word), -50));
    const auto reference = make_emulated_engine()->cycles(system, spec, {Format::fixed(64, 54)});
    const auto timed = sim::make_systemc_engine(options)->cycles(system, spec, {Format::fixed(64, 54)});
    const CycleSolveReport there = reference->solve(b, 1e-8, 30, expected), here = timed->solve(b, 1e-8, 30, found);
    const std::string what = std::string(text) + ", level " + std::to_string(level) + ", lanes " +
                             std::to_string(lanes) + ", cores " + std::to_string(cores);
    EXPECT_EQ(found, expected) << what;
    EXPECT_EQ(here.history, there.history) << what;
    EXPECT_EQ(here.end, there.end) << what;
    EXPECT_TRUE(here.clocks.has_value());
    return here;
}

TEST(SystemcCycle, SixSpecsHaveTheReferencesBitsOnLevels3To7) {
    for (const char* const text : test::kCycleSpecs)
        for (std::size_t level = 3; level <= 7; ++level) expect_alike(text, level, level > 5 ? 16 : 1, level == 4);
}

TEST(SystemcCycle, LanesDoNotChangeABit) {
    for (const int lanes : {1, 2, 4, 16, 64})
        for (const char* const text : {"b2,w=10", "v21,w=10/8,f=14,e=12"}) expect_alike(text, 5, lanes);
}

/// Slabs of 4, 8 and 16 rows of neighbours, of one and of several levels; and levels that all cores have whole.
TEST(SystemcCycle, CoresDoNotChangeABit) {
    for (std::size_t level = 3; level <= 7; ++level) {
        expect_alike("b2,w=10", level, level > 5 ? 4 : 1, level == 6, 2);
        expect_alike("v12,w=10,f=16", level, 4, false, 3);
    }
    expect_alike("v22,w=10,f=16", 6, 2, false, 3);
    expect_alike("v44,w=12/8,f=20,e=14", 6, 16, false, 2);
    expect_alike("b2,w=10", 6, 4, false, 5);
}

/// A cycle for a loop of the host's: the processor's correction in every bit, in the clocks of a cycle and no more.
TEST(SystemcCycle, MakesTheProcessorsCorrections) {
    for (const char* const text : {"b2,w=10", "v11,w=8,f=8,e=12", "v13,w=16,f=22,e=24,g=6"})
        for (const int cores : {1, 2}) {
            const GridWords grid = test::word_grid(6, true);
            const CycleSpec spec = parse_cycle_spec(text);
            const System system = system_of(grid);
            sim::SystemcOptions options;
            options.cycle_lanes = 4;
            options.cycle_cores = cores;
            const auto processor = make_emulated_engine()->cycle(system, spec, 1),
                       core = sim::make_systemc_engine(options)->cycle(system, spec, 1);
            std::vector<double> d, expected(system.size()), found(system.size());
            for (const std::int64_t word : test::word_right_hand_side(grid, 44, 5))
                d.push_back(std::ldexp(static_cast<double>(word), -90));
            processor->correct(d, expected);
            core->correct(d, found);
            EXPECT_EQ(found, expected) << text << ", cores " << cores;
            const auto once = core->clocks();
            core->correct(d, found);
            ASSERT_TRUE(once.has_value());
            EXPECT_EQ(core->clocks(), 2 * *once);
            const multilevel::CycleClocks model = multilevel::cycle_clocks(multilevel::grid_plan(grid, spec), 4, cores);
            EXPECT_LE(*once, model.cycle) << text << ", cores " << cores;
        }
}

/// The clocks that are counted bit by bit are at most those of the longest words: 64 for each sweep's start. All others
/// are the model's, one by one.
void expect_clocks(const char* text, std::size_t level, int lanes, int cores = 1) {
    const CycleSolveReport report = expect_alike(text, level, lanes, false, cores);
    const multilevel::CycleClocks model =
        multilevel::cycle_clocks(multilevel::grid_plan(test::word_grid(level), parse_cycle_spec(text)), lanes, cores);
    const std::uint64_t most = model.solve(report.cycles);
    std::uint64_t counted = 0; // that the lengths of words decide
    for (const auto& l : model.level) counted += l.at_down + l.at_up;
    const std::uint64_t least = most - (report.cycles + 1) * (counted + model.coarsest);
    EXPECT_LE(*report.clocks, most) << text << ", level " << level << ", lanes " << lanes << ", cores " << cores;
    EXPECT_GE(*report.clocks, least) << text << ", level " << level << ", lanes " << lanes << ", cores " << cores;
    if (level == 7 && lanes == 1) {
        EXPECT_GT(static_cast<double>(least), 0.9 * static_cast<double>(most));
    }
}
TEST(SystemcCycle, TakesTheClocksThatItsStagesAddUpTo) {
    for (const int lanes : {1, 4, 64})
        for (const char* const text : {"b2,w=10", "v11,w=8,f=8,e=12", "v22,w=10"})
            for (const std::size_t level : {4, 6, 7}) expect_clocks(text, level, lanes);
}
TEST(SystemcCycle, CoresTakeTheClocksOfTheLargestSlabAndOfSharing) {
    for (const int cores : {2, 3, 4})
        for (const int lanes : {1, 4})
            for (const std::size_t level : {4, 6, 7}) expect_clocks("v12,w=10,f=16", level, lanes, cores);
    expect_clocks("b2,w=10", 7, 1, 2);
}

TEST(SystemcCycle, RefusesLanesThatItDoesNotHave) {
    sim::SystemcOptions options;
    options.cycle_lanes = 3;
    const System system = system_of(test::word_grid(4));
    EXPECT_THROW(static_cast<void>(sim::make_systemc_engine(options)->cycles(system, parse_cycle_spec("b2"), {})),
                 InvalidInput);
    options.cycle_lanes = 1;
    options.cycle_cores = 17;
    EXPECT_THROW(static_cast<void>(sim::make_systemc_engine(options)->cycles(system, parse_cycle_spec("b2"), {})),
                 InvalidInput);
}

} // namespace
} // namespace mantissa
