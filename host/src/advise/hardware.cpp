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
std::string bound_text(const std::string& bound) {
    if (bound == "bandwidth") return "its passes wait for the memory's bandwidth";
    if (bound == "io") return "its passes wait for the pins";
    if (bound == "clock") return "its passes wait for the clock alone";
    if (bound == "lanes") return "its number of lanes limits it";
    return "more lanes would lack " + (bound == "blocks" ? std::string("multipliers") : bound);
}

std::string row_text(const Json& row, const std::string& target) {
    const bool sparse = row.contains("fill");
    const auto cores = row.at("cores").get<std::uint64_t>();
    std::string text =
        sparse ? row.at("label").get<std::string>() : fmt::format("{} core{}", cores, cores == 1 ? "" : "s");
    text += fmt::format(": {} {} and {} multipliers, {} of the device, at {:.0f} MHz ({}); ",
                        row.at("slices").get<std::uint64_t>(), area_unit(target), row.at("blocks").get<std::uint64_t>(),
                        percent(row.at("area_share").get<double>()), row.at("clock_hz").get<double>() / 1e6,
                        row.at("clock_kind").get<std::string>());
    if (sparse) {
        for (const Json& memory : row.at("memories"))
            text +=
                fmt::format("{} {}, ", memory.at("used").get<std::uint64_t>(), memory.at("name").get<std::string>());
        text += fmt::format("{}, {:.3g} GB/s; ", text::counted(row.at("channels").get<std::uint64_t>(), "channel"),
                            row.at("bytes_per_second").get<double>() / 1e9);
    } else {
        text += fmt::format("{} bits of memory, {:.3g} GB/s; ", row.at("memory_bits").get<std::uint64_t>(),
                            row.at("bytes_per_iteration").get<double>() /
                                row.at("seconds_per_iteration").get<double>() / 1e9);
    }
    const Json& seconds = row.at("seconds");
    const Json& iterations = row.at(sparse ? "iterations" : "inner_iterations");
    text += seconds.is_null()
                ? fmt::format("{} an iteration", findings::time_text(row.at("seconds_per_iteration").get<double>()))
                : fmt::format("{} iterations in {}, {} each", iterations.get<std::uint64_t>(),
                              findings::time_text(seconds.get<double>()),
                              findings::time_text(row.at("seconds_per_iteration").get<double>()));
    return text + "; " + bound_text(row.at("bound").get<std::string>());
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
        Json document = compare::run_comparison(comparison, options);
        for (const char* rows : {"rows", "sparse"})
            for (Json& row : document.at(rows)) hardware.rows.push_back(std::move(row));
        for (const Json& gap : document.at("gaps")) {
            const std::string what = gap.at("what").get<std::string>();
            if (what.starts_with("solves on a GPU")) continue; // none was asked for
            hardware.missing.push_back(
                fmt::format("{}: {}; {}", what, gap.at("why").get<std::string>(), gap.at("mend").get<std::string>()));
        }
    } catch (const InvalidInput& fault) { // rows that the device's memory does not hold
        hardware.missing.emplace_back(fault.what());
    }
    return hardware;
}

std::string hardware_text(const Hardware& hardware) {
    std::string text = fmt::format("On {}, as mantissa compare models it:\n", hardware.device);
    for (const Json& row : hardware.rows) text += "  " + row_text(row, hardware.target) + "\n";
    if (hardware.rows.empty()) text += "  no area and no time\n";
    for (const std::string& what : hardware.missing) text += "  missing: " + what + "\n";
    return text;
}

Json to_json(const Hardware& hardware) {
    return {{"device", hardware.device},
            {"target", hardware.target},
            {"rows", hardware.rows},
            {"missing", hardware.missing},
            {"comparison", hardware.comparison}};
}

} // namespace mantissa::advising
