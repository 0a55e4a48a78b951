#include "mantissa/host/advise_cycles.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "advise/trial.hpp"
#include "cycle_trial.hpp"
#include "levels.hpp"
#include "mantissa/format.hpp"
#include "mantissa/host/options.hpp"
#include "mantissa/host/scaling.hpp"

namespace mantissa {

namespace {

using namespace advising;

/// Cycles in double precision are no help beyond so many times the work of Jacobi CG, and where that does not get there
/// beyond so many iterations.
constexpr double kMostWork = 3;
constexpr std::uint64_t kMostCycles = 1000;
/// Parts of the time that are over when cycles in double and trials in words end.
constexpr double kDoubles = 0.6, kWords = 0.93;
/// Words take at most so many times double's iterations where none keep them.
constexpr std::uint64_t kMostOfLongest = 4;

class CycleAdviser {
public:
    CycleAdviser(const Problem& problem, const CycleSpec& asked, const AdviceOptions& options,
                 const AdviceProgress& progress)
        : problem_(problem), asked_(asked), options_(options), progress_(progress) {}

    CycleAdvice run() {
        advice_.size = problem_.system.size();
        measure();
        if (advice_.why_not.empty()) try_in_double();
        if (advice_.why_not.empty()) try_in_words();
        advice_.seconds = spent();
        return std::move(advice_);
    }

private:
    [[nodiscard]] double spent() const { return running::processor_seconds() - start_ + options_.before; }
    [[nodiscard]] double budget() const { return std::max(options_.seconds, 3 * solve_seconds_); }
    void say(const std::string& what) const {
        if (progress_) progress_(what);
    }

    /// CG in double on the matrix scaled to a unit diagonal, and the levels.
    void measure() {
        TrialOptions o;
        o.tolerance = options_.tolerance;
        o.threads = options_.threads;
        o.progress = [&](std::uint64_t iterations, double residual) {
            say(fmt::format("CG in double precision: {} iterations, residual {:.1e}", iterations, residual));
        };
        {
            const ScaledProblem scaled = jacobi_scaled(problem_);
            const double begin = spent();
            const Trial trial = run_trial(problem_, scaled, o);
            advice_.jacobi_seconds = spent() - begin;
            advice_.jacobi_reached =
                trial.reached && trial.floor < options_.tolerance; // (rounding of the defect alone)
            advice_.jacobi_iterations = trial.iterations;
            advice_.indefinite = trial.indefinite;
        }
        solve_seconds_ = spent();
        if (advice_.indefinite) {
            advice_.why_not = "the matrix is not positive definite: conjugate gradients found p.Ap below zero";
            return;
        }
        say("levels");
        advice_.levels = measured_levels(problem_.system, options_.threads);
        if (!advice_.levels.why_not.empty())
            advice_.why_not = "no hierarchy suits the matrix: " + advice_.levels.why_not;
    }

    [[nodiscard]] std::vector<CycleSpec> shapes() const {
        CycleSpec given;
        given.before = asked_.before;
        given.after = asked_.after;
        given.in_double = true;
        std::vector<CycleSpec> all{given};
        if (asked_ == parse_cycle_spec("v11,w=10")) {
            given.before = given.after = 2;
            all.push_back(given);
        }
        return all;
    }

    void try_in_double() {
        for (const CycleSpec& shape : shapes()) {
            const double each = advice_.levels.work(shape);
            std::uint64_t limit = kMostCycles;
            if (advice_.jacobi_reached)
                limit = std::clamp<std::uint64_t>(
                    static_cast<std::uint64_t>(kMostWork * static_cast<double>(advice_.jacobi_iterations) / each), 20,
                    kMostCycles);
            say("the cycle " + to_string(shape));
            CycleTrial trial = try_cycle(problem_, shape, options_, advice_.levels, limit,
                                         [this] { return spent() > kDoubles * budget(); });
            if (trial.converged && (!advice_.reference || trial.work < advice_.reference->work))
                advice_.reference = trial;
            advice_.in_double.push_back(std::move(trial));
        }
        if (advice_.reference) return;
        advice_.why_not = "cycles on these levels do not converge in double precision either";
        for (const CycleTrial& trial : advice_.in_double)
            advice_.why_not +=
                fmt::format("{} {} after {} iterations: {}", &trial == advice_.in_double.data() ? ";" : ",",
                            to_string(trial.spec), trial.iterations, trial.ended);
    }

    void try_in_words() {
        const CycleSpec& shape = advice_.reference->spec;
        const std::uint64_t usual = advice_.reference->iterations;
        const auto times = [](std::uint64_t iterations) {
            return std::max(iterations + 1,
                            static_cast<std::uint64_t>(kMostTimesOfCycles * static_cast<double>(iterations)));
        };
        CycleSearch search(
            problem_, options_, advice_.levels, [this] { return spent(); }, kWords * budget(),
            advice_.reference->seconds, [this](const std::string& what) { say(what); });
        advice_.advised = search.shortest(shape, times(usual));
        advice_.within = advice_.advised.has_value();
        // Where no words keep double's iterations: the shortest that keep those of the longest words.
        if (!advice_.within)
            if (const auto longest = search.longest(shape, kMostOfLongest * usual))
                advice_.advised = search.shortest(shape, times(longest->iterations));
        advice_.trials = search.trials();
        advice_.time_up = search.time_up();
        if (advice_.advised) return;
        advice_.why_not = advice_.time_up
                              ? fmt::format("time was up before words had converged; {} takes {} iterations in double",
                                            to_string(shape), usual)
                              : fmt::format("no words converge within {} times the {} iterations of {}", kMostOfLongest,
                                            usual, to_string(shape));
    }

    const Problem& problem_;
    const CycleSpec& asked_;
    const AdviceOptions& options_;
    const AdviceProgress& progress_;
    CycleAdvice advice_;
    double solve_seconds_ = 0; ///< of one solve in double precision: reading, scaling and CG
    double start_ = running::processor_seconds();
};

} // namespace

SolveOptions cycle_solve_options(const CycleSpec& spec, const AdviceOptions& options) {
    SolveOptions o;
    o.scheme = spec.after == 0 ? Scheme::defect_correction : Scheme::inexact_pcg;
    o.preconditioner = spec;
    o.tolerance = options.tolerance;
    o.threads = options.threads;
    return o;
}

CycleAdvice advise_cycles(const Problem& problem, const CycleSpec& asked, const AdviceOptions& options,
                          const AdviceProgress& progress) {
    if (!(options.tolerance > 0 && options.tolerance < 1))
        throw InvalidInput(fmt::format("tolerance {}: give a number between 0 and 1", options.tolerance));
    if (options.threads < 1) throw InvalidInput("threads: at least one");
    options::require_suits_cg(problem, "advise");
    CycleAdviser adviser(problem, asked, options, progress);
    return adviser.run();
}

} // namespace mantissa
