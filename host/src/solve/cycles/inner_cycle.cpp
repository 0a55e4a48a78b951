// A multilevel cycle as an inner solver.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "../inner.hpp"
#include "mantissa/multilevel/cycle.hpp"

namespace mantissa::solving {

namespace {

class InnerCycle final : public InnerSolver {
public:
    InnerCycle(std::unique_ptr<Cycle> cycle, std::size_t size) : cycle_(std::move(cycle)), r_(size), c_(size) {}

    InnerOutcome solve(const Fill& r, const InnerGoal& /*goal*/, SolveContext& context) override {
        r(0, r_);
        InnerOutcome outcome;
        if (!std::all_of(r_.begin(), r_.end(), [](double x) { return std::isfinite(x); })) {
            outcome.trouble = "the defect is not finite";
            return outcome;
        }
        cycle_->correct(r_, c_);
        if (const auto clocks = cycle_->clocks()) {
            context.result.cycles = context.result.cycles.value_or(0) + (*clocks - clocks_);
            clocks_ = *clocks;
        }
        ++context.result.inner_iterations;
        context.report({context.result.inner_iterations, context.result.outer_iterations, 0});
        outcome.useful = true;
        return outcome;
    }
    [[nodiscard]] std::string levels() const { return cycle_->description(); }
    [[nodiscard]] bool scales_itself() const override { return true; }
    void read(std::size_t first, std::span<double> values) override {
        std::copy_n(c_.begin() + static_cast<std::ptrdiff_t>(first), values.size(), values.begin());
    }

private:
    std::unique_ptr<Cycle> cycle_;
    std::vector<double> r_, c_;
    std::uint64_t clocks_ = 0; ///< counted so far
};

} // namespace

bool correct_by_cycle(CycleVectors& vectors, SolveContext& context) {
    const bool finite = vectors.correct();
    ++context.result.inner_iterations;
    context.report({context.result.inner_iterations, context.result.outer_iterations, 0});
    if (!finite) context.stop(Status::breakdown, "the inner correction is not finite");
    return finite;
}

bool solve_in_cycle_vectors(const Problem& problem, const Engine& engine, std::vector<double>& u,
                            std::vector<double>& d, SolveContext& context,
                            const std::function<void(CycleVectors&)>& solve) {
    const SolveOptions& options = context.options;
    if (!options.preconditioner || options.outer || context.doubled || context.scaled != nullptr) return false;
    const auto start = std::chrono::steady_clock::now();
    const auto vectors = engine.cycle_vectors(problem.system, *options.preconditioner, options.threads);
    if (!vectors) return false;
    context.result.levels =
        CycleLevels{vectors->levels(), std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count()};
    vectors->load(u, problem.b, d);
    u = d = {}; // nobody holds whole vectors
    solve(*vectors);
    if (context.settle && context.settle(vectors->spread())) return true;
    u.resize(context.size);
    d.resize(context.size);
    vectors->read(u, d);
    return true;
}

std::unique_ptr<InnerSolver> make_inner_solver(const Problem& problem, const Engine& engine,
                                               const SolveContext& context) {
    const SolveOptions& options = context.options;
    if (options.preconditioner) {
        const auto start = std::chrono::steady_clock::now();
        auto inner = std::make_unique<InnerCycle>(
            engine.cycle(problem.system, *options.preconditioner, options.threads), problem.system.size());
        context.result.levels = CycleLevels{
            inner->levels(), std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count()};
        return inner;
    }
    const RecurrenceChoice choice = iterated(options);
    if (choice.name == RecurrenceChoice::gmres)
        return make_inner_gmres(*context.loaded, context.fit, options.spec, choice.restart, options.threads);
    if (const recurrence::Definition* const definition = recurrence_of(options))
        return make_recurrence_solver(*context.loaded, context.fit, options, *definition);
    return make_engine_solver(engine, *context.loaded, context.fit, options.spec,
                              {options.threads, session_recurrence(choice).value()}, context.bounds);
}

} // namespace mantissa::solving
