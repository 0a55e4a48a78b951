#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "mantissa/host/registry.hpp"
#include "mantissa/host/sweep.hpp"
#include "sweep/shared_work.hpp"

namespace mantissa {

namespace {

/// Engines by name, each made by the first point that needs it.
class SharedEngines {
public:
    explicit SharedEngines(std::span<const Point> points) {
        for (const Point& point : points) slots_[point.engine];
    }
    const Engine& get(const std::string& name) {
        Slot& slot = slots_.at(name);
        const std::lock_guard lock(slot.mutex);
        if (!slot.value) slot.value = make_engine(name);
        return *slot.value;
    }

private:
    struct Slot {
        std::mutex mutex;
        std::unique_ptr<Engine> value;
    };
    std::map<std::string, Slot> slots_;
};

} // namespace

void solve_points(std::span<const Point> points, int threads,
                  const std::function<void(std::size_t index, const PointOutcome&)>& done) {
    sweeps::SharedProblems<Problem> problems(points, [](const std::string& text) { return make_problem(text); });
    SharedEngines engines(points);
    const auto solve_one = [&](const Point& point) {
        const auto outcome = sweeps::outcome_of<PointOutcome>(point.problem, [&](PointOutcome& o) {
            const auto problem = problems.get(point.problem);
            o.unknowns = problem->system.size();
            o.result = solve(*problem, engines.get(point.engine), point.options);
        });
        problems.release(point.problem);
        return outcome;
    };
    sweeps::solve_longest_first<PointOutcome>(points, threads, solve_one, done);
}

} // namespace mantissa
