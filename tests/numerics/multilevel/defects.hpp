// Grids, and defects that look random on them.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "mantissa/system.hpp"

namespace mantissa::test {

inline System poisson(std::size_t level) {
    const std::size_t n = (std::size_t{1} << level) + 1;
    constexpr double off = -1.0 / 3;
    return System(Stencil(n, n, {off, off, off, off, 8.0 / 3, off, off, off, off}));
}

/// Words that look random on a grid's inner nodes, of very different sizes.
inline std::vector<double> some_defect(const System& system, std::uint64_t seed) {
    std::vector<double> d(system.size());
    for (std::size_t i = 0; i < d.size(); ++i) {
        seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
        const double unit = static_cast<double>(seed >> 11) * 0x1p-52 - 1;
        if (!system.on_edge(i)) d[i] = unit * unit * unit * std::ldexp(1.0, static_cast<int>(seed % 7) - 40);
    }
    return d;
}

/// Bilinear elements of random coefficients, edge nodes with empty rows.
inline Bands bands_of_jumps(std::size_t n) {
    std::mt19937_64 random(5);
    Bands::Array bands;
    for (auto& band : bands) band.assign(n * n, 0.0);
    const auto inner = [n](std::size_t i) { return i % n != 0 && i % n != n - 1 && i >= n && i < n * (n - 1); };
    for (std::size_t y = 0; y + 1 < n; ++y)
        for (std::size_t x = 0; x + 1 < n; ++x) {
            const double k = std::pow(100.0, std::generate_canonical<double, 53>(random)) / 6;
            const std::array<std::size_t, 4> corner = {y * n + x, y * n + x + 1, y * n + x + n, y * n + x + n + 1};
            for (std::size_t p = 0; p < 4; ++p)
                for (std::size_t q = 0; q < 4; ++q) {
                    if (!inner(corner[p]) || !inner(corner[q])) continue;
                    const std::size_t differs = p ^ q;
                    const std::ptrdiff_t dx = static_cast<std::ptrdiff_t>(q % 2) - static_cast<std::ptrdiff_t>(p % 2);
                    const std::ptrdiff_t dy = static_cast<std::ptrdiff_t>(q / 2) - static_cast<std::ptrdiff_t>(p / 2);
                    bands[static_cast<std::size_t>(4 + 3 * dy + dx)][corner[p]] += k * (differs == 0   ? 4
                                                                                        : differs == 3 ? -2
                                                                                                       : -1);
                }
        }
    return {n, std::move(bands)};
}

} // namespace mantissa::test
