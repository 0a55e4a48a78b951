// Parts of a matrix that lies by rows.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace mantissa::lu {

/// Of rows of `n` elements, `columns` from `column` on of those named, one row after the other.
template <class T>
std::vector<T> copied_part(const std::vector<T>& w, std::size_t n, std::span<const std::uint32_t> rows,
                           std::size_t column, std::size_t columns) {
    std::vector<T> part(rows.size() * columns);
    for (std::size_t i = 0; i < rows.size(); ++i)
        std::copy_n(w.begin() + static_cast<std::ptrdiff_t>(rows[i] * n + column), columns,
                    part.begin() + static_cast<std::ptrdiff_t>(i * columns));
    return part;
}

} // namespace mantissa::lu
