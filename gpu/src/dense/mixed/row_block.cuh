// What follows a block of 256 columns: the row swaps of the columns beside it, the block's words for the tensor cores,
// and the 256 rows of U.
#pragma once

#include "panel.cuh"
#include "short_words.cuh"

namespace mantissa::gpu::mixed {

/// A stretch of rows whose pieces move with the rows: `pieces` pieces of 128 bytes from `base` on.
struct Stretch {
    unsigned char* base;
    long pitch; ///< bytes from a row to the next
    int pieces;
};
struct MoveTask {
    Stretch stretch[4];
    int block;
    const int* source;
    const int* touched;
    const FactorState* state;
};

/// One block of 512 threads per piece: reads every row that moves, then writes them. Twice the same row is no harm.
__global__ void __launch_bounds__(512) move_rows(const MoveTask task) {
    begin_after_earlier();
    int piece = static_cast<int>(blockIdx.x), which = 0;
    while (piece >= task.stretch[which].pieces) piece -= task.stretch[which++].pieces;
    unsigned char* const base = task.stretch[which].base + piece * 128L + (threadIdx.x & 7) * 16;
    const long pitch = task.stretch[which].pitch;
    const int count = kBlock + task.state->touched, first = static_cast<int>(threadIdx.x) / 8;
    float4 v[8];
    int to[8];
#pragma unroll
    for (int i = 0; i < 8; ++i) {
        const int m = first + 64 * i;
        to[i] = -1;
        if (m >= count) continue;
        const int row = m < kBlock ? task.block + m : task.touched[m - kBlock];
        const int from = task.source[row];
        if (from == row) continue;
        to[i] = row;
        v[i] = *reinterpret_cast<const float4*>(base + from * pitch);
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 8; ++i)
        if (to[i] >= 0) *reinterpret_cast<float4*>(base + to[i] * pitch) = v[i];
}

/// Rows `row0`.. of the block's 256 columns become L's words: a warp per row, eight columns a thread.
template <class T>
__global__ void __launch_bounds__(256) shorten_block(const float* __restrict__ a, long ld, int row0, int block,
                                                     int rows, T* __restrict__ high, T* __restrict__ low) {
    begin_after_earlier();
    const int row = static_cast<int>(blockIdx.x) * 8 + static_cast<int>(threadIdx.x) / 32;
    if (row >= rows) return;
    const long at = (row0 + row) * ld + block + 8 * (threadIdx.x & 31);
    const float4* const from = reinterpret_cast<const float4*>(a + at);
    const float4 v[2] = {from[0], from[1]};
    const float x[8] = {v[0].x, v[0].y, v[0].z, v[0].w, v[1].x, v[1].y, v[1].z, v[1].w};
    union {
        T word[8];
        float4 all;
    } h, l;
#pragma unroll
    for (int i = 0; i < 8; ++i) {
        const Split<T> s = split<T>(x[i]);
        h.word[i] = s.high;
        l.word[i] = s.low;
    }
    *reinterpret_cast<float4*>(high + at) = h.all;
    if (low != nullptr) *reinterpret_cast<float4*>(low + at) = l.all;
}

constexpr int kSolveColumns = 64;
constexpr int kSolveStride =
    36; // words of a transposed column of L: 32 rows and a gap that keeps 16-byte words aligned
constexpr int kSolveShared = 4 * (kBlock * kSolveColumns + kBlock * kSolveStride);

/// Rows of U for 64 columns a block, from column `first` on: U = L^-1 A over the block's 256 rows, in float; written
/// back in float, and as words into U's transpose (row = column of U, `ld` words). `overflow` is set when a word of U
/// is not finite.
template <class T>
__global__ void __launch_bounds__(256)
    solve_rows(float* __restrict__ a, long ld, int block, int first, T* __restrict__ high, T* __restrict__ low,
               int* __restrict__ overflow) {
    extern __shared__ __align__(16) float words[];
    begin_after_earlier();
    float* const y = words;                          // [256][64]
    float* const l = words + kBlock * kSolveColumns; // [k][36]: 32 rows of L, transposed
    const int t = static_cast<int>(threadIdx.x), column0 = first + kSolveColumns * static_cast<int>(blockIdx.x);
    // Each half of the threads sums over every other row of what is solved.
    const int half = t / 128, tx = 4 * (t & 15), ty = 4 * ((t & 127) / 16);
    for (int b = 0; b < kBlock; b += 32) {
        const float* const row = a + (block + b + (t & 31)) * ld + block;
        for (int q = 4 * (t / 32); q < b + 32; q += 32) {
            const float4 v = *reinterpret_cast<const float4*>(row + q);
            float* const to = l + q * kSolveStride + (t & 31);
            to[0] = v.x, to[kSolveStride] = v.y, to[2 * kSolveStride] = v.z, to[3 * kSolveStride] = v.w;
        }
        float4 c[4];
#pragma unroll
        for (int i = 0; i < 4; ++i)
            c[i] = half == 0 ? *reinterpret_cast<const float4*>(a + (block + b + ty + i) * ld + column0 + tx)
                             : make_float4(0, 0, 0, 0);
        __syncthreads();
#pragma unroll 8
        for (int q = half; q < b; q += 2) {
            const float4 v = *reinterpret_cast<const float4*>(y + q * kSolveColumns + tx);
            const float4 w4 = *reinterpret_cast<const float4*>(l + q * kSolveStride + ty);
            const float w[4] = {w4.x, w4.y, w4.z, w4.w};
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                c[i].x = fmaf(-w[i], v.x, c[i].x);
                c[i].y = fmaf(-w[i], v.y, c[i].y);
                c[i].z = fmaf(-w[i], v.z, c[i].z);
                c[i].w = fmaf(-w[i], v.w, c[i].w);
            }
        }
        if (half == 1)
#pragma unroll
            for (int i = 0; i < 4; ++i) *reinterpret_cast<float4*>(y + (b + ty + i) * kSolveColumns + tx) = c[i];
        __syncthreads();
        if (half == 0)
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                float4* const to = reinterpret_cast<float4*>(y + (b + ty + i) * kSolveColumns + tx);
                const float4 v = *to;
                *to = make_float4(c[i].x + v.x, c[i].y + v.y, c[i].z + v.z, c[i].w + v.w);
            }
        __syncthreads();
        if (t < kSolveColumns) {
            float x[32];
#pragma unroll
            for (int r = 0; r < 32; ++r) x[r] = y[(b + r) * kSolveColumns + t];
#pragma unroll
            for (int q = 0; q < 31; ++q)
#pragma unroll
                for (int r4 = 0; r4 < 8; ++r4) {
                    if (4 * r4 + 3 <= q) continue;
                    const float4 w = *reinterpret_cast<const float4*>(l + (b + q) * kSolveStride + 4 * r4);
                    if (4 * r4 > q) x[4 * r4] = fmaf(-w.x, x[q], x[4 * r4]);
                    if (4 * r4 + 1 > q) x[4 * r4 + 1] = fmaf(-w.y, x[q], x[4 * r4 + 1]);
                    if (4 * r4 + 2 > q) x[4 * r4 + 2] = fmaf(-w.z, x[q], x[4 * r4 + 2]);
                    if (4 * r4 + 3 > q) x[4 * r4 + 3] = fmaf(-w.w, x[q], x[4 * r4 + 3]);
                }
            const long at = static_cast<long>(column0 + t) * ld + block + b;
            bool bad = false;
#pragma unroll
            for (int g = 0; g < 4; ++g) {
                union {
                    T word[8];
                    float4 all;
                } h, s;
#pragma unroll
                for (int r = 0; r < 8; ++r) {
                    const float value = x[8 * g + r];
                    y[(b + 8 * g + r) * kSolveColumns + t] = value;
                    a[(block + b + 8 * g + r) * ld + column0 + t] = value;
                    const Split<T> parts = split<T>(value);
                    h.word[r] = parts.high, s.word[r] = parts.low;
                    bad = bad || !(fabsf(to_float(parts.high)) <= 3.4e38F);
                }
                *reinterpret_cast<float4*>(high + at + 8 * g) = h.all;
                if (low != nullptr) *reinterpret_cast<float4*>(low + at + 8 * g) = s.all;
            }
            if (bad) *overflow = 1;
        }
        __syncthreads();
    }
}

} // namespace mantissa::gpu::mixed
