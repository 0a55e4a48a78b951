// Results files that are not whole, or none at all: one clear line, the same from every reader, and nothing written.
#include <algorithm>
#include <filesystem>
#include <string>

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "expect_invalid.hpp"
#include "mantissa/host/store.hpp"
#include "program.hpp"
#include "report/rows.hpp"
#include "scratch.hpp"
#include "sqlite.hpp"

namespace {

using namespace mantissa;
using namespace mantissa::report;

/// A results file of many pages, without a write-ahead log beside it.
std::string good_file(const Scratch& scratch) {
    {
        Store store(scratch.path("good"));
        for (std::uint64_t i = 0; i < 60; ++i) {
            Point p;
            p.problem = "poisson2d:level=5";
            p.options.spec = parse_spec("s17e8");
            p.options.max_iterations = i + 1;
            SolveResult r;
            r.status = Status::converged;
            r.inner_iterations = 100 + i;
            for (std::uint64_t k = 0; k < 40; ++k) r.history.push_back({k, k, 1.0 / static_cast<double>(k + 1)});
            store.put(p, r, 1089, {"1", "c", "m", "2026-01-01T00:00:00Z", "cmd"});
        }
    }
    return scratch.read("good");
}

/// Both readers refuse the file with this, and leave it as it was.
void expect_refused(const Scratch& scratch, const std::string& name, const std::string& part) {
    SCOPED_TRACE(name);
    const std::string before = scratch.read(name);
    Origins origins;
    expect_invalid([&] { read_stores({scratch.path(name)}, origins); }, part);
    EXPECT_EQ(scratch.read(name), before);
}

TEST(Damage, FlippedBytesAnywhereAreNeverAnEmptyPage) {
    const Scratch scratch;
    const std::string good = good_file(scratch);
    Origins origins;
    const std::size_t points = read_stores({scratch.path("good")}, origins).points.size();
    ASSERT_EQ(points, 60u);
    const std::size_t page = 4096;
    ASSERT_GT(good.size(), 8 * page);
    // The b-tree header of each page; what the first page says of the tables.
    int refused = 0;
    for (std::size_t at = 0; at < good.size(); at += page) {
        std::string bad = good;
        for (std::size_t k = 0; k < 16; ++k) bad[at + (at == 0 ? 100 : 0) + k] ^= 0x5a;
        const std::string name = "bad" + std::to_string(at / page);
        scratch.write(name, bad);
        try {
            EXPECT_EQ(read_stores({scratch.path(name)}, origins).points.size(), points) << name;
        } catch (const InvalidInput& fault) {
            ++refused;
            EXPECT_EQ(std::string(fault.what()).find('\n'), std::string::npos);
            EXPECT_NE(std::string(fault.what()).find("damaged"), std::string::npos) << fault.what();
        }
    }
    EXPECT_GE(refused, static_cast<int>(good.size() / page) - 25) << "overflow pages hold no structure to check";
    std::string bad = good;
    for (std::size_t at = good.find("CREATE TABLE points"); at < page && at < good.size(); at += 3) bad[at] ^= 0x11;
    scratch.write("schema", bad);
    expect_invalid([&] { read_stores({scratch.path("schema")}, origins); }, "damaged");
}

TEST(Damage, ACorruptPageInTheMiddle) {
    const Scratch scratch;
    std::string bytes = good_file(scratch);
    // The root of the index over the keys: found by its page type, 2 or 10.
    std::size_t at = 4096;
    while (at < bytes.size() && bytes[at] != 2 && bytes[at] != 10) at += 4096;
    ASSERT_LT(at, bytes.size());
    for (std::size_t k = 0; k < 4096; ++k) bytes[at + k] = 0;
    scratch.write("bad", bytes);
    expect_refused(scratch, "bad", "damaged");
    scratch.write("again", bytes);
    expect_invalid([&] { Store(scratch.path("again")); }, "damaged");
}

TEST(Damage, TruncatedFiles) {
    const Scratch scratch;
    const std::string good = good_file(scratch);
    for (const std::size_t size :
         {good.size() - 1, good.size() - 4096, good.size() / 2, std::size_t{4096}, std::size_t{600}}) {
        const std::string name = "cut" + std::to_string(size);
        scratch.write(name, good.substr(0, size));
        expect_refused(scratch, name, scratch.path(name));
    }
    scratch.write("half", good.substr(0, good.size() / 2));
    expect_invalid([&] { Store(scratch.path("half")); }, "damaged");
}

TEST(Damage, ValuesOfTheWrongKind) {
    const Scratch scratch;
    const std::string good = good_file(scratch);
    Origins origins;
    const std::size_t points = read_stores({scratch.path("good")}, origins).points.size();
    const auto changed = [&](const std::string& sql) {
        static int number = 0;
        std::string name = "v" + std::to_string(number++);
        scratch.write(name, good);
        execute(scratch.path(name), sql);
        return scratch.path(name);
    };
    // The other rows are there, and a line says what is not.
    const auto left_out = [&](const std::string& sql, const std::string& part) {
        const Rows rows = read_stores({changed("UPDATE points SET " + sql)}, origins);
        ASSERT_EQ(rows.notes.size(), 1U) << sql;
        EXPECT_NE(rows.notes.front().find(part), std::string::npos) << rows.notes.front();
        EXPECT_NE(rows.notes.front().find("left out here"), std::string::npos) << rows.notes.front();
        EXPECT_EQ(rows.points.size(), sql.find(" IN ") == std::string::npos ? points - 1 : points - 2);
    };
    left_out("inner_iterations='many' WHERE id=7", "column inner_iterations of row 7 of table points");
    left_out("seconds='x' WHERE id=7", "column seconds of row 7");
    left_out("outer_iterations=-1 WHERE id=7", "column outer_iterations of row 7");
    left_out("status='fine' WHERE id=7", "column status of row 7");
    left_out("history='[1' WHERE id=7", "no list of steps");
    left_out("status='fine' WHERE id IN (7, 8)", "it and 1 more of this table");
    expect_invalid([&] { read_stores({changed("ALTER TABLE points RENAME TO points2")}, origins); },
                   "its table of solves is gone");
}

TEST(Damage, OtherVersionsAndOtherFiles) {
    const Scratch scratch;
    const std::string good = good_file(scratch);
    scratch.write("newer", good);
    execute(scratch.path("newer"), "PRAGMA user_version=" + std::to_string(Store::kSchemaVersion + 1));
    expect_refused(scratch, "newer", "results of schema " + std::to_string(Store::kSchemaVersion + 1));
    expect_invalid([&] { Store(scratch.path("newer")); }, "results of schema");
    scratch.write("other", good);
    execute(scratch.path("other"), "PRAGMA application_id=7");
    expect_refused(scratch, "other", "another program");
    expect_invalid([&] { Store(scratch.path("other")); }, "another program");
    scratch.write("text", std::string(5000, 'x'));
    expect_refused(scratch, "text", "not a database");
    scratch.write("c.json",
                  R"({"name": "c", "scheme": "cg", "designs": [], "findings": [)" + std::string(5000, ' ') + "]}");
    expect_refused(scratch, "c.json", "mantissa compare DOCUMENT.json --store FILE");
    expect_invalid([&] { Store(scratch.path("c.json")); }, "mantissa compare DOCUMENT.json --store FILE");
    scratch.write("solve.json", R"({"scheme": "cg", "history": [)" + std::string(5000, ' ') + "]}");
    expect_refused(scratch, "solve.json", "not a database");
    scratch.write("short", "x");
    expect_refused(scratch, "short", "not a database");
    expect_invalid([&] { Store(scratch.path("short")); }, "not a database");
    EXPECT_EQ(scratch.read("short"), "x") << "SQLite alone would take it for empty and write over it";
    scratch.write("empty", "");
    expect_refused(scratch, "empty", "an empty file");
    execute(scratch.path("bare"), "PRAGMA user_version=0");
    Origins origins;
    std::filesystem::create_directories(scratch.path("folder"));
    expect_invalid([&] { read_stores({scratch.path("folder")}, origins); }, "a folder");
    expect_invalid([&] { Store(scratch.path("folder")); }, "a folder");
    ASSERT_EQ(::mkfifo(scratch.path("pipe").c_str(), 0600), 0);
    expect_invalid([&] { read_stores({scratch.path("pipe")}, origins); }, "no regular file");
    expect_invalid([&] { Store(scratch.path("pipe")); }, "no regular file");
    expect_invalid([&] { Store(":memory:"); }, "kept in a file");
    expect_invalid([&] { Store(""); }, "kept in a file");
    const std::string far = scratch.path(std::string(200, 'd') + "/" + std::string(200, 'e') + "/s");
    try {
        read_stores({far}, origins);
        ADD_FAILURE();
    } catch (const InvalidInput& fault) {
        EXPECT_LT(std::string(fault.what()).size(), 400u) << fault.what();
    }
    { Store made(scratch.path("empty")); } // an empty file may become a results file
    EXPECT_TRUE(read_stores({scratch.path("empty")}, origins).points.empty());
}

TEST(Damage, TheCommandEndsWithTwoAndMakesNoPage) {
    const Scratch scratch;
    std::string bytes = good_file(scratch);
    bytes[100] ^= 0x7f;
    scratch.write("flipped", bytes);
    for (const std::string& store : {scratch.path("flipped"), std::string("/tmp"), scratch.path("none")}) {
        const Outcome o = run("report " + store + " -o " + scratch.path("page.html"));
        EXPECT_EQ(o.code, 2) << store;
        EXPECT_EQ(o.out, "");
        EXPECT_EQ(std::count(o.err.begin(), o.err.end(), '\n'), 1) << o.err;
        EXPECT_NE(o.err.find(store), std::string::npos) << o.err;
        EXPECT_FALSE(std::filesystem::exists(scratch.path("page.html")));
    }
}

TEST(ReproduceStored, ComputesNothing) {
    const Scratch scratch;
    const std::string store = scratch.path("s.sqlite");
    const Outcome nowhere = run("reproduce table4 --levels 8 --stored --store " + store);
    EXPECT_EQ(nowhere.code, 2);
    EXPECT_NE(nowhere.err.find("no such results file"), std::string::npos) << nowhere.err;
    EXPECT_FALSE(std::filesystem::exists(store));
    const Outcome unnamed = run("reproduce table4 --levels 8 --stored");
    EXPECT_EQ(unnamed.code, 2);
    EXPECT_NE(unnamed.err.find("give it with --store"), std::string::npos) << unnamed.err;
    { Store made(store); }
    const Outcome table = run("reproduce table4 --levels 8 --stored --store " + store);
    EXPECT_EQ(table.code, 0) << table.err;
    EXPECT_NE(table.out.find("not stored"), std::string::npos) << table.out;
    EXPECT_EQ(table.out.find("double cells equal"), std::string::npos) << "of no cells nothing can be said";
    EXPECT_NE(run("reproduce table4 --levels 8 --stored --json --store " + store).out.find("\"not_stored\""),
              std::string::npos);
    EXPECT_EQ(Store(store).size(), 0u);
}

} // namespace
