// From the matrix given, in double and column after column, to the float matrix that is factored: rows and columns
// scaled by powers of two to magnitudes of at most 1, then all by one power of two that leaves U room to grow in half
// precision.
#pragma once

#include "control.cuh"

namespace mantissa::gpu::mixed {

constexpr int kSplits = 8; // parts of a row's sum
constexpr int kRowTile = 128;

/// The power of two that brings `largest` into [1/2, 1); 1 for zero and for what is not finite.
__device__ __forceinline__ double scale_to_one(double largest) {
    if (!(largest > 0.0) || isinf(largest)) return 1.0;
    int e;
    static_cast<void>(frexp(largest, &e));
    return ldexp(1.0, e < -1000 ? 1000 : -e);
}

/// Largest magnitudes and sums of magnitudes of the rows: block (x, y) takes 128 rows and a share of the columns.
__global__ void __launch_bounds__(256) measure_rows(const double* __restrict__ a, long lda, int n,
                                                    double* __restrict__ largest, double* __restrict__ sums) {
    __shared__ double top[8][kRowTile], all[8][kRowTile];
    const int lane = static_cast<int>(threadIdx.x) & 31, warp = static_cast<int>(threadIdx.x) / 32;
    const int row0 = static_cast<int>(blockIdx.x) * kRowTile + lane, share = (n + kSplits - 1) / kSplits;
    const int begin = static_cast<int>(blockIdx.y) * share, end = min(n, begin + share);
    double m[4] = {}, s[4] = {};
#pragma unroll 4
    for (int j = begin + warp; j < end; j += 8)
#pragma unroll
        for (int q = 0; q < 4; ++q) {
            const double v = row0 + 32 * q < n ? fabs(a[j * lda + row0 + 32 * q]) : 0.0;
            m[q] = fmax(m[q], v);
            s[q] += v;
        }
#pragma unroll
    for (int q = 0; q < 4; ++q) top[warp][lane + 32 * q] = m[q], all[warp][lane + 32 * q] = s[q];
    __syncthreads();
    const int t = static_cast<int>(threadIdx.x), row = static_cast<int>(blockIdx.x) * kRowTile + t;
    if (t >= kRowTile || row >= n) return;
    double mm = 0.0, ss = 0.0;
    for (int w = 0; w < 8; ++w) mm = fmax(mm, top[w][t]), ss += all[w][t];
    largest[static_cast<long>(blockIdx.y) * n + row] = mm;
    sums[static_cast<long>(blockIdx.y) * n + row] = ss;
}

/// The rows' scales and the matrix's norm; one block of 1024.
__global__ void __launch_bounds__(1024)
    scale_rows(int n, const double* __restrict__ largest, const double* __restrict__ sums, double* __restrict__ scale,
               Control* control) {
    __shared__ double warps[32];
    double norm = 0.0;
    for (int i = static_cast<int>(threadIdx.x); i < n; i += 1024) {
        double m = 0.0, s = 0.0;
        for (int q = 0; q < kSplits; ++q)
            m = fmax(m, largest[static_cast<long>(q) * n + i]), s += sums[static_cast<long>(q) * n + i];
        scale[i] = scale_to_one(m);
        norm = s <= norm ? norm : s; // a NaN stays
        if (isnan(s)) norm = s;
    }
    for (int d = 16; d > 0; d /= 2) {
        const double other = __shfl_xor_sync(0xffffffffU, norm, d);
        if (isnan(other) || other > norm) norm = other;
    }
    if ((threadIdx.x & 31) == 0) warps[threadIdx.x / 32] = norm;
    __syncthreads();
    if (threadIdx.x != 0) return;
    for (const double other : warps)
        if (isnan(other) || other > norm) norm = other;
    control->norm_a = norm;
}

/// The scale of one column a block, after the rows' scales.
__global__ void __launch_bounds__(256) scale_columns(const double* __restrict__ a, long lda, int n,
                                                     const double* __restrict__ row_scale, double* __restrict__ scale) {
    __shared__ double warps[8];
    double m = 0.0;
    const double* const column = a + blockIdx.x * lda;
#pragma unroll 4
    for (int i = static_cast<int>(threadIdx.x); i < n; i += 256) m = fmax(m, fabs(column[i]) * row_scale[i]);
    for (int d = 16; d > 0; d /= 2) m = fmax(m, __shfl_xor_sync(0xffffffffU, m, d));
    if ((threadIdx.x & 31) == 0) warps[threadIdx.x / 32] = m;
    __syncthreads();
    if (threadIdx.x != 0) return;
    for (const double other : warps) m = fmax(m, other);
    scale[blockIdx.x] = scale_to_one(m);
}

/// Transposes 64 x 64 words a block into the float matrix of `rounded` rows and columns; the identity follows n.
__global__ void __launch_bounds__(256)
    scale_matrix(const double* __restrict__ a, long lda, int n, int rounded, const double* __restrict__ row_scale,
                 const double* __restrict__ column_scale, double factor, float* __restrict__ out) {
    __shared__ float tile[64][65];
    const int i0 = static_cast<int>(blockIdx.x) * 64, j0 = static_cast<int>(blockIdx.y) * 64;
    const int x = static_cast<int>(threadIdx.x) & 63, y = static_cast<int>(threadIdx.x) / 64;
    const double scale = i0 + x < n ? row_scale[i0 + x] * factor : 0.0;
#pragma unroll 8
    for (int q = 0; q < 16; ++q) {
        const int i = i0 + x, j = j0 + 4 * q + y;
        float v = i == j ? 1.0F : 0.0F;
        if (i < n && j < n) v = static_cast<float>(a[j * lda + i] * scale * column_scale[j]);
        tile[4 * q + y][x] = v;
    }
    __syncthreads();
#pragma unroll 8
    for (int q = 0; q < 16; ++q) out[static_cast<long>(i0 + 4 * q + y) * rounded + j0 + x] = tile[x][4 * q + y];
}

} // namespace mantissa::gpu::mixed
