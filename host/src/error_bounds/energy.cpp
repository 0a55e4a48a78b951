// The estimate of the A-norm.
#include <algorithm>
#include <cmath>
#include <limits>

#include "correction.hpp"
#include "mantissa/host/error_bounds.hpp"

namespace mantissa {

namespace {

constexpr double kSpread = 1.5; ///< of upper to lower

} // namespace

double EnergyEstimate::value() const {
    return std::isfinite(upper) ? std::sqrt(lower) * std::sqrt(upper) : lower;
}

std::optional<EnergyEstimate> energy_estimate(const Problem& problem, std::span<const double> x, std::uint64_t most,
                                              int threads) {
    std::string why;
    const std::optional<errors::Balanced> s = errors::balanced(problem, x, why);
    if (!s) return std::nullopt;
    std::vector<double> d(s->size());
    errors::defect_of(*s, s->y, s->b, d, threads);
    const errors::Correction run =
        errors::correct(*s, d, {.most = most, .left = 0, .spread = kSpread * kSpread}, threads);
    if (run.indefinite) return std::nullopt;
    double whole = run.lower * run.lower; // ||x*||_A^2
    for (std::size_t i = 0; i < d.size(); ++i) whole += s->y[i] * (s->b[i] + d[i]);
    EnergyEstimate e;
    e.steps = run.steps;
    if (run.steps == 0 && run.left == 0) { // no defect
        e.settled = true;
        return e;
    }
    if (!(whole > 0) || !std::isfinite(whole)) return std::nullopt;
    e.lower = run.lower / std::sqrt(whole);
    e.upper = run.upper / std::sqrt(whole);
    e.settled = run.settled && run.upper <= kSpread * run.lower;
    return e;
}

} // namespace mantissa
