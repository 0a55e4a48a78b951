// Loops over rows that add something up, in an order that does not depend on the threads. Internal to numerics/.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "mantissa/multilevel/aggregation.hpp"

namespace mantissa::detail {

/// Fewer rows than these are done before other threads have begun.
inline constexpr std::size_t kWorthThreads = 8192;

/// The sum of term(row) over all rows: blocks of kRowsOfSum in order, then the blocks in order.
template <class T, class Term> T blocked_sum(std::size_t rows, [[maybe_unused]] int threads, const Term& term) {
    constexpr std::size_t kBlock = multilevel::kRowsOfSum;
    const auto blocks = static_cast<std::ptrdiff_t>((rows + kBlock - 1) / kBlock);
    std::vector<T> sum(static_cast<std::size_t>(blocks), T{});
#pragma omp parallel for schedule(static) num_threads(threads) if (rows >= kWorthThreads)
    for (std::ptrdiff_t b = 0; b < blocks; ++b) {
        const std::size_t first = static_cast<std::size_t>(b) * kBlock, end = std::min(rows, first + kBlock);
        T s{};
        for (std::size_t row = first; row < end; ++row) s += term(row);
        sum[static_cast<std::size_t>(b)] = s;
    }
    T total{};
    for (const T& s : sum) total += s;
    return total;
}
template <class Work> void for_each_row(std::size_t rows, [[maybe_unused]] int threads, const Work& work) {
    const auto count = static_cast<std::ptrdiff_t>(rows);
#pragma omp parallel for schedule(static) num_threads(threads) if (rows >= kWorthThreads)
    for (std::ptrdiff_t row = 0; row < count; ++row) work(static_cast<std::size_t>(row));
}
/// The same of a few pieces of work, each worth a thread.
template <class Work> void for_each_piece(std::size_t pieces, [[maybe_unused]] int threads, const Work& work) {
    const auto count = static_cast<std::ptrdiff_t>(pieces);
#pragma omp parallel for schedule(dynamic) num_threads(threads)
    for (std::ptrdiff_t piece = 0; piece < count; ++piece) work(static_cast<std::size_t>(piece));
}

} // namespace mantissa::detail
