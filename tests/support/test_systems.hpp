// Small systems of every kind, for comparing engines, and starts for them. No two couplings of a row are equal and no
// matrix is symmetric: an engine that takes one neighbour or coefficient for another shows.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <random>
#include <utility>
#include <vector>

#include "mantissa/format.hpp"
#include "mantissa/system.hpp"

namespace mantissa::testing {

inline System stencil_system(std::size_t columns, std::size_t rows) {
    // Near to the Laplacian and to symmetry, so that runs of many passes have something to do in each.
    return Stencil(columns, rows, {-0.26, -0.31, -0.36, -0.39, 8.0 / 3, -0.395, -0.365, -0.315, -0.265});
}

inline System band_system(std::size_t columns, std::size_t rows, unsigned seed) {
    std::mt19937_64 random(seed);
    std::uniform_real_distribution<double> uniform(0.05, 0.3);
    Bands::Array bands;
    for (auto& band : bands) band.resize(columns * rows);
    for (std::size_t i = 0; i < columns * rows; ++i)
        for (std::size_t k = 0; k < kBands; ++k) {
            const double value = k == 4 ? 2.7 + uniform(random) : -uniform(random);
            const std::size_t row = i / columns + k / 3, column = i % columns + k % 3; // one more than the neighbour's
            const bool inside = row >= 1 && row <= rows && column >= 1 && column <= columns;
            bands[k][i] = inside ? value : 0.0;
        }
    return Bands(columns, std::move(bands));
}

inline System sparse_system(std::size_t size, unsigned seed) {
    std::mt19937_64 random(seed);
    std::uniform_real_distribution<double> uniform(0.05, 0.3);
    std::vector<std::uint64_t> row_begin = {0};
    std::vector<std::uint32_t> column;
    std::vector<double> value;
    for (std::size_t i = 0; i < size; ++i) {
        const std::size_t reach = random() % 7;
        for (std::size_t j = i - std::min(i, reach); j <= std::min(size - 1, i + reach); ++j)
            if (i == j || random() % 2 != 0) {
                column.push_back(static_cast<std::uint32_t>(j));
                value.push_back(i == j ? 3.0 + uniform(random) : -uniform(random));
            }
        row_begin.push_back(value.size());
    }
    return CompressedRows(std::move(row_begin), std::move(column), std::move(value));
}

/// Symmetric rows whose entries lie far from the diagonal, so that every part of a long vector needs every other; one
/// row that is long, and some that have their diagonal only.
inline System scattered_system(std::size_t size, unsigned seed) {
    std::mt19937_64 random(seed);
    std::uniform_real_distribution<double> uniform(0.05, 0.3);
    std::vector<std::map<std::uint32_t, double>> rows(size);
    const auto couple = [&](std::size_t i, std::size_t j) {
        if (i == j) return;
        rows[i][static_cast<std::uint32_t>(j)] = rows[j][static_cast<std::uint32_t>(i)] = -uniform(random);
    };
    for (std::size_t i = 0; i < size; ++i)
        for (const std::size_t reach : {std::size_t{1}, size / 3, size / 2 + 1})
            if (random() % 3 == 0) couple(i, (i + reach) % size);
    for (std::size_t j = 0; j < size; j += size / 40 + 1) couple(size - 2, j);
    std::vector<std::uint64_t> row_begin = {0};
    std::vector<std::uint32_t> column;
    std::vector<double> value;
    for (std::size_t i = 0; i < size; ++i) {
        double diagonal = 1.0 + uniform(random);
        for (const auto& [j, entry] : rows[i]) diagonal -= entry;
        rows[i][static_cast<std::uint32_t>(i)] = diagonal;
        for (const auto& [j, entry] : rows[i]) {
            column.push_back(j);
            value.push_back(entry);
        }
        row_begin.push_back(value.size());
    }
    return CompressedRows(std::move(row_begin), std::move(column), std::move(value));
}

/// A start for a system's r: random with this deviation, and zero on a stencil's edge, which no pass reduces.
inline std::vector<double> random_residual(const System& system, double deviation = 0.01) {
    std::mt19937_64 random(11);
    std::normal_distribution<double> normal(0.0, deviation);
    std::vector<double> r(system.size());
    for (double& x : r) x = normal(random);
    if (system.kind() == System::Kind::stencil)
        for (std::size_t i = 0; i < system.size(); ++i)
            if (system.on_edge(i)) r[i] = 0;
    return r;
}

/// A start that vectors of format f can work on: in few exponent bits the products of small residuals vanish.
inline std::vector<double> random_residual(const System& system, const Format& f) {
    return random_residual(system, f.exponent_bits < 8 ? 16.0 : 0.01);
}

} // namespace mantissa::testing
