// The kernels of the V cycle and of CG around it. Complex vectors are pairs. A kernel begins while the one before it
// ends (dependent_launch.cuh), and does nothing once the solve is done.
#pragma once

#include <cstdint>

#include "mantissa/gpu/cg_end.hpp"
#include "sync/block_sums.cuh"
#include "sync/dependent_launch.cuh"

namespace mantissa::gpu::multilevel {

inline constexpr int kThreads = 256;
/// Blocks of the kernels that add up, so many a multiprocessor (twice or half as many take longer); each leaves its
/// sums in a place of its own.
inline constexpr unsigned kSumBlocksEach = 4, kMostSumBlocks = 1024;

/// Where the solve stands.
struct Status {
    double rr;
    std::uint32_t iterations, done;
    CgEnd end;
};
/// Sums of blocks: of p.q, of r.r, and of r.z after even and odd iterations.
struct Sums {
    double pq[kMostSumBlocks], rr[kMostSumBlocks], rz[2][kMostSumBlocks];
};

/// Rows of a matrix; V is float2, double2 (complex numbers) or float.
template <class V> struct Rows {
    const std::uint32_t *begin, *column;
    const V* value;
    std::uint32_t rows;
};
/// A level; its vectors hold the residual, the correction, a step of the smoother and what is left of the residual.
struct LevelView {
    Rows<float2> a;
    const float* inverse;
    float2 *r, *x, *p, *rest;
    float first, before, second; ///< the smoother's two steps: residual of the first, both of the second
};

#ifdef __CUDACC__

__device__ __forceinline__ void add_product(float2& s, float2 a, float2 v) {
    s.x += a.x * v.x - a.y * v.y;
    s.y += a.x * v.y + a.y * v.x;
}
__device__ __forceinline__ void add_product(double2& s, double2 a, double2 v) {
    s.x += a.x * v.x - a.y * v.y;
    s.y += a.x * v.y + a.y * v.x;
}
__device__ __forceinline__ void add_product(float2& s, float a, float2 v) {
    s.x += a * v.x;
    s.y += a * v.y;
}

/// take(row, row of A v) for every row, from the first of its Lanes threads.
template <int Lanes, class V, class X, class Take>
__device__ __forceinline__ void for_rows(const Rows<V>& a, const X* v, const Take& take) {
    const long long all = (static_cast<long long>(a.rows) * Lanes + 31) / 32 * 32;
    const long long threads = static_cast<long long>(gridDim.x) * kThreads;
    for (long long t = static_cast<long long>(blockIdx.x) * kThreads + threadIdx.x; t < all; t += threads) {
        const auto row = static_cast<std::uint32_t>(t / Lanes);
        const int part = static_cast<int>(t % Lanes);
        X s{0, 0};
        if (row < a.rows) {
            const std::uint32_t end = a.begin[row + 1];
            for (std::uint32_t k = a.begin[row] + part; k < end; k += 2 * Lanes) { // two at a time, under way together
                const bool two = k + Lanes < end;
                const std::uint32_t one = __ldcs(a.column + k), other = two ? __ldcs(a.column + k + Lanes) : one;
                const V value = __ldcs(a.value + k);
                V next{};
                if (two) next = __ldcs(a.value + k + Lanes);
                const X x = v[one], y = v[other];
                add_product(s, value, x);
                add_product(s, next, y);
            }
        }
#pragma unroll
        for (int d = Lanes / 2; d > 0; d >>= 1) {
            s.x += __shfl_xor_sync(~0u, s.x, d);
            s.y += __shfl_xor_sync(~0u, s.y, d);
        }
        if (part == 0 && row < a.rows) take(row, s);
    }
}

__device__ __forceinline__ bool begin_kernel(const Status* status) {
    let_next_kernel_start();
    AwaitEarlierKernels{}();
    return status->done == 0;
}

// ---- the cycle -----------------------------------------------------------------------------------------------------

/// x from zero by both steps; p is the first.
template <int Lanes>
__global__ void __launch_bounds__(kThreads) smooth_from_nothing(const LevelView l, const Status* s) {
    if (!begin_kernel(s)) return;
    for_rows<Lanes>(l.a, l.p, [&](std::uint32_t i, float2 q) {
        const float2 r = l.r[i], p = l.p[i];
        const float f = l.second * l.inverse[i];
        l.x[i] = {p.x + l.before * p.x + f * (r.x - q.x), p.y + l.before * p.y + f * (r.y - q.y)};
    });
}
/// rest = r - A x
template <int Lanes> __global__ void __launch_bounds__(kThreads) form_rest(const LevelView l, const Status* s) {
    if (!begin_kernel(s)) return;
    for_rows<Lanes>(l.a, l.x, [&](std::uint32_t i, float2 q) {
        const float2 r = l.r[i];
        l.rest[i] = {r.x - q.x, r.y - q.y};
    });
}
/// The next level's residual, and the first step of its smoother.
template <int Lanes>
__global__ void __launch_bounds__(kThreads)
    restrict_rest(const Rows<float> restriction, const float2* rest, const LevelView next, const Status* s) {
    if (!begin_kernel(s)) return;
    for_rows<Lanes>(restriction, rest, [&](std::uint32_t i, float2 r) {
        const float f = next.first * next.inverse[i];
        next.r[i] = r;
        next.p[i] = {f * r.x, f * r.y};
    });
}
/// x += P (the next level's x)
template <int Lanes>
__global__ void __launch_bounds__(kThreads)
    prolong(const Rows<float> prolongation, const float2* next, float2* x, const Status* s) {
    if (!begin_kernel(s)) return;
    for_rows<Lanes>(prolongation, next, [&](std::uint32_t i, float2 more) {
        const float2 v = x[i];
        x[i] = {v.x + more.x, v.y + more.y};
    });
}
/// The first step from x: p, and rest = r - A x.
template <int Lanes> __global__ void __launch_bounds__(kThreads) first_step(const LevelView l, const Status* s) {
    if (!begin_kernel(s)) return;
    for_rows<Lanes>(l.a, l.x, [&](std::uint32_t i, float2 q) {
        const float2 r = l.r[i], rest{r.x - q.x, r.y - q.y};
        const float f = l.first * l.inverse[i];
        l.rest[i] = rest;
        l.p[i] = {f * rest.x, f * rest.y};
    });
}
__device__ __forceinline__ float2 second_step_of(const LevelView& l, std::uint32_t i, float2 q) {
    const float2 r = l.rest[i], p = l.p[i], x = l.x[i];
    const float f = l.second * l.inverse[i];
    return {x.x + (p.x + l.before * p.x + f * (r.x - q.x)), x.y + (p.y + l.before * p.y + f * (r.y - q.y))};
}
template <int Lanes> __global__ void __launch_bounds__(kThreads) second_step(const LevelView l, const Status* s) {
    if (!begin_kernel(s)) return;
    for_rows<Lanes>(l.a, l.p, [&](std::uint32_t i, float2 q) { l.x[i] = second_step_of(l, i, q); });
}
/// The same on the first level, where x is then z = M^-1 r: also sums up r . z.
template <int Lanes>
__global__ void __launch_bounds__(kThreads)
    last_step(const LevelView l, const double2* r, double* sums, const Status* s) {
    if (!begin_kernel(s)) return;
    double rz = 0;
    for_rows<Lanes>(l.a, l.p, [&](std::uint32_t i, float2 q) {
        const float2 z = second_step_of(l, i, q);
        const double2 ri = r[i];
        l.x[i] = z;
        rz += ri.x * static_cast<double>(z.x) + ri.y * static_cast<double>(z.y);
    });
    leave_sums<kThreads, 1>({rz}, {sums});
}
/// x = the last level's inverse times its residual, a warp a row.
static __global__ void __launch_bounds__(kThreads)
    solve_last(const double2* inverse, std::uint32_t rows, const float2* r, float2* x, const Status* s) {
    if (!begin_kernel(s)) return;
    const std::uint32_t lane = threadIdx.x & 31, warps = gridDim.x * (kThreads / 32);
    for (std::uint32_t row = blockIdx.x * (kThreads / 32) + (threadIdx.x >> 5); row < rows; row += warps) {
        double2 sum{0, 0};
        for (std::uint32_t j = lane; j < rows; j += 32) {
            const float2 v = r[j];
            add_product(sum, inverse[static_cast<std::size_t>(row) * rows + j],
                        {static_cast<double>(v.x), static_cast<double>(v.y)});
        }
        sum.x = warp_sum(sum.x);
        sum.y = warp_sum(sum.y);
        if (lane == 0) x[row] = {static_cast<float>(sum.x), static_cast<float>(sum.y)};
    }
}
/// Sums up r . z where the last level is the first, too.
static __global__ void __launch_bounds__(kThreads)
    sum_of_products(std::uint32_t n, const float2* z, const double2* r, double* sums, const Status* s) {
    if (!begin_kernel(s)) return;
    double rz = 0;
    for (std::uint32_t i = blockIdx.x * kThreads + threadIdx.x; i < n; i += gridDim.x * kThreads)
        rz += r[i].x * static_cast<double>(z[i].x) + r[i].y * static_cast<double>(z[i].y);
    leave_sums<kThreads, 1>({rz}, {sums});
}

// ---- CG ------------------------------------------------------------------------------------------------------------

/// r goes to the first level in single precision, scaled so that it fits there, with the smoother's first step.
__device__ __forceinline__ void hand_down(const LevelView& l, std::uint32_t i, double2 r, double scale) {
    const float2 to{static_cast<float>(scale * r.x), static_cast<float>(scale * r.y)};
    const float f = l.first * l.inverse[i];
    l.r[i] = to;
    l.p[i] = {f * to.x, f * to.y};
}
static __global__ void __launch_bounds__(kThreads)
    begin_cg(const LevelView l, const double2* r, double scale, const Status* s) {
    if (!begin_kernel(s)) return;
    for (std::uint32_t i = blockIdx.x * kThreads + threadIdx.x; i < l.a.rows; i += gridDim.x * kThreads)
        hand_down(l, i, r[i], scale);
}
/// p = z + beta p, beta from the sums of r . z; or the end, by those of r . r. `first`: p = z.
static __global__ void __launch_bounds__(kThreads)
    turn(std::uint32_t n, const float2* z, double2* p, const Sums* sums, unsigned sum_blocks, int odd, bool first,
         double goal, std::uint32_t limit, Status* status) {
    if (!begin_kernel(status)) return;
    double beta = 0;
    if (!first) {
        double total[3];
        totals({sums->rr, sums->rz[odd], sums->rz[1 - odd]}, sum_blocks, total);
        const bool finite = isfinite(total[0]) && isfinite(total[1]), reached = finite && total[0] <= goal;
        if (!finite || reached || status->iterations >= limit) {
            if (blockIdx.x == 0 && threadIdx.x == 0) {
                status->rr = total[0];
                status->end = reached ? CgEnd::converged : finite ? CgEnd::passes : CgEnd::not_finite;
                status->done = 1;
            }
            return;
        }
        beta = total[1] / total[2];
    }
    for (std::uint32_t i = blockIdx.x * kThreads + threadIdx.x; i < n; i += gridDim.x * kThreads) {
        const float2 v = z[i];
        double2 d{0, 0};
        if (!first) d = p[i];
        p[i] = {static_cast<double>(v.x) + beta * d.x, static_cast<double>(v.y) + beta * d.y};
    }
}
/// q = A p and the sums of p . q. Counts the iteration, where no block looks at the count.
template <int Lanes>
__global__ void __launch_bounds__(kThreads)
    apply(const Rows<double2> a, const double2* p, double2* q, Sums* sums, Status* status) {
    if (!begin_kernel(status)) return;
    if (blockIdx.x == 0 && threadIdx.x == 0) ++status->iterations;
    double pq = 0;
    for_rows<Lanes>(a, p, [&](std::uint32_t i, double2 v) {
        const double2 d = p[i];
        q[i] = v;
        pq += d.x * v.x + d.y * v.y;
    });
    leave_sums<kThreads, 1>({pq}, {sums->pq});
}
/// x += alpha p, r -= alpha q, the sums of r . r, and r for the next cycle.
static __global__ void __launch_bounds__(kThreads)
    step(const LevelView l, double2* x, double2* r, const double2* p, const double2* q, Sums* sums, int odd,
         double scale, Status* status) {
    if (!begin_kernel(status)) return;
    double total[2];
    totals({sums->pq, sums->rz[odd]}, gridDim.x, total);
    const bool finite = isfinite(total[0]) && isfinite(total[1]);
    if (!finite || !(total[0] > 0) || !(total[1] > 0)) { // every block sees the same, so none goes on
        if (blockIdx.x == 0 && threadIdx.x == 0) {
            status->end = finite ? CgEnd::indefinite : CgEnd::not_finite;
            status->done = 1;
        }
        return;
    }
    const double alpha = total[1] / total[0];
    double rr = 0;
    for (std::uint32_t i = blockIdx.x * kThreads + threadIdx.x; i < l.a.rows; i += gridDim.x * kThreads) {
        const double2 d = p[i], v = q[i];
        double2 u = x[i], rest = r[i];
        u.x += alpha * d.x;
        u.y += alpha * d.y;
        rest.x -= alpha * v.x;
        rest.y -= alpha * v.y;
        x[i] = u;
        r[i] = rest;
        rr += rest.x * rest.x + rest.y * rest.y;
        hand_down(l, i, rest, scale);
    }
    leave_sums<kThreads, 1>({rr}, {sums->rr});
}

template <class From, class To> __global__ void narrow(std::size_t n, const From* from, To* to) {
    for (std::size_t i = blockIdx.x * std::size_t{256} + threadIdx.x; i < n; i += std::size_t{256} * gridDim.x)
        to[i] = static_cast<To>(from[i]);
}

#endif

} // namespace mantissa::gpu::multilevel
