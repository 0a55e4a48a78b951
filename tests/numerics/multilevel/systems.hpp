// Symmetric positive definite systems that a multilevel hierarchy is asked for.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <random>
#include <utility>
#include <vector>

#include "mantissa/nine_point.hpp"
#include "mantissa/sparse/compressed_rows.hpp"

namespace mantissa::test {

/// Entries in any order; those of one place are added.
class Assembled {
public:
    explicit Assembled(std::size_t rows) : row_(rows) {}
    void add(std::size_t i, std::size_t j, double v) { row_[i].emplace_back(static_cast<std::uint32_t>(j), v); }
    /// A conductance between two unknowns.
    void join(std::size_t i, std::size_t j, double w) {
        add(i, i, w);
        add(j, j, w);
        add(i, j, -w);
        add(j, i, -w);
    }
    [[nodiscard]] CompressedRows rows() {
        std::vector<std::uint64_t> begin = {0};
        std::vector<std::uint32_t> column;
        std::vector<double> value;
        for (auto& row : row_) {
            std::stable_sort(row.begin(), row.end(), [](const auto& x, const auto& y) { return x.first < y.first; });
            for (std::size_t k = 0; k < row.size(); ++k) {
                if (k > 0 && row[k].first == row[k - 1].first) {
                    value.back() += row[k].second;
                    continue;
                }
                column.push_back(row[k].first);
                value.push_back(row[k].second);
            }
            begin.push_back(value.size());
        }
        return {std::move(begin), std::move(column), std::move(value)};
    }

private:
    std::vector<std::vector<std::pair<std::uint32_t, double>>> row_;
};

/// -div(c grad u) on nx x ny x nz cells, u = 0 around them, c of each cell, `along` of each direction.
inline CompressedRows diffusion(std::size_t nx, std::size_t ny, std::size_t nz, const std::array<double, 3>& along,
                                const std::function<double(std::size_t, std::size_t, std::size_t)>& c) {
    Assembled a(nx * ny * nz);
    const std::array<std::size_t, 3> size = {nx, ny, nz}, stride = {1, nx, nx * ny};
    for (std::size_t z = 0; z < nz; ++z)
        for (std::size_t y = 0; y < ny; ++y)
            for (std::size_t x = 0; x < nx; ++x) {
                const std::array<std::size_t, 3> at = {x, y, z};
                const std::size_t i = x + nx * (y + ny * z);
                const double here = c(x, y, z);
                for (std::size_t d = 0; d < 3; ++d) {
                    if (size[d] == 1) continue;
                    if (at[d] == 0) a.add(i, i, along[d] * here);
                    if (at[d] + 1 == size[d]) {
                        a.add(i, i, along[d] * here);
                        continue;
                    }
                    const double there = c(x + (d == 0), y + (d == 1), z + (d == 2));
                    a.join(i, i + stride[d], along[d] * 2 * here * there / (here + there));
                }
            }
    return a.rows();
}
inline CompressedRows laplacian(std::size_t nx, std::size_t ny, std::size_t nz,
                                const std::array<double, 3>& along = {1, 1, 1}) {
    return diffusion(nx, ny, nz, along, [](auto...) { return 1.0; });
}

/// 26 and -1 on n^3 points.
inline CompressedRows points27(std::size_t n) {
    Assembled a(n * n * n);
    const auto around = [&](std::size_t x) { return std::pair{x == 0 ? 0 : x - 1, std::min(x + 1, n - 1)}; };
    for (std::size_t i = 0; i < n * n * n; ++i) {
        const auto [x0, x1] = around(i % n);
        const auto [y0, y1] = around(i / n % n);
        const auto [z0, z1] = around(i / n / n);
        for (std::size_t z = z0; z <= z1; ++z)
            for (std::size_t y = y0; y <= y1; ++y)
                for (std::size_t x = x0; x <= x1; ++x) {
                    const std::size_t j = x + n * (y + n * z);
                    a.add(i, j, i == j ? 26 : -1);
                }
    }
    return a.rows();
}

/// Conductances over `decades` on an n x n board: most neighbours, some longer lines, one node in a thousand and the
/// first one tied to the ground. With 42 longer lines for a hundred nodes, rows have 4.8 entries, as those of
/// SuiteSparse's circuits have.
inline CompressedRows circuit(std::size_t n, double decades) {
    std::mt19937_64 random(7);
    const auto draw = [&] { return std::generate_canonical<double, 53>(random); };
    const auto conductance = [&] { return std::pow(10.0, decades * (draw() - 0.5)); };
    Assembled a(n * n);
    for (std::size_t y = 0; y < n; ++y)
        for (std::size_t x = 0; x < n; ++x) {
            const std::size_t i = y * n + x;
            if (x + 1 < n && draw() < 0.97) a.join(i, i + 1, conductance());
            if (y + 1 < n && draw() < 0.97) a.join(i, i + n, conductance());
            if (draw() < 0.42) {
                const std::size_t to_x = x + random() % 9, to_y = y + random() % 5;
                if (to_x >= 4 && to_x < n + 4 && to_y < n && to_y * n + to_x - 4 != i)
                    a.join(i, to_y * n + to_x - 4, conductance());
            }
            a.add(i, i, i == 0 || draw() < 0.001 ? 1 : 1e-12);
        }
    return a.rows();
}

/// Springs on a lattice of n x n joints, horizontal, vertical and both diagonals, of two unknowns a joint; the joints
/// of the first column are held. `modes`: two translations and the rotation.
inline CompressedRows springs(std::size_t n, std::vector<std::vector<double>>& modes) {
    Assembled a(2 * n * n);
    modes.assign(3, std::vector<double>(2 * n * n, 0.0));
    const auto spring = [&](std::size_t i, std::size_t j, double dx, double dy) {
        const double length = dx * dx + dy * dy;
        const std::array<double, 2> d = {dx / length, dy / length};
        for (std::size_t p = 0; p < 2; ++p)
            for (std::size_t q = 0; q < 2; ++q) {
                const double v = d[p] * d[q];
                a.add(2 * i + p, 2 * i + q, v);
                a.add(2 * j + p, 2 * j + q, v);
                a.add(2 * i + p, 2 * j + q, -v);
                a.add(2 * j + p, 2 * i + q, -v);
            }
    };
    for (std::size_t y = 0; y < n; ++y)
        for (std::size_t x = 0; x < n; ++x) {
            const std::size_t i = y * n + x;
            if (x + 1 < n) spring(i, i + 1, 1, 0);
            if (y + 1 < n) spring(i, i + n, 0, 1);
            if (x + 1 < n && y + 1 < n) spring(i, i + n + 1, 1, 1);
            if (x > 0 && y + 1 < n) spring(i, i + n - 1, -1, 1);
            if (x == 0)
                for (std::size_t p = 0; p < 2; ++p) a.add(2 * i + p, 2 * i + p, 1);
            modes[0][2 * i] = modes[1][2 * i + 1] = 1;
            modes[2][2 * i] = -static_cast<double>(y);
            modes[2][2 * i + 1] = static_cast<double>(x);
        }
    return a.rows();
}

/// Bilinear elements of coefficients `c` of each cell, with a fixed edge as the problem diffusion2d has it (empty
/// rows), or with a free one and `mass` on the diagonal.
inline Bands elements(std::size_t columns, std::size_t rows, const std::function<double(std::size_t, std::size_t)>& c,
                      bool fixed, double mass = 0) {
    Bands::Array band;
    for (auto& b : band) b.assign(columns * rows, 0.0);
    const auto on_edge = [&](std::size_t x, std::size_t y) {
        return fixed && (x == 0 || y == 0 || x + 1 == columns || y + 1 == rows);
    };
    for (std::size_t y = 0; y + 1 < rows; ++y)
        for (std::size_t x = 0; x + 1 < columns; ++x)
            for (std::size_t p = 0; p < 4; ++p)
                for (std::size_t q = 0; q < 4; ++q) {
                    const std::size_t px = x + p % 2, py = y + p / 2, qx = x + q % 2, qy = y + q / 2;
                    if (on_edge(px, py) || on_edge(qx, qy)) continue;
                    const std::size_t apart = (px != qx ? 1 : 0) + (py != qy ? 1 : 0);
                    const double share = apart == 0 ? 4.0 : apart == 1 ? -1.0 : -2.0;
                    band[(qy + 1 - py) * 3 + qx + 1 - px][py * columns + px] += c(x, y) * share;
                }
    if (!fixed)
        for (double& d : band[4]) d += mass;
    return {columns, std::move(band)};
}

/// Random graphs have no neighbourhoods: everything is near everything. So it is where who has bonds gets more
/// (`rich`).
inline void join_at_random(Assembled& scattered, Assembled& rich) {
    std::mt19937 draw(9);
    std::vector<std::size_t> ends = {0};
    for (std::size_t i = 0; i < 20000; ++i) {
        scattered.add(i, i, 1e-3);
        rich.add(i, i, 1e-3);
        for (int bond = 0; bond < 3 && i > 0; ++bond) {
            scattered.join(i, draw() % i, 1 + bond);
            const std::size_t other = ends[draw() % ends.size()];
            if (other == i) continue;
            rich.join(i, other, 1);
            ends.push_back(i);
            ends.push_back(other);
        }
    }
}

} // namespace mantissa::test
