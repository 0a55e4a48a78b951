// The terms of a row of any kind of matrix, as whoever forms the row in an arithmetic of its own needs them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "mantissa/system.hpp"

namespace mantissa::outer {

/// Calls use(a, j) for the entries of row i, that is, for the terms a u_j of (A u)_i, in defect_piece()'s order.
/// Symmetric bands have two for each coupling, w u_i and -w u_j: so their sum is that of the fluxes, and no diagonal is
/// rounded.
template <class Use> void for_terms(const CompressedRows& m, std::size_t i, Use&& use) {
    for (std::uint64_t k = m.row_begin()[i]; k < m.row_begin()[i + 1]; ++k) use(m.value()[k], m.column()[k]);
}

template <class Coefficient, class Use>
void nine_point_terms(std::size_t size, std::size_t row_length, std::size_t i, Coefficient&& coefficient, Use&& use) {
    for (std::size_t b = 0; b < kBands; ++b) {
        const auto j = static_cast<std::ptrdiff_t>(i) + band_offset(static_cast<int>(b), row_length);
        if (j < 0 || j >= static_cast<std::ptrdiff_t>(size)) continue;
        use(coefficient(b), static_cast<std::size_t>(j));
    }
}
template <class Use> void for_terms(const Stencil& m, std::size_t i, Use&& use) {
    if (m.on_edge(i)) return;
    nine_point_terms(
        m.size(), m.row_length(), i, [&](std::size_t b) { return m.coefficients()[b]; }, use);
}
template <class Use> void for_terms(const Bands& m, std::size_t i, Use&& use) {
    nine_point_terms(
        m.size(), m.row_length(), i, [&](std::size_t b) { return m.band(b)[i]; }, use);
}

template <class Use> void for_terms(const SymmetricBands& m, std::size_t i, Use&& use) {
    for (std::size_t k = 0; k < kWeights; ++k) {
        const auto offset = static_cast<std::size_t>(weight_offset(k, m.row_length()));
        const double w = m.weight(k)[i];
        use(w, i);
        if (i + offset < m.size()) use(-w, i + offset);
        if (i < offset) continue;
        const double back = m.weight(k)[i - offset];
        use(-back, i - offset);
        use(back, i);
    }
    if (!m.row_sums().empty()) use(m.row_sums()[i], i);
}

} // namespace mantissa::outer
