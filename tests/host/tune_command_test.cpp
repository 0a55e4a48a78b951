// `mantissa tune` as a user runs it: the same answer from the same seed, from a store that a killed run left, and bad
// input in one line.
#include <algorithm>
#include <cmath>
#include <set>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "mantissa/base/files.hpp"
#include "program.hpp"

namespace {

const std::string kRequest = "tune --problem poisson2d:level=6 --device xc2v8000 --netlists 0 --points 24 --threads 2 ";

nlohmann::json answer(const Scratch& scratch, const std::string& store, const std::string& more = {},
                      const std::string& before = {}) {
    const Outcome done = run(kRequest + more + " --store " + scratch.path(store) + " --json -", before);
    EXPECT_EQ(done.code, 0) << done.err;
    return nlohmann::json::parse(done.out);
}

/// What must not differ between two runs.
nlohmann::json kept(nlohmann::json a) {
    for (const char* key : {"seconds", "store"}) a.erase(key);
    return a;
}

TEST(TuneCommand, TheSameSeedGivesTheSameAnswer) {
    const Scratch scratch;
    const nlohmann::json first = answer(scratch, "a"), again = answer(scratch, "b");
    EXPECT_EQ(kept(first), kept(again));
    EXPECT_GT(first.at("solved"), 5);
    EXPECT_GT(first.at("refused"), 0);
    EXPECT_EQ(first.at("winner"), first.at("best")[0]);
}

TEST(TuneCommand, AKilledRunGoesOnToTheSameAnswer) {
    const Scratch scratch;
    const nlohmann::json whole = answer(scratch, "whole");
    for (const char* seconds : {"0.3", "0.6"})
        (void)run_program(std::string("timeout -s KILL ") + seconds + " " MANTISSA_PROGRAM,
                          kRequest + " --store " + scratch.path("cut"));
    EXPECT_EQ(kept(answer(scratch, "cut")), kept(whole));
}

TEST(TuneCommand, TheWinnersCommandGivesItsIterations) {
    const Scratch scratch;
    const nlohmann::json a = answer(scratch, "a", "--no words=floating");
    const auto command = a.at("winner").at("command").get<std::string>();
    ASSERT_TRUE(command.starts_with("mantissa solve "));
    const Outcome done = run(command.substr(9) + " --json");
    ASSERT_EQ(done.code, 0) << done.err;
    const auto solved = nlohmann::json::parse(done.out);
    EXPECT_EQ(solved.at("inner_iterations"), a.at("winner").at("iterations"));
    EXPECT_LE(solved.at("true_residual"), 1e-10);
}

TEST(TuneCommand, NoPointOfTheFrontBeatsAnother) {
    const Scratch scratch;
    const nlohmann::json a = answer(scratch, "a");
    const auto& front = a.at("front");
    ASSERT_GE(front.size(), 2U);
    for (std::size_t i = 1; i < front.size(); ++i) {
        EXPECT_GT(front[i].at("area_share"), front[i - 1].at("area_share"));
        EXPECT_LT(front[i].at("seconds"), front[i - 1].at("seconds"));
    }
}

TEST(TuneCommand, TheReportDrawsTheFront) {
    const Scratch scratch;
    const nlohmann::json a = answer(scratch, "a");
    const std::string page = scratch.path("page.html");
    const Outcome done = run("report " + scratch.path("a") + " -o " + page);
    ASSERT_EQ(done.code, 0) << done.err;
    const std::string html(mantissa::base::read_file(page).view());
    EXPECT_NE(html.find("Chosen designs"), std::string::npos);
    EXPECT_NE(html.find("Area against time, least area-time: poisson2d:level=6 on xc2v8000"), std::string::npos);
    // Every design of the front is in the table below the chart, and asked for again it is there once.
    for (const auto& placed : a.at("front")) {
        std::string spec = placed.at("spec");
        EXPECT_NE(html.find(spec.substr(0, spec.find(','))), std::string::npos) << spec;
    }
    (void)answer(scratch, "a");
    ASSERT_EQ(run("report " + scratch.path("a") + " -o " + page).code, 0);
    const std::string again(mantissa::base::read_file(page).view());
    const std::size_t first = again.find("table-tuned-1");
    EXPECT_EQ(again.find("tuned-2"), std::string::npos);
    EXPECT_NE(first, std::string::npos);
}

TEST(TuneCommand, LimitsHold) {
    const Scratch scratch;
    const nlohmann::json a = answer(scratch, "a", "--for time --within area=10%,iterations=2.5");
    EXPECT_LE(a.at("winner").at("area_share"), 0.1);
    EXPECT_LE(a.at("winner").at("iterations"), 2.5 * a.at("reference_iterations").get<double>());
}

/// A matrix of one's own: a path of springs, some of them stiff.
std::string springs(const Scratch& scratch) {
    constexpr int kNodes = 60;
    std::string text = "%%MatrixMarket matrix coordinate real symmetric\n60 60 119\n";
    const auto stiffness = [](int i) { return i % 7 == 0 ? 20.0 : 1.0; };
    for (int i = 1; i <= kNodes; ++i) {
        text +=
            std::to_string(i) + " " + std::to_string(i) + " " + std::to_string(stiffness(i) + stiffness(i + 1)) + "\n";
        if (i < kNodes)
            text += std::to_string(i + 1) + " " + std::to_string(i) + " " + std::to_string(-stiffness(i + 1)) + "\n";
    }
    return scratch.write("springs.mtx", text);
}

TEST(TuneCommand, AMatrixOfOnesOwnGetsACoreOfSparseRows) {
    const Scratch scratch;
    const std::string request = "tune --problem mtx:" + springs(scratch) +
                                " --tolerance 1e-8 --device alveo-u280 --netlists 0 --points 24 --threads 2";
    const Outcome done = run(request + " --store " + scratch.path("a") + " --json -");
    ASSERT_EQ(done.code, 0) << done.err;
    const auto a = nlohmann::json::parse(done.out);
    const auto& winner = a.at("winner");
    EXPECT_EQ(winner.at("bands"), "sparse");
    // Lanes are worked out, and change no bit: the winner's command takes them, and gives the winner's iterations.
    const auto command = winner.at("command").get<std::string>();
    EXPECT_NE(command.find("--jacobi"), std::string::npos);
    const Outcome solved = run(command.substr(9) + " --json");
    ASSERT_EQ(solved.code, 0) << solved.err;
    EXPECT_EQ(nlohmann::json::parse(solved.out).at("inner_iterations"), winner.at("iterations"));
    std::set<int> lanes;
    for (const auto& placed : a.at("front")) lanes.insert(placed.at("lanes").get<int>());
    EXPECT_GE(lanes.size(), 2U);
    EXPECT_NE(winner.at("synthesis_command").get<std::string>().find("--operator sparse"), std::string::npos);
}

TEST(TuneCommand, CyclesAreInTheSpaceOfPoissonsEquation) {
    const Scratch scratch;
    const Outcome done = run("tune --problem poisson2d:level=6 --device alveo-u280 --netlists 0 --points 16 --store " +
                             scratch.path("a") + " --json -");
    ASSERT_EQ(done.code, 0) << done.err;
    const auto a = nlohmann::json::parse(done.out);
    const auto& winner = a.at("winner");
    EXPECT_EQ(winner.at("bands"), "cycle"); // (ten cycles in place of a hundred iterations)
    const auto command = winner.at("command").get<std::string>();
    const Outcome solved = run(command.substr(9) + " --json");
    ASSERT_EQ(solved.code, 0) << solved.err;
    EXPECT_EQ(nlohmann::json::parse(solved.out).at("inner_iterations"), winner.at("iterations"));
    EXPECT_NE(winner.at("synthesis_command").get<std::string>().find("--operator cycle"), std::string::npos);
    const Outcome without = run("tune --problem poisson2d:level=6 --device alveo-u280 --netlists 0 --points 8 "
                                "--no words=cycle --store " +
                                scratch.path("a") + " --json -");
    ASSERT_EQ(without.code, 0) << without.err;
    EXPECT_EQ(nlohmann::json::parse(without.out).at("winner").at("bands"), "constant");
}

TEST(TuneCommand, PointsThatAreAskedForAreOfAllSpacesTogether) {
    const Scratch scratch;
    const auto solved = [&](const std::string& points) {
        const Outcome done =
            run("tune --problem poisson2d:level=5 --device alveo-u280 --netlists 0 --sides 1 --points " + points +
                " --store " + scratch.path("of" + points) + " --json -");
        EXPECT_LE(done.code, 1) << done.err; // (few points need not hold one that converges)
        return nlohmann::json::parse(done.out);
    };
    const nlohmann::json five = solved("5");
    EXPECT_LE(five.at("solved"), 5);
    EXPECT_GE(five.at("solved"), 2);
    EXPECT_GT(five.at("space"), 1000) << "cycles, of which there are 216, and CG";
    EXPECT_EQ(solved("1").at("solved"), 1);
}

TEST(TuneCommand, JoulesHaveAColumnBesideTheClock) {
    const Scratch scratch;
    const auto text = [&](const std::string& goal) {
        const Outcome done =
            run("tune --problem poisson2d:level=5 --device alveo-u280 --netlists 0 --points 16 --for " + goal +
                " --store " + scratch.path(goal));
        EXPECT_EQ(done.code, 0) << done.err;
        return done.out;
    };
    const std::string energy = text("energy"), time = text("time");
    EXPECT_NE(energy.find("time     energy  cores"), std::string::npos) << energy;
    EXPECT_NE(energy.find(" J  "), std::string::npos) << energy;
    for (const std::string& out : {energy, time}) {
        EXPECT_NE(out.find("inner     clock"), std::string::npos) << out;
        EXPECT_NE(out.find(" MHz "), std::string::npos) << out;
    }
    EXPECT_EQ(time.find("energy"), std::string::npos) << time;
}

TEST(TuneCommand, WhatIsGivenTwiceIsRefused) {
    const Scratch scratch;
    for (const char* twice :
         {"--within area=20%,area=30%", "--within iterations=2,area=20%,iterations=2",
          "--fix bits=18 --vary bits=11..12", "--fix bits=18 --fix bits=18", "--vary bits=20,21 --vary bits=24"}) {
        const Outcome done = run(kRequest + twice + " --store " + scratch.path("x"));
        EXPECT_EQ(done.code, 2) << twice;
        EXPECT_NE(done.err.find("is given twice"), std::string::npos) << done.err;
        EXPECT_EQ(std::count(done.err.begin(), done.err.end(), '\n'), 1) << done.err;
    }
}

TEST(TuneCommand, AValueThatNoDatapathHasIsRefusedWithTheRange) {
    const Scratch scratch;
    for (const auto& [given, words] :
         {std::pair("--fix bits=99", "--fix bits=99: bits takes whole numbers from 2 to 53"),
          {"--vary bits=20..99", "--vary bits=54: bits takes whole numbers from 2 to 53"},
          {"--fix inner=0", "--fix inner=0: inner takes whole numbers from 1 to 1000"},
          {"--fix exponent=12", "exponent takes whole numbers from 2 to 11"}}) {
        const Outcome done = run(kRequest + given + " --store " + scratch.path("x"));
        EXPECT_EQ(done.code, 2) << given;
        EXPECT_NE(done.err.find(words), std::string::npos) << done.err;
    }
}

TEST(TuneCommand, BadInputIsRefusedInOneLine) {
    const Scratch scratch;
    const std::string store = " --store " + scratch.path("x");
    for (const char* bad :
         {"tune --problem poisson2d:level=6 --device moon", "tune --problem bogus:1 --device xc2v8000",
          "tune --problem poisson2d:level=6 --device xc2v8000 --within area=0%",
          "tune --problem poisson2d:level=6 --device xc2v8000 --within area=10%,",
          "tune --problem poisson2d:level=6 --device xc2v8000 --budget soon",
          "tune --problem poisson2d:level=6 --device xc2v8000 --fix colour=red",
          "tune --problem poisson2d:level=6 --device xc2v8000 --for energy",
          "tune --problem poisson2d:level=6 --device xc2v8000 --fix words=cycle",
          "tune --problem diffusion2d:level=6,field=jump,contrast=100,seed=1 --device alveo-u280 --fix words=cycle",
          "tune --problem poisson3d:level=3 --device xc2v8000",
          "tune --problem poisson2d:level=5 --device lfe5u-85f"}) {
        const Outcome done = run(bad + store);
        EXPECT_EQ(done.code, 2) << bad;
        EXPECT_EQ(done.out, "") << bad;
        EXPECT_EQ(std::count(done.err.begin(), done.err.end(), '\n'), 1) << done.err;
    }
}

} // namespace
