// The model of the clock on netlists small enough to add up by hand.
#include <string>

#include <gtest/gtest.h>

#include "mantissa/format.hpp"
#include "synthesis/clock_model.hpp"

namespace mantissa::synthesis {
namespace {

std::string cell(const std::string& name, const std::string& type, const std::string& pins,
                 const std::string& directions) {
    return "\"" + name + "\": {\"type\": \"" + type + "\", \"connections\": {" + pins + "}, \"port_directions\": {" +
           directions + "}}";
}
std::string flip_flop(const std::string& name, int d, int q) {
    return cell(name, "FDRE", "\"C\": [1], \"D\": [" + std::to_string(d) + "], \"Q\": [" + std::to_string(q) + "]",
                R"("C": "input", "D": "input", "Q": "output")");
}
std::string lut(const std::string& name, int in, int out) {
    return cell(name, "LUT1", "\"I0\": [" + std::to_string(in) + "], \"O\": [" + std::to_string(out) + "]",
                R"("I0": "input", "O": "output")");
}
std::string netlist(const std::string& cells) {
    return R"({"modules": {"t": {"attributes": {"top": "1"}, "cells": {)" + cells + "}}}}";
}

TEST(ClockModel, RegisterToRegisterThroughTwoLuts) {
    // 0.40 clock to output, three nets of one load at 0.55, two LUTs at 0.18.
    const ModelledPath path = model_clock(
        netlist(flip_flop("a", 9, 2) + "," + lut("x", 2, 3) + "," + lut("y", 3, 4) + "," + flip_flop("b", 4, 5)));
    EXPECT_NEAR(path.ns, 0.40 + 3 * 0.55 + 2 * 0.18, 1e-9);
    EXPECT_NEAR(path.mhz(), 1000 / path.ns, 1e-9);
    EXPECT_EQ(path.luts, 2);
    EXPECT_EQ(path.from, "a");
    EXPECT_EQ(path.to, "b");
}

TEST(ClockModel, AMultiplierWithItsRegisterInsideEndsAndStartsPaths) {
    const auto block = [](const std::string& parameters) {
        return R"("m": {"type": "MULT18X18D", "parameters": {)" + parameters +
               R"(}, "connections": {"A0": [2], "CLK0": [1], "P0": [3]}, "port_directions":)"
               R"( {"A0": "input", "CLK0": "input", "P0": "output"}})";
    };
    const auto between = [&](const std::string& parameters) {
        return model_clock(netlist(flip_flop("a", 9, 2) + "," + block(parameters) + "," + flip_flop("b", 3, 4)));
    };
    EXPECT_NEAR(between("").ns, 0.40 + 0.55 + 3.07 + 0.55, 1e-9);
    const ModelledPath path = between(R"("REG_OUTPUT_CLK": "CLK0")");
    EXPECT_NEAR(path.ns, 0.40 + 0.55 + 2.64, 1e-9);
    EXPECT_EQ(path.to, "m");
}

TEST(ClockModel, LoadsSlowANet) {
    // Net 2 has four loads: log2 4 = 2.
    const ModelledPath path =
        model_clock(netlist(flip_flop("a", 9, 2) + "," + flip_flop("b", 2, 3) + "," + flip_flop("c", 2, 4) + "," +
                            flip_flop("d", 2, 5) + "," + flip_flop("e", 2, 6)));
    EXPECT_NEAR(path.ns, 0.40 + 0.55 + 2 * 0.12, 1e-9);
}

TEST(ClockModel, ACarryChainIsShortBesideLuts) {
    const auto muxcy = [](const std::string& name, int s, int ci, int o) {
        return cell(name, "MUXCY",
                    "\"S\": [" + std::to_string(s) + "], \"CI\": [" + std::to_string(ci) +
                        "], \"DI\": [\"0\"], \"O\": [" + std::to_string(o) + "]",
                    R"("S": "input", "CI": "input", "DI": "input", "O": "output")");
    };
    // Into the chain through a LUT (inside its slice) and along two more bits, which have no nets between them.
    const ModelledPath path =
        model_clock(netlist(flip_flop("a", 9, 2) + "," + lut("x", 2, 3) + "," + muxcy("c0", 3, 90, 10) + "," +
                            muxcy("c1", 91, 10, 11) + "," + muxcy("c2", 92, 11, 12) + "," + flip_flop("b", 12, 13)));
    EXPECT_NEAR(path.ns, 0.40 + 0.55 + 0.18 + 0.17 + 2 * 0.03 + 0.55, 1e-9);
    EXPECT_EQ(path.carries, 3);
}

TEST(ClockModel, OneLineForWhatIsNoNetlist) {
    EXPECT_THROW((void)model_clock("{"), ToolFailure);
    EXPECT_THROW((void)model_clock(R"({"modules": {}})"), ToolFailure);
}

} // namespace
} // namespace mantissa::synthesis
