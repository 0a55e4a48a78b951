// The multilevel preconditioner and CG with it, on systems of maps: what the levels are, that the preconditioner is
// symmetric, that the solution is the right one, in far fewer iterations than Jacobi's, with the same bits for any
// number of threads; refusals.
#include <cmath>
#include <complex>
#include <random>
#include <variant>

#include <gtest/gtest.h>

#include "expect_invalid.hpp"
#include "mantissa/host/mesh.hpp"
#include "mantissa/host/mesh_systems.hpp"
#include "mantissa/sparse/jacobi_pcg.hpp"
#include "mantissa/sparse/multilevel.hpp"

namespace mantissa {
namespace {

using Complex = std::complex<double>;
using Vector = std::vector<Complex>;

struct Map {
    TriangleMesh mesh;
    LscmSystem system;
    std::vector<Point3> points; ///< of the pairs of unknowns

    explicit Map(TriangleMesh made, LscmWeight weight = LscmWeight::area)
        : mesh(std::move(made)), system(make_lscm(mesh, {.weight = weight})) {
        for (std::size_t k = 0; k < b().size(); k += 2) points.push_back(mesh.points[system.built.free()[k] / 2]);
    }
    [[nodiscard]] const CompressedRows& a() const { return std::get<CompressedRows>(system.built.system().matrix()); }
    [[nodiscard]] const std::vector<double>& b() const { return system.built.b(); }
};

Vector random_vector(std::size_t n, unsigned seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> unit(-1, 1);
    Vector v(n);
    for (Complex& x : v) x = {unit(random), unit(random)};
    return v;
}
Vector times(const ComplexBlocks& a, const Vector& x) {
    Vector y(a.block_rows());
    for (std::size_t i = 0; i < y.size(); ++i)
        for (std::uint32_t k = a.row_begin[i]; k < a.row_begin[i + 1]; ++k)
            y[i] += Complex(a.value[2 * std::size_t{k}], a.value[2 * std::size_t{k} + 1]) * x[a.column[k]];
    return y;
}
Vector times(const RealRows& a, const Vector& x) {
    Vector y(a.rows);
    for (std::size_t i = 0; i < y.size(); ++i)
        for (std::uint32_t k = a.begin[i]; k < a.begin[i + 1]; ++k) y[i] += a.value[k] * x[a.column[k]];
    return y;
}
Complex product(const Vector& x, const Vector& y) {
    Complex s;
    for (std::size_t i = 0; i < x.size(); ++i) s += std::conj(x[i]) * y[i];
    return s;
}

TEST(Multilevel, LevelsAreProjectionsOfTheFirst) {
    const Map map(make_hemisphere(60), LscmWeight::opennl); // imaginary parts everywhere
    const MultilevelHierarchy h = make_multilevel(to_complex_blocks(map.a()), map.points, 2);
    ASSERT_GE(h.level.size(), 3U);
    EXPECT_LE(h.level.back().a.block_rows(), 256U);
    for (std::size_t k = 0; k + 1 < h.level.size(); ++k) {
        const MultilevelLevel &l = h.level[k], &next = h.level[k + 1];
        const std::uint32_t rows = next.a.block_rows();
        EXPECT_LT(rows, l.a.block_rows() / 3);
        ASSERT_EQ(l.prolongation.columns, rows);
        const Vector x = random_vector(rows, 1), y = random_vector(l.a.block_rows(), 2);
        EXPECT_NEAR(std::abs(product(times(l.prolongation, x), y) - product(x, times(l.restriction, y))), 0, 1e-10);
        const Vector projected = times(l.restriction, times(l.a, times(l.prolongation, x))), is = times(next.a, x);
        for (std::size_t i = 0; i < rows; ++i) EXPECT_NEAR(std::abs(projected[i] - is[i]), 0, 1e-10);
        // Eigenvalues of D^-1 A lie between 0 and `largest`: quotients of y's, as the power method makes them.
        Vector v = y;
        for (int step = 0; step < 60; ++step) {
            v = times(l.a, v);
            double norm = 0;
            for (std::size_t i = 0; i < v.size(); ++i) norm = std::max(norm, std::abs(v[i] *= l.inverse[i]));
            for (Complex& x_i : v) x_i /= norm;
        }
        double bottom = 0;
        for (std::size_t i = 0; i < v.size(); ++i) bottom += std::norm(v[i]) / l.inverse[i];
        EXPECT_LE(product(v, times(l.a, v)).real() / bottom, l.largest);
    }
    // The last level's inverse.
    const std::size_t n = h.level.back().a.block_rows();
    const Vector x = random_vector(n, 3), ax = times(h.level.back().a, x);
    for (std::size_t i = 0; i < n; ++i) {
        Complex s;
        for (std::size_t j = 0; j < n; ++j)
            s += Complex(h.coarsest[2 * (i * n + j)], h.coarsest[2 * (i * n + j) + 1]) * ax[j];
        EXPECT_NEAR(std::abs(s - x[i]), 0, 1e-6);
    }
}

TEST(Multilevel, SolvesMapsInAFewIterations) {
    for (const LscmWeight weight : {LscmWeight::area, LscmWeight::opennl}) {
        const Map map(make_hemisphere(90), weight);
        PcgOptions options;
        options.tolerance = 1e-10;
        options.max_iterations = 20000;
        options.history = true;
        std::vector<double> x;
        const PcgReport report = multilevel_pcg(map.a(), map.points, map.b(), x, options);
        std::vector<std::vector<double>> jacobi(1);
        const PcgReport other = jacobi_pcg(map.a(), {map.b()}, jacobi, options).front();
        EXPECT_EQ(report.end, PcgEnd::reached);
        EXPECT_LE(report.true_residual, 1e-10 * 1.001);
        EXPECT_EQ(report.history.size(), report.iterations);
        EXPECT_LT(6 * report.iterations, other.iterations);
        for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(x[i], jacobi[0][i], 1e-5);
    }
}

TEST(Multilevel, HasTheSameBitsForAnyNumberOfThreads) {
    const Map map(make_plane(120, 0.25));
    std::vector<double> one, three;
    PcgOptions options;
    options.tolerance = 1e-8;
    const PcgReport alone = multilevel_pcg(map.a(), map.points, map.b(), one, options);
    options.threads = 3;
    EXPECT_EQ(multilevel_pcg(map.a(), map.points, map.b(), three, options).iterations, alone.iterations);
    EXPECT_EQ(one, three);
    EXPECT_EQ(alone.end, PcgEnd::reached);
}

TEST(Multilevel, GoesOnFromAStartAndStopsOnRequest) {
    const Map map(make_plane(40, 0.2));
    std::vector<double> x;
    PcgOptions options;
    options.tolerance = 1e-9;
    const std::uint64_t all = multilevel_pcg(map.a(), map.points, map.b(), x, options).iterations;
    options.tolerance = 1e-8;
    EXPECT_EQ(multilevel_pcg(map.a(), map.points, map.b(), x, options).iterations, 0U);
    x.clear();
    options.tolerance = 1e-9;
    options.max_iterations = all / 2;
    const PcgReport half = multilevel_pcg(map.a(), map.points, map.b(), x, options);
    EXPECT_EQ(half.end, PcgEnd::limit);
    EXPECT_EQ(half.iterations, all / 2);
    const std::vector<double> none(map.b().size(), 0.0);
    EXPECT_EQ(multilevel_pcg(map.a(), map.points, none, x, options).end, PcgEnd::reached);
    EXPECT_EQ(x, none);
}

TEST(Multilevel, RefusesWhatItCannotTake) {
    const Map map(make_plane(20, 0.1));
    std::vector<double> x;
    const auto few = std::span(map.points).subspan(1);
    expect_invalid([&] { multilevel_pcg(map.a(), few, map.b(), x, {}); }, "points for");
    expect_invalid([&] { multilevel_pcg(map.a(), map.points, {1, 2}, x, {}); }, "another length");
    std::vector<Point3> broken = map.points;
    broken[3][1] = std::nan("");
    expect_invalid([&] { multilevel_pcg(map.a(), broken, map.b(), x, {}); }, "point 4 is not finite");
    ComplexBlocks negative = to_complex_blocks(map.a());
    for (double& v : negative.value) v = -v;
    expect_invalid([&] { make_multilevel(negative, map.points, 1); }, "diagonal element 1 is not above zero");
    std::vector<double> value = map.a().value();
    value[0] += 1;
    expect_invalid([&] { multilevel_pcg(map.a().with_values(value), map.points, map.b(), x, {}); }, "complex 2x2");
}

} // namespace
} // namespace mantissa
