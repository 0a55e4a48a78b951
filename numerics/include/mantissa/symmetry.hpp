// Is a matrix symmetric to the bit?
#pragma once

#include <cstddef>
#include <optional>
#include <utility>

#include "mantissa/system.hpp"

namespace mantissa {

/// An entry (row, column), counted from 0, whose partner across the diagonal is another number; nothing where the
/// matrix is symmetric to the bit. An entry that is not stored is zero.
[[nodiscard]] std::optional<std::pair<std::size_t, std::size_t>> asymmetry(const System& system);
/// Of sparse rows alone.
[[nodiscard]] std::optional<std::pair<std::size_t, std::size_t>> asymmetry(const CompressedRows& rows);

} // namespace mantissa
