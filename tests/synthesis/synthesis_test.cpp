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

TEST(Synthesize, OnlyWhatMultipliesIsSaidToHaveMultipliers) {
    const Scratch scratch;
    const Outcome both = run(scratch, "synthesize --spec s8e8 --operator add --operator mul --multiplier logic");
    EXPECT_EQ(both.code, 0) << both.err;
    EXPECT_NE(both.out.find("add of s8e8 on xc2v (Yosys"), std::string::npos) << both.out;
    EXPECT_NE(both.out.find("mul of s8e8 on xc2v, logic multipliers (Yosys"), std::string::npos) << both.out;
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
    expect_one_line(run(scratch, "synthesize --spec s23e8,coef=mxint8"),
                    "the RTL core: coef=mxint8: blocks of MX words");
    expect_one_line(run(scratch, "synthesize --operator div --combinational"), "feedback");
    // Every request is looked at before any tool runs.
    expect_one_line(run(scratch, "synthesize --spec s4e4 --operator mul --operator teapot"), "teapot");
    expect_one_line(run(scratch, "synthesize --spec s4e4 --operator mul --target ecp5 --target xc2v --place"),
                    "no open place and route for xc2v");
    expect_one_line(run(scratch, "synthesize --spec s4e4 --operator mul --target ecp5 --place --seeds 0"), "--seeds 0");
}

/// What is refused before any tool is looked for; what is not ends at the tool.
void expect_refused(const Scratch& scratch, const std::string& arguments, const std::string& part) {
    SCOPED_TRACE(arguments);
    expect_one_line(run(scratch, "synthesize " + arguments, "MANTISSA_YOSYS=/nowhere/yosys"), part);
}
void expect_taken(const Scratch& scratch, const std::string& arguments) {
    expect_refused(scratch, arguments, "/nowhere/yosys: cannot be run");
}

TEST(Synthesize, OperatorsRefuseTheFormatsThatTheCoreRefuses) {
    const Scratch scratch;
    for (const std::string part : {"add", "mul", "div", "mul-serial"}) {
        const std::string with = " --operator " + part;
        expect_refused(scratch, "--spec half" + with,
                       "--operator " + part + ": the RTL core flushes subnormals and r= is s10e5:rne:subnormals");
        expect_refused(scratch, "--spec s8e8:rne:sat" + with, "no saturating nearest-even and r= is s8e8:rne:sat");
        expect_refused(scratch, "--spec fx8.4" + with,
                       "--operator " + part + ": it works on floating-point numbers, and r= is fx8.4; give a floating");
        expect_refused(scratch, "--spec s1e8" + with, "the fraction width is outside 2..52");
        expect_refused(scratch, "--spec s8e1" + with, "the exponent width is outside 2..11");
        expect_taken(scratch, "--spec s8e8:rne,u=half" + with); // (what is no part of the operator may be anything)
    }
}

TEST(Synthesize, AccumulatorsAreThoseOfTheDatapath) {
    const Scratch scratch;
    expect_refused(scratch, "--spec half --operator accumulate", "and product= is s10e5:rne:subnormals");
    expect_refused(scratch, "--spec fx8.4 --operator accumulate",
                   "it works on floating-point numbers, and r= is fx8.4");
    expect_refused(scratch, "--spec s17e8,dot=s52e11/2 --operator accumulate", "its depth must be 8 or more, not 2");
    expect_refused(scratch, "--spec 's8e8,dot=fixed[6:-20]' --operator accumulate", "use fixed-accumulate");
    expect_taken(scratch, "--spec s17e8 --operator accumulate");
    for (const char* spec : {"fx8.4", "s8e8"})
        expect_refused(scratch, std::string("--spec ") + spec + " --operator fixed-accumulate",
                       std::string("dot products of ") + spec + " are summed in no fixed window");
    expect_refused(scratch, "--spec 'half,dot=fixed[6:-20]' --operator fixed-accumulate", "flushes subnormals and r=");
    expect_refused(scratch, "--spec 'fx18.16,dot=fixed[6:-20]' --operator fixed-accumulate", "and r= is fx18.16");
    expect_taken(scratch, "--spec 's8e8,dot=fixed[6:-20]' --operator fixed-accumulate");
}

TEST(Synthesize, OptionsThatNoOperatorUsesAreRefused) {
    const Scratch scratch;
    // At their defaults, too.
    for (const char* option :
         {"--lanes 1", "--level 10", "--stored-level 5", "--cycle b2,w=10", "--bands streamed", "--multiplier block"}) {
        const std::string name = std::string(option).substr(0, std::string(option).find(' '));
        for (const char* part : {"add", "div"})
            expect_refused(scratch, std::string(option) + " --operator " + part, name + ": ");
    }
    for (const char* option : {"--lanes 2", "--level 9", "--stored-level 4", "--cycle v22,w=8"})
        expect_refused(scratch, option, "it is of --operator cycle");
    expect_refused(scratch, "--lanes 2 --spec s17e8", "as s17e8,lanes=2; leave it out");
    expect_refused(scratch, "--multiplier logic --operator accumulate --operator add", "--multiplier: ");
    expect_refused(scratch, "--bands streamed --spec fx18.16 --operator sparse", "--bands: ");
    expect_refused(scratch, "--spec s23e8 --operator cycle", "--spec: the words of a cycle core are those of --cycle");
    expect_refused(scratch, "--multiplier block --operator cycle-checked", "--multiplier: ");
    expect_refused(scratch, "--seeds 5 --operator add", "--seeds: it is of place and route; give --place too");
    // One operator that uses it is enough.
    expect_taken(scratch, "--multiplier logic --operator add --operator mul");
    expect_taken(scratch, "--spec s17e8 --operator add --operator cycle --cycle v22,w=8 --lanes 4 --level 5 "
                          "--stored-level 4");
    expect_taken(scratch, "--spec fx18.16 --bands streamed --multiplier logic");
    expect_taken(scratch, "--spec s17e8 --operator add --target ecp5 --place --seeds 9");
}

} // namespace
