// Multilevel cycles through the command: what is solved, what is chosen, what is refused, and that sweeps take them.
#include <algorithm>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "program.hpp"
#include "scratch.hpp"

namespace {

using Json = nlohmann::json;

Json solved(const std::string& arguments) {
    const Outcome o = run("solve --json " + arguments);
    EXPECT_EQ(o.code, 0) << arguments << ": " << o.err;
    return o.out.empty() ? Json::object() : Json::parse(o.out);
}

TEST(Cycles, SolveGridsBandsAndRows) {
    struct {
        const char *problem, *cycle, *scheme;
        int most;
    } const cases[] = {
        {"poisson2d:level=7", "multilevel", "inexact-pcg", 11},
        {"poisson2d:level=8", "multilevel:b2,w=10", "defect-correction", 17},
        {"poisson2d:level=7", "multilevel:v11,w=8,f=8,e=12", "inexact-pcg", 11},
        {"poisson2d:level=7,anisotropy=40", "multilevel:v22,w=10", "inexact-pcg", 40},
        {"diffusion2d:level=6,field=jump,contrast=100", "multilevel:v22,w=10,c=8", "inexact-pcg", 18},
        {"poisson3d:level=4", "multilevel:v22,w=10,c=10", "inexact-pcg", 12},
        {"poisson3d:level=4", "multilevel:v22,w=double", "inexact-pcg", 12},
    };
    for (const auto& c : cases) {
        const Json j = solved(std::string("--problem ") + c.problem + " --preconditioner " + c.cycle);
        EXPECT_EQ(j["status"], "converged") << c.problem;
        EXPECT_EQ(j["scheme"], c.scheme) << c.problem;
        EXPECT_LE(j["inner_iterations"].get<int>(), c.most) << c.problem;
        EXPECT_LT(j["true_residual"].get<double>(), 1.001e-10) << c.problem;
    }
    EXPECT_EQ(solved("--problem poisson2d:level=6 --preconditioner multilevel")["preconditioner"],
              "multilevel:v11,w=10");
}

TEST(Cycles, HaveTheSameBitsOnAnyThreadsAndInstructions) {
    const std::string solve =
        "solve --problem diffusion2d:level=7 --preconditioner multilevel:v12,w=9,c=9 --solution - ";
    const std::string one = run(solve + "--threads 1").out;
    EXPECT_GT(one.size(), 1000u);
    EXPECT_EQ(one, run(solve + "--threads 3").out);
    EXPECT_EQ(one, run(solve + "--threads 1", "MANTISSA_ISA=baseline").out);
}

TEST(Cycles, AnOuterLoopInIntegersTakesThem) {
    const Json j = solved("--problem poisson2d:level=6 --preconditioner multilevel:b2,w=8 --outer fx64.60");
    EXPECT_EQ(j["status"], "converged");
    EXPECT_LE(j["inner_iterations"].get<int>(), 20);
}

/// The solution's text but for the line that names the engine.
std::string solution_of(const std::string& engine, const std::string& arguments) {
    std::string text = run("solve --solution - --engine " + engine + " " + arguments).out;
    if (const auto at = text.find(" on " + engine + "\n"); at != std::string::npos) text.erase(at, engine.size() + 4);
    return text;
}

TEST(Cycles, OfTheHlsEngineHaveTheEmulatedOnesBits) {
    for (const char* const arguments :
         {"--problem poisson2d:level=6 --scheme defect-correction --preconditioner multilevel:b2,w=10 --outer fx64.54",
          "--problem poisson2d:level=5 --scheme defect-correction --preconditioner multilevel:v11,w=8 --outer "
          "fx64.60"}) {
        const std::string emulated = solution_of("emulated", arguments);
        EXPECT_GT(emulated.size(), 1000u);
        EXPECT_EQ(solution_of("hls", arguments), emulated);
    }
    const Json j =
        solved("--problem poisson2d:level=5 --engine hls --check emulated --preconditioner multilevel:b2,w=10");
    EXPECT_EQ(j["status"], "converged");
    EXPECT_EQ(j["check"]["passes"], j["inner_iterations"]);
}

TEST(Cycles, InWordsThatHoldNoBetterDefectSaySo) {
    const std::string solve =
        "solve --problem poisson2d:level=6 --scheme defect-correction --preconditioner multilevel";
    const Outcome o = run(solve + " --outer fx64.30");
    EXPECT_EQ(o.code, 1);
    EXPECT_NE(o.out.find("stagnated: the best defect has not fallen by a tenth over"), std::string::npos) << o.out;
    EXPECT_NE(o.out.find("words of fx64.30 hold no better one (--outer, or a looser --tolerance)"), std::string::npos);
    const Outcome few = run(solve + " --outer fx64.54 --max-iterations 3");
    EXPECT_NE(few.out.find("iteration limit: the limit of 3 cycles is reached"), std::string::npos) << few.out;
}

TEST(Cycles, AnEnginesOwnOuterLoopIsSaid) {
    const std::string solve =
        "solve --problem poisson2d:level=4 --scheme defect-correction --preconditioner multilevel";
    EXPECT_NE(run(solve + " --engine hls").out.find("multilevel:v11,w=10, outer loop in fx64.62\n"), std::string::npos);
    EXPECT_EQ(run(solve).out.find("outer loop"), std::string::npos);
}

TEST(Cycles, AreRefusedInOneLine) {
    const char* const refused[] = {
        "--preconditioner magic",
        "--preconditioner multilevel:b0",
        "--preconditioner multilevel:v11,w=99",
        "--preconditioner multilevel --scheme direct",
        "--preconditioner multilevel --format s17e8:rne",
        "--preconditioner multilevel --inner 20",
        "--preconditioner multilevel --digits 2",
        "--preconditioner multilevel:v11,w=double --engine hls",
        "--preconditioner multilevel:b2,w=double --engine hls",
        "--preconditioner multilevel:b2 --engine hls --outer fx48.40",
        "--preconditioner multilevel --jacobi",
    };
    for (const char* arguments : refused) {
        const Outcome o = run(std::string("solve --problem poisson2d:level=4 ") + arguments);
        EXPECT_EQ(o.code, 2) << arguments;
        EXPECT_EQ(std::count(o.err.begin(), o.err.end(), '\n'), 1) << arguments << ": " << o.err;
        EXPECT_TRUE(o.err.find("preconditioner") != std::string::npos || o.err.find("cycle '") != std::string::npos ||
                    o.err.find("engine hls's cycles") != std::string::npos)
            << arguments << ": " << o.err;
        EXPECT_EQ(o.out, "");
    }
}

/// Words that a system does not have are not passed over.
TEST(Cycles, SumsOfRowsAreNotOfStencils) {
    const Outcome o = run("solve --problem poisson2d:level=4 --preconditioner multilevel:v11,s=64");
    EXPECT_EQ(o.code, 2);
    EXPECT_NE(o.err.find("s=64 is of sums on rows"), std::string::npos) << o.err;
    EXPECT_EQ(run("solve --problem poisson3d:level=3 --preconditioner multilevel:v11,s=64").code, 0);
    EXPECT_EQ(run("solve --problem poisson2d:level=4 --preconditioner multilevel:v11,c=16").code, 0); // (s=64 with it)
    EXPECT_EQ(run("solve --problem poisson2d:level=4 --preconditioner multilevel --engine hls --check emulated").code,
              0);
}

/// The engine at fault is the one beside, whichever of the two asks for it.
TEST(Cycles, ARefusalNamesTheEngineThatHasNone) {
    const Scratch scratch;
    std::string text = "%%MatrixMarket matrix coordinate real symmetric\n9 9 17\n";
    for (int i = 1; i <= 9; ++i) text += std::to_string(i) + " " + std::to_string(i) + " 2\n";
    for (int i = 2; i <= 9; ++i) text += std::to_string(i) + " " + std::to_string(i - 1) + " -1\n";
    scratch.write("line.mtx", text);
    for (const char* engines : {"--check hls", "--engine hls", "--engine hls --check emulated"}) {
        const Outcome o =
            run("solve --problem mtx:" + scratch.path("line.mtx") + " --preconditioner multilevel " + engines);
        EXPECT_EQ(o.code, 2) << engines;
        EXPECT_NE(o.err.find("engine hls has cycles for constant stencils"), std::string::npos) << o.err;
        EXPECT_NE(o.err.find("leave that engine out"), std::string::npos) << o.err;
    }
}

/// A matrix without couplings has no coarser level, and the program says what to do.
TEST(Cycles, AMatrixWithoutLevelsIsToldSo) {
    const Scratch scratch;
    std::string text = "%%MatrixMarket matrix coordinate real symmetric\n400 400 400\n";
    for (int i = 1; i <= 400; ++i) text += std::to_string(i) + " " + std::to_string(i) + " 2\n";
    scratch.write("d.mtx", text);
    const Outcome o = run("solve --problem mtx:" + scratch.path("d.mtx") + " --preconditioner multilevel");
    EXPECT_EQ(o.code, 2);
    EXPECT_NE(o.err.find("the diagonal alone is as good"), std::string::npos) << o.err;
    EXPECT_NE(o.err.find("jacobi"), std::string::npos) << o.err;
}

TEST(Cycles, ASweepRunsThemAndResumes) {
    const Scratch scratch;
    scratch.write("s.toml",
                  "[[grid]]\nproblem = \"poisson2d:level=5\"\npreconditioner = [\"none\", \"multilevel:v11,w=8\", "
                  "\"multilevel:b2,w=10\"]\n");
    const std::string sweep = "sweep " + scratch.path("s.toml") + " --store " + scratch.path("s.sqlite");
    const Outcome first = run(sweep);
    ASSERT_EQ(first.code, 0) << first.err;
    const Outcome csv = run("sweep " + scratch.path("s.toml") + " --store " + scratch.path("s.sqlite") + " --csv -");
    EXPECT_EQ(csv.code, 0) << csv.err;
    EXPECT_NE(csv.out.find("multilevel:v11,w=8"), std::string::npos) << csv.out;
    EXPECT_NE(csv.out.find("defect-correction"), std::string::npos) << csv.out;
}

} // namespace
