// Small systems: a block for each, a thread for each row, the whole matrix in registers.
//
// A row stays with its thread; `pos` is the place where partial pivoting puts it. In each step the warps' best
// candidates lay themselves into shared memory, and after one barrier every thread picks the best of them: there is
// one barrier a step. Registers move on by one column in each step, so that the code is a loop: a[0] is always the
// pivot's column.
#pragma once

#include "keys.cuh"

namespace mantissa::gpu::batched {

template <class T, int MOST> struct RowLu {
    using Key = typename KeyOf<T>::Key;
    static constexpr int kRows = (MOST + 31) / 32 * 32, kWarps = kRows / 32, kV = kVector<T>;
    static constexpr int kChunk = 8; ///< steps after which the code has fewer columns
    static constexpr int kSlot = (MOST + kV - 1) / kV * kV;

    struct Head {
        Key key;
        T pivot;
        int pos;
    };
    struct Shared {
        alignas(16) T slot[2][kWarps][kSlot]; ///< the candidates' elements right of the pivot's column
        Head head[2][kWarps];
        int thread_of[kRows];
    };
    struct Row {
        T a[MOST];
        bool active;
        int pos, fault;
    };

    /// The warp's candidate; returns its key, and its position in `p`.
    template <int W>
    static __device__ __forceinline__ Key propose(const Row& row, int buffer, int t, Shared& shared, int& p) {
        const Key key = row.active ? magnitude_key(row.a[0]) : Key(0);
        const Key most = warp_max(key);
        p = lowest_of(key, most, row.pos);
        const int warp = t >> 5;
        if (row.active && row.pos == p) {
#pragma unroll
            for (int j = 0; j + 1 < W; j += kV) {
                Pack<T, kV> v;
#pragma unroll
                for (int i = 0; i < kV; ++i) v.x[i] = j + 1 + i < W ? row.a[j + 1 + i] : T(0);
                *reinterpret_cast<Pack<T, kV>*>(&shared.slot[buffer][warp][j]) = v;
            }
            shared.head[buffer][warp] = {most, row.a[0], p};
        } else if (kWarps > 1 && most == 0 && (t & 31) == 0) shared.head[buffer][warp].key = 0;
        return most;
    }
    /// The warp whose candidate is the pivot.
    static __device__ __forceinline__ int choose(int buffer, const Shared& shared, Key& most, int& p) {
        int winner = 0;
        most = 0;
#pragma unroll
        for (int i = 0; i < kWarps; ++i) {
            const Key key = shared.head[buffer][i].key;
            const int pos = shared.head[buffer][i].pos;
            if (key > most || (key == most && key != 0 && pos < p)) {
                most = key;
                p = pos;
                winner = i;
            }
        }
        return winner;
    }
    template <int W>
    static __device__ __forceinline__ void step(Row& row, int k, int t, Shared& shared, T* finished, int* pivots) {
        const int buffer = k & 1;
        int p = 0, winner = 0;
        Key most = propose<W>(row, buffer, t, shared, p);
        if constexpr (kWarps == 1) __syncwarp();
        else {
            __syncthreads();
            winner = choose(buffer, shared, most, p);
        }
        const T pivot = shared.head[buffer][winner].pivot;
        if (row.active && row.pos == p) {
            row.active = false;
            row.pos = k;
        } else if (row.pos == k) row.pos = p;
        const T l = row.active && most > kZeroKey ? row.a[0] * (T(1) / pivot) : T(0);
        finished[k * kRows + t] = row.active ? l : row.a[0];
        if (t == 0) {
            pivots[k] = p + 1;
            if (row.fault == 0) row.fault = fault_of<T>(most, k);
        }
#pragma unroll
        for (int j = 0; j + 1 < W; j += kV) {
            const Pack<T, kV> u = *reinterpret_cast<const Pack<T, kV>*>(&shared.slot[buffer][winner][j]);
#pragma unroll
            for (int i = 0; i < kV; ++i)
                if (j + 1 + i < W) row.a[j + i] = fma(-l, u.x[i], row.a[j + 1 + i]);
        }
    }
    template <int W>
    static __device__ __forceinline__ void steps(Row& row, int k, int n, int t, Shared& shared, T* finished,
                                                 int* pivots) {
#pragma unroll 1
        for (int i = 0; i < kChunk; ++i, ++k) {
            if (k >= n) return;
            step<W>(row, k, t, shared, finished, pivots);
        }
        if constexpr (W > kChunk) steps<W - kChunk>(row, k, n, t, shared, finished, pivots);
    }
};

/// Factors system blockIdx.x of n <= MOST rows in place. Shared memory: n times RowLu::kRows elements. `order`: the row
/// of A that comes to each place.
template <class T, int MOST, int BLOCKS>
__global__ void __launch_bounds__(RowLu<T, MOST>::kRows, BLOCKS)
    factor_rows(T* all, int n, int lda, long long stride, int* pivots, int* order, int* info) {
    using L = RowLu<T, MOST>;
    extern __shared__ __align__(16) unsigned char raw[];
    T* const finished = reinterpret_cast<T*>(raw); // column k of L and U by threads at k * kRows
    __shared__ typename L::Shared shared;
    T* const a = all + blockIdx.x * stride;
    const long long first = static_cast<long long>(blockIdx.x) * n;
    const int t = static_cast<int>(threadIdx.x);
    typename L::Row row{};
#pragma unroll
    for (int j = 0; j < MOST; ++j) row.a[j] = t < n && j < n ? a[static_cast<long long>(j) * lda + t] : T(0);
    row.active = t < n;
    row.pos = t;
    L::template steps<MOST>(row, 0, n, t, shared, finished, pivots + first);
    shared.thread_of[row.pos] = t;
    __syncthreads();
    if (t < n) {
        const int from = shared.thread_of[t];
        order[first + t] = from;
        for (int k = 0; k < n; ++k) a[static_cast<long long>(k) * lda + t] = finished[k * L::kRows + from];
    }
    if (t == 0) info[blockIdx.x] = row.fault;
}

} // namespace mantissa::gpu::batched
