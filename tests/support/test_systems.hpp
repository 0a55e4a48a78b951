// Small systems of every kind, for comparing engines.
#pragma once

#include <algorithm>
#include <random>

#include "mantissa/system.hpp"

namespace mantissa::testing {

inline System stencil_system(std::size_t columns, std::size_t rows) {
    Stencil s{columns, rows, {}};
    for (int b = 0; b < kBands; ++b) s.coefficients[b] = b == 4 ? 8.0 / 3 : -1.0 / 3;
    s.coefficients[1] = s.coefficients[7] = -0.25;
    return System::from_stencil(s);
}

inline System band_system(std::size_t columns, std::size_t rows, unsigned seed) {
    std::mt19937_64 random(seed);
    std::uniform_real_distribution<double> uniform(0.05, 0.3);
    Bands b;
    b.row_length = columns;
    for (auto& band : b.band) band.resize(columns * rows);
    for (std::size_t i = 0; i < columns * rows; ++i)
        for (std::size_t k = 0; k < kBands; ++k) {
            const double value = k == 4 ? 2.7 + uniform(random) : -uniform(random);
            const std::size_t row = i / columns + k / 3, column = i % columns + k % 3; // one more than the neighbour's
            const bool inside = row >= 1 && row <= rows && column >= 1 && column <= columns;
            b.band[k][i] = inside ? value : 0.0;
        }
    return System::from_bands(std::move(b));
}

inline System sparse_system(std::size_t size, unsigned seed) {
    std::mt19937_64 random(seed);
    std::uniform_real_distribution<double> uniform(0.05, 0.3);
    SparseRows s;
    s.row_begin.push_back(0);
    for (std::size_t i = 0; i < size; ++i) {
        const std::size_t reach = random() % 7;
        for (std::size_t j = i - std::min(i, reach); j <= std::min(size - 1, i + reach); ++j)
            if (i == j || random() % 2 != 0) {
                s.column.push_back(static_cast<std::uint32_t>(j));
                s.value.push_back(i == j ? 3.0 + uniform(random) : -uniform(random));
            }
        s.row_begin.push_back(s.value.size());
    }
    return System::from_rows(std::move(s));
}

} // namespace mantissa::testing
