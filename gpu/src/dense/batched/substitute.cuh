// Batched substitutions: x of A x = b from each system's factors.
#pragma once

#include <cmath>

#include "keys.cuh"

namespace mantissa::gpu::batched {

/// The triangles pass by squares of kSide columns. A warp solves with the square on the diagonal; then each thread
/// takes its columns from the rows that it has.
template <class T, int THREADS, int R> struct Substitute {
    static constexpr int kSide = 64;
    struct Shared {
        T tile[kSide][kSide + 1]; ///< tile[column][row]
    };

    static __device__ __forceinline__ void fetch(Shared& shared, const T* a, int lda, int k0, int width, int t) {
        for (int i = t; i < kSide * kSide; i += THREADS) {
            const int r = i % kSide, c = i / kSide;
            shared.tile[c][r] = r < width && c < width ? a[static_cast<long long>(k0 + c) * lda + k0 + r]
                                : r == c               ? T(1)
                                                       : T(0);
        }
    }
    static __device__ __forceinline__ void forward(const Shared& shared, T* x, int width, int lane) {
        T low = lane < width ? x[lane] : T(0), high = lane + 32 < width ? x[lane + 32] : T(0);
        for (int m = 0; m < 32; ++m) {
            const T xm = __shfl_sync(0xffffffffU, low, m);
            if (lane > m) low = fma(-shared.tile[m][lane], xm, low);
            high = fma(-shared.tile[m][lane + 32], xm, high);
        }
        for (int m = 0; m < 32; ++m) {
            const T xm = __shfl_sync(0xffffffffU, high, m);
            if (lane > m) high = fma(-shared.tile[m + 32][lane + 32], xm, high);
        }
        if (lane < width) x[lane] = low;
        if (lane + 32 < width) x[lane + 32] = high;
    }
    static __device__ __forceinline__ void backward(const Shared& shared, T* x, int width, int lane) {
        T low = lane < width ? x[lane] : T(0), high = lane + 32 < width ? x[lane + 32] : T(0);
        const T low_pivot = shared.tile[lane][lane], high_pivot = shared.tile[lane + 32][lane + 32];
        for (int m = 31; m >= 0; --m) {
            if (lane == m) high /= high_pivot;
            const T xm = __shfl_sync(0xffffffffU, high, m);
            if (lane < m) high = fma(-shared.tile[m + 32][lane + 32], xm, high);
            low = fma(-shared.tile[m + 32][lane], xm, low);
        }
        for (int m = 31; m >= 0; --m) {
            if (lane == m) low /= low_pivot;
            const T xm = __shfl_sync(0xffffffffU, low, m);
            if (lane < m) low = fma(-shared.tile[m][lane], xm, low);
        }
        if (lane < width) x[lane] = low;
        if (lane + 32 < width) x[lane + 32] = high;
    }
    /// x of one row less the products of `width` columns from k0 on.
    static __device__ __forceinline__ T less(T value, const T* row, int lda, const T* x, int width) {
        T sum = 0;
        if (width == kSide) {
#pragma unroll 16
            for (int m = 0; m < kSide; ++m) sum = fma(row[static_cast<long long>(m) * lda], x[m], sum);
        } else {
            for (int m = 0; m < width; ++m) sum = fma(row[static_cast<long long>(m) * lda], x[m], sum);
        }
        return value - sum;
    }
};

/// System blockIdx.x; n <= THREADS R. `rhs`, n for each system, is b and then x. `order`, the row of b that comes to
/// each place, may be null. Where `info` is not 0, x is NaN. Shared memory: n elements.
template <class T, int THREADS, int R>
__global__ void __launch_bounds__(THREADS)
    substitute(const T* all, int n, int lda, long long stride, const int* order, const int* info, T* rhs) {
    using S = Substitute<T, THREADS, R>;
    extern __shared__ __align__(16) unsigned char raw[];
    T* const x = reinterpret_cast<T*>(raw);
    __shared__ typename S::Shared shared;
    const T* const a = all + blockIdx.x * stride;
    const long long first = static_cast<long long>(blockIdx.x) * n;
    T* const b = rhs + first;
    const int t = static_cast<int>(threadIdx.x), squares = (n + S::kSide - 1) / S::kSide;
    T mine[R];
#pragma unroll
    for (int i = 0; i < R; ++i) {
        const int r = t + i * THREADS;
        mine[i] = r < n ? b[order != nullptr ? order[first + r] : r] : T(0);
    }
    for (int s = 0; s < 2 * squares; ++s) {
        const bool forward = s < squares;
        const int k0 = (forward ? s : 2 * squares - 1 - s) * S::kSide, width = min(S::kSide, n - k0), end = k0 + width;
#pragma unroll
        for (int i = 0; i < R; ++i) {
            const int r = t + i * THREADS;
            if (r >= k0 && r < end) x[r] = mine[i];
        }
        S::fetch(shared, a, lda, k0, width, t);
        __syncthreads();
        if (t < 32) {
            if (forward) S::forward(shared, x + k0, width, t);
            else S::backward(shared, x + k0, width, t);
        }
        __syncthreads();
#pragma unroll
        for (int i = 0; i < R; ++i) {
            const int r = t + i * THREADS;
            if (r >= k0 && r < end) mine[i] = x[r];
            else if (forward ? r >= end && r < n : r < k0)
                mine[i] = S::less(mine[i], a + static_cast<long long>(k0) * lda + r, lda, x + k0, width);
        }
    }
    const bool good = info[blockIdx.x] == 0;
#pragma unroll
    for (int i = 0; i < R; ++i)
        if (t + i * THREADS < n) b[t + i * THREADS] = good ? mine[i] : static_cast<T>(NAN);
}

} // namespace mantissa::gpu::batched
