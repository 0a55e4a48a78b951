// Readable references for the tests: a System as a dense matrix.
#pragma once

#include <cstddef>
#include <vector>

#include "mantissa/system.hpp"

using Dense = std::vector<std::vector<double>>;

/// The matrix that defect() applies; Dirichlet rows and the couplings to them as the System has them.
inline Dense dense(const mantissa::System& system) {
    using mantissa::System;
    Dense a(system.size, std::vector<double>(system.size, 0.0));
    for (std::size_t i = 0; i < system.size; ++i) {
        if (system.kind == System::Kind::sparse) {
            for (auto k = system.sparse.row_begin[i]; k < system.sparse.row_begin[i + 1]; ++k)
                a[i][system.sparse.column[k]] += system.sparse.value[k];
            continue;
        }
        if (system.kind == System::Kind::stencil && system.on_edge(i)) continue;
        for (int b = 0; b < mantissa::kBands; ++b) {
            const auto j = static_cast<std::ptrdiff_t>(i) + System::offset(b, system.row_length());
            if (j < 0 || j >= static_cast<std::ptrdiff_t>(system.size)) continue;
            const auto band = static_cast<std::size_t>(b);
            a[i][static_cast<std::size_t>(j)] +=
                system.kind == System::Kind::stencil ? system.stencil.coefficients[band] : system.bands.band[band][i];
        }
    }
    return a;
}
