// What stands around a solve: a starting guess. Internal to host/; solve() is the way in.
#pragma once

#include "mantissa/host/solve.hpp"

namespace mantissa::solving {

/// solve() from problem.guess, which is not empty: solves A e = b - A u0 with the tolerance that belongs to b, and
/// again from u0 + e while that is worth it. Throws InvalidInput, one line, where the guess has another length or is
/// not finite, or its residual is not.
SolveResult solve_from_guess(const Problem& problem, const Engine& engine, const SolveOptions& options,
                             const Progress& progress);

} // namespace mantissa::solving
