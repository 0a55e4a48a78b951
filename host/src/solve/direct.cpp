// Direct solvers: one CG run to the tolerance in the spec's formats, no outer loop. The status is judged by the true
// defect at the end, not by the recurrence's residual.
#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "inner.hpp"
#include "mantissa/cg_variants.hpp"
#include "schemes.hpp"

namespace mantissa::solving {

namespace {

/// A look at the true residual costs a defect in double, some two to four percent of so many runs of 16 emulated
/// passes.
constexpr std::uint64_t kRunsBetweenLooks = 2;

} // namespace

void judge_direct(const Problem& problem, std::span<const double> u, std::span<double> d, bool said_reached,
                  const std::string& trouble, SolveContext& context) {
    DoubleArithmetic outer(problem.system, context.options.threads, true);
    outer.defect(u, problem.b, d);
    const double norm = outer.norm(d), relative = norm / context.initial;
    context.record(relative);
    const double multiple = relative / context.tolerance;
    context.nearly = said_reached && multiple < kDirectSlack;
    if (multiple < 1 + kReachedSlack || context.reached_as_given(norm, [&] { return d; }))
        return context.stop(Status::converged);
    if (context.nearly)
        return context.stop(Status::stagnated,
                            fmt::format("the recurrence's residual reached the tolerance, the true one is {:.2f} times "
                                        "the tolerance (a refinement scheme goes on from there)",
                                        multiple));
    if (!std::isfinite(relative) || relative > kDiverged)
        return context.stop(Status::diverged, trouble.empty() ? growth(relative) : growth(relative) + "; " + trouble);
    if (!trouble.empty()) return context.stop(Status::breakdown, trouble);
    if (said_reached)
        return context.stop(Status::stagnated,
                            "the recurrence's residual reached the tolerance, the true one did not: these formats "
                            "cannot (try a refinement scheme)");
    if (context.cancelled) return context.stop(Status::iteration_limit, "stopped on request");
    context.stop(Status::iteration_limit, "the limit of " + std::to_string(context.limit) + " iterations is reached");
}

void solve_direct(const Problem& problem, const Engine& engine, std::span<double> u, std::span<double> d,
                  SolveContext& context) {
    const SolveOptions& options = context.options;
    const Recurrence recurrence = options.scheme == Scheme::direct ? Recurrence::plain : Recurrence::pipelined;
    const auto solver =
        make_engine_solver(engine, *context.loaded, context.fit, options.spec, {options.threads, recurrence});
    const double norm = context.norm;
    const InnerOutcome outcome = solver->solve(
        [&](std::size_t at, std::span<double> values) {
            for (std::size_t i = 0; i < values.size(); ++i) values[i] = d[at + i] / norm;
        },
        {.steps = 0, .reduction = 0, .global = context.target() / norm}, context);
    std::vector<double> part(std::min(u.size(), kTransfer));
    DoubleArithmetic outer(problem.system, options.threads);
    for (std::size_t at = 0; at < u.size(); at += part.size()) {
        const std::span<double> c(part.data(), std::min(part.size(), u.size() - at));
        solver->read(at, c);
        outer.correct(u.subspan(at, c.size()), norm, c);
    }
    judge_direct(problem, u, d, outcome.reached_global, outcome.trouble, context);
}

void solve_variant(const Problem& problem, std::span<double> u, std::span<double> d, SolveContext& context) {
    const SolveOptions& options = context.options;
    const CgVariant variant =
        options.scheme == Scheme::chronopoulos_gear ? CgVariant::chronopoulos_gear : CgVariant::ghysels_vanroose;
    CgVariantSolver solver(*context.loaded, options.spec, variant, options.threads);
    const double norm = context.norm;
    std::vector<double> r(u.size());
    for (std::size_t i = 0; i < r.size(); ++i) r[i] = d[i] / norm;
    solver.start(r);
    DoubleArithmetic arithmetic(problem.system, options.threads);
    BestIterate best;
    best.offer(context.norm, u);
    const std::vector<double> start(u.begin(), u.end());
    // The true residual of what the recurrence has: it may leave the recurrence's own, and grow again.
    const auto true_norm = [&] {
        std::copy(start.begin(), start.end(), u.begin());
        arithmetic.correct(u, norm * context.fit, solver.solution());
        arithmetic.defect(u, problem.b, d);
        return arithmetic.norm(d);
    };
    const double stop = context.target() / norm;
    RunEnd end = RunEnd::passes;
    std::uint64_t runs = 0;
    while (end == RunEnd::passes && context.remaining() > 0 && !context.cancelled) {
        const RunReport report =
            solver.run({.passes = std::min<std::uint64_t>(context.remaining(), 16), .rho_stop = stop * stop});
        context.count(report, report.passes);
        context.report({context.result.inner_iterations, 0, std::sqrt(solver.rho())});
        end = report.end;
        if (++runs % kRunsBetweenLooks == 0 && end == RunEnd::passes) best.offer(true_norm(), u);
    }
    best.give_back(true_norm(), u);
    const bool trouble = end != RunEnd::passes && end != RunEnd::rho_reached && end != RunEnd::exact;
    judge_direct(problem, u, d, end == RunEnd::rho_reached,
                 trouble ? "CG ended: " + why_ended(end, solver.pq(), options) : "", context);
}

void solve_defect_correction(const Problem& problem, const Engine& engine, std::span<double> u, std::span<double> d,
                             SolveContext& context) {
    const SolveOptions& options = context.options;
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
