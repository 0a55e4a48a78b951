// Gathering without any tool: the store, what it lacks, imported GPU files.
#include <cmath>
#include <filesystem>
#include <limits>

#include <gtest/gtest.h>

#include "compare/compare.hpp"
#include "expect_invalid.hpp"
#include "mantissa/format.hpp"
#include "scratch.hpp"
#include "written.hpp"

namespace {

using namespace mantissa;
using namespace mantissa::compare;

/// One design without clocks and area: solves only.
Comparison solves_only(const std::string& more = "") {
    return parse_comparison("problem = \"poisson2d:level=4\"\ndevice = \"xc2v8000\"\npasses = 0\n" + more +
                                "[[design]]\nspec = [\"s17e8\", \"s23e8\"]\narea = false\n",
                            "c.toml", "");
}

std::vector<std::string> gaps_of(const results::Json& document) {
    std::vector<std::string> list;
    for (const results::Json& g : document.at("gaps")) {
        EXPECT_FALSE(g.at("why").get<std::string>().empty());
        EXPECT_FALSE(g.at("mend").get<std::string>().empty());
        list.push_back(g.at("what"));
    }
    return list;
}

bool any_holds(const std::vector<std::string>& texts, const std::string& part) {
    return std::any_of(texts.begin(), texts.end(), [&](const auto& t) { return t.find(part) != std::string::npos; });
}

// What the findings know of every solve beside the comparison's own.
TEST(Gather, SolvesOfTheStoreComeBackFieldByField) {
    const Scratch scratch;
    const std::string path = scratch.path("s.sqlite");
    Store store(path);
    const auto put = [&](Scheme scheme, Status status, double residual, std::uint64_t count) {
        Point point;
        point.problem = "poisson2d:level=4";
        point.options.scheme = scheme;
        point.options.inner = 7;
        point.options.tolerance = 1e-9;
        point.options.max_iterations = count; // points of their own
        SolveResult result;
        result.status = status;
        result.inner_iterations = count;
        result.true_residual = residual;
        store.put(point, result, 289, current_provenance("test"));
    };
    put(Scheme::residual_guided, Status::converged, 9e-10, 11);
    put(Scheme::residual_guided, Status::stagnated, 2e-9, 12);
    put(Scheme::cg, Status::stagnated, 2e-9, 13);
    put(Scheme::cg, Status::stagnated, 2e-8, 14);
    put(Scheme::cg, Status::diverged, std::numeric_limits<double>::infinity(), 15);
    put(Scheme::cg, Status::stagnated, std::numeric_limits<double>::infinity(), 16);
    const std::vector<findings::SolveBeside> solves = ComparisonStore(path).solves({});
    ASSERT_EQ(solves.size(), 6U);
    for (std::size_t i = 0; i < solves.size(); ++i) {
        SCOPED_TRACE(i);
        EXPECT_EQ(solves[i].problem, "poisson2d:level=4");
        EXPECT_EQ(solves[i].options.scheme, i < 2 ? Scheme::residual_guided : Scheme::cg);
        EXPECT_EQ(solves[i].options.tolerance, 1e-9);
        EXPECT_EQ(solves[i].iterations, 11 + i);
        EXPECT_EQ(solves[i].converged, i == 0);
        EXPECT_EQ(solves[i].gives_count, i == 0 || i == 2);
        EXPECT_FALSE(solves[i].options.jacobi);
    }
    EXPECT_EQ(solves[0].options.inner, 7U);
}

/// A results file without results: what is only read has to be there.
std::string empty_store(const Scratch& scratch, const std::string& name = "s.sqlite") {
    { const Store made(scratch.path(name)); }
    return scratch.path(name);
}

TEST(Gather, StoredOnlyComputesNothingAndSaysWhatIsMissing) {
    const Scratch scratch;
    const std::string store = empty_store(scratch);
    const std::string before = scratch.read("s.sqlite");
    const results::Json d = written(run_comparison(solves_only(), {store, "test", 1, true}));
    EXPECT_TRUE(d.at("designs").empty());
    EXPECT_TRUE(d.at("rows").empty());
    EXPECT_TRUE(d.at("peers").empty());
    EXPECT_EQ(scratch.read("s.sqlite"), before) << "and stores nothing, the document included";
    const auto gaps = gaps_of(d);
    EXPECT_TRUE(any_holds(gaps, "solves: s17e8 on poisson2d:level=4 by emulated; s23e8"));
    EXPECT_TRUE(any_holds(gaps, "clocks of a pass: s17e8; s23e8"));
    EXPECT_TRUE(any_holds(gaps, "area: s17e8; s23e8"));
    EXPECT_TRUE(any_holds(gaps, "solves on a GPU"));
}

TEST(Gather, StoresEachPieceAndDoesItOnce) {
    const Scratch scratch;
    const std::string store = scratch.path("s.sqlite");
    const results::Json first = written(run_comparison(solves_only(), {store, "first command", 1, false}));
    EXPECT_EQ(Store(store).size(), 5U); // two designs, CG in double, two on the processor
    const results::Json second = written(run_comparison(solves_only(), {store, "second command", 1, false}));
    EXPECT_EQ(first.at("designs"), second.at("designs"));
    EXPECT_EQ(first.at("peers"), second.at("peers"));
    for (const auto& [id, origin] : second.at("origins").items())
        EXPECT_EQ(origin.at("command"), origin.at("kind") == "measured" ? "first command" : "second command") << origin;
    const auto kept = ComparisonStore(store).comparison("c");
    ASSERT_TRUE(kept);
    EXPECT_EQ(kept->document, second);
    EXPECT_EQ(kept->provenance.command, "second command");
}

TEST(Gather, ImportsTheFastestGpuSolvesOfALevel) {
    const Scratch scratch;
    scratch.write("g.json", R"({"device": "Toy GPU", "commit": "abc", "date": "2026-01-02", "poisson": [
      {"level": 4, "solves": [
        {"arithmetic": "double", "plan": "stream", "end": "converged", "passes": 22, "outer": 0, "seconds": 0.5,
         "true_residual": 9e-11, "error": null, "joules": null, "inner": null},
        {"arithmetic": "double", "plan": "resident", "end": "converged", "passes": 21, "outer": 0, "seconds": 0.25,
         "seconds_least": 0.24, "seconds_most": 0.5,
         "true_residual": 3e-10, "error": 1e-3, "joules": 2.5, "inner": 50, "scheme": "direct"},
        {"arithmetic": "mixed-float", "plan": "resident", "end": "converged", "passes": 40, "outer": 4, "seconds": 0.5,
         "true_residual": 9e-11, "error": null, "joules": null, "inner": "digits 2", "scheme": "restart"},
        {"arithmetic": "float", "plan": "resident", "end": "stagnated", "passes": 9, "outer": 0, "seconds": 0.1,
         "true_residual": 1e-4, "error": null, "joules": null, "inner": null}]},
      {"level": 5, "solves": []}]})");
    Comparison c = solves_only("cpu = false\n");
    c.gpu = {scratch.path("g.json")};
    const results::Json d = written(run_comparison(c, {scratch.path("s.sqlite"), "test", 1, false}));
    ASSERT_EQ(d.at("peers").size(), 2U);
    EXPECT_EQ(written(run_comparison(c, {scratch.path("s.sqlite"), "test", 1, true})).at("peers"), d.at("peers"));
    EXPECT_EQ(d.at("peers")[0].at("label"), "Toy GPU, double, resident plan");
    EXPECT_EQ(d.at("peers")[1].at("label"), "Toy GPU, mixed-float, resident plan, inner by digits 2");
    const results::Json& peer = d.at("peers")[0];
    EXPECT_EQ(peer.at("iterations"), 21);
    EXPECT_EQ(peer.at("seconds"), 0.25);
    EXPECT_EQ(peer.at("seconds_least"), 0.24);
    EXPECT_EQ(peer.at("seconds_most"), 0.5);
    EXPECT_TRUE(d.at("peers")[1].at("seconds_most").is_null()) << "an older file has none";
    EXPECT_EQ(peer.at("energy_joules"), 2.5);
    EXPECT_EQ(peer.at("reached"), false);
    const results::Json& origin = d.at("origins").at(peer.at("origin").get<std::string>());
    EXPECT_EQ(origin.at("machine"), "Toy GPU");
    EXPECT_EQ(origin.at("commit"), "abc");
    EXPECT_TRUE(ComparisonStore(scratch.path("s.sqlite")).measurement("gpu: g.json"));
    EXPECT_FALSE(any_holds(gaps_of(d), "GPU"));
}

// The baseline beside the designs is the best of this program: scaled by the diagonal where that is faster.
TEST(Gather, TheProcessorsRunIsTheFasterOfScaledAndUnscaled) {
    const Scratch scratch;
    // Diagonals over four orders of magnitude: unscaled CG takes a hundred times the iterations.
    std::string spread = "%%MatrixMarket matrix coordinate real symmetric\n2000 2000 3999\n";
    for (int i = 1; i <= 2000; ++i) {
        spread +=
            std::to_string(i) + " " + std::to_string(i) + " " + std::to_string(2.1 * std::pow(10, i / 500.0)) + "\n";
        if (i > 1) spread += std::to_string(i) + " " + std::to_string(i - 1) + " -0.9\n";
    }
    scratch.write("spread.mtx", spread);
    for (const std::string& problem :
         {"mtx:" + scratch.path("spread.mtx"), std::string("diffusion2d:level=4,field=jump"),
          std::string("poisson2d:level=4")}) {
        Comparison c = solves_only();
        c.problems = {problem};
        const results::Json d = written(run_comparison(c, {scratch.path("s.sqlite"), "test", 1, false}));
        std::vector<std::string> labels;
        for (const results::Json& p : d.at("peers")) labels.push_back(p.at("label"));
        const bool grid = problem.starts_with("poisson2d"), sparse = problem.starts_with("mtx:");
        ASSERT_FALSE(labels.empty()) << problem;
        EXPECT_EQ(any_holds(labels, "scaled"), !grid) << problem << ": " << labels.front();
        EXPECT_EQ(any_holds(labels, "Jacobi CG in double"), sparse) << problem;
        if (sparse) {
            EXPECT_TRUE(any_holds(labels, "pipelined CG in double, scaled by the diagonal")) << labels.front();
        }
    }
}

// Where a GPU's time is missing the mend is one that can be run, whatever the problem.
TEST(Gather, AMissingGpuTimeSaysHowToGetIt) {
    const Scratch scratch;
    scratch.write("a b.mtx", "%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n1 1 2\n2 2 3\n");
    const auto mend = [&](const std::string& problem) {
        Comparison c = solves_only("cpu = false\n");
        c.problems = {problem};
        const results::Json d = written(run_comparison(c, {empty_store(scratch), "test", 1, true}));
        for (const results::Json& g : d.at("gaps"))
            if (g.at("what").get<std::string>().find("on a GPU") != std::string::npos)
                return g.at("mend").get<std::string>();
        return std::string();
    };
    EXPECT_NE(mend("poisson2d:level=4").find("--levels 4 4"), std::string::npos);
    EXPECT_NE(mend("mtx:" + scratch.path("a b.mtx")).find("bench gpu --matrix '"), std::string::npos);
    for (const char* other : {"diffusion2d:level=4,field=jump", "poisson3d:level=2"})
        EXPECT_NE(mend(other).find(std::string("mantissa solve --engine gpu --problem '") + other), std::string::npos)
            << mend(other);
}

// A device that names neither pins nor bandwidth has a memory without limit: the document says so.
TEST(Gather, ADeviceWithoutMemoryFiguresIsNeverSilent) {
    const Scratch scratch;
    const auto gaps = [&](const std::string& keys, const std::string& design) {
        scratch.write("d.toml", "name = \"a chip\"\ntarget = \"xc7\"\nslices = 9\nblocks = 9\nmemory_bits = 9\n"
                                "source = \"none\"\n" +
                                    keys);
        const Comparison c = parse_comparison("problem = \"poisson2d:level=4\"\ndevice = \"d.toml\"\npasses = 0\n"
                                              "cpu = false\n[[design]]\nspec = \"s17e8\"\n" +
                                                  design,
                                              scratch.path("c.toml"), scratch.path(""));
        return gaps_of(written(run_comparison(c, {empty_store(scratch), "test", 1, true})));
    };
    EXPECT_TRUE(any_holds(gaps("", ""), "memory of d"));
    EXPECT_FALSE(any_holds(gaps("pins = 100\n", ""), "memory of d"));
    EXPECT_FALSE(any_holds(gaps("bandwidth = 1e9\n", ""), "memory of d"));
    EXPECT_FALSE(any_holds(gaps("", "area = false\n"), "memory of d")) << "iterations alone take no memory";
}

TEST(Gather, ReadsTheShippedGpuResults) {
    const Scratch scratch;
    Comparison c = solves_only("cpu = false\n");
    c.problems = {"poisson2d:level=8"};
    c.gpu = {std::string(MANTISSA_GPU_RESULTS) + "/h200-2026-11-22.json"};
    const results::Json d = written(run_comparison(c, {empty_store(scratch), "test", 1, true}));
    EXPECT_GE(d.at("peers").size(), 3U);
}

TEST(Gather, RefusesFilesThatAreNoGpuResults) {
    const Scratch scratch;
    Comparison c = solves_only();
    const auto run = [&] { run_comparison(c, {empty_store(scratch), "test", 1, true}); };
    c.gpu = {scratch.path("none.json")};
    expect_invalid(run, "none.json");
    for (const char* text : {"", "[]", "{}", "{\"poisson\": [{}]}", "{\"poisson\": [{\"level\": 4, \"solves\": [{}]}]}",
                             "{\"poisson\": 3, \"device\": 4}"}) {
        c.gpu = {scratch.write("bad.json", text)};
        expect_invalid(run, "bad.json");
    }
}

// A bad file is found before any work: nothing is solved, and no results file is made.
TEST(Gather, BadGpuFilesAreFoundBeforeAnyWork) {
    const Scratch scratch;
    const std::string store = scratch.path("s.sqlite");
    const std::string good = R"({"arithmetic": "double", "plan": "stream", "end": "converged", "passes": 22, "outer": 0,
        "seconds": 0.5, "true_residual": 9e-11, "error": null, "joules": null, "inner": null})";
    const auto file = [&](const std::string& solves, int level = 9) {
        return R"({"device": "Toy", "poisson": [{"level": )" + std::to_string(level) + R"(, "solves": [)" + solves +
               "]}]}";
    };
    const auto without = [&](const std::string& name, const std::string& value) {
        std::string text = good;
        const auto at = text.find("\"" + name + "\": ") + name.size() + 4;
        return text.replace(at, text.find_first_of(",}", at) - at, value);
    };
    Comparison c = solves_only();
    const auto refused = [&](const std::string& text, const std::string& part) {
        c.gpu = {scratch.write("bad.json", text)};
        expect_invalid([&] { run_comparison(c, {store, "test", 1, false}); }, part);
        EXPECT_FALSE(std::filesystem::exists(store)) << part;
    };
    refused("not JSON", "no JSON");
    // Even at a level that the comparison has no problem of.
    refused(file("{}"), "poisson[0].solves[0]: 'end' must be text");
    refused(file(good + ", " + without("seconds", "0")), "poisson[0].solves[1]: 'seconds' must be a number above 0");
    refused(file(without("passes", "-1")), "'passes' must be a whole number");
    refused(file(without("plan", "7")), "'plan' must be text");
    refused(file(without("joules", "true")), "'joules' must be a number or null");
    refused(R"({"poisson": [{"level": "9", "solves": []}]})", "'level' must be a whole number");
    c.gpu = {scratch.path("none.json")};
    expect_invalid([&] { run_comparison(c, {store, "test", 1, false}); }, "none.json");
    std::filesystem::create_directories(scratch.path("other"));
    c.gpu = {scratch.write("g.json", file(good)), scratch.write("other/g.json", file(good))};
    expect_invalid([&] { run_comparison(c, {store, "test", 1, false}); }, "another file under gpu has the same name");
    EXPECT_FALSE(std::filesystem::exists(store));
    c.gpu = {scratch.path("g.json")};
    EXPECT_NO_THROW(run_comparison(c, {empty_store(scratch), "test", 1, true}));
}

TEST(Gather, SparseRowsAreRefusedWhereCoresAreAskedFor) {
    const Scratch scratch;
    const std::string store = scratch.path("s.sqlite");
    Comparison c = solves_only();
    c.problems = {"poisson3d:level=2"};
    EXPECT_NO_THROW(run_comparison(c, {empty_store(scratch, "iterations.sqlite"), "test", 1, true})); // area = false
    c.designs.front().cores.push_back({0, "block"});
    expect_invalid(
        [&] {
            run_comparison(c, {store, "test", 1, false});
        },
        "a design without sparse = true is a core for grids");
    EXPECT_FALSE(std::filesystem::exists(store));
}

TEST(Gather, ADamagedResultsFileIsRefused) {
    const Scratch scratch;
    const std::string store = scratch.path("s.sqlite");
    run_comparison(solves_only("cpu = false\n"), {store, "test", 1, false});
    std::string bytes = scratch.read("s.sqlite");
    bytes.resize(bytes.size() / 2);
    const std::string half = scratch.write("half.sqlite", bytes);
    expect_invalid([&] { run_comparison(solves_only(), {half, "test", 1, true}); }, "damaged");
    expect_invalid([&] { run_comparison(solves_only(), {scratch.path(""), "test", 1, true}); }, "a folder");
}

TEST(Gather, AnEngineOfAnotherBuildIsAGapNotAnError) {
    // Which engines are missing depends on the build; whatever is missing must come out as a gap with its mend.
    const Scratch scratch;
    const results::Json d = written(run_comparison(solves_only("cpu = false\nengine = [\"emulated\", \"gpu\"]\n"),
                                                   {scratch.path("s.sqlite"), "test", 1, false}));
    EXPECT_EQ(d.at("designs").size(), 2U);
    const bool solved = d.at("designs")[0].at("engines").size() == 2;
    EXPECT_NE(any_holds(gaps_of(d), "s17e8 on poisson2d:level=4 by gpu"), solved);
}

} // namespace
