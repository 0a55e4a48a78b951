#include "mantissa/sparse/reorder.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "mantissa/format.hpp"

namespace mantissa {

namespace {

constexpr std::uint32_t kUnseen = std::numeric_limits<std::uint32_t>::max();

std::uint32_t degree(const CompressedRows& a, std::uint32_t row) {
    return static_cast<std::uint32_t>(a.row_begin()[row + 1] - a.row_begin()[row]);
}

/// Breadth-first levels from `root` over rows that are not yet placed; returns the rows in order of their visit.
/// `level` is kUnseen outside of the search and is put back by the caller.
void levels_from(const CompressedRows& a, std::uint32_t root, const std::vector<bool>& placed,
                 std::vector<std::uint32_t>& level, std::vector<std::uint32_t>& visited) {
    visited.assign(1, root);
    level[root] = 0;
    for (std::size_t head = 0; head < visited.size(); ++head) {
        const std::uint32_t row = visited[head];
        for (std::uint64_t k = a.row_begin()[row]; k < a.row_begin()[row + 1]; ++k) {
            const std::uint32_t next = a.column()[k];
            if (placed[next] || level[next] != kUnseen) continue;
            level[next] = level[row] + 1;
            visited.push_back(next);
        }
    }
}

std::uint32_t peripheral(const CompressedRows& a, std::uint32_t root, const std::vector<bool>& placed,
                         std::vector<std::uint32_t>& level) {
    std::vector<std::uint32_t> visited;
    std::uint32_t depth = 0;
    for (bool deeper = true; deeper;) {
        levels_from(a, root, placed, level, visited);
        const std::uint32_t last = level[visited.back()];
        std::uint32_t far = visited.back();
        for (const std::uint32_t row : visited)
            if (level[row] == last &&
                (degree(a, row) < degree(a, far) || (degree(a, row) == degree(a, far) && row < far)))
                far = row;
        for (const std::uint32_t row : visited) level[row] = kUnseen;
        deeper = last > depth;
        if (deeper) {
            depth = last;
            root = far;
        }
    }
    return root;
}

} // namespace

std::vector<std::uint32_t> reverse_cuthill_mckee(const CompressedRows& a) {
    std::vector<std::uint32_t> order, level(a.rows(), kUnseen), next;
    order.reserve(a.rows());
    std::vector<bool> placed(a.rows(), false);
    for (std::uint32_t seed = 0; seed < a.rows(); ++seed) {
        if (placed[seed]) continue;
        const std::uint32_t root = peripheral(a, seed, placed, level);
        std::size_t head = order.size();
        order.push_back(root);
        placed[root] = true;
        for (; head < order.size(); ++head) {
            const std::uint32_t row = order[head];
            next.clear();
            for (std::uint64_t k = a.row_begin()[row]; k < a.row_begin()[row + 1]; ++k)
                if (!placed[a.column()[k]]) {
                    placed[a.column()[k]] = true;
                    next.push_back(a.column()[k]);
                }
            std::ranges::sort(next, [&](std::uint32_t x, std::uint32_t y) {
                return degree(a, x) != degree(a, y) ? degree(a, x) < degree(a, y) : x < y;
            });
            order.insert(order.end(), next.begin(), next.end());
        }
    }
    std::ranges::reverse(order);
    return order;
}

CompressedRows permuted(const CompressedRows& a, const std::vector<std::uint32_t>& order) {
    constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
    std::vector<std::uint32_t> place(a.rows(), kNone);
    if (order.size() != a.rows()) throw InvalidInput("permutation of a sparse matrix: give one place for each row");
    for (std::size_t k = 0; k < order.size(); ++k) {
        if (order[k] >= a.rows() || place[order[k]] != kNone)
            throw InvalidInput(fmt::format("permutation of a sparse matrix of {} rows: place {} holds row {}, which is "
                                           "outside or placed before: give each row once",
                                           a.rows(), k, order[k]));
        place[order[k]] = static_cast<std::uint32_t>(k);
    }
    std::vector<std::uint64_t> row_begin = {0};
    std::vector<std::uint32_t> columns;
    std::vector<double> values;
    row_begin.reserve(a.rows() + 1);
    columns.reserve(a.nonzeros());
    values.reserve(a.nonzeros());
    std::vector<std::pair<std::uint32_t, double>> row;
    for (const std::uint32_t from : order) {
        row.clear();
        for (std::uint64_t k = a.row_begin()[from]; k < a.row_begin()[from + 1]; ++k)
            row.emplace_back(place[a.column()[k]], a.value()[k]);
        std::ranges::sort(row, {}, &std::pair<std::uint32_t, double>::first);
        for (const auto& [column, value] : row) {
            columns.push_back(column);
            values.push_back(value);
        }
        row_begin.push_back(values.size());
    }
    return {std::move(row_begin), std::move(columns), std::move(values)};
}

Bandwidth bandwidth(const CompressedRows& a) {
    Bandwidth w;
    double sum = 0;
    for (std::size_t row = 0; row < a.rows(); ++row)
        for (std::uint64_t k = a.row_begin()[row]; k < a.row_begin()[row + 1]; ++k) {
            const auto d = static_cast<std::uint32_t>(a.column()[k] > row ? a.column()[k] - row : row - a.column()[k]);
            w.largest = std::max(w.largest, d);
            sum += d;
        }
    w.mean = a.nonzeros() == 0 ? 0 : sum / static_cast<double>(a.nonzeros());
    return w;
}

} // namespace mantissa
