#include "mantissa/host/scaling.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include <fmt/format.h>

#include "mantissa/format.hpp"

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

void scale_stencil(ScaledProblem& s) {
    auto& c = s.problem.system.stencil.coefficients;
    const double diagonal = c[kCentre];
    s.scale = {root_scale(diagonal, 0, s.problem.name)};
    for (double& value : c) value = value / diagonal;
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
            system.bands.band[b][row] *= s.scale[row] * s.scale[static_cast<std::size_t>(i + offset)];
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
        for (std::uint64_t k = m.row_begin[i]; k < m.row_begin[i + 1]; ++k)
            m.value[k] *= s.scale[i] * s.scale[m.column[k]];
}

} // namespace

void ScaledProblem::map_back(std::span<double> y) const {
    for (std::size_t i = 0; i < y.size(); ++i) y[i] *= at(i);
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
    for (std::size_t i = 0; i < s.problem.b.size(); ++i) s.problem.b[i] *= s.at(i);
    if (problem.exact)
        s.problem.exact = [exact = problem.exact, scale = s.scale](std::size_t i) {
            return exact(i) / (scale.size() == 1 ? scale[0] : scale[i]);
        };
    return s;
}

} // namespace mantissa
