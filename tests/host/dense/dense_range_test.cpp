// Dense systems at the ends of the range of double precision, singular ones, and what short factors fail at.
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "mantissa/host/dense.hpp"

namespace mantissa {
namespace {

DenseMatrix matrix(const std::vector<std::vector<double>>& rows) {
    DenseMatrix a(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i)
        for (std::size_t j = 0; j < rows.size(); ++j) a(i, j) = rows[i][j];
    return a;
}

DenseResult solved(const std::vector<std::vector<double>>& rows, const std::vector<double>& b, const char* lu) {
    DenseOptions o;
    o.spec = parse_lu_spec(lu);
    const DenseProblem problem{"test", matrix(rows), b, 0};
    return solve_dense(problem, o);
}

constexpr const char* kShort = "lu:half,acc=fixed[15:-34],scale=top";

// Entries times 2^e and right-hand sides times 2^f leave the solution times 2^(f - e), with the same verdict.
TEST(DenseRange, PowersOfTwoChangeNothing) {
    const std::vector<std::vector<double>> a = {{3, 1, -1}, {1, -2, 0.5}, {0.25, 1, 4}};
    const std::vector<double> b = {1, 2, 3};
    for (const char* lu : {kShort, "lu:s23e8", "lu:double"}) {
        const DenseResult plain = solved(a, b, lu);
        ASSERT_EQ(plain.status, DenseStatus::converged);
        for (const auto& [e, f] : {std::pair{1020, 1000}, {-1060, -1000}, {1000, 0}, {-1000, -300}, {-900, 100}}) {
            std::vector<std::vector<double>> scaled = a;
            std::vector<double> right = b;
            for (auto& row : scaled)
                for (double& x : row) x = std::ldexp(x, e);
            for (double& x : right) x = std::ldexp(x, f);
            const DenseResult r = solved(scaled, right, lu);
            ASSERT_EQ(r.status, DenseStatus::converged) << lu << ' ' << e << ' ' << f;
            for (std::size_t i = 0; i < 3; ++i)
                EXPECT_NEAR(std::ldexp(r.x[i], e - f) / plain.x[i], 1, 1e-14) << lu << ' ' << e << ' ' << f;
        }
    }
}

TEST(DenseRange, SolutionsBeyondDoubleAreSaidToBeSo) {
    for (const double small : {1e-300, 1e-200, 1e-310}) {
        const DenseResult r = solved({{small, 0}, {0, 1}}, {1e200, 1}, "lu:double");
        EXPECT_EQ(r.status, DenseStatus::out_of_range) << small;
        EXPECT_TRUE(r.x.empty());
    }
    const DenseResult tiny = solved({{1e300, 0}, {0, 1e300}}, {1e-20, 1e-21}, "lu:double");
    EXPECT_NE(tiny.status, DenseStatus::converged); // digits are lost below 2^-1022
    EXPECT_TRUE(tiny.rounded_away);
}

TEST(DenseRange, SingularIsTheMatrixOrTheFormat) {
    for (const auto& rows :
         {std::vector<std::vector<double>>{{1, 2}, {2, 4}}, {{0, 0}, {0, 1}}, {{1e300, 1e300}, {1e-300, 1e-300}}}) {
        const DenseResult r = solved(rows, {1, 1}, "lu:double");
        EXPECT_EQ(r.status, DenseStatus::failed);
        EXPECT_EQ(r.end, LuEnd::singular);
        EXPECT_TRUE(r.singular);
    }
    // Regular by the last bit of double, singular in eleven bits.
    for (const double e : {0x1p-52, 0x1p-30, 0x1p-20}) {
        const DenseResult r = solved({{1, 1}, {1, 1 + e}}, {1, 1}, "lu:s10e5,acc=fixed[15:-34]");
        EXPECT_EQ(r.end, LuEnd::singular) << e;
        EXPECT_TRUE(r.examined);
        EXPECT_FALSE(r.singular) << e;
        EXPECT_EQ(solved({{1, 1}, {1, 1 + e}}, {1, 1}, "lu:double").status, DenseStatus::converged) << e;
    }
}

// D A D with A of condition 9, and D over 60 and 400 powers of two. Rows scaled for themselves, then columns, would be
// a matrix that no short factors hold.
TEST(DenseRange, ASymmetricMatrixIsScaledOnBothSidesAlike) {
    constexpr std::size_t kSize = 24;
    for (const int powers : {60, 400}) {
        std::vector<std::vector<double>> a(kSize, std::vector<double>(kSize, 0.0));
        const auto d = [&](std::size_t i) { return static_cast<int>(i) * powers / static_cast<int>(kSize); };
        for (std::size_t i = 0; i < kSize; ++i) {
            a[i][i] = std::ldexp(2.5, 2 * d(i));
            if (i > 0) a[i][i - 1] = a[i - 1][i] = std::ldexp(-1, d(i) + d(i - 1));
        }
        std::vector<double> b(kSize); // of D^-1 times ones
        for (std::size_t i = 0; i < kSize; ++i)
            b[i] = std::ldexp(2.5 - (i > 0 ? 1 : 0) - (i + 1 < kSize ? 1 : 0), d(i));
        for (const char* lu : {kShort, "lu:s23e8"}) {
            const DenseResult r = solved(a, b, lu);
            ASSERT_EQ(r.status, DenseStatus::converged) << lu << ' ' << powers;
            EXPECT_LT(r.condition, 100) << lu << ' ' << powers;
            // (9 times n u and some: the balanced system is solved to that.)
            for (std::size_t i = 0; i < kSize; ++i)
                EXPECT_NEAR(std::ldexp(r.x[i], d(i)), 1, 1e-13) << lu << ' ' << powers << ' ' << i;
        }
    }
}

TEST(DenseRange, TheTopIsWithinTheFormats) {
    EXPECT_EQ(top_exponent(parse_lu_spec("lu:half,scale=top"), 1), 15 - 2);
    EXPECT_EQ(top_exponent(parse_lu_spec("lu:half,acc=fixed[9:-30],scale=top"), 8), 8 - 2 - 2);
    EXPECT_EQ(top_exponent(parse_lu_spec("lu:double,scale=top"), 100), 64);
    EXPECT_EQ(to_string(parse_lu_spec("lu:half,acc=fixed[15:-34],scale=top")), to_string(parse_lu_spec(kShort)));
}

} // namespace
} // namespace mantissa
