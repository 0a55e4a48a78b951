// Couplings in a short format with the sums of rows kept.
#include <cmath>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "expect_invalid.hpp"
#include "mantissa/engine.hpp"
#include "mantissa/exact.hpp"
#include "mantissa/host/mesh_systems.hpp"
#include "mantissa/host/point.hpp"
#include "mantissa/host/scaling.hpp"
#include "mantissa/host/solve.hpp"
#include "mantissa/host/sweep.hpp"
#include "systems/row_sums.hpp"

namespace {

using namespace mantissa;

const Format kShort = parse_format("s5e8:rne");

/// Smoothing of a sphere with weak constraints: sums of rows are what the constraints give.
Problem smoothing(double weight) {
    const TriangleMesh mesh = with_noise(make_sphere(3), 0.2);
    DsiOptions o;
    for (std::uint32_t v = 0; v < mesh.points.size(); ++v) o.fuzzy.push_back(v);
    o.fuzzy_weight = weight;
    const DsiSystem system = make_dsi(mesh, o);
    return {"smoothing", system.built.system(), system.built.b(0), {}};
}

const CompressedRows& rows_of(const System& system) {
    return std::get<CompressedRows>(system.matrix());
}

double entry(const CompressedRows& a, std::size_t i, std::size_t j) {
    for (std::uint64_t k = a.row_begin()[i]; k < a.row_begin()[i + 1]; ++k)
        if (a.column()[k] == j) return a.value()[k];
    return 0;
}

void expect_sums_kept(const System& before, const System& after, const std::vector<double>& scale) {
    const CompressedRows &a = rows_of(before), &b = rows_of(after);
    for (std::size_t i = 0; i < a.rows(); ++i) {
        double sum_a = 0, sum_b = 0, magnitude = 0;
        for (std::uint64_t k = a.row_begin()[i]; k < a.row_begin()[i + 1]; ++k) {
            const std::size_t j = a.column()[k];
            const double d = scale.empty() ? 1 : 1 / scale[j];
            sum_a += a.value()[k] * d;
            sum_b += b.value()[k] * d;
            magnitude += std::abs(a.value()[k] * d);
            if (j != i) {
                EXPECT_EQ(b.value()[k], exact::convert(kShort, a.value()[k]));
                EXPECT_EQ(b.value()[k], entry(b, j, i));
            }
        }
        EXPECT_NEAR(sum_a, sum_b, 1e-14 * magnitude) << i;
    }
}

TEST(RowSums, SurviveTheRoundingOfCouplings) {
    const Problem problem = smoothing(0.01);
    expect_sums_kept(problem.system, systems::with_row_sums_kept(problem.system, kShort, {}), {});
    // After Jacobi scaling the sums are those of the matrix as given.
    const ScaledProblem scaled = jacobi_scaled(problem);
    expect_sums_kept(scaled.problem.system, systems::with_row_sums_kept(scaled.problem.system, kShort, scaled.scale),
                     scaled.scale);
}

TEST(RowSums, SpareIterationsWhereConstantsAreNearlyInTheNullSpace) {
    const Problem problem = smoothing(0.001);
    SolveOptions o;
    o.spec = parse_spec("s14e8,u=s36e11,row=s36e11,coef=s5e8");
    o.inner = 25;
    o.tolerance = 1e-8;
    o.jacobi = true;
    o.max_iterations = 20000;
    const auto engine = make_emulated_engine();
    const SolveResult truncated = solve(problem, *engine, o);
    o.spec = parse_spec("s14e8,u=s36e11,row=s36e11,coef=s36e11");
    const SolveResult as_it_is = solve(problem, *engine, o);
    o.couplings = parse_format("s5e8");
    const SolveResult kept = solve(problem, *engine, o);
    ASSERT_EQ(as_it_is.status, Status::converged);
    EXPECT_EQ(kept.status, Status::converged);
    EXPECT_LT(kept.true_residual, 1e-8);
    EXPECT_NE(kept.inner_iterations, as_it_is.inner_iterations);
    EXPECT_LT(2 * kept.inner_iterations, truncated.inner_iterations);
}

TEST(RowSums, AreAskedForInSweepsAndStandInTheKey) {
    const Sweep sweep = parse_sweep("[[grid]]\nproblem = \"poisson3d:level=2\"\nspec = \"s14e8\"\njacobi = true\n"
                                    "couplings = [\"s7e8\", \"s5e8:rne\"]\n",
                                    "t.toml");
    ASSERT_EQ(sweep.points.size(), 2U);
    EXPECT_EQ(sweep.points[1].options.couplings, parse_format("s5e8:rne"));
    EXPECT_NE(point_key(sweep.points[0]).find(" couplings=s7e8"), std::string::npos);
    Point plain = sweep.points[0];
    plain.options.couplings.reset();
    EXPECT_EQ(point_key(plain).find("couplings"), std::string::npos);
}

TEST(RowSums, AreRefusedWhereTheyMeanNothing) {
    const Problem grid = make_problem("poisson2d:level=3"), rows = smoothing(1);
    const auto engine = make_emulated_engine();
    SolveOptions o;
    o.couplings = kShort;
    expect_invalid([&] { solve(grid, *engine, o); }, "only sparse rows");
    o.scheme = Scheme::cg;
    expect_invalid([&] { solve(rows, *engine, o); }, "couplings: a floating format");
    o.scheme = Scheme::residual_guided;
    o.couplings = parse_format("fx18.16");
    expect_invalid([&] { solve(rows, *engine, o); }, "couplings: a floating format");
    o.couplings = kShort;
    o.spec = parse_spec("fx18.16");
    expect_invalid([&] { solve(rows, *engine, o); }, "couplings: a floating format");
}

} // namespace
