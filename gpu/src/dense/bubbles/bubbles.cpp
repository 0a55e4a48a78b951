
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include <fmt/format.h>

#include "launches.hpp"
#include "mantissa/format.hpp"
#include "mantissa/gpu/bubbles.hpp"
#include "mantissa/gpu/device.hpp"

namespace mantissa::gpu {

template <class T> struct BubbleCells<T>::Impl {
    Impl(std::size_t bubbles, std::size_t points, std::size_t most, LuPivoting pivoting, BatchedProducts products)
        : m(bubbles), k(points), lu(bubbles * points, most, pivoting, products), cells(most * (2 * bubbles + 3)),
          normals(2 * points), rhs(most * bubbles * points), flow(2 * most), packed(most * (2 * bubbles + 3)) {
        std::vector<T> n;
        for (std::size_t j = 0; j < k; ++j) {
            const double angle = 2 * std::numbers::pi * static_cast<double>(j) / static_cast<double>(k);
            n.push_back(static_cast<T>(std::cos(angle)));
            n.push_back(static_cast<T>(std::sin(angle)));
        }
        normals.upload(n);
    }

    [[nodiscard]] bubbles::Geometry<T> geometry() const {
        return {cells.data(), normals.data(), static_cast<int>(m), static_cast<int>(k), static_cast<int>(lu.batch())};
    }
    /// Places after the given ones repeat the first: every system of the batch is a sound one.
    void pack(std::span<const BubbleSystem> given) {
        for (std::size_t s = 0; s < lu.batch(); ++s) {
            const BubbleSystem& cell = given[s < given.size() ? s : 0];
            T* to = packed.data() + s * (2 * m + 3);
            for (const auto& c : cell.centres) {
                *to++ = static_cast<T>(c[0]);
                *to++ = static_cast<T>(c[1]);
            }
            *to++ = static_cast<T>(cell.radius);
            *to++ = static_cast<T>(cell.drive[0]);
            *to++ = static_cast<T>(cell.drive[1]);
        }
    }
    double judge(std::size_t count) {
        const std::size_t n = m * k;
        Buffer<bubbles::RowJudgement> device(n * lu.batch());
        bubbles::launch_judge_rows<T>(geometry(), rhs.data(), device.data());
        std::vector<bubbles::RowJudgement> rows(device.size());
        device.download(rows);
        double worst = 0;
        for (std::size_t s = 0; s < count; ++s) {
            bubbles::RowJudgement most{0, 0, 0, 0};
            for (std::size_t i = 0; i < n; ++i) {
                const bubbles::RowJudgement& row = rows[s * n + i];
                if (!(row.residual <= std::numeric_limits<double>::max())) return row.residual;
                most = {std::max(most.residual, row.residual), std::max(most.norm, row.norm), std::max(most.b, row.b),
                        std::max(most.q, row.q)};
            }
            worst = std::max(worst, most.residual / (most.norm * most.q + most.b));
        }
        return worst;
    }

    std::size_t m, k;
    BatchedLu<T> lu;
    Buffer<T> cells, normals, rhs;
    Buffer<double> flow;
    std::vector<T> packed;
    Timer timer;
};

template <class T>
BubbleCells<T>::BubbleCells(std::size_t bubbles, std::size_t points, std::size_t batch, LuPivoting pivoting,
                            BatchedProducts products) {
    if (bubbles < 1 || points < 3 || batch < 1)
        throw InvalidInput(
            fmt::format("bubble cells on the GPU: {} cells of {} bubbles with {} points: give 1, 1 and 3 at "
                        "least",
                        batch, bubbles, points));
    impl_ = std::make_unique<Impl>(bubbles, points, batch, pivoting, products);
}
template <class T> BubbleCells<T>::~BubbleCells() = default;
template <class T> BubbleCells<T>::BubbleCells(BubbleCells&&) noexcept = default;
template <class T> BubbleCells<T>& BubbleCells<T>::operator=(BubbleCells&&) noexcept = default;

template <class T> BubbleReport BubbleCells<T>::solve(std::span<const BubbleSystem> cells, bool judged) {
    Impl& b = *impl_;
    const bool fits =
        cells.size() <= b.lu.batch() &&
        std::all_of(cells.begin(), cells.end(), [&](const BubbleSystem& c) { return c.centres.size() == b.m; });
    if (!fits)
        throw InvalidInput(fmt::format("bubble cells on the GPU: {} cells; give at most {}, each of {} bubbles",
                                       cells.size(), b.lu.batch(), b.m));
    BubbleReport report;
    if (cells.empty()) return report;
    const auto timed = [&](double& seconds, auto&& work) {
        b.timer.start();
        work();
        seconds += b.timer.stop();
    };
    std::vector<double> flow(b.flow.size());
    b.pack(cells);
    timed(report.times.transfers, [&] { b.cells.upload(b.packed); });
    timed(report.times.assembly, [&] {
        bubbles::launch_assemble<T>(b.geometry(), b.lu.device_matrices(), static_cast<int>(b.lu.stride()),
                                    static_cast<long long>(b.lu.distance()), b.rhs.data());
    });
    timed(report.times.factor, [&] { b.lu.start_factor(); });
    timed(report.times.solve, [&] {
        b.lu.start_solve(b.rhs.data());
        bubbles::launch_mean_flow<T>(b.geometry(), b.rhs.data(), b.flow.data());
    });
    timed(report.times.transfers, [&] {
        b.flow.download(flow);
        report.systems = b.lu.finish_factor().systems;
    });
    report.systems.resize(cells.size());
    for (std::size_t s = 0; s < cells.size(); ++s) report.flow.push_back({flow[2 * s], flow[2 * s + 1]});
    if (judged) report.backward_error = b.judge(cells.size());
    return report;
}

template <class T> std::vector<T> BubbleCells<T>::potentials() const {
    std::vector<T> q(impl_->rhs.size());
    impl_->rhs.download(q);
    return q;
}

template class BubbleCells<float>;
template class BubbleCells<double>;

} // namespace mantissa::gpu
