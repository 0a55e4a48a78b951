// Jacobi CG for one or three right-hand sides in one pass over the matrix, with a row's elements of all vectors
// together. Every column has its own scalars; one that has ended does not change any more, to the bit.
//
// The recurrence is that of sparse_solver.hpp. Two kernels make an iteration; the block that comes last in each adds up
// the others' sums in a fixed order and forms the scalars, so results do not depend on who that is.
#pragma once

#include <cstdint>
#include <type_traits>

#include "grid_reduce.cuh"
#include "mantissa/gpu/cg_end.hpp"
#include "sparse_products.cuh"

namespace mantissa::gpu {

template <int N> struct SeveralState {
    double goal[N]; ///< on ||r||^2
    double rho[N], rr[N], alpha[N], beta[N];
    std::uint32_t iterations[N], done[N];
    CgEnd end[N];
    std::uint32_t all_done, limit, arrived, late_count;
};
/// Where sums of blocks and of rows in pieces go: see reduce_over_grid().
struct SeveralSums {
    double *block, *late;
};

inline constexpr int kSeveralThreads = 256;

#ifdef __CUDACC__

/// Adds M values over the grid: true in the block that comes last, whose threads then have them in `total`. `late`: M
/// times `late_count` further terms, written by any thread before.
template <int M>
__device__ __forceinline__ bool reduce_over_grid(const double (&sum)[M], double* block_sums, std::uint32_t* arrived,
                                                 const double* late, std::uint32_t late_count, double (&total)[M]) {
    constexpr int kWarps = kSeveralThreads / 32;
    __shared__ double scratch[M][kWarps], all[M];
    __shared__ bool last;
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
#pragma unroll
    for (int m = 0; m < M; ++m) {
        const double s = warp_sum(sum[m]);
        if (lane == 0) scratch[m][warp] = s;
    }
    __threadfence(); // for what this thread wrote to `late`
    __syncthreads();
    if (threadIdx.x < M) {
        double s = 0;
        for (int w = 0; w < kWarps; ++w) s += scratch[threadIdx.x][w];
        __stcg(block_sums + static_cast<std::size_t>(threadIdx.x) * gridDim.x + blockIdx.x, s);
        __threadfence();
    }
    __syncthreads();
    if (threadIdx.x == 0) last = atomicInc(arrived, gridDim.x - 1) == gridDim.x - 1;
    __syncthreads();
    if (!last) return false;
    __threadfence();
    for (int m = warp; m < M; m += kWarps) {
        double s = 0;
#pragma unroll 4
        for (std::uint32_t i = lane; i < gridDim.x; i += 32)
            s += __ldcg(block_sums + static_cast<std::size_t>(m) * gridDim.x + i);
        for (std::uint32_t i = lane; i < late_count; i += 32)
            s += __ldcg(late + static_cast<std::size_t>(m) * late_count + i);
        s = warp_sum(s);
        if (lane == 0) all[m] = s;
    }
    __syncthreads();
#pragma unroll
    for (int m = 0; m < M; ++m) total[m] = all[m];
    return true;
}

/// Whether the solver has ended, the same answer in all threads of a block. It may be a kernel late.
template <int N> __device__ __forceinline__ bool seen_done(const SeveralState<N>* state) {
    __shared__ std::uint32_t done;
    if (threadIdx.x == 0) done = *static_cast<const volatile std::uint32_t*>(&state->all_done);
    __syncthreads();
    return done != 0;
}

/// A few elements of neighbouring rows that one thread takes: two rows of one vector, or a row of several.
template <class T, int N> struct Elements {
    static constexpr int kRows = N == 1 ? 2 : 1, kCount = kRows * Several<T, N>::kStride;
    static constexpr int kEach = sizeof(T) * kCount > 16 ? static_cast<int>(16 / sizeof(T)) : kCount;
    T x[kCount];
    __device__ __forceinline__ void load(const T* from, long long group) {
#pragma unroll
        for (int e = 0; e < kCount; e += kEach) {
            const auto part = *reinterpret_cast<const Vector<T, kEach>*>(from + group * kCount + e);
#pragma unroll
            for (int k = 0; k < kEach; ++k) x[e + k] = part.x[k];
        }
    }
    __device__ __forceinline__ void store(T* to, long long group) const {
#pragma unroll
        for (int e = 0; e < kCount; e += kEach) {
            Vector<T, kEach> part;
#pragma unroll
            for (int k = 0; k < kEach; ++k) part.x[k] = x[e + k];
            *reinterpret_cast<Vector<T, kEach>*>(to + group * kCount + e) = part;
        }
    }
    /// 1 / a_ii for each of kRows rows.
    static __device__ __forceinline__ Vector<T, kRows> inverse(const T* inverse, long long group) {
        return *reinterpret_cast<const Vector<T, kRows>*>(inverse + group * kRows);
    }
    static constexpr int column(int e) {
        return N == 1 ? 0 : e;
    }
    static constexpr int row(int e) {
        return N == 1 ? e : 0;
    }
};

/// Behind sums of r.z and r.r: which columns go on. One thread calls it.
template <int N>
__device__ __forceinline__ void close_update(SeveralState<N>* state, const double (&total)[2 * N], bool counts) {
    std::uint32_t all = 1;
#pragma unroll
    for (int j = 0; j < N; ++j) {
        if (state->done[j] == 0) {
            state->rho[j] = total[2 * j];
            state->rr[j] = total[2 * j + 1];
            if (counts) ++state->iterations[j];
            const bool finite = isfinite(total[2 * j]), reached = finite && total[2 * j + 1] <= state->goal[j];
            if (!finite || reached || state->iterations[j] >= state->limit) {
                state->end[j] = reached ? CgEnd::converged : finite ? CgEnd::passes : CgEnd::not_finite;
                state->done[j] = 1;
            }
        }
        all &= state->done[j];
    }
    state->all_done = all;
}

template <int N, class T>
__global__ void __launch_bounds__(kSeveralThreads)
    several_begin(const T* inverse, T* x, const T* r, T* p, long long groups, SeveralState<N>* state,
                  SeveralSums sums) {
    using Part = Elements<T, N>;
    double sum[2 * N] = {};
    for (long long g = grid_thread(); g < groups; g += grid_threads()) {
        Part rv, pv, zero;
        rv.load(r, g);
        const auto d = Part::inverse(inverse, g);
#pragma unroll
        for (int e = 0; e < Part::kCount; ++e) {
            pv.x[e] = rv.x[e] * d.x[Part::row(e)];
            zero.x[e] = 0;
            if (Part::column(e) < N) {
                sum[2 * Part::column(e)] += static_cast<double>(rv.x[e]) * static_cast<double>(pv.x[e]);
                sum[2 * Part::column(e) + 1] += static_cast<double>(rv.x[e]) * static_cast<double>(rv.x[e]);
            }
        }
        pv.store(p, g);
        zero.store(x, g);
    }
    double total[2 * N];
    if (reduce_over_grid(sum, sums.block, &state->arrived, sums.late, 0, total) && threadIdx.x == 0)
        close_update(state, total, false);
}

/// Rows of any product, N values each: sink(row, values, number), number ~0 but for rows in pieces.
template <int N, class Operator, class Sink>
__device__ __forceinline__ void for_rows_of_any(const Operator& a, const typename Operator::Value* x, Sink&& sink) {
    using T = typename Operator::Value;
    if constexpr (N == 1) {
        for_rows(
            a, x, [&](long long row, T v, std::uint32_t number = ~0u) { sink(row, Several<T, 1>{{v}}, number); },
            AwaitEarlierKernels{});
    } else if constexpr (requires { a.slices; }) {
        for_rows_of<N>(
            a, x, [&](long long row, const Several<T, N>& v) { sink(row, v, ~0u); }, sink, AwaitEarlierKernels{});
    } else {
        for_rows_of<N>(
            a, x, [&](long long row, const Several<T, N>& v) { sink(row, v, ~0u); }, AwaitEarlierKernels{});
    }
}

/// y = A x for N vectors.
template <int N, class Operator>
__global__ void __launch_bounds__(kSeveralThreads)
    several_product(const Operator a, const typename Operator::Value* x, typename Operator::Value* y) {
    using T = typename Operator::Value;
    let_next_kernel_start();
    for_rows_of_any<N>(a, x, [&](long long row, const Several<T, N>& v, std::uint32_t) {
#pragma unroll
        for (int j = 0; j < N; ++j) y[row * Several<T, N>::kStride + j] = v.x[j];
    });
}

/// q = A p, its products, and from them alpha and beta.
template <int N, class Operator>
__global__ void __launch_bounds__(kSeveralThreads)
    several_apply(const Operator a, const typename Operator::Value* inverse, const typename Operator::Value* p,
                  typename Operator::Value* q, long long rows, SeveralState<N>* state, SeveralSums sums) {
    using T = typename Operator::Value;
    let_next_kernel_start();
    if (seen_done(state)) {
        AwaitEarlierKernels{}();
        return;
    }
    double sum[2 * N] = {};
    for_rows_of_any<N>(a, p, [&](long long row, const Several<T, N>& v, std::uint32_t number) {
        if (row >= rows) return; // padding of the last block
        const auto pv = Several<T, N>::at(p, static_cast<std::uint32_t>(row));
        const T d = inverse[row];
#pragma unroll
        for (int j = 0; j < N; ++j) {
            q[row * Several<T, N>::kStride + j] = v.x[j];
            const double pq = static_cast<double>(pv.x[j]) * static_cast<double>(v.x[j]);
            const double qq = static_cast<double>(v.x[j]) * static_cast<double>(v.x[j] * d);
            if (number == ~0u) {
                sum[2 * j] += pq;
                sum[2 * j + 1] += qq;
            } else {
                sums.late[static_cast<std::size_t>(2 * j) * state->late_count + number] = pq;
                sums.late[static_cast<std::size_t>(2 * j + 1) * state->late_count + number] = qq;
            }
        }
    });
    double total[2 * N];
    if (!reduce_over_grid(sum, sums.block, &state->arrived, sums.late, state->late_count, total)) return;
    if (threadIdx.x != 0 || state->all_done != 0) return;
#pragma unroll
    for (int j = 0; j < N; ++j) {
        const double rho = state->rho[j], pq = total[2 * j], step = rho / pq;
        const double sigma = fmax(step * (step * total[2 * j + 1] - pq), 0.0);
        const bool finite = isfinite(pq) && isfinite(total[2 * j + 1]);
        if (state->done[j] == 0 && !(finite && pq > 0)) {
            state->end[j] = finite ? CgEnd::indefinite : CgEnd::not_finite;
            state->done[j] = 1; // the update that follows leaves it alone, and closes
        }
        state->alpha[j] = step;
        state->beta[j] = sigma / rho;
    }
}

template <int N, class T>
__global__ void __launch_bounds__(kSeveralThreads)
    several_update(const T* inverse, T* x, T* r, T* p, const T* q, long long groups, SeveralState<N>* state,
                   SeveralSums sums) {
    using Part = Elements<T, N>;
    let_next_kernel_start();
    AwaitEarlierKernels{}();
    if (seen_done(state)) return;
    T alpha[N], beta[N];
    bool frozen[N];
#pragma unroll
    for (int j = 0; j < N; ++j) {
        alpha[j] = static_cast<T>(state->alpha[j]);
        beta[j] = static_cast<T>(state->beta[j]);
        frozen[j] = state->done[j] != 0;
    }
    double sum[2 * N] = {};
    for (long long g = grid_thread(); g < groups; g += grid_threads()) {
        Part xv, rv, pv, qv;
        pv.load(p, g);
        qv.load(q, g);
        rv.load(r, g);
        xv.load(x, g);
        const auto d = Part::inverse(inverse, g);
#pragma unroll
        for (int e = 0; e < Part::kCount; ++e) {
            constexpr int kLast = N - 1;
            const int j = Part::column(e) < N ? Part::column(e) : kLast;
            if (Part::column(e) >= N || frozen[j]) continue;
            const T ri = rv.x[e] - alpha[j] * qv.x[e], z = ri * d.x[Part::row(e)];
            xv.x[e] += alpha[j] * pv.x[e];
            rv.x[e] = ri;
            pv.x[e] = z + beta[j] * pv.x[e];
            sum[2 * j] += static_cast<double>(ri) * static_cast<double>(z);
            sum[2 * j + 1] += static_cast<double>(ri) * static_cast<double>(ri);
        }
        xv.store(x, g);
        rv.store(r, g);
        pv.store(p, g);
    }
    double total[2 * N];
    if (reduce_over_grid(sum, sums.block, &state->arrived, sums.late, 0, total) && threadIdx.x == 0)
        close_update(state, total, true);
}

#endif

} // namespace mantissa::gpu
