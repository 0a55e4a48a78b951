// Tournament pivoting: the pivots of several columns at once (LuSpec's definition).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "mantissa/exact.hpp"
#include "mantissa/lu/dense.hpp"
#include "mantissa/lu/spec.hpp"

namespace mantissa::lu {

/// l of LuSpec's definition from a numerator that is rounded; `reciprocal` is 1 / pivot in l's format.
inline double quotient(const LuSpec& spec, double numerator, double pivot, double reciprocal) {
    return spec.division == LuDivision::exact ? exact::div(spec.l, numerator, pivot)
                                              : exact::mul(spec.l, numerator, reciprocal);
}

/// What went wrong in elections.
struct ElectionFaults {
    bool overflow = false, not_finite = false;
};

/// One election: the candidates of `rows` of `sums` in `columns` columns from k on.
template <class Sums>
std::vector<std::uint32_t> elect(const LuSpec& spec, const Sums& sums, std::span<const std::uint32_t> rows,
                                 std::size_t k, std::size_t columns, ElectionFaults& faults) {
    using Value = typename Sums::Value;
    Sums w = sums.part(rows, k, columns);
    std::vector<std::uint32_t> order(rows.begin(), rows.end());
    const std::size_t steps = std::min(columns, rows.size());
    std::vector<Value> u;
    for (std::size_t t = 0; t < steps; ++t) {
        std::size_t row = t;
        for (std::size_t i = t + 1; i < rows.size(); ++i)
            if (w.magnitude(i, t) > w.magnitude(row, t)) row = i;
        if (row != t) {
            w.exchange_rows(row, t);
            std::swap(order[row], order[t]);
        }
        const double pivot = w.rounded(t, t, faults.overflow);
        faults.not_finite |= !std::isfinite(pivot);
        if (pivot == 0) continue;
        double largest = 0;
        u.clear();
        for (std::size_t j = t + 1; j < columns; ++j) {
            const double value = w.rounded(t, j, faults.overflow);
            faults.not_finite |= !std::isfinite(value);
            largest = std::max(largest, std::fabs(value));
            u.push_back(static_cast<Value>(value));
        }
        const double reciprocal = exact::div(spec.l, 1.0, pivot);
        for (std::size_t i = t + 1; i < rows.size(); ++i) {
            const double l = quotient(spec, w.rounded(i, t, faults.overflow), pivot, reciprocal);
            faults.not_finite |= !std::isfinite(l);
            if (!u.empty() && !faults.not_finite) w.update(i, t + 1, l, u, largest, faults.overflow);
        }
    }
    order.resize(steps);
    return order;
}

/// The rows that become pivots k, k + 1, ...: their places now. On a fault the tree ends after that level.
template <class Sums>
std::vector<std::uint32_t> play_tournament(const LuSpec& spec, const Sums& sums, std::size_t n, std::size_t k,
                                           [[maybe_unused]] int threads, ElectionFaults& faults) {
    const std::size_t columns = std::min(n - k, static_cast<std::size_t>(spec.tournament_columns));
    const auto leaf = static_cast<std::size_t>(spec.tournament_rows);
    std::vector<std::vector<std::uint32_t>> lists;
    for (std::size_t first = k; first < n; first += leaf) {
        lists.emplace_back(std::min(leaf, n - first));
        std::iota(lists.back().begin(), lists.back().end(), static_cast<std::uint32_t>(first));
    }
    const auto play_all = [&](std::size_t elections) {
        bool overflow = false, not_finite = false;
#pragma omp parallel for schedule(dynamic) num_threads(threads) reduction(|| : overflow, not_finite)
        for (std::ptrdiff_t e = 0; e < static_cast<std::ptrdiff_t>(elections); ++e) {
            ElectionFaults own;
            auto& list = lists[static_cast<std::size_t>(e)];
            list = elect(spec, sums, list, k, columns, own);
            overflow = overflow || own.overflow;
            not_finite = not_finite || own.not_finite;
        }
        faults = {overflow, not_finite};
        return !overflow && !not_finite;
    };
    bool good = play_all(lists.size());
    while (good && lists.size() > 1) {
        const std::size_t pairs = lists.size() / 2;
        for (std::size_t i = 0; i < pairs; ++i) {
            std::vector<std::uint32_t> joined = std::move(lists[2 * i]);
            joined.insert(joined.end(), lists[2 * i + 1].begin(), lists[2 * i + 1].end());
            lists[i] = std::move(joined);
        }
        if (lists.size() % 2 == 1) lists[pairs] = std::move(lists.back());
        lists.resize((lists.size() + 1) / 2);
        good = play_all(pairs);
    }
    return lists.empty() ? std::vector<std::uint32_t>{} : lists.front();
}

} // namespace mantissa::lu
