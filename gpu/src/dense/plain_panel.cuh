// The panel of an LU factorisation without pivoting. Every block factors the square on the diagonal for itself, in
// registers and shared memory, and then solves with its upper triangle for its own rows, one row a thread; the block
// that ends last writes the square.
#pragma once

#include <cstddef>

#include "panel.cuh"

namespace mantissa::gpu::dense {

constexpr int kPlainThreads = 256;

/// The factored square as the rows below need it.
template <class T, int kWidth> struct alignas(16) PlainShared {
    T rows[kWidth][kWidth + 16 / sizeof(T)]; ///< U above and on the diagonal, L below, by rows
    T inverse[kWidth];
    T column[2][kWidth];
    T row[2][kWidth];
    bool last;
};

/// Factors the square at `a` into shared.rows. Thread (r, q) has row r's columns q * kEach .. of it in registers.
template <class T, int kWidth>
__device__ __forceinline__ void factor_square(const PanelTask<T>& task, PlainShared<T, kWidth>& shared) {
    constexpr int kGroups = kPlainThreads / kWidth, kEach = kWidth / kGroups;
    const int r = static_cast<int>(threadIdx.x) % kWidth, q = static_cast<int>(threadIdx.x) / kWidth;
    T a[kEach];
#pragma unroll
    for (int i = 0; i < kEach; ++i) {
        const int column = q * kEach + i;
        // A narrower panel is followed by an identity.
        a[i] = r < task.columns && column < task.columns ? task.a[r + column * task.stride] : T(r == column ? 1 : 0);
    }
    if (q == 0) shared.column[0][r] = a[0];
    if (r == 0)
#pragma unroll
        for (int i = 0; i < kEach; ++i) shared.row[0][q * kEach + i] = a[i];
    for (int group = 0; group < kGroups; ++group) {
#pragma unroll
        for (int i0 = 0; i0 < kEach; ++i0) {
            const int k = group * kEach + i0, side = i0 & 1;
            __syncthreads();
            const T inverse = Magnitude<T>::reciprocal(shared.row[side][k]);
            const T value = shared.column[side][r], l = r > k ? value * inverse : T(0);
            if (q == group) shared.rows[r][k] = r > k ? l : value;
            if (threadIdx.x == 0) shared.inverse[k] = inverse;
            if (q >= group) {
#pragma unroll
                for (int i = 0; i < kEach; ++i)
                    if (i > i0 || q > group) a[i] = Magnitude<T>::fma(-l, shared.row[side][q * kEach + i], a[i]);
            }
            if (i0 + 1 < kEach ? q == group : q == group + 1) shared.column[side ^ 1][r] = a[(i0 + 1) % kEach];
            if (r == k + 1)
#pragma unroll
                for (int i = 0; i < kEach; ++i) shared.row[side ^ 1][q * kEach + i] = a[i];
        }
    }
    __syncthreads();
}

/// ceil((task.rows - task.columns) / kPlainThreads) blocks, at least one, of kPlainThreads. `done`: 0 at first and
/// again when it is done. Tiny pivots are inverted too: what overflows then is found as a pivot that is not finite.
template <class T, int kWidth>
__global__ void __launch_bounds__(kPlainThreads, 1) factor_plain_panel(const PanelTask<T> task, int* done) {
    constexpr int kPiece = 16 / sizeof(T);
    static_assert(kWidth / (kPlainThreads / kWidth) % 2 == 0);
    extern __shared__ __align__(16) unsigned char memory[];
    auto& shared = *reinterpret_cast<PlainShared<T, kWidth>*>(memory);
    const int thread = static_cast<int>(threadIdx.x);
    const int row = task.columns + static_cast<int>(blockIdx.x) * kPlainThreads + thread;
    factor_square<T, kWidth>(task, shared);
    T x[kWidth];
    T* at = task.a + row; // walks along the row, which takes fewer registers than an address for each column
    const bool mine = row < task.rows;
#pragma unroll
    for (int j = 0; j < kWidth; ++j, at += task.stride) x[j] = mine && j < task.columns ? *at : T(0);
#pragma unroll
    for (int k = 0; k < kWidth; ++k) {
        x[k] *= shared.inverse[k];
#pragma unroll
        for (int j = k / kPiece * kPiece; j < kWidth; j += kPiece) {
            T u[kPiece];
            *reinterpret_cast<uint4*>(u) = *reinterpret_cast<const uint4*>(&shared.rows[k][j]);
#pragma unroll
            for (int e = 0; e < kPiece; ++e)
                if (j + e > k) x[j + e] = Magnitude<T>::fma(-x[k], u[e], x[j + e]);
        }
    }
    at = task.a + row;
#pragma unroll
    for (int j = 0; j < kWidth; ++j, at += task.stride)
        if (mine && j < task.columns) *at = x[j];
    // Every block has read the square; the last one may write over it.
    __syncthreads();
    if (thread == 0) {
        __threadfence();
        shared.last = atomicAdd(done, 1) == static_cast<int>(gridDim.x) - 1;
    }
    __syncthreads();
    if (!shared.last) return;
    for (int i = thread; i < task.columns * task.columns; i += kPlainThreads)
        task.a[i % task.columns + i / task.columns * task.stride] = shared.rows[i % task.columns][i / task.columns];
    if (thread < task.columns) {
        const int at = task.first + thread;
        task.pivots[thread] = task.source[thread] = task.target[thread] = at;
    }
    if (thread == 0) {
        *done = 0;
        for (int k = 0; k < task.columns; ++k) {
            const typename Magnitude<T>::Bits bits = Magnitude<T>::of(shared.rows[k][k]);
            if (bits == 0 && task.flags->zero_pivot == 0) task.flags->zero_pivot = task.first + k + 1;
            if (bits >= Magnitude<T>::kInfinity && task.flags->not_finite == 0)
                task.flags->not_finite = task.first + k + 1;
        }
    }
}

} // namespace mantissa::gpu::dense
