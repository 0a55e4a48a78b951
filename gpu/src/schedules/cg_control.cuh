// The scalar side of the native solvers: recurrence coefficients, stopping tests and restarts. Every block runs it on
// the same sums and so comes to the same decisions without talking to the host.
#pragma once

#include <cstdint>

#include "mantissa/gpu/cg_end.hpp"
#include "sync/grid_reduce.cuh"

namespace mantissa::gpu {

/// What a solve shows of itself while it runs, in memory of the host that the device sees.
struct SolveWindow {
    double residual;      ///< by the device: the recurrence's, relative to the first
    std::uint32_t passes; ///< by the device
    std::uint32_t stop;   ///< by the host: not 0 ends the solve, as not finite
};
inline constexpr std::uint32_t kLookEvery = 128; ///< passes

/// What a launch is asked to do. Norms are those of the double-precision defect.
struct ControlParams {
    std::uint32_t max_passes; ///< at most this many passes in all
    double tolerance;         ///< on the defect norm relative to the initial one; 0 runs max_passes
    std::uint32_t inner;      ///< passes between defects (mixed), 0: by digits
    double gain;              ///< 10^-digits: the inner solve ends when its residual norm fell by this factor
    int coefficient_exponent; ///< the sum of |coefficients| of a row is below two to this
    std::uint32_t patience;   ///< defects in turn that gain nothing, at which the solve is stagnant
    bool guided;              ///< keep p over a restart (residual guided); else restart with p = r
    bool hand_over;           ///< not mixed: p's last step belongs to the iterate, for a launch that goes on from there
    double first_norm;        ///< an estimate of ||b|| that scales the first inner problem
    SolveWindow* window;      ///< null: nobody looks
};

struct ControlResult {
    CgEnd end;
    std::uint32_t passes, outer, guards;
    double initial_norm, final_norm; ///< double-precision defects when mixed, else the recursion's
    double alpha;                    ///< the step along p that the iterate still lacks
};

#ifdef __CUDACC__

/// a b + c in one operation, named where the compiler's own choice of what to fuse must not tell: owners and neighbours
/// of a point round alike, whatever stands around the expression.
__device__ __forceinline__ float fused(float a, float b, float c) {
    return __fmaf_rn(a, b, c);
}
__device__ __forceinline__ double fused(double a, double b, double c) {
    return __fma_rn(a, b, c);
}

/// ilogb(x) + 1 of a positive number: the least e with x < 2^e. Normal ones need no call.
__device__ __forceinline__ int exponent_above(double x) {
    const int biased = static_cast<int>(__double_as_longlong(x) >> 52);
    return biased > 0 && biased < 2047 ? biased - 1022 : ilogb(x) + 1;
}

/// Scalars of a pass: r' = r - alpha q, p' = gamma r' + beta p. In shared memory, written by one thread.
///
/// u need not be touched in every pass. A pass that leaves it alone finds p' = r' + beta p, so the next one, which
/// reads p' and r', can still add alpha p = (alpha / beta) (p' - r'): u moves through memory every other pass only.
struct PassScalars {
    double alpha, beta, gamma;
    double scale;  ///< mixed: the inner system is the defect over this
    double carry;  ///< alpha / beta of a pass that left u alone: its alpha p is carry (p' - r'), see below
    bool first;    ///< the first pass after a restart: q is not used
    bool fresh;    ///< u counts as zero
    bool update_u; ///< this pass updates u
    bool deferred; ///< this pass leaves its alpha p to the next
    bool restart;  ///< form a new defect before the next pass
    bool stop;
};

/// Kept by thread 0 of each block in shared memory.
struct Control {
    ControlParams ask;
    ControlResult result;
    double rho, rho_start, scale, goal, best;
    std::uint32_t since, worse;
    bool leave; ///< the host wants an end: where parts exchange, the block's next sums are no numbers

    /// before: the result of the launch that this one continues, or null; p then counts in units of `unit`.
    __device__ __forceinline__ void reset(const ControlParams& request, PassScalars& s, GridState& grid, bool mixed,
                                          const ControlResult* before = nullptr, double unit = 1) {
        ask = request;
        result = {};
        rho = rho_start = goal = best = 0;
        scale = 1;
        since = worse = 0;
        leave = false;
        s = {};
        s.scale = 1;
        s.gamma = 1;
        s.first = s.fresh = true;
        s.restart = mixed;
        for (auto& buffer : grid.previous)
            for (auto& word : buffer) word = 0;
        expect(grid, mixed ? 1.0 : ask.first_norm * ask.first_norm);
        if (before != nullptr) {
            result = *before;
            goal = ask.tolerance * ask.tolerance * result.initial_norm * result.initial_norm;
            best = result.final_norm;
            scale = unit;
            rho = (result.final_norm / unit) * (result.final_norm / unit);
            s.stop = result.end != CgEnd::converged && result.end != CgEnd::passes;
        }
    }

    /// Exponents of the coming sums when r.r is `norm2`.
    __device__ __forceinline__ void expect(GridState& grid, double norm2) const {
        const int e = ilogb(norm2) + 1;
        grid.exponent[0] = e;
        grid.exponent[1] = e + ask.coefficient_exponent;
        grid.exponent[2] = e + 2 * ask.coefficient_exponent;
    }

    /// The scalars after a pass with dot products rho = r.r, pq, qq.
    __device__ __forceinline__ void after_pass(const double (&sum)[kSums], PassScalars& s, GridState& grid,
                                               bool mixed) {
        for (int k = 0; k < kSums; ++k)
            if (sum[k] > 0 && isfinite(sum[k])) grid.exponent[k] = exponent_above(sum[k]);
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
            result.end = CgEnd::not_finite;
            stop = true;
            a = b = 0;
        } else if (rho == 0 || !(pq > 0)) {
            // Nothing left to reduce here, or no descent direction in this precision: look at the true defect.
            a = b = 0;
            if (mixed && since > 1) restart = true;
            else {
                result.end = rho == 0 ? CgEnd::converged : CgEnd::indefinite;
                stop = true;
            }
        } else if (!mixed && reached) {
            result.end = CgEnd::converged;
            result.final_norm = sqrt(rho);
            if (!ask.hand_over) a = 0; // u holds the iterate that r belongs to
            stop = true;
        } else if (result.passes >= ask.max_passes) {
            result.end = CgEnd::passes;
            result.final_norm = mixed ? result.final_norm : sqrt(rho);
            restart = mixed;
            stop = !mixed;
        } else if (mixed) {
            restart = reached || (ask.inner != 0 ? since >= ask.inner : rho < ask.gain * ask.gain * rho_start);
        }
        const bool pending = s.deferred;
        s.carry = pending ? s.alpha / s.beta : 0;
        s.fresh = s.fresh && !s.update_u;
        s.alpha = a;
        s.beta = b;
        s.gamma = 1;
        s.first = false;
        s.restart = restart;
        s.stop = stop;
        // (a small beta would blow the rounding of p' up)
        s.deferred = !pending && b > 0.02;
        s.update_u = !s.deferred;
        result.alpha = a;
        if (ask.window != nullptr && blockIdx.x == 0 && result.passes % kLookEvery == 0) look(norm2, grid);
    }

    /// One block's: what the host shall see, and what it asks for. A sum of exponents out of range is no number, and
    /// so every block comes to the end in the same pass.
    __device__ __forceinline__ void look(double norm2, GridState& grid) {
        volatile SolveWindow* const seen = ask.window;
        seen->residual = sqrt(norm2) / result.initial_norm;
        seen->passes = result.passes;
        if (seen->stop == 0) return;
        for (int& exponent : grid.exponent) exponent = -4000;
        leave = true;
    }

    /// The scalars after a defect d, stored as r = d / s.scale: sum[0] = r.r, sum[1] = r.p.
    __device__ __forceinline__ void after_defect(const double (&sum)[kSums], PassScalars& s, GridState& grid) {
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
        if (!isfinite(norm)) result.end = CgEnd::not_finite;
        else if (norm * norm < goal || norm == 0) result.end = CgEnd::converged;
        else if (result.passes >= ask.max_passes) result.end = CgEnd::passes;
        else {
            worse = norm < best || begin ? 0 : worse + 1;
            best = norm < best ? norm : best;
            if (worse >= ask.patience) result.end = CgEnd::stagnated;
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
        s.carry = 0;
        s.first = s.fresh = true;
        s.update_u = s.deferred = false; // alpha is zero: nothing to add
        s.restart = false;
        expect(grid, sum[0] > 0 ? sum[0] : 1.0);
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

/// What a block keeps in shared memory for the exchange after each pass, and how far it has come. Sums over the grid
/// are its barrier.
struct ControlBlock {
    GridReduce grid;
    double (*scratch)[kSums]; ///< one for each warp
    GridState& state;
    PassScalars& scalars;
    Control& control; ///< thread 0's
    Tag tag;          ///< of the next exchange

    /// Adds the block's sums to the grid's. `fenced`, here and below: what a block wrote before, all see after it.
    /// Called by all threads.
    __device__ __forceinline__ void publish(const double (&sum)[kSums], bool fenced) const {
        grid.publish(sum, tag, scratch, state, fenced);
    }
    /// Waits for the grid's sums, which take the block's place in `sum`. Called by warp 0; control, which runs on one
    /// lane of it after this, tells all threads what it has come to by next().
    __device__ __forceinline__ void collect(double (&sum)[kSums], bool fenced) const {
        grid.collect(sum, tag, state, fenced);
    }
    /// Ends an exchange. Called by all threads.
    __device__ __forceinline__ void next() {
        ++tag;
        __syncthreads();
    }
    /// A barrier over the grid: what all blocks wrote before, all see after it, once `rescale` has been called.
    __device__ __forceinline__ void meet() {
        double none[kSums] = {};
        publish(none, true);
        if (threadIdx.x < 32) collect(none, true);
        ++tag;
    }
    /// The scale of the defect that comes. Called by all threads.
    __device__ __forceinline__ void rescale() const {
        if (threadIdx.x == 0) {
            scalars.scale = control.next_scale();
            control.expect(state, 1.0);
        }
        __syncthreads();
    }
};

#endif

} // namespace mantissa::gpu
