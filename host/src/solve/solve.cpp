#include "mantissa/host/solve.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "context.hpp"
#include "mantissa/fitted.hpp"
#include "mantissa/host/native.hpp"
#include "mantissa/host/residual.hpp"
#include "mantissa/host/scaling.hpp"
#include "outer/outer_arithmetic.hpp"
#include "outer/verdict.hpp"
#include "schemes.hpp"
#include "systems/row_sums.hpp"

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
                                   {Scheme::residual_guided, "residual-guided"},
                                   {Scheme::inexact_pcg, "inexact-pcg"},
                                   {Scheme::jacobi_pcg, "jacobi-pcg"}};

bool runs_on_the_processor(Scheme scheme) {
    return scheme == Scheme::chronopoulos_gear || scheme == Scheme::ghysels_vanroose;
}

/// A schedule that a solve can follow; throws InvalidInput, one line.
void check_schedule(const SolveOptions& o) {
    if (o.schedule.empty()) return;
    if (o.scheme != Scheme::residual_guided)
        throw InvalidInput(
            fmt::format("schedule: only residual-guided keeps a direction from one datapath to the next, "
                        "not {}",
                        to_string(o.scheme)));
    if (o.schedule.front().below != 1)
        throw InvalidInput(fmt::format("schedule: the first stage is below {}; it begins the solve, so write 1",
                                       o.schedule.front().below));
    if (!(o.schedule.front().spec == o.spec))
        throw InvalidInput(
            fmt::format("schedule: the first stage is {} and the spec {}; they are the same, or give one",
                        to_string(o.schedule.front().spec), to_string(o.spec)));
    for (std::size_t i = 0; i < o.schedule.size(); ++i)
        if (o.schedule[i].spec.moves())
            throw InvalidInput(fmt::format("schedule: stage {} has a moving point, which goes with a spec alone: leave "
                                           "point out",
                                           i + 1));
    for (std::size_t i = 1; i < o.schedule.size(); ++i) {
        if (!(o.schedule[i].below > 0 && o.schedule[i].below < o.schedule[i - 1].below))
            throw InvalidInput(fmt::format("schedule: stage {} is below {}, behind {}; give falling numbers above 0",
                                           i + 1, o.schedule[i].below, o.schedule[i - 1].below));
        o.schedule[i].spec.validate();
    }
}

/// What means nothing to a core that runs its outer loop itself; throws InvalidInput, one line.
void check_resident(const SolveOptions& o) {
    if (!o.resident) return;
    const auto none = [](bool given, std::string_view what) {
        if (given) throw InvalidInput(fmt::format("resident: {}; leave it out", what));
    };
    none(o.scheme != Scheme::residual_guided,
         fmt::format("the core's outer loop is residual-guided and has no scheme {}", to_string(o.scheme)));
    none(!o.schedule.empty(), "a core has one datapath and takes no schedule");
    none(o.digits > 0, "a core counts inner iterations and gains no digits");
    none(o.jacobi, "Jacobi scaling leaves no constant stencil");
}

void check(const Problem& problem, const Engine& engine, const SolveOptions& o) {
    const auto require = [](bool good, const std::string& what) {
        if (!good) throw InvalidInput(what);
    };
    o.spec.validate();
    if (o.spec.sums_free()) solving::check_native(problem, engine, o);
    require(o.spec.sums_free() || o.plan == NativePlan::automatic,
            fmt::format("plan {}: only a native solver has plans (engine gpu, --format double or float); leave it out",
                        to_string(o.plan)));
    // An engine that compares two others has a name of its own: there would be nothing to compare.
    require(!runs_on_the_processor(o.scheme) || engine.name() == "emulated",
            fmt::format("scheme {}: only engine 'emulated' has its recurrence, not '{}'; use that engine, "
                        "unchecked, or the scheme pipelined",
                        to_string(o.scheme), engine.name()));
    require(problem.b.size() == problem.system.size(), "right-hand side: its length is not the system's size");
    require(o.tolerance > 0 && o.tolerance < 1,
            fmt::format("tolerance {}: give a number between 0 and 1", o.tolerance));
    if (o.digits != 0) checked_digits(o.digits, "digits");
    require(o.digits > 0 || o.inner >= 1, "inner: at least one inner iteration");
    checked_digits(o.middle_digits, "middle digits");
    require(o.middle.empty() || o.scheme == Scheme::defect_correction,
            "middle formats: only defect-correction cascades");
    const bool choice = o.scheme == Scheme::defect_correction || o.scheme == Scheme::inexact_pcg;
    require(
        o.inner_recurrence == Recurrence::pipelined || choice,
        "inner recurrence plain: only defect-correction and inexact-pcg have a choice (the scheme `direct` is plain "
        "CG)");
    require(o.threads >= 1, "threads: at least one");
    const bool refining = refines(o.scheme);
    require(refining || !o.spec.fixed_vectors(),
            fmt::format("scheme {} on {}: fixed-point words want an outer loop that scales them; use residual-guided, "
                        "defect-correction or inexact-pcg",
                        to_string(o.scheme), to_string(o.spec.r)));
    for (const Format& f : o.middle)
        require(!f.is_fixed(),
                fmt::format("middle format {}: middle loops are floating; give another, as s36e11", to_string(f)));
    require(!o.headroom || o.spec.fixed_vectors() ||
                std::any_of(o.schedule.begin(), o.schedule.end(),
                            [](const ScheduleStage& s) { return s.spec.fixed_vectors(); }),
            "headroom: only fixed-point vectors have any");
    require(!o.headroom || (*o.headroom >= kLeastHeadroom && *o.headroom <= kMostHeadroom),
            fmt::format("headroom {}: give {} to {} bits", o.headroom.value_or(0), kLeastHeadroom, kMostHeadroom));
    check_schedule(o);
    require(!o.couplings || (refining && o.schedule.empty() && !o.spec.fixed_vectors() && !o.couplings->is_fixed()),
            "couplings: a floating format for residual-guided, defect-correction or inexact-pcg on a floating datapath "
            "without a schedule; leave it out");
    require(!o.outer || (o.outer->is_fixed() && o.outer->valid()),
            "outer: give a fixed-point format, as fx64.62, or leave it out for double precision");
    check_resident(o);
    require(!o.outer || (refining && o.scheme != Scheme::inexact_pcg && o.middle.empty()),
            "outer: only residual-guided and defect-correction without middle loops have an outer loop in integers");
}

/// Is every pass of the solve one of pipelined CG in a datapath of the options?
bool counts_bits(const SolveOptions& o) {
    if (o.spec.sums_free()) return false;
    return o.scheme == Scheme::pipelined ||
           (refines(o.scheme) && o.middle.empty() && o.inner_recurrence == Recurrence::pipelined);
}

void run_scheme(const Problem& problem, const Engine& engine, std::vector<double>& u, std::vector<double>& d,
                solving::SolveContext& context) {
    if (context.options.resident) return solving::solve_resident(problem, engine, u, d, context);
    if (context.options.spec.sums_free()) return solving::solve_native(problem, engine, u, d, context);
    switch (context.options.scheme) {
    case Scheme::direct:
    case Scheme::pipelined:
        return solving::solve_direct(problem, engine, u, d, context);
    case Scheme::chronopoulos_gear:
    case Scheme::ghysels_vanroose:
        return solving::solve_variant(problem, u, d, context);
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

/// Why a scheme that reached its tolerance did not reach the problem's. `y` is the solution of what it worked on.
std::string why_not_true(std::span<const double> y, std::span<const double> u, double true_residual) {
    std::string lost;
    for (std::size_t i = 0; i < u.size() && lost.empty(); ++i) {
        if (!std::isfinite(u[i]))
            return fmt::format("the solution leaves the range of double precision at unknown {}", i + 1);
        if (y[i] != 0 && std::abs(u[i]) < std::numeric_limits<double>::min())
            lost = fmt::format(" (the solution falls below the range of double precision at unknown {})", i + 1);
    }
    return fmt::format("the scheme's defect reached the tolerance, that of the problem as given stays at {:.2e}{}",
                       true_residual, lost.empty() ? ": double precision cannot hold a better iterate" : lost);
}

/// Row i's diagonal entry, and whether it couples to another row.
struct RowCheck {
    double diagonal = 0;
    bool coupled = false;
};
template <class Coefficient> RowCheck nine_point_check(Coefficient&& coefficient) {
    RowCheck check;
    for (std::size_t b = 0; b < kBands; ++b) {
        if (b == kBands / 2) check.diagonal = coefficient(b);
        else check.coupled |= coefficient(b) != 0;
    }
    return check;
}
RowCheck row_check(const Stencil& m, std::size_t i) {
    return m.on_edge(i) ? RowCheck{} : nine_point_check([&](std::size_t b) { return m.coefficients()[b]; });
}
RowCheck row_check(const Bands& m, std::size_t i) {
    return nine_point_check([&](std::size_t b) { return m.band(b)[i]; });
}
RowCheck row_check(const SymmetricBands& m, std::size_t i) {
    return nine_point_check([&](std::size_t b) { return m.coefficient(b, i); });
}
RowCheck row_check(const CompressedRows& m, std::size_t i) {
    RowCheck check;
    for (std::uint64_t k = m.row_begin()[i]; k < m.row_begin()[i + 1]; ++k) {
        if (m.column()[k] == i) check.diagonal = m.value()[k];
        else check.coupled |= m.value()[k] != 0;
    }
    return check;
}

/// The first diagonal entry that no positive definite matrix has, in words; empty when there is none. (An empty row is
/// a Dirichlet node.)
std::string bad_diagonal(const System& system) {
    for (std::size_t i = 0; i < system.size(); ++i) {
        const RowCheck check = std::visit([i](const auto& m) { return row_check(m, i); }, system.matrix());
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
    if (result.status == Status::breakdown || result.status == Status::diverged)
        result.detail = bad_diagonal(original.system) + result.detail;
}

/// Of a whole iterate. `y` is the solution of the problem that the scheme worked on.
void settle(const Problem& original, std::span<const double> y, std::span<const double> u,
            solving::SolveContext& context) {
    context.result.true_residual = context.known
                                       ? *context.known
                                       : relative_residual(original.system, u, original.b, context.options.threads,
                                                           solving::deciding(context.options.tolerance));
    judge(original, context, [&] { return why_not_true(y, u, context.result.true_residual); });
    if (original.exact) context.result.error = solving::rms_error(original, u);
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
        return why_not_true(whole, whole, result.true_residual);
    });
    if (original.exact) result.error = solving::rms_error(original, u);
    if (context.options.keep_solution) result.u = u.whole_at_first();
    result.held = u.held();
    return true;
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
                                   "defect-correction, residual-guided, inexact-pcg or jacobi-pcg",
                                   text.substr(0, 60)));
}

bool refines(Scheme scheme) {
    return scheme == Scheme::defect_correction || scheme == Scheme::residual_guided || scheme == Scheme::inexact_pcg;
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

bool gives_count(Scheme scheme, Status status, double true_residual, double tolerance) {
    if (status == Status::converged) return true;
    return !refines(scheme) && status == Status::stagnated && true_residual < kDirectSlack * tolerance;
}

double checked_digits(double digits, std::string_view name) {
    if (!(digits >= kFewestDigits && digits <= kMostDigits))
        throw InvalidInput(fmt::format("{} {}: give a number from {} to {}", name, digits, kFewestDigits, kMostDigits));
    return digits;
}

std::uint64_t default_iteration_limit(std::size_t size) {
    return 150 * static_cast<std::uint64_t>(std::sqrt(static_cast<double>(size))) + 10000;
}

/// The scheme that knows no engine.
static SolveResult solve_on_the_processor(const Problem& problem, const Engine& engine, const SolveOptions& options,
                                          const Progress& progress) {
    if (engine.name() != "emulated")
        throw InvalidInput(fmt::format("scheme jacobi-pcg: it runs on this processor, not on engine '{}'; leave the "
                                       "engine out, unchecked",
                                       engine.name()));
    if (problem.b.size() != problem.system.size())
        throw InvalidInput("right-hand side: its length is not the system's size");
    SolveOptions with_solution = options;
    with_solution.keep_solution = true;
    SolveResult result = std::move(solve_jacobi_pcg(problem.system, {problem.b}, with_solution, progress).front());
    if (problem.exact) result.error = solving::rms_error(problem, result.u);
    if (!options.keep_solution) result.u = {};
    return result;
}

SolveResult solve(const Problem& original, const Engine& engine, const SolveOptions& given, const Progress& progress) {
    const bool native = solves_natively(given, engine);
    if (given.scheme == Scheme::jacobi_pcg && !native && !given.spec.sums_free())
        return solve_on_the_processor(original, engine, given, progress);
    SolveOptions options = given;
    if (native) options.spec.sum = SumOrder::free;
    if (options.resident && !options.outer) options.outer = kResidentIterate;
    check(original, engine, options);
    const auto start = std::chrono::steady_clock::now();
    SolveResult result;
    std::optional<ScaledProblem> scaled;
    if (options.jacobi) scaled = jacobi_scaled(original);
    else scaled = range_scaled(original);
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
    if (options.resident) {
        const std::string why = engine.resident_refusal(options.spec, *context.loaded, *options.outer);
        if (!why.empty()) throw InvalidInput(why);
    }
    context.initial = norm2(d, options.threads);
    if (options.history) result.history.push_back({0, 0, 1.0});
    context.norm = context.initial;
    context.tolerance = options.tolerance;
    if (scaled && !scaled->uniform()) {
        context.scaled = &*scaled;
        context.largest_scale = *std::max_element(scaled->scale.begin(), scaled->scale.end());
        context.target_as_given = options.tolerance * scaled->norm_as_given(d, options.threads);
    }
    if (!scaled) context.settle = [&](SpreadIterate& spread) { return settle_spread(original, spread, context); };
    bool to_judge = true;
    if (context.initial == 0) context.stop(Status::converged);
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
