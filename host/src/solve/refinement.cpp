// Iterative refinement (FCCM'06, section 2.2), written once for the double outer loop and the middle loops of a
// cascade.
#include <algorithm>
#include <cmath>
#include <vector>

#include "inner.hpp"
#include "words/inner_scale.hpp"
#include "words/moving_restart.hpp"
#include "words/outer_integer.hpp"

namespace mantissa::solving {

std::unique_ptr<OuterArithmetic> make_outer(const Problem& problem, std::span<double> u, const SolveContext& context) {
    const SolveOptions& options = context.options;
    if (options.outer)
        return std::make_unique<IntegerArithmetic>(problem.system, *options.outer, problem.b, u, options.threads);
    return std::make_unique<DoubleArithmetic>(problem.system, options.threads, context.doubled);
}

double refine(OuterArithmetic& outer, InnerSolver& inner, std::span<const double> b, std::span<double> u,
              std::span<double> d, double norm, const RefineGoal& goal, SolveContext& context, BestIterate* best) {
    const SolveOptions& options = context.options;
    const std::size_t size = u.size();
    std::vector<double> part(std::min(size, kTransfer));
    Watch watch(context);
    double before = norm;
    int fruitless = 0;
    InnerScale inner_scale(options);
    MovingRestart moving(options);
    while (norm >= goal.target) {
        // r = d / scale
        const double scale = inner.scales_itself()  ? 1
                             : options.spec.moves() ? moving.scale(largest_of(d), {})
                                                    : inner_scale.of(norm);
        const InnerGoal inner_goal{.steps = options.digits > 0 ? 0 : options.inner,
                                   .reduction = options.digits > 0 ? std::pow(10.0, -options.digits) : 0.0,
                                   .global = goal.target / scale,
                                   .square = inner_scale.fixed() ? norm / scale * (norm / scale) : 1,
                                   .energy_unit = goal.outermost ? scale * scale : 0};
        const InnerOutcome outcome = inner.solve(
            [&](std::size_t at, std::span<double> values) {
                for (std::size_t i = 0; i < values.size(); ++i) values[i] = d[at + i] / scale;
            },
            inner_goal, context);
        if (outcome.overflow && inner_scale.fixed()) {
            if (goal.outermost) ++context.result.outer_iterations;
            if (options.spec.moves()) moving.widen(outcome.words);
            if (!lost_to_overflow(inner_scale, context)) return norm;
            if (watch.ends(context, norm / context.initial)) return norm;
            continue;
        }
        inner_scale.after(outcome.words);
        bool finite = true;
        if (outcome.useful) {
            for (std::size_t at = 0; at < size && finite; at += part.size()) {
                const std::span<double> c(part.data(), std::min(part.size(), size - at));
                inner.read(at, c);
                finite = std::all_of(c.begin(), c.end(), [](double x) { return std::isfinite(x); });
                if (finite) outer.correct(u.subspan(at, c.size()), scale, c);
            }
        }
        if (goal.outermost) ++context.result.outer_iterations;
        if (outer.overflow()) {
            context.stop(Status::breakdown, kOuterOverflow);
            return norm;
        }
        outer.defect(u, b, d);
        norm = outer.norm(d);
        if (best != nullptr) best->offer(norm, u);
        if (goal.outermost) context.record(norm / context.initial);
        if (!goal.outermost) {
            // A middle loop hands back what it has once it gains no more.
            if (!std::isfinite(norm) || norm > 0.5 * before || context.remaining() == 0 || context.cancelled) break;
            before = norm;
            continue;
        }
        if (norm < goal.target * (outcome.reached_global ? 1 + kReachedSlack : 1) ||
            context.reached_as_given(norm, [&] { return d; }) || outcome.reached_energy)
            break;
        if (!outcome.useful || !finite) {
            context.stop(Status::breakdown,
                         outcome.trouble.empty() ? "the inner correction is not finite" : outcome.trouble);
            return norm;
        }
        // An inner solver that ends in trouble again and again without gain will not mend.
        fruitless = !outcome.trouble.empty() && norm > kWorthwhile * before ? fruitless + 1 : 0;
        before = norm;
        if (fruitless >= 10) {
            context.stop(Status::breakdown, outcome.trouble);
            return norm;
        }
        if (watch.ends(context, norm / context.initial)) return norm;
    }
    if (goal.outermost) context.stop(Status::converged);
    return norm;
}

namespace {

class MiddleSolver final : public InnerSolver {
public:
    MiddleSolver(const System& system, const Format& format, std::unique_ptr<InnerSolver> inner, int threads)
        : arithmetic_(system, format, threads), inner_(std::move(inner)), b_(system.size()), u_(system.size()),
          d_(system.size()) {}

    InnerOutcome solve(const Fill& r, const InnerGoal& goal, SolveContext& context) override {
        r(0, b_);
        for (double& x : b_) x = arithmetic_.round(x);
        std::fill(u_.begin(), u_.end(), 0.0);
        d_ = b_;
        const double norm = arithmetic_.norm(b_);
        const double reduction = std::pow(10.0, -context.options.middle_digits);
        const double target = std::max(goal.global, reduction * norm);
        const std::uint64_t before = context.result.inner_iterations;
        InnerOutcome outcome;
        if (!(norm > 0) || !std::isfinite(norm)) {
            outcome.trouble = "the middle loop's right-hand side vanished or overflowed in its format";
            return outcome;
        }
        const double last = refine(arithmetic_, *inner_, b_, u_, d_, norm, {target, false}, context);
        outcome.useful = context.result.inner_iterations > before;
        outcome.reached_global = last < goal.global;
        return outcome;
    }
    void read(std::size_t first, std::span<double> values) override {
        std::copy_n(u_.begin() + static_cast<std::ptrdiff_t>(first), values.size(), values.begin());
    }

private:
    ReducedArithmetic arithmetic_;
    std::unique_ptr<InnerSolver> inner_;
    std::vector<double> b_, u_, d_;
};

} // namespace

std::unique_ptr<InnerSolver> make_middle_solver(const System& system, const Format& format,
                                                std::unique_ptr<InnerSolver> inner, int threads) {
    return std::make_unique<MiddleSolver>(system, format, std::move(inner), threads);
}

} // namespace mantissa::solving
