// The answer of `mantissa tune` for people and for programs.
#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include <fmt/format.h>

#include "mantissa/base/running_steps.hpp"
#include "mantissa/base/shell_words.hpp"
#include "mantissa/format.hpp"
#include "text/counted.hpp"
#include "text/tables/table.hpp"
#include "tune/tune.hpp"

namespace mantissa::tuning {

namespace {

constexpr std::size_t kShown = 6;

std::string percent(double share) {
    return share < 0.1 ? fmt::format("{:.2f} %", 100 * share) : fmt::format("{:.1f} %", 100 * share);
}

std::string seconds_text(double s) {
    return s < 1e-3 ? fmt::format("{:.3g} us", s * 1e6)
           : s < 1  ? fmt::format("{:.3g} ms", s * 1e3)
                    : fmt::format("{:.3g} s", s);
}

std::string synthesise_command(const TuneRequest& request, const Build& build) {
    if (build.cycle)
        return fmt::format("mantissa synthesize --operator cycle --cycle {} --lanes {}{} --target {}",
                           to_string(*build.cycle), build.cycle_lanes,
                           build.cycle_level == kCycleRows ? "" : fmt::format(" --level {}", build.cycle_level),
                           request.device.target);
    return fmt::format("mantissa synthesize --spec {} {} --target {}", base::shell_quoted(to_string(build.spec)),
                       build.rows == "sparse" ? "--operator sparse" : "--bands " + build.rows, request.device.target);
}

/// At most, on a device whose file gives its power.
double joules(const TuneRequest& request, const Placed& p) {
    return request.device.watts.value_or(0) * p.estimate.seconds;
}

std::string cores_text(const Placed& p) {
    return text::counted(p.estimate.cores, "core") +
           (p.build.lanes() > 1 ? fmt::format(" of {} lanes", p.build.lanes()) : "");
}

std::string spread_text(const Design& d) {
    if (d.side_iterations.size() < 2) return "";
    const auto [low, high] = std::minmax_element(d.side_iterations.begin(), d.side_iterations.end());
    return fmt::format("{:.2f} to {:.2f} times CG's in double over {} right-hand sides", *low, *high,
                       d.side_iterations.size());
}

/// With joules where they are what is to be least.
const text::Table& designs_table(Goal goal) {
    static const text::Table plain(
        "  {area:>8}  {time:>9}  {cores:>5}  {iter.:>6}  {inner:>5}  {clock:>8}  {area by:<8}  {datapath}"),
        energy("  {area:>8}  {time:>9}  {energy:>9}  {cores:>5}  {iter.:>6}  {inner:>5}  {clock:>8}  {area by:<8}  "
               "{datapath}");
    return goal == Goal::energy ? energy : plain;
}

std::string row_text(const TuneRequest& request, const TuneResult& result, const Placed& p) {
    const Design& d = result.designs[p.design];
    std::vector<text::Cell> cells{percent(p.estimate.area_share),
                                  seconds_text(p.estimate.seconds),
                                  p.estimate.cores,
                                  d.iterations,
                                  p.build.cycle ? "-" : std::to_string(d.options.inner),
                                  fmt::format("{:.0f} MHz", p.build.figures.mhz),
                                  p.build.figures.synthesised ? "netlist" : "modelled",
                                  p.build.name() +
                                      (d.options.headroom ? fmt::format(" --headroom {}", *d.options.headroom) : "")};
    if (request.goal == Goal::energy)
        cells.insert(cells.begin() + 2, text::Cell(fmt::format("{:.3g} J", joules(request, p))));
    return designs_table(request.goal).row(cells);
}

/// Of the front at most so many rows, the winner's among them.
std::vector<const Placed*> shown_front(const TuneResult& result) {
    std::vector<const Placed*> list;
    const std::size_t all = result.front.size();
    for (std::size_t i = 0; i < all; ++i) {
        const bool even = all <= 2 * kShown || i * 2 * kShown / all != (i + 1) * 2 * kShown / all;
        const bool winner = !result.best.empty() && same_place(result.front[i], result.best.front());
        if (even || winner) list.push_back(&result.front[i]);
    }
    return list;
}

std::string surer_text(const TuneRequest& request, const TuneResult& result) {
    std::string out = "To be surer:\n";
    if (result.open > 0)
        out += fmt::format("  {} could still be better, by a sigma of the guess from those that were solved: raise "
                           "--budget or --points.\n",
                           text::counted(result.open, "point"));
    const auto modelled = static_cast<std::size_t>(std::count_if(
        result.front.begin(), result.front.end(), [](const Placed& p) { return !p.build.figures.synthesised; }));
    if (modelled > 0)
        out += fmt::format("  {} of the front have modelled areas: --netlists N synthesises more than {}.\n", modelled,
                           request.netlists);
    out += "  No chip was placed and routed: clocks are the model's of docs/synthesis.md, and rank netlists only.\n";
    for (const std::string& note : result.notes) out += "  " + note + ".\n";
    return out;
}

results::Json json_of(const TuneRequest& request, const TuneResult& result, const Placed& p) {
    const Design& d = result.designs[p.design];
    const CoreFigures& core = p.build.figures;
    results::Json j = {{"spec", p.build.name()},
                       {"inner", p.build.cycle ? results::Json(nullptr) : results::Json(d.options.inner)},
                       {"headroom", d.options.headroom ? results::Json(*d.options.headroom) : results::Json(nullptr)},
                       {"bands", p.build.rows},
                       {"cores", p.estimate.cores},
                       {"iterations", d.iterations},
                       {"outer_iterations", d.outer},
                       {"judged_iterations", d.judged},
                       {"right_hand_sides", d.side_iterations},
                       {"seconds", p.estimate.seconds},
                       {"area_share", p.estimate.area_share},
                       {"area_time", p.estimate.area_time},
                       {"slices", core.area.slices * p.estimate.cores},
                       {"blocks", core.area.blocks * p.estimate.cores},
                       {"memory_bits", core.area.memory_bits * p.estimate.cores},
                       {"clock_mhz", core.mhz},
                       {"pass_clocks", p.estimate.pass_clocks},
                       {"lanes", p.build.lanes()},
                       {"area_kind", core.synthesised ? "measured" : "modelled"},
                       {"cost", results::number(p.cost)},
                       {"front", p.front},
                       {"command", solve_command(request, p, d.options)},
                       {"synthesis_command", synthesise_command(request, p.build)}};
    if (core.synthesised) j["model_slices_off"] = core.area_error;
    if (request.device.watts) j["energy_joules"] = joules(request, p);
    return j;
}

} // namespace

results::Json tune_json(const TuneRequest& request, const TuneResult& result) {
    results::Json j = {{"problem", request.problem},
                       {"device", request.device.id},
                       {"for", to_string(request.goal)},
                       {"seed", request.seed},
                       {"tolerance", request.tolerance},
                       {"reference_iterations", result.reference},
                       {"space", result.points},
                       {"solved", result.solved},
                       {"solved_coarse", result.coarse},
                       {"not_reached", result.failed},
                       {"modelled", result.modelled},
                       {"refused", result.refused},
                       {"open", result.open},
                       {"end", result.end},
                       {"seconds", result.seconds},
                       {"store", request.store}};
    j["winner"] = result.best.empty() ? results::Json(nullptr) : json_of(request, result, result.best.front());
    j["best"] = results::Json::array();
    for (std::size_t i = 0; i < std::min<std::size_t>(result.best.size(), 20); ++i)
        j["best"].push_back(json_of(request, result, result.best[i]));
    j["front"] = results::Json::array();
    for (const Placed& p : result.front) j["front"].push_back(json_of(request, result, p));
    j["near_front"] = result.near_front;
    j["refusals"] = results::Json::object();
    for (const auto& [why, count] : result.refusals) j["refusals"][why] = count;
    j["area_model"] = {{"same_rtl", result.same_rtl ? results::Json(*result.same_rtl) : results::Json(nullptr)}};
    for (const auto& [part, e] : result.errors)
        j["area_model"][to_string(part)] = {
            {"cores", e.cores}, {"median", e.median}, {"largest", e.largest}, {"apart", e.apart}};
    j["notes"] = result.notes;
    return j;
}

std::string tune_text(const TuneRequest& request, const TuneResult& result) {
    std::string out =
        fmt::format("{} on {}, least {}\n", request.problem, request.device.name, to_string(request.goal));
    out += fmt::format("{:.0f} points in the space; {} looked at: {} solved ({} not to the end), {} modelled only, {} "
                       "refused; {} solves of coarser problems. {} in {}: {}.\n",
                       result.points, result.solved + result.modelled + result.refused, result.solved, result.failed,
                       result.modelled, result.refused, result.coarse, "Ended", base::duration_text(result.seconds),
                       result.end);
    for (const auto& [why, count] : result.refusals) out += fmt::format("  refused {:>5}: {}\n", count, why);
    out += fmt::format("CG in double precision takes {:.0f} iterations.\n", result.reference);
    if (result.best.empty())
        return out + "No design reached the tolerance within the limits; loosen --within, or --vary its axes.\n" +
               surer_text(request, result);
    out += "\nThe front, area of the device against time:\n" + designs_table(request.goal).head();
    for (const Placed* p : shown_front(result)) out += row_text(request, result, *p);
    if (result.near_front > 0)
        out += fmt::format("  And {} that may be no better than these, by the model's largest errors.\n",
                           text::counted(result.near_front, "modelled design"));
    out += fmt::format("\nNearest to the best by {}:\n", to_string(request.goal)) + designs_table(request.goal).head();
    for (std::size_t i = 0; i < std::min(result.best.size(), kShown); ++i)
        out += row_text(request, result, result.best[i]);
    const bool apart =
        std::any_of(result.errors.begin(), result.errors.end(), [](const auto& e) { return e.second.apart; });
    out += apart ? "\nArea model, on cores that it was not fitted to:"
                 : "\nArea model, each core modelled from the others:";
    std::string said;
    for (const Part part : kParts)
        if (const auto e = result.errors.find(part); e != result.errors.end() && e->second.cores > 0)
            said += fmt::format("{} {} {:.1f} % off in the median, {:.1f} % at most of {}", said.empty() ? "" : ";",
                                to_string(part), 100 * e->second.median, 100 * e->second.largest, e->second.cores);
    out += said;
    out += !result.same_rtl   ? ". The RTL's sources are not here: its cores were not compared with them.\n"
           : *result.same_rtl ? ".\n"
                              : ". Its cores are of other RTL than this.\n";
    const Placed& winner = result.best.front();
    const Design& d = result.designs[winner.design];
    if (winner.build.figures.synthesised)
        out +=
            fmt::format("Of the winner's slices the model was {:+.1f} % off.\n", 100 * winner.build.figures.area_error);
    out += fmt::format("\nThe winner: {} of it, {} of the device, {}, {}bound by {}.\n", cores_text(winner),
                       percent(winner.estimate.area_share), seconds_text(winner.estimate.seconds),
                       request.goal == Goal::energy ? fmt::format("{:.3g} J, ", joules(request, winner)) : "",
                       winner.estimate.bound);
    if (const std::string spread = spread_text(d); !spread.empty()) out += "  " + spread + "\n";
    out += fmt::format("  {}\n  {}\n", solve_command(request, winner, d.options),
                       synthesise_command(request, winner.build));
    return out + surer_text(request, result);
}

} // namespace mantissa::tuning
