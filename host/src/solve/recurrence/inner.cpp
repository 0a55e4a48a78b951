// A recurrence as the inner solver of iterative refinement.
#include <algorithm>
#include <cmath>
#include <vector>

#include "../inner.hpp"
#include "mantissa/recurrence/interpreter.hpp"

namespace mantissa::solving {

namespace {

/// Iterations between looks at progress and cancellation.
constexpr std::uint64_t kIterationsAtATime = 64;

class RecurrenceSolver final : public InnerSolver {
public:
    RecurrenceSolver(const System& system, double fit, const SolveOptions& options,
                     const recurrence::Definition& definition)
        : solver_(system, options.spec, definition, options.threads), fit_(fit), right_(system.size()) {}

    InnerOutcome solve(const Fill& r, const InnerGoal& goal, SolveContext& context) override {
        for (std::size_t first = 0; first < right_.size(); first += kTransfer)
            r(first, std::span(right_).subspan(first, std::min(kTransfer, right_.size() - first)));
        solver_.start(right_);
        InnerOutcome outcome;
        const double global = goal.global * goal.global;
        const double stop = std::max(global, goal.reduction * goal.reduction * goal.square);
        const std::uint64_t allowed = std::min(goal.steps == 0 ? context.remaining() : goal.steps, context.remaining());
        const bool by_energy = context.energy > 0 && goal.energy_unit > 0;
        std::uint64_t steps = 0;
        while (steps < allowed && !context.cancelled) {
            const RunReport report = solver_.run(
                {.passes = std::min(allowed - steps, by_energy ? 1 : kIterationsAtATime), .rho_stop = stop});
            steps += report.passes;
            context.count(report, report.passes);
            outcome.words.merge(report.words);
            context.report({context.result.inner_iterations, context.result.outer_iterations, 0});
            if (by_energy) {
                context.step(solver_.scalar("alpha"), solver_.scalar(divisor(solver_.definition())),
                             goal.energy_unit * fit_);
                outcome.reached_energy = context.energy_reached();
                if (outcome.reached_energy) break;
            }
            if (report.end == RunEnd::passes) continue;
            outcome.overflow = report.end == RunEnd::window_overflow;
            outcome.reached_global = report.end == RunEnd::rho_reached && solver_.square() < global;
            if (report.end != RunEnd::rho_reached)
                outcome.trouble = "inner " + std::string(solver_.definition().name.view()) +
                                  " ended: " + why_ended(report.end, solver_.culprit(), context.options);
            break;
        }
        outcome.useful = steps > 0;
        return outcome;
    }

    void read(std::size_t first, std::span<double> values) override {
        solver_.solution(first, values);
        if (fit_ == 1) return;
        for (double& value : values) value *= fit_;
    }

private:
    recurrence::Interpreter solver_;
    double fit_;
    std::vector<double> right_;
};

} // namespace

std::string_view divisor(const recurrence::Definition& definition) {
    using recurrence::Definition;
    if (definition.needs != recurrence::Needs::positive_definite ||
        definition.scalar_named("alpha") == Definition::kNone)
        return {};
    for (const std::string_view name : {"pq", "delta"})
        if (definition.scalar_named(name) != Definition::kNone) return name;
    return {};
}

std::unique_ptr<InnerSolver> make_recurrence_solver(const System& system, double fit, const SolveOptions& options,
                                                    const recurrence::Definition& definition) {
    return std::make_unique<RecurrenceSolver>(system, fit, options, definition);
}

} // namespace mantissa::solving
