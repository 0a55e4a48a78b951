// `mantissa synthesize` as a user meets it: operators against the areas they must not pass, the store, failures.
#include <algorithm>
#include <filesystem>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "program.hpp"

namespace {

using nlohmann::json;

/// `environment`: NAME=VALUE words before the program. Results go into one store for each test.
Outcome run(const Scratch& scratch, const std::string& arguments, const std::string& environment = "") {
    return ::run(arguments + " --store " + scratch.path("store.sqlite"), environment);
}

json figures(const Scratch& scratch, const std::string& arguments) {
    const Outcome o = run(scratch, "synthesize --json " + arguments);
    EXPECT_EQ(o.code, 0) << o.err;
    return o.code == 0 ? json::parse(o.out) : json();
}

std::string script(const Scratch& scratch, const std::string& name, const std::string& text) {
    const std::string path = scratch.write(name, "#!/bin/sh\n" + text);
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    return path;
}

void expect_one_line(const Outcome& o, const std::string& part) {
    EXPECT_EQ(o.code, 2);
    EXPECT_EQ(o.out, "");
    EXPECT_EQ(std::count(o.err.begin(), o.err.end(), '\n'), 1) << o.err;
    EXPECT_NE(o.err.find(part), std::string::npos) << o.err;
}

struct Bound {
    const char* format;
    int adder, multiplier, blocks;
};

class OperatorArea : public testing::TestWithParam<Bound> {};

// The best open generator's operators, nearest-even and combinational, on the same device family. LUTs that stand for
// registers (memory_luts) are no part of those.
TEST_P(OperatorArea, IsAtMostThePeers) {
    const Scratch scratch;
    const auto [format, adder, multiplier, blocks] = GetParam();
    const std::string spec = std::string("--spec ") + format + " --target xc2v ";
    const json add = figures(scratch, spec + "--operator add");
    EXPECT_LE(add["luts"], adder);
    EXPECT_GT(add["luts"], adder / 2) << "too small to be an adder";
    EXPECT_EQ(add["multipliers"], 0);
    const json mul = figures(scratch, spec + "--operator mul --multiplier block");
    EXPECT_LE(mul["luts"], multiplier);
    EXPECT_GT(mul["luts"], multiplier / 2);
    EXPECT_LE(mul["multipliers"], blocks);
    EXPECT_GE(mul["multipliers"], 1);
}
INSTANTIATE_TEST_SUITE_P(Formats, OperatorArea,
                         testing::Values(Bound{"s17e8", 348, 85, 1}, Bound{"s20e8", 369, 108, 4},
                                         Bound{"s23e8", 444, 127, 4}, Bound{"s52e11", 973, 628, 9}),
                         [](const auto& bound) { return std::string(bound.param.format); });

TEST(Synthesize, OtherFamiliesAndLogicMultipliers) {
    const Scratch scratch;
    const json logic = figures(scratch, "--spec s17e8 --operator mul --multiplier logic");
    EXPECT_EQ(logic["multipliers"], 0);
    EXPECT_GT(logic["luts"], 300);
    const json ecp5 = figures(scratch, "--spec s17e8 --operator mul --target ecp5");
    EXPECT_EQ(ecp5["multipliers"], 1);
    const json xc7 = figures(scratch, "--spec s17e8 --operator mul --target xc7");
    EXPECT_EQ(xc7["multipliers"], 1);
    const json fixed = figures(scratch, "--spec s8e6,dot=fixed[6:-20] --operator fixed-accumulate");
    EXPECT_EQ(fixed["io_bits"], 4 + 2 + 1 + 8 + 18 + 27 + 32 + 1); // controls, class, sign, exponent, significand, sum
}

TEST(Synthesize, ResultsAreRememberedAndFailuresAreNot) {
    const Scratch scratch;
    const std::string request = "synthesize --json --spec s4e4 --operator mul";
    const std::string broken = script(
        scratch, "broken", "[ \"$1\" = -V ] && exec " MANTISSA_YOSYS_PATH " -V\necho 'ERROR: out of luck'\nexit 1\n");
    expect_one_line(run(scratch, request, "MANTISSA_YOSYS=" + broken), "out of luck");
    const Outcome first = run(scratch, request);
    ASSERT_EQ(first.code, 0) << first.err;
    const Outcome again = run(scratch, request, "MANTISSA_YOSYS=" + broken); // the tool is not asked again
    EXPECT_EQ(again.code, 0) << again.err;
    EXPECT_EQ(again.out, first.out);
    expect_one_line(run(scratch, "synthesize --spec s5e4 --operator mul", "MANTISSA_YOSYS=" + broken), "out of luck");
}

TEST(Synthesize, ManyRequestsSideBySideGiveWhatEachGivesAlone) {
    const Scratch scratch, alone;
    const json all = figures(scratch, "--spec s4e4 --spec s6e5 --operator mul --operator add --jobs 3");
    ASSERT_EQ(all.size(), 4u);
    for (const json& one : all) {
        const json again = figures(alone, "--spec " + one["spec"].get<std::string>() + " --operator " +
                                              one["part"].get<std::string>());
        EXPECT_EQ(one, again);
        EXPECT_GT(one["model_mhz"], 10);
    }
    expect_one_line(run(scratch, "synthesize --jobs 0"), "--jobs");
}

TEST(Synthesize, AFailureAmongManyLeavesTheOthersStored) {
    const Scratch scratch;
    const std::string broken = script(
        scratch, "broken", "[ \"$1\" = -V ] && exec " MANTISSA_YOSYS_PATH " -V\necho 'ERROR: out of luck'\nexit 1\n");
    (void)figures(scratch, "--spec s4e4 --operator mul");
    const Outcome o =
        run(scratch, "synthesize --json --spec s4e4 --spec s5e4 --operator mul --jobs 2", "MANTISSA_YOSYS=" + broken);
    EXPECT_EQ(o.code, 2);
    EXPECT_NE(o.err.find("out of luck"), std::string::npos) << o.err;
    EXPECT_EQ(json::parse(o.out).size(), 1u); // the known one is printed
}

TEST(Synthesize, WrongToolsAndRequestsAreOneLine) {
    const Scratch scratch;
    expect_one_line(run(scratch, "synthesize", "MANTISSA_YOSYS=/nowhere/yosys"), "apt install yosys");
    const std::string old = script(scratch, "old", "echo 'Yosys 0.9'\n");
    expect_one_line(run(scratch, "synthesize", "MANTISSA_YOSYS=" + old), "Yosys 0.9");
    expect_one_line(run(scratch, "synthesize --operator teapot"), "teapot");
    expect_one_line(run(scratch, "synthesize --spec s99e8"), "s99e8");
    expect_one_line(run(scratch, "synthesize --spec s23e8:rne:subnormals"), "flush");
    expect_one_line(run(scratch, "synthesize --target abacus"), "abacus");
    expect_one_line(run(scratch, "synthesize --bands some"), "--bands");
    expect_one_line(run(scratch, "synthesize --operator add --bands constant"), "--bands");
    expect_one_line(run(scratch, "synthesize --spec s17e8,order=second-difference --bands streamed"),
                    "bands: the core of s17e8,order=second-difference streams no coefficients");
    expect_one_line(run(scratch, "synthesize --spec fx18.16,point=moving"), "point=moving");
    expect_one_line(run(scratch, "synthesize --spec s23e8,coef=mxint8"), "the RTL core: coef=mxint8: blocks of MX words");
    expect_one_line(run(scratch, "synthesize --operator div --combinational"), "feedback");
    // Every request is looked at before any tool runs.
    expect_one_line(run(scratch, "synthesize --spec s4e4 --operator mul --operator teapot"), "teapot");
    expect_one_line(run(scratch, "synthesize --spec s4e4 --operator mul --target ecp5 --target xc2v --place"),
                    "no open place and route for xc2v");
    expect_one_line(run(scratch, "synthesize --spec s4e4 --operator mul --target ecp5 --place --seeds 0"), "--seeds 0");
}

} // namespace
