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
    if (ratio < 1.05) return fmt::format(", no better than {} ({})", wide->spec, cores_text(*wide));
    return fmt::format(", {:.3g} times {} than {} ({})", ratio, area ? "less" : "faster", wide->spec,
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
    if (fewest == shortest)
        return fmt::format("Iterations at {}: {} of CG in double; below 30 fraction bits {} needs the fewest, {} "
                           "({:.2f} times as many), and no design has shorter vectors.",
                           problem, reference, to_string(fewest->spec), least, ratio(least));
    return fmt::format("Iterations at {}: {} of CG in double; below 30 fraction bits {} needs the fewest, {} ({:.2f} "
                       "times as many), and the shortest vectors, {}, need {} ({:.2f} times as many).",
                       problem, reference, to_string(fewest->spec), least, ratio(least), to_string(shortest->spec),
                       of_shortest, ratio(of_shortest));
}

std::string fastest_text(const Comparison& c, const std::vector<Row>& rows, const Row& row) {
    const Estimate& e = row.estimate;
    return fmt::format("Fastest on {} at {}: {} ({}), {} (modelled){}; {} iterations, {} a step, {:.0f} % of the time "
                       "in the double-precision outer loop; what holds it back is {}.",
                       c.devices[row.device].id, row.problem, row.spec, cores_text(row), time_text(e.seconds),
                       against(row, widest_row(rows, row.problem, row.device, "time"), false),
                       row.solve.result.inner_iterations, row.solve.inner,
                       100 * (e.seconds_host + e.seconds_link) / e.seconds, bound_text(e.bound));
}

std::string thrifty_text(const Comparison& c, const std::vector<Row>& rows, const Row& row) {
    return fmt::format("Least area times time on {} at {}: {} ({}), {:.2g} % of the device for {} (modelled){}.",
                       c.devices[row.device].id, row.problem, row.spec, cores_text(row), 100 * row.estimate.area_share,
                       time_text(row.estimate.seconds),
                       against(row, widest_row(rows, row.problem, row.device, "area_time"), true));
}

/// Each stage of the fastest, with what the next best format of that stage costs; empty when there is one design only.
std::string stages_text(const Comparison& c, const Row& fast, const Json& stages) {
    std::string text;
    for (const Json& s : stages) {
        if (s["problem"] != fast.problem || s["device"] != c.devices[fast.device].id || s["by"] != "time") continue;
        const Json& choices = s["choices"];
        text += fmt::format("{}{} {}", text.empty() ? "" : "; ", s["stage"].get<std::string>(),
                            s["format"].get<std::string>());
        if (choices.size() > 1)
            text += fmt::format(" (next best {}, {:+.0f} % time)", choices[1]["format"].get<std::string>(),
                                100 * (choices[1]["seconds"].get<double>() / choices[0]["seconds"].get<double>() - 1));
    }
    if (text.find("next best") == std::string::npos) return {};
    return fmt::format("Best format for each stage on {} at {}, by time (modelled): {}.", c.devices[fast.device].id,
                       fast.problem, text);
}

std::string constant_text(const Comparison& c, const Row& fast, const Row& held) {
    const double ratio = fast.estimate.seconds / held.estimate.seconds;
    return fmt::format(
        "With the constant stencil of {} held in registers (8 words an element, not 17) {} would be {}: {} "
        "({}), {} (modelled).",
        held.problem, c.devices[held.device].id,
        ratio > 1.01 ? fmt::format("{:.3g} times as fast", ratio) : "no faster", held.spec, cores_text(held),
        time_text(held.estimate.seconds));
}

/// The fastest run on a GPU or processor beside the fastest row of all devices.
std::string peer_text(const Comparison& c, const Gathered& g, const std::vector<Row>& rows, const std::string& problem,
                      std::string_view engine) {
    const Peer* fastest = nullptr;
    for (const Peer& p : g.peers)
        if (p.problem == problem && p.engine == engine && (fastest == nullptr || p.seconds < fastest->seconds))
            fastest = &p;
    const Row* row = nullptr;
    for (std::size_t d = 0; d < c.devices.size(); ++d) {
        const Row* best = best_row(rows, problem, d, "time");
        if (best != nullptr && (row == nullptr || best->estimate.seconds < row->estimate.seconds)) row = best;
    }
    if (fastest == nullptr || row == nullptr) return {};
    const double ratio = row->estimate.seconds / fastest->seconds;
    return fmt::format(
        "Beside it at {}: {} takes {} (measured) to a true residual of {:.1e}; the fastest design, {} on "
        "{}, {} (modelled), is {:.2g} times as {}.",
        problem, fastest->label, time_text(fastest->seconds), fastest->true_residual, row->spec,
        c.devices[row->device].id, time_text(row->estimate.seconds), ratio >= 1 ? ratio : 1 / ratio,
        ratio >= 1 ? "slow" : "fast");
}

} // namespace

std::string time_text(double seconds) {
    if (seconds >= 1) return fmt::format("{:.3g} s", seconds);
    if (seconds >= 1e-3) return fmt::format("{:.3g} ms", seconds * 1e3);
    return fmt::format("{:.3g} us", seconds * 1e6);
}

std::vector<std::string> findings(const Comparison& c, const Gathered& g, const std::vector<Row>& rows,
                                  const std::vector<Row>& constant, const Json& section55, const Json& stages) {
    std::vector<std::string> list;
    if (std::string text = iterations_text(c, g); !text.empty()) list.push_back(std::move(text));
    std::string problem; // the largest that has rows
    for (const std::string& p : c.problems)
        if (std::any_of(rows.begin(), rows.end(), [&](const Row& r) { return r.problem == p; }) &&
            (problem.empty() || g.problems.at(p).unknowns >= g.problems.at(problem).unknowns))
            problem = p;
    if (problem.empty()) return list;
    for (std::size_t d = 0; d < c.devices.size(); ++d) {
        const Row* fast = best_row(rows, problem, d, "time");
        if (fast == nullptr) continue;
        list.push_back(fastest_text(c, rows, *fast));
        list.push_back(thrifty_text(c, rows, *best_row(rows, problem, d, "area_time")));
        if (std::string text = stages_text(c, *fast, stages); !text.empty()) list.push_back(std::move(text));
        if (const Row* held = best_row(constant, problem, d, "time"); held != nullptr)
            list.push_back(constant_text(c, *fast, *held));
    }
    if (!section55.is_null()) list.push_back("Section 5.5 again: " + section55["text"].get<std::string>());
    for (const char* engine : {"gpu", "cpu"})
        if (std::string text = peer_text(c, g, rows, problem, engine); !text.empty()) list.push_back(std::move(text));
    return list;
}

} // namespace mantissa::detail
