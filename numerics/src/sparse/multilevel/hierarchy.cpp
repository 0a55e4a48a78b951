#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <utility>

#include <fmt/format.h>

#include "../../multilevel/blocked_sums.hpp"
#include "../../multilevel/rows.hpp"
#include "mantissa/format.hpp"
#include "mantissa/sparse/multilevel.hpp"
#include "patches.hpp"

namespace mantissa {

namespace {

using Complex = std::complex<double>;
using detail::Nodes, detail::RowsPart, detail::RowSum;

constexpr std::uint32_t kCoarsest = 256; ///< unknowns of a level that is inverted
constexpr std::size_t kMostLevels = 12;

/// Of D, which is the diagonal, but at least half of the sum of the row's magnitudes: so no eigenvalue of D^-1 A is
/// above 2 (Gershgorin), however obtuse the triangles. On rows without positive entries beside the diagonal both are
/// equal.
std::vector<double> inverse_diagonal(const ComplexBlocks& a, [[maybe_unused]] int threads) {
    std::vector<double> inverse(a.block_rows(), 0.0);
    detail::for_each_row(a.block_rows(), threads, [&](std::size_t row) {
        double diagonal = 0, sum = 0;
        for (std::uint32_t k = a.row_begin[row]; k < a.row_begin[row + 1]; ++k) {
            const double x = a.value[2 * std::size_t{k}], y = a.value[2 * std::size_t{k} + 1];
            if (a.column[k] == row) diagonal = x;
            sum += std::sqrt(x * x + y * y);
        }
        if (diagonal > 0) inverse[row] = 1 / std::max(diagonal, sum / 2);
    });
    const auto none = std::find(inverse.begin(), inverse.end(), 0.0);
    if (none != inverse.end())
        throw InvalidInput(fmt::format("multilevel: diagonal element {} is not above zero: the matrix is not positive "
                                       "definite",
                                       2 * (none - inverse.begin()) + 1));
    return inverse;
}

/// The largest eigenvalue of D^-1 A from below by the power method, and a fifth more, but no more than its bound.
double largest_eigenvalue(const ComplexBlocks& a, const std::vector<double>& inverse, int threads) {
    constexpr int kSteps = 12;
    constexpr double kMore = 1.2, kBound = 2;
    const std::size_t rows = a.block_rows();
    std::vector<double> v(2 * rows), w(2 * rows);
    std::uint64_t state = 1;
    for (double& x : v) { // numbers that look random (Knuth's generator)
        state = state * 6364136223846793005ULL + 1442695040888963407ULL;
        x = static_cast<double>(state >> 11) * 0x1p-52 - 1;
    }
    double largest = 0;
    for (int step = 0; step < kSteps; ++step) {
        const double squares = detail::blocked_sum<double>(rows, threads, [&](std::size_t row) {
            double x = 0, y = 0;
            for (std::uint32_t k = a.row_begin[row]; k < a.row_begin[row + 1]; ++k) {
                const double re = a.value[2 * std::size_t{k}], im = a.value[2 * std::size_t{k} + 1];
                const double* const from = v.data() + 2 * std::size_t{a.column[k]};
                x += re * from[0] - im * from[1];
                y += re * from[1] + im * from[0];
            }
            w[2 * row] = x *= inverse[row];
            w[2 * row + 1] = y *= inverse[row];
            return x * x + y * y;
        });
        const double norm = detail::blocked_sum<double>(
            rows, threads, [&](std::size_t row) { return v[2 * row] * v[2 * row] + v[2 * row + 1] * v[2 * row + 1]; });
        largest = std::sqrt(squares / norm);
        std::swap(v, w);
    }
    return std::min(kMore * largest, kBound);
}

/// (1 - 4 / (3 largest) D^-1 Re A) T: the patches' functions after a step of Jacobi's method.
RealRows smoothed(const ComplexBlocks& a, const std::vector<double>& inverse, double largest, const RealRows& t,
                  int threads) {
    constexpr double kNothing = 1e-14;
    const double omega = 4 / (3 * largest);
    const auto parts = detail::parts_of_rows<double>(
        t.rows, threads, [&] { return RowSum<double>(t.columns); },
        [&](std::size_t first, std::size_t end, RowsPart<double>& part, RowSum<double>& sum) {
            for (std::size_t row = first; row < end; ++row) {
                for (std::uint32_t m = t.begin[row]; m < t.begin[row + 1]; ++m) sum.add(t.column[m], t.value[m]);
                const double step = -omega * inverse[row];
                for (std::uint32_t k = a.row_begin[row]; k < a.row_begin[row + 1]; ++k) {
                    const double v = step * a.value[2 * std::size_t{k}];
                    const std::uint32_t j = a.column[k];
                    for (std::uint32_t m = t.begin[j]; m < t.begin[j + 1]; ++m) sum.add(t.column[m], v * t.value[m]);
                }
                sum.hand_over(part, [](double v) { return std::abs(v) > kNothing; });
            }
        });
    detail::JoinedRows<double> rows = detail::joined(parts, t.rows, threads);
    return {t.rows, t.columns, std::move(rows.begin), std::move(rows.column), std::move(rows.value)};
}

/// A P, then P^T (A P): the matrix of the next level.
ComplexBlocks projected(const ComplexBlocks& a, const RealRows& prolongation, const RealRows& restriction,
                        int threads) {
    const auto scratch = [&] { return RowSum<Complex>(prolongation.columns); };
    const std::vector<RowsPart<Complex>> ap = detail::parts_of_rows<Complex>(
        a.block_rows(), threads, scratch,
        [&](std::size_t first, std::size_t end, RowsPart<Complex>& part, RowSum<Complex>& sum) {
            for (std::size_t row = first; row < end; ++row) {
                for (std::uint32_t k = a.row_begin[row]; k < a.row_begin[row + 1]; ++k) {
                    const Complex v(a.value[2 * std::size_t{k}], a.value[2 * std::size_t{k} + 1]);
                    const std::uint32_t j = a.column[k];
                    for (std::uint32_t m = prolongation.begin[j]; m < prolongation.begin[j + 1]; ++m)
                        sum.add(prolongation.column[m], v * prolongation.value[m]);
                }
                sum.hand_over(part);
            }
        });
    const std::vector<RowsPart<Complex>> parts = detail::parts_of_rows<Complex>(
        restriction.rows, threads, scratch,
        [&](std::size_t first, std::size_t end, RowsPart<Complex>& part, RowSum<Complex>& sum) {
            for (std::size_t row = first; row < end; ++row) {
                for (std::uint32_t k = restriction.begin[row]; k < restriction.begin[row + 1]; ++k) {
                    const std::uint32_t j = restriction.column[k];
                    const RowsPart<Complex>& of = ap[j / detail::kRowsOfPart];
                    const std::size_t i = j % detail::kRowsOfPart;
                    for (std::uint32_t m = i == 0 ? 0 : of.end[i - 1]; m < of.end[i]; ++m)
                        sum.add(of.column[m], restriction.value[k] * of.value[m]);
                }
                sum.hand_over(part);
            }
        });
    detail::JoinedRows<Complex> next = detail::joined(parts, restriction.rows, threads);
    ComplexBlocks b;
    b.rows = 2 * restriction.rows;
    b.row_begin = std::move(next.begin);
    b.column = std::move(next.column);
    b.value.resize(2 * next.value.size());
    detail::for_each_row(next.value.size(), threads, [&](std::size_t k) {
        b.value[2 * k] = next.value[k].real();
        b.value[2 * k + 1] = next.value[k].imag();
    });
    return b;
}

/// By Cholesky's factors.
std::vector<double> dense_inverse(const ComplexBlocks& a) {
    const std::size_t n = a.block_rows();
    std::vector<Complex> l(n * n);
    for (std::size_t i = 0; i < n; ++i)
        for (std::uint32_t k = a.row_begin[i]; k < a.row_begin[i + 1]; ++k)
            l[i * n + a.column[k]] = {a.value[2 * std::size_t{k}], a.value[2 * std::size_t{k} + 1]};
    const auto times_conjugate = [](Complex x, Complex y) { // without the tests of operator* for what is no number
        return Complex(x.real() * y.real() + x.imag() * y.imag(), x.imag() * y.real() - x.real() * y.imag());
    };
    for (std::size_t j = 0; j < n; ++j) {
        double pivot = l[j * n + j].real();
        for (std::size_t k = 0; k < j; ++k) pivot -= std::norm(l[j * n + k]);
        if (!(pivot > 0))
            throw InvalidInput("multilevel: the matrix is not positive definite, or double precision cannot tell");
        const double root = std::sqrt(pivot);
        l[j * n + j] = root;
        for (std::size_t i = j + 1; i < n; ++i) {
            Complex s = l[i * n + j];
            for (std::size_t k = 0; k < j; ++k) s -= times_conjugate(l[i * n + k], l[j * n + k]);
            l[i * n + j] = s / root;
        }
    }
    // Rows of L^-1, and from them L^-H L^-1.
    std::vector<Complex> w(n * n);
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t k = 0; k < i; ++k) {
            const Complex v = l[i * n + k];
            for (std::size_t j = 0; j <= k; ++j) w[i * n + j] -= times_conjugate(v, std::conj(w[k * n + j]));
        }
        w[i * n + i] = 1;
        for (std::size_t j = 0; j <= i; ++j) w[i * n + j] /= l[i * n + i].real();
    }
    std::vector<double> inverse(2 * n * n, 0.0);
    for (std::size_t k = 0; k < n; ++k)
        for (std::size_t i = 0; i <= k; ++i)
            for (std::size_t j = 0; j <= k; ++j) {
                const Complex v = times_conjugate(w[k * n + j], w[k * n + i]);
                inverse[2 * (i * n + j)] += v.real();
                inverse[2 * (i * n + j) + 1] += v.imag();
            }
    return inverse;
}

Nodes first_nodes(std::span<const std::array<double, 3>> points) {
    Nodes nodes;
    std::array<double, 3> low{}, high{};
    for (std::size_t v = 0; v < points.size(); ++v)
        for (std::size_t c = 0; c < 3; ++c) {
            if (!std::isfinite(points[v][c]))
                throw InvalidInput(fmt::format("multilevel: point {} is not finite", v + 1));
            low[c] = v == 0 ? points[v][c] : std::min(low[c], points[v][c]);
            high[c] = v == 0 ? points[v][c] : std::max(high[c], points[v][c]);
        }
    double extent = 0; // halves, so that nothing overflows
    for (std::size_t c = 0; c < 3; ++c) extent = std::max(extent, 0.5 * high[c] - 0.5 * low[c]);
    if (!(extent > 0)) extent = 1;
    nodes.begin.resize(points.size() + 1);
    nodes.functions.resize(points.size());
    for (std::size_t v = 0; v < points.size(); ++v) {
        nodes.begin[v + 1] = static_cast<std::uint32_t>(v + 1);
        nodes.functions[v][0] = 1;
        for (std::size_t c = 0; c < 3; ++c)
            nodes.functions[v][c + 1] = (points[v][c] - (0.5 * low[c] + 0.5 * high[c])) / extent;
    }
    return nodes;
}

} // namespace

std::array<ChebyshevStep, 2> chebyshev_steps(double largest) {
    const double smallest = largest / 10, middle = (largest + smallest) / 2, half = (largest - smallest) / 2;
    const double first = half / middle, second = 1 / (2 * middle / half - first);
    return {ChebyshevStep{0, 1 / middle}, {second * first, 2 * second / half}};
}

MultilevelHierarchy make_multilevel(ComplexBlocks a, std::span<const std::array<double, 3>> points, int threads) {
    if (points.size() != a.block_rows())
        throw InvalidInput(fmt::format("multilevel: {} points for {} rows of blocks: give one for each", points.size(),
                                       a.block_rows()));
    threads = std::max(1, threads);
    MultilevelHierarchy h;
    Nodes nodes = first_nodes(points);
    for (;;) {
        MultilevelLevel& level = h.level.emplace_back();
        level.a = std::move(a);
        level.inverse = inverse_diagonal(level.a, threads);
        const std::uint32_t rows = level.a.block_rows();
        if (rows <= kCoarsest) break;
        if (h.level.size() == kMostLevels)
            throw InvalidInput(fmt::format("multilevel: {} levels leave {} unknowns: the matrix's graph has too many "
                                           "parts",
                                           kMostLevels, rows));
        level.largest = largest_eigenvalue(level.a, level.inverse, threads);
        const detail::Patches patches = detail::make_patches(level.a, nodes, h.level.size() == 1 ? 2 : 1);
        Nodes next;
        const RealRows functions = detail::patch_functions(nodes, patches, next, threads);
        level.prolongation = smoothed(level.a, level.inverse, level.largest, functions, threads);
        level.restriction = detail::transposed(level.prolongation, threads);
        a = projected(level.a, level.prolongation, level.restriction, threads);
        nodes = std::move(next);
    }
    h.coarsest = dense_inverse(h.level.back().a);
    return h;
}

} // namespace mantissa
