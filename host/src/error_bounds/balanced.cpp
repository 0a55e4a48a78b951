#include "balanced.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "mantissa/errors.hpp"
#include "mantissa/host/residual.hpp"
#include "mantissa/symmetry.hpp"

namespace mantissa::errors {

namespace {

/// The entries of row i that are not zero, in ascending columns; `off` by how much the diagonal may be.
template <class Use> void entries(const CompressedRows& m, std::size_t i, double& /*off*/, Use&& use) {
    for (std::uint64_t k = m.row_begin()[i]; k < m.row_begin()[i + 1]; ++k)
        if (m.value()[k] != 0) use(std::size_t{m.column()[k]}, m.value()[k]);
}
template <class Matrix, class Coefficient, class Use>
void nine_point(const Matrix& m, std::size_t i, Coefficient&& coefficient, Use&& use) {
    for (std::size_t band = 0; band < kBands; ++band) {
        const auto j = static_cast<std::ptrdiff_t>(i) + band_offset(static_cast<int>(band), m.row_length());
        if (j < 0 || j >= static_cast<std::ptrdiff_t>(m.size())) continue;
        if (const double a = coefficient(band); a != 0) use(static_cast<std::size_t>(j), a);
    }
}
template <class Use> void entries(const Stencil& m, std::size_t i, double& /*off*/, Use&& use) {
    if (m.on_edge(i)) return;
    nine_point(
        m, i, [&](std::size_t band) { return m.coefficients()[band]; }, use);
}
template <class Use> void entries(const Bands& m, std::size_t i, double& /*off*/, Use&& use) {
    nine_point(
        m, i, [&](std::size_t band) { return m.band(band)[i]; }, use);
}
/// Their diagonal is a sum of nine numbers that diagonal() rounds.
template <class Use> void entries(const SymmetricBands& m, std::size_t i, double& off, Use&& use) {
    double size = m.row_sums().empty() ? 0.0 : std::abs(m.row_sums()[i]);
    nine_point(
        m, i,
        [&](std::size_t band) {
            const double a = m.coefficient(band, i);
            if (band != kBands / 2) size += std::abs(a);
            return a;
        },
        use);
    off = 10 * 0x1p-53 * size;
}

/// The rows that are not empty, as they are given.
struct Kept {
    std::vector<std::uint64_t> begin{0};
    std::vector<std::uint32_t> column;
    std::vector<double> value, off, diagonal;
    std::vector<std::size_t> row;
    bool is_off = false;
};

template <class Matrix> Kept kept_rows(const Matrix& m, std::size_t size) {
    constexpr std::uint32_t kNone = ~std::uint32_t{0};
    Kept kept;
    std::vector<std::uint32_t> place(size, kNone);
    for (std::size_t i = 0; i < size; ++i) {
        bool any = false;
        double off = 0;
        entries(m, i, off, [&](std::size_t, double) { any = true; });
        if (!any) continue;
        place[i] = static_cast<std::uint32_t>(kept.row.size());
        kept.row.push_back(i);
    }
    for (const std::size_t i : kept.row) {
        double off = 0, diagonal = 0;
        entries(m, i, off, [&](std::size_t j, double a) {
            if (place[j] == kNone) return; // (x is zero there)
            kept.column.push_back(place[j]);
            kept.value.push_back(a);
            if (j == i) diagonal = a;
        });
        kept.begin.push_back(kept.column.size());
        kept.diagonal.push_back(diagonal);
        kept.off.push_back(off);
        kept.is_off = kept.is_off || off != 0;
    }
    return kept;
}

bool all_finite(std::span<const double> v) {
    return std::all_of(v.begin(), v.end(), [](double value) { return std::isfinite(value); });
}

/// floor(e / 2) of e, the other way round: what halves an exponent.
int half_of(double diagonal) {
    const int e = std::ilogb(diagonal);
    return -(e >= 0 ? e / 2 : -((1 - e) / 2));
}

/// The exponent of the largest of v_i 2^(power_i).
int largest_exponent(std::span<const double> v, std::span<const int> power, int sign, int so_far) {
    for (std::size_t i = 0; i < v.size(); ++i)
        if (v[i] != 0) so_far = std::max(so_far, std::ilogb(v[i]) + sign * power[i]);
    return so_far;
}

} // namespace

std::optional<Balanced> balanced(const Problem& problem, std::span<const double> x, std::string& why) {
    const std::size_t size = problem.system.size();
    if (x.size() != size || problem.b.size() != size)
        throw InvalidInput(fmt::format("error of an iterate: it has {} elements, the right-hand side {} and the system "
                                       "{} unknowns; give as many",
                                       x.size(), problem.b.size(), size));
    const auto refuse = [&](std::string text) {
        why = std::move(text);
        return std::nullopt;
    };
    if (!problem.symmetric || asymmetry(problem.system)) return refuse("the matrix is not symmetric");
    if (!all_finite(x)) return refuse("the iterate is not finite");
    if (!all_finite(problem.b)) return refuse("the right-hand side is not finite");
    Kept kept = std::visit([&](const auto& m) { return kept_rows(m, size); }, problem.system.matrix());
    std::size_t next = 0;
    for (std::size_t i = 0; i < size; ++i) {
        if (next < kept.row.size() && kept.row[next] == i) {
            ++next;
            continue;
        }
        if (problem.b[i] != 0 || x[i] != 0)
            return refuse(fmt::format("row {} is empty, so the matrix is singular", i + 1));
    }
    if (kept.row.empty()) return refuse("the matrix has no entries");
    std::vector<int> exponent(kept.row.size());
    for (std::size_t i = 0; i < exponent.size(); ++i) {
        if (!(kept.diagonal[i] > 0))
            return refuse(fmt::format("diagonal entry {} is {}, so the matrix is not positive definite",
                                      kept.row[i] + 1, kept.diagonal[i]));
        exponent[i] = half_of(kept.diagonal[i]);
    }
    for (std::size_t i = 0; i < exponent.size(); ++i) {
        for (std::uint64_t k = kept.begin[i]; k < kept.begin[i + 1]; ++k)
            kept.value[k] = std::ldexp(kept.value[k], exponent[i] + exponent[kept.column[k]]);
        kept.off[i] = std::ldexp(kept.off[i], 2 * exponent[i]);
    }
    if (!std::all_of(kept.value.begin(), kept.value.end(), [](double a) { return std::abs(a) <= 4; }))
        return refuse("an entry is above the root of the product of its diagonal entries, so the matrix is not "
                      "positive definite");
    std::vector<double> b(exponent.size()), y(exponent.size());
    for (std::size_t i = 0; i < b.size(); ++i) {
        b[i] = problem.b[kept.row[i]];
        y[i] = x[kept.row[i]];
    }
    constexpr int kNothing = -100000;
    int shift = largest_exponent(b, exponent, 1, kNothing);
    shift = largest_exponent(y, exponent, -1, shift);
    if (shift == kNothing) shift = 0;
    for (std::size_t i = 0; i < b.size(); ++i) {
        b[i] = std::ldexp(b[i], exponent[i] - shift);
        y[i] = std::ldexp(y[i], -exponent[i] - shift);
    }
    if (!kept.is_off) kept.off.clear();
    return Balanced{CompressedRows(std::move(kept.begin), std::move(kept.column), std::move(kept.value)),
                    std::move(kept.off),
                    std::move(b),
                    std::move(y),
                    std::move(kept.row),
                    std::move(exponent),
                    shift};
}

double defect_of(const Balanced& s, std::span<const double> y, std::span<const double> b, std::span<double> d,
                 int threads) {
    return certain_defect(s.system, y, b, d, threads) + kLost;
}

} // namespace mantissa::errors
