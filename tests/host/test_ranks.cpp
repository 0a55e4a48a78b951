// Sweeps over MPI ranks: the store of one process, what a killed rank leaves, two instances on one store, bad input.
// One solve over ranks and over parts of one process: the bits of the whole.
#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "mantissa/host/store.hpp"
#include "program.hpp"

namespace {

using nlohmann::json;

// mpirun as root, on fewer cores than ranks, and without copies from process to process, which containers forbid;
// quiet, so that what is printed is the program's.
const std::string kRanks =
    "OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 "
    "OMPI_MCA_btl_vader_single_copy_mechanism=none " MANTISSA_MPIRUN " -q --oversubscribe --bind-to none ";

/// Two ranks with these arguments.
Outcome run_ranks(const std::string& arguments) {
    return run(arguments, kRanks + "-np 2");
}
/// The program without MPI.
Outcome run_alone(const std::string& arguments) {
    return run_program(MANTISSA_ALONE, arguments);
}

constexpr const char* kMixed = "[[grid]]\n"
                               "problem = [\"poisson2d:level=4\", \"diffusion2d:level=4\", \"poisson3d:level=3\"]\n"
                               "format = [\"s10e8\", \"s17e8\", \"double\"]\n"
                               "scheme = [\"residual-guided\", \"direct\"]\nhistory = true\n";
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

void expect_one_line(const Outcome& o, const std::string& part) {
    EXPECT_EQ(o.code, 2);
    EXPECT_EQ(o.out, "");
    EXPECT_EQ(std::count(o.err.begin(), o.err.end(), '\n'), 1) << o.err;
    EXPECT_TRUE(o.err.starts_with("mantissa: ")) << o.err;
    EXPECT_NE(o.err.find(part), std::string::npos) << o.err;
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

/// Ranks that run in the background; ended when this goes.
class Background {
public:
    Background(const std::string& mark, const std::string& arguments)
        : mark_(mark + "=" + std::to_string(::getpid())),
          pipe_(
              ::popen((mark_ + " " + kRanks + "-np 2 " + MANTISSA_PROGRAM + " " + arguments + " 2>&1").c_str(), "r")) {}
    Background(const Background&) = delete;
    Background& operator=(const Background&) = delete;
    ~Background() {
        if (pipe_ == nullptr) return;
        for (const int process : processes_with(mark_)) ::kill(process, SIGKILL);
        ::pclose(pipe_);
    }
    /// The process of this rank, or -1.
    [[nodiscard]] int rank(int number) const {
        const std::vector<int> ranks = processes_with("OMPI_COMM_WORLD_RANK=" + std::to_string(number));
        for (const int process : processes_with(mark_))
            if (std::find(ranks.begin(), ranks.end(), process) != ranks.end()) return process;
        return -1;
    }
    /// Waits for its end; its exit code, and what it printed.
    Outcome wait() {
        Outcome o;
        std::array<char, 4096> buffer{};
        for (std::size_t got; (got = std::fread(buffer.data(), 1, buffer.size(), pipe_)) > 0;)
            o.out.append(buffer.data(), got);
        const int status = ::pclose(std::exchange(pipe_, nullptr));
        o.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
        return o;
    }

private:
    std::string mark_;
    std::FILE* pipe_;
};

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
    const std::string bad = scratch.write("bad.toml", "[[grid]]\nproblem = \"poisson2d:level=4\"\ncolour = 3\n");
    expect_one_line(run_ranks("sweep " + bad), "bad.toml:3: no key 'colour'");
    expect_one_line(run_ranks("sweep " + good + " --csv /nowhere/x.csv"), "there is no folder '/nowhere'");
    scratch.write("text.sqlite", std::string(5000, 'x'));
    expect_one_line(run_ranks("sweep " + good + " --store " + scratch.path("text.sqlite")), "text.sqlite");
    EXPECT_EQ(scratch.read("text.sqlite"), std::string(5000, 'x'));
    // The fault of one rank alone, whichever it is.
    for (const auto& [first, second] : {std::pair{good, bad}, std::pair{bad, good}}) {
        const std::string rest = "-np 1 " MANTISSA_PROGRAM " sweep " + first + " : -np 1";
        expect_one_line(run("sweep " + second, kRanks + rest), "bad.toml:3: no key 'colour'");
    }
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
    EXPECT_EQ(j.erase("seconds"), 1U);
    return j;
}

TEST(Ranks, OneSolveHasTheBitsOfTheWhole) {
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
          "solve --threads 1 --problem mtx:" + matrix + " --spec s17e8,dot=fixed[20:-40]"}) {
        SCOPED_TRACE(request);
        const json whole = one_solve(run_alone(request + solution("whole.mtx")));
        for (const int ranks : {1, 2, 3, 5}) {
            const Outcome o = run(request + solution("ranks.mtx"), kRanks + "-np " + std::to_string(ranks));
            EXPECT_EQ(one_solve(o), whole) << ranks;
            EXPECT_EQ(numbers("ranks.mtx"), numbers("whole.mtx")) << ranks;
        }
        const std::string cut = request.find("mtx:") == std::string::npos ? "" : " --cut rcm";
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
TEST(Ranks, CgInDoubleHasTheBitsOfOnePart) {
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

TEST(Ranks, TheHostsWayHasThreeSynchronisations) {
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

TEST(Ranks, AKilledRankEndsTheSolve) {
    const Scratch scratch;
    const std::string solution = scratch.path("u.mtx");
    // (It would take a minute: it gains nothing more at the end, for as long as its patience lasts.)
    Background solve("MANTISSA_TEST_SOLVE_KILLED",
                     "solve --problem poisson2d:level=10 --tolerance 1e-15 --spec fx18.16 --threads 1 --solution " +
                         solution);
    int victim = -1;
    for (int tries = 0; victim < 0 && tries < 6000; ++tries) {
        ::usleep(5000);
        victim = solve.rank(1);
    }
    ASSERT_GT(victim, 0);
    ::usleep(300000); // into its passes, or before them: it ends either way
    ASSERT_EQ(::kill(victim, SIGKILL), 0);
    EXPECT_NE(solve.wait().code, 0);
    EXPECT_FALSE(std::filesystem::exists(solution)); // nothing half-written
}

TEST(Ranks, OneSolveRefusesInOneLine) {
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
    expect_one_line(
        run_alone("solve --problem poisson2d:level=4 --format double --scheme direct --parts 2 --check emulated"),
        "--check");
    expect_one_line(run_alone("solve --problem poisson2d:level=4 --spec fx18.16 --cut rcm"), "--cut");
    expect_one_line(run_alone("solve --problem poisson2d:level=4 --spec fx18.16 --parts 9"), "rows for at most 8");
    expect_one_line(run_alone("solve --problem poisson2d:level=4 --spec fx18.16 --parts 2 --resident"), "--resident");
    expect_one_line(run_alone("solve --problem poisson2d:level=4 --parts 2 --engine gpu --spec fx18.16"), "emulated");
}

} // namespace
