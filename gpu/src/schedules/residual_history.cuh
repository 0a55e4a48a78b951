// Residual histories of the sparse solvers: kernels that a graph holds only where a history is wanted, so that none
// costs nothing.
#pragma once

#include <cmath>
#include <vector>

#include "mantissa/gpu/device.hpp"
#include "mantissa/gpu/sparse_solver.hpp"
#include "mantissa/sparse/formats.hpp"
#include "sparse/sparse_kernels.cuh"

namespace mantissa::gpu {

/// Rows of the matrix in double precision, whatever the solver's.
struct DefectRows {
    const std::uint32_t *begin, *column;
    const double *value, *rhs;
    long long n;
};

/// Sums of the squares of rhs - A x over the blocks, in double precision, rows in order.
template <class T>
__global__ void __launch_bounds__(kSparseThreads)
    history_defect(DefectRows a, const T* x, const SparseStatus* status, double* partial) {
    if (status->done != 0) return;
    double sum = 0;
    for (long long i = grid_thread(); i < a.n; i += grid_threads()) {
        double d = a.rhs[i];
        for (std::uint32_t k = a.begin[i]; k < a.begin[i + 1]; ++k)
            d -= a.value[k] * static_cast<double>(x[a.column[k]]);
        sum += d * d;
    }
    store_partials(sum, 0, partial);
}

/// After an update that was made: entry `first` + its number of both lists.
inline __global__ void history_record(const double* rr, const double* defect, const SparseStatus* status,
                                      std::uint32_t first, std::uint32_t room, double* recursive, double* truth) {
    const std::uint32_t at = first + status->iterations + 1;
    if (status->done != 0 || at >= room) return;
    const int lane = static_cast<int>(threadIdx.x);
    double squares = 0, true_squares = 0;
    for (int i = lane; i < kMostSparseBlocks; i += 32) {
        squares += rr[i];
        true_squares += defect[i];
    }
    squares = warp_sum(squares);
    true_squares = warp_sum(true_squares);
    if (lane == 0) {
        recursive[at] = sqrt(squares);
        truth[at] = sqrt(true_squares);
    }
}

/// Keeps ||r|| and ||b - A x|| of every iteration of a solve.
class HistoryRecorder {
public:
    HistoryRecorder(const CompressedRows& a, std::uint32_t limit)
        : begin_(to_device(narrow_row_begin(a))), column_(to_device(a.column())), value_(to_device(a.value())),
          rhs_(a.rows()), partial_(2 * kMostSparseBlocks), recursive_(limit + std::size_t{1}),
          truth_(limit + std::size_t{1}), rows_(static_cast<long long>(a.rows())) {
        partial_.zero(); // places that no block has
        check(cudaMemset(recursive_.data(), 0xFF, recursive_.size() * sizeof(double)), "cudaMemset");
        check(cudaMemset(truth_.data(), 0xFF, truth_.size() * sizeof(double)), "cudaMemset");
    }
    /// A solve of A c = rhs begins, whose c comes on top of an x with b - A x = rhs, after `first` iterations.
    void begin(const std::vector<double>& rhs, std::uint32_t first) {
        rhs_.upload(rhs);
        first_ = first;
    }
    /// The iterate as it stands: entry `at`.
    void note(std::uint32_t at, double recursive, double truth) {
        recursive_.upload(std::span(&recursive, 1), at);
        truth_.upload(std::span(&truth, 1), at);
    }
    /// After the update's kernel: `rr` has its blocks' sums of squares of r.
    template <class T>
    void record(cudaStream_t stream, const double* rr, const T* x, const SparseStatus* status) const {
        const DefectRows rows{begin_.data(), column_.data(), value_.data(), rhs_.data(), rows_};
        history_defect<T><<<sparse_blocks(rows_), kSparseThreads, 0, stream>>>(rows, x, status, partial_.data());
        history_record<<<1, 32, 0, stream>>>(rr, partial_.data(), status, first_,
                                             static_cast<std::uint32_t>(recursive_.size()), recursive_.data(),
                                             truth_.data());
        check(cudaGetLastError(), "launch of history_record");
    }
    /// Of iterations 0 to `last`, over `norm`.
    [[nodiscard]] SparseHistory read(std::uint32_t last, double norm) const {
        SparseHistory h;
        h.recursive.resize(last + std::size_t{1});
        h.true_residual.resize(last + std::size_t{1});
        recursive_.download(h.recursive);
        truth_.download(h.true_residual);
        for (double& v : h.recursive) v /= norm;
        for (double& v : h.true_residual) v /= norm;
        return h;
    }

private:
    Buffer<std::uint32_t> begin_, column_;
    Buffer<double> value_, rhs_, partial_, recursive_, truth_;
    long long rows_;
    std::uint32_t first_ = 0;
};

} // namespace mantissa::gpu
