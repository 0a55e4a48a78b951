// Results files of others: what may be in them, who may read them, and what reading leaves.
#include <algorithm>
#include <filesystem>
#include <string>

#include <sys/stat.h>
#include <unistd.h>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "program.hpp"
#include "sqlite.hpp"

namespace {

namespace fs = std::filesystem;

constexpr const char* kAsNobody = "setpriv --reuid=65534 --regid=65534 --clear-groups ";

std::string make_store(const Scratch& scratch) {
    const std::string toml = scratch.write("s.toml", "[[grid]]\nproblem = \"poisson2d:level=2\"\n");
    EXPECT_EQ(run("sweep --threads 1 " + toml).code, 0);
    return scratch.path("s.sqlite");
}

TEST(Stores, OnlyOurSchemaIsTaken) {
    for (const char* sql :
         {"CREATE TRIGGER t AFTER INSERT ON points BEGIN DELETE FROM points; END",
          "CREATE VIEW v AS SELECT * FROM points", "CREATE TABLE other (a)",
          "CREATE VIRTUAL TABLE netlist USING fts5(a)", "CREATE INDEX i ON points (abs(unknowns))",
          "ALTER TABLE points ADD COLUMN g INTEGER AS (unknowns + 1)", "CREATE TABLE dense (a INTEGER CHECK (a > 0))",
          "CREATE TABLE comparison (name TEXT DEFAULT (hex(randomblob(9))))"}) {
        const Scratch scratch;
        const std::string store = make_store(scratch);
        execute(store, sql);
        const std::string before = scratch.read("s.sqlite");
        for (const std::string& command :
             {"report " + store + " -o " + scratch.path("r.html"), "sweep --threads 1 " + scratch.path("s.toml"),
              "sweep --dry-run " + scratch.path("s.toml")}) {
            const Outcome o = run(command);
            EXPECT_EQ(o.code, 2) << sql << ": " << command << o.out;
            EXPECT_NE(o.err.find("which this program never makes"), std::string::npos) << o.err;
            EXPECT_EQ(std::count(o.err.begin(), o.err.end(), '\n'), 1) << o.err;
        }
        EXPECT_EQ(scratch.read("s.sqlite"), before) << sql;
    }
}

TEST(Stores, ANameIsAFilesNameWhateverSqliteThinksOfIt) {
    const Scratch scratch;
    const std::string toml = scratch.write("s.toml", "[[grid]]\nproblem = \"poisson2d:level=2\"\n");
    for (const char* name : {"file:x?mode=memory", "file::memory:", "file:y?immutable=1", "file:z?cache=shared"}) {
        const Outcome o =
            run("sweep --threads 1 " + toml + " --store '" + name + "'", "cd " + scratch.path("") + " &&");
        EXPECT_EQ(o.code, 0) << o.err;
        EXPECT_TRUE(fs::is_regular_file(scratch.path(name))) << name;
    }
    for (const char* name : {":memory:", ":x", ""})
        EXPECT_EQ(run("sweep --threads 1 " + toml + " --store '" + name + "'").code, 2) << name;
}

TEST(Stores, WhatALogHoldsIsReadWithoutTouchingIt) {
    const Scratch scratch;
    const std::string store = make_store(scratch);
    sqlite3* writer = nullptr; // stays open, so that its log stays too
    ASSERT_EQ(sqlite3_open(store.c_str(), &writer), SQLITE_OK);
    for (const char* sql : {"PRAGMA wal_autocheckpoint=0", "UPDATE points SET problem = 'poisson2d:level=777'"})
        ASSERT_EQ(sqlite3_exec(writer, sql, nullptr, nullptr, nullptr), SQLITE_OK);
    ASSERT_GT(fs::file_size(store + "-wal"), 0U);
    for (const char* suffix : {"", "-wal", "-shm"}) { // as a backup or a killed writer leaves them
        fs::create_directories(scratch.path("copy"));
        fs::copy_file(store + suffix, scratch.path(std::string("copy/s.sqlite") + suffix));
    }
    sqlite3_close(writer);
    fs::remove(scratch.path("copy/s.sqlite-shm"));
    const std::string log = scratch.read("copy/s.sqlite-wal"), file = scratch.read("copy/s.sqlite");
    const Outcome o = run("report " + scratch.path("copy/s.sqlite") + " -o -");
    EXPECT_EQ(o.code, 0) << o.err;
    EXPECT_NE(o.out.find("level=777"), std::string::npos);
    EXPECT_EQ(scratch.read("copy/s.sqlite-wal"), log);
    EXPECT_EQ(scratch.read("copy/s.sqlite"), file);
    EXPECT_FALSE(fs::exists(scratch.path("copy/s.sqlite-shm")));
    // A log that lost its end: what was committed before counts, here nothing.
    scratch.write("copy/s.sqlite-wal", log.substr(0, log.size() - 100));
    EXPECT_EQ(run("report " + scratch.path("copy/s.sqlite") + " -o -").out.find("level=777"), std::string::npos);
}

constexpr const char* kComparison = R"(
problem = "poisson2d:level=3"
device = "xc2v8000"
cpu = false
passes = 0
[[design]]
spec = ["s17e8", "s14e8"]
area = false
)";

TEST(Stores, AJoinOfWhatIsStoredWritesNothing) {
    const Scratch scratch;
    const std::string file = scratch.write("c.toml", kComparison), store = scratch.path("c.sqlite");
    const Outcome nowhere = run("compare --stored " + file);
    EXPECT_EQ(nowhere.code, 2);
    EXPECT_NE(nowhere.err.find("no such results file"), std::string::npos) << nowhere.err;
    EXPECT_FALSE(fs::exists(store));
    ASSERT_EQ(run("compare --threads 1 " + file).code, 0);
    const std::size_t files = scratch.files();
    const std::string before = scratch.read("c.sqlite");
    fs::permissions(store, fs::perms::owner_read | fs::perms::group_read | fs::perms::others_read);
    fs::permissions(file, fs::perms::others_read, fs::perm_options::add);
    fs::permissions(scratch.path(""), fs::perms(0555));
    const std::string reader = ::geteuid() == 0 ? kAsNobody : "";
    const Outcome table = run("compare --stored " + file, reader),
                  document = run("compare --stored --json " + file, reader);
    fs::permissions(scratch.path(""), fs::perms(0755));
    EXPECT_EQ(table.code, 0) << table.err;
    EXPECT_NE(table.out.find("s14e8"), std::string::npos) << table.out;
    EXPECT_NE(table.out.find("nothing was computed or stored"), std::string::npos) << table.out;
    EXPECT_EQ(document.code, 0) << document.err;
    EXPECT_EQ(scratch.files(), files);
    EXPECT_EQ(scratch.read("c.sqlite"), before);
    // Who may write keeps the join so.
    fs::permissions(store, fs::perms::owner_write, fs::perm_options::add);
    scratch.write("joined.json", document.out);
    EXPECT_EQ(run("compare " + scratch.path("joined.json") + " --store " + store).code, 0);
}

TEST(Stores, ADamagedSolveIsAsGoodAsNoneToAComparison) {
    const Scratch scratch;
    const std::string file = scratch.write("c.toml", kComparison), store = scratch.path("c.sqlite");
    ASSERT_EQ(run("compare --threads 1 " + file).code, 0);
    execute(store, "UPDATE points SET status = 'mended' WHERE spec = 's14e8'");
    const std::string note = "c.sqlite: one stored solve is damaged and does not count as stored";
    const Outcome join = run("compare --stored " + file), again = run("compare --threads 1 " + file);
    for (const Outcome& o : {join, again}) {
        EXPECT_EQ(o.code, 0) << o.err;
        EXPECT_NE(o.err.find(note), std::string::npos) << o.err;
    }
    EXPECT_EQ(run("compare --stored " + file).err, "");
}

TEST(Stores, AComparisonThatIsStoppedSaysThatItGoesOn) {
    const Scratch scratch;
    std::string slow = kComparison;
    slow.replace(slow.find("level=3"), 7, "level=12");
    const Outcome stopped = run("compare --threads 1 " + scratch.write("c.toml", slow), "timeout -s INT 2");
    EXPECT_NE(stopped.err.find("stopped; what is done is stored in"), std::string::npos) << stopped.err;
}

TEST(Stores, ASweepThatIsStoredNeedsNoRightToWrite) {
    const Scratch scratch;
    const std::string grid = "[[grid]]\nproblem = \"poisson2d:level=2\"\nformat = ";
    const std::string file = scratch.write("s.toml", "store = \"kept.sqlite\"\n" + grid + "[\"s17e8\", \"s14e8\"]\n");
    const std::string more = scratch.write("m.toml", "store = \"kept.sqlite\"\n" + grid + "\"s10e8\"\n");
    const std::string nowhere = scratch.write("n.toml", "store = \"none/kept.sqlite\"\n" + grid + "\"s10e8\"\n");
    ASSERT_EQ(run("sweep --threads 1 " + file).code, 0);
    const std::string store = scratch.path("kept.sqlite"), before = scratch.read("kept.sqlite");
    for (const std::string& path : {store, file, more})
        fs::permissions(path, fs::perms::owner_read | fs::perms::group_read | fs::perms::others_read);
    fs::permissions(scratch.path(""), fs::perms(0555));
    const std::string reader = ::geteuid() == 0 ? kAsNobody : "";
    const Outcome again = run("sweep --csv - " + file, reader), other = run("sweep " + more, reader);
    fs::permissions(scratch.path(""), fs::perms(0755));
    EXPECT_EQ(again.code, 0) << again.err;
    EXPECT_NE(again.err.find("2 points: 2 stored before, 0 computed"), std::string::npos) << again.err;
    EXPECT_NE(again.out.find("s14e8"), std::string::npos) << again.out;
    // The file that names the store is what is named, not an option that nobody gave.
    EXPECT_EQ(other.code, 2);
    EXPECT_NE(other.err.find("m.toml '"), std::string::npos) << other.err;
    EXPECT_EQ(scratch.read("kept.sqlite"), before);
    const Outcome gone = run("sweep " + nowhere);
    EXPECT_EQ(gone.code, 2);
    EXPECT_NE(gone.err.find("n.toml '"), std::string::npos) << gone.err;
    EXPECT_EQ(gone.err.find("--store"), std::string::npos) << gone.err;
}

TEST(Stores, AnOlderFileIsReadAsItIs) {
    const Scratch scratch;
    const std::string file = scratch.write("c.toml", kComparison), store = scratch.path("c.sqlite");
    ASSERT_EQ(run("compare --threads 1 " + file).code, 0);
    const auto designs = [&] {
        const Outcome o = run("compare --stored --json " + file);
        EXPECT_EQ(o.code, 0) << o.err;
        return nlohmann::json::parse(o.out, nullptr, false)["designs"];
    };
    const nlohmann::json now = designs();
    EXPECT_EQ(now.size(), 2U);
    for (const char* sql : {"ALTER TABLE points DROP COLUMN words", "ALTER TABLE points DROP COLUMN preconditioner",
                            "DROP TABLE comparison", "DROP TABLE netlist", "DROP TABLE placement"})
        execute(store, sql);
    execute(store, "PRAGMA wal_checkpoint(TRUNCATE)");
    const std::string before = scratch.read("c.sqlite");
    EXPECT_EQ(designs(), now);
    const std::string sweep =
        scratch.write("s.toml", "store = \"c.sqlite\"\n[[grid]]\nproblem = \"poisson2d:level=2\"\n");
    EXPECT_EQ(run("sweep --dry-run " + sweep).code, 0);
    EXPECT_EQ(run("reproduce table4 --levels 8 --stored --store " + store).code, 0);
    EXPECT_EQ(scratch.read("c.sqlite"), before);
}

TEST(Stores, AReaderNeedsNoRightToWrite) {
    if (::geteuid() != 0) GTEST_SKIP() << "needs root, to become another user";
    const Scratch scratch;
    const std::string store = make_store(scratch);
    ::chmod(scratch.path("").c_str(), 0755);
    ::chmod(store.c_str(), 0644);
    const std::size_t files = scratch.files();
    const Outcome page = run("report " + store + " -o -", kAsNobody),
                  dry = run("sweep --dry-run " + scratch.path("s.toml"), kAsNobody);
    EXPECT_EQ(page.code, 0) << page.err;
    EXPECT_EQ(dry.code, 0) << dry.err;
    EXPECT_EQ(run("sweep --threads 1 " + scratch.path("s.toml"), kAsNobody).code, 0) << "all is stored";
    EXPECT_EQ(scratch.files(), files);
    // A solve that is not stored, in a file and folder of others: neither is touched by whoever looks.
    EXPECT_EQ(run("reproduce table4 --levels 8 --stored --store " + store, kAsNobody).code, 0);
    EXPECT_EQ(scratch.files(), files);
    // And the other way round: what root reads stays its owner's.
    ASSERT_EQ(::chown(scratch.path("").c_str(), 65534, 65534), 0);
    for (const auto& entry : fs::directory_iterator(scratch.path("")))
        ASSERT_EQ(::chown(entry.path().c_str(), 65534, 65534), 0);
    EXPECT_EQ(run("report " + store + " -o -").code, 0);
    EXPECT_EQ(scratch.files(), files);
    EXPECT_EQ(run("sweep --threads 1 " + scratch.path("s.toml"), kAsNobody).code, 0);
}

} // namespace
