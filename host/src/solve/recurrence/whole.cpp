// A whole solve by a recurrence, no outer loop: one run to the tolerance, and after a breakdown another from where it
// got. The status is judged by the true defect at the end, and the iterate is the best that was looked at.
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "../inner.hpp"
#include "../schemes.hpp"
#include "mantissa/recurrence/interpreter.hpp"

namespace mantissa::solving {

namespace {

/// Iterations between looks at progress and cancellation.
constexpr std::uint64_t kIterations = 16;
/// And between looks at the true residual, at most: one costs a defect in double, some two to four percent of so many
/// emulated iterations.
constexpr std::uint64_t kBetweenLooks = 32;
/// How far the recurrence's residual falls, at most, until the true one is asked for again.
constexpr double kCloser = 0.1;
/// A true residual that is this much above the recurrence's is about to leave it: what parts the two has 3 % of its
/// norm (squares add), and the best iterate is near.
constexpr double kApart = 1.0005;
/// What a run that ended with such a product must have gained for another.
constexpr double kDigit = 0.1;

class WholeSolve {
public:
    WholeSolve(const Problem& problem, std::span<double> u, std::span<double> d, SolveContext& context)
        : problem_(problem), context_(context), u_(u), d_(d),
          solver_(*context.loaded, context.options.spec, *recurrence_of(context.options), context.options.threads,
                  make_preconditioner(problem, context.options)),
          arithmetic_(problem.system, context.options.threads), start_(u.begin(), u.end()), right_(u.size()),
          correction_(u.size()) {
        best_.offer(context.norm, u);
    }

    void solve() {
        double norm = context_.norm;
        RunEnd end = run(norm);
        // Broken down on its way: anew from there, with another shadow residual, while that gains anything. A product
        // that is not above zero may be rounding's, long after the best iterate: anew from that one.
        while ((end == RunEnd::breakdown || end == RunEnd::indefinite) && context_.remaining() > 0 &&
               !context_.cancelled) {
            double now = true_norm(norm);
            best_.offer(now, u_);
            if (end == RunEnd::indefinite && best_.norm() < now) {
                best_.give_back(now, u_);
                arithmetic_.defect(u_, problem_.b, d_);
                now = best_.norm();
            }
            if (!(now < (end == RunEnd::indefinite ? kDigit : kWorthwhile) * norm)) break;
            start_.assign(u_.begin(), u_.end());
            norm = now;
            end = run(norm);
        }
        if (energy_reached()) static_cast<void>(true_norm(norm)); // (the last is the best in energy)
        else best_.give_back(true_norm(norm), u_);
        const bool reached = end == RunEnd::rho_reached || end == RunEnd::exact;
        const bool trouble = end != RunEnd::passes && !reached;
        judge_direct(problem_, u_, d_, reached || energy_reached(),
                     trouble ? name() + " ended: " + why_ended(end, solver_.culprit(), context_.options) : "",
                     context_);
    }

private:
    [[nodiscard]] std::string name() const { return to_string(iterated(context_.options)); }

    /// Do the steps' energies say so, or has the last step left rounding alone? An estimate formed anew decides.
    [[nodiscard]] bool energy_reached() const { return context_.energy_reached() || spent_; }

    /// From the defect d, of this norm.
    RunEnd run(double norm) {
        for (std::size_t i = 0; i < right_.size(); ++i) right_[i] = d_[i] / norm;
        solver_.start(right_);
        double stop = context_.target() / norm, least = norm;
        RunEnd end = RunEnd::passes;
        const bool by_energy = context_.energy > 0;
        std::uint64_t until_look = between_looks_ = most_between_looks_;
        spent_ = false;
        const double spent = std::pow(kSpentUnits * context_.options.spec.r.epsilon(), 2);
        double before = 1; // (r is what it starts from, over its norm)
        while (end == RunEnd::passes && context_.remaining() > 0 && !context_.cancelled && !energy_reached()) {
            const std::uint64_t most = by_energy ? 1 : kIterations; // (the energy's estimate wants every alpha)
            const RunReport report =
                solver_.run({.passes = std::min({context_.remaining(), most, until_look}), .rho_stop = stop * stop});
            context_.count(report, report.passes);
            if (by_energy) {
                context_.step(solver_.scalar("alpha"), solver_.scalar(divisor(solver_.definition())),
                              norm * norm * context_.fit);
                spent_ = solver_.square() <= spent * std::exchange(before, solver_.square());
            }
            context_.report(
                {context_.result.inner_iterations, 0, std::sqrt(solver_.square()) * norm / context_.initial});
            end = report.end;
            if (end == RunEnd::rho_reached && !by_energy && lags(norm, least, stop)) end = RunEnd::passes;
            until_look -= std::min(until_look, report.passes);
            if (end == RunEnd::passes && until_look == 0) until_look = look(norm);
        }
        return end;
    }

    /// The recurrence's residual is there. Is the true one after it, and on its way? Then `stop` is further on, but
    /// not so far that a true one which stays where it is would cost many iterations.
    bool lags(double norm, double& least, double& stop) {
        const double now = true_norm(norm), target = context_.target();
        best_.offer(now, u_);
        if (now < target * (1 + kReachedSlack) || context_.reached_as_given(now, [&] { return d_; }) ||
            !(now < kWorthwhile * least))
            return false;
        least = now;
        stop *= std::max(0.5 * target / now, kCloser);
        return true;
    }

    /// At the true residual; returns the iterations to the next look. Where it has left the recurrence's each iterate
    /// counts for as long as one is better than those before.
    std::uint64_t look(double norm) {
        const double now = true_norm(norm), before = best_.norm();
        best_.offer(now, u_);
        const bool apart = now > kApart * norm * std::sqrt(solver_.square());
        if (!apart) between_looks_ = most_between_looks_;
        else if (now < before) between_looks_ = std::max<std::uint64_t>(between_looks_ / 4, 1);
        else between_looks_ = std::min(2 * between_looks_, most_between_looks_);
        return between_looks_;
    }

    /// Of what the recurrence has, which may leave its own residual, and grow again; u and d become that iterate's.
    double true_norm(double norm) {
        std::ranges::copy(start_, u_.begin());
        solver_.solution(0, correction_);
        arithmetic_.correct(u_, norm * context_.fit, correction_);
        arithmetic_.defect(u_, problem_.b, d_);
        return arithmetic_.norm(d_);
    }

    const Problem& problem_;
    SolveContext& context_;
    std::span<double> u_, d_;
    recurrence::Interpreter solver_;
    DoubleArithmetic arithmetic_;
    BestIterate best_;
    std::vector<double> start_, right_, correction_;
    /// (A few unknowns are solved within as many steps, and a recurrence may leave the solution again with the next.)
    std::uint64_t most_between_looks_ = u_.size() <= kBetweenLooks ? 1 : kBetweenLooks;
    std::uint64_t between_looks_ = most_between_looks_;
    bool spent_ = false; ///< where the error's energy stops the solve: the last step left rounding errors alone
};

} // namespace

void solve_recurrence(const Problem& problem, std::span<double> u, std::span<double> d, SolveContext& context) {
    WholeSolve(problem, u, d, context).solve();
}

} // namespace mantissa::solving
