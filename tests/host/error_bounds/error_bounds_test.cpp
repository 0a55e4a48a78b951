// Bounds of the error: what they say, and when there is none.
#include <cmath>
#include <limits>
#include <utility>

#include <gtest/gtest.h>

#include "../expect_invalid.hpp"
#include "mantissa/host/error_bounds.hpp"
#include "mantissa/host/problem.hpp"
#include "systems.hpp"

namespace {

using judge::Matrix;
using mantissa::error_bound;
using mantissa::ErrorBound;
using mantissa::make_problem;

TEST(ErrorBounds, ABoundStandsAboveTheErrorAndNearIt) {
    judge::Systems random(3);
    for (std::size_t k = 0; k < 40; ++k) {
        const Matrix a = k % 2 == 0 ? random.graph(20, 3) : random.spectrum(20, 5);
        std::vector<double> b(20), u;
        for (double& value : b) value = random.normal();
        const auto x = judge::solution_of(a, b);
        ASSERT_TRUE(x);
        for (const auto& value : *x) u.push_back(value.convert_to<double>() * (1 + 1e-6 * random.uniform(-1, 1)));
        const ErrorBound bound = error_bound(judge::problem_of(a, b), u, 1);
        ASSERT_TRUE(bound.absolute) << bound.why;
        EXPECT_EQ(bound.method, k % 2 == 0 ? "M-matrix" : "Cholesky");
        const judge::Wide error = judge::largest_error(u, *x);
        EXPECT_GE(judge::Wide(*bound.absolute), error);
        EXPECT_LE(judge::Wide(*bound.absolute), 2 * error);
        ASSERT_TRUE(bound.relative);
        EXPECT_GE(judge::Wide(*bound.relative) * judge::largest_of(*x), error);
    }
}

TEST(ErrorBounds, PairsOfDoublesReachWhereDoubleDoesNot) {
    judge::Systems random(5);
    const Matrix a = random.spectrum(30, 14.5);
    const std::vector<double> b(30, 1.0);
    const auto x = judge::solution_of(a, b);
    ASSERT_TRUE(x);
    std::vector<double> u;
    for (const auto& value : *x) u.push_back(value.convert_to<double>());
    const ErrorBound bound = error_bound(judge::problem_of(a, b), u, 1);
    ASSERT_TRUE(bound.absolute) << bound.why;
    EXPECT_EQ(bound.method, "doubled Cholesky");
    EXPECT_GE(judge::Wide(*bound.absolute), judge::largest_error(u, *x));
}

TEST(ErrorBounds, SaysWhyThereIsNone) {
    const auto why = [](const Matrix& a, std::vector<double> b, std::vector<double> u) {
        const ErrorBound bound = error_bound(judge::problem_of(a, std::move(b)), u, 1);
        EXPECT_FALSE(bound.absolute);
        EXPECT_FALSE(bound.relative);
        return bound.why;
    };
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    EXPECT_NE(why({{1, 5}, {5, 1}}, {1, 1}, {1, 1}).find("entry is above the root"), std::string::npos);
    EXPECT_NE(why({{1, 2}, {2, 1}}, {1, 1}, {1, 1}).find("not positive definite"), std::string::npos);
    EXPECT_NE(why({{1, 1}, {1, 1}}, {1, 1}, {1, 1}).find("not positive definite"), std::string::npos);
    EXPECT_NE(why({{-1}}, {1}, {1}).find("diagonal entry 1 is -1"), std::string::npos);
    EXPECT_NE(why({{1}}, {1}, {kInfinity}).find("iterate is not finite"), std::string::npos);
    EXPECT_NE(why({{1, 0}, {0, 0}}, {1, 1}, {1, 0}).find("row 2 is empty"), std::string::npos);
    EXPECT_NE(why({{2, 1}, {-1, 2}}, {1, 1}, {1, 1}).find("not symmetric"), std::string::npos);
}

TEST(ErrorBounds, TakeAnElementForEachUnknown) {
    for (const auto& [b, u] : {std::pair(std::vector<double>{1, 1}, std::vector<double>{1}),
                               std::pair(std::vector<double>{1}, std::vector<double>{1, 1})}) {
        const mantissa::Problem problem = judge::problem_of({{2, 1}, {1, 2}}, b);
        expect_invalid([&, &u = u] { static_cast<void>(error_bound(problem, u, 1)); }, "give as many");
        expect_invalid([&, &u = u] { static_cast<void>(mantissa::energy_estimate(problem, u, 10, 1)); },
                       "give as many");
    }
}

TEST(ErrorBounds, AnIndefiniteMatrixNeverHasOne) {
    // The smallest eigenvalue is below zero by less than double can tell.
    const double c = std::nextafter(1.0, 2.0);
    for (const Matrix& a : {Matrix{{1, c}, {c, 1}}, Matrix{{1, -c}, {-c, 1}}}) {
        const ErrorBound bound = error_bound(judge::problem_of(a, {1, -1}), std::vector<double>{0, 0}, 1);
        EXPECT_FALSE(bound.absolute) << *bound.absolute << " by " << bound.method;
    }
}

TEST(ErrorBounds, GridsOfEveryKind) {
    for (const char* text : {"poisson2d:level=4", "diffusion2d:level=4,field=jump,contrast=1e6", "poisson3d:level=3"}) {
        const mantissa::Problem problem = make_problem(text);
        const ErrorBound zero = error_bound(problem, std::vector<double>(problem.system.size(), 0.0), 1);
        ASSERT_TRUE(zero.absolute) << text << ": " << zero.why;
        EXPECT_FALSE(zero.relative) << "a bound of all of x* tells nothing of x*";
    }
}

TEST(EnergyEstimates, HoldTheErrorOfAnIterate) {
    judge::Systems random(7);
    for (std::size_t k = 0; k < 20; ++k) {
        const Matrix a = random.spectrum(25, 4);
        std::vector<double> b(25), u(25);
        for (double& value : b) value = random.normal();
        const auto x = judge::solution_of(a, b);
        ASSERT_TRUE(x);
        for (std::size_t i = 0; i < u.size(); ++i) u[i] = (*x)[i].convert_to<double>() + 1e-5 * random.normal();
        const auto e = mantissa::energy_estimate(judge::problem_of(a, b), u, 100, 1);
        ASSERT_TRUE(e);
        EXPECT_TRUE(e->settled);
        const double truth = judge::energy_error(a, u, *x);
        EXPECT_LE(e->lower, truth * 1.001);
        EXPECT_GE(e->upper, truth * 0.999);
        EXPECT_LE(e->upper, 1.5 * e->lower * 1.001);
    }
}

} // namespace
