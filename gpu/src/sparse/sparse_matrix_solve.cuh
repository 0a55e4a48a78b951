// DeviceMatrix: Jacobi CG of one right-hand side, captured in a graph, and textbook CG.
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>
#include <string>

#include "mantissa/format.hpp"
#include "mantissa/sparse/row_defect.hpp"
#include "schedules/graph.hpp"
#include "sparse/sparse_matrix.cuh"

namespace mantissa::gpu {

template <class T>
SparseCgReport DeviceMatrix<T>::solve(std::span<const double> b, double tolerance, std::uint32_t limit, bool jacobi,
                                      std::vector<double>* solution, SparseHistory* history) const {
    if (b.size() != rows_) throw InvalidInput("right-hand side: its size is not the matrix's");
    const Buffer<T> inverse = to_device(inverse_diagonal(jacobi));
    const double norm = std::sqrt(sum_of_squares(b));
    std::vector<double> x(rows_, 0.0), defect(b.begin(), b.end());
    std::optional<HistoryRecorder> recorder;
    if (history != nullptr && norm > 0) recorder.emplace(host_, limit).note(0, norm, norm);
    SparseCgReport report;
    report.end = CgEnd::converged;
    report.true_residual = norm == 0 ? 0 : 1;
    // In double, where the recurrence's residual reached the tolerance and the true one did not, CG goes on from
    // the true one, as long as that gains. (In float x itself ends it.)
    while (norm > 0) {
        const double before = report.true_residual;
        if (recorder) recorder->begin(defect, report.iterations);
        correct(inverse, defect, tolerance * norm, limit, x, report, recorder ? &*recorder : nullptr);
        form_defect(host_, b, x, defect);
        report.true_residual = std::sqrt(sum_of_squares(defect)) / norm;
        const bool reached = report.true_residual < tolerance * (1 + kReachedSlack);
        const bool more = report.end == CgEnd::converged && !reached;
        if (more && sizeof(T) == 8 && report.true_residual < 0.5 * before && report.iterations < limit) continue;
        if (reached) report.end = CgEnd::converged;
        else if (report.end == CgEnd::converged) report.end = CgEnd::stagnated;
        break;
    }
    if (recorder) *history = recorder->read(report.iterations, norm);
    if (solution != nullptr) *solution = std::move(x);
    return report;
}

template <class T>
TextbookReport DeviceMatrix<T>::textbook(std::span<const double> b, const TextbookOptions& options,
                                         std::vector<double>* solution) const {
    const auto begin = std::chrono::steady_clock::now();
    if (b.size() != rows_ || (!options.start.empty() && options.start.size() != rows_))
        throw InvalidInput("right-hand side or start: its size is not the matrix's");
    const std::vector<T> inverse = inverse_diagonal(options.jacobi);
    const Buffer<T> device_inverse = to_device(inverse);
    const auto delta_of = [&](std::span<const double> d) {
        double sum = 0;
        for (std::uint32_t i = 0; i < rows_; ++i) sum += d[i] * d[i] * static_cast<double>(inverse[i]);
        return sum;
    };
    std::vector<T> start(padded_, T(0)), first(padded_, T(0));
    std::copy(options.start.begin(), options.start.end(), start.begin());
    std::vector<double> x(start.begin(), start.begin() + rows_), defect(rows_);
    if (options.start.empty()) defect.assign(b.begin(), b.end());
    else form_defect(host_, b, x, defect);
    std::copy(defect.begin(), defect.end(), first.begin());
    const double norm = std::sqrt(sum_of_squares(b)), delta = delta_of(defect);
    const double goal = options.tolerance * options.tolerance;
    const bool by_delta = options.test == PcgTest::delta;
    TextbookReport report;
    std::optional<HistoryRecorder> recorder;
    if (options.history && norm > 0) {
        recorder.emplace(host_, options.max_iterations).begin({b.begin(), b.end()}, 0);
        recorder->note(0, std::sqrt(sum_of_squares(defect)), std::sqrt(sum_of_squares(defect)));
    }
    const bool solved = by_delta ? delta == 0 : sum_of_squares(defect) <= goal * norm * norm;
    if (solved) report.end = CgEnd::converged;
    else if (options.max_iterations > 0) {
        const Buffer<T> device_x = to_device(start), r = to_device(first);
        p_.zero();
        q_.zero();
        run_textbook<T>({rows_, device_inverse.data(), p_.data(), q_.data(), late_,
                         [&](cudaStream_t stream, double* partial, SparseStatus* status, bool counts) {
                             cg_product(stream, device_inverse.data(), partial, status, counts);
                         }},
                        device_x, r,
                        {by_delta ? goal * delta : -1, by_delta ? -1 : goal * norm * norm, options.max_iterations},
                        recorder ? &*recorder : nullptr, options.measure_idle, report);
        device_x.download(start);
        std::copy_n(start.begin(), rows_, x.begin());
        form_defect(host_, b, x, defect);
    }
    report.true_residual = norm == 0 ? std::sqrt(sum_of_squares(defect)) : std::sqrt(sum_of_squares(defect)) / norm;
    const double slack = goal * (1 + kReachedSlack) * (1 + kReachedSlack);
    if (report.end == CgEnd::converged &&
        (by_delta ? delta_of(defect) > slack * delta : sum_of_squares(defect) > slack * norm * norm))
        report.end = CgEnd::stagnated;
    if (recorder) report.history = recorder->read(report.iterations, norm);
    if (solution != nullptr) *solution = std::move(x);
    report.wall_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return report;
}

template <class T> std::vector<T> DeviceMatrix<T>::inverse_diagonal(bool jacobi) const {
    if (!jacobi) return std::vector<T>(rows_, T(1));
    const std::vector<double> inverse = jacobi_inverse(host_);
    return {inverse.begin(), inverse.end()};
}

template <class T>
void DeviceMatrix<T>::correct(const Buffer<T>& inverse, const std::vector<double>& d, double goal, std::uint32_t limit,
                              std::vector<double>& x, SparseCgReport& report, const HistoryRecorder* history) const {
    const Buffer<double> rhs = to_device(d);
    Buffer<T> c(padded_), r(padded_);
    p_.zero();
    q_.zero();
    // [update buffer 0 | update buffer 1 | products], each two sums of every block
    Buffer<double> partial(6 * kMostSparseBlocks);
    partial.zero();
    Buffer<SparseStatus> status(1);
    status.zero();
    const long long n = rows_;
    double* const part[3] = {partial.data(), partial.data() + 2 * kMostSparseBlocks,
                             partial.data() + 4 * kMostSparseBlocks};
    constexpr int kBatch = 32; // iterations of one graph, an even number
    const std::uint32_t left = limit - report.iterations;
    Graph graph;
    graph.capture([&](cudaStream_t stream) {
        for (int i = 0; i < kBatch; ++i) {
            sparse_update<T><<<sparse_blocks(n), kSparseThreads, 0, stream>>>(
                inverse.data(), c.data(), r.data(), p_.data(), q_.data(), n, part[i % 2], part[2], part[1 - i % 2],
                goal * goal, left, status.data(), late_);
            check(cudaGetLastError(), "launch of sparse_update");
            if (history != nullptr)
                history->record(stream, part[1 - i % 2] + kMostSparseBlocks, c.data(), status.data());
            cg_product(stream, inverse.data(), part[2], status.data(), true);
        }
    });
    Timer timer;
    timer.start();
    sparse_begin<T>
        <<<sparse_blocks(n), kSparseThreads>>>(rhs.data(), inverse.data(), c.data(), r.data(), p_.data(), n, part[0]);
    check(cudaGetLastError(), "launch of sparse_begin");
    cg_product(nullptr, inverse.data(), part[2], status.data(), false);
    SparseStatus now{};
    // One look at the status for each graph.
    for (std::uint64_t launched = 0; now.done == 0; launched += kBatch) {
        graph.launch();
        status.download(std::span(&now, 1));
        if (launched > std::uint64_t{left} + 2 * kBatch)
            throw DeviceError("sparse_update", "the solver did not come to an end");
    }
    report.seconds += timer.stop();
    report.iterations += now.iterations;
    report.end = now.end;
    std::vector<T> host(padded_);
    c.download(host);
    for (std::uint32_t i = 0; i < rows_; ++i) x[i] += static_cast<double>(host[i]);
}

} // namespace mantissa::gpu
