#include "mantissa/host/advise.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "mantissa/format.hpp"
#include "mantissa/host/scaling.hpp"
#include "rows.hpp"
#include "spectrum.hpp"
#include "trial.hpp"

namespace mantissa {

namespace {

using namespace advising;

/// The rounding of the coefficients, taken so many times with either sign, must leave the matrix positive definite:
/// every eigenvalue of A^-1 E then lies within a quarter, and a full inner solve leaves a third of the error at most.
constexpr double kMargin = 4;
/// No width is named beyond this: vectors cross the engine's seam as doubles.
constexpr int kMostBits = 52;
constexpr int kFewestBits = 2;
/// Fraction bits that alpha and beta have by default, and the fewest that are worth naming for u.
constexpr int kFewestIterate = 10;

int bits_at_least(double bits) {
    return static_cast<int>(std::ceil(std::min(bits, 1000.0)));
}

class Adviser {
public:
    Adviser(const Problem& problem, const AdviceOptions& options, const AdviceProgress& progress)
        : problem_(problem), options_(options), progress_(progress), scaled_(jacobi_scaled(problem)) {}

    Advice run() {
        measure();
        if (!refused() && coefficients() && vectors()) name();
        return std::move(advice_);
    }

private:
    const System& matrix() const { return scaled_.problem.system; }
    void say(const std::string& what) const {
        if (progress_) progress_(what);
    }
    bool none(std::string why) {
        advice_.why_not = std::move(why);
        return false;
    }

    Extremes lanczos(const System& system, const std::string& what, bool stop_below_zero) const {
        LanczosOptions o;
        o.threads = options_.threads;
        o.stop_below_zero = stop_below_zero;
        o.progress = [&](std::uint64_t steps) { say(fmt::format("{}: {} Lanczos steps", what, steps)); };
        return extreme_eigenvalues(system, o);
    }

    void measure() {
        MatrixMeasured& m = advice_.measured;
        m.unknowns = matrix().size();
        m.longest_row = longest_row(matrix());
        const Extremes found = lanczos(matrix(), "eigenvalues", true);
        m.smallest = found.smallest;
        m.largest = found.largest;
        m.steps = found.steps;
        m.settled = found.settled;
        if (!(m.smallest > 0)) return;
        TrialOptions o;
        o.tolerance = options_.tolerance;
        o.inner = options_.inner;
        o.threads = options_.threads;
        o.progress = [&](std::uint64_t iterations, double residual) {
            say(fmt::format("CG in double precision: {} iterations, residual {:.1e}", iterations, residual));
        };
        const Trial trial = run_trial(problem_, scaled_, o);
        m.double_reached = trial.reached;
        m.double_iterations = trial.iterations;
        m.floor = trial.floor;
        m.largest_word = trial.largest_word;
        m.correction = trial.correction;
    }

    /// Nothing that a datapath could mend.
    bool refused() {
        const MatrixMeasured& m = advice_.measured;
        if (!(m.smallest > 0))
            none(fmt::format("the matrix is not positive definite: Lanczos finds an eigenvalue of {:.3e} or below",
                             m.smallest));
        else if (!m.double_reached)
            none(fmt::format("conjugate gradients in double precision do not reach {:g} within {} iterations",
                             options_.tolerance, m.double_iterations));
        else if (m.floor > options_.tolerance)
            none(fmt::format("the outer loop forms the defect in double precision, whose rounding alone leaves a "
                             "residual of about {:.1e} here; ask for --tolerance {:.0e} or more",
                             m.floor, 3 * m.floor));
        return !advice_.why_not.empty();
    }

    /// Does the matrix stay definite when the rounding of its coefficients is taken kMargin times, with either sign?
    bool stays_definite(const RoundedMatrix& rounding, int bits) const {
        if (kMargin * rounding.row_bound < advice_.measured.smallest / 2) return true;
        const auto definite = [&](double factor) {
            const Extremes found =
                lanczos(moved(matrix(), rounding.system, factor), fmt::format("coefficients of {} bits", bits), true);
            return found.settled && found.smallest > 0;
        };
        return definite(-kMargin) && definite(kMargin);
    }

    /// The fewest bits that hold, by halving below those that the bound on row sums grants.
    bool coefficients() {
        AdvisedWidths& w = advice_.widths;
        const double allowed = advice_.measured.smallest / (2 * kMargin);
        int safe = kFewestBits;
        while (safe <= kMostBits && rounded(matrix(), safe).row_bound > allowed) ++safe;
        w.coefficient_safe = safe;
        if (safe > kMostBits)
            return none(fmt::format("coefficients of {} fraction bits still change row sums by more than an eighth of "
                                    "the smallest eigenvalue",
                                    kMostBits));
        int fails = kFewestBits - 1, holds = safe;
        while (holds - fails > 1) {
            const int middle = fails + (holds - fails) / 2;
            (stays_definite(rounded(matrix(), middle), middle) ? holds : fails) = middle;
        }
        const RoundedMatrix chosen = rounded(matrix(), holds);
        w.coefficient = holds;
        w.coefficient_word = chosen.word_bits;
        w.perturbation = chosen.row_bound;
        return true;
    }

    /// Fraction bits of r, p and q, the bits before their point, and those of u, alpha and beta.
    bool vectors() {
        AdvisedWidths& w = advice_.widths;
        const MatrixMeasured& m = advice_.measured;
        const double n = static_cast<double>(m.unknowns), inner = static_cast<double>(options_.inner);
        w.curvature = bits_at_least(std::log2(1 / m.smallest) + 1);
        w.energy = bits_at_least(0.5 * std::log2(n * m.condition() / 12) + 1.5);
        w.descent = bits_at_least(0.5 * std::log2(n * inner / 12) + 3.5);
        w.vector = std::max({w.curvature, w.energy, w.descent});
        // The defect may gather in one element, whatever the double run's did: r holds 1 at least.
        w.integer = 2 + std::max(0, m.largest_word > 0 ? bits_at_least(std::log2(m.largest_word)) : 0);
        w.iterate = std::max(kFewestIterate, bits_at_least(std::log2(8 * m.largest * inner * m.correction)));
        w.operand =
            std::max(DatapathSpec::kFixedOperand.fraction_bits, bits_at_least(0.5 * std::log2(m.condition()) + 1));
        const int word = w.vector + w.integer;
        if (word > kMostBits || w.coefficient_word > kMostBits || w.iterate > kMostBits)
            return none(fmt::format("vectors would take words of {} bits, coefficients {} and the iterate {}", word,
                                    w.coefficient_word, w.iterate));
        return true;
    }

    void name() {
        const AdvisedWidths& w = advice_.widths;
        SolveOptions& o = advice_.options;
        o.scheme = Scheme::residual_guided;
        o.jacobi = true;
        o.inner = options_.inner;
        o.tolerance = options_.tolerance;
        o.threads = options_.threads;
        o.spec = DatapathSpec(Format::fixed(std::max(w.vector + w.integer, Format::kMinWord), w.vector));
        o.spec.coefficient = Format::fixed(w.coefficient_word, w.coefficient);
        o.spec.u = w.iterate <= 23 ? Format{23, 8} : Format{w.iterate, 11};
        if (w.operand > DatapathSpec::kFixedOperand.fraction_bits) o.spec.operand = Format{w.operand, 11};
        o.spec.validate();
        advice_.found = true;
    }

    const Problem& problem_;
    const AdviceOptions& options_;
    const AdviceProgress& progress_;
    ScaledProblem scaled_;
    Advice advice_;
};

} // namespace

Advice advise(const Problem& problem, const AdviceOptions& options, const AdviceProgress& progress) {
    if (!(options.tolerance > 0 && options.tolerance < 1))
        throw InvalidInput(fmt::format("tolerance {}: give a number between 0 and 1", options.tolerance));
    if (options.inner < 1) throw InvalidInput("inner: at least one inner iteration");
    if (options.threads < 1) throw InvalidInput("threads: at least one");
    return Adviser(problem, options, progress).run();
}

} // namespace mantissa
