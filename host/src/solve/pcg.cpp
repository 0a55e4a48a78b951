// CG in double on this processor: Jacobi (mantissa/sparse/jacobi_pcg.hpp), several right-hand sides at once, over parts
// (mantissa/partition/parted_cg.hpp) and multilevel (mantissa/sparse/multilevel.hpp).
#include <algorithm>
#include <chrono>
#include <cmath>
#include <variant>

#include <fmt/format.h>

#include "context.hpp"
#include "mantissa/format.hpp"
#include "mantissa/host/options.hpp"
#include "mantissa/host/residual.hpp"
#include "mantissa/host/scaling.hpp"
#include "mantissa/host/solve_parts.hpp"
#include "mantissa/pace.hpp"
#include "mantissa/partition/parted_cg.hpp"
#include "mantissa/sparse/formats.hpp"
#include "mantissa/sparse/jacobi_pcg.hpp"
#include "mantissa/sparse/multilevel.hpp"
#include "outer/verdict.hpp"
#include "text/counted.hpp"

namespace mantissa {

namespace {

/// The matrix by rows; `made` holds it where the system has another kind.
const CompressedRows& rows_of(const System& system, std::optional<CompressedRows>& made) {
    if (const auto* rows = std::get_if<CompressedRows>(&system.matrix())) return *rows;
    if (const auto* bands = std::get_if<Bands>(&system.matrix())) {
        const CompressedRows& rows = made.emplace(to_compressed_rows(*bands));
        if (std::ranges::adjacent_find(rows.row_begin()) == rows.row_begin().end()) return rows; // no row is an edge's
    }
    throw InvalidInput("scheme jacobi-pcg: it takes sparse rows (mtx:, lscm:, dsi:), and this problem is a grid's; use "
                       "direct");
}

void check(SolveOptions o, Scheme scheme = Scheme::jacobi_pcg) {
    o.scheme = scheme;
    if (const std::string why = options::refusal(o); !why.empty()) throw InvalidInput(why);
}

/// The verdict, by the true residual; then why.
void judge(const PcgReport& report, const SolveOptions& options, std::uint64_t limit, SolveResult& result) {
    if (result.true_residual < solving::deciding(options.tolerance)) {
        result.status = Status::converged;
        return;
    }
    const auto say = [&](Status status, std::string why) {
        result.status = status;
        result.detail = std::move(why);
    };
    switch (report.end) {
    case PcgEnd::reached:
    case PcgEnd::stagnated:
        if (!std::isfinite(result.true_residual))
            return say(Status::breakdown, "the true residual left the range of double precision: scale the right-hand "
                                          "side");
        return say(Status::stagnated, fmt::format("the recurrence's residual reached the tolerance, the true one stays "
                                                  "at {:.2e}: this recurrence in double cannot; try a "
                                                  "refinement scheme",
                                                  result.true_residual));
    case PcgEnd::indefinite:
        return say(Status::breakdown, "p.q is not above zero: the matrix is not positive definite");
    case PcgEnd::not_finite:
        return say(Status::breakdown, "a dot product left the range of double precision: scale the system");
    case PcgEnd::cancelled:
        return say(Status::iteration_limit, "stopped on request");
    case PcgEnd::limit:
        return say(Status::iteration_limit,
                   fmt::format("the limit of {} is reached", text::counted(limit, "iteration")));
    }
}

PcgOptions pcg_options(const CompressedRows& a, const SolveOptions& options, const Progress& progress) {
    PcgOptions o;
    // A little inside, so that the residual as it is reported, in another order of sums, is below the tolerance too.
    o.tolerance = options.tolerance * (1 - kReachedSlack);
    o.max_iterations = options.max_iterations != 0 ? options.max_iterations : default_iteration_limit(a.rows());
    o.threads = options.threads;
    o.history = options.history;
    if (progress)
        o.progress = [&](std::uint64_t iterations, double residual) { return progress({iterations, 0, residual}); };
    return o;
}

SolveResult result_of(double true_residual, const PcgReport& report, const SolveOptions& options, std::uint64_t limit) {
    SolveResult r;
    r.inner_iterations = report.iterations;
    r.true_residual = true_residual;
    judge(report, options, limit, r);
    if (options.history) {
        r.history.push_back({0, 0, 1.0});
        for (std::size_t k = 0; k < report.history.size(); ++k) r.history.push_back({k + 1, 0, report.history[k]});
    }
    return r;
}
SolveResult result_of(const System& system, const std::vector<double>& b, std::vector<double> x,
                      const PcgReport& report, const SolveOptions& options, std::uint64_t limit) {
    const double decides = solving::deciding(options.tolerance);
    SolveResult r = result_of(relative_residual(system, x, b, options.threads, decides), report, options, limit);
    solving::say_floor(system, b, x, options, r);
    if (options.keep_solution) r.u = std::move(x);
    return r;
}
void times_power(std::vector<double>& v, int exponent) {
    if (exponent == 0) return;
    for (double& x : v) x = std::ldexp(x, exponent);
}

} // namespace

std::vector<SolveResult> solve_jacobi_pcg(const System& system, const std::vector<std::vector<double>>& b,
                                          const SolveOptions& options, const Progress& progress) {
    check(options);
    const auto start = std::chrono::steady_clock::now();
    std::optional<CompressedRows> made;
    const CompressedRows& a = rows_of(system, made);
    PcgOptions o = pcg_options(a, options, progress);
    Pace pace(options.give_up, o.tolerance);
    if (options.give_up != 0) o.pace = [&pace](std::uint64_t k, double residual) { return pace.go_on(k, residual); };
    std::vector<std::vector<double>> x(b.size()), near_one = b;
    std::vector<int> shift;
    for (std::vector<double>& v : near_one) {
        shift.push_back(range_shift(v));
        times_power(v, -shift.back());
    }
    const std::vector<PcgReport> reports = jacobi_pcg(a, near_one, x, o);
    std::vector<SolveResult> results;
    for (std::size_t s = 0; s < b.size(); ++s) {
        times_power(x[s], shift[s]);
        results.push_back(result_of(system, b[s], std::move(x[s]), reports[s], options, o.max_iterations));
    }
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    for (SolveResult& r : results) r.seconds = seconds;
    if (pace.changed()) results.front().gave_up = pace.to_go();
    return results;
}

SolveResult solve_over_parts(const Problem& problem, const std::shared_ptr<Space>& space, CutMethod method,
                             const ExchangeOptions& exchange, const SolveOptions& options, const Progress& progress) {
    return solve_over_parts(problem, space, method, exchange, {}, options, progress);
}

SolveResult solve_over_parts(const Problem& problem, const std::shared_ptr<Space>& space, CutMethod method,
                             const ExchangeOptions& exchange, const MakePartSolver& elsewhere,
                             const SolveOptions& options, const Progress& progress) {
    const auto start = std::chrono::steady_clock::now();
    if (const std::string why = options::refusal(options, problem); !why.empty()) throw InvalidInput(why);
    const bool jacobi = options.scheme == Scheme::jacobi_pcg;
    if (!jacobi && options.scheme != Scheme::cg)
        throw InvalidInput(fmt::format("scheme {}: in double precision direct and jacobi-pcg are shared out over parts",
                                       scheme_name(options)));
    check(options, options.scheme);
    if (options.energy || options.bound)
        throw InvalidInput(
            fmt::format("{}: of a solve over parts in double no process holds what it needs; leave it or "
                        "the parts out",
                        options.energy ? "stop energy" : "bound"));
    if (!(options.spec == DatapathSpec(formats::kDouble)))
        throw InvalidInput(fmt::format("scheme {}: over parts it works in double precision: write --format double",
                                       scheme_name(options)));
    if (!jacobi && options.jacobi)
        throw InvalidInput(
            "scheme direct: over parts in double it scales nothing: take jacobi-pcg, or leave jacobi out");
    PartedCgOptions o;
    o.tolerance = options.tolerance * (1 - kReachedSlack);
    o.max_iterations =
        options.max_iterations != 0 ? options.max_iterations : default_iteration_limit(problem.system.size());
    o.jacobi = jacobi;
    o.history = options.history;
    o.method = method;
    o.exchange = exchange;
    o.elsewhere = elsewhere;
    if (progress)
        o.progress = [&](std::uint64_t iterations, double residual) { return progress({iterations, 0, residual}); };
    o.threads = std::max(1, options.threads / static_cast<int>(space->here().size()));
    double true_residual = 0;
    SolveResult end; // what the solution is asked for while it is shared out
    const std::optional<ScaledProblem> scaled = range_scaled(problem, options.threads);
    const double decides = solving::deciding(options.tolerance);
    o.at_end = [&](SpreadIterate& x) {
        if (scaled) { // (the solution as given may have left the range of double precision)
            std::vector<double> whole = x.whole();
            scaled->map_back(whole);
            true_residual = relative_residual(problem.system, whole, problem.b, options.threads, decides);
            if (problem.exact) end.error = solving::rms_error(problem, whole, options.threads);
            if (options.keep_solution && !x.whole_at_first().empty()) end.u = std::move(whole);
        } else {
            true_residual = solving::relative_residual(problem, x, options.threads, decides);
            if (problem.exact) end.error = solving::rms_error(problem, x);
            if (options.keep_solution) end.u = x.whole_at_first();
        }
        end.held = x.held();
    };
    std::vector<double> none;
    const PcgReport report = parted_cg(space, problem.system, scaled ? scaled->problem.b : problem.b, none, o);
    SolveResult result = result_of(true_residual, report, options, o.max_iterations);
    result.error = end.error;
    result.u = std::move(end.u);
    result.held = end.held;
    result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return result;
}

SolveResult solve_multilevel(const System& system, std::span<const std::array<double, 3>> points,
                             const std::vector<double>& b, const SolveOptions& options, const Progress& progress,
                             const MapSolver& elsewhere) {
    const auto start = std::chrono::steady_clock::now();
    const auto* const a = std::get_if<CompressedRows>(&system.matrix());
    if (a == nullptr) throw InvalidInput("scheme multilevel-pcg: it takes the sparse rows of a map");
    const PcgOptions o = pcg_options(*a, options, progress);
    std::vector<double> x, near_one = b;
    const int shift = range_shift(b);
    times_power(near_one, -shift);
    const PcgReport report =
        elsewhere ? elsewhere(*a, points, near_one, x, o) : multilevel_pcg(*a, points, near_one, x, o);
    times_power(x, shift);
    SolveResult result = result_of(system, b, std::move(x), report, options, o.max_iterations);
    result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return result;
}

} // namespace mantissa
