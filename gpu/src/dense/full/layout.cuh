// Between matrices by rows, as the host has them, and by columns, as the dense kernels do.
#pragma once

#include <cstddef>

namespace mantissa::gpu::dense {

#ifdef __CUDACC__

/// By rows to by columns, with zeros after the last row.
template <class T> __global__ void by_columns(const T* from, int rows, int columns, T* to, long long pitch) {
    __shared__ T tile[32][33];
    const int i0 = blockIdx.y * 32, j0 = blockIdx.x * 32;
    for (int r = threadIdx.y; r < 32; r += blockDim.y) {
        const int i = i0 + r, j = j0 + threadIdx.x;
        tile[r][threadIdx.x] = i < rows && j < columns ? from[static_cast<long long>(i) * columns + j] : T(0);
    }
    __syncthreads();
    for (int c = threadIdx.y; c < 32; c += blockDim.y) {
        const int j = j0 + c, i = i0 + threadIdx.x;
        if (j < columns && i < pitch) to[j * pitch + i] = tile[threadIdx.x][c];
    }
}

#endif

constexpr unsigned divided(std::size_t a, std::size_t b) {
    return static_cast<unsigned>((a + b - 1) / b);
}

} // namespace mantissa::gpu::dense
