// Conjugate gradients in double precision on the problem itself: what a datapath's words will have to hold. Internal to
// host/.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "mantissa/host/scaling.hpp"
#include "spectrum.hpp"

namespace mantissa::advising {

/// Sizes are relative to the power of two at or above the residual's norm at the last restart, as an outer loop scales.
struct Trial {
    bool reached = false;          ///< the recurrence's residual, of the problem as given, reached the tolerance
    std::uint64_t iterations = 0;  ///< until then, or the limit
    bool indefinite = false;       ///< ended since p.Ap is below zero by more than rounding
    double largest_word = 0;       ///< largest magnitude of an element of r, p or q
    double correction = 0;         ///< largest 2-norm that u gains between two restarts
    double largest_correction = 0; ///< ... and largest magnitude of an element of it
    double floor = 0;              ///< defect_floor() (rows.hpp) of the last iterate, on the problem as given
    /// The last iterate, and what iterations 2^k to 2^(k+1) - 1 added to it, the last few of these: what CG is slow to
    /// find, on the scaled problem. None is zero.
    std::vector<std::vector<double>> directions;
    /// What its steps know of the spectrum of the scaled problem: Lanczos from the right-hand side, for nothing.
    Tridiagonal ritz;
};

struct TrialOptions {
    double tolerance = 1e-10;
    std::uint64_t inner = 10; ///< iterations between two restarts
    std::uint64_t limit = 30000;
    int threads = 1;
    std::function<void(std::uint64_t iterations, double relative_residual)> progress;
};

/// `scaled`: jacobi_scaled(problem). A zero right-hand side gives an empty trial that reached its end.
Trial run_trial(const Problem& problem, const ScaledProblem& scaled, const TrialOptions& options);

} // namespace mantissa::advising
