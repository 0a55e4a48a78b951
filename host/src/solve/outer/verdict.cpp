#include "verdict.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "mantissa/host/residual.hpp"

namespace mantissa::solving {

namespace {

double square_of_error(const Problem& problem, std::size_t i, double u) {
    const double e = u - problem.exact(i);
    return e * e;
}
double root_of_mean(double sum, std::size_t count) {
    return std::sqrt(sum / static_cast<double>(count));
}

} // namespace

double rms_error(const Problem& problem, std::span<const double> u) {
    double sum = 0;
    for (std::size_t i = 0; i < u.size(); ++i) sum += square_of_error(problem, i, u[i]);
    return root_of_mean(sum, u.size());
}

double rms_error(const Problem& problem, SpreadIterate& u) {
    const double sum = u.sum_in_order([&](std::size_t i, double x) { return square_of_error(problem, i, x); });
    return root_of_mean(sum, problem.system.size());
}

double relative_residual(const Problem& problem, SpreadIterate& u, int threads, double decides) {
    const auto finite = [](double x) { return std::isfinite(x); };
    if (!u.finite() || !std::all_of(problem.b.begin(), problem.b.end(), finite))
        return std::numeric_limits<double>::infinity();
    if (const auto known = certain_relative_residual(u.defect_norm(), problem.b, threads, decides)) return *known;
    return mantissa::relative_residual(problem.system, u.whole(), problem.b, threads, decides);
}

} // namespace mantissa::solving
