#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <omp.h>

#include "mantissa/base/quoted.hpp"
#include "mantissa/errors.hpp"
#include "mantissa/host/dense.hpp"
#include "mantissa/lu/gauss_jordan.hpp"
#include "refine.hpp"

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

/// R A C with powers of two: rows, then columns, to a largest element in (1/2, 1]. Rows and columns of zeros stay.
struct Scaled {
    DenseMatrix a;
    std::vector<int> row, column; ///< exponents of R and C

    Scaled(const DenseMatrix& given, bool scale) : a(given), row(given.size(), 0), column(given.size(), 0) {
        if (!scale) return;
        const std::size_t n = a.size();
        for (std::size_t i = 0; i < n; ++i) {
            row[i] = -exponent(dense::max_norm(std::span<const double>(a.row(i))));
            for (double& x : a.row(i)) x = std::ldexp(x, row[i]);
        }
        std::vector<double> most(n, 0.0);
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = 0; j < n; ++j) most[j] = std::max(most[j], std::fabs(a(i, j)));
        for (std::size_t j = 0; j < n; ++j) column[j] = -exponent(most[j]);
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = 0; j < n; ++j) a(i, j) = std::ldexp(a(i, j), column[j]);
    }
    /// x = m 2^e with m in (1/2, 1]; 0 for what has no exponent.
    static int exponent(double x) {
        if (x == 0 || !std::isfinite(x)) return 0;
        int e = 0;
        return std::frexp(x, &e) == 0.5 ? e - 1 : e;
    }
    [[nodiscard]] std::vector<double> right_hand_side(std::span<const double> b) const {
        std::vector<double> scaled(b.begin(), b.end());
        for (std::size_t i = 0; i < b.size(); ++i) scaled[i] = std::ldexp(b[i], row[i]);
        return scaled;
    }
    [[nodiscard]] std::vector<double> solution(std::span<const double> y) const {
        std::vector<double> x(y.begin(), y.end());
        for (std::size_t j = 0; j < y.size(); ++j) x[j] = std::ldexp(y[j], column[j]);
        return x;
    }
};

class Solve {
public:
    Solve(const DenseProblem& p, const DenseOptions& o, const DenseProgress& progress)
        : p_(p), o_(o), progress_(progress), threads_(o.threads > 0 ? o.threads : omp_get_max_threads()),
          scaled_(p.a, o.scale), b_(scaled_.right_hand_side(p.b)) {}

    DenseResult run() { return o_.method == DenseMethod::lu ? by_factors() : by_inverse(); }

private:
    DenseResult by_factors() {
        const Clock factoring;
        const LuFactors factors = o_.factor ? o_.factor(o_.spec, scaled_.a) : factor(o_.spec, scaled_.a, threads_);
        r_.factor_seconds = factoring.seconds();
        r_.end = factors.end;
        r_.at = factors.at;
        if (factors.end != LuEnd::factored) return r_;
        r_.growth = factors.growth;
        r_.exchanges = factors.exchanges;
        r_.factor_error = dense::factor_error(scaled_.a, factors, threads_);
        refine(dense::inverse_by_factors(factors));
        return r_;
    }

    DenseResult by_inverse() {
        const Clock inverting;
        GaussJordanResult inverse = invert(o_.spec, scaled_.a, threads_);
        r_.factor_seconds = inverting.seconds();
        r_.end = inverse.end;
        r_.at = inverse.at;
        if (inverse.end != LuEnd::factored) return r_;
        r_.exchanges = inverse.exchanges;
        const DenseMatrix matrix(p_.a.size(), std::move(inverse.x));
        r_.factor_error = dense::inverse_error(scaled_.a, matrix, threads_);
        refine(dense::inverse_by_matrix(matrix, threads_));
        return r_;
    }

    const DenseProblem& p_;
    const DenseOptions& o_;
    const DenseProgress& progress_;
    int threads_;
    Scaled scaled_;
    std::vector<double> b_;
    DenseResult r_;

    [[nodiscard]] double goal() const { return static_cast<double>(p_.a.size()) * kUnit; }

    /// ||r|| / (||A|| ||x|| + ||b||), the measure of LAPACK's and HPL's stopping tests, of the system as it was given.
    [[nodiscard]] double backward_error(double norm, std::span<const double> x, std::span<const double> r) const {
        const double scale = norm * dense::max_norm(x) + dense::max_norm(p_.b), error = dense::max_norm(r);
        return scale == 0 ? error : error / scale;
    }

    /// With krylov_enough GMRES goes a tenth further than the stopping test, and no more.
    [[nodiscard]] double inner_tolerance(double error) const {
        if (!o_.krylov_enough) return o_.krylov_tolerance;
        return std::clamp(0.1 * goal() / error, o_.krylov_tolerance, std::max(o_.krylov_tolerance, 0.1));
    }

    /// Steps until the backward error is down to n u, or three steps in a row have not halved the least one.
    void refine(const dense::ApproximateInverse& inverse) {
        r_.condition = dense::estimate_condition(scaled_.a, inverse);
        const Clock refining;
        std::vector<double> y = inverse.apply(b_);
        const double norm = dense::max_norm(p_.a);
        double least = std::numeric_limits<double>::infinity();
        r_.status = DenseStatus::step_limit;
        for (std::uint32_t step = 0, idle = 0;; ++step) {
            std::vector<double> x = scaled_.solution(y);
            const std::vector<double> r = dense::defect(p_.a, x, p_.b, threads_);
            const double error = backward_error(norm, x, r);
            r_.history.push_back({r_.krylov_steps, error});
            r_.steps = step;
            idle = error <= least / 2 ? 0 : idle + 1;
            if (error < least || step == 0) {
                least = error;
                r_.x = std::move(x);
            }
            if (least <= goal()) {
                r_.status = DenseStatus::converged;
                break;
            }
            if (idle == 3 || !std::isfinite(error)) {
                r_.status = DenseStatus::stagnated;
                break;
            }
            if (o_.refinement == DenseRefinement::none || step == o_.max_steps) break;
            if (progress_ && !progress_(r_.history.back())) break;
            const std::vector<double> scaled = scaled_.right_hand_side(r);
            const std::vector<double> d = o_.refinement == DenseRefinement::ir
                                              ? inverse.apply(scaled)
                                              : dense::gmres(scaled_.a, inverse, scaled, inner_tolerance(error),
                                                             o_.krylov, threads_, r_.krylov_steps);
            for (std::size_t i = 0; i < y.size(); ++i) y[i] += d[i];
        }
        r_.refine_seconds = refining.seconds();
        r_.backward_error = least;
        r_.hpl_residual = p_.a.size() == 0 ? 0 : least / goal();
        for (const double x : r_.x) r_.forward_error = std::max(r_.forward_error, std::fabs(x - 1));
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
    switch (refinement) {
    case DenseRefinement::none:
        return "none";
    case DenseRefinement::ir:
        return "ir";
    case DenseRefinement::gmres_ir:
        return "gmres-ir";
    }
    return "?";
}

DenseRefinement parse_dense_refinement(std::string_view text) {
    for (const DenseRefinement r : {DenseRefinement::none, DenseRefinement::ir, DenseRefinement::gmres_ir})
        if (text == to_string(r)) return r;
    throw InvalidInput(fmt::format("refinement '{}': it is none, ir or gmres-ir", base::shortened(std::string(text))));
}

std::string to_string(DenseStatus status) {
    switch (status) {
    case DenseStatus::converged:
        return "converged";
    case DenseStatus::stagnated:
        return "stagnated";
    case DenseStatus::step_limit:
        return "step limit";
    case DenseStatus::failed:
        return "no factors";
    }
    return "?";
}

DenseResult solve_dense(const DenseProblem& problem, const DenseOptions& options, const DenseProgress& progress) {
    options.spec.validate();
    if (!(options.krylov_tolerance > 0 && options.krylov_tolerance < 1))
        throw InvalidInput(fmt::format("krylov tolerance {}: give a number between 0 and 1", options.krylov_tolerance));
    if (options.method == DenseMethod::gauss_jordan && options.factor)
        throw InvalidInput(
            "method gauss-jordan: an inverse is formed by the engine emulated alone; leave the engine out");
    if (options.krylov < 1) throw InvalidInput("krylov 0: give 1 or more GMRES steps");
    return Solve(problem, options, progress).run();
}

} // namespace mantissa
