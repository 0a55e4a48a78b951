// A part's rows as kernels are given them. Plain C++.
#pragma once

#include <cstdint>

namespace mantissa::gpu {

/// Rows in slices of 32, entry after entry: element k of the row in place s is at begin[s / 32] + 32 k + s % 32.
struct RankRows {
    const std::uint64_t* begin;
    const std::uint32_t* length; ///< of each place
    const std::uint32_t* row;    ///< owned row of each place
    const std::uint32_t* column;
    const double* value;
    std::uint32_t places; ///< a multiple of 32; empty ones at the end have rows of kNoRow
};
inline constexpr std::uint32_t kNoRow = 0xFFFFFFFFu;

} // namespace mantissa::gpu
