// Sliced ELL with rows as they come.
#include <algorithm>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "mantissa/format.hpp"
#include "mantissa/sparse/formats.hpp"
#include "mantissa/sparse/sliced_ell.hpp"

namespace mantissa {

namespace {

constexpr std::size_t kWidth = SlicedEll::kWidth;

/// Entries of the longest of a slice's rows.
std::uint64_t longest_of_slice(const CompressedRows& a, std::size_t slice) {
    std::uint64_t longest = 0;
    for (std::size_t i = slice * kWidth; i < std::min(a.rows(), (slice + 1) * kWidth); ++i)
        longest = std::max(longest, a.row_begin()[i + 1] - a.row_begin()[i]);
    return longest;
}

std::size_t slices_of(const CompressedRows& a) {
    return (a.rows() + kWidth - 1) / kWidth;
}

} // namespace

std::size_t ordered_steps(const CompressedRows& a) {
    std::size_t steps = 0;
    for (std::size_t s = 0; s < slices_of(a); ++s) {
        const std::uint64_t longest = longest_of_slice(a, s);
        if (longest > OrderedEll::kMostEntries) return 0;
        steps += longest;
    }
    return steps;
}

OrderedEll to_ordered_ell(const CompressedRows& a) {
    const std::size_t steps = ordered_steps(a);
    if (steps == 0 && a.nonzeros() != 0)
        throw InvalidInput(fmt::format("sliced ELL in order: a row has more than {} entries; take another format",
                                       OrderedEll::kMostEntries));
    if (steps > std::numeric_limits<std::uint32_t>::max() / kWidth ||
        a.rows() > std::numeric_limits<std::uint32_t>::max())
        throw InvalidInput(fmt::format("sparse matrix of {} nonzeros: with the padding of sliced ELL they are 2^32 or "
                                       "more; take another format",
                                       a.nonzeros()));
    OrderedEll e;
    e.rows = static_cast<std::uint32_t>(a.rows());
    e.count.resize(a.rows());
    e.column.resize(steps * kWidth, 0);
    e.value.resize(steps * kWidth, 0.0);
    e.begin.reserve(slices_of(a) + 1);
    e.begin.push_back(0);
    for (std::size_t s = 0; s < slices_of(a); ++s)
        e.begin.push_back(e.begin.back() + static_cast<std::uint32_t>(longest_of_slice(a, s)));
#pragma omp parallel for schedule(static)
    for (std::ptrdiff_t row = 0; row < static_cast<std::ptrdiff_t>(a.rows()); ++row) {
        const auto i = static_cast<std::size_t>(row);
        const std::size_t from = a.row_begin()[i], count = a.row_begin()[i + 1] - from;
        e.count[i] = static_cast<std::uint8_t>(count);
        for (std::size_t k = 0; k < count; ++k) {
            const std::size_t place = (e.begin[i / kWidth] + k) * kWidth + i % kWidth;
            e.column[place] = a.column()[from + k];
            e.value[place] = a.value()[from + k];
        }
    }
    return e;
}

CompressedRows to_compressed_rows(const OrderedEll& e) {
    std::vector<std::uint64_t> row_begin = {0};
    std::vector<std::uint32_t> column;
    std::vector<double> value;
    for (std::size_t i = 0; i < e.rows; ++i) {
        for (std::size_t k = 0; k < e.count[i]; ++k) {
            const std::size_t place = (e.begin[i / kWidth] + k) * kWidth + i % kWidth;
            if (e.value[place] == 0) continue;
            column.push_back(e.column[place]);
            value.push_back(e.value[place]);
        }
        row_begin.push_back(value.size());
    }
    return {std::move(row_begin), std::move(column), std::move(value)};
}

} // namespace mantissa
