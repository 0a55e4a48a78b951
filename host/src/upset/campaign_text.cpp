#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "campaign.hpp"
#include "mantissa/format.hpp"
#include "text/tables/table.hpp"

namespace mantissa::upset {

namespace {

/// What became of the upsets in a part of the core.
struct Tally {
    std::uint64_t bits = 0, flips = 0;
    Counts outcomes{};
};

struct ModuleTally {
    Tally registers, memories;
};

double share(std::uint64_t part, std::uint64_t whole) {
    return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

void count(Tally& tally, Outcome outcome) {
    ++tally.flips;
    ++tally.outcomes.at(static_cast<std::size_t>(outcome));
}

std::map<std::string, ModuleTally> by_module(const Campaign& campaign) {
    std::map<std::string, ModuleTally> modules;
    std::map<std::string, bool> memory;
    const auto part = [&](const std::string& place) -> Tally& {
        ModuleTally& m = modules[module_of(place)];
        return memory[place] ? m.memories : m.registers;
    };
    for (const sim::UpsetPlace& place : campaign.reference.places) {
        memory[place.name] = is_memory(place);
        part(place.name).bits += place.bits * place.words;
    }
    for (const Flip& flip : campaign.flips) count(part(flip.place), flip.outcome);
    return modules;
}

Tally total(const Campaign& campaign) {
    Tally all;
    all.bits = campaign.reference.bits.back();
    for (const Flip& flip : campaign.flips) count(all, flip.outcome);
    return all;
}

results::Json to_json(const Tally& tally) {
    results::Json j;
    j["bits"] = tally.bits;
    j["flips"] = tally.flips;
    for (std::size_t k = 0; k < kOutcomes; ++k)
        j[std::string(upset::to_string(static_cast<Outcome>(k)))] = tally.outcomes.at(k);
    return j;
}

std::map<std::string, Counts> uncovered_places(const Campaign& campaign) {
    std::map<std::string, Counts> places;
    for (const Flip& flip : campaign.flips)
        if (uncovered(flip.outcome)) ++places[flip.place].at(static_cast<std::size_t>(flip.outcome));
    return places;
}

std::int64_t more_steps(const Campaign& campaign) {
    std::int64_t more = 0;
    for (const Flip& flip : campaign.flips)
        if (flip.converged) more += flip.more_outer;
    return more;
}

std::uint64_t converged(const Campaign& campaign) {
    return static_cast<std::uint64_t>(
        std::count_if(campaign.flips.begin(), campaign.flips.end(), [](const Flip& f) { return f.converged; }));
}

} // namespace

results::Json campaign_json(const Request& request, const Campaign& campaign) {
    const Reference& r = campaign.reference;
    results::Json j;
    j["problem"] = request.problem;
    j["datapath"] = words_of(request.options);
    j["core"] = r.core;
    j["checks"] = request.checks;
    j["where"] = upset::to_string(request.where);
    j["seed"] = request.seed;
    j["register_bits"] = r.register_bits;
    j["memory_bits"] = r.memory_bits;
    j["without_upset"] = {{"inner_iterations", r.result.inner_iterations},
                          {"outer_iterations", r.result.outer_iterations},
                          {"true_residual", r.result.true_residual},
                          {"clocks", r.last}};
    j["all"] = to_json(total(campaign));
    j["converged"] = converged(campaign);
    j["more_outer_iterations"] = more_steps(campaign);
    results::Json modules = results::Json::object();
    for (const auto& [name, tally] : by_module(campaign)) {
        if (tally.registers.bits > 0) modules[name]["registers"] = to_json(tally.registers);
        if (tally.memories.bits > 0) modules[name]["memories"] = to_json(tally.memories);
    }
    j["modules"] = modules;
    results::Json places = results::Json::object();
    for (const auto& [name, outcomes] : uncovered_places(campaign))
        for (std::size_t k = 0; k < kOutcomes; ++k)
            if (outcomes.at(k) > 0)
                places[name][std::string(upset::to_string(static_cast<Outcome>(k)))] = outcomes.at(k);
    j["uncovered"] = places;
    return j;
}

std::string campaign_text(const Request& request, const Campaign& campaign) {
    const Reference& r = campaign.reference;
    const Tally all = total(campaign);
    std::string text = fmt::format(
        "{:<18}{}\n{:<18}{}\n{:<18}{} inner, {} outer, {} clocks, true residual {:.3g}\n{:<18}{} in registers, {} in "
        "memories\n{:<18}{}, {} of them from the store\n",
        "problem", request.problem, "datapath", words_of(request.options), "without an upset",
        r.result.inner_iterations, r.result.outer_iterations, r.last, r.result.true_residual, "bits", r.register_bits,
        r.memory_bits, "upsets", all.flips, campaign.stored);
    for (std::size_t k = kOutcomes; k-- > 0;)
        text += fmt::format("  {:<58}{:>8}{:>9.3f} %\n", in_words(static_cast<Outcome>(k)), all.outcomes.at(k),
                            100 * share(all.outcomes.at(k), all.flips));
    text += fmt::format("{:<18}{} of {}; {} outer steps more than without upsets\n", "converged", converged(campaign),
                        all.flips, more_steps(campaign));
    std::string columns = "{module:<34}{bits:>9}{upsets:>8}";
    for (std::size_t k = kOutcomes; k-- > 0;)
        columns += fmt::format("{{{}:>14.1f %}}", upset::to_string(static_cast<Outcome>(k)));
    const text::Table table(columns);
    text += "\n" + table.head();
    const auto row = [&](const std::string& name, const Tally& tally) {
        if (tally.bits == 0) return;
        std::vector<text::Cell> cells = {name, tally.bits, tally.flips};
        for (std::size_t k = kOutcomes; k-- > 0;) {
            const std::uint64_t of = tally.outcomes.at(k);
            cells.emplace_back(of == 0 ? std::nullopt : std::optional(100 * share(of, tally.flips)));
        }
        text += table.row(cells);
    };
    for (const auto& [name, tally] : by_module(campaign)) {
        row(name, tally.registers);
        row(name + " (memory)", tally.memories);
    }
    return text;
}

} // namespace mantissa::upset
