#include "mantissa/outer/defect.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <variant>

namespace mantissa::outer {

namespace {

/// Elements begin..end-1 of one grid row's interior: nine neighbours exist for each of them.
void stencil_run(const std::array<double, kBands>& c, std::size_t n, std::size_t begin, std::size_t end,
                 const double* __restrict u, const double* b, double* d) {
    const double c0 = c[0], c1 = c[1], c2 = c[2], c3 = c[3], c4 = c[4], c5 = c[5], c6 = c[6], c7 = c[7], c8 = c[8];
#pragma GCC ivdep
    for (std::size_t i = begin; i < end; ++i) {
        const double* south = u + (i - n);
        const double* here = u + i;
        const double* north = u + (i + n);
        double sum = c0 * south[-1] + c1 * south[0];
        sum += c2 * south[1];
        sum += c3 * here[-1];
        sum += c4 * here[0];
        sum += c5 * here[1];
        sum += c6 * north[-1];
        sum += c7 * north[0];
        sum += c8 * north[1];
        d[i] = b[i] - sum;
    }
}

void stencil_rows(const Stencil& s, std::size_t first_row, std::size_t end_row, const double* u, const double* b,
                  double* d) {
    const std::size_t n = s.row_length();
    for (std::size_t row = first_row; row < end_row; ++row) {
        const std::size_t i = row * n;
        if (row == 0 || row + 1 == s.rows()) {
            if (d != b) std::copy(b + i, b + i + n, d + i);
            continue;
        }
        d[i] = b[i];
        stencil_run(s.coefficients(), n, i + 1, i + n - 1, u, b, d);
        d[i + n - 1] = b[i + n - 1];
    }
}

/// One element of a nine-band system, wherever it lies.
double band_row_sum(const Bands& m, std::size_t i, const double* u) {
    double sum = 0;
    for (int b = 0; b < kBands; ++b) {
        const auto j = static_cast<std::ptrdiff_t>(i) + band_offset(b, m.row_length());
        const bool inside = j >= 0 && j < static_cast<std::ptrdiff_t>(m.size());
        const double product = m.band(static_cast<std::size_t>(b))[i] * (inside ? u[j] : 0.0);
        sum = b == 0 ? product : sum + product;
    }
    return sum;
}

void band_piece(const Bands& m, std::size_t begin, std::size_t end, const double* __restrict u, const double* b,
                double* d) {
    const std::size_t size = m.size(), n = m.row_length(), margin = n + 1;
    const std::size_t low = std::clamp(margin, begin, end);
    const std::size_t high = std::clamp(size > margin ? size - margin : std::size_t{0}, low, end);
    for (std::size_t i = begin; i < low; ++i) d[i] = b[i] - band_row_sum(m, i, u);
    std::array<const double*, kBands> a{};
    for (std::size_t k = 0; k < kBands; ++k) a[k] = m.band(k).data();
    const double *a0 = a[0], *a1 = a[1], *a2 = a[2], *a3 = a[3], *a4 = a[4], *a5 = a[5], *a6 = a[6], *a7 = a[7],
                 *a8 = a[8];
#pragma GCC ivdep
    for (std::size_t i = low; i < high; ++i) {
        const double* south = u + (i - n);
        const double* here = u + i;
        const double* north = u + (i + n);
        double sum = a0[i] * south[-1] + a1[i] * south[0];
        sum += a2[i] * south[1];
        sum += a3[i] * here[-1];
        sum += a4[i] * here[0];
        sum += a5[i] * here[1];
        sum += a6[i] * north[-1];
        sum += a7[i] * north[0];
        sum += a8[i] * north[1];
        d[i] = b[i] - sum;
    }
    for (std::size_t i = high; i < end; ++i) d[i] = b[i] - band_row_sum(m, i, u);
}

/// Rows of symmetric bands as engine.hpp's fluxes in double: the row sums count as they were given, and no diagonal is
/// formed. A flux is one product and one difference, so it is formed for both of its rows.
void symmetric_piece(const SymmetricBands& m, std::size_t begin, std::size_t end, const double* u, const double* b,
                     double* d) {
    const std::size_t size = m.size();
    const double* const c = m.row_sums().empty() ? nullptr : m.row_sums().data();
    const auto flux = [&](std::size_t k, std::size_t i) {
        const std::size_t j = i + static_cast<std::size_t>(weight_offset(k, m.row_length()));
        return m.weight(k)[i] * (u[i] - (j < size ? u[j] : 0.0));
    };
    const auto back = [&](std::size_t k, std::size_t i) {
        const auto offset = static_cast<std::size_t>(weight_offset(k, m.row_length()));
        return i < offset ? 0.0 : flux(k, i - offset);
    };
    for (std::size_t i = begin; i < end; ++i) {
        const double up = (flux(1, i) + flux(2, i)) + flux(3, i), down = (back(3, i) + back(2, i)) + back(1, i);
        double sum = (flux(0, i) - back(0, i)) + (up - down);
        if (c != nullptr) sum += c[i] * u[i];
        d[i] = b[i] - sum;
    }
}

void compressed_rows(const CompressedRows& m, std::size_t begin, std::size_t end, const double* u, const double* b,
                     double* d) {
    const std::uint64_t* const row_begin = m.row_begin().data();
    const std::uint32_t* const column = m.column().data();
    const double* const value = m.value().data();
    for (std::size_t i = begin; i < end; ++i) {
        double sum = 0;
        for (std::uint64_t k = row_begin[i]; k < row_begin[i + 1]; ++k) sum += value[k] * u[column[k]];
        d[i] = b[i] - sum;
    }
}

} // namespace

void defect_piece(const System& system, std::size_t begin, std::size_t end, const double* u, const double* b,
                  double* d) {
    std::visit(Overloaded{[&](const Stencil& m) {
                              const std::size_t n = m.row_length();
                              stencil_rows(m, begin / n, end / n, u, b, d);
                          },
                          [&](const Bands& m) { band_piece(m, begin, end, u, b, d); },
                          [&](const SymmetricBands& m) { symmetric_piece(m, begin, end, u, b, d); },
                          [&](const CompressedRows& m) { compressed_rows(m, begin, end, u, b, d); }},
               system.matrix());
}

} // namespace mantissa::outer
