// What the parts of one solve share: counts, limits, progress, the verdict on how the defect develops.
#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "mantissa/engine.hpp"
#include "mantissa/host/scaling.hpp"
#include "mantissa/host/solve.hpp"
#include "mantissa/multilevel/cycle_solver.hpp"
#include "mantissa/native.hpp"
#include "mantissa/outer/spread_iterate.hpp"
#include "mantissa/reached.hpp"
#include "mantissa/recurrence/energy.hpp"
#include "text/counted.hpp"

namespace mantissa::solving {

/// A solve is stagnant when its best defect has not fallen by a tenth over this many inner iterations. A cycle does the
/// same work at any size, and what forty of them do not do no further one does.
inline std::uint64_t patience(std::size_t size, const SolveOptions& options) {
    constexpr std::uint64_t kCycles = 40;
    if (options.preconditioner) return kCycles;
    return 2000 + static_cast<std::uint64_t>(20 * std::sqrt(static_cast<double>(size)));
}
inline constexpr double kWorthwhile = 0.9;
/// A step that leaves less than so many units in the last place of the residual before leaves rounding errors alone:
/// the recurrence has what it can have, and a flexible one goes away from it again (its beta is one of noise).
inline constexpr double kSpentUnits = 16;
/// ... and divergent when its defect has grown to this multiple of the initial one.
inline constexpr double kDiverged = 1e4;

/// Why a solve ended that gave up (SolveOptions::give_up).
inline constexpr const char* kGaveUp = "another way is the better bet";

struct SolveContext {
    const SolveOptions& options;
    const Progress& progress;
    SolveResult& result;
    std::size_t size;
    std::uint64_t limit;  ///< inner iterations in all
    double initial = 1;   ///< norm of the first defect
    double norm = 1;      ///< norm of the defect that a scheme starts from
    double tolerance = 0; ///< relative to `initial`; tighter than the option's while a scaled solve catches up
    /// Where a scaled problem's norm is not the given one's: the way back, and the defect norm that suffices there.
    const ScaledProblem* scaled = nullptr;
    double target_as_given = 0;
    double largest_scale = 0;
    /// The matrix as an engine loads it, and what it is of the problem's: fit * A (fitted()).
    const System* loaded = nullptr;
    double fit = 1;
    SpectrumBounds bounds{}; ///< of `loaded`, for the Chebyshev recurrence
    BitOperations pass{};    ///< of one pass of the datapath that runs
    [[nodiscard]] double target() const { return tolerance * initial; }
    bool cancelled = false;
    /// The verdict on an iterate that no process holds as a whole; none where the scheme is to leave it in u and d.
    /// Where it is true the scheme leaves them empty; else the solve goes on from them.
    std::function<bool(SpreadIterate&)> settle = nullptr;
    /// The true residual of the last run's iterate as given, once it was formed.
    std::optional<double> known = std::nullopt;
    /// Plain defects said "reached" and were wrong: the outer loop forms doubled ones from here on.
    bool doubled = false;
    std::unique_ptr<NativeSolver> native = nullptr; ///< of a native solve, made by its first run
    std::unique_ptr<CycleSolver> cycles = nullptr;  ///< of a solve by an engine's cycles, likewise
    recurrence::EnergyDrops drops{};                ///< of the solve so far, where it stops on the error's energy
    double energy = 0;                              ///< what they have to reach; 0: the residual is what stops it
    std::string shortfall = {}; ///< why the last run ended above its tolerance though it calls that its best
    bool nearly = false;        ///< a direct run ended by its recurrence, its true residual within kDirectSlack

    [[nodiscard]] std::uint64_t remaining() const {
        return limit > result.inner_iterations ? limit - result.inner_iterations : 0;
    }

    /// Has the problem as given reached its tolerance, whatever the scaled defect says? `d` is the scaled problem's
    /// defect, `scaled_norm` its norm. Asked after outer steps; costs nothing while the answer must be no.
    template <class Defect> [[nodiscard]] bool reached_as_given(double scaled_norm, Defect&& d) const {
        // ||D^1/2 d|| is at least ||d|| over the largest D^-1/2.
        if (scaled == nullptr || !(scaled_norm / largest_scale < target_as_given)) return false;
        return scaled->norm_as_given(d(), options.threads) < target_as_given;
    }

    /// A step of CG that divided by p.A p = pq. `unit`: what the energies of the system that it works on have to be
    /// multiplied by to be the problem's.
    void step(double alpha, double pq, double unit) {
        if (energy > 0) drops.add(alpha * alpha * pq * unit);
    }
    [[nodiscard]] bool energy_reached() const { return energy > 0 && drops.reached(energy); }

    /// Counts what a run of an engine's session did.
    void count(const RunReport& report, std::uint64_t steps) {
        result.inner_iterations += steps;
        result.sigma_guards += report.sigma_guards;
        result.words.merge(report.words);
        result.bit_operations += report.passes * pass;
        if (report.cycles) result.cycles = result.cycles.value_or(0) + *report.cycles;
    }

    void record(double relative_defect) {
        const HistoryPoint point{result.inner_iterations, result.outer_iterations, relative_defect};
        if (options.history) result.history.push_back(point);
        report(point);
    }
    /// Also within a step: every time that the solve can be ended. A defect of 0 is not known.
    void report(const HistoryPoint& point) {
        if (progress && !cancelled && !progress(point)) cancelled = true;
    }

    void stop(Status status, std::string detail = {}) {
        result.status = status;
        result.detail = std::move(detail);
    }
};

/// What to say of a defect that diverged.
inline std::string growth(double relative_defect) {
    return std::isfinite(relative_defect) ? "the defect grew beyond 10^4 times the initial one"
                                          : "the defect left the range of double precision";
}

/// Why a recurrence could not go on, in words. `pq` is what the scalar unit holds: a negative one and one that vanished
/// end a run with the same code and have different reasons.
inline std::string why_ended(RunEnd end, double pq, const SolveOptions& options) {
    const std::string mend = options.jacobi || options.preconditioner ? "" : " (Jacobi scaling may help)";
    switch (end) {
    case RunEnd::indefinite:
        return pq < 0 ? "p.q is below zero: the matrix is indefinite, or rounding to these formats makes it so"
                      : "p.q is zero: the products underflow in these formats, or A p vanishes" + mend;
    case RunEnd::not_finite:
        return "a dot product or a scalar is not finite: values leave the range of these formats" + mend;
    case RunEnd::exact:
        return "r.r is zero: the residual vanished or underflows in these formats";
    case RunEnd::breakdown:
        return "it broke down: a dot product that it divides by is zero" + mend;
    default:
        return to_string(end);
    }
}

/// Watches a sequence of defects for divergence and stagnation.
class Watch {
public:
    explicit Watch(const SolveContext& context) : patience_(patience(context.size, context.options)) {}

    /// True when the solve should end; the context then has its status.
    bool ends(SolveContext& context, double relative_defect) {
        const std::uint64_t at = context.result.inner_iterations;
        if (!std::isfinite(relative_defect) || relative_defect > kDiverged) {
            context.stop(Status::diverged, growth(relative_defect));
            return true;
        }
        if (relative_defect < kWorthwhile * best_) {
            best_ = relative_defect;
            best_at_ = at;
        } else if (at - best_at_ > patience_) {
            context.stop(Status::stagnated, "the best defect has not fallen by a tenth over " +
                                                std::to_string(at - best_at_) + " iterations");
            return true;
        }
        if (context.cancelled) {
            context.stop(Status::iteration_limit, "stopped on request");
            return true;
        }
        if (context.remaining() == 0) {
            context.stop(Status::iteration_limit,
                         "the limit of " + text::counted(context.limit, "inner iteration") + " is reached");
            return true;
        }
        return false;
    }

private:
    std::uint64_t patience_;
    double best_ = std::numeric_limits<double>::infinity();
    std::uint64_t best_at_ = 0;
};

} // namespace mantissa::solving
