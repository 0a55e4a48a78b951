// Sweeps and their stores.
#include "solving.hpp"

#include <atomic>
#include <chrono>
#include <future>
#include <mutex>
#include <stdexcept>
#include <tuple>

#include "mantissa/base/files.hpp"
#include "mantissa/host/provenance.hpp"
#include "mantissa/host/store.hpp"
#include "mantissa/host/sweep.hpp"

namespace mantissa::python {

using namespace nb::literals;

namespace {

struct Stopped : std::exception {};

struct Report {
    std::size_t points = 0, stored_before = 0, computed = 0, not_converged = 0;
    std::vector<std::pair<std::string, std::string>> refused;
};

bool converged(const PointOutcome& o) {
    return o.result.status == Status::converged;
}
bool converged(const DenseOutcome& o) {
    return o.result.status == DenseStatus::converged;
}

template <class P> struct OutcomeOf;
template <> struct OutcomeOf<Point> { using Type = PointOutcome; };
template <> struct OutcomeOf<DensePoint> { using Type = DenseOutcome; };

/// Solves the points that the store lacks. Each is stored as it comes; `stop` ends the run after the points in flight.
template <class P>
void run_points(const std::vector<P>& points, Store& store, int threads, const std::atomic<bool>& stop,
                Report& report) {
    std::vector<P> todo;
    for (const P& point : points)
        if (store.contains(point)) ++report.stored_before;
        else todo.push_back(point);
    report.points += points.size();
    std::mutex mutex;
    solve_points(todo, threads, [&](std::size_t index, const typename OutcomeOf<P>::Type& outcome) {
        const std::lock_guard lock(mutex);
        if (outcome.refused.empty()) {
            store.put(todo[index], outcome.result, outcome.unknowns, current_provenance("mantissa.sweep() of Python"));
            ++report.computed;
            report.not_converged += converged(outcome) ? 0 : 1;
        } else {
            report.refused.emplace_back(point_key(todo[index]), outcome.refused);
        }
        if (stop) throw Stopped();
    });
}

/// The sweep on other threads, while this one looks for ^C, which Python tells the main thread alone.
Report run_watched(const Sweep& sweep, Store& store, int threads, bool& raised) {
    Report report;
    std::atomic<bool> stop = false;
    std::future<void> run = std::async(std::launch::async, [&] {
        run_points(sweep.points, store, threads, stop, report);
        run_points(sweep.dense, store, threads, stop, report);
    });
    while (run.wait_for(std::chrono::milliseconds(20)) != std::future_status::ready)
        if (!raised && interrupted()) stop = raised = true;
    try {
        run.get();
    } catch (const Stopped&) { // what was asked for
    }
    return report;
}

nb::dict sweep_of(const std::string& text, const std::string& name, bool is_file, const std::string& path,
                  int threads) {
    const Sweep sweep = is_file ? read_sweep(name) : parse_sweep(text, name);
    const std::unique_ptr<Store> opened = open_store(sweep, "store", path);
    Store& store = *opened;
    Report report;
    bool raised = false;
    {
        const nb::gil_scoped_release release;
        report = run_watched(sweep, store, threads, raised);
    }
    if (raised) throw nb::python_error();
    nb::dict d;
    d["points"] = report.points;
    d["stored_before"] = report.stored_before;
    d["computed"] = report.computed;
    d["not_converged"] = report.not_converged;
    d["refused"] = report.refused;
    std::vector<std::string> notes = store.notes_on_files();
    for (const StoredPoints which : {StoredPoints::iterative, StoredPoints::dense})
        for (std::string& line : store.mixed_contents(which)) notes.push_back(std::move(line));
    d["notes"] = notes;
    d["dense"] = !sweep.dense.empty();
    return d;
}

} // namespace

void bind_sweeps(nb::module_& m) {
    m.def("sweep", &sweep_of, "text"_a, "name"_a, "is_file"_a, "store"_a, "threads"_a);
    m.def("dense_sweep_keys", &dense_sweep_keys, "Keys that grids of dense systems take, and others do not.");
    m.def(
        "sweep_store", [](const std::string& file) { return read_sweep(file).store; }, "file"_a,
        "The store that a sweep file names; empty where it names none.");
    m.def(
        "export_store",
        [](const std::string& store, const std::string& to, bool dense) {
            Store(store, StoreAccess::read)
                .export_json_lines(to, dense ? StoredPoints::dense : StoredPoints::iterative);
        },
        "store"_a, "to"_a, "dense"_a);
}

} // namespace mantissa::python
