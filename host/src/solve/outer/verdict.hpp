// What is said of a solution: of a whole one, and of one that is shared out over parts, with the same bits.
#pragma once

#include <span>

#include "mantissa/host/problem.hpp"
#include "mantissa/host/solve.hpp"
#include "mantissa/outer/spread_iterate.hpp"
#include "mantissa/reached.hpp"

namespace mantissa::solving {

/// sqrt(sum (u - exact)^2 / N) of a problem whose solution is known.
double rms_error(const Problem& problem, std::span<const double> u, int threads);
double rms_error(const Problem& problem, SpreadIterate& u);
/// relative_residual() of the problem's u (mantissa/host/residual.hpp). Collective over processes. Where doubled sums
/// do not decide every process forms it from the whole u.
double relative_residual(const Problem& problem, SpreadIterate& u, int threads, double decides);

/// Of a solve in double that stands still since double is too short: result.detail says so, and what rounding leaves.
void say_floor(const System& system, std::span<const double> b, std::span<const double> u, const SolveOptions& options,
               SolveResult& result);

/// A true residual below this is "converged".
inline double deciding(double tolerance) {
    return tolerance * (1 + kReachedSlack);
}

} // namespace mantissa::solving
