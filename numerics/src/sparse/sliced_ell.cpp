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

/// Rows in the order they are stored in.
std::vector<std::uint32_t> sorted_rows(const CompressedRows& a, std::size_t window) {
    std::vector<std::uint32_t> order(a.rows());
    std::iota(order.begin(), order.end(), 0U);
    const auto count = [&](std::uint32_t row) { return a.row_begin()[row + 1] - a.row_begin()[row]; };
    for (std::size_t first = 0; first < order.size(); first += window)
        std::stable_sort(order.begin() + static_cast<std::ptrdiff_t>(first),
                         order.begin() + static_cast<std::ptrdiff_t>(std::min(order.size(), first + window)),
                         [&](std::uint32_t x, std::uint32_t y) { return count(x) > count(y); });
    return order;
}
std::size_t window_of(const CompressedRows& a, const SlicedOptions& options) {
    const std::size_t window = options.window == 0 ? a.rows() : std::min<std::size_t>(options.window, a.rows());
    return (window + kWidth - 1) / kWidth * kWidth;
}

/// Walks over the slices that `order` gives: sink(first stored row, rows, steps, lanes, pieces).
template <class Sink>
void for_slices(const CompressedRows& a, const std::vector<std::uint32_t>& order, const SlicedOptions& options,
                Sink&& sink) {
    const std::size_t window = window_of(a, options);
    for (std::size_t t = 0; t < order.size();) {
        const auto count = static_cast<std::uint32_t>(a.row_begin()[order[t] + 1] - a.row_begin()[order[t]]);
        const std::uint32_t lanes = lanes_of(count, options.depth), steps = steps_of(count, lanes);
        const std::size_t end = std::min(order.size(), (t / window + 1) * window); // slices stay within windows
        const auto rows = static_cast<std::uint32_t>(std::min<std::size_t>(kWidth / lanes, end - t));
        const bool cut = options.longest_piece != 0 && lanes == kWidth && steps > options.longest_piece;
        sink(static_cast<std::uint32_t>(t), rows, steps, lanes, cut ? steps_of(steps, options.longest_piece) : 1);
        t += rows;
    }
}

} // namespace

SlicedEll to_sliced_ell(const CompressedRows& a, const SlicedOptions& options) {
    const std::vector<std::uint32_t> row_begin = narrow_row_begin(a);
    if (sliced_size(a, options).steps > std::numeric_limits<std::uint32_t>::max() / kWidth)
        throw InvalidInput(fmt::format("sparse matrix of {} nonzeros: with the padding of sliced ELL they are 2^32 or "
                                       "more; take another format",
                                       a.nonzeros()));
    SlicedEll s;
    s.rows = static_cast<std::uint32_t>(a.rows());
    s.permutation = sorted_rows(a, window_of(a, options));
    for (const std::uint32_t row : s.permutation) s.row_count.push_back(row_begin[row + 1] - row_begin[row]);
    for_slices(
        a, s.permutation, options,
        [&](std::uint32_t t, std::uint32_t rows, std::uint32_t steps, std::uint32_t lanes, std::uint32_t pieces) {
            SlicedEll::Slice slice{s.steps(), steps, t, lanes, SlicedEll::kWhole};
            s.column.resize(s.column.size() + std::size_t{steps} * kWidth, 0);
            s.value.resize(s.column.size(), 0.0);
            for (std::uint32_t row = t; row < t + rows; ++row) {
                const std::uint32_t from = row_begin[s.permutation[row]], count = s.row_count[row];
                for (std::uint32_t e = 0; e < steps * lanes && count > 0; ++e) {
                    const std::size_t place = sliced_place(slice, row, e);
                    s.column[place] = a.column()[from + std::min(e, count - 1)];
                    s.value[place] = e < count ? a.value()[from + e] : 0.0;
                }
            }
            if (pieces > 1) {
                slice.long_row = static_cast<std::uint32_t>(s.long_row.size());
                s.long_row.push_back({t, static_cast<std::uint32_t>(s.slice.size()), pieces});
            }
            for (std::uint32_t left = steps, p = 0; p < pieces; ++p) {
                slice.steps = pieces == 1 ? steps : std::min(left, options.longest_piece);
                s.slice.push_back(slice);
                slice.begin += slice.steps;
                left -= slice.steps;
            }
        });
    return s;
}

SlicedSize sliced_size(const CompressedRows& a, const SlicedOptions& options) {
    SlicedSize size;
    for_slices(a, sorted_rows(a, window_of(a, options)), options,
               [&](std::uint32_t, std::uint32_t, std::uint32_t steps, std::uint32_t, std::uint32_t pieces) {
                   size.steps += steps;
                   size.slices += pieces;
                   if (pieces > 1) ++size.long_rows;
               });
    return size;
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
