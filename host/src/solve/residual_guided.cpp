// Residual guided pipelined CG (FCCM'06, section 3.3): the outer loop replaces the inner residual by the true one and
// keeps the search direction, made orthogonal to it.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "inner.hpp"
#include "mantissa/fixed_kernels.hpp"
#include "schemes.hpp"
#include "stage_session.hpp"
#include "words/inner_scale.hpp"
#include "words/moving_restart.hpp"

namespace mantissa::solving {

namespace {

/// c += rnd(alpha p) on u's grid: the next pass's u. Word: an integer that holds u's words.
template <class Word> void step_along(const Format& u, double alpha, std::span<const double> p, std::span<double> c) {
    const FixedUnit<Word> unit(u);
    Word words[1024];
    double steps[1024];
    for (std::size_t at = 0; at < c.size(); at += std::size(words)) {
        const std::size_t n = std::min(std::size(words), c.size() - at);
        // (alpha p is exact: a short significand and a short word. One that does not fit is a step that is not useful.)
        for (std::size_t i = 0; i < n; ++i) steps[i] = alpha * p[at + i];
        static_cast<void>(unit.convert(std::span<const double>(steps, n), std::span<Word>(words, n)));
        unit.to_doubles(std::span<const Word>(words, n), std::span<double>(steps, n));
        for (std::size_t i = 0; i < n; ++i) c[at + i] += steps[i];
    }
}

/// One solve: the outer loop around the stages' sessions.
class ResidualGuided {
public:
    /// `there`: where the engine keeps the outer loop's vectors; null where the host does.
    ResidualGuided(const Problem& problem, StageSession& stage, OuterVectors* there, std::span<double> u,
                   std::span<double> d, SolveContext& context)
        : problem_(problem), options_(context.options), context_(context), stage_(stage), session_(stage.get()),
          there_(there), u_(u), d_(d), outer_(make_outer(problem, u, options_)), r_part_(std::min(u.size(), kTransfer)),
          p_part_(r_part_.size()), target_(context.target()), norm_(context.norm), inner_(options_, stage.spec()),
          scale_(inner_.of(norm_)), moving_(options_), watch_(context.size) {}

    void iterate() {
        while (norm_ >= target_) {
            begin_step();
            WordUse words;
            const RunReport report = run_inner(words);
            if (inner_.fixed() && report.end == RunEnd::window_overflow) {
                if (!retry_after_overflow(report)) return;
                continue;
            }
            inner_.behind(words);
            switch (finish_step(report)) {
            case Step::goes_on:
                continue;
            case Step::converged:
                return context_.stop(Status::converged);
            case Step::ended:
                return;
            }
        }
        context_.stop(Status::converged);
    }

private:
    enum class Step : std::uint8_t { goes_on, converged, ended };

    template <class Body> void for_parts(Body&& body) {
        for (std::size_t at = 0; at < u_.size(); at += r_part_.size()) {
            const std::size_t n = std::min(r_part_.size(), u_.size() - at);
            body(at, std::span<double>(r_part_.data(), n), std::span<double>(p_part_.data(), n));
        }
    }
    void defect_part(std::size_t at, std::span<double> r) const {
        if (inner_.fixed()) { // by a power of two: exact as a product, and faster
            const double reciprocal = 1 / scale_;
            for (std::size_t i = 0; i < r.size(); ++i) r[i] = d_[at + i] * reciprocal;
            return;
        }
        for (std::size_t i = 0; i < r.size(); ++i) r[i] = d_[at + i] / scale_;
    }

    /// r0 = d / s;  p0 = p - (r0 . p) / (r0 . r0) r0
    void restart() {
        if (there_ != nullptr) return there_->restart(scale_, norm_, !first_time_);
        double projection = 0;
        if (!first_time_) {
            BlockDot dot;
            for_parts([&](std::size_t at, std::span<double> r, std::span<double> p) {
                session_->read(Vec::p, at, p);
                defect_part(at, r);
                dot.add(r, p);
            });
            projection = dot.total();
            if (inner_.fixed()) projection = inner_.operand(projection / ((norm_ / scale_) * (norm_ / scale_)));
        }
        for_parts([&](std::size_t at, std::span<double> r, std::span<double> p) {
            defect_part(at, r);
            session_->write(Vec::r, at, r);
            if (first_time_) return;
            session_->read(Vec::p, at, p);
            for (std::size_t i = 0; i < p.size(); ++i) p[i] -= projection * r[i];
            session_->write(Vec::p, at, p);
        });
        session_->clear(Vec::u);
        session_->clear(Vec::q);
    }

    /// The stage, the scale and the vectors of the next step.
    void begin_step() {
        if (options_.spec.moves()) { // (no schedule has such a stage)
            beta_ *= scale_;
            scale_ = moving_.restart(*session_, d_, norm_, !first_time_, beta_);
        } else {
            const bool was_fixed = inner_.fixed();
            const double before = was_fixed ? scale_ : norm_; // (a floating beta is for r = d / norm already)
            if (stage_.due(norm_ / context_.initial)) {
                stage_.advance(norm_ / context_.initial);
                session_ = stage_.get();
                inner_ = InnerScale(options_, stage_.spec());
                batch_ = Batch();
            }
            scale_ = inner_.of(norm_);
            if (inner_.fixed() || was_fixed) beta_ *= before / scale_;
            restart();
        }
        session_->set_scalars(0, beta_);
        first_time_ = false;
    }

    /// The passes of one step; the last run's report, and the longest words of all.
    RunReport run_inner(WordUse& words) {
        const double global = target_ / scale_;
        const std::uint64_t allowed =
            std::min(options_.digits > 0 ? context_.remaining() : options_.inner, context_.remaining());
        double stop = global * global;
        std::uint64_t steps = 0;
        RunReport report;
        while (steps < allowed && !context_.cancelled) {
            // (Digits are tested from the 65th pass on, whatever the time that passes take.)
            report = options_.digits > 0
                         ? session_->run({.passes = std::min<std::uint64_t>(allowed - steps, 64), .rho_stop = stop})
                         : batch_.run(*session_, {.passes = allowed - steps, .rho_stop = stop});
            steps += report.passes;
            words.merge(report.words);
            context_.count(report, report.passes);
            if (report.end != RunEnd::passes) break;
            const double square = inner_.fixed() ? norm_ / scale_ * (norm_ / scale_) : 1; // of r's norm
            if (options_.digits > 0) stop = std::max(stop, square * std::pow(10.0, -2 * options_.digits));
        }
        return report;
    }

    /// What the step did is lost; the next one has more room. False when the solve has its status.
    bool retry_after_overflow(const RunReport& report) {
        ++context_.result.outer_iterations;
        if (options_.spec.moves()) moving_.widen(report.words);
        if (!lost_to_overflow(inner_, context_)) return false;
        first_time_ = true;
        beta_ = 0;
        session_->clear(Vec::p);
        return !watch_.ends(context_, norm_ / context_.initial);
    }

    /// u += s (u_k + alpha_k p_k)
    bool correct(double exact_alpha) {
        const double alpha = inner_.operand(exact_alpha);
        if (there_ != nullptr) return there_->correct(scale_ * context_.fit, alpha);
        const Format& format = stage_.spec().u;
        bool finite = std::isfinite(alpha);
        for_parts([&](std::size_t at, std::span<double> c, std::span<double> p) {
            if (!finite) return;
            session_->read(Vec::u, at, c);
            session_->read(Vec::p, at, p);
            if (format.is_fixed() && format.word_bits <= 32) step_along<std::int32_t>(format, alpha, p, c);
            else if (format.is_fixed()) step_along<std::int64_t>(format, alpha, p, c);
            else
                for (std::size_t i = 0; i < c.size(); ++i) c[i] += alpha * p[i];
            finite = std::all_of(c.begin(), c.end(), [](double x) { return std::isfinite(x); });
            if (finite) outer_->correct(u_.subspan(at, c.size()), scale_ * context_.fit, c);
        });
        return finite;
    }
    double defect_norm() {
        if (there_ != nullptr) {
            const double squares = there_->defect();
            if (squares_suffice(squares)) return std::sqrt(squares);
            there_->read(u_, d_);
        } else {
            outer_->defect(u_, problem_.b, d_);
        }
        return outer_->norm(d_);
    }
    std::span<const double> defect_here() {
        if (there_ != nullptr) there_->read(u_, d_);
        return d_;
    }

    /// Correction, defect, verdict and the next beta.
    Step finish_step(const RunReport& report) {
        const Scalars scalars = session_->scalars();
        const double global = target_ / scale_;
        const bool finite = correct(scalars.alpha);
        ++context_.result.outer_iterations;
        const double before = norm_;
        const auto ended = [&](const std::string& why) {
            context_.stop(Status::breakdown, why);
            return Step::ended;
        };
        if (outer_->overflow()) return ended(kOuterOverflow);
        norm_ = defect_norm();
        context_.record(norm_ / context_.initial);
        const bool reached = report.end == RunEnd::rho_reached && scalars.rho < global * global;
        if (norm_ < target_ * (reached ? 1 + kReachedSlack : 1) ||
            context_.reached_as_given(norm_, [&] { return defect_here(); }))
            return Step::converged;
        const bool trouble = report.end != RunEnd::passes && report.end != RunEnd::rho_reached;
        const std::string why = report.end == RunEnd::fault
                                    ? session_->fault()
                                    : "inner CG ended: " + why_ended(report.end, scalars.pq, options_);
        if (!finite) return ended(trouble ? why : "the inner correction is not finite");
        fruitless_ = trouble && norm_ > kWorthwhile * before ? fruitless_ + 1 : 0;
        if (fruitless_ >= 10) return ended(why);
        if (watch_.ends(context_, norm_ / context_.initial)) return Step::ended;
        // The kept direction fits the next residual only if the recurrence is sound; else restart along r.
        // beta = |d'|^2 / |r_k|^2 in the units of r = d / scale, times scale / scale'; the last factor when that is
        // known.
        beta_ = trouble || !(scalars.rho > 0) ? 0
                : inner_.fixed()              ? (norm_ / scale_) * (norm_ / scale_) / scalars.rho
                                              : norm_ / (before * scalars.rho);
        if (!std::isfinite(beta_)) beta_ = 0;
        if (trouble) first_time_ = true;
        if (first_time_) session_->clear(Vec::p);
        return Step::goes_on;
    }

    const Problem& problem_;
    const SolveOptions& options_;
    SolveContext& context_;
    StageSession& stage_;
    Session* session_;
    OuterVectors* there_;
    std::span<double> u_, d_;
    std::unique_ptr<OuterArithmetic> outer_;
    std::vector<double> r_part_, p_part_;
    double target_, norm_, beta_ = 0;
    InnerScale inner_;
    double scale_; ///< r = d / scale
    MovingRestart moving_;
    Watch watch_;
    Batch batch_;
    bool first_time_ = true;
    int fruitless_ = 0;
};

} // namespace

void solve_residual_guided(const Problem& problem, const Engine& engine, std::span<double> u, std::span<double> d,
                           SolveContext& context) {
    StageSession stage(problem, engine, context);
    // Where the engine keeps the outer loop's vectors, if it does: in double precision.
    const bool here = context.options.outer || !context.options.schedule.empty();
    OuterVectors* const there = here ? nullptr : stage.get()->outer(problem.system);
    if (there != nullptr) there->load(u, problem.b, d);
    ResidualGuided(problem, stage, there, u, d, context).iterate();
    if (there != nullptr) there->read(u, d);
}

} // namespace mantissa::solving
