// What a request means to the tools: cores and their parameters; ports as yosys lists them, and the wrapper in which an
// operator is placed.
#include <map>
#include <string>

#include <gtest/gtest.h>

#include "synthesis/recipe.hpp"

namespace mantissa::synthesis {
namespace {

TEST(Recipe, PortsAreReadWithTheirWidths) {
    const auto ports = read_ports("input [0:0] clk_i\ninput [25:0] a_i\noutput [1:0] cls_o\nnoise\n");
    ASSERT_EQ(ports.size(), 3u);
    EXPECT_EQ(ports[1].name, "a_i");
    EXPECT_EQ(ports[1].bits, 26);
    EXPECT_TRUE(ports[1].input);
    EXPECT_FALSE(ports[2].input);
}

TEST(Recipe, WhatCoresSayToEachOtherIsNoneOfTheIoOfOneAlone) {
    const auto ports = read_ports("input [0:0] clk_i\noutput [63:0] link_o\ninput [3:0] all_i\noutput [7:0] u_o\n");
    SynthesisRequest request;
    EXPECT_EQ(io_bits(request, ports), 77u);
    request.part = "resident";
    EXPECT_EQ(io_bits(request, ports), 9u);
    request.part = "cycle";
    request.cycle = CycleArea{};
    EXPECT_EQ(io_bits(request, ports), 9u);
    request.cycle->cores = 2;
    EXPECT_EQ(io_bits(request, ports), 77u);
}

TEST(Recipe, EveryPortOfAWrappedOperatorHasItsOwnRegisters) {
    Top top{"fp_thing"};
    top.parameters = {{"M", 17}};
    const std::string text = registered_operator(
        top, read_ports("input [0:0] clk_i\ninput [0:0] en_i\ninput [25:0] a_i\noutput [3:0] q_o\n"));
    EXPECT_NE(text.find("reg  [26:0] in_q"), std::string::npos) << text;
    EXPECT_NE(text.find(".en_i(in_q[0 +: 1])"), std::string::npos) << text;
    EXPECT_NE(text.find(".a_i(in_q[1 +: 26])"), std::string::npos) << text;
    EXPECT_NE(text.find(".q_o(out[0 +: 4])"), std::string::npos) << text;
    EXPECT_NE(text.find("fp_thing #(.M(17))"), std::string::npos) << text;
}

std::map<std::string, int> parameters_of(const SynthesisRequest& request, const std::string& module) {
    const Top top = top_of(request);
    EXPECT_EQ(top.module, module);
    EXPECT_TRUE(top.core);
    std::map<std::string, int> named;
    for (const auto& [name, value] : top.parameters) EXPECT_TRUE(named.emplace(name, value).second) << name << " twice";
    return named;
}

TEST(Recipe, FixedVectorsAskForTheIntegerCore) {
    const DatapathSpec spec = parse_spec("fx18.16,u=fx25.21,operand=s14e8,scalar=s19e8:rne,lanes=4");
    const auto held = parameters_of({spec, "xc2v", "block", "core", false, true}, "fx_core");
    EXPECT_EQ(held.at("CoefMode"), 1);
    EXPECT_EQ(held.at("S4"), 8); // the paper's stencil times 3
    for (const char* name : {"S0", "S1", "S2", "S3", "S5", "S6", "S7", "S8"}) EXPECT_EQ(held.at(name), -1) << name;
    EXPECT_EQ(held.at("UW"), 25);
    EXPECT_EQ(held.at("Lanes"), 4);
    EXPECT_EQ(held.at("ScalarRne"), 1);
    EXPECT_EQ(held.at("MaxRow"), 1025);
    EXPECT_GE(held.at("LenW"), 21); // 1025 x 1025 elements
    EXPECT_EQ(held.at("Style"), 2);
    const auto streamed = parameters_of({spec, "xc2v", "block"}, "fx_core");
    EXPECT_EQ(streamed.at("CoefMode"), 0);
    EXPECT_EQ(streamed.at("RowSums"), 1);
    EXPECT_EQ(streamed.at("RowShift"), 16); // a product has 32 fraction bits, q 16
    EXPECT_FALSE(streamed.contains("S4"));
    EXPECT_EQ(parameters_of({spec, "xc2v", "logic"}, "fx_core").at("Style"), 1);
    for (const char* target : {"xc7", "xcup"}) // wider blocks than the core's own tiles
        EXPECT_EQ(parameters_of({spec, target, "block"}, "fx_core").at("Style"), 0);
    EXPECT_EQ(parameters_of({spec, "ecp5", "block"}, "fx_core").at("Style"), 2);
}

TEST(Recipe, FloatingVectorsKeepTheirCore) {
    const DatapathSpec spec = parse_spec("s17e8");
    EXPECT_EQ(parameters_of({spec, "xcup", "block"}, "pcg_core").at("Style"), 2);
    EXPECT_EQ(parameters_of({spec, "xc2v", "block"}, "pcg_core").at("CoefMode"), 0);
    EXPECT_EQ(parameters_of({spec, "xc2v", "block", "core", false, true}, "pcg_core").at("CoefMode"), 1);
}

TEST(Recipe, CyclesAskForTheCycleCore) {
    SynthesisRequest request;
    request.part = "cycle";
    EXPECT_THROW(Synthesizer::check(request), InvalidInput); // of nothing
    const auto check = [&](const char* cycle, int level, int stored, int lanes = 1) {
        request.cycle = {parse_cycle_spec(cycle), level, stored, lanes};
        Synthesizer::check(request);
    };
    check("v12,w=10,f=16", 10, 5);
    EXPECT_EQ(subject_of(request), "v12,w=10,f=16,level=10,stored=5");
    const auto held = parameters_of(request, "fx_cycle");
    for (const auto& [name, value] : {std::pair{"W", 10},
                                      {"F", 16},
                                      {"Lanes", 1},
                                      {"Before", 1},
                                      {"After", 2},
                                      {"Centre", 8},
                                      {"Corner", -1},
                                      {"M0", 455},
                                      {"N1", 368},
                                      {"MaxLevel", 10},
                                      {"StoredLevel", 5}})
        EXPECT_EQ(held.at(name), value) << name;
    EXPECT_THROW(check("b2,w=10/8", 10, 5), InvalidInput);
    EXPECT_THROW(check("b2,w=double", 10, 5), InvalidInput);
    EXPECT_THROW(check("b2,w=10", 15, 5), InvalidInput);
    EXPECT_THROW(check("b2,w=10", 10, 11), InvalidInput);
    EXPECT_THROW(check("b2,w=10", 10, 2), InvalidInput);
    check("b2,w=10", 10, 5, 8);
    EXPECT_EQ(subject_of(request), "b2,w=10,level=10,stored=5,lanes=8");
    EXPECT_EQ(parameters_of(request, "fx_cycle").at("Lanes"), 8);
    EXPECT_EQ(parameters_of(request, "fx_cycle").at("BusWords"), 8);
    check("b2,w=10", 10, 5, 64);
    EXPECT_EQ(parameters_of(request, "fx_cycle").at("BusWords"), 16);
    for (const int lanes : {0, -4, 3, 512}) EXPECT_THROW(check("b2,w=10", 10, 5, lanes), InvalidInput) << lanes;
    EXPECT_THROW(check("b2,w=10", 5, 5, 64), InvalidInput) << "more than a row has nodes";
}

} // namespace
} // namespace mantissa::synthesis
