// Solves in native double or float by an engine's own solver (mantissa/native.hpp).
#include "mantissa/host/native.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "around/around.hpp"
#include "inner.hpp"
#include "mantissa/format.hpp"
#include "mantissa/host/options.hpp"
#include "mantissa/host/residual.hpp"
#include "mantissa/recurrence/library.hpp"
#include "mantissa/recurrence/native_solver.hpp"
#include "outer/verdict.hpp"
#include "schemes.hpp"
#include "text/counted.hpp"

namespace mantissa {

DatapathSpec native_spec(bool single) {
    DatapathSpec spec(single ? formats::kFloat : formats::kDouble);
    spec.sum = SumOrder::free;
    return spec;
}

namespace {

bool on_processor(const Engine& engine) {
    return engine.name() == "emulated";
}
/// In one run to the tolerance, with no outer loop.
bool iterates_chebyshev(const SolveOptions& o) {
    return o.scheme == Scheme::defect_correction && o.recurrence && o.recurrence->name == RecurrenceChoice::chebyshev;
}
/// Preconditioned by the diagonal inside; of the scheme recurrence from the right: on a device always.
bool divides_by_diagonal(const SolveOptions& o, const Engine& engine) {
    if (iterates_chebyshev(o)) return false; // (its bounds are of the scaled matrix, which it gets)
    if (o.scheme == Scheme::recurrence) return o.jacobi || !on_processor(engine);
    return o.scheme == Scheme::jacobi_pcg;
}
NativeChoice choice_of(const SolveOptions& o, const Engine& engine) {
    NativeChoice choice{
        .plan = o.plan.value_or(NativePlan::automatic), .jacobi = divides_by_diagonal(o, engine), .threads = o.threads};
    if (iterates_chebyshev(o)) choice.recurrence = &recurrence::kChebyshev;
    if (o.scheme != Scheme::recurrence) return choice;
    choice.recurrence = recurrence_of(o);
    const RecurrenceChoice iterates = iterated(o);
    if (iterates.name == RecurrenceChoice::gmres) choice.restart = iterates.restart;
    return choice;
}

} // namespace

bool solves_natively(const SolveOptions& options, const Engine& engine) {
    if (!engine.has_native()) return false;
    if (options.spec.sums_free()) return true;
    if (on_processor(engine)) return false;
    return options.scheme == Scheme::jacobi_pcg ||
           ((options.scheme == Scheme::recurrence || iterates_chebyshev(options)) &&
            (options.spec == DatapathSpec(formats::kDouble) || options.spec == DatapathSpec(formats::kFloat)));
}

bool take_native_recurrence(const Problem& problem, SolveOptions& options) {
    if (problem.suits_cg() || options.scheme != Scheme::jacobi_pcg) return false;
    if (options.spec == DatapathSpec(formats::kDouble)) {
        // (A matrix of nine bands has the emulated engine's loops: native ones are over sparse rows.)
        if (problem.system.kind() == System::Kind::sparse) options.spec = native_spec();
        options.jacobi = true;
    } else if (!options.spec.sums_free()) {
        return false;
    }
    options.scheme = Scheme::recurrence;
    options.recurrence = RecurrenceChoice::bicgstab;
    return true;
}

bool take_gmres_instead(std::span<const SolveResult> results, const Engine& engine, SolveOptions& options) {
    const bool cg = options.scheme == Scheme::jacobi_pcg;
    const bool bicgstab = options.scheme == Scheme::recurrence && options.recurrence == RecurrenceChoice::bicgstab;
    const auto gave_up = [&](const SolveResult& r) {
        return r.status == Status::breakdown ||
               (bicgstab && (r.status == Status::stagnated || r.status == Status::diverged));
    };
    if ((!cg && !bicgstab) || std::none_of(results.begin(), results.end(), gave_up)) return false;
    if (cg) options.jacobi = on_processor(engine); // (a device divides by the diagonal itself)
    options.scheme = Scheme::recurrence;
    options.recurrence = RecurrenceChoice::gmres;
    if (on_processor(engine)) options.spec = DatapathSpec(formats::kDouble);
    return true;
}

bool take_native_loops(const AskedFor& asked, const Problem& problem, SolveOptions& options) {
    const bool formats = asked.format == "double" || asked.format == "float";
    if (asked.engine != "emulated" || !formats || asked.scheme || asked.datapath) return false;
    if (!options.recurrence || options.preconditioner || problem.system.kind() != System::Kind::sparse) return false;
    const bool alone = options.scheme == Scheme::cg || options.scheme == Scheme::recurrence;
    const RecurrenceChoice::Name name = options.recurrence->name;
    if (!alone || (name != RecurrenceChoice::cg && name != RecurrenceChoice::bicgstab)) return false;
    options.spec = native_spec(asked.format == "float");
    return true;
}

bool take_native_default(const AskedFor& asked, SolveOptions& options) {
    const Scheme scheme = options.jacobi ? Scheme::pipelined : Scheme::jacobi_pcg; // (scaled is preconditioned)
    if (options.spec.sums_free() && !asked.scheme && !asked.solver) options.scheme = scheme;
    const bool formats = asked.format.empty() || asked.format == "double" || asked.format == "float";
    if (asked.engine != "gpu" || !formats || asked.scheme || asked.solver || asked.datapath) return false;
    options.scheme = scheme;
    options.spec = native_spec(asked.format == "float");
    return true;
}

namespace solving {

namespace {

/// The schemes that this engine has for these sums and this problem, in words; empty where it has none.
std::string native_schemes(const Problem& problem, const Engine& engine, const SolveOptions& o) {
    std::vector<std::string> names;
    const auto add = [&](const SolveOptions& way, const std::string& name) {
        if (engine.native_refusal(o.spec, problem.system, choice_of(way, engine)).empty() &&
            options::refusal(way, problem).empty())
            names.push_back(name);
    };
    SolveOptions way = o;
    for (const char* scheme : {"jacobi-pcg", "direct", "pipelined", "bicgstab", "gmres"}) {
        set_scheme(way, scheme);
        add(way, scheme);
    }
    way.scheme = Scheme::defect_correction;
    way.recurrence = RecurrenceChoice::chebyshev;
    add(way, "defect-correction with the recurrence chebyshev");
    return fmt::format("{}", fmt::join(names, ", "));
}

} // namespace

void check_native(const Problem& problem, const Engine& engine, const SolveOptions& o) {
    const auto none = [&](bool given, std::string_view what) {
        if (given) throw InvalidInput(fmt::format("datapath {}: {}", to_string(o.spec), what));
    };
    const NativeChoice choice = choice_of(o, engine);
    if (!engine.has_native()) throw InvalidInput(engine.native_refusal(o.spec, problem.system, choice));
    const auto refuse_what_the_engine_does = [&] {
        const std::string why = engine.native_refusal(o.spec, problem.system, choice);
        if (!why.empty()) throw InvalidInput(why);
    };
    if (o.scheme != Scheme::jacobi_pcg && o.scheme != Scheme::pipelined && o.scheme != Scheme::cg &&
        !iterates_chebyshev(o) &&
        (o.scheme != Scheme::recurrence || (choice.recurrence == nullptr && choice.restart == 0))) {
        const std::string schemes = native_schemes(problem, engine, o);
        if (schemes.empty()) refuse_what_the_engine_does();
        none(true, fmt::format("scheme {} does not go with sums that are free in order; here go {}", scheme_name(o),
                               schemes));
    }
    none(choice.jacobi && o.jacobi && !on_processor(engine),
         fmt::format("{} divides by the diagonal itself: leave jacobi out", scheme_name(o)));
    none(o.preconditioner && !on_processor(engine),
         fmt::format("engine '{}' has no cycles in a native recurrence; leave the engine out", engine.name()));
    none(!o.middle.empty() || o.outer || o.resident || !o.schedule.empty() || o.headroom || o.couplings ||
             o.digits != 0,
         "a native solver has no outer loop of words: leave middle formats, outer, resident, schedule, headroom, "
         "couplings and digits out");
    refuse_what_the_engine_does();
}

namespace {

/// What became of a run, but for the true residual, which decides after it.
void judge(PcgEnd end, SolveContext& context) {
    switch (end) {
    case PcgEnd::reached:
    case PcgEnd::stagnated: // (by the solver's own residual: the true one may have got there, or a restart may)
        return context.stop(Status::converged);
    case PcgEnd::indefinite:
        return context.stop(Status::breakdown, "p.q is not above zero: the matrix is not positive definite");
    case PcgEnd::not_finite:
        if (iterates_chebyshev(context.options))
            return context.stop(Status::breakdown,
                                "Chebyshev's residual grew out of range: an eigenvalue lies above the "
                                "bounds; give --bounds");
        return context.stop(Status::breakdown, "a dot product left the range of the arithmetic: scale the system");
    case PcgEnd::cancelled:
    case PcgEnd::limit:
        return context.stop(Status::iteration_limit,
                            fmt::format("the limit of {} is reached", text::counted(context.limit, "inner iteration")));
    }
}

/// The power of two that brings the defect's norm near 1, for float, whose range is short; 0 where it lies near.
int shift_of(double norm, const DatapathSpec& spec) {
    constexpr int kNear = 16;
    if (spec.r == formats::kDouble) return 0;
    const int exponent = std::ilogb(norm);
    return std::abs(exponent) > kNear ? exponent : 0;
}

} // namespace

void solve_native(const Problem& problem, const Engine& engine, std::vector<double>& u, const std::vector<double>& d,
                  SolveContext& context) {
    const SolveOptions& o = context.options;
    SolveResult& result = context.result;
    const bool first = !context.native;
    if (first) {
        NativeChoice choice = choice_of(o, engine);
        choice.low = context.bounds.low;
        choice.high = context.bounds.high;
        context.native = o.preconditioner ? recurrence::make_processor_native(o.spec, problem.system, choice,
                                                                              make_preconditioner(problem, o))
                                          : engine.native(problem.system, o.spec, choice);
        const PickedPlan& plan = context.native->plan();
        result.native = NativeOutcome{plan.plan, plan.why, 0};
    } else {
        ++result.outer_iterations; // a round after the first begins with a defect in double
    }
    // (At a hundred million unknowns each copy is a second.)
    std::vector<double> near_one;
    const int shift = shift_of(context.norm, o.spec);
    if (shift != 0) {
        near_one = d;
        for (double& value : near_one) value = std::ldexp(value, -shift);
    }
    const std::vector<double>& b = shift != 0 ? near_one : d;
    std::vector<std::vector<double>> x;
    const double tolerance = std::min(context.target() / context.norm, 0.5);
    NativeRequest request{tolerance, context.remaining()};
    request.watch = [&context, &result](std::uint64_t iterations, double residual) {
        context.report(
            {result.inner_iterations + iterations, result.outer_iterations, residual * context.norm / context.initial});
        return !context.cancelled;
    };
    const NativeReport report = context.native->solve(std::span(&b, 1), request, x).front();
    result.inner_iterations += report.iterations;
    result.outer_iterations += report.outer;
    result.native->seconds += report.seconds;
    if (!(report.residual <= kDiverged)) { // the iterate before it is worth more
        if (report.end == PcgEnd::indefinite || report.end == PcgEnd::not_finite) return judge(report.end, context);
        return context.stop(Status::diverged, growth(report.residual));
    }
    context.shortfall =
        report.stalled ? "the recurrence's residual no longer falls, also from the true residual of its best iterate"
                       : "";
    if (first && shift == 0) u = std::move(x.front()); // (u was zero)
    else
        for (std::size_t i = 0; i < u.size(); ++i) u[i] += std::ldexp(x.front()[i], shift);
    judge(report.end, context);
    context.report({result.inner_iterations, result.outer_iterations, context.norm / context.initial});
    if (context.cancelled) context.stop(Status::iteration_limit, "stopped on request");
}

bool solves_together(const Problem& problem, const Engine& engine, const SolveOptions& o) {
    const DatapathSpec wide(formats::kDouble);
    return !problem.more.empty() && problem.guess.empty() && !o.energy && !on_processor(engine) &&
           o.scheme == Scheme::jacobi_pcg && (o.spec == wide || o.spec == native_spec()) && solves_natively(o, engine);
}

std::vector<SolveResult> solve_together(const Problem& problem, const Engine& engine, const SolveOptions& options,
                                        const Progress& progress) {
    SolveOptions o = options;
    o.spec = native_spec();
    if (const std::string why = options::refusal(o, problem); !why.empty()) throw InvalidInput(why);
    check_native(problem, engine, o);
    const auto start = std::chrono::steady_clock::now();
    const auto solver = engine.native(problem.system, o.spec, choice_of(o, engine));
    std::vector<std::vector<double>> b{problem.b}, x;
    b.insert(b.end(), problem.more.begin(), problem.more.end());
    NativeRequest request{o.tolerance,
                          o.max_iterations != 0 ? o.max_iterations : default_iteration_limit(problem.system.size())};
    if (progress) request.watch = [&](std::uint64_t made, double residual) { return progress({made, 0, residual}); };
    const std::vector<NativeReport> reports = solver->solve(b, request, x);
    std::vector<SolveResult> results;
    Problem one = problem;
    one.more.clear();
    for (std::size_t k = 0; k < b.size(); ++k) {
        one.b = std::move(b[k]);
        if (k != 0) one.exact = {}; // (of the first alone)
        SolveResult r;
        r.true_residual = relative_residual(one.system, x[k], one.b, o.threads, deciding(o.tolerance));
        const std::uint64_t left = request.max_iterations - std::min(request.max_iterations, reports[k].iterations);
        if (!(r.true_residual < deciding(o.tolerance)) && left != 0) {
            one.guess = r.true_residual < 1 ? std::move(x[k]) : std::vector<double>(); // (else zero is better)
            SolveOptions rest = o;
            rest.max_iterations = left;
            r = solve(one, engine, rest, progress);
            one.guess.clear();
        } else {
            if (r.true_residual < deciding(o.tolerance)) r.status = Status::converged;
            else
                r.detail =
                    fmt::format("the limit of {} is reached", text::counted(request.max_iterations, "inner iteration"));
            if (one.exact) r.error = rms_error(one, x[k], o.threads);
            if (o.bound) r.bound = error_bound(one, x[k], o.threads);
            if (o.keep_solution) r.u = std::move(x[k]);
        }
        r.inner_iterations += reports[k].iterations;
        r.outer_iterations += reports[k].outer;
        if (o.history) r.history = {{0, 0, 1.0}, {r.inner_iterations, r.outer_iterations, r.true_residual}};
        r.native = NativeOutcome{solver->plan().plan, solver->plan().why,
                                 reports[k].seconds + (r.native ? r.native->seconds : 0)};
        results.push_back(std::move(r));
    }
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    for (SolveResult& r : results) r.seconds = seconds;
    return results;
}

} // namespace solving
} // namespace mantissa
