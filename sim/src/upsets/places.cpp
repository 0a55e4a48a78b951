#include "places.hpp"

#include <regex>
#include <string_view>

namespace mantissa::sim {

bool core_does_not_serve(const std::exception& error) {
    // Models are libraries of their own, and what they throw is told apart by its text (sim/model).
    const std::string_view what = error.what();
    for (const std::string_view text : {"the core does not answer", "the core takes no word", "the core refused"})
        if (what.find(text) != std::string_view::npos) return true;
    return false;
}

std::string trial_model(ModelRequest request, const RtlOptions& options) {
    request.upsets = options.trial != nullptr;
    if (!options.trial) return build_model(request, options.cache);
    if (options.trial->model.empty()) options.trial->model = build_model(request, options.cache);
    return options.trial->model;
}

std::string upset_place_name(const std::string& verilated) {
    // Verilator's spelling of . [ ] and of a port of an inlined instance.
    static const std::regex top(R"(^(model_top|fx_resident|fx_cycle|sp_core)__DOT__(core__DOT__)?)"),
        cell(R"(__Vcell(inp|out)__)"), index(R"(__BRA__(\d+)__KET__)");
    std::string name = std::regex_replace(verilated, top, "");
    name = std::regex_replace(name, std::regex("__PVT__"), "");
    name = std::regex_replace(name, index, "[$1]");
    name = std::regex_replace(name, cell, "$&@");
    name = std::regex_replace(name, std::regex("__DOT__"), ".");
    name = std::regex_replace(name, std::regex(R"((\.)?_*__Vcell(inp|out)__@([\w.\[\]]+?)__(\w+)$)"), "$1$3.$4");
    name = std::regex_replace(name, std::regex(R"(\._+)"), ".");
    return std::regex_replace(name, std::regex(R"(\]_*\.)"), "].");
}

} // namespace mantissa::sim
