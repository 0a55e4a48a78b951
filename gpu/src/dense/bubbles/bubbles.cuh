// Kernels of bubble cells: the systems, their residuals and the flow.
#pragma once

#include <cuda_runtime.h>

#include "launches.hpp"

namespace mantissa::gpu::bubbles {

/// One cell's geometry in shared memory.
template <class T> struct Cell {
    const T *centre, *normal, *drive;
    T radius, vx, vy;

    __device__ Cell(const Geometry<T>& g, int system, T* shared) {
        const T* const cell = g.cells + static_cast<long long>(system) * g.cell_size();
        T* const n = shared + 2 * g.m;
        T* const d = n + 2 * g.k;
        radius = cell[2 * g.m];
        vx = cell[2 * g.m + 1];
        vy = cell[2 * g.m + 2];
        for (int i = static_cast<int>(threadIdx.x); i < 2 * g.m; i += static_cast<int>(blockDim.x)) shared[i] = cell[i];
        for (int i = static_cast<int>(threadIdx.x); i < g.k; i += static_cast<int>(blockDim.x)) {
            n[2 * i] = g.normals[2 * i];
            n[2 * i + 1] = g.normals[2 * i + 1];
            d[i] = fma(vx, n[2 * i], vy * n[2 * i + 1]);
        }
        centre = shared;
        normal = n;
        drive = d;
        __syncthreads();
    }
};

/// Row i of A, left to right, handed to `element(value)`; returns b_i.
template <class T, class Element>
__device__ __forceinline__ T form_row(const Geometry<T>& g, const Cell<T>& cell, int i, Element&& element) {
    const int own = i / g.k, at = i % g.k;
    const T a = cell.radius, nix = cell.normal[2 * at], niy = cell.normal[2 * at + 1];
    const T cix = cell.centre[2 * own], ciy = cell.centre[2 * own + 1];
    const T part = a / T(g.k); // h / (2 pi)
    T sum = 0;
    for (int l = 0; l < g.m; ++l) {
        if (l == own) {
            for (int e = 0; e < g.k; ++e) element(e == at ? T(0.5) : T(0));
            continue;
        }
        // x_j - x_i, by centres and normals: nothing cancels.
        const T cx = cell.centre[2 * l] - cix, cy = cell.centre[2 * l + 1] - ciy;
        T circle = 0;
#pragma unroll 4
        for (int e = 0; e < g.k; ++e) {
            const T nx = cell.normal[2 * e], ny = cell.normal[2 * e + 1];
            const T dx = fma(a, nx - nix, cx), dy = fma(a, ny - niy, cy), square = fma(dx, dx, dy * dy);
            element(part * fma(dx, nx, dy * ny) / square);
            circle = fma(log(square), cell.drive[e], circle);
        }
        sum += circle;
    }
    return fma(part / 2, sum, -(a / 2 * cell.drive[at])); // the same bits wherever it is formed
}

/// Rows of blockIdx.x of system blockIdx.y.
template <class T>
__global__ void __launch_bounds__(256) assemble(Geometry<T> g, T* all, int lda, long long stride, T* rhs) {
    extern __shared__ __align__(16) unsigned char raw[];
    const int system = static_cast<int>(blockIdx.y), n = g.unknowns();
    const Cell<T> cell(g, system, reinterpret_cast<T*>(raw));
    const int i = static_cast<int>(blockIdx.x * 256 + threadIdx.x);
    if (i >= n) return;
    T* to = all + system * stride + i;
    rhs[static_cast<long long>(system) * n + i] = form_row(g, cell, i, [&](T value) {
        *to = value;
        to += lda;
    });
}

/// Sum of a block of 256 threads, in the same order always; every thread gets it.
__device__ __forceinline__ double block_sum(double value, double* scratch) {
    const int t = static_cast<int>(threadIdx.x);
    __syncthreads();
    scratch[t] = value;
    for (int s = 128; s > 0; s >>= 1) {
        __syncthreads();
        if (t < s) scratch[t] += scratch[t + s];
    }
    __syncthreads();
    return scratch[0];
}

/// u of system blockIdx.x.
template <class T> __global__ void __launch_bounds__(256) mean_flow(Geometry<T> g, const T* q, double* flow) {
    constexpr double kTurn = 6.283185307179586;
    __shared__ double scratch[256];
    const int system = static_cast<int>(blockIdx.x), n = g.unknowns(), t = static_cast<int>(threadIdx.x);
    const T* const mine = q + static_cast<long long>(system) * n;
    double x = 0, y = 0;
    for (int j = t; j < n; j += 256) {
        x -= static_cast<double>(g.normals[2 * (j % g.k)]) * static_cast<double>(mine[j]);
        y -= static_cast<double>(g.normals[2 * (j % g.k) + 1]) * static_cast<double>(mine[j]);
    }
    x = block_sum(x, scratch);
    y = block_sum(y, scratch);
    const double h =
        kTurn * static_cast<double>(g.cells[static_cast<long long>(system) * g.cell_size() + 2 * g.m]) / g.k;
    if (t < 2) flow[2 * system + t] = h * (t == 0 ? x : y);
}

/// See launch_judge_rows().
template <class T> __global__ void __launch_bounds__(256) judge_rows(Geometry<T> g, const T* q, RowJudgement* rows) {
    extern __shared__ __align__(16) unsigned char raw[];
    const int system = static_cast<int>(blockIdx.y), n = g.unknowns();
    const Cell<T> cell(g, system, reinterpret_cast<T*>(raw));
    const int i = static_cast<int>(blockIdx.x * 256 + threadIdx.x);
    if (i >= n) return;
    const T* const mine = q + static_cast<long long>(system) * n;
    double product = 0, norm = 0;
    int j = 0;
    const double b = static_cast<double>(form_row(g, cell, i, [&](T value) {
        product = fma(static_cast<double>(value), static_cast<double>(mine[j++]), product);
        norm += fabs(static_cast<double>(value));
    }));
    rows[static_cast<long long>(system) * n + i] = {fabs(b - product), norm, fabs(b),
                                                    fabs(static_cast<double>(mine[i]))};
}

} // namespace mantissa::gpu::bubbles
