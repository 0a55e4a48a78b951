// Sparse rows of a fixed-point matrix in slices, as kernels read them. Internal to numerics/.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "../isa/fixed_pass.hpp"
#include "fixed_matrix.hpp"

namespace mantissa::detail {

/// Sparse rows in slices (fixed_pass.hpp).
struct SlicedWords {
    std::vector<std::size_t> begin{0};
    std::vector<std::uint32_t> column;
    std::vector<std::int32_t> word;
    [[nodiscard]] RowSlices rows() const { return {begin.data(), column.data(), word.data()}; }
};

/// Of the rows of `m`. Words below 2^31. None where padding would cost more than slices save: a row's product takes
/// half as long in them.
[[nodiscard]] std::optional<SlicedWords> sliced(const FixedMatrix& m);

} // namespace mantissa::detail
