#include <algorithm>
#include <atomic>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <thread>

#include <fmt/format.h>

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
    std::atomic<std::size_t> next{0};
    std::mutex mutex;
    std::exception_ptr failure;
    const auto worker = [&] {
        for (std::size_t k = next++; k < order.size(); k = next++) {
            try {
                const PointOutcome outcome = solve_point(points[order[k]], shared);
                const std::lock_guard lock(mutex);
                if (failure) return;
                done(order[k], outcome);
            } catch (...) {
                const std::lock_guard lock(mutex);
                if (!failure) failure = std::current_exception();
                next = order.size();
                return;
            }
        }
    };
    {
        std::vector<std::jthread> others;
        const std::size_t count = std::min<std::size_t>(static_cast<std::size_t>(std::max(threads, 1)), points.size());
        for (std::size_t t = 1; t < count; ++t) others.emplace_back(worker);
        worker();
    }
    if (failure) std::rethrow_exception(failure);
}

} // namespace mantissa
