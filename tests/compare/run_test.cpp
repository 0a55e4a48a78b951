// Comparisons on the RTL core's clocks.
#include <gtest/gtest.h>

#include "compare/compare.hpp"
#include "compare/model/model.hpp"
#include "mantissa/format.hpp"
#include "scratch.hpp"
#include "synthesis/kept/synthesis_store.hpp"
#include "written.hpp"

namespace {

using namespace mantissa;
using namespace mantissa::compare;

constexpr const char* kFloat = "s17e8";
constexpr const char* kFixed = "s14e8,u=s23e8,row=s20e8,dot=fixed[13:-50]";

Comparison comparison(const std::string& engine, const std::string& passes, const std::string& problem) {
    return parse_comparison("problem = \"" + problem + "\"\ndevice = \"xc2v8000\"\ncpu = false\nengine = \"" + engine +
                                "\"\npasses = " + passes + "\n[[design]]\nspec = [\"" + kFloat + "\", \"" + kFixed +
                                "\"]\n",
                            "c.toml", "");
}

Gathered counted(const Comparison& c, const std::string& store) {
    Gathered g;
    Store points(store);
    ComparisonStore documents(store);
    const GatherOptions options{store, "test", 2, false};
    GatherContext context{c, options, points, documents, g, {}};
    for (const std::string& text : c.problems) {
        const Problem& problem = context.problems.emplace(text, make_problem(text)).first->second;
        g.problems[text] = {problem.system.size(), problem.system.row_length(), to_string(problem.system.kind())};
    }
    gather_solves(context);
    gather_cycles(context);
    return g;
}

// A few passes stand for all: the clocks of a pass do not depend on the data. With floating accumulators exactly (one
// clock a run is spent on starting it); with fixed windows the scalar unit normalises the sums in up to a few clocks.
TEST(Cycles, AFewPassesStandForTheWholeSolve) {
    const Scratch scratch;
    const Gathered few = counted(comparison("emulated", "4", "poisson2d:level=5"), scratch.path("a.sqlite"));
    const Gathered all = counted(comparison("rtl", "0", "poisson2d:level=5"), scratch.path("b.sqlite"));
    for (const char* spec : {kFloat, kFixed}) {
        const CycleFigures &a = few.cycles.at({"poisson2d:level=5", spec}).value,
                           &b = all.cycles.at({"poisson2d:level=5", spec}).value;
        EXPECT_GT(b.passes, 40U);
        EXPECT_GT(a.per_pass, 1089) << "an element a clock";
        EXPECT_NEAR(a.per_pass, b.per_pass, spec == kFloat ? 0.5 : 30) << spec;
        EXPECT_EQ(few.solves.at({"poisson2d:level=5", spec})[0].value.result.inner_iterations,
                  all.solves.at({"poisson2d:level=5", spec})[0].value.result.inner_iterations);
    }
}

TEST(Cycles, TheSimulatedCoreMovesTheModelsBytes) {
    const Scratch scratch;
    Comparison c = comparison("emulated", "4", "poisson2d:level=5");
    c.problems.push_back(outline_problem("diffusion2d:level=5").name);
    const Gathered g = counted(c, scratch.path("a.sqlite"));
    // diffusion2d's sums pass the window's top: the run ends early, which must be a gap and no figure.
    EXPECT_FALSE(g.cycles.contains({c.problems[1], kFixed}));
    EXPECT_EQ(g.cycles.size(), 3U);
    for (const auto& [key, cycles] : g.cycles) {
        const bool constant = g.problems.at(key.first).kind == "stencil";
        EXPECT_DOUBLE_EQ(cycles.value.bytes_per_pass, traffic_of(parse_spec(key.second), constant, false).bytes * 1089);
    }
}

// Streaming the bands takes no clock more than a stencil held in registers.
TEST(Cycles, BandsCostTrafficNotClocks) {
    const Scratch scratch;
    Comparison c = comparison("emulated", "4", "poisson2d:level=5");
    c.problems.push_back(outline_problem("diffusion2d:level=5").name);
    const Gathered g = counted(c, scratch.path("a.sqlite"));
    const auto clocks = [&](const std::string& problem) { return g.cycles.at({problem, kFloat}).value.per_pass; };
    EXPECT_EQ(clocks(c.problems[0]), clocks(c.problems[1]));
}

TEST(Run, JoinsStoredAreasWithCountedClocks) {
    const Scratch scratch;
    const std::string store = scratch.path("s.sqlite");
    const Provenance from{"0", "abc", "a machine", "2026-01-01T00:00:00Z", "mantissa synthesize"};
    synthesis::SynthesisFigures figures;
    figures.luts = 9000;
    figures.flip_flops = 5000;
    figures.paired = 4000;
    figures.multipliers = 15;
    figures.depth = 60;
    figures.model_mhz = 100;
    figures.model_path = "a -> b";
    synthesis::put_synthesis(store, {kFloat, "xc2v", "block", "core", "a tool", "sources"}, figures, from);
    const Comparison c = comparison("emulated", "4", "poisson2d:level=5");
    {
        Comparison no_areas = c; // so that no synthesis is asked for
        for (Design& design : no_areas.designs) design.cores.clear();
        run_comparison(no_areas, {store, "first", 2, false});
    }
    const results::Json d = written(run_comparison(c, {store, "second", 2, true}));
    ASSERT_FALSE(d.at("rows").empty());
    for (const results::Json& row : d.at("rows")) {
        EXPECT_EQ(row.at("spec"), kFloat);
        EXPECT_EQ(row.at("slices"), 5000 * row.at("cores").get<int>());
        for (const results::Json& id : row.at("origins")) EXPECT_TRUE(d.at("origins").contains(id.get<std::string>()));
    }
    const results::Json& row = d.at("rows")[0];
    const results::Json& design = d.at("designs")[0];
    EXPECT_EQ(row.at("cores"), 1);
    EXPECT_DOUBLE_EQ(row.at("seconds_inner").get<double>(), design.at("inner_iterations").get<double>() *
                                                                design.at("cycles_per_iteration").get<double>() /
                                                                row.at("clock_hz").get<double>());
    bool synthesised = false, counted_before = false;
    for (const results::Json& id : row.at("origins")) {
        const results::Json& origin = d.at("origins").at(id.get<std::string>());
        synthesised = synthesised || (origin.at("command") == "mantissa synthesize" && origin.at("commit") == "abc");
        counted_before = counted_before || origin.at("command") == "first";
    }
    EXPECT_TRUE(synthesised && counted_before);
    std::string gaps;
    for (const results::Json& g : d.at("gaps")) gaps += g.at("what").get<std::string>() + "\n";
    EXPECT_NE(gaps.find(std::string("area: ") + kFixed), std::string::npos) << gaps;
}

} // namespace
