#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>
#include <omp.h>

#include "mantissa/base/quoted.hpp"
#include "mantissa/errors.hpp"
#include "mantissa/host/dense.hpp"
#include "mantissa/lu/gauss_jordan.hpp"
#include "refine.hpp"
#include "verdict.hpp"

namespace mantissa {

namespace {

constexpr double kUnit = 0x1p-53;

class Clock {
public:
    [[nodiscard]] double seconds() const {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
    }

private:
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

class Solve {
public:
    Solve(const DenseProblem& p, const DenseOptions& o, const DenseProgress& progress)
        : p_(p), o_(o), progress_(progress), threads_(o.threads > 0 ? o.threads : omp_get_max_threads()),
          scaled_(p.a, o.scale) {}

    DenseResult run() {
        r_.spec = o_.spec;
        if (o_.spec.native != LuNative::none) by_device();
        else if (o_.method == DenseMethod::lu) by_factors();
        else by_inverse();
        if (r_.end != LuEnd::factored) { // (0 would be the best error of all)
            constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
            for (double* const number :
                 {&r_.backward_error, &r_.hpl_residual, &r_.forward_error, &r_.growth, &r_.condition, &r_.factor_error})
                *number = kNone;
        }
        // No pivot: is it the matrix, or did the format lose it?
        if (r_.end == LuEnd::singular) r_.singular = dense::examine(p_.a, threads_) == dense::Singular::yes;
        if (r_.end == LuEnd::singular) r_.examined = p_.a.size() <= dense::kMostExamined;
        return std::move(r_);
    }

private:
    LuFactors factored() {
        const auto form = [this] {
            return o_.factor ? o_.factor(o_.spec, scaled_.a) : factor(o_.spec, scaled_.a, threads_);
        };
        if (o_.spec.scale == LuScale::one) return form();
        // What grows beyond the room that was left for it is tried again lower.
        constexpr int kLower = 4;
        for (int top = top_exponent(o_.spec, p_.a.size());; top = std::max(0, top - kLower)) {
            scaled_.raise(top);
            LuFactors factors = form();
            if (top == 0 || (factors.end != LuEnd::overflow && factors.end != LuEnd::not_finite)) return factors;
        }
    }

    void by_factors() {
        const Clock factoring;
        const LuFactors factors = factored();
        r_.factor_seconds = factoring.seconds();
        r_.end = factors.end;
        r_.at = factors.at;
        if (factors.end != LuEnd::factored) return;
        r_.growth = factors.growth;
        r_.exchanges = factors.exchanges;
        r_.factor_error = dense::factor_error(scaled_.a, factors, threads_);
        refine(dense::inverse_by_factors(factors));
    }

    /// In the device's own arithmetic: its x is the first iterate, judged and where it must be corrected like others.
    void by_device() {
        const Clock factoring;
        const std::unique_ptr<NativeLu> device =
            o_.native(o_.spec, {o_.refinement == DenseRefinement::gmres_ir, o_.max_steps + 1});
        const dense::Judge judge(p_.a, p_.b, scaled_, threads_);
        std::vector<double> y, b = judge.right_hand_side();
        const int e = to_one(b);
        r_.native = device->begin(scaled_.a, b, y);
        r_.factor_seconds = factoring.seconds();
        r_.growth = r_.condition = r_.factor_error = std::numeric_limits<double>::quiet_NaN();
        r_.end = r_.native->end;
        r_.at = r_.native->at;
        if (r_.end != LuEnd::factored) return;
        for (double& v : y) v = std::ldexp(v, e);
        dense::ApproximateInverse inverse;
        inverse.apply = [&device](std::span<const double> r) { return device->correct(r); };
        refine(inverse, judge, std::move(y), Clock());
    }

    void by_inverse() {
        const Clock inverting;
        GaussJordanResult inverse = invert(o_.spec, scaled_.a, threads_);
        r_.factor_seconds = inverting.seconds();
        r_.end = inverse.end;
        r_.at = inverse.at;
        if (inverse.end != LuEnd::factored) return;
        r_.exchanges = inverse.exchanges;
        const DenseMatrix matrix(p_.a.size(), std::move(inverse.x));
        r_.factor_error = dense::inverse_error(scaled_.a, matrix, threads_);
        refine(dense::inverse_by_matrix(matrix, threads_));
    }

    const DenseProblem& p_;
    const DenseOptions& o_;
    const DenseProgress& progress_;
    int threads_;
    dense::Balance scaled_;
    DenseResult r_;

    [[nodiscard]] double goal() const { return static_cast<double>(p_.a.size()) * kUnit; }

    /// With krylov_enough GMRES goes a tenth further than the stopping test, and no more.
    [[nodiscard]] double inner_tolerance(double error) const {
        if (!o_.krylov_enough) return o_.krylov_tolerance;
        return std::clamp(0.1 * goal() / error, o_.krylov_tolerance, std::max(o_.krylov_tolerance, 0.1));
    }

    /// Brings the largest element near 1 by a power of two, and returns its exponent.
    static int to_one(std::vector<double>& v) {
        const int e = dense::exponent(dense::max_norm(v));
        for (double& x : v) x = std::ldexp(x, -e);
        return e;
    }

    /// The correction of a defect: formed of the defect by a power of two at 1, so that no square of it is lost.
    std::vector<double> correction(const dense::ApproximateInverse& inverse, std::vector<double> r, double error) {
        const int e = to_one(r);
        // (What tensor cores give is refined already.)
        std::vector<double> d =
            o_.refinement == DenseRefinement::ir || o_.spec.tensor()
                ? inverse.apply(r)
                : dense::gmres(scaled_.a, inverse, r, inner_tolerance(error), o_.krylov, threads_, r_.krylov_steps);
        for (double& v : d) v = std::ldexp(v, e);
        return d;
    }

    /// Steps until the backward error is down to n u, or three steps in a row have not halved the least one. Defects
    /// are formed in double until they say that it is done, or no more fall near it: then in doubled double, and what
    /// these say, or whole numbers where they leave it open, is the verdict.
    void refine(const dense::ApproximateInverse& inverse) {
        r_.condition = dense::estimate_condition(scaled_.a, inverse);
        const dense::Judge judge(p_.a, p_.b, scaled_, threads_);
        const Clock refining;
        refine(inverse, judge, inverse.apply(judge.right_hand_side()), refining);
    }

    /// From the iterate y on.
    void refine(const dense::ApproximateInverse& inverse, const dense::Judge& judge, std::vector<double> y,
                const Clock& refining) {
        constexpr double kNone = std::numeric_limits<double>::infinity();
        std::vector<double> best, r;
        bool doubled = false;
        double least = kNone;
        r_.status = DenseStatus::step_limit;
        for (std::uint32_t step = 0, idle = 0;; ++step) {
            r_.rounded_away |= judge.round_to_solution(y);
            double error = 0;
            for (bool again = true; again;) {
                again = false;
                error = doubled ? worst(judge.certain(y, r, false)) : judge.plain(y, r);
                if (error <= goal() && !doubled) {
                    doubled = again = true;
                    least = kNone;
                    idle = 0;
                }
            }
            r_.history.push_back({r_.krylov_steps, error});
            r_.steps = step;
            idle = error <= least / 2 ? 0 : idle + 1;
            if (error < least || step == 0) {
                least = error;
                best = y;
            }
            if (doubled && error <= goal() && judge.certain(y, r, false).reached) {
                r_.status = DenseStatus::converged;
                best = y;
                break;
            }
            if (!std::isfinite(error)) {
                r_.status = DenseStatus::stagnated;
                break;
            }
            if (idle == 3 && !doubled && least <= kNear * goal()) { // defects in double may be all rounding here
                doubled = true;
                y = best;
                least = worst(judge.certain(y, r, false));
                error = least;
                idle = 0;
            } else if (idle == 3) {
                r_.status = DenseStatus::stagnated;
                break;
            }
            if (o_.refinement == DenseRefinement::none || step == o_.max_steps) break;
            if (progress_ && !progress_(r_.history.back())) break;
            const std::vector<double> d = correction(inverse, r, error);
            for (std::size_t i = 0; i < y.size(); ++i) y[i] += d[i];
        }
        finish(judge, std::move(best));
        r_.refine_seconds = refining.seconds();
    }

    static double worst(const dense::CertainError& e) { return std::max(e.error, e.balanced); }

    static constexpr double kNear = 64; ///< times the tolerance: a defect in double may be wrong by as much as itself

    /// What is said of the best iterate, and the iterate as it is written.
    void finish(const dense::Judge& judge, std::vector<double> y) {
        // (of a right-hand side of the caller's the solution is not known)
        r_.forward_error = p_.each == 0 ? std::numeric_limits<double>::quiet_NaN() : 0;
        const bool whole = std::all_of(y.begin(), y.end(), [](double v) { return std::isfinite(v); });
        if (!whole) { // factors without a meaning: nothing is written
            r_.status = DenseStatus::stagnated;
            r_.backward_error = 1;
            r_.hpl_residual = 1 / goal();
            if (p_.each != 0) r_.forward_error = 1;
            return;
        }
        r_.rounded_away |= judge.round_to_solution(y);
        std::vector<double> r;
        const dense::CertainError error = judge.certain(y, r, true);
        if (error.reached) r_.status = DenseStatus::converged;
        else if (r_.status == DenseStatus::converged) r_.status = DenseStatus::stagnated;
        r_.backward_error = error.error;
        r_.hpl_residual = p_.a.size() == 0 ? 0 : error.error / goal();
        r_.x = judge.solution(y);
        if (!std::all_of(r_.x.begin(), r_.x.end(), [](double v) { return std::isfinite(v); })) {
            if (r_.status == DenseStatus::converged) r_.status = DenseStatus::out_of_range;
            r_.x.clear();
        }
        if (p_.each == 0) return;
        for (const double x : r_.x) r_.forward_error = std::max(r_.forward_error, std::fabs(x / p_.each - 1));
    }
};

} // namespace

std::string to_string(DenseMethod method) {
    return method == DenseMethod::lu ? "lu" : "gauss-jordan";
}

DenseMethod parse_dense_method(std::string_view text) {
    for (const DenseMethod m : {DenseMethod::lu, DenseMethod::gauss_jordan})
        if (text == to_string(m)) return m;
    throw InvalidInput(fmt::format("method '{}': it is lu or gauss-jordan", base::shortened(std::string(text))));
}

std::string to_string(DenseRefinement refinement) {
    static constexpr std::array kNames{"none", "ir", "gmres-ir"};
    return kNames.at(static_cast<std::size_t>(refinement));
}

DenseRefinement parse_dense_refinement(std::string_view text) {
    for (const DenseRefinement r : {DenseRefinement::none, DenseRefinement::ir, DenseRefinement::gmres_ir})
        if (text == to_string(r)) return r;
    throw InvalidInput(fmt::format("refinement '{}': it is none, ir or gmres-ir", base::shortened(std::string(text))));
}

std::string to_string(DenseStatus status) {
    static constexpr std::array kNames{"converged", "stagnated", "step limit", "no factors", "out of range"};
    return kNames.at(static_cast<std::size_t>(status));
}

void take_native_dense(std::size_t n, DenseOptions& options) {
    options.spec = parse_lu_spec("lu:double,sum=free");
    options.instead.reset();
    if (n < kTensorLuFrom || options.refinement == DenseRefinement::none || !options.scale) return;
    options.instead = std::exchange(options.spec, parse_lu_spec("tensor:half-pair"));
}

namespace {

void check_native(const DenseOptions& o) {
    const std::string spec = to_string(o.spec);
    if (o.method != DenseMethod::lu)
        throw InvalidInput(fmt::format("{}: a device forms factors, no inverse; leave --method out", spec));
    if (!o.native)
        throw InvalidInput(fmt::format(
            "{}: engine gpu alone has it; name that engine, or an arithmetic of this processor, as lu:double", spec));
    if (!o.spec.tensor()) return;
    if (o.refinement == DenseRefinement::none)
        throw InvalidInput(
            fmt::format("{}: factors of the tensor cores are always refined; use --refine ir or gmres-ir", spec));
    if (!o.scale)
        throw InvalidInput(fmt::format(
            "{}: the tensor cores' words have few exponent bits, so it always scales; leave --unscaled out", spec));
}

} // namespace

DenseResult solve_dense(const DenseProblem& problem, const DenseOptions& options, const DenseProgress& progress) {
    options.spec.validate();
    if (options.spec.native != LuNative::none) check_native(options);
    if (!(options.krylov_tolerance > 0 && options.krylov_tolerance < 1))
        throw InvalidInput(fmt::format("krylov tolerance {}: give a number between 0 and 1", options.krylov_tolerance));
    if (options.method == DenseMethod::gauss_jordan && options.factor)
        throw InvalidInput(
            "method gauss-jordan: an inverse is formed by the engine emulated alone; leave the engine out");
    if (options.spec.scale == LuScale::top && options.method == DenseMethod::gauss_jordan)
        throw InvalidInput("scale=top is for factors: an inverse's elements would go as far down; write scale=one");
    if (options.spec.scale == LuScale::top && !options.scale)
        throw InvalidInput("scale=top scales the matrix, which is to be left unscaled: write scale=one");
    if (options.krylov < 1) throw InvalidInput("krylov 0: give 1 or more GMRES steps");
    DenseResult result = Solve(problem, options, progress).run();
    const bool in_vain = result.status == DenseStatus::failed || result.status == DenseStatus::stagnated;
    if (!in_vain || result.singular || !options.instead) return result;
    DenseOptions second = options;
    second.spec = *std::exchange(second.instead, std::nullopt);
    DenseResult other = solve_dense(problem, second, progress);
    other.gave_up =
        fmt::format("{}: {}", to_string(result.spec),
                    result.end == LuEnd::factored ? to_string(result.status) : std::string(to_string(result.end)));
    other.factor_seconds += result.factor_seconds + result.refine_seconds;
    return other;
}

} // namespace mantissa
