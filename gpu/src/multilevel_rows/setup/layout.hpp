// Rows as the kernels of cycles take them, from rows one after the other.
#pragma once

#include "../loop.hpp"
#include "matrix.hpp"

namespace mantissa::gpu::multilevel_rows {

template <class V>
Matrix<V> matrix_on_device(const std::vector<std::uint32_t>& begin, const std::vector<std::uint32_t>& column,
                           const std::vector<V>& value, std::uint32_t columns, Arena& keep) {
    if (begin.empty()) return {};
    return {static_cast<std::uint32_t>(begin.size() - 1),
            columns,
            static_cast<std::uint32_t>(value.size()),
            keep.copy(std::span(begin)),
            keep.copy(std::span(column)),
            keep.copy(std::span(value))};
}

/// About the bytes that a cycle takes, with coefficients of `value` bytes and `vectors` bytes of vectors a row.
template <class Level> std::size_t room_of(const std::vector<Level>& level, std::size_t value, std::size_t vectors) {
    std::size_t bytes = 0;
    for (const Level& l : level)
        bytes += (std::size_t{l.a.entries} + 2 * std::size_t{l.prolongation.entries}) *
                     (sizeof(std::uint32_t) + value) * 3 / 2 +
                 std::size_t{l.a.rows} * vectors;
    return bytes;
}

/// V: the type of coefficients: that of the matrix, or 16-bit words of a matrix of such.
template <class V, class From> LaidRows<V> lay_out(const Matrix<From>& a, Arena& keep, Arena& scratch);

} // namespace mantissa::gpu::multilevel_rows
