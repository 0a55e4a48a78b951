// Cycle cores in a comparison: their rows, what keeps one out, a GPU's cycles, and what a file may say.
#include <cmath>
#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include "compare/compare.hpp"
#include "compare/cycle_cores/areas.hpp"
#include "compare/gather/gather.hpp"
#include "compare/join.hpp"
#include "scratch.hpp"
#include "synthesis/kept/synthesis_store.hpp"
#include "synthesis/synthesis.hpp"
#include "written.hpp"

namespace {

using namespace mantissa;
using namespace mantissa::compare;

const std::string kHead =
    "problem = \"poisson2d:level=7\"\ndevice = [\"alveo-u280\", \"xc2v8000\"]\ncpu = false\npasses = 0\n"
    "[[design]]\nspec = \"s17e8\"\narea = false\n";

results::Json document_of(const std::string& tables) {
    const Scratch scratch;
    return written(
        run_comparison(parse_comparison(kHead + tables, "c.toml", ""), {scratch.path("c.sqlite"), "test", 1, false}));
}

TEST(CycleCores, RowsTellTheCoreAndTheBusApart) {
    const results::Json d =
        document_of("[[cycle]]\ncycle = \"b2,w=10\"\nlanes = [1, 64]\ndevice = \"alveo-u280\"\ngpu = \"" +
                    std::string(MANTISSA_GPU_RESULTS) + "/word_cycles/h200-2026-11-28.json\"\n");
    ASSERT_EQ(d["cycle_cores"].size(), 2U) << d["gaps"].dump(1); // (the GPU's file begins at level 8)
    const results::Json &one = d["cycle_cores"][0], &many = d["cycle_cores"][1];
    EXPECT_EQ(one["cycles"], many["cycles"]);
    EXPECT_GT(one["cycles"].get<int>(), 8);
    const double nodes = std::ldexp(1.0, 14);
    // 2.7 N / lanes and some hundred clocks for each level and way.
    EXPECT_NEAR(one["clocks_per_cycle"].get<double>(), 8.0 / 3 * nodes + 14 * 100, 0.1 * 8.0 / 3 * nodes);
    EXPECT_LT(many["clocks_per_cycle"].get<double>(), one["clocks_per_cycle"].get<double>() / 10);
    for (const results::Json& row : d["cycle_cores"]) {
        EXPECT_DOUBLE_EQ(row["seconds"].get<double>(),
                         row["seconds_core"].get<double>() + row["seconds_link"].get<double>());
        EXPECT_TRUE(row["area_share"].is_null());
        EXPECT_EQ(row["clock_hz"], 300e6);
    }
    EXPECT_EQ(one["bus_words"], 1);
    EXPECT_DOUBLE_EQ(one["seconds_link"].get<double>(), 2 * nodes / 300e6) << "a word a clock";
    EXPECT_EQ(many["bus_words"], 16);
    EXPECT_DOUBLE_EQ(many["seconds_streams"].get<double>(), 2 * nodes / 16 / 300e6) << "16 words a clock";
    EXPECT_DOUBLE_EQ(many["seconds_link"].get<double>(), 2 * nodes * 8 / 15.75e9) << "the link is slower";
    EXPECT_NE(comparison_text(comparison::document_from_json(d)).find("Cycle cores on poisson2d:level=7"),
              std::string::npos);
}

/// Two cores take half of the rows each and some of their neighbours'; 13 that each keep 32 do not share 128 rows.
TEST(CycleCores, SeveralShareTheGrid) {
    const results::Json d = document_of("[[cycle]]\ncycle = \"v12,w=10,f=16\"\ncores = [1, 2]\nlanes = [1, 16]\n"
                                        "device = \"alveo-u280\"\n[[cycle]]\ncycle = \"v44,w=16\"\n"
                                        "cores = 13\ndevice = \"alveo-u280\"\n");
    ASSERT_EQ(d["cycle_cores"].size(), 4U) << d["gaps"].dump(1);
    const results::Json &one = d["cycle_cores"][0], &two = d["cycle_cores"][2];
    EXPECT_EQ(one["cores"], 1);
    EXPECT_EQ(two["cores"], 2);
    EXPECT_EQ(one["cycles"], two["cycles"]);
    EXPECT_LT(two["clocks_per_cycle"].get<double>(), one["clocks_per_cycle"].get<double>() / 1.4);
    EXPECT_GT(two["clocks_per_cycle"].get<double>(), one["clocks_per_cycle"].get<double>() / 2);
    EXPECT_GT(two["memory_share"].get<double>(), one["memory_share"].get<double>());
    EXPECT_NE(d["gaps"].dump().find("cores 13: a grid of 2^7 + 1 nodes a side has too few rows"), std::string::npos)
        << d["gaps"];
}

/// Runs to another tolerance are no peers, a grid that no device holds is not solved, and a file that is none of the
/// bench's is refused before any work.
TEST(CycleCores, WhatDoesNotStandBesideThemIsAGap) {
    const std::string gpu = "gpu = \"" + std::string(MANTISSA_GPU_RESULTS) + "/word_cycles/h200-2026-11-28.json\"\n";
    const std::string head = "device = \"alveo-u280\"\ncpu = false\ntolerance = 1e-4\n";
    const std::string cycle = "[[cycle]]\ncycle = \"b2,w=10\"\n";
    const auto run_on = [&](const std::string& problem) {
        const Scratch scratch;
        return written(
            run_comparison(parse_comparison("problem = \"" + problem + "\"\n" + head + cycle + gpu, "c.toml", ""),
                           {scratch.path("c.sqlite"), "test", 1, false}));
    };
    const results::Json d = run_on("poisson2d:level=8"), large = run_on("poisson2d:level=12");
    EXPECT_EQ(d["cycle_cores"].size(), 1U) << d["cycle_cores"];
    EXPECT_NE(d["gaps"].dump().find("they are to 1e-10, and the comparison to 1e-04"), std::string::npos) << d["gaps"];
    EXPECT_TRUE(large["cycle_cores"].empty());
    EXPECT_NE(large["gaps"].dump().find("Mbit, and the largest device has"), std::string::npos) << large["gaps"];
    const Scratch scratch;
    const Comparison c =
        parse_comparison("problem = \"poisson2d:level=4\"\n" + head + cycle + "gpu = \"none.json\"\n", "c.toml", "");
    EXPECT_THROW(run_comparison(c, {scratch.path("c.sqlite"), "test", 1, false}), InvalidInput);
    EXPECT_FALSE(std::filesystem::exists(scratch.path("c.sqlite"))) << "before any work";
}

TEST(CycleCores, AloneTheyHaveTheRowsThatTheyHaveBesideDesigns) {
    const Scratch scratch;
    const std::string cycle = "[[cycle]]\ncycle = \"b2,w=10\"\nlanes = [1, 64]\ndevice = \"alveo-u280\"\n";
    const std::string alone = "problem = \"poisson2d:level=7\"\ndevice = \"alveo-u280\"\ncpu = false\n" + cycle;
    const results::Json d =
        written(run_comparison(parse_comparison(alone, "c.toml", ""), {scratch.path("c.sqlite"), "test", 1, false}));
    results::Json rows = d["cycle_cores"], beside = document_of(cycle)["cycle_cores"];
    ASSERT_EQ(rows.size(), 2U) << d["gaps"].dump(1);
    for (results::Json* const list : {&rows, &beside})
        for (results::Json& row : *list) row.erase("origins"); // (numbered through the document)
    EXPECT_EQ(rows, beside);
    EXPECT_TRUE(d["designs"].empty() && d["rows"].empty() && d["best"].empty());
    const std::string text = comparison_text(comparison::document_from_json(d));
    EXPECT_EQ(text.substr(0, text.find('\n')), "c: multilevel cycles, to 1e-10");
    EXPECT_NE(text.find("Cycle cores on poisson2d:level=7"), std::string::npos) << text;
}

/// The outer loop's words are named where they are not the usual ones; no clock is above the device's highest one.
TEST(CycleCores, OuterWordsAndTheHighestClockAreHeld) {
    const Scratch scratch;
    const std::string device =
        scratch.write("slow.toml", "name = \"Slow\"\ntarget = \"xcup\"\nslices = 20000\nblocks = 900\n"
                                   "memory_bits = 90000000\nclock_mhz = 200\nmax_mhz = 100\n"
                                   "source = \"made up\"\n");
    const std::string text = "problem = \"poisson2d:level=5\"\ndevice = \"" + device + "\"\ncpu = false\n";
    std::string cycles;
    for (const char* outer : {"fx64.62", "fx64.54", "fx64.30"})
        cycles += std::string("[[cycle]]\ncycle = \"b2,w=10\"\nouter = \"") + outer + "\"\n";
    const results::Json d = written(
        run_comparison(parse_comparison(text + cycles, "c.toml", ""), {scratch.path("c.sqlite"), "test", 1, false}));
    ASSERT_EQ(d["cycle_cores"].size(), 2U) << d["gaps"].dump(1);
    for (const results::Json& row : d["cycle_cores"]) EXPECT_EQ(row["clock_hz"], 100e6);
    const std::string shown = comparison_text(comparison::document_from_json(d)), gaps = d["gaps"].dump();
    EXPECT_NE(shown.find("b2,w=10, u fx64.54 "), std::string::npos) << shown;
    EXPECT_NE(gaps.find("b2,w=10, u fx64.30 on poisson2d:level=5"), std::string::npos) << gaps;
    EXPECT_NE(gaps.find("or outer (fx64.30) more fraction bits"), std::string::npos) << gaps;
}

TEST(CycleCores, AGpusCyclesFollowTheirGrid) {
    const Scratch scratch;
    std::string head = kHead;
    head.replace(head.find("level=7"), 7, "level=8");
    const std::string cycle = "[[cycle]]\ncycle = \"b2,w=10,f=16\"\ndevice = \"alveo-u280\"\ngpu = \"" +
                              std::string(MANTISSA_GPU_RESULTS) + "/word_cycles/h200-2026-11-28.json\"\n";
    const results::Json d = written(
        run_comparison(parse_comparison(head + cycle, "c.toml", ""), {scratch.path("c.sqlite"), "test", 1, false}));
    bool found = false;
    for (const results::Json& row : d["cycle_cores"])
        if (row["cycle"] == "b2,w=10,f=16" && row["device"] == "NVIDIA H200") {
            found = true;
            EXPECT_EQ(row["cycles"], 18);
            EXPECT_TRUE(row["seconds_link"].is_null());
        }
    EXPECT_TRUE(found);
}

TEST(CycleCores, AreaIsThatOfANetlistOrOnALineThroughTwo) {
    CycleDesign design;
    design.cycle = parse_cycle_spec("b2,w=10");
    Device device;
    device.target = "xcup";
    device.slices = 10000;
    device.blocks = 50;
    Gathered gathered;
    const auto enter = [&](std::uint64_t lanes, std::uint64_t slices, std::uint64_t blocks) {
        AreaFigures figures;
        figures.slices = slices;
        figures.blocks = blocks;
        gathered.areas[key_of_cycle_core(cycle_core_request(design, "xcup", lanes, 1, 0))] = {figures, "an origin"};
        design.mapped.push_back(lanes);
    };
    EXPECT_FALSE(CycleAreas(gathered, design, device).at(1, device));
    enter(1, 500, 1);
    EXPECT_FALSE(CycleAreas(gathered, design, device).at(2, device)) << "one point makes no line";
    EXPECT_EQ(CycleAreas(gathered, design, device).at(1, device)->from, "mapped");
    enter(4, 1100, 4);
    enter(16, 3500, 16);
    const CycleAreas areas(gathered, design, device);
    EXPECT_EQ(areas.at(4, device)->slices, 1100U);
    EXPECT_DOUBLE_EQ(areas.at(4, device)->share, 0.11);
    const auto two = areas.at(2, device), many = areas.at(32, device);
    EXPECT_EQ(two->slices, 700U);
    EXPECT_EQ(two->from, "line 1, 4");
    EXPECT_EQ(many->slices, 6700U);
    EXPECT_EQ(many->multipliers, 32U);
    EXPECT_EQ(many->from, "line 4, 16");
    EXPECT_DOUBLE_EQ(many->share, 0.67) << "of slices, of which there are fewer";
    EXPECT_EQ(areas.origins().size(), 3U);
}

/// The netlists that rows take their area from stand among the cores, each with its lanes.
TEST(CycleCores, TheirNetlistsAreCoresOfTheDocument) {
    const Scratch scratch;
    const std::string store = scratch.path("c.sqlite");
    const std::string cycle = "[[cycle]]\ncycle = \"b2,w=10\"\nlanes = 8\ndevice = \"alveo-u280\"\n";
    run_comparison(parse_comparison(kHead + cycle, "c.toml", ""), {store, "test", 1, false});
    const Comparison c = parse_comparison(kHead + cycle + "mapped = [1, 4]\n", "c.toml", "");
    for (const int lanes : {1, 4}) {
        synthesis::SynthesisFigures figures;
        figures.luts = 2000U * static_cast<unsigned>(lanes);
        const auto request = cycle_core_request(c.cycles.front(), "xcup", static_cast<std::uint64_t>(lanes), 1, 7);
        put_synthesis(store, {synthesis::subject_of(request), "xcup", "block", "cycle", "a tool", "a hash", "streamed"},
                      figures, {});
    }
    const results::Json d = written(run_comparison(c, {store, "test", 1, true}));
    ASSERT_EQ(d["cores"].size(), 2U) << d["gaps"].dump(1);
    for (const results::Json& core : d["cores"]) {
        EXPECT_EQ(core["part"], "cycle");
        EXPECT_TRUE(core["spec"].get<std::string>().starts_with("b2,w=10")) << core;
        EXPECT_EQ(core["luts"], 2000 * core["lanes"].get<int>()) << core;
    }
    ASSERT_EQ(d["cycle_cores"].size(), 1U);
    EXPECT_EQ(d["cycle_cores"][0]["area_from"], "line 1, 4") << d["cycle_cores"][0];
}

/// A cycle that no problem suits is refused before anything is solved or mapped; beside one that does it is a gap.
TEST(CycleCores, ACycleThatNoProblemSuitsIsRefused) {
    const Scratch scratch;
    const auto run_on = [&](const std::string& problems) {
        return run_comparison(parse_comparison("problem = " + problems +
                                                   "\ndevice = \"alveo-u280\"\ncpu = false\n[[cycle]]\ncycle = "
                                                   "\"b2,w=10\"\n",
                                               "c.toml", ""),
                              {scratch.path("c.sqlite"), "test", 1, false});
    };
    for (const char* const problem : {"\"poisson2d:level=2\"", "\"diffusion2d:level=4\""}) try {
            run_on(problem);
            ADD_FAILURE() << problem;
        } catch (const InvalidInput& fault) {
            EXPECT_NE(std::string(fault.what()).find("cycle b2,w=10 suits no problem"), std::string::npos)
                << fault.what();
        }
    EXPECT_FALSE(std::filesystem::exists(scratch.path("c.sqlite")));
    const results::Json d = written(run_on("[\"poisson2d:level=3\", \"diffusion2d:level=4\"]"));
    EXPECT_EQ(d["cycle_cores"].size(), 1U);
    EXPECT_NE(d["gaps"].dump().find("a cycle core takes poisson2d"), std::string::npos) << d["gaps"];
}

TEST(CycleCores, WhatIsMissingIsAGap) {
    const auto gaps = [](const results::Json& d) { return d["gaps"].dump(); };
    // 2^14 nodes of some 170 bits do not fit 3 Mbit.. but do; and no clock is given for that device.
    EXPECT_NE(gaps(document_of("[[cycle]]\ncycle = \"b2,w=10\"\ndevice = \"xc2v8000\"\n")).find("clock_mhz"),
              std::string::npos);
    EXPECT_NE(gaps(document_of("[[cycle]]\ncycle = \"b2,w=10\"\nclock_mhz = 100\n")).find("area of cycle cores"),
              std::string::npos);
}

TEST(CycleCores, FilesAreCheckedLineByLine) {
    for (const char* const table :
         {"[[cycle]]\nlanes = 4\n", "[[cycle]]\ncycle = \"b2,w=10\"\nlanes = 3\n",
          "[[cycle]]\ncycle = \"b2,w=10\"\nmapped = 6\n", "[[cycle]]\ncycle = \"b2,w=10\"\nlanes = 512\n",
          "[[cycle]]\ncycle = \"b2,w=double\"\n", "[[cycle]]\ncycle = \"b2,w=10/8\"\n",
          "[[cycle]]\ncycle = \"b2\"\nouter = \"fx32.30\"\n", "[[cycle]]\ncycle = \"b2\"\ndevice = \"nothing\"\n",
          "[[cycle]]\ncycle = \"b2\"\nbogus = 1\n"})
        EXPECT_THROW(parse_comparison(kHead + table, "c.toml", ""), InvalidInput) << table;
}

} // namespace
