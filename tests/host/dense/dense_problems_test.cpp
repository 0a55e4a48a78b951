// The matrices of dense problems: made, and read from files.
#include <cmath>
#include <numbers>
#include <string>

#include <gtest/gtest.h>

#include "dense/bubbles.hpp"
#include "dense/matrix_file.hpp"
#include "mantissa/errors.hpp"
#include "mantissa/host/dense.hpp"

namespace mantissa {
namespace {

using dense::BubbleCell;
using dense::Vector2;

double growth(const std::string& problem, const std::string& spec) {
    return factor(parse_lu_spec(spec), make_dense_problem(problem).a, 1).growth;
}

TEST(DenseProblems, WilkinsonsGrowsAsItsNameSays) {
    EXPECT_EQ(growth("n=20,kind=wilkinson", "lu:double"), 0x1p19);
    EXPECT_LE(growth("n=20,kind=wilkinson", "lu:double,pivot=full"), 4);
}

TEST(DenseProblems, HilbertAndKahanAreAsDefined) {
    const DenseMatrix h = make_dense_problem("n=5,kind=hilbert").a;
    EXPECT_EQ(h(0, 0), 1);
    EXPECT_EQ(h(3, 4), 1.0 / 8);
    const DenseMatrix k = make_dense_problem("n=5,kind=kahan").a;
    EXPECT_EQ(k(3, 1), 0);
    EXPECT_DOUBLE_EQ(k(3, 3), std::pow(std::sin(1.2), 3));
    EXPECT_DOUBLE_EQ(k(3, 4), -std::cos(1.2) * std::pow(std::sin(1.2), 3));
}

/// One bubble alone: the potential is -radius (v.n) exactly, and the cell's drift phi v.
TEST(Bubbles, OneBubbleIsSolvedExactly) {
    const double phi = 0.05;
    const BubbleCell cell = dense::place_bubbles(1, 48, phi, 3);
    EXPECT_NEAR(std::numbers::pi * cell.radius * cell.radius, phi, 1e-15);
    const Vector2 v{0.6, -0.3};
    for (const bool own : {true, false}) {
        const auto f = factor(parse_lu_spec("lu:double"), dense::bubble_matrix(cell, own), 1);
        const auto q = substitute(f, dense::bubble_right_hand_side(cell, std::vector{v}));
        for (std::size_t i = 0; i < cell.size(); ++i) {
            const Vector2 n = cell.normal(i);
            EXPECT_NEAR(q[i], -cell.radius * (v[0] * n[0] + v[1] * n[1]), 1e-15);
        }
        const Vector2 u = dense::bubble_drift(cell, q);
        EXPECT_NEAR(u[0], phi * v[0], 1e-15);
        EXPECT_NEAR(u[1], phi * v[1], 1e-15);
    }
}

/// Many bubbles with one velocity: u = phi v up to terms of phi^2. The constants that a circle's own part adds to its
/// potential move no fluid, so both matrices give one drift.
TEST(Bubbles, ADiluteCellDriftsAsItsFraction) {
    for (const double phi : {0.001, 0.01}) {
        const BubbleCell cell = dense::place_bubbles(8, 32, phi, 1);
        const std::vector<Vector2> v(8, Vector2{1, 0});
        const auto b = dense::bubble_right_hand_side(cell, v);
        Vector2 drift[2];
        for (const bool own : {true, false})
            drift[own ? 1 : 0] = dense::bubble_drift(
                cell, substitute(factor(parse_lu_spec("lu:double"), dense::bubble_matrix(cell, own), 1), b));
        EXPECT_NEAR(drift[1][0], drift[0][0], 1e-12 * phi);
        EXPECT_LT(std::hypot(drift[1][0] - phi, drift[1][1]), 8 * phi * phi);
        EXPECT_GT(std::hypot(drift[1][0] - phi, drift[1][1]), 0); // bubbles do feel each other
    }
}

TEST(Bubbles, AreApartAndInsideAndTheirRowsDominateWhenDilute) {
    const BubbleCell cell = dense::place_bubbles(32, 8, 0.002, 7);
    ASSERT_EQ(cell.centres.size(), 32U);
    for (std::size_t i = 0; i < 32; ++i) {
        const Vector2& x = cell.centres[i];
        EXPECT_GE(std::min({x[0], x[1], 1 - x[0], 1 - x[1]}), cell.radius);
        for (std::size_t j = 0; j < i; ++j)
            EXPECT_GE(std::hypot(x[0] - cell.centres[j][0], x[1] - cell.centres[j][1]), 4 * cell.radius);
    }
    const DenseMatrix a = dense::bubble_matrix(cell, false);
    for (std::size_t i = 0; i < a.size(); ++i) {
        double off = -std::fabs(a(i, i));
        for (const double x : a.row(i)) off += std::fabs(x);
        EXPECT_GT(std::fabs(a(i, i)), off);
    }
    EXPECT_LE(growth("n=256,kind=bubbles,points=16,phi=0.1", "lu:double,pivot=none"), 1.5);
    EXPECT_THROW((void)dense::place_bubbles(16, 8, 0.31, 1), InvalidInput);
}

constexpr const char* kBanner = "%%MatrixMarket matrix ";

TEST(DenseFiles, ArraysLieByColumns) {
    const DenseMatrix a =
        dense::parse_dense_matrix(std::string(kBanner) + "array real general\n% words\n2 2\n1\n2\n-3\n4e0\n", "x", 9);
    EXPECT_EQ(a, DenseMatrix(2, {1, -3, 2, 4}));
    const DenseMatrix s =
        dense::parse_dense_matrix(std::string(kBanner) + "array integer symmetric\n3 3\n1\n2\n3\n4\n5\n6\n", "x", 9);
    EXPECT_EQ(s, DenseMatrix(3, {1, 2, 3, 2, 4, 5, 3, 5, 6}));
    for (const char* text : {"array real skew-symmetric\n3 3\n1\n2\n3\n",
                             "coordinate real skew-symmetric\n3 3 3\n2 1 1\n3 1 2\n3 2 3\n"}) {
        const DenseMatrix skew = dense::parse_dense_matrix(std::string(kBanner) + text, "x", 9);
        EXPECT_EQ(skew(2, 1), 3) << text;
        EXPECT_EQ(skew(1, 2), -3) << text;
        EXPECT_EQ(skew(0, 2), -2) << text;
        EXPECT_EQ(skew(1, 1), 0) << text;
    }
}

TEST(DenseFiles, CoordinatesNeedNeitherSymmetryNorADiagonal) {
    const DenseMatrix a = dense::parse_dense_matrix(
        std::string(kBanner) + "coordinate real general\n2 2 3\n1 2 5\n2 1 -7\n1 2 0.5\n", "x", 9);
    EXPECT_EQ(a, DenseMatrix(2, {0, 5.5, -7, 0}));
}

TEST(DenseFiles, OneTriangleOfASymmetricFileIsMirrored) {
    for (const char* text :
         {"coordinate real symmetric\n2 2 2\n1 1 1\n2 1 -7\n", "coordinate real symmetric\n2 2 2\n1 2 -7\n1 1 1\n",
          "coordinate real symmetric\r2 2 2\r1 1 1\r2 1 -7"})
        EXPECT_EQ(dense::parse_dense_matrix(std::string(kBanner) + text, "x", 9), DenseMatrix(2, {1, -7, -7, 0}));
}

TEST(DenseFiles, AreRefusedWithALine) {
    struct Case {
        const char *text, *said;
    };
    for (const auto& [text, said] : {
             Case{"array real general\n2 3\n1\n2\n3\n4\n5\n6\n", "x:2: 2 rows and 3 columns"},
             Case{"array real general\n2 2\n1\n2\n3\n", "too short"},
             Case{"array real general\n2 2\n1000000\n2\n3\n", "x:6: the file ends in column 2"},
             Case{"array real general\n2 2\n1\n2\n3\n4\n5\n", "x:7: text after the last of 4"},
             Case{"array real general\n2 2\n1\nnan\n3\n4\n", "x:4: the value"},
             Case{"array real general\n2 2\n1\ninf\n3\n4\n", "x:4: the value"},
             Case{"array integer general\n1 1\n1.5\n", "x:3: a fraction"},
             Case{"array real general\n0 0\n", "x:2: 0 rows: there is nothing to solve"},
             Case{"array real general\n10 10\n", "10 rows; a dense matrix has 9 at most"},
             Case{"array real general\n18446744073709551615 18446744073709551615\n", "at most here"},
             Case{"array complex general\n1 1\n1 0\n", "complex"},
             Case{"array pattern general\n1 1\n1\n", "pattern"},
             Case{"coordinate real general\n2 2 1\n3 1 4\n", "x:3: entry (3, 1)"},
             Case{"coordinate real symmetric\n2 2 2\n2 1 4\n1 2 4\n", "x:4: entry (1, 2) lies above"},
             Case{"coordinate real symmetric\n2 2 3\n1 1 1\n1 2 4\n2 1 5\n", "x:4: entry (1, 2) lies above"},
             Case{"coordinate real symmetric\n3 3 3\n3 1 4\n2 3 4\n1 1 2\n", "x:4: entry (2, 3) lies above"},
         }) {
        try {
            (void)dense::parse_dense_matrix(std::string(kBanner) + text, "x", 9);
            ADD_FAILURE() << text << " was taken";
        } catch (const InvalidInput& e) {
            EXPECT_NE(std::string(e.what()).find(said), std::string::npos) << e.what();
        }
    }
}

} // namespace
} // namespace mantissa
