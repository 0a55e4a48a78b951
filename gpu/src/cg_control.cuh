// The scalar side of the native solvers: recurrence coefficients, stopping tests and restarts. Every block runs it on
// the same sums and so comes to the same decisions without talking to the host.
#pragma once

#include <cstdint>

#include "grid_reduce.cuh"

namespace mantissa::gpu {

/// What a launch is asked to do. Norms are those of the double-precision defect.
struct ControlParams {
    std::uint32_t max_passes; ///< at most this many passes in all
    double tolerance;         ///< on the defect norm relative to the initial one; 0 runs max_passes
    std::uint32_t inner;      ///< passes between defects (mixed), 0: by digits
    double gain;              ///< 10^-digits: the inner solve ends when its residual norm fell by this factor
    bool guided;              ///< keep p over a restart (residual guided); else restart with p = r
    double first_norm;        ///< an estimate of ||b|| that scales the first inner problem
};

enum class DeviceEnd : std::uint32_t { converged, passes, indefinite, not_finite, stagnated };

struct ControlResult {
    DeviceEnd end;
    std::uint32_t passes, outer, guards;
    double initial_norm, final_norm; ///< double-precision defects when mixed, else the recursion's
    double alpha;                    ///< the step along p that the iterate still lacks
};

#ifdef __CUDACC__

/// Scalars of a pass: r' = r - alpha q, p' = gamma r' + beta p. In shared memory, written by one thread.
struct PassScalars {
    double alpha, beta, gamma;
    double scale; ///< mixed: the inner system is the defect over this
    bool first;   ///< the first pass behind a restart: u counts as zero and q is not used
    bool restart; ///< form a new defect before the next pass
    bool stop;
};

/// Kept by thread 0 of each block in shared memory.
struct Control {
    ControlParams ask;
    ControlResult result;
    double rho, rho_start, scale, goal, best;
    std::uint32_t since, worse;

    __device__ __forceinline__ void reset(const ControlParams& request) {
        ask = request;
        result = {};
        rho = rho_start = goal = best = 0;
        scale = 1;
        since = worse = 0;
    }

    /// The scalars behind a pass with dot products rho = r.r, pq, qq.
    __device__ __forceinline__ void after_pass(const double (&sum)[kSums], PassScalars& s, bool mixed) {
        rho = sum[0];
        const double pq = sum[1], qq = sum[2];
        ++result.passes;
        ++since;
        if (!mixed && result.passes == 1) {
            result.initial_norm = sqrt(rho);
            goal = ask.tolerance * ask.tolerance * rho;
        }
        double a = rho / pq;
        double sigma = a * (a * qq - pq);
        if (sigma < 0) {
            sigma = 0;
            ++result.guards;
        }
        double b = sigma / rho;
        const double norm2 = mixed ? rho * scale * scale : rho;
        bool stop = false, restart = false;
        const bool reached = norm2 < goal;
        if (!(isfinite(rho) && isfinite(pq) && isfinite(qq))) {
            result.end = DeviceEnd::not_finite;
            stop = true;
            a = b = 0;
        } else if (rho == 0 || !(pq > 0)) {
            // Nothing left to reduce here, or no descent direction in this precision: look at the true defect.
            a = b = 0;
            if (mixed && since > 1) restart = true;
            else {
                result.end = rho == 0 ? DeviceEnd::converged : DeviceEnd::indefinite;
                stop = true;
            }
        } else if (!mixed && reached) {
            result.end = DeviceEnd::converged;
            result.final_norm = sqrt(rho);
            a = 0; // u holds the iterate that r belongs to
            stop = true;
        } else if (result.passes >= ask.max_passes) {
            result.end = DeviceEnd::passes;
            result.final_norm = mixed ? result.final_norm : sqrt(rho);
            restart = mixed;
            stop = !mixed;
        } else if (mixed) {
            restart = reached || (ask.inner != 0 ? since >= ask.inner : rho < ask.gain * ask.gain * rho_start);
        }
        s.alpha = a;
        s.beta = b;
        s.gamma = 1;
        s.first = false;
        s.restart = restart;
        s.stop = stop;
        result.alpha = a;
    }

    /// The scalars behind a defect d, stored as r = d / s.scale: sum[0] = r.r, sum[1] = r.p.
    __device__ __forceinline__ void after_defect(const double (&sum)[kSums], PassScalars& s) {
        const double old_scale = scale, norm = sqrt(sum[0]) * s.scale;
        const bool begin = result.passes == 0;
        if (begin) {
            result.initial_norm = norm;
            goal = ask.tolerance * ask.tolerance * norm * norm;
            best = norm;
        } else {
            ++result.outer;
        }
        result.final_norm = norm;
        scale = s.scale;
        s.stop = true;
        if (!isfinite(norm)) result.end = DeviceEnd::not_finite;
        else if (norm * norm < goal || norm == 0) result.end = DeviceEnd::converged;
        else if (result.passes >= ask.max_passes) result.end = DeviceEnd::passes;
        else {
            worse = norm < best || begin ? 0 : worse + 1;
            best = norm < best ? norm : best;
            if (worse >= 100) result.end = DeviceEnd::stagnated;
            else s.stop = false;
        }
        s.alpha = 0;
        s.beta = 0;
        s.gamma = 1;
        if (ask.guided && !begin && rho > 0) {
            // beta = rho_new / rho_old, and p counts in units of the old scale; p is made orthogonal to r first.
            const double b = (norm / scale) * (norm / old_scale) / rho;
            s.beta = b;
            s.gamma = 1 - b * sum[1] / sum[0];
        }
        s.first = true;
        s.restart = false;
        rho_start = sum[0];
        since = 0;
    }

    /// The scale of the next defect: its expected norm.
    [[nodiscard]] __device__ __forceinline__ double next_scale() const {
        if (result.passes == 0) return ask.first_norm;
        const double expected = scale * sqrt(rho);
        return expected > 0 && isfinite(expected) ? expected : scale;
    }
};

#endif

} // namespace mantissa::gpu
