// Residuals against iterations: the curves, their file and their picture.
#include "residuals/curves.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "mantissa/format.hpp"
#include "mantissa/host/registry.hpp"
#include "mantissa/host/scaling.hpp"
#include "mantissa/host/solve.hpp"

namespace mantissa::residuals {
namespace {

const Problem& problem() {
    static const Problem made = make_problem("poisson3d:level=3");
    return made;
}

Request request(std::vector<std::string> specs) {
    return {.specs = std::move(specs), .engines = {"emulated"}, .iterations = 60, .every = 7, .threads = 1};
}

TEST(ResidualCurves, PointsAreEveryFewIterationsAndTheLast) {
    const SystemCurves system = run_curves(problem(), request({"double"}));
    ASSERT_EQ(system.curves.size(), 1U);
    const Curve& c = system.curves.front();
    ASSERT_EQ(c.recursive.size(), c.iteration.size());
    ASSERT_EQ(c.true_residual.size(), c.iteration.size());
    EXPECT_EQ(c.iteration.front(), 0U);
    EXPECT_EQ(c.iteration[1], 7U);
    EXPECT_NEAR(c.true_residual.front(), 1, 1e-15);
    EXPECT_NEAR(c.recursive.front(), 1, 1e-15);
    EXPECT_EQ(system.unknowns, problem().b.size());
    EXPECT_GT(system.nonzeros, system.unknowns);
    // In double the two agree until rounding is all that is left.
    for (std::size_t i = 0; i < c.iteration.size(); ++i)
        EXPECT_NEAR(c.recursive[i], c.true_residual[i], 1e-13 + 1e-9 * c.recursive[i]) << i;
}

// The true residual at an iteration is that of a pipelined solve that is stopped there.
TEST(ResidualCurves, TheTrueResidualIsTheSolversOwn) {
    Request r = request({"s17e8"});
    r.every = 5;
    r.iterations = 15;
    const SystemCurves system = run_curves(problem(), r);
    const Problem scaled = jacobi_scaled(problem()).problem;
    SolveOptions options;
    options.scheme = Scheme::pipelined;
    options.spec = parse_spec("s17e8");
    options.tolerance = 1e-30;
    for (std::size_t i = 1; i < system.curves[0].iteration.size(); ++i) {
        options.max_iterations = system.curves[0].iteration[i];
        const SolveResult solved = solve(scaled, *make_engine("emulated"), options);
        EXPECT_NEAR(solved.true_residual, system.curves[0].true_residual[i], 1e-12) << i;
    }
}

TEST(ResidualCurves, BitsDependOnTheSpecAlone) {
    Request two = request({"s14e8", "fx22.18"});
    const SystemCurves once = run_curves(problem(), two);
    two.threads = 3;
    two.engines = {"emulated", "emulated"};
    const SystemCurves again = run_curves(problem(), two);
    for (std::size_t i = 0; i < once.curves.size(); ++i) {
        EXPECT_EQ(once.curves[i].bits, again.curves[i].bits);
        EXPECT_TRUE(again.curves[i].same_bits);
        EXPECT_EQ(again.curves[i].engines.size(), 2U);
    }
    EXPECT_NE(once.curves[0].bits, once.curves[1].bits);
}

TEST(ResidualCurves, AFileHoldsThemAll) {
    const SystemCurves system = run_curves(problem(), request({"float", "s10e8"}));
    const SystemCurves back = from_json(results::Json::parse(to_json(system).dump()));
    EXPECT_EQ(back.problem, system.problem);
    ASSERT_EQ(back.curves.size(), 2U);
    for (std::size_t i = 0; i < 2; ++i) {
        EXPECT_EQ(back.curves[i].spec, system.curves[i].spec);
        EXPECT_EQ(back.curves[i].bits, system.curves[i].bits);
        EXPECT_EQ(back.curves[i].end, system.curves[i].end);
        EXPECT_EQ(back.curves[i].iteration, system.curves[i].iteration);
        EXPECT_EQ(back.curves[i].true_residual, system.curves[i].true_residual);
    }
    results::Json damaged = to_json(system);
    damaged["curves"][0].erase("true");
    EXPECT_THROW(static_cast<void>(from_json(damaged)), InvalidInput);
    damaged = to_json(system);
    damaged["curves"][0]["recursive"].erase(0);
    EXPECT_THROW(static_cast<void>(from_json(damaged)), InvalidInput);
}

TEST(ResidualCurves, ThePictureHasALineForEachCurve) {
    const SystemCurves system = run_curves(problem(), request({"float", "s10e8"}));
    const std::string picture = picture_of_curves({system, system});
    EXPECT_NE(picture.find(">float</text>"), std::string::npos);
    EXPECT_NE(picture.find("poisson3d: level=3"), std::string::npos);
    std::size_t lines = 0;
    for (std::size_t at = picture.find("fill=\"none\" stroke=\"#"); at != std::string::npos;
         at = picture.find("fill=\"none\" stroke=\"#", at + 1))
        ++lines;
    EXPECT_EQ(lines, 2U * (2U * 2U + 1U)); // two curves of two lines each, and a frame
    EXPECT_EQ(picture.find("nan"), std::string::npos);
}

TEST(ResidualCurves, WrongRequestsAreRefused) {
    EXPECT_THROW(static_cast<void>(run_curves(problem(), request({"s99"}))), InvalidInput);
    Request r = request({"float"});
    r.every = 0;
    EXPECT_THROW(static_cast<void>(run_curves(problem(), r)), InvalidInput);
    r = request({"float"});
    r.engines = {"nothing"};
    EXPECT_THROW(static_cast<void>(run_curves(problem(), r)), InvalidInput);
    Problem zero = problem();
    zero.b.assign(zero.b.size(), 0.0);
    EXPECT_THROW(static_cast<void>(run_curves(zero, request({"float"}))), InvalidInput);
}

} // namespace
} // namespace mantissa::residuals
