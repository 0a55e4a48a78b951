// `mantissa compare` as a user meets it, with a small core synthesised by yosys.
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sys/wait.h>

#include "scratch.hpp"

namespace {

using nlohmann::json;

struct Outcome {
    int code = -1;
    std::string out, err;
};

Outcome run(const Scratch& scratch, const std::string& arguments, const std::string& environment = "") {
    const std::string line =
        "env " + environment + " " + MANTISSA_PROGRAM + " compare " + arguments + " 2>" + scratch.path("err");
    std::FILE* pipe = ::popen(line.c_str(), "r");
    Outcome o;
    for (int c; (c = std::fgetc(pipe)) != EOF;) o.out += static_cast<char>(c);
    const int status = ::pclose(pipe);
    o.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    o.err = scratch.read("err");
    return o;
}

constexpr const char* kSmall = R"(
name = "small"
problem = "poisson2d:level=4"
device = "xc2v8000"
cpu = false
passes = 0
[[design]]
spec = "s5e5,dot=fixed[13:-30],scalar=s12e6"
)";

TEST(Compare, SynthesisesOnceAndKeepsIt) {
    const Scratch scratch;
    const std::string file = scratch.write("small.toml", kSmall);
    const Outcome first = run(scratch, file + " --json");
    ASSERT_EQ(first.code, 0) << first.err;
    const json d = json::parse(first.out);
    ASSERT_EQ(d["cores"].size(), 1U) << d["gaps"];
    EXPECT_GT(d["cores"][0]["slices"], 500);
    EXPECT_EQ(d["cores"][0]["mhz_kind"], "modelled");
    // With no yosys at hand the stored figures still serve.
    const Outcome again = run(scratch, file + " --json", "MANTISSA_YOSYS=/nowhere/yosys");
    ASSERT_EQ(again.code, 0) << again.err;
    EXPECT_EQ(json::parse(again.out)["cores"], d["cores"]);
    // One core, one clock: `synthesize` says the same, and how it is known.
    const std::string line = std::string("env MANTISSA_YOSYS=") + MANTISSA_YOSYS_PATH + " " + MANTISSA_PROGRAM +
                             " synthesize --json --target xc2v --spec '" + d["cores"][0]["spec"].get<std::string>() +
                             "' --store " + scratch.path("small.sqlite");
    std::FILE* pipe = ::popen(line.c_str(), "r");
    std::string out;
    for (int c; (c = std::fgetc(pipe)) != EOF;) out += static_cast<char>(c);
    ASSERT_EQ(::pclose(pipe), 0);
    const json alone = json::parse(out);
    EXPECT_EQ(alone["clock_mhz"], d["cores"][0]["mhz"]);
    EXPECT_EQ(alone["clock_kind"], "modelled");
    EXPECT_NE(alone["clock_from"].get<std::string>().find("times 1.5 assumed for xc2v"), std::string::npos) << alone;
    EXPECT_NE(d["origins"][d["cores"][0]["mhz_origin"].get<std::string>()]["what"].get<std::string>().find(
                  alone["clock_from"].get<std::string>()),
              std::string::npos);
    const Outcome table = run(scratch, file + " --stored");
    EXPECT_EQ(table.code, 0);
    EXPECT_NE(table.out.find("Gaps"), std::string::npos);
}

TEST(Compare, AMissingYosysIsAGapThatSaysWhatToInstall) {
    const Scratch scratch;
    const Outcome o = run(scratch, scratch.write("small.toml", kSmall) + " --json", "MANTISSA_YOSYS=/nowhere/yosys");
    ASSERT_EQ(o.code, 0) << o.err;
    const json d = json::parse(o.out);
    EXPECT_TRUE(d["cores"].empty());
    EXPECT_TRUE(std::any_of(d["gaps"].begin(), d["gaps"].end(), [](const json& g) {
        return g["what"].get<std::string>().starts_with("area") &&
               g["mend"].get<std::string>().find("apt install yosys") != std::string::npos;
    })) << d["gaps"];
}

TEST(Compare, AStoredDocumentIsShownAndStoredAgain) {
    const Scratch scratch;
    const std::string document = std::string(MANTISSA_EXPERIMENTS) + "/results/compare.json";
    const Outcome shown = run(scratch, document + " --store " + scratch.path("r.sqlite"));
    ASSERT_EQ(shown.code, 0) << shown.err;
    EXPECT_NE(shown.out.find("stored as 'compare'"), std::string::npos);
    EXPECT_NE(shown.out.find("Findings"), std::string::npos);
    const Outcome again = run(scratch, document + " --json");
    ASSERT_EQ(again.code, 0) << again.err;
    const json d = json::parse(again.out);
    EXPECT_EQ(d, json::parse(std::ifstream(document)));
    for (const char* text : {"", "{", "{}", "{\"name\": \"x\"}", "{\"name\": \"x\", \"rows\": 3}"}) {
        const Outcome bad = run(scratch, scratch.write("bad.json", text));
        EXPECT_EQ(bad.code, 2) << text;
        EXPECT_EQ(std::count(bad.err.begin(), bad.err.end(), '\n'), 1) << bad.err;
    }
}

TEST(Compare, RefusesInOneLine) {
    const Scratch scratch;
    const Outcome bad = run(scratch, scratch.write("bad.toml", "problem = 3\n"));
    EXPECT_EQ(bad.code, 2);
    EXPECT_EQ(bad.out, "");
    EXPECT_EQ(std::count(bad.err.begin(), bad.err.end(), '\n'), 1) << bad.err;
    EXPECT_NE(bad.err.find("bad.toml:1: "), std::string::npos) << bad.err;
    EXPECT_EQ(run(scratch, scratch.path("none.toml")).code, 2);
}

} // namespace
