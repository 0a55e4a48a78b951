// mantissa flow, as it is typed.
#include <cmath>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "program.hpp"
#include "scratch.hpp"

namespace {

using Json = nlohmann::json;

const char* const kSmall = "flow --cells 4x3 --unknowns 48 --bubbles 4 --steps 3 ";

TEST(FlowCommand, KeepsTheDensityAndDraws) {
    const Scratch folder;
    const std::string picture = folder.path("flow.svg");
    const Outcome o = run(std::string(kSmall) + "--precision double --json --picture " + picture);
    ASSERT_EQ(o.code, 0) << o.err;
    const Json j = Json::parse(o.out);
    EXPECT_EQ(j.at("steps"), 3);
    EXPECT_EQ(j.at("batch"), 2); // 15 % of twelve cells
    EXPECT_GT(j.at("time").get<double>(), 0);
    EXPECT_LE(std::fabs(j.at("mean_density").get<double>() - j.at("mean_density_before").get<double>()),
              j.at("rounding_bound").get<double>());
    EXPECT_LT(j.at("backward_error").get<double>(), 1e-14);
    const Json& parts = j.at("seconds_per_step");
    EXPECT_GT(parts.at("factor").get<double>(), 0);
    EXPECT_NEAR(parts.at("total").get<double>(),
                parts.at("assembly").get<double>() + parts.at("factor").get<double>() +
                    parts.at("solve").get<double>() + parts.at("transfers").get<double>() +
                    parts.at("advection").get<double>(),
                1e-9);
    EXPECT_TRUE(folder.read("flow.svg").ends_with("</svg>\n"));
}

/// Five significant bits and refinement: the flow of double precision.
TEST(FlowCommand, ShortFactorsRefined) {
    const auto density = [](const std::string& arithmetic) {
        const Outcome o = run(std::string(kSmall) + "--json " + arithmetic);
        EXPECT_EQ(o.code, 0) << o.err;
        return Json::parse(o.out);
    };
    const Json four = density("--lu 'lu:s4e8,acc=fixed[15:-34]' --refine ir"),
               reference = density("--precision double");
    EXPECT_LE(four.at("backward_error").get<double>(), 48 * 0x1p-53);
    EXPECT_NEAR(four.at("greatest_velocity").get<double>(), reference.at("greatest_velocity").get<double>(), 1e-13);
    EXPECT_NEAR(four.at("time").get<double>(), reference.at("time").get<double>(), 1e-11);
}

TEST(FlowCommand, WrongRequestsAreOneLine) {
    for (const char* wrong :
         {"--cells 4", "--cells 4x", "--cells 0x4", "--cells 4x4 --unknowns 50 --bubbles 4", "--cells 4x4 --fraction 0",
          "--cells 4x4 --courant 0.6", "--cells 4x4 --arrangement line", "--cells 4x4 --drive fall", "--device tpu",
          "--lu lu:s1e1", "--refine gmres", "--precision half --device gpu", "--device gpu --lu lu:double",
          "--cells 2x2 --unknowns 48 --bubbles 4 --fraction 0.7",
          "--cells 2x2 --unknowns 48 --bubbles 3 --arrangement square"}) {
        const Outcome o = run(std::string("flow --steps 1 ") + wrong);
        EXPECT_EQ(o.code, 2) << wrong;
        EXPECT_EQ(o.out, "") << wrong;
        EXPECT_EQ(o.err.find('\n'), o.err.size() - 1) << wrong << ": " << o.err;
    }
}

} // namespace
