// What a point computes, by operations named one by one: the streamed and the resident plan, owners and neighbours all
// round alike.
#pragma once

#include "schedules/cg_control.cuh"

namespace mantissa::gpu {

#ifdef __CUDACC__

__device__ __forceinline__ float times(float a, float b) {
    return __fmul_rn(a, b);
}
__device__ __forceinline__ double times(double a, double b) {
    return __dmul_rn(a, b);
}
__device__ __forceinline__ float plus(float a, float b) {
    return __fadd_rn(a, b);
}
__device__ __forceinline__ double plus(double a, double b) {
    return __dadd_rn(a, b);
}

/// Differences of a point and of its left and right neighbour to the row beside, weighted.
template <class T> __device__ __forceinline__ T weighted_step(T north, T diagonal, T left, T middle, T right) {
    return fused(diagonal, plus(left, right), times(north, middle));
}
/// q = A p of a point: `left` and `right` are the steps across to it and from it; `below` and `above` the weighted
/// ones. (Differences first: a smooth p leaves no cancellation behind. A walk the other way has all signs turned,
/// exactly.)
template <class T>
__device__ __forceinline__ T point_product(T row_sum, T side_sum, T p, T left, T right, T below, T above) {
    return fused(row_sum, p, fused(side_sum, plus(right, -left), plus(above, -below)));
}
template <class T> __device__ __forceinline__ T next_u(T u, T carry, T alpha, T p, T r) {
    return plus(u, fused(carry, plus(p, -r), times(alpha, p)));
}
template <class T> __device__ __forceinline__ T next_p(T beta, T p, T gamma, T r) {
    return fused(beta, p, times(gamma, r));
}
/// x + scale (u + alpha p + carry (p - r)).
__device__ __forceinline__ double corrected(double x, const PassScalars& s, double u, double p, double r) {
    double d = fused(s.alpha, p, u);
    if (s.carry != 0) d = fused(s.carry, plus(p, -r), d);
    return fused(s.scale, d, x);
}

/// Binary places below its expectation from which a sum has too few bits left and is formed again.
template <class T> inline constexpr int sum_reach = sizeof(T) == 8 ? 12 : 8;

/// Watches that sums stay where their bits are: one that is far from what was expected is formed again with what was
/// found as the expectation. Kept by one thread of each block, all with the same sums.
struct SumRange {
    int tries;

    /// far: sum_reach.
    __device__ __forceinline__ bool misses(const double (&sum)[kSums], GridState& state, int far) {
        constexpr int kTries = 6;
        bool miss = false;
        for (int k = 0; k < kSums; ++k) {
            if (isnan(sum[k])) { // too large, or really no number
                state.exponent[k] += 40;
                miss = true;
            } else if (const int found = exponent_above(fabs(sum[k])); sum[k] != 0 && found < state.exponent[k] - far) {
                state.exponent[k] = found;
                miss = true;
            }
        }
        tries = miss ? tries + 1 : 0;
        return miss && tries < kTries;
    }
};

/// After a defect: sums p.q and q.q stand to r.r about as they did before it.
struct SumRatios {
    int pq, qq;

    __device__ __forceinline__ explicit SumRatios(const int (&first)[2]) : pq(first[0]), qq(first[1]) {}
    __device__ __forceinline__ explicit SumRatios(const GridState& state)
        : pq(state.exponent[1] - state.exponent[0]), qq(state.exponent[2] - state.exponent[0]) {}
    __device__ __forceinline__ void keep(GridState& state) const {
        state.exponent[1] = state.exponent[0] + pq;
        state.exponent[2] = state.exponent[0] + qq;
    }
};

#endif

} // namespace mantissa::gpu
