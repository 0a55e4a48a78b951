// DeviceMatrix: products with several vectors and Jacobi CG of several right-hand sides, streamed or resident.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>

#include "mantissa/format.hpp"
#include "mantissa/sparse/row_defect.hpp"
#include "schedules/graph.hpp"
#include "sparse/sparse_matrix.cuh"

namespace mantissa::gpu {

/// What multiplies N vectors at once; all multiply one.
template <int N, class Kind> inline constexpr bool kMultiplies = N == 1 || requires(Kind a) {
    a.slices;
}
|| std::is_same_v<Kind, CrsProduct<typename Kind::Value>> ||
    std::is_same_v<Kind, ShortRowsProduct<typename Kind::Value>>;

template <class T>
void DeviceMatrix<T>::apply_several(std::span<const std::vector<double>> x, std::vector<std::vector<double>>& y) const {
    if (x.size() == 1) apply_together<1>(x, y);
    else apply_together<kMostTogether>(x, y);
}

template <class T>
std::vector<SparseCgReport> DeviceMatrix<T>::solve_several(std::span<const std::vector<double>> b, double tolerance,
                                                           std::uint32_t limit, std::vector<std::vector<double>>* x,
                                                           SeveralPlan plan, const SparseLook& look) const {
    return b.size() == 1 ? solve_together<1>(b, tolerance, limit, x, resident_one_, plan, look)
                         : solve_together<kMostTogether>(b, tolerance, limit, x, resident_, plan, look);
}

template <class T>
template <int N>
std::vector<T> DeviceMatrix<T>::together(std::span<const std::vector<double>> vectors) const {
    constexpr std::size_t kStride = Several<T, N>::kStride;
    if (vectors.empty() || vectors.size() > N)
        throw InvalidInput("sparse product of " + std::to_string(vectors.size()) + " vectors: give 1 to " +
                           std::to_string(N));
    std::vector<T> all(padded_ * kStride, T(0));
    for (std::size_t j = 0; j < vectors.size(); ++j) {
        if (vectors[j].size() != rows_)
            throw InvalidInput("sparse product: vector " + std::to_string(j) + " has " +
                               std::to_string(vectors[j].size()) + " elements, the matrix " + std::to_string(rows_) +
                               " rows");
        for (std::size_t i = 0; i < rows_; ++i) all[i * kStride + j] = static_cast<T>(vectors[j][i]);
    }
    return all;
}

template <class T> template <int N, class Work> void DeviceMatrix<T>::with_operator(Work&& work) const {
    std::visit(
        [&](const auto& a) {
            using Kind = std::decay_t<decltype(a)>;
            if constexpr (N > 1 && requires { a.rows_of; }) {
                work(a.rows_of);
            } else if constexpr (kMultiplies<N, Kind>) {
                Kind own = a;
                Buffer<T> partial;
                if constexpr (requires { own.slices; }) {
                    if (late_.count != 0) partial.allocate(static_cast<std::size_t>(N) * own.slices);
                    own.partial = partial.data();
                }
                work(own);
            } else {
                throw InvalidInput("sparse product of several vectors: compressed rows and sliced ELL have it; "
                                   "take one of them");
            }
        },
        operator_);
}

template <class T>
template <class Kernel>
unsigned DeviceMatrix<T>::blocks_at_once(Kernel kernel, double threads, double most_blocks) {
    int blocks = 0;
    check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, kSeveralThreads, 0),
          "cudaOccupancyMaxActiveBlocksPerMultiprocessor");
    const double processors = require_device().multiprocessors;
    const double most = std::min(std::max(1, blocks) * processors, most_blocks);
    const double wanted = std::ceil(threads / kSeveralThreads);
    return static_cast<unsigned>(std::clamp(wanted, 1.0, most));
}

template <class T>
template <int N>
void DeviceMatrix<T>::apply_together(std::span<const std::vector<double>> x,
                                     std::vector<std::vector<double>>& y) const {
    constexpr std::size_t kStride = Several<T, N>::kStride;
    std::vector<T> host = together<N>(x);
    const Buffer<T> from = to_device(host);
    Buffer<T> to(host.size());
    check(cudaMemset(to.data(), 0xFF, to.size() * sizeof(T)), "cudaMemset"); // no element may stay so
    with_operator<N>([&](const auto& a) {
        using Kind = std::decay_t<decltype(a)>;
        launch(several_product<N, Kind>, blocks_at_once(several_product<N, Kind>, threads_of(a)), kSeveralThreads,
               nullptr, false, a, from.data(), to.data());
    });
    to.download(host);
    y.assign(x.size(), std::vector<double>(rows_));
    for (std::size_t j = 0; j < x.size(); ++j)
        for (std::size_t i = 0; i < rows_; ++i) y[j][i] = static_cast<double>(host[i * kStride + j]);
}

template <class T>
template <int N>
std::vector<SparseCgReport>
DeviceMatrix<T>::solve_together(std::span<const std::vector<double>> b, double tolerance, std::uint32_t limit,
                                std::vector<std::vector<double>>* solution, Resident<N>& resident, SeveralPlan plan,
                                const SparseLook& look) const {
    const std::size_t columns = b.size();
    const ResidentMatrix<N, T>* const on_chip = plan == SeveralPlan::stream ? nullptr : resident.of(host_);
    if (plan == SeveralPlan::resident && on_chip == nullptr)
        throw InvalidInput("resident solve: the matrix does not fit the multiprocessors' shared memory, or has rows "
                           "of more than " +
                           std::to_string(ResidentMatrix<N, T>::kLongestResident) +
                           " entries; leave the plan to the solver");
    std::vector<std::vector<double>> x(columns, std::vector<double>(rows_, 0.0)), defect(b.begin(), b.end());
    std::vector<SparseCgReport> report(columns);
    std::vector<double> norm(columns);
    std::vector<T> inverse = inverse_diagonal(true);
    inverse.resize(padded_, T(0));
    const Buffer<T> device_inverse = to_device(inverse);
    std::vector<bool> active(columns);
    for (std::size_t j = 0; j < columns; ++j) {
        if (b[j].size() != rows_) throw InvalidInput("right-hand side: its size is not the matrix's");
        norm[j] = std::sqrt(sum_of_squares(b[j]));
        active[j] = norm[j] > 0;
        report[j].end = CgEnd::converged;
        report[j].true_residual = active[j] ? 1 : 0;
        report[j].resident = on_chip != nullptr;
    }
    constexpr std::size_t kStride = Several<T, N>::kStride;
    Buffer<T> p(padded_ * kStride), q(padded_ * kStride);
    q.zero();
    // Columns go on from their true residuals as a single one does (see solve()). They keep their directions where the
    // true residual is near the recurrence's: a step along p is rho / pq long, and p is as small as the recurrence's r.
    constexpr double kNear = 2;
    for (bool again = false; std::find(active.begin(), active.end(), true) != active.end();) {
        std::vector<double> goal(columns, 0.0);
        for (std::size_t j = 0; j < columns; ++j) {
            if (active[j]) goal[j] = tolerance * norm[j];
            else std::ranges::fill(defect[j], 0.0); // nothing to solve, so nothing changes
        }
        correct_together<N>(device_inverse, {defect.data(), defect.size()}, goal, active, limit, again, p, q, x, report,
                            on_chip, norm, look);
        again = true;
        for (std::size_t j = 0; j < columns; ++j) {
            if (!active[j]) continue;
            SparseCgReport& r = report[j];
            const double before = r.true_residual;
            form_defect(host_, b[j], x[j], defect[j]);
            r.true_residual = std::sqrt(sum_of_squares(defect[j])) / norm[j];
            const bool reached = r.true_residual < tolerance * (1 + kReachedSlack);
            active[j] = r.end == CgEnd::converged && !reached && sizeof(T) == 8 && r.true_residual < 0.5 * before &&
                        r.iterations < limit;
            again = again && (!active[j] || r.true_residual < kNear * tolerance);
            if (active[j]) continue;
            if (reached) r.end = CgEnd::converged;
            else if (r.end == CgEnd::converged) r.end = CgEnd::stagnated;
        }
    }
    if (solution != nullptr) *solution = std::move(x);
    return report;
}

template <class T>
template <int N>
void DeviceMatrix<T>::correct_together(const Buffer<T>& inverse, std::span<const std::vector<double>> d,
                                       const std::vector<double>& goal, const std::vector<bool>& active,
                                       std::uint32_t limit, bool again, const Buffer<T>& p, const Buffer<T>& q,
                                       std::vector<std::vector<double>>& x, std::vector<SparseCgReport>& report,
                                       const ResidentMatrix<N, T>* on_chip, const std::vector<double>& norm,
                                       const SparseLook& look) const {
    constexpr std::size_t kStride = Several<T, N>::kStride;
    std::vector<T> host = together<N>(d);
    Buffer<T> c(host.size()), r = to_device(host);
    SeveralState<N> state{};
    std::uint32_t made = 0;
    for (std::size_t j = 0; j < d.size(); ++j) {
        state.goal[j] = goal[j] * goal[j];
        if (active[j]) made = std::max(made, report[j].iterations);
    }
    state.limit = limit - made;
    Buffer<SeveralState<N>> device_state(1);
    device_state.upload(std::span(&state, 1));
    double seconds = 0;
    if (on_chip != nullptr) {
        seconds = on_chip->solve(inverse.data(), r.data(), c.data(), p.data(), device_state.data(), again);
        device_state.download(std::span(&state, 1));
    } else {
        const auto go_on = [&] {
            double worst = 0;
            std::uint32_t most = 0;
            for (std::size_t j = 0; j < d.size(); ++j) {
                if (!active[j] || state.done[j] != 0) continue;
                worst = std::max(worst, std::sqrt(state.rr[j]) / norm[j]);
                most = std::max(most, state.iterations[j]);
            }
            return !look || look(made + most, worst);
        };
        seconds = stream_together<N>(inverse, c, r, p, q, again, device_state, state, go_on);
    }
    for (SparseCgReport& one : report) one.seconds += seconds;
    c.download(host);
    for (std::size_t j = 0; j < d.size(); ++j) {
        if (!active[j]) continue;
        report[j].iterations += state.iterations[j];
        report[j].end = state.done[j] != 0 ? state.end[j] : CgEnd::cancelled;
        for (std::size_t i = 0; i < rows_; ++i) x[j][i] += static_cast<double>(host[i * kStride + j]);
    }
}

template <class T>
template <int N>
double DeviceMatrix<T>::stream_together(const Buffer<T>& inverse, const Buffer<T>& c, const Buffer<T>& r,
                                        const Buffer<T>& p, const Buffer<T>& q, bool again,
                                        const Buffer<SeveralState<N>>& device_state, SeveralState<N>& state,
                                        const std::function<bool()>& go_on) const {
    double seconds = 0;
    using Part = Elements<T, N>;
    const auto groups = static_cast<long long>(padded_ / Part::kRows);
    // Every block reads a sum of each other: few blocks, but for vectors that only many of them move fast.
    const double few = (rows_ < 400000 ? 2.0 : 6.0) * require_device().multiprocessors;
    const unsigned update_blocks = blocks_at_once(several_update<N, T>, static_cast<double>(groups), few);
    with_operator<N>([&](const auto& a) {
        using Kind = std::decay_t<decltype(a)>;
        const unsigned blocks = blocks_at_once(several_apply<N, Kind>, threads_of(a), rows_ < 400000 ? 2 * few : few);
        // [update | update | product | rows in pieces], 2 N sums of every block each
        Buffer<double> sums(std::size_t{2 * N} * (2 * update_blocks + blocks + late_.count));
        sums.zero();
        double* const first = sums.data();
        double* const second = first + std::size_t{2 * N} * update_blocks;
        double* const products = second + std::size_t{2 * N} * update_blocks;
        const auto places = [&](std::uint32_t i) {
            return SeveralSums{i % 2 == 0 ? first : second, i % 2 == 0 ? second : first, products,
                               products + std::size_t{2 * N} * blocks, late_.count};
        };
        const auto apply = [&](cudaStream_t stream, bool dependent, bool counts) {
            launch(several_apply<N, Kind>, blocks, kSeveralThreads, stream, dependent, a, inverse.data(), p.data(),
                   q.data(), static_cast<long long>(rows_), device_state.data(), places(0), counts);
        };
        constexpr std::uint32_t kBatch = 32; // an even number
        Graph graph;
        graph.capture([&](cudaStream_t stream) {
            for (std::uint32_t i = 0; i < kBatch; ++i) {
                launch(several_update<N, T>, update_blocks, kSeveralThreads, stream, true, inverse.data(), c.data(),
                       r.data(), p.data(), q.data(), groups, blocks, device_state.data(), places(i));
                apply(stream, true, true);
            }
        });
        cudaFuncAttributes loaded{}; // asking for them loads the kernel, which no solve's time should hold
        check(cudaFuncGetAttributes(&loaded, several_begin<N, T>), "cudaFuncGetAttributes of several_begin");
        Timer timer;
        timer.start();
        launch(several_begin<N, T>, update_blocks, kSeveralThreads, nullptr, false, inverse.data(), c.data(), r.data(),
               p.data(), groups, again, places(0));
        apply(nullptr, false, false);
        for (std::uint64_t launched = 0; state.all_done == 0; launched += kBatch) {
            graph.launch();
            device_state.download(std::span(&state, 1));
            if (state.all_done == 0 && !go_on()) break;
            if (launched > std::uint64_t{state.limit} + 2 * kBatch)
                throw DeviceError("several_update", "the solver did not come to an end");
        }
        seconds = timer.stop();
    });
    return seconds;
}

} // namespace mantissa::gpu
