// Smoothed aggregation: what the levels are by definition, the same bits for any number of threads, how fast cycles on
// them converge, near-kernels, and matrices that have no use for levels.
#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include <gtest/gtest.h>

#include "../expect_line.hpp"
#include "hierarchy_checks.hpp"
#include "reference_cycle.hpp"
#include "systems.hpp"

namespace mantissa::test {
namespace {

using multilevel::Hierarchy, multilevel::Level, multilevel::make_aggregation, multilevel::NearKernel;

struct Case {
    const char* name;
    CompressedRows (*make)();
    int iterations; ///< at most, of CG with the reference's cycle
};
std::ostream& operator<<(std::ostream& out, const Case& c) {
    return out << c.name;
}

/// Blocks of 8 x 8 cells of coefficients from 1 to `jump`.
CompressedRows jumps(std::size_t n, double jump) {
    std::mt19937 random(1);
    std::map<std::pair<std::size_t, std::size_t>, double> block;
    return diffusion(n, n, 1, {1, 1, 1}, [&](std::size_t x, std::size_t y, std::size_t) {
        double& c = block[{x / 8, y / 8}];
        if (c == 0) c = std::pow(jump, std::generate_canonical<double, 53>(random));
        return c;
    });
}
/// A chain, every tenth bond a thousandth.
CompressedRows chain() {
    Assembled a(3000);
    a.add(0, 0, 1);
    for (std::size_t i = 0; i + 1 < 3000; ++i) a.join(i, i + 1, i % 10 == 0 ? 1e-3 : 1);
    return a.rows();
}
/// Bilinear elements' mass matrix and stiffness matrix: positive entries beside the diagonal.
CompressedRows heat() {
    const std::size_t n = 60;
    Assembled a(n * n);
    const std::array<double, 4> mass = {4.0 / 36, 2.0 / 36, 1.0 / 36, 2.0 / 36},
                                stiffness = {4.0 / 6, -1.0 / 6, -2.0 / 6, -1.0 / 6};
    for (std::size_t y = 0; y + 1 < n; ++y)
        for (std::size_t x = 0; x + 1 < n; ++x) {
            const std::array<std::size_t, 4> corner = {y * n + x, y * n + x + 1, y * n + x + n + 1, y * n + x + n};
            for (std::size_t p = 0; p < 4; ++p)
                for (std::size_t q = 0; q < 4; ++q)
                    a.add(corner[p], corner[q], mass[(q + 4 - p) % 4] + 5 * stiffness[(q + 4 - p) % 4]);
        }
    return a.rows();
}

class Aggregation : public testing::TestWithParam<Case> {};

TEST_P(Aggregation, LevelsAreWhatTheirDefinitionSays) {
    const CompressedRows given = GetParam().make();
    const Hierarchy h = make_aggregation(given, {}, 2);
    ASSERT_EQ(h.why_not, "");
    ASSERT_GE(h.level.size(), 2U);
    for (std::size_t i = 0; i < given.rows(); ++i) {
        const auto column = given.column().begin();
        const auto at = std::lower_bound(column + static_cast<std::ptrdiff_t>(given.row_begin()[i]),
                                         column + static_cast<std::ptrdiff_t>(given.row_begin()[i + 1]), i);
        ASSERT_EQ(h.scale[i], 1 / std::sqrt(given.value()[static_cast<std::size_t>(at - column)]));
    }
    expect_levels(h);
    EXPECT_LE(h.operator_complexity(), 2);
}

TEST_P(Aggregation, ThreadsChangeNoBit) {
    const CompressedRows given = GetParam().make();
    expect_same_for_any_threads([&](int threads) { return make_aggregation(given, {}, threads); });
}

TEST_P(Aggregation, CyclesConverge) {
    const Hierarchy h = make_aggregation(GetParam().make(), {}, 2);
    EXPECT_LE(iterations(h), GetParam().iterations);
}

INSTANTIATE_TEST_SUITE_P(Systems, Aggregation,
                         testing::Values(Case{"grid", [] { return laplacian(150, 130, 1); }, 14},
                                         Case{"cube", [] { return laplacian(30, 28, 26); }, 14},
                                         Case{"points27", [] { return points27(22); }, 12},
                                         Case{"anisotropic",
                                              [] {
                                                  return laplacian(120, 120, 1, {1, 0.01, 1});
                                              },
                                              14},
                                         Case{"jumps", [] { return jumps(96, 100); }, 25},
                                         Case{"circuit", [] { return circuit(120, 1); }, 20},
                                         Case{"wide_circuit", [] { return circuit(120, 4); }, 40},
                                         Case{"chain", chain, 30}, Case{"heat", heat, 12}),
                         [](const auto& of) { return std::string(of.param.name); });

TEST(AggregationOf, SeveralGraphsAndRowsWithoutCouplings) {
    // 40 grids of 10 x 10, 500 pairs, 700 single rows of 3, in turn.
    Assembled a(40 * 100 + 500 * 2 + 700);
    std::size_t at = 0;
    for (int part = 0; part < 40; ++part, at += 100)
        for (std::size_t i = 0; i < 100; ++i) {
            a.add(at + i, at + i, 0.01);
            if (i % 10 < 9) a.join(at + i, at + i + 1, 1);
            if (i < 90) a.join(at + i, at + i + 10, 1);
        }
    for (int pair = 0; pair < 500; ++pair, at += 2) {
        a.join(at, at + 1, 1);
        a.add(at, at, 1e-3);
    }
    const std::size_t single = at;
    for (int row = 0; row < 700; ++row, ++at) a.add(at, at, 3);
    const Hierarchy h = make_aggregation(a.rows(), {}, 2);
    ASSERT_EQ(h.why_not, "");
    const RealRows& p = h.level.front().prolongation;
    for (std::size_t row = single; row < p.rows; ++row) ASSERT_EQ(p.begin[row], p.begin[row + 1]);
    for (const double v : h.coarsest) ASSERT_TRUE(std::isfinite(v));
    EXPECT_LE(iterations(h), 20);
}

TEST(AggregationOf, StoredZerosAreNoCouplings) {
    const CompressedRows given = laplacian(40, 40, 1);
    Assembled a(given.rows());
    for (std::size_t i = 0; i < given.rows(); ++i) {
        for (std::uint64_t k = given.row_begin()[i]; k < given.row_begin()[i + 1]; ++k)
            a.add(i, given.column()[k], given.value()[k]);
        a.add(i, (i * 7 + 5) % given.rows(), 0.0);
    }
    const Hierarchy with = make_aggregation(a.rows(), {}, 1), without = make_aggregation(given, {}, 1);
    ASSERT_EQ(with.level.size(), without.level.size());
    EXPECT_EQ(with.level.front().a.column, without.level.front().a.column);
    EXPECT_EQ(with.level.back().a.value, without.level.back().a.value);
}

TEST(AggregationOf, SmallMatricesAreInverted) {
    const Hierarchy h = make_aggregation(laplacian(16, 16, 1), {}, 2);
    EXPECT_EQ(h.why_not, "");
    EXPECT_EQ(h.level.size(), 1U);
    EXPECT_EQ(iterations(h), 1);
    const Hierarchy one = make_aggregation(CompressedRows({0, 1}, {0}, {4.0}), {}, 2);
    EXPECT_EQ(one.scale, Vector{0.5});
    EXPECT_EQ(one.coarsest, Vector{1.0});
}

TEST(AggregationOf, RigidBodyModesOfSprings) {
    NearKernel modes;
    const CompressedRows a = springs(60, modes.functions);
    const Hierarchy ones = make_aggregation(a, {}, 2), rigid = make_aggregation(a, modes, 2);
    ASSERT_EQ(ones.why_not, "");
    ASSERT_EQ(rigid.why_not, "");
    for (const Level& level : rigid.level) expect_scaled(level);
    EXPECT_LE(iterations(rigid), 30);
    EXPECT_LT(3 * iterations(rigid), 2 * iterations(ones));
    // A function that the others make up changes nothing.
    modes.functions.push_back(modes.functions[0]);
    for (std::size_t i = 0; i < a.rows(); ++i) modes.functions[3][i] += 0.5 * modes.functions[1][i];
    const Hierarchy four = make_aggregation(a, modes, 3);
    ASSERT_EQ(four.level.size(), rigid.level.size());
    EXPECT_EQ(four.level.back().a.rows, rigid.level.back().a.rows);
    EXPECT_LE(iterations(four), iterations(rigid) + 1);
}

TEST(AggregationOf, MatricesThatHaveNoUseForLevels) {
    Assembled diagonal(1000);
    for (std::size_t i = 0; i < 1000; ++i) diagonal.add(i, i, static_cast<double>(i + 1));
    EXPECT_NE(make_aggregation(diagonal.rows(), {}, 2).why_not.find("diagonal alone"), std::string::npos);
    // Symmetric, diagonal above zero, not definite: eigenvalue -1 for each pair.
    Assembled indefinite(200);
    for (std::size_t i = 0; i < 200; ++i) {
        indefinite.add(i, i, 1);
        indefinite.add(i, i ^ 1U, 2);
    }
    EXPECT_NE(make_aggregation(indefinite.rows(), {}, 2).why_not.find("not positive definite"), std::string::npos);
    Assembled scattered(20000), rich(20000);
    join_at_random(scattered, rich);
    EXPECT_NE(make_aggregation(scattered.rows(), {}, 2).why_not.find("times the matrix's entries"), std::string::npos);
    EXPECT_NE(make_aggregation(rich.rows(), {}, 2).why_not.find("nearly dense"), std::string::npos);
    // Without ground a network is singular. What is left out of coarse matrices must not hide it.
    std::mt19937 random(4);
    Assembled torus(60 * 60);
    for (std::size_t i = 0; i < 60 * 60; ++i) {
        const std::size_t x = i % 60, y = i / 60;
        torus.join(i, y * 60 + (x + 1) % 60, 0.1 + std::generate_canonical<double, 53>(random));
        torus.join(i, (y + 1) % 60 * 60 + x, 0.1 + std::generate_canonical<double, 53>(random));
    }
    EXPECT_NE(make_aggregation(torus.rows(), {}, 2).why_not.find("not positive definite"), std::string::npos);
}

TEST(AggregationOf, BadInputGetsOneLine) {
    expect_line(
        [] {
            make_aggregation(CompressedRows({0, 1, 2}, {0, 1}, {1.0, -1.0}), {}, 1);
        },
        "diagonal entry of row 2 is not above zero");
    expect_line(
        [] {
            make_aggregation(CompressedRows({0, 1, 2}, {0, 0}, {1.0, 1.0}), {}, 1);
        },
        "diagonal entry of row 2 is not above zero");
    expect_line(
        [] {
            make_aggregation(laplacian(20, 20, 1), {{Vector(400, 1.0), Vector(399, 1.0)}}, 1);
        },
        "near-kernel function 2 has 399 elements, the matrix has 400 rows");
}

} // namespace
} // namespace mantissa::test
