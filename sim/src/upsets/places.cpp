#include "places.hpp"

#include <regex>

namespace mantissa::sim {

std::string upset_place_name(const std::string& verilated) {
    // Verilator's spelling of . [ ] and of a port of an inlined instance.
    static const std::regex top(R"(^(model_top|fx_resident)__DOT__(core__DOT__)?)"), cell(R"(__Vcell(inp|out)__)"),
        index(R"(__BRA__(\d+)__KET__)");
    std::string name = std::regex_replace(verilated, top, "");
    name = std::regex_replace(name, std::regex("__PVT__"), "");
    name = std::regex_replace(name, index, "[$1]");
    name = std::regex_replace(name, cell, "$&@");
    name = std::regex_replace(name, std::regex(R"(_*__Vcell(inp|out)__@(\w+?)__(\w+)$)"), "$2__DOT__$3");
    name = std::regex_replace(name, std::regex("__DOT__"), ".");
    name = std::regex_replace(name, std::regex(R"(\._+)"), ".");
    return std::regex_replace(name, std::regex(R"(\]_*\.)"), "].");
}

} // namespace mantissa::sim
