// What benchmarks of this folder share: how samples become one figure, and the paper's system.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

#include "mantissa/system.hpp"

namespace mantissa::gpu {

/// The middle one, of an even number the upper of the two. `v` is not empty.
inline double median(std::vector<double> v) {
    const auto middle = v.begin() + static_cast<std::ptrdiff_t>(v.size() / 2);
    std::ranges::nth_element(v, middle);
    return *middle;
}

/// Bilinear elements on 2^level + 1 nodes a side, as tall as `rows` such squares.
inline System poisson(int level, int rows = 1) {
    const std::size_t nodes = std::size_t{1} << level;
    std::array<double, kBands> coefficients{};
    coefficients.fill(-1.0 / 3);
    coefficients[kBands / 2] = 8.0 / 3;
    return Stencil(nodes + 1, nodes * static_cast<std::size_t>(rows) + 1, coefficients);
}

} // namespace mantissa::gpu
