// Stores that an older program made, whose tables of synthesis know nothing of bands.
#include <gtest/gtest.h>

#include <sqlite3.h>

#include "compare/comparison_store.hpp"
#include "mantissa/host/store.hpp"
#include "scratch.hpp"
#include "synthesis/kept/synthesis_store.hpp"

namespace {

using namespace mantissa;

void execute(const std::string& path, const char* sql) {
    sqlite3* db = nullptr;
    ASSERT_EQ(sqlite3_open(path.c_str(), &db), SQLITE_OK);
    char* message = nullptr;
    EXPECT_EQ(sqlite3_exec(db, sql, nullptr, nullptr, &message), SQLITE_OK) << (message != nullptr ? message : "");
    sqlite3_free(message);
    sqlite3_close(db);
}

TEST(OlderStore, RowsAreKeptAndAreOfStreamedBands) {
    const Scratch scratch;
    const std::string path = scratch.path("old.sqlite");
    { const Store made(path); }
    execute(path, R"(
        CREATE TABLE netlist (spec TEXT NOT NULL, target TEXT NOT NULL, multiplier TEXT NOT NULL, part TEXT NOT NULL,
          tool TEXT NOT NULL, sources TEXT NOT NULL, luts INTEGER NOT NULL, memory_luts INTEGER NOT NULL,
          flip_flops INTEGER NOT NULL, paired INTEGER NOT NULL, carries INTEGER NOT NULL, multipliers INTEGER NOT NULL,
          memory_bits INTEGER NOT NULL, io_bits INTEGER NOT NULL, depth INTEGER NOT NULL, model_mhz REAL NOT NULL,
          model_path TEXT NOT NULL, version TEXT NOT NULL, commit_id TEXT NOT NULL, machine TEXT NOT NULL,
          date TEXT NOT NULL, command TEXT NOT NULL, PRIMARY KEY (spec, target, multiplier, part, tool, sources));
        CREATE TABLE placement (spec TEXT NOT NULL, target TEXT NOT NULL, multiplier TEXT NOT NULL, part TEXT NOT NULL,
          tool TEXT NOT NULL, sources TEXT NOT NULL, placer TEXT NOT NULL, seed INTEGER NOT NULL, mhz REAL NOT NULL,
          critical TEXT NOT NULL, version TEXT NOT NULL, commit_id TEXT NOT NULL, machine TEXT NOT NULL,
          date TEXT NOT NULL, command TEXT NOT NULL,
          PRIMARY KEY (spec, target, multiplier, part, tool, sources, placer, seed));
        INSERT INTO netlist VALUES ('s17e8','ecp5','block','core','yosys','hash',1,2,3,4,5,6,7,8,9,10.5,'path','v','c',
          'm','d','run');
        INSERT INTO placement VALUES ('s17e8','ecp5','block','core','yosys','hash','placer',1,142.5,'a -> b','v','c','m',
          'd','run');)");
    const synthesis::SynthesisKey key{"s17e8", "ecp5", "block", "core", "yosys", "hash"};
    const auto figures = synthesis::find_synthesis(path, key);
    ASSERT_TRUE(figures.has_value());
    EXPECT_EQ(figures->luts, 1U);
    EXPECT_EQ(figures->depth, 9U);
    EXPECT_EQ(figures->model_path, "path");
    const auto placed = synthesis::find_placements(path, key, "placer");
    ASSERT_EQ(placed.size(), 1U);
    EXPECT_EQ(placed.front().mhz, 142.5);
    synthesis::SynthesisKey constant = key;
    constant.bands = "constant";
    EXPECT_FALSE(synthesis::find_synthesis(path, constant).has_value());
    // The two stand side by side, and a second look changes nothing.
    synthesis::SynthesisFigures other;
    other.luts = 77;
    synthesis::put_synthesis(path, constant, other, Provenance{"v", "c", "m", "d", "run"});
    EXPECT_EQ(synthesis::find_synthesis(path, constant)->luts, 77U);
    EXPECT_EQ(synthesis::find_synthesis(path, key)->luts, 1U);
    const compare::ComparisonStore store(path);
    EXPECT_EQ(store.newest_synthesis({"s17e8", "ecp5", "block"})->figures.luts, 1U);
    EXPECT_EQ(store.newest_synthesis({"s17e8", "ecp5", "block", "constant"})->figures.luts, 77U);
    EXPECT_EQ(store.placements({"s17e8", "ecp5", "block"}, "hash").size(), 1U);
}

TEST(MemoryBlocks, CountEighteenKbitEach) {
    synthesis::SynthesisFigures f;
    EXPECT_EQ(f.memory_blocks(), 0U);
    f.memory_bits = 9 * 18432;
    EXPECT_EQ(f.memory_blocks(), 9U);
    f.memory_bits += 1;
    EXPECT_EQ(f.memory_blocks(), 10U);
}

} // namespace
