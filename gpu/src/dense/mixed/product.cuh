// C -= L U on the tensor cores: C in float, L and U in 16-bit words, one or two words per element.
#pragma once

#include "hopper.cuh"

namespace mantissa::gpu::mixed {

constexpr int kTile = 128; // rows and columns of C per block
constexpr int kChunk = 64; // k per copy: 128 bytes
constexpr int kProductThreads = 384;
constexpr int kTileBytes = kTile * kChunk * 2;

/// What the number of products settles: tiles per stage (L and U, high and low words), stages under way, and how many
/// chunks the tensor cores sum before float registers take the sum.
template <int Terms> struct ProductShape {
    static constexpr int tiles = Terms == 1 ? 2 : 4, stages = Terms == 1 ? 6 : 3, promote = Terms == 1 ? 4 : 2;
    static constexpr int shared = stages * tiles * kTileBytes + 1024 + 2 * stages * 8;
};

/// The tensors of L (rows of L, k contiguous) and of U's transpose (columns of U, k contiguous), high and low words.
struct Operands {
    CUtensorMap l[2], u[2];
};

/// One 128 x 128 tile of C -= L U per block, at (row0 + 128 blockIdx.x, column0 + 128 blockIdx.y), over k in [0, k).
/// Terms is 1 (high words) or 3 (high high, low high, high low). k is a multiple of 256. Tensor cores cut their sums
/// off, so after some 256 products a sum goes to registers that round to nearest. The blocks of a cluster (of 1, 2 or
/// 4, along z) share a tile's k; the first adds their sums in order.
template <class T, int Terms>
__global__ void __launch_bounds__(kProductThreads, 1)
    subtract_product(const __grid_constant__ Operands operands, float* __restrict__ c, long ldc, int row0, int column0,
                     int k) {
    using Shape = ProductShape<Terms>;
    constexpr int kStageBytes = Shape::tiles * kTileBytes;
    extern __shared__ unsigned char raw[];
    unsigned char* const base =
        reinterpret_cast<unsigned char*>((reinterpret_cast<std::uintptr_t>(raw) + 1023) & ~std::uintptr_t{1023});
    auto* const full = reinterpret_cast<std::uint64_t*>(base + Shape::stages * kStageBytes);
    std::uint64_t* const empty = full + Shape::stages;
    const int row = row0 + static_cast<int>(blockIdx.x) * kTile,
              column = column0 + static_cast<int>(blockIdx.y) * kTile;
    const int parts = static_cast<int>(cluster_size()), part_rank = static_cast<int>(cluster_rank());
    const int first = k / 256 * part_rank / parts * (256 / kChunk);
    const int chunks = k / 256 * (part_rank + 1) / parts * (256 / kChunk) - first;
    if (threadIdx.x == 0) {
        for (int s = 0; s < Shape::stages; ++s) {
            barrier_init(full + s, 1);
            barrier_init(empty + s, 8);
        }
        fence_barriers();
    }
    __syncthreads();
    begin_after_earlier();
    const int group = static_cast<int>(threadIdx.x) / 128;
    if (group == 0) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
        if (threadIdx.x == 0) {
            int stage = 0;
            unsigned parity = 1;
            for (int i = 0; i < chunks; ++i) {
                barrier_wait(empty + stage, parity);
                barrier_expect(full + stage, kStageBytes);
                unsigned char* const to = base + stage * kStageBytes;
#pragma unroll
                for (int w = 0; w < Shape::tiles / 2; ++w) {
                    copy_box(to + 2 * w * kTileBytes, &operands.l[w], (first + i) * kChunk, row, full + stage);
                    copy_box(to + (2 * w + 1) * kTileBytes, &operands.u[w], (first + i) * kChunk, column, full + stage);
                }
                if (++stage == Shape::stages) stage = 0, parity ^= 1;
            }
        }
        __syncwarp();
        if (parts > 1) cluster_meet(), cluster_meet();
    } else {
        asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
        const int warp = (static_cast<int>(threadIdx.x) / 32) & 3, lane = static_cast<int>(threadIdx.x) & 31;
        float* const mine =
            c + static_cast<long>(row + (group - 1) * 64 + warp * 16 + lane / 4) * ldc + column + (lane & 3) * 2;
        float sum[64], part[64];
#pragma unroll
        for (int j = 0; j < 16; ++j)
#pragma unroll
            for (int h = 0; h < 2; ++h) {
                const float2 v = part_rank == 0 ? *reinterpret_cast<const float2*>(mine + 8 * h * ldc + 8 * j)
                                                : make_float2(0.0F, 0.0F);
                sum[4 * j + 2 * h] = v.x;
                sum[4 * j + 2 * h + 1] = v.y;
            }
        int stage = 0, previous = 0;
        unsigned parity = 0;
        for (int i = 0; i < chunks; i += Shape::promote) {
#pragma unroll
            for (int s = 0; s < Shape::promote; ++s) {
                barrier_wait(full + stage, parity);
                unsigned char* const from = base + stage * kStageBytes;
                matrix_fence();
#pragma unroll
                for (int term = Terms - 1; term >= 0; --term) { // small products first
                    const std::uint64_t a =
                        tile_descriptor(from + (term == 1 ? 2 * kTileBytes : 0) + (group - 1) * 64 * 128);
                    const std::uint64_t b = tile_descriptor(from + kTileBytes + (term == 2 ? 2 * kTileBytes : 0));
#pragma unroll
                    for (int q = 0; q < kChunk / 16; ++q)
                        subtract_tile<T>(part, a + static_cast<unsigned>(2 * q), b + static_cast<unsigned>(2 * q),
                                         s + q != 0 || term != Terms - 1);
                }
                matrix_commit();
                if (s != 0) {
                    matrix_wait<1>();
                    if (lane == 0) barrier_arrive(empty + previous);
                }
                previous = stage;
                if (++stage == Shape::stages) stage = 0, parity ^= 1;
            }
            matrix_wait<0>();
            if (lane == 0) barrier_arrive(empty + previous);
#pragma unroll
            for (int j = 0; j < 64; ++j) sum[j] += part[j];
        }
        if (parts > 1) {
            // The first block's stages are free once all have met: the others leave their sums there.
            float* const words = reinterpret_cast<float*>(base) + 4 * (static_cast<int>(threadIdx.x) - 128);
            cluster_meet();
            if (part_rank > 0)
#pragma unroll
                for (int j = 0; j < 16; ++j)
                    store_at(words + ((part_rank - 1) * 16 + j) * 1024, 0,
                             make_float4(sum[4 * j], sum[4 * j + 1], sum[4 * j + 2], sum[4 * j + 3]));
            cluster_meet();
            if (part_rank > 0) return;
            for (int other = 0; other < parts - 1; ++other)
#pragma unroll
                for (int j = 0; j < 16; ++j) {
                    const float4 v = *reinterpret_cast<const float4*>(words + (other * 16 + j) * 1024);
                    sum[4 * j] += v.x, sum[4 * j + 1] += v.y, sum[4 * j + 2] += v.z, sum[4 * j + 3] += v.w;
                }
        }
#pragma unroll
        for (int j = 0; j < 16; ++j)
#pragma unroll
            for (int h = 0; h < 2; ++h)
                *reinterpret_cast<float2*>(mine + 8 * h * ldc + 8 * j) =
                    make_float2(sum[4 * j + 2 * h], sum[4 * j + 2 * h + 1]);
    }
}

} // namespace mantissa::gpu::mixed
