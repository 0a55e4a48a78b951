// Sums of blocks that the next kernel adds up: each block leaves its own in a place of its own, so that a total has one
// order whatever the blocks' speed.
#pragma once

#include "sync/grid_reduce.cuh"

namespace mantissa::gpu {

#ifdef __CUDACC__

/// The sums of a block of Threads threads' values to the block's places.
template <int Threads, int N>
__device__ __forceinline__ void leave_sums(const double (&value)[N], double* const (&place)[N]) {
    __shared__ double scratch[N][Threads / 32];
#pragma unroll
    for (int k = 0; k < N; ++k) {
        const double sum = warp_sum(value[k]);
        if ((threadIdx.x & 31) == 0) scratch[k][threadIdx.x >> 5] = sum;
    }
    __syncthreads();
    if (threadIdx.x >= N) return;
    double sum = 0;
    for (int w = 0; w < Threads / 32; ++w) sum += scratch[threadIdx.x][w];
    place[threadIdx.x][blockIdx.x] = sum;
}

/// Totals of up to eight sums that so many blocks left, the same for all threads of all blocks. At least N warps.
template <int N>
__device__ __forceinline__ void totals(const double* const (&sums)[N], unsigned blocks, double (&total)[N]) {
    __shared__ double shared[N];
    const int warp = threadIdx.x >> 5, lane = threadIdx.x & 31;
    if (warp < N) {
        double s = 0;
#pragma unroll 8
        for (unsigned i = lane; i < blocks; i += 32) s += sums[warp][i];
        s = warp_sum(s);
        if (lane == 0) shared[warp] = s;
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < N; ++k) total[k] = shared[k];
}

#endif

} // namespace mantissa::gpu
