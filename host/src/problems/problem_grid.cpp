// Problems on the unit square and cube.
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "problem_kinds.hpp"
#include "random.hpp"
#include "text/key_values.hpp"

namespace mantissa::problems {

namespace {

double bump(double t) {
    return t * (1 - t);
}

/// The square grid of (2^level + 1)^2 nodes, edge nodes included.
struct SquareGrid {
    explicit SquareGrid(std::uint64_t level)
        : cells(std::size_t{1} << level), nodes(cells + 1), h(1.0 / static_cast<double>(cells)) {}
    std::size_t cells, nodes;
    double h;
    [[nodiscard]] double at(std::size_t index) const { return static_cast<double>(index) * h; }
    [[nodiscard]] std::size_t size() const { return nodes * nodes; }
};

/// The coefficient of one element, constant on it, evaluated at its centre.
using Field = std::vector<double>;

/// Random values on a coarse lattice, joined smoothly (3t^2 - 2t^3), squared and spread over 1..contrast. Only
/// additions and multiplications, so every machine builds the same matrix.
Field smooth_field(const SquareGrid& grid, double contrast, std::uint64_t seed) {
    constexpr std::size_t kLattice = 4;
    std::array<std::array<double, kLattice + 1>, kLattice + 1> knot{};
    SplitMix random(seed);
    for (auto& row : knot)
        for (double& value : row) value = random.unit();
    const auto locate = [&](std::size_t cell) {
        const double t = (static_cast<double>(cell) + 0.5) * grid.h * kLattice;
        const auto k = static_cast<std::size_t>(t);
        const double f = t - static_cast<double>(k);
        return std::pair{k, f * f * (3 - 2 * f)};
    };
    Field k(grid.cells * grid.cells);
    for (std::size_t j = 0; j < grid.cells; ++j)
        for (std::size_t i = 0; i < grid.cells; ++i) {
            const auto [a, s] = locate(i);
            const auto [b, t] = locate(j);
            const double south = knot[b][a] + s * (knot[b][a + 1] - knot[b][a]);
            const double north = knot[b + 1][a] + s * (knot[b + 1][a + 1] - knot[b + 1][a]);
            const double v = south + t * (north - south);
            k[j * grid.cells + i] = 1 + (contrast - 1) * (v * v);
        }
    return k;
}

/// 1 or `contrast` in each tile of an 8 x 8 pattern, at random or alternating.
Field tiled_field(const SquareGrid& grid, double contrast, std::uint64_t seed, bool checker) {
    constexpr std::size_t kTiles = 8;
    std::array<std::array<bool, kTiles>, kTiles> high{};
    SplitMix random(seed);
    for (std::size_t j = 0; j < kTiles; ++j)
        for (std::size_t i = 0; i < kTiles; ++i) high[j][i] = checker ? (i + j) % 2 != 0 : random.unit() < 0.5;
    Field k(grid.cells * grid.cells);
    for (std::size_t j = 0; j < grid.cells; ++j)
        for (std::size_t i = 0; i < grid.cells; ++i)
            k[j * grid.cells + i] = high[j * kTiles / grid.cells][i * kTiles / grid.cells] ? contrast : 1.0;
    return k;
}

/// Assembles bilinear elements: on a square with coefficient k the element matrix is k/6 times 4 on the diagonal,
/// -1 along an edge and -2 across. Edge nodes keep zero rows, and nothing couples to them.
Bands assemble(const SquareGrid& grid, const Field& k) {
    const std::size_t n = grid.nodes, cells = grid.cells;
    Bands::Array bands;
    for (auto& band : bands) band.assign(grid.size(), 0.0);
    for (std::size_t j = 1; j < cells; ++j)
        for (std::size_t i = 1; i < cells; ++i) {
            const double sw = k[(j - 1) * cells + i - 1], se = k[(j - 1) * cells + i];
            const double nw = k[j * cells + i - 1], ne = k[j * cells + i];
            const std::array<double, kBands> c = {
                -sw / 3,        -(sw + se) / 6, -se / 3,        -(sw + nw) / 6, (sw + se + nw + ne) * 2 / 3,
                -(se + ne) / 6, -nw / 3,        -(nw + ne) / 6, -ne / 3};
            for (std::size_t b = 0; b < c.size(); ++b) {
                const std::size_t to_column = i + b % 3 - 1, to_row = j + b / 3 - 1;
                const bool to_edge = to_column == 0 || to_column == cells || to_row == 0 || to_row == cells;
                if (!to_edge) bands[b][j * n + i] = c[b];
            }
        }
    return {n, std::move(bands)};
}

Problem poisson2d(const std::string& name, const SquareGrid& grid, double a) {
    // Bilinear elements on squares: [1 4 1]/6 across times [-1 2 -1] along, for either direction.
    const double corner = -(1 + a) / 6, west = (a - 2) / 3, south = (1 - 2 * a) / 3, centre = 4 * (1 + a) / 3;
    const Stencil stencil(grid.nodes, grid.nodes, {corner, south, corner, west, centre, west, corner, south, corner});
    std::vector<double> b(grid.size(), 0.0);
    for (std::size_t j = 1; j < grid.cells; ++j)
        for (std::size_t i = 1; i < grid.cells; ++i) {
            const double f = 2 * (a * bump(grid.at(i)) + bump(grid.at(j)));
            b[j * grid.nodes + i] = grid.h * grid.h * f;
        }
    return {name, stencil, std::move(b),
            [grid](std::size_t i) { return bump(grid.at(i % grid.nodes)) * bump(grid.at(i / grid.nodes)); }};
}

Problem diffusion2d(const std::string& name, const SquareGrid& grid, const Field& k) {
    std::vector<double> b(grid.size(), 0.0);
    for (std::size_t j = 1; j < grid.cells; ++j)
        for (std::size_t i = 1; i < grid.cells; ++i) b[j * grid.nodes + i] = grid.h * grid.h;
    return {name, assemble(grid, k), std::move(b), {}};
}

/// On n^3 interior nodes.
Problem poisson3d(const std::string& name, std::size_t n) {
    const std::size_t size = n * n * n;
    const double h = 1.0 / static_cast<double>(n + 1);
    const auto at = [h](std::size_t index) { return static_cast<double>(index + 1) * h; };
    std::vector<std::uint64_t> row_begin;
    std::vector<std::uint32_t> column;
    std::vector<double> value, b;
    row_begin.reserve(size + 1);
    column.reserve(7 * size);
    value.reserve(7 * size);
    row_begin.push_back(0);
    b.reserve(size);
    for (std::size_t z = 0, i = 0; z < n; ++z)
        for (std::size_t y = 0; y < n; ++y)
            for (std::size_t x = 0; x < n; ++x, ++i) {
                const auto couple = [&](bool inside, std::size_t to, double coefficient) {
                    if (!inside) return;
                    column.push_back(static_cast<std::uint32_t>(to));
                    value.push_back(coefficient);
                };
                couple(z > 0, i - n * n, -1);
                couple(y > 0, i - n, -1);
                couple(x > 0, i - 1, -1);
                couple(true, i, 6);
                couple(x + 1 < n, i + 1, -1);
                couple(y + 1 < n, i + n, -1);
                couple(z + 1 < n, i + n * n, -1);
                row_begin.push_back(column.size());
                const double bx = bump(at(x)), by = bump(at(y)), bz = bump(at(z));
                b.push_back(h * h * 2 * (by * bz + bx * bz + bx * by));
            }
    return {name, CompressedRows(std::move(row_begin), std::move(column), std::move(value)), std::move(b),
            [n, at](std::size_t i) { return bump(at(i % n)) * bump(at(i / n % n)) * bump(at(i / (n * n))); }};
}

/// The same matrix with a right-hand side of numbers from -1 to 1 at inner nodes; no solution is known.
Problem with_random_side(Problem problem, const SquareGrid& grid, std::uint64_t seed) {
    SplitMix random(seed);
    for (std::size_t j = 1; j < grid.cells; ++j)
        for (std::size_t i = 1; i < grid.cells; ++i) problem.b[j * grid.nodes + i] = 2 * random.unit() - 1;
    problem.exact = {};
    return problem;
}

} // namespace

Description describe_poisson2d(std::string_view text, std::string_view options) {
    text::KeyValues keys(text, options, "level, anisotropy, rhs and seed");
    const std::uint64_t level = keys.integer("level", 1, 14, std::nullopt);
    const double a = keys.positive("anisotropy", 1.0);
    if (!(a >= 1e-6 && a <= 1e6)) keys.fail(fmt::format("anisotropy={} must lie in 1e-6..1e6", a));
    const std::string rhs(keys.take("rhs").value_or("smooth"));
    if (rhs != "smooth" && rhs != "random") keys.fail(fmt::format("rhs={} must be smooth or random", rhs));
    keys.only_with("seed", rhs == "random", "rhs=random");
    const std::uint64_t seed = rhs == "random" ? keys.integer("seed", 0, UINT64_MAX, 1) : 0;
    keys.finish();

    const SquareGrid grid(level);
    std::string name = fmt::format("poisson2d:level={}", level);
    if (a != 1.0) name += ",anisotropy=" + text::shortest(a);
    if (rhs == "smooth")
        return {name, static_cast<double>(grid.size()), [name, grid, a] { return poisson2d(name, grid, a); }};
    name += fmt::format(",rhs=random,seed={}", seed);
    return {name, static_cast<double>(grid.size()),
            [name, grid, a, seed] { return with_random_side(poisson2d(name, grid, a), grid, seed); }};
}

Description describe_diffusion2d(std::string_view text, std::string_view options) {
    text::KeyValues keys(text, options, "level, field, contrast and seed");
    const std::uint64_t level = keys.integer("level", 1, 12, std::nullopt);
    const std::string field(keys.take("field").value_or("smooth"));
    const double contrast = keys.positive("contrast", 100.0);
    if (!(contrast >= 1e-12 && contrast <= 1e12))
        keys.fail(fmt::format("contrast={} must lie in 1e-12..1e12", contrast));
    if (field != "smooth" && field != "jump" && field != "checker")
        keys.fail(fmt::format("field={} must be smooth, jump or checker", field));
    keys.only_with("seed", field != "checker", "field=smooth and field=jump");
    const std::uint64_t seed = keys.integer("seed", 0, UINT64_MAX, 1);
    keys.finish();

    const SquareGrid grid(level);
    std::string name = fmt::format("diffusion2d:level={},field={},contrast={}", level, field, text::shortest(contrast));
    if (field != "checker") name += fmt::format(",seed={}", seed);
    return {name, static_cast<double>(grid.size()), [name, grid, field, contrast, seed] {
                return diffusion2d(name, grid,
                                   field == "smooth" ? smooth_field(grid, contrast, seed)
                                                     : tiled_field(grid, contrast, seed, field == "checker"));
            }};
}

Description describe_poisson3d(std::string_view text, std::string_view options) {
    text::KeyValues keys(text, options, "level");
    const std::uint64_t level = keys.integer("level", 1, 8, std::nullopt);
    keys.finish();

    const std::size_t n = (std::size_t{1} << level) - 1;
    const std::string name = fmt::format("poisson3d:level={}", level);
    return {name, static_cast<double>(n * n * n), [name, n] { return poisson3d(name, n); }};
}

} // namespace mantissa::problems
