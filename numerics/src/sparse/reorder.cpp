#include "mantissa/sparse/reorder.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include <boost/graph/compressed_sparse_row_graph.hpp>
#include <boost/graph/cuthill_mckee_ordering.hpp>
#include <fmt/format.h>

#include "mantissa/format.hpp"

namespace mantissa {

namespace {

/// The pattern off the diagonal as a graph of Boost: rows are vertices, entries are edges.
using Pattern = boost::compressed_sparse_row_graph<boost::directedS, boost::no_property, boost::no_property,
                                                   boost::no_property, std::uint32_t, std::uint64_t>;

Pattern pattern_of(const CompressedRows& a) {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> edges;
    edges.reserve(a.nonzeros());
    for (std::size_t row = 0; row < a.rows(); ++row)
        for (std::uint64_t k = a.row_begin()[row]; k < a.row_begin()[row + 1]; ++k)
            if (a.column()[k] != row) edges.emplace_back(static_cast<std::uint32_t>(row), a.column()[k]);
    return {boost::edges_are_sorted, edges.begin(), edges.end(), static_cast<std::uint32_t>(a.rows())};
}

} // namespace

std::vector<std::uint32_t> reverse_cuthill_mckee(const CompressedRows& a) {
    // Boost's queue counts in int.
    if (a.rows() > static_cast<std::size_t>(std::numeric_limits<int>::max()))
        throw InvalidInput(fmt::format("reverse Cuthill-McKee ordering of {} rows: it orders at most {}", a.rows(),
                                       std::numeric_limits<int>::max()));
    const Pattern pattern = pattern_of(a);
    const auto index = boost::get(boost::vertex_index, pattern);
    // Ordered by length and, where lengths are equal, by number: no two are equal, so that no order is left to a sort.
    std::vector<std::pair<std::uint64_t, std::uint32_t>> rank(a.rows());
    for (std::size_t row = 0; row < a.rows(); ++row)
        rank[row] = {a.row_begin()[row + 1] - a.row_begin()[row], static_cast<std::uint32_t>(row)};
    std::vector<boost::default_color_type> color(a.rows());
    std::vector<std::uint32_t> order(a.rows());
    boost::cuthill_mckee_ordering(pattern, order.rbegin(), boost::make_iterator_property_map(color.begin(), index),
                                  boost::make_iterator_property_map(rank.begin(), index));
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
