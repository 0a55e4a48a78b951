// GMRES(m), on the whole problem and as an inner solver of refinement. The true defect decides.
#include "mantissa/recurrence/gmres.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "inner.hpp"
#include "schemes.hpp"

namespace mantissa::solving {

namespace {

std::string why_gmres_ended(RunEnd end) {
    if (end == RunEnd::not_finite)
        return "a value is not finite: the matrix is singular or nearly so, or values leave the range of these formats";
    return to_string(end);
}

class InnerGmres final : public InnerSolver {
public:
    InnerGmres(const System& system, double fit, const DatapathSpec& spec, std::uint64_t restart, int threads)
        : solver_(system, spec, restart, threads), fit_(fit), restart_(restart), r_(system.size()) {}

    InnerOutcome solve(const Fill& r, const InnerGoal& goal, SolveContext& context) override {
        r(0, r_);
        solver_.start(r_);
        InnerOutcome outcome;
        const double first = solver_.rho(), global = goal.global * goal.global;
        const double stop = std::max(global, goal.reduction * goal.reduction * first);
        const std::uint64_t allowed = std::min(goal.steps == 0 ? context.remaining() : goal.steps, context.remaining());
        double before = first;
        for (std::uint64_t steps = 0; steps < allowed && !context.cancelled;) {
            // At least one step: rounded into r's format a defect may seem to be below its goal already.
            const RunReport report = solver_.run({.passes = std::min<std::uint64_t>(restart_, allowed - steps),
                                                  .rho_stop = stop,
                                                  .rho_stop_from = steps == 0 ? 2U : 1U});
            steps += report.passes;
            context.count(report, report.passes);
            context.report({context.result.inner_iterations, context.result.outer_iterations, 0});
            outcome.useful = outcome.useful || report.passes > 0;
            outcome.reached_global = report.end == RunEnd::rho_reached && solver_.rho() < global;
            if (report.end == RunEnd::rho_reached || report.end == RunEnd::exact) break;
            if (report.end != RunEnd::passes) {
                outcome.trouble = "inner GMRES ended: " + why_gmres_ended(report.end);
                break;
            }
            // These formats have given what they can where a whole cycle gains next to nothing.
            if (goal.steps == 0 && !(solver_.rho() < kWorthwhile * before)) break;
            before = solver_.rho();
        }
        c_ = solver_.solution();
        return outcome;
    }
    void read(std::size_t first, std::span<double> values) override {
        std::copy_n(c_.begin() + static_cast<std::ptrdiff_t>(first), values.size(), values.begin());
        if (fit_ == 1) return;
        for (double& value : values) value *= fit_;
    }

private:
    GmresSolver solver_;
    double fit_;
    std::uint64_t restart_;
    std::vector<double> r_;
    std::span<const double> c_;
};

} // namespace

std::unique_ptr<InnerSolver> make_inner_gmres(const System& system, double fit, const DatapathSpec& spec,
                                              std::uint64_t restart, int threads) {
    return std::make_unique<InnerGmres>(system, fit, spec, restart, threads);
}

void solve_gmres(const Problem& problem, std::span<double> u, std::span<double> d, SolveContext& context) {
    const SolveOptions& options = context.options;
    const std::uint64_t restart = iterated(options).restart;
    GmresSolver solver(*context.loaded, options.spec, restart, options.threads, GmresPath::fastest,
                       make_preconditioner(problem, options));
    const double norm = context.norm;
    std::vector<double> r(u.size());
    for (std::size_t i = 0; i < r.size(); ++i) r[i] = d[i] / norm;
    solver.start(r);
    DoubleArithmetic arithmetic(problem.system, options.threads);
    BestIterate best;
    best.offer(context.norm, u);
    const std::vector<double> start(u.begin(), u.end());
    const auto true_norm = [&] {
        std::copy(start.begin(), start.end(), u.begin());
        arithmetic.correct(u, norm * context.fit, solver.solution());
        arithmetic.defect(u, problem.b, d);
        return arithmetic.norm(d);
    };
    Watch watch(context);
    double stop = context.target() / norm, least = norm;
    bool said_reached = false;
    std::string trouble;
    for (;;) {
        const RunReport report =
            solver.run({.passes = std::min(context.remaining(), restart), .rho_stop = stop * stop});
        context.count(report, report.passes);
        context.report({context.result.inner_iterations, 0, std::sqrt(solver.rho()) * norm / context.initial});
        const double now = true_norm();
        best.offer(now, u);
        said_reached = report.end == RunEnd::rho_reached || report.end == RunEnd::exact;
        if (!said_reached && report.end != RunEnd::passes) trouble = "GMRES ended: " + why_gmres_ended(report.end);
        if (now < context.target() || !trouble.empty()) break;
        if (context.reached_as_given(now, [&] { return d; })) break;
        if (said_reached) {
            // The true residual lags behind: further, as long as that helps.
            if (!(now < kWorthwhile * least) || report.end == RunEnd::exact) break;
            stop *= 0.5 * context.target() / now;
        }
        least = std::min(least, now);
        if (watch.ends(context, now / context.initial)) {
            best.give_back(now, u);
            arithmetic.defect(u, problem.b, d);
            return context.record(arithmetic.norm(d) / context.initial);
        }
    }
    best.give_back(true_norm(), u);
    judge_direct(problem, u, d, said_reached, trouble, context);
}

} // namespace mantissa::solving
