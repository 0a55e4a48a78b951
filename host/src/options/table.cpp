// Every option of a solve. To add one: a field in SolveOptions, an entry here, and its user in solve/.
#include <limits>

#include <fmt/format.h>

#include "mantissa/host/options.hpp"
#include "values.hpp"

namespace mantissa::options {

namespace {

constexpr double kUnbounded = std::numeric_limits<double>::infinity();

const std::string& text(const Value& value) {
    return std::get<std::string>(value);
}
using Given = std::optional<Value>;

bool cascades(const SolveOptions& o) {
    return o.scheme == Scheme::defect_correction && !o.middle.empty();
}
std::vector<std::string_view> scheme_names() {
    std::vector<std::string_view> names;
    for (const SchemeAxes& s : schemes()) names.push_back(s.name);
    return names;
}

std::vector<Option> recurrence_options() {
    return {
        {.name = "scheme",
         .type = Type::choice,
         .help = "the whole solver by a short name: mantissa help solve has the table of what each stands for",
         .choices = scheme_names(),
         .default_text = "residual-guided",
         .column = Column::first,
         .asks = Asks::scheme,
         .parsed = true,
         .set =
             [](Request& r, const Value& v) {
                 set_scheme(r.options, text(v));
                 r.axes.scheme = text(v);
             },
         .get = [](const SolveOptions& o) { return Given(scheme_name(o)); }},
        {.name = "recurrence",
         .type = Type::choice,
         .help = "the recurrence that runs in the datapath (mantissa help recurrences): in place of --scheme, or what "
                 "that scheme iterates",
         .choices = {"pipelined", "cg", "chronopoulos-gear", "ghysels-vanroose", "flexible", "chebyshev", "bicgstab",
                     "gmres(M)"},
         .since = "0.2",
         .column = Column::later,
         .asks = Asks::solver,
         .parsed = true,
         .set = [](Request& r, const Value& v) { r.axes.recurrence = parse_recurrence_choice(text(v)); },
         .get =
             [](const SolveOptions& o) {
                 // A name that says it all needs no more, but for the steps of a cycle.
                 if (!o.recurrence || !axes_of(o).has(*o.recurrence)) return Given();
                 const RecurrenceChoice& own = axes_of(o).recurrences.front();
                 return o.recurrence->name == own.name && own.name != RecurrenceChoice::gmres
                            ? Given()
                            : Given(to_string(*o.recurrence));
             }},
        {.name = "outer-loop",
         .type = Type::choice,
         .help = "in place of --scheme: what restarts the recurrence, in double precision",
         .choices = {"none", "defect-correction", "residual-guided", "flexible-pcg"},
         .excludes = {"scheme"},
         .since = "0.2",
         .asks = Asks::solver,
         .set = [](Request& r, const Value& v) { r.axes.outer_loop = text(v); }},
    };
}

std::vector<Option> stopping_options() {
    return {
        {.name = "inner",
         .type = Type::whole,
         .help = "inner iterations per outer step",
         .low = 1,
         .high = kUnbounded,
         .default_text = "10",
         .with_advice = true,
         .column = Column::first,
         .set = [](Request& r, const Value& v) { r.options.inner = std::get<std::uint64_t>(v); },
         .get = [](const SolveOptions& o) { return refines(o.scheme) && !(o.digits > 0) ? Given(o.inner) : Given(); }},
        {.name = "digits",
         .type = Type::number,
         .help = "instead of --inner: digits that each inner solve gains",
         .unit = "digits",
         .low = kFewestDigits,
         .high = kMostDigits,
         .excludes = {"inner"},
         .column = Column::first,
         .set = [](Request& r, const Value& v) { r.options.digits = std::get<double>(v); },
         .get = [](const SolveOptions& o) { return refines(o.scheme) && o.digits > 0 ? Given(o.digits) : Given(); }},
        {.name = "directions",
         .type = Type::whole,
         .help = "inexact-pcg: a new direction is made conjugate to so many before it; unless given 3 around cycles "
                 "whose r has at most 12 bits, and else 1",
         .low = 1,
         .high = kMostDirections,
         .since = "0.2",
         .column = Column::later,
         .set = [](Request& r, const Value& v) { r.options.directions = static_cast<int>(std::get<std::uint64_t>(v)); },
         .get =
             [](const SolveOptions& o) {
                 return o.directions ? Given(static_cast<std::uint64_t>(*o.directions)) : Given();
             }},
        {.name = "bounds",
         .type = Type::text,
         .help =
             "recurrence chebyshev: smallest and largest eigenvalue of the matrix (with Jacobi scaling of the scaled "
             "one), as 0.01,4.2; unless given, by Lanczos steps on this processor",
         .since = "0.2",
         .column = Column::later,
         .set = [](Request& r, const Value& v) { r.options.bounds = parse_bounds(text(v)); },
         .get = [](const SolveOptions& o) { return o.bounds ? Given(bounds_text(*o.bounds)) : Given(); }},
        {.name = "middle",
         .type = Type::formats,
         .group = Group::arithmetic,
         .help = "formats of a cascade's middle loops, outermost first, as s36e11,s23e8 (defect-correction)",
         .column = Column::first,
         .set = [](Request& r, const Value& v) { r.options.middle = parse_middle(text(v)); },
         .get = [](const SolveOptions& o) { return cascades(o) ? Given(middle_text(o.middle)) : Given(); }},
        {.name = "middle-digits",
         .type = Type::number,
         .help = "digits that each middle loop gains",
         .unit = "digits",
         .low = kFewestDigits,
         .high = kMostDigits,
         .default_text = "2",
         .column = Column::first,
         .set = [](Request& r, const Value& v) { r.options.middle_digits = std::get<double>(v); },
         .get = [](const SolveOptions& o) { return cascades(o) ? Given(o.middle_digits) : Given(); }},
    };
}

std::vector<Option> datapath_options() {
    return {
        {.name = "format",
         .type = Type::format,
         .group = Group::arithmetic,
         .help = "one format for the whole datapath, as s17e8 or float",
         .default_text = "s17e8",
         .with_dense = true,
         .asks = Asks::format,
         .set = [](Request& r, const Value& v) { r.options.spec = parse_spec(text(v)); }},
        {.name = "spec",
         .type = Type::spec,
         .group = Group::arithmetic,
         .help = "a full datapath, as s14e8,u=s23e8,row=s20e8,dot=fixed[13:-50]",
         .excludes = {"format"},
         .column = Column::first,
         .set = [](Request& r, const Value& v) { r.options.spec = parse_spec(text(v)); },
         .get = [](const SolveOptions& o) { return Given(to_string(o.spec)); },
         .stored =
             [](const SolveOptions& o) {
                 return Given(o.schedule.empty() ? to_string(o.spec) : schedule_text(o.schedule));
             }},
        {.name = "tolerance",
         .type = Type::number,
         .help = "on the defect relative to the right-hand side",
         .low = 0,
         .high = 1,
         .open = true,
         .default_text = "1e-10",
         .with_advice = true,
         .column = Column::first,
         .asks = Asks::nothing,
         .set = [](Request& r, const Value& v) { r.options.tolerance = std::get<double>(v); },
         .get = [](const SolveOptions& o) { return Given(o.tolerance); }},
        {.name = "schedule",
         .type = Type::schedule,
         .group = Group::arithmetic,
         .help = "datapaths that take over below a relative defect, as 1:s52e11;2e-3:s23e8 (residual-guided)",
         .excludes = {"format", "spec"},
         .set =
             [](Request& r, const Value& v) {
                 r.options.schedule = parse_schedule(text(v));
                 r.options.spec = r.options.schedule.front().spec;
             },
         .get = [](const SolveOptions& o) { return o.schedule.empty() ? Given() : Given(schedule_text(o.schedule)); }},
    };
}

std::vector<Option> integer_options() {
    return {
        {.name = "outer",
         .type = Type::format,
         .group = Group::arithmetic,
         .help = "the outer loop in integers: the fixed-point format of u and b, as fx64.62",
         .column = Column::later,
         .set = [](Request& r, const Value& v) { r.options.outer = parse_format(text(v)); },
         .get = [](const SolveOptions& o) { return o.outer ? Given(to_string(*o.outer)) : Given(); }},
        {.name = "resident",
         .type = Type::truth,
         .group = Group::place,
         .help = "the whole solve by a core that holds its vectors, outer steps too, in integers; --outer is the "
                 "format of its iterate, 64 bits",
         .column = Column::later,
         .set = [](Request& r, const Value& v) { r.options.resident = std::get<bool>(v); },
         .get = [](const SolveOptions& o) { return o.resident ? Given(true) : Given(); }},
        {.name = "headroom",
         .type = Type::integer,
         .group = Group::arithmetic,
         .help = "fixed-point vectors: bits that the defect's norm leaves free below 1, always (else as the last step "
                 "needed them)",
         .unit = "bits",
         .low = kLeastHeadroom,
         .high = kMostHeadroom,
         .column = Column::later,
         .set = [](Request& r, const Value& v) { r.options.headroom = static_cast<int>(std::get<std::int64_t>(v)); },
         .get = [](const SolveOptions& o) { return o.headroom ? Given(std::int64_t{*o.headroom}) : Given(); }},
        {.name = "couplings",
         .type = Type::format,
         .group = Group::arithmetic,
         .help = "sparse rows: entries off the diagonal in this shorter format; the diagonal takes up what they lost",
         .column = Column::later,
         .set = [](Request& r, const Value& v) { r.options.couplings = parse_format(text(v)); },
         .get = [](const SolveOptions& o) { return o.couplings ? Given(to_string(*o.couplings)) : Given(); }},
        {.name = "plan",
         .type = Type::text,
         .group = Group::place,
         .help = "native solves (--engine gpu, with --format double, float or nothing of a datapath): automatic (the "
                 "default), by the system's size; grid-resident, grid-stream, grid-parts, sparse-resident, "
                 "sparse-stream or sparse-parts; or processor, the loops of --engine emulated",
         .since = "0.2",
         .column = Column::later,
         .asks = Asks::plan,
         .set = [](Request& r, const Value& v) { r.options.plan = parse_native_plan(text(v)); },
         .get =
             [](const SolveOptions& o) {
                 return o.plan.value_or(NativePlan::automatic) == NativePlan::automatic ? Given()
                                                                                        : Given(to_string(*o.plan));
             }},
        {.name = "preconditioner",
         .type = Type::text,
         .help =
             "none; jacobi, as --jacobi; or multilevel[:CYCLE], cycles in short words, as multilevel:v11,w=10 (help "
             "multilevel)",
         .excludes = {"jacobi"},
         .since = "0.2",
         .with_advice = true,
         .column = Column::later,
         .asks = Asks::solver,
         .set =
             [](Request& r, const Value& v) {
                 set_preconditioner(r.options, text(v));
                 r.usual_cycle = names_no_cycle(text(v));
             },
         .get = [](const SolveOptions& o) { return o.preconditioner ? Given(preconditioner_text(o)) : Given(); }},
    };
}

std::vector<Option> limit_options() {
    return {
        {.name = "max-iterations",
         .type = Type::whole,
         .help = "inner iterations in all; 0: 150 per square root of the unknowns and 10000",
         .low = 0,
         .high = kUnbounded,
         .default_text = "0",
         .column = Column::first,
         .asks = Asks::nothing,
         .quiet = true,
         .set = [](Request& r, const Value& v) { r.options.max_iterations = std::get<std::uint64_t>(v); },
         .get = [](const SolveOptions& o) { return Given(o.max_iterations); }},
        {.name = "jacobi",
         .type = Type::truth,
         .help = "scale the system to a unit diagonal",
         .default_text = "false",
         .with_advice = true,
         .column = Column::first,
         .asks = Asks::nothing,
         .quiet = true,
         .set = [](Request& r, const Value& v) { r.options.jacobi = std::get<bool>(v); },
         .get = [](const SolveOptions& o) { return Given(o.jacobi); }},
        {.name = "stop",
         .type = Type::text,
         .help = "in place of --tolerance: energy=E, on ||x - x*|| / ||x*|| in the A-norm, estimated (help errors); or "
                 "residual=R, which is --tolerance R",
         .excludes = {"tolerance"},
         .since = "0.2",
         .column = Column::later,
         .asks = Asks::nothing,
         .set = [](Request& r, const Value& v) { set_stop(r.options, text(v)); },
         .get = [](const SolveOptions& o) { return o.energy ? Given(stop_text(o)) : Given(); }},
        {.name = "bound",
         .type = Type::truth,
         .group = Group::output,
         .help = "bound the error's largest element, for sure (help errors)",
         .since = "0.2",
         .column = Column::later,
         .asks = Asks::nothing,
         .set = [](Request& r, const Value& v) { r.options.bound = std::get<bool>(v); },
         .get = [](const SolveOptions& o) { return o.bound ? Given(true) : Given(); }},
        {.name = "history",
         .type = Type::truth,
         .group = Group::output,
         .help = "keep the defect of every step (--history FILE of the command writes them)",
         .default_text = "false",
         .on_commands = false,
         .asks = Asks::nothing,
         .set = [](Request& r, const Value& v) { r.options.history = std::get<bool>(v); }},
    };
}

} // namespace

std::span<const Option> table() {
    static const std::vector<Option> all = [] {
        std::vector<Option> list = recurrence_options();
        for (auto more : {stopping_options(), datapath_options(), integer_options(), limit_options()})
            list.insert(list.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
        return list;
    }();
    return all;
}

} // namespace mantissa::options
