// Residual guided pipelined CG (FCCM'06, section 3.3): the outer loop replaces the inner residual by the true one and
// keeps the search direction, made orthogonal to it.
#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "inner.hpp"
#include "inner_scale.hpp"
#include "mantissa/fitted.hpp"
#include "mantissa/fixed_kernels.hpp"
#include "moving_restart.hpp"
#include "schemes.hpp"

namespace mantissa::solving {

namespace {

/// c += rnd(alpha p) on u's grid: the next pass's u.
void step_along(const Format& u, double alpha, std::span<const double> p, std::span<double> c) {
    const FixedUnit<std::int64_t> unit(u);
    std::int64_t words[1024];
    double steps[1024];
    for (std::size_t at = 0; at < c.size(); at += std::size(words)) {
        const std::size_t n = std::min(std::size(words), c.size() - at);
        // (alpha p is exact: a short significand and a short word. One that does not fit is a step that is not useful.)
        for (std::size_t i = 0; i < n; ++i) steps[i] = alpha * p[at + i];
        static_cast<void>(unit.convert(std::span(steps, n), std::span(words, n)));
        unit.to_doubles(std::span(words, n), std::span(steps, n));
        for (std::size_t i = 0; i < n; ++i) c[at + i] += steps[i];
    }
}

/// The session that runs: one for the whole solve, or that of the schedule's stage, made when it is reached.
class StageSession {
public:
    StageSession(const Problem& problem, const Engine& engine, SolveContext& context)
        : problem_(problem), engine_(engine), context_(context) {
        // Refusals of later stages come before the first one's work.
        const auto& schedule = context.options.schedule;
        for (std::size_t i = 1; i < schedule.size(); ++i) {
            const auto fit = fitted(problem.system, schedule[i].spec);
            const std::string refusal =
                engine.refusal(schedule[i].spec, fit ? fit->system : problem.system, session_options());
            if (!refusal.empty()) throw InvalidInput(fmt::format("schedule: stage {}: {}", i + 1, refusal));
        }
        if (!due(context.norm / context.initial)) load(*context.loaded);
        else load_stage(context.norm / context.initial); // (a solve that goes on)
    }
    [[nodiscard]] Session* get() const { return session_.get(); }
    [[nodiscard]] const DatapathSpec& spec() const {
        return stage_ == 0 ? context_.options.spec : context_.options.schedule[stage_].spec;
    }
    /// Is the relative defect below the number of a later stage?
    [[nodiscard]] bool due(double relative) const {
        const auto& schedule = context_.options.schedule;
        return stage_ + 1 < schedule.size() && relative < schedule[stage_ + 1].below;
    }
    /// That stage's session takes the place of this one; p goes with it, rounded to its new format.
    void advance(double relative) {
        const std::unique_ptr<Session> before = std::move(session_);
        load_stage(relative);
        std::vector<double> part(std::min(context_.size, kTransfer));
        for (std::size_t at = 0; at < context_.size; at += part.size()) {
            const std::span<double> p(part.data(), std::min(part.size(), context_.size - at));
            before->read(Vec::p, at, p);
            session_->write(Vec::p, at, p);
        }
    }

private:
    void load_stage(double relative) {
        while (due(relative)) ++stage_;
        const auto fit = fitted(problem_.system, spec());
        const System& system = fit ? fit->system : problem_.system;
        context_.fit = context_.result.equation_scale = fit ? fit->scale : 1;
        context_.pass = bit_operations(spec(), system);
        load(system);
    }
    void load(const System& system) { session_ = engine_.load(system, spec(), session_options()); }
    [[nodiscard]] SessionOptions session_options() const { return {context_.options.threads, Recurrence::pipelined}; }

    const Problem& problem_;
    const Engine& engine_;
    SolveContext& context_;
    std::size_t stage_ = 0;
    std::unique_ptr<Session> session_;
};

void iterate(const Problem& problem, StageSession& stage, OuterVectors* there, std::span<double> u, std::span<double> d,
             SolveContext& context) {
    Session* session = stage.get();
    const SolveOptions& options = context.options;
    const std::size_t size = u.size();
    const auto outer_arithmetic = make_outer(problem, u, options);
    OuterArithmetic& outer = *outer_arithmetic;
    std::vector<double> r_part(std::min(size, kTransfer)), p_part(r_part.size());
    const double target = context.target();
    double norm = context.norm, beta = 0;
    InnerScale inner(options, stage.spec());
    double scale = inner.of(norm); // r = d / scale
    MovingRestart moving(options);
    Watch watch(context.size);
    Batch batch;
    bool first_time = true;
    int fruitless = 0;

    const auto for_parts = [&](auto&& body) {
        for (std::size_t at = 0; at < size; at += r_part.size()) {
            const std::size_t n = std::min(r_part.size(), size - at);
            body(at, std::span<double>(r_part.data(), n), std::span<double>(p_part.data(), n));
        }
    };

    // r0 = d / s;  p0 = p - (r0 . p) / (r0 . r0) r0
    const auto restart = [&] {
        if (there != nullptr) return there->restart(norm, !first_time);
        double projection = 0;
        if (!first_time) {
            BlockDot dot;
            for_parts([&](std::size_t at, std::span<double> r, std::span<double> p) {
                session->read(Vec::p, at, p);
                for (std::size_t i = 0; i < r.size(); ++i) r[i] = d[at + i] / scale;
                dot.add(r, p);
            });
            projection = dot.total();
            if (inner.fixed()) projection = inner.operand(projection / ((norm / scale) * (norm / scale)));
        }
        for_parts([&](std::size_t at, std::span<double> r, std::span<double> p) {
            for (std::size_t i = 0; i < r.size(); ++i) r[i] = d[at + i] / scale;
            session->write(Vec::r, at, r);
            if (first_time) return;
            session->read(Vec::p, at, p);
            for (std::size_t i = 0; i < p.size(); ++i) p[i] -= projection * r[i];
            session->write(Vec::p, at, p);
        });
        session->clear(Vec::u);
        session->clear(Vec::q);
    };
    // u += s (u_k + alpha_k p_k)
    const auto correct = [&](double exact_alpha) {
        if (there != nullptr) return there->correct(norm, exact_alpha);
        const double alpha = inner.operand(exact_alpha);
        bool finite = std::isfinite(alpha);
        for_parts([&](std::size_t at, std::span<double> c, std::span<double> p) {
            if (!finite) return;
            session->read(Vec::u, at, c);
            session->read(Vec::p, at, p);
            if (stage.spec().u.is_fixed()) step_along(stage.spec().u, alpha, p, c);
            else
                for (std::size_t i = 0; i < c.size(); ++i) c[i] += alpha * p[i];
            finite = std::all_of(c.begin(), c.end(), [](double x) { return std::isfinite(x); });
            if (finite) outer.correct(u.subspan(at, c.size()), scale * context.fit, c);
        });
        return finite;
    };
    const auto defect_norm = [&] {
        if (there != nullptr) {
            const double squares = there->defect();
            if (squares_suffice(squares)) return std::sqrt(squares);
            there->read(u, d);
        } else {
            outer.defect(u, problem.b, d);
        }
        return outer.norm(d);
    };

    const auto defect_here = [&]() -> std::span<const double> {
        if (there != nullptr) there->read(u, d);
        return d;
    };

    while (norm >= target) {
        if (options.spec.moves()) { // (no schedule has such a stage)
            beta *= scale;
            scale = moving.restart(*session, d, norm, !first_time, beta);
        } else {
            const bool was_fixed = inner.fixed();
            const double before_scale = was_fixed ? scale : norm; // (a floating beta is for r = d / norm already)
            if (stage.due(norm / context.initial)) {
                stage.advance(norm / context.initial);
                session = stage.get();
                inner = InnerScale(options, stage.spec());
                batch = Batch();
            }
            scale = inner.of(norm);
            if (inner.fixed() || was_fixed) beta *= before_scale / scale;
            restart();
        }
        session->set_scalars(0, beta);
        first_time = false;

        const double global = target / scale;
        const std::uint64_t allowed =
            std::min(options.digits > 0 ? context.remaining() : options.inner, context.remaining());
        double stop = global * global;
        std::uint64_t steps = 0;
        RunReport report;
        WordUse words;
        while (steps < allowed && !context.cancelled) {
            // (Digits are tested from the 65th pass on, whatever the time that passes take.)
            report = options.digits > 0
                         ? session->run({.passes = std::min<std::uint64_t>(allowed - steps, 64), .rho_stop = stop})
                         : batch.run(*session, {.passes = allowed - steps, .rho_stop = stop});
            steps += report.passes;
            words.merge(report.words);
            context.count(report, report.passes);
            if (report.end != RunEnd::passes) break;
            const double square = inner.fixed() ? norm / scale * (norm / scale) : 1; // of r's norm
            if (options.digits > 0) stop = std::max(stop, square * std::pow(10.0, -2 * options.digits));
        }

        if (inner.fixed() && report.end == RunEnd::window_overflow) {
            // What the step did is lost; the next one has more room.
            ++context.result.outer_iterations;
            if (options.spec.moves()) moving.widen(report.words);
            if (!lost_to_overflow(inner, context)) return;
            first_time = true;
            beta = 0;
            session->clear(Vec::p);
            if (watch.ends(context, norm / context.initial)) return;
            continue;
        }
        inner.behind(words);
        const Scalars scalars = session->scalars();
        const bool finite = correct(scalars.alpha);
        ++context.result.outer_iterations;
        const double before = norm;
        if (outer.overflow()) return context.stop(Status::breakdown, kOuterOverflow);
        norm = defect_norm();
        context.record(norm / context.initial);
        const bool reached = report.end == RunEnd::rho_reached && scalars.rho < global * global;
        if (norm < target * (reached ? 1 + kReachedSlack : 1) || context.reached_as_given(norm, defect_here)) break;
        const bool trouble = report.end != RunEnd::passes && report.end != RunEnd::rho_reached;
        const std::string why = report.end == RunEnd::fault
                                    ? session->fault()
                                    : "inner CG ended: " + why_ended(report.end, scalars.pq, options);
        if (!finite) return context.stop(Status::breakdown, trouble ? why : "the inner correction is not finite");
        fruitless = trouble && norm > kWorthwhile * before ? fruitless + 1 : 0;
        if (fruitless >= 10) return context.stop(Status::breakdown, why);
        if (watch.ends(context, norm / context.initial)) return;
        // The kept direction fits the next residual only if the recurrence is sound; else restart along r.
        // beta = |d'|^2 / |r_k|^2 in the units of r = d / scale, times scale / scale'; the last factor when that is
        // known.
        beta = trouble || !(scalars.rho > 0) ? 0
               : inner.fixed()               ? (norm / scale) * (norm / scale) / scalars.rho
                                             : norm / (before * scalars.rho);
        if (!std::isfinite(beta)) beta = 0;
        if (trouble) first_time = true;
        if (first_time) session->clear(Vec::p);
    }
    context.stop(Status::converged);
}

} // namespace

void solve_residual_guided(const Problem& problem, const Engine& engine, std::span<double> u, std::span<double> d,
                           SolveContext& context) {
    StageSession stage(problem, engine, context);
    // Where the engine keeps the outer loop's vectors, if it does: in double precision, for the matrix as it is.
    const bool here = context.options.outer || context.fit != 1 || !context.options.schedule.empty();
    OuterVectors* const there = here ? nullptr : stage.get()->outer();
    if (there != nullptr) there->load(u, problem.b, d);
    iterate(problem, stage, there, u, d, context);
    if (there != nullptr) there->read(u, d);
}

} // namespace mantissa::solving
