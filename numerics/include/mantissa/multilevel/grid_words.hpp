// Constant stencils in integers whose multilevel cycles need no other matrix (multilevel/cycle.hpp).
#pragma once

#include <cstddef>
#include <optional>

#include "mantissa/system.hpp"

namespace mantissa::multilevel {

/// A stencil that bilinear interpolation reproduces, in integers, on a grid of 2^n + 1 nodes a side.
struct GridWords {
    std::size_t row_length = 0;
    int centre = 0, east = 0, north = 0, corner = 0; ///< symmetric in both directions
    double factor = 1;                               ///< the integers are this times the matrix
    double largest = 0;                              ///< eigenvalue
    [[nodiscard]] std::size_t levels() const;        ///< n
};
/// None where the system is no such stencil, or one whose smooth errors points cannot tell (strong anisotropy).
[[nodiscard]] std::optional<GridWords> grid_words(const System& system);

} // namespace mantissa::multilevel
