// Whole solves by multilevel cycles on an engine that keeps the vectors (mantissa/multilevel/cycle_solver.hpp).
#include <algorithm>

#include <fmt/format.h>

#include "../schemes.hpp"
#include "../words/inner_scale.hpp"
#include "mantissa/multilevel/cycle_solver.hpp"

namespace mantissa::solving {

namespace {

/// Cycles where no limit is given. What has not converged by then stays where it is, and only the core could tell.
constexpr std::uint64_t kUsualMost = 300;

} // namespace

void solve_cycles(const Problem& problem, const Engine& engine, std::vector<double>& u, const std::vector<double>& d,
                  SolveContext& context) {
    const SolveOptions& o = context.options;
    SolveResult& result = context.result;
    const auto solver = engine.cycles(problem.system, *o.preconditioner, o.outer.value_or(kCycleIterate));
    solver->use(o.threads);
    std::vector<double> correction;
    const std::uint64_t most = o.max_iterations != 0 ? context.remaining() : std::min(context.remaining(), kUsualMost);
    const CycleSolveReport report = solver->solve(d, context.target() / context.norm, most, correction);
    for (std::size_t i = 0; i < correction.size(); ++i) u[i] += correction[i];
    for (std::size_t k = 1; k < report.history.size() && o.history; ++k)
        result.history.push_back({result.inner_iterations + k, result.outer_iterations + k,
                                  report.history[k] * context.norm / context.initial});
    result.inner_iterations += report.cycles;
    result.outer_iterations += report.cycles;
    if (report.seconds > 0) result.device_seconds = result.device_seconds.value_or(0) + report.seconds;
    if (report.clocks) result.cycles = result.cycles.value_or(0) + *report.clocks;
    switch (report.end) {
    case CycleSolveEnd::reached:
        return context.stop(Status::converged);
    case CycleSolveEnd::overflow:
        return context.stop(Status::breakdown, kOuterOverflow);
    case CycleSolveEnd::limit:
        return context.stop(Status::iteration_limit, fmt::format("the limit of {} cycles is reached", most));
    }
}

} // namespace mantissa::solving
