// Textbook Jacobi-PCG around any of the products of sparse_products.cuh (Buatois, Caumon, Levy, IJPEDS 24(3), 2008,
// with its last line mended: d = s + beta d). An iteration is three kernels, each of which ends where a sum over all
// blocks is needed: q = A d with d.q; x, r and delta = r.s with s = M^-1 r; d. A captured graph of many iterations runs
// without a word to the host.
#pragma once

#include <chrono>
#include <functional>
#include <optional>

#include "mantissa/gpu/sparse_solver.hpp"
#include "schedules/graph.hpp"
#include "schedules/residual_history.cuh"
#include "sparse/sparse_kernels.cuh"

namespace mantissa::gpu {

/// The sum of all blocks' sums, in a fixed order, by one warp; `late`: sums that no block has.
__device__ __forceinline__ double blocks_sum(const double* from, const double* late = nullptr,
                                             std::uint32_t late_count = 0) {
    const int lane = threadIdx.x & 31;
    double s = 0;
    for (unsigned i = static_cast<unsigned>(lane); i < gridDim.x; i += 32) s += from[i];
    for (std::uint32_t i = static_cast<std::uint32_t>(lane); i < late_count; i += 32) s += late[i];
    return warp_sum(s);
}

/// d = M^-1 r; partial sums of delta and r.r.
template <class T>
__global__ void __launch_bounds__(kSparseThreads)
    textbook_begin(const T* inverse, const T* r, T* d, long long n, double* partial) {
    double delta = 0, rr = 0;
    for (long long i = grid_thread(); i < n; i += grid_threads()) {
        const T ri = r[i], s = ri * inverse[i];
        d[i] = s;
        delta += static_cast<double>(ri) * static_cast<double>(s);
        rr += static_cast<double>(ri) * static_cast<double>(ri);
    }
    store_partials(delta, rr, partial);
}

__device__ __forceinline__ void end_textbook(SparseStatus* status, CgEnd end, std::uint32_t iterations) {
    if (blockIdx.x != 0 || threadIdx.x != 0) return;
    status->end = end;
    status->iterations = iterations;
    status->done = 1;
}

/// x += alpha d, r -= alpha q with alpha = delta / d.q; partial sums of the new delta and r.r to `after`.
template <class T>
__global__ void __launch_bounds__(kSparseThreads)
    textbook_step(const T* inverse, T* x, T* r, const T* d, const T* q, long long n, const double* before,
                  const double* products, double* after, SparseStatus* status, LateProducts late) {
    if (status->done != 0) return;
    __shared__ double total[2];
    const int warp = threadIdx.x >> 5;
    if (warp < 2) {
        const double s = warp == 0 ? blocks_sum(before) : blocks_sum(products, late.sums, late.count);
        if ((threadIdx.x & 31) == 0) total[warp] = s;
    }
    __syncthreads();
    const double delta = total[0], dq = total[1];
    // (A block that sees `done` early would have ended here all the same.)
    if (!isfinite(delta) || !isfinite(dq)) return end_textbook(status, CgEnd::not_finite, status->iterations);
    if (!(dq > 0)) return end_textbook(status, CgEnd::indefinite, status->iterations);
    const T alpha = static_cast<T>(delta / dq);
    double next = 0, rr = 0;
    for (long long i = grid_thread(); i < n; i += grid_threads()) {
        const T ri = r[i] - alpha * q[i];
        x[i] += alpha * d[i];
        r[i] = ri;
        next += static_cast<double>(ri) * static_cast<double>(ri * inverse[i]);
        rr += static_cast<double>(ri) * static_cast<double>(ri);
    }
    store_partials(next, rr, after);
}

/// The test, then d = s + beta d with beta = delta / delta_old. A goal below zero is never reached.
template <class T>
__global__ void __launch_bounds__(kSparseThreads)
    textbook_direction(const T* inverse, const T* r, T* d, long long n, const double* before, const double* after,
                       double delta_goal, double rr_goal, std::uint32_t limit, SparseStatus* status) {
    if (status->done != 0) return;
    __shared__ double total[3];
    const int warp = threadIdx.x >> 5;
    if (warp < 3) {
        const double s = blocks_sum(warp == 0 ? before : warp == 1 ? after : after + kMostSparseBlocks);
        if ((threadIdx.x & 31) == 0) total[warp] = s;
    }
    __syncthreads();
    const double old = total[0], delta = total[1], rr = total[2];
    const std::uint32_t made = status->iterations + 1; // (one more where block 0 has ended it: then this one ends too)
    const bool reached = delta <= delta_goal || rr <= rr_goal, finite = isfinite(delta);
    if (!finite || reached || made >= limit)
        return end_textbook(status, !finite ? CgEnd::not_finite : reached ? CgEnd::converged : CgEnd::passes, made);
    const T beta = static_cast<T>(delta / old);
    for (long long i = grid_thread(); i < n; i += grid_threads()) d[i] = r[i] * inverse[i] + beta * d[i];
}

/// The solver's side of one matrix. `product` launches q = A d with the partial sums of d.q.
template <class T> struct TextbookSystem {
    long long n;
    const T* inverse;
    T *d, *q;
    LateProducts late;
    std::function<void(cudaStream_t stream, double* partial, SparseStatus* status, bool counts)> product;
};

struct TextbookGoal {
    double delta, rr; ///< squares; below zero: not tested
    std::uint32_t limit;
};

/// Iterates from x and r as they are on the device. Fills in the report's end, iterations and times.
template <class T>
void run_textbook(const TextbookSystem<T>& a, const Buffer<T>& x, const Buffer<T>& r, const TextbookGoal& goal,
                  const HistoryRecorder* history, bool measure_idle, TextbookReport& report) {
    Buffer<double> partial(6 * kMostSparseBlocks); // [delta, r.r | the same, in turn | d.q and another]
    partial.zero();
    Buffer<SparseStatus> status(1);
    status.zero();
    double* const part[3] = {partial.data(), partial.data() + 2 * kMostSparseBlocks,
                             partial.data() + 4 * kMostSparseBlocks};
    constexpr int kBatch = 32; // iterations of one graph, an even number
    Graph graph;
    graph.capture([&](cudaStream_t stream) {
        for (int i = 0; i < kBatch; ++i) {
            double *const before = part[i % 2], *const after = part[1 - i % 2];
            textbook_step<T><<<sparse_blocks(a.n), kSparseThreads, 0, stream>>>(
                a.inverse, x.data(), r.data(), a.d, a.q, a.n, before, part[2], after, status.data(), a.late);
            check(cudaGetLastError(), "launch of textbook_step");
            if (history != nullptr) history->record(stream, after + kMostSparseBlocks, x.data(), status.data());
            textbook_direction<T><<<sparse_blocks(a.n), kSparseThreads, 0, stream>>>(
                a.inverse, r.data(), a.d, a.n, before, after, goal.delta, goal.rr, goal.limit, status.data());
            check(cudaGetLastError(), "launch of textbook_direction");
            a.product(stream, part[2], status.data(), true);
        }
    });
    Timer timer;
    timer.start();
    textbook_begin<T><<<sparse_blocks(a.n), kSparseThreads>>>(a.inverse, r.data(), a.d, a.n, part[0]);
    check(cudaGetLastError(), "launch of textbook_begin");
    a.product(nullptr, part[2], status.data(), false);
    SparseStatus now{};
    // One look at the status for each graph.
    for (std::uint64_t launched = 0; now.done == 0; launched += kBatch) {
        graph.launch();
        status.download(std::span(&now, 1));
        if (launched > std::uint64_t{goal.limit} + 2 * kBatch)
            throw DeviceError("textbook_step", "the solver did not come to an end");
    }
    report.seconds = timer.stop();
    report.iterations = now.iterations;
    report.end = now.end;
    if (!measure_idle) return;
    // After the end every kernel of the graph returns at once: what is left is what launches cost.
    constexpr int kGraphs = 20;
    timer.start();
    for (int i = 0; i < kGraphs; ++i) graph.launch();
    report.idle_seconds = timer.stop() / (kGraphs * kBatch);
}

} // namespace mantissa::gpu
