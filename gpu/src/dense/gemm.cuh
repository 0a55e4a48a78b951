// C -= A B for the trailing matrix: C and A column-major, B row-major (the solved band as swap_and_solve leaves it), so
// that both operands come into shared memory by 16-byte asynchronous copies as they lie.
#pragma once

#include <cstddef>
#include <cstdint>

#include <cuda_runtime.h>

#include "steps.hpp"

namespace mantissa::gpu::dense {

/// Sixteen bytes from global to shared memory, those after the first `bytes` as zeros.
__device__ __forceinline__ void copy_16(void* to, const void* from, int bytes) {
    asm volatile(
        "cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(static_cast<std::uint32_t>(__cvta_generic_to_shared(to))),
        "l"(from), "r"(bytes)
        : "memory");
}

/// A tile of M x N, `Depth` deep a stage; threads hold TM x TN elements of C each, in pieces of 16 bytes of a column.
template <class T, int M, int N, int Depth, int TM, int TN, int Stages> struct UpdateShape {
    static constexpr int kThreads = (M / TM) * (N / TN);
    static constexpr std::size_t kShared = sizeof(T) * Stages * Depth * (M + N);
};

template <class T, int M, int N, int Depth, int TM, int TN, int Stages>
__global__ void __launch_bounds__((M / TM) * (N / TN)) update(const UpdateTask<T> task) {
    constexpr int kPiece = 16 / sizeof(T), kThreads = (M / TM) * (N / TN);
    constexpr int kAcross = M / TM, kPiecesM = TM / kPiece, kPiecesN = TN / kPiece;
    extern __shared__ __align__(16) unsigned char memory[];
    T* const tile_a = reinterpret_cast<T*>(memory); // [stage][depth][M]
    T* const tile_b = tile_a + Stages * Depth * M;  // [stage][depth][N]
    const int thread = static_cast<int>(threadIdx.x);
    const int row0 = static_cast<int>(blockIdx.x) * M, column0 = static_cast<int>(blockIdx.y) * N;

    cudaGridDependencySynchronize();
    // The tile of C is wanted at the end: ask for it now.
    for (int i = thread; i < N * (M * int(sizeof(T)) / 128); i += kThreads) {
        const int column = column0 + i / (M * int(sizeof(T)) / 128),
                  row = row0 + i % (M * int(sizeof(T)) / 128) * (128 / int(sizeof(T)));
        if (column < task.columns && row < task.rows)
            asm volatile("prefetch.global.L2 [%0];" ::"l"(task.c + row + column * task.c_stride));
    }
    const auto load = [&](int stage, int from) {
#pragma unroll
        for (int i = thread; i < Depth * M / kPiece; i += kThreads) {
            const int k = i / (M / kPiece), r = i % (M / kPiece) * kPiece;
            const int valid = from + k < task.depth ? min(kPiece, task.rows - row0 - r) : 0;
            const bool any = valid > 0;
            copy_16(&tile_a[(stage * Depth + k) * M + r], task.a + (any ? row0 + r + (from + k) * task.a_stride : 0),
                    any ? valid * int(sizeof(T)) : 0);
        }
#pragma unroll
        for (int i = thread; i < Depth * N / kPiece; i += kThreads) {
            const int k = i / (N / kPiece), c = i % (N / kPiece) * kPiece;
            const int valid = from + k < task.depth ? min(kPiece, task.columns - column0 - c) : 0;
            const bool any = valid > 0;
            copy_16(&tile_b[(stage * Depth + k) * N + c], task.b + (any ? (from + k) * task.b_stride + column0 + c : 0),
                    any ? valid * int(sizeof(T)) : 0);
        }
        asm volatile("cp.async.commit_group;" ::: "memory");
    };
    const int steps = (task.depth + Depth - 1) / Depth;
#pragma unroll
    for (int s = 0; s < Stages - 1; ++s) {
        if (s < steps) load(s, s * Depth);
        else asm volatile("cp.async.commit_group;" ::: "memory");
    }
    const int tr = thread % kAcross * kPiece, tc = thread / kAcross * kPiece;
    T sum[TN][TM];
#pragma unroll
    for (int j = 0; j < TN; ++j)
#pragma unroll
        for (int i = 0; i < TM; ++i) sum[j][i] = T(0);
    for (int step = 0; step < steps; ++step) {
        asm volatile("cp.async.wait_group %0;" ::"n"(Stages - 2) : "memory");
        __syncthreads();
        if (const int ahead = step + Stages - 1; ahead < steps) load(ahead % Stages, ahead * Depth);
        else asm volatile("cp.async.commit_group;" ::: "memory");
        const T* const at = tile_a + step % Stages * Depth * M;
        const T* const bt = tile_b + step % Stages * Depth * N;
#pragma unroll
        for (int k = 0; k < Depth; ++k) {
            T x[TM], y[TN];
#pragma unroll
            for (int p = 0; p < kPiecesM; ++p)
                *reinterpret_cast<uint4*>(&x[p * kPiece]) =
                    *reinterpret_cast<const uint4*>(&at[k * M + p * (M / kPiecesM) + tr]);
#pragma unroll
            for (int p = 0; p < kPiecesN; ++p)
                *reinterpret_cast<uint4*>(&y[p * kPiece]) =
                    *reinterpret_cast<const uint4*>(&bt[k * N + p * (N / kPiecesN) + tc]);
#pragma unroll
            for (int j = 0; j < TN; ++j)
#pragma unroll
                for (int i = 0; i < TM; ++i) sum[j][i] += x[i] * y[j];
        }
    }
    cudaTriggerProgrammaticLaunchCompletion();
    // C is read in groups of columns before any of a group is written: the reads of a group are under way together.
    constexpr int kGroup = TN < 4 ? TN : 4;
#pragma unroll
    for (int j0 = 0; j0 < TN; j0 += kGroup) {
        T c[kGroup][TM];
#pragma unroll
        for (int j = 0; j < kGroup; ++j) {
            const int column = column0 + (j0 + j) / kPiece * (N / kPiecesN) + tc + (j0 + j) % kPiece;
#pragma unroll
            for (int p = 0; p < kPiecesM; ++p) {
                const int row = row0 + p * (M / kPiecesM) + tr;
                const T* const at = task.c + row + column * task.c_stride;
                if (column < task.columns && row + kPiece <= task.rows)
                    *reinterpret_cast<uint4*>(&c[j][p * kPiece]) = *reinterpret_cast<const uint4*>(at);
            }
        }
#pragma unroll
        for (int j = 0; j < kGroup; ++j) {
            const int column = column0 + (j0 + j) / kPiece * (N / kPiecesN) + tc + (j0 + j) % kPiece;
#pragma unroll
            for (int p = 0; p < kPiecesM; ++p) {
                const int row = row0 + p * (M / kPiecesM) + tr;
                T* const at = task.c + row + column * task.c_stride;
                if (column >= task.columns) continue;
                if (row + kPiece <= task.rows) {
#pragma unroll
                    for (int e = 0; e < kPiece; ++e) c[j][p * kPiece + e] -= sum[j0 + j][p * kPiece + e];
                    *reinterpret_cast<uint4*>(at) = *reinterpret_cast<const uint4*>(&c[j][p * kPiece]);
                } else {
#pragma unroll
                    for (int e = 0; e < kPiece; ++e)
                        if (row + e < task.rows) at[e] -= sum[j0 + j][p * kPiece + e];
                }
            }
        }
    }
}

} // namespace mantissa::gpu::dense
