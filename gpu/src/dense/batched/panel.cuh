// A panel of a blocked LU: OB columns of every system, a block for each.
//
// Columns are taken by NB at a time into registers; thread t has rows t, t + THREADS, ... below the panel's first. A
// row stays with its thread until the panel is done, and `pos` is the place that pivoting gives it. Columns further
// right see the ones before them left-looking: the pivot rows' part is solved first (by warps, a column each), then
// each row subtracts its products. A step has one barrier: see rows.cuh.
#pragma once

#include "keys.cuh"

namespace mantissa::gpu::batched {

template <class T, int THREADS, int R, int NB, int OB, bool PIVOT> struct Panel {
    using Key = typename KeyOf<T>::Key;
    static constexpr int kWarps = THREADS / 32, kV = kVector<T>, kParts = OB / 32;

    struct Head {
        Key key;
        T pivot;
        int pos;
    };
    struct Shared {
        alignas(16) T slot[2][kWarps][NB];
        alignas(16) T x[OB][NB]; ///< the pivot rows' part of the columns in hand
        T top[OB][OB + 1];       ///< top[m][r]: column m of L in pivot row r
        Head head[2][kWarps];
        int fault;
    };
    struct Rows {
        T a[R][NB];
        int pos[R];
        bool active[R];
    };

    static __device__ __forceinline__ void load(Rows& rows, const T* a, int lda, int count, int c0, int width, int t) {
#pragma unroll
        for (int i = 0; i < R; ++i)
#pragma unroll
            for (int c = 0; c < NB; ++c) {
                const int row = t + i * THREADS;
                rows.a[i][c] = row < count && c0 + c < width ? a[static_cast<long long>(c0 + c) * lda + row] : T(0);
            }
    }
    static __device__ __forceinline__ void store(const Rows& rows, T* a, int lda, int count, int c0, int width, int t) {
#pragma unroll
        for (int i = 0; i < R; ++i)
#pragma unroll
            for (int c = 0; c < NB; ++c) {
                const int row = t + i * THREADS;
                if (row < count && c0 + c < width) a[static_cast<long long>(c0 + c) * lda + row] = rows.a[i][c];
            }
    }
    /// x <- L11^-1 x, of the first c0 pivot rows.
    static __device__ __forceinline__ void solve_top(Shared& shared, int c0, int warp, int lane) {
        for (int c = warp; c < NB; c += kWarps) {
            T x[kParts];
#pragma unroll
            for (int q = 0; q < kParts; ++q) x[q] = lane + 32 * q < c0 ? shared.x[lane + 32 * q][c] : T(0);
#pragma unroll
            for (int q = 0; q < kParts; ++q) {
                const int end = min(32, c0 - 32 * q);
                for (int e = 0; e < end; ++e) {
                    const T xm = __shfl_sync(0xffffffffU, x[q], e);
                    const T* const l = shared.top[32 * q + e];
#pragma unroll
                    for (int r = q; r < kParts; ++r)
                        if (lane + 32 * r > 32 * q + e && lane + 32 * r < c0) x[r] = fma(-l[lane + 32 * r], xm, x[r]);
                }
            }
#pragma unroll
            for (int q = 0; q < kParts; ++q)
                if (lane + 32 * q < c0) shared.x[lane + 32 * q][c] = x[q];
        }
    }
    /// The columns in hand, which follow the c0 first ones.
    static __device__ __forceinline__ void apply(Rows& rows, Shared& shared, const T* a, int lda, int count, int c0,
                                                 int t) {
#pragma unroll
        for (int i = 0; i < R; ++i)
            if (!rows.active[i] && rows.pos[i] < c0) {
#pragma unroll
                for (int c = 0; c < NB; ++c) shared.x[rows.pos[i]][c] = rows.a[i][c];
            }
        __syncthreads();
        solve_top(shared, c0, t >> 5, t & 31);
        __syncthreads();
#pragma unroll 4
        for (int m = 0; m < c0; ++m) {
            T l[R];
#pragma unroll
            for (int i = 0; i < R; ++i) {
                const int row = t + i * THREADS;
                l[i] = row < count ? a[static_cast<long long>(m) * lda + row] : T(0);
            }
#pragma unroll
            for (int c = 0; c < NB; c += kV) {
                const Pack<T, kV> u = *reinterpret_cast<const Pack<T, kV>*>(&shared.x[m][c]);
#pragma unroll
                for (int i = 0; i < R; ++i)
#pragma unroll
                    for (int e = 0; e < kV; ++e) rows.a[i][c + e] = fma(-l[i], u.x[e], rows.a[i][c + e]);
            }
        }
#pragma unroll
        for (int i = 0; i < R; ++i)
            if (!rows.active[i] && rows.pos[i] < c0) {
#pragma unroll
                for (int c = 0; c < NB; ++c) rows.a[i][c] = shared.x[rows.pos[i]][c];
            }
    }
    /// Lays the warp's candidate for column c0 + C into shared memory.
    template <int C> static __device__ __forceinline__ void propose(const Rows& rows, Shared& shared, int k, int t) {
        const int warp = PIVOT ? t >> 5 : 0;
        Key most = 0;
        int p = 0x7fffffff;
        if constexpr (PIVOT) {
#pragma unroll
            for (int i = 0; i < R; ++i) {
                const Key key = rows.active[i] ? magnitude_key(rows.a[i][C]) : Key(0);
                if (key > most || (key == most && key != 0 && rows.pos[i] < p)) {
                    most = key;
                    p = rows.pos[i];
                }
            }
            const Key mine = most;
            most = warp_max(mine);
            p = lowest_of(mine, most, p);
            if (most == 0 && (t & 31) == 0) shared.head[C & 1][warp].key = 0;
        } else p = k;
#pragma unroll
        for (int i = 0; i < R; ++i)
            if (rows.active[i] && rows.pos[i] == p) {
#pragma unroll
                for (int e = C + 1; e < NB; ++e) shared.slot[C & 1][warp][e] = rows.a[i][e];
                shared.head[C & 1][warp] = {magnitude_key(rows.a[i][C]), rows.a[i][C], p};
            }
    }
    /// Column k = c0 + C of the panel, global column k0 + k.
    template <int C>
    static __device__ __forceinline__ void step(Rows& rows, Shared& shared, int k, int k0, int t, int* pivots) {
        propose<C>(rows, shared, k, t);
        __syncthreads();
        int p = 0, winner = 0;
        Key most = shared.head[C & 1][0].key;
        if constexpr (PIVOT) {
            const int lane = t & 31;
            const Key key = lane < kWarps ? shared.head[C & 1][lane].key : Key(0);
            const int pos = lane < kWarps ? shared.head[C & 1][lane].pos : 0x7fffffff;
            most = warp_max(key);
            p = lowest_of(key, most, pos);
            winner = __ffs(static_cast<int>(__ballot_sync(0xffffffffU, key == most && pos == p))) - 1;
        } else p = k;
        const T inverse = T(1) / shared.head[C & 1][winner].pivot;
        T u[NB];
#pragma unroll
        for (int e = C + 1; e < NB; ++e) u[e] = shared.slot[C & 1][winner][e];
#pragma unroll
        for (int i = 0; i < R; ++i) {
            if (rows.active[i] && rows.pos[i] == p) {
                rows.active[i] = false;
                rows.pos[i] = k;
            } else if (rows.pos[i] == k) rows.pos[i] = p;
            const T l = rows.active[i] && most > kZeroKey ? rows.a[i][C] * inverse : T(0);
            if (rows.active[i]) rows.a[i][C] = l;
#pragma unroll
            for (int e = C + 1; e < NB; ++e) rows.a[i][e] = fma(-l, u[e], rows.a[i][e]);
        }
        if (t == 0) {
            pivots[k0 + k] = k0 + p + 1;
            if (shared.fault == 0) shared.fault = fault_of<T>(most, k0 + k);
        }
    }
    template <int C = 0>
    static __device__ __forceinline__ void columns(Rows& rows, Shared& shared, int c0, int width, int k0, int t,
                                                   int* pivots) {
        if constexpr (C < NB) {
            if (c0 + C < width) step<C>(rows, shared, c0 + C, k0, t, pivots);
            columns<C + 1>(rows, shared, c0, width, k0, t, pivots);
        }
    }
    /// L of the pivot rows that the columns in hand have chosen.
    static __device__ __forceinline__ void keep_top(const Rows& rows, Shared& shared, const T* a, int lda, int c0,
                                                    int t) {
#pragma unroll
        for (int i = 0; i < R; ++i)
            if (!rows.active[i] && rows.pos[i] >= c0 && rows.pos[i] < c0 + NB) {
                const T* const row = a + t + i * THREADS;
#pragma unroll 16
                for (int m = 0; m < c0; ++m) shared.top[m][rows.pos[i]] = row[static_cast<long long>(m) * lda];
#pragma unroll
                for (int c = 0; c < NB; ++c) shared.top[c0 + c][rows.pos[i]] = rows.a[i][c];
            }
    }
    /// Every row to its place.
    static __device__ __forceinline__ void place(Rows& rows, T* a, int lda, int count, int width, int t) {
        for (int c0 = 0; c0 < width; c0 += NB) {
            load(rows, a, lda, count, c0, width, t);
            __syncthreads();
#pragma unroll
            for (int i = 0; i < R; ++i)
#pragma unroll
                for (int c = 0; c < NB; ++c)
                    if (t + i * THREADS < count && c0 + c < width)
                        a[static_cast<long long>(c0 + c) * lda + rows.pos[i]] = rows.a[i][c];
        }
    }
};

/// Factors columns [k0, k0 + width), width <= OB, rows [k0, n), n - k0 <= THREADS R. `moves`, n for each system: from
/// k0 on, the row that comes to each place.
template <class T, int THREADS, int R, int NB, int OB, bool PIVOT, int BLOCKS>
__global__ void __launch_bounds__(THREADS, BLOCKS)
    factor_panel(T* all, int n, int lda, long long stride, int k0, int width, int* pivots, int* moves, int* info) {
    using P = Panel<T, THREADS, R, NB, OB, PIVOT>;
    extern __shared__ __align__(16) unsigned char raw[];
    auto& shared = *reinterpret_cast<typename P::Shared*>(raw);
    T* const a = all + blockIdx.x * stride + static_cast<long long>(k0) * lda + k0;
    const long long first = static_cast<long long>(blockIdx.x) * n;
    const int count = n - k0, t = static_cast<int>(threadIdx.x);
    typename P::Rows rows;
#pragma unroll
    for (int i = 0; i < R; ++i) {
        rows.pos[i] = t + i * THREADS;
        rows.active[i] = rows.pos[i] < count;
    }
    if (t == 0) shared.fault = 0;
    for (int c0 = 0; c0 < width; c0 += NB) {
        P::load(rows, a, lda, count, c0, width, t);
        if (c0 > 0) P::apply(rows, shared, a, lda, count, c0, t);
        P::columns(rows, shared, c0, width, k0, t, pivots + first);
        P::store(rows, a, lda, count, c0, width, t); // at the rows' old places, where the next columns read L
        P::keep_top(rows, shared, a, lda, c0, t);
        __syncthreads();
    }
    if constexpr (PIVOT) {
        P::place(rows, a, lda, count, width, t);
#pragma unroll
        for (int i = 0; i < R; ++i)
            if (t + i * THREADS < count) moves[first + k0 + rows.pos[i]] = k0 + t + i * THREADS;
    }
    if (t == 0 && shared.fault != 0 && info[blockIdx.x] == 0) info[blockIdx.x] = shared.fault;
}

} // namespace mantissa::gpu::batched
