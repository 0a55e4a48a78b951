// What every hierarchy is by definition.
#pragma once

#include <algorithm>
#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "reference_cycle.hpp"

namespace mantissa::test {

/// Symmetric, a unit diagonal, columns that ascend, and `largest` at least about the largest eigenvalue.
inline void expect_scaled(const multilevel::Level& level) {
    const RealRows& a = level.a;
    ASSERT_EQ(a.rows, a.columns);
    for (std::uint32_t i = 0; i < a.rows; ++i)
        for (std::uint32_t k = a.begin[i]; k < a.begin[i + 1]; ++k) {
            const std::uint32_t j = a.column[k];
            ASSERT_TRUE(k == a.begin[i] || a.column[k - 1] < j) << i << " " << j;
            ASSERT_TRUE(j != i || a.value[k] == 1.0) << i;
            const auto row = a.column.begin();
            const auto mirror = std::lower_bound(row + a.begin[j], row + a.begin[j + 1], i);
            ASSERT_TRUE(mirror != row + a.begin[j + 1] && *mirror == i) << i << " " << j;
            ASSERT_EQ(a.value[static_cast<std::size_t>(mirror - row)], a.value[k]);
        }
    // Power method: from below.
    Vector v(a.rows);
    std::mt19937 random(2);
    for (double& x : v) x = std::generate_canonical<double, 53>(random) - 0.5;
    double largest = 0;
    for (int step = 0; step < 300; ++step) {
        const Vector w = product(a, v);
        largest = dot(v, w) / dot(v, v);
        const double norm = std::sqrt(dot(w, w));
        std::transform(w.begin(), w.end(), v.begin(), [&](double x) { return x / norm; });
    }
    EXPECT_GE(level.largest, 0.99 * largest);
    EXPECT_LE(level.largest, 1.3 * largest);
}

/// `next` is R a P where it has an entry beside the diagonal; entries that it lacks are small, and so is what the
/// diagonal took of them.
inline void expect_galerkin(const multilevel::Level& level, const RealRows& next) {
    const RealRows &a = level.a, &p = level.prolongation, &r = level.restriction;
    Vector sum(next.rows, 0.0), given(next.rows, 0.0);
    for (std::uint32_t row = 0; row < next.rows; ++row) {
        std::vector<std::uint32_t> columns;
        for (std::uint32_t i = r.begin[row]; i < r.begin[row + 1]; ++i)
            for (std::uint32_t j = a.begin[r.column[i]]; j < a.begin[r.column[i] + 1]; ++j)
                for (std::uint32_t k = p.begin[a.column[j]]; k < p.begin[a.column[j] + 1]; ++k) {
                    columns.push_back(p.column[k]);
                    sum[p.column[k]] += r.value[i] * a.value[j] * p.value[k];
                }
        for (std::uint32_t k = next.begin[row]; k < next.begin[row + 1]; ++k) given[next.column[k]] = next.value[k];
        for (const std::uint32_t column : columns) {
            const double there = sum[column], here = given[column];
            if (column == row) ASSERT_NEAR(here, there, 0.2) << row;
            else if (here != 0) ASSERT_NEAR(here, there, 1e-12) << row << " " << column;
            else ASSERT_LE(std::abs(there), 0.011) << row << " " << column;
        }
        for (const std::uint32_t column : columns) sum[column] = 0;
        for (std::uint32_t k = next.begin[row]; k < next.begin[row + 1]; ++k) given[next.column[k]] = 0;
    }
}

/// Each level scaled, each next one R a P, the last one inverted.
inline void expect_levels(const multilevel::Hierarchy& h) {
    for (const multilevel::Level& level : h.level) expect_scaled(level);
    for (std::size_t k = 0; k + 1 < h.level.size(); ++k) {
        const multilevel::Level &level = h.level[k], &next = h.level[k + 1];
        ASSERT_EQ(level.prolongation.rows, level.a.rows);
        ASSERT_EQ(level.prolongation.columns, next.a.rows);
        expect_galerkin(level, next.a);
        // R x . e = x . P e for vectors of numbers of both signs.
        Vector e(next.a.rows), x(level.a.rows);
        std::mt19937 random(3);
        for (double& v : e) v = std::generate_canonical<double, 53>(random) - 0.5;
        for (double& v : x) v = std::generate_canonical<double, 53>(random) - 0.5;
        const Vector there = product(level.prolongation, e);
        EXPECT_NEAR(dot(product(level.restriction, x), e), dot(x, there),
                    1e-12 * std::sqrt(dot(x, x) * dot(there, there)));
    }
    const RealRows& last = h.level.back().a;
    ASSERT_LE(last.rows, 256U);
    EXPECT_EQ(h.level.back().prolongation.rows, 0U);
    ASSERT_EQ(h.coarsest.size(), std::size_t{last.rows} * last.rows);
    for (std::size_t j = 0; j < last.rows; ++j) {
        Vector column(last.rows);
        for (std::size_t i = 0; i < last.rows; ++i) column[i] = h.coarsest[i * last.rows + j];
        const Vector unit = product(last, column);
        for (std::size_t i = 0; i < last.rows; ++i) ASSERT_NEAR(unit[i], i == j ? 1.0 : 0.0, 1e-6);
    }
}

template <class Make> void expect_same_for_any_threads(const Make& make) {
    const multilevel::Hierarchy one = make(1);
    for (const int threads : {2, 3, 7}) {
        const multilevel::Hierarchy h = make(threads);
        ASSERT_EQ(h.level.size(), one.level.size());
        EXPECT_EQ(h.scale, one.scale);
        EXPECT_EQ(h.coarsest, one.coarsest);
        for (std::size_t k = 0; k < h.level.size(); ++k) {
            EXPECT_EQ(h.level[k].largest, one.level[k].largest);
            for (const auto part :
                 {&multilevel::Level::a, &multilevel::Level::prolongation, &multilevel::Level::restriction}) {
                EXPECT_EQ((h.level[k].*part).begin, (one.level[k].*part).begin);
                EXPECT_EQ((h.level[k].*part).column, (one.level[k].*part).column);
                EXPECT_EQ((h.level[k].*part).value, (one.level[k].*part).value);
            }
        }
    }
}

} // namespace mantissa::test
