// What the kernels of a refinement tell each other, and in the end the host.
#pragma once

namespace mantissa::gpu::mixed {

constexpr int kRestart = 64; // most vectors of one GMRES cycle

/// Why a refinement ended.
enum class End : int { running, converged, stagnated, not_finite };

/// One per solve, in device memory. Kernels of a finished cycle or solve return at once.
struct Control {
    double norm_a; ///< largest sum of a row's magnitudes
    double norm_b; ///< largest magnitude of b
    double norm_x;
    double residual;  ///< largest magnitude of b - A x
    double ratio;     ///< residual / (norm_a norm_x + norm_b)
    double beta;      ///< Euclidean norm of the residual of the scaled rows
    int end;          ///< an End
    int cycle_done;   ///< this cycle's corrections suffice
    int vectors;      ///< of this cycle so far
    int outer, inner; ///< residuals computed, and applications of the factors
    int slow;         ///< cycles in a row that gained little
};

} // namespace mantissa::gpu::mixed
