// Whole solves by multilevel cycles on an engine that keeps the vectors (mantissa/multilevel/cycle_solver.hpp).
#include <algorithm>
#include <chrono>

#include <fmt/format.h>

#include "../schemes.hpp"
#include "../words/inner_scale.hpp"
#include "mantissa/format.hpp"
#include "mantissa/multilevel/cycle_solver.hpp"
#include "mantissa/multilevel/grid_words.hpp"

namespace mantissa::solving {

namespace {

/// Cycles where no limit is given. What has not converged by then stays where it is, and only the core could tell.
constexpr std::uint64_t kUsualMost = 300;

} // namespace

CycleLoop loop_around_cycles(const Problem& problem, const SolveOptions& options) {
    const bool cg = options.scheme == Scheme::inexact_pcg;
    const bool words = !cg && !options.preconditioner->in_double && multilevel::grid_words(problem.system).has_value();
    return {options.outer.value_or(words ? kCycleIterate : formats::kDouble), cg, options.threads};
}

void solve_cycles(const Problem& problem, const Engine& engine, std::vector<double>& u, const std::vector<double>& d,
                  SolveContext& context) {
    const SolveOptions& o = context.options;
    SolveResult& result = context.result;
    const bool first = !context.cycles;
    if (first) {
        const auto start = std::chrono::steady_clock::now();
        context.cycles = engine.cycles(problem.system, *o.preconditioner, loop_around_cycles(problem, o));
        const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
        if (const std::string text = context.cycles->description(); !text.empty())
            result.levels = CycleLevels{text, took.count()};
    } else ++result.outer_iterations; // (a round behind the first begins with a defect formed anew)
    std::vector<double> correction;
    const std::uint64_t most = o.max_iterations != 0 ? context.remaining() : std::min(context.remaining(), kUsualMost);
    const CycleSolveReport report = context.cycles->solve(d, context.target() / context.norm, most, correction);
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
    case CycleSolveEnd::stagnated:
        return context.stop(Status::stagnated, "the defect no longer falls");
    case CycleSolveEnd::diverged:
        return context.stop(Status::diverged, growth(report.history.empty() ? kDiverged : report.history.back()));
    case CycleSolveEnd::indefinite:
        return context.stop(Status::breakdown,
                            "p.A p or r.z is not above zero: the matrix is not positive definite, or "
                            "the cycle's words are too short for it");
    case CycleSolveEnd::not_finite:
        return context.stop(Status::breakdown, "a sum left the range of double precision: scale the system");
    case CycleSolveEnd::limit:
        return context.stop(Status::iteration_limit, fmt::format("the limit of {} cycles is reached", most));
    }
}

} // namespace mantissa::solving
