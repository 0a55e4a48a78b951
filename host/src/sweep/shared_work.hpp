// What sweeps of every kind of point do alike: problems that several points share, points solved longest first, faults
// that refuse one point and end nothing else.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "mantissa/base/jobs.hpp"
#include "mantissa/errors.hpp"

namespace mantissa::sweeps {

/// Problems by their text: each is built by the first point that needs it and let go by the last.
template <class Problem> class SharedProblems {
public:
    template <class Point>
    SharedProblems(std::span<const Point> points, std::function<Problem(const std::string&)> make)
        : make_(std::move(make)) {
        for (const Point& point : points) ++slots_[point.problem].users;
    }
    std::shared_ptr<const Problem> get(const std::string& text) {
        Slot& slot = slots_.at(text);
        const std::lock_guard lock(slot.mutex);
        if (!slot.value) slot.value = std::make_shared<const Problem>(make_(text));
        return slot.value;
    }
    void release(const std::string& text) {
        Slot& slot = slots_.at(text);
        const std::lock_guard lock(slot.mutex);
        if (--slot.users == 0) slot.value.reset();
    }

private:
    struct Slot {
        std::mutex mutex;
        std::shared_ptr<const Problem> value;
        std::size_t users = 0;
    };
    std::function<Problem(const std::string&)> make_;
    std::map<std::string, Slot> slots_;
};

/// `fill(outcome)`, or why this point has none.
template <class Outcome, class Fill> Outcome outcome_of(const std::string& problem, Fill&& fill) {
    Outcome outcome;
    try {
        fill(outcome);
    } catch (const InvalidInput& fault) {
        outcome.refused = fault.what();
    } catch (const ToolFailure& fault) { // as of an engine whose compiler is missing, or a device that fails
        outcome.refused = fault.what();
    } catch (const std::bad_alloc&) {
        outcome.refused = fmt::format("problem '{}': not enough memory for it here; use fewer threads or a smaller "
                                      "problem",
                                      problem);
    }
    return outcome;
}

/// Solves every point, those of most estimated_work() first; `done` gets each outcome with the point's place.
template <class Outcome, class Point, class Solve, class Done>
void solve_longest_first(std::span<const Point> points, int threads, Solve&& solve, Done&& done) {
    std::vector<double> work(points.size());
    for (std::size_t i = 0; i < points.size(); ++i) work[i] = estimated_work(points[i]);
    std::vector<std::size_t> order(points.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return work[a] > work[b]; });

    std::vector<Outcome> outcomes(points.size()); // each from its job to done(), no longer
    base::run_jobs(
        order.size(), threads, [&](std::size_t k) { outcomes[order[k]] = solve(points[order[k]]); },
        [&](std::size_t k) { done(order[k], std::exchange(outcomes[order[k]], Outcome())); });
}

} // namespace mantissa::sweeps
