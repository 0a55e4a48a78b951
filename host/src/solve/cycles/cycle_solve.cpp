// Whole solves by multilevel cycles on an engine that keeps the vectors (mantissa/multilevel/cycle_solver.hpp).
#include <fmt/format.h>

#include "../schemes.hpp"
#include "../words/inner_scale.hpp"
#include "mantissa/multilevel/cycle_solver.hpp"

namespace mantissa::solving {

void solve_cycles(const Problem& problem, const Engine& engine, std::vector<double>& u, const std::vector<double>& d,
                  SolveContext& context) {
    const SolveOptions& o = context.options;
    SolveResult& result = context.result;
    const auto solver = engine.cycles(problem.system, *o.preconditioner, o.outer.value_or(kCycleIterate));
    std::vector<double> correction;
    const CycleSolveReport report = solver->solve(d, context.target() / context.norm, context.remaining(), correction);
    for (std::size_t i = 0; i < correction.size(); ++i) u[i] += correction[i];
    result.inner_iterations += report.cycles;
    result.outer_iterations += report.cycles;
    result.device_seconds = result.device_seconds.value_or(0) + report.seconds;
    switch (report.end) {
    case CycleSolveEnd::reached:
        return context.stop(Status::converged);
    case CycleSolveEnd::overflow:
        return context.stop(Status::breakdown, kOuterOverflow);
    case CycleSolveEnd::limit:
        return context.stop(Status::iteration_limit, fmt::format("the limit of {} cycles is reached", context.limit));
    }
}

} // namespace mantissa::solving
