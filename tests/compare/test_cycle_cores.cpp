// Cycle cores in a comparison: their rows, what keeps one out, a GPU's cycles, and what a file may say.
#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include "compare/compare.hpp"
#include "compare/join.hpp"
#include "scratch.hpp"

namespace {

using namespace mantissa;
using namespace mantissa::compare;

const std::string kHead =
    "problem = \"poisson2d:level=7\"\ndevice = [\"alveo-u280\", \"xc2v8000\"]\ncpu = false\npasses = 0\n"
    "[[design]]\nspec = \"s17e8\"\narea = false\n";

results::Json document_of(const std::string& tables) {
    const Scratch scratch;
    return run_comparison(parse_comparison(kHead + tables, "c.toml", ""), {scratch.path("c.sqlite"), "test", 1, false});
}

TEST(CycleCores, RowsTellTheCoreAndTheBusApart) {
    const results::Json d =
        document_of("[[cycle]]\ncycle = \"b2,w=10\"\nlanes = [1, 64]\ndevice = \"alveo-u280\"\ngpu = \"" +
                    std::string(MANTISSA_GPU_RESULTS) + "/word_cycles/h200-2026-11-27.json\"\n");
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
        EXPECT_DOUBLE_EQ(row["seconds_link"].get<double>(), 2 * 129 * 129 / 300e6) << "a word a clock";
        EXPECT_TRUE(row["area_share"].is_null());
        EXPECT_EQ(row["clock_hz"], 300e6);
    }
    EXPECT_NE(comparison_text(d).find("Cycle cores on poisson2d:level=7"), std::string::npos);
}

TEST(CycleCores, AGpusCyclesStandBehindTheirGrid) {
    const Scratch scratch;
    std::string head = kHead;
    head.replace(head.find("level=7"), 7, "level=8");
    const std::string cycle = "[[cycle]]\ncycle = \"b2,w=10,f=16\"\ndevice = \"alveo-u280\"\ngpu = \"" +
                              std::string(MANTISSA_GPU_RESULTS) + "/word_cycles/h200-2026-11-27.json\"\n";
    const results::Json d =
        run_comparison(parse_comparison(head + cycle, "c.toml", ""), {scratch.path("c.sqlite"), "test", 1, false});
    bool found = false;
    for (const results::Json& row : d["cycle_cores"])
        if (row["cycle"] == "b2,w=10,f=16" && row["device"] == "NVIDIA H200") {
            found = true;
            EXPECT_EQ(row["cycles"], 18);
            EXPECT_TRUE(row["seconds_link"].is_null());
        }
    EXPECT_TRUE(found);
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
          "[[cycle]]\ncycle = \"b2,w=double\"\n", "[[cycle]]\ncycle = \"b2\"\nouter = \"fx32.30\"\n",
          "[[cycle]]\ncycle = \"b2\"\ndevice = \"nothing\"\n", "[[cycle]]\ncycle = \"b2\"\nbogus = 1\n"})
        EXPECT_THROW(parse_comparison(kHead + table, "c.toml", ""), InvalidInput) << table;
}

} // namespace
