// Dense systems.
#include "solving.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "dense/verdict.hpp"
#include "mantissa/host/dense.hpp"
#include "mantissa/host/options.hpp"
#include "mantissa/host/registry.hpp"

namespace mantissa::python {

using namespace nb::literals;

namespace {

using Matrix = nb::ndarray<const double, nb::c_contig, nb::device::cpu, nb::ndim<2>>;
using Vector = nb::ndarray<const double, nb::c_contig, nb::device::cpu, nb::ndim<1>>;

/// `of_ones`: is b that of the solution of all ones?
DenseProblem dense_of(const std::string& name, const Matrix& a, const Vector& b, bool of_ones) {
    if (a.shape(0) != a.shape(1) || a.shape(0) != b.shape(0) || a.shape(0) == 0)
        throw InvalidInput("dense system: give a square matrix and a right-hand side of as many elements");
    const std::size_t n = b.size();
    for (std::size_t k = 0; k < n * n; ++k)
        if (!std::isfinite(a.data()[k]))
            throw InvalidInput("a: element (" + std::to_string(k / n) + ", " + std::to_string(k % n) + ") is " +
                               options::text_of(a.data()[k]) + ": give finite numbers");
    for (std::size_t i = 0; i < n; ++i)
        if (!std::isfinite(b.data()[i]))
            throw InvalidInput("b: element " + std::to_string(i) + " is " + options::text_of(b.data()[i]) +
                               ": give finite numbers");
    return {name, DenseMatrix(a.shape(0), std::vector<double>(a.data(), a.data() + a.size())),
            std::vector<double>(b.data(), b.data() + b.size()), of_ones ? 1.0 : 0.0};
}

/// None for what is no number: errors where there are no factors.
nb::object known(double number, const DenseResult& r) {
    return r.end == LuEnd::factored ? nb::cast(number) : nb::none();
}

nb::dict to_dict(const DenseProblem& problem, DenseResult r) {
    nb::dict d;
    d["problem"] = problem.name;
    d["spec"] = to_string(r.spec);
    d["unknowns"] = problem.a.size();
    d["status"] = to_string(r.status);
    d["end"] = std::string(to_string(r.end));
    d["column"] = r.at;
    d["steps"] = r.steps;
    d["krylov_steps"] = r.krylov_steps;
    d["backward_error"] = known(r.backward_error, r);
    d["hpl_residual"] = known(r.hpl_residual, r);
    d["forward_error"] = problem.each == 0 ? nb::none() : known(r.forward_error, r);
    d["growth"] = known(r.growth, r);
    d["condition"] = known(r.condition, r);
    d["condition_in_sight"] = std::isnan(r.condition) ? nb::none() : nb::cast(dense::condition_in_sight(r));
    d["factor_error"] = known(r.factor_error, r);
    d["factor_seconds"] = r.factor_seconds;
    d["refine_seconds"] = r.refine_seconds;
    nb::list history;
    for (const DenseStep& s : r.history) history.append(nb::make_tuple(s.krylov_steps, s.residual));
    d["history"] = history;
    d["solution"] = r.x.empty() ? nb::none() : nb::cast(owned(std::move(r.x)));
    return d;
}

/// What was given, as dense() declares it. Without an arithmetic on a GPU: the fastest there.
DenseOptions options_of(const nb::dict& given, std::size_t unknowns, const std::string& engine) {
    DenseOptions o;
    o.spec = parse_lu_spec("lu:s10e5:rne");
    bool fastest = engine == "gpu";
    std::vector<const options::Option*> taken, with_value;
    for (const auto& [key, value] : given) {
        const auto name = nb::cast<std::string>(key);
        const options::Option* const option = options::find(name, options::dense());
        if (option == nullptr)
            throw nb::type_error(("there is no option '" + name + "'; docs/options.md has them all").c_str());
        if (std::find(taken.begin(), taken.end(), option) != taken.end())
            throw InvalidInput(name + ": it is given by its earlier name, too; keep one");
        taken.push_back(option);
        if (value.is_none()) continue;
        with_value.push_back(option);
        if (option == &options::dense(options::Dense::lu)) fastest = false;
        options::give(o, *option, value_of(*option, value), name);
    }
    options::require_used(with_value, o);
    if (fastest && o.method == DenseMethod::lu) take_native_dense(unknowns, o);
    return o;
}

nb::dict solve_dense_of(const DenseProblem& problem, const nb::dict& given, int threads, const std::string& engine) {
    DenseOptions options = options_of(given, problem.a.size(), engine);
    options.threads = threads;
    if (options.spec.native != LuNative::none) options.native = make_native_lu(engine);
    else if (options.method == DenseMethod::lu) options.factor = make_lu_factor(engine, threads);
    else if (engine != "emulated")
        throw InvalidInput("engine " + engine + ": an inverse is formed by the engine emulated alone; leave it out");
    DenseResult result;
    bool raised = false;
    {
        const nb::gil_scoped_release release;
        result = solve_dense(problem, options, [&](const DenseStep&) { return !(raised = interrupted()); });
    }
    if (raised || PyErr_CheckSignals() != 0) throw nb::python_error();
    return to_dict(problem, std::move(result));
}

} // namespace

void bind_dense(nb::module_& m) {
    nb::class_<DenseProblem>(m, "DenseProblem")
        .def_ro("name", &DenseProblem::name)
        .def_prop_ro("unknowns", [](const DenseProblem& p) { return p.a.size(); })
        .def("a",
             [](const DenseProblem& p) { return owned(std::vector<double>(p.a.values().begin(), p.a.values().end())); })
        .def("b", [](const DenseProblem& p) { return owned(p.b); });
    m.def("make_dense_problem", &make_dense_problem, "text"_a, nb::call_guard<nb::gil_scoped_release>());
    m.def("dense_problem_of", &dense_of, "name"_a, "a"_a, "b"_a, "of_ones"_a);
    m.def("solve_dense", &solve_dense_of, "problem"_a, "given"_a, "threads"_a, "engine"_a);
}

} // namespace mantissa::python
