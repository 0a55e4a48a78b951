#include "mantissa/sparse/sliced_ell.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "mantissa/format.hpp"
#include "mantissa/sparse/formats.hpp"

namespace mantissa {

namespace {

constexpr std::uint32_t kWidth = SlicedEll::kWidth;

std::uint32_t steps_of(std::uint32_t entries, std::uint32_t lanes) {
    return entries / lanes + (entries % lanes != 0 ? 1 : 0);
}
std::uint32_t lanes_of(std::uint32_t entries, std::uint32_t depth) {
    std::uint32_t lanes = 1;
    while (depth != 0 && lanes < kWidth && steps_of(entries, lanes) > depth) lanes *= 2;
    return lanes;
}

/// Rows in the order they are stored in; `begin`: where each row's entries begin, and the end.
template <class Index> std::vector<std::uint32_t> sorted_rows(const std::vector<Index>& begin, std::size_t window) {
    std::vector<std::uint32_t> order(begin.size() - 1);
    std::iota(order.begin(), order.end(), 0U);
    const auto count = [&](std::uint32_t row) { return begin[row + 1] - begin[row]; };
    const auto windows = static_cast<std::ptrdiff_t>((order.size() + window - 1) / window);
#pragma omp parallel for schedule(dynamic, 16)
    for (std::ptrdiff_t w = 0; w < windows; ++w) {
        const std::size_t first = static_cast<std::size_t>(w) * window;
        std::stable_sort(order.begin() + static_cast<std::ptrdiff_t>(first),
                         order.begin() + static_cast<std::ptrdiff_t>(std::min(order.size(), first + window)),
                         [&](std::uint32_t x, std::uint32_t y) { return count(x) > count(y); });
    }
    return order;
}
std::size_t window_of(std::size_t rows, const SlicedOptions& options) {
    const std::size_t window = options.window == 0 ? rows : std::min<std::size_t>(options.window, rows);
    return (window + kWidth - 1) / kWidth * kWidth;
}

/// Walks over the slices that `order` gives: sink(first stored row, rows, steps, lanes, pieces).
template <class Index, class Sink>
void for_slices(const std::vector<Index>& begin, const std::vector<std::uint32_t>& order, const SlicedOptions& options,
                Sink&& sink) {
    const std::size_t window = window_of(order.size(), options);
    for (std::size_t t = 0; t < order.size();) {
        const auto count = static_cast<std::uint32_t>(begin[order[t] + 1] - begin[order[t]]);
        const std::uint32_t lanes = lanes_of(count, options.depth), steps = steps_of(count, lanes);
        const std::size_t end = std::min(order.size(), (t / window + 1) * window); // slices stay within windows
        const auto rows = static_cast<std::uint32_t>(std::min<std::size_t>(kWidth / lanes, end - t));
        const bool cut = options.longest_piece != 0 && lanes == kWidth && steps > options.longest_piece;
        sink(static_cast<std::uint32_t>(t), rows, steps, lanes, cut ? steps_of(steps, options.longest_piece) : 1);
        t += rows;
    }
}

template <class Index> SlicedSize size_of(const std::vector<Index>& begin, const SlicedOptions& options) {
    SlicedSize size;
    for_slices(begin, sorted_rows(begin, window_of(begin.size() - 1, options)), options,
               [&](std::uint32_t, std::uint32_t, std::uint32_t steps, std::uint32_t, std::uint32_t pieces) {
                   size.steps += steps;
                   size.slices += pieces;
                   if (pieces > 1) ++size.long_rows;
               });
    return size;
}

/// `each`: values of an entry.
SlicedEll sliced(const std::vector<std::uint32_t>& begin, const std::vector<std::uint32_t>& column,
                 const std::vector<double>& value, std::size_t each, const SlicedOptions& options) {
    SlicedEll s;
    s.rows = static_cast<std::uint32_t>(begin.size() - 1);
    s.permutation = sorted_rows(begin, window_of(s.rows, options));
    s.row_count.reserve(s.rows);
    for (const std::uint32_t row : s.permutation) s.row_count.push_back(begin[row + 1] - begin[row]);
    // Whole slices, then what is in them, then pieces.
    std::vector<SlicedEll::Slice> whole;
    std::vector<std::uint32_t> rows_of, pieces_of;
    std::size_t steps_all = 0;
    for_slices(
        begin, s.permutation, options,
        [&](std::uint32_t t, std::uint32_t rows, std::uint32_t steps, std::uint32_t lanes, std::uint32_t pieces) {
            whole.push_back({static_cast<std::uint32_t>(steps_all), steps, t, lanes, SlicedEll::kWhole});
            rows_of.push_back(rows);
            pieces_of.push_back(pieces);
            steps_all += steps;
        });
    if (steps_all > std::numeric_limits<std::uint32_t>::max() / kWidth)
        throw InvalidInput(fmt::format("sparse matrix of {} nonzeros: with the padding of sliced ELL they are 2^32 or "
                                       "more; take another format",
                                       column.size()));
    s.column.resize(steps_all * kWidth, 0);
    s.value.resize(steps_all * kWidth * each, 0.0);
#pragma omp parallel for schedule(dynamic, 256)
    for (std::ptrdiff_t k = 0; k < static_cast<std::ptrdiff_t>(whole.size()); ++k) {
        const SlicedEll::Slice& slice = whole[static_cast<std::size_t>(k)];
        for (std::uint32_t row = slice.row; row < slice.row + rows_of[static_cast<std::size_t>(k)]; ++row) {
            const std::size_t from = begin[s.permutation[row]];
            const std::uint32_t count = s.row_count[row];
            for (std::uint32_t e = 0; e < slice.steps * slice.lanes && count > 0; ++e) {
                const std::size_t place = sliced_place(slice, row, e);
                s.column[place] = column[from + std::min(e, count - 1)];
                for (std::size_t i = 0; i < each && e < count; ++i)
                    s.value[place * each + i] = value[(from + e) * each + i];
            }
        }
    }
    for (std::size_t k = 0; k < whole.size(); ++k) {
        SlicedEll::Slice slice = whole[k];
        if (pieces_of[k] == 1) {
            s.slice.push_back(slice);
            continue;
        }
        slice.long_row = static_cast<std::uint32_t>(s.long_row.size());
        s.long_row.push_back({slice.row, static_cast<std::uint32_t>(s.slice.size()), pieces_of[k]});
        for (std::uint32_t left = whole[k].steps; left > 0; left -= slice.steps) {
            slice.steps = std::min(left, options.longest_piece);
            s.slice.push_back(slice);
            slice.begin += slice.steps;
        }
    }
    return s;
}

} // namespace

SlicedEll to_sliced_ell(const CompressedRows& a, const SlicedOptions& options) {
    return sliced(narrow_row_begin(a), a.column(), a.value(), 1, options);
}
SlicedEll to_sliced_ell(const ComplexBlocks& a, const SlicedOptions& options) {
    SlicedOptions whole = options;
    whole.longest_piece = 0;
    return sliced(a.row_begin, a.column, a.value, 2, whole);
}

SlicedSize sliced_size(const CompressedRows& a, const SlicedOptions& options) {
    return size_of(a.row_begin(), options);
}

CompressedRows to_compressed_rows(const SlicedEll& s) {
    std::vector<std::uint32_t> stored(s.rows);
    std::vector<std::uint32_t> slice_of(s.rows);
    for (std::uint32_t t = 0; t < s.rows; ++t) stored[s.permutation[t]] = t;
    for (std::uint32_t k = 0; k < s.slice.size(); ++k) {
        const SlicedEll::Slice& slice = s.slice[k];
        if (slice.long_row != SlicedEll::kWhole && s.long_row[slice.long_row].first_slice != k) continue;
        for (std::uint32_t t = slice.row; t < std::min(s.rows, slice.row + kWidth / slice.lanes); ++t) slice_of[t] = k;
    }
    std::vector<std::uint64_t> row_begin = {0};
    std::vector<std::uint32_t> column;
    std::vector<double> value;
    for (std::uint32_t row = 0; row < s.rows; ++row) {
        const std::uint32_t t = stored[row];
        for (std::uint32_t e = 0; e < s.row_count[t]; ++e) {
            const std::size_t k = sliced_place(s.slice[slice_of[t]], t, e);
            if (s.value[k] == 0) continue;
            column.push_back(s.column[k]);
            value.push_back(s.value[k]);
        }
        row_begin.push_back(value.size());
    }
    return {std::move(row_begin), std::move(column), std::move(value)};
}

} // namespace mantissa
