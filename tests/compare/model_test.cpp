// The time/area model against figures worked out by hand for a device made up to have round ones.
#include <gtest/gtest.h>

#include "compare/model/model.hpp"
#include "mantissa/partition/cuts.hpp"

namespace {

using namespace mantissa;
using namespace mantissa::compare;

Device device() {
    Device d;
    d.id = "toy";
    d.target = "xc2v";
    d.slices = 1000;
    d.blocks = 20;
    d.memory_bits = 10'000;
    return d;
}

/// 100 rows of 100; one core takes 10,000 clocks of streaming and 400 more.
Workload work() {
    return {.unknowns = 10'000,
            .row_length = 100,
            .cycles_per_pass = 10'400,
            .iterations = 50,
            .outer = 5,
            .host_seconds = 0.01};
}

TEST(Traffic, CountsTheWordsOfAPass) {
    const DatapathSpec s17 = parse_spec("s17e8"); // 26 bits, 4 bytes
    const Traffic streamed = traffic_of(s17, false, false), constant = traffic_of(s17, true, false);
    EXPECT_EQ(streamed.words, 17);
    EXPECT_EQ(streamed.bits, 17U * 26U); // FCCM'06 Table 5 counts 17 words too
    EXPECT_EQ(streamed.bytes, 68);
    EXPECT_EQ(constant.words, 8);
    EXPECT_EQ(constant.bytes, 32);
    EXPECT_EQ(streamed.vector_bytes, 16);
    EXPECT_DOUBLE_EQ(traffic_of(s17, false, true).bytes, 17 * 26 / 8.0);
    const DatapathSpec mixed = parse_spec("s14e8,u=s23e8,row=s20e8"); // 23 bits, u 32
    EXPECT_EQ(traffic_of(mixed, false, false).bytes, 2 * 4 + 6 * 3 + 9 * 3);
    EXPECT_EQ(traffic_of(mixed, false, false).vector_bytes, 4 + 3 * 3);
    // A block of MX words has a scale, a 32nd of eight bits a number.
    const DatapathSpec blocks = parse_spec("s23e8,p=mxfp6_e2m3,coef=mxint8,order=flux");
    EXPECT_DOUBLE_EQ(traffic_of(blocks, false, false).bytes, 6 * 4 + 6 * (1 + 1 / 32.0));
    EXPECT_DOUBLE_EQ(traffic_of(blocks, false, true).bytes, (6 * 32 + 2 * 6.25 + 4 * 8.25) / 8);
    EXPECT_EQ(traffic_of(blocks, true, false).bits, 6 * 32 + 13);
    EXPECT_EQ(traffic_of(mixed, false, false).bits, 2U * 32 + 15U * 23);
}

TEST(Traffic, RowsOfDifferencesStreamFewerBands) {
    const Traffic flux = traffic_of(parse_spec("s17e8,order=flux"), false, false);
    EXPECT_EQ(flux.words, 12);
    EXPECT_EQ(flux.bytes, 12 * 4);
    EXPECT_EQ(traffic_of(parse_spec("s17e8,order=second-difference"), false, false).words, 8);
    const Traffic words = traffic_of(parse_spec("fx18.16,u=fx32.30"), false, false); // 18 bits, u 32
    EXPECT_EQ(words.bits, 2U * 32 + 10U * 18); // four couplings, as rows of integers take them
    EXPECT_EQ(words.bytes, 2 * 4 + 10 * 3);
}

TEST(Fit, NamesTheScarcestResource) {
    EXPECT_EQ(cores_that_fit({100, 0, 0}, device(), 0.85).cores, 8U); // 850 slices
    EXPECT_EQ(cores_that_fit({100, 0, 0}, device(), 0.85).bound, "logic");
    EXPECT_EQ(cores_that_fit({100, 7, 0}, device(), 0.85).cores, 2U);
    EXPECT_EQ(cores_that_fit({100, 7, 0}, device(), 0.85).bound, "blocks");
    EXPECT_EQ(cores_that_fit({100, 7, 6000}, device(), 0.85).cores, 1U);
    EXPECT_EQ(cores_that_fit({100, 7, 6000}, device(), 0.85).bound, "memory");
    EXPECT_EQ(cores_that_fit({851, 0, 0}, device(), 0.85).cores, 0U);
    EXPECT_EQ(cores_that_fit({100, 21, 0}, device(), 0.85).cores, 0U);
}

TEST(Estimate, OneCoreTakesItsCountedClocks) {
    const DatapathSpec s = parse_spec("s17e8");
    const Estimate e = estimate({100, 5, 1000}, s, traffic_of(s, false, false), work(), device(), 1, 1e6);
    EXPECT_DOUBLE_EQ(e.pass_clocks, 10'400);
    EXPECT_DOUBLE_EQ(e.pass_seconds, 0.0104);
    EXPECT_DOUBLE_EQ(e.seconds_inner, 0.52);
    EXPECT_DOUBLE_EQ(e.seconds_host, 0.05);
    EXPECT_DOUBLE_EQ(e.seconds_link, 0);
    EXPECT_DOUBLE_EQ(e.seconds, 0.57);
    EXPECT_DOUBLE_EQ(e.pass_bytes, 680'000);
    EXPECT_DOUBLE_EQ(e.area_share, 0.25); // 5 of 20 blocks
    EXPECT_DOUBLE_EQ(e.area_time, 0.1425);
    EXPECT_EQ(e.bound, "clock");
}

TEST(Estimate, SeveralCoresSplitTheRowsAndAddTheirSums) {
    const DatapathSpec fixed = parse_spec("s17e8,dot=fixed[13:-50]"), wide = parse_spec("s17e8");
    const Estimate e = estimate({100, 5, 1000}, fixed, traffic_of(fixed, false, false), work(), device(), 4, 1e6);
    // 2500 elements and two rows of 100 beside the strip; 400 clocks less the row of 100 that runs out; a tree of two
    // levels, a clock each.
    EXPECT_DOUBLE_EQ(e.pass_clocks, 2700 + 300 + 2);
    EXPECT_DOUBLE_EQ(e.pass_bytes, 4 * 2700 * 68.0);
    EXPECT_DOUBLE_EQ(e.area_share, 1.0);
    const Estimate f = estimate({100, 5, 1000}, wide, traffic_of(wide, false, false), work(), device(), 4, 1e6);
    EXPECT_GT(f.pass_clocks, e.pass_clocks + 4); // an adder of s52e11 takes several clocks a level
}

TEST(Estimate, LanesShortenTheStreamOnly) {
    const DatapathSpec s = parse_spec("s17e8,dot=fixed[13:-50],lanes=2");
    Workload w = work();
    w.cycles_per_pass = 5'450; // 5000 streaming, 450 more
    EXPECT_DOUBLE_EQ(estimate({}, s, traffic_of(s, false, false), w, device(), 1, 1e6).pass_clocks, 5'450);
    EXPECT_DOUBLE_EQ(estimate({}, s, traffic_of(s, false, false), w, device(), 2, 1e6).pass_clocks,
                     2500 + 100 + 400 + 1);
}

TEST(Estimate, PinsAndBandwidthSlowTheStreamNotTheScalarUnit) {
    const DatapathSpec s = parse_spec("s17e8");
    const Traffic t = traffic_of(s, false, false);
    Device d = device();
    d.pins = 221; // half of 442
    Estimate e = estimate({100, 5, 1000}, s, t, work(), d, 1, 1e6);
    EXPECT_EQ(e.bound, "io");
    EXPECT_DOUBLE_EQ(e.pass_seconds, 0.02 + 0.0004);
    d.pins = 442;
    EXPECT_EQ(estimate({100, 5, 1000}, s, t, work(), d, 1, 1e6).bound, "clock");
    d.bandwidth = 6.8e6; // 680,000 bytes in 0.1 s
    e = estimate({100, 5, 1000}, s, t, work(), d, 1, 1e6);
    EXPECT_EQ(e.bound, "bandwidth");
    EXPECT_DOUBLE_EQ(e.pass_seconds, 0.1 + 0.0004);
    d.link = 1.6e6; // 16 bytes an element: 0.1 s a step
    EXPECT_DOUBLE_EQ(estimate({100, 5, 1000}, s, t, work(), d, 1, 1e6).seconds_link, 0.5);
}

TEST(Estimates, StopWhereFurtherCoresGainNothing) {
    const DatapathSpec s = parse_spec("s17e8,dot=fixed[13:-50]");
    const Traffic t = traffic_of(s, false, false);
    Fit fit;
    auto list = estimates({100, 5, 1000}, s, t, work(), device(), 0.85, 1e6, fit);
    ASSERT_EQ(list.size(), 3U); // 1, 2 and 4: the blocks run out
    EXPECT_EQ(fit.cores, 4U);
    EXPECT_EQ(list.back().cores, 4U);
    EXPECT_EQ(list.back().bound, "blocks");
    EXPECT_EQ(list.front().bound, "clock");

    Device d = device();
    d.pins = 442; // enough for one core's stream
    list = estimates({100, 5, 1000}, s, t, work(), d, 0.85, 1e6, fit);
    ASSERT_EQ(list.size(), 1U);
    EXPECT_EQ(list.back().cores, 1U);
    EXPECT_EQ(list.back().bound, "io"); // it does not wait; a second core would

    EXPECT_TRUE(estimates({1000, 5, 1000}, s, t, work(), device(), 0.85, 1e6, fit).empty());
    EXPECT_EQ(fit.bound, "logic");
}

TEST(Pareto, KeepsWhatNothingDominates) {
    using Front = std::vector<bool>;
    EXPECT_EQ(pareto_front({{1, 5}, {2, 3}, {2, 4}, {3, 3}, {4, 1}}), (Front{true, true, false, false, true}));
    EXPECT_EQ(pareto_front({{4, 1}, {1, 5}, {4, 2}, {5, 1}}), (Front{true, true, false, false}));
    EXPECT_EQ(pareto_front({{1, 1}, {1, 1}}), (Front{true, true}));
    EXPECT_EQ(pareto_front({}), Front{});
}

// A grid in strips: what a partition says and what the closed form says.
TEST(PartLoads, OfStripsAreTheClosedForm) {
    const DatapathSpec s = parse_spec("s17e8");
    for (const std::uint32_t cores : {1U, 4U, 5U, 10U, 20U}) { // of 100 rows
        const PartLoads cut = part_loads(cut_strips(100, 100, cores)), closed = strip_loads(10'000, 100, cores);
        EXPECT_EQ(cut.cores, cores);
        EXPECT_DOUBLE_EQ(cut.slowest.streamed(), closed.slowest.streamed());
        EXPECT_DOUBLE_EQ(cut.slowest.rows, closed.slowest.rows);
        EXPECT_DOUBLE_EQ(cut.slowest.received, closed.slowest.received);
        const auto at = [&](const auto& loads) {
            return estimate({100, 5, 1000}, s, traffic_of(s, false, false), work(), device(), loads, 1e6);
        };
        const Estimate before = at(std::uint64_t{cores}), now = at(cut);
        EXPECT_DOUBLE_EQ(now.pass_clocks, before.pass_clocks);
        EXPECT_DOUBLE_EQ(now.pass_seconds, before.pass_seconds);
        EXPECT_DOUBLE_EQ(now.seconds, before.seconds);
        // The first and the last strip have one neighbour.
        EXPECT_DOUBLE_EQ(before.pass_bytes - now.pass_bytes, cores == 1 ? 0 : 68.0 * 200);
    }
}

// A matrix whose second part is twice as long as the first: the pass waits for it.
TEST(PartLoads, ThePassWaitsForTheSlowestPart) {
    const CompressedRows path({0, 2, 5, 8, 11, 14, 16}, {0, 1, 0, 1, 2, 1, 2, 3, 2, 3, 4, 3, 4, 5, 4, 5},
                              {2, -1, -1, 2, -1, -1, 2, -1, -1, 2, -1, -1, 2, -1, -1, 2});
    const std::vector<std::uint32_t> owner = {0, 0, 1, 1, 1, 1};
    const PartLoads loads = part_loads(Partition(path, owner, 2));
    EXPECT_DOUBLE_EQ(loads.slowest.rows, 4);
    EXPECT_DOUBLE_EQ(loads.slowest.nonzeros, 11);
    EXPECT_DOUBLE_EQ(loads.slowest.sent, 1);
    EXPECT_DOUBLE_EQ(loads.slowest.received, 1);
    EXPECT_DOUBLE_EQ(loads.slowest.streamed(), 5);
    EXPECT_DOUBLE_EQ(loads.streamed, 8);
}

} // namespace
