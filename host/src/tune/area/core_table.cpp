#include "core_table.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "mantissa/base/files.hpp"
#include "mantissa/base/quoted.hpp"
#include "mantissa/errors.hpp"

namespace mantissa::tuning {

void each_core(const std::string& file, const std::function<void(const nlohmann::json&)>& take) {
    try {
        const auto table = nlohmann::json::parse(base::read_file(file).view());
        for (const auto& entry : table.at("cores")) take(entry);
    } catch (const nlohmann::json::exception& fault) {
        throw InvalidInput(fmt::format("{}: no table of cores ({}); make it with experiments/tune/cores.py",
                                       base::quoted(file), base::shortened(fault.what(), 100)));
    }
}

synthesis::SynthesisFigures cells_of(const nlohmann::json& entry) {
    synthesis::SynthesisFigures f;
    f.luts = entry.at("luts");
    f.memory_luts = entry.at("memory_luts");
    f.flip_flops = entry.at("flip_flops");
    f.paired = entry.at("paired");
    f.carries = entry.at("carries");
    return f;
}

} // namespace mantissa::tuning
