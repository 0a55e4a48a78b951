#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "mantissa/base/jobs.hpp"
#include "mantissa/format.hpp"
#include "mantissa/host/registry.hpp"
#include "mantissa/host/sweep.hpp"

namespace mantissa {

namespace {

/// Problems and engines that several points share. A problem is built by the first point that needs it and let go by
/// the last.
class Shared {
public:
    explicit Shared(std::span<const Point> points) {
        for (const Point& point : points) {
            ++problems_[point.problem].users;
            engines_[point.engine];
        }
    }
    std::shared_ptr<const Problem> problem(const std::string& text) {
        Slot<Problem>& slot = problems_.at(text);
        const std::lock_guard lock(slot.mutex);
        if (!slot.value) slot.value = std::make_shared<Problem>(make_problem(text));
        return slot.value;
    }
    void release(const std::string& text) {
        Slot<Problem>& slot = problems_.at(text);
        const std::lock_guard lock(slot.mutex);
        if (--slot.users == 0) slot.value.reset();
    }
    const Engine& engine(const std::string& name) {
        Slot<Engine>& slot = engines_.at(name);
        const std::lock_guard lock(slot.mutex);
        if (!slot.value) slot.value = make_engine(name);
        return *slot.value;
    }

private:
    template <class T> struct Slot {
        std::mutex mutex;
        std::shared_ptr<T> value;
        std::size_t users = 0;
    };
    std::map<std::string, Slot<Problem>> problems_;
    std::map<std::string, Slot<Engine>> engines_;
};

PointOutcome solve_point(const Point& point, Shared& shared) {
    PointOutcome outcome;
    try {
        const auto problem = shared.problem(point.problem);
        outcome.unknowns = problem->system.size();
        outcome.result = solve(*problem, shared.engine(point.engine), point.options);
    } catch (const InvalidInput& fault) {
        outcome.refused = fault.what();
    } catch (const ToolFailure& fault) { // as of an engine whose compiler is missing; others have none
        outcome.refused = fault.what();
    } catch (const std::bad_alloc&) {
        outcome.refused = fmt::format("problem '{}': not enough memory for it here; use fewer threads or a smaller "
                                      "problem",
                                      point.problem);
    }
    shared.release(point.problem);
    return outcome;
}

} // namespace

void solve_points(std::span<const Point> points, int threads,
                  const std::function<void(std::size_t index, const PointOutcome&)>& done) {
    std::vector<double> work(points.size());
    for (std::size_t i = 0; i < points.size(); ++i) work[i] = estimated_work(points[i]);
    std::vector<std::size_t> order(points.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return work[a] > work[b]; });

    Shared shared(points);
    std::vector<PointOutcome> outcomes(points.size()); // each from its job to done(), no longer
    base::run_jobs(
        order.size(), threads, [&](std::size_t k) { outcomes[order[k]] = solve_point(points[order[k]], shared); },
        [&](std::size_t k) { done(order[k], std::exchange(outcomes[order[k]], {})); });
}

} // namespace mantissa
