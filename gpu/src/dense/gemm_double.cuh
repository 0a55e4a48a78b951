// C -= A B in double by double tensor cores: the same operands and shared-memory stages as gemm.cuh, the products by
// mma.m16n8k8. Double tensor cores round each fused multiply-add to nearest as the ordinary units do.
#pragma once

#include "gemm.cuh"

namespace mantissa::gpu::dense {

/// A tile of M x N by warps of 32 x 32. Columns of the tiles in shared memory are 4 doubles longer than needed, which
/// puts the 16 words that half a warp reads into different banks.
template <int M, int N, int Depth, int Stages> struct TensorShape {
    static constexpr int kThreads = M / 32 * (N / 32) * 32;
    static constexpr int kPitchM = M + 4, kPitchN = N + 4;
    static constexpr std::size_t kShared = sizeof(double) * Stages * Depth * (kPitchM + kPitchN);
};

__device__ __forceinline__ void multiply_16x8x8(double (&d)[4], const double (&a)[4], const double (&b)[2]) {
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
                 "{%0, %1, %2, %3};"
                 : "+d"(d[0]), "+d"(d[1]), "+d"(d[2]), "+d"(d[3])
                 : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(b[0]), "d"(b[1]));
}

template <int M, int N, int Depth, int Stages>
__global__ void __launch_bounds__((TensorShape<M, N, Depth, Stages>::kThreads))
    update_by_tensor_cores(const UpdateTask<double> task) {
    using Shape = TensorShape<M, N, Depth, Stages>;
    constexpr int kThreads = Shape::kThreads, kPitchM = Shape::kPitchM, kPitchN = Shape::kPitchN;
    extern __shared__ __align__(16) unsigned char memory[];
    double* const tile_a = reinterpret_cast<double*>(memory); // [stage][depth][kPitchM]
    double* const tile_b = tile_a + Stages * Depth * kPitchM; // [stage][depth][kPitchN]
    const int thread = static_cast<int>(threadIdx.x), lane = thread & 31, warp = thread >> 5;
    const int row0 = static_cast<int>(blockIdx.x) * M, column0 = static_cast<int>(blockIdx.y) * N;
    for (int i = thread; i < N * (M / 16); i += kThreads) { // the tile of C is wanted at the end: ask for it now
        const int column = column0 + i / (M / 16), row = row0 + i % (M / 16) * 16;
        if (column < task.columns && row < task.rows)
            asm volatile("prefetch.global.L2 [%0];" ::"l"(task.c + row + column * task.c_stride));
    }
    const auto load = [&](int stage, int from) {
#pragma unroll
        for (int i = thread; i < Depth * M / 2; i += kThreads) {
            const int k = i / (M / 2), r = i % (M / 2) * 2;
            const int valid = from + k < task.depth ? min(2, task.rows - row0 - r) : 0;
            copy_16(&tile_a[(stage * Depth + k) * kPitchM + r],
                    task.a + (valid > 0 ? row0 + r + (from + k) * task.a_stride : 0), valid > 0 ? valid * 8 : 0);
        }
#pragma unroll
        for (int i = thread; i < Depth * N / 2; i += kThreads) {
            const int k = i / (N / 2), c = i % (N / 2) * 2;
            const int valid = from + k < task.depth ? min(2, task.columns - column0 - c) : 0;
            copy_16(&tile_b[(stage * Depth + k) * kPitchN + c],
                    task.b + (valid > 0 ? (from + k) * task.b_stride + column0 + c : 0), valid > 0 ? valid * 8 : 0);
        }
        asm volatile("cp.async.commit_group;" ::: "memory");
    };
    const int steps = (task.depth + Depth - 1) / Depth;
#pragma unroll
    for (int s = 0; s < Stages - 1; ++s) {
        if (s < steps) load(s, s * Depth);
        else asm volatile("cp.async.commit_group;" ::: "memory");
    }
    const int group = lane >> 2, member = lane & 3;
    const int warp_row = warp % (M / 32) * 32, warp_column = warp / (M / 32) * 32;
    double sum[2][4][4] = {};
    for (int step = 0; step < steps; ++step) {
        asm volatile("cp.async.wait_group %0;" ::"n"(Stages - 2) : "memory");
        __syncthreads();
        if (const int ahead = step + Stages - 1; ahead < steps) load(ahead % Stages, ahead * Depth);
        else asm volatile("cp.async.commit_group;" ::: "memory");
        const double* const at = tile_a + step % Stages * Depth * kPitchM + warp_row + group;
        const double* const bt = tile_b + step % Stages * Depth * kPitchN + warp_column + group;
#pragma unroll
        for (int k = 0; k < Depth; k += 8) {
            double a[2][4], b[4][2];
#pragma unroll
            for (int i = 0; i < 2; ++i)
#pragma unroll
                for (int e = 0; e < 4; ++e) a[i][e] = at[(k + member + e / 2 * 4) * kPitchM + 16 * i + e % 2 * 8];
#pragma unroll
            for (int j = 0; j < 4; ++j)
#pragma unroll
                for (int e = 0; e < 2; ++e) b[j][e] = bt[(k + member + 4 * e) * kPitchN + 8 * j];
#pragma unroll
            for (int i = 0; i < 2; ++i)
#pragma unroll
                for (int j = 0; j < 4; ++j) multiply_16x8x8(sum[i][j], a[i], b[j]);
        }
    }
    // C is read in two groups before any of a group is written.
#pragma unroll
    for (int i = 0; i < 2; ++i) {
        double c[4][4];
        const auto each = [&](auto&& work) {
#pragma unroll
            for (int j = 0; j < 4; ++j)
#pragma unroll
                for (int e = 0; e < 4; ++e) {
                    const int column = column0 + warp_column + 8 * j + 2 * member + e % 2;
                    const int row = row0 + warp_row + 16 * i + e / 2 * 8 + group;
                    if (column < task.columns && row < task.rows)
                        work(c[j][e], sum[i][j][e], task.c[row + column * task.c_stride]);
                }
        };
        each([](double& was, double, const double& at) { was = at; });
        each([](const double& was, double product, double& at) { at = was - product; });
    }
}

} // namespace mantissa::gpu::dense
