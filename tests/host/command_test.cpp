// The `mantissa` program as a user meets it.
#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "mantissa/host/store.hpp"
#include "program.hpp"

namespace {

using nlohmann::json;

TEST(Command, SolveConvergesAndReportsJson) {
    const Outcome o = run("solve --problem poisson2d:level=5 --scheme residual-guided --inner 10 --format s17e8 "
                          "--engine emulated --threads 1 --json");
    ASSERT_EQ(o.code, 0) << o.err;
    EXPECT_EQ(o.err, "");
    const json j = json::parse(o.out);
    EXPECT_EQ(j["status"], "converged");
    EXPECT_EQ(j["problem"], "poisson2d:level=5");
    EXPECT_EQ(j["spec"], "s17e8");
    EXPECT_EQ(j["unknowns"], 1089);
    EXPECT_LT(j["true_residual"].get<double>(), 1e-10);
    EXPECT_GT(j["inner_iterations"].get<int>(), 30);
}

TEST(Command, JsonOfASolveHasNoOptionThatItDidNotUse) {
    const Outcome cycles = run("solve --problem poisson2d:level=5 --preconditioner multilevel --threads 1 --json");
    ASSERT_EQ(cycles.code, 0) << cycles.err;
    const json j = json::parse(cycles.out);
    EXPECT_TRUE(j.contains("preconditioner") && j.contains("tolerance"));
    EXPECT_FALSE(j.contains("spec") || j.contains("inner")) << cycles.out;
    const Outcome energy = run("solve --problem poisson2d:level=5 --stop energy=1e-6 --threads 1 --json");
    ASSERT_EQ(energy.code, 0) << energy.err;
    EXPECT_TRUE(json::parse(energy.out).contains("stop"));
    EXPECT_FALSE(json::parse(energy.out).contains("tolerance")) << energy.out;
}

TEST(Command, WordsOfAnOuterLoopThatAreTooShortAreNamed) {
    const Outcome o = run("solve --problem poisson2d:level=5 --spec fx18.16 --outer fx10.5 --threads 1");
    EXPECT_EQ(o.code, 1) << o.err;
    EXPECT_NE(o.out.find("give --outer a format of more fraction bits than fx10.5"), std::string::npos) << o.out;
}

TEST(Command, ResidentSolveReportsWhatTheCoreDid) {
    const Scratch scratch;
    const std::string solve = "solve --problem poisson2d:level=5 --spec fx18.16,scalar=s19e8:rne --threads 1 ";
    const Outcome o = run(solve + "--resident --json --history " + scratch.path("h.csv"));
    ASSERT_EQ(o.code, 0) << o.err;
    const json j = json::parse(o.out), core = j["resident_core"];
    EXPECT_EQ(j["status"], "converged");
    EXPECT_EQ(j["outer"], "fx64.54");
    EXPECT_EQ(j["resident"], true);
    EXPECT_LT(j["true_residual"].get<double>(), 1e-10);
    EXPECT_EQ(core["end"], "converged");
    // 0, and two bits given up, but for what overflows took.
    EXPECT_EQ(core["headroom"].get<int>(), j["words"]["overflows"].get<int>() - 2);
    // The history has the start and every step; its last defect is the core's.
    const std::string text = scratch.read("h.csv");
    EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), j["outer_iterations"].get<int>() + 2) << text;
    const double last = std::stod(text.substr(text.rfind(',') + 1));
    EXPECT_NEAR(last / j["true_residual"].get<double>(), 1, 1e-3);
    // With a headroom that is kept.
    const Outcome kept = run(solve + "--resident --headroom 1 --inner 7 --json");
    ASSERT_EQ(kept.code, 0) << kept.err;
    EXPECT_EQ(json::parse(kept.out)["resident_core"]["headroom"], 1);
    // What does not converge says so.
    const Outcome limited = run(solve + "--resident --max-iterations 15");
    EXPECT_EQ(limited.code, 1);
    EXPECT_NE(limited.out.find("iteration limit"), std::string::npos) << limited.out;
    const Outcome absurd = run(solve + "--resident --headroom 40");
    EXPECT_EQ(absurd.code, 1);
    EXPECT_NE(absurd.out.find("no scale leaves r the 40 bits"), std::string::npos) << absurd.out;
    const Outcome beyond = run(solve + "--resident --outer fx64.70");
    EXPECT_EQ(beyond.code, 1);
    EXPECT_NE(beyond.out.find("fewer fraction bits"), std::string::npos) << beyond.out;
}

TEST(Command, SolveThatDoesNotConvergeExitsWithOne) {
    const Outcome o = run("solve --problem poisson2d:level=6 --format s17e8 --max-iterations 20 --threads 1");
    EXPECT_EQ(o.code, 1);
    EXPECT_NE(o.out.find("iteration"), std::string::npos) << o.out;
}

TEST(Command, AdviceIsACommandThatConverges) {
    const Outcome o = run("solve --problem diffusion2d:level=5,field=jump --advise --threads 1 --json");
    ASSERT_EQ(o.code, 0) << o.err;
    const json j = json::parse(o.out);
    EXPECT_TRUE(j["found"]);
    EXPECT_GT(j["measured"]["condition"], 10);
    for (const char* which : {"advised", "fewest"}) {
        const std::string command = j[which]["command"];
        ASSERT_TRUE(command.starts_with("mantissa solve ")) << command;
        const Outcome solved = run(command.substr(9) + " --threads 1 --json");
        ASSERT_EQ(solved.code, 0) << command << solved.err;
        EXPECT_EQ(json::parse(solved.out)["spec"], j[which]["spec"]);
    }
    const Outcome hls = run("solve --problem poisson2d:level=5 --advise --engine hls --threads 1 --json");
    ASSERT_EQ(hls.code, 0) << hls.err;
    EXPECT_NE(json::parse(hls.out)["advised"]["command"].get<std::string>().find(" --engine hls"), std::string::npos);
    // (A solve takes the stencil times 8, so that its entries are whole numbers.)
    EXPECT_EQ(json::parse(hls.out)["advised"]["widths"]["perturbation_bound"], 0);
    const Outcome both = run("solve --problem poisson2d:level=5 --advise=solve --threads 1");
    EXPECT_EQ(both.code, 0) << both.err;
    EXPECT_NE(both.out.find("Advised:"), std::string::npos) << both.out;
    EXPECT_NE(both.out.find("converged"), std::string::npos) << both.out;
}

TEST(Command, AdviceRefusesWhatItChoosesItself) {
    for (const char* option : {"--spec fx18.16", "--format s17e8", "--scheme direct", "--check emulated", "--digits 2",
                               "--max-iterations 7"}) {
        const Outcome o = run(std::string("solve --problem poisson2d:level=4 --advise ") + option);
        EXPECT_EQ(o.code, 2) << option;
        EXPECT_NE(o.err.find("--advise chooses"), std::string::npos) << o.err;
        EXPECT_EQ(std::count(o.err.begin(), o.err.end(), '\n'), 1) << o.err;
    }
    const Outcome none = run("solve --problem poisson2d:level=4 --advise --preconditioner none");
    EXPECT_EQ(none.code, 2);
    EXPECT_NE(none.err.find("--preconditioner none: the advice takes Jacobi scaling"), std::string::npos) << none.err;
    EXPECT_EQ(run("solve --problem poisson2d:level=4 --advise=maybe").code, 2);
    EXPECT_EQ(run("solve --problem poisson2d:level=4 --advise=solve --json").code, 2);
    EXPECT_EQ(run("solve --problem poisson2d:level=4 --advise --tolerance 2").code, 2);
}

TEST(Command, HistoryIsACsvFile) {
    const Scratch scratch;
    const Outcome o = run("solve --problem poisson2d:level=5 --threads 1 --history " + scratch.path("h.csv"));
    ASSERT_EQ(o.code, 0) << o.err;
    const std::string text = scratch.read("h.csv");
    EXPECT_TRUE(text.starts_with("inner_iterations,outer_iterations,relative_defect\n")) << text;
    EXPECT_GT(std::count(text.begin(), text.end(), '\n'), 4);
}

TEST(Command, AMatrixFileAloneIsSolvedInDouble) {
    const Scratch scratch;
    const std::string file = scratch.write("m.mtx", "%%MatrixMarket matrix coordinate real symmetric\n"
                                                    "3 3 5\n1 1 4\n2 1 -1\n2 2 4\n3 2 -1\n3 3 4\n");
    const std::string alone = "solve --json --threads 1 --problem mtx:" + file;
    const Outcome o = run(alone);
    ASSERT_EQ(o.code, 0) << o.err;
    const json j = json::parse(o.out);
    EXPECT_EQ(j["scheme"], "jacobi-pcg");
    EXPECT_EQ(j["spec"], "s52e11:rne:subnormals");
    EXPECT_LT(j["true_residual"].get<double>(), 1e-10);
    EXPECT_NE(o.err.find("no datapath asked for: CG in double on this processor"), std::string::npos) << o.err;
    // What says more than the matrix is what it was.
    for (const char* more :
         {" --engine emulated", " --inner 10", " --jacobi", " --format s17e8", " --scheme residual-guided"}) {
        const Outcome other = run(alone + more);
        ASSERT_EQ(other.code, 0) << more << other.err;
        EXPECT_EQ(json::parse(other.out)["scheme"], "residual-guided") << more;
        EXPECT_EQ(json::parse(other.out)["spec"], "s17e8") << more;
        EXPECT_EQ(other.err.find("no datapath asked for"), std::string::npos) << more << other.err;
    }
    EXPECT_EQ(json::parse(run("solve --json --threads 1 --problem poisson2d:level=4").out)["spec"], "s17e8");
}

TEST(Command, ResidualCurvesCountAGridsCoefficients) {
    for (const auto& [problem, nonzeros] : {std::pair("poisson2d:level=3", 7 * 7 * 9), {"diffusion2d:level=1", 1}}) {
        const Outcome o = run(std::string("bench residuals --spec float --iterations 1 --problem ") + problem);
        ASSERT_EQ(o.code, 0) << o.err;
        EXPECT_EQ(json::parse(o.out).at("systems").at(0).at("nonzeros"), nonzeros) << problem;
    }
}

TEST(Command, EnginesListsAllWithTheReasonForTheMissing) {
    const json list = json::parse(run("engines --json").out);
    std::vector<std::string> names;
    for (const json& e : list) {
        const std::string name = e["name"], missing = e["missing"];
        names.push_back(name);
        if (name == "rtl" && e["available"]) continue; // building its model takes long; tests/sim does
        const Outcome o = run("solve --problem poisson2d:level=3 --threads 1 --engine " + name);
        EXPECT_EQ(o.code, e["available"] ? 0 : 2) << name << ": " << o.err;
        EXPECT_EQ(missing.empty(), e["available"].get<bool>()) << name;
        // The reason that the list gives is the one that a solve gives.
        EXPECT_NE(o.err.find(missing), std::string::npos) << missing << " in " << o.err;
    }
    EXPECT_EQ(names, (std::vector<std::string>{"emulated", "hls", "systemc", "rtl", "gpu"}));
    EXPECT_TRUE(list[0]["available"].get<bool>());
}

TEST(Command, TheRtlEngineIsMissingWhereVerilatorCannotBeRun) {
    const json list = json::parse(run("engines --json", "VERILATOR=/bin/false").out);
    ASSERT_EQ(list[3]["name"], "rtl");
    EXPECT_FALSE(list[3]["available"].get<bool>());
    EXPECT_NE(list[3]["missing"].get<std::string>().find("erilator"), std::string::npos) << list[3];
    const Outcome o = run("solve --problem poisson2d:level=3 --engine rtl", "VERILATOR=/bin/false");
    EXPECT_EQ(o.code, 2) << o.out;
    EXPECT_NE(o.err.find("install"), std::string::npos) << o.err;
}

TEST(Command, ReproduceTable4Level8EqualsThePaperInDouble) {
    const Scratch scratch;
    const std::string arguments = "reproduce table4 --levels 8 --json --store " + scratch.path("s.sqlite");
    const Outcome o = run(arguments);
    ASSERT_EQ(o.code, 0) << o.err;
    const json list = json::parse(o.out);
    EXPECT_EQ(list.size(), 15u);
    for (const json& cell : list) {
        for (const char* key : {"table", "scheme", "inner_format", "inner_stop", "level", "status", "inner_iterations",
                                "outer_iterations", "paper_status", "paper_inner_iterations", "paper_outer_iterations"})
            EXPECT_TRUE(cell.contains(key)) << key;
        EXPECT_EQ(cell["table"], 4);
        EXPECT_EQ(cell["status"], "converged") << cell;
        if (cell["inner_format"] == "double") {
            EXPECT_EQ(cell["inner_iterations"], cell["paper_inner_iterations"]) << cell;
            EXPECT_EQ(cell["outer_iterations"], cell["paper_outer_iterations"]) << cell;
        }
    }
    // Now from the store, where nothing is written anew: not even a time differs.
    const auto stored = [&](const char* name) {
        mantissa::Store(scratch.path("s.sqlite")).export_json_lines(scratch.path(name));
        return scratch.read(name);
    };
    const std::string before = stored("before");
    EXPECT_EQ(std::count(before.begin(), before.end(), '\n'), 15);
    const Outcome again = run(arguments);
    EXPECT_EQ(again.out, o.out);
    EXPECT_EQ(stored("after"), before);
}

TEST(Command, KilledSweepResumes) {
    const Scratch scratch;
    scratch.write("s.toml",
                  "[[grid]]\nproblem = \"poisson2d:level=7\"\nformat = [\"s10e8\", \"s12e8\", \"s14e8\", \"s17e8\"]\n"
                  "inner = [5, 6, 7, 8, 9, 10, 11, 12, 13, 14]\n");
    const std::string file = scratch.path("s.toml"), store_path = scratch.path("s.sqlite");
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
        ::execl(MANTISSA_PROGRAM, "mantissa", "sweep", file.c_str(), "--threads", "1", nullptr);
        ::_exit(127);
    }
    std::size_t stored = 0;
    for (int tries = 0; stored < 3 && tries < 6000; ++tries) {
        ::usleep(5000);
        if (std::filesystem::exists(store_path)) stored = mantissa::Store(store_path).size();
    }
    ::kill(child, SIGKILL);
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status)) << "it ended before it was killed";
    stored = mantissa::Store(store_path).size();
    ASSERT_GE(stored, 3u);
    ASSERT_LT(stored, 40u); // something is left to do
    const Outcome o = run("sweep " + file + " --json --csv " + scratch.path("s.csv"));
    ASSERT_EQ(o.code, 0) << o.err;
    const json report = json::parse(o.out);
    EXPECT_EQ(report["points"], 40);
    EXPECT_EQ(report["stored_before"], stored);
    EXPECT_EQ(report["computed"], 40 - stored);
    const std::string csv = scratch.read("s.csv");
    EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 41);
    // In the file's order, though the costliest solves begin first and most were stored before the kill.
    std::size_t at = 0;
    for (const std::string format : {"s10e8", "s12e8", "s14e8", "s17e8"})
        for (int inner = 5; inner <= 14; ++inner) {
            const std::size_t next = csv.find("residual-guided," + std::to_string(inner) + ",,,," + format + ",", at);
            ASSERT_NE(next, std::string::npos) << format << " " << inner << "\n" << csv;
            at = next;
        }
}

TEST(Command, SweepsSolveAFileThatChangedAgain) {
    const Scratch scratch;
    const std::string matrix = scratch.path("x.mtx"), file = scratch.path("s.toml");
    const auto write_matrix = [&](double off) {
        std::ofstream(matrix) << "%%MatrixMarket matrix coordinate real symmetric\n3 3 5\n1 1 2\n2 2 3\n3 3 4\n2 1 "
                              << off << "\n3 2 " << off << "\n";
    };
    std::ofstream(file) << "[[grid]]\nproblem = [\"mtx:" << matrix
                        << "\", \"poisson2d:level=3\"]\nformat = \"s23e8\"\n";
    const auto sweep = [&](std::size_t before, std::size_t computed) {
        Outcome o = run("sweep " + file + " --threads 1 --json --csv " + scratch.path("s.csv"));
        const json j = json::parse(o.out);
        EXPECT_EQ(j["stored_before"], before);
        EXPECT_EQ(j["computed"], computed);
        return o;
    };
    write_matrix(0.5);
    sweep(0, 2);
    const std::string first = scratch.read("s.csv");
    EXPECT_EQ(sweep(2, 0).err, "");
    write_matrix(-1.25);
    EXPECT_EQ(sweep(1, 1).err,
              "mantissa: " + matrix + ": changed since 1 solve with it was stored; that does not count as stored\n");
    const std::string second = scratch.read("s.csv");
    EXPECT_NE(second, first);
    EXPECT_EQ(std::count(second.begin(), second.end(), '\n'), 3);
    EXPECT_EQ(sweep(2, 0).err, "");
    // Without the file there is one reason, and nothing is lost.
    std::filesystem::remove(matrix);
    const Outcome missing = sweep(1, 0);
    EXPECT_EQ(missing.code, 2);
    EXPECT_EQ(scratch.read("s.csv"), second);
    write_matrix(-1.25);
    sweep(2, 0);
}

} // namespace
