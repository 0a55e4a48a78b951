#include "strength.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "../blocked_sums.hpp"

namespace mantissa::detail {

namespace {

/// The largest entry that each node has to another one, and the nodes that are alone.
std::vector<double> largest_couplings(const RealRows& a, const Unknowns& unknowns, double dominated, int threads,
                                      std::vector<std::uint8_t>& alone) {
    std::vector<double> most(unknowns.nodes());
    alone.resize(unknowns.nodes());
    for_each_row(unknowns.nodes(), threads, [&](std::size_t node) {
        double largest = 0, rows = 0;
        for (std::uint32_t row = unknowns.first(node); row < unknowns.first(node + 1); ++row) {
            double sum = 0;
            for (std::uint32_t k = a.begin[row]; k < a.begin[row + 1]; ++k) {
                if (unknowns.node(a.column[k]) == node) continue;
                const double v = std::abs(a.value[k]);
                largest = std::max(largest, v);
                sum += v;
            }
            rows = std::max(rows, sum);
        }
        most[node] = largest;
        alone[node] = rows <= dominated ? 1 : 0;
    });
    return most;
}

} // namespace

Couplings find_couplings(const RealRows& a, const Unknowns& unknowns, double threshold, double dominated,
                         [[maybe_unused]] int threads) {
    Couplings c;
    const std::vector<double> most = largest_couplings(a, unknowns, dominated, threads, c.alone);
    c.strong.resize(a.value.size());
    const auto is_strong = [&](double v, std::size_t node, std::uint32_t other) {
        return !c.alone[node] && !c.alone[other] && v >= threshold * std::min(most[node], most[other]);
    };
    if (unknowns.begin.empty()) {
        for_each_row(a.rows, threads, [&](std::size_t row) {
            for (std::uint32_t k = a.begin[row]; k < a.begin[row + 1]; ++k)
                c.strong[k] = a.column[k] != row && is_strong(std::abs(a.value[k]), row, a.column[k]) ? 1 : 0;
        });
        return c;
    }
    const auto nodes = static_cast<std::ptrdiff_t>(unknowns.nodes());
#pragma omp parallel num_threads(threads) if (unknowns.count() >= kWorthThreads)
    {
        std::vector<double> between(unknowns.nodes(), 0.0); // the largest entry to each node
#pragma omp for schedule(static)
        for (std::ptrdiff_t n = 0; n < nodes; ++n) {
            const auto node = static_cast<std::size_t>(n);
            const std::uint32_t first = a.begin[unknowns.first(node)], end = a.begin[unknowns.first(node + 1)];
            for (std::uint32_t k = first; k < end; ++k) {
                double& largest = between[unknowns.node(a.column[k])];
                largest = std::max(largest, std::abs(a.value[k]));
            }
            for (std::uint32_t row = unknowns.first(node); row < unknowns.first(node + 1); ++row)
                for (std::uint32_t k = a.begin[row]; k < a.begin[row + 1]; ++k) {
                    const std::uint32_t other = unknowns.node(a.column[k]);
                    c.strong[k] = a.column[k] != row && (other == node || is_strong(between[other], node, other));
                }
            for (std::uint32_t k = first; k < end; ++k) between[unknowns.node(a.column[k])] = 0;
        }
    }
    return c;
}

} // namespace mantissa::detail
