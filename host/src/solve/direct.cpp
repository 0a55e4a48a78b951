// Direct solvers: one CG run to the tolerance in the spec's formats, no outer loop. The status is judged by the true
// defect at the end, not by the recurrence's residual.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <fmt/format.h>

#include "inner.hpp"
#include "schemes.hpp"
#include "text/counted.hpp"

namespace mantissa::solving {

namespace {

/// What goes on where a run in these formats ends. A multilevel cycle is an outer loop's only with CG's matrices.
const char* going_on(const Problem& problem, const SolveOptions& o) {
    if (problem.suits_cg()) return "a refinement scheme";
    return o.preconditioner ? "more fraction bits, or the outer loop defect-correction without the preconditioner"
                            : "the outer loop defect-correction";
}

} // namespace

void judge_direct(const Problem& problem, std::span<const double> u, std::span<double> d, bool said_reached,
                  const std::string& trouble, SolveContext& context) {
    DoubleArithmetic outer(problem.system, context.options.threads, true);
    outer.defect(u, problem.b, d);
    const double norm = outer.norm(d), relative = norm / context.initial;
    context.record(relative);
    const double multiple = relative / context.tolerance;
    if (context.energy > 0 && said_reached) return context.stop(Status::converged);
    context.nearly = said_reached && multiple < kDirectSlack;
    if (multiple < 1 + kReachedSlack || context.reached_as_given(norm, [&] { return d; }))
        return context.stop(Status::converged);
    if (context.nearly)
        return context.stop(Status::stagnated,
                            fmt::format("the recurrence's residual reached the tolerance, the true one is {:.2f} times "
                                        "the tolerance (to go on from there, try {})",
                                        multiple, going_on(problem, context.options)));
    if (!std::isfinite(relative) || relative > kDiverged)
        return context.stop(Status::diverged, trouble.empty() ? growth(relative) : growth(relative) + "; " + trouble);
    if (!trouble.empty()) return context.stop(Status::breakdown, trouble);
    if (said_reached)
        return context.stop(Status::stagnated,
                            fmt::format("the recurrence's residual reached the tolerance, the true one did not: these "
                                        "formats cannot (try {})",
                                        going_on(problem, context.options)));
    if (context.cancelled) return context.stop(Status::iteration_limit, "stopped on request");
    context.stop(Status::iteration_limit, "the limit of " + text::counted(context.limit, "iteration") + " is reached");
}

void solve_direct(const Problem& problem, const Engine& engine, std::span<double> u, std::span<double> d,
                  SolveContext& context) {
    const SolveOptions& options = context.options;
    const auto solver = make_engine_solver(engine, *context.loaded, context.fit, options.spec,
                                           {options.threads, session_recurrence(iterated(options)).value()});
    const double norm = context.norm;
    const InnerOutcome outcome = solver->solve(
        [&](std::size_t at, std::span<double> values) {
            for (std::size_t i = 0; i < values.size(); ++i) values[i] = d[at + i] / norm;
        },
        {.steps = 0, .reduction = 0, .global = context.target() / norm, .energy_unit = norm * norm}, context);
    std::vector<double> part(std::min(u.size(), kTransfer));
    DoubleArithmetic outer(problem.system, options.threads);
    for (std::size_t at = 0; at < u.size(); at += part.size()) {
        const std::span<double> c(part.data(), std::min(part.size(), u.size() - at));
        solver->read(at, c);
        outer.correct(u.subspan(at, c.size()), norm, c);
    }
    judge_direct(problem, u, d, outcome.reached_global || outcome.reached_energy, outcome.trouble, context);
}

namespace {

/// Cycles alone, as refine() goes about them.
void refine_by_cycles(CycleVectors& vectors, SolveContext& context) {
    const double target = context.target();
    double norm = context.norm, best = std::numeric_limits<double>::infinity();
    Watch watch(context);
    while (norm >= target) {
        const bool finite = correct_by_cycle(vectors, context);
        if (finite) vectors.add_correction();
        ++context.result.outer_iterations;
        vectors.defect();
        norm = vectors.norm();
        if (norm < best) {
            best = norm;
            vectors.keep();
        }
        context.record(norm / context.initial);
        if (norm < target) break;
        if (finite && !watch.ends(context, norm / context.initial)) continue;
        if (!(norm <= best) && std::isfinite(best)) vectors.give_back();
        return;
    }
    context.stop(Status::converged);
}

} // namespace

void solve_defect_correction(const Problem& problem, const Engine& engine, std::vector<double>& u,
                             std::vector<double>& d, SolveContext& context) {
    const SolveOptions& options = context.options;
    if (options.middle.empty() && solve_in_cycle_vectors(problem, engine, u, d, context, [&](CycleVectors& vectors) {
            refine_by_cycles(vectors, context);
        }))
        return;
    auto inner = make_inner_solver(problem, engine, context);
    for (auto format = options.middle.rbegin(); format != options.middle.rend(); ++format)
        inner = make_middle_solver(problem.system, *format, std::move(inner), options.threads);
    const auto outer = make_outer(problem, u, context);
    if (options.outer) { // (its words are not u's to give back)
        refine(*outer, *inner, problem.b, u, d, context.norm, {context.target(), true}, context);
        return;
    }
    BestIterate best; // of those that the inner solver had a part in
    const double norm = refine(*outer, *inner, problem.b, u, d, context.norm, {context.target(), true}, context, &best);
    if (context.result.status != Status::converged) best.give_back(norm, u);
}

} // namespace mantissa::solving
