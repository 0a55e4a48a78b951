// Readable references for the tests: a System as a dense matrix.
#pragma once

#include <cstddef>
#include <vector>

#include "mantissa/system.hpp"

using Dense = std::vector<std::vector<double>>;

inline void add_to(Dense& a, const mantissa::CompressedRows& m) {
    for (std::size_t i = 0; i < m.rows(); ++i)
        for (auto k = m.row_begin()[i]; k < m.row_begin()[i + 1]; ++k) a[i][m.column()[k]] += m.value()[k];
}
template <class Grid, class Coefficient> void add_nine_points(Dense& a, const Grid& m, Coefficient&& coefficient) {
    for (std::size_t i = 0; i < m.size(); ++i)
        for (std::size_t b = 0; b < mantissa::kBands; ++b) {
            const auto j = static_cast<std::ptrdiff_t>(i) + mantissa::band_offset(static_cast<int>(b), m.row_length());
            if (j >= 0 && j < static_cast<std::ptrdiff_t>(m.size()))
                a[i][static_cast<std::size_t>(j)] += coefficient(b, i);
        }
}
inline void add_to(Dense& a, const mantissa::Stencil& m) {
    add_nine_points(a, m, [&](std::size_t b, std::size_t i) { return m.on_edge(i) ? 0.0 : m.coefficients()[b]; });
}
inline void add_to(Dense& a, const mantissa::Bands& m) {
    add_nine_points(a, m, [&](std::size_t b, std::size_t i) { return m.band(b)[i]; });
}
inline void add_to(Dense& a, const mantissa::SymmetricBands& m) {
    add_nine_points(a, m, [&](std::size_t b, std::size_t i) { return m.coefficient(b, i); });
}

/// The matrix that defect() applies; Dirichlet rows and the couplings to them as the System has them.
inline Dense dense(const mantissa::System& system) {
    Dense a(system.size(), std::vector<double>(system.size(), 0.0));
    std::visit([&](const auto& m) { add_to(a, m); }, system.matrix());
    return a;
}
