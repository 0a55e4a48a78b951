// The loop around a cycle: CG in double with the flexible beta (Golub and Ye 1999), or corrections alone.
//
//     z = K(r);  beta = -alpha (z.q) / (r.z of before), 0 at first;  p = z + beta p;  q = A p
//     alpha = (r.z) / (p.q);  u += alpha p;  r -= alpha q            (corrections alone: beta = 0, alpha = 1)
//
// With more directions p has besides -alpha (z.q) / (r.z) p of each iteration before that it keeps (Notay 2000).
#pragma once

#include "rows.cuh"

namespace mantissa::gpu::multilevel_rows {

struct LoopVectors {
    double *u, *r, *z;
    double *p[kMostDirections], *q[kMostDirections]; ///< the last ones first; a new one takes the oldest one's place
    int directions;                                  ///< that there are
    const double* scale;                             ///< null: none
};

#ifdef __CUDACC__

__device__ __forceinline__ double entering(const LoopVectors& v, std::uint32_t i, double r) {
    return fabs(v.scale != nullptr ? r * v.scale[i] : r);
}

/// u and all p and q = 0, and the largest of r.
static __global__ void __launch_bounds__(kThreads)
    begin_loop(const RowRange rows, const LoopVectors v, Status* status) {
    if (!begin_kernel(status)) return;
    double largest = 0;
    for (std::uint32_t i = rows.first + blockIdx.x * kThreads + threadIdx.x; i < rows.end; i += gridDim.x * kThreads) {
        v.u[i] = 0;
        for (int k = 0; k < v.directions; ++k) v.p[k][i] = v.q[k][i] = 0;
        largest = fmax(largest, entering(v, i, v.r[i]));
    }
    leave_largest(ordered(largest), &status->largest);
}
/// p = z + beta p, and with more directions what is of those before.
template <int Directions>
__global__ void __launch_bounds__(kThreads) direction(const RowRange rows, const LoopVectors v, const Sums* sums,
                                                      unsigned sum_blocks, bool cg, Status* status) {
    if (!begin_kernel(status)) return;
    double beta[Directions] = {};
    if (cg && status->iterations != 0) {
        const double* of_blocks[Directions];
#pragma unroll
        for (int k = 0; k < Directions; ++k) of_blocks[k] = sums->zq[k];
        totals<Directions>(of_blocks, sum_blocks, beta);
#pragma unroll
        for (int k = 0; k < Directions; ++k)
            beta[k] = k < status->iterations ? -status->alpha[k] * beta[k] / status->rz[k] : 0;
    }
    if (blockIdx.x == 0 && threadIdx.x == 0) status->largest = 0; // (the cycle has read it)
    for (std::uint32_t i = rows.first + blockIdx.x * kThreads + threadIdx.x; i < rows.end; i += gridDim.x * kThreads) {
        double p = v.z[i];
#pragma unroll
        for (int k = 0; k < Directions; ++k) p += beta[k] * v.p[k][i];
        v.p[Directions - 1][i] = p;
    }
}
/// q = A p and the sums of p.q.
template <int Lanes>
__global__ void __launch_bounds__(kThreads)
    apply(const Rows<double> a, const LoopVectors v, const SumPlaces to, const Status* status) {
    if (!begin_kernel(status)) return;
    double pq = 0;
    for_rows<Lanes, double>(
        a, [&](std::uint32_t j) { return v.p[0][j]; },
        [&](std::uint32_t i, double q) {
            v.q[0][i] = q;
            pq += v.p[0][i] * q;
        });
    leave_sums<kThreads, 1>({pq}, {to.sums->pq + to.first});
}
/// The step along p, the sums of r.r and the largest of r. Where p.q or r.z is not above zero: nothing.
static __global__ void __launch_bounds__(kThreads)
    step(const RowRange rows, const LoopVectors v, const SumPlaces to, unsigned sum_blocks, bool cg, Status* status) {
    if (!begin_kernel(status)) return;
    double alpha = 1, rr = 0, largest = 0;
    if (cg) {
        double total[2];
        totals<2>({to.sums->rz, to.sums->pq}, sum_blocks, total);
        if (!(total[0] > 0) || !(total[1] > 0)) return;
        alpha = total[0] / total[1];
    }
    for (std::uint32_t i = rows.first + blockIdx.x * kThreads + threadIdx.x; i < rows.end; i += gridDim.x * kThreads) {
        const double r = v.r[i] - alpha * v.q[0][i];
        v.u[i] += alpha * v.p[0][i];
        v.r[i] = r;
        rr += r * r;
        largest = fmax(largest, entering(v, i, r));
    }
    leave_sums<kThreads, 1>({rr}, {to.sums->rr + to.first});
    leave_largest(ordered(largest), &status->largest);
}
/// What became of the iteration. One block.
static __global__ void __launch_bounds__(kThreads)
    judge(const Sums* sums, unsigned sum_blocks, bool cg, unsigned long long* states, unsigned state_words,
          unsigned exchanges, Status* status) {
    if (!begin_kernel(status)) return;
    double total[3];
    totals<3>({sums->rz, sums->pq, sums->rr}, sum_blocks, total);
    const double rr = total[2];
    for (unsigned k = threadIdx.x; k < state_words; k += kThreads) states[k] = 0; // for the next cycle
    if (threadIdx.x != 0) return;
    status->exchanged += exchanges;
    const auto end = [&](CycleSolveEnd how) {
        status->end = how;
        status->done = 1;
    };
    if (!isfinite(total[0]) || !isfinite(total[1]) || !isfinite(rr)) return end(CycleSolveEnd::not_finite);
    if (cg && (!(total[0] > 0) || !(total[1] > 0))) return end(CycleSolveEnd::indefinite);
#pragma unroll
    for (int k = kMostDirections - 1; k > 0; --k) {
        status->rz[k] = status->rz[k - 1];
        status->alpha[k] = status->alpha[k - 1];
    }
    status->rz[0] = total[0];
    status->alpha[0] = total[0] / total[1];
    status->rr[++status->iterations % kAtATime] = rr;
    if (rr < status->goal) return end(CycleSolveEnd::reached);
    if (status->iterations >= status->limit) return end(CycleSolveEnd::limit);
}

#endif

} // namespace mantissa::gpu::multilevel_rows
