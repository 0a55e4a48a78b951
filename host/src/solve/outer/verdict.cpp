#include "verdict.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "advise/rows.hpp"
#include "mantissa/host/residual.hpp"
#include "running/parallel.hpp"

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

double rms_error(const Problem& problem, std::span<const double> u, int threads) {
    // Squares side by side, their sum in order.
    constexpr std::size_t kBlock = std::size_t{1} << 20;
    std::vector<double> square(std::min(kBlock, u.size()));
    double sum = 0;
    for (std::size_t first = 0; first < u.size(); first += kBlock) {
        const std::size_t count = std::min(kBlock, u.size() - first);
        running::for_pieces(threads, count, 1, [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) square[i] = square_of_error(problem, first + i, u[first + i]);
        });
        for (std::size_t i = 0; i < count; ++i) sum += square[i];
    }
    return root_of_mean(sum, u.size());
}

double rms_error(const Problem& problem, SpreadIterate& u) {
    const double sum = u.sum_in_order([&](std::size_t i, double x) { return square_of_error(problem, i, x); });
    return root_of_mean(sum, problem.system.size());
}

double relative_residual(const Problem& problem, SpreadIterate& u, int threads, double decides) {
    if (!u.finite() || !running::all_finite(threads, problem.b)) return std::numeric_limits<double>::infinity();
    if (const auto known = certain_relative_residual(u.defect_norm(), problem.b, threads, decides)) return *known;
    return mantissa::relative_residual(problem.system, u.whole(), problem.b, threads, decides);
}

void say_floor(const System& system, std::span<const double> b, std::span<const double> u, const SolveOptions& options,
               SolveResult& result) {
    constexpr double kSomeway = 1e-3; // (an iterate that grew out of all bounds has a floor of its own making)
    if (result.status != Status::stagnated || options.energy || options.outer || options.resident) return;
    if (!(result.true_residual < kSomeway)) return;
    const double floor = advising::defect_floor(system, u, b, options.threads);
    if (!(advising::kFloorSlack * floor > options.tolerance)) return;
    result.detail = fmt::format("the true residual stays at {:.2e}: rounding in double precision leaves about {:.1e} "
                                "here, whatever the scheme; give a tolerance above that",
                                result.true_residual, floor);
}

} // namespace mantissa::solving
