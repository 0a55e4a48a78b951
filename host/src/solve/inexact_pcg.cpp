// Inexact preconditioned CG in double precision around an inner solver in short formats (Golub and Ye, "Inexact
// preconditioned conjugate gradient method with inner-outer iteration", SIAM J. Sci. Comput. 21(4), 1999), as Cevahir,
// Nukada and Matsuoka, ICCS 2009, use it:
//
//     r = b - A u;  z = K(r);  p = z
//     loop:  alpha = (r.z) / (p.A p);  u += alpha p;  r' = r - alpha A p;  z' = K(r')
//            beta = (z'.(r' - r)) / (r.z);  p = z' + beta p
//
// K(r) is the inner solver's approximate solution of A z = r, from z = 0 and r over its norm. It is a different map for
// every r (steps of CG, rounded), which is why beta is the flexible one: with a fixed K, z'.r would be zero.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "inner.hpp"
#include "mantissa/pace.hpp"
#include "running/parallel.hpp"
#include "schemes.hpp"
#include "words/inner_scale.hpp"
#include "words/moving_restart.hpp"

namespace mantissa::solving {

namespace {

/// The inner residual is worth bringing down to this share of the solve's target. (The outer step minimises the error's
/// energy norm: at exactly the target, its residual might miss it.)
constexpr double kInnerShare = 0.1;
constexpr int kMostFruitless = 10;

/// Whole vectors on the host.
class HostCgVectors final : public CgVectors {
public:
    HostCgVectors(const Problem& problem, std::span<double> u, std::span<double> d, const SolveContext& context)
        : problem_(problem), threads_(context.options.threads), u_(u), d_(d),
          z_(d.size()), kept_{{std::vector<double>(d.size()), std::vector<double>(d.size())}}, zero_(d.size(), 0.0),
          arithmetic_(problem.system, threads_, context.doubled) {}

    [[nodiscard]] std::span<const double> d() const { return d_; }
    /// d / scale from `at` on.
    void scaled_defect(std::size_t at, double scale, std::span<double> values) const {
        for_elements(values.size(), [&](std::size_t i) { values[i] = d_[at + i] / scale; });
    }
    /// z = scale times the inner solver's correction. False where an element is not finite.
    bool take(InnerSolver& inner, double scale) {
        bool finite = true;
        for (std::size_t at = 0; at < z_.size(); at += kTransfer) {
            const std::span<double> part(z_.data() + at, std::min(kTransfer, z_.size() - at));
            inner.read(at, part);
            for (double& x : part) x *= scale;
            finite = finite && std::all_of(part.begin(), part.end(), [](double x) { return std::isfinite(x); });
        }
        return finite;
    }

    void defect() override { arithmetic_.defect(u_, problem_.b, d_); }
    [[nodiscard]] double norm() override { return arithmetic_.norm(d_); }
    [[nodiscard]] double correction_by_defect() override { return dot(z_, d_); }
    [[nodiscard]] double correction_by_product(std::size_t before) override { return dot(z_, kept_[before].q); }
    void direct(std::span<const double> beta) override {
        if (kept_.size() < beta.size())
            kept_.resize(beta.size(), {std::vector<double>(z_.size()), std::vector<double>(z_.size())});
        direct_anew(beta, z_.data(), kept_,
                    [&](const auto& work) { for_elements(z_.size(), [&](std::size_t i) { work(i, i); }); });
    }
    [[nodiscard]] double multiply() override {
        CgDirection& last = kept_.front();
        arithmetic_.defect(last.p, zero_, last.q); // 0 - A p
        return dot(last.p, last.q);
    }
    void step(double alpha) override {
        const double *const p = kept_.front().p.data(), *const q = kept_.front().q.data();
        for_elements(u_.size(), [&](std::size_t i) {
            u_[i] += alpha * p[i];
            d_[i] += alpha * q[i];
        });
    }

private:
    template <class Work> void for_elements(std::size_t count, const Work& work) const {
        running::for_pieces(threads_, count, 1, [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) work(i);
        });
    }
    /// In the order of the outer loop's projections.
    [[nodiscard]] double dot(std::span<const double> a, std::span<const double> b) const {
        std::vector<double> part((a.size() + kTransfer - 1) / kTransfer);
        running::for_pieces(threads_, a.size(), kTransfer, [&](std::size_t begin, std::size_t end) {
            for (std::size_t at = begin; at < end; at += kTransfer)
                part[at / kTransfer] = outer_order::part_sum(std::min(kTransfer, end - at),
                                                             [&](std::size_t i) { return a[at + i] * b[at + i]; });
        });
        return std::accumulate(part.begin(), part.end(), 0.0);
    }

    const Problem& problem_;
    int threads_;
    std::span<double> u_, d_;
    std::vector<double> z_;
    std::vector<CgDirection> kept_; ///< directions, the newest first
    std::vector<double> zero_;
    DoubleArithmetic arithmetic_;
};

class InexactPcg {
public:
    /// `cycle`: with vectors of its own; null where they are the host's, u and d.
    InexactPcg(const Problem& problem, const Engine& engine, CycleVectors* cycle, std::span<double> u,
               std::span<double> d, SolveContext& context)
        : options_(context.options), context_(context), cycle_(cycle), scale_(options_), moving_(options_),
          watch_(context), pace_(options_.give_up, context.target() / context.initial), norm_(context.norm),
          directions_(static_cast<std::size_t>(directions_of(options_, problem.system.size()))) {
        if (cycle_ != nullptr) return;
        host_ = std::make_unique<HostCgVectors>(problem, u, d, context);
        inner_ = make_inner_solver(problem, engine, context);
    }

    void iterate() {
        if (norm_ < context_.target()) return context_.stop(Status::converged);
        while ((cycle_ != nullptr ? correct_by_cycle(*cycle_, context_) : precondition()) && direction() && step()) {
        }
    }

private:
    [[nodiscard]] CgVectors& vectors() const { return cycle_ != nullptr ? static_cast<CgVectors&>(*cycle_) : *host_; }
    [[nodiscard]] bool ended(Status status, std::string why) {
        context_.stop(status, std::move(why));
        return false;
    }

    /// z = K(r). False, here and below, when the solve has its status.
    [[nodiscard]] bool precondition() {
        for (;;) {
            const double scale = inner_->scales_itself() ? 1
                                 : options_.spec.moves() ? moving_.scale(largest_of(host_->d()), {})
                                                         : scale_.of(norm_);
            const InnerGoal goal{.steps = options_.digits > 0 ? 0 : options_.inner,
                                 .reduction = options_.digits > 0 ? std::pow(10.0, -options_.digits) : 0.0,
                                 .global = kInnerShare * context_.target() / scale,
                                 .square = scale_.fixed() ? norm_ / scale * (norm_ / scale) : 1};
            const InnerOutcome outcome = inner_->solve(
                [&](std::size_t at, std::span<double> values) { host_->scaled_defect(at, scale, values); }, goal,
                context_);
            if (!(outcome.overflow && scale_.fixed())) {
                scale_.after(outcome.words);
                return take_correction(outcome, scale);
            }
            ++context_.result.outer_iterations;
            if (options_.spec.moves()) moving_.widen(outcome.words);
            if (!lost_to_overflow(scale_, context_)) return false;
            if (watch_.ends(context_, norm_ / context_.initial)) return false;
        }
    }

    [[nodiscard]] bool take_correction(const InnerOutcome& outcome, double scale) {
        if (!outcome.useful) {
            if (context_.remaining() == 0 || context_.cancelled)
                return !watch_.ends(context_, norm_ / context_.initial);
            return ended(Status::breakdown, outcome.trouble);
        }
        if (!host_->take(*inner_, scale))
            return ended(Status::breakdown,
                         outcome.trouble.empty() ? "the inner correction is not finite" : outcome.trouble);
        trouble_ = outcome.trouble;
        return true;
    }

    /// p from z and the p before, of which q is still -A p and so, times alpha, r' - r. With more directions from the
    /// ones before that as well: z' less its part along each (Notay 2000).
    [[nodiscard]] bool direction() {
        const double rz = vectors().correction_by_defect();
        if (!(rz > 0))
            return ended(Status::breakdown,
                         trouble_.empty()
                             ? "r.z is not above zero: the inner solver's correction does not descend in these formats"
                             : trouble_);
        std::array<double, kMostDirections> beta{}; // (p.q of before is r.z over alpha)
        for (std::size_t k = 0; k < kept_.size(); ++k)
            beta[k] = kept_[k].alpha * vectors().correction_by_product(k) / kept_[k].rz;
        vectors().direct(std::span(beta).first(directions_));
        if (kept_.size() == directions_) kept_.pop_back();
        kept_.insert(kept_.begin(), {rz, 0});
        return true;
    }

    /// One step along p: u, r and their verdict.
    [[nodiscard]] bool step() {
        const double pq = -vectors().multiply();
        if (!(pq > 0))
            return ended(Status::breakdown, pq < 0 ? "p.A p is below zero: the matrix is indefinite"
                                                   : "p.A p is zero or not finite: values leave double precision");
        const double alpha = kept_.front().alpha = kept_.front().rz / pq;
        vectors().step(alpha);
        ++context_.result.outer_iterations;
        context_.step(alpha, pq, 1);
        const double before = norm_;
        norm_ = vectors().norm();
        const bool spent = norm_ <= kSpentUnits * formats::kDouble.epsilon() * before;
        if (context_.energy_reached() || (spent && context_.energy > 0)) {
            context_.record(norm_ / context_.initial);
            return ended(Status::converged, {});
        }
        if (spent || norm_ < context_.target() || reached_as_given()) return true_defect();
        context_.record(norm_ / context_.initial);
        if (!pace_.go_on(++steps_, norm_ / context_.initial)) {
            context_.result.gave_up = pace_.to_go();
            return ended(Status::iteration_limit, kGaveUp);
        }
        // An inner solver that ends in trouble again and again without gain will not mend.
        fruitless_ = !trouble_.empty() && norm_ > kWorthwhile * before ? fruitless_ + 1 : 0;
        if (fruitless_ >= kMostFruitless) return ended(Status::breakdown, trouble_);
        return !watch_.ends(context_, norm_ / context_.initial);
    }

    /// The recurrence's residual is small enough, or nothing but rounding: is the true one? If not, the iteration
    /// begins anew from it.
    [[nodiscard]] bool true_defect() {
        vectors().defect();
        norm_ = vectors().norm();
        context_.record(norm_ / context_.initial);
        if (norm_ < context_.target() * (1 + kReachedSlack) || reached_as_given()) return ended(Status::converged, {});
        if (!(norm_ < kWorthwhile * best_true_))
            return ended(Status::stagnated, "the recurrence's residual is small enough, the true one stays above the "
                                            "tolerance: this recurrence in double cannot; try a refinement scheme");
        best_true_ = norm_;
        if (watch_.ends(context_, norm_ / context_.initial)) return false;
        kept_.clear();
        return true;
    }

    /// (Vectors of a cycle are those of a problem that is not scaled: cycle_vectors().)
    [[nodiscard]] bool reached_as_given() const {
        return host_ && context_.reached_as_given(norm_, [&] { return host_->d(); });
    }

    /// Of a direction: r.z as it was made, and its step.
    struct Kept {
        double rz, alpha;
    };

    const SolveOptions& options_;
    SolveContext& context_;
    CycleVectors* cycle_;
    std::unique_ptr<HostCgVectors> host_;
    std::unique_ptr<InnerSolver> inner_;
    InnerScale scale_;
    MovingRestart moving_;
    Watch watch_;
    Pace pace_;
    std::uint64_t steps_ = 0;
    double norm_;
    double best_true_ = std::numeric_limits<double>::infinity(); ///< of the defects formed anew
    std::size_t directions_; ///< a new direction becomes conjugate to so many of those before it
    std::vector<Kept> kept_; ///< of these, those that there are, the newest first
    int fruitless_ = 0;
    std::string trouble_; ///< of the last inner solve
};

} // namespace

void solve_inexact_pcg(const Problem& problem, const Engine& engine, std::vector<double>& u, std::vector<double>& d,
                       SolveContext& context) {
    const bool apart = solve_in_cycle_vectors(problem, engine, u, d, context, [&](CycleVectors& vectors) {
        InexactPcg(problem, engine, &vectors, {}, {}, context).iterate();
    });
    if (!apart) InexactPcg(problem, engine, nullptr, u, d, context).iterate();
}

} // namespace mantissa::solving
