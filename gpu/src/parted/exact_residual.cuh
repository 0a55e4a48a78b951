// The residual that reports state: b - A x with each row formed in twice double precision and rounded once, whatever
// the solver's own rows round.
#pragma once

#include "sync/grid_reduce.cuh"

namespace mantissa::gpu {

#ifdef __CUDACC__

inline __global__ void sum_of_squares(const double* x, long long n, double* partial) {
    __shared__ double scratch[8];
    double s = 0;
    for (long long i = blockIdx.x * 256LL + threadIdx.x; i < n; i += 256LL * gridDim.x) s += x[i] * x[i];
    s = warp_sum(s);
    if ((threadIdx.x & 31) == 0) scratch[threadIdx.x >> 5] = s;
    __syncthreads();
    if (threadIdx.x == 0) {
        s = 0;
        for (double v : scratch) s += v;
        partial[blockIdx.x] = s;
    }
}

/// high + low + x y to about twice double precision (Knuth's sum, and the exact error of a product by a fused one).
inline __device__ void add_product(double x, double y, double& high, double& low) {
    const double product = __dmul_rn(x, y), error = __fma_rn(x, y, -product);
    const double sum = __dadd_rn(high, product), back = __dadd_rn(sum, -high);
    low += __dadd_rn(__dadd_rn(high, -__dadd_rn(sum, -back)), __dadd_rn(product, -back)) + error;
    high = sum;
}

/// defect = b - A x over a grid's points, or a part's. Params: a StreamParams or a GridPart.
template <class Params> __global__ void exact_defect(const Params a, double* defect) {
    const long long points = static_cast<long long>(a.rows) * a.columns;
    for (long long j = blockIdx.x * 256LL + threadIdx.x; j < points; j += 256LL * gridDim.x) {
        const long long y = j / a.columns, i = a.origin + y * a.pitch + j % a.columns;
        double high = a.b[i], low = 0;
        for (int b = 0; b < 9; ++b) {
            const int dx = b % 3 - 1, dy = b / 3 - 1;
            const double c = dx == 0 && dy == 0 ? a.centre : dy == 0 ? a.east : dx == 0 ? a.north : a.diagonal;
            add_product(-c, a.x[i + dy * a.pitch + dx], high, low);
        }
        defect[i] = high + low;
    }
}

#endif

} // namespace mantissa::gpu
