#include "mantissa/host/solve.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "around/around.hpp"
#include "chebyshev/bounds.hpp"
#include "context.hpp"
#include "mantissa/fitted.hpp"
#include "mantissa/host/native.hpp"
#include "mantissa/host/options.hpp"
#include "mantissa/host/residual.hpp"
#include "mantissa/host/scaling.hpp"
#include "mantissa/multilevel/cycle_solver.hpp"
#include "outer/outer_arithmetic.hpp"
#include "outer/row_check.hpp"
#include "outer/verdict.hpp"
#include "schemes.hpp"
#include "systems/row_sums.hpp"

namespace mantissa {

namespace {

constexpr std::string_view kProcessor = "emulated"; ///< the engine that is this processor itself

/// Does CG of the host stand around cycles of an engine that has no loop of CG itself, as a core in hardware?
bool host_around_cycles(const Problem& problem, const Engine& engine, const SolveOptions& o) {
    return o.preconditioner && o.scheme == Scheme::inexact_pcg && engine.name() != kProcessor &&
           !engine.cycles_refusal(problem.system, *o.preconditioner, solving::loop_around_cycles(problem, o)).empty() &&
           engine.cycle_refusal(problem.system, *o.preconditioner).empty();
}

/// Does the engine keep the vectors of a solve by cycles? This processor does where the outer loop is in words that its
/// cycles have; else the host's loop stands around each cycle.
bool engine_cycles(const Problem& problem, const Engine& engine, const SolveOptions& o) {
    if (!o.preconditioner) return false;
    if (engine.name() != kProcessor) return !host_around_cycles(problem, engine, o);
    return o.scheme == Scheme::defect_correction && o.outer &&
           engine.cycles_refusal(problem.system, *o.preconditioner, {*o.outer}).empty();
}

/// A Dirichlet node keeps its zero: nothing there takes a right-hand side. (They are at a grid's edge.)
void check_edge(const Problem& problem) {
    const std::size_t row = problem.system.row_length(), size = problem.system.size();
    const auto check_node = [&](std::size_t i) {
        if (problem.b[i] != 0 && solving::row_check(problem.system, i).empty())
            throw InvalidInput(fmt::format("right-hand side: element {} is {} at a Dirichlet node, whose row is empty; "
                                           "give 0 there",
                                           i + 1, problem.b[i]));
    };
    if (row == 0 || size < row) return;
    for (std::size_t i = 0; i < row; ++i) {
        check_node(i);
        check_node(size - row + i);
    }
    for (std::size_t i = 0; i < size; i += row) {
        check_node(i);
        check_node(i + row - 1);
    }
}

void check(const Problem& problem, const Engine& engine, const SolveOptions& o) {
    const auto require = [](bool good, const std::string& what) {
        if (!good) throw InvalidInput(what);
    };
    o.spec.validate();
    if (o.spec.sums_free()) solving::check_native(problem, engine, o);
    require(o.spec.sums_free() || !o.plan,
            fmt::format("plan {}: only a native solver has plans (engine gpu, --format double or float); leave it out",
                        to_string(o.plan.value_or(NativePlan::automatic))));
    // An engine that compares two others has a name of its own: there would be nothing to compare.
    const bool gmres = iterated(o).name == RecurrenceChoice::gmres;
    require((recurrence_of(o) == nullptr && !gmres) || o.spec.sums_free() || engine.name() == kProcessor,
            fmt::format("recurrence {}: only engine 'emulated' has it in this datapath, not '{}'; use that engine, "
                        "unchecked{}",
                        to_string(iterated(o)), engine.name(),
                        engine.has_native() && (gmres || iterated(o) == RecurrenceChoice::bicgstab)
                            ? ", or --format double"
                        : problem.symmetric ? ", or the recurrence pipelined"
                                            : ""));
    require(problem.b.size() == problem.system.size(), "right-hand side: its length is not the system's size");
    check_edge(problem);
    const std::string why = options::refusal(o);
    require(why.empty(), why);
    if (o.preconditioner && engine.name() != kProcessor && !host_around_cycles(problem, engine, o)) {
        const std::string why_not =
            engine.cycles_refusal(problem.system, *o.preconditioner, solving::loop_around_cycles(problem, o));
        require(why_not.empty(), why_not);
        require(!o.energy, fmt::format("stop energy: engine '{}' keeps its cycles' alpha and beta to itself; leave the "
                                       "engine out, or stop on the residual",
                                       engine.name()));
    }
    for (const ScheduleStage& stage : o.schedule) stage.spec.validate();
}

/// Is every pass of the solve one of pipelined CG in a datapath of the options?
bool counts_bits(const SolveOptions& o) {
    if (o.preconditioner || o.spec.sums_free() || iterated(o).name != RecurrenceChoice::pipelined) return false;
    return o.scheme == Scheme::pipelined || (refines(o.scheme) && o.middle.empty());
}

void run_scheme(const Problem& problem, const Engine& engine, std::vector<double>& u, std::vector<double>& d,
                solving::SolveContext& context) {
    if (context.options.resident) return solving::solve_resident(problem, engine, u, d, context);
    if (context.options.spec.sums_free()) return solving::solve_native(problem, engine, u, d, context);
    if (engine_cycles(problem, engine, context.options)) return solving::solve_cycles(problem, engine, u, d, context);
    switch (context.options.scheme) {
    case Scheme::cg:
    case Scheme::pipelined:
        return solving::solve_direct(problem, engine, u, d, context);
    case Scheme::recurrence:
        return iterated(context.options).name == RecurrenceChoice::gmres
                   ? solving::solve_gmres(problem, u, d, context)
                   : solving::solve_recurrence(problem, u, d, context);
    case Scheme::defect_correction:
        return solving::solve_defect_correction(problem, engine, u, d, context);
    case Scheme::residual_guided:
        return solving::solve_residual_guided(problem, engine, u, d, context);
    case Scheme::inexact_pcg:
        return solving::solve_inexact_pcg(problem, engine, u, d, context);
    case Scheme::jacobi_pcg:
        return; // (solve() has gone another way)
    }
}

/// The scheme's iterate as that of the problem as given: itself, or where the problem is scaled, in `mapped`.
const std::vector<double>& as_given(const std::optional<ScaledProblem>& scaled, const std::vector<double>& u,
                                    std::vector<double>& mapped) {
    if (!scaled) return u;
    mapped = u;
    scaled->map_back(mapped);
    return mapped;
}

/// Does the defect in plain double say "reached"? Where the true one does not, plain sums have cancelled.
bool plainly_reached(const Problem& original, std::span<const double> u, const SolveOptions& options) {
    std::vector<double> d(u.size());
    defect(original.system, u, original.b, d, options.threads);
    return norm2(d, options.threads) < solving::deciding(options.tolerance) * norm2(original.b, options.threads);
}

/// Solves until the problem as given has reached its tolerance. Where the scheme's defect is small enough and the true
/// one is not, the solve goes on from there: a refining one with doubled defects (plain ones had cancelled), a scaled
/// one with a tolerance as much tighter. False when the iterate is judged already.
bool run_until_true(const Problem& original, const std::optional<ScaledProblem>& scaled, const Problem& problem,
                    const Engine& engine, std::vector<double>& u, std::vector<double>& d,
                    solving::SolveContext& context) {
    const SolveOptions& options = context.options;
    const bool doubles = options.spec.sums_free() || (refines(options.scheme) && !options.outer && !options.resident);
    for (double best = std::numeric_limits<double>::infinity();;) {
        context.known.reset();
        run_scheme(problem, engine, u, d, context);
        if (u.empty()) return false; // a verdict was given where the parts are
        if (context.result.status != Status::converged && !context.nearly) return true;
        std::vector<double> mapped;
        const std::vector<double>& given = as_given(scaled, u, mapped);
        const double relative = relative_residual(original.system, given, original.b, options.threads,
                                                  solving::deciding(options.tolerance));
        context.known = relative;
        if (relative < solving::deciding(options.tolerance) || !std::isfinite(relative)) return true;
        if (!scaled && (!doubles || context.result.status != Status::converged)) return true;
        if (!scaled && context.doubled && !(relative < solving::kWorthwhile * best)) return true;
        best = relative;
        context.doubled = context.doubled || (doubles && (!scaled || plainly_reached(original, given, options)));
        solving::DoubleArithmetic(problem.system, options.threads, context.doubled).defect(u, problem.b, d);
        context.norm = norm2(d, options.threads);
        if (scaled) {
            // Below what is there already, or the next run would end before it begins.
            context.tolerance =
                std::min(context.tolerance * 0.5 * options.tolerance / relative, 0.5 * context.norm / context.initial);
            context.target_as_given =
                std::min(context.target_as_given, 0.5 * scaled->norm_as_given(d, options.threads));
        }
        if (!(context.target() >= std::numeric_limits<double>::min()) || context.remaining() == 0) return true;
    }
}

/// Steps of CG that an estimate of the error's energy may take.
std::uint64_t most_steps(const SolveResult& result) {
    return 200 + 2 * result.inner_iterations;
}

/// The same by the energy of the error: of the iterate as it is, and from there on while that gains anything.
void run_until_close(const Problem& original, const std::optional<ScaledProblem>& scaled, const Problem& problem,
                     const Engine& engine, std::vector<double>& u, std::vector<double>& d,
                     solving::SolveContext& context) {
    const SolveOptions& options = context.options;
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    for (double best = kInfinity, least = kInfinity;;) {
        context.result.energy.reset(); // (what ends otherwise is judged by its own iterate)
        run_scheme(problem, engine, u, d, context);
        if (context.result.status != Status::converged) return;
        std::vector<double> mapped;
        context.result.energy =
            energy_estimate(original, as_given(scaled, u, mapped), most_steps(context.result), options.threads);
        const auto& energy = context.result.energy;
        if (!energy || energy->upper <= *options.energy) return;
        solving::DoubleArithmetic(problem.system, options.threads, true).defect(u, problem.b, d);
        context.norm = norm2(d, options.threads);
        const bool closer = energy->value() < solving::kWorthwhile * best;
        // (An error along small eigenvalues stays as it is until the residual has come down to it.)
        if (!closer && !(context.norm < solving::kWorthwhile * least)) return;
        best = std::min(best, energy->value());
        least = std::min(least, context.norm);
        context.doubled = true;
        context.drops.begin_anew();
        context.energy *= closer ? 0.5 : 0.1; // (what the drops missed)
        if (!(context.norm > 0) || context.remaining() == 0) return;
    }
}

/// Why a scheme that reached its tolerance did not reach the problem's. `y` is the solution of what it worked on.
std::string why_not_true(std::span<const double> y, std::span<const double> u, double true_residual,
                         const SolveOptions& options) {
    std::string lost;
    for (std::size_t i = 0; i < u.size() && lost.empty(); ++i) {
        if (!std::isfinite(u[i]))
            return fmt::format("the solution leaves the range of double precision at unknown {}", i + 1);
        if (y[i] != 0 && std::abs(u[i]) < std::numeric_limits<double>::min())
            lost = fmt::format(" (the solution falls below the range of double precision at unknown {})", i + 1);
    }
    if (lost.empty() && refines(options.scheme) && options.outer)
        lost = fmt::format(": the words of the outer loop, {0}, hold no better defect; give --outer a format of more "
                           "fraction bits than {0}, or take an outer loop in double, as the engine emulated "
                           "has without it",
                           to_string(*options.outer));
    return fmt::format("the scheme's defect reached the tolerance, that of the problem as given stays at {:.2e}{}",
                       true_residual, lost.empty() ? ": double precision cannot hold a better iterate" : lost);
}

/// The first diagonal entry that no positive definite matrix has, in words; empty when there is none. (An empty row is
/// a Dirichlet node.)
std::string bad_diagonal(const System& system) {
    for (std::size_t i = 0; i < system.size(); ++i) {
        const solving::RowCheck check = solving::row_check(system, i);
        if (check.diagonal < 0 || (check.diagonal == 0 && check.coupled))
            return fmt::format("diagonal entry {} is {}, so the matrix is not positive definite; ", i + 1,
                               check.diagonal);
    }
    return {};
}

/// The verdict: the true residual of the problem as given decides, whatever the scheme believes. why(): of a scheme's
/// success that was none.
template <class Why> void judge(const Problem& original, solving::SolveContext& context, Why&& why) {
    SolveResult& result = context.result;
    const double tolerance = context.options.tolerance;
    if (result.true_residual < solving::deciding(tolerance)) {
        if (result.status != Status::converged) context.stop(Status::converged);
        return;
    }
    if (result.status == Status::converged) context.stop(Status::stagnated, why());
    if (original.symmetric && (result.status == Status::breakdown || result.status == Status::diverged))
        result.detail = bad_diagonal(original.system) + result.detail;
}

/// The same by the energy of the error.
void judge_energy(const Problem& original, std::span<const double> u, solving::SolveContext& context) {
    SolveResult& result = context.result;
    if (!result.energy) result.energy = energy_estimate(original, u, most_steps(result), context.options.threads);
    if (result.energy && result.energy->upper <= *context.options.energy) return context.stop(Status::converged);
    if (result.status == Status::converged)
        context.stop(Status::stagnated,
                     !result.energy
                         ? "the energy of the error cannot be estimated: the matrix is not positive definite, "
                           "or a number left the range of double precision"
                         : fmt::format("the steps' energies said that the error is small enough, and an "
                                       "estimate formed anew says {:.2e} to {:.2e}",
                                       result.energy->lower, result.energy->upper));
    if (result.status == Status::breakdown || result.status == Status::diverged)
        result.detail = bad_diagonal(original.system) + result.detail;
}

/// Of a whole iterate. `y` is the solution of the problem that the scheme worked on.
void settle(const Problem& original, std::span<const double> y, std::span<const double> u,
            solving::SolveContext& context) {
    const SolveOptions& options = context.options;
    context.result.true_residual = context.known ? *context.known
                                                 : relative_residual(original.system, u, original.b, options.threads,
                                                                     solving::deciding(options.tolerance));
    if (options.energy) judge_energy(original, u, context);
    else
        judge(original, context, [&] {
            return context.shortfall.empty() ? why_not_true(y, u, context.result.true_residual, options)
                                             : context.shortfall;
        });
    solving::say_floor(original.system, original.b, u, options, context.result);
    if (options.bound) context.result.bound = error_bound(original, u, options.threads);
    if (original.exact) context.result.error = solving::rms_error(original, u, options.threads);
}

/// Of one that is shared out, with the same bits. False, and nothing is said, where the scheme believes that it
/// converged and has not: the solve goes on then.
bool settle_spread(const Problem& original, SpreadIterate& u, solving::SolveContext& context) {
    SolveResult& result = context.result;
    const double deciding = solving::deciding(context.options.tolerance);
    result.true_residual = solving::relative_residual(original, u, context.options.threads, deciding);
    if (result.status == Status::converged && !(result.true_residual < deciding)) return false;
    judge(original, context, [&] {
        const std::vector<double> whole = u.whole();
        return why_not_true(whole, whole, result.true_residual, context.options);
    });
    if (original.exact) result.error = solving::rms_error(original, u);
    if (context.options.keep_solution) result.u = u.whole_at_first();
    result.held = u.held();
    return true;
}

} // namespace

std::string to_string(Status status) {
    static constexpr std::array kNames{"converged", "diverged", "stagnated", "breakdown", "iteration limit"};
    return kNames.at(static_cast<std::size_t>(status));
}

bool gives_count(Scheme scheme, Status status, double true_residual, double tolerance) {
    if (status == Status::converged) return true;
    return !refines(scheme) && status == Status::stagnated && true_residual < kDirectSlack * tolerance;
}

std::uint64_t default_iteration_limit(std::size_t size) {
    return 150 * static_cast<std::uint64_t>(std::sqrt(static_cast<double>(size))) + 10000;
}

/// The scheme that knows no engine.
static SolveResult solve_on_the_processor(const Problem& problem, const Engine& engine, const SolveOptions& options,
                                          const Progress& progress) {
    if (engine.name() != kProcessor)
        throw InvalidInput(fmt::format("scheme jacobi-pcg: it runs on this processor, not on engine '{}'; leave the "
                                       "engine out, unchecked",
                                       engine.name()));
    if (problem.b.size() != problem.system.size())
        throw InvalidInput("right-hand side: its length is not the system's size");
    SolveOptions with_solution = options;
    with_solution.keep_solution = true;
    SolveResult result = std::move(solve_jacobi_pcg(problem.system, {problem.b}, with_solution, progress).front());
    if (problem.exact) result.error = solving::rms_error(problem, result.u, options.threads);
    if (options.bound) result.bound = error_bound(problem, result.u, options.threads);
    if (!options.keep_solution) result.u = {};
    return result;
}

std::optional<Format> outer_words(const Problem& problem, std::string_view engine, const SolveOptions& options) {
    if (options.outer) return options.outer;
    if (options.resident) return kResidentIterate;
    if (!options.preconditioner || engine == kProcessor) return std::nullopt;
    const Format iterate = solving::loop_around_cycles(problem, options).iterate;
    return iterate.is_fixed() ? std::optional(iterate) : std::nullopt;
}

SolveResult solve(const Problem& original, const Engine& engine, const SolveOptions& given, const Progress& progress) {
    if (!original.guess.empty()) return solving::solve_from_guess(original, engine, given, progress);
    const bool native = solves_natively(given, engine);
    if (std::string why = options::refusal(given, original); !why.empty()) throw InvalidInput(why);
    if (given.scheme == Scheme::jacobi_pcg && !native && !given.spec.sums_free())
        return solve_on_the_processor(original, engine, given, progress);
    SolveOptions options = given;
    if (native) options.spec.sum = SumOrder::free;
    options.outer = outer_words(original, engine.name(), options);
    check(original, engine, options);
    const auto start = std::chrono::steady_clock::now();
    SolveResult result;
    std::optional<ScaledProblem> scaled;
    // (A native recurrence divides by the diagonal itself.)
    if (options.jacobi && !(native && options.scheme == Scheme::recurrence)) scaled = jacobi_scaled(original);
    else scaled = range_scaled(original, options.threads);
    const Problem& problem = scaled ? scaled->problem : original;
    const std::size_t size = problem.system.size();

    // u0 = 0, so the first defect is b.
    std::vector<double> u(size, 0.0), d = problem.b;
    solving::SolveContext context{.options = options,
                                  .progress = progress,
                                  .result = result,
                                  .size = size,
                                  .limit = options.max_iterations != 0 ? options.max_iterations
                                                                       : default_iteration_limit(size)};
    const auto fit = fitted(problem.system, options.spec);
    context.loaded = fit ? &fit->system : &problem.system;
    context.fit = fit ? fit->scale : 1;
    std::optional<System> kept;
    if (options.couplings) {
        kept = systems::with_row_sums_kept(*context.loaded, *options.couplings,
                                           scaled ? std::span<const double>(scaled->scale) : std::span<const double>());
        context.loaded = &*kept;
    }
    if (counts_bits(options)) context.pass = bit_operations(options.spec, *context.loaded);
    result.equation_scale = context.fit;
    if (refines(options.scheme) && iterated(options).name == RecurrenceChoice::chebyshev) {
        result.chebyshev = options.bounds ? ChebyshevBounds{*options.bounds, 0}
                                          : solving::estimated_bounds(problem.system, options.threads);
        const SpectrumBounds& bounds = result.chebyshev->bounds;
        context.bounds = {context.fit * bounds.low, context.fit * bounds.high};
    }
    if (options.resident) {
        const std::string why = engine.resident_refusal(options.spec, *context.loaded, *options.outer);
        if (!why.empty()) throw InvalidInput(why);
    }
    context.initial = norm2(d, options.threads);
    if (options.history) result.history.push_back({0, 0, 1.0});
    context.norm = context.initial;
    context.tolerance = options.tolerance;
    if (options.energy) { // (a residual of zero alone stops it)
        context.energy = *options.energy;
        context.tolerance = std::max(1e-290, std::numeric_limits<double>::min() / context.initial);
    } else if (scaled && !scaled->uniform()) {
        context.scaled = &*scaled;
        context.largest_scale = *std::max_element(scaled->scale.begin(), scaled->scale.end());
        context.target_as_given = options.tolerance * scaled->norm_as_given(d, options.threads);
    }
    if (!scaled && !options.energy && !options.bound)
        context.settle = [&](SpreadIterate& spread) { return settle_spread(original, spread, context); };
    bool to_judge = true;
    if (context.initial == 0) context.stop(Status::converged);
    else if (options.energy) run_until_close(original, scaled, problem, engine, u, d, context);
    else to_judge = run_until_true(original, scaled, problem, engine, u, d, context);

    if (to_judge) {
        std::vector<double> y;
        if (scaled) {
            y = u;
            scaled->map_back(u);
        }
        settle(original, scaled ? y : u, u, context);
        if (options.history && result.native)
            result.history.push_back({result.inner_iterations, result.outer_iterations, result.true_residual});
        if (options.keep_solution) result.u = std::move(u);
    }
    result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return result;
}

} // namespace mantissa
