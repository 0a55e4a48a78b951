#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <numeric>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "mantissa/base/jobs.hpp"
#include "mantissa/errors.hpp"
#include "mantissa/host/dense_point.hpp"
#include "mantissa/host/registry.hpp"
#include "text/key_values.hpp"

namespace mantissa {

namespace {

/// What several points share: problems, built by the first that needs one and let go by the last, and engines, one
/// factorisation at a time on each.
class SharedParts {
public:
    explicit SharedParts(std::span<const DensePoint> points) {
        for (const DensePoint& point : points) ++slots_[point.problem].users;
    }
    std::shared_ptr<const DenseProblem> get(const std::string& text) {
        Slot& slot = slots_.at(text);
        const std::lock_guard lock(slot.mutex);
        if (!slot.value) slot.value = std::make_shared<DenseProblem>(make_dense_problem(text));
        return slot.value;
    }
    void release(const std::string& text) {
        Slot& slot = slots_.at(text);
        const std::lock_guard lock(slot.mutex);
        if (--slot.users == 0) slot.value.reset();
    }

    LuFactor engine(const std::string& name) {
        const std::lock_guard lock(engines_mutex_);
        Machine& machine = engines_[name];
        if (!machine.factor) machine.factor = make_lu_factor(name, 1);
        return [&machine](const LuSpec& spec, const DenseMatrix& a) {
            const std::lock_guard alone(machine.mutex);
            return machine.factor(spec, a);
        };
    }

private:
    struct Machine {
        std::mutex mutex;
        LuFactor factor;
    };
    struct Slot {
        std::mutex mutex;
        std::shared_ptr<const DenseProblem> value;
        std::size_t users = 0;
    };
    std::map<std::string, Slot> slots_;
    std::mutex engines_mutex_;
    std::map<std::string, Machine> engines_;
};

DenseOutcome solve_point(const DensePoint& point, SharedParts& shared) {
    DenseOutcome outcome;
    try {
        const auto problem = shared.get(point.problem);
        DenseOptions options = point.options;
        options.threads = 1;
        if (point.engine != "emulated") options.factor = shared.engine(point.engine);
        outcome.unknowns = problem->a.size();
        outcome.result = solve_dense(*problem, options);
        outcome.result.x = {};
    } catch (const InvalidInput& fault) {
        outcome.refused = fault.what();
    } catch (const ToolFailure& fault) { // as of a device that fails
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

std::string point_key(const DensePoint& point) {
    const DenseOptions& o = point.options;
    std::string key = fmt::format("dense {} engine={} spec={} refine={}", point.problem, point.engine,
                                  to_string(o.spec), to_string(o.refinement));
    if (o.refinement != DenseRefinement::none) key += fmt::format(" steps={}", o.max_steps);
    if (o.refinement == DenseRefinement::gmres_ir)
        key += fmt::format(" krylov={} krylov-tolerance={}", o.krylov, text::shortest(o.krylov_tolerance));
    if (!o.scale) key += " unscaled";
    return key;
}

double estimated_work(const DensePoint& point) {
    const auto n = static_cast<double>(std::max<std::size_t>(1, outline_dense_problem(point.problem).unknowns));
    const DenseOptions& o = point.options;
    // An update of the factors costs about a fiftieth of an unknown's pass in the emulated recurrence; sums that are
    // not in one format of up to float's bits take several times as long; substitutions and products are in double.
    const double update = o.spec.fixed || o.spec.exact_product ? 0.04 : 0.02;
    const double steps = o.refinement == DenseRefinement::none ? 1 : o.refinement == DenseRefinement::ir ? 12 : 40;
    return n * n * (update * n / 3 + 0.04 * steps + 0.02 * n / 3);
}

void solve_points(std::span<const DensePoint> points, int threads,
                  const std::function<void(std::size_t index, const DenseOutcome&)>& done) {
    std::vector<double> work(points.size());
    for (std::size_t i = 0; i < points.size(); ++i) work[i] = estimated_work(points[i]);
    std::vector<std::size_t> order(points.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return work[a] > work[b]; });

    SharedParts shared(points);
    std::vector<DenseOutcome> outcomes(points.size()); // each from its job to done(), no longer
    base::run_jobs(
        order.size(), threads, [&](std::size_t k) { outcomes[order[k]] = solve_point(points[order[k]], shared); },
        [&](std::size_t k) { done(order[k], std::exchange(outcomes[order[k]], {})); });
}

} // namespace mantissa
