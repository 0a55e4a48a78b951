#include "mantissa/host/scaling.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <mutex>
#include <utility>

#include <fmt/format.h>

#include "mantissa/format.hpp"
#include "mantissa/host/residual.hpp"
#include "running/parallel.hpp"

namespace mantissa {

namespace {

constexpr std::size_t kCentre = 4;

double root_scale(double diagonal, std::size_t row, const std::string& name) {
    if (diagonal == 0) return 1.0;
    if (!(diagonal > 0) || !std::isfinite(diagonal))
        throw InvalidInput(fmt::format("problem '{}': diagonal entry {} is {}: Jacobi scaling needs a positive one",
                                       name, row + 1, diagonal));
    return 1.0 / std::sqrt(diagonal);
}

/// Products of magnitudes from here to its reciprocal are formed plainly.
constexpr double kPlainLow = 0x1p-900;

/// x s t with the rounding of x * (s * t), as if exponents had no bounds; symmetric in s and t.
double scaled_entry(double x, double s, double t) {
    const double both = s * t;
    if (both >= kPlainLow && both <= 1 / kPlainLow) return x * both;
    int ex = 0, es = 0, et = 0;
    const double fx = std::frexp(x, &ex), fs = std::frexp(s, &es), ft = std::frexp(t, &et);
    return std::ldexp(fx * (fs * ft), ex + es + et);
}

void require_finite(double value, std::size_t row, std::size_t column, const std::string& name) {
    if (!std::isfinite(value))
        throw InvalidInput(fmt::format("problem '{}': entry ({}, {}) divided by the roots of its diagonal entries is "
                                       "beyond double precision: the matrix is not positive definite; solve it "
                                       "without Jacobi scaling or mend the entry",
                                       name, row + 1, column + 1));
}

/// A matrix scaled to a unit diagonal, and the scale.
struct ScaledMatrix {
    System system;
    std::vector<double> scale; ///< as in ScaledProblem
};

ScaledMatrix scaled(const Stencil& m, const std::string& name) {
    std::array<double, kBands> c = m.coefficients();
    const double diagonal = c[kCentre];
    const double scale = root_scale(diagonal, 0, name);
    for (double& value : c) {
        value = diagonal == 0 ? value : value / diagonal;
        require_finite(value, 0, 0, name);
    }
    return {Stencil(m.row_length(), m.rows(), c), {scale}};
}

ScaledMatrix scaled(const Bands& m, const std::string& name) {
    const auto size = static_cast<std::ptrdiff_t>(m.size());
    std::vector<double> scale(m.size());
    for (std::size_t i = 0; i < scale.size(); ++i) scale[i] = root_scale(m.band(kCentre)[i], i, name);
    Bands::Array bands = m.bands();
    for (std::size_t b = 0; b < kBands; ++b) {
        const std::ptrdiff_t offset = band_offset(static_cast<int>(b), m.row_length());
        for (std::ptrdiff_t i = std::max<std::ptrdiff_t>(0, -offset); i < std::min(size, size - offset); ++i) {
            const auto row = static_cast<std::size_t>(i);
            // Both partners of a coupling form the same product, so the scaled matrix stays symmetric to the bit.
            const auto column = static_cast<std::size_t>(i + offset);
            double& value = bands[b][row];
            value = scaled_entry(value, scale[row], scale[column]);
            require_finite(value, row, column, name);
        }
    }
    return {Bands(m.row_length(), std::move(bands)), std::move(scale)};
}

/// Row sums are formed anew, of the scaled couplings and the scaled diagonal.
ScaledMatrix scaled(const SymmetricBands& m, const std::string& name) {
    const std::size_t size = m.size();
    std::vector<double> scale(size), diagonal(size);
    for (std::size_t i = 0; i < size; ++i) {
        diagonal[i] = m.diagonal(i);
        scale[i] = root_scale(diagonal[i], i, name);
        diagonal[i] = scaled_entry(diagonal[i], scale[i], scale[i]);
        require_finite(diagonal[i], i, i, name);
    }
    SymmetricBands::Array weights = m.weights();
    for (std::size_t d = 0; d < kWeights; ++d) {
        const auto offset = static_cast<std::size_t>(weight_offset(d, m.row_length()));
        for (std::size_t i = 0; i + offset < size; ++i) {
            weights[d][i] = scaled_entry(weights[d][i], scale[i], scale[i + offset]);
            require_finite(weights[d][i], i, i + offset, name);
        }
    }
    return {SymmetricBands::with_diagonal(m.row_length(), std::move(weights), diagonal), std::move(scale)};
}

ScaledMatrix scaled(const CompressedRows& m, const std::string& name) {
    const auto& row_begin = m.row_begin();
    const auto& column = m.column();
    std::vector<double> value = m.value(), scale(m.rows(), 1.0);
    for (std::size_t i = 0; i < m.rows(); ++i)
        for (std::uint64_t k = row_begin[i]; k < row_begin[i + 1]; ++k)
            if (column[k] == i) scale[i] = root_scale(value[k], i, name);
    for (std::size_t i = 0; i < m.rows(); ++i)
        for (std::uint64_t k = row_begin[i]; k < row_begin[i + 1]; ++k) {
            value[k] = scaled_entry(value[k], scale[i], scale[column[k]]);
            require_finite(value[k], i, column[k], name);
        }
    return {m.with_values(std::move(value)), std::move(scale)};
}

constexpr int kPlainExponent = 400;

void require_finite(std::span<const double> b, const std::string& name, int threads) {
    if (running::all_finite(threads, b)) return;
    const auto at = std::ranges::find_if(b, [](double x) { return !std::isfinite(x); });
    throw InvalidInput(fmt::format("problem '{}': right-hand side element {} is {}: give finite numbers", name,
                                   at - b.begin() + 1, *at));
}
/// The shift that brings the largest b to 1; 0 when it lies in 2^-400..2^400. (Then r.r is a normal number until the
/// residual has fallen by 2^100.)
int shift_of(double largest) {
    const int exponent = largest == 0 ? 0 : std::ilogb(largest);
    return std::abs(exponent) <= kPlainExponent ? 0 : exponent;
}
double largest_magnitude(std::span<const double> b, int threads) {
    std::mutex one;
    double largest = 0;
    running::for_pieces(threads, b.size(), 1, [&](std::size_t begin, std::size_t end) {
        double some = 0;
        for (std::size_t i = begin; i < end; ++i) some = std::max(some, std::abs(b[i]));
        const std::lock_guard lock(one);
        largest = std::max(largest, some);
    });
    return largest;
}

/// b_i s_i 2^-shift into `b`, with the shift of the largest.
int scale_right_side(std::vector<double>& b, const std::vector<double>& scale, const std::string& name) {
    const auto at = [&](std::size_t i) { return scale.size() == 1 ? scale[0] : scale[i]; };
    require_finite(b, name, 1);
    int top = 0;
    bool any = false;
    for (std::size_t i = 0; i < b.size(); ++i) {
        if (b[i] == 0) continue;
        const int exponent = std::ilogb(b[i]) + std::ilogb(at(i));
        top = any ? std::max(top, exponent) : exponent;
        any = true;
    }
    if (std::abs(top) <= kPlainExponent) {
        for (std::size_t i = 0; i < b.size(); ++i) b[i] *= at(i);
        return 0;
    }
    for (std::size_t i = 0; i < b.size(); ++i) {
        int eb = 0, es = 0;
        const double fb = std::frexp(b[i], &eb), fs = std::frexp(at(i), &es);
        b[i] = std::ldexp(fb * fs, eb + es - top);
    }
    return top;
}

} // namespace

void ScaledProblem::map_back(std::span<double> y) const {
    if (shift == 0) {
        for (std::size_t i = 0; i < y.size(); ++i) y[i] *= at(i);
        return;
    }
    for (std::size_t i = 0; i < y.size(); ++i) {
        int ey = 0, es = 0;
        const double fy = std::frexp(y[i], &ey), fs = std::frexp(at(i), &es);
        y[i] = std::ldexp(fy * fs, ey + es + shift);
    }
}

double ScaledProblem::norm_as_given(std::span<const double> d, int threads) const {
    std::vector<double> given(d.size());
    for (std::size_t i = 0; i < d.size(); ++i) given[i] = d[i] / at(i);
    return norm2(given, threads);
}

ScaledProblem jacobi_scaled(const Problem& problem) {
    ScaledMatrix matrix = std::visit([&](const auto& m) { return scaled(m, problem.name); }, problem.system.matrix());
    ScaledProblem s{{problem.name, std::move(matrix.system), problem.b, problem.exact}, std::move(matrix.scale)};
    s.problem.symmetric = problem.symmetric;
    s.problem.indefinite = problem.indefinite;
    s.shift = scale_right_side(s.problem.b, s.scale, problem.name);
    if (problem.exact)
        s.problem.exact = [exact = problem.exact, scale = s.scale, shift = s.shift](std::size_t i) {
            return std::ldexp(exact(i) / (scale.size() == 1 ? scale[0] : scale[i]), -shift);
        };
    return s;
}

int range_shift(std::span<const double> b) {
    return running::all_finite(1, b) ? shift_of(largest_magnitude(b, 1)) : 0;
}

std::optional<ScaledProblem> range_scaled(const Problem& problem, int threads) {
    require_finite(problem.b, problem.name, threads);
    const int shift = shift_of(largest_magnitude(problem.b, threads));
    if (shift == 0) return std::nullopt; // (as nearly always: nothing is copied)
    const std::vector<double> alike = {1.0};
    std::vector<double> b = problem.b;
    static_cast<void>(scale_right_side(b, alike, problem.name));
    ScaledProblem s{{problem.name, problem.system, std::move(b), {}}, alike, shift};
    s.problem.symmetric = problem.symmetric;
    s.problem.indefinite = problem.indefinite;
    if (problem.exact)
        s.problem.exact = [exact = problem.exact, shift](std::size_t i) { return std::ldexp(exact(i), -shift); };
    return s;
}

} // namespace mantissa
