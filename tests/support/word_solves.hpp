// Solves in words to hold engines against the reference with: grids, right-hand sides, specs.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "mantissa/multilevel/word_solve.hpp"
#include "mantissa/nine_point.hpp"

namespace mantissa::test {

/// Poisson's equation by bilinear elements in integers; or a stencil that is stretched a little.
inline multilevel::GridWords word_grid(std::size_t level, bool stretched = false) {
    const std::size_t n = (std::size_t{1} << level) + 1;
    const double c = stretched ? -2 : -1, east = stretched ? -3 : -1, north = -1, centre = stretched ? 16 : 8;
    return *multilevel::grid_words(System(Stencil(n, n, {c, north, c, east, centre, east, c, north, c})));
}

/// Six cycles of both kinds, lists and long words among them.
inline constexpr const char* kCycleSpecs[] = {"b2,w=10",          "b1,w=6,f=9", "b3,w=12/10/8,f=18/12,e=20/14,g=0",
                                              "v11,w=8,f=8,e=12", "v22,w=10",   "v13,w=16,f=22,e=24,g=6"};

/// Words of a smooth right-hand side with noise on it, about 2^bits.
inline std::vector<std::int64_t> word_right_hand_side(const multilevel::GridWords& grid, int bits,
                                                      std::uint64_t seed = 1) {
    const std::size_t n = grid.row_length;
    std::vector<std::int64_t> b(n * n, 0);
    for (std::size_t j = 1; j + 1 < n; ++j)
        for (std::size_t i = 1; i + 1 < n; ++i) {
            seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
            const double x = static_cast<double>(i) / static_cast<double>(n - 1),
                         y = static_cast<double>(j) / static_cast<double>(n - 1),
                         noise = static_cast<double>(seed >> 11) * 0x1p-53 - 0.5;
            b[j * n + i] = static_cast<std::int64_t>(std::ldexp(8 * x * (1 - x) * y * (1 - y) + 0.25 * noise, bits));
        }
    return b;
}

inline double word_norm(const std::vector<std::int64_t>& v) {
    double squares = 0;
    for (const std::int64_t x : v) squares += static_cast<double>(x) * static_cast<double>(x);
    return std::sqrt(squares);
}

} // namespace mantissa::test
