// The same cycle in double precision: the passes of words.cuh without words.
#pragma once

#include "rows.cuh"

namespace mantissa::gpu::multilevel_rows {

/// The vectors of a level: r as it enters, what is left of it, f, the steps' g, and e of the steps after.
struct LevelNumbers {
    double *entered, *r, *f, *g, *next_g, *other;
};

#ifdef __CUDACC__

__device__ __forceinline__ void enter(const LevelNumbers& v, double first, std::uint32_t i, double r) {
    v.entered[i] = r;
    v.f[i] = v.g[i] = first * r;
}
static __global__ void __launch_bounds__(kThreads)
    enter_first(const RowRange rows, const double* d, const double* scale, const LevelNumbers v, double first,
                const Status* status) {
    if (!begin_kernel(status)) return;
    for (std::uint32_t i = rows.first + blockIdx.x * kThreads + threadIdx.x; i < rows.end; i += gridDim.x * kThreads)
        enter(v, first, i, d[i] * scale[i]);
}
/// The first step of all rows, from what has entered, some of it in other parts.
static __global__ void __launch_bounds__(kThreads)
    enter_all(std::uint32_t rows, const LevelNumbers v, double first, const Status* status) {
    if (!begin_kernel(status)) return;
    for (std::uint32_t i = blockIdx.x * kThreads + threadIdx.x; i < rows; i += gridDim.x * kThreads)
        v.f[i] = v.g[i] = first * v.entered[i];
}
/// r - A g, and where another step follows its g.
template <int Lanes>
__global__ void __launch_bounds__(kThreads)
    leave(const Rows<double> a, const LevelNumbers v, const double* r, bool last, double weight, const Status* status) {
    if (!begin_kernel(status)) return;
    for_rows<Lanes, double>(
        a, [&](std::uint32_t j) { return v.g[j]; },
        [&](std::uint32_t i, double sum) {
            const double rest = r[i] - sum;
            v.r[i] = rest;
            if (last) return;
            const double g = weight * rest;
            v.next_g[i] = g;
            v.f[i] += g;
        });
}
/// The next level's r, and its first step.
template <int Lanes>
__global__ void __launch_bounds__(kThreads)
    restrict_numbers(const Rows<double> restriction, const double* r, const LevelNumbers next, double first,
                     const Status* status) {
    if (!begin_kernel(status)) return;
    for_rows<Lanes, double>(
        restriction, [&](std::uint32_t j) { return r[j]; },
        [&](std::uint32_t i, double sum) { enter(next, first, i, sum); });
}

/// What becomes of a level's finished f: itself, or on the first level z and its sums.
template <bool First> struct FinishNumbers {
    const LoopView& loop;
    const double* scale;
    SumsOfZ sums{};
    __device__ __forceinline__ void take(std::uint32_t i, double f, double* to) {
        if constexpr (First) {
            const double z = f * scale[i];
            loop.z[i] = z;
            sums.add(loop, i, z);
        } else to[i] = f;
    }
    __device__ __forceinline__ void leave() const {
        if constexpr (First) sums.leave(loop);
    }
};

/// f = the last level's inverse times what has entered it, a warp a row.
template <bool First>
__global__ void __launch_bounds__(kThreads) solve_last(const double* inverse, std::uint32_t rows, const LevelNumbers v,
                                                       const LoopView loop, const double* scale, const Status* status) {
    if (!begin_kernel(status)) return;
    FinishNumbers<First> finish{loop, scale};
    const std::uint32_t lane = threadIdx.x & 31, warps = gridDim.x * (kThreads / 32);
    for (std::uint32_t row = blockIdx.x * (kThreads / 32) + (threadIdx.x >> 5); row < rows; row += warps) {
        double sum = 0;
        for (std::uint32_t j = lane; j < rows; j += 32)
            sum += inverse[static_cast<std::size_t>(row) * rows + j] * v.entered[j];
        sum = warp_sum(sum);
        if (lane == 0) finish.take(row, sum, v.f);
    }
    finish.leave();
}
/// f += P (the next level's f). `done`: no step follows.
template <int Lanes, bool First>
__global__ void __launch_bounds__(kThreads)
    rise(const Rows<double> prolongation, const double* below, const LevelNumbers v, bool done, const LoopView loop,
         const double* scale, const Status* status) {
    if (!begin_kernel(status)) return;
    FinishNumbers<First> finish{loop, scale};
    for_rows<Lanes, double>(
        prolongation, [&](std::uint32_t j) { return below[j]; },
        [&](std::uint32_t i, double x) {
            const double f = v.f[i] + x;
            if (done) finish.take(i, f, v.f);
            else v.f[i] = f;
        });
    if (done) finish.leave();
}
/// A smoothing step from f to `to`. `done`: none follows.
template <int Lanes, bool First>
__global__ void __launch_bounds__(kThreads)
    step_after(const Rows<double> a, const LevelNumbers v, const double* f, double* to, double weight, bool done,
               const LoopView loop, const double* scale, const Status* status) {
    if (!begin_kernel(status)) return;
    FinishNumbers<First> finish{loop, scale};
    for_rows<Lanes, double>(
        a, [&](std::uint32_t j) { return f[j]; },
        [&](std::uint32_t i, double sum) {
            const double next = f[i] + weight * (v.entered[i] - sum);
            if (done) finish.take(i, next, to);
            else to[i] = next;
        });
    if (done) finish.leave();
}

#endif

} // namespace mantissa::gpu::multilevel_rows
