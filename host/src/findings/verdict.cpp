#include "verdict.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "findings.hpp"
#include "mantissa/base/shell_words.hpp"
#include "rows.hpp"
#include "text/counted.hpp"

namespace mantissa::findings {

namespace {

using comparison::Bound;
using comparison::CoreBands;
using comparison::Peer;
using comparison::PeerEngine;
using comparison::SparseRow;

std::string ratio_text(double ratio) {
    return fmt::format("{:.{}f} \u00D7", ratio, ratio < 0.1 ? 3 : ratio < 10 ? 2 : 0);
}

Headline iterations_headline(const ComparisonDocument& document, const std::string& problem, const std::string& spec,
                             std::uint64_t iterations) {
    Headline h{"", "iterations against CG in double", "no solve in double beside it", false};
    const auto own = static_cast<double>(iterations);
    for (const comparison::Reference& r : document.references)
        if (r.problem == problem && r.iterations > 0) {
            h.value = ratio_text(own / static_cast<double>(r.iterations));
            h.note = fmt::format("{:.0f} for {}; all but the outer steps in {}", own, r.iterations, spec);
        }
    return h;
}

/// A core's figures in the document: one lane, hard multipliers; nullptr where it has none.
const comparison::Core* core_of(const ComparisonDocument& document, const std::string& spec, const std::string& target,
                                CoreBands bands) {
    const auto it = std::ranges::find_if(document.cores, [&](const comparison::Core& c) {
        return c.spec == spec && c.target == target && c.part == "core" &&
               c.multiplier == comparison::Multiplier::block && c.bands == bands && c.lanes == 1 && c.slices > 0;
    });
    return it == document.cores.end() ? nullptr : &*it;
}

/// The specifications whose cores may stand for the design: its own, then the fastest of each other device.
std::vector<std::string> candidates(const Row& winner, const Devices& devices) {
    std::vector<std::string> specs{winner.spec};
    for (const auto& [id, rows] : devices) specs.push_back(least(rows, false)->spec);
    return specs;
}

/// One core beside double's: with the same bands if the document has them.
Headline area(const ComparisonDocument& document, const Row& winner, const Devices& all) {
    Headline h{"", "slices of a core against double's",
               "no two cores with the same bands, one of them double's; mantissa synthesize --spec s52e11 makes one",
               true};
    for (const std::string& spec : candidates(winner, all))
        for (const CoreBands bands : {CoreBands::streamed, CoreBands::constant})
            for (const comparison::Device& d : document.devices) {
                const auto *own = core_of(document, spec, d.target, bands),
                           *wide = core_of(document, "s52e11", d.target, bands);
                if (own == nullptr || wide == nullptr) continue;
                h.value = ratio_text(static_cast<double>(own->slices) / static_cast<double>(wide->slices));
                h.note = fmt::format("{} on {}: {} for {} slices, {} for {} multipliers, both with {} bands", spec,
                                     d.target, own->slices, wide->slices, own->blocks, wide->blocks, text_of(bands));
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

/// The fastest run on such an engine that reached the tolerance.
const Peer* fastest_peer(const ComparisonDocument& document, const std::string& problem, PeerEngine engine) {
    return fastest_of(document.peers, [&](const Peer& p) {
        return p.engine == engine && p.problem == problem && p.reached.value_or(true);
    });
}

Headline beside_gpu(const ComparisonDocument& document, const std::string& problem, const Row& winner) {
    Headline h{"", "time of the fastest design", "no GPU's time beside it; mantissa bench gpu measures one", true};
    const Peer* fastest = fastest_peer(document, problem, PeerEngine::gpu);
    if (fastest == nullptr) return h;
    h.value = beside_text(winner.seconds, fastest->seconds, "the GPU");
    h.note = fmt::format("{} (modelled) for {} (measured): {}", time_text(winner.seconds), time_text(fastest->seconds),
                         fastest->label);
    return h;
}

/// ", 42 times as fast as double there", where double has a row on the same device.
std::string against_double(const std::vector<Row>& rows, const Row& winner) {
    const Row* wide = least(rows, false, [](const Row& row) { return row.bits >= 52; });
    if (wide == nullptr || wide == &winner) return {};
    return fmt::format(", {:.3g} times as fast as double there", wide->seconds / winner.seconds);
}

std::string device_name(const ComparisonDocument& document, const std::string& id) {
    for (const comparison::Device& d : document.devices)
        if (d.id == id && !d.name.empty()) return d.name;
    return id;
}

/// The winner's solve on this machine, and its core's area: what a reader does next. `core` is the operator whose core
/// it is: "sparse", "resident" or none; `outer` the words of a resident core's outer loop.
std::vector<NextStep> next_steps(const ComparisonDocument& document, const std::string& problem,
                                 const std::string& spec, const std::string& device, std::uint64_t inner,
                                 std::string_view core, const std::string& outer = {}) {
    if (spec.empty()) return {};
    std::string solve =
        fmt::format("mantissa solve --problem {} --spec {}", base::shell_quoted(problem), base::shell_quoted(spec));
    if (inner == 0) inner = document.inner;
    if (inner != 0) solve += fmt::format(" --inner {}", inner);
    if (document.tolerance > 0) solve += fmt::format(" --tolerance {}", document.tolerance);
    if (document.scheme != "residual-guided" && !document.scheme.empty()) solve += " --scheme " + document.scheme;
    if (!outer.empty()) solve += " --resident --outer " + outer;
    for (const comparison::Design& d : document.designs) { // how its solves were scaled
        if (d.spec != spec || d.problem != problem || d.resident.value_or(false) == outer.empty()) continue;
        if (core == "sparse" || d.jacobi.value_or(false)) solve += " --jacobi";
        if (d.headroom) solve += fmt::format(" --headroom {}", *d.headroom);
        break;
    }
    std::string target;
    for (const comparison::Device& d : document.devices)
        if (d.id == device) target = d.target;
    std::string area = fmt::format("mantissa synthesize --spec {}", base::shell_quoted(spec));
    if (!core.empty()) area += fmt::format(" --operator {}", core);
    if (!target.empty()) area += " --target " + target;
    return {{"Solve with it here, to the same bits", std::move(solve)},
            {"See the area and the clock of one core", std::move(area)}};
}

/// "FORMAT with 4 x 16 lanes".
std::string sparse_name(const SparseRow& row) {
    return row.spec.empty() ? row.label : row.spec + " with " + row.label;
}

/// What the design takes of its device, and what a larger one would lack.
Headline share_headline(const SparseRow& row) {
    Headline h{"", "of the device", "no area; mantissa compare with area = true synthesises one", true};
    if (!row.area_share) return h;
    h.value = text::percent(*row.area_share);
    h.note = fmt::format("{} of {}", row.label, row.spec);
    if (row.slices > 0) h.note += fmt::format(": {} slices, {} multipliers", row.slices, row.blocks);
    if (row.bound != Bound::none && row.bound != Bound::lanes)
        h.note += fmt::format("; twice the lanes would lack {}",
                              row.bound == Bound::blocks ? "multipliers" : text_of(row.bound));
    return h;
}

/// The fastest sparse core of a comparison beside what else solves its problem.
std::optional<Verdict> sparse_verdict(const ComparisonDocument& document) {
    if (!document.sparse) return std::nullopt;
    const auto timed = [](const SparseRow& r) { return r.ours() && seconds_of(r) > 0; };
    std::string problem;
    for (const SparseRow& r : *document.sparse)
        if (timed(r)) problem = r.problem; // the last problem is the largest
    const auto competes = [&](const SparseRow& r) { return timed(r) && r.problem == problem; };
    const SparseRow* best = fastest_of(*document.sparse, competes);
    if (best == nullptr) return std::nullopt;
    const auto rows = static_cast<std::size_t>(std::ranges::count_if(*document.sparse, competes));
    const double seconds = seconds_of(*best);
    const std::string device = best->device.value_or("");
    Verdict v;
    v.problem = problem;
    v.sentence = fmt::format("{} on {} solves {} to {:g} in {} (modelled): {}.", sparse_name(*best),
                             device_name(document, device), problem, document.tolerance, time_text(seconds),
                             rows == 1 ? std::string("the only sparse core here")
                                       : fmt::format("the fastest of {}", text::counted(rows, "sparse core")));
    const auto headline = [&](const auto* other, const char* what, const char* none) {
        Headline h{"", fmt::format("time beside {}", what), none, true};
        if (other == nullptr) return h;
        h.value = beside_text(seconds, seconds_of(*other), what);
        h.note =
            fmt::format("{} (modelled) for {}: {}", time_text(seconds), time_text(seconds_of(*other)), other->label);
        return h;
    };
    v.numbers = {
        iterations_headline(document, problem, best->spec, best->iterations.value_or(0)), share_headline(*best),
        headline(fastest_peer(document, problem, PeerEngine::cpu), "the processor",
                 "no solve on a processor beside it; set cpu = true in the comparison"),
        headline(fastest_of(*document.sparse, [&](const SparseRow& r) { return r.problem == problem && !r.ours(); }),
                 "the others", "no GPU's or published time of a whole solve beside it")};
    v.next = next_steps(document, problem, best->spec, device, best->inner.value_or(0), "sparse");
    v.devices = {device};
    for (const SparseRow& r : *document.sparse) // one more beside it, where there is another
        if (v.devices.size() == 1 && competes(r) && r.device.value_or("") != device)
            v.devices.push_back(r.device.value_or(""));
    return v;
}

} // namespace

std::optional<Verdict> verdict_of(const ComparisonDocument& document) {
    const std::string problem = problem_with_rows(document);
    const Devices devices = devices_with_rows(document, problem);
    if (devices.empty()) return sparse_verdict(document);
    const auto fastest =
        std::ranges::min_element(devices, {}, [](const auto& d) { return least(d.second, false)->seconds; });
    const Row& winner = *least(fastest->second, false);
    const std::size_t designs = count_designs(devices);
    Verdict v;
    v.problem = problem;
    v.sentence =
        fmt::format("{} on {} solves {} to {:g} in {} (modelled): {}{}.", winner.design,
                    device_name(document, fastest->first), problem, document.tolerance, time_text(winner.seconds),
                    designs == 1 ? std::string("the only design here")
                                 : fmt::format("the fastest of {} on {}", text::counted(designs, "design"),
                                               text::counted(devices.size(), "device")),
                    against_double(fastest->second, winner));
    v.numbers = {iterations_headline(document, problem, winner.spec, winner.inner_iterations),
                 area(document, winner, devices), beside_gpu(document, problem, winner)};
    if (!winner.chebyshev)
        v.next = next_steps(document, problem, winner.spec, winner.device, winner.inner,
                            winner.resident ? "resident" : "", winner.resident ? winner.resident->outer_words : "");
    v.devices = {fastest->first};
    const auto other = std::ranges::max_element(devices, {}, [&](const auto& d) {
        return d.first == fastest->first ? std::size_t{0} : count_designs(d.second);
    });
    if (other->first != fastest->first) v.devices.push_back(other->first);
    return v;
}

} // namespace mantissa::findings
