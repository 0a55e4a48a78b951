// One core, one clock: the model's with its factor for the family, or the median of place and route.
#include <fstream>
#include <map>
#include <regex>
#include <string>

#include <gtest/gtest.h>

#include "compare/comparison_store.hpp"
#include "findings/findings.hpp"
#include "scratch.hpp"
#include "synthesis/core_clock.hpp"
#include "synthesis/kept/synthesis_store.hpp"

namespace mantissa::synthesis {
namespace {

TEST(CoreClock, TheModelsTimeIsMultipliedByTheFamilysFactor) {
    EXPECT_DOUBLE_EQ(modelled_clock("ecp5", 125, "a -> b").mhz, 125);
    EXPECT_DOUBLE_EQ(modelled_clock("xc2v", 125, "a -> b").mhz, 125 / 1.5);
    const CoreClock clock = core_clock("xc2v", 125, "a -> b", {});
    EXPECT_DOUBLE_EQ(clock.mhz, 125 / 1.5);
    EXPECT_EQ(clock.kind, "modelled");
    EXPECT_EQ(clock.derivation, "a -> b; 8.00 ns with the delays of an ECP5, times 1.5 assumed for xc2v");
    EXPECT_EQ(core_clock("ecp5", 125, "a -> b", {}).derivation, "a -> b; 8.00 ns with the delays of an ECP5");
}

TEST(CoreClock, PlaceAndRouteWinsOverTheModel) {
    const CoreClock one = core_clock("ecp5", 125, "a -> b", {{3, 140, "c -> d"}});
    EXPECT_EQ(one.mhz, 140);
    EXPECT_EQ(one.kind, "measured");
    EXPECT_EQ(one.derivation, "placed and routed on an LFE5U-85F of speed grade 8, seed 3");
    // Of an even number the slower of the middle two.
    const CoreClock four = core_clock("ecp5", 125, "", {{1, 130, ""}, {4, 140, ""}, {2, 150, ""}, {3, 160, ""}});
    EXPECT_EQ(four.mhz, 140);
    EXPECT_NE(four.derivation.find("median of 4 seeds, of seed 4"), std::string::npos) << four.derivation;
}

TEST(CoreClock, ThePageListsTheFactors) {
    std::ifstream page(MANTISSA_SYNTHESIS_PAGE);
    std::map<std::string, double> listed;
    const std::regex row(R"(\| (xc2v|xc7|xcup|ecp5) \| ([0-9.]+) \| .*)");
    for (std::string line; std::getline(page, line);)
        if (std::smatch found; std::regex_match(line, found, row)) listed[found[1]] = std::stod(found[2]);
    EXPECT_EQ(listed.size(), 4u);
    for (const auto& [target, factor] : listed) EXPECT_EQ(delay_ratio(target), factor) << target;
}

TEST(CoreClock, StoredPlacementsAreThoseOfTheSameNetlist) {
    const Scratch scratch;
    const std::string store = scratch.path("s");
    const Provenance from{"1", "c", "m", "2026-01-01", "cmd"};
    const SynthesisKey now{"s17e8", "ecp5", "block", "core", "tool", "now"};
    SynthesisKey before = now;
    before.sources = "before";
    SynthesisFigures f;
    f.model_mhz = 100;
    put_synthesis(store, now, f, from);
    put_placement(store, before, "placer", {1, 90, "x"}, from);
    put_placement(store, now, "placer", {2, 150, "y"}, from);
    put_placement(store, now, "placer", {1, 140, "z"}, from);
    const auto all = find_placements(store, now, "placer");
    ASSERT_EQ(all.size(), 2u);
    EXPECT_EQ(all[0].mhz, 140) << "slowest first";
    const compare::ComparisonStore documents(store);
    const auto known = documents.newest_synthesis({"s17e8", "ecp5", "block"});
    ASSERT_TRUE(known);
    EXPECT_EQ(documents.placements({"s17e8", "ecp5", "block"}, known->sources).size(), 2u);
}

} // namespace
} // namespace mantissa::synthesis
