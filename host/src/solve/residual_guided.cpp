// Residual guided pipelined CG (FCCM'06, section 3.3): the outer loop replaces the inner residual by the true one and
// keeps the search direction, made orthogonal to it.
#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "inner.hpp"
#include "outer/host_vectors.hpp"
#include "schemes.hpp"
#include "stage_session.hpp"
#include "words/inner_scale.hpp"
#include "words/moving_restart.hpp"

namespace mantissa::solving {

namespace {

/// One solve: the outer loop around the stages' sessions, over vectors that live wherever OuterVectors has them.
class ResidualGuided {
public:
    ResidualGuided(const Problem& problem, StageSession& stage, std::vector<double>& u, std::vector<double>& d,
                   SolveContext& context)
        : problem_(problem), options_(context.options), context_(context), stage_(stage), session_(stage.get()), u_(u),
          d_(d), arithmetic_(make_outer(problem, u, context)), target_(context.target()), norm_(context.norm),
          inner_(options_, stage.spec()), scale_(inner_.of(norm_)), moving_(options_), watch_(context) {
        place_vectors();
    }

    /// Leaves the last u and d on the host, or has them judged where they are.
    void solve() {
        iterate();
        SpreadIterate* const spread = vectors_->spread();
        if (spread == nullptr || !context_.settle || !context_.settle(*spread)) read_whole();
    }

private:
    enum class Step : std::uint8_t { goes_on, converged, ended };

    void iterate() {
        while (norm_ >= target_) {
            begin_step();
            WordUse words;
            const RunReport report = run_inner(words);
            if (inner_.fixed() && report.end == RunEnd::window_overflow) {
                if (!retry_after_overflow(report)) return;
                continue;
            }
            if (report.end == RunEnd::fault) {
                if (!retry_after_fault()) return;
                continue;
            }
            faults_ = 0;
            inner_.after(words);
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

    /// The outer loop's vectors where this session wants them. (The words of an outer loop in integers are the
    /// host's, and so are doubled defects.)
    void place_vectors() {
        vectors_ = make_host_vectors({*arithmetic_, u_, problem_.b, d_}, *session_, stage_.spec());
        if (!options_.outer && !context_.doubled) vectors_ = session_->outer(problem_.system, std::move(vectors_));
        vectors_->load(u_, problem_.b, d_);
        if (vectors_->spread() != nullptr) u_ = d_ = {}; // nobody holds whole vectors
    }
    void read_whole() {
        u_.resize(context_.size);
        d_.resize(context_.size);
        vectors_->read(u_, d_);
    }
    void next_stage() {
        read_whole();
        vectors_.reset(); // (it works beside the session that goes)
        stage_.advance(norm_ / context_.initial);
        session_ = stage_.get();
        inner_ = InnerScale(options_, stage_.spec());
        batch_ = Batch();
        place_vectors();
    }

    /// r0 = d / s;  p0 = p - (r0 . p) / (r0 . r0) r0
    void restart() {
        std::optional<double> share;
        if (!first_time_) {
            const double projection = vectors_->dot(scale_); // (with floating vectors r0 has the norm 1)
            share = inner_.fixed() ? inner_.operand(projection / ((norm_ / scale_) * (norm_ / scale_))) : projection;
        }
        vectors_->restart(scale_, share);
    }

    /// The stage, the scale and the vectors of the next step.
    void begin_step() {
        if (options_.spec.moves()) { // (no schedule has such a stage)
            beta_ *= scale_;
            scale_ = moving_.restart(*session_, defect_here(), norm_, !first_time_, beta_);
        } else {
            const bool was_fixed = inner_.fixed();
            const double before = was_fixed ? scale_ : norm_; // (a floating beta is for r = d / norm already)
            if (stage_.due(norm_ / context_.initial)) next_stage();
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
        const double square = inner_.fixed() ? norm_ / scale_ * (norm_ / scale_) : 1; // of r's norm
        double stop = global * global;
        if (options_.digits > 0) stop = std::max(stop, square * std::pow(10.0, -2 * options_.digits));
        std::uint64_t steps = 0;
        RunReport report;
        const bool by_energy = context_.energy > 0;
        while (steps < allowed && !context_.cancelled && !context_.energy_reached()) {
            report = options_.digits > 0
                         ? session_->run({.passes = std::min<std::uint64_t>(allowed - steps, by_energy ? 1 : 64),
                                          .rho_stop = stop})
                         : batch_.run(*session_, {.passes = allowed - steps, .rho_stop = stop}, by_energy);
            steps += report.passes;
            words.merge(report.words);
            context_.count(report, report.passes);
            if (by_energy) {
                const Scalars scalars = session_->scalars();
                context_.step(scalars.alpha, scalars.pq, scale_ * scale_ * context_.fit);
            }
            if (report.end != RunEnd::passes) break;
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

    /// Nothing of a run that ended in a fault is trusted: the loop goes on from its last iterate, along the defect.
    bool retry_after_fault() {
        constexpr int kMostFaults = 10; // in a row: more are no upsets
        ++context_.result.outer_iterations;
        if (++faults_ == kMostFaults) {
            context_.stop(Status::breakdown, session_->fault());
            return false;
        }
        first_time_ = true;
        beta_ = 0;
        session_->clear(Vec::p);
        return !watch_.ends(context_, norm_ / context_.initial);
    }

    std::span<const double> defect_here() {
        read_whole();
        return d_;
    }

    /// Correction, defect, verdict and the next beta.
    Step finish_step(const RunReport& report) {
        const Scalars scalars = session_->scalars();
        const double global = target_ / scale_;
        const bool finite = vectors_->correct(scale_ * context_.fit, inner_.operand(scalars.alpha));
        ++context_.result.outer_iterations;
        const double before = norm_;
        const auto ended = [&](const std::string& why) {
            context_.stop(Status::breakdown, why);
            return Step::ended;
        };
        if (vectors_->overflow()) return ended(kOuterOverflow);
        vectors_->defect();
        norm_ = vectors_->norm();
        context_.record(norm_ / context_.initial);
        const bool reached = report.end == RunEnd::rho_reached && scalars.rho < global * global;
        if (norm_ < target_ * (reached ? 1 + kReachedSlack : 1) || context_.energy_reached() ||
            context_.reached_as_given(norm_, [&] { return defect_here(); }))
            return Step::converged;
        const bool trouble = report.end != RunEnd::passes && report.end != RunEnd::rho_reached;
        const std::string why = "inner CG ended: " + why_ended(report.end, scalars.pq, options_);
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
    std::vector<double>&u_, &d_;
    std::unique_ptr<OuterArithmetic> arithmetic_; ///< the host's
    std::unique_ptr<OuterVectors> vectors_;
    double target_, norm_, beta_ = 0;
    InnerScale inner_;
    double scale_; ///< r = d / scale
    MovingRestart moving_;
    Watch watch_;
    Batch batch_;
    bool first_time_ = true;
    int fruitless_ = 0;
    int faults_ = 0; ///< runs in a row that ended in one
};

} // namespace

void solve_residual_guided(const Problem& problem, const Engine& engine, std::vector<double>& u, std::vector<double>& d,
                           SolveContext& context) {
    StageSession stage(problem, engine, context);
    ResidualGuided(problem, stage, u, d, context).solve();
}

} // namespace mantissa::solving
