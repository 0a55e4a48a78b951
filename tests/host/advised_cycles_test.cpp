// --advise with --preconditioner multilevel, through the command: what it names is solved, does not do with less, and
// where cycles do not work it says why.
#include <algorithm>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "program.hpp"
#include "scratch.hpp"

namespace {

using Json = nlohmann::json;

Json advised(const std::string& arguments, int code) {
    const Outcome o = run("solve --advise --threads 1 --json " + arguments);
    EXPECT_EQ(o.code, code) << arguments << ": " << o.err;
    return o.out.empty() ? Json::object() : Json::parse(o.out);
}

/// The bits of a field of a cycle: "f" of "v11,w=5,f=11".
int bits(const std::string& cycle, const std::string& field) {
    const std::size_t at = cycle.find("," + field + "=");
    return at == std::string::npos ? 0 : std::stoi(cycle.substr(at + field.size() + 2));
}

std::string with_bits(const std::string& cycle, const std::string& field, int value) {
    const std::string key = "," + field + "=";
    const std::size_t at = cycle.find(key);
    return at == std::string::npos ? cycle + key + std::to_string(value)
                                   : cycle.substr(0, at) + key + std::to_string(value) +
                                         cycle.substr(std::min(cycle.find(',', at + 1), cycle.size()));
}

/// What is named converges in what it says, at most 1.25 times the cycle in double, and no word does with a bit less.
TEST(AdvisedCycles, AreTheShortestThatKeepDoublesIterations) {
    for (const char* problem :
         {"poisson2d:level=6", "diffusion2d:level=6,field=jump,contrast=100", "poisson3d:level=4"}) {
        const Json j = advised(std::string("--preconditioner multilevel --problem ") + problem, 0);
        ASSERT_TRUE(j["found"].get<bool>()) << problem << j;
        EXPECT_TRUE(j["within"].get<bool>()) << problem;
        const std::string cycle = j["advised"]["cycle"];
        const auto most = [&] {
            int double_iterations = 0;
            for (const Json& trial : j["in_double"])
                if (std::string(trial["cycle"]).substr(0, 3) == cycle.substr(0, 3))
                    double_iterations = trial["iterations"];
            return std::max(double_iterations + 1, double_iterations * 5 / 4);
        }();
        const auto iterations = [&](const std::string& tried) {
            const Outcome o =
                run(std::string("solve --json --problem ") + problem + " --preconditioner multilevel:" + tried);
            const Json solved = Json::parse(o.out);
            return solved["status"] == "converged" ? solved["inner_iterations"].get<int>() : 1000000;
        };
        EXPECT_EQ(iterations(cycle), j["advised"]["iterations"].get<int>()) << problem;
        EXPECT_LE(iterations(cycle), most) << problem;
        EXPECT_GT(j["advised"]["products"].get<double>(), j["advised"]["iterations"].get<double>()) << problem;
        for (const char* field : {"w", "f", "e", "c"}) {
            const int now = bits(cycle, field);
            if (now > 4) {
                EXPECT_GT(iterations(with_bits(cycle, field, now - 1)), most)
                    << problem << ' ' << cycle << ' ' << field;
            }
        }
        EXPECT_LT(bits(cycle, "w"), 10) << "shorter than the usual words on " << problem;
    }
}

TEST(AdvisedCycles, KeepTheShapeThatIsAskedForAndTheTolerance) {
    const Outcome words =
        run("solve --problem poisson2d:level=4 --advise --preconditioner multilevel:v22,w=8 --threads 1");
    EXPECT_NE(words.err.find("chooses the words itself: of v22,w=8"), std::string::npos) << words.err;
    const Json j = advised("--problem poisson2d:level=6 --preconditioner multilevel:b2 --tolerance 1.23456789e-7", 0);
    EXPECT_EQ(std::string(j["advised"]["cycle"]).substr(0, 3), "b2,");
    EXPECT_EQ(j["in_double"].size(), 1u);
    EXPECT_NE(std::string(j["advised"]["command"]).find("--tolerance 1.23456789e-07"), std::string::npos)
        << "all of its digits";
    const Outcome both =
        run("solve --problem poisson2d:level=5 --advise=solve --preconditioner multilevel --threads 1");
    EXPECT_EQ(both.code, 0) << both.err;
    EXPECT_NE(both.out.find("converged"), std::string::npos) << both.out;
}

std::string matrix(const Scratch& scratch, const std::string& name, std::size_t n,
                   const std::vector<double>& by_distance) {
    const std::string file = scratch.path(name);
    std::ofstream out(file);
    std::size_t entries = 0;
    for (std::size_t d = 0; d < by_distance.size(); ++d) entries += n - d;
    out << "%%MatrixMarket matrix coordinate real symmetric\n" << n << ' ' << n << ' ' << entries << '\n';
    for (std::size_t d = 0; d < by_distance.size(); ++d)
        for (std::size_t i = d; i < n; ++i) out << i + 1 << ' ' << i + 1 - d << ' ' << by_distance[d] << '\n';
    return file;
}

/// Where cycles do not work: why, and the command that does.
TEST(AdvisedCycles, SayWhereTheyDoNotWork) {
    const Scratch scratch;
    const std::string indefinite = matrix(scratch, "indefinite.mtx", 300, {1, 0.8});
    Json j = advised("--preconditioner multilevel --problem mtx:" + indefinite, 1);
    EXPECT_FALSE(j["found"].get<bool>());
    EXPECT_NE(std::string(j["why_not"]).find("not positive definite"), std::string::npos) << j;
    // A mass matrix: well conditioned, and smooth errors are not the ones that last.
    const std::string mass = matrix(scratch, "mass.mtx", 1500, {4, 1});
    const Outcome o = run("solve --advise --threads 1 --preconditioner multilevel --problem mtx:" + mass);
    EXPECT_NE(o.out.find("100 % of what couples the unknowns is positive, as in plates"), std::string::npos) << o.out;
    EXPECT_NE(o.out.find("Jacobi CG"), std::string::npos);
    // Strong anisotropy: they take more work than Jacobi CG, which is named.
    j = advised("--preconditioner multilevel --problem poisson2d:level=6,anisotropy=3000", 0);
    EXPECT_FALSE(j["pays"].get<bool>());
    EXPECT_NEAR(j["levels"]["anisotropy"].get<double>(), 3000, 30);
    EXPECT_NE(std::string(j["text"]).find("Jacobi CG takes less work"), std::string::npos) << j["text"];
    EXPECT_NE(std::string(j["text"]).find("times as strong"), std::string::npos) << j["text"];
    const Outcome direct =
        run("solve " + std::string(j["jacobi"]["command"]).substr(std::string("mantissa solve ").size()));
    EXPECT_EQ(direct.code, 0) << direct.err;
}

/// Plain advice says so where cycles are far faster, and is silent where they are not.
TEST(AdvisedCycles, PlainAdviceMentionsThem) {
    const Scratch scratch;
    const std::string path = matrix(scratch, "path.mtx", 8000, {2.0001, -1});
    const Json fast = advised("--problem mtx:" + path + " --tolerance 1e-8", 0);
    ASSERT_TRUE(fast.contains("cycles")) << fast["text"];
    EXPECT_GT(fast["cycles"]["times"].get<double>(), 4);
    EXPECT_NE(std::string(fast["text"]).find(std::string(fast["cycles"]["command"])), std::string::npos);
    EXPECT_FALSE(advised("--problem poisson2d:level=6,anisotropy=3000", 0).contains("cycles"));
}

TEST(AdvisedCycles, RefuseWhatTheyDoNotTake) {
    const std::string base = "solve --problem poisson2d:level=4 --advise --preconditioner multilevel ";
    for (const char* more : {"--engine hls", "--device alveo-u280", "--inner 20"}) {
        const Outcome o = run(base + more);
        EXPECT_EQ(o.code, 2) << more;
        EXPECT_EQ(std::count(o.err.begin(), o.err.end(), '\n'), 1) << o.err;
    }
    EXPECT_EQ(run("solve --problem convection2d:level=4 --advise --preconditioner multilevel").code, 2);
}

} // namespace
