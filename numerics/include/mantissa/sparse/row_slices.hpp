// Sparse rows in slices, for products on this processor: the sums of several rows run side by side where those of one
// row would wait for each other. Products are in slice_product.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "mantissa/sparse/compressed_rows.hpp"
#include "mantissa/sparse/slice_product.hpp"

namespace mantissa {

/// The rows of a matrix in slices of kSliceRows, in the order given, with values in T (double or float). A slice is as
/// deep as half of its rows are long, so that at most half of its slots hold zeros; the rest of longer rows follows
/// them, entry by entry.
template <class T> class SlicedRows {
public:
    /// Holds a copy of what it needs of `a`. `threads`: they make it; it does not depend on them.
    explicit SlicedRows(const CompressedRows& a, int threads = 1);

    /// Holds while this object does.
    [[nodiscard]] RowSlices<T> at() const {
        return {slice_.data(), column_.get(), value_.get(), rest_.data(), tail_column_.data(), tail_value_.data()};
    }
    /// Rows up to whole slices: as many elements of x are read and as many sums made.
    [[nodiscard]] std::size_t padded() const { return (slice_.size() - 1) * kSliceRows<T>; }

private:
    std::vector<RowSlice> slice_;             ///< and the end
    std::unique_ptr<std::uint32_t[]> column_; // (not vectors: zeros in front of what is written would be a pass more)
    std::unique_ptr<T[]> value_;
    std::vector<std::uint32_t> tail_column_;
    std::vector<T> tail_value_;
    std::vector<RowRest> rest_;
};

extern template class SlicedRows<double>;
extern template class SlicedRows<float>;

} // namespace mantissa
