// Solves and advice.
#include "solving.hpp"

#include <algorithm>
#include <chrono>
#include <functional>
#include <optional>
#include <utility>

#include "advise/cycles/cycle_json.hpp"
#include "advise/hardware.hpp"
#include "mantissa/base/files.hpp"
#include "mantissa/base/quoted.hpp"
#include "mantissa/host/advise.hpp"
#include "mantissa/host/advise_cycles.hpp"
#include "mantissa/host/fastest.hpp"
#include "mantissa/host/native.hpp"
#include "mantissa/host/options.hpp"
#include "mantissa/host/registry.hpp"

namespace mantissa::python {

using namespace nb::literals;

namespace {

double now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// What the option takes, in words.
std::string taken_text(const options::Option& option) {
    switch (option.type) {
    case options::Type::truth:
        return "True or False";
    case options::Type::formats:
        return "a format or a list of formats";
    case options::Type::schedule:
        return "a text or a list of pairs, each a defect and a format";
    default:
        return options::range_text(option);
    }
}

[[noreturn]] void refuse(const options::Option& option, nb::handle given) {
    throw InvalidInput(options::spelt(option) + " " + base::shortened(nb::cast<std::string>(nb::repr(given))) +
                       ": give " + taken_text(option));
}

/// A list of Python's as the text that the option takes; a text as it is.
std::string listed(const options::Option& option, nb::handle given, char between,
                   const std::function<std::string(nb::handle)>& item) {
    if (nb::isinstance<nb::str>(given)) return nb::cast<std::string>(given);
    if (!nb::isinstance<nb::iterable>(given)) refuse(option, given);
    std::string text;
    bool first = true;
    for (const nb::handle one : nb::iter(given)) {
        if (!std::exchange(first, false)) text += between;
        text += item(one);
    }
    return text;
}
std::string text_of(nb::handle given) {
    return nb::cast<std::string>(nb::str(given));
}

nb::list history_of(const std::vector<HistoryPoint>& history) {
    nb::list points;
    for (const HistoryPoint& h : history)
        points.append(nb::make_tuple(h.inner_iterations, h.outer_iterations, h.relative_defect));
    return points;
}

nb::dict widths_to_dict(const AdvisedWidths& w) {
    nb::dict d;
    d["coefficient_bits"] = w.coefficient;
    d["coefficient_word"] = w.coefficient_word;
    d["vector_bits"] = w.vector;
    d["product_bits"] = w.product;
    d["integer_bits"] = w.integer;
    d["iterate_bits"] = w.iterate;
    d["operand_bits"] = w.operand;
    d["exact_rows"] = w.exact_rows;
    return d;
}

nb::object to_object(const Problem& problem, const std::optional<Proposal>& proposal) {
    if (!proposal) return nb::none();
    nb::dict d = widths_to_dict(proposal->widths);
    d["spec"] = to_string(proposal->options.spec);
    d["scheme"] = scheme_name(proposal->options);
    d["inner"] = proposal->options.inner;
    d["jacobi"] = proposal->options.jacobi;
    d["tolerance"] = proposal->options.tolerance;
    if (proposal->options.headroom) d["headroom"] = *proposal->options.headroom;
    else d["headroom"] = nb::none();
    d["max_iterations"] = proposal->options.max_iterations;
    if (proposal->tried) d["tried_iterations"] = *proposal->tried;
    else d["tried_iterations"] = nb::none();
    d["command"] = advised_command(problem, *proposal);
    return d;
}

/// JSON as Python's own values.
nb::object to_object(const results::Json& json) {
    return nb::module_::import_("json").attr("loads")(
        json.dump(-1, ' ', false, results::Json::error_handler_t::replace));
}

nb::dict advise_of(const Problem& problem, double tolerance, std::uint64_t inner, int threads,
                   const std::string& engine, const std::string& device, const std::string& store) {
    AdviceOptions options{tolerance, inner, threads};
    const bool on_device = !device.empty();
    if (!on_device && !store.empty())
        throw InvalidInput("store: it keeps what device= computes; give a device too, or leave it out");
    if (!store.empty()) base::check_store_path("store", store);
    Advice advice;
    std::optional<advising::Hardware> hardware;
    {
        const nb::gil_scoped_release release;
        if (!engine.empty() || on_device) options.refusal = advising::refusal_by(engine, on_device);
        options.engine = engine.substr(0, engine.find(','));
        const advising::HardwareRequest request{device, store, "mantissa.advise() of Python", threads};
        if (on_device) advising::check_device(problem, request);
        advice = advise(problem, options, {});
        if (on_device && advice.found()) hardware = advising::hardware_of(problem, *advice.advised, request);
    }
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    const MatrixMeasured& m = advice.measured;
    nb::dict d;
    d["unknowns"] = m.unknowns;
    d["smallest_eigenvalue"] = m.smallest;
    d["largest_eigenvalue"] = m.largest;
    d["settled"] = m.settled;
    d["double_reached"] = m.double_reached;
    d["double_iterations"] = m.double_iterations;
    d["floor"] = m.floor;
    d["advised"] = to_object(problem, advice.advised);
    d["fewest"] = to_object(problem, advice.fewest);
    d["cycles"] = advice.cycles ? nb::cast("multilevel:" + advice.cycles->spec) : nb::none();
    d["cycles_command"] =
        advice.cycles ? nb::cast(cycle_command(problem, parse_cycle_spec(advice.cycles->spec), tolerance)) : nb::none();
    d["why_not"] = advice.why_not;
    d["text"] = advising::text_on(problem, advice, hardware);
    d["hardware"] = hardware ? to_object(advising::to_json(*hardware)) : nb::none();
    return d;
}

/// The advice on cycles as its JSON object, with the text.
nb::object advise_cycles_of(const Problem& problem, const std::string& cycle, double tolerance, int threads) {
    AdviceOptions options;
    options.tolerance = tolerance;
    options.threads = threads;
    const CycleSpec asked = parse_cycle_spec(cycle);
    results::Json j;
    {
        const nb::gil_scoped_release release;
        const CycleAdvice advice = advise_cycles(problem, asked, options);
        j = advising::to_json(problem, advice, tolerance);
        j["text"] = cycle_advice_text(problem, advice, tolerance);
    }
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    return to_object(j);
}

/// What was given, as far as it says whether the solve is native; of a datapath, whose text is `written`, only that.
AskedFor asked_for(const std::string& engine, const std::string& written, const nb::dict& given) {
    AskedFor asked{engine, written};
    for (const options::Option& option : options::table()) {
        const std::string name = options::spelt(option);
        if (options::names_datapath(option) || !given.contains(name.c_str())) continue;
        if (option.type == options::Type::truth && given[name.c_str()].is(nb::handle(Py_False))) continue;
        asked.scheme = asked.scheme || option.asks == options::Asks::scheme;
        asked.solver = asked.solver || option.asks == options::Asks::solver;
        asked.datapath = asked.datapath || option.asks == options::Asks::datapath;
        asked.plan = asked.plan || option.asks == options::Asks::plan;
    }
    return asked;
}

/// A result for each of the problem's right-hand sides. `guess`: None, or where the solves begin.
nb::list solve_of(const Problem& problem, const std::string& engine, const nb::dict& given, const nb::object& guess,
                  nb::object progress, nb::object callback) {
    SolveOptions options = solve_options(given);
    const std::string written = given.contains("spec") ? text_of(given["spec"]) : std::string();
    const AskedFor asked = asked_for(engine, written, given);
    const bool any_way = take_native_default(asked, options) && written.empty() && !asked.plan;
    const bool other =
        !take_native_loops(asked, problem, options) && !asked.scheme && take_native_recurrence(problem, options);
    const bool own_choice = (any_way || other) && has_other_ways(options);
    Watch watch(std::move(progress), std::move(callback));
    std::optional<Problem> begun;
    if (!guess.is_none()) {
        const auto from = nb::cast<Doubles>(guess);
        begun = problem;
        begun->guess.assign(from.data(), from.data() + from.size());
        for (std::size_t i = 0; i < from.size() && !problem.origin.empty(); ++i)
            begun->guess[i] -= problem.origin[i % problem.origin.size()];
    }
    std::vector<SolveResult> results;
    {
        const nb::gil_scoped_release release;
        const std::unique_ptr<Engine> made = make_engine(engine);
        const Problem& whole = begun ? *begun : problem;
        results = own_choice ? solve_fastest(whole, *made, options, std::ref(watch), [](const std::string&) {})
                             : solve_all(whole, *made, options, std::ref(watch));
    }
    watch.settle();
    nb::list all;
    for (SolveResult& result : results) {
        nb::dict d = to_dict(std::move(result));
        d["problem"] = problem.name;
        d["spec"] = to_string(options.spec);
        d["scheme"] = scheme_name(options);
        d["engine"] = engine;
        all.append(std::move(d));
    }
    return all;
}

} // namespace

options::Value value_of(const options::Option& option, nb::handle given) {
    using options::Type;
    const auto as = [&]<class T>(bool right, T) {
        T value{};
        if (!right || !nb::try_cast<T>(given, value)) refuse(option, given);
        return value;
    };
    const bool is_truth = PyBool_Check(given.ptr()), is_whole = PyLong_Check(given.ptr()) && !is_truth;
    switch (option.type) {
    case Type::truth:
        return as(is_truth, bool());
    case Type::whole:
        return as(is_whole, std::uint64_t());
    case Type::integer:
        return as(is_whole, std::int64_t());
    case Type::number:
        return as(is_whole || PyFloat_Check(given.ptr()), double());
    case Type::formats:
        return listed(option, given, ',', text_of);
    case Type::schedule:
        return listed(option, given, ';', [&](nb::handle pair) {
            std::pair<double, nb::object> stage;
            if (!nb::try_cast(pair, stage)) refuse(option, given);
            return options::text_of(stage.first) + ':' + text_of(stage.second);
        });
    default:
        return text_of(given);
    }
}

bool Watch::operator()(const HistoryPoint& point) {
    if (raised_) return false; // (also of the solves that follow)
    if (interrupted()) {
        raised_ = true;
        return false;
    }
    // is_none() compares an address. Looks within an outer step carry no defect.
    if (!callback_.is_none() && point.relative_defect != 0 && !ask(callback_, point)) return false;
    if (function_.is_none() || now() < next_) return true;
    next_ = now() + 0.1;
    return ask(function_, point);
}

namespace {

/// A comparison with a number of NumPy gives its own kind of truth.
bool is_false_of_numpy(nb::handle said) {
    const nb::object dtype = nb::getattr(said, "dtype", nb::none());
    const bool truth = nb::getattr(dtype, "kind", nb::none()).equal(nb::str("b"));
    return truth && said.attr("ndim").equal(nb::int_(0)) && PyObject_IsTrue(said.ptr()) == 0;
}

} // namespace

bool Watch::ask(const nb::object& whom, const HistoryPoint& point) {
    const nb::gil_scoped_acquire gil;
    try {
        const nb::object said = whom(point.inner_iterations, point.outer_iterations, point.relative_defect);
        return !said.is(nb::handle(Py_False)) && !is_false_of_numpy(said);
    } catch (nb::python_error& raised) {
        raised.restore();
        raised_ = true;
        return false;
    }
}

SolveOptions solve_options(const nb::dict& given) {
    options::Request request;
    std::vector<const options::Option*> taken;
    for (const options::Option& option : options::table()) {
        const std::string name = options::spelt(option);
        if (!given.contains(name.c_str())) continue;
        for (const options::Option* other : taken) // (a datapath is always given)
            if (options::exclude_each_other(option, *other) && !options::names_datapath(*other))
                throw InvalidInput(options::spelt(*other) + " and " + name + " exclude each other: keep one");
        taken.push_back(&option);
        give(request, option, value_of(option, given[name.c_str()]), name);
    }
    for (const auto& [key, value] : given) {
        const auto name = nb::cast<std::string>(key);
        const options::Option& threads = options::common(options::Common::threads);
        if (name == threads.name) give(request, threads, value_of(threads, value), name);
        else if (name == options::common(options::Common::solution).name)
            request.options.keep_solution = nb::cast<bool>(value);
        else if (options::find(name) == nullptr)
            throw nb::type_error(("there is no option '" + name + "'; docs/options.md has them all").c_str());
    }
    SolveOptions o = request.finish();
    options::require_used(taken, o);
    if (o.resident && !o.outer) o.outer = kResidentIterate;
    return o;
}

nb::dict to_dict(SolveResult r) {
    nb::dict d;
    d["status"] = to_string(r.status);
    d["detail"] = r.detail;
    d["inner_iterations"] = r.inner_iterations;
    d["outer_iterations"] = r.outer_iterations;
    d["true_residual"] = r.true_residual;
    d["error"] = r.error ? nb::cast(*r.error) : nb::none();
    d["energy_error"] = r.energy ? nb::cast(r.energy->value()) : nb::none();
    d["energy_bounds"] = r.energy ? nb::cast(nb::make_tuple(r.energy->lower, r.energy->upper)) : nb::none();
    d["error_bound"] = r.bound && r.bound->absolute ? nb::cast(*r.bound->absolute) : nb::none();
    d["relative_error_bound"] = r.bound && r.bound->relative ? nb::cast(*r.bound->relative) : nb::none();
    d["bound_method"] = r.bound ? nb::cast(r.bound->absolute ? r.bound->method : "none: " + r.bound->why) : nb::none();
    d["sigma_guards"] = r.sigma_guards;
    d["overflows"] = r.overflows;
    d["equation_scale"] = r.equation_scale;
    d["bits_multiplied"] = static_cast<double>(r.bit_operations.multiplied);
    d["bits_added"] = static_cast<double>(r.bit_operations.added);
    d["longest_words"] = nb::make_tuple(r.words.u, r.words.r, r.words.p, r.words.q);
    d["cycles"] = r.cycles ? nb::cast(*r.cycles) : nb::none();
    d["plan"] = r.native ? nb::cast(to_string(r.native->plan)) : nb::none();
    d["plan_reason"] = r.native ? nb::cast(r.native->why) : nb::none();
    d["levels"] = r.levels ? nb::cast(r.levels->text) : nb::none();
    d["set_up_seconds"] = r.levels ? nb::cast(r.levels->seconds) : nb::none();
    d["device_seconds"] = r.native           ? nb::cast(r.native->seconds)
                          : r.device_seconds ? nb::cast(*r.device_seconds)
                                             : nb::none();
    d["seconds"] = r.seconds;
    d["history"] = history_of(r.history);
    d["solution"] = r.u.empty() ? nb::none() : nb::cast(owned(std::move(r.u)));
    return d;
}

void bind_solving(nb::module_& m) {
    m.def("solve", &solve_of, "problem"_a, "engine"_a, "options"_a, "guess"_a.none(), "progress"_a.none(),
          "callback"_a.none());
    m.def("advise", &advise_of, "problem"_a, "tolerance"_a, "inner"_a, "threads"_a, "engine"_a, "device"_a, "store"_a);
    m.def("advise_cycles", &advise_cycles_of, "problem"_a, "cycle"_a, "tolerance"_a, "threads"_a);
    m.def(
        "parse_spec", [](const std::string& text) { return to_string(parse_spec(text)); }, "text"_a,
        "The full text of a datapath, canonical. Raises ValueError for one that no engine can mean.");
    m.def("engines", [] {
        nb::list all;
        for (const EngineEntry& e : list_engines()) all.append(nb::make_tuple(e.name, e.description, e.missing));
        return all;
    });
}

} // namespace mantissa::python
