// Sparse matrices as the set-up has them on the device, one row after the other.
#pragma once

#include <cstdint>

#include "arena.hpp"

namespace mantissa::gpu::multilevel_rows {

inline constexpr std::uint32_t kNone = UINT32_MAX;

/// Memory is an arena's.
template <class V> struct Matrix {
    std::uint32_t rows = 0, columns = 0, entries = 0;
    std::uint32_t *begin = nullptr, *column = nullptr; ///< rows + 1; one for each value
    V* value = nullptr;
};

/// Room for `entries`.
template <class V>
Matrix<V> new_matrix(Arena& arena, std::uint32_t rows, std::uint32_t columns, std::uint32_t entries) {
    return {rows,
            columns,
            entries,
            arena.get<std::uint32_t>(std::size_t{rows} + 1),
            arena.get<std::uint32_t>(entries),
            arena.get<V>(entries)};
}

} // namespace mantissa::gpu::multilevel_rows
