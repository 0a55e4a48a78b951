// The kernels of GMRES(m) on sparse rows. The basis by classical Gram-Schmidt, each vector twice, the second time
// together with the first one of its product (Bielich, Langou, Thomas, Swirydowicz, Yamazaki and Boman, "Low-synch
// Gram-Schmidt with delayed reorthogonalization for Krylov solvers", Parallel Computing 112, 2022): a step reads the
// basis twice, where two projections by themselves read it four times. Sums, rotations and the triangle are in double.
//
// Step j has q_0 .. q_(j-1), which are orthonormal, and u_j, projected once:
//     w = A u_j                     s_i = q_i.u_j,  z_i = q_i.w  for i < j;  u_j.u_j and u_j.w with them
//     b = sqrt(u_j.u_j - s.s)       column j - 1 of H is known now: h_i + s_i, and b below
//     z_j = (u_j.w - s.z) / b       h = (z - H s) / b, column j of H but for what is below
//     q_j = (u_j - Q s) / b         u_(j+1) = (w - Q z - q_j z_j) / b, of norm h_(j+1) until the next step knows better
// The rotations of column j - 1 are formed with h_(j+1) when step j - 1 ends, which tells whether the cycle does, and
// anew in step j.
#pragma once

#include <cstddef>
#include <cstdint>

#include "mantissa/engine.hpp"
#include "mantissa/recurrence/gmres.hpp"
#include "sparse/sparse_products.cuh"
#include "sync/dependent_launch.cuh"
#include "sync/grid_reduce.cuh"

namespace mantissa::gpu {

inline constexpr int kGmresThreads = 256, kGmresTile = 8; ///< vectors of the basis that a sweep takes at once
inline constexpr std::size_t kGmresPerBlock = 256;        ///< elements, at least

/// Where a run stands; changed by one thread at a time.
struct GmresState {
    double rho, threshold; ///< squares: of the residual that begins a cycle; below which the run ends
    double left;           ///< what the known columns leave of the residual's norm, with its sign
    double length;         ///< b of the step
    std::uint32_t steps, restart, passes, limit;
    std::uint32_t closed, broken, done;
    RunEnd end;
};

/// Memory of a run. `basis`: restart + 1 vectors, `pitch` elements apart. Of the small ones one place a step, but the
/// columns of H (k + 2 places for column k) and of the triangle (k + 1).
template <class T> struct GmresPlace {
    T *basis, *solution;
    const T* right;
    std::size_t pitch;
    GmresState* state;
    double *s, *z, *cosine, *sine, *rotated, *factor, *hessenberg, *triangle;
    double* partial; ///< 2 (restart + 1) sums of each block
    std::uint32_t* arrived;

    [[nodiscard]] __host__ __device__ T* vector(std::size_t i) const { return basis + i * pitch; }
    [[nodiscard]] __host__ __device__ double* column(std::size_t k) const { return hessenberg + k * (k + 3) / 2; }
};

/// What a product or sums are for: the residual that begins a cycle, or a step.
enum class GmresSweep : std::uint8_t { residual, step };

#ifdef __CUDACC__

/// Is this the last of all blocks? All threads of a block get the same answer, and see what the others stored.
__device__ __forceinline__ bool last_block(std::uint32_t* arrived) {
    __shared__ bool last;
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        last = atomicAdd(arrived, 1U) + 1 == gridDim.x;
        if (last) *arrived = 0;
    }
    __syncthreads();
    __threadfence();
    return last;
}

template <GmresSweep S> __device__ __forceinline__ bool idle(const GmresState& state) {
    return state.done != 0 || (S == GmresSweep::step && state.closed != 0);
}

/// residual: u_0 = r - A x. Else w = A u_j, which lies where u_(j+1) will.
template <GmresSweep S, class Operator>
__global__ void __launch_bounds__(kGmresThreads)
    gmres_product(const Operator a, const GmresPlace<typename Operator::Value> place, long long rows) {
    using T = typename Operator::Value;
    let_next_kernel_start();
    AwaitEarlierKernels{}();
    if (idle<S>(*place.state)) return;
    constexpr bool kResidual = S == GmresSweep::residual;
    const std::uint32_t j = place.state->steps;
    T* const to = place.vector(kResidual ? 0 : j + 1);
    const auto take = [&](long long row, T v, std::uint32_t = 0) {
        if (row < rows) to[row] = kResidual ? place.right[row] - v : v;
    };
    for_rows(a, kResidual ? place.solution : place.vector(j), take, NothingToAwait{});
}

/// The residual's norm decides whether a cycle begins.
__device__ inline void begin_gmres_cycle(double square, GmresState& state) {
    const auto end = [&state](RunEnd why) {
        state.done = 1;
        state.end = why;
    };
    state.rho = square;
    state.steps = state.closed = 0;
    if (!isfinite(square)) return end(RunEnd::not_finite);
    if (square == 0) return end(RunEnd::exact);
    if (square < state.threshold) return end(RunEnd::rho_reached);
    if (state.broken != 0) return end(RunEnd::not_finite);
    if (state.passes >= state.limit) return end(RunEnd::passes);
    state.left = sqrt(square);
}

/// Column k of H turned by the rotations before it and by one of its own, into the triangle. Returns what is left of
/// `left`. All threads of a block call it; `shared` has 3 (restart + 1) places.
template <class T>
__device__ double turn_column(std::uint32_t k, double left, const GmresPlace<T>& place, double* shared) {
    const std::uint32_t most = place.state->restart + 1;
    double *const h = shared, *const cosine = shared + most, *const sine = cosine + most;
    const double* const column = place.column(k);
    __shared__ double rest;
    for (std::uint32_t i = threadIdx.x; i <= k; i += kGmresThreads) {
        h[i] = column[i];
        if (i < k) {
            cosine[i] = place.cosine[i];
            sine[i] = place.sine[i];
        }
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        double last = h[0];
        for (std::uint32_t i = 0; i < k; ++i) {
            const double upper = last, lower = h[i + 1];
            h[i] = cosine[i] * upper + sine[i] * lower;
            last = cosine[i] * lower - sine[i] * upper;
        }
        const double below = column[k + 1], d = hypot(last, below), c = last / d, s = below / d;
        h[k] = d;
        place.cosine[k] = c;
        place.sine[k] = s;
        place.rotated[k] = c * left;
        rest = -s * left; // (no number where d is zero)
    }
    __syncthreads();
    double* const triangle = place.triangle + std::size_t{k} * (k + 1) / 2;
    for (std::uint32_t i = threadIdx.x; i <= k; i += kGmresThreads) triangle[i] = h[i];
    const double all = rest;
    __syncthreads();
    return all;
}

/// After the products of step j: column j - 1 of H as it is, its rotation, and column j but for what is below. One
/// block; sums of squares are formed by each thread alike, so that all go the same way.
template <class T> __device__ void end_gmres_products(const GmresPlace<T>& place, double* shared) {
    GmresState& state = *place.state;
    const std::uint32_t j = state.steps;
    double square = place.s[j], product = place.z[j];
    for (std::uint32_t i = 0; i < j; ++i) {
        square -= place.s[i] * place.s[i];
        product -= place.s[i] * place.z[i];
    }
    const double length = sqrt(square), left = state.left;
    if (!(square > 0) || !isfinite(length) || !isfinite(product)) { // the step is dropped
        if (threadIdx.x == 0) state.closed = state.broken = 1;
        return;
    }
    if (j > 0) {
        double* const before = place.column(j - 1);
        for (std::uint32_t i = threadIdx.x; i < j; i += kGmresThreads) before[i] += place.s[i];
        if (threadIdx.x == 0) before[j] = length;
        __syncthreads();
        const double rest = turn_column(j - 1, left, place, shared);
        if (threadIdx.x == 0) state.left = rest;
    }
    double* const column = place.column(j);
    for (std::uint32_t i = threadIdx.x; i <= j; i += kGmresThreads) {
        double of_s = 0;
        for (std::uint32_t k = i == 0 ? 0 : i - 1; k < j; ++k) of_s += place.column(k)[i] * place.s[k];
        column[i] = ((i < j ? place.z[i] : product / length) - of_s) / length;
    }
    if (threadIdx.x == 0) {
        state.length = length;
        place.z[j] = product / length;
    }
}

/// residual: the square of u_0. Else the products of u_j and w with q_0 .. q_(j-1) and with u_j.
template <GmresSweep S, class T>
__global__ void __launch_bounds__(kGmresThreads) gmres_products(const GmresPlace<T> place, std::size_t elements) {
    constexpr int kWarps = kGmresThreads / 32;
    extern __shared__ double shared[];
    __shared__ double scratch[2 * kGmresTile][kWarps];
    let_next_kernel_start();
    AwaitEarlierKernels{}();
    if (idle<S>(*place.state)) return;
    constexpr bool kResidual = S == GmresSweep::residual;
    const std::uint32_t j = kResidual ? 0 : place.state->steps;
    const T *const u = place.vector(j), *const w = kResidual ? u : place.vector(j + 1);
    const std::size_t each = (elements + gridDim.x - 1) / gridDim.x, from = blockIdx.x * each;
    const std::size_t to = from + each < elements ? from + each : elements;
    const int warp = threadIdx.x >> 5, lane = threadIdx.x & 31;
    const auto place_of = [&](std::uint32_t sum) { return place.partial + std::size_t{sum} * gridDim.x; };
    for (std::uint32_t first = 0; first <= j; first += kGmresTile) {
        double sum[2 * kGmresTile] = {};
        for (std::size_t e = from + threadIdx.x; e < to; e += kGmresThreads) {
            const double x = static_cast<double>(u[e]), y = static_cast<double>(w[e]);
#pragma unroll
            for (int k = 0; k < kGmresTile; ++k) {
                if (first + k > j) break;
                const double q = static_cast<double>(place.vector(first + k)[e]);
                sum[2 * k] += q * x;
                sum[2 * k + 1] += q * y;
            }
        }
#pragma unroll
        for (int k = 0; k < 2 * kGmresTile; ++k) {
            const double s = warp_sum(sum[k]);
            if (lane == 0) scratch[k][warp] = s;
        }
        __syncthreads();
        if (threadIdx.x < 2 * kGmresTile && first + threadIdx.x / 2 <= j) {
            double s = 0;
            for (int k = 0; k < kWarps; ++k) s += scratch[threadIdx.x][k];
            __stcg(place_of(2 * first + threadIdx.x) + blockIdx.x, s);
        }
        __syncthreads();
    }
    if (!last_block(place.arrived)) return;
    for (std::uint32_t i = warp; i < 2 * (j + 1); i += kWarps) {
        double s = 0;
        for (unsigned b = lane; b < gridDim.x; b += 32) s += __ldcg(place_of(i) + b);
        s = warp_sum(s);
        if (lane == 0) (i % 2 == 0 ? place.s : place.z)[i / 2] = s;
    }
    __syncthreads();
    if constexpr (!kResidual) end_gmres_products(place, shared);
    else if (threadIdx.x == 0) begin_gmres_cycle(place.s[0], *place.state);
}

/// q_j and u_(j+1); the block that comes last ends the step by the norm of the latter.
template <class T>
__global__ void __launch_bounds__(kGmresThreads) gmres_project(const GmresPlace<T> place, std::size_t elements) {
    constexpr int kWarps = kGmresThreads / 32;
    extern __shared__ double shared[];
    __shared__ double scratch[kWarps];
    let_next_kernel_start();
    AwaitEarlierKernels{}();
    if (idle<GmresSweep::step>(*place.state)) return;
    GmresState& state = *place.state;
    const std::uint32_t j = state.steps;
    const T inverse = static_cast<T>(1 / state.length);
    T *const u = place.vector(j), *const w = place.vector(j + 1);
    T *const s = reinterpret_cast<T*>(shared), *const z = s + j + 1;
    for (std::uint32_t i = threadIdx.x; i <= j; i += kGmresThreads) {
        s[i] = static_cast<T>(place.s[i]);
        z[i] = static_cast<T>(place.z[i]);
    }
    __syncthreads();
    const T with_itself = z[j];
    double sum = 0;
    for (std::size_t e = std::size_t{blockIdx.x} * kGmresThreads + threadIdx.x; e < elements;
         e += std::size_t{gridDim.x} * kGmresThreads) {
        T x = u[e], y = w[e];
#pragma unroll 8
        for (std::uint32_t i = 0; i < j; ++i) {
            const T q = place.vector(i)[e];
            x -= s[i] * q;
            y -= z[i] * q;
        }
        x *= inverse;
        y = (y - with_itself * x) * inverse;
        u[e] = x;
        w[e] = y;
        sum += static_cast<double>(y) * static_cast<double>(y);
    }
    const int warp = threadIdx.x >> 5, lane = threadIdx.x & 31;
    const auto over_block = [&](double part) {
        part = warp_sum(part);
        __syncthreads();
        if (lane == 0) scratch[warp] = part;
        __syncthreads();
        double all = 0;
        for (int k = 0; k < kWarps; ++k) all += scratch[k];
        return all;
    };
    sum = over_block(sum);
    if (threadIdx.x == 0) __stcg(place.partial + blockIdx.x, sum);
    if (!last_block(place.arrived)) return;
    sum = 0;
    for (unsigned b = threadIdx.x; b < gridDim.x; b += kGmresThreads) sum += __ldcg(place.partial + b);
    const double norm = sqrt(over_block(sum));
    if (threadIdx.x == 0) place.column(j)[j + 1] = norm;
    __syncthreads();
    const double left = turn_column(j, state.left, place, shared);
    if (threadIdx.x != 0) return;
    if (!isfinite(left)) { // the step is dropped
        state.closed = state.broken = 1;
        return;
    }
    state.steps = j + 1;
    ++state.passes;
    if (norm == 0 || j + 1 == state.restart || state.passes >= state.limit || left * left < state.threshold)
        state.closed = 1;
}

/// The factors of the basis in the solution, by the triangle. One block.
template <class T> __global__ void __launch_bounds__(kGmresThreads) gmres_triangle(const GmresPlace<T> place) {
    extern __shared__ double rest[];
    let_next_kernel_start();
    AwaitEarlierKernels{}();
    if (place.state->done != 0) return;
    const std::uint32_t steps = place.state->steps;
    for (std::uint32_t k = threadIdx.x; k < steps; k += kGmresThreads) rest[k] = place.rotated[k];
    for (std::uint32_t i = steps; i-- > 0;) {
        const double* const column = place.triangle + std::size_t{i} * (i + 1) / 2;
        __syncthreads();
        const double y = rest[i] / column[i];
        for (std::uint32_t k = threadIdx.x; k < i; k += kGmresThreads) rest[k] -= column[k] * y;
        if (threadIdx.x == 0) place.factor[i] = y;
    }
}

/// x += the basis by its factors.
template <class T>
__global__ void __launch_bounds__(kGmresThreads) gmres_advance(const GmresPlace<T> place, std::size_t elements) {
    extern __shared__ double shared[];
    let_next_kernel_start();
    AwaitEarlierKernels{}();
    if (place.state->done != 0) return;
    const std::uint32_t steps = place.state->steps;
    for (std::uint32_t i = threadIdx.x; i < steps; i += kGmresThreads) shared[i] = place.factor[i];
    __syncthreads();
    for (std::size_t e = std::size_t{blockIdx.x} * kGmresThreads + threadIdx.x; e < elements;
         e += std::size_t{gridDim.x} * kGmresThreads) {
        T x = place.solution[e];
#pragma unroll 8
        for (std::uint32_t i = 0; i < steps; ++i) x += static_cast<T>(shared[i]) * place.vector(i)[e];
        place.solution[e] = x;
    }
}

#endif

} // namespace mantissa::gpu
