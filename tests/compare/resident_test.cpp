// Designs whose vectors stay on the chip: memories, lanes and time against figures worked out by hand.
#include <gtest/gtest.h>

#include "compare/join.hpp"
#include "mantissa/format.hpp"
#include "written.hpp"

namespace {

using namespace mantissa;
using namespace mantissa::compare;

using Counted = std::map<int, double>;
using Mapped = std::map<int, CoreArea>;

const Provenance kHere{"0", "commit", "machine", "date", "command"};

/// A toy with one kind of memory: 512 words of 36 bits to 2,048 of 9.
Device device(std::uint64_t blocks_of_memory) {
    Device d;
    d.id = "toy";
    d.target = "xc2v";
    d.slices = 100'000;
    d.blocks = 100;
    d.memories = {{"block RAM", blocks_of_memory, 36, 512, 9}};
    return d;
}

TEST(ResidentWords, ArePackedToBits) {
    const DatapathSpec spec = parse_spec("fx18.16,u=fx25.21");
    EXPECT_EQ(resident_words(spec, true, 64).pass, 25U + 3U * 18U);
    EXPECT_EQ(resident_words(spec, false, 64).pass, 25U + 7U * 18U); // four couplings
    EXPECT_EQ(resident_words(spec, true, 64).outer, 128U);
}

TEST(ChipMemory, TakesTheShapeThatFits) {
    EXPECT_EQ(memories_for({72, 0}, 512, 1, 1, 0, device(10)).used.front(), 2U);
    EXPECT_EQ(memories_for({72, 0}, 1024, 1, 1, 0, device(10)).used.front(), 4U);     // 18 bits wide, or two deep
    EXPECT_EQ(memories_for({72, 0}, 1024, 1, 2, 0, device(10)).used.front(), 4U);     // two lanes, half as deep
    EXPECT_EQ(memories_for({72, 0}, 1024, 2, 1, 0, device(10)).used.front(), 8U);     // of each core
    EXPECT_EQ(memories_for({72, 0}, 512, 1, 1, 20'000, device(10)).used.front(), 4U); // two of the core's own
}

TEST(ChipMemory, SaysWhetherBitsOrPortsAreShort) {
    // 3 x 18,432 bits against 1,000 elements of 72: too few bits.
    EXPECT_EQ(memories_for({72, 0}, 1000, 1, 1, 0, device(3)).lacks, "memory");
    // Ten elements of 144 bits are few bits, but four words of 36 at the same clock.
    EXPECT_EQ(memories_for({144, 0}, 10, 1, 1, 0, device(3)).lacks, "ports");
    EXPECT_EQ(memories_for({144, 0}, 10, 1, 1, 0, device(4)).lacks, "");
    Device none;
    EXPECT_EQ(memories_for({1, 0}, 10, 1, 1, 0, none).lacks, "memory");
}

TEST(ChipMemory, WordsOfTheOuterLoopFillWhatIsLeftOfDeepMemories) {
    Device d = device(1);
    d.memories.push_back({"UltraRAM", 1, 72, 4096, 72});
    const MemoryUse use = memories_for({72, 128}, 1024, 1, 1, 0, d);
    EXPECT_EQ(use.lacks, "");
    EXPECT_EQ(use.used, (std::vector<std::uint64_t>{0, 1})); // one word of the pass, 128 of 3 x 72 bits after it
    EXPECT_EQ(use.turns, 3U);                                // its port visits three words of an element
    EXPECT_EQ(memories_for({72, 128}, 4096, 1, 1, 0, d).lacks, "memory");
}

TEST(LaneArea, LiesOnALineBetweenAndBeyondWhatWasMapped) {
    const LaneArea area(Mapped{{1, {100, 6, 1000}}, {4, {250, 24, 1000}}, {16, {850, 96, 4000}}});
    EXPECT_EQ(area.at(4).slices, 250U);
    EXPECT_EQ(area.at(2).slices, 150U);
    EXPECT_EQ(area.at(2).blocks, 12U);
    EXPECT_EQ(area.at(64).slices, 850U + 48U * 50U);
    EXPECT_EQ(area.at(64).memory_bits, 4000U + 48U * 250U);
    EXPECT_TRUE(area.is_mapped(16));
    EXPECT_FALSE(area.is_mapped(64));
    EXPECT_EQ(LaneArea(Mapped{{1, {100, 6, 0}}}).at(8).blocks, 48U);
}

TEST(FixedClocks, GrowWithTheLogarithmOfTheLanes) {
    const FixedClocks fixed(Counted{{1, 60}, {64, 90}});
    EXPECT_DOUBLE_EQ(fixed.at(1), 60);
    EXPECT_DOUBLE_EQ(fixed.at(8), 75);
    EXPECT_DOUBLE_EQ(FixedClocks(Counted{{1, 60}}).at(32), 60);
}

/// 64 rows of 64; 50 iterations in 5 steps.
ResidentWork work() {
    return {4096, 64, 50, 5, 0, {72, 0}};
}
/// A core whose outer unit and control take no area.
ResidentCore core(const CoreArea& lane, double fixed) {
    return {LaneArea(Mapped{{1, lane}}),
            LaneArea(Mapped{{1, {0, 0, 0}}}),
            {},
            FixedClocks(Counted{{1, fixed}}),
            FixedClocks(Counted{{1, 2 * fixed}})};
}

TEST(Resident, TimeIsPassesAndTraversals) {
    std::string why_not;
    const auto list = resident_estimates(core({100, 6, 0}, 100), work(), device(1000), 0.85, 1e6, why_not);
    ASSERT_FALSE(list.empty());
    const ResidentEstimate& one = list.front();
    EXPECT_EQ(one.lanes, 1);
    EXPECT_DOUBLE_EQ(one.pass_clocks, 4096 + 64 + 100);
    EXPECT_DOUBLE_EQ(one.outer_clocks, 2 * 4260);
    EXPECT_DOUBLE_EQ(one.seconds, (50 * one.pass_clocks + 5 * one.outer_clocks) / 1e6);
    EXPECT_DOUBLE_EQ(one.area_share, 6.0 / 100);
    EXPECT_EQ(one.bound, "lanes");
    // 100 multipliers hold 16 lanes of six.
    const ResidentEstimate& best = list.back();
    EXPECT_EQ(best.cores * static_cast<std::uint64_t>(best.lanes), 16U);
    EXPECT_EQ(best.bound, "blocks");
    EXPECT_DOUBLE_EQ(best.pass_clocks, 4096.0 / 16 + 4 + 100);
    for (std::size_t i = 1; i < list.size(); ++i) EXPECT_LT(list[i].seconds, list[i - 1].seconds);
}

TEST(Resident, OuterUnitTakesAreaAndTime) {
    ResidentCore c = core({100, 1, 0}, 100);
    c.outer = LaneArea(Mapped{{1, {50, 2, 0}}});
    c.control = {30, 0, 0};
    ResidentWork w = work();
    w.formed_again = 3;
    w.row_length = 8;
    Device d = device(1000);
    d.slices = 1000; // 850: eight lanes and one of the outer unit are 880
    std::string why_not;
    const auto list = resident_estimates(c, w, d, 0.85, 1e6, why_not);
    const ResidentEstimate& one = list.front();
    EXPECT_EQ(one.area.slices, 180U);
    EXPECT_EQ(one.area.blocks, 3U);
    EXPECT_DOUBLE_EQ(one.seconds_outer, (5 * (2 * 4104 + 200) + 3 * 4104) / 1e6);
    const ResidentEstimate& four = *std::find_if(list.begin(), list.end(), [](const auto& e) { return e.lanes == 4; });
    EXPECT_EQ(four.outer_lanes, 4);
    EXPECT_EQ(four.area.slices, 630U);
    for (const ResidentEstimate& e : list) EXPECT_LE(e.area.slices, 850U);
}

TEST(Resident, NamesWhatHoldsItBack) {
    std::string why_not;
    const auto bound = [&](const Device& d, double fixed) {
        const auto list = resident_estimates(core({100, 1, 0}, fixed), work(), d, 0.85, 1e6, why_not);
        return list.empty() ? "none: " + why_not : list.back().bound;
    };
    Device small = device(100'000);
    small.slices = 1000;
    EXPECT_EQ(bound(small, 10), "logic");
    EXPECT_EQ(bound(device(40), 10), "ports"); // 295 Kbit of 737 are there, but words of 72 bits for each lane
    EXPECT_EQ(bound(device(15), 10), "none: memory");
    Device large = device(1'000'000);
    large.blocks = 1'000'000;
    large.slices = 1'000'000'000;
    EXPECT_EQ(bound(large, 1e6), "fixed clocks");
}

TEST(Resident, SeveralCoresStreamTheirNeighboursRowsAndAddTheirSums) {
    std::string why_not;
    ResidentWork w = work();
    w.row_length = 1; // one lane a core
    const auto list = resident_estimates(core({100, 10, 0}, 100), w, device(1000), 0.85, 1e6, why_not);
    const ResidentEstimate& best = list.back();
    EXPECT_EQ(best.cores, 10U);
    EXPECT_DOUBLE_EQ(best.pass_clocks, 409.6 + 2 + 100 + 2 * 4);
}

constexpr const char* kProblem = "poisson2d:level=5";
constexpr const char* kSpec = "fx18.16,u=fx25.21";

Comparison comparison(const std::string& more = "") {
    return parse_comparison(R"(
problem = "poisson2d:level=5"
device = ["xc2v8000", "alveo-u280"]
[[design]]
spec = ["s23e8", "fx18.16,u=fx25.21"]
[[design]]
spec = "fx18.16,u=fx25.21"
bands = "constant"
resident = true
)" + more,
                            "c.toml", "");
}

Gathered gathered(const Comparison& c) {
    Gathered g;
    g.problems[kProblem] = {1089, 33, "stencil"};
    g.host_step[kProblem] = {1e-4, g.origins.add({"measured", "step", kHere})};
    for (const Design& design : c.designs) {
        SolveResult r;
        r.status = Status::converged;
        r.inner_iterations = design.resident ? 160 : 150;
        r.outer_iterations = 15;
        g.solves[{kProblem, design.key()}] = {
            {{"emulated", 10, r}, g.origins.add({"measured", "solve " + design.key(), kHere})}};
        for (const int lanes : {1, 4, 16, 32}) {
            const std::string spec = to_string(with_lanes(design.spec, lanes));
            const std::string origin = g.origins.add({"measured", "clocks " + spec, kHere});
            const double counted = kCountedElements / lanes;
            g.cycles.insert_or_assign(ProblemSpec{kProblem, spec},
                                      Sourced<CycleFigures>{{1122.0 / lanes + 80, 0, "rtl", 4}, origin});
            g.cycles.insert_or_assign(ProblemSpec{kCountedOn, resident_key(spec)},
                                      Sourced<CycleFigures>{{counted + 80, 0, "rtl", 8, 2 * counted + 200}, origin});
            for (const char* target : {"xc2v", "xcup"})
                for (const char* part : {"core", "inner", "outer", "resident"}) {
                    const auto n = static_cast<std::uint64_t>(lanes);
                    const bool whole = part == std::string("resident");
                    const AreaFigures area{
                        2000, 0,   0,       (whole ? 3100 : 1000) + 500 * n, (whole ? 13 : 6) * n, 18432, 500,
                        60,   120, "a -> b"};
                    g.areas.insert_or_assign(CoreKey{spec, target, "block", "streamed", part},
                                             Sourced<AreaFigures>{area, g.origins.add({"measured", spec, kHere})});
                }
        }
    }
    return g;
}

TEST(Resident, RowsStandBesideThoseOfStreamedDesigns) {
    const Comparison c = comparison();
    ASSERT_EQ(c.designs.size(), 3U); // the same words twice: streamed and resident
    Gathered g = gathered(c);
    const auto rows = join(c, g, kHere);
    const results::Json d = written(comparison_document(c, g, rows, {}, kHere));
    std::size_t resident = 0;
    for (const results::Json& row : d["rows"]) {
        if (row["resident"].is_null()) continue;
        ++resident;
        EXPECT_EQ(row["spec"], kSpec);
        EXPECT_EQ(row["inner_iterations"], 160);
        for (const results::Json& field : row["modelled"]) EXPECT_TRUE(row.contains(field.get<std::string>())) << field;
        EXPECT_FALSE(row["resident"]["memories"].empty());
        const double lanes = row["lanes"].get<double>();
        if (row["cores"] == 1) {
            EXPECT_NEAR(row["cycles_per_iteration"].get<double>(), 1122 / lanes + 80, 1e-6);
        }
        for (const results::Json& id : row["origins"]) EXPECT_TRUE(d["origins"].contains(id.get<std::string>())) << id;
    }
    EXPECT_GE(resident, 4U);
    for (const results::Json& best : d["best"]) // no host waits for an outer step
        EXPECT_TRUE(best["by"] != "time" || best["resident"].get<bool>()) << best["device"];
    const auto& assumptions = d["assumptions"];
    EXPECT_TRUE(std::any_of(assumptions.begin(), assumptions.end(), [](const results::Json& a) {
        return a.get<std::string>().find("Modelled only: more lanes and several cores") != std::string::npos;
    })) << "what is only modelled is said";
    EXPECT_NE(comparison_text(comparison::document_from_json(d)).find("resident"), std::string::npos);
}

TEST(Resident, WhatDoesNotFitIsAGap) {
    Comparison c = comparison();
    c.devices[0].memories = {{"block RAM", 1, 36, 512, 9}};
    Gathered g = gathered(c);
    const auto rows = join(c, g, kHere);
    for (const Row& row : rows) EXPECT_FALSE(row.resident && row.device == 0);
    EXPECT_TRUE(std::any_of(g.gaps.begin(), g.gaps.end(),
                            [](const Gap& gap) { return gap.why.find("memory") != std::string::npos; }));
}

TEST(Resident, GivenFixedClocksStandInForCountedOnes) {
    const Comparison c = comparison("fixed_clocks = 500\n");
    Gathered g = gathered(c);
    for (const Row& row : join(c, g, kHere))
        if (row.resident && row.resident->lanes == 1 && row.resident->cores == 1) {
            EXPECT_DOUBLE_EQ(row.estimate.pass_clocks, 1089 + 33 + 500);
            EXPECT_TRUE(std::find(row.modelled.begin(), row.modelled.end(), "cycles_per_iteration") !=
                        row.modelled.end());
        }
}

} // namespace
