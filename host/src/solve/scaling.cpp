#include "mantissa/host/scaling.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include <fmt/format.h>

#include "mantissa/format.hpp"
#include "mantissa/host/residual.hpp"

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

/// b_i s_i 2^-shift into `b`, with the shift that brings the largest into 2^-500..2^500; 0 when it lies there.
int scale_right_side(std::vector<double>& b, const ScaledProblem& s) {
    constexpr int kPlain = 500;
    int top = 0;
    bool any = false;
    for (std::size_t i = 0; i < b.size(); ++i) {
        if (!std::isfinite(b[i]))
            throw InvalidInput(fmt::format("problem '{}': right-hand side element {} is {}: give finite numbers",
                                           s.problem.name, i + 1, b[i]));
        if (b[i] == 0) continue;
        const int exponent = std::ilogb(b[i]) + std::ilogb(s.at(i));
        top = any ? std::max(top, exponent) : exponent;
        any = true;
    }
    if (top >= -kPlain && top <= kPlain) {
        for (std::size_t i = 0; i < b.size(); ++i) b[i] *= s.at(i);
        return 0;
    }
    for (std::size_t i = 0; i < b.size(); ++i) {
        int eb = 0, es = 0;
        const double fb = std::frexp(b[i], &eb), fs = std::frexp(s.at(i), &es);
        b[i] = std::ldexp(fb * fs, eb + es - top);
    }
    return top;
}

void scale_stencil(ScaledProblem& s) {
    auto& c = s.problem.system.stencil.coefficients;
    const double diagonal = c[kCentre];
    s.scale = {root_scale(diagonal, 0, s.problem.name)};
    for (double& value : c) {
        value = diagonal == 0 ? value : value / diagonal;
        require_finite(value, 0, 0, s.problem.name);
    }
}

void scale_bands(ScaledProblem& s) {
    System& system = s.problem.system;
    s.scale.resize(system.size);
    for (std::size_t i = 0; i < system.size; ++i)
        s.scale[i] = root_scale(system.bands.band[kCentre][i], i, s.problem.name);
    for (std::size_t b = 0; b < kBands; ++b) {
        const std::ptrdiff_t offset = System::offset(static_cast<int>(b), system.bands.row_length);
        const auto size = static_cast<std::ptrdiff_t>(system.size);
        for (std::ptrdiff_t i = std::max<std::ptrdiff_t>(0, -offset); i < std::min(size, size - offset); ++i) {
            const auto row = static_cast<std::size_t>(i);
            // Both partners of a coupling form the same product, so the scaled matrix stays symmetric to the bit.
            const auto column = static_cast<std::size_t>(i + offset);
            double& value = system.bands.band[b][row];
            value = scaled_entry(value, s.scale[row], s.scale[column]);
            require_finite(value, row, column, s.problem.name);
        }
    }
}

void scale_rows(ScaledProblem& s) {
    SparseRows& m = s.problem.system.sparse;
    const std::size_t size = s.problem.system.size;
    s.scale.assign(size, 1.0);
    for (std::size_t i = 0; i < size; ++i)
        for (std::uint64_t k = m.row_begin[i]; k < m.row_begin[i + 1]; ++k)
            if (m.column[k] == i) s.scale[i] = root_scale(m.value[k], i, s.problem.name);
    for (std::size_t i = 0; i < size; ++i)
        for (std::uint64_t k = m.row_begin[i]; k < m.row_begin[i + 1]; ++k) {
            m.value[k] = scaled_entry(m.value[k], s.scale[i], s.scale[m.column[k]]);
            require_finite(m.value[k], i, m.column[k], s.problem.name);
        }
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
    ScaledProblem s{problem, {}};
    switch (problem.system.kind) {
    case System::Kind::stencil:
        scale_stencil(s);
        break;
    case System::Kind::bands:
        scale_bands(s);
        break;
    case System::Kind::sparse:
        scale_rows(s);
        break;
    }
    s.shift = scale_right_side(s.problem.b, s);
    if (problem.exact)
        s.problem.exact = [exact = problem.exact, scale = s.scale, shift = s.shift](std::size_t i) {
            return std::ldexp(exact(i) / (scale.size() == 1 ? scale[0] : scale[i]), -shift);
        };
    return s;
}

std::optional<ScaledProblem> range_scaled(const Problem& problem) {
    ScaledProblem s{{}, {1.0}};
    s.problem.name = problem.name;
    s.problem.b = problem.b;
    s.shift = scale_right_side(s.problem.b, s);
    if (s.shift == 0) return std::nullopt;
    s.problem.system = problem.system;
    if (problem.exact)
        s.problem.exact = [exact = problem.exact, shift = s.shift](std::size_t i) {
            return std::ldexp(exact(i), -shift);
        };
    return s;
}

} // namespace mantissa
