// Gauss-Jordan by panels. Steps of a panel's 16 columns need only these columns, so they run on the chip with one
// exchange a step; then one pass applies all 16 to the other columns, in their order. Rows stay in their places:
// order[i] is the step that row i was the pivot of.
//
//     memory per panel and element of another column: one read, one write
#pragma once

#include "mantissa/lu/factor.hpp"
#include "packets.cuh"
#include "timed_grid_barrier.cuh"

namespace mantissa::gpu::dense {

inline constexpr int kJordanPanel = 16, kJordanThreads = 256;

template <class T> struct JordanParams {
    T* m; ///< [A B] by columns, `pitch` words each
    long long pitch;
    int n, columns;   ///< columns of A and B
    int first;        ///< of the panel
    bool inverse;     ///< A's columns become the inverse's
    T* factors;       ///< [16][pitch]: what a row takes of each pivot row
    T* applied;       ///< the same as the other columns see it
    T* rows;          ///< [columns][16]: the pivot rows of other columns
    int* order;       ///< -1, or the step
    int* pivot_row;   ///< of each step
    T* pivot;         ///< of each step
    Packet16* keys;   ///< [2][blocks][blocks]
    Packet16* values; ///< [2][blocks][16]
    int* end;         ///< LuEnd and column
};

#ifdef __CUDACC__

/// One thread a row.
template <class T> __global__ void __launch_bounds__(kJordanThreads, 1) jordan_panel(const JordanParams<T> p) {
    constexpr int B = kJordanPanel;
    using Row = Words<T, B>;
    __shared__ T best[kJordanThreads / 32], shared_u[B];
    __shared__ Key scratch[kJordanThreads / 32];
    __shared__ int best_row;
    if (p.end[0] != 0) return;
    const int i = blockIdx.x * kJordanThreads + threadIdx.x, width = min(B, p.n - p.first);
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    const bool in = i < p.n;
    bool open = in && p.order[i] < 0;
    T x[B], f[B];
    int own = -1; // the panel's step that this row is the pivot of
#pragma unroll
    for (int d = 0; d < B; ++d) x[d] = in && d < width ? p.m[(p.first + d) * p.pitch + i] : T(0), f[d] = 0;
    int end = 0, at = p.first;
#pragma unroll
    for (int d = 0; d < B; ++d) {
        if (d >= width || end != 0) continue;
        const unsigned tag = static_cast<unsigned>(p.first + d) + 1;
        // A value that is not finite counts as infinite, so that it is found.
        const T size = !open ? T(0) : isfinite(x[d]) ? fabs(x[d]) : Word<T>::of(Word<T>::kInfinity);
        const T of_warp = Word<T>::warp_max(size);
        if (lane == 0) best[warp] = of_warp;
        if (threadIdx.x == 0) best_row = p.n;
        __syncthreads();
        const T most = Word<T>::warp_max(lane < kJordanThreads / 32 ? best[lane] : T(0));
        if (open && size == most) atomicMin(&best_row, i);
        __syncthreads();
        const int mine = best_row;
        Packet16* const keys = p.keys + (d & 1) * gridDim.x * gridDim.x;
        Packet16* const values = p.values + (d & 1) * gridDim.x * B;
        put_key(keys, Word<T>::bits(most), static_cast<unsigned>(mine), tag);
        if (i == mine) Row::publish(x, values + blockIdx.x * B, 1, tag);
        Key won;
        bool here = best_of_grid<T, kJordanThreads>(keys, tag, kSpins, scratch, won);
        if (warp == 0 && here && won.magnitude() != 0) {
            T u[B];
            here = Row::collect(u, values + won.block * B, 1, tag, kSpins);
            if (lane == 0) {
#pragma unroll
                for (int e = 0; e < B; ++e) shared_u[e] = u[e];
            }
        }
        const bool late = __syncthreads_or(!here);
        at = p.first + d;
        const bool finite = won.magnitude() < Word<T>::kInfinity;
        end = late                   ? -1
              : won.magnitude() == 0 ? static_cast<int>(LuEnd::singular)
              : !finite              ? static_cast<int>(LuEnd::not_finite)
                                     : 0;
        if (end == 0) {
            const T pivot = shared_u[d];
            const bool is_pivot = i == static_cast<int>(won.place);
            f[d] = is_pivot ? T(0) : x[d];
#pragma unroll
            for (int e = 0; e < B; ++e) {
                if (e == d) continue;
                const T u = Word<T>::divide(shared_u[e], pivot);
                x[e] = is_pivot ? u : Word<T>::update(x[e], f[d], u);
            }
            // The column of the inverse that comes in the place of A's.
            const T u = Word<T>::divide(T(1), pivot);
            x[d] = is_pivot ? u : Word<T>::update(T(0), f[d], u);
            if (is_pivot) {
                open = false;
                own = d;
                p.order[i] = at;
                p.pivot_row[at] = i;
                p.pivot[at] = pivot;
            }
        }
        __syncthreads();
    }
    if (in && end == 0) {
#pragma unroll
        for (int d = 0; d < B; ++d) {
            p.factors[d * p.pitch + i] = f[d];
            p.applied[d * p.pitch + i] = d <= own ? T(0) : f[d];
            if (d < width && p.inverse) p.m[(p.first + d) * p.pitch + i] = x[d];
        }
    }
    if (end != 0 && threadIdx.x == 0 && blockIdx.x == 0) p.end[1] = at, __threadfence(), p.end[0] = end;
}

/// The first column that a panel's steps change outside of it.
__device__ __forceinline__ bool jordan_skips(const auto& p, int column) {
    const bool done = column < p.first + kJordanPanel && column < p.n;
    return done && (!p.inverse || column >= p.first);
}

/// The pivot rows of the other columns: a thread a column.
template <class T> __global__ void jordan_rows(const JordanParams<T> p) {
    constexpr int B = kJordanPanel;
    __shared__ T among[B][B]; // what pivot row d takes of pivot row e
    __shared__ T pivot[B];
    __shared__ int row[B];
    if (p.end[0] != 0) return;
    const int width = min(B, p.n - p.first);
    if (threadIdx.x < width)
        row[threadIdx.x] = p.pivot_row[p.first + threadIdx.x], pivot[threadIdx.x] = p.pivot[p.first + threadIdx.x];
    __syncthreads();
    for (int e = threadIdx.x; e < width * width; e += blockDim.x)
        among[e / width][e % width] = p.factors[e % width * p.pitch + row[e / width]];
    __syncthreads();
    const int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j >= p.columns || jordan_skips(p, j)) return;
    T t[B];
#pragma unroll
    for (int d = 0; d < B; ++d) {
        t[d] = 0;
        if (d >= width) continue;
        T a = p.m[j * p.pitch + row[d]];
#pragma unroll
        for (int e = 0; e < d; ++e) a = Word<T>::update(a, among[d][e], t[e]);
        t[d] = Word<T>::divide(a, pivot[d]);
        p.m[j * p.pitch + row[d]] = t[d];
    }
#pragma unroll
    for (int d = 0; d < B; ++d) p.rows[static_cast<long long>(j) * B + d] = t[d];
}

/// All rows of the other columns. A block has 16 bytes of rows a thread and a strip of columns.
template <class T> __global__ void __launch_bounds__(kJordanThreads) jordan_apply(const JordanParams<T> p, int strip) {
    constexpr int B = kJordanPanel, V = 16 / sizeof(T), kAhead = 4;
    struct alignas(16) Group {
        T x[V];
    };
    __shared__ alignas(16) T shared_t[kAhead][B];
    if (p.end[0] != 0) return;
    const long long i = (static_cast<long long>(blockIdx.x) * kJordanThreads + threadIdx.x) * V;
    const bool in = i < p.pitch;
    T f[B][V];
#pragma unroll
    for (int d = 0; d < B; ++d) {
        Group g{};
        if (in) g = *reinterpret_cast<const Group*>(p.applied + d * p.pitch + i);
#pragma unroll
        for (int v = 0; v < V; ++v) f[d][v] = g.x[v];
    }
    const int begin = blockIdx.y * strip, last = min(p.columns, begin + strip);
    for (int j0 = begin; j0 < last; j0 += kAhead) {
        __syncthreads();
        if (threadIdx.x < kAhead * B && j0 + threadIdx.x / B < last)
            shared_t[threadIdx.x / B][threadIdx.x % B] = p.rows[static_cast<long long>(j0) * B + threadIdx.x];
        __syncthreads();
        Group g[kAhead];
#pragma unroll
        for (int c = 0; c < kAhead; ++c)
            if (in && j0 + c < last && !jordan_skips(p, j0 + c))
                g[c] = *reinterpret_cast<const Group*>(p.m + (j0 + c) * p.pitch + i);
#pragma unroll
        for (int c = 0; c < kAhead; ++c) {
            if (!in || j0 + c >= last || jordan_skips(p, j0 + c)) continue;
#pragma unroll
            for (int d = 0; d < B; ++d) {
                const T t = shared_t[c][d];
#pragma unroll
                for (int v = 0; v < V; ++v) g[c].x[v] = Word<T>::update(g[c].x[v], f[d][v], t);
            }
            *reinterpret_cast<Group*>(p.m + (j0 + c) * p.pitch + i) = g[c];
        }
    }
}

/// x and the inverse by rows: row k is row pivot_row[k] of m; column pivot_row[k] of the inverse is column k of m.
template <class T> __global__ void jordan_gather(const JordanParams<T> p, T* x, int sides, T* inverse) {
    if (p.end[0] != 0) return;
    const long long all = static_cast<long long>(p.n) * p.columns;
    bool finite = true;
    for (long long e = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x; e < all;
         e += static_cast<long long>(gridDim.x) * blockDim.x) {
        const int i = static_cast<int>(e % p.n), j = static_cast<int>(e / p.n), k = p.order[i];
        if (j < p.n && !p.inverse) continue;
        const T v = p.m[j * p.pitch + i];
        finite = finite && isfinite(v);
        if (j < p.n) inverse[static_cast<long long>(k) * p.n + p.pivot_row[j]] = v;
        else x[static_cast<long long>(k) * sides + j - p.n] = v;
    }
    if (!finite) p.end[2] = 1;
}

#endif

} // namespace mantissa::gpu::dense
