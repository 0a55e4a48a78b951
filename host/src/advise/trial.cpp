#include "trial.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "mantissa/host/residual.hpp"
#include "rows.hpp"

namespace mantissa::advising {

namespace {

double largest(std::span<const double> v) {
    double top = 0;
    for (const double x : v) top = std::max(top, std::abs(x));
    return top;
}

double dot(std::span<const double> a, std::span<const double> b) {
    double lane[8] = {};
    for (std::size_t i = 0; i < a.size(); ++i) lane[i % 8] += a[i] * b[i];
    return ((lane[0] + lane[4]) + (lane[2] + lane[6])) + ((lane[1] + lane[5]) + (lane[3] + lane[7]));
}

double next_power_of_two(double norm) {
    int exponent = 0;
    const double fraction = std::frexp(norm, &exponent);
    return std::ldexp(1.0, fraction == 0.5 ? exponent - 1 : exponent);
}

/// Rounding errors of a product, of a sum and of the stored u are each uniform within half a unit, a third of a unit's
/// square on average: together about one unit of 2^-53 for each term of a row, and independent.
double defect_floor(const Problem& problem, std::span<const double> u, int threads) {
    const double b = norm2(problem.b, threads);
    return b == 0 ? 0 : 0x1p-53 * norm2(root_sums_of_squares(problem.system, u, b), threads);
}

} // namespace

Trial run_trial(const Problem& problem, const ScaledProblem& scaled, const TrialOptions& options) {
    const System& system = scaled.problem.system;
    const std::size_t size = system.size();
    const std::vector<double> zero(size, 0.0);
    std::vector<double> u(size, 0.0), c(size, 0.0), r = scaled.problem.b, p = r, q(size);
    Trial trial;
    const double first = norm2(r, options.threads);
    double norm = first, rho = dot(r, r), scale = 1;
    const double target = options.tolerance * scaled.norm_as_given(r, options.threads);
    const auto reached = [&] {
        if (scaled.uniform()) return norm < options.tolerance * first;
        // The norm of the problem as given takes a vector of its own: a count of few steps is exact, of many to 1 %.
        return trial.iterations % (1 + trial.iterations / 100) == 0 &&
               scaled.norm_as_given(r, options.threads) < target;
    };
    trial.reached = first == 0;
    while (!trial.reached && trial.iterations < options.limit) {
        if (trial.iterations % options.inner == 0) {
            for (std::size_t i = 0; i < size; ++i) u[i] += c[i];
            std::fill(c.begin(), c.end(), 0.0);
            scale = next_power_of_two(norm);
        }
        defect(system, p, zero, q, options.threads); // -A p
        const double pq = -dot(p, q);
        if (!(pq > 0)) break; // rounding has taken over
        const double alpha = rho / pq, before = rho;
        trial.largest_word = std::max(trial.largest_word, std::max({largest(r), largest(p), largest(q)}) / scale);
        for (std::size_t i = 0; i < size; ++i) {
            c[i] += alpha * p[i];
            r[i] += alpha * q[i];
        }
        rho = dot(r, r);
        norm = std::sqrt(rho);
        const double beta = rho / before;
        for (std::size_t i = 0; i < size; ++i) p[i] = r[i] + beta * p[i];
        trial.largest_correction = std::max(trial.largest_correction, largest(c) / scale);
        trial.correction = std::max(trial.correction, norm2(c, options.threads) / scale);
        ++trial.iterations;
        trial.reached = norm == 0 || reached();
        if (options.progress && trial.iterations % 16 == 0) options.progress(trial.iterations, norm / first);
    }
    for (std::size_t i = 0; i < size; ++i) u[i] += c[i];
    scaled.map_back(u);
    trial.floor = defect_floor(problem, u, options.threads);
    return trial;
}

} // namespace mantissa::advising
