#include "tune.hpp"

#include <algorithm>
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

namespace mantissa::tuning {

namespace {

using Clock = std::chrono::steady_clock;
using compare::Estimate;

constexpr double kInfinite = std::numeric_limits<double>::infinity();

} // namespace

const char* to_string(Goal goal) {
    switch (goal) {
    case Goal::time:
        return "time";
    case Goal::area:
        return "area";
    case Goal::area_time:
        return "area-time";
    case Goal::energy:
        return "energy";
    }
    return "";
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

TuneResult tune(const TuneRequest& request) {
    const auto start = Clock::now();
    const auto spent = [&] { return std::chrono::duration<double>(Clock::now() - start).count(); };
    const AreaModel model(compare::data_folder("tune") + "/cores.json");
    Store store(request.store);
    Solves solves(store, request.command, request.threads);
    const Problem& problem = solves.problem(request.problem);
    if (request.goal == Goal::energy && !request.device.watts)
        throw InvalidInput(fmt::format("--for energy: the device {} names no watts; give its file watts = W, or take "
                                       "--for time",
                                       base::quoted(request.device.id)));
    Cores cores(problem, request.device, request.fill, model);
    const Space space(cores.rows(), request.narrowing);
    TuneResult result;
    const base::EndingNote note([&] {
        return fmt::format("stopped with {} points solved, all of them stored; the same command goes on from there",
                           solves.made());
    });
    const running::TickingLine line([&] {
        const double seconds = spent();
        const auto points = static_cast<double>(solves.made());
        return fmt::format("tune: {} points solved, {} of them before, {:.1f} points/s, {} of {} used",
                           solves.made() + solves.stored(), solves.stored(), points / std::max(seconds, 0.1),
                           running::duration_text(seconds), running::duration_text(request.budget));
    });
    SolveContest contest(request, space, cores, solves, result);
    SearchOptions options;
    options.seed = request.seed;
    options.most = request.most;
    options.out_of_time = [&] { return spent() > 0.6 * request.budget; }; // the rest is for netlists
    const SearchResult found = search(contest, options);
    if (found.tried.empty() && !contest.refusals().empty()) {
        const auto most = std::max_element(contest.refusals().begin(), contest.refusals().end(),
                                           [](const auto& a, const auto& b) { return a.second < b.second; });
        throw InvalidInput(fmt::format("device {}: no design of the space can be judged on it: {}; take another device "
                                       "(areas are modelled for xc2v and xcup), or other --vary and --fix",
                                       base::quoted(request.device.id), most->first));
    }
    result.reference = contest.reference();
    result.points = space.points();
    result.solved = found.tried.size();
    result.coarse = found.coarse;
    result.failed = static_cast<std::size_t>(
        std::count_if(found.tried.begin(), found.tried.end(), [](const Tried& t) { return !t.measured.reached; }));
    result.modelled = found.modelled;
    result.refused = found.refused;
    result.open = found.open;
    result.end = found.end;
    result.refusals = contest.refusals();
    Judge judge(request, contest, cores, solves, result);
    judge.judge_sides();
    judge.synthesise([&] { return spent() > request.budget; });
    result.stored_before = solves.stored();
    if (!result.best.empty()) {
        result.same_rtl = cores.of_this_rtl(result.best.front().build.spec);
        result.errors = cores.errors(result.best.front().build.spec);
    }
    result.seconds = spent();
    return result;
}

std::string solve_command(const TuneRequest& request, const Placed& placed, const SolveOptions& options) {
    std::string command = "mantissa solve --problem " + base::shell_word(request.problem);
    if (request.tolerance != SolveOptions{}.tolerance) command += fmt::format(" --tolerance {}", request.tolerance);
    if (options.jacobi) command += " --jacobi";
    command += fmt::format(" --scheme residual-guided --inner {}", options.inner);
    if (options.headroom) command += fmt::format(" --headroom {}", *options.headroom);
    return command + " --spec " + base::shell_quoted(to_string(placed.build.spec));
}

} // namespace mantissa::tuning
