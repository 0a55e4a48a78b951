#include <algorithm>
#include <cmath>
#include <vector>

#include "inner.hpp"

namespace mantissa::solving {

namespace {

class EngineSolver final : public InnerSolver {
public:
    EngineSolver(const Engine& engine, const System& system, double fit, const DatapathSpec& spec,
                 const SessionOptions& options, const SpectrumBounds& bounds)
        : session_(engine.load(system, spec, options)), fit_(fit), size_(system.size()),
          recurrence_(options.recurrence), bounds_(bounds), buffer_(std::min(size_, kTransfer)) {}

    InnerOutcome solve(const Fill& r, const InnerGoal& goal, SolveContext& context) override {
        // (After clear() of r, p and q a point that moved is back at r's format.)
        for (const Vec v : {Vec::u, Vec::r, Vec::p, Vec::q}) session_->clear(v);
        for (std::size_t first = 0; first < size_; first += buffer_.size()) {
            const std::span<double> part(buffer_.data(), std::min(buffer_.size(), size_ - first));
            r(first, part);
            session_->write(Vec::r, first, part);
        }
        if (recurrence_ == Recurrence::chebyshev) return known_steps(goal, context);
        session_->set_scalars(0, 0);

        InnerOutcome outcome;
        const bool by_energy = context.energy > 0 && goal.energy_unit > 0;
        const auto drop = [&] {
            if (!by_energy) return;
            const Scalars scalars = session_->scalars();
            context.step(scalars.alpha, scalars.pq, goal.energy_unit * fit_);
        };
        // A pass of the pipelined recurrence makes the step that the last one's alpha is for.
        const bool lags = recurrence_ == Recurrence::pipelined;
        double first_rho = goal.square;
        if (lags) { // the first pass only forms p = r, q = A p and the scalars: no CG step yet
            const RunReport setup = session_->run({.passes = 1});
            context.count(setup, 0);
            outcome.words = setup.words;
            if (setup.end != RunEnd::passes) {
                outcome.overflow = setup.end == RunEnd::window_overflow;
                outcome.trouble = trouble(setup.end, context.options);
                return outcome;
            }
            first_rho = session_->scalars().rho;
        }
        const double global = goal.global * goal.global;
        const double stop = std::max(global, goal.reduction * goal.reduction * first_rho);
        const std::uint64_t allowed = std::min(goal.steps == 0 ? context.remaining() : goal.steps, context.remaining());
        const bool whole = goal.steps == 0 && goal.reduction == 0; // a solve of its own, whose residual is r
        std::uint64_t steps = 0;
        while (steps < allowed && !context.cancelled) {
            if (lags) drop();
            const RunReport report = batch_.run(*session_, {.passes = allowed - steps, .rho_stop = stop}, by_energy);
            steps += report.passes;
            if (!lags) drop();
            context.count(report, report.passes);
            outcome.words.merge(report.words);
            context.report({context.result.inner_iterations, context.result.outer_iterations,
                            whole ? std::sqrt(session_->scalars().rho) * context.norm / context.initial : 0});
            outcome.reached_energy = by_energy && context.energy_reached();
            if (outcome.reached_energy) break;
            if (report.end == RunEnd::passes) continue;
            outcome.overflow = report.end == RunEnd::window_overflow;
            outcome.reached_global = report.end == RunEnd::rho_reached && session_->scalars().rho < global;
            if (report.end != RunEnd::rho_reached) outcome.trouble = trouble(report.end, context.options);
            break;
        }
        outcome.useful = steps > 0;
        return outcome;
    }

    void read(std::size_t first, std::span<double> values) override {
        session_->read(Vec::u, first, values);
        if (fit_ == 1) return;
        for (double& value : values) value *= fit_;
    }

private:
    /// As many Chebyshev steps as the goal says: nothing that they do tells how far they came.
    InnerOutcome known_steps(const InnerGoal& goal, SolveContext& context) {
        const std::uint64_t allowed = std::min(goal.steps, context.remaining());
        if (pairs_.size() < allowed + 1) pairs_ = chebyshev_pairs(bounds_, allowed);
        InnerOutcome outcome;
        std::uint64_t passes = 0;
        while (passes <= allowed && !context.cancelled) {
            const auto pairs = std::span(pairs_).subspan(passes, allowed + 1 - passes);
            const RunReport report = batch_.run(*session_, {.passes = pairs.size(), .pairs = pairs});
            context.count(report, passes == 0 ? report.passes - 1 : report.passes); // the first is no step yet
            passes += report.passes;
            outcome.words.merge(report.words);
            context.report({context.result.inner_iterations, context.result.outer_iterations, 0});
            if (report.end == RunEnd::passes) continue;
            outcome.overflow = report.end == RunEnd::window_overflow;
            outcome.trouble = trouble(report.end, context.options);
            break;
        }
        outcome.useful = passes > 1;
        return outcome;
    }

    [[nodiscard]] std::string trouble(RunEnd end, const SolveOptions& options) const {
        return end == RunEnd::fault
                   ? session_->fault()
                   : (recurrence_ == Recurrence::chebyshev ? "Chebyshev iteration ended: " : "inner CG ended: ") +
                         why_ended(end, session_->scalars().pq, options);
    }

    std::unique_ptr<Session> session_;
    double fit_;
    std::size_t size_;
    Recurrence recurrence_;
    SpectrumBounds bounds_;
    std::vector<StepPair> pairs_; ///< of the longest inner solve so far
    std::vector<double> buffer_;
    Batch batch_;
};

} // namespace

std::unique_ptr<InnerSolver> make_engine_solver(const Engine& engine, const System& system, double fit,
                                                const DatapathSpec& spec, const SessionOptions& options,
                                                const SpectrumBounds& bounds) {
    return std::make_unique<EngineSolver>(engine, system, fit, spec, options, bounds);
}

} // namespace mantissa::solving
