#include "mantissa/sparse/reference.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "mantissa/format.hpp"

namespace mantissa {

namespace {

template <class T> void check_sizes(std::size_t rows, std::span<const T> x, std::span<T> y, std::size_t columns) {
    if (columns == 0 || x.size() != rows * columns || y.size() != rows * columns)
        throw InvalidInput(fmt::format("reference product: x has {} elements and y {}, {} rows by {} vectors are "
                                       "wanted of both",
                                       x.size(), y.size(), rows, columns));
}

/// y's row += value * (x's row), one rounding for each product and each sum.
template <class T> struct Row {
    std::span<const T> x;
    std::span<T> y;
    std::size_t columns;
    void clear(std::size_t row) const {
        std::fill_n(y.begin() + static_cast<std::ptrdiff_t>(row * columns), columns, T(0));
    }
    void add(std::size_t row, double value, std::size_t column) const {
        for (std::size_t c = 0; c < columns; ++c) {
            const T product = static_cast<T>(value) * x[column * columns + c];
            y[row * columns + c] = y[row * columns + c] + product;
        }
    }
};

} // namespace

template <class T>
void reference_product(const CompressedRows& a, std::span<const T> x, std::span<T> y, std::size_t columns) {
    check_sizes(a.rows(), x, y, columns);
    const Row<T> to{x, y, columns};
    for (std::size_t row = 0; row < a.rows(); ++row) {
        to.clear(row);
        for (std::uint64_t k = a.row_begin()[row]; k < a.row_begin()[row + 1]; ++k)
            to.add(row, a.value()[k], a.column()[k]);
    }
}

template <class T> void reference_product(const Bcrs& a, std::span<const T> x, std::span<T> y, std::size_t columns) {
    check_sizes(a.rows, x, y, columns);
    const Row<T> to{x, y, columns};
    const std::size_t block = a.block;
    for (std::size_t row = 0; row < a.rows; ++row) {
        to.clear(row);
        for (std::uint32_t k = a.row_begin[row / block]; k < a.row_begin[row / block + 1]; ++k)
            for (std::size_t c = 0; c < std::min(block, a.rows - a.column[k] * block); ++c)
                to.add(row, a.value[(k * block + row % block) * block + c], a.column[k] * block + c);
    }
}

template <class T> void reference_product(const Jds& a, std::span<const T> x, std::span<T> y, std::size_t columns) {
    check_sizes(a.rows, x, y, columns);
    const Row<T> to{x, y, columns};
    for (std::size_t t = 0; t < a.rows; ++t) {
        const std::size_t row = a.permutation[t];
        to.clear(row);
        for (std::uint32_t d = 0; d < a.row_count[t]; ++d)
            to.add(row, a.value[a.diagonal_begin[d] + t], a.column[a.diagonal_begin[d] + t]);
    }
}

template <class T>
void reference_product(const ComplexBlocks& a, std::span<const T> x, std::span<T> y, std::size_t columns) {
    check_sizes(a.rows, x, y, columns);
    const Row<T> to{x, y, columns};
    for (std::size_t row = 0; row < a.rows; ++row) {
        to.clear(row);
        for (std::size_t k = a.row_begin[row / 2]; k < a.row_begin[row / 2 + 1]; ++k) {
            const double re = a.value[2 * k], im = a.value[2 * k + 1];
            const std::size_t column = 2 * std::size_t{a.column[k]};
            to.add(row, row % 2 == 0 ? re : im, column);
            to.add(row, row % 2 == 0 ? -im : re, column + 1);
        }
    }
}

template <class T>
void reference_product(const SlicedEll& a, std::span<const T> x, std::span<T> y, std::size_t columns) {
    check_sizes(a.rows, x, y, columns);
    const Row<T> to{x, y, columns};
    for (std::size_t k = 0; k < a.slice.size(); ++k) {
        const SlicedEll::Slice& slice = a.slice[k];
        const bool piece = slice.long_row != SlicedEll::kWhole;
        const bool first = !piece || a.long_row[slice.long_row].first_slice == k;
        // Rows after the next slice's first one belong to that slice.
        const std::uint32_t end = piece ? slice.row + 1 : k + 1 < a.slice.size() ? a.slice[k + 1].row : a.rows;
        for (std::uint32_t t = slice.row; t < end; ++t) {
            const std::size_t row = a.permutation[t];
            if (first) to.clear(row);
            for (std::uint32_t e = 0; e < slice.steps * slice.lanes; ++e) {
                const std::size_t place = sliced_place(slice, t, e);
                to.add(row, a.value[place], a.column[place]);
            }
        }
    }
}

#define MANTISSA_REFERENCE(Container)                                                                                  \
    template void reference_product<float>(const Container&, std::span<const float>, std::span<float>, std::size_t);   \
    template void reference_product<double>(const Container&, std::span<const double>, std::span<double>, std::size_t)
MANTISSA_REFERENCE(CompressedRows);
MANTISSA_REFERENCE(Bcrs);
MANTISSA_REFERENCE(Jds);
MANTISSA_REFERENCE(ComplexBlocks);
MANTISSA_REFERENCE(SlicedEll);
#undef MANTISSA_REFERENCE

} // namespace mantissa
