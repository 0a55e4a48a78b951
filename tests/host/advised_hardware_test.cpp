// Advice that names a device: area, clock and time are those of mantissa compare; engines narrow what is proposed.
#include <algorithm>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "compare/model/resident.hpp"
#include "mantissa/format.hpp"
#include "program.hpp"
#include "synthesis/kept/synthesis_store.hpp"

namespace {

using namespace mantissa;
using nlohmann::json;

constexpr const char* kCard = R"(
name = "a toy card"
target = "xcup"
slices = 100000
blocks = 5000
memory_bits = 10000000
bandwidth = 32e9
channels = 4
channel_bandwidth = 8e9
source = "made up"
[[memory]]
name = "block RAM"
count = 1000
width = 72
depth = 512
narrow = 9
)";

/// A path graph, whose Laplacian CG solves in as many steps as it has nodes.
std::string path_matrix(int n) {
    std::string text = fmt::format("%%MatrixMarket matrix coordinate real symmetric\n{} {} {}\n", n, n, 2 * n - 1);
    for (int i = 1; i <= n; ++i) text += fmt::format("{} {} {}\n", i, i, 2.5);
    for (int i = 2; i <= n; ++i) text += fmt::format("{} {} -1\n", i, i - 1);
    return text;
}

/// Stored areas of cores of `part` that grow by 100 CLBs and five multipliers a lane.
void put_area(const std::string& store, const DatapathSpec& spec, const std::string& part, const std::string& bands) {
    synthesis::SynthesisFigures f;
    const auto lanes = static_cast<std::uint64_t>(spec.lanes);
    f.luts = 800 * lanes;
    f.multipliers = 5 * lanes;
    f.depth = 10;
    f.model_mhz = 100;
    f.model_path = "a -> b";
    synthesis::put_synthesis(store, {to_string(spec), "xcup", "block", part, "a tool", "sources", bands}, f,
                             {"0", "abc", "a machine", "2026-01-01T00:00:00Z", "mantissa synthesize"});
}

json advised(const std::string& problem, const std::string& more = "") {
    const Outcome o = run("solve --problem " + problem + " --advise --threads 1 --json " + more);
    EXPECT_EQ(o.code, 0) << o.err;
    return o.code == 0 ? json::parse(o.out) : json::object();
}

/// What compare prints for the design that was advised.
void expect_compare_agrees(const Scratch& scratch, const std::string& problem, const std::string& part,
                           const std::vector<int>& lanes, const char* rows, const std::string& bands = "streamed") {
    const std::string device = scratch.write("toy.toml", kCard), store = scratch.path("s.sqlite");
    const json before = advised(problem);
    ASSERT_TRUE(before.contains("advised"));
    const std::string spec = before["advised"]["spec"];
    for (const int count : lanes) put_area(store, compare::with_lanes(parse_spec(spec), count), part, bands);
    const json j = advised(problem, "--device " + device + " --store " + store);
    ASSERT_TRUE(j.contains("hardware"));
    const json& hardware = j["hardware"];
    EXPECT_EQ(j["advised"]["spec"], spec); // a device narrows to what cores take: these words they do
    ASSERT_FALSE(hardware["rows"].empty()) << hardware["missing"];
    EXPECT_TRUE(hardware["missing"].empty()) << hardware["missing"];
    const std::string file = scratch.write("advice.toml", hardware["comparison"]);
    const Outcome compared = run("compare " + file + " --store " + store + " --threads 1 --json");
    ASSERT_EQ(compared.code, 0) << compared.err;
    const json document = json::parse(compared.out);
    for (const json& row : document[rows]) EXPECT_EQ(row["spec"], spec);
    ASSERT_EQ(document[rows].size(), hardware["rows"].size());
    for (std::size_t i = 0; i < document[rows].size(); ++i)
        for (const char* figure : {"slices", "blocks", "area_share", "clock_hz", "seconds", "seconds_per_iteration",
                                   "cycles_per_iteration", "bound", "cores"})
            EXPECT_EQ(document[rows][i][figure], hardware["rows"][i][figure]) << figure;
    // The iterations are those that the advice tried.
    const char* const iterations = std::string(rows) == "sparse" ? "iterations" : "inner_iterations";
    EXPECT_EQ(hardware["rows"][0][iterations], j["advised"]["tried_iterations"]);
    const std::string text = j["text"];
    EXPECT_NE(text.find("On a toy card, as mantissa compare models it:"), std::string::npos) << text;
    EXPECT_NE(text.find("CLBs"), std::string::npos) << text;
}

class AdvisedHardware : public ::testing::Test {
protected:
    void SetUp() override { ::setenv("MANTISSA_YOSYS", "/nowhere/yosys", 1); }
    void TearDown() override { ::unsetenv("MANTISSA_YOSYS"); }
};

#ifdef MANTISSA_ENGINE_SYSTEMC
TEST_F(AdvisedHardware, OfASparseMatrixIsWhatCompareSays) {
    const Scratch scratch;
    const std::string problem = "mtx:" + scratch.write("path.mtx", path_matrix(200));
    expect_compare_agrees(scratch, problem, "sparse", {1, 4, 16}, "sparse");
}
#endif

#ifdef MANTISSA_ENGINE_RTL
TEST_F(AdvisedHardware, OfAGridIsWhatCompareSays) {
    const Scratch scratch;
    expect_compare_agrees(scratch, "diffusion2d:level=4,field=jump", "core", {1}, "rows");
}

/// The core that is simulated for a constant stencil holds it, so that one's area is named.
TEST_F(AdvisedHardware, OfAStencilIsTheCoreThatHoldsIt) {
    const Scratch scratch;
    expect_compare_agrees(scratch, "poisson2d:level=4", "core", {1}, "rows", "constant");
    const auto named = [](const std::string& problem) {
        return run("solve --problem " + problem + " --advise --threads 1")
                   .out.find(" --bands constant --target xcup\n") != std::string::npos;
    };
    EXPECT_TRUE(named("poisson2d:level=4"));
    EXPECT_FALSE(named("diffusion2d:level=4,field=jump"));
}
#endif

TEST_F(AdvisedHardware, SaysWhatIsMissing) {
    const Scratch scratch;
    const std::string problem = "mtx:" + scratch.write("path.mtx", path_matrix(50));
    const std::string device = scratch.write("toy.toml", kCard);
    const std::string advise = "solve --problem " + problem + " --advise --threads 1 --device ";
    const Outcome no_yosys = run(advise + device + " --store " + scratch.path("s.sqlite"));
    EXPECT_EQ(no_yosys.code, 0) << no_yosys.err;
    EXPECT_NE(no_yosys.out.find("/nowhere/yosys: cannot be run"), std::string::npos) << no_yosys.out;
    EXPECT_NE(no_yosys.out.find("no area and no time"), std::string::npos) << no_yosys.out;
    std::string small = kCard;
    small.replace(small.find("count = 1000"), 12, "count = 1");
    const Outcome no_memory = run(advise + scratch.write("small.toml", small) + " --store " + scratch.path("t.sqlite"));
    EXPECT_EQ(no_memory.code, 0) << no_memory.err;
    EXPECT_NE(no_memory.out.find("50 rows are too many for the memory on small"), std::string::npos) << no_memory.out;
    std::string bare = kCard;
    bare.replace(bare.find("channels = 4\nchannel_bandwidth = 8e9\n"), 37, "");
    for (const auto& [given, why] :
         {std::pair<std::string, std::string>{scratch.write("bare.toml", bare), "no channels"},
          {"nonsense", "not one of"},
          {scratch.path("missing.toml"), "missing.toml"}}) {
        const Outcome o = run(advise + given);
        EXPECT_EQ(o.code, 2) << given;
        EXPECT_TRUE(o.err.starts_with("mantissa: --device")) << o.err;
        EXPECT_NE(o.err.find(why), std::string::npos) << o.err;
        EXPECT_EQ(std::count(o.err.begin(), o.err.end(), '\n'), 1) << o.err;
    }
    EXPECT_EQ(run("solve --problem poisson2d:level=4 --device " + device).code, 2);
    EXPECT_EQ(run("solve --problem poisson2d:level=4 --advise --store " + scratch.path("u.sqlite")).code, 2);
}

TEST_F(AdvisedHardware, TheSynthesisIsForTheDevicesFamily) {
    const Scratch scratch;
    const std::string problem = "mtx:" + scratch.write("path.mtx", path_matrix(50));
    for (const std::string family : {"xc7", "xcup"}) {
        std::string card = kCard;
        card.replace(card.find("xcup"), 4, family);
        const std::string device = scratch.write(family + ".toml", card);
        const Outcome o = run("solve --problem " + problem + " --advise --threads 1 --device " + device + " --store " +
                              scratch.path(family + ".sqlite"));
        EXPECT_EQ(o.code, 0) << o.err;
        EXPECT_NE(o.out.find(" --operator sparse --target " + family + "\n"), std::string::npos) << o.out;
    }
}

TEST_F(AdvisedHardware, EnginesNarrowWhatIsProposed) {
    const Scratch scratch;
    const json engines = json::parse(run("engines --json").out);
    for (const char* problem : {"diffusion2d:level=4,field=jump", "poisson3d:level=3", "poisson2d:level=5"})
        for (const json& engine : engines) {
            if (!engine["missing"].get<std::string>().empty()) continue;
            const std::string name = engine["name"];
            const json j = advised(problem, "--engine " + name);
            ASSERT_TRUE(j.contains("advised")) << name;
            const DatapathSpec spec = parse_spec(j["advised"]["spec"].get<std::string>());
            if (name == "emulated" || name == "gpu") continue;
            EXPECT_LE(std::max({spec.r.word_bits, spec.p.word_bits, spec.q.word_bits, spec.coefficient.word_bits}), 32);
        }
    EXPECT_EQ(run("solve --problem poisson2d:level=4 --advise --engine emulated,nonsense").code, 2);
#ifdef MANTISSA_ENGINE_SYSTEMC
    // The named engine runs it.
    const Outcome o = run("solve --problem poisson3d:level=2 --advise=solve --engine systemc --threads 1");
    EXPECT_EQ(o.code, 0) << o.err;
    EXPECT_NE(o.out.find("engine         systemc"), std::string::npos) << o.out;
#endif
}

} // namespace
