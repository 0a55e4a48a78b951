#include "tune.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <limits>

#include <fmt/format.h>

#include "contest.hpp"
#include "judge.hpp"
#include "mantissa/base/ending.hpp"
#include "mantissa/base/quoted.hpp"
#include "mantissa/base/shell_words.hpp"
#include "mantissa/errors.hpp"
#include "mantissa/format.hpp"
#include "mantissa/host/store.hpp"
#include "running/progress.hpp"
#include "text/counted.hpp"

namespace mantissa::tuning {

namespace {

using Clock = std::chrono::steady_clock;
using compare::Estimate;

constexpr double kInfinite = std::numeric_limits<double>::infinity();

} // namespace

const char* to_string(Goal goal) {
    static constexpr std::array kNames{"time", "area", "area-time", "energy"};
    return kNames.at(static_cast<std::size_t>(goal));
}

bool same_place(const Placed& a, const Placed& b) {
    return a.design == b.design && a.estimate.cores == b.estimate.cores && a.build.name() == b.build.name();
}

double cost_of(const TuneRequest& request, const Estimate& e, double iterations, double reference) {
    if (request.most_area && e.area_share > *request.most_area) return kInfinite;
    if (request.most_iterations && iterations > *request.most_iterations * reference) return kInfinite;
    switch (request.goal) {
    case Goal::time:
        return e.seconds;
    case Goal::area:
        return e.area_share * (1 + 1e-6 * iterations / reference); // of equal areas the faster one
    case Goal::area_time:
        return e.area_share * e.seconds;
    case Goal::energy:
        return request.device.watts.value_or(0) * e.seconds;
    }
    return kInfinite;
}

namespace {

/// Adds what a search did to the result.
void enter(const SearchResult& found, TuneResult& result) {
    result.solved += found.tried.size();
    result.coarse += found.coarse;
    result.failed += static_cast<std::size_t>(
        std::count_if(found.tried.begin(), found.tried.end(), [](const Tried& t) { return !t.measured.reached; }));
    result.modelled += found.modelled;
    result.refused += found.refused;
    result.open += found.open;
    if (found.end != result.end) result.end += (result.end.empty() ? "" : "; then: ") + found.end;
}

/// How many points the search of a space may solve. A number that was asked for is of all spaces: the first of several
/// has half of it, and what it leaves is the next one's.
std::size_t most_of(const TuneRequest& request, std::size_t solved, bool more_spaces) {
    if (!request.most) return kMostOfSpace;
    const std::size_t left = *request.most - std::min(*request.most, solved);
    return more_spaces ? (left + 1) / 2 : left;
}

/// Why no point was solved, in one line.
std::string nothing_to_judge(const TuneRequest& request, const TuneResult& result) {
    const auto most = std::max_element(result.refusals.begin(), result.refusals.end(),
                                       [](const auto& a, const auto& b) { return a.second < b.second; });
    return fmt::format("device {}: no design of the space can be judged on it{}; take another device (areas are "
                       "modelled for xc2v and xcup), or other --vary and --fix",
                       base::quoted(request.device.id), most == result.refusals.end() ? "" : ": " + most->first);
}

} // namespace

TuneResult tune(const TuneRequest& request) {
    const auto start = Clock::now();
    const auto spent = [&] { return std::chrono::duration<double>(Clock::now() - start).count(); };
    const std::string table = compare::data_folder("tune") + "/cores.json";
    const AreaModel model(table);
    const CycleModel cycle_model(table);
    Store store(request.store);
    Solves solves(store, request.command, request.threads);
    const Problem& problem = solves.problem(request.problem);
    if (request.goal == Goal::energy && !request.device.watts)
        throw InvalidInput(fmt::format("--for energy: the device {} names no watts; give its file watts = W, or take "
                                       "--for time",
                                       base::quoted(request.device.id)));
    Cores cores(problem, request.device, request.fill, model, cycle_model, table);
    const Space space(cores.rows(), request.narrowing), cycles("cycle", request.narrowing);
    for (const auto& [option, list] : {std::pair("--fix", &request.narrowing.fix), {"--vary", &request.narrowing.vary}})
        for (const std::string& text : *list) {
            const std::string axis = text.substr(0, text.find('='));
            const std::string no_cycles = cores.no_cycles();
            if (space.uses(axis) || (no_cycles.empty() && cycles.uses(axis))) continue;
            const std::string why = cycles.uses(axis) ? no_cycles : "no design for this problem has a use for " + axis;
            throw InvalidInput(fmt::format("{} {} on device {}: {}; leave it out", option, base::shortened(text),
                                           base::quoted(request.device.id), why));
        }
    TuneResult result;
    const base::EndingNote note([&] {
        return fmt::format("stopped with {} solved, all of them stored; the same command goes on from there",
                           text::counted(solves.made(), "point"));
    });
    const running::TickingLine line([&] {
        const double seconds = spent();
        const auto points = static_cast<double>(solves.made());
        return fmt::format("tune: {} solved, {} of them before, {:.1f} points/s, {} of {} used",
                           text::counted(solves.made() + solves.stored(), "point"), solves.stored(),
                           points / std::max(seconds, 0.1), running::duration_text(seconds),
                           running::duration_text(request.budget));
    });
    const auto look = [&](const Space& where, bool levels, double share, bool more_spaces) {
        const std::size_t most = most_of(request, result.solved, more_spaces);
        if (where.empty() || most == 0) return;
        SolveContest contest(request, where, cores, solves, result, levels);
        SearchOptions options;
        options.seed = request.seed;
        options.most = most;
        options.out_of_time = [&] { return spent() > share * request.budget; };
        enter(search(contest, options), result);
        result.reference = contest.reference();
        result.points += where.points();
        for (const auto& [why, count] : contest.refusals()) result.refusals[why] += count;
    };
    if (cores.no_cycles().empty())
        look(cycles, false, 0.3, !space.empty()); // (a solve by cycles takes far less than one by CG)
    look(space, true, 0.6, false);                // the rest is for netlists
    if (result.solved == 0) throw InvalidInput(nothing_to_judge(request, result));
    Judge judge(request, cores, solves, result);
    judge.judge_sides();
    judge.synthesise([&] { return request.budget - spent(); });
    result.stored_before = solves.stored();
    for (std::string& words : store.notes_on_files()) result.notes.push_back(std::move(words));
    if (!result.best.empty()) {
        try {
            result.same_rtl = cores.of_this_rtl(result.best.front().build);
        } catch (const InvalidInput&) { // an installed program has no sources to compare with
        }
        result.errors = cores.errors(result.best.front().build);
    }
    result.seconds = spent();
    return result;
}

std::string solve_command(const TuneRequest& request, const Placed& placed, const SolveOptions& options) {
    std::string command = "mantissa solve --problem " + base::shell_word(request.problem);
    if (placed.build.cycle) {
        if (request.tolerance != SolveOptions{}.tolerance) command += fmt::format(" --tolerance {}", request.tolerance);
        return command + fmt::format(" --scheme defect-correction --preconditioner multilevel:{} --outer {}",
                                     to_string(*placed.build.cycle), to_string(*options.outer));
    }
    if (request.tolerance != SolveOptions{}.tolerance) command += fmt::format(" --tolerance {}", request.tolerance);
    if (options.jacobi) command += " --jacobi";
    command += fmt::format(" --scheme residual-guided --inner {}", options.inner);
    if (options.headroom) command += fmt::format(" --headroom {}", *options.headroom);
    return command + " --spec " + base::shell_quoted(to_string(placed.build.spec));
}

} // namespace mantissa::tuning
