// Residual guided pipelined CG (FCCM'06, section 3.3): the outer loop replaces the inner residual by the true one and
// keeps the search direction, made orthogonal to it.
#include <algorithm>
#include <cmath>
#include <vector>

#include "inner.hpp"
#include "inner_scale.hpp"
#include "mantissa/fixed_words.hpp"
#include "schemes.hpp"

namespace mantissa::solving {

namespace {

/// sum a_i b_i / s in fixed blocks, added in order; the blocks arrive one after the other.
class BlockDot {
public:
    void add(std::span<const double> a, std::span<const double> b) {
        constexpr std::size_t kLanes = outer_order::kPartLanes;
        double lane[kLanes] = {};
        for (std::size_t i = 0; i < a.size(); ++i) lane[i % kLanes] += a[i] * b[i];
        for (std::size_t half = kLanes / 2; half > 0; half /= 2)
            for (std::size_t j = 0; j < half; ++j) lane[j] += lane[j + half];
        sum_ += lane[0];
    }
    [[nodiscard]] double total() const { return sum_; }

private:
    double sum_ = 0;
};

/// c += rnd(alpha p) on u's grid: the next pass's u.
void step_along(const Format& u, double alpha, std::span<const double> p, std::span<double> c) {
    for (std::size_t i = 0; i < c.size(); ++i) // (alpha p is exact: a short significand and a short word)
        c[i] += fixed::to_double(u, fixed::from_double(u, alpha * p[i]).word);
}

void iterate(const Problem& problem, Session* session, OuterVectors* there, std::span<double> u, std::span<double> d,
             SolveContext& context) {
    const SolveOptions& options = context.options;
    const std::size_t size = u.size();
    const auto outer_arithmetic = make_outer(problem, u, options);
    OuterArithmetic& outer = *outer_arithmetic;
    std::vector<double> r_part(std::min(size, kTransfer)), p_part(r_part.size());
    const double target = context.target();
    double norm = context.norm, beta = 0;
    InnerScale inner(options);
    double scale = inner.of(norm); // r = d / scale
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
            if (options.spec.u.is_fixed()) step_along(options.spec.u, alpha, p, c);
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
        const double before_scale = scale;
        scale = inner.of(norm);
        if (inner.fixed()) beta *= before_scale / scale;
        restart();
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
        // beta = |d'|^2 / |r_k|^2 in the units of r = d / scale, times scale / scale'; the last factor when that is known.
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
    const auto session =
        engine.load(*context.loaded, context.options.spec, {context.options.threads, Recurrence::pipelined});
    // Where the engine keeps the outer loop's vectors, if it does: in double precision, for the matrix as it is.
    OuterVectors* const there = context.options.outer || context.fit != 1 ? nullptr : session->outer();
    if (there != nullptr) there->load(u, problem.b, d);
    iterate(problem, session.get(), there, u, d, context);
    if (there != nullptr) there->read(u, d);
}

} // namespace mantissa::solving
