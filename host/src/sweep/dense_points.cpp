#include <algorithm>
#include <map>
#include <mutex>
#include <string>

#include <fmt/format.h>

#include "mantissa/host/dense_point.hpp"
#include "mantissa/host/registry.hpp"
#include "sweep/shared_work.hpp"
#include "text/key_values.hpp"

namespace mantissa {

namespace {

/// Engines by name, one factorisation at a time on each.
class SharedFactors {
public:
    LuFactor get(const std::string& name) {
        const std::lock_guard lock(mutex_);
        Machine& machine = machines_[name];
        if (!machine.factor) machine.factor = make_lu_factor(name, 1);
        return [&machine](const LuSpec& spec, const DenseMatrix& a) {
            const std::lock_guard alone(machine.mutex);
            return machine.factor(spec, a);
        };
    }
    /// A whole solve in the engine's own arithmetic goes alone, too.
    std::mutex& alone(const std::string& name) {
        const std::lock_guard lock(mutex_);
        return machines_[name].mutex;
    }

private:
    struct Machine {
        std::mutex mutex;
        LuFactor factor;
    };
    std::mutex mutex_;
    std::map<std::string, Machine> machines_;
};

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
    sweeps::SharedProblems<DenseProblem> problems(points,
                                                  [](const std::string& text) { return make_dense_problem(text); });
    SharedFactors factors;
    const auto solve_one = [&](const DensePoint& point) {
        const auto outcome = sweeps::outcome_of<DenseOutcome>(point.problem, [&](DenseOutcome& o) {
            const auto problem = problems.get(point.problem);
            DenseOptions options = point.options;
            options.threads = 1;
            o.unknowns = problem->a.size();
            std::unique_lock<std::mutex> alone;
            if (options.spec.native != LuNative::none) {
                options.native = make_native_lu(point.engine);
                alone = std::unique_lock(factors.alone(point.engine));
            } else if (point.engine != "emulated") options.factor = factors.get(point.engine);
            o.result = solve_dense(*problem, options);
            o.result.x = {};
        });
        problems.release(point.problem);
        return outcome;
    };
    sweeps::solve_longest_first<DenseOutcome>(points, threads, solve_one, done);
}

} // namespace mantissa
