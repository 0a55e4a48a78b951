// Sentences out of the rows.
#include <algorithm>

#include <fmt/format.h>

#include "join.hpp"
#include "mantissa/format.hpp"

namespace mantissa::detail {

namespace {

std::string cores_text(const Row& row) {
    return fmt::format("{} core{}, {} multipliers", row.estimate.cores, row.estimate.cores == 1 ? "" : "s",
                       row.multiplier == "block" ? "hard" : "logic");
}

std::string bound_text(const std::string& bound) {
    if (bound == "logic") return "its slices";
    if (bound == "blocks") return "its multipliers";
    if (bound == "memory") return "its block memories";
    if (bound == "io") return "its pins";
    if (bound == "bandwidth") return "its memory's bandwidth";
    return "the clock: a pass is mostly pipeline and scalar unit, or one core is enough";
}

/// Rows of the widest design: the comparison's s52e11, or whatever has the longest vectors.
const Row* widest_row(const std::vector<Row>& rows, const std::string& problem, std::size_t device,
                      std::string_view by) {
    int most = 0;
    std::vector<Row> widest;
    for (const Row& row : rows) {
        if (row.problem != problem || row.device != device) continue;
        const int bits = row.design->spec.p.fraction_bits;
        if (bits > most) widest.clear();
        most = std::max(most, bits);
        if (bits == most) widest.push_back(row);
    }
    const Row* best = best_row(widest, problem, device, by);
    if (best == nullptr) return nullptr;
    return &*std::find_if(rows.begin(), rows.end(), [&](const Row& r) {
        return r.problem == best->problem && r.device == best->device && r.spec == best->spec &&
               r.multiplier == best->multiplier && r.estimate.cores == best->estimate.cores;
    });
}

std::string against(const Row& row, const Row* wide, bool area) {
    if (wide == nullptr || wide->spec == row.spec) return "";
    const double ratio =
        area ? wide->estimate.area_time / row.estimate.area_time : wide->estimate.seconds / row.estimate.seconds;
    return fmt::format(", {:.2g} times {} than {} ({})", ratio, area ? "less" : "faster", wide->spec,
                       cores_text(*wide));
}

/// What iterations alone say, at the largest problem: every design below 30 fraction bits against CG in double.
std::string iterations_text(const Comparison& c, const Gathered& g) {
    std::string problem;
    for (const auto& [name, reference] : g.reference)
        if (problem.empty() || g.problems.at(name).unknowns > g.problems.at(problem).unknowns) problem = name;
    if (problem.empty()) return {};
    const std::uint64_t reference = g.reference.at(problem).value;
    const Design *fewest = nullptr, *shortest = nullptr;
    std::uint64_t least = 0, of_shortest = 0;
    for (const Design& design : c.designs) {
        const auto* solve = solve_of(g, problem, design.spec);
        const int bits = design.spec.p.fraction_bits;
        if (solve == nullptr || bits >= 30) continue;
        const std::uint64_t iterations = solve->value.result.inner_iterations;
        if (fewest == nullptr || iterations < least) {
            fewest = &design;
            least = iterations;
        }
        const int so_far = shortest == nullptr ? 99 : shortest->spec.p.fraction_bits;
        if (bits < so_far || (bits == so_far && iterations < of_shortest)) {
            shortest = &design;
            of_shortest = iterations;
        }
    }
    if (fewest == nullptr) return {};
    const auto ratio = [&](std::uint64_t n) { return static_cast<double>(n) / static_cast<double>(reference); };
    return fmt::format("Iterations at {}: {} of CG in double; below 30 fraction bits {} needs the fewest, {} ({:.2f} "
                       "times as many), and the shortest vectors, {}, need {} ({:.2f} times as many).",
                       problem, reference, to_string(fewest->spec), least, ratio(least), to_string(shortest->spec),
                       of_shortest, ratio(of_shortest));
}

} // namespace

std::string time_text(double seconds) {
    if (seconds >= 1) return fmt::format("{:.3g} s", seconds);
    if (seconds >= 1e-3) return fmt::format("{:.3g} ms", seconds * 1e3);
    return fmt::format("{:.3g} us", seconds * 1e6);
}

std::vector<std::string> findings(const Comparison& c, const Gathered& g, const std::vector<Row>& rows,
                                  const Json& section55) {
    std::vector<std::string> list;
    std::string problem; // the largest that has rows
    for (const std::string& p : c.problems)
        if (std::any_of(rows.begin(), rows.end(), [&](const Row& r) { return r.problem == p; }) &&
            (problem.empty() || g.problems.at(p).unknowns >= g.problems.at(problem).unknowns))
            problem = p;
    for (std::size_t d = 0; d < c.devices.size() && !problem.empty(); ++d) {
        const Row* fast = best_row(rows, problem, d, "time");
        const Row* thrifty = best_row(rows, problem, d, "area_time");
        if (fast == nullptr) continue;
        const Estimate& e = fast->estimate;
        list.push_back(fmt::format("Fastest on {} at {}: {} ({}), {} (modelled){}; {} iterations, {:.0f} % of the time "
                                   "in the double-precision "
                                   "outer loop; what holds it back is {}.",
                                   c.devices[d].id, problem, fast->spec, cores_text(*fast), time_text(e.seconds),
                                   against(*fast, widest_row(rows, problem, d, "time"), false),
                                   fast->solve.result.inner_iterations,
                                   100 * (e.seconds_host + e.seconds_link) / e.seconds, bound_text(e.bound)));
        list.push_back(fmt::format(
            "Least area times time on {} at {}: {} ({}), {:.2g} % of the device for {} (modelled){}.", c.devices[d].id,
            problem, thrifty->spec, cores_text(*thrifty), 100 * thrifty->estimate.area_share,
            time_text(thrifty->estimate.seconds), against(*thrifty, widest_row(rows, problem, d, "area_time"), true)));
        std::string stages;
        for (const auto& [stage, format] : stages_of(fast->design->spec))
            stages += fmt::format("{}{} {}", stages.empty() ? "" : ", ", stage, format);
        std::size_t front = 0;
        for (const Row& row : rows) front += row.problem == problem && row.device == d && row.pareto ? 1 : 0;
        list.push_back(fmt::format("Format of each stage of the fastest on {}: {}; {} rows form the front of area "
                                   "against time.",
                                   c.devices[d].id, stages, front));
    }
    if (!section55.is_null()) list.push_back("Section 5.5 again: " + section55["text"].get<std::string>());
    for (const char* engine : {"gpu", "cpu"}) {
        const Peer* fastest = nullptr;
        for (const Peer& p : g.peers)
            if (p.problem == problem && p.engine == engine && (fastest == nullptr || p.seconds < fastest->seconds))
                fastest = &p;
        const Row* row = nullptr;
        for (std::size_t d = 0; d < c.devices.size(); ++d) {
            const Row* best = best_row(rows, problem, d, "time");
            if (best != nullptr && (row == nullptr || best->estimate.seconds < row->estimate.seconds)) row = best;
        }
        if (fastest == nullptr || row == nullptr) continue;
        const double ratio = row->estimate.seconds / fastest->seconds;
        list.push_back(fmt::format(
            "Beside it at {}: {} takes {} (measured) to a true residual of {:.1e}; the fastest design, {} on {}, takes "
            "{:.2g} times {} (modelled).",
            problem, fastest->label, time_text(fastest->seconds), fastest->true_residual, row->spec,
            c.devices[row->device].id, ratio >= 1 ? ratio : 1 / ratio, ratio >= 1 ? "as long" : "less"));
    }
    if (std::string text = iterations_text(c, g); !text.empty()) list.push_back(std::move(text));
    return list;
}

} // namespace mantissa::detail
