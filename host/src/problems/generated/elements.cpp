// Matrices of finite elements: triangles that conduct, bricks that bend.
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "../random.hpp"
#include "generated.hpp"

namespace mantissa::problems {

CompressedRows generate_thermal(std::size_t n, std::uint64_t seed) {
    std::size_t side = 1;
    while ((side + 1) * (side + 1) <= n) ++side;
    const std::size_t lines = (n + side - 1) / side;
    SplitMix random(seed);
    // Points moved by up to 0.3 of a cell: triangles keep their orientation.
    std::vector<std::array<double, 2>> at(lines * side);
    for (std::size_t i = 0; i < at.size(); ++i)
        at[i] = {static_cast<double>(i % side) + 0.6 * random.unit() - 0.3,
                 static_cast<double>(i / side) + 0.6 * random.unit() - 0.3};
    struct Coupling {
        std::uint32_t column;
        double value;
    };
    std::vector<std::vector<Coupling>> rows(n);
    const auto add = [&](std::size_t i, std::size_t j, double value) {
        for (Coupling& c : rows[i])
            if (c.column == j) {
                c.value += value;
                return;
            }
        rows[i].push_back({static_cast<std::uint32_t>(j), value});
    };
    const auto triangle = [&](std::array<std::size_t, 3> corner, double conduction) {
        if (std::ranges::any_of(corner, [&](std::size_t c) { return c >= n; })) return;
        std::array<double, 3> b{}, c{};
        for (std::size_t k = 0; k < 3; ++k) {
            const auto& p = at[corner[(k + 1) % 3]];
            const auto& q = at[corner[(k + 2) % 3]];
            b[k] = p[1] - q[1];
            c[k] = q[0] - p[0];
        }
        const double area = std::abs(b[0] * c[1] - b[1] * c[0]); // twice the triangle's
        for (std::size_t k = 0; k < 3; ++k)
            for (std::size_t l = 0; l < 3; ++l)
                add(corner[k], corner[l], conduction * (b[k] * b[l] + c[k] * c[l]) / (2 * area));
    };
    for (std::size_t i = 0; i < n; ++i) add(i, i, 1e-4);
    for (std::size_t y = 0; y + 1 < lines; ++y)
        for (std::size_t x = 0; x + 1 < side; ++x) {
            const std::size_t sw = y * side + x, se = sw + 1, nw = sw + side, ne = nw + 1;
            const double conduction = 0.1 + random.unit();
            if (random.next() % 2 == 0) {
                triangle({sw, se, ne}, conduction);
                triangle({sw, ne, nw}, conduction);
            } else {
                triangle({sw, se, nw}, conduction);
                triangle({se, ne, nw}, conduction);
            }
        }
    std::vector<std::uint64_t> begin{0};
    std::vector<std::uint32_t> column;
    std::vector<double> value;
    for (auto& row : rows) {
        std::ranges::sort(row, {}, &Coupling::column);
        for (const Coupling& c : row) {
            column.push_back(c.column);
            value.push_back(c.value);
        }
        begin.push_back(column.size());
    }
    return {std::move(begin), std::move(column), std::move(value)};
}

namespace {

using Block = std::array<double, 9>;
/// Stiffness of a unit brick with modulus 1 and Poisson's ratio 0.3, node by node in blocks of 3 x 3.
using Brick = std::array<std::array<Block, 8>, 8>;

Brick brick_stiffness() {
    constexpr double kRatio = 0.3;
    const double lame = kRatio / ((1 + kRatio) * (1 - 2 * kRatio)), shear = 1 / (2 * (1 + kRatio));
    const double gauss = 0.5 / std::sqrt(3.0);
    Brick k{};
    for (int point = 0; point < 8; ++point) {
        std::array<double, 3> t{};
        for (int d = 0; d < 3; ++d) t[static_cast<std::size_t>(d)] = 0.5 + ((point >> d & 1) != 0 ? gauss : -gauss);
        std::array<std::array<double, 3>, 8> gradient{};
        for (int node = 0; node < 8; ++node)
            for (int d = 0; d < 3; ++d) {
                double g = 1;
                for (int e = 0; e < 3; ++e) {
                    const bool far = (node >> e & 1) != 0;
                    const double s = t[static_cast<std::size_t>(e)];
                    g *= d == e ? (far ? 1 : -1) : (far ? s : 1 - s);
                }
                gradient[static_cast<std::size_t>(node)][static_cast<std::size_t>(d)] = g;
            }
        for (std::size_t a = 0; a < 8; ++a)
            for (std::size_t b = 0; b < 8; ++b) {
                double dot = 0;
                for (std::size_t d = 0; d < 3; ++d) dot += gradient[a][d] * gradient[b][d];
                for (std::size_t i = 0; i < 3; ++i)
                    for (std::size_t j = 0; j < 3; ++j)
                        k[a][b][3 * i + j] += (lame * gradient[a][i] * gradient[b][j] +
                                               shear * gradient[a][j] * gradient[b][i] + (i == j ? shear * dot : 0)) /
                                              8;
            }
    }
    // Symmetric to the last bit, whatever order the sums above were formed in.
    for (std::size_t a = 0; a < 8; ++a)
        for (std::size_t b = 0; b <= a; ++b)
            for (std::size_t i = 0; i < 3; ++i)
                for (std::size_t j = 0; j < 3; ++j) k[a][b][3 * i + j] = k[b][a][3 * j + i];
    for (auto& row : k)
        for (std::size_t a = 0; a < 8; ++a)
            if (&row == &k[a])
                for (std::size_t i = 0; i < 3; ++i)
                    for (std::size_t j = 0; j < i; ++j) row[a][3 * i + j] = row[a][3 * j + i];
    return k;
}

} // namespace

std::size_t brick_nodes(std::size_t nodes) {
    const std::size_t side = std::max<std::size_t>(cube_root(nodes), 1);
    return nodes / (side * side) * side * side;
}

CompressedRows generate_elasticity(std::size_t nodes, std::uint64_t seed) {
    const auto side = static_cast<std::int64_t>(std::max<std::size_t>(cube_root(nodes), 1));
    const auto layers = static_cast<std::int64_t>(nodes) / (side * side);
    const Brick brick = brick_stiffness();
    std::vector<std::uint64_t> begin{0};
    std::vector<std::uint32_t> column;
    std::vector<double> value;
    column.reserve(243 * nodes);
    value.reserve(243 * nodes);
    // Elements start at nodes -1 .. in z, below which all is held, and within the cube in x and y.
    const auto modulus = [&](std::int64_t x, std::int64_t y, std::int64_t z) -> double {
        if (x < 0 || y < 0 || z < -1 || x + 1 >= side || y + 1 >= side || z + 1 >= layers) return 0;
        SplitMix random(seed ^ (static_cast<std::uint64_t>(x + side * (y + side * (z + 1))) * 0x9E3779B97F4A7C15U));
        return 0.5 + random.unit();
    };
    for (std::int64_t node = 0; node < side * side * layers; ++node) {
        const std::int64_t x = node % side, y = node / side % side, z = node / (side * side);
        std::array<double, 8> stiff{}; // of the element in which the node is corner c
        for (std::int64_t c = 0; c < 8; ++c)
            stiff[static_cast<std::size_t>(c)] = modulus(x - (c & 1), y - (c >> 1 & 1), z - (c >> 2));
        std::array<Block, 27> sum{};
        for (std::size_t a = 0; a < 8; ++a)
            for (std::size_t b = 0; stiff[a] != 0 && b < 8; ++b) {
                const auto step = [&](std::size_t d) {
                    return static_cast<std::size_t>(1 + static_cast<int>(b >> d & 1) - static_cast<int>(a >> d & 1));
                };
                Block& to = sum[step(0) + 3 * step(1) + 9 * step(2)];
                for (std::size_t k = 0; k < 9; ++k) to[k] += stiff[a] * brick[a][b][k];
            }
        for (std::size_t i = 0; i < 3; ++i) {
            for (std::int64_t s = 0; s < 27; ++s) {
                const std::int64_t dx = s % 3 - 1, dy = s / 3 % 3 - 1, dz = s / 9 - 1;
                if (x + dx < 0 || x + dx >= side || y + dy < 0 || y + dy >= side || z + dz < 0 || z + dz >= layers)
                    continue;
                const std::int64_t other = node + dx + side * (dy + side * dz);
                for (std::size_t j = 0; j < 3; ++j) {
                    column.push_back(static_cast<std::uint32_t>(3 * other) + static_cast<std::uint32_t>(j));
                    value.push_back(sum[static_cast<std::size_t>(s)][3 * i + j]);
                }
            }
            begin.push_back(column.size());
        }
    }
    return {std::move(begin), std::move(column), std::move(value)};
}

} // namespace mantissa::problems
