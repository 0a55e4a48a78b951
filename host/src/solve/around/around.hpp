// What stands around a solve: a starting guess, several right-hand sides. Internal to host/; solve() is the way in.
#pragma once

#include "mantissa/host/solve.hpp"

namespace mantissa::solving {

/// solve() from problem.guess, which is not empty: solves A e = b - A u0 with the tolerance that belongs to b, and
/// again from u0 + e while that is worth it. Throws InvalidInput, one line, where the guess has another length or is
/// not finite, or its residual is not.
SolveResult solve_from_guess(const Problem& problem, const Engine& engine, const SolveOptions& options,
                             const Progress& progress);

/// Can solve_together() take these right-hand sides?
bool solves_together(const Problem& problem, const Engine& engine, const SolveOptions& options);
/// All right-hand sides by an engine's native solver, which may take several in one pass over the matrix. Where the
/// true residual of one has not reached the tolerance, solve() goes on from there.
std::vector<SolveResult> solve_together(const Problem& problem, const Engine& engine, const SolveOptions& options,
                                        const Progress& progress);

} // namespace mantissa::solving
