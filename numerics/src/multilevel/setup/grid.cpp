#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <utility>

#include <fmt/format.h>

#include "../blocked_sums.hpp"
#include "../rows.hpp"
#include "largest.hpp"
#include "levels.hpp"
#include "mantissa/format.hpp"
#include "mantissa/multilevel/aggregation.hpp"
#include "mantissa/multilevel/hierarchy.hpp"
#include "mantissa/sparse/formats.hpp"

namespace mantissa::multilevel {

namespace {

constexpr std::uint32_t kNoUnknown = UINT32_MAX;

/// Which unknown is at which node. Nodes with empty rows are Dirichlet nodes: unknowns of the first level, of no other.
struct GridLevel {
    std::size_t columns = 0, rows = 0;
    std::vector<std::uint32_t> unknown; ///< a node's, kNoUnknown at a Dirichlet node
    std::vector<std::uint32_t> node;    ///< an unknown's
    [[nodiscard]] bool halves() const { return columns % 2 == 1 && rows % 2 == 1 && columns > 3 && rows > 3; }
};

/// The row's nine coefficients. Those that couple an interior node of a constant stencil to the edge are zero.
std::array<double, kBands> coefficients(const Stencil& a, std::size_t i) {
    std::array<double, kBands> row{};
    if (a.on_edge(i)) return row;
    for (std::size_t b = 0; b < kBands; ++b) {
        const std::ptrdiff_t to = static_cast<std::ptrdiff_t>(i) + band_offset(static_cast<int>(b), a.row_length());
        if (!a.on_edge(static_cast<std::size_t>(to))) row[b] = a.coefficients()[b];
    }
    return row;
}
std::array<double, kBands> coefficients(const Bands& a, std::size_t i) {
    std::array<double, kBands> row{};
    for (std::size_t b = 0; b < kBands; ++b) row[b] = a.band(b)[i];
    return row;
}
std::array<double, kBands> coefficients(const SymmetricBands& a, std::size_t i) {
    std::array<double, kBands> row{};
    for (std::size_t b = 0; b < kBands; ++b) row[b] = a.coefficient(b, i);
    return row;
}

/// The first level; a Dirichlet node has a row of its own with a 1, and the scale 0.
template <class Matrix>
void first_level(const Matrix& a, int threads, RealRows& scaled, std::vector<double>& scale, GridLevel& grid) {
    const std::size_t size = a.size(), n = a.row_length();
    if (size >= kNoUnknown / kBands)
        throw InvalidInput(fmt::format("multilevel: {} nodes: 32 bits number their entries here", size));
    grid.columns = n;
    grid.rows = size / n;
    grid.unknown.resize(size);
    grid.node.resize(size);
    scale.assign(size, 0.0);
    scaled.rows = scaled.columns = static_cast<std::uint32_t>(size);
    scaled.begin.assign(size + 1, 0);
    std::vector<std::uint8_t> broken(size, 0);
    detail::for_each_row(size, threads, [&](std::size_t i) {
        const std::array<double, kBands> row = coefficients(a, i);
        std::uint32_t entries = 0;
        for (const double v : row) entries += v != 0 ? 1 : 0;
        scaled.begin[i + 1] = std::max(entries, 1U);
        grid.node[i] = static_cast<std::uint32_t>(i);
        grid.unknown[i] = entries == 0 ? kNoUnknown : grid.node[i];
        if (row[4] > 0) scale[i] = 1 / std::sqrt(row[4]);
        else broken[i] = entries != 0;
    });
    for (std::size_t i = 0; i < size; ++i) {
        if (broken[i])
            throw InvalidInput(fmt::format("multilevel: the diagonal entry of node {} (grid row {}, column {}) is not "
                                           "above zero: the matrix is not positive definite",
                                           i, i / n, i % n));
        scaled.begin[i + 1] += scaled.begin[i];
    }
    scaled.column.resize(scaled.begin.back());
    scaled.value.resize(scaled.begin.back());
    detail::for_each_row(size, threads, [&](std::size_t i) {
        const std::array<double, kBands> row = coefficients(a, i);
        std::uint32_t to = scaled.begin[i];
        scaled.column[to] = static_cast<std::uint32_t>(i);
        scaled.value[to] = 1;
        for (std::size_t b = 0; b < kBands; ++b) {
            if (row[b] == 0) continue;
            const std::size_t j = i + static_cast<std::size_t>(band_offset(static_cast<int>(b), n));
            scaled.column[to] = static_cast<std::uint32_t>(j);
            scaled.value[to++] = b == 4 ? 1.0 : scale[i] * scale[j] * row[b];
        }
    });
}

/// Every second node of each direction.
GridLevel halved(const GridLevel& fine) {
    GridLevel coarse;
    coarse.columns = (fine.columns + 1) / 2;
    coarse.rows = (fine.rows + 1) / 2;
    coarse.unknown.assign(coarse.columns * coarse.rows, kNoUnknown);
    for (std::size_t node = 0; node < coarse.unknown.size(); ++node) {
        const std::size_t x = node % coarse.columns, y = node / coarse.columns;
        if (fine.unknown[2 * y * fine.columns + 2 * x] == kNoUnknown) continue;
        coarse.unknown[node] = static_cast<std::uint32_t>(coarse.node.size());
        coarse.node.push_back(static_cast<std::uint32_t>(node));
    }
    return coarse;
}

/// A row of bilinear interpolation: at most four coarse nodes with the same weight.
struct Corners {
    std::size_t count = 0;
    std::array<std::uint32_t, 4> column{}; ///< coarse unknowns, ascending
    double weight = 0;
};
Corners corners(const GridLevel& fine, const GridLevel& coarse, std::size_t node) {
    const std::size_t x = node % fine.columns, y = node / fine.columns;
    Corners c;
    c.weight = (x % 2 == 1 ? 0.5 : 1) * (y % 2 == 1 ? 0.5 : 1);
    for (std::size_t j = y / 2; j <= (y + 1) / 2; ++j)
        for (std::size_t i = x / 2; i <= (x + 1) / 2; ++i) {
            const std::uint32_t unknown = coarse.unknown[j * coarse.columns + i];
            if (unknown != kNoUnknown) c.column[c.count++] = unknown;
        }
    return c;
}

/// Bilinear interpolation B after a step of Jacobi's method, (1 - 2/3 D^-1 A) B, on B's pattern, rows scaled so that
/// they add up to what those of B do: it follows jumps of the coefficients. In scaled unknowns of the level, plain ones
/// of the next; `function` is what a one of the plain unknowns is in the scaled ones.
RealRows interpolation(const RealRows& a, const GridLevel& fine, const GridLevel& coarse,
                       const std::vector<double>& function, int threads) {
    constexpr double kStep = 2.0 / 3, kLeast = 0.1;
    const auto columns = static_cast<std::uint32_t>(coarse.node.size());
    const auto parts = detail::parts_of_rows<double>(
        a.rows, threads, [] { return 0; },
        [&](std::size_t first, std::size_t end, detail::RowsPart<double>& part, int) {
            for (std::size_t row = first; row < end; ++row) {
                const std::size_t node = fine.node[row];
                const Corners own = fine.unknown[node] == kNoUnknown ? Corners{} : corners(fine, coarse, node);
                std::array<double, 4> value{};
                for (std::uint32_t k = a.begin[row]; k < a.begin[row + 1]; ++k) {
                    const std::uint32_t j = a.column[k];
                    const Corners other = corners(fine, coarse, fine.node[j]);
                    const double v = ((j == row ? 1.0 : 0.0) - kStep * a.value[k]) * other.weight * function[j];
                    for (std::size_t m = 0; m < other.count; ++m)
                        for (std::size_t c = 0; c < own.count; ++c)
                            if (own.column[c] == other.column[m]) value[c] += v;
                }
                const double wanted = static_cast<double>(own.count) * own.weight * function[row];
                double sum = 0;
                for (std::size_t c = 0; c < own.count; ++c) sum += value[c];
                const bool follows = sum > kLeast * wanted;
                for (std::size_t c = 0; c < own.count; ++c) {
                    part.column.push_back(own.column[c]);
                    part.value.push_back(follows ? value[c] * (wanted / sum) : own.weight * function[row]);
                }
                part.end.push_back(static_cast<std::uint32_t>(part.value.size()));
            }
        });
    detail::JoinedRows<double> rows = detail::joined(parts, a.rows, threads);
    return {a.rows, columns, std::move(rows.begin), std::move(rows.column), std::move(rows.value)};
}

/// Whether every second node of each direction can be left out until kCoarsest unknowns are left.
template <class Matrix> bool halves_to_the_end(const Matrix& a) {
    std::size_t columns = a.row_length(), rows = a.size() / columns, unknowns = a.size(), step = 1;
    while (unknowns > kCoarsest) {
        if (!GridLevel{columns, rows, {}, {}}.halves()) return false;
        columns = (columns + 1) / 2;
        rows = (rows + 1) / 2;
        step *= 2;
        unknowns = 0;
        for (std::size_t y = 0; y < rows; ++y)
            for (std::size_t x = 0; x < columns; ++x) {
                const std::array<double, kBands> row = coefficients(a, step * (y * a.row_length() + x));
                unknowns += std::ranges::any_of(row, [](double v) { return v != 0; }) ? 1 : 0;
            }
        if (unknowns == 0) return false;
    }
    return true;
}

/// By aggregation, as sparse rows get it. A Dirichlet node's row has a 1, and nothing is corrected there.
template <class Matrix> Hierarchy aggregated(const Matrix& a, int threads) {
    if (a.size() >= kNoUnknown / kBands)
        throw InvalidInput(fmt::format("multilevel: {} nodes: 32 bits number their entries here", a.size()));
    const auto row_of = [&](std::size_t i) {
        std::array<double, kBands> row = coefficients(a, i);
        if (std::ranges::all_of(row, [](double v) { return v == 0; })) row[4] = 1;
        return row;
    };
    Hierarchy h = make_aggregation(nine_point_rows(a.size(), a.row_length(), row_of), {}, threads);
    for (std::size_t i = 0; i < h.scale.size(); ++i)
        if (coefficients(a, i)[4] == 0) h.scale[i] = 0;
    return h;
}

} // namespace

Hierarchy make_hierarchy(const System& system, int threads) {
    return std::visit(Overloaded{[&](const CompressedRows& rows) { return make_aggregation(rows, {}, threads); },
                                 [&](const auto& grid) {
                                     return halves_to_the_end(grid) ? make_grid_hierarchy(system, threads)
                                                                    : aggregated(grid, threads);
                                 }},
                      system.matrix());
}

Hierarchy make_grid_hierarchy(const System& system, int threads) {
    threads = std::max(1, threads);
    Hierarchy h;
    h.of_grid = true;
    RealRows a;
    GridLevel grid;
    std::visit(Overloaded{[](const CompressedRows&) {
                              throw InvalidInput("multilevel: sparse rows have no grid: make_aggregation() takes them");
                          },
                          [&](const auto& matrix) { first_level(matrix, threads, a, h.scale, grid); }},
               system.matrix());
    // A one of the unscaled unknowns; anything at a Dirichlet node.
    std::vector<double> function(h.scale.size());
    for (std::size_t i = 0; i < function.size(); ++i) function[i] = h.scale[i] > 0 ? 1 / h.scale[i] : 1;
    for (;;) {
        Level& level = h.level.emplace_back();
        level.a = std::move(a);
        level.kernel = function;
        level.largest = detail::largest_eigenvalue(level.a, function, threads);
        if (level.a.rows <= kCoarsest) break;
        GridLevel coarse;
        if (grid.halves()) coarse = halved(grid);
        if (coarse.node.empty()) {
            h.why_not = fmt::format("a grid of {} x {} nodes cannot be halved: grids of 2^n + 1 nodes a side can",
                                    grid.columns, grid.rows);
            return h;
        }
        const std::vector<double> scale =
            detail::make_next(level, interpolation(level.a, grid, coarse, function, threads), {}, a, threads);
        if (scale.empty()) {
            h.why_not = detail::kNotDefinite;
            return h;
        }
        grid = std::move(coarse);
        function.resize(scale.size());
        for (std::size_t i = 0; i < scale.size(); ++i) function[i] = 1 / scale[i];
    }
    detail::finish(h);
    return h;
}

} // namespace mantissa::multilevel
