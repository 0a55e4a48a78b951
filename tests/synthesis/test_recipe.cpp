// Ports as yosys lists them, and the wrapper in which an operator is placed.
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

} // namespace
} // namespace mantissa::synthesis
