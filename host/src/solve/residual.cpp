#include "mantissa/host/residual.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "mantissa/format.hpp"
#include "mantissa/outer/defect.hpp"
#include "mantissa/outer_order.hpp"
#include "running/parallel.hpp"

namespace mantissa {

namespace {

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
    const std::size_t unit = system.kind() == System::Kind::stencil ? system.row_length() : 1;
    running::for_pieces(threads, size, unit, [&](std::size_t begin, std::size_t end) {
        outer::defect_piece(system, begin, end, u.data(), b.data(), d.data());
    });
}

std::optional<double> plain_relative_residual(double norm, double norm_b) {
    // What products of this size lose below 2^-1074 does not show beside a b of 2^-900.
    constexpr double kLow = 0x1p-900;
    if (norm_b == 0 && norm == 0) return 0;
    if (std::isfinite(norm) && std::isfinite(norm_b) && norm_b >= kLow) return norm / norm_b;
    return std::nullopt;
}

double relative_residual(const System& system, std::span<const double> u, std::span<const double> b, int threads) {
    const auto finite = [](double x) { return std::isfinite(x); };
    if (!std::all_of(u.begin(), u.end(), finite) || !std::all_of(b.begin(), b.end(), finite))
        return std::numeric_limits<double>::infinity();
    std::vector<double> d(system.size());
    defect(system, u, b, d, threads);
    const double norm = norm2(d, threads), norm_b = norm2(b, threads);
    if (const auto plain = plain_relative_residual(norm, norm_b)) return *plain;
    return wide_relative_residual(system, u, b, threads);
}

double norm2(std::span<const double> v, int threads) {
    const double sum = sum_of_squares(v, 1.0, threads);
    if (outer_order::squares_suffice(sum)) return std::sqrt(sum);
    return outer_order::scaled_norm(v, [&](double scale) { return sum_of_squares(v, scale, threads); });
}

} // namespace mantissa
