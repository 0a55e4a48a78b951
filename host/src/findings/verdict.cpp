#include "verdict.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "findings.hpp"
#include "mantissa/base/shell_words.hpp"
#include "rows.hpp"
#include "text/counted.hpp"

namespace mantissa::findings {

namespace {

using Devices = std::vector<std::pair<std::string, std::vector<Row>>>;

std::string ratio_text(double ratio) {
    return fmt::format("{:.{}f} \u00D7", ratio, ratio < 0.1 ? 3 : ratio < 10 ? 2 : 0);
}

/// The specification without what a row adds to it for readers.
std::string bare_spec(const Row& row) {
    return text(*row.json, "spec");
}

/// `iterations` is the row's field that counts them.
Headline iterations_headline(const Json& document, const std::string& problem, const Json& winner,
                             const char* iterations) {
    Headline h{"", "iterations against CG in double", "no solve in double beside it", false};
    const auto own = static_cast<double>(whole(winner, iterations));
    for (const Json* r : items(document, "references"))
        if (const auto all = whole(*r, "iterations"); text(*r, "problem") == problem && all > 0) {
            h.value = ratio_text(own / static_cast<double>(all));
            h.note = fmt::format("{:.0f} for {}; all but the outer steps in {}", own, all, text(winner, "spec"));
        }
    return h;
}

/// A core's figures in the document: one lane, hard multipliers; nullptr where it has none.
const Json* core_of(const Json& document, const std::string& spec, const std::string& target,
                    const std::string& bands) {
    for (const Json* c : items(document, "cores"))
        if (text(*c, "spec") == spec && text(*c, "target") == target && text(*c, "part") == "core" &&
            text(*c, "multiplier") == "block" && text(*c, "bands") == bands && whole(*c, "lanes") == 1 &&
            whole(*c, "slices") > 0)
            return c;
    return nullptr;
}

/// The specifications whose cores may stand for the design: its own, then the fastest of each other device.
std::vector<std::string> candidates(const Row& winner, const Devices& devices) {
    std::vector<std::string> specs{bare_spec(winner)};
    for (const auto& [id, rows] : devices) specs.push_back(bare_spec(*least(rows, false)));
    return specs;
}

/// One core beside double's: with the same bands if the document has them.
Headline area(const Json& document, const Row& winner, const Devices& all) {
    Headline h{"", "slices of a core against double's",
               "no two cores with the same bands, one of them double's; mantissa synthesize --spec s52e11 makes one",
               true};
    for (const std::string& spec : candidates(winner, all))
        for (const std::string bands : {"streamed", "constant"})
            for (const Json* d : items(document, "devices")) {
                const std::string target = text(*d, "target");
                const Json *own = core_of(document, spec, target, bands),
                           *wide = core_of(document, "s52e11", target, bands);
                if (own == nullptr || wide == nullptr) continue;
                const std::uint64_t slices = whole(*own, "slices"), wide_slices = whole(*wide, "slices");
                h.value = ratio_text(static_cast<double>(slices) / static_cast<double>(wide_slices));
                h.note = fmt::format("{} on {}: {} for {} slices, {} for {} multipliers, both with {} bands", spec,
                                     target, slices, wide_slices, whole(*own, "blocks"), whole(*wide, "blocks"), bands);
                return h;
            }
    return h;
}

/// "21 times slower than WHAT": a bare ratio does not say who is ahead.
std::string beside_text(double seconds, double other, const char* what) {
    const double ratio = std::max(seconds / other, other / seconds);
    return fmt::format("{:.{}f} times {} than {}", ratio, ratio < 10 ? 2 : 0, seconds >= other ? "slower" : "faster",
                       what);
}

Headline beside_gpu(const Json& document, const std::string& problem, const Row& winner) {
    Headline h{"", "time of the fastest design", "no GPU's time beside it; mantissa bench gpu measures one", true};
    const Json* fastest = nullptr;
    for (const Json* p : items(document, "peers")) {
        const auto seconds = number(*p, "seconds");
        const bool missed = p->contains("reached") && p->at("reached") == false;
        if (text(*p, "engine") != "gpu" || text(*p, "problem") != problem || missed || !seconds || !(*seconds > 0))
            continue;
        if (fastest == nullptr || *seconds < *number(*fastest, "seconds")) fastest = p;
    }
    if (fastest == nullptr) return h;
    const double seconds = *number(*fastest, "seconds");
    h.value = beside_text(winner.seconds, seconds, "the GPU");
    h.note = fmt::format("{} (modelled) for {} (measured): {}", time_text(winner.seconds), time_text(seconds),
                         text(*fastest, "label"));
    return h;
}

/// ", 42 times as fast as double there", where double has a row on the same device.
std::string against_double(const std::vector<Row>& rows, const Row& winner) {
    const Row* wide = least(rows, false, [](const Row& row) { return row.bits >= 52; });
    if (wide == nullptr || wide == &winner) return {};
    return fmt::format(", {:.3g} times as fast as double there", wide->seconds / winner.seconds);
}

std::string device_name(const Json& document, const std::string& id) {
    for (const Json* d : items(document, "devices"))
        if (text(*d, "id") == id && !text(*d, "name").empty()) return text(*d, "name");
    return id;
}

/// The winner's solve on this machine, and its core's area: what a reader does next. `row` is a grid's or a sparse one.
std::vector<NextStep> next_steps(const Json& document, const Json& row, bool sparse) {
    const std::string spec = text(row, "spec"), problem = text(row, "problem");
    if (spec.empty()) return {};
    const bool resident = row.contains("resident") && !row.at("resident").is_null();
    std::string solve =
        fmt::format("mantissa solve --problem {} --spec {}", base::shell_quoted(problem), base::shell_quoted(spec));
    const std::uint64_t inner = whole(row, "inner") != 0 ? whole(row, "inner") : whole(document, "inner");
    if (inner != 0) solve += fmt::format(" --inner {}", inner);
    if (const auto tolerance = number(document, "tolerance")) solve += fmt::format(" --tolerance {:g}", *tolerance);
    for (const Json* d : items(document, "designs")) { // how its solves were scaled
        if (text(*d, "spec") != spec || text(*d, "problem") != problem) continue;
        if (sparse || (d->contains("jacobi") && d->at("jacobi") == true)) solve += " --jacobi";
        if (const auto headroom = number(*d, "headroom")) solve += fmt::format(" --headroom {:.0f}", *headroom);
        break;
    }
    std::string target;
    for (const Json* d : items(document, "devices"))
        if (text(*d, "id") == text(row, "device")) target = text(*d, "target");
    std::string area = fmt::format("mantissa synthesize --spec {}", base::shell_quoted(spec));
    if (sparse || resident) area += sparse ? " --operator sparse" : " --operator resident";
    if (!target.empty()) area += " --target " + target;
    return {{"Solve with it here, to the same bits", std::move(solve)},
            {"See the area and the clock of one core", std::move(area)}};
}

/// The seconds of a row; nothing where it has none above 0.
std::optional<double> time_of(const Json& row) {
    const auto seconds = number(row, "seconds");
    return seconds && *seconds > 0 ? seconds : std::nullopt;
}

/// "FORMAT with 4 x 16 lanes".
std::string sparse_name(const Json& row) {
    const std::string spec = text(row, "spec");
    return spec.empty() ? text(row, "label") : spec + " with " + text(row, "label");
}

/// What the design takes of its device, and what a larger one would lack.
Headline share_headline(const Json& row) {
    Headline h{"", "of the device", "no area; mantissa compare with area = true synthesises one", true};
    const auto share = number(row, "area_share");
    if (!share) return h;
    h.value = text::percent(*share);
    h.note = fmt::format("{} of {}", text(row, "label"), text(row, "spec"));
    if (whole(row, "slices") > 0)
        h.note += fmt::format(": {} slices, {} multipliers", whole(row, "slices"), whole(row, "blocks"));
    if (const std::string bound = text(row, "bound"); !bound.empty() && bound != "lanes")
        h.note += fmt::format("; twice the lanes would lack {}", bound == "blocks" ? "multipliers" : bound);
    return h;
}

/// The fastest sparse core of a comparison beside what else solves its problem. Rows with a clock are ours.
std::optional<Verdict> sparse_verdict(const Json& document) {
    const Json* best = nullptr;
    std::string problem;
    std::size_t rows = 0;
    for (const Json* r : items(document, "sparse")) {
        if (!r->contains("clock_hz") || !time_of(*r)) continue;
        if (text(*r, "problem") != problem) { // the last problem is the largest
            problem = text(*r, "problem");
            best = nullptr;
            rows = 0;
        }
        ++rows;
        if (best == nullptr || *time_of(*r) < *time_of(*best)) best = r;
    }
    if (best == nullptr) return std::nullopt;
    const double seconds = *time_of(*best);
    Verdict v;
    v.problem = problem;
    v.sentence = fmt::format("{} on {} solves {} to {:g} in {} (modelled): {}.", sparse_name(*best),
                             device_name(document, text(*best, "device")), problem,
                             number(document, "tolerance").value_or(0), time_text(seconds),
                             rows == 1 ? std::string("the only sparse core here")
                                       : fmt::format("the fastest of {}", text::counted(rows, "sparse core")));
    const auto fastest = [&](const char* list, const auto& fits) {
        const Json* first = nullptr;
        for (const Json* p : items(document, list)) {
            const bool missed = p->contains("reached") && p->at("reached") == false;
            if (text(*p, "problem") != problem || missed || !time_of(*p) || !fits(*p)) continue;
            if (first == nullptr || *time_of(*p) < *time_of(*first)) first = p;
        }
        return first;
    };
    const auto headline = [&](const Json* other, const char* what, const char* none) {
        Headline h{"", fmt::format("time beside {}", what), none, true};
        if (other == nullptr) return h;
        h.value = beside_text(seconds, *time_of(*other), what);
        h.note = fmt::format("{} (modelled) for {}: {}", time_text(seconds), time_text(*time_of(*other)),
                             text(*other, "label"));
        return h;
    };
    v.numbers = {iterations_headline(document, problem, *best, "iterations"), share_headline(*best),
                 headline(fastest("peers", [](const Json& p) { return text(p, "engine") == "cpu"; }), "the processor",
                          "no solve on a processor beside it; set cpu = true in the comparison"),
                 headline(fastest("sparse", [](const Json& r) { return !r.contains("clock_hz"); }), "the others",
                          "no GPU's or published time of a whole solve beside it")};
    v.next = next_steps(document, *best, true);
    v.devices = {text(*best, "device")};
    for (const Json* r : items(document, "sparse")) // one more beside it, where there is another
        if (v.devices.size() == 1 && text(*r, "problem") == problem && r->contains("clock_hz") && time_of(*r) &&
            text(*r, "device") != v.devices.front())
            v.devices.push_back(text(*r, "device"));
    return v;
}

} // namespace

std::optional<Verdict> verdict_of(const nlohmann::ordered_json& document) {
    const std::string problem = problem_with_rows(document);
    const Devices devices = devices_with_rows(document, problem);
    if (devices.empty()) return sparse_verdict(document);
    const auto fastest =
        std::ranges::min_element(devices, {}, [](const auto& d) { return least(d.second, false)->seconds; });
    const Row& winner = *least(fastest->second, false);
    std::size_t designs = 0;
    for (const auto& [id, rows] : devices) designs += count_designs(rows);
    Verdict v;
    v.problem = problem;
    v.sentence = fmt::format("{} on {} solves {} to {:g} in {} (modelled): {}{}.", winner.spec,
                             device_name(document, fastest->first), problem, number(document, "tolerance").value_or(0),
                             time_text(winner.seconds),
                             designs == 1 ? std::string("the only design here")
                                          : fmt::format("the fastest of {} on {}", text::counted(designs, "design"),
                                                        text::counted(devices.size(), "device")),
                             against_double(fastest->second, winner));
    v.numbers = {iterations_headline(document, problem, *winner.json, "inner_iterations"),
                 area(document, winner, devices), beside_gpu(document, problem, winner)};
    if (!winner.json->contains("chebyshev")) v.next = next_steps(document, *winner.json, false);
    v.devices = {fastest->first};
    const auto other = std::ranges::max_element(devices, {}, [&](const auto& d) {
        return d.first == fastest->first ? std::size_t{0} : count_designs(d.second);
    });
    if (other->first != fastest->first) v.devices.push_back(other->first);
    return v;
}

} // namespace mantissa::findings
