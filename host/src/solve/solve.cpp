#include "mantissa/host/solve.hpp"

#include <chrono>
#include <cmath>

#include <fmt/format.h>

#include "context.hpp"
#include "mantissa/host/residual.hpp"
#include "mantissa/host/scaling.hpp"
#include "schemes.hpp"

namespace mantissa {

namespace {

struct SchemeName {
    Scheme scheme;
    const char* name;
};
constexpr SchemeName kSchemes[] = {{Scheme::direct, "direct"},
                                   {Scheme::pipelined, "pipelined"},
                                   {Scheme::chronopoulos_gear, "chronopoulos-gear"},
                                   {Scheme::ghysels_vanroose, "ghysels-vanroose"},
                                   {Scheme::defect_correction, "defect-correction"},
                                   {Scheme::residual_guided, "residual-guided"}};

void check(const Problem& problem, const SolveOptions& o) {
    const auto require = [](bool good, const std::string& what) {
        if (!good) throw InvalidInput(what);
    };
    o.spec.validate();
    require(problem.b.size() == problem.system.size, "right-hand side: its length is not the system's size");
    require(o.tolerance > 0 && o.tolerance < 1,
            fmt::format("tolerance {}: give a number between 0 and 1", o.tolerance));
    require(o.digits >= 0 && o.digits <= 15, fmt::format("digits {}: give a number from 0 to 15", o.digits));
    require(o.digits > 0 || o.inner >= 1, "inner: at least one inner iteration");
    require(o.middle_digits > 0 && o.middle_digits <= 15,
            fmt::format("middle digits {}: give a number up to 15", o.middle_digits));
    require(o.middle.empty() || o.scheme == Scheme::defect_correction,
            "middle formats: only defect-correction cascades");
    require(o.inner_recurrence == Recurrence::pipelined || o.scheme == Scheme::defect_correction,
            "inner recurrence plain: only defect-correction has a choice (the scheme `direct` is plain CG)");
    require(o.threads >= 1, "threads: at least one");
}

/// Enough for every converging cell of the paper (54001 iterations at 513 nodes a side).
std::uint64_t default_limit(std::size_t size) {
    return 150 * static_cast<std::uint64_t>(std::sqrt(static_cast<double>(size))) + 10000;
}

void run_scheme(const Problem& problem, const Engine& engine, std::span<double> u, std::span<double> d,
                detail::SolveContext& context) {
    switch (context.options.scheme) {
    case Scheme::direct:
    case Scheme::pipelined:
        return detail::solve_direct(problem, engine, u, d, context);
    case Scheme::chronopoulos_gear:
    case Scheme::ghysels_vanroose:
        return detail::solve_variant(problem, u, d, context);
    case Scheme::defect_correction:
        return detail::solve_defect_correction(problem, engine, u, d, context);
    case Scheme::residual_guided:
        return detail::solve_residual_guided(problem, engine, u, d, context);
    }
}

} // namespace

std::string to_string(Scheme scheme) {
    for (const SchemeName& s : kSchemes)
        if (s.scheme == scheme) return s.name;
    return "?";
}

Scheme parse_scheme(std::string_view text) {
    for (const SchemeName& s : kSchemes)
        if (text == s.name) return s.scheme;
    throw InvalidInput(fmt::format("scheme '{}': write direct, pipelined, chronopoulos-gear, ghysels-vanroose, "
                                   "defect-correction or residual-guided",
                                   text.substr(0, 60)));
}

std::string to_string(Status status) {
    switch (status) {
    case Status::converged:
        return "converged";
    case Status::diverged:
        return "diverged";
    case Status::stagnated:
        return "stagnated";
    case Status::breakdown:
        return "breakdown";
    default:
        return "iteration limit";
    }
}

SolveResult solve(const Problem& original, const Engine& engine, const SolveOptions& options,
                  const Progress& progress) {
    check(original, options);
    const auto start = std::chrono::steady_clock::now();
    SolveResult result;
    std::optional<ScaledProblem> scaled;
    if (options.jacobi) scaled = jacobi_scaled(original);
    const Problem& problem = scaled ? scaled->problem : original;
    const std::size_t size = problem.system.size;

    // u0 = 0, so the first defect is b.
    std::vector<double> u(size, 0.0), d = problem.b;
    detail::SolveContext context{.options = options,
                                 .progress = progress,
                                 .result = result,
                                 .size = size,
                                 .limit = options.max_iterations != 0 ? options.max_iterations : default_limit(size)};
    context.initial = norm2(d, options.threads);
    if (!std::isfinite(context.initial))
        throw InvalidInput("right-hand side: its norm is not finite; check the problem's entries");
    if (options.history) result.history.push_back({0, 0, 1.0});
    context.norm = context.initial;
    context.tolerance = options.tolerance;
    if (context.initial == 0) context.stop(Status::converged);
    else run_scheme(problem, engine, u, d, context);

    // The tolerance is meant for the problem as given. Where the scaled defect reached it and the true one did not,
    // the solve goes on from there with a tolerance as much tighter.
    const double norm_b = norm2(original.b, options.threads);
    std::vector<double> mapped;
    for (int round = 0; scaled && round < 8 && result.status == Status::converged && norm_b > 0; ++round) {
        mapped = u;
        scaled->map_back(mapped);
        defect(original.system, mapped, original.b, d, options.threads);
        const double relative = norm2(d, options.threads) / norm_b;
        if (relative < options.tolerance * (1 + detail::kReachedSlack)) break;
        context.tolerance *= 0.5 * options.tolerance / relative;
        defect(problem.system, u, problem.b, d, options.threads);
        context.norm = norm2(d, options.threads);
        run_scheme(problem, engine, u, d, context);
    }

    // What is reported is formed anew, on the problem as given.
    if (scaled) scaled->map_back(u);
    defect(original.system, u, original.b, d, options.threads);
    result.true_residual = norm_b > 0 ? norm2(d, options.threads) / norm_b : 0;
    if (original.exact) {
        double sum = 0;
        for (std::size_t i = 0; i < size; ++i) {
            const double e = u[i] - original.exact(i);
            sum += e * e;
        }
        result.error = std::sqrt(sum / static_cast<double>(size));
    }
    if (options.keep_solution) result.u = std::move(u);
    result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return result;
}

} // namespace mantissa
