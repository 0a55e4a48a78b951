// The kernels of GMRES(m) on sparse rows: the basis by classical Gram-Schmidt, done a second time where the first one
// took most of a vector away (Daniel, Gragg, Kaufman and Stewart, Math. Comp. 30, 1976: "twice is enough"), because all
// products of one vector with the basis are then one sweep over it. Sums, rotations and the triangle are in double.
//
// A vector of the basis is stored as it came from the projection; `scale` has what makes it one of norm 1.
#pragma once

#include <cstddef>
#include <cstdint>

#include "../dependent_launch.cuh"
#include "grid_reduce.cuh"
#include "mantissa/engine.hpp"
#include "mantissa/recurrence/gmres.hpp"
#include "sparse_products.cuh"

namespace mantissa::gpu {

inline constexpr int kGmresThreads = 256, kGmresTile = 8; ///< vectors of the basis that a sweep takes at once
inline constexpr std::size_t kGmresPerBlock = 1024;       ///< elements, at least

/// Where a run stands; changed by one thread at a time.
struct GmresState {
    double rho, threshold; ///< squares: of the residual that begins a cycle; below which the run ends
    double before;         ///< square of a new vector's norm in front of the projection
    std::uint32_t steps, restart, passes, limit;
    std::uint32_t again, closed, broken, done;
    RunEnd end;
};

/// Memory of a run. `basis`: restart + 1 vectors, `pitch` elements apart; of the small ones one place a step.
template <class T> struct GmresPlace {
    T *basis, *solution;
    const T* right;
    std::size_t pitch;
    GmresState* state;
    double *projection, *triangle, *cosine, *sine, *rotated, *scale, *factor;
    double* partial; ///< restart + 2 sums of each block
    std::uint32_t* arrived;

    [[nodiscard]] __host__ __device__ T* vector(std::size_t i) const { return basis + i * pitch; }
};

enum class GmresSweep : std::uint8_t { residual, first, second };

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

/// Nothing to do in this sweep?
template <GmresSweep S> __device__ __forceinline__ bool idle(const GmresState& state) {
    if (S == GmresSweep::residual) return state.done != 0;
    return state.done != 0 || state.closed != 0 || (S == GmresSweep::second && state.again == 0);
}

/// residual: v_0 = r - A u. Else v_(j+1) = A v_j.
template <GmresSweep S, class Operator>
__global__ void __launch_bounds__(kGmresThreads)
    gmres_product(const Operator a, const GmresPlace<typename Operator::Value> place, long long rows) {
    using T = typename Operator::Value;
    let_next_kernel_start();
    AwaitEarlierKernels{}();
    if (idle<S>(*place.state)) return;
    const std::uint32_t j = place.state->steps;
    const T scale = S == GmresSweep::residual ? T(0) : static_cast<T>(place.scale[j]);
    T* const to = place.vector(S == GmresSweep::residual ? 0 : j + 1);
    const auto take = [&](long long row, T v, std::uint32_t = 0) {
        if (row < rows) to[row] = S == GmresSweep::residual ? place.right[row] - v : scale * v;
    };
    for_rows(a, S == GmresSweep::residual ? place.solution : place.vector(j), take, NothingToAwait{});
}

/// The residual's norm decides whether a cycle begins.
__device__ inline void begin_gmres_cycle(const double* square, GmresState& state, double* rotated, double* scale) {
    const auto end = [&state](RunEnd why) {
        state.done = 1;
        state.end = why;
    };
    state.rho = *square;
    state.steps = state.again = state.closed = 0;
    if (!isfinite(state.rho)) return end(RunEnd::not_finite);
    if (state.rho == 0) return end(RunEnd::exact);
    if (state.rho < state.threshold) return end(RunEnd::rho_reached);
    if (state.broken != 0) return end(RunEnd::not_finite);
    if (state.passes >= state.limit) return end(RunEnd::passes);
    rotated[0] = sqrt(state.rho);
    scale[0] = 1 / rotated[0];
}

/// Products of the newest vector with those before it and with itself, which is the last sum.
template <GmresSweep S, class T>
__global__ void __launch_bounds__(kGmresThreads) gmres_dots(const GmresPlace<T> place, std::size_t elements) {
    constexpr int kWarps = kGmresThreads / 32;
    __shared__ double scratch[kGmresTile][kWarps];
    let_next_kernel_start();
    AwaitEarlierKernels{}();
    if (idle<S>(*place.state)) return;
    const std::uint32_t count = S == GmresSweep::residual ? 0 : place.state->steps + 1;
    const T* const w = place.vector(count);
    const std::size_t each = (elements + gridDim.x - 1) / gridDim.x, from = blockIdx.x * each;
    const std::size_t to = from + each < elements ? from + each : elements;
    const int warp = threadIdx.x >> 5, lane = threadIdx.x & 31;
    for (std::uint32_t first = 0; first <= count; first += kGmresTile) {
        double sum[kGmresTile] = {};
        for (std::size_t e = from + threadIdx.x; e < to; e += kGmresThreads) {
            const double x = static_cast<double>(w[e]);
#pragma unroll
            for (int k = 0; k < kGmresTile; ++k)
                if (first + k <= count) sum[k] += x * static_cast<double>(place.vector(first + k)[e]);
        }
#pragma unroll
        for (int k = 0; k < kGmresTile; ++k) {
            const double s = warp_sum(sum[k]);
            if (lane == 0) scratch[k][warp] = s;
        }
        __syncthreads();
        if (threadIdx.x < kGmresTile && first + threadIdx.x <= count) {
            double s = 0;
            for (int k = 0; k < kWarps; ++k) s += scratch[threadIdx.x][k];
            __stcg(place.partial + std::size_t{first + threadIdx.x} * gridDim.x + blockIdx.x, s);
        }
        __syncthreads();
    }
    if (!last_block(place.arrived)) return;
    for (std::uint32_t i = warp; i <= count; i += kWarps) {
        double s = 0;
        for (unsigned b = lane; b < gridDim.x; b += 32) s += __ldcg(place.partial + std::size_t{i} * gridDim.x + b);
        s = warp_sum(s);
        if (lane == 0) place.projection[i] = i < count ? s * place.scale[i] : s;
    }
    __syncthreads();
    if (threadIdx.x != 0) return;
    if (S == GmresSweep::residual) begin_gmres_cycle(place.projection, *place.state, place.rotated, place.scale);
    else if (S == GmresSweep::first) place.state->before = place.projection[count];
}

/// The end of step j, whose vector has the norm h. The block's threads bring the column and the rotations to `shared`,
/// 3 (restart + 1) places; one thread turns them.
template <class T> __device__ void end_gmres_step(double h, const GmresPlace<T>& place, double* shared) {
    GmresState& state = *place.state;
    const std::uint32_t j = state.steps, most = state.restart + 1;
    double *const column = shared, *const cosine = shared + most, *const sine = cosine + most;
    double* const stored = place.triangle + std::size_t{j} * (j + 1) / 2;
    for (std::uint32_t k = threadIdx.x; k <= j; k += kGmresThreads) {
        column[k] = stored[k];
        cosine[k] = k < j ? place.cosine[k] : 0;
        sine[k] = k < j ? place.sine[k] : 0;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        double last = column[0];
        for (std::uint32_t k = 0; k < j; ++k) {
            const double upper = last, lower = column[k + 1];
            column[k] = cosine[k] * upper + sine[k] * lower;
            last = cosine[k] * lower - sine[k] * upper;
        }
        const double d = hypot(last, h);
        if (!isfinite(d) || d == 0) { // the step is dropped
            state.closed = state.broken = 1;
        } else {
            const double c = last / d, s = h / d, rotated = place.rotated[j];
            column[j] = d;
            place.cosine[j] = c;
            place.sine[j] = s;
            place.rotated[j] = c * rotated;
            place.rotated[j + 1] = -s * rotated;
            place.scale[j + 1] = h > 0 ? 1 / h : 0;
            state.steps = j + 1;
            ++state.passes;
            const double left = s * rotated;
            if (h == 0 || j + 1 == state.restart || state.passes >= state.limit || left * left < state.threshold)
                state.closed = 1;
        }
    }
    __syncthreads();
    if (state.broken == 0)
        for (std::uint32_t k = threadIdx.x; k <= j; k += kGmresThreads) stored[k] = column[k];
}

/// The newest vector less its projection on those before it; the block that comes last ends the step, or asks for the
/// second projection where the first one left less than half of the vector's square.
template <GmresSweep S, class T>
__global__ void __launch_bounds__(kGmresThreads) gmres_project(const GmresPlace<T> place, std::size_t elements) {
    constexpr int kWarps = kGmresThreads / 32;
    constexpr double kMostGone = 0.5;
    extern __shared__ double shared[];
    __shared__ double scratch[kWarps];
    __shared__ double square;
    let_next_kernel_start();
    AwaitEarlierKernels{}();
    if (idle<S>(*place.state)) return;
    const std::uint32_t count = place.state->steps + 1;
    T* const w = place.vector(count);
    for (std::uint32_t i = threadIdx.x; i < count; i += kGmresThreads) shared[i] = place.projection[i] * place.scale[i];
    __syncthreads();
    double sum = 0;
    for (std::size_t e = std::size_t{blockIdx.x} * kGmresThreads + threadIdx.x; e < elements;
         e += std::size_t{gridDim.x} * kGmresThreads) {
        T x = w[e];
#pragma unroll 8
        for (std::uint32_t i = 0; i < count; ++i) x -= static_cast<T>(shared[i]) * place.vector(i)[e];
        w[e] = x;
        sum += static_cast<double>(x) * static_cast<double>(x);
    }
    const int warp = threadIdx.x >> 5, lane = threadIdx.x & 31;
    const auto over_block = [&](double s) {
        s = warp_sum(s);
        __syncthreads();
        if (lane == 0) scratch[warp] = s;
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
    sum = over_block(sum);
    double* const column = place.triangle + std::size_t{count} * (count - 1) / 2;
    for (std::uint32_t i = threadIdx.x; i < count; i += kGmresThreads)
        column[i] = place.projection[i] + (S == GmresSweep::second ? column[i] : 0);
    if (threadIdx.x == 0) square = sum;
    __syncthreads();
    const bool again = S == GmresSweep::first && square < kMostGone * place.state->before;
    if (threadIdx.x == 0) place.state->again = again ? 1 : 0;
    __syncthreads();
    if (!again) end_gmres_step(sqrt(square), place, shared);
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
        if (threadIdx.x == 0) place.factor[i] = y * place.scale[i];
    }
}

/// u += the basis by its factors.
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
