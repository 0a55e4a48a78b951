#include <cmath>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sqlite3.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "expect_invalid.hpp"
#include "mantissa/host/store.hpp"
#include "scratch.hpp"

namespace {

using namespace mantissa;

Point sample_point() {
    Point p;
    p.problem = "poisson2d:level=5";
    p.options.scheme = Scheme::defect_correction;
    p.options.spec = parse_spec("s14e8,u=s23e8,row=s20e8,dot=fixed[13:-50]");
    p.options.digits = 2;
    return p;
}
SolveResult sample_result() {
    SolveResult r;
    r.status = Status::stagnated;
    r.detail = "stuck, with \"quotes\", commas\nand lines";
    r.inner_iterations = 1234;
    r.outer_iterations = 56;
    r.true_residual = 0.1 + 0.2;
    r.error = 1e-300;
    r.cycles = std::uint64_t{1} << 40;
    r.seconds = 1.0 / 3;
    r.equation_scale = 3;
    r.bit_operations = {std::uint64_t{1} << 60, 12345};
    r.overflows = 2;
    r.resident = ResidentOutcome{ResidentEnd::outer_overflow, 3, -2, -33, 0.1 + 0.2};
    r.energy = EnergyEstimate{1.0 / 3, std::numeric_limits<double>::infinity(), 47, false};
    r.bound = ErrorBound{0.1 + 0.2, {}, "M-matrix", ""};
    r.words = {31, 16, 17, 18};
    r.history = {{10, 1, 0.5}, {20, 2, 1.0 / 3}};
    return r;
}
const Provenance kProvenance{"1.2.3", "abcdef", "test bench", "2006-04-24T09:00:00Z", "mantissa sweep x.toml"};

TEST(PointKey, NamesEverythingThatCountsAndNothingElse) {
    const Point base = sample_point();
    std::vector<Point> others(15, base);
    others[0].problem = "poisson2d:level=6";
    others[1].engine = "rtl";
    others[2].options.scheme = Scheme::residual_guided;
    others[3].options.digits = 3;
    others[4].options.digits = 0;
    others[5].options.spec = parse_spec("s14e8");
    others[6].options.tolerance = 1e-9;
    others[7].options.max_iterations = 99;
    others[8].options.jacobi = true;
    others[9].options.recurrence = RecurrenceChoice::cg;
    others[10].options.middle = {parse_format("s36e11")};
    others[11].options.middle = {parse_format("s36e11")};
    others[11].options.middle_digits = 3;
    others[12].options.schedule = {{1, base.options.spec}};
    others[13].options.schedule = {{1, base.options.spec}, {0.5, parse_spec("s9e8")}};
    others[14].options.resident = true;
    for (std::size_t i = 0; i < others.size(); ++i) {
        EXPECT_NE(point_key(base), point_key(others[i])) << i;
        for (std::size_t j = 0; j < i; ++j) EXPECT_NE(point_key(others[j]), point_key(others[i])) << i << ' ' << j;
    }
    Point same = base;
    same.options.threads = 7;
    same.options.history = same.options.keep_solution = true;
    same.options.inner = 77; // not used with digits
    EXPECT_EQ(point_key(base), point_key(same));
    Point direct = base, direct_too = base;
    direct.options.scheme = direct_too.options.scheme = Scheme::cg;
    direct_too.options.digits = 0;
    EXPECT_EQ(point_key(direct), point_key(direct_too));
}

void write_diagonal(const std::string& path, int value) {
    std::ofstream(path) << "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 " << value << "\n2 2 3\n";
}

TEST(Store, HasNothingOfAFileThatChanged) {
    const Scratch scratch;
    const std::string matrix = scratch.path("a.mtx"), right = scratch.path("b.mtx"), path = scratch.path("s.sqlite");
    Point point;
    point.problem = fmt::format("mtx:{},rhs=file:{}", matrix, right);
    const auto kept = [&](std::vector<std::string>* notes = nullptr) {
        const Store store(path);
        const bool found = store.contains(point);
        EXPECT_EQ(store.find(point).has_value(), found);
        if (notes != nullptr) *notes = store.notes_on_files();
        return found;
    };
    const auto put = [&] { Store(path).put(point, sample_result(), 2, kProvenance); };
    write_diagonal(matrix, 1);
    write_diagonal(right, 1);
    put();
    EXPECT_TRUE(kept());
    std::vector<std::string> notes;
    write_diagonal(right, 2);
    EXPECT_FALSE(kept(&notes));
    EXPECT_EQ(notes, std::vector{right + ": changed since 1 solve with it was stored; that does not count as stored"});
    put();
    EXPECT_EQ(Store(path).size(), 1u); // in the place of the other
    EXPECT_TRUE(kept(&notes));
    EXPECT_EQ(notes, std::vector<std::string>());
    write_diagonal(matrix, 2);
    EXPECT_FALSE(kept(&notes));
    EXPECT_TRUE(notes.at(0).starts_with(matrix + ": changed")) << notes.at(0);
    write_diagonal(matrix, 1);
    EXPECT_TRUE(kept()); // it is again what it was
    std::remove(matrix.c_str());
    EXPECT_FALSE(kept(&notes)); // the solve says why
    EXPECT_EQ(notes, std::vector<std::string>());
    EXPECT_EQ(Store(path).size(), 1u);
}

/// A row that the report would refuse is solved again, and its place taken.
TEST(Store, HasNothingOfADamagedRow) {
    const Scratch scratch;
    const std::string path = scratch.path("s.sqlite");
    Store(path).put(sample_point(), sample_result(), 1089, kProvenance);
    DensePoint dense;
    dense.problem = "n=4";
    Store(path).put(dense, DenseResult{}, 4, kProvenance);
    const auto damage = [&](const std::string& sql) {
        sqlite3* db = nullptr;
        ASSERT_EQ(sqlite3_open(path.c_str(), &db), SQLITE_OK);
        EXPECT_EQ(sqlite3_exec(db, ("UPDATE " + sql).c_str(), nullptr, nullptr, nullptr), SQLITE_OK) << sql;
        sqlite3_close(db);
    };
    for (const char* sql : {"points SET status='foo'", "points SET inner_iterations='many'", "points SET unknowns=-5",
                            "points SET seconds=x'00'", "points SET history='{'", "points SET words='[1]'",
                            "points SET scheme='magic'"}) {
        damage(sql);
        for (const StoreAccess access : {StoreAccess::read, StoreAccess::write}) {
            const Store store(path, access);
            EXPECT_FALSE(store.contains(sample_point())) << sql;
            EXPECT_FALSE(store.find(sample_point())) << sql;
            EXPECT_EQ(store.notes_on_files(),
                      std::vector{path + ": one stored solve is damaged and does not count as stored"});
        }
        Store(path).put(sample_point(), sample_result(), 1089, kProvenance);
        EXPECT_TRUE(Store(path).contains(sample_point())) << sql;
    }
    EXPECT_TRUE(Store(path).contains(dense));
    damage("dense SET factors='none'");
    damage("points SET status='foo'");
    const Store store(path);
    EXPECT_FALSE(store.contains(dense));
    EXPECT_FALSE(store.contains(sample_point()));
    EXPECT_EQ(store.notes_on_files(), std::vector{path + ": 2 stored solves are damaged and do not count as stored"});
    EXPECT_EQ(store.size(), 1u);
}

TEST(Store, ReadsAFileOnceAndTellsMixedContents) {
    const Scratch scratch;
    const std::string matrix = scratch.path("a.mtx"), path = scratch.path("s.sqlite");
    Point one, two;
    one.problem = two.problem = "mtx:" + matrix;
    two.options.inner = 77;
    write_diagonal(matrix, 1);
    {
        Store store(path);
        EXPECT_FALSE(store.contains(one));
        write_diagonal(matrix, 2); // after the program's back: what it solves may be the older
        store.put(one, sample_result(), 2, kProvenance);
    }
    Store store(path);
    EXPECT_FALSE(store.contains(one));
    EXPECT_TRUE(store.mixed_contents().empty());
    store.put(two, sample_result(), 2, kProvenance);
    ASSERT_EQ(store.mixed_contents().size(), 1u);
    EXPECT_NE(store.mixed_contents()[0].find("of 2 contents of its files"), std::string::npos);
    store.put(one, sample_result(), 2, kProvenance);
    EXPECT_TRUE(store.mixed_contents().empty());
}

/// A row that goes into a file without a name is lost: the command says so, and does not count it as stored.
TEST(Store, SaysThatItsFileIsGone) {
    for (const bool moved : {false, true}) {
        const Scratch scratch;
        const std::string path = scratch.path("s.sqlite");
        Store store(path);
        store.put(sample_point(), sample_result(), 1089, kProvenance);
        if (moved) std::filesystem::rename(path, scratch.path("elsewhere.sqlite"));
        else std::filesystem::remove(path);
        Point another = sample_point();
        another.problem = "poisson2d:level=3";
        try {
            store.put(another, sample_result(), 81, kProvenance);
            ADD_FAILURE() << "stored";
        } catch (const InvalidInput& e) {
            EXPECT_NE(std::string(e.what()).find("moved or deleted"), std::string::npos) << e.what();
        }
    }
}

TEST(Store, CountsRowsOfOlderProgramsThatKeptNoRecordOfFiles) {
    const Scratch scratch;
    const std::string matrix = scratch.path("a.mtx"), path = scratch.path("s.sqlite");
    Point of_file;
    of_file.problem = "mtx:" + matrix;
    write_diagonal(matrix, 1);
    {
        Store store(path);
        store.put(sample_point(), sample_result(), 1089, kProvenance);
        store.put(of_file, sample_result(), 2, kProvenance);
    }
    sqlite3* db = nullptr;
    ASSERT_EQ(sqlite3_open(path.c_str(), &db), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(db, "ALTER TABLE points DROP COLUMN files", nullptr, nullptr, nullptr), SQLITE_OK);
    sqlite3_close(db);
    write_diagonal(matrix, 2);
    for (const StoreAccess access : {StoreAccess::read, StoreAccess::write}) {
        const Store store(path, access);
        EXPECT_TRUE(store.contains(sample_point()));
        EXPECT_TRUE(store.contains(of_file));
        ASSERT_EQ(store.notes_on_files().size(), 1u);
        EXPECT_NE(store.notes_on_files()[0].find("without a record of its content, counts as stored"),
                  std::string::npos)
            << store.notes_on_files()[0];
    }
}

TEST(Store, KeepsResultsExactlyAcrossOpenings) {
    const Scratch scratch;
    const SolveResult in = sample_result();
    {
        Store store(scratch.path("s.sqlite"));
        EXPECT_FALSE(store.contains(sample_point()));
        EXPECT_FALSE(store.find(sample_point()));
        store.put(sample_point(), in, 1089, kProvenance);
        store.put(sample_point(), in, 1089, kProvenance); // replaced, not doubled
        EXPECT_EQ(store.size(), 1u);
    }
    const Store store(scratch.path("s.sqlite"));
    ASSERT_TRUE(store.contains(sample_point()));
    const SolveResult out = store.find(sample_point()).value();
    EXPECT_EQ(out.status, in.status);
    EXPECT_EQ(out.detail, in.detail);
    EXPECT_EQ(out.inner_iterations, in.inner_iterations);
    EXPECT_EQ(out.outer_iterations, in.outer_iterations);
    EXPECT_EQ(out.true_residual, in.true_residual);
    EXPECT_EQ(out.error, in.error);
    EXPECT_EQ(out.cycles, in.cycles);
    EXPECT_EQ(out.seconds, in.seconds);
    EXPECT_EQ(out.equation_scale, in.equation_scale);
    EXPECT_EQ(out.resident, in.resident);
    EXPECT_EQ(out.bit_operations, in.bit_operations);
    EXPECT_EQ(out.overflows, in.overflows);
    EXPECT_EQ(out.words, in.words);
    EXPECT_EQ(out.energy, in.energy);
    EXPECT_EQ(out.bound, in.bound);
    ASSERT_EQ(out.history.size(), 2u);
    EXPECT_EQ(out.history[1].inner_iterations, 20u);
    EXPECT_EQ(out.history[1].relative_defect, 1.0 / 3);
}

TEST(Store, NotANumberAndInfinity) {
    const Scratch scratch;
    Store store(scratch.path("s.sqlite"));
    SolveResult r = sample_result();
    r.true_residual = std::nan("");
    r.error = std::nullopt;
    r.cycles = std::nullopt;
    store.put(sample_point(), r, 1, kProvenance);
    EXPECT_TRUE(std::isnan(store.find(sample_point())->true_residual));
    EXPECT_FALSE(store.find(sample_point())->error);
    EXPECT_FALSE(store.find(sample_point())->cycles);
    r.true_residual = INFINITY;
    store.put(sample_point(), r, 1, kProvenance);
    EXPECT_EQ(store.find(sample_point())->true_residual, INFINITY);
    store.export_json_lines(scratch.path("s.jsonl"));
    EXPECT_TRUE(nlohmann::json::parse(scratch.read("s.jsonl"))["true_residual"].is_null());
}

TEST(Store, ExportsReadBack) {
    const Scratch scratch;
    Store store(scratch.path("s.sqlite"));
    store.put(sample_point(), sample_result(), 1089, kProvenance);
    Point direct = sample_point();
    direct.options.scheme = Scheme::cg;
    store.put(direct, sample_result(), 1089, kProvenance);
    store.export_json_lines(scratch.path("s.jsonl"));
    std::istringstream lines(scratch.read("s.jsonl"));
    std::string line;
    ASSERT_TRUE(std::getline(lines, line));
    const auto j = nlohmann::json::parse(line);
    EXPECT_EQ(j["problem"], "poisson2d:level=5");
    EXPECT_EQ(j["spec"], to_string(sample_point().options.spec));
    EXPECT_EQ(j["digits"], 2.0);
    EXPECT_TRUE(j["inner"].is_null());
    EXPECT_EQ(j["jacobi"], false);
    EXPECT_EQ(j["true_residual"].get<double>(), 0.1 + 0.2);
    EXPECT_EQ(j["history"][1][0], 20);
    EXPECT_EQ(j["detail"], sample_result().detail);
    EXPECT_EQ(j["commit_id"], "abcdef");
    ASSERT_TRUE(std::getline(lines, line));
    EXPECT_TRUE(nlohmann::json::parse(line)["recurrence"].is_null());
    EXPECT_FALSE(std::getline(lines, line));

    store.export_csv(scratch.path("s.csv"));
    const std::string csv = scratch.read("s.csv");
    EXPECT_EQ(csv.substr(0, csv.find('\n')).substr(0, 40), "problem,unknowns,engine,scheme,inner,dig");
    EXPECT_NE(csv.find(",\"stuck, with \"\"quotes\"\", commas\nand lines\",1234,56,0.30000000000000004,"),
              std::string::npos)
        << csv;
    EXPECT_EQ(scratch.files(), 5u) << "the store, its two log files, two exports and no temporary file";
    expect_invalid([&] { store.export_csv(scratch.path("no/such/folder.csv")); }, "cannot write: No such file");
}

/// The problems of a store's points, in their order.
std::vector<std::string> problems_in(const Store& store, const Scratch& scratch) {
    store.export_json_lines(scratch.path("order.jsonl"));
    std::istringstream lines(scratch.read("order.jsonl"));
    std::vector<std::string> problems;
    for (std::string line; std::getline(lines, line);)
        problems.push_back(nlohmann::json::parse(line)["problem"].get<std::string>().substr(16));
    return problems;
}

TEST(Store, PointsAreArrangedAmongTheirOwnPlaces) {
    const Scratch scratch;
    Store store(scratch.path("s.sqlite"));
    const auto at_level = [](int level) {
        Point point = sample_point();
        point.problem = "poisson2d:level=" + std::to_string(level);
        return point;
    };
    for (const int level : {7, 3, 5, 4, 6}) store.put(at_level(level), sample_result(), 1, kProvenance);
    store.arrange({point_key(at_level(4)), point_key(at_level(9)), point_key(at_level(5)), point_key(at_level(7))});
    EXPECT_EQ(problems_in(store, scratch), (std::vector<std::string>{"4", "3", "5", "7", "6"}));
    store.arrange({point_key(at_level(3))}, StoredPoints::dense); // no dense solves: nothing to do
    EXPECT_EQ(store.find(at_level(7))->inner_iterations, sample_result().inner_iterations);
    store.put(at_level(8), sample_result(), 1, kProvenance); // the next one still goes last
    EXPECT_EQ(problems_in(store, scratch).back(), "8");
}

TEST(Store, OtherFilesAreRefusedAndLeftAlone) {
    const Scratch scratch;
    const std::string text(5000, 'x');
    scratch.write("text", text);
    expect_invalid([&] { Store(scratch.path("text")); }, "file is not a database");
    EXPECT_EQ(scratch.read("text"), text);
    expect_invalid([&] { Store(scratch.path("no/such/folder")); }, "cannot open the results file");
}

/// Lines of /proc/locks that name this process and the file.
std::size_t locks_on(const std::string& path) {
    struct stat info {};
    if (::stat(path.c_str(), &info) != 0) return 0;
    std::ifstream locks("/proc/locks");
    const std::string process = " " + std::to_string(::getpid()) + " ", file = ":" + std::to_string(info.st_ino) + " ";
    std::size_t count = 0;
    for (std::string line; std::getline(locks, line);)
        if (line.find(process) != std::string::npos && line.find(file) != std::string::npos) ++count;
    return count;
}

/// A process's locks on a file are gone when it closes any descriptor of that file; another process then takes itself
/// for the only one, and the two damage the file. So nothing here may open a results file but SQLite.
TEST(Store, ASecondOpeningKeepsTheFirstOnesLocks) {
    const Scratch scratch;
    const std::string path = scratch.path("s.sqlite");
    Store first(path);
    first.put(sample_point(), sample_result(), 1, kProvenance);
    const std::size_t held = locks_on(path);
    ASSERT_GT(held, 0u) << "a connection in this journal mode holds a lock while it is open";
    const Store second(path);
    EXPECT_EQ(second.size(), 1u);
    EXPECT_GE(locks_on(path), held);
}

TEST(Store, SurvivesBeingKilled) {
    // A child puts points until it is killed; what was put before the kill must be there and whole.
    const Scratch scratch;
    const std::string path = scratch.path("s.sqlite");
    int channel[2];
    ASSERT_EQ(::pipe(channel), 0);
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
        Store store(path);
        for (std::uint64_t i = 1;; ++i) {
            Point p = sample_point();
            p.options.max_iterations = i;
            store.put(p, sample_result(), 1, kProvenance);
            if (::write(channel[1], &i, sizeof i) != sizeof i) ::_exit(1);
        }
    }
    std::uint64_t reported = 0;
    while (reported < 200)
        ASSERT_EQ(::read(channel[0], &reported, sizeof reported), static_cast<ssize_t>(sizeof reported));
    ::kill(child, SIGKILL);
    int status = 0;
    ::waitpid(child, &status, 0);
    ::close(channel[1]);
    while (::read(channel[0], &reported, sizeof reported) == static_cast<ssize_t>(sizeof reported)) {
    }
    ::close(channel[0]);
    const Store store(path);
    EXPECT_GE(store.size(), reported);
    for (std::uint64_t i = 1; i <= reported; ++i) {
        Point p = sample_point();
        p.options.max_iterations = i;
        ASSERT_TRUE(store.find(p)) << i;
        EXPECT_EQ(store.find(p)->inner_iterations, 1234u);
    }
}

} // namespace
