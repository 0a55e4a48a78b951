// Sweeps over MPI ranks: the store of one process, what a killed rank leaves, two instances on one store. Requests over
// ranks: bad input, and what is not shared out.
#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "mantissa/host/store.hpp"
#include "rank_runs.hpp"

namespace {

using nlohmann::json;

constexpr const char* kMixed = "[[grid]]\n"
                               "problem = [\"poisson2d:level=4\", \"diffusion2d:level=4\", \"poisson3d:level=3\"]\n"
                               "format = [\"s10e8\", \"s17e8\", \"double\"]\n"
                               "scheme = [\"residual-guided\", \"direct\"]\nhistory = true\n";
constexpr const char* kBad = "[[grid]]\nproblem = \"poisson2d:level=4\"\ncolour = 3\n";
// Forty points of some tenths of a second.
constexpr const char* kLong =
    "[[grid]]\nproblem = \"poisson2d:level=7\"\nformat = [\"s10e8\", \"s12e8\", \"s14e8\", \"s17e8\"]\n"
    "inner = [5, 6, 7, 8, 9, 10, 11, 12, 13, 14]\n";
constexpr std::size_t kLongPoints = 40;

/// A store's points, sorted, without what one run and the next differ in.
std::vector<json> stored_points(const Scratch& scratch, const std::string& store) {
    const std::string lines = scratch.path(store + ".jsonl");
    mantissa::Store(scratch.path(store)).export_json_lines(lines);
    std::vector<json> points;
    std::ifstream file(lines);
    for (std::string line; std::getline(file, line);) {
        json point = json::parse(line);
        for (const char* own : {"seconds", "date", "command"}) EXPECT_EQ(point.erase(own), 1U) << own;
        points.push_back(std::move(point));
    }
    std::sort(points.begin(), points.end());
    return points;
}

TEST(Ranks, StoreEqualsOneProcesses) {
    const Scratch scratch;
    const std::string file = scratch.write("s.toml", kMixed);
    const Outcome alone = run_alone("sweep " + file + " --threads 1 --store " + scratch.path("alone.sqlite"));
    ASSERT_EQ(alone.code, 0) << alone.err;
    const Outcome two = run_ranks("sweep " + file + " --json --threads 1 --store " + scratch.path("two.sqlite"));
    ASSERT_EQ(two.code, 0) << two.err;
    EXPECT_EQ(two.err, "");
    const json report = json::parse(two.out); // one report, not two
    EXPECT_EQ(report["points"], 18);
    EXPECT_EQ(report["computed"], 18);
    const std::vector<json> want = stored_points(scratch, "alone.sqlite");
    ASSERT_EQ(want.size(), 18U);
    EXPECT_EQ(stored_points(scratch, "two.sqlite"), want);
    // Nothing is left to do.
    const Outcome again = run_ranks("sweep " + file + " --json --threads 1 --store " + scratch.path("two.sqlite"));
    ASSERT_EQ(again.code, 0) << again.err;
    EXPECT_EQ(json::parse(again.out)["computed"], 0);
}

/// Waits until the store has some points, at most half a minute, and returns how many.
std::size_t wait_for_points(const std::string& store) {
    std::size_t stored = 0;
    for (int tries = 0; stored < 3 && tries < 6000; ++tries) {
        ::usleep(5000);
        if (std::filesystem::exists(store)) stored = mantissa::Store(store).size();
    }
    return stored;
}

TEST(Ranks, AKilledRankEndsTheSweepWhichResumes) {
    const Scratch scratch;
    const std::string file = scratch.write("s.toml", kLong), store = scratch.path("s.sqlite");
    Background sweep("MANTISSA_TEST_KILLED", "sweep " + file + " --threads 1 --store " + store);
    ASSERT_GE(wait_for_points(store), 3U);
    const int victim = sweep.rank(1);
    ASSERT_GT(victim, 0);
    ASSERT_EQ(::kill(victim, SIGKILL), 0);
    EXPECT_NE(sweep.wait().code, 0);
    const std::size_t stored = mantissa::Store(store).size();
    ASSERT_GE(stored, 3U);
    ASSERT_LT(stored, kLongPoints); // else nothing was cut short
    const Outcome rest = run_ranks("sweep " + file + " --json --threads 1 --store " + store);
    ASSERT_EQ(rest.code, 0) << rest.err;
    const json report = json::parse(rest.out);
    EXPECT_EQ(report["stored_before"], stored);
    EXPECT_EQ(report["computed"], kLongPoints - stored);
    ASSERT_EQ(run_alone("sweep " + file + " --threads 2 --store " + scratch.path("alone.sqlite")).code, 0);
    EXPECT_EQ(stored_points(scratch, "s.sqlite"), stored_points(scratch, "alone.sqlite"));
}

TEST(Ranks, TwoInstancesShareAStore) {
    const Scratch scratch;
    const std::string file = scratch.write("s.toml", kLong), store = scratch.path("s.sqlite");
    const std::string arguments = "sweep " + file + " --threads 1 --store " + store;
    Background first("MANTISSA_TEST_SHARED", arguments);
    ASSERT_GE(wait_for_points(store), 3U);
    const Outcome second = run_ranks(arguments);
    EXPECT_EQ(second.code, 0) << second.err;
    const Outcome o = first.wait();
    EXPECT_EQ(o.code, 0) << o.out;
    EXPECT_EQ(mantissa::Store(store).size(), kLongPoints); // each once
}

TEST(Ranks, BadInputIsOneLine) {
    const Scratch scratch;
    const std::string good = scratch.write("good.toml", kMixed);
    const std::string bad = scratch.write("bad.toml", kBad);
    expect_one_line(run_ranks("sweep " + bad), "bad.toml:3: no key 'colour'");
    expect_one_line(run_ranks("sweep " + good + " --csv /nowhere/x.csv"), "there is no folder '/nowhere'");
    scratch.write("text.sqlite", std::string(5000, 'x'));
    expect_one_line(run_ranks("sweep " + good + " --store " + scratch.path("text.sqlite")), "text.sqlite");
    EXPECT_EQ(scratch.read("text.sqlite"), std::string(5000, 'x'));
    // The fault of one rank alone, whichever it is: the same name, and another file where it runs.
    for (const auto& [first, second] : {std::pair{kMixed, kBad}, std::pair{kBad, kMixed}}) {
        for (const auto& [folder, text] : {std::pair{"a", first}, std::pair{"b", second}}) {
            std::filesystem::create_directories(scratch.path(folder));
            scratch.write(std::string(folder) + "/s.toml", text);
        }
        expect_one_line(run("sweep s.toml", kRanks + "-np 1 -wdir " + scratch.path("a") + " " MANTISSA_PROGRAM +
                                                " sweep s.toml : -np 1 -wdir " + scratch.path("b")),
                        "s.toml:3: no key 'colour'");
    }
}

/// The outcome of ranks with arguments of their own.
Outcome run_each(std::vector<std::string> arguments) {
    std::string line = kRanks;
    for (std::size_t k = 0; k + 1 < arguments.size(); ++k) line += "-np 1 " MANTISSA_PROGRAM " " + arguments[k] + " : ";
    return run(arguments.back(), line + "-np 1");
}

// Whoever has it, a wrong word ends all ranks with one line. So does a right one that the first rank does not have.
TEST(Ranks, AWrongArgumentOfAnyRankIsOneLine) {
    const std::string good = "solve --problem poisson2d:level=4 --spec fx18.16";
    for (const std::string& bad : {good + " --colour red", good + " --parts 0", std::string("sulve"), std::string()})
        for (std::size_t rank = 0; rank < 3; ++rank) {
            std::vector<std::string> each(3, good);
            each[rank] = bad;
            SCOPED_TRACE(bad + " on rank " + std::to_string(rank));
            expect_one_line(run_each(each), bad.ends_with("red") ? "--colour"
                                            : bad.empty()        ? "subcommand"
                                            : bad.ends_with("0") ? "--parts"
                                                                 : "did you mean solve");
        }
    for (const std::string& other : {std::string("solve --problem poisson2d:level=5 --spec fx18.16"),
                                     std::string("engines"), std::string("--help")}) {
        expect_one_line(run_each({good, good, other}), "rank 2: its command line differs");
        expect_one_line(run_each({other, good, good}), "rank 1: its command line differs");
    }
}

TEST(Ranks, WhatIsNotSharedOutRunsInOneProcess) {
    for (const char* arguments :
         {"solve --dense n=8", "solve --problem poisson2d:level=4 --advise",
          "solve --problem poisson2d:level=4 --advise=solve", "engines", "reproduce cevahir --table communication"})
        expect_one_line(run_ranks(arguments), "leave mpirun out");
    // The program without MPI would solve it once a rank.
    expect_one_line(run_program(MANTISSA_ALONE, "solve --problem poisson2d:level=4 --spec fx18.16", kRanks + "-np 2"),
                    std::string(MANTISSA_ALONE) == MANTISSA_PROGRAM ? "" : "built without MPI");
    for (const char* page : {"--version", "--help", "solve --help", "help specs"}) {
        const Outcome o = run_ranks(page);
        EXPECT_EQ(o.code, 0) << o.err;
        EXPECT_EQ(o.out, run_alone(page).out); // once
    }
    expect_one_line(run_alone("solve --problem poisson2d:level=4 --rank-wait 5"), "--rank-wait");
    expect_one_line(run_ranks("solve --problem poisson2d:level=4 --spec fx18.16 --rank-wait 0"), "--rank-wait");
}

TEST(Ranks, RefusedPointsAreNamedOnce) {
    const Scratch scratch;
    const std::string file = scratch.write(
        "s.toml", "[[grid]]\nproblem = [\"poisson2d:level=3\", \"poisson2d:level=4\", \"mtx:/no/such/file.mtx\"]\n");
    const Outcome o = run_ranks("sweep " + file + " --json --threads 1");
    EXPECT_EQ(o.code, 2) << o.err;
    const json report = json::parse(o.out);
    EXPECT_EQ(report["computed"], 2);
    ASSERT_EQ(report["refused"].size(), 1U);
    EXPECT_NE(report["refused"][0]["reason"].get<std::string>().find("/no/such/file.mtx"), std::string::npos);
}

} // namespace
