// Small symmetric systems for rows of differences. Weights towards the four neighbours all differ, so that an engine that
// takes one for another shows.
#pragma once

#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "mantissa/system.hpp"

namespace mantissa::testing {

/// Equal on opposite sides alone. Its row sum is zero, or `sum`.
inline Stencil symmetric_stencil(std::size_t columns, std::size_t rows, double sum = 0) {
    const double e = -0.39, nw = -0.36, n = -0.31, ne = -0.26;
    return {columns, rows, {ne, n, nw, e, sum - 2 * (e + nw + n + ne), e, nw, n, ne}};
}

/// Equal east and west, north and south, and at the corners.
inline Stencil axis_stencil(std::size_t columns, std::size_t rows, double sum = 0) {
    const double e = -0.39, n = -0.31, d = -0.26;
    return {columns, rows, {d, n, d, e, sum - 2 * (e + n) - 4 * d, e, d, n, d}};
}

/// Random weights, zero where they leave the grid; row sums in half of the rows, or none.
inline SymmetricBands symmetric_bands(std::size_t columns, std::size_t rows, unsigned seed, bool row_sums) {
    std::mt19937_64 random(seed);
    std::uniform_real_distribution<double> uniform(0.05, 0.4);
    const std::size_t size = columns * rows;
    SymmetricBands::Array weights;
    for (auto& w : weights) w.resize(size);
    std::vector<double> sums(row_sums ? size : 0);
    for (std::size_t i = 0; i < size; ++i) {
        const std::size_t column = i % columns;
        const bool west = column > 0, east = column + 1 < columns, north = i + columns < size;
        const bool inside[] = {east, north && west, north, north && east};
        for (std::size_t d = 0; d < kWeights; ++d) {
            const double w = uniform(random);
            weights[d][i] = inside[d] ? w : 0.0;
        }
        if (row_sums && random() % 2 == 0) sums[i] = uniform(random);
    }
    return {columns, std::move(weights), std::move(sums)};
}

} // namespace mantissa::testing
