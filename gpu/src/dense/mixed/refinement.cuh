// Refinement to double accuracy: residuals in double, and corrections by GMRES (flexible, preconditioned from the right
// by the factors) or by the factors alone.
#pragma once

#include <cooperative_groups.h>

#include "control.cuh"
#include "scaling.cuh"

namespace mantissa::gpu::mixed {

/// Parts of A x: block (x, y) takes 128 rows and a share of the columns. A is column after column.
__global__ void __launch_bounds__(256)
    multiply_matrix(const double* __restrict__ a, long lda, int n, const double* __restrict__ x,
                    double* __restrict__ parts, const Control* control, bool in_cycle) {
    if (control->end != 0 || (in_cycle && control->cycle_done != 0)) return;
    __shared__ double all[8][kRowTile];
    const int lane = static_cast<int>(threadIdx.x) & 31, warp = static_cast<int>(threadIdx.x) / 32;
    const int row0 = static_cast<int>(blockIdx.x) * kRowTile + lane, share = (n + kSplits - 1) / kSplits;
    const int begin = static_cast<int>(blockIdx.y) * share, end = min(n, begin + share);
    double s[4] = {};
    if (row0 + 96 < n) {
#pragma unroll 4
        for (int j = begin + warp; j < end; j += 8) {
            const double v = x[j];
            const double* const column = a + j * lda + row0;
#pragma unroll
            for (int q = 0; q < 4; ++q) s[q] = fma(column[32 * q], v, s[q]);
        }
    } else {
        for (int j = begin + warp; j < end; j += 8)
#pragma unroll
            for (int q = 0; q < 4; ++q)
                if (row0 + 32 * q < n) s[q] = fma(a[j * lda + row0 + 32 * q], x[j], s[q]);
    }
#pragma unroll
    for (int q = 0; q < 4; ++q) all[warp][lane + 32 * q] = s[q];
    __syncthreads();
    const int t = static_cast<int>(threadIdx.x), row = static_cast<int>(blockIdx.x) * kRowTile + t;
    if (t >= kRowTile || row >= n) return;
    double sum = 0.0;
    for (int w = 0; w < 8; ++w) sum += all[w][t];
    parts[static_cast<long>(blockIdx.y) * n + row] = sum;
}

/// State of a GMRES cycle in device memory.
struct Krylov {
    int n;
    double *v, *z; ///< kRestart + 1 and kRestart vectors of n
    double* r;     ///< triangle of the least-squares problem: kRestart columns of kRestart
    double *cosine, *sine, *g;
    const double* parts;
    const double* scale; ///< of the rows: all vectors of a cycle are of the scaled system
    Control* control;
    double tolerance; ///< of a cycle, relative to its first residual
    int vectors;      ///< most of a cycle
};

struct StopRule {
    double enough;   ///< ratio that ends the refinement
    double accepted; ///< ratio that counts as converged when no more is gained
    int most;        ///< residuals at most
};

__device__ __forceinline__ double block_sum(double x, double* warps) {
    for (int d = 16; d > 0; d /= 2) x += __shfl_xor_sync(0xffffffffU, x, d);
    __syncthreads();
    if ((threadIdx.x & 31) == 0) warps[threadIdx.x / 32] = x;
    __syncthreads();
    x = warps[threadIdx.x & 31];
    for (int d = 16; d > 0; d /= 2) x += __shfl_xor_sync(0xffffffffU, x, d);
    return x;
}
/// The largest, or NaN where one is.
__device__ __forceinline__ double larger(double a, double b) {
    return isnan(a) || a > b ? a : b;
}
__device__ __forceinline__ double block_max(double x, double* warps) {
    for (int d = 16; d > 0; d /= 2) x = larger(x, __shfl_xor_sync(0xffffffffU, x, d));
    __syncthreads();
    if ((threadIdx.x & 31) == 0) warps[threadIdx.x / 32] = x;
    __syncthreads();
    x = warps[threadIdx.x & 31];
    for (int d = 16; d > 0; d /= 2) x = larger(x, __shfl_xor_sync(0xffffffffU, x, d));
    return x;
}

/// Residual, norms, verdict, and the first vector of the next cycle; one block of 1024. The first time x is 0.
__global__ void __launch_bounds__(1024) judge(const Krylov task, const double* __restrict__ b,
                                              const double* __restrict__ x, const StopRule rule, bool first) {
    Control& c = *task.control;
    if (c.end != 0) return;
    __shared__ double warps[32];
    double top = 0.0, top_scaled = 0.0, squares = 0.0, largest_x = 0.0, largest_b = 0.0;
    for (int i = static_cast<int>(threadIdx.x); i < task.n; i += 1024) {
        double r = b[i];
        if (!first) {
            double product = 0.0;
#pragma unroll
            for (int q = 0; q < kSplits; ++q) product += task.parts[static_cast<long>(q) * task.n + i];
            r -= product;
        }
        const double scaled = r * task.scale[i];
        task.v[i] = scaled;
        top = larger(fabs(r), top);
        top_scaled = larger(fabs(scaled), top_scaled);
        largest_x = larger(fabs(first ? 0.0 : x[i]), largest_x);
        largest_b = larger(fabs(b[i]), largest_b);
    }
    top = block_max(top, warps);
    top_scaled = block_max(top_scaled, warps);
    largest_x = block_max(largest_x, warps);
    largest_b = block_max(largest_b, warps);
    // Squares of the residual relative to its largest word neither overflow nor vanish.
    const double down = top_scaled > 0.0 ? 1.0 / top_scaled : 0.0;
    for (int i = static_cast<int>(threadIdx.x); i < task.n; i += 1024) squares += task.v[i] * down * (task.v[i] * down);
    const double beta = top_scaled * sqrt(block_sum(squares, warps));
    const double up = beta > 0.0 ? 1.0 / beta : 0.0;
    for (int i = static_cast<int>(threadIdx.x); i < task.n; i += 1024) task.v[i] *= up;
    if (threadIdx.x != 0) return;
    const double before = c.ratio, ratio = top == 0.0 ? 0.0 : top / (c.norm_a * largest_x + largest_b);
    c.norm_b = largest_b, c.norm_x = largest_x, c.residual = top, c.beta = beta, c.ratio = ratio;
    c.cycle_done = c.vectors = 0;
    task.g[0] = beta;
    ++c.outer;
    c.slow = !first && ratio > 0.5 * before ? c.slow + 1 : 0;
    if (!isfinite(ratio) || !isfinite(c.norm_a)) c.end = static_cast<int>(End::not_finite);
    else if (ratio <= rule.enough) c.end = static_cast<int>(End::converged);
    else if (c.slow >= (ratio <= rule.accepted ? 1 : 2) || c.outer >= rule.most)
        c.end = static_cast<int>(ratio <= rule.accepted ? End::converged : End::stagnated);
}

/// Appends w = A z_j to the orthonormal vectors (Gram-Schmidt, twice) and to the least-squares problem; one cluster.
constexpr int kOrthoCluster = 16, kOrthoThreads = 1024, kOrthoRows = 2048;
__global__ void __launch_bounds__(kOrthoThreads, 1) orthogonalise(const Krylov task, int j) {
    Control& c = *task.control;
    if (c.end != 0 || c.cycle_done != 0) return;
    namespace cg = cooperative_groups;
    const cg::cluster_group cluster = cg::this_cluster();
    __shared__ double w[kOrthoRows], part[2][kOrthoCluster][kRestart], norm_part[kOrthoCluster];
    __shared__ double h[kRestart + 1], total[kRestart + 1], warps[32], turn[2][kRestart];
    const int rank = static_cast<int>(cluster.block_rank()), t = static_cast<int>(threadIdx.x), warp = t / 32,
              lane = t & 31;
    const int share = (task.n + kOrthoCluster - 1) / kOrthoCluster, begin = rank * share;
    const int count = max(0, min(share, task.n - begin));
    for (int i = t; i < count; i += kOrthoThreads) {
        double sum = 0.0;
#pragma unroll
        for (int q = 0; q < kSplits; ++q) sum += task.parts[static_cast<long>(q) * task.n + begin + i];
        w[i] = sum * task.scale[begin + i];
    }
    if (t <= j) total[t] = 0.0;
    if (t < j) turn[0][t] = task.cosine[t], turn[1][t] = task.sine[t];
    __syncthreads();
    for (int pass = 0; pass < 2; ++pass) {
        for (int k = warp; k <= j; k += kOrthoThreads / 32) {
            const double* const v = task.v + static_cast<long>(k) * task.n + begin;
            double sum = 0.0;
#pragma unroll 4
            for (int i = lane; i < count; i += 32) sum = fma(v[i], w[i], sum);
            for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(0xffffffffU, sum, d);
            if (lane < kOrthoCluster) *cluster.map_shared_rank(&part[pass][rank][k], lane) = sum;
        }
        cluster.sync();
        if (t <= j) {
            double sum = 0.0;
            for (int q = 0; q < kOrthoCluster; ++q) sum += part[pass][q][t];
            h[t] = sum;
            total[t] += sum;
        }
        __syncthreads();
        for (int i = t; i < count; i += kOrthoThreads) {
            double x = w[i];
            for (int k = 0; k <= j; ++k) x = fma(-h[k], task.v[static_cast<long>(k) * task.n + begin + i], x);
            w[i] = x;
        }
        __syncthreads();
    }
    double squares = 0.0;
    for (int i = t; i < count; i += kOrthoThreads) squares = fma(w[i], w[i], squares);
    squares = block_sum(squares, warps);
    if (t < kOrthoCluster) *cluster.map_shared_rank(&norm_part[rank], t) = squares;
    cluster.sync();
    squares = 0.0;
    for (int q = 0; q < kOrthoCluster; ++q) squares += norm_part[q];
    const double norm = sqrt(squares), up = norm > 0.0 ? 1.0 / norm : 0.0;
    for (int i = t; i < count; i += kOrthoThreads) task.v[static_cast<long>(j + 1) * task.n + begin + i] = w[i] * up;
    if (rank != 0 || t != 0) return;
    // Givens rotations keep the least-squares problem triangular; |g[j + 1]| is its residual.
    double* const column = task.r + static_cast<long>(j) * kRestart;
    double carry = total[0];
    for (int k = 0; k < j; ++k) {
        const double below = total[k + 1];
        column[k] = turn[0][k] * carry + turn[1][k] * below;
        carry = turn[0][k] * below - turn[1][k] * carry;
    }
    const double length = hypot(carry, norm);
    const double cosine = length > 0.0 ? carry / length : 1.0, sine = length > 0.0 ? norm / length : 0.0;
    column[j] = length;
    task.cosine[j] = cosine, task.sine[j] = sine;
    const double g = task.g[j];
    task.g[j] = cosine * g;
    task.g[j + 1] = -sine * g;
    c.vectors = j + 1;
    ++c.inner;
    if (!(fabs(sine * g) > task.tolerance * c.beta) || j + 1 == task.vectors) c.cycle_done = 1;
}

/// x += Z y where R y = g; blocks of 256 rows, each solving the small triangle for itself.
__global__ void __launch_bounds__(256) correct(const Krylov task, double* __restrict__ x) {
    const Control& c = *task.control;
    if (c.end != 0) return;
    __shared__ double y[kRestart];
    const int m = c.vectors, t = static_cast<int>(threadIdx.x);
    if (t < 32) {
        double g[2];
        for (int half = 0; half < 2; ++half) g[half] = t + 32 * half < m ? task.g[t + 32 * half] : 0.0;
        for (int k = m - 1; k >= 0; --k) {
            const double* const column = task.r + static_cast<long>(k) * kRestart;
            const double top = __shfl_sync(0xffffffffU, k >= 32 ? g[1] : g[0], k & 31);
            const double value = column[k] != 0.0 ? top / column[k] : 0.0;
            for (int half = 0; half < 2; ++half)
                if (t + 32 * half < k) g[half] = fma(-column[t + 32 * half], value, g[half]);
            if (t == 0) y[k] = value;
        }
    }
    __syncthreads();
    const int i = static_cast<int>(blockIdx.x) * 256 + t;
    if (i >= task.n) return;
    double sum = 0.0;
#pragma unroll 4
    for (int k = 0; k < m; ++k) sum = fma(task.z[static_cast<long>(k) * task.n + i], y[k], sum);
    x[i] += sum;
}

/// Classical refinement: x += beta A^-1 (r / beta), as the factors have it.
__global__ void __launch_bounds__(256) add_correction(const Krylov task, double* __restrict__ x) {
    if (task.control->end != 0) return;
    const int i = static_cast<int>(blockIdx.x) * 256 + static_cast<int>(threadIdx.x);
    if (i < task.n) x[i] = fma(task.control->beta, task.z[i], x[i]);
    if (i == 0) ++task.control->inner;
}

} // namespace mantissa::gpu::mixed
