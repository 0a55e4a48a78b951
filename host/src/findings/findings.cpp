#include "findings.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "cycles.hpp"
#include "mantissa/spec.hpp"
#include "rows.hpp"
#include "text/counted.hpp"

namespace mantissa::findings {

namespace {

using comparison::Bound;
using comparison::By;
using comparison::Multiplier;
using comparison::PeerEngine;

/// `lanes`: of a core whose vectors stay on the chip; else 0.
std::string cores_text(std::uint64_t cores, int lanes, Multiplier multiplier) {
    return fmt::format("{}{}, {} multipliers", text::counted(cores, "core"),
                       lanes > 0 ? " of " + text::counted(static_cast<std::uint64_t>(lanes), "lane") : "",
                       multiplier == Multiplier::logic ? "logic" : "hard");
}
std::string cores_text(const Row& row) {
    return cores_text(row.cores, row.resident ? row.lanes : 0, row.multiplier);
}

std::string bound_text(Bound bound) {
    switch (bound) {
    case Bound::logic:
        return "its slices";
    case Bound::blocks:
        return "its multipliers";
    case Bound::memory:
        return "its memories on the chip";
    case Bound::ports:
        return "the width of its memories on the chip";
    case Bound::fixed_clocks:
        return "what a pass takes beside its elements (further lanes gain next to nothing)";
    case Bound::lanes:
        return "its lanes";
    case Bound::io:
        return "its pins";
    case Bound::bandwidth:
        return "its memory's bandwidth";
    default:
        return "the clock: a pass is mostly pipeline and scalar unit, or one core is enough";
    }
}

/// The best row of the other designs; nullptr where there is none.
const Row* next_best(const std::vector<Row>& rows, const Row& winner, bool area) {
    return least(rows, area, [&](const Row& row) { return !row.same_design(winner); });
}

/// What the winner has ahead of the best row with the longest vectors, when that is a longer one.
std::string against_widest(const std::vector<Row>& rows, const Row& winner, bool area) {
    int most = 0;
    for (const Row& row : rows) most = std::max(most, row.bits);
    if (most <= winner.bits) return {};
    const Row* wide = least(rows, area, [&](const Row& row) { return row.bits == most; });
    const Row* next = next_best(rows, winner, area);
    if (next != nullptr && next->same_design(*wide)) return {}; // next_text() says it
    const double ratio = wide->by(area) / winner.by(area);
    return fmt::format(", {:.3g} times {} {} ({})", ratio, area ? "less than" : "as fast as", wide->design,
                       cores_text(*wide));
}

std::string next_text(const std::vector<Row>& rows, const Row& winner, bool area) {
    const Row* next = next_best(rows, winner, area);
    if (next == nullptr) return {};
    const std::string name = next->design == winner.design
                                 ? fmt::format("{} with {} multipliers", next->design, text_of(next->multiplier))
                                 : next->design;
    const double behind = next->by(area) / winner.by(area) - 1;
    if (behind == 0) return fmt::format("; {} needs as {}", name, area ? "little" : "long");
    return fmt::format("; next is {}, {} {}", name, text::percent(behind), area ? "more" : "slower");
}

std::string fastest_text(const std::vector<Row>& rows, const std::string& device, const std::string& problem) {
    const Row& row = *least(rows, false);
    const std::size_t designs = count_designs(rows);
    const std::string what =
        designs == 1
            ? fmt::format("{} ({}), the only design on {} at {}, takes {} (modelled){}", row.design, cores_text(row),
                          device, problem, time_text(row.seconds),
                          rows.size() == 1 ? ""
                                           : fmt::format(", the shortest for its {} numbers of cores", rows.size()))
            : fmt::format("Fastest of {} designs on {} at {}: {} ({}), {} (modelled){}{}", designs, device, problem,
                          row.design, cores_text(row), time_text(row.seconds), against_widest(rows, row, false),
                          next_text(rows, row, false));
    const double link = row.seconds_link.value_or(0);
    return fmt::format("{}. It needs {}, {} per step; {} of the time goes into the {} outer loop{}; what holds {} back "
                       "is {}.",
                       what, text::counted(row.inner_iterations, "iteration"), row.inner,
                       text::percent(row.seconds_outer / row.seconds), row.resident ? "integer" : "double-precision",
                       link > 0 ? fmt::format(", {} into its way over the link", text::percent(link / row.seconds))
                                : "",
                       link > 0 ? "a pass" : "it", bound_text(row.bound));
}

/// Empty when the only row is the fastest too.
std::string thrifty_text(const std::vector<Row>& rows, const std::string& device, const std::string& problem) {
    const Row &row = *least(rows, true), &fast = *least(rows, false);
    const std::size_t designs = count_designs(rows);
    const std::string figures =
        fmt::format("{:.2g} % of the device for {} (modelled)", 100 * row.area_share, time_text(row.seconds));
    if (designs == 1)
        return &row == &fast
                   ? std::string()
                   : fmt::format(
                         "Of its {} numbers of cores, {} has the least area times time on {} at {} with {}: {}.",
                         rows.size(), row.design, device, problem, text::counted(row.cores, "core"), figures);
    return fmt::format("Least area times time of {} designs on {} at {}: {} ({}), {}{}{}.", designs, device, problem,
                       row.design, cores_text(row), figures, against_widest(rows, row, true),
                       next_text(rows, row, true));
}

/// Each stage of the fastest design with what the next best format of that stage costs; empty when no stage has two.
std::string stages_text(const ComparisonDocument& document, const std::vector<Row>& rows, const std::string& device,
                        const std::string& problem) {
    std::string list;
    bool contest = false;
    for (const comparison::StageChoices& s : document.stages) {
        if (s.problem != problem || s.device != device || s.by != By::time || s.choices.empty()) continue;
        const double first = s.choices[0].seconds;
        list += fmt::format("{}{} {}", list.empty() ? "" : "; ", text_of(s.stage), s.format);
        if (s.choices.size() == 1 || !(first > 0)) {
            list += " (the only one)";
            continue;
        }
        contest = true;
        const double next = s.choices[1].seconds, behind = next > 0 ? next / first - 1 : 0;
        list += fmt::format(" (of {}; {} {})", s.choices.size(), s.choices[1].format,
                            behind == 0 ? "is as fast" : text::percent(behind) + " slower");
    }
    if (!contest) return {};
    return fmt::format("Best format for each stage on {} at {}, by time (modelled), among those of its {} designs: {}.",
                       device, problem, count_designs(rows), list);
}

std::string constant_text(const ComparisonDocument& document, const std::vector<Row>& rows, const std::string& device,
                          const std::string& problem) {
    for (const comparison::Best& held : document.best_constant_stencil) {
        if (held.problem != problem || held.device != device || held.by != By::time || !(held.seconds > 0)) continue;
        std::vector<Row> streamed = rows; // a resident design's vectors stay where they are either way
        std::erase_if(streamed, [](const Row& row) { return row.resident && row.lanes > 0; });
        if (streamed.empty()) return {};
        const double ratio = least(streamed, false)->seconds / held.seconds;
        const std::size_t designs = count_designs(streamed);
        const std::string gain = ratio > 1.01 ? fmt::format("{:.3g} times as fast", ratio) : "no faster";
        const std::string with =
            fmt::format("With the constant stencil of {} held in registers (8 words per element) ", problem);
        if (designs == 1)
            return with + fmt::format("{} on {} would take {} (modelled) with {}, {}.", held.spec, device,
                                      time_text(held.seconds), text::counted(held.cores, "core"), gain);
        return with + fmt::format("the fastest of the {} streamed designs on {} would be {}: {} ({}), {} (modelled).",
                                  designs, device, gain, held.spec, cores_text(held.cores, 0, held.multiplier),
                                  time_text(held.seconds));
    }
    return {};
}

/// The fastest run on a GPU or processor that reached the tolerance, beside the fastest row of all devices.
std::string peer_text(const ComparisonDocument& document, const Devices& devices, const std::string& problem,
                      PeerEngine engine) {
    const auto timed = [&](const comparison::Peer& p) {
        return p.problem == problem && p.engine == engine && p.seconds > 0;
    };
    const auto runs = std::ranges::count_if(document.peers, timed);
    const auto missed = std::ranges::count_if(
        document.peers, [&](const comparison::Peer& p) { return timed(p) && !p.reached.value_or(true); });
    const comparison::Peer* fastest =
        fastest_of(document.peers, [&](const comparison::Peer& p) { return timed(p) && p.reached.value_or(true); });
    const Row* row = nullptr;
    std::string device;
    const std::size_t designs = count_designs(devices);
    for (const auto& [id, rows] : devices) {
        const Row* best = least(rows, false);
        if (best == nullptr || (row != nullptr && best->seconds >= row->seconds)) continue;
        row = best;
        device = id;
    }
    if (runs == 0 || row == nullptr) return {};
    const std::string kind = engine == PeerEngine::gpu ? "GPU" : "processor";
    const std::string late = fmt::format(" ({} whose true residual stayed above it)", text::counted(missed, "run"));
    if (fastest == nullptr)
        return fmt::format("Beside it at {}: no run on a {} reached the tolerance{}.", problem, kind, late);
    const double seconds = fastest->seconds, ratio = row->seconds / seconds;
    const auto& residual = fastest->true_residual;
    return fmt::format(
        "Beside it at {}: {} takes {} (measured){}{}; {}, {} on {}, {} (modelled), is {:.2g} times as {}.", problem,
        fastest->label, time_text(seconds),
        residual ? fmt::format(" to a true residual of {:.1e}", *residual) : std::string(),
        runs == 1 ? fmt::format(", the only run on a {}", kind)
        : runs - missed == 1
            ? fmt::format(", the only one of {} on a {} that reached the tolerance", text::counted(runs, "run"), kind)
        : missed == 0 ? fmt::format(", the fastest of {} runs on a {}", runs, kind)
                      : fmt::format(", the fastest of the {} on a {} that reached the tolerance ({} missed it)",
                                    text::counted(runs - missed, "run"), kind, missed),
        designs == 1 ? "the only design"
                     : fmt::format("the fastest of {} designs{}", designs,
                                   devices.size() == 1 ? "" : fmt::format(" on {} devices", devices.size())),
        row->design, device, time_text(row->seconds), ratio >= 1 ? ratio : 1 / ratio, ratio >= 1 ? "slow" : "fast");
}

/// All designs of the comparison at its largest problem, and the solves beside it that share their setting.
IterationContest contest_of(const ComparisonDocument& document, const std::vector<SolveBeside>& beside) {
    IterationContest contest;
    std::uint64_t unknowns = 0;
    for (const comparison::Design& d : document.designs)
        if (d.unknowns >= unknowns && !d.problem.empty()) {
            unknowns = d.unknowns;
            contest.problem = d.problem;
        }
    for (const comparison::Design& d : document.designs)
        if (d.problem == contest.problem)
            enter(contest, {d.spec, d.status == comparison::Ending::converged, d.inner_iterations});
    const std::size_t own = contest.entries.size();
    const std::string reference = to_string(DatapathSpec(formats::kDouble));
    for (const SolveBeside& s : beside) {
        const SolveOptions& o = s.options;
        const bool otherwise = o.energy || o.jacobi || !o.middle.empty() || o.preconditioner || o.couplings || o.outer;
        if (s.problem != contest.problem || o.tolerance != document.tolerance || otherwise) continue;
        const bool same = scheme_name(o) == document.scheme && refines(o.scheme) && o.digits == 0 &&
                          o.inner == document.inner && iterated(o) == RecurrenceChoice::pipelined;
        if (same) enter(contest, {s.spec, s.converged, s.iterations});
        if (o.scheme == Scheme::cg && s.spec == reference && s.gives_count) contest.reference = s.iterations;
    }
    for (const comparison::Reference& r : document.references)
        if (r.problem == contest.problem) contest.reference = r.iterations;
    contest.among = contest.entries.size() == own ? "of this comparison" : "that these results hold";
    contest.setting = fmt::format("{}, {} per step, to {:g}", document.scheme,
                                  text::counted(document.inner, "inner iteration"), document.tolerance);
    return contest;
}

} // namespace

std::string time_text(double seconds) {
    if (seconds >= 1) return fmt::format("{:.3g} s", seconds);
    if (seconds >= 1e-3) return fmt::format("{:.3g} ms", seconds * 1e3);
    return fmt::format("{:.3g} us", seconds * 1e6);
}

std::size_t designs_on(const ComparisonDocument& document, const std::string& problem, const std::string& device) {
    return count_designs(rows_on(document, problem, device));
}

std::vector<std::string> sentences(const ComparisonDocument& document, const std::vector<SolveBeside>& beside) {
    std::vector<std::string> list;
    const auto add = [&](std::string sentence) {
        if (!sentence.empty()) list.push_back(std::move(sentence));
    };
    add(iterations_finding(contest_of(document, beside)));
    const std::string problem = problem_with_rows(document);
    const auto devices = devices_with_rows(document, problem);
    for (const auto& [device, rows] : devices) {
        add(fastest_text(rows, device, problem));
        add(thrifty_text(rows, device, problem));
        add(stages_text(document, rows, device, problem));
        add(constant_text(document, rows, device, problem));
    }
    if (document.section55 && !document.section55->text.empty()) add("Section 5.5 again: " + document.section55->text);
    for (const PeerEngine engine : {PeerEngine::gpu, PeerEngine::cpu})
        add(peer_text(document, devices, problem, engine));
    for (std::string& sentence : cycle_sentences(document)) add(std::move(sentence));
    return list;
}

} // namespace mantissa::findings
