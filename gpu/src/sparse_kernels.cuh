// Sparse products as functions of a whole grid: each operator hands (row, value of A x in that row) to a sink, every
// row once, from one thread. x and y have room for whole blocks.
//
//     bytes of a product: report_formats() in mantissa/sparse/formats.hpp, which is what the reports divide by
#pragma once

#include <cstdint>

#include "grid_reduce.cuh"
#include "mantissa/gpu/cg_end.hpp"
#include "storage.cuh"

namespace mantissa::gpu {

/// Compressed rows; `lanes` threads share a row, a power of two up to 32.
template <class T> struct CrsProduct {
    using Value = T;
    const std::uint32_t *begin, *column;
    const T* value;
    std::uint32_t rows;
    int lanes;
};
/// B x B blocks; `lanes` threads share a block row, B of them a block: each takes one row of it.
template <class T, int B> struct BlockProduct {
    using Value = T;
    const std::uint32_t *begin, *column;
    const T* value;
    std::uint32_t rows; ///< of blocks
    int lanes;
};
/// Jagged diagonals, one thread a row.
template <class T> struct JdsRowProduct {
    using Value = T;
    const std::uint32_t *begin, *column, *permutation, *count;
    const T* value;
    std::uint32_t rows;
};
/// Jagged diagonals one after another, the sums in memory in between.
template <class T> struct JdsProduct {
    using Value = T;
    const std::uint32_t *begin, *column, *permutation, *count;
    const T* value;
    volatile T* partial;
    std::uint32_t rows;
};
/// Nine bands, one thread a row. Couplings that leave the vector are zero by contract and are not followed.
template <class T> struct BandProduct {
    using Value = T;
    const T* band[9];
    long long rows, row_length;
};

#ifdef __CUDACC__

__device__ __forceinline__ long long grid_thread() {
    return static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
}
__device__ __forceinline__ long long grid_threads() {
    return static_cast<long long>(gridDim.x) * blockDim.x;
}

template <class T, class Sink>
__device__ __forceinline__ void for_rows(const CrsProduct<T>& a, const T* x, Sink&& sink) {
    const int lane = threadIdx.x & 31, part = lane & (a.lanes - 1), rows_a_warp = 32 / a.lanes;
    const long long stride = grid_threads() / 32 * rows_a_warp;
    for (long long base = grid_thread() / 32 * rows_a_warp; base < a.rows; base += stride) {
        const long long row = base + lane / a.lanes;
        T sum = 0;
        if (row < a.rows) {
            const std::uint32_t end = a.begin[row + 1];
#pragma unroll 4
            for (std::uint32_t k = a.begin[row] + part; k < end; k += a.lanes)
                sum += __ldcs(a.value + k) * x[__ldcs(a.column + k)];
        }
        for (int d = a.lanes / 2; d > 0; d >>= 1) sum += __shfl_xor_sync(~0u, sum, d);
        if (part == 0 && row < a.rows) sink(row, sum);
    }
}

template <class T, int B, class Sink>
__device__ __forceinline__ void for_rows(const BlockProduct<T, B>& a, const T* x, Sink&& sink) {
    const int lane = threadIdx.x & 31, part = lane & (a.lanes - 1), rows_a_warp = 32 / a.lanes;
    const int r = part % B, first = part / B, step = a.lanes / B;
    const long long stride = grid_threads() / 32 * rows_a_warp;
    for (long long base = grid_thread() / 32 * rows_a_warp; base < a.rows; base += stride) {
        const long long row = base + lane / a.lanes;
        T sum = 0;
        if (row < a.rows) {
            const std::uint32_t end = a.begin[row + 1];
            const auto block_row = [&](std::uint32_t k) {
                return *reinterpret_cast<const Vector<T, B>*>(a.value + (static_cast<std::size_t>(k) * B + r) * B);
            };
            const auto part_of_x = [&](std::uint32_t column) {
                return *reinterpret_cast<const Vector<T, B>*>(x + static_cast<std::size_t>(column) * B);
            };
            // Two blocks at a time, whether there is a second or not: their loads are under way together, which is 5
            // to 12 % of a product.
            for (std::uint32_t k = a.begin[row] + first; k < end; k += 2 * step) {
                const bool two = k + step < end;
                const std::uint32_t column = a.column[k], other = two ? a.column[k + step] : column;
                const auto v = block_row(k), w = two ? block_row(k + step) : Vector<T, B>{};
                const auto xv = part_of_x(column), xw = part_of_x(other);
#pragma unroll
                for (int c = 0; c < B; ++c) sum += v.x[c] * xv.x[c];
#pragma unroll
                for (int c = 0; c < B; ++c) sum += w.x[c] * xw.x[c];
            }
        }
        for (int d = B; d < a.lanes; d <<= 1) sum += __shfl_xor_sync(~0u, sum, d);
        if (first == 0 && row < a.rows) sink(row * B + r, sum);
    }
}

template <class T, class Sink>
__device__ __forceinline__ void for_rows(const JdsRowProduct<T>& a, const T* x, Sink&& sink) {
    for (long long t = grid_thread(); t < a.rows; t += grid_threads()) {
        T sum = 0;
        const std::uint32_t count = a.count[t];
#pragma unroll 4
        for (std::uint32_t d = 0; d < count; ++d) {
            const long long k = a.begin[d] + t;
            sum += __ldcs(a.value + k) * x[__ldcs(a.column + k)];
        }
        sink(a.permutation[t], sum);
    }
}

template <class T, class Sink>
__device__ __forceinline__ void for_rows(const JdsProduct<T>& a, const T* x, Sink&& sink) {
    for (long long t = grid_thread(); t < a.rows; t += grid_threads()) {
        a.partial[t] = 0;
        const std::uint32_t count = a.count[t];
        for (std::uint32_t d = 0; d < count; ++d) {
            const long long k = a.begin[d] + t;
            a.partial[t] = a.partial[t] + a.value[k] * x[a.column[k]];
        }
        sink(a.permutation[t], a.partial[t]);
    }
}

template <class T, class Sink>
__device__ __forceinline__ void for_rows(const BandProduct<T>& a, const T* x, Sink&& sink) {
    for (long long i = grid_thread(); i < a.rows; i += grid_threads()) {
        T sum = 0;
#pragma unroll
        for (int b = 0; b < 9; ++b) {
            const long long j = i + a.row_length * (b / 3 - 1) + (b % 3 - 1);
            if (j >= 0 && j < a.rows) sum += __ldcs(a.band[b] + i) * x[j];
        }
        sink(i, sum);
    }
}

template <class Operator>
__global__ void __launch_bounds__(256)
    sparse_product(const Operator a, const typename Operator::Value* x, typename Operator::Value* y) {
    for_rows(a, x, [&](long long row, typename Operator::Value v) { y[row] = v; });
}

/// Where the solver stands; written by block 0.
struct SparseStatus {
    double rr, rho;
    std::uint32_t iterations, done;
    CgEnd end;
    std::uint32_t guards;
};

inline constexpr int kSparseBlocks = 264, kSparseThreads = 256;

/// Adds two values over the block and stores the block's sums.
__device__ __forceinline__ void store_partials(double first, double second, double* partial) {
    __shared__ double scratch[2][kSparseThreads / 32];
    first = warp_sum(first);
    second = warp_sum(second);
    if ((threadIdx.x & 31) == 0) {
        scratch[0][threadIdx.x >> 5] = first;
        scratch[1][threadIdx.x >> 5] = second;
    }
    __syncthreads();
    if (threadIdx.x < 2) {
        double s = 0;
        for (int w = 0; w < kSparseThreads / 32; ++w) s += scratch[threadIdx.x][w];
        partial[threadIdx.x * kSparseBlocks + blockIdx.x] = s;
    }
}

template <class T>
__global__ void __launch_bounds__(kSparseThreads)
    sparse_begin(const double* b, const T* inverse, T* x, T* r, T* p, long long n, double* partial) {
    double rho = 0, rr = 0;
    for (long long i = grid_thread(); i < n; i += grid_threads()) {
        const T ri = static_cast<T>(b[i]), z = ri * inverse[i];
        x[i] = 0;
        r[i] = ri;
        p[i] = z;
        rho += static_cast<double>(ri) * static_cast<double>(z);
        rr += static_cast<double>(ri) * static_cast<double>(ri);
    }
    store_partials(rho, rr, partial);
}

/// q = A p and its two dot products. `counts`: an update went before, which is counted here, where no block of the
/// update can see the count change.
template <class Operator>
__global__ void __launch_bounds__(kSparseThreads)
    sparse_apply(const Operator a, const typename Operator::Value* inverse, const typename Operator::Value* p,
                 typename Operator::Value* q, long long n, double* partial, SparseStatus* status, bool counts) {
    if (status->done != 0) return;
    if (counts && blockIdx.x == 0 && threadIdx.x == 0) ++status->iterations;
    double pq = 0, qq = 0;
    for_rows(a, p, [&](long long row, typename Operator::Value v) {
        if (row >= n) return; // padding of the last block
        q[row] = v;
        pq += static_cast<double>(p[row]) * static_cast<double>(v);
        qq += static_cast<double>(v) * static_cast<double>(v * inverse[row]);
    });
    store_partials(pq, qq, partial);
}

/// The scalars, then the updates. `before`: partial sums of the last update; `after`: where this one's go.
template <class T>
__global__ void __launch_bounds__(kSparseThreads)
    sparse_update(const T* inverse, T* x, T* r, T* p, const T* q, long long n, const double* before,
                  const double* products, double* after, double goal, std::uint32_t limit, SparseStatus* status) {
    if (status->done != 0) return;
    __shared__ double total[4];
    const int warp = threadIdx.x >> 5, lane = threadIdx.x & 31;
    if (warp < 4) { // rho, rr, pq, qq in a fixed order
        const double* const from = (warp < 2 ? before : products) + (warp & 1) * kSparseBlocks;
        double s = 0;
        for (int i = lane; i < kSparseBlocks; i += 32) s += from[i];
        s = warp_sum(s);
        if (lane == 0) total[warp] = s;
    }
    __syncthreads();
    const double rho = total[0], rr = total[1], pq = total[2], qq = total[3];
    const double step = rho / pq;
    double sigma = step * (step * qq - pq);
    const bool guard = sigma < 0;
    if (guard) sigma = 0;
    const bool finite = isfinite(rho) && isfinite(pq) && isfinite(qq);
    const bool reached = finite && rr <= goal, indefinite = finite && !reached && !(pq > 0);
    const bool stop = !finite || reached || indefinite;
    // Everybody read status before block 0 may change it: a block that sees `done` early would stop all the same.
    const std::uint32_t made = status->iterations;
    if (stop || made >= limit) {
        if (blockIdx.x == 0 && threadIdx.x == 0) {
            status->rr = rr;
            status->rho = rho;
            status->end = reached      ? CgEnd::converged
                          : indefinite ? CgEnd::indefinite
                          : finite     ? CgEnd::passes
                                       : CgEnd::not_finite;
            status->done = 1;
        }
        return;
    }
    const T alpha = static_cast<T>(step), beta = static_cast<T>(sigma / rho);
    double next = 0, norm = 0;
    for (long long i = grid_thread(); i < n; i += grid_threads()) {
        const T pi = p[i], ri = r[i] - alpha * q[i], z = ri * inverse[i];
        x[i] += alpha * pi;
        r[i] = ri;
        p[i] = z + beta * pi;
        next += static_cast<double>(ri) * static_cast<double>(z);
        norm += static_cast<double>(ri) * static_cast<double>(ri);
    }
    store_partials(next, norm, after);
}

#endif

} // namespace mantissa::gpu
