// Hierarchies that are made on the device have the bits of the processor's.
#include <cmath>
#include <cstring>
#include <random>

#include "../../numerics/expect_line.hpp"
#include "../device_test.hpp"
#include "multilevel_rows/setup/hierarchy.hpp"
#include "systems.hpp"

namespace mantissa::test {
namespace {

using gpu::multilevel_rows::Arena, gpu::multilevel_rows::bring_back, gpu::multilevel_rows::bring_to_device,
    gpu::multilevel_rows::make_on_device, gpu::multilevel_rows::given_on_device;
using multilevel::Hierarchy, multilevel::Level, multilevel::make_aggregation;

class GpuHierarchies : public testing::DeviceTest {};

template <class T> bool same_bits(const std::vector<T>& x, const std::vector<T>& y) {
    return x.size() == y.size() && (x.empty() || std::memcmp(x.data(), y.data(), x.size() * sizeof(T)) == 0);
}
void expect_same(const RealRows& found, const RealRows& expected) {
    EXPECT_EQ(found.rows, expected.rows);
    EXPECT_EQ(found.columns, expected.columns);
    EXPECT_TRUE(same_bits(found.begin, expected.begin));
    EXPECT_TRUE(same_bits(found.column, expected.column));
    EXPECT_TRUE(same_bits(found.value, expected.value));
}
void expect_same(const Hierarchy& found, const Hierarchy& expected) {
    EXPECT_EQ(found.why_not, expected.why_not);
    ASSERT_EQ(found.level.size(), expected.level.size());
    EXPECT_TRUE(same_bits(found.scale, expected.scale));
    EXPECT_TRUE(same_bits(found.coarsest, expected.coarsest));
    for (std::size_t k = 0; k < found.level.size(); ++k) {
        SCOPED_TRACE("level " + std::to_string(k));
        const Level &f = found.level[k], &e = expected.level[k];
        expect_same(f.a, e.a);
        expect_same(f.prolongation, e.prolongation);
        expect_same(f.restriction, e.restriction);
        EXPECT_EQ(f.largest, e.largest);
        EXPECT_TRUE(same_bits(f.kernel, e.kernel));
    }
}
/// On the device as on the processor; returns the processor's.
Hierarchy expect_same_on_device(const CompressedRows& a) {
    Hierarchy expected = make_aggregation(a, {}, 2);
    Arena memory;
    const auto made = make_on_device(given_on_device(a, memory, 2));
    EXPECT_TRUE(made.has_value());
    if (!made) return expected;
    if (expected.why_not.empty()) expect_same(bring_back(*made), expected);
    else EXPECT_EQ(made->why_not, expected.why_not);
    return expected;
}

TEST_F(GpuHierarchies, OfGridsAndCircuits) {
    std::mt19937_64 random(3);
    const auto jumps = [&](auto...) { return std::pow(1e3, std::generate_canonical<double, 53>(random)); };
    const std::vector<std::pair<const char*, CompressedRows>> systems = {
        {"grid", laplacian(150, 130, 1)},
        {"cube", laplacian(40, 38, 36)},
        {"points27", points27(24)},
        {"anisotropic", laplacian(120, 120, 1, {1, 0.01, 1})},
        {"jumps", diffusion(90, 90, 1, {1, 1, 1}, jumps)},
        {"chain", laplacian(30000, 1, 1)},
        {"circuit", circuit(300, 1)},
        {"circuit of three decades", circuit(300, 3)},
        {"circuit of six decades", circuit(120, 6)},
    };
    for (const auto& [name, a] : systems) {
        SCOPED_TRACE(name);
        const Hierarchy h = expect_same_on_device(a);
        EXPECT_GE(h.level.size(), 2U) << h.why_not;
    }
}

/// Rows of one entry, stored zeros, pairs, and nodes that are joined strongly with nobody and are not alone: hubs in
/// the middle of stars whose ends' couplings are strong to others.
TEST_F(GpuHierarchies, OfOddGraphs) {
    const std::size_t grid = 3600, pairs = 500, single = 700, hubs = 40, ends = 30;
    Assembled a(grid + 2 * pairs + single + hubs * (1 + ends));
    for (std::size_t i = 0; i < grid; ++i) {
        a.add(i, i, 0.01);
        a.add(i, (i * 7 + 5) % grid, 0.0);
        a.add((i * 7 + 5) % grid, i, 0.0);
        if (i % 60 < 59) a.join(i, i + 1, 1);
        if (i + 60 < grid) a.join(i, i + 60, 1);
    }
    std::size_t at = grid;
    for (std::size_t pair = 0; pair < pairs; ++pair, at += 2) {
        a.join(at, at + 1, 1);
        a.add(at, at, 1e-3);
    }
    for (std::size_t row = 0; row < single; ++row, ++at) a.add(at, at, 3);
    // Ends are alone (what they have beside the diagonal is below a tenth of it), their hubs are not.
    for (std::size_t hub = 0; hub < hubs; ++hub) {
        const std::size_t centre = at++;
        a.add(centre, centre, 0.01);
        for (std::size_t end = 0; end < ends; ++end, ++at) {
            a.join(centre, at, 1);
            a.add(at, at, 1000);
        }
    }
    const Hierarchy h = expect_same_on_device(a.rows());
    EXPECT_EQ(h.why_not, "");
    // Each hub is an aggregate by itself.
    std::size_t by_itself = 0;
    const RealRows& r = h.level.front().restriction;
    for (std::uint32_t g = 0; g < r.rows; ++g)
        by_itself +=
            r.begin[g + 1] - r.begin[g] == 1 && (r.column[r.begin[g]] - grid - 2 * pairs - single) % (1 + ends) == 0;
    EXPECT_EQ(by_itself, hubs);
}

/// Rows with thousands of entries, whose sums no table on the chip holds.
TEST_F(GpuHierarchies, OfLongRows) {
    const std::size_t n = 20000;
    Assembled a(n);
    std::mt19937 random(5);
    for (std::size_t i = 0; i < n; ++i) {
        a.add(i, i, 1e-3);
        if (i + 1 < n) a.join(i, i + 1, 1);
        if (i % 7 == 0 && i > 0) a.join(0, i, 0.02 * static_cast<double>(1 + random() % 3)); // weak for most
        if (i % 11 == 0 && i > 1) a.join(n / 2, i, 0.5);                                     // strong
    }
    static_cast<void>(expect_same_on_device(a.rows()));
}

TEST_F(GpuHierarchies, OfFewRows) {
    EXPECT_EQ(expect_same_on_device(CompressedRows({0, 1}, {0}, {4.0})).level.size(), 1U);
    EXPECT_EQ(expect_same_on_device(laplacian(16, 16, 1)).level.size(), 1U);
    EXPECT_EQ(expect_same_on_device(laplacian(257, 1, 1)).level.size(), 2U);
}

TEST_F(GpuHierarchies, AreRefusedInTheSameWords) {
    Assembled diagonal(1000);
    for (std::size_t i = 0; i < 1000; ++i) diagonal.add(i, i, static_cast<double>(i + 1));
    EXPECT_NE(expect_same_on_device(diagonal.rows()).why_not.find("diagonal alone"), std::string::npos);
    for (const std::size_t rows : {200U, 400U}) { // found by the last level, and by the first product
        Assembled indefinite(rows);
        for (std::size_t i = 0; i < rows; ++i) {
            indefinite.add(i, i, 1);
            indefinite.add(i, i ^ 1U, -2);
        }
        EXPECT_NE(expect_same_on_device(indefinite.rows()).why_not.find("not positive definite"), std::string::npos);
    }
    Assembled scattered(20000), rich(20000);
    join_at_random(scattered, rich);
    EXPECT_NE(expect_same_on_device(scattered.rows()).why_not.find("times the matrix's entries"), std::string::npos);
    EXPECT_NE(expect_same_on_device(rich.rows()).why_not.find("nearly dense"), std::string::npos);
    std::mt19937 draw(9);
    Assembled torus(60 * 60);
    for (std::size_t i = 0; i < 60 * 60; ++i) {
        const std::size_t x = i % 60, y = i / 60;
        torus.join(i, y * 60 + (x + 1) % 60, 0.1 + std::generate_canonical<double, 53>(draw));
        torus.join(i, (y + 1) % 60 * 60 + x, 0.1 + std::generate_canonical<double, 53>(draw));
    }
    EXPECT_NE(expect_same_on_device(torus.rows()).why_not.find("not positive definite"), std::string::npos);
    Arena memory;
    expect_line(
        [&] {
            make_on_device(given_on_device(CompressedRows({0, 1, 2}, {0, 1}, {1.0, -1.0}), memory, 2));
        },
        "diagonal entry of row 2 is not above zero");
}

TEST_F(GpuHierarchies, AreMadeElsewhereWhereRowsAreNotSymmetric) {
    CompressedRows a = laplacian(60, 60, 1);
    Arena memory;
    EXPECT_TRUE(make_on_device(given_on_device(a, memory, 2)).has_value());
    std::vector<double> value = a.value();
    value[1] = std::nextafter(value[1], 0);
    EXPECT_FALSE(make_on_device(given_on_device(a.with_values(std::move(value)), memory, 2)).has_value());
}

TEST_F(GpuHierarchies, ComeAndGo) {
    const Hierarchy h = make_aggregation(circuit(60, 1), {}, 2);
    expect_same(bring_back(bring_to_device(h)), h);
}

} // namespace
} // namespace mantissa::test
