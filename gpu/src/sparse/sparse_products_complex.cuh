// Products with complex 2 x 2 blocks [[x, -y], [y, x]] as functions of a whole grid, as in sparse_products.cuh.
#pragma once

#include <cstdint>

#include "sparse/sparse_products.cuh"

namespace mantissa::gpu {

/// Blocks [[x, -y], [y, x]]; `lanes` threads share a block row, a whole block each.
template <class T> struct ComplexProduct {
    using Value = T;
    const std::uint32_t *begin, *column;
    const T* value;
    std::uint32_t rows; ///< of blocks
    int lanes;
};
/// Complex blocks in sliced ELL, a warp a slice.
template <class T> struct SlicedComplexProduct {
    using Value = T;
    const DeviceSlice* slice;
    const std::uint32_t *column, *permutation;
    const T* value;
    std::uint32_t warps, rows; ///< slices; rows of blocks
};

#ifdef __CUDACC__

/// Two numbers that are read together and not soon again.
__device__ __forceinline__ Vector<double, 2> load_pair_streaming(const Vector<double, 2>* from) {
    const double2 v = __ldcs(reinterpret_cast<const double2*>(from));
    return {{v.x, v.y}};
}
__device__ __forceinline__ Vector<float, 2> load_pair_streaming(const Vector<float, 2>* from) {
    const float2 v = __ldcs(reinterpret_cast<const float2*>(from));
    return {{v.x, v.y}};
}

template <class T, class Sink, class Ready>
__device__ __forceinline__ void for_rows(const ComplexProduct<T>& a, const T* x, Sink&& sink, Ready&& ready) {
    using Pair = Vector<T, 2>;
    const int lane = threadIdx.x & 31, part = lane & (a.lanes - 1), rows_a_warp = 32 / a.lanes;
    const long long stride = grid_threads() / 32 * rows_a_warp;
    const auto* const blocks = reinterpret_cast<const Pair*>(a.value);
    const auto* const pairs = reinterpret_cast<const Pair*>(x);
    for (long long base = grid_thread() / 32 * rows_a_warp; base < a.rows; base += stride) {
        const long long row = base + lane / a.lanes;
        T real = 0, imaginary = 0;
        if (row < a.rows) {
            const std::uint32_t end = a.begin[row + 1];
            for (std::uint32_t k = a.begin[row] + part; k < end; k += 2 * a.lanes) { // two at a time, as above
                const bool two = k + a.lanes < end;
                const std::uint32_t column = a.column[k], other = two ? a.column[k + a.lanes] : column;
                const Pair v = load_pair_streaming(blocks + k),
                           w = two ? load_pair_streaming(blocks + k + a.lanes) : Pair{};
                ready();
                const Pair xv = pairs[column], xw = pairs[other];
                real += v.x[0] * xv.x[0] - v.x[1] * xv.x[1];
                imaginary += v.x[1] * xv.x[0] + v.x[0] * xv.x[1];
                real += w.x[0] * xw.x[0] - w.x[1] * xw.x[1];
                imaginary += w.x[1] * xw.x[0] + w.x[0] * xw.x[1];
            }
        }
        for (int d = a.lanes / 2; d > 0; d >>= 1) {
            real += __shfl_xor_sync(~0u, real, d);
            imaginary += __shfl_xor_sync(~0u, imaginary, d);
        }
        // Two threads give a row each, where there are two.
        if (row < a.rows && (part == 0 || part == 1)) {
            ready();
            sink(2 * row + part, part == 0 ? real : imaginary);
            if (a.lanes == 1) sink(2 * row + 1, imaginary);
        }
    }
    ready();
}

template <class T, class Sink, class Ready>
__device__ __forceinline__ void for_rows(const SlicedComplexProduct<T>& a, const T* x, Sink&& sink, Ready&& ready) {
    using Pair = Vector<T, 2>;
    constexpr int U = 4;
    const int lane = threadIdx.x & 31;
    const auto* const pairs = reinterpret_cast<const Pair*>(x);
    for (long long s = grid_thread() / 32; s < a.warps; s += grid_threads() / 32) {
        const DeviceSlice slice = a.slice[s];
        int steps = static_cast<int>(slice.steps_and_lanes & 0x3FFFFFF);
        const int log_lanes = static_cast<int>(slice.steps_and_lanes >> 26);
        const std::uint32_t stored = slice.row + (lane >> log_lanes);
        const bool writes = (lane & ((1 << log_lanes) - 1)) == 0 && stored < a.rows;
        const std::uint32_t row = writes ? a.permutation[stored] : 0;
        const std::size_t first = static_cast<std::size_t>(slice.begin) * 32 + lane;
        const std::uint32_t* column = a.column + first;
        const auto* block = reinterpret_cast<const Pair*>(a.value) + first;
        T real = 0, imaginary = 0;
        for (; steps > 0; steps -= U, column += 32 * U, block += 32 * U) {
            std::uint32_t c[U];
            Pair v[U], xv[U];
#pragma unroll
            for (int i = 0; i < U; ++i)
                if (i < steps) {
                    c[i] = __ldcs(column + 32 * i);
                    v[i] = load_pair_streaming(block + 32 * i);
                }
            ready();
#pragma unroll
            for (int i = 0; i < U; ++i)
                if (i < steps) xv[i] = pairs[c[i]];
#pragma unroll
            for (int i = 0; i < U; ++i)
                if (i < steps) {
                    real += v[i].x[0] * xv[i].x[0] - v[i].x[1] * xv[i].x[1];
                    imaginary += v[i].x[1] * xv[i].x[0] + v[i].x[0] * xv[i].x[1];
                }
        }
        for (int d = (1 << log_lanes) / 2; d > 0; d >>= 1) {
            real += __shfl_xor_sync(~0u, real, d);
            imaginary += __shfl_xor_sync(~0u, imaginary, d);
        }
        ready();
        if (writes) {
            sink(2LL * row, real);
            sink(2LL * row + 1, imaginary);
        }
    }
    ready();
}

#endif

} // namespace mantissa::gpu
