// Jacobi CG for one or three right-hand sides in one pass over the matrix, with a row's elements of all vectors
// together. Every column has its own scalars; one that has ended does not change any more, to the bit.
//
// The recurrence is that of sparse_solver.hpp. Two kernels make an iteration; every block of the update adds up all
// blocks' sums in the same order and forms the scalars for itself. (A block that comes last and does it for all of them
// was tried: its tail takes 4 us of each kernel.)
#pragma once

#include <cstdint>
#include <type_traits>

#include "mantissa/gpu/cg_end.hpp"
#include "sparse/sparse_products.cuh"
#include "sync/grid_reduce.cuh"

namespace mantissa::gpu {

template <int N> struct SeveralState {
    double goal[N]; ///< on ||r||^2
    double rr[N];
    std::uint32_t iterations[N], done[N];
    CgEnd end[N];
    std::uint32_t all_done, limit;
};
/// Sums of blocks, an array of gridDim.x for each: of the last update r.z and r.r of every column, and where this one's
/// go; of the product p.q and q.z of every column, and the same of rows in pieces.
struct SeveralSums {
    double *before, *after, *products, *late;
    std::uint32_t late_count;
};

inline constexpr int kSeveralThreads = 256;

#ifdef __CUDACC__

/// Adds M values over the block and stores them among the other blocks'.
template <int M> __device__ __forceinline__ void store_sums(const double (&sum)[M], double* to) {
    constexpr int kWarps = kSeveralThreads / 32;
    __shared__ double scratch[M][kWarps];
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
#pragma unroll
    for (int m = 0; m < M; ++m) {
        const double s = warp_sum(sum[m]);
        if (lane == 0) scratch[m][warp] = s;
    }
    __syncthreads();
    for (int m = warp; m < M; m += kWarps) {
        double s = lane < kWarps ? scratch[m][lane] : 0;
        s = warp_sum(s);
        if (lane == 0) to[static_cast<std::size_t>(m) * gridDim.x + blockIdx.x] = s;
    }
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
    /// For what no other kernel reads soon: it may leave the cache first.
    __device__ __forceinline__ void load_last(const T* from, long long group) {
#pragma unroll
        for (int e = 0; e < kCount; e += kEach) load_streaming(from + group * kCount + e, x + e);
    }
    __device__ __forceinline__ void store_last(T* to, long long group) const {
#pragma unroll
        for (int e = 0; e < kCount; e += kEach) store_streaming(to + group * kCount + e, x + e);
    }
    static __device__ __forceinline__ void load_streaming(const T* from, T* to) {
        if constexpr (sizeof(T) == 8) {
            const double2 v = __ldcs(reinterpret_cast<const double2*>(from));
            to[0] = v.x;
            to[1] = v.y;
        } else if constexpr (kEach == 4) {
            const float4 v = __ldcs(reinterpret_cast<const float4*>(from));
            to[0] = v.x;
            to[1] = v.y;
            to[2] = v.z;
            to[3] = v.w;
        } else {
            const float2 v = __ldcs(reinterpret_cast<const float2*>(from));
            to[0] = v.x;
            to[1] = v.y;
        }
    }
    static __device__ __forceinline__ void store_streaming(T* to, const T* from) {
        if constexpr (sizeof(T) == 8) __stcs(reinterpret_cast<double2*>(to), make_double2(from[0], from[1]));
        else if constexpr (kEach == 4)
            __stcs(reinterpret_cast<float4*>(to), make_float4(from[0], from[1], from[2], from[3]));
        else __stcs(reinterpret_cast<float2*>(to), make_float2(from[0], from[1]));
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

/// From a residual r and x = 0. `again`: r is the true residual of a solve that goes on, and the direction p is kept.
template <int N, class T>
__global__ void __launch_bounds__(kSeveralThreads)
    several_begin(const T* inverse, T* x, const T* r, T* p, long long groups, bool again, SeveralSums sums) {
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
        if (!again) pv.store(p, g);
        zero.store(x, g);
    }
    store_sums(sum, sums.before);
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

/// q = A p and its products. `counts`: an update went before, which is counted here, where no block of the update can
/// see the count change.
template <int N, class Operator>
__global__ void __launch_bounds__(kSeveralThreads)
    several_apply(const Operator a, const typename Operator::Value* inverse, const typename Operator::Value* p,
                  typename Operator::Value* q, long long rows, SeveralState<N>* state, SeveralSums sums, bool counts) {
    using T = typename Operator::Value;
    let_next_kernel_start();
    if (*static_cast<const volatile std::uint32_t*>(&state->all_done) != 0) { // it may be a kernel late
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
                sums.late[static_cast<std::size_t>(2 * j) * sums.late_count + number] = pq;
                sums.late[static_cast<std::size_t>(2 * j + 1) * sums.late_count + number] = qq;
            }
        }
    });
    store_sums(sum, sums.products);
    if (counts && blockIdx.x == 0 && threadIdx.x < N && state->done[threadIdx.x] == 0) ++state->iterations[threadIdx.x];
}

/// A lane's part of `count` sums, added in order; those of eight rounds are under way together.
__device__ __forceinline__ double sum_of_blocks(const double* from, std::uint32_t count) {
    constexpr int kAtOnce = 8;
    double s = 0;
    for (std::uint32_t first = threadIdx.x & 31; first < count; first += 32 * kAtOnce) {
        double v[kAtOnce];
#pragma unroll
        for (int i = 0; i < kAtOnce; ++i) v[i] = first + 32 * i < count ? from[first + 32 * i] : 0;
#pragma unroll
        for (int i = 0; i < kAtOnce; ++i) s += v[i];
    }
    return s;
}

/// What a column does in an update.
struct ColumnStep {
    double alpha, beta;
    bool frozen;
};

/// The scalars, then the updates.
template <int N, class T>
__global__ void __launch_bounds__(kSeveralThreads)
    several_update(const T* inverse, T* x, T* r, T* p, const T* q, long long groups, std::uint32_t apply_blocks,
                   SeveralState<N>* state, SeveralSums sums) {
    using Part = Elements<T, N>;
    constexpr int kWarps = kSeveralThreads / 32;
    let_next_kernel_start();
    __shared__ double total[4 * N];
    __shared__ ColumnStep step[N];
    const int warp = threadIdx.x >> 5, lane = threadIdx.x & 31;
    AwaitEarlierKernels{}();
    if (state->all_done != 0) return; // (no block of this kernel writes it before all have read it, or all stop)
    // The first elements are under way while the scalars are formed.
    Part xv, rv, pv, qv;
    Vector<T, Part::kRows> d{};
    const auto load = [&](long long g) {
        if (g >= groups) return;
        pv.load(p, g);
        qv.load(q, g);
        rv.load_last(r, g);
        xv.load_last(x, g);
        d = Part::inverse(inverse, g);
    };
    load(grid_thread());
    for (int m = warp; m < 4 * N; m += kWarps) { // r.z, r.r of every column, then p.q, q.z
        const bool product = m >= 2 * N;
        const std::uint32_t count = product ? apply_blocks : gridDim.x;
        double s = sum_of_blocks(
            (product ? sums.products : sums.before) + static_cast<std::size_t>(m % (2 * N)) * count, count);
        if (product && sums.late_count != 0)
            s += sum_of_blocks(sums.late + static_cast<std::size_t>(m - 2 * N) * sums.late_count, sums.late_count);
        s = warp_sum(s);
        if (lane == 0) total[m] = s;
    }
    __syncthreads();
    if (threadIdx.x < N) {
        const int j = static_cast<int>(threadIdx.x);
        const double rho = total[2 * j], rr = total[2 * j + 1];
        const double pq = total[2 * N + 2 * j], qq = total[2 * N + 2 * j + 1];
        const double alpha = rho / pq;
        const bool finite = isfinite(rho) && isfinite(pq) && isfinite(qq);
        const bool reached = finite && rr <= state->goal[j], indefinite = finite && !reached && !(pq > 0);
        const bool limited = state->iterations[j] >= state->limit;
        const bool was_done = state->done[j] != 0; // by a kernel before, or block 0 of this one: the same here
        const bool ends = !finite || reached || indefinite || limited;
        step[j] = {alpha, fmax(alpha * (alpha * qq - pq), 0.0) / rho, was_done || ends};
        if (blockIdx.x == 0 && !was_done) state->rr[j] = rr;
        if (blockIdx.x == 0 && ends && !was_done) {
            state->end[j] = reached      ? CgEnd::converged
                            : indefinite ? CgEnd::indefinite
                            : finite     ? CgEnd::passes
                                         : CgEnd::not_finite;
            state->done[j] = 1;
        }
    }
    __syncthreads();
    bool all_frozen = true;
#pragma unroll
    for (int j = 0; j < N; ++j) all_frozen = all_frozen && step[j].frozen;
    if (all_frozen) {
        if (blockIdx.x == 0 && threadIdx.x == 0) state->all_done = 1;
        return;
    }
    T alpha[N], beta[N];
    bool frozen[N];
#pragma unroll
    for (int j = 0; j < N; ++j) {
        alpha[j] = static_cast<T>(step[j].alpha);
        beta[j] = static_cast<T>(step[j].beta);
        frozen[j] = step[j].frozen;
    }
    double sum[2 * N] = {};
    for (long long g = grid_thread(); g < groups; g += grid_threads()) {
        if (g != grid_thread()) load(g);
#pragma unroll
        for (int e = 0; e < Part::kCount; ++e) {
            const int j = Part::column(e) < N ? Part::column(e) : N - 1;
            if (Part::column(e) >= N || frozen[j]) continue;
            const T ri = rv.x[e] - alpha[j] * qv.x[e], z = ri * d.x[Part::row(e)];
            xv.x[e] += alpha[j] * pv.x[e];
            rv.x[e] = ri;
            pv.x[e] = z + beta[j] * pv.x[e];
            sum[2 * j] += static_cast<double>(ri) * static_cast<double>(z);
            sum[2 * j + 1] += static_cast<double>(ri) * static_cast<double>(ri);
        }
        pv.store(p, g);
        rv.store_last(r, g);
        xv.store_last(x, g);
    }
    store_sums(sum, sums.after);
}

#endif

} // namespace mantissa::gpu
