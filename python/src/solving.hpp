// Results of the C++ library as Python dictionaries, which the package turns into dataclasses.
#pragma once

#include <utility>
#include <vector>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include "bindings.hpp"
#include "mantissa/host/options.hpp"
#include "mantissa/host/solve.hpp"

namespace mantissa::python {

/// A NumPy array that owns `values`.
template <class T> nb::ndarray<nb::numpy, T, nb::c_contig> owned(std::vector<T> values) {
    auto* const kept = new std::vector<T>(std::move(values));
    const nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return nb::ndarray<nb::numpy, T, nb::c_contig>(kept->data(), {kept->size()}, owner);
}

/// The matrix as sparse rows; those of a stencil's Dirichlet nodes are empty.
CompressedRows sparse_rows_of(const System& system);

/// The fields of a SolveResult.
nb::dict to_dict(SolveResult result);

/// What mantissa.solve() says in keywords, as SolveOptions: a dictionary of the names that have a value.
SolveOptions solve_options(const nb::dict& given);

/// What Python gave, as what the option takes.
options::Value value_of(const options::Option& option, nb::handle given);

/// A Progress that ends the solve on ^C, calls `function` (None: nothing) ten times a second at most, and `callback`
/// (None: nothing) for every point whose defect is known. Ends the solve too when one returns False or raises. To be
/// called without the GIL; the exception then stands.
class Watch {
public:
    explicit Watch(nb::object function, nb::object callback = nb::none())
        : function_(std::move(function)), callback_(std::move(callback)) {}
    bool operator()(const HistoryPoint& point);
    [[nodiscard]] bool raised() const { return raised_; }
    /// After the solve, with the GIL: throws what the user or the function has raised.
    void settle() const {
        if (raised_) throw nb::python_error();
    }

private:
    /// False: the solve shall end.
    bool ask(const nb::object& whom, const HistoryPoint& point);

    nb::object function_, callback_;
    double next_ = 0;
    bool raised_ = false;
};

void bind_problems(nb::module_& m);
void bind_solving(nb::module_& m);
void bind_dense(nb::module_& m);
void bind_operators(nb::module_& m);
void bind_sweeps(nb::module_& m);
void bind_tools(nb::module_& m);

} // namespace mantissa::python
