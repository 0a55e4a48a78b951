// The rest of a block of 256 columns after one of its panels: C -= L U in float, with the 32 columns of the panel.
#pragma once

#include "panel.cuh"

namespace mantissa::gpu::mixed {

/// Grid: (rows after the panel / 128 upwards, columns after it in the block / 32); 128 threads with 8 x 4 words each.
__global__ void __launch_bounds__(128) update_block(float* __restrict__ a, long ld, int k, int rows) {
    __shared__ __align__(16) float l[kPanel][128 + 4];
    __shared__ __align__(16) float u[kPanel][32];
    begin_after_earlier();
    const int t = static_cast<int>(threadIdx.x), tile = static_cast<int>(blockIdx.x) * 128;
    const int column = k + kPanel + 32 * static_cast<int>(blockIdx.y);
    float* const below = a + static_cast<long>(k + kPanel + tile) * ld;
    const bool here = tile + t < rows;
    const float4* const from = reinterpret_cast<const float4*>(below + t * ld + k);
#pragma unroll
    for (int q = 0; q < 8; ++q) {
        const float4 v = here ? from[q] : make_float4(0, 0, 0, 0);
        l[4 * q][t] = v.x, l[4 * q + 1][t] = v.y, l[4 * q + 2][t] = v.z, l[4 * q + 3][t] = v.w;
    }
#pragma unroll
    for (int i = 0; i < 2; ++i) {
        const int item = i * 128 + t;
        *reinterpret_cast<float4*>(&u[item / 8][4 * (item & 7)]) =
            *reinterpret_cast<const float4*>(a + (k + item / 8) * ld + column + 4 * (item & 7));
    }
    const int x = 4 * (t & 7), y = 8 * (t / 8);
    float* const out = below + y * ld + column + x;
    float4 c[8];
#pragma unroll
    for (int i = 0; i < 8; ++i)
        c[i] = tile + y + i < rows ? *reinterpret_cast<const float4*>(out + i * ld) : make_float4(0, 0, 0, 0);
    __syncthreads();
#pragma unroll 8
    for (int q = 0; q < kPanel; ++q) {
        const float4 v = *reinterpret_cast<const float4*>(&u[q][x]);
        const float4 w0 = *reinterpret_cast<const float4*>(&l[q][y]),
                     w1 = *reinterpret_cast<const float4*>(&l[q][y + 4]);
        const float w[8] = {w0.x, w0.y, w0.z, w0.w, w1.x, w1.y, w1.z, w1.w};
#pragma unroll
        for (int i = 0; i < 8; ++i) {
            c[i].x = fmaf(-w[i], v.x, c[i].x);
            c[i].y = fmaf(-w[i], v.y, c[i].y);
            c[i].z = fmaf(-w[i], v.z, c[i].z);
            c[i].w = fmaf(-w[i], v.w, c[i].w);
        }
    }
#pragma unroll
    for (int i = 0; i < 8; ++i)
        if (tile + y + i < rows) *reinterpret_cast<float4*>(out + i * ld) = c[i];
}

} // namespace mantissa::gpu::mixed
