// Sparse rows in slices: see row_slices.hpp.
#include "mantissa/sparse/row_slices.hpp"

#include <algorithm>
#include <array>
#include <functional>

namespace mantissa {

namespace {

/// The rows of a slice in the matrix that it is made of; rows beyond the end are empty.
template <class T> struct SliceOf {
    static constexpr std::size_t kRows = kSliceRows<T>;
    /// A slot costs as much as half of its entries one by one.
    static constexpr std::size_t kWorthASlot = kRows / 2;

    std::size_t first;
    std::array<std::uint64_t, kRows> begin{}, length{};

    SliceOf(const CompressedRows& a, std::size_t which) : first(which * kRows) {
        for (std::size_t l = 0; l < kRows && first + l < a.rows(); ++l) {
            begin[l] = a.row_begin()[first + l];
            length[l] = a.row_begin()[first + l + 1] - begin[l];
        }
    }
    [[nodiscard]] std::uint64_t depth() const {
        std::array<std::uint64_t, kRows> longest = length;
        std::ranges::nth_element(longest, longest.begin() + (kWorthASlot - 1), std::greater());
        return longest[kWorthASlot - 1];
    }
};

} // namespace

template <class T>
SlicedRows<T>::SlicedRows(const CompressedRows& a, [[maybe_unused]] int threads)
    : slice_((a.rows() + kSliceRows<T> - 1) / kSliceRows<T> + 1) {
    constexpr std::size_t kRows = kSliceRows<T>;
    for (std::size_t s = 0; s + 1 < slice_.size(); ++s) {
        const SliceOf<T> of(a, s);
        const std::uint64_t depth = of.depth();
        slice_[s + 1] = {slice_[s].slot + depth, slice_[s].tail, slice_[s].rest};
        for (std::uint32_t l = 0; l < kRows; ++l) {
            if (of.length[l] <= depth) continue;
            rest_.push_back({l, static_cast<std::uint32_t>(of.length[l] - depth)});
            slice_[s + 1].tail += of.length[l] - depth;
            ++slice_[s + 1].rest;
        }
    }
    column_ = std::make_unique_for_overwrite<std::uint32_t[]>(slice_.back().slot * kRows);
    value_ = std::make_unique_for_overwrite<T[]>(slice_.back().slot * kRows);
    tail_column_.resize(slice_.back().tail);
    tail_value_.resize(tail_column_.size());
    const std::uint32_t* const column = a.column().data();
    const double* const value = a.value().data();
    const auto fill = [&](std::size_t s) {
        const SliceOf<T> of(a, s);
        const std::uint64_t depth = slice_[s + 1].slot - slice_[s].slot;
        std::size_t to = slice_[s].slot * kRows;
        const std::uint64_t full = std::min(depth, *std::ranges::min_element(of.length));
        for (std::uint64_t k = 0; k < full; ++k)
            for (std::size_t l = 0; l < kRows; ++l, ++to) {
                column_[to] = column[of.begin[l] + k];
                value_[to] = static_cast<T>(value[of.begin[l] + k]);
            }
        for (std::uint64_t k = full; k < depth; ++k)
            for (std::size_t l = 0; l < kRows; ++l, ++to) {
                const bool has = k < of.length[l];
                column_[to] = has ? column[of.begin[l] + k] : static_cast<std::uint32_t>(of.first + l);
                value_[to] = has ? static_cast<T>(value[of.begin[l] + k]) : T(0);
            }
        std::size_t tail = slice_[s].tail;
        for (std::size_t l = 0; l < kRows; ++l)
            for (std::uint64_t k = of.begin[l] + depth; k < of.begin[l] + of.length[l]; ++k, ++tail) {
                tail_column_[tail] = column[k];
                tail_value_[tail] = static_cast<T>(value[k]);
            }
    };
    const auto slices = static_cast<std::ptrdiff_t>(slice_.size()) - 1;
#pragma omp parallel for schedule(static) num_threads(threads)
    for (std::ptrdiff_t s = 0; s < slices; ++s) fill(static_cast<std::size_t>(s));
}

template class SlicedRows<double>;
template class SlicedRows<float>;

} // namespace mantissa
