#include "mantissa/host/advise.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "cycles/cycle_trial.hpp"
#include "mantissa/engine.hpp"
#include "mantissa/fitted.hpp"
#include "mantissa/format.hpp"
#include "mantissa/host/options.hpp"
#include "mantissa/host/scaling.hpp"
#include "rows.hpp"
#include "running/processor_time.hpp"
#include "search.hpp"
#include "spectrum.hpp"
#include "trial.hpp"
#include "widths/core_limits.hpp"
#include "widths/widths.hpp"

namespace mantissa {

namespace {

using namespace advising;

/// Errors of coefficients, curvature and energy stay below this part of what they disturb.
constexpr double kPart = 0.25;
constexpr int kFewestBits = 2;
/// Parts of the time that are over when these end: Lanczos for coefficients; the eigenvalues, whose run decides more,
/// and what the directions say of coefficients; refinement in double precision; trials. The rest is for the answer.
constexpr double kMeasuring = 0.4, kSpectrum = 0.6, kRefining = 0.8, kTrials = 0.95;
/// With fewer iterations of CG than these making levels is not worth its time.
constexpr std::uint64_t kManyIterations = 200;

/// Within this of the floor refinement is tried in double precision.
constexpr double kEdge = 4;

class Adviser {
public:
    Adviser(const Problem& problem, const AdviceOptions& options, const AdviceProgress& progress)
        : problem_(problem), options_(options), progress_(progress), scaled_(jacobi_scaled(problem)) {}

    Advice run() {
        find();
        advice_.seconds = spent();
        advice_.tolerance = options_.tolerance;
        return std::move(advice_);
    }

private:
    void find() {
        measure();
        if (refused()) return;
        try_cycles();
        const MatrixMeasured& m = advice_.measured;
        // CG takes sqrt(kappa) steps to what its directions are conjugate for. Errors of relative size e in each of
        // them, independent of each other, come to e kappa^(1/4).
        const double memory = std::pow(m.condition(), 0.25);
        // What an inner solve gains in exact arithmetic, in bits, and at most what is asked for.
        const double gain =
            std::min(2 * static_cast<double>(options_.inner) / std::sqrt(m.condition()) * std::numbers::log2e,
                     -std::log2(options_.tolerance));
        advice_.fewest = proposal({1, 1, kFewestBits - 1});
        if (!advice_.fewest) return;
        advice_.advised = proposal({memory, gain, advice_.fewest->widths.coefficient - 1});
        if (!advice_.advised) advice_.advised = advice_.fewest;
        try_out();
    }

    [[nodiscard]] double spent() const { return running::processor_seconds() - start_ + options_.before; }
    /// Seconds that all of the advice may take.
    [[nodiscard]] double budget() const { return std::max(options_.seconds, 3 * advice_.measured.double_seconds); }
    /// ... by this part of it?
    [[nodiscard]] bool over(double part) const { return spent() > part * budget(); }

    const System& matrix() const { return scaled_.problem.system; }
    void say(const std::string& what) const {
        if (progress_) progress_(what);
    }
    bool none(std::string why) {
        advice_.why_not = std::move(why);
        return false;
    }

    /// Until this part of the time is over.
    Extremes lanczos(const System& system, const std::string& what, double part) {
        LanczosOptions o;
        o.threads = options_.threads;
        o.stop_below_zero = true;
        o.time_up = [this, part] { return over(part); };
        o.progress = [&](std::uint64_t steps) { say(fmt::format("{}: {} Lanczos steps", what, steps)); };
        const Extremes found = extreme_eigenvalues(system, o);
        advice_.products += found.steps;
        return found;
    }

    void measure() {
        MatrixMeasured& m = advice_.measured;
        m.unknowns = matrix().size();
        m.longest_row = longest_row(matrix());
        TrialOptions o;
        o.tolerance = options_.tolerance;
        o.inner = options_.inner;
        o.threads = options_.threads;
        o.progress = [&](std::uint64_t iterations, double residual) {
            say(fmt::format("CG in double precision: {} iterations, residual {:.1e}", iterations, residual));
        };
        const double begin = spent();
        Trial trial = run_trial(problem_, scaled_, o);
        iterating_seconds_ = spent() - begin;
        m.double_seconds = spent();
        directions_ = std::move(trial.directions);
        m.largest_correction = trial.largest_correction;
        m.double_reached = trial.reached;
        m.double_iterations = trial.iterations;
        advice_.products += trial.iterations;
        m.floor = trial.floor;
        m.largest_word = trial.largest_word;
        m.correction = trial.correction;
        measure_spectrum(trial.ritz);
    }

    /// By Lanczos from a vector of its own, since a right-hand side may have nothing of an eigenvector; where time is
    /// up before that has settled, with what the double run knows.
    void measure_spectrum(const Tridiagonal& of_double) {
        MatrixMeasured& m = advice_.measured;
        const double begin = spent();
        const Extremes found = lanczos(matrix(), "eigenvalues", kSpectrum);
        lanczos_seconds_ = spent() - begin;
        m.smallest = found.smallest;
        m.largest = found.largest;
        m.steps = found.steps;
        m.settled = found.settled;
        if (found.settled || !(found.smallest > 0) || of_double.size() == 0) return;
        m.smallest = std::min(m.smallest, of_double.smallest());
        m.largest = std::max(m.largest, of_double.largest());
    }

    /// A solve with cycles, cut off where it is not far faster.
    void try_cycles() {
        if (advice_.measured.double_iterations < kManyIterations) return;
        say("multilevel cycles");
        advice_.cycles = faster_cycles(problem_, options_, advice_.measured.double_iterations, iterating_seconds_);
    }

    /// Close to the floor the restarts may spoil what one run reaches. Does refinement get there in double precision?
    void refused_by_refinement() {
        SolveOptions o;
        o.scheme = Scheme::residual_guided;
        o.spec = DatapathSpec(formats::kDouble);
        o.jacobi = true;
        o.inner = options_.inner;
        o.tolerance = options_.tolerance;
        o.threads = options_.threads;
        bool cut = false; // then nothing is known, and trials would not come to an end either
        const SolveResult result = solve(problem_, *make_emulated_engine(), o, [&](const HistoryPoint& h) {
            say(fmt::format("refinement in double precision: {} iterations", h.inner_iterations));
            cut = over(kRefining);
            return !cut;
        });
        if (result.status != Status::converged && !cut)
            none(fmt::format("the same refinement, restarted every {} iterations, stops in double precision at a "
                             "residual of {:.1e} ({}); try a larger --inner or a larger --tolerance",
                             options_.inner, result.true_residual, to_string(result.status)));
    }

    /// What to ask for where `tolerance` is the least that double precision reaches.
    static std::string instead(double tolerance) {
        if (tolerance < 1) return fmt::format("ask for --tolerance {:.0e} or more", tolerance);
        return "no iterate is better than zero in double precision, with this right-hand side and scaling";
    }

    /// Nothing that a datapath could mend.
    bool refused() {
        const MatrixMeasured& m = advice_.measured;
        if (!(m.smallest > 0))
            none(fmt::format("the matrix is not positive definite: Lanczos finds an eigenvalue of {:.3e} or below",
                             m.smallest));
        else if (!m.double_reached)
            none(fmt::format("conjugate gradients in double precision do not reach {:g} within {} iterations; {}",
                             options_.tolerance, m.double_iterations,
                             instead(std::max(3 * m.floor, 10 * options_.tolerance))));
        else if (kFloorSlack * m.floor > options_.tolerance)
            none(fmt::format("the outer loop forms the defect in double precision, whose rounding alone leaves a "
                             "residual of about {:.1e} here; {}",
                             m.floor, instead(3 * m.floor)));
        else if (kEdge * m.floor > options_.tolerance) refused_by_refinement();
        return !advice_.why_not.empty();
    }

    /// Does the matrix stay definite when the rounding of its coefficients is taken `margin` times, with either sign?
    bool stays_definite(const RoundedMatrix& rounding, double margin, int bits) {
        if (2 * margin * rounding.row_bound <= advice_.measured.smallest) return true;
        const auto definite = [&](double factor) {
            const Extremes found = lanczos(moved(matrix(), rounding.system, factor),
                                           fmt::format("coefficients of {} bits", bits), kMeasuring);
            return found.settled && found.smallest > 0;
        };
        return definite(-margin) && definite(margin);
    }

    /// The fewest bits that hold, below those that the bound on row sums grants.
    bool coefficients(const Aim& aim, AdvisedWidths& w) {
        // (A + E)^-1 A is within 1 / (margin - 1) of one: no inner solve gains more than that.
        w.margin = std::max(aim.finer / kPart, std::exp2(aim.gain));
        // (A finer grid has all points of a coarser one: what rounding changes falls with every bit.)
        int unsafe = aim.too_short, safe = kMostBits + 1;
        while (safe - unsafe > 1) {
            const int middle = unsafe + (safe - unsafe) / 2;
            (2 * w.margin * rounding(middle).row_bound > advice_.measured.smallest ? unsafe : safe) = middle;
        }
        w.coefficient_safe = safe;
        if (safe > kMostBits)
            return none(fmt::format("coefficients of {} fraction bits still change a row by {:.1e}", kMostBits,
                                    rounding(kMostBits).row_bound));
        // x.E x < x.A x / margin for every x, so for what the double run found. (Of two widths the shorter may do by
        // chance; it is not looked for.)
        int fails = safe - 1;
        while (fails > aim.too_short && !over(kSpectrum) && w.margin * energy(fails) <= 1) --fails;
        // From the shortest that the double run's iterates allow upwards, in longer and longer steps, and back by
        // halving. (Each takes up to two runs of Lanczos. Where time is better spent on trials, they begin with the
        // shortest that may hold.)
        int holds = safe, step = 1;
        while (holds - fails > 1 && spent() + 2 * lanczos_seconds_ < kMeasuring * budget()) {
            const int middle = holds == safe ? std::min(fails + step, holds - 1) : fails + (holds - fails) / 2;
            step *= 2;
            (stays_definite(rounded(matrix(), middle), w.margin, middle) ? holds : fails) = middle;
        }
        w.coefficient_shown = holds;
        w = with_coefficient(w, fails + 1);
        return true;
    }

    /// What rounding the coefficients to so many fraction bits does (rows.hpp).
    struct Rounding {
        double row_bound = 0;
        int word_bits = 0;
        std::optional<double> energy; ///< moved, of the double run's directions
    };
    Rounding& rounding(int bits) {
        const auto [at, is_new] = roundings_.try_emplace(bits);
        if (is_new) {
            const RoundedMatrix r = rounded(matrix(), bits);
            at->second = {r.row_bound, r.word_bits, {}};
        }
        return at->second;
    }
    double energy(int bits) {
        std::optional<double>& found = rounding(bits).energy;
        if (!found) found = energy_moved(matrix(), rounded(matrix(), bits).system, directions_);
        return *found;
    }
    AdvisedWidths with_coefficient(AdvisedWidths w, int bits) {
        w.coefficient = bits;
        w.coefficient_word = rounding(bits).word_bits;
        w.perturbation = rounding(bits).row_bound;
        if (const auto fit = fitted_stencil(matrix(), w.coefficient_word, bits))
            w.perturbation = std::min(w.perturbation, rounded(fit->system, bits).row_bound / fit->scale);
        return w;
    }

    /// Trial solves decide: the advised widths become the shortest that converge in time, the fewest those that
    /// converge at all, as far as the budget goes.
    void try_out() {
        const MatrixMeasured& m = advice_.measured;
        Search search(
            problem_, [this](const AdvisedWidths& w) { return options_for(w); },
            [this](const AdvisedWidths& w, int bits) { return with_coefficient(w, bits); },
            [this](const DatapathSpec& spec) { return refusal_of(spec).empty(); }, kTrials * budget() - spent(),
            [this](const std::string& what) { say(what); });
        // (Restarts come every so many: a solve ends after one.)
        const auto most = static_cast<std::uint64_t>(kMostTimes * static_cast<double>(m.double_iterations));
        search.improve(*advice_.advised, std::max<std::uint64_t>(most, options_.inner));
        Proposal fewest = *advice_.fewest;
        fewest.widths = shorter_of(fewest.widths, advice_.advised->widths);
        fewest.options = options_for(fewest.widths);
        search.improve(fewest, std::max<std::uint64_t>(kMostSlower * m.double_iterations, options_.inner));
        const auto bits = [](const AdvisedWidths& w) { return w.vector + w.coefficient + w.iterate; };
        advice_.fewest =
            fewest.tried && bits(fewest.widths) < bits(advice_.advised->widths) ? fewest : *advice_.advised;
        if (!advice_.advised->tried && advice_.fewest->tried) advice_.advised = advice_.fewest; // it converges
        advice_.trials = search.trials();
        const auto settle = [&](Proposal& proposal) {
            if (!proposal.tried) proposal = *by_rule_;
            else if (*proposal.tried < default_iteration_limit(m.unknowns)) proposal.options.max_iterations = 0;
        };
        settle(advice_.advised.value());
        settle(advice_.fewest.value());
        const std::string refused = refusal_of(advice_.advised->options.spec);
        if (refused.empty() && (advice_.advised->tried || advice_.fewest->tried || search.budget_spent())) return;
        none(refused.empty()
                 ? fmt::format("none of {} trial solves converged, with words up to nine bits longer than the rule's",
                               search.trials())
                 : fmt::format("words that these engines take did not converge in {} trial solves ({})",
                               search.trials(), refused));
        advice_.advised.reset();
        advice_.fewest.reset();
    }

    /// What the engines that shall run it say to a datapath, on the system as a solve loads it.
    [[nodiscard]] std::string refusal_of(const DatapathSpec& spec) const {
        if (!options_.refusal) return {};
        const auto fit = fitted(matrix(), spec);
        return options_.refusal(spec, fit ? fit->system : matrix());
    }

    /// Words that no engine has are cut to a core's longest before they are tried.
    void cut_to_engines(AdvisedWidths& w) {
        if (refusal_of(options_for(w).spec).empty()) return;
        while (w.product + w.product_integer > kCoreWord || w.vector + w.integer > kCoreWord) {
            --w.vector;
            --w.product;
        }
        if (w.coefficient_word > kCoreWord) w = with_coefficient(w, w.coefficient - (w.coefficient_word - kCoreWord));
    }
    std::optional<Proposal> proposal(const Aim& aim) {
        AdvisedWidths w;
        if (!coefficients(aim, w)) return std::nullopt;
        const auto made = [&](int coefficient) -> std::optional<Proposal> {
            Proposal proposal{with_coefficient(w, coefficient), {}, {}, options_.engine};
            proposal.widths = with_vectors(proposal.widths, aim, advice_.measured, options_.inner, matrix());
            if (std::string why = too_long(proposal.widths); !why.empty()) {
                none(std::move(why));
                return std::nullopt;
            }
            cut_to_engines(proposal.widths);
            proposal.options = options_for(proposal.widths);
            proposal.options.spec.validate();
            return proposal;
        };
        std::optional<Proposal> rule = made(w.coefficient_shown);
        if (!rule) return std::nullopt;
        // Words that nothing was tried with are better filled than guessed: the loop takes its scale from the last
        // step.
        rule->options.headroom.reset();
        by_rule_ = std::move(rule);
        return made(w.coefficient);
    }

    [[nodiscard]] SolveOptions options_for(const AdvisedWidths& w) const {
        return solve_with(w, options_, advice_.measured);
    }

    const Problem& problem_;
    const AdviceOptions& options_;
    const AdviceProgress& progress_;
    ScaledProblem scaled_;
    Advice advice_;
    std::vector<std::vector<double>> directions_; ///< of the double run
    std::map<int, Rounding> roundings_;           ///< by fraction bits
    double lanczos_seconds_ = 0;                  ///< for the eigenvalues
    double iterating_seconds_ = 0;                ///< for CG in double precision, without reading and scaling
    std::optional<Proposal> by_rule_;             ///< of the last aim: what needs no trial
    double start_ = running::processor_seconds();
};

} // namespace

Advice advise(const Problem& problem, const AdviceOptions& options, const AdviceProgress& progress) {
    if (!(options.tolerance > 0 && options.tolerance < 1))
        throw InvalidInput(fmt::format("tolerance {}: give a number between 0 and 1", options.tolerance));
    if (options.inner < 1) throw InvalidInput("inner: at least one inner iteration");
    if (options.threads < 1) throw InvalidInput("threads: at least one");
    options::require_suits_cg(problem, "advise");
    Adviser adviser(problem, options, progress);
    return adviser.run();
}

} // namespace mantissa
