// A solve from a starting guess u0, whatever the scheme: every scheme begins at zero, so it solves A e = b - A u0.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "around.hpp"
#include "mantissa/host/residual.hpp"
#include "solve/context.hpp"
#include "solve/outer/row_check.hpp"
#include "solve/outer/verdict.hpp"
#include "text/counted.hpp"

namespace mantissa::solving {

namespace {

/// A guess that is worse than zero by so much tells nothing, and the digits to be gained from there are more than a
/// solve has: zero takes its place.
constexpr double kFar = 1e3;

void check_guess(const Problem& problem) {
    if (problem.guess.size() != problem.system.size())
        throw InvalidInput(fmt::format("guess: it has {} elements and the system {} unknowns; give as many",
                                       problem.guess.size(), problem.system.size()));
    const auto bad =
        std::find_if_not(problem.guess.begin(), problem.guess.end(), [](double x) { return std::isfinite(x); });
    if (bad != problem.guess.end())
        throw InvalidInput(
            fmt::format("guess: element {} is {}; give finite numbers", bad - problem.guess.begin() + 1, *bad));
}

/// Adds a further solve's work to `total`. `scale`: the norm of its first defect relative to b's.
void add_work(SolveResult& total, const SolveResult& next, double scale) {
    for (const HistoryPoint& h : next.history)
        total.history.push_back({total.inner_iterations + h.inner_iterations,
                                 total.outer_iterations + h.outer_iterations, scale * h.relative_defect});
    total.inner_iterations += next.inner_iterations;
    total.outer_iterations += next.outer_iterations;
    total.sigma_guards += next.sigma_guards;
    total.overflows += next.overflows;
    total.bit_operations.multiplied += next.bit_operations.multiplied;
    total.bit_operations.added += next.bit_operations.added;
    total.words.merge(next.words);
    if (next.cycles) total.cycles = total.cycles.value_or(0) + *next.cycles;
    if (next.device_seconds) total.device_seconds = total.device_seconds.value_or(0) + *next.device_seconds;
    if (next.native) {
        const double before = total.native ? total.native->seconds : 0;
        total.native = next.native;
        total.native->seconds += before;
    }
    total.gave_up = next.gave_up;
    if (next.levels) total.levels = next.levels;
    if (next.resident) total.resident = next.resident;
    if (next.chebyshev) total.chebyshev = next.chebyshev;
    total.equation_scale = next.equation_scale;
    total.status = next.status;
    total.detail = next.detail;
}

/// Did a solve of the rest end where another one, from there, may come closer?
bool may_go_on(Status status) {
    return status == Status::converged || status == Status::stagnated;
}

} // namespace

SolveResult solve_from_guess(const Problem& problem, const Engine& engine, const SolveOptions& options,
                             const Progress& progress) {
    check_guess(problem);
    if (options.energy) throw InvalidInput("stop energy: it is relative to a solve from zero; leave the guess out");
    const auto start = std::chrono::steady_clock::now();
    const double decides = deciding(options.tolerance), all = norm2(problem.b, options.threads);
    const std::uint64_t limit =
        options.max_iterations != 0 ? options.max_iterations : default_iteration_limit(problem.system.size());
    Problem rest = problem;
    rest.exact = {};
    rest.guess.clear();
    SolveOptions asked = options;
    asked.keep_solution = true;
    asked.bound = false;
    SolveResult total;
    std::vector<double> u = problem.guess;
    if (all == 0) std::fill(u.begin(), u.end(), 0.0); // (zero is the solution)
    // A Dirichlet node keeps its zero, whatever the guess has there: its neighbours' rows would read another boundary.
    for (std::size_t i = 0; i < u.size(); ++i)
        if (u[i] != 0 && row_check(problem.system, i).empty()) u[i] = 0;
    for (double before = std::numeric_limits<double>::infinity();;) {
        total.true_residual = relative_residual(problem.system, u, problem.b, options.threads, decides);
        const bool first = std::isinf(before), reached = total.true_residual < decides;
        const auto beyond_range = [&](double residual) {
            if (std::isfinite(residual)) return false;
            if (first) throw InvalidInput("guess: its residual leaves the range of double precision; scale it down");
            return true;
        };
        if (beyond_range(total.true_residual)) break;
        const bool worth = may_go_on(total.status) && total.true_residual < kWorthwhile * before;
        if (!first && (reached || !worth || total.inner_iterations >= limit)) break;
        before = total.true_residual;
        // A guess that is good enough leaves nothing to do; the options are looked at all the same.
        if (reached) std::fill(rest.b.begin(), rest.b.end(), 0.0);
        else certain_defect(problem.system, u, problem.b, rest.b, options.threads);
        double left = norm2(rest.b, options.threads);
        if (beyond_range(left)) break; // (the quotient above is formed with powers of two taken out)
        if (first && left > kFar * all) {
            std::fill(u.begin(), u.end(), 0.0);
            rest.b = problem.b;
            left = all;
            before = 1;
        }
        const double scale = left / all;
        if (!reached) asked.tolerance = std::clamp(options.tolerance / scale, std::numeric_limits<double>::min(), 0.5);
        asked.max_iterations = limit - total.inner_iterations;
        Progress shown;
        if (progress)
            shown = [&](const HistoryPoint& h) {
                return progress({total.inner_iterations + h.inner_iterations,
                                 total.outer_iterations + h.outer_iterations, scale * h.relative_defect});
            };
        const SolveResult next = solve(rest, engine, asked, shown);
        add_work(total, next, scale);
        if (reached) break;
        for (std::size_t i = 0; i < std::min(u.size(), next.u.size()); ++i) u[i] += next.u[i];
    }
    if (total.true_residual < decides) {
        total.status = Status::converged;
        total.detail.clear();
    } else if (total.status == Status::iteration_limit && total.inner_iterations >= limit) {
        total.detail =
            fmt::format("the limit of {} is reached", text::counted(limit, "inner iteration")); // (of all rounds)
    } else if (total.status == Status::converged) {
        total.status = Status::stagnated;
        total.detail =
            fmt::format("the correction of the guess reached its tolerance, the true residual stays at {:.2e}",
                        total.true_residual);
    }
    if (problem.exact) total.error = rms_error(problem, u, options.threads);
    if (options.bound) total.bound = error_bound(problem, u, options.threads);
    if (options.keep_solution) total.u = std::move(u);
    total.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return total;
}

} // namespace mantissa::solving
