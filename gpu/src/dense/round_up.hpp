// Sizes of panels and pitches.
#pragma once

#include <cstddef>

namespace mantissa::gpu {

/// The least multiple of `unit` that is not below n.
constexpr std::size_t round_up(std::size_t n, std::size_t unit) {
    return (n + unit - 1) / unit * unit;
}

} // namespace mantissa::gpu
