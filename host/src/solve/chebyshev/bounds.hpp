// Bounds of a spectrum for the Chebyshev recurrence.
#pragma once

#include "mantissa/host/solve.hpp"

namespace mantissa::solving {

/// Lanczos steps that an estimate takes at the most.
inline constexpr std::size_t kMostLanczosSteps = 256;

/// Bounds from Lanczos steps in double from a random start, with a margin. k steps on n unknowns leave the largest Ritz
/// value below the largest eigenvalue by 2.575 (ln n / (k - 1))^2 of it on average over starts (Kuczynski and
/// Wozniakowski, SIAM J. Matrix Anal. Appl. 13, 1992, theorem 3.2); `high` is the Ritz value and as much more, from 1 %
/// to 100 %. `low` is nine tenths of the smallest Ritz value: where that one has not settled, eigenvalues below it are
/// damped more slowly, and none grows. Throws InvalidInput where that one is not above zero.
ChebyshevBounds estimated_bounds(const System& system, int threads);

} // namespace mantissa::solving
