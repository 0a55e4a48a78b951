// Sparse designs: channels, memories and lanes against figures worked out by hand; refusals; a whole comparison.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>

#include <gtest/gtest.h>

#include "compare/compare.hpp"
#include "compare/join.hpp"
#include "expect_invalid.hpp"
#include "mantissa/format.hpp"
#include "scratch.hpp"
#include "synthesis/kept/synthesis_store.hpp"
#include "written.hpp"

namespace {

using namespace mantissa;
using namespace mantissa::compare;

/// Memories of one kind, 512 words of 72 bits to 4,096 of 9; ten channels of 1 GB/s.
Device device(std::uint64_t memories) {
    Device d;
    d.id = "toy";
    d.target = "xcup";
    d.slices = 10'000;
    d.blocks = 100;
    d.memories = {{"block RAM", memories, 72, 512, 9}};
    d.channels = 10;
    d.channel_bandwidth = 1e9;
    return d;
}

const DatapathSpec kSpec = parse_spec("fx24.18,coef=fx18.16");

TEST(SparseModel, ABeatHasACoefficientAndAColumnForEachLane) {
    EXPECT_EQ(sparse_beat_bits(kSpec, 1024, 1), 18U + 10U + 1U);
    EXPECT_EQ(sparse_beat_bits(kSpec, 1024, 4), 4U * (18U + 2U + 8U) + 1U); // 256 addresses in 4 banks
    EXPECT_EQ(sparse_beat_bits(kSpec, 1025, 4), 4U * (18U + 2U + 9U) + 1U);
    EXPECT_EQ(sparse_beat_bits(kSpec, 1, 1), 18U + 1U + 1U);
}

TEST(SparseModel, ChannelsBringABeatAClock) {
    EXPECT_EQ(channels_for_beats(80, 100e6, 1e9), 1U); // ten bytes, 1 GB/s
    EXPECT_EQ(channels_for_beats(88, 100e6, 1e9), 2U);
    EXPECT_EQ(channels_for_beats(1, 1e6, 1e9), 1U);
}

TEST(SparseModel, VectorsTakeABankALane) {
    // Words of 24 bits: in one memory of 36 x 1,024 each, that of p too, whose widest word is 36 bits.
    EXPECT_EQ(sparse_memories(kSpec, 1024, 1, 1, device(4)), std::vector<std::uint64_t>{4});
    EXPECT_EQ(sparse_memories(kSpec, 1024, 1, 4, device(100)), std::vector<std::uint64_t>{16}); // however shallow
    EXPECT_EQ(sparse_memories(kSpec, 1025, 1, 1, device(100)), std::vector<std::uint64_t>{8});
    // Two cores have 1,024 of 2,048 rows each, but all of p.
    EXPECT_EQ(sparse_memories(kSpec, 2048, 2, 1, device(100)), std::vector<std::uint64_t>{2U * (3U + 2U)});
    EXPECT_TRUE(sparse_memories(kSpec, 1024, 1, 1, device(3)).empty());
    // Words of p of 40 bits want two halves of the widest word; others one memory of 72 x 512.
    const DatapathSpec wide = parse_spec("fx24.18,coef=fx18.16,p=fx40.30");
    EXPECT_EQ(sparse_memories(wide, 512, 1, 1, device(100)), std::vector<std::uint64_t>{3U + 2U});
}

TEST(SparseModel, TheSecondKindTakesWhatTheFirstHasNoRoomFor) {
    Device d = device(3);
    d.memories.push_back({"UltraRAM", 1, 72, 4096, 72});
    EXPECT_EQ(sparse_memories(kSpec, 1024, 1, 1, d), (std::vector<std::uint64_t>{3, 1}));
    EXPECT_TRUE(sparse_memories(kSpec, 1024, 1, 2, d).empty()); // eight banks, four memories
}

TEST(SparseModel, TheMostRowsAreThoseThatTheMemoryHolds) {
    EXPECT_EQ(most_sparse_rows(kSpec, device(4)), 1024U); // a memory a vector
    EXPECT_EQ(most_sparse_rows(kSpec, device(8)), 2048U); // two lanes, or two deep
    EXPECT_EQ(most_sparse_rows(kSpec, device(3)), 0U);
    EXPECT_EQ(most_sparse_rows(kSpec, device(1'000'000)), std::uint64_t{1} << 20); // the core's own limit
}

TEST(SparseModel, LanesGrowUntilSomethingIsShort) {
    const LaneArea one({{1, {100, 5, 0}}, {2, {200, 10, 0}}});
    std::string why;
    const auto last = [&](const Device& d) {
        const auto list = sparse_arrangements(one, kSpec, 1024, 1, d, 1.0, 100e6, why);
        EXPECT_FALSE(list.empty());
        return list.back();
    };
    Device d = device(10'000);
    d.channels = 1000;
    d.blocks = 100'000;
    EXPECT_EQ(last(d).lanes, 64U); // 6,400 of 10,000 slices
    EXPECT_EQ(last(d).bound, "lanes");
    d.slices = 3'300;
    EXPECT_EQ(last(d).lanes, 32U);
    EXPECT_EQ(last(d).bound, "logic");
    EXPECT_DOUBLE_EQ(last(d).area_share, 3'200.0 / 3'300.0);
    d.blocks = 100; // five a lane
    EXPECT_EQ(last(d).lanes, 16U);
    EXPECT_EQ(last(d).bound, "blocks");
    d.channels = 3; // 8 lanes: 8 (18 + 3 + 7) + 1 bits, 2.8 GB/s at 100 MHz; 16 take twice that
    EXPECT_EQ(last(d).lanes, 8U);
    EXPECT_EQ(last(d).channels, 3U);
    EXPECT_EQ(last(d).bound, "channels");
    d.memories.front().count = 16; // four vectors of four banks
    EXPECT_EQ(last(d).lanes, 4U);
    EXPECT_EQ(last(d).bound, "memory");
    EXPECT_TRUE(sparse_arrangements(one, kSpec, 1024, 4, d, 1.0, 100e6, why).empty());
    EXPECT_EQ(why, "channels"); // four cores want one each
}

constexpr const char* kDevice = R"(
name = "a toy card"
target = "xcup"
slices = 100000
blocks = 5000
memory_bits = 10000000
bandwidth = 32e9
channels = 4
channel_bandwidth = 8e9
watts = 10
source = "made up"
[[memory]]
name = "block RAM"
count = 1000
width = 72
depth = 512
narrow = 9
)";

std::string file_of(const std::string& problem, const std::string& more = "") {
    return "problem = \"" + problem + "\"\ndevice = \"toy.toml\"\ncpu = false\ninner = 20\ntolerance = 1e-6\n" + more +
           "[[design]]\nspec = \"fx28.22,coef=fx18.16\"\nsparse = true\ncores = [1, 2]\nclock_mhz = 100\n"
           "[[published]]\nproblem = \"" +
           problem + "\"\nlabel = \"another\"\nseconds_per_iteration = 1e-4\ndevice = \"toy\"\nsource = \"nowhere\"\n";
}

Comparison parsed(const Scratch& scratch, const std::string& text, const std::string& device = kDevice) {
    (void)scratch.write("toy.toml", device);
    return parse_comparison(text, "c.toml", scratch.path(""));
}

TEST(Sparse, KeysThatDoNotFitAreRefused) {
    const Scratch scratch;
    const auto refused = [&](const std::string& from, const std::string& to, const std::string& line) {
        std::string text = file_of("poisson3d:level=2");
        text.replace(text.find(from), from.size(), to);
        expect_invalid([&] { (void)parsed(scratch, text); }, line);
    };
    refused("sparse = true\n", "", "cores is for sparse designs only");
    refused("sparse = true\n", "sparse = true\nresident = true\nbands = \"constant\"\n", "resident or sparse");
    refused("sparse = true\n", "sparse = true\nbands = \"streamed\"\n", "leave bands out");
    refused("fx18.16\"", "fx18.16,lanes=4\"", "leave lanes out");
    refused("\"fx28.22,coef=fx18.16\"", "\"s17e8\"", "fixed-point vectors");
    refused("seconds_per_iteration = 1e-4\n", "", "without seconds_per_iteration");
    std::string bare = kDevice;
    bare.replace(bare.find("channels = 4\nchannel_bandwidth = 8e9\n"), 37, "");
    expect_invalid([&] { (void)parsed(scratch, file_of("poisson3d:level=2"), bare); }, "which sparse designs need");
    bare = kDevice;
    bare.replace(bare.find("channels = 4\n"), 13, "");
    expect_invalid([&] { (void)parsed(scratch, file_of("poisson3d:level=2"), bare); }, "go together");
    bare = kDevice;
    bare.replace(bare.find("channels = 4\n"), 13, "channels = 5\n");
    expect_invalid([&] { (void)parsed(scratch, file_of("poisson3d:level=2"), bare); },
                   "more than the memory's bandwidth");
}

TEST(Sparse, WhatTheMemoryDoesNotHoldIsRefusedWithTheLimit) {
    const Scratch scratch;
    const std::string store = scratch.path("s.sqlite");
    std::string small = kDevice;
    small.replace(small.find("count = 1000"), 12, "count = 4");
    std::string text = file_of("poisson3d:level=4");
    text.replace(text.find("fx28.22"), 7, "fx24.18");
    const Comparison c = parsed(scratch, text, small); // 4 memories of 1,024 words
    expect_invalid(
        [&] {
            run_comparison(c, {store, "test", 1, false});
        },
        "too many for the memory on toy, which holds 1024");
    const Comparison grid = parsed(scratch, file_of("poisson2d:level=4"));
    expect_invalid([&] { run_comparison(grid, {store, "test", 1, false}); }, "the sparse core takes sparse rows");
    EXPECT_FALSE(std::filesystem::exists(store));
}

/// Stored areas of cores that grow by 100 slices and five multipliers a lane.
void put_areas(const std::string& store, const DatapathSpec& spec) {
    for (const int lanes : kMappedLanes) {
        synthesis::SynthesisFigures f;
        f.luts = 800U * static_cast<std::uint64_t>(lanes);
        f.multipliers = 5U * static_cast<std::uint64_t>(lanes);
        f.depth = 10;
        f.model_mhz = 100;
        f.model_path = "a -> b";
        synthesis::put_synthesis(store,
                                 {to_string(with_lanes(spec, lanes)), "xcup", "block", "sparse", "a tool", "sources"},
                                 f, {"0", "abc", "a machine", "2026-01-01T00:00:00Z", "mantissa synthesize"});
    }
}

/// Unlike the others this one solves and simulates: with areas from the store, since no yosys is to be found.
TEST(Sparse, AComparisonJoinsSimulatedClocksWithSolvesAndPublishedTimes) {
    const Scratch scratch;
    const std::string store = scratch.path("s.sqlite");
    const Comparison c = parsed(scratch, file_of("poisson3d:level=3"));
    put_areas(store, c.designs.front().spec);
    ::setenv("MANTISSA_YOSYS", "/nowhere/yosys", 1);
    const results::Json d = written(run_comparison(c, {store, "test", 1, false}));
    ::unsetenv("MANTISSA_YOSYS");
    const Problem problem = make_problem("poisson3d:level=3");
    const auto n = static_cast<double>(problem.system.size());
    const auto nonzeros = static_cast<double>(std::get<CompressedRows>(problem.system.matrix()).nonzeros());
    std::size_t ours = 0, several = 0;
    for (const results::Json& row : d.at("sparse")) {
        for (const results::Json& id : row.at("origins")) EXPECT_TRUE(d.at("origins").contains(id.get<std::string>()));
        const double pass = row.at("seconds_per_iteration");
        EXPECT_DOUBLE_EQ(row.at("operations_per_second").get<double>(), (2 * nonzeros + 12 * n) / pass);
        EXPECT_DOUBLE_EQ(row.at("operations_per_joule").get<double>(), (2 * nonzeros + 12 * n) / pass / 10);
        if (row.at("kind") == "published") {
            EXPECT_EQ(pass, 1e-4);
            continue;
        }
        ++ours;
        const double clocks = row.at("cycles_per_iteration"), one = row.at("cycles_one_core");
        EXPECT_DOUBLE_EQ(pass, clocks / 100e6);
        EXPECT_EQ(one, row.at("addresses").get<double>() + row.at("beats").get<double>() +
                           row.at("fixed_clocks").get<double>());
        const auto lanes = row.at("lanes").get<std::uint64_t>();
        EXPECT_EQ(row.at("addresses").get<double>(), std::ceil(n / static_cast<double>(lanes)));
        EXPECT_EQ(
            row.at("channels").get<std::uint64_t>(),
            row.at("cores").get<std::uint64_t>() *
                channels_for_beats(sparse_beat_bits(c.designs.front().spec, problem.system.size(), lanes), 100e6, 8e9));
        if (row.at("cores") == 1) { // the channels keep up; 100 clocks pass until they begin
            EXPECT_GE(clocks, one);
            EXPECT_LE(clocks, one + 101);
        } else {
            ++several;
        }
        EXPECT_EQ(row.at("status"), "converged");
        EXPECT_DOUBLE_EQ(row.at("seconds_inner").get<double>(), row.at("iterations").get<double>() * pass);
        EXPECT_GT(row.at("seconds").get<double>(), row.at("seconds_inner").get<double>());
        EXPECT_DOUBLE_EQ(row.at("energy_joules").get<double>(), 10 * row.at("seconds").get<double>());
    }
    // The front is that of area and time, and never empty.
    std::size_t on_front = 0;
    for (const results::Json& row : d.at("sparse")) {
        if (row.at("kind") == "published") continue;
        EXPECT_DOUBLE_EQ(row.at("area_time").get<double>(),
                         row.at("area_share").get<double>() * row.at("seconds").get<double>());
        const bool beaten = std::ranges::any_of(d.at("sparse"), [&](const results::Json& other) {
            return other.at("kind") != "published" && other.at("area_share") <= row.at("area_share") &&
                   other.at("seconds") <= row.at("seconds") &&
                   (other.at("area_share") < row.at("area_share") || other.at("seconds") < row.at("seconds"));
        });
        EXPECT_EQ(row.at("pareto").get<bool>(), !beaten) << row.at("label");
        on_front += beaten ? 0U : 1U;
    }
    EXPECT_GE(on_front, 1U);
    EXPECT_GE(ours, 4U) << d.at("gaps");
    EXPECT_GE(several, 1U);
    EXPECT_EQ(d.at("sparse").back().at("kind"), "published");
    EXPECT_TRUE(d.at("rows").empty());
    EXPECT_NE(comparison_text(comparison::document_from_json(d)).find("Sparse cores on poisson3d:level=3"),
              std::string::npos);
    // All of it is kept.
    EXPECT_EQ(run_comparison(c, {store, "test", 1, true}).sparse->size(), d.at("sparse").size());
}

} // namespace
