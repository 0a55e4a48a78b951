// SystemBuilder against dense sums, its order of calls, and its answers for any number of threads.
#include <cmath>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "expect_invalid.hpp"
#include "mantissa/host/solve.hpp"
#include "mantissa/host/system_builder.hpp"

namespace {

using namespace mantissa;

const CompressedRows& rows_of(const BuiltSystem& built) {
    return std::get<CompressedRows>(built.system().matrix());
}
double at(const CompressedRows& m, std::size_t i, std::size_t j) {
    for (std::uint64_t k = m.row_begin()[i]; k < m.row_begin()[i + 1]; ++k)
        if (m.column()[k] == j) return m.value()[k];
    return 0;
}

/// Random rows over `n` variables of which every fifth is locked, given to a builder and kept.
struct Random {
    struct Row {
        std::vector<std::pair<std::size_t, double>> terms;
        std::vector<double> right;
        double scaling = 1;
    };
    std::size_t n, systems;
    std::vector<Row> rows;
    std::vector<std::vector<double>> value;

    Random(std::size_t variables, std::size_t count, std::size_t s, unsigned seed) : n(variables), systems(s) {
        std::mt19937 random(seed);
        std::uniform_real_distribution<double> number(-1, 1);
        for (std::size_t k = 0; k < s; ++k) {
            value.emplace_back();
            for (std::size_t i = 0; i < n; ++i) value.back().push_back(number(random));
        }
        for (std::size_t k = 0; k < count; ++k) {
            Row row;
            for (std::size_t t = 0; t < 1 + random() % 5; ++t) row.terms.emplace_back(random() % n, number(random));
            row.terms.emplace_back(k % n, 1.5); // each variable is somewhere
            for (std::size_t q = 0; q < s; ++q) row.right.push_back(number(random));
            row.scaling = 1 + number(random) / 2;
            rows.push_back(row);
        }
    }
    [[nodiscard]] static bool locked(std::size_t i) { return i % 5 == 3; }

    [[nodiscard]] BuiltSystem built(const BuilderOptions& options) const {
        SystemBuilder b(options);
        for (std::size_t i = 0; i < n; ++i) {
            for (std::size_t q = 0; q < systems; ++q) b.set(i, value[q][i], q);
            if (locked(i)) b.lock(i);
        }
        b.begin_matrix();
        for (const Row& row : rows) {
            b.begin_row();
            for (const auto& [i, a] : row.terms) b.coefficient(i, a);
            for (std::size_t q = 0; q < systems; ++q) b.right_hand_side(row.right[q], q);
            b.row_scaling(row.scaling);
            b.end_row();
        }
        return b.build();
    }
};

TEST(Builder, NormalEquationsAreThoseOfDenseSums) {
    for (const bool normalize : {false, true}) {
        const Random r(23, 80, 3, 7);
        const BuiltSystem built = r.built({.variables = r.n, .systems = 3, .normalize_rows = normalize});
        const CompressedRows& m = rows_of(built);
        std::vector<std::size_t> free;
        for (std::size_t i = 0; i < r.n; ++i)
            if (!Random::locked(i)) free.push_back(i);
        ASSERT_EQ(m.rows(), free.size());
        // The bound, with u = 2^-53 and A_ki the sum of |terms| of variable i in row k. A coefficient of at most six
        // terms is a sum (5 u) times a scale (1 u). A scale that normalises carries 7 u: a sum of six squares, at most
        // 3 + 5 u, its root, half of that and 1 u, and two divisions, 2 u. So a coefficient carries c u with c = 6
        // or 13. An entry is a sum over the m rows that hold both: each product carries 2 c + 1 u, the sum m - 1 u, all
        // of it relative to the sum of |products|. Here that is below 90 u = 1e-14 everywhere. In front of the
        // right-hand side stands a sum of at most seven such terms, 8 u more. The reference, in long double, adds m
        // 2^-64.
        const double u = 0x1p-53, c = normalize ? 13 : 6;
        double most = 0;
        for (std::size_t i = 0; i < free.size(); ++i) {
            std::vector<long double> row(r.n, 0), sums(r.n, 0), right(3, 0), right_sums(3, 0);
            std::vector<double> meet(r.n, 0);
            for (const Random::Row& k : r.rows) {
                std::vector<long double> a(r.n, 0), size(r.n, 0);
                for (const auto& [j, v] : k.terms) {
                    a[j] += v;
                    size[j] += std::abs(v);
                }
                if (size[free[i]] == 0) continue;
                long double squares = 0;
                for (const long double x : a) squares += x * x;
                const long double scale = normalize ? k.scaling / std::sqrt(squares) : k.scaling;
                for (std::size_t j = 0; j < r.n; ++j) {
                    row[j] += scale * a[free[i]] * scale * a[j];
                    sums[j] += scale * size[free[i]] * scale * size[j];
                    meet[j] += size[j] != 0 ? 1 : 0;
                }
                for (std::size_t q = 0; q < 3; ++q) {
                    long double rest = -k.right[q], rest_size = std::abs(k.right[q]);
                    for (std::size_t j = 0; j < r.n; ++j)
                        if (Random::locked(j)) {
                            rest += a[j] * r.value[q][j];
                            rest_size += size[j] * std::abs(r.value[q][j]);
                        }
                    right[q] -= scale * a[free[i]] * scale * rest;
                    right_sums[q] += scale * size[free[i]] * scale * rest_size;
                }
            }
            for (std::size_t j = 0; j < free.size(); ++j) {
                const double share = (meet[free[j]] + 2 * c) * u;
                most = std::max(most, share);
                EXPECT_LE(std::abs(row[free[j]] - at(m, i, j)), share * sums[free[j]]) << i << ", " << j;
                EXPECT_EQ(at(m, i, j), at(m, j, i)) << "not symmetric to the bit";
            }
            for (std::size_t q = 0; q < 3; ++q)
                EXPECT_LE(std::abs(right[q] - built.b(q)[i]), (meet[free[i]] + 2 * c + 8) * u * right_sums[q]);
        }
        EXPECT_LT(most, 1e-14);
    }
}

TEST(Builder, ThreadsChangeNoBit) {
    // Enough entries that the rows are split.
    const Random r(3000, 60000, 2, 11);
    const BuiltSystem one = r.built({.variables = r.n, .systems = 2, .threads = 1});
    const BuiltSystem four = r.built({.variables = r.n, .systems = 2, .threads = 4});
    EXPECT_EQ(rows_of(one), rows_of(four));
    EXPECT_EQ(one.b(1), four.b(1));
}

TEST(Builder, SquareSystemWithLockedVariables) {
    // -1 2 -1 with both ends held at 1 and 4: a straight line.
    SystemBuilder b({.variables = 7, .systems = 1, .least_squares = false});
    b.set(0, 1);
    b.lock(0);
    b.set(6, 4);
    b.lock(6);
    b.begin_matrix();
    for (std::size_t i = 1; i < 6; ++i) {
        b.begin_row();
        b.coefficient(i - 1, -1);
        b.coefficient(i, 2);
        b.coefficient(i + 1, -1);
        b.end_row();
    }
    const BuiltSystem built = b.build();
    EXPECT_EQ(built.b(), (std::vector<double>{1, 0, 0, 0, 4}));
    const std::vector<double> all = built.values(std::vector<double>{1.5, 2, 2.5, 3, 3.5});
    EXPECT_EQ(all, (std::vector<double>{1, 1.5, 2, 2.5, 3, 3.5, 4}));
}

TEST(Builder, DirectAssemblyEqualsRows) {
    SystemBuilder b({.variables = 3, .systems = 2});
    b.set(2, 2, 0);
    b.set(2, -1, 1);
    b.lock(2);
    b.begin_matrix();
    for (const auto& [i, j, v] : std::vector<std::tuple<std::size_t, std::size_t, double>>{
             {0, 0, 3}, {1, 1, 3}, {0, 1, -1}, {1, 0, -1}, {0, 1, 0.5}, {1, 0, 0.5}, {1, 2, -1}, {2, 1, -1}, {2, 2, 9}})
        b.add(i, j, v);
    b.add_right_hand_side(0, 5, 0);
    b.add_right_hand_side(2, 7, 1); // locked: left out
    const BuiltSystem built = b.build();
    EXPECT_EQ(rows_of(built).value(), (std::vector<double>{3, -0.5, -0.5, 3}));
    EXPECT_EQ(built.b(0), (std::vector<double>{5, 2}));
    EXPECT_EQ(built.b(1), (std::vector<double>{0, -1}));
}

TEST(Builder, SmallEntriesAreDroppedInPairs) {
    SystemBuilder b({.variables = 2, .systems = 1, .least_squares = true, .normalize_rows = false, .drop = 1e-6});
    b.begin_matrix();
    for (const double a : {1e-8, 0.0}) {
        b.begin_row();
        b.coefficient(0, 1);
        b.coefficient(1, a);
        b.end_row();
    }
    b.begin_row();
    b.coefficient(1, 1);
    b.end_row();
    EXPECT_EQ(rows_of(b.build()).nonzeros(), 2U);
}

TEST(Builder, CallsOutOfOrderAreRefused) {
    const auto refused = [](const char* part, const auto& calls) {
        SystemBuilder b({.variables = 2});
        expect_invalid([&] { calls(b); }, part);
    };
    refused("begin_row() out of order", [](SystemBuilder& b) { b.begin_row(); });
    refused("coefficient() out of order", [](SystemBuilder& b) { b.begin_matrix(), b.coefficient(0, 1); });
    refused("set() out of order", [](SystemBuilder& b) { b.begin_matrix(), b.set(0, 1); });
    refused("lock() out of order", [](SystemBuilder& b) { b.begin_matrix(), b.lock(0); });
    refused("begin_row() out of order", [](SystemBuilder& b) { b.begin_matrix(), b.begin_row(), b.begin_row(); });
    refused("add() out of order", [](SystemBuilder& b) { b.begin_matrix(), b.begin_row(), b.add(0, 0, 1); });
    refused("build() out of order",
            [](SystemBuilder& b) { b.begin_matrix(), b.begin_row(), static_cast<void>(b.build()); });
    refused("build() out of order", [](SystemBuilder& b) { static_cast<void>(b.build()); });
    refused("begin_matrix() out of order", [](SystemBuilder& b) { b.begin_matrix(), b.begin_matrix(); });
    refused("variable 2 of 2", [](SystemBuilder& b) { b.set(2, 1); });
    refused("right-hand side 1 of 1", [](SystemBuilder& b) { b.set(0, 1, 1); });
    refused("finite", [](SystemBuilder& b) { b.set(0, NAN); });
    refused("finite", [](SystemBuilder& b) { b.begin_matrix(), b.begin_row(), b.coefficient(0, INFINITY); });
    refused("every variable is locked", [](SystemBuilder& b) { b.lock(0), b.lock(1), b.begin_matrix(); });
    refused("variable 1 is free and in no row", [](SystemBuilder& b) {
        b.begin_matrix(), b.begin_row(), b.coefficient(0, 1), b.end_row();
        static_cast<void>(b.build());
    });
    expect_invalid([] { SystemBuilder b({}); }, "0 variables");
    expect_invalid([] { SystemBuilder b({.variables = 1, .systems = 0}); }, "0 systems");
}

TEST(Builder, WhatIsNotSymmetricIsRefused) {
    SystemBuilder b({.variables = 2, .systems = 1, .least_squares = false});
    b.begin_matrix();
    for (std::size_t i = 0; i < 2; ++i) {
        b.begin_row();
        b.coefficient(i, 2);
        if (i == 0) b.coefficient(1, 1);
        b.end_row();
    }
    expect_invalid([&] { static_cast<void>(b.build()); }, "not symmetric: (0, 1) is 1");
    SystemBuilder few({.variables = 2, .systems = 1, .least_squares = false});
    few.begin_matrix();
    few.begin_row();
    few.coefficient(0, 1);
    few.end_row();
    expect_invalid([&] { static_cast<void>(few.build()); }, "1 rows for 2 free variables");
}

} // namespace
