#include "kept_netlists.hpp"

#include <filesystem>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "mantissa/base/files.hpp"
#include "mantissa/format.hpp"

namespace mantissa::synthesis {

namespace {

using nlohmann::json;

bool is_of(const json& entry, const SynthesisKey& key) {
    return entry.at("spec") == key.spec && entry.at("target") == key.target &&
           entry.at("multiplier") == key.multiplier && entry.at("part") == key.part && entry.at("bands") == key.bands &&
           entry.at("tool") == key.tool && entry.at("sources") == key.sources;
}

KeptNetlist read(const json& entry) {
    KeptNetlist kept;
    SynthesisFigures& f = kept.figures;
    for (const NetlistCount& count : kNetlistCounts) f.*count.member = entry.at(count.name).get<std::uint64_t>();
    f.model_mhz = entry.at("model_mhz").get<double>();
    f.model_path = entry.at("model_path").get<std::string>();
    const auto text = [&](const char* name) { return entry.at(name).get<std::string>(); };
    kept.provenance = {text("version"), text("commit_id"), text("machine"), text("date"), text("command") + " (kept)"};
    return kept;
}

} // namespace

std::optional<KeptNetlist> find_kept(const std::string& file, const SynthesisKey& key) {
    std::error_code error;
    if (!std::filesystem::exists(file, error)) return std::nullopt;
    try {
        for (const json& entry : json::parse(base::read_text(file)))
            if (is_of(entry, key)) return read(entry);
    } catch (const json::exception& fault) {
        throw InvalidInput(fmt::format("{}: not a list of netlists as `experiments/synthesis/tables.py keep` writes it "
                                       "({}); restore it from the sources, or remove it: cores are synthesised then",
                                       file, fault.what()));
    }
    return std::nullopt;
}

} // namespace mantissa::synthesis
