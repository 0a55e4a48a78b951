#include "core_table.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "mantissa/base/files.hpp"
#include "mantissa/base/quoted.hpp"
#include "mantissa/errors.hpp"
#include "synthesis/sources.hpp"

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

synthesis::SynthesisFigures figures_of(const nlohmann::json& entry) {
    synthesis::SynthesisFigures f;
    for (const synthesis::NetlistCount& count : synthesis::kNetlistCounts) // (the table has no pins)
        if (count.member != &synthesis::SynthesisFigures::io_bits)
            f.*count.member = entry.at(count.name).get<std::uint64_t>();
    f.model_mhz = entry.at("model_mhz");
    return f;
}

TableNetlists::TableNetlists(const std::string& file, const std::string& target, const std::string& multiplier) {
    each_core(file, [&](const nlohmann::json& entry) {
        if (entry.at("target") == target && entry.at("multiplier") == multiplier)
            entries_.emplace(std::pair(entry.at("bands"), entry.at("spec")),
                             Entry{entry.at("sources"), figures_of(entry)});
    });
}

std::optional<synthesis::SynthesisFigures> TableNetlists::of(const synthesis::SynthesisRequest& request) {
    const std::string kind = !synthesis::is_core(request.part) ? request.part
                             : request.constant_bands          ? "constant"
                                                               : "streamed";
    const auto it = entries_.find({kind, synthesis::subject_of(request)});
    if (it == entries_.end()) return std::nullopt;
    std::string& sources = sources_[{kind, request.spec.fixed_vectors()}];
    if (sources.empty()) sources = synthesis::sources_hash(synthesis::sources_folder(), request);
    return it->second.sources == sources ? std::optional(it->second.figures) : std::nullopt;
}

} // namespace mantissa::tuning
