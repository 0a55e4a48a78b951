// Solves and advice.
#include "solving.hpp"

#include <algorithm>
#include <chrono>
#include <iterator>

#include "mantissa/host/advise.hpp"
#include "mantissa/host/native.hpp"
#include "mantissa/host/registry.hpp"

namespace mantissa::python {

using namespace nb::literals;

namespace {

double now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

template <class T> void take(const nb::dict& given, const char* key, T& field) {
    if (given.contains(key)) field = nb::cast<T>(given[key]);
}
std::string text_at(const nb::dict& given, const char* key) {
    return nb::cast<std::string>(given[key]);
}

void check(const SolveOptions& o) {
    if (o.inner < 1) throw InvalidInput("inner 0: give 1 or more inner iterations");
    if (o.digits != 0) checked_digits(o.digits, "digits");
    checked_digits(o.middle_digits, "middle_digits");
    if (!(o.tolerance > 0 && o.tolerance < 1)) throw InvalidInput("tolerance: give a number between 0 and 1");
    if (o.headroom && (*o.headroom < kLeastHeadroom || *o.headroom > kMostHeadroom))
        throw InvalidInput("headroom: give -20 to 40 bits");
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
    d["scheme"] = to_string(proposal->options.scheme);
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

nb::dict advise_of(const Problem& problem, double tolerance, std::uint64_t inner, int threads) {
    Advice advice;
    {
        const nb::gil_scoped_release release;
        advice = advise(problem, {tolerance, inner, threads}, {});
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
    d["why_not"] = advice.why_not;
    d["text"] = advice_text(problem, advice);
    return d;
}

/// Beside spec and scheme: something that a native solve has not.
bool asks_for_a_datapath(const nb::dict& given, const SolveOptions& options) {
    constexpr const char* kKeys[] = {"inner",     "digits", "outer",         "headroom",
                                     "couplings", "middle", "middle_digits", "schedule"};
    return options.resident ||
           std::any_of(std::begin(kKeys), std::end(kKeys), [&](const char* key) { return given.contains(key); });
}

nb::dict solve_of(const Problem& problem, const std::string& engine, const nb::dict& given, nb::object progress) {
    SolveOptions options = solve_options(given);
    const std::string written = given.contains("spec") ? text_at(given, "spec") : std::string();
    take_native_default({engine, written, given.contains("scheme"), asks_for_a_datapath(given, options)}, options);
    Watch watch(std::move(progress));
    SolveResult result;
    {
        const nb::gil_scoped_release release;
        const std::unique_ptr<Engine> made = make_engine(engine);
        result = solve(problem, *made, options, std::ref(watch));
    }
    watch.settle();
    nb::dict d = to_dict(std::move(result));
    d["problem"] = problem.name;
    d["spec"] = to_string(options.spec);
    d["scheme"] = to_string(options.scheme);
    d["engine"] = engine;
    return d;
}

} // namespace

bool Watch::operator()(const HistoryPoint& point) {
    if (interrupted()) {
        raised_ = true;
        return false;
    }
    if (function_.is_none() || now() < next_) return true; // is_none() compares an address
    next_ = now() + 0.1;
    const nb::gil_scoped_acquire gil;
    try {
        return !function_(point.inner_iterations, point.outer_iterations, point.relative_defect)
                    .is(nb::handle(Py_False));
    } catch (nb::python_error& raised) {
        raised.restore();
        raised_ = true;
        return false;
    }
}

SolveOptions solve_options(const nb::dict& given) {
    SolveOptions o;
    if (given.contains("scheme")) o.scheme = parse_scheme(text_at(given, "scheme"));
    if (given.contains("spec")) o.spec = parse_spec(text_at(given, "spec"));
    if (given.contains("schedule")) {
        o.schedule.clear();
        for (const auto& [below, spec] : nb::cast<std::vector<std::pair<double, std::string>>>(given["schedule"]))
            o.schedule.push_back({below, parse_spec(spec)});
        if (o.schedule.empty())
            throw InvalidInput("schedule: it is empty; give pairs (below, spec), the first below 1");
        o.spec = o.schedule.front().spec;
    }
    if (given.contains("middle"))
        for (const std::string& format : nb::cast<std::vector<std::string>>(given["middle"]))
            o.middle.push_back(parse_format(format));
    if (given.contains("outer")) o.outer = parse_format(text_at(given, "outer"));
    if (given.contains("plan")) o.plan = parse_native_plan(text_at(given, "plan"));
    take(given, "resident", o.resident);
    if (o.resident && !o.outer) o.outer = kResidentIterate;
    if (given.contains("headroom")) o.headroom = nb::cast<int>(given["headroom"]);
    if (given.contains("couplings")) o.couplings = parse_format(text_at(given, "couplings"));
    take(given, "inner", o.inner);
    take(given, "digits", o.digits);
    take(given, "middle_digits", o.middle_digits);
    take(given, "tolerance", o.tolerance);
    take(given, "max_iterations", o.max_iterations);
    take(given, "jacobi", o.jacobi);
    take(given, "threads", o.threads);
    take(given, "history", o.history);
    take(given, "solution", o.keep_solution);
    check(o);
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
    d["sigma_guards"] = r.sigma_guards;
    d["overflows"] = r.overflows;
    d["equation_scale"] = r.equation_scale;
    d["bits_multiplied"] = static_cast<double>(r.bit_operations.multiplied);
    d["bits_added"] = static_cast<double>(r.bit_operations.added);
    d["longest_words"] = nb::make_tuple(r.words.u, r.words.r, r.words.p, r.words.q);
    d["cycles"] = r.cycles ? nb::cast(*r.cycles) : nb::none();
    d["plan"] = r.native ? nb::cast(to_string(r.native->plan)) : nb::none();
    d["plan_reason"] = r.native ? nb::cast(r.native->why) : nb::none();
    d["device_seconds"] = r.native ? nb::cast(r.native->seconds) : nb::none();
    d["seconds"] = r.seconds;
    d["history"] = history_of(r.history);
    d["solution"] = r.u.empty() ? nb::none() : nb::cast(owned(std::move(r.u)));
    return d;
}

void bind_solving(nb::module_& m) {
    m.def("solve", &solve_of, "problem"_a, "engine"_a, "options"_a, "progress"_a.none());
    m.def("advise", &advise_of, "problem"_a, "tolerance"_a, "inner"_a, "threads"_a);
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
