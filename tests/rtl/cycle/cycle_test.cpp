// The cycle core with one lane.
#include "Vcycle_b1w6.h"
#include "Vcycle_b2_stretched.h"
#include "Vcycle_b2w10.h"
#include "Vcycle_b2w12.h"
#include "Vcycle_b2w8.h"
#include "Vcycle_b3w12.h"
#include "Vcycle_v11w10.h"
#include "Vcycle_v11w8.h"
#include "Vcycle_v12w10.h"
#include "Vcycle_v13w16.h"
#include "Vcycle_v22_stretched.h"
#include "Vcycle_v22w10.h"
#include "cycle_bench.hpp"

namespace mantissa {
namespace {

using namespace test;

// name, spec, largest level, stretched
#define CYCLES(X)                                                                                                      \
    X(b2w10, "b2,w=10", 7, false)                                                                                      \
    X(b2w8, "b2,w=8", 7, false)                                                                                        \
    X(b2w12, "b2,w=12", 7, false)                                                                                      \
    X(v11w10, "v11,w=10", 7, false)                                                                                    \
    X(v12w10, "v12,w=10,f=16", 6, false)                                                                               \
    X(b1w6, "b1,w=6,f=9", 6, false)                                                                                    \
    X(b3w12, "b3,w=12,f=18,e=20,g=0", 6, false)                                                                        \
    X(v11w8, "v11,w=8,f=8,e=12", 6, false)                                                                             \
    X(v22w10, "v22,w=10", 6, false)                                                                                    \
    X(v13w16, "v13,w=16,f=22,e=24,g=6", 6, false)                                                                      \
    X(b2_stretched, "b2,w=10", 6, true)                                                                                \
    X(v22_stretched, "v22,w=9", 6, true)

#define CYCLE_TEST(name, text, most, stretched)                                                                        \
    TEST(CycleCore, HasTheReferencesBits_##name) {                                                                     \
        compare_cycles<Vcycle_##name>(text, most, stretched);                                                          \
    }                                                                                                                  \
    TEST(CycleCore, SolvesAsTheReferenceDoes_##name) {                                                                 \
        for (int level = 3; level <= (most); ++level) compare_solve<Vcycle_##name>(text, level, stretched);            \
    }

CYCLES(CYCLE_TEST)

using Small = Core<Vcycle_b2w10>;

TEST(CycleCore, SaysWhatItIs) {
    Small core;
    EXPECT_EQ(core.read(kId), 0x4D544301U);
    EXPECT_EQ(core.read(kConfig), 7U << 8 | 2U << 16);
    EXPECT_EQ(core.read(kStatus) & 15, 0U);
}

TEST(CycleCore, EndsWhereThereIsNothingToDo) {
    Small core;
    core.write(kLevel, 3);
    core.load(Integers(81, 0));
    EXPECT_EQ(core.run(5, false), kExact);
    EXPECT_EQ(core.read(kCount), 0U);
    EXPECT_EQ(core.history_, std::vector<multilevel::WordVerdict>(1));
    EXPECT_EQ(core.take(81), Integers(81, 0));
}

TEST(CycleCore, EndsWithItsCycles) {
    Small core;
    const Integers b = defect(8, Kind::noise);
    core.write(kLevel, 3);
    core.load(b);
    EXPECT_EQ(core.run(2, false), kEndCycles); // LIMIT is zero
    EXPECT_EQ(core.read(kCount), 2U);
    Integers u;
    multilevel::WordRequest request;
    request.most_cycles = 2;
    static_cast<void>(
        multilevel::make_reference_word_solver(test::word_grid(3), parse_cycle_spec("b2,w=10"))->solve(b, request, u));
    EXPECT_EQ(core.take(b.size()), u);
}

TEST(CycleCore, EndsWhereAWordIsTooLong) {
    const multilevel::GridWords grid = test::word_grid(5);
    Integers b = test::word_right_hand_side(grid, 58), u;
    for (std::int64_t& word : b) word = word < 0 ? -(std::int64_t{1} << 59) : std::int64_t{1} << 59;
    const multilevel::WordOutcome wanted =
        multilevel::make_reference_word_solver(grid, parse_cycle_spec("b2,w=10"))->solve(b, {}, u);
    ASSERT_EQ(wanted.end, CycleSolveEnd::overflow);
    Small core;
    core.write(kLevel, 5);
    core.load(b);
    EXPECT_EQ(core.run(100, false), kOverflow);
    EXPECT_EQ(core.read(kCount), wanted.cycles);
    EXPECT_EQ(core.history_, wanted.history);
}

TEST(CycleCore, RefusesWhatItCannotRun) {
    Small core;
    core.write(kLevel, 3);
    EXPECT_EQ(core.run(1, true), kFault) << "nothing was loaded";
    core.load_words(Integers(63, 1));
    EXPECT_EQ(core.run(1, true), kFault) << "a node too few";
    core.load_words(Integers(65, 1));
    EXPECT_EQ(core.run(1, true), kFault) << "a node too many";
    core.load_words(Integers(64, 1));
    EXPECT_EQ(core.run(0, true), kFault) << "no cycles";
    core.load_words(Integers(64, 1));
    core.write(kLevel, 3);
    EXPECT_EQ(core.run(1, true), kFault) << "LEVEL was written after the load";
    core.write(kLevel, 8);
    EXPECT_EQ(core.run(1, true), kFault) << "a grid too large";
    compare_cycle(core, "b2,w=10", 3, Kind::noise); // none of it leaves a trace
}

TEST(CycleCore, AnAbortLeavesNothingBehind) {
    Small core;
    for (const int clocks : {30, 300, 1500, 4000, 9000}) {
        core.write(kLevel, 5);
        core.load(defect(32, Kind::bump));
        core.write(kCycles, 100);
        core.write(kMode, 0);
        core.write(kControl, kStart);
        core.wait(clocks);
        core.write(kControl, kAbort);
        core.wait(20000);
        SCOPED_TRACE(clocks);
        EXPECT_EQ(core.read(kStatus) & 1, 0U);
        compare_cycle(core, "b2,w=10", 4, Kind::noise);
        compare_cycle(core, "b2,w=10", 5, Kind::noise);
        if (HasFatalFailure()) return;
    }
}

} // namespace
} // namespace mantissa
