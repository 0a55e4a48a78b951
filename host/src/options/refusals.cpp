// What cannot be combined: one table for the command, sweeps, comparisons and Python, which all come through solve().
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "mantissa/base/quoted.hpp"
#include "mantissa/errors.hpp"
#include "mantissa/host/dense.hpp"
#include "mantissa/host/options.hpp"
#include "mantissa/multilevel/grid_words.hpp"
#include "mantissa/recurrence/definition.hpp"
#include "mantissa/recurrence/gmres.hpp"
#include "mantissa/symmetry.hpp"

namespace mantissa::options {

namespace {

/// A combination that no solve takes, and what is said of it.
struct Rule {
    bool broken;
    std::string why;
};
using Rules = std::vector<Rule>;

bool is(const SolveOptions& o, Scheme scheme) {
    return o.scheme == scheme;
}

constexpr const char* kNoInnerLoop = "preconditioner multilevel: a recurrence on the whole problem has no inner loop; "
                                     "leave schedule, inner, digits, middle, headroom and couplings out";
constexpr const char* kCycleIsInner =
    "preconditioner multilevel: a cycle is the inner solver itself and has words of its own; leave format, "
    "spec, lanes, schedule, inner, digits, recurrence, middle, headroom and couplings out";

/// Of the scheme that has the processor's own arithmetic.
Rules of_processor(const SolveOptions& o) {
    const bool inside =
        !o.middle.empty() || o.outer || o.resident || !o.schedule.empty() || o.headroom || o.digits != 0;
    const bool mine = is(o, Scheme::jacobi_pcg);
    return {
        {mine && !o.spec.sums_free() && !(o.spec == DatapathSpec(formats::kDouble)),
         "scheme jacobi-pcg: it works in double precision: write --format double, or take residual-guided for a "
         "reduced datapath"},
        {mine && o.jacobi, "scheme jacobi-pcg: it divides by the diagonal itself: leave jacobi out"},
        {mine && inside, "scheme jacobi-pcg: it has no outer loop: leave middle formats, outer, resident, schedule, "
                         "headroom and digits out"},
    };
}

/// Has the recurrence a step of a preconditioner?
bool is_preconditioned(const SolveOptions& o) {
    if (!is(o, Scheme::recurrence) || !o.recurrence) return false;
    const RecurrenceChoice::Name name = o.recurrence->name;
    return name == RecurrenceChoice::flexible || name == RecurrenceChoice::bicgstab || name == RecurrenceChoice::gmres;
}

/// Beside a multilevel cycle, which is the inner solver itself, or a step of a recurrence in a datapath.
Rules of_cycles(const SolveOptions& o) {
    if (!o.preconditioner) return {};
    const SolveOptions usual;
    const bool within = is_preconditioned(o);
    const bool inside = o.inner != usual.inner || o.digits != 0 || !o.schedule.empty() || !o.middle.empty() ||
                        o.headroom || o.couplings || (!within && (!(o.spec == usual.spec) || o.recurrence));
    return {
        {!within && !is(o, Scheme::inexact_pcg) && !is(o, Scheme::defect_correction),
         fmt::format("preconditioner multilevel: scheme {} takes none; take inexact-pcg (CG in double around cycles), "
                     "defect-correction (cycles alone), or the recurrence flexible, bicgstab or gmres in a datapath",
                     scheme_name(o))},
        {within && inside, kNoInnerLoop},
        {inside, kCycleIsInner},
    };
}

/// Of a solve that stops on the energy of its error: what has no alpha and beta that this process sees.
Rules of_energy(const SolveOptions& o) {
    if (!o.energy) return {};
    const recurrence::Definition* const iterated = recurrence_of(o);
    const bool chebyshev = o.recurrence && o.recurrence->name == RecurrenceChoice::chebyshev;
    const bool gmres = o.recurrence && o.recurrence->name == RecurrenceChoice::gmres;
    return {
        {!(*o.energy > 0 && *o.energy < 1), fmt::format("stop energy={}: give a number between 0 and 1", *o.energy)},
        {o.spec.sums_free(),
         "stop energy: a native solver keeps its alpha and beta to itself; take engine emulated with "
         "--format double, or stop on the residual"},
        {is(o, Scheme::jacobi_pcg), "stop energy: jacobi-pcg keeps its alpha and beta to itself; take scheme direct "
                                    "with jacobi, the same recurrence, or stop on the residual"},
        {gmres, "stop energy: GMRES has no alpha and beta of CG; stop on the residual"},
        {iterated != nullptr && iterated->needs != recurrence::Needs::positive_definite,
         fmt::format("stop energy: recurrence {} has no alpha and beta of CG; stop on the residual",
                     o.recurrence ? to_string(*o.recurrence) : std::string())},
        {is(o, Scheme::defect_correction) && (chebyshev || o.preconditioner),
         "stop energy: neither cycles nor Chebyshev's recurrence form alpha and beta; take inexact-pcg around them, or "
         "stop on the residual"},
        {!o.middle.empty(),
         "stop energy: a cascade's steps are energies of its middle loops' systems; leave middle out, "
         "or stop on the residual"},
        {o.resident, "stop energy: a resident core keeps its alpha and beta to itself; leave resident out, or stop on "
                     "the residual"},
    };
}

Rules of_numbers(const SolveOptions& o) {
    const auto digits = [](double d) { return d >= kFewestDigits && d <= kMostDigits; };
    const auto gain = [](const char* name, double d) {
        return fmt::format("{} {}: give a number from {} to {}", name, d, kFewestDigits, kMostDigits);
    };
    return {
        {!(o.tolerance > 0 && o.tolerance < 1),
         fmt::format("tolerance {}: give a number between 0 and 1", o.tolerance)},
        {o.digits != 0 && !digits(o.digits), gain("digits", o.digits)},
        {o.digits == 0 && o.inner < 1, "inner: at least one inner iteration"},
        {!digits(o.middle_digits), gain("middle digits", o.middle_digits)},
        {o.threads < 1, "threads: at least one"},
        {o.directions && (*o.directions < 1 || *o.directions > kMostDirections),
         fmt::format("directions {}: give 1 to {}", o.directions.value_or(0), kMostDirections)},
        {o.headroom && (*o.headroom < kLeastHeadroom || *o.headroom > kMostHeadroom),
         fmt::format("headroom {}: give {} to {} bits", o.headroom.value_or(0), kLeastHeadroom, kMostHeadroom)},
    };
}

/// "use SCHEME or SCHEME": those with an outer loop that have the recurrence of these options.
std::string loops_around(const SolveOptions& o) {
    const RecurrenceChoice inner = o.recurrence.value_or(axes_of(o).recurrences.front());
    std::vector<std::string_view> names;
    for (const SchemeAxes& s : schemes())
        if (refines(s.scheme) && s.has(inner)) names.push_back(s.name);
    return names.empty() ? "take another recurrence" : fmt::format("use {}", fmt::join(names, " or "));
}

Rules of_schemes(const SolveOptions& o) {
    const auto fixed = [](const ScheduleStage& s) { return s.spec.fixed_vectors(); };
    const bool fixed_later = std::any_of(o.schedule.begin(), o.schedule.end(), fixed);
    const auto middle = std::find_if(o.middle.begin(), o.middle.end(), [](const Format& f) { return f.is_fixed(); });
    const bool chebyshev = o.recurrence && o.recurrence->name == RecurrenceChoice::chebyshev;
    return {
        {!o.middle.empty() && !is(o, Scheme::defect_correction), "middle formats: only defect-correction cascades"},
        {chebyshev && o.digits > 0,
         "recurrence chebyshev: it forms no sums and cannot tell how many digits it gained; leave digits out and give "
         "inner"},
        {chebyshev && o.spec.moves(), "recurrence chebyshev: its binary point stands still; leave out point=moving"},
        {o.bounds && !chebyshev, "bounds: only the recurrence chebyshev takes any; leave them out"},
        {o.bounds && !o.bounds->why_bad().empty(), o.bounds ? o.bounds->why_bad() : std::string()},
        {!refines(o.scheme) && o.spec.fixed_vectors(),
         fmt::format("scheme {} on {}: fixed-point words want an outer loop that scales them; {}", scheme_name(o),
                     to_string(o.spec.r), loops_around(o))},
        {middle != o.middle.end(), fmt::format("middle format {}: middle loops are floating; give another, as s36e11",
                                               middle != o.middle.end() ? to_string(*middle) : "")},
        {o.headroom && !o.spec.fixed_vectors() && !fixed_later, "headroom: only fixed-point vectors have any"},
    };
}

Rules of_recurrence(const SolveOptions& o) {
    if (!o.recurrence) return {{is(o, Scheme::recurrence), "scheme recurrence: which one? give a recurrence"}};
    const RecurrenceChoice choice = *o.recurrence;
    const SchemeAxes& axes = axes_of(o);
    std::string has;
    for (const RecurrenceChoice& each : axes.recurrences) has += (has.empty() ? "" : ", ") + to_string(each);
    const bool gmres = choice.name == RecurrenceChoice::gmres;
    // (Of sums without an order an engine's native solver says whether it has them.)
    const std::string datapath = gmres && !o.spec.sums_free() ? GmresSolver::refusal(o.spec) : std::string();
    return {
        {!axes.has(choice), fmt::format("recurrence {}: the scheme {} iterates {}; leave one of the two out",
                                        to_string(choice), axes.name, has)},
        {gmres && (choice.restart < kLeastRestart || choice.restart > kMostRestart),
         fmt::format("recurrence {}: give {} to {} steps of a cycle", to_string(choice), kLeastRestart, kMostRestart)},
        {!datapath.empty(), datapath},
    };
}

Rules of_schedule(const SolveOptions& o) {
    if (o.schedule.empty()) return {};
    const ScheduleStage& first = o.schedule.front();
    Rules rules{
        {!is(o, Scheme::residual_guided),
         fmt::format("schedule: only residual-guided keeps a direction from one datapath to the next, not {}",
                     scheme_name(o))},
        {first.below != 1,
         fmt::format("schedule: the first stage is below {}; it begins the solve, so write 1", first.below)},
        {!(first.spec == o.spec),
         fmt::format("schedule: the first stage is {} and the spec {}; they are the same, or give one",
                     to_string(first.spec), to_string(o.spec))},
    };
    for (std::size_t i = 0; i < o.schedule.size(); ++i)
        rules.push_back({o.schedule[i].spec.moves(),
                         fmt::format("schedule: stage {} has a moving point, which goes with a spec alone: leave point "
                                     "out",
                                     i + 1)});
    for (std::size_t i = 1; i < o.schedule.size(); ++i)
        rules.push_back({!(o.schedule[i].below > 0 && o.schedule[i].below < o.schedule[i - 1].below),
                         fmt::format("schedule: stage {} is below {}, after {}; give falling numbers above 0", i + 1,
                                     o.schedule[i].below, o.schedule[i - 1].below)});
    return rules;
}

Rules of_outer_loops(const SolveOptions& o) {
    const bool floating = refines(o.scheme) && o.schedule.empty() && !o.spec.fixed_vectors();
    return {
        {o.couplings && (!floating || o.couplings->is_fixed()),
         "couplings: a floating format for residual-guided, defect-correction or inexact-pcg on a floating datapath "
         "without a schedule; leave it out"},
        {o.outer && !(o.outer->is_fixed() && o.outer->valid()),
         "outer: give a fixed-point format, as fx64.62, or leave it out for double precision"},
        {o.directions && !is(o, Scheme::inexact_pcg),
         fmt::format("directions: scheme {} has no flexible CG in double outside; leave it out, or take inexact-pcg",
                     scheme_name(o))},
        {o.resident && !is(o, Scheme::residual_guided),
         fmt::format("resident: the core's outer loop is residual-guided and has no scheme {}; leave it out",
                     scheme_name(o))},
        {o.resident && !o.schedule.empty(), "resident: a core has one datapath and takes no schedule; leave it out"},
        {o.resident && o.digits > 0, "resident: a core counts inner iterations and gains no digits; leave it out"},
        {o.resident && o.jacobi, "resident: the core holds a constant stencil, which Jacobi scaling does not leave; "
                                 "leave jacobi out, and resident too for a matrix in rows"},
        {o.outer && (!refines(o.scheme) || is(o, Scheme::inexact_pcg) || !o.middle.empty()),
         "outer: only residual-guided and defect-correction without middle loops have an outer loop in integers"},
    };
}

/// Of a matrix that CG does not take: where it is at fault.
std::string why_not_for_cg(const Problem& problem) {
    if (problem.symmetric) return problem.indefinite;
    const auto [row, column] = asymmetry(problem.system).value_or(std::pair<std::size_t, std::size_t>());
    return fmt::format("the matrix of {} is not symmetric (entries ({}, {}) and ({}, {}) differ)",
                       base::shortened(problem.name, 200), row + 1, column + 1, column + 1, row + 1);
}

/// The same, and what takes it.
std::string not_for_cg(const Problem& problem, std::string_view who) {
    std::string takers;
    for (const SchemeAxes& s : schemes())
        if (s.scheme == Scheme::recurrence && takes_any_matrix(s.recurrences.front()))
            takers += (takers.empty() ? "" : " or ") + std::string(s.name);
    return fmt::format("{}: {}{}; take the recurrence {} in a solve on engine emulated, or in double on gpu", who,
                       why_not_for_cg(problem),
                       problem.symmetric ? "" : " and CG needs a symmetric positive definite one", takers);
}

} // namespace

std::string refusal(const SolveOptions& options, const Problem& problem) {
    // (c and p say of constant stencils what their words are anyway; that these sums are exact, s cannot. A cycle's
    // text has it where it is not the usual one.)
    if (options.preconditioner && to_string(*options.preconditioner).find(",s=") != std::string::npos &&
        multilevel::grid_words(problem.system))
        return fmt::format("preconditioner multilevel: s={} is of sums on rows, and {} has the cycles of a constant "
                           "stencil; leave s out",
                           options.preconditioner->sums, base::shortened(problem.name, 200));
    if (problem.suits_cg() || takes_any_matrix(iterated(options))) return {};
    if (options.energy)
        return fmt::format("stop energy: {}, and only a symmetric positive definite matrix gives an error an energy; "
                           "stop on the residual",
                           why_not_for_cg(problem));
    if (options.recurrence) return not_for_cg(problem, "recurrence " + to_string(*options.recurrence));
    if (options.preconditioner) return not_for_cg(problem, "preconditioner multilevel");
    return not_for_cg(problem, "scheme " + scheme_name(options));
}

std::string idle(const SolveOptions& options, const Problem& problem) {
    const CycleSpec usual;
    if (!options.preconditioner || (options.preconditioner->c == usual.c && options.preconditioner->p.empty()) ||
        !multilevel::grid_words(problem.system))
        return {};
    return fmt::format("preconditioner {}: c and p are of cycles on rows; this constant stencil's words are integers",
                       to_string(*options.preconditioner));
}

void require_suits_cg(const Problem& problem, std::string_view who) {
    if (!problem.suits_cg()) throw InvalidInput(not_for_cg(problem, who));
}

std::string unused(const Option& option, const SolveOptions& o) {
    const std::string_view name = option.name;
    const bool steps = name == "inner" || name == "digits";
    const bool within = is_preconditioned(o);
    if (o.preconditioner && !within && (steps || names_datapath(option))) return kCycleIsInner;
    if (steps && o.preconditioner) return kNoInnerLoop;
    if (steps && !refines(o.scheme))
        return fmt::format("{}: scheme {} has no inner solves; leave it out, or take residual-guided, "
                           "defect-correction or inexact-pcg",
                           name, scheme_name(o));
    if (name == "middle-digits" && o.middle.empty())
        return "middle-digits: there are no middle loops; give middle formats, or leave it out";
    return {};
}

void require_used(std::span<const Option* const> given, const SolveOptions& options) {
    if (!refusal(options).empty()) return;
    for (const Option* option : given)
        if (const std::string why = unused(*option, options); !why.empty()) throw InvalidInput(why);
}

std::string unused(const Option& option, const DenseOptions& o) {
    const bool gmres = &option == &dense(Dense::gmres_steps) || &option == &dense(Dense::gmres_tolerance);
    if (gmres && o.refinement != DenseRefinement::gmres_ir)
        return fmt::format("{}: refinement by {} has no GMRES; leave it out, or take gmres-ir", option.name,
                           to_string(o.refinement));
    if (&option == &dense(Dense::refine_steps) && o.refinement == DenseRefinement::none)
        return fmt::format("{}: without refinement there are no steps; leave it out, or take ir or gmres-ir",
                           option.name);
    return {};
}

void require_used(std::span<const Option* const> given, const DenseOptions& options) {
    for (const Option* option : given)
        if (const std::string why = unused(*option, options); !why.empty()) throw InvalidInput(why);
}

std::string refusal(const SolveOptions& options) {
    for (const auto& rules :
         {of_processor, of_cycles, of_energy, of_numbers, of_recurrence, of_schemes, of_schedule, of_outer_loops})
        for (const Rule& rule : rules(options))
            if (rule.broken) return rule.why;
    return {};
}

} // namespace mantissa::options
