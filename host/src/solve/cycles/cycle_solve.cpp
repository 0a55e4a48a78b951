// Whole solves by multilevel cycles on an engine that keeps the vectors (mantissa/multilevel/cycle_solver.hpp).
#include <algorithm>
#include <chrono>
#include <vector>

#include <fmt/format.h>

#include "../outer/verdict.hpp"
#include "../schemes.hpp"
#include "../words/inner_scale.hpp"
#include "mantissa/format.hpp"
#include "mantissa/host/residual.hpp"
#include "mantissa/multilevel/cycle_solver.hpp"
#include "mantissa/multilevel/grid_words.hpp"
#include "running/parallel.hpp"
#include "text/counted.hpp"

namespace mantissa::solving {

namespace {

/// Cycles where no limit is given. What has not converged by then stays where it is, and only the core could tell.
constexpr std::uint64_t kUsualMost = 300;

} // namespace

CycleLoop loop_around_cycles(const Problem& problem, const SolveOptions& options) {
    const bool cg = options.scheme == Scheme::inexact_pcg;
    const bool words = !cg && !options.preconditioner->in_double && multilevel::grid_words(problem.system).has_value();
    return {options.outer.value_or(words ? kCycleIterate : formats::kDouble), cg, options.threads,
            directions_of(options, problem.system.size())};
}

namespace {

/// u += what the engine finds of A c = d, with the counts of it.
CycleSolveReport correct(std::vector<double>& u, const std::vector<double>& d, std::uint64_t most, double norm,
                         SolveContext& context) {
    SolveResult& result = context.result;
    std::vector<double> correction;
    CycleSolveReport report = context.cycles->solve(d, context.target() / norm, most, correction);
    running::for_pieces(context.options.threads, correction.size(), 1, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) u[i] += correction[i];
    });
    for (std::size_t k = 1; k < report.history.size() && context.options.history; ++k)
        result.history.push_back(
            {result.inner_iterations + k, result.outer_iterations + k, report.history[k] * norm / context.initial});
    result.inner_iterations += report.cycles;
    result.outer_iterations += report.cycles;
    if (report.seconds > 0) result.device_seconds = result.device_seconds.value_or(0) + report.seconds;
    if (report.clocks) result.cycles = result.cycles.value_or(0) + *report.clocks;
    return report;
}

/// The same where the engine's word is no proof: D is only ever updated in a core. The host knows b: where b - A u does
/// not bear a convergence out, or the core has ended with a fault, that defect is loaded, as long as it gains anything.
/// Of two iterates the better one stays.
CycleSolveReport correct_untrusted(const Problem& problem, std::vector<double>& u, std::vector<double> d,
                                   std::uint64_t most, SolveContext& context) {
    constexpr int kMostFruitless = 3; // no upset does that: they are rare
    const SolveOptions& o = context.options;
    double norm = context.norm;
    for (int fruitless = 0;;) {
        const std::vector<double> before = u;
        CycleSolveReport report = correct(u, d, most, norm, context);
        const bool reached = report.end == CycleSolveEnd::reached;
        if (report.end == CycleSolveEnd::limit) return report;
        defect(problem.system, u, problem.b, d, o.threads);
        double now = norm2(d, o.threads);
        if (reached && now < deciding(o.tolerance) * context.initial) return report;
        if (reached) ++context.result.false_ends;
        fruitless = now < kWorthwhile * norm ? 0 : fruitless + 1;
        if (!(now < norm)) {
            u = before;
            now = norm;
            defect(problem.system, u, problem.b, d, o.threads);
        }
        norm = now;
        if (fruitless == kMostFruitless || context.remaining() == 0 || norm < context.target()) return report;
    }
}

/// An engine that keeps the vectors has no rule for a solve that stands still (a core in hardware goes on to its
/// limit): what the host says of one that came there, by the Watch's rule on the defects that it left.
void stop_at_limit(const CycleSolveReport& report, const Problem& problem, std::uint64_t most, SolveContext& context) {
    double best = 1;
    std::size_t at = 0;
    for (std::size_t k = 1; k < report.history.size(); ++k)
        if (report.history[k] < kWorthwhile * best) {
            best = report.history[k];
            at = k;
        }
    const std::uint64_t still = report.history.empty() ? 0 : report.history.size() - 1 - at;
    if (still <= patience(context.size, context.options))
        return context.stop(Status::iteration_limit,
                            fmt::format("the limit of {} is reached", text::counted(most, "cycle")));
    const Format iterate = loop_around_cycles(problem, context.options).iterate;
    const std::string words =
        iterate.is_fixed()
            ? fmt::format(": words of {} hold no better one (--outer, or a looser --tolerance)", to_string(iterate))
            : std::string();
    context.stop(Status::stagnated,
                 fmt::format("the best defect has not fallen by a tenth over {} iterations{}", still, words));
}

} // namespace

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
    } else ++result.outer_iterations; // (a round after the first begins with a defect formed anew)
    const std::uint64_t most = o.max_iterations != 0 ? context.remaining() : std::min(context.remaining(), kUsualMost);
    const CycleSolveReport report = context.cycles->trusted() ? correct(u, d, most, context.norm, context)
                                                              : correct_untrusted(problem, u, d, most, context);
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
        return stop_at_limit(report, problem, most, context);
    case CycleSolveEnd::fault:
        return context.stop(Status::breakdown, "the cycle core ended with a fault, again and again");
    }
}

} // namespace mantissa::solving
