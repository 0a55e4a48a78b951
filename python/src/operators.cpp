// A multilevel cycle by itself, for solvers of Python's own.
#include "solving.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <mutex>
#include <string>

#include <nanobind/stl/unique_ptr.h>

#include "mantissa/host/problem.hpp"
#include "mantissa/multilevel/cycle.hpp"

namespace mantissa::python {

using namespace nb::literals;

namespace {

/// A matrix in nine bands that cannot be halved, as of 2^n - 1 inner nodes a side, goes by its rows.
std::unique_ptr<Cycle> cycle_of(const System& system, const CycleSpec& spec, int threads) {
    try {
        return make_cycle(system, spec, threads);
    } catch (const InvalidInput&) {
        if (system.kind() == System::Kind::stencil || system.kind() == System::Kind::sparse) throw;
    }
    return make_cycle(sparse_rows_of(system), spec, threads);
}

/// A cycle that threads of Python may share: they wait for each other.
class SharedCycle {
public:
    SharedCycle(const Problem& problem, const std::string& text, int threads)
        : spec_(parse_cycle_spec(text)), size_(problem.system.size()),
          cycle_(cycle_of(problem.system, spec_, threads)) {}

    [[nodiscard]] std::string spec() const { return to_string(spec_); }
    [[nodiscard]] std::string description() const { return cycle_->description(); }

    [[nodiscard]] nb::ndarray<nb::numpy, double, nb::c_contig> correct(const Doubles& d) {
        if (d.size() != size_)
            throw InvalidInput("multilevel: a vector of " + std::to_string(d.size()) + " numbers beside " +
                               std::to_string(size_) + " unknowns");
        const std::span<const double> values(d.data(), d.size());
        std::vector<double> c(size_);
        {
            const nb::gil_scoped_release release;
            if (!std::all_of(values.begin(), values.end(), [](double x) { return std::isfinite(x); }))
                throw InvalidInput("multilevel: the vector has an element that is not finite; look at the solver");
            const std::lock_guard lock(mutex_);
            cycle_->correct(values, c);
        }
        return owned(std::move(c));
    }

private:
    CycleSpec spec_;
    std::size_t size_;
    std::unique_ptr<Cycle> cycle_;
    std::mutex mutex_;
};

} // namespace

void bind_operators(nb::module_& m) {
    nb::class_<SharedCycle>(m, "Cycle")
        .def_prop_ro("spec", &SharedCycle::spec)
        .def_prop_ro("description", &SharedCycle::description)
        .def("correct", &SharedCycle::correct, "d"_a);
    m.def(
        "make_cycle",
        [](const Problem& problem, const std::string& spec, int threads) {
            const nb::gil_scoped_release release;
            return std::make_unique<SharedCycle>(problem, spec, threads);
        },
        "problem"_a, "spec"_a, "threads"_a);
}

} // namespace mantissa::python
