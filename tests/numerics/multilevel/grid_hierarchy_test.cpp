// Hierarchies of nine-point grids.
#include <cmath>

#include <gtest/gtest.h>

#include "../expect_line.hpp"
#include "hierarchy_checks.hpp"
#include "reference_cycle.hpp"
#include "systems.hpp"

namespace mantissa::test {
namespace {

using multilevel::Hierarchy, multilevel::Level, multilevel::make_grid_hierarchy, multilevel::make_hierarchy;

Stencil poisson(std::size_t columns, std::size_t rows) {
    return {columns, rows, {-1, -1, -1, -1, 8, -1, -1, -1, -1}};
}
/// 1 or `contrast` in tiles of an 8 x 8 pattern.
Bands tiles(std::size_t nodes, double contrast) {
    const std::size_t tile = (nodes - 1) / 8;
    return elements(
        nodes, nodes, [=](std::size_t x, std::size_t y) { return (x / tile + y / tile) % 2 ? contrast : 1; }, true);
}

TEST(GridHierarchy, AConstantStencilStaysWhatItIs) {
    const Hierarchy h = make_grid_hierarchy(poisson(129, 129), 2);
    ASSERT_EQ(h.why_not, "");
    expect_levels(h);
    ASSERT_EQ(h.level.size(), 4U); // 129, 63, 31, 15 nodes a side
    for (std::size_t k = 1; k < h.level.size(); ++k) {
        const RealRows& a = h.level[k].a;
        EXPECT_EQ(a.rows, ((128U >> k) - 1) * ((128U >> k) - 1));
        for (std::uint32_t row = 0; row < a.rows; ++row)
            for (std::uint32_t m = a.begin[row]; m < a.begin[row + 1]; ++m)
                ASSERT_NEAR(a.value[m], a.column[m] == row ? 1 : -0.125, 1e-14);
    }
    EXPECT_LE(iterations(h), 7);
}

TEST(GridHierarchy, EveryKindOfMatrixGivesTheSame) {
    const Hierarchy stencil = make_grid_hierarchy(poisson(65, 33), 1);
    const Bands bands = elements(
        65, 33, [](auto...) { return 0.5; }, true);
    expect_levels(stencil);
    for (const System& system : {System(bands), System(SymmetricBands::from(bands))}) {
        const Hierarchy h = make_grid_hierarchy(system, 1);
        ASSERT_EQ(h.level.size(), stencil.level.size());
        for (std::size_t i = 0; i < h.scale.size(); ++i) ASSERT_EQ(h.scale[i], stencil.scale[i]);
        for (std::size_t k = 0; k < h.level.size(); ++k) EXPECT_EQ(h.level[k].a.value, stencil.level[k].a.value);
        EXPECT_EQ(h.coarsest, stencil.coarsest);
    }
}

TEST(GridHierarchy, DirichletNodesAreOnTheFirstLevelAlone) {
    const Hierarchy h = make_grid_hierarchy(tiles(33, 10), 2);
    const Level& first = h.level.front();
    ASSERT_EQ(first.a.rows, 33U * 33);
    for (std::uint32_t node = 0; node < first.a.rows; ++node) {
        const bool edge = node % 33 == 0 || node % 33 == 32 || node < 33 || node >= 32 * 33;
        ASSERT_EQ(h.scale[node] == 0, edge);
        ASSERT_EQ(first.a.begin[node + 1] - first.a.begin[node] == 1, edge);
        ASSERT_EQ(first.prolongation.begin[node + 1] == first.prolongation.begin[node], edge);
    }
    EXPECT_EQ(h.level[1].a.rows, 15U * 15);
}

TEST(GridHierarchy, CyclesStandJumps) {
    for (const double contrast : {100.0, 1e4, 1e8}) {
        const Hierarchy h = make_grid_hierarchy(tiles(129, contrast), 2);
        expect_levels(h);
        EXPECT_LE(iterations(h), 15) << contrast;
    }
}

TEST(GridHierarchy, FreeEdges) {
    const Hierarchy h =
        make_grid_hierarchy(elements(
                                65, 65, [](std::size_t x, std::size_t) { return x < 20 ? 1.0 : 7.0; }, false, 1e-3),
                            2);
    expect_levels(h);
    EXPECT_LE(iterations(h), 10);
}

TEST(GridHierarchy, ThreadsChangeNoBit) {
    const System system(tiles(257, 30));
    expect_same_for_any_threads([&](int threads) { return make_grid_hierarchy(system, threads); });
}

TEST(GridHierarchy, GridsThatCannotBeHalved) {
    const Hierarchy h = make_grid_hierarchy(poisson(41, 41), 1); // 41, 21, 11 nodes a side
    EXPECT_EQ(h.why_not, "");
    EXPECT_EQ(h.level.size(), 3U);
    EXPECT_NE(make_grid_hierarchy(poisson(100, 100), 1).why_not.find("100 x 100 nodes cannot be halved"),
              std::string::npos);
    EXPECT_NE(make_grid_hierarchy(poisson(131, 131), 1).why_not.find("66 x 66 nodes cannot be halved"),
              std::string::npos);
}

/// Grids of any size have a hierarchy: where halving ends too soon, that of their rows.
TEST(GridHierarchy, ThatCannotBeHalvedIsAggregated) {
    for (const auto& [columns, rows] :
         std::initializer_list<std::pair<std::size_t, std::size_t>>{{100, 100}, {63, 63}, {400, 3}, {131, 131}}) {
        const Hierarchy h = make_hierarchy(poisson(columns, rows), 2);
        EXPECT_EQ(h.why_not, "") << columns << " x " << rows;
        EXPECT_FALSE(h.of_grid) << columns << " x " << rows;
        for (std::size_t y = 0; y < rows; ++y)
            for (std::size_t x = 0; x < columns; ++x) {
                const bool edge = x == 0 || y == 0 || x == columns - 1 || y == rows - 1;
                EXPECT_EQ(h.scale[y * columns + x] == 0, edge) << x << ", " << y;
            }
    }
    const Hierarchy h = make_hierarchy(poisson(41, 41), 1);
    EXPECT_TRUE(h.of_grid);
    EXPECT_EQ(h.scale, make_grid_hierarchy(poisson(41, 41), 1).scale);
}

TEST(GridHierarchy, BadInputGetsOneLine) {
    expect_line([] { make_grid_hierarchy(laplacian(20, 20, 1), 1); }, "sparse rows have no grid");
    Bands::Array band;
    for (auto& b : band) b.assign(25 * 25, 0.0);
    band[4].assign(25 * 25, 1.0);
    band[4][60] = 0;
    band[5][60] = band[3][61] = -0.5;
    expect_line([&] { make_grid_hierarchy(Bands(25, band), 1); }, "node 60 (grid row 2, column 10) is not above zero");
}

} // namespace
} // namespace mantissa::test
