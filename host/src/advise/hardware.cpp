#include "hardware.hpp"

#include <algorithm>
#include <filesystem>
#include <memory>

#include <fmt/format.h>

#include "compare/compare.hpp"
#include "findings/findings.hpp"
#include "mantissa/format.hpp"
#include "mantissa/host/registry.hpp"
#include "synthesis/synthesis.hpp"
#include "synthesis/work_folder.hpp"
#include "text/counted.hpp"
#include "widths/core_limits.hpp"

namespace mantissa::advising {

namespace {

using results::Json;

/// A text of a TOML file. (JSON's escapes are TOML's; both write other characters as they are.)
std::string quoted(const std::string& text) {
    return Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// The comparison file of one design on one device. No other engine or processor is asked: those are compare's.
std::string comparison_of(const Problem& problem, const SolveOptions& o, const std::string& device) {
    const std::string place = device.ends_with(".toml") ? std::filesystem::absolute(device).string() : device;
    std::string text =
        fmt::format("name = \"advice\"\nproblem = {}\ndevice = {}\ninner = {}\ntolerance = {}\ncpu = false\n\n"
                    "[[design]]\nspec = {}\n",
                    quoted(problem.name), quoted(place), o.inner, o.tolerance, quoted(to_string(o.spec)));
    text += problem.system.kind() == System::Kind::sparse ? "sparse = true\n" : "jacobi = true\n";
    if (problem.system.kind() == System::Kind::stencil)
        text += "bands = \"constant\"\n"; // as the simulated core has it
    if (o.headroom) text += fmt::format("headroom = {}\n", *o.headroom);
    return text;
}

compare::Comparison parsed(const std::string& text) {
    return compare::parse_comparison(text, "--device", "");
}

std::string percent(double share) {
    return fmt::format("{:.1f} %", 100 * share);
}

const char* area_unit(const std::string& target) {
    return target == "xcup" ? "CLBs" : "slices";
}

/// What holds back a faster arrangement, in words.
std::string bound_text(comparison::Bound bound) {
    using comparison::Bound;
    if (bound == Bound::bandwidth) return "its passes wait for the memory's bandwidth";
    if (bound == Bound::io) return "its passes wait for the pins";
    if (bound == Bound::clock) return "its passes wait for the clock alone";
    if (bound == Bound::lanes) return "its number of lanes limits it";
    return fmt::format("more lanes would lack {}", bound == Bound::blocks ? "multipliers" : text_of(bound));
}

/// What a row of either sort says of its area and clock.
template <class AnyRow>
std::string area_text(const AnyRow& row, double share, double clock_hz, const std::string& target) {
    return fmt::format(": {} {} and {} multipliers, {} of the device, at {:.0f} MHz ({}); ", row.slices,
                       area_unit(target), row.blocks, percent(share), clock_hz / 1e6, text_of(row.clock_kind));
}

std::string time_text(std::uint64_t iterations, double seconds, double each) {
    return fmt::format("{} iterations in {}, {} each; ", iterations, findings::time_text(seconds),
                       findings::time_text(each));
}

std::string row_text(const comparison::Row& row, const std::string& target) {
    return fmt::format("{} core{}", row.cores, row.cores == 1 ? "" : "s") +
           area_text(row, row.area_share, row.clock_hz, target) +
           fmt::format("{} bits of memory, {:.3g} GB/s; ", row.memory_bits,
                       row.bytes_per_iteration / row.seconds_per_iteration / 1e9) +
           time_text(row.inner_iterations, row.seconds, row.seconds_per_iteration) + bound_text(row.bound);
}

std::string row_text(const comparison::SparseRow& row, const std::string& target) {
    std::string text = row.label + area_text(row, row.area_share.value_or(0), row.clock_hz.value_or(0), target);
    for (const comparison::MemoryUse& memory : row.memories) text += fmt::format("{} {}, ", memory.used, memory.name);
    text += fmt::format("{}, {:.3g} GB/s; ", text::counted(row.channels, "channel"),
                        row.bytes_per_second.value_or(0) / 1e9);
    text += row.seconds ? time_text(row.iterations.value_or(0), *row.seconds, row.seconds_per_iteration)
                        : fmt::format("{} an iteration; ", findings::time_text(row.seconds_per_iteration));
    return text + bound_text(row.bound);
}

} // namespace

std::function<std::string(const DatapathSpec&, const System&)> refusal_by(const std::string& names, bool on_device) {
    std::vector<std::shared_ptr<Engine>> engines;
    for (std::size_t begin = 0; begin <= names.size() && !names.empty();) {
        const std::size_t end = std::min(names.find(',', begin), names.size());
        engines.push_back(make_engine(names.substr(begin, end - begin)));
        begin = end + 1;
    }
    return [engines, on_device](const DatapathSpec& spec, const System& system) -> std::string {
        for (const auto& engine : engines)
            if (std::string why = engine->refusal(spec, system, {}); !why.empty()) return why;
        return on_device ? core_refusal(spec, system) : std::string();
    };
}

void check_device(const Problem& problem, const HardwareRequest& request) {
    SolveOptions any;
    any.spec = parse_spec("fx18.16,u=fx32.16");
    try {
        (void)parsed(comparison_of(problem, any, request.device));
    } catch (const InvalidInput& fault) { // (the line is of a file that nobody wrote)
        const std::string what = fault.what();
        throw InvalidInput("--device" + what.substr(std::min(what.find(": "), what.size())));
    }
}

Hardware hardware_of(const Problem& problem, const Proposal& proposal, const HardwareRequest& request) {
    Hardware hardware;
    hardware.comparison = comparison_of(problem, proposal.options, request.device);
    const compare::Comparison comparison = parsed(hardware.comparison);
    const compare::Device& device = comparison.devices.front();
    hardware.device = device.name;
    hardware.target = device.target;
    const synthesis::WorkFolder folder;
    const compare::GatherOptions options{.store = request.store.empty() ? folder.file("advice.sqlite") : request.store,
                                         .command = request.command,
                                         .threads = request.threads,
                                         .stored_only = false,
                                         .areas = request.store.empty() ? synthesis::cached_syntheses() : ""};
    try {
        comparison::ComparisonDocument document = compare::run_comparison(comparison, options);
        hardware.rows = std::move(document.rows);
        hardware.sparse = std::move(document.sparse).value_or(std::vector<comparison::SparseRow>());
        for (const comparison::Gap& gap : document.gaps)
            if (!gap.what.starts_with("solves on a GPU")) // none was asked for
                hardware.missing.push_back(fmt::format("{}: {}; {}", gap.what, gap.why, gap.mend));
    } catch (const InvalidInput& fault) { // rows that the device's memory does not hold
        hardware.missing.emplace_back(fault.what());
    }
    return hardware;
}

std::string hardware_text(const Hardware& hardware) {
    std::string text = fmt::format("On {}, as mantissa compare models it:\n", hardware.device);
    const auto add = [&](const auto& row) { text += "  " + row_text(row, hardware.target) + "\n"; };
    std::ranges::for_each(hardware.rows, add);
    std::ranges::for_each(hardware.sparse, add);
    if (hardware.rows.empty() && hardware.sparse.empty()) text += "  no area and no time\n";
    for (const std::string& what : hardware.missing) text += "  missing: " + what + "\n";
    return text;
}

std::string text_on(const Problem& problem, const Advice& advice, const std::optional<Hardware>& hardware) {
    if (!hardware) return advice_text(problem, advice);
    return advice_text(problem, advice, hardware->target) + hardware_text(*hardware);
}

Json to_json(const Hardware& hardware) {
    Json rows = Json::array();
    for (const auto& row : hardware.rows) rows.push_back(comparison::to_json(row));
    for (const auto& row : hardware.sparse) rows.push_back(comparison::to_json(row));
    return {{"device", hardware.device},
            {"target", hardware.target},
            {"rows", std::move(rows)},
            {"missing", hardware.missing},
            {"comparison", hardware.comparison}};
}

} // namespace mantissa::advising
