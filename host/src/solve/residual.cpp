#include "mantissa/host/residual.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "mantissa/format.hpp"
#include "mantissa/outer_order.hpp"
#include "running/parallel.hpp"

namespace mantissa {

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

/// Calls use(a, x) for the terms a x of row i, in the order in which defect() adds them (symmetric bands: as products).
/// One for each kind of matrix.
template <class Use> void for_terms(const CompressedRows& m, std::size_t i, std::span<const double> u, Use&& use) {
    for (std::uint64_t k = m.row_begin()[i]; k < m.row_begin()[i + 1]; ++k) use(m.value()[k], u[m.column()[k]]);
}
template <class Matrix, class Coefficient, class Use>
void nine_point_terms(const Matrix& m, std::size_t i, std::span<const double> u, Coefficient&& coefficient, Use&& use) {
    for (std::size_t b = 0; b < kBands; ++b) {
        const auto j = static_cast<std::ptrdiff_t>(i) + band_offset(static_cast<int>(b), m.row_length());
        if (j < 0 || j >= static_cast<std::ptrdiff_t>(m.size())) continue;
        use(coefficient(b), u[static_cast<std::size_t>(j)]);
    }
}
template <class Use> void for_terms(const Stencil& m, std::size_t i, std::span<const double> u, Use&& use) {
    if (!m.on_edge(i))
        nine_point_terms(
            m, i, u, [&](std::size_t b) { return m.coefficients()[b]; }, use);
}
template <class Use> void for_terms(const Bands& m, std::size_t i, std::span<const double> u, Use&& use) {
    nine_point_terms(
        m, i, u, [&](std::size_t b) { return m.band(b)[i]; }, use);
}

template <class Use> void for_terms(const SymmetricBands& m, std::size_t i, std::span<const double> u, Use&& use) {
    nine_point_terms(
        m, i, u, [&](std::size_t b) { return m.coefficient(b, i); }, use);
}

/// A number with an exponent of its own: value * 2^exponent.
struct Wide {
    double value = 0;
    long exponent = 0;
};

constexpr long kLowest = -1000000; // below every exponent that a product of two doubles can have

Wide normalised(double x) {
    int exponent = 0;
    const double value = std::frexp(x, &exponent);
    return {value, x == 0 ? kLowest : exponent};
}
double scaled_to(const Wide& x, long exponent) {
    return x.value == 0 ? 0.0 : std::ldexp(x.value, static_cast<int>(std::max(x.exponent - exponent, -3000L)));
}

/// Element i of b - A u, its terms scaled by the largest one's exponent. All operands are finite.
template <class Matrix> Wide wide_defect(const Matrix& matrix, std::size_t i, std::span<const double> u, double b) {
    const Wide right = normalised(b);
    const auto product = [](double a, double x) {
        const Wide p = normalised(a), q = normalised(x);
        return Wide{p.value * q.value, p.value == 0 || q.value == 0 ? kLowest : p.exponent + q.exponent};
    };
    long top = right.exponent;
    for_terms(matrix, i, u, [&](double a, double x) { top = std::max(top, product(a, x).exponent); });
    if (top == kLowest) return {};
    double sum = 0;
    for_terms(matrix, i, u, [&](double a, double x) { sum += scaled_to(product(a, x), top); });
    const Wide d = normalised(scaled_to(right, top) - sum);
    return {d.value, d.value == 0 ? kLowest : d.exponent + top};
}

Wide wide_norm(std::span<const Wide> v, int threads) {
    long top = kLowest;
    for (const Wide& x : v) top = std::max(top, x.exponent);
    if (top == kLowest) return {};
    std::vector<double> scaled(v.size());
    for (std::size_t i = 0; i < v.size(); ++i) scaled[i] = scaled_to(v[i], top);
    return {norm2(scaled, threads), top};
}

double wide_relative_residual(const System& system, std::span<const double> u, std::span<const double> b, int threads) {
    std::vector<Wide> d(system.size()), right(system.size());
    std::visit(
        [&](const auto& matrix) {
            running::for_pieces(threads, d.size(), 1, [&](std::size_t begin, std::size_t end) {
                for (std::size_t i = begin; i < end; ++i) {
                    d[i] = wide_defect(matrix, i, u, b[i]);
                    right[i] = normalised(b[i]);
                }
            });
        },
        system.matrix());
    const Wide top = wide_norm(d, threads), bottom = wide_norm(right, threads);
    if (top.value == 0) return 0;
    if (bottom.value == 0) return std::numeric_limits<double>::infinity();
    const long exponent = std::clamp(top.exponent - bottom.exponent, -10000L, 10000L);
    return std::ldexp(top.value / bottom.value, static_cast<int>(exponent));
}

using outer_order::kNormBlock;

double sum_of_squares(std::span<const double> v, double scale, int threads) {
    std::vector<double> blocks((v.size() + kNormBlock - 1) / kNormBlock);
    running::for_pieces(threads, v.size(), kNormBlock, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; i += kNormBlock)
            blocks[i / kNormBlock] = outer_order::block_squares(v.data() + i, std::min(kNormBlock, end - i), scale);
    });
    double sum = 0;
    for (const double block : blocks) sum += block;
    return sum;
}

} // namespace

void defect(const System& system, std::span<const double> u, std::span<const double> b, std::span<double> d,
            int threads) {
    const std::size_t size = system.size();
    if (u.size() != size || b.size() != size || d.size() != size)
        throw InvalidInput("defect: u, b and d must have as many elements as the system");
    std::visit(Overloaded{[&](const Stencil& m) {
                              const std::size_t n = m.row_length();
                              running::for_pieces(threads, size, n, [&](std::size_t begin, std::size_t end) {
                                  stencil_rows(m, begin / n, end / n, u.data(), b.data(), d.data());
                              });
                          },
                          [&](const Bands& m) {
                              running::for_pieces(threads, size, 1, [&](std::size_t begin, std::size_t end) {
                                  band_piece(m, begin, end, u.data(), b.data(), d.data());
                              });
                          },
                          [&](const SymmetricBands& m) {
                              running::for_pieces(threads, size, 1, [&](std::size_t begin, std::size_t end) {
                                  symmetric_piece(m, begin, end, u.data(), b.data(), d.data());
                              });
                          },
                          [&](const CompressedRows& m) {
                              running::for_pieces(threads, size, 1, [&](std::size_t begin, std::size_t end) {
                                  compressed_rows(m, begin, end, u.data(), b.data(), d.data());
                              });
                          }},
               system.matrix());
}

double relative_residual(const System& system, std::span<const double> u, std::span<const double> b, int threads) {
    const auto finite = [](double x) { return std::isfinite(x); };
    if (!std::all_of(u.begin(), u.end(), finite) || !std::all_of(b.begin(), b.end(), finite))
        return std::numeric_limits<double>::infinity();
    std::vector<double> d(system.size());
    defect(system, u, b, d, threads);
    const double norm = norm2(d, threads), norm_b = norm2(b, threads);
    // What products of this size lose below 2^-1074 does not show beside a b of 2^-900.
    constexpr double kLow = 0x1p-900;
    if (norm_b == 0 && norm == 0) return 0;
    if (std::isfinite(norm) && std::isfinite(norm_b) && norm_b >= kLow) return norm / norm_b;
    return wide_relative_residual(system, u, b, threads);
}

double norm2(std::span<const double> v, int threads) {
    const double sum = sum_of_squares(v, 1.0, threads);
    if (outer_order::squares_suffice(sum)) return std::sqrt(sum);
    return outer_order::scaled_norm(v, [&](double scale) { return sum_of_squares(v, scale, threads); });
}

} // namespace mantissa
