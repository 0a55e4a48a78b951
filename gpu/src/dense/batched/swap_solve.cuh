// After a panel: the rows right of it take their places, and U12 = L11^-1 (P A12); at the end, L's rows take theirs.
#pragma once

#include "keys.cuh"

namespace mantissa::gpu::batched {

/// A block has COLS columns of one system. L11 passes through shared memory by strips of kStrip columns: each strip's
/// own square is solved by one thread a column, then all threads take it from the rows below.
template <class T, int OB, int COLS> struct SwapSolve {
    static constexpr int kThreads = 256, kStrip = 16, kV = kVector<T>, kEach = OB * COLS / kThreads;
    static constexpr int kNext = OB * kStrip / kThreads; ///< elements of a strip for each thread
    struct Shared {
        alignas(16) T l[OB][kStrip + kV]; ///< rows of the strip in hand
        T x[COLS][OB + 1];
        int row[OB], from[OB]; ///< rows below the panel that receive one of its own
        int moved;
    };

    /// x = the rows that come into the panel's places; rows of theirs that leave go below.
    template <bool PIVOT>
    static __device__ __forceinline__ void gather(Shared& shared, T* a, int n, int lda, int k0, int cols,
                                                  const int* move, int t) {
        T value[kEach];
#pragma unroll
        for (int i = 0; i < kEach; ++i) {
            const int at = t + i * kThreads, r = at % OB, c = at / OB;
            T* const column = a + static_cast<long long>(c) * lda;
            value[i] = c < cols ? column[PIVOT ? move[k0 + r] : k0 + r] : T(0);
            if (PIVOT) shared.x[c][r] = c < cols ? column[k0 + r] : T(0);
        }
        if constexpr (PIVOT) {
            if (t == 0) shared.moved = 0;
            __syncthreads();
            for (int r = k0 + OB + t; r < n; r += kThreads)
                if (move[r] != r) {
                    const int slot = atomicAdd(&shared.moved, 1); // at most OB: each takes another row of the panel's
                    shared.row[slot] = r;
                    shared.from[slot] = move[r] - k0;
                }
            __syncthreads();
            for (int i = t; i < shared.moved * COLS; i += kThreads) {
                const int slot = i / COLS, c = i % COLS;
                if (c < cols) a[static_cast<long long>(c) * lda + shared.row[slot]] = shared.x[c][shared.from[slot]];
            }
            __syncthreads();
        }
#pragma unroll
        for (int i = 0; i < kEach; ++i) {
            const int at = t + i * kThreads;
            shared.x[at / OB][at % OB] = value[i];
        }
    }
    static __device__ __forceinline__ void fetch(T (&next)[kNext], const T* l11, int lda, int s, int t) {
#pragma unroll
        for (int i = 0; i < kNext; ++i) {
            const int at = t + i * kThreads, r = at % OB, m = at / OB;
            next[i] = r > s ? l11[static_cast<long long>(s + m) * lda + r] : T(0);
        }
    }
    static __device__ __forceinline__ void solve(Shared& shared, const T* l11, int lda, int t) {
        constexpr int kGroups = kThreads / COLS;
        const int c = t % COLS, group = t / COLS;
        T next[kNext];
        fetch(next, l11, lda, 0, t);
        for (int s = 0; s < OB; s += kStrip) {
#pragma unroll
            for (int i = 0; i < kNext; ++i) {
                const int at = t + i * kThreads;
                shared.l[at % OB][at / OB] = next[i];
            }
            __syncthreads();
            if (s + kStrip < OB) fetch(next, l11, lda, s + kStrip, t);
            T x[kStrip];
            if (group == 0) {
#pragma unroll
                for (int i = 0; i < kStrip; ++i) x[i] = shared.x[c][s + i];
#pragma unroll
                for (int i = 1; i < kStrip; ++i)
#pragma unroll
                    for (int m = 0; m < i; ++m) x[i] = fma(-shared.l[s + i][m], x[m], x[i]);
#pragma unroll
                for (int i = 0; i < kStrip; ++i) shared.x[c][s + i] = x[i];
            }
            __syncthreads();
#pragma unroll
            for (int i = 0; i < kStrip; ++i) x[i] = shared.x[c][s + i];
#pragma unroll 2
            for (int r = s + kStrip + group; r < OB; r += kGroups) {
                T sum = shared.x[c][r];
#pragma unroll
                for (int m = 0; m < kStrip; m += kV) {
                    const Pack<T, kV> l = *reinterpret_cast<const Pack<T, kV>*>(&shared.l[r][m]);
#pragma unroll
                    for (int e = 0; e < kV; ++e) sum = fma(-l.x[e], x[m + e], sum);
                }
                shared.x[c][r] = sum;
            }
            __syncthreads();
        }
    }
};

/// Columns from k0 + OB on, COLS for each of blockIdx.x, of system blockIdx.y. U12 goes to the matrix and by rows of
/// `ldu` elements into `workspace`, OB rows for each system. `move`: the panel's moves, n for each system.
template <class T, int OB, int COLS, bool PIVOT>
__global__ void __launch_bounds__(256)
    swap_solve(T* all, int n, int lda, long long stride, int k0, const int* moves, T* workspace, int ldu) {
    using S = SwapSolve<T, OB, COLS>;
    extern __shared__ __align__(16) unsigned char raw[];
    auto& shared = *reinterpret_cast<typename S::Shared*>(raw);
    T* const a = all + blockIdx.y * stride;
    const int t = static_cast<int>(threadIdx.x), first = k0 + OB + static_cast<int>(blockIdx.x) * COLS;
    const int cols = min(COLS, n - first);
    T* const mine = a + static_cast<long long>(first) * lda;
    S::template gather<PIVOT>(shared, mine, n, lda, k0, cols, moves + static_cast<long long>(blockIdx.y) * n, t);
    S::solve(shared, a + static_cast<long long>(k0) * lda + k0, lda, t);
    T* const u = workspace + static_cast<long long>(blockIdx.y) * OB * ldu;
    for (int i = t; i < OB * COLS; i += S::kThreads) {
        const int r = i % OB, c = i / OB;
        if (c < cols) mine[static_cast<long long>(c) * lda + k0 + r] = shared.x[c][r];
    }
    for (int i = t; i < OB * COLS; i += S::kThreads) {
        const int c = i % COLS, r = i / COLS;
        if (first + c < ldu) u[static_cast<long long>(r) * ldu + first + c] = shared.x[c][r];
    }
}

/// Where row `row` of the matrix as all panels leave it was after panel `panel` (-1: in A). `moves` has a slice of
/// batch times n for each panel.
template <int OB>
__device__ __forceinline__ int row_before(int row, int panel, int n, const int* moves, int batch, int system) {
    for (int s = (n - 1) / OB; s > panel; --s)
        if (row >= s * OB) row = moves[(static_cast<long long>(s) * batch + system) * n + row];
    return row;
}

/// L's rows in panel blockIdx.x of system blockIdx.y go where later panels have put them; R 256 >= n.
template <class T, int OB, int R>
__global__ void __launch_bounds__(256)
    place_rows(T* all, int n, int lda, long long stride, const int* moves, int batch) {
    constexpr int kThreads = 256, kTogether = 4;
    const int panel = static_cast<int>(blockIdx.x), t = static_cast<int>(threadIdx.x), first = (panel + 1) * OB;
    T* const a = all + blockIdx.y * stride;
    int from[R];
#pragma unroll
    for (int i = 0; i < R; ++i) {
        const int row = first + t + i * kThreads;
        from[i] = row < n ? row_before<OB>(row, panel, n, moves, batch, static_cast<int>(blockIdx.y)) : 0;
    }
    for (int c = panel * OB; c < first; c += kTogether) {
        T value[R][kTogether];
#pragma unroll
        for (int i = 0; i < R; ++i)
#pragma unroll
            for (int e = 0; e < kTogether; ++e)
                if (first + t + i * kThreads < n) value[i][e] = a[static_cast<long long>(c + e) * lda + from[i]];
        __syncthreads();
#pragma unroll
        for (int i = 0; i < R; ++i)
#pragma unroll
            for (int e = 0; e < kTogether; ++e)
                if (first + t + i * kThreads < n)
                    a[static_cast<long long>(c + e) * lda + first + t + i * kThreads] = value[i][e];
    }
}

/// The row of A that comes to each place.
template <int OB> __global__ void __launch_bounds__(256) row_order(int n, const int* moves, int batch, int* order) {
    const int row = static_cast<int>(blockIdx.x) * 256 + static_cast<int>(threadIdx.x),
              system = static_cast<int>(blockIdx.y);
    if (row < n) order[static_cast<long long>(system) * n + row] = row_before<OB>(row, -1, n, moves, batch, system);
}

} // namespace mantissa::gpu::batched
