// One solve over ranks and over parts of one process: the bits of the whole, a share of its vectors, and an end where a
// rank dies or no longer answers.
#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "rank_runs.hpp"

namespace {

using nlohmann::json;

/// A ring with chords: symmetric, diagonally dominant, some couplings far off.
std::string ring(int rows) {
    std::string text = "%%MatrixMarket matrix coordinate real symmetric\n";
    std::string entries;
    int count = 0;
    const auto put = [&](int i, int j, const char* value) {
        entries += std::to_string(std::max(i, j) + 1) + " " + std::to_string(std::min(i, j) + 1) + " " + value + "\n";
        ++count;
    };
    for (int i = 0; i < rows; ++i) {
        put(i, i, "1");
        if (i + 1 < rows) put(i, i + 1, "-0.1875");
        if (i % 5 == 0 && i + rows / 2 < rows) put(i, i + rows / 2, "-0.09375");
    }
    return text + std::to_string(rows) + " " + std::to_string(rows) + " " + std::to_string(count) + "\n" + entries;
}

/// What one process says of a solve, and its solution to the last digit; `parts` left out, and the time.
json one_solve(const Outcome& o) {
    EXPECT_EQ(o.code, 0) << o.err;
    EXPECT_EQ(o.err, "");
    json j = json::parse(o.out); // one answer, not one a rank
    j.erase("parts");
    j.erase("exchange");
    j.erase("levels"); // (its time, and how many are shared out)
    EXPECT_EQ(j.erase("seconds"), 1U);
    return j;
}

TEST(RankSolves, OneSolveHasTheBitsOfTheWhole) {
    const Scratch scratch;
    const std::string matrix = scratch.write("ring.mtx", ring(150));
    const auto solution = [&](const std::string& name) { return " --json --solution " + scratch.path(name); };
    const auto numbers = [&](const std::string& name) {
        std::ifstream file(scratch.path(name));
        std::vector<std::string> lines;
        for (std::string line; std::getline(file, line);)
            if (!line.starts_with("%")) lines.push_back(line);
        EXPECT_GT(lines.size(), 100U);
        return lines;
    };
    for (const std::string& request :
         {std::string("solve --threads 1 --problem poisson2d:level=4 --spec fx18.16"),
          "solve --threads 1 --problem mtx:" + matrix + " --spec fx20.18",
          "solve --threads 1 --problem mtx:" + matrix + " --spec s17e8,dot=fixed[20:-40]",
          std::string("solve --threads 1 --problem poisson2d:level=7 --preconditioner multilevel:b2,w=10"),
          std::string("solve --threads 1 --problem generated:kind=circuit,n=6000 --preconditioner multilevel")}) {
        SCOPED_TRACE(request);
        const json whole = one_solve(run_alone(request + solution("whole.mtx")));
        for (const int ranks : {1, 2, 3, 5}) {
            const Outcome o = run(request + solution("ranks.mtx"), kRanks + "-np " + std::to_string(ranks));
            EXPECT_EQ(one_solve(o), whole) << ranks;
            EXPECT_EQ(numbers("ranks.mtx"), numbers("whole.mtx")) << ranks;
        }
        const std::string cut = request.find("poisson2d") != std::string::npos ? "" : " --cut rcm";
        EXPECT_EQ(one_solve(run_alone(request + " --parts 4" + cut + solution("parts.mtx"))), whole);
        EXPECT_EQ(numbers("parts.mtx"), numbers("whole.mtx"));
    }
}

/// Lines of a solution file that hold numbers.
std::vector<std::string> numbers_of(const std::string& path) {
    std::ifstream file(path);
    std::vector<std::string> lines;
    for (std::string line; std::getline(file, line);)
        if (!line.starts_with("%")) lines.push_back(line);
    EXPECT_GT(lines.size(), 100U);
    return lines;
}

// In double the sums are integers too: one part, threads and ranks have the same solution, and the same count.
TEST(RankSolves, CgInDoubleHasTheBitsOfOnePart) {
    const Scratch scratch;
    const std::string matrix = scratch.write("ring.mtx", ring(150));
    const auto solution = [&](const std::string& name) { return " --json --solution " + scratch.path(name); };
    for (const std::string& request :
         {std::string("solve --format double --scheme direct --problem poisson2d:level=5"),
          std::string("solve --format double --scheme direct --problem diffusion2d:level=4"),
          "solve --format double --scheme jacobi-pcg --problem mtx:" + matrix}) {
        SCOPED_TRACE(request);
        const json one = one_solve(run_alone(request + " --parts 1" + solution("one.mtx")));
        const std::string cut = request.find("mtx:") == std::string::npos ? "" : " --cut rcm";
        EXPECT_EQ(one_solve(run_alone(request + " --parts 3 --exchange host" + cut + solution("host.mtx"))), one);
        EXPECT_EQ(numbers_of(scratch.path("host.mtx")), numbers_of(scratch.path("one.mtx")));
        for (const int ranks : {2, 3, 5}) {
            const std::string way = ranks == 3 ? " --exchange host" : "";
            const Outcome o = run(request + way + solution("ranks.mtx"), kRanks + "-np " + std::to_string(ranks));
            EXPECT_EQ(one_solve(o), one) << ranks;
            EXPECT_EQ(numbers_of(scratch.path("ranks.mtx")), numbers_of(scratch.path("one.mtx"))) << ranks;
        }
        // The whole in floating lanes: another order of sums, the same solve.
        const json whole = one_solve(run_alone(request + " --json"));
        EXPECT_NEAR(whole["inner_iterations"].get<double>(), one["inner_iterations"].get<double>(), 1);
    }
}

TEST(RankSolves, TheHostsWayHasThreeSynchronisations) {
    const std::string request = "solve --json --problem poisson2d:level=4 --exchange host ";
    for (const auto& [options, each] :
         {std::pair{"--scheme direct --format double", 3}, std::pair{"--scheme residual-guided --spec fx18.16", 2}}) {
        const Outcome o = run_ranks(request + options);
        ASSERT_EQ(o.code, 0) << o.err;
        const json exchange = json::parse(o.out)["exchange"];
        EXPECT_EQ(exchange["way"], "host");
        const auto iterations = exchange["iterations"].get<std::uint64_t>();
        EXPECT_GT(iterations, 10U);
        EXPECT_GE(exchange["synchronisations"], each * iterations);
        EXPECT_LE(exchange["synchronisations"], each * iterations + 4);
        EXPECT_GE(exchange["elements"], 17 * iterations); // a grid row
    }
}

/// A solve that would take a minute: it gains nothing more at the end, for as long as its patience lasts.
std::string long_solve(const std::string& solution) {
    return "solve --problem poisson2d:level=10 --tolerance 1e-15 --spec fx18.16 --threads 1 --rank-wait 4 --solution " +
           solution;
}
/// The process of a rank, once it is there and has had a moment to begin.
int started_rank(const Background& solve, int number) {
    int process = -1;
    for (int tries = 0; process < 0 && tries < 6000; ++tries) {
        ::usleep(5000);
        process = solve.rank(number);
    }
    ::usleep(500000); // into its passes, or before them: it ends either way
    return process;
}

TEST(RankSolves, AKilledRankEndsTheSolve) {
    for (const int victim : {0, 1}) {
        const Scratch scratch;
        Background solve("MANTISSA_TEST_SOLVE_KILLED", long_solve(scratch.path("u.mtx")));
        const int process = started_rank(solve, victim);
        ASSERT_GT(process, 0);
        ASSERT_EQ(::kill(process, SIGKILL), 0);
        const Outcome o = solve.wait();
        EXPECT_NE(o.code, 0);
        EXPECT_FALSE(std::filesystem::exists(scratch.path("u.mtx"))); // nothing half-written
        EXPECT_LE(std::count(o.out.begin(), o.out.end(), '\n'), 1) << o.out;
    }
}

/// A script for mpirun to start: the rank `victim` is stopped or killed before it becomes the program, the others are
/// it.
std::string never_begins(const Scratch& scratch, int victim, const std::string& signal) {
    const std::string path =
        scratch.write("never_begins.sh", "#!/bin/sh\n[ \"$OMPI_COMM_WORLD_RANK\" = " + std::to_string(victim) +
                                             " ] && kill -" + signal + " $$\nexec " MANTISSA_PROGRAM " \"$@\"\n");
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    return path;
}

// MPI_Init waits for all ranks: without an end of its own the others would wait for ever. `solve` names its patience,
// and the wait begins with it; that the default holds as well is a matter of two minutes.
TEST(RankSolves, ARankStoppedBeforeMpiBeginsEndsTheOthers) {
    for (const int victim : {0, 1}) {
        const Scratch scratch;
        Background solve("MANTISSA_TEST_NEVER_BEGINS",
                         "solve --problem poisson2d:level=4 --spec fx18.16 --rank-wait 3 --solution " +
                             scratch.path("u.mtx"),
                         never_begins(scratch, victim, "STOP"));
        const auto start = std::chrono::steady_clock::now();
        const Outcome o = solve.wait();
        EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(60));
        EXPECT_EQ(o.code, 2) << o.out;
        EXPECT_EQ(std::count(o.out.begin(), o.out.end(), '\n'), 1) << o.out;
        EXPECT_TRUE(o.out.starts_with("mantissa: rank " + std::to_string(1 - victim) + ": MPI has not begun for 3 s"))
            << o.out;
        EXPECT_EQ(solve.living(), 0U); // the stopped one as well
        EXPECT_FALSE(std::filesystem::exists(scratch.path("u.mtx")));
    }
}

TEST(RankSolves, ARankKilledBeforeMpiBeginsEndsTheOthers) {
    for (const int victim : {0, 1}) {
        const Scratch scratch;
        Background solve("MANTISSA_TEST_KILLED_EARLY",
                         "solve --problem poisson2d:level=4 --spec fx18.16 --rank-wait 20",
                         never_begins(scratch, victim, "KILL"));
        const Outcome o = solve.wait();
        EXPECT_NE(o.code, 0) << o.out;
        EXPECT_LE(std::count(o.out.begin(), o.out.end(), '\n'), 1) << o.out;
        EXPECT_EQ(solve.living(), 0U);
    }
}

// 263169 unknowns, five blocks of a projection: what a rank holds of the outer loop falls with the ranks.
TEST(RankSolves, ARankHoldsItsShare) {
    for (const std::string& request :
         {std::string("solve --json --threads 1 --problem poisson2d:level=9 --spec fx18.16 "
                      "--max-iterations 20"),
          std::string("solve --json --threads 1 --problem poisson2d:level=9 --format "
                      "double --scheme direct --max-iterations 5")}) {
        const auto held = [](const Outcome& o) {
            EXPECT_EQ(o.code, 1) << o.err; // (the limit comes first)
            return json::parse(o.out)["exchange"]["held"].get<double>();
        };
        const double one = held(run_alone(request + " --parts 1"));
        EXPECT_GE(one, 4 * 263169);
        EXPECT_LT(held(run(request, kRanks + "-np 2")), 0.65 * one);
        EXPECT_LT(held(run(request, kRanks + "-np 5")), 0.35 * one);
    }
}

TEST(RankSolves, OneSolveRefusesInOneLine) {
    const Outcome order = run_ranks("solve --problem poisson2d:level=4 --format s17e8");
    expect_one_line(order, "depend on their order");
    expect_one_line(run_ranks("solve --problem poisson2d:level=4 --spec fx18.16 --parts 3"), "each rank is one part");
    expect_one_line(run_ranks("solve --problem nothing:level=4 --spec fx18.16"), "nothing");
    expect_one_line(run_ranks("solve --problem poisson2d:level=4 --colour red"), "--colour");
    expect_one_line(run_ranks("solve --problem poisson2d:level=4 --parts 0 --spec fx18.16"), "--parts");
    expect_one_line(run_ranks("solve --problem poisson2d:level=4 --format double --scheme jacobi-pcg --jacobi"),
                    "jacobi");
    expect_one_line(run_ranks("sweep"), "sweep");
    expect_one_line(run_ranks("engines --colour red"), "--colour");
    expect_one_line(run_alone("solve --problem poisson2d:level=4 --spec fx18.16 --exchange host"), "--exchange");
    expect_one_line(run_alone("solve --problem poisson2d:level=4 --spec fx18.16 --parts 2 --exchange post"), "post");
    const std::string in_double = "solve --problem poisson2d:level=4 --format double --scheme direct ";
    expect_one_line(run_ranks(in_double + "--exchange nccl"), "give --engine gpu");
    expect_one_line(run_alone(in_double + "--parts 2 --exchange mpi"),
                    "give --engine gpu under mpirun or with --parts");
    expect_one_line(run_ranks(in_double + "--engine gpu --exchange host"), "GPUs of ranks take nccl or mpi");
    expect_one_line(run_ranks(in_double + "--engine gpu --gpus 2"), "each rank, or part, has one GPU");
    expect_one_line(run_ranks(in_double + "--devices 0,1"), "with --engine gpu alone");
    expect_one_line(
        run_alone("solve --problem poisson2d:level=4 --format double --scheme direct --parts 2 --check emulated"),
        "--check");
    expect_one_line(run_alone("solve --problem poisson2d:level=4 --spec fx18.16 --cut rcm"), "--cut");
    expect_one_line(run_alone("solve --problem poisson2d:level=4 --spec fx18.16 --parts 9"), "rows for at most 8");
    expect_one_line(run_alone("solve --problem poisson2d:level=4 --spec fx18.16 --parts 2 --resident"), "--resident");
    expect_one_line(run_alone("solve --problem poisson2d:level=4 --parts 2 --engine gpu --spec fx18.16"), "emulated");
}

} // namespace
