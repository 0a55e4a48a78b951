// Generated matrices: symmetric, positive definite, as full as they say, and the same in every run.
#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "dense.hpp"
#include "mantissa/format.hpp"
#include "mantissa/host/point.hpp"
#include "mantissa/host/problem.hpp"

namespace {

using namespace mantissa;

const CompressedRows& rows_of(const Problem& p) {
    return std::get<CompressedRows>(p.system.matrix());
}

/// Whether Gauss' elimination without exchanges meets positive pivots alone.
bool positive_definite(Dense m) {
    for (std::size_t k = 0; k < m.size(); ++k) {
        if (!(m[k][k] > 0)) return false;
        for (std::size_t i = k + 1; i < m.size(); ++i) {
            const double f = m[i][k] / m[k][k];
            for (std::size_t j = k; f != 0 && j < m.size(); ++j) m[i][j] -= f * m[k][j];
        }
    }
    return true;
}

TEST(Generated, SymmetricPositiveDefiniteAndDeterministic) {
    for (const char* text :
         {"generated:kind=nd,n=400,seed=3", "generated:kind=band,n=450,seed=3", "generated:kind=thermal,n=430,seed=3",
          "generated:kind=elasticity,n=450,seed=3", "generated:kind=scattered,n=450,seed=3",
          "generated:kind=power,n=400,seed=3", "generated:kind=arrow,n=400,seed=3",
          "generated:kind=circuit,n=430,seed=3", "generated:kind=supply,n=431,seed=3",
          "generated:kind=circuit,order=random,n=430,seed=3"}) {
        const Problem p = make_problem(text);
        EXPECT_EQ(make_problem(p.name).name, p.name);
        EXPECT_EQ(rows_of(make_problem(text)), rows_of(p)) << text;
        std::string other = text;
        other.back() = '4';
        EXPECT_NE(rows_of(make_problem(other)), rows_of(p)) << text;
        const Dense m = dense(p.system);
        for (std::size_t i = 0; i < m.size(); ++i)
            for (std::size_t j = 0; j < i; ++j) ASSERT_EQ(m[i][j], m[j][i]) << text << ' ' << i << ' ' << j;
        EXPECT_TRUE(positive_definite(m)) << text;
        EXPECT_EQ(p.b, std::vector<double>(p.system.size(), 1.0));
    }
}

TEST(Generated, AsFullAsTheOnesTheyAreLike) {
    const auto mean = [](const char* text) {
        const Problem p = make_problem(text);
        return static_cast<double>(rows_of(p).nonzeros()) / static_cast<double>(p.system.size());
    };
    EXPECT_NEAR(mean("generated:kind=thermal,n=40000"), 7, 0.1);
    EXPECT_NEAR(mean("generated:kind=elasticity,n=24000"), 81, 12); // less at the faces
    EXPECT_NEAR(mean("generated:kind=nd,n=20000"), 399, 60);
    EXPECT_NEAR(mean("generated:kind=band,n=15000"), 200, 30);
    const Problem p = make_problem("generated:kind=band,n=15000");
    std::uint64_t longest = 0;
    for (std::size_t i = 0; i < p.system.size(); ++i)
        longest = std::max(longest, rows_of(p).row_begin()[i + 1] - rows_of(p).row_begin()[i]);
    EXPECT_GT(longest, 800u);
}

TEST(Generated, RowsOfVeryUnequalLength) {
    const auto lengths = [](const Problem& p) {
        std::vector<std::uint64_t> all;
        for (std::size_t i = 0; i < p.system.size(); ++i)
            all.push_back(rows_of(p).row_begin()[i + 1] - rows_of(p).row_begin()[i]);
        std::ranges::sort(all);
        return all;
    };
    const auto power = lengths(make_problem("generated:kind=power,n=20000"));
    // A row chooses ln(n / 8) partners in the mean, 7.8, half of the rows at most two, and is chosen as often.
    EXPECT_LT(power[power.size() / 2], 14u);
    EXPECT_GT(power.back(), 1000u);
    const Problem arrow = make_problem("generated:kind=arrow,n=3000");
    EXPECT_EQ(rows_of(arrow).nonzeros(), 5u * 3000 - 6);
    EXPECT_EQ(lengths(arrow).back(), 3000u);
}

TEST(Generated, CircuitsHaveShortRowsInEitherOrder) {
    for (const char* kind : {"circuit", "supply"}) {
        const std::string text = std::string("generated:kind=") + kind + ",n=40000";
        const Problem natural = make_problem(text), random = make_problem(text + ",order=random");
        EXPECT_EQ(random.name, text + ",seed=1,order=random");
        std::vector<std::uint64_t> lengths[2];
        double reach[2] = {};
        for (const int k : {0, 1}) {
            const CompressedRows& a = rows_of(k == 0 ? natural : random);
            for (std::size_t i = 0; i < a.rows(); ++i) {
                lengths[k].push_back(a.row_begin()[i + 1] - a.row_begin()[i]);
                reach[k] += std::abs(static_cast<double>(a.column()[a.row_begin()[i]]) - static_cast<double>(i));
            }
            std::ranges::sort(lengths[k]);
            EXPECT_NEAR(static_cast<double>(a.nonzeros()) / 40000, kind[0] == 'c' ? 4.7 : 3.5, 0.1);
        }
        EXPECT_EQ(lengths[0], lengths[1]);
        EXPECT_LE(lengths[0].back(), kind[0] == 'c' ? 10u : 4u);
        EXPECT_GT(reach[1], 2 * reach[0]);
    }
}

TEST(Generated, NamesSayWhatWasMade) {
    EXPECT_EQ(make_problem("generated:kind=thermal,n=100").name, "generated:kind=thermal,n=100,seed=1");
    // 150 nodes are 5 x 5 x 6.
    EXPECT_EQ(make_problem("generated:kind=elasticity,n=452").name, "generated:kind=elasticity,n=450,seed=1");
    EXPECT_EQ(outline_problem("generated:kind=nd,n=72000").unknowns, 72000);
}

TEST(Generated, RefusesWhatIsAbsurd) {
    for (const char* text : {"generated:kind=nd,n=99", "generated:kind=nd,n=1000000000000", "generated:kind=sun,n=1000",
                             "generated:n=1000", "generated:kind=nd", "generated:kind=nd,n=1000,level=3",
                             "generated:kind=circuit,n=1000,order=poor"})
        EXPECT_THROW(static_cast<void>(make_problem(text)), InvalidInput) << text;
}

} // namespace
