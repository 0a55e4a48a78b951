// Where `mantissa` writes: files, links, devices, FIFOs, standard output; and how it ends.
#include <algorithm>
#include <bit>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "mantissa/host/matrix_market.hpp"
#include "mantissa/host/problem.hpp"
#include "mantissa/host/solve.hpp"
#include "mantissa/host/store.hpp"
#include "program.hpp"

namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using nlohmann::json;

const std::string kSmall = "solve --threads 1 --problem poisson2d:level=3 ";

/// A device on which every write fails: one of our own where we may make it, so that a wrong program destroys that.
std::string full_device(const Scratch& scratch) {
    const std::string own = scratch.path("full");
    if (::mknod(own.c_str(), S_IFCHR | 0666, ::makedev(1, 7)) == 0) {
        const int file = ::open(own.c_str(), O_WRONLY);
        if (file >= 0) {
            ::close(file);
            return own;
        }
        fs::remove(own);
    }
    return "/dev/full";
}

TEST(Outputs, ADeviceStaysADevice) {
    const Scratch scratch;
    const std::string device = full_device(scratch),
                      toml = scratch.write("s.toml", "[[grid]]\nproblem = \"poisson2d:level=3\"\n");
    for (const std::string& command : {kSmall + "--history ", kSmall + "--solution ", "sweep " + toml + " --csv ",
                                       "sweep " + toml + " --jsonl ", "report " + scratch.path("s.sqlite") + " -o "}) {
        const Outcome o = run(command + device);
        EXPECT_EQ(o.code, 2) << command << o.err;
        EXPECT_NE(o.err.find(device + ": cannot write: No space left on device"), std::string::npos) << o.err;
        EXPECT_EQ(std::count(o.err.begin(), o.err.end(), '\n'), 1) << o.err;
        EXPECT_TRUE(fs::is_character_file(device)) << command;
        // What was computed is shown all the same.
        EXPECT_EQ(o.out.empty(), command.starts_with("report")) << command;
    }
    EXPECT_EQ(mantissa::Store(scratch.path("s.sqlite")).size(), 1u);
}

/// Refused with one line, before any work, and nothing is lost.
TEST(Outputs, NoOutputTakesThePlaceOfAnInputOrOfAnotherOutput) {
    const Scratch scratch;
    const std::string matrix = scratch.write("in.mtx", "%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n"
                                                       "1 1 2\n2 2 2\n"),
                      sides = scratch.write("b.mtx", "1\n2\n"),
                      comma = scratch.write("in,1.mtx", scratch.read("in.mtx")),
                      toml = scratch.write("s.toml", "[[grid]]\nproblem = \"mtx:" + matrix + "\"\n"),
                      own = scratch.write("own.toml",
                                          "store = \"own.toml\"\n[[grid]]\nproblem = \"poisson2d:level=3\"\n"),
                      mesh = scratch.write("m.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    ASSERT_EQ(run("sweep " + toml + " --threads 1").code, 0);
    const std::string store = scratch.path("s.sqlite"), solve = "solve --threads 1 --problem mtx:" + matrix;
    fs::create_symlink("in.mtx", scratch.path("link.mtx"));
    fs::create_hard_link(matrix, scratch.path("hard.mtx"));
    fs::create_symlink("new", scratch.path("dangling"));
    const std::vector<std::pair<std::string, std::string>> lines{
        {solve + " --solution " + matrix,
         "--solution '" + matrix + "': the command reads this file (--problem), which would be lost"},
        {solve + " --history " + scratch.path("link.mtx"), "file (--problem), which"},
        {solve + " --history " + scratch.path("hard.mtx"), "file (--problem), which"},
        {solve + ",rhs=file:" + sides + " --solution " + sides, "file (--problem), which"},
        {"solve --problem mtx:" + comma + ",rhs=random --solution " + comma, "file (--problem), which"},
        {solve + " --guess " + sides + " --solution " + sides, "file (--guess), which"},
        {solve + " --history " + scratch.path("new") + " --solution " + scratch.path("./new"),
         "--history writes this file too"},
        {solve + " --history " + scratch.path("new") + " --solution " + scratch.path("dangling"),
         "--history writes this file too"},
        {"solve --dense file=" + matrix + " --solution " + matrix, "file (--dense), which"},
        {"sweep " + toml + " --csv " + toml, "file (file), which"},
        {"sweep " + toml + " --jsonl " + matrix, "file (the sweep), which"},
        {"sweep " + toml + " --csv " + store, "s.toml writes this file too"},
        {"sweep " + own, "file (the sweep), which"},
        {"report " + store + " -o " + store, "file (results), which"},
        {"report " + store + " --against " + store + " -o " + store, "the command reads this file"},
        {"compare " + toml + " --store " + toml, "file (file), which"},
        {"tune --problem poisson2d:level=3 --device xc2v8000 --json tune.sqlite", "writes this file too"},
        {"upset --problem poisson2d:level=3 --json x.out --store x.out", "writes this file too"},
        {"simulate --problem mtx:" + matrix + " --trace " + matrix, "file (--problem), which"},
        {"parameterize " + mesh + " -o " + mesh, "file (mesh), which"},
        {"smooth " + mesh + " -o " + scratch.path("x.svg") + " --picture " + scratch.path("x.svg"),
         "writes this file too"},
        {"reproduce cnc --figure 3 --mesh " + mesh + " -o " + mesh, "file (--mesh), which"},
        {"bench residuals --from " + mesh + " --picture " + mesh, "file (--from), which"},
    };
    std::map<std::string, std::string> before;
    for (const std::string& file : {matrix, sides, comma, toml, own, store, mesh})
        before[file] = scratch.read(fs::path(file).filename());
    for (const auto& [line, part] : lines) {
        const Outcome o = run(line);
        EXPECT_EQ(o.code, 2) << line;
        EXPECT_NE(o.err.find(part), std::string::npos) << line << ": " << o.err;
        EXPECT_EQ(std::count(o.err.begin(), o.err.end(), '\n'), 1) << o.err;
        EXPECT_TRUE(o.out.empty()) << line << ": " << o.out;
    }
    for (const auto& [file, text] : before) EXPECT_EQ(scratch.read(fs::path(file).filename()), text) << file;
    // A device takes both, and a name that a number holds is no file.
    EXPECT_EQ(run(solve + " --history /dev/null --solution /dev/null").code, 0);
}

TEST(Outputs, ALinkIsFollowedAndAFileKeepsItsMode) {
    const Scratch scratch;
    fs::create_directory(scratch.path("real"));
    scratch.write("real/h.csv", "old");
    ::chmod(scratch.path("real/h.csv").c_str(), 0640);
    fs::create_symlink("real/h.csv", scratch.path("one"));
    fs::create_symlink("one", scratch.path("two"));
    fs::create_symlink("real/new.csv", scratch.path("new"));
    for (const char* link : {"two", "new"}) {
        const Outcome o = run(kSmall + "--history " + scratch.path(link));
        EXPECT_EQ(o.code, 0) << o.err;
        EXPECT_TRUE(fs::is_symlink(scratch.path(link)));
        EXPECT_TRUE(scratch.read(link).starts_with("inner_iterations,")) << scratch.read(link);
    }
    EXPECT_EQ(fs::status(scratch.path("real/h.csv")).permissions(), fs::perms(0640));
    EXPECT_EQ(std::distance(fs::directory_iterator(scratch.path("real")), {}), 2) << "no temporary file stays";
    fs::create_symlink("loop", scratch.path("loop"));
    EXPECT_EQ(run(kSmall + "--history " + scratch.path("loop")).code, 2);
}

TEST(Outputs, AFifoIsWrittenInPlace) {
    const Scratch scratch;
    const std::string fifo = scratch.path("fifo");
    ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
    std::string got;
    std::thread reader([&] { got = scratch.read("fifo"); });
    const Outcome o = run(kSmall + "--history " + fifo);
    reader.join();
    EXPECT_EQ(o.code, 0) << o.err;
    EXPECT_TRUE(got.starts_with("inner_iterations,")) << got;
    EXPECT_TRUE(fs::is_fifo(fifo));
}

TEST(Outputs, AHyphenIsStandardOutput) {
    const Scratch scratch;
    const Outcome history = run(kSmall + "--history -");
    EXPECT_EQ(history.code, 0);
    EXPECT_TRUE(history.out.starts_with("inner_iterations,outer_iterations,relative_defect\n0,0,1\n")) << history.out;
    EXPECT_EQ(history.out.find("converged"), std::string::npos) << "only the file goes there";
    EXPECT_NE(history.err.find("converged"), std::string::npos) << history.err;
    const Outcome solution = run(kSmall + "--solution -");
    EXPECT_TRUE(solution.out.starts_with("%%MatrixMarket matrix array real general\n")) << solution.out.substr(0, 200);
    const std::string toml = scratch.write("s.toml", "[[grid]]\nproblem = \"poisson2d:level=3\"\n");
    EXPECT_TRUE(run("sweep " + toml + " --csv -").out.starts_with("problem,unknowns,"));
    EXPECT_TRUE(json::accept(run("sweep " + toml + " --jsonl -").out));
    EXPECT_TRUE(run("report " + scratch.path("s.sqlite") + " -o -").out.starts_with("<!DOCTYPE html>"));
    EXPECT_FALSE(fs::exists("-"));
}

TEST(Outputs, StandardOutputThatCannotBeWrittenIsNoSuccess) {
    for (const char* arguments :
         {"--version", "--help", "solve --help", "engines", "engines --json",
          "solve --threads 1 --problem poisson2d:level=3", "solve --threads 1 --problem poisson2d:level=3 --json",
          "solve --threads 1 --problem poisson2d:level=3 --history -"})
        for (const char* where : {" >/dev/full", " >&-"}) {
            const Outcome o = run(std::string(arguments) + where);
            EXPECT_EQ(o.code, 2) << arguments << where << o.err;
            EXPECT_NE(o.err.find("standard output: cannot write"), std::string::npos) << arguments << where << o.err;
        }
}

TEST(Outputs, ATraceWithoutAClockOfTheRunWritesNothing) {
    if (std::system("verilator --version >/dev/null 2>&1") != 0) GTEST_SKIP() << "Verilator is not installed";
    const Scratch scratch;
    const std::string command =
        "simulate --problem poisson2d:level=2 --max-iterations 2 --trace " + scratch.path("x.fst") + " --window ";
    const Outcome beyond = run(command + "1000000:1000001");
    EXPECT_EQ(beyond.code, 2) << beyond.err;
    EXPECT_NE(beyond.err.find("--window 1000000:1000001: no waveform was written"), std::string::npos) << beyond.err;
    EXPECT_EQ(scratch.files(), 0u);
    EXPECT_NE(run(command + "100:120").code, 2);
    const std::string waveform = scratch.read("x.fst"), save = scratch.read("x.gtkw");
    EXPECT_FALSE(waveform.empty() || save.empty());
    EXPECT_EQ(run(command + "1000000:1000001").code, 2);
    EXPECT_TRUE(scratch.read("x.fst") == waveform && scratch.read("x.gtkw") == save) << "an earlier run's";
}

/// Every datapath of a schedule is named, not the first alone.
TEST(Outputs, SimulateNamesAllOfASchedule) {
    if (std::system("verilator --version >/dev/null 2>&1") != 0) GTEST_SKIP() << "Verilator is not installed";
    const std::string command =
        "simulate --problem poisson2d:level=2 --max-iterations 2 --schedule '1:s17e8;2e-3:s23e8'";
    const std::string row = "then              s23e8 below a defect of 0.002\n";
    const Outcome o = run(command);
    EXPECT_NE(o.out.find(row), std::string::npos) << o.out << o.err;
    EXPECT_EQ(json::parse(run(command + " --json").out)["schedule"], "1:s17e8;0.002:s23e8");
}

TEST(Outputs, SweepDryRunSpeaksJson) {
    const Scratch scratch;
    const std::string toml = scratch.write("s.toml", "[[grid]]\nproblem = \"poisson2d:level=3\"\ninner = [5, 6]\n");
    const json before = json::parse(run("sweep " + toml + " --dry-run --json").out);
    EXPECT_EQ(before, (json{{"points", 2}, {"stored", 0}, {"store", scratch.path("s.sqlite")}}));
    EXPECT_EQ(scratch.files(), 1u);
    ASSERT_EQ(run("sweep " + toml).code, 0);
    EXPECT_EQ(json::parse(run("sweep " + toml + " --dry-run --json").out)["stored"], 2);
}

/// A window past the format's range is not what a sum outgrew; factors do not see a condition beyond their precision.
TEST(Outputs, DenseFailuresNameWhatMendsThem) {
    const auto said = [](const std::string& of) {
        const Outcome o = run("solve --threads 1 --dense " + of);
        return o.out + o.err;
    };
    const std::string range = said("n=60,kind=wilkinson --lu 'lu:half,acc=fixed[25:-34]'");
    EXPECT_NE(range.find("beyond the range of s10e5"), std::string::npos) << range;
    EXPECT_NE(range.find("more exponent bits"), std::string::npos) << range;
    const std::string window = said("n=60 --lu 'lu:s10e8,acc=fixed[1:-30]'");
    EXPECT_NE(window.find("take a greater MSB"), std::string::npos) << window;
    // What vanishes in single is not mended by single.
    const Scratch scratch;
    const std::string near = "file=" + scratch.write("near.mtx", "%%MatrixMarket matrix array real general\n2 2\n"
                                                                 "1\n1\n1\n1.00000000001\n");
    EXPECT_NE(said(near + " --lu lu:s10e8").find("as --lu lu:s23e8"), std::string::npos);
    const std::string again = said(near + " --lu lu:s23e8");
    EXPECT_NE(again.find("take more bits, of the exponent too: --lu lu:s23e11 or lu:double"), std::string::npos)
        << again;
    const std::string unseen = said("n=30,kind=hilbert");
    EXPECT_NE(unseen.find(" or more  (1-norm, of the scaled matrix; out of sight of the factors"), std::string::npos)
        << unseen;
    const std::string seen = said("n=30");
    EXPECT_NE(seen.find("(estimated from the factors"), std::string::npos) << seen;
}

TEST(Outputs, SolveSaysThatItChecked) {
    const std::string parts = kSmall + "--spec fx18.16 --parts 2 --check emulated ";
    const Outcome text = run(parts);
    const json j = json::parse(run(parts + "--json").out);
    EXPECT_EQ(j["check"]["engine"], "emulated");
    EXPECT_EQ(j["check"]["passes"], j["inner_iterations"]);
    const std::string row = "all " + j["check"]["passes"].dump() + " passes equal to emulated, bit for bit";
    EXPECT_NE(text.out.find(row), std::string::npos) << text.out;
    EXPECT_FALSE(json::parse(run(kSmall + "--json").out).contains("check"));
}

TEST(Outputs, SolutionReadsBackExactly) {
    const Scratch scratch;
    const std::string name = "diffusion2d:level=4,field=smooth,contrast=100000000,seed=1", file = scratch.path("u.mtx");
    ASSERT_EQ(run("solve --threads 1 --problem " + name + " --jacobi --solution " + file).code, 0);
    const mantissa::Problem problem = mantissa::make_problem(name);
    mantissa::SolveOptions options;
    options.jacobi = options.keep_solution = true;
    const mantissa::SolveResult here = solve(problem, *mantissa::make_emulated_engine(), options);
    const std::vector<double> u = mantissa::read_vector(file, problem.system.size());
    ASSERT_EQ(u.size(), here.u.size());
    EXPECT_GT(*std::max_element(u.begin(), u.end()), 0.0);
    for (std::size_t i = 0; i < u.size(); ++i)
        EXPECT_EQ(std::bit_cast<std::uint64_t>(u[i]), std::bit_cast<std::uint64_t>(here.u[i])) << i;
    const std::string text = scratch.read("u.mtx");
    EXPECT_NE(text.find("\n% solution of " + name + ", residual-guided, s17e8 on emulated\n"), std::string::npos)
        << text.substr(0, 400);
    EXPECT_NE(text.find("\n% converged, true residual "), std::string::npos) << text.substr(0, 400);
}

/// The written solution u as a right-hand side: I v = u has v = u, whose digits are the same again.
TEST(Outputs, SolutionIsARightHandSide) {
    const Scratch scratch;
    const std::string u = scratch.path("u.mtx"), v = scratch.path("v.mtx");
    const std::string one =
        scratch.write("one.mtx", "%%MatrixMarket matrix coordinate real symmetric\n3 3 3\n1 1 3\n2 2 7\n3 3 11\n");
    for (const auto& [rhs, to] : {std::pair{std::string("ones"), u}, {"file:" + u, v}}) {
        const Outcome o = run("solve --threads 1 --scheme pipelined --format double --problem mtx:" + one +
                              ",rhs=" + rhs + " --jacobi --solution " + to);
        ASSERT_EQ(o.code, 0) << o.err << o.out;
    }
    const std::vector<double> first = mantissa::read_vector(u, 3), second = mantissa::read_vector(v, 3);
    for (std::size_t i = 0; i < 3; ++i) {
        const double d = i == 0 ? 3 : i == 1 ? 7 : 11;
        EXPECT_NEAR(first[i] * d, 1, 1e-9);
        EXPECT_NEAR(second[i] * d * d, 1, 1e-9);
    }
}

TEST(Outputs, SolutionOfASolveThatDidNotConvergeIsWrittenAndSaysSo) {
    const Scratch scratch;
    const Outcome o =
        run("solve --threads 1 --problem poisson2d:level=6 --max-iterations 20 --solution " + scratch.path("u.mtx"));
    EXPECT_EQ(o.code, 1);
    EXPECT_NE(scratch.read("u.mtx").find("\n% iteration limit, true residual "), std::string::npos)
        << scratch.read("u.mtx").substr(0, 400);
    EXPECT_EQ(mantissa::read_vector(scratch.path("u.mtx"), 65 * 65).size(), 65u * 65u);
}

// --- endings ---------------------------------------------------------------------------------------------------------

bool soon(const std::function<bool()>& condition, std::chrono::seconds limit = 60s) {
    const auto end = std::chrono::steady_clock::now() + limit;
    while (!condition()) {
        if (std::chrono::steady_clock::now() > end) return false;
        std::this_thread::sleep_for(10ms);
    }
    return true;
}

/// A `mantissa` with a cache and a TMPDIR of its own, by which all that it starts can be told.
class Child {
public:
    explicit Child(const Scratch& scratch) : cache_("MANTISSA_CACHE=" + scratch.path("cache")) {
        ::setenv("MANTISSA_CACHE", scratch.path("cache").c_str(), 1);
        ::setenv("TMPDIR", scratch.path("tmp").c_str(), 1);
        fs::create_directories(scratch.path("tmp"));
    }
    Child(const Child&) = delete;
    Child& operator=(const Child&) = delete;
    ~Child() {
        for (const int id : processes_with(cache_)) ::kill(id, SIGKILL);
        ::unsetenv("MANTISSA_CACHE");
        ::unsetenv("TMPDIR");
    }
    void start(std::vector<std::string> words, const std::string& err) {
        words.insert(words.begin(), MANTISSA_PROGRAM);
        std::vector<char*> arguments;
        for (std::string& word : words) arguments.push_back(word.data());
        arguments.push_back(nullptr);
        id_ = ::fork();
        if (id_ != 0) return;
        for (const int signal : {SIGINT, SIGTERM, SIGHUP}) ::signal(signal, SIG_DFL);
        ::close(::open("/dev/null", O_RDONLY));
        const int file = ::open(err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
        ::dup2(file, STDERR_FILENO);
        ::dup2(file, STDOUT_FILENO);
        ::execv(MANTISSA_PROGRAM, arguments.data());
        ::_exit(127);
    }
    /// A tool runs: the program, its supervisor and the tool at least.
    [[nodiscard]] bool at_work() const { return processes().size() >= 3; }
    [[nodiscard]] std::vector<int> processes() const { return processes_with(cache_); }
    int end_by(int signal) {
        ::kill(id_, signal);
        int status = 0;
        ::waitpid(id_, &status, 0);
        return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    }

private:
    std::string cache_;
    pid_t id_ = -1;
};

bool runs(const char* tool) {
    return std::system((std::string(tool) + " >/dev/null 2>&1").c_str()) == 0;
}

std::vector<std::string> names_in(const std::string& folder) {
    std::vector<std::string> names;
    if (!fs::exists(folder)) return names;
    for (const auto& entry : fs::directory_iterator(folder)) names.push_back(entry.path().filename());
    return names;
}

TEST(Ending, AKilledSynthesisLeavesNoToolAndNoFolder) {
    if (!runs("yosys -V")) GTEST_SKIP() << "yosys is not installed";
    for (const int signal : {SIGTERM, SIGINT, SIGHUP}) {
        const Scratch scratch;
        Child child(scratch);
        child.start({"synthesize", "--spec", "s52e11"}, scratch.path("err"));
        const auto script = [&] {
            const auto names = names_in(scratch.path("tmp"));
            return std::any_of(names.begin(), names.end(),
                               [&](const auto& n) { return fs::exists(scratch.path("tmp/" + n + "/run.ys")); });
        };
        ASSERT_TRUE(soon([&] { return script() && child.at_work(); })) << scratch.read("err");
        EXPECT_EQ(child.end_by(signal), signal) << scratch.read("err");
        EXPECT_TRUE(soon([&] { return child.processes().empty(); }, 5s));
        EXPECT_TRUE(names_in(scratch.path("tmp")).empty());
        EXPECT_EQ(scratch.read("err"), "");
    }
}

TEST(Ending, AKilledModelBuildLeavesNoToolAndNoFolder) {
    if (!runs("verilator --version")) GTEST_SKIP() << "Verilator is not installed";
    const Scratch scratch;
    Child child(scratch);
    child.start({"simulate", "--problem", "poisson2d:level=3"}, scratch.path("err"));
    const auto building = [&] {
        const auto names = names_in(scratch.path("cache/rtl"));
        return std::any_of(names.begin(), names.end(), [](const auto& n) { return n.starts_with("build-"); });
    };
    // The compiler's driver has a compiler below it, and that must go too.
    ASSERT_TRUE(soon([&] { return building() && child.processes().size() >= 4; })) << scratch.read("err");
    EXPECT_EQ(child.end_by(SIGTERM), SIGTERM) << scratch.read("err");
    EXPECT_TRUE(soon([&] { return child.processes().empty(); }, 5s));
    EXPECT_FALSE(building());
    EXPECT_TRUE(names_in(scratch.path("tmp")).empty());
}

TEST(Ending, NoToolOutlivesAProgramKilledOutrightAndTheNextOneCleansUp) {
    if (!runs("yosys -V")) GTEST_SKIP() << "yosys is not installed";
    const Scratch scratch;
    Child child(scratch);
    child.start({"synthesize", "--spec", "s52e11"}, scratch.path("err"));
    const auto script = [&] {
        const auto names = names_in(scratch.path("tmp"));
        return names.size() == 1 && fs::exists(scratch.path("tmp/" + names[0] + "/run.ys"));
    };
    ASSERT_TRUE(soon([&] { return script() && child.at_work(); })) << scratch.read("err");
    EXPECT_EQ(child.end_by(SIGKILL), SIGKILL);
    EXPECT_TRUE(soon([&] { return child.processes().empty(); }, 5s));
    const auto left = names_in(scratch.path("tmp"));
    ASSERT_EQ(left.size(), 1u);
    // A folder of the last minute may belong to a program that is about to lock it.
    fs::last_write_time(scratch.path("tmp/" + left[0]), fs::file_time_type::clock::now() - 2min);
    const Outcome o = run("synthesize --spec s17e8 --operator add --combinational");
    EXPECT_EQ(o.code, 0) << o.err;
    EXPECT_TRUE(names_in(scratch.path("tmp")).empty());
}

TEST(Ending, AStoppedSweepSaysWhatIsStored) {
    const Scratch scratch;
    scratch.write("s.toml",
                  "[[grid]]\nproblem = \"poisson2d:level=7\"\nformat = [\"s10e8\", \"s12e8\", \"s14e8\", \"s17e8\"]\n"
                  "inner = [5, 6, 7, 8, 9, 10, 11, 12, 13, 14]\n");
    Child child(scratch);
    child.start({"sweep", scratch.path("s.toml"), "--threads", "1"}, scratch.path("err"));
    const std::string path = scratch.path("s.sqlite");
    ASSERT_TRUE(soon([&] { return fs::exists(path) && mantissa::Store(path).size() >= 3; })) << scratch.read("err");
    EXPECT_EQ(child.end_by(SIGINT), SIGINT);
    const std::size_t stored = mantissa::Store(path).size();
    ASSERT_LT(stored, 40u);
    const std::string err = scratch.read("err");
    // A point may be stored between the count and the end.
    const bool said =
        err.find("stopped with " + std::to_string(stored) + " of 40 points stored") != std::string::npos ||
        err.find("stopped with " + std::to_string(stored - 1) + " of 40 points") != std::string::npos;
    EXPECT_TRUE(said) << stored << ": " << err;
    EXPECT_EQ(std::count(err.begin(), err.end(), '\n'), 1) << err;
}

} // namespace
