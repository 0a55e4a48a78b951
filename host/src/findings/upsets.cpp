#include "upsets.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "text/counted.hpp"

namespace mantissa::findings {

namespace {

using upset::Outcome;

const char* bits_text(upset::Where where) {
    return where == upset::Where::regs       ? "bits of registers"
           : where == upset::Where::memories ? "bits of memories"
                                             : "all bits";
}

/// "25.1 % (5010 of 20000)", "none of 20000".
std::string share_text(std::uint64_t part, std::uint64_t whole) {
    if (part == 0) return fmt::format("none of {}", whole);
    const double share = static_cast<double>(part) / static_cast<double>(whole);
    return fmt::format("{:.{}f} % ({} of {})", 100 * share, share < 0.1 ? 2 : 1, part, whole);
}

/// An outcome that was not covered, after its number.
std::string_view ended(Outcome outcome) {
    return outcome == Outcome::falsely         ? "falsely converged"
           : outcome == Outcome::not_converged ? "not converged"
           : outcome == Outcome::hang          ? "hung"
                                               : "wrong";
}

/// Do they differ in nothing but checks and the number of upsets?
bool beside(const UpsetCampaign& a, const UpsetCampaign& b) {
    return a.problem == b.problem && a.spec == b.spec && a.core == b.core && a.where == b.where && a.seed == b.seed;
}

/// What checks change: false convergence where the core can declare any, else what was detected.
std::string pair_sentence(const UpsetCampaign& without, const UpsetCampaign& with) {
    std::string text = fmt::format("Of upsets in the {} core ({}, {}) ", with.core, with.spec, bits_text(with.where));
    const auto detected = [](const UpsetCampaign& c) {
        return share_text(upset::count_of(c.outcomes, Outcome::detected), upset::unmasked(c.outcomes));
    };
    if (with.core == "resident")
        text += fmt::format("{} ended in a false convergence without Checks, {} with Checks; of those that were not "
                            "masked",
                            share_text(upset::count_of(without.outcomes, Outcome::falsely), without.upsets()),
                            share_text(upset::count_of(with.outcomes, Outcome::falsely), with.upsets()));
    else text += "that were not masked";
    return text +
           fmt::format(" the core detected {} without Checks, {} with Checks.", detected(without), detected(with));
}

std::string uncovered_sentence(const UpsetCampaign& campaign, const UpsetModule& module) {
    const std::uint64_t all = upset::uncovered(campaign.outcomes);
    std::vector<std::string> kinds;
    for (std::size_t k = 0; k < upset::kOutcomes; ++k)
        if (const auto outcome = static_cast<Outcome>(k); upset::uncovered(outcome) && campaign.outcomes.at(k) > 0)
            kinds.push_back(fmt::format("{} {}", campaign.outcomes.at(k), ended(outcome)));
    return fmt::format(
        "Of {} in the {} core{} ({}, {}), neither a check nor the outer loop caught {} ({}); the most, {}, "
        "in {} of {}.",
        text::counted(campaign.upsets(), "upset"), campaign.core, campaign.checks ? " with Checks" : "", campaign.spec,
        bits_text(campaign.where), all, text::listed(kinds, 9), upset::uncovered(module.outcomes),
        module.memory ? "memories" : "registers", module.name);
}

} // namespace

std::string what_of(const UpsetCampaign& campaign) {
    return fmt::format("{} core{}, {}", campaign.core, campaign.checks ? " with Checks" : "",
                       bits_text(campaign.where));
}

const UpsetModule* least_covered(const UpsetCampaign& campaign) {
    const auto it = std::ranges::max_element(campaign.modules, {},
                                             [](const UpsetModule& m) { return upset::uncovered(m.outcomes); });
    return it == campaign.modules.end() || upset::uncovered(it->outcomes) == 0 ? nullptr : &*it;
}

std::vector<std::string> upset_sentences(std::span<const UpsetCampaign> campaigns) {
    std::vector<std::string> sentences;
    for (const UpsetCampaign& with : campaigns)
        for (const UpsetCampaign& without : campaigns)
            if (with.checks && !without.checks && beside(with, without) && with.upsets() > 0 && without.upsets() > 0)
                sentences.push_back(pair_sentence(without, with));
    const UpsetCampaign* least = nullptr;
    const auto most = [](const UpsetCampaign& c) {
        const UpsetModule* module = least_covered(c);
        return module == nullptr
                   ? 0
                   : static_cast<double>(upset::uncovered(module->outcomes)) / static_cast<double>(c.upsets());
    };
    std::uint64_t upsets = 0;
    for (const UpsetCampaign& c : campaigns) {
        upsets += c.upsets();
        if (least == nullptr || most(c) > most(*least)) least = &c;
    }
    if (upsets == 0) return sentences;
    if (const UpsetModule* module = least_covered(*least)) sentences.push_back(uncovered_sentence(*least, *module));
    else
        sentences.push_back(fmt::format("Each of {} in {} was masked, corrected or detected: every solve ended "
                                        "converged, and none hung.",
                                        text::counted(upsets, "upset"), text::counted(campaigns.size(), "campaign")));
    return sentences;
}

std::vector<NextStep> upset_steps(std::span<const UpsetCampaign> campaigns) {
    std::vector<NextStep> steps;
    for (const UpsetCampaign& c : campaigns) {
        if (c.upsets() < c.asked)
            steps.push_back(
                {fmt::format("{} of {} upsets are stored ({}, {})", c.upsets(), c.asked, what_of(c), c.spec),
                 c.command});
        const bool has_checks = c.core == "integer" || c.core == "resident";
        const bool looked_at = std::ranges::any_of(
            campaigns, [&](const UpsetCampaign& other) { return other.checks && beside(c, other); });
        if (c.checks || !has_checks || looked_at) continue;
        std::string command = c.command;
        for (const char* off : {" --checks 0", " --checks=0"})
            if (const std::size_t at = command.find(off); at != std::string::npos) command.erase(at, 11);
        steps.push_back({fmt::format("No campaign with Checks stands beside this one ({}, {})", what_of(c), c.spec),
                         command + " --checks 1"});
    }
    return steps;
}

} // namespace mantissa::findings
