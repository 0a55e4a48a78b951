#include "findings.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "mantissa/spec.hpp"
#include "rows.hpp"
#include "text/counted.hpp"

namespace mantissa::findings {

namespace {

std::string cores_text(const Row& row) {
    return fmt::format("{}{}, {} multipliers", text::counted(row.cores, "core"),
                       row.resident_lanes > 0 ? " of " + text::counted(row.resident_lanes, "lane") : "",
                       row.multiplier == "logic" ? "logic" : "hard");
}

std::string bound_text(const std::string& bound) {
    if (bound == "logic") return "its slices";
    if (bound == "blocks") return "its multipliers";
    if (bound == "memory") return "its memories on the chip";
    if (bound == "ports") return "the width of its memories on the chip";
    if (bound == "fixed clocks") return "what a pass takes beside its elements (further lanes gain next to nothing)";
    if (bound == "lanes") return "its lanes";
    if (bound == "io") return "its pins";
    if (bound == "bandwidth") return "its memory's bandwidth";
    return "the clock: a pass is mostly pipeline and scalar unit, or one core is enough";
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
    return fmt::format(", {:.3g} times {} {} ({})", ratio, area ? "less than" : "as fast as", wide->spec,
                       cores_text(*wide));
}

std::string next_text(const std::vector<Row>& rows, const Row& winner, bool area) {
    const Row* next = next_best(rows, winner, area);
    if (next == nullptr) return {};
    const std::string name =
        next->spec == winner.spec ? fmt::format("{} with {} multipliers", next->spec, next->multiplier) : next->spec;
    const double behind = next->by(area) / winner.by(area) - 1;
    if (behind == 0) return fmt::format("; {} needs as {}", name, area ? "little" : "long");
    return fmt::format("; next is {}, {} {}", name, text::percent(behind), area ? "more" : "slower");
}

std::string fastest_text(const std::vector<Row>& rows, const std::string& device, const std::string& problem) {
    const Row& row = *least(rows, false);
    const std::size_t designs = count_designs(rows);
    const std::string what =
        designs == 1
            ? fmt::format("{} ({}), the only design on {} at {}, takes {} (modelled){}", row.spec, cores_text(row),
                          device, problem, time_text(row.seconds),
                          rows.size() == 1 ? ""
                                           : fmt::format(", the shortest for its {} numbers of cores", rows.size()))
            : fmt::format("Fastest of {} designs on {} at {}: {} ({}), {} (modelled){}{}", designs, device, problem,
                          row.spec, cores_text(row), time_text(row.seconds), against_widest(rows, row, false),
                          next_text(rows, row, false));
    const double outer = number(*row.json, "seconds_outer").value_or(0);
    return fmt::format("{}. It needs {}, {} per step; {} of the time goes into the {} outer loop; what holds "
                       "it back is {}.",
                       what, text::counted(whole(*row.json, "inner_iterations"), "iteration"),
                       whole(*row.json, "inner"), text::percent(outer / row.seconds),
                       row.resident_lanes > 0 ? "integer" : "double-precision", bound_text(text(*row.json, "bound")));
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
                         rows.size(), row.spec, device, problem, text::counted(row.cores, "core"), figures);
    return fmt::format("Least area times time of {} designs on {} at {}: {} ({}), {}{}{}.", designs, device, problem,
                       row.spec, cores_text(row), figures, against_widest(rows, row, true), next_text(rows, row, true));
}

/// Each stage of the fastest design with what the next best format of that stage costs; empty when no stage has two.
std::string stages_text(const Json& document, const std::vector<Row>& rows, const std::string& device,
                        const std::string& problem) {
    std::string list;
    bool contest = false;
    for (const Json* s : items(document, "stages")) {
        if (text(*s, "problem") != problem || text(*s, "device") != device || text(*s, "by") != "time") continue;
        const auto choices = items(*s, "choices");
        if (choices.empty()) continue;
        const double first = number(*choices[0], "seconds").value_or(0);
        list += fmt::format("{}{} {}", list.empty() ? "" : "; ", text(*s, "stage"), text(*s, "format"));
        if (choices.size() == 1 || !(first > 0)) {
            list += " (the only one)";
            continue;
        }
        contest = true;
        const double behind = number(*choices[1], "seconds").value_or(first) / first - 1;
        list += fmt::format(" (of {}; {} {})", choices.size(), text(*choices[1], "format"),
                            behind == 0 ? "is as fast" : text::percent(behind) + " slower");
    }
    if (!contest) return {};
    return fmt::format("Best format for each stage on {} at {}, by time (modelled), among those of its {} designs: {}.",
                       device, problem, count_designs(rows), list);
}

std::string constant_text(const Json& document, const std::vector<Row>& rows, const std::string& device,
                          const std::string& problem) {
    for (const Json* b : items(document, "best_constant_stencil")) {
        const auto seconds = number(*b, "seconds");
        if (text(*b, "problem") != problem || text(*b, "device") != device || text(*b, "by") != "time" || !seconds ||
            !(*seconds > 0))
            continue;
        Row held;
        held.spec = text(*b, "spec");
        held.multiplier = text(*b, "multiplier");
        held.cores = whole(*b, "cores");
        std::vector<Row> streamed = rows; // a resident design's vectors stay where they are either way
        std::erase_if(streamed, [](const Row& row) { return row.resident_lanes > 0; });
        if (streamed.empty()) return {};
        const double ratio = least(streamed, false)->seconds / *seconds;
        const std::size_t designs = count_designs(streamed);
        const std::string gain = ratio > 1.01 ? fmt::format("{:.3g} times as fast", ratio) : "no faster";
        const std::string with =
            fmt::format("With the constant stencil of {} held in registers (8 words per element) ", problem);
        if (designs == 1)
            return with + fmt::format("{} on {} would take {} (modelled) with {}, {}.", held.spec, device,
                                      time_text(*seconds), text::counted(held.cores, "core"), gain);
        return with + fmt::format("the fastest of the {} streamed designs on {} would be {}: {} ({}), {} (modelled).",
                                  designs, device, gain, held.spec, cores_text(held), time_text(*seconds));
    }
    return {};
}

/// The fastest run on a GPU or processor that reached the tolerance, beside the fastest row of all devices.
std::string peer_text(const Json& document, const std::vector<std::pair<std::string, std::vector<Row>>>& devices,
                      const std::string& problem, const std::string& engine) {
    const Json* fastest = nullptr;
    std::size_t runs = 0, missed = 0;
    for (const Json* p : items(document, "peers")) {
        const auto seconds = number(*p, "seconds");
        if (text(*p, "problem") != problem || text(*p, "engine") != engine || !seconds || !(*seconds > 0)) continue;
        ++runs;
        if (p->contains("reached") && p->at("reached") == false) ++missed;
        else if (fastest == nullptr || *seconds < *number(*fastest, "seconds")) fastest = p;
    }
    const Row* row = nullptr;
    std::string device;
    std::size_t designs = 0;
    for (const auto& [id, rows] : devices) {
        designs += count_designs(rows);
        const Row* best = least(rows, false);
        if (best == nullptr || (row != nullptr && best->seconds >= row->seconds)) continue;
        row = best;
        device = id;
    }
    if (runs == 0 || row == nullptr) return {};
    const std::string kind = engine == "gpu" ? "GPU" : engine == "cpu" ? "processor" : engine;
    const std::string late = fmt::format(" ({} whose true residual stayed above it)", text::counted(missed, "run"));
    if (fastest == nullptr)
        return fmt::format("Beside it at {}: no run on a {} reached the tolerance{}.", problem, kind, late);
    const double seconds = *number(*fastest, "seconds"), ratio = row->seconds / seconds;
    const auto residual = number(*fastest, "true_residual");
    return fmt::format(
        "Beside it at {}: {} takes {} (measured){}{}; {}, {} on {}, {} (modelled), is {:.2g} times as {}.", problem,
        text(*fastest, "label"), time_text(seconds),
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
        row->spec, device, time_text(row->seconds), ratio >= 1 ? ratio : 1 / ratio, ratio >= 1 ? "slow" : "fast");
}

/// All designs of the comparison at its largest problem, and the solves beside it that share their setting.
IterationContest contest_of(const Json& document, const std::vector<SolveBeside>& beside) {
    IterationContest contest;
    double unknowns = -1;
    for (const Json* d : items(document, "designs"))
        if (const double n = number(*d, "unknowns").value_or(0); n >= unknowns && !text(*d, "problem").empty()) {
            unknowns = n;
            contest.problem = text(*d, "problem");
        }
    for (const Json* d : items(document, "designs"))
        if (text(*d, "problem") == contest.problem)
            enter(contest, {text(*d, "spec"), text(*d, "status") == "converged", whole(*d, "inner_iterations")});
    const std::string scheme = text(document, "scheme");
    const double tolerance = number(document, "tolerance").value_or(0);
    const std::uint64_t inner = whole(document, "inner");
    const std::size_t own = contest.entries.size();
    const std::string reference = to_string(DatapathSpec(formats::kDouble));
    for (const SolveBeside& s : beside) {
        const SolveOptions& o = s.options;
        if (s.problem != contest.problem || o.tolerance != tolerance || o.jacobi || !o.middle.empty()) continue;
        const bool same = scheme_name(o) == scheme && refines(o.scheme) && o.digits == 0 && o.inner == inner &&
                          iterated(o) == RecurrenceChoice::pipelined;
        if (same) enter(contest, {s.spec, s.converged, s.iterations});
        if (o.scheme == Scheme::direct && s.spec == reference && s.gives_count) contest.reference = s.iterations;
    }
    for (const Json* r : items(document, "references"))
        if (text(*r, "problem") == contest.problem) contest.reference = whole(*r, "iterations");
    contest.among = contest.entries.size() == own ? "of this comparison" : "that these results hold";
    contest.setting =
        fmt::format("{}, {} per step, to {:g}", scheme, text::counted(inner, "inner iteration"), tolerance);
    return contest;
}

} // namespace

std::string time_text(double seconds) {
    if (seconds >= 1) return fmt::format("{:.3g} s", seconds);
    if (seconds >= 1e-3) return fmt::format("{:.3g} ms", seconds * 1e3);
    return fmt::format("{:.3g} us", seconds * 1e6);
}

std::size_t designs_on(const nlohmann::ordered_json& document, const std::string& problem, const std::string& device) {
    return count_designs(rows_on(document, problem, device));
}

std::vector<std::string> sentences(const nlohmann::ordered_json& document, const std::vector<SolveBeside>& beside) {
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
    if (document.is_object())
        if (const auto s = document.find("section55"); s != document.end())
            if (const std::string again = text(*s, "text"); !again.empty()) add("Section 5.5 again: " + again);
    for (const char* engine : {"gpu", "cpu"}) add(peer_text(document, devices, problem, engine));
    return list;
}

} // namespace mantissa::findings
