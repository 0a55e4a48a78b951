#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "dense.hpp"
#include "expect_invalid.hpp"
#include "mantissa/host/problem.hpp"
#include "mantissa/host/residual.hpp"

namespace {

using namespace mantissa;

TEST(Poisson2d, StencilAndRightHandSideOfThePaper) {
    const Problem p = make_problem("poisson2d:level=3");
    EXPECT_EQ(p.name, "poisson2d:level=3");
    EXPECT_EQ(p.system.size(), 81u);
    for (std::size_t b = 0; b < 9; ++b)
        EXPECT_EQ(std::get<Stencil>(p.system.matrix()).coefficients()[b], b == 4 ? 8.0 / 3 : -1.0 / 3);
    for (std::size_t i = 0; i < 81; ++i) {
        const double x = static_cast<double>(i % 9) / 8, y = static_cast<double>(i / 9) / 8;
        EXPECT_EQ(p.b[i], p.system.on_edge(i) ? 0.0 : 2 * (x * (1 - x) + y * (1 - y)) / 64) << i;
        EXPECT_EQ(p.exact(i), x * (1 - x) * y * (1 - y)) << i;
    }
}

/// Element matrices of -u_xx - a u_yy for bilinear functions on a square, by 2x2 Gauss quadrature (exact here).
Dense assembled_laplace(std::size_t cells, double a) {
    const std::size_t n = cells + 1;
    Dense m(n * n, std::vector<double>(n * n, 0.0));
    const double g[2] = {0.5 - 0.5 / std::sqrt(3.0), 0.5 + 0.5 / std::sqrt(3.0)};
    for (std::size_t j = 0; j < cells; ++j)
        for (std::size_t i = 0; i < cells; ++i) {
            const std::size_t node[4] = {j * n + i, j * n + i + 1, (j + 1) * n + i, (j + 1) * n + i + 1};
            for (const double s : g)
                for (const double t : g) {
                    const double dx[4] = {-(1 - t), 1 - t, -t, t}, dy[4] = {-(1 - s), -s, 1 - s, s};
                    for (int k = 0; k < 4; ++k)
                        for (int l = 0; l < 4; ++l) m[node[k]][node[l]] += (dx[k] * dx[l] + a * dy[k] * dy[l]) / 4;
                }
        }
    return m;
}

TEST(Poisson2d, AnisotropicStencilIsTheBilinearElementOne) {
    for (const char* text :
         {"poisson2d:level=2", "poisson2d:level=2,anisotropy=10", "poisson2d:level=2,anisotropy=0.125"}) {
        const Problem p = make_problem(text);
        EXPECT_EQ(p.name, text);
        const double a = p.name.find("=10") != std::string::npos     ? 10
                         : p.name.find("0.125") != std::string::npos ? 0.125
                                                                     : 1;
        const Dense expected = assembled_laplace(4, a), got = dense(p.system);
        for (std::size_t i = 0; i < p.system.size(); ++i)
            for (std::size_t j = 0; j < p.system.size(); ++j)
                EXPECT_NEAR(got[i][j], p.system.on_edge(i) ? 0.0 : expected[i][j], 1e-13)
                    << text << ' ' << i << ' ' << j;
    }
}

TEST(Poisson2d, DiscreteDefectOfTheExactSolutionIsOfFourthOrder) {
    // The scheme is consistent: h^2 times a truncation error of order h^2, anisotropic or not.
    for (const char* a : {"1", "4"}) {
        double last = 0;
        for (int level = 3; level <= 6; ++level) {
            const Problem p = make_problem("poisson2d:level=" + std::to_string(level) + ",anisotropy=" + a);
            std::vector<double> u(p.system.size()), d(p.system.size());
            for (std::size_t i = 0; i < u.size(); ++i) u[i] = p.exact(i);
            defect(p.system, u, p.b, d, 1);
            double largest = 0;
            for (const double x : d) largest = std::max(largest, std::abs(x));
            if (level > 3) {
                EXPECT_NEAR(last / largest, 16.0, 1.5) << level;
            }
            last = largest;
        }
    }
}

TEST(Diffusion2d, ConstantCoefficientIsPoisson) {
    const Dense constant = dense(make_problem("diffusion2d:level=3,field=checker,contrast=1").system);
    const Problem poisson = make_problem("poisson2d:level=3");
    const Dense expected = dense(poisson.system);
    for (std::size_t i = 0; i < 81; ++i)
        for (std::size_t j = 0; j < 81; ++j)
            EXPECT_NEAR(constant[i][j], poisson.system.on_edge(j) ? 0.0 : expected[i][j], 1e-15);
}

TEST(Diffusion2d, SymmetricPositiveAndReallyVarying) {
    for (const char* field : {"smooth", "jump", "checker"}) {
        const Problem p = make_problem(std::string("diffusion2d:level=4,field=") + field);
        const Dense a = dense(p.system);
        std::size_t distinct = 0;
        double low = INFINITY, high = 0;
        for (std::size_t i = 0; i < a.size(); ++i) {
            double off = 0;
            for (std::size_t j = 0; j < a.size(); ++j) {
                EXPECT_EQ(a[i][j], a[j][i]) << field << ' ' << i << ' ' << j;
                if (i != j) off += std::abs(a[i][j]);
            }
            const bool edge = i % 17 == 0 || i % 17 == 16 || i < 17 || i >= 17 * 16;
            EXPECT_EQ(a[i][i] == 0, edge);
            EXPECT_EQ(p.b[i], edge ? 0.0 : 1.0 / 256);
            EXPECT_LE(off, a[i][i] * (1 + 1e-14)); // non-positive couplings, so weakly diagonally dominant
            if (!edge) {
                low = std::min(low, a[i][i]);
                high = std::max(high, a[i][i]);
                distinct += a[i][i] != a[1 * 17 + 1][1 * 17 + 1];
            }
        }
        EXPECT_GT(distinct, 10u) << field;
        EXPECT_GT(high / low, 3.0) << field;
        EXPECT_LE(high / low, 100.0 * (1 + 1e-12)) << field;
    }
}

TEST(Diffusion2d, SeedsMakeDifferentFieldsAndAreInTheName) {
    const Problem one = make_problem("diffusion2d:level=4,field=jump,seed=1");
    const Problem same = make_problem("diffusion2d:level=4,field=jump");
    const Problem two = make_problem("diffusion2d:level=4,field=jump,seed=2");
    EXPECT_EQ(one.name, "diffusion2d:level=4,field=jump,contrast=100,seed=1");
    EXPECT_EQ(one.name, same.name);
    EXPECT_EQ(std::get<Bands>(one.system.matrix()).band(4), std::get<Bands>(same.system.matrix()).band(4));
    EXPECT_NE(std::get<Bands>(one.system.matrix()).band(4), std::get<Bands>(two.system.matrix()).band(4));
}

TEST(Poisson3d, SevenPointAndItsSolution) {
    const Problem p = make_problem("poisson3d:level=3");
    EXPECT_EQ(p.system.size(), 343u);
    const Dense a = dense(p.system);
    for (std::size_t i = 0; i < 343; ++i)
        for (std::size_t j = 0; j < 343; ++j) {
            const int distance = std::abs(int(i % 7) - int(j % 7)) + std::abs(int(i / 7 % 7) - int(j / 7 % 7)) +
                                 std::abs(int(i / 49) - int(j / 49));
            EXPECT_EQ(a[i][j], distance == 0 ? 6.0 : distance == 1 ? -1.0 : 0.0);
        }
    // Second differences of x(1-x) are exact, so the continuous solution solves the discrete system.
    std::vector<double> u(343), d(343);
    for (std::size_t i = 0; i < 343; ++i) u[i] = p.exact(i);
    defect(p.system, u, p.b, d, 1);
    EXPECT_LT(norm2(d, 1), 1e-14 * norm2(p.b, 1));
}

TEST(MatrixProblem, FileRightHandSidesAndBands) {
    const std::filesystem::path folder = std::filesystem::temp_directory_path() / "mantissa_test_problem";
    std::filesystem::create_directories(folder);
    const std::string matrix = (folder / "a,b.mtx").string(), vector = (folder / "b.txt").string();
    std::ofstream(matrix) << "%%MatrixMarket matrix coordinate real symmetric\n2 2 3\n1 1 2\n2 1 -1\n2 2 2\n";
    std::ofstream(vector) << "3 4\n";
    EXPECT_EQ(make_problem("mtx:" + matrix).b, (std::vector<double>{1, 1}));
    EXPECT_EQ(make_problem("mtx:" + matrix + ",rhs=file:" + vector).b, (std::vector<double>{3, 4}));
    const Problem random = make_problem("mtx:" + matrix + ",rhs=random,seed=5");
    EXPECT_EQ(random.name, "mtx:" + matrix + ",rhs=random,seed=5");
    EXPECT_EQ(random.b, make_problem(random.name).b);
    EXPECT_NE(random.b, make_problem("mtx:" + matrix + ",rhs=random,seed=6").b);
    for (const double x : random.b) EXPECT_TRUE(x >= -1 && x < 1);
    EXPECT_EQ(random.system.kind(), System::Kind::sparse);
    std::filesystem::remove_all(folder);
    expect_invalid([&] { make_problem("mtx:" + matrix); }, matrix + ": cannot open: No such file");
    expect_invalid([&] { make_problem("mtx:" + folder.parent_path().string()); }, "cannot read: Is a directory");
    expect_invalid([&] { make_problem("mtx:x.mtx,rhs=two"); }, "rhs=two must be ones, random or file:PATH");
    expect_invalid([&] { make_problem("mtx:"); }, "no file");
}

TEST(ProblemText, FaultsNameTheTextAndTheMend) {
    expect_invalid([] { make_problem("laplace:level=3"); },
                   "problem 'laplace:level=3': no kind 'laplace'; write poisson2d");
    expect_invalid([] { make_problem(""); }, "no kind ''");
    expect_invalid([] { make_problem("data/bcsstk17.mtx"); },
                   "problem 'data/bcsstk17.mtx': a file's name alone; write mtx: in front of it");
    expect_invalid([] { make_problem("poisson2d"); }, "level= is missing: give a whole number in 1..14");
    expect_invalid([] { make_problem("poisson2d:level=15"); }, "level=15 must be a whole number in 1..14");
    expect_invalid([] { make_problem("poisson2d:level=8x"); }, "level=8x must be");
    expect_invalid([] { make_problem("poisson2d:level=99999999999999999999999"); }, "must be a whole number in 1..14");
    expect_invalid([] { make_problem("poisson2d:level=3,anisotropy=-1"); },
                   "anisotropy=-1 must be a finite number above zero");
    expect_invalid([] { make_problem("poisson2d:level=3,anisotropy=nan"); }, "anisotropy=nan must be a finite number");
    expect_invalid([] { make_problem("poisson2d:level=3,level=4"); }, "level= is given twice");
    expect_invalid([] { make_problem("poisson2d:level=3,colour=4"); },
                   "no option 'colour'; the keys are level, anisotropy, rhs and seed");
    expect_invalid([] { make_problem("poisson2d:level"); }, "'level' is not KEY=VALUE");
    expect_invalid([] { make_problem("poisson2d:level=3,"); }, "'poisson2d:level=3,': a comma at its end");
    expect_invalid([] { make_problem("diffusion2d:level=3,field=wavy"); },
                   "field=wavy must be smooth, jump or checker");
}

} // namespace
