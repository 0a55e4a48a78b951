// The kernels of Jacobi CG, around any of the products of sparse_products.cuh.
#pragma once

#include <algorithm>
#include <cstdint>

#include "mantissa/gpu/cg_end.hpp"
#include "mantissa/gpu/device.hpp"
#include "sparse/sparse_products.cuh"
#include "sync/grid_reduce.cuh"

namespace mantissa::gpu {

#ifdef __CUDACC__

/// Where the solver stands; written by block 0.
struct SparseStatus {
    double rr, rho;
    std::uint32_t iterations, done;
    CgEnd end;
    std::uint32_t guards;
};

inline constexpr int kSparseThreads = 256;
inline constexpr int kMostSparseBlocks = 1024; ///< that have a place for their sums
/// Blocks of the kernels of CG on so many rows: two for every multiprocessor, so that their sums are few; four where
/// the rows fill the card, and what is under way at once counts.
inline unsigned sparse_blocks(long long rows) {
    const int processors = require_device().multiprocessors;
    return static_cast<unsigned>(std::min(kMostSparseBlocks, (rows >= 2048LL * processors ? 4 : 2) * processors));
}

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
        partial[threadIdx.x * kMostSparseBlocks + blockIdx.x] = s;
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

/// Products of rows that no thread is sure to get (those in pieces): a place for each, so that they are added in the
/// same order in every run.
struct LateProducts {
    double* sums = nullptr; ///< p_i q_i of all, then q_i z_i of all
    std::uint32_t count = 0;
};

/// q = A p and its two dot products. `counts`: an update went before, which is counted here, where no block of the
/// update can see the count change.
template <class Operator>
__global__ void __launch_bounds__(kSparseThreads)
    sparse_apply(const Operator a, const typename Operator::Value* inverse, const typename Operator::Value* p,
                 typename Operator::Value* q, long long n, double* partial, SparseStatus* status, bool counts,
                 LateProducts late) {
    if (status->done != 0) return;
    if (counts && blockIdx.x == 0 && threadIdx.x == 0) ++status->iterations;
    double pq = 0, qq = 0;
    const auto take = [&](long long row, typename Operator::Value v, std::uint32_t number = ~0u) {
        if (row >= n) return; // padding of the last block
        q[row] = v;
        const double pv = static_cast<double>(p[row]) * static_cast<double>(v);
        const double vv = static_cast<double>(v) * static_cast<double>(v * inverse[row]);
        if (number == ~0u) {
            pq += pv;
            qq += vv;
        } else {
            late.sums[number] = pv;
            late.sums[late.count + number] = vv;
        }
    };
    for_rows(a, p, take, NothingToAwait{});
    store_partials(pq, qq, partial);
}

/// The scalars, then the updates. `before`: partial sums of the last update; `after`: where this one's go.
template <class T>
__global__ void __launch_bounds__(kSparseThreads)
    sparse_update(const T* inverse, T* x, T* r, T* p, const T* q, long long n, const double* before,
                  const double* products, double* after, double goal, std::uint32_t limit, SparseStatus* status,
                  LateProducts late) {
    if (status->done != 0) return;
    __shared__ double total[4];
    const int warp = threadIdx.x >> 5, lane = threadIdx.x & 31;
    if (warp < 4) { // rho, rr, pq, qq in a fixed order
        const double* const from = (warp < 2 ? before : products) + (warp & 1) * kMostSparseBlocks;
        double s = 0;
        for (unsigned i = static_cast<unsigned>(lane); i < gridDim.x; i += 32) s += from[i];
        for (std::uint32_t i = lane; warp >= 2 && i < late.count; i += 32) s += late.sums[(warp & 1) * late.count + i];
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
