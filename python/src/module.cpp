// The Python module mantissa._core: the C++ library's formats, arithmetic and solvers on arrays that NumPy owns.
#include "bindings.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "mantissa/base/cores.hpp"
#include "mantissa/errors.hpp"
#include "solving.hpp"
#include "tuning.hpp"

namespace mantissa::python {

bool is_single(const nb::dlpack::dtype& type, const char* what) {
    if (type == nb::dtype<double>()) return false;
    if (type == nb::dtype<float>()) return true;
    throw InvalidInput(std::string(what) + ": its elements are neither float64 nor float32; convert it, as with "
                                           "numpy.asarray(x, dtype=float)");
}

void in_parallel(std::size_t n, int threads, std::size_t grain,
                 const std::function<void(std::size_t, std::size_t)>& work) {
    if (threads == 0) threads = base::usable_cores();
    const std::size_t pieces = std::clamp<std::size_t>(n / grain, 1, static_cast<std::size_t>(std::max(1, threads)));
    if (pieces == 1) return work(0, n);
    const std::size_t each = (n / pieces + grain - 1) / grain * grain;
    std::vector<std::thread> team;
    std::exception_ptr fault;
    std::mutex mutex;
    const auto guarded = [&](std::size_t first, std::size_t count) {
        try {
            work(first, count);
        } catch (...) {
            const std::lock_guard lock(mutex);
            if (!fault) fault = std::current_exception();
        }
    };
    for (std::size_t first = each; first < n; first += each)
        team.emplace_back(guarded, first, std::min(each, n - first));
    guarded(0, std::min(each, n));
    for (std::thread& t : team) t.join();
    if (fault) std::rethrow_exception(fault);
}

nb::tuple made_of_text(nb::handle format) {
    return nb::make_tuple(format.type(), nb::make_tuple(nb::str(format)));
}

bool interrupted() {
    using Clock = std::chrono::steady_clock;
    static std::atomic<Clock::rep> next{0};
    const Clock::time_point now = Clock::now();
    if (now.time_since_epoch().count() < next.load(std::memory_order_relaxed)) return false;
    next = (now + std::chrono::milliseconds(50)).time_since_epoch().count();
    const nb::gil_scoped_acquire gil;
    return PyErr_CheckSignals() != 0;
}

} // namespace mantissa::python

NB_MODULE(_core, m) {
    namespace nb = nanobind;
    m.doc() = "Mantissa's C++ library; the package mantissa is the interface for people.";
    // The library's exceptions as Python's own, with the same line: a wrong request is a ValueError, a missing or
    // failing tool a RuntimeError; what no fixed-point word holds is an OverflowError by nanobind's own rules.
    nb::register_exception_translator([](const std::exception_ptr& fault, void*) {
        try {
            std::rethrow_exception(fault);
        } catch (const mantissa::InvalidInput& wrong) {
            PyErr_SetString(PyExc_ValueError, wrong.what());
        }
    });
    mantissa::python::bind_formats(m);
    mantissa::python::bind_elementwise(m);
    mantissa::python::bind_words(m);
    mantissa::python::bind_sums(m);
    mantissa::python::bind_narrow(m);
    mantissa::python::bind_blocks(m);
    mantissa::python::bind_narrow_words(m);
    mantissa::python::bind_problems(m);
    mantissa::python::bind_solving(m);
    mantissa::python::bind_dense(m);
    mantissa::python::bind_operators(m);
    mantissa::python::bind_sweeps(m);
    mantissa::python::bind_tools(m);
    mantissa::python::bind_tuning(m);
}
