// Rows of differences on the RTL core against the emulated engine: the same bits after every pass, for constant
// stencils and streams of weights and row sums, in odd sizes, with and without stalls.
#include <gtest/gtest.h>

#include "../support/symmetric_systems.hpp"
#include "mantissa/checked_engine.hpp"
#include "mantissa/host/solve.hpp"
#include "mantissa/row_forms.hpp"
#include "mantissa/sim/core_parameters.hpp"
#include "mantissa/sim/rtl_engine.hpp"
#include "specs.hpp"
#include "systems.hpp"

namespace mantissa::sim {
namespace {

using Shape = std::pair<std::size_t, std::size_t>;
constexpr Shape kShapes[] = {{9, 9}, {5, 3}, {4, 4}, {17, 6}, {31, 5}, {7, 11}, {6, 5}};

/// The Laplacian (8, -1).
System laplacian(Shape shape) {
    std::array<double, kBands> c{};
    c.fill(-1);
    c[4] = 8;
    return Stencil(shape.first, shape.second, c);
}

/// Equal to the east and west and to the north and south, and with a row sum.
System skew_stencil(Shape shape) {
    return Stencil(shape.first, shape.second, {-0.3, -0.7, -0.3, -1.1, 5.1, -1.1, -0.3, -0.7, -0.3});
}

RtlOptions small_adders() {
    RtlOptions options;
    options.extra = {{"AddStages", 4}};
    return options;
}

RtlOptions memory_of(std::size_t k) {
    RtlOptions options;
    options.memory.stall = 0.07 * static_cast<double>(k % 3);
    options.memory.seed = k + 1;
    return options;
}

template <class Make> void compare_shapes(const char* text, RtlOptions extra, Make&& make) {
    const auto emulated = make_emulated_engine();
    for (std::size_t k = 0; k < std::size(kShapes); ++k) {
        SCOPED_TRACE(std::to_string(kShapes[k].first) + " x " + std::to_string(kShapes[k].second));
        RtlOptions options = memory_of(k);
        options.extra = extra.extra;
        options.rules = extra.rules;
        const auto rtl = make_rtl_engine(options);
        test::compare_passes(*rtl, *emulated, make(kShapes[k]), parse_spec(text), 8, 7 + k);
        if (::testing::Test::HasFatalFailure()) return;
    }
}

TEST(RowForms, SecondDifferencesOfAnyStencil) {
    compare_shapes(test::kSecondDifferences, {}, skew_stencil);
}

TEST(RowForms, FluxesOfAStencil) {
    compare_shapes(test::kFluxes, small_adders(), laplacian);
}

// Under the rules of the core's interfaces, from five streams of coefficients. Couplings that leave the grid are zero
// in the matrix; the grid of a single row has no other to take fluxes from.
TEST(RowForms, FluxesFromStreams) {
    RtlOptions options;
    options.rules = true;
    compare_shapes(test::kStreamedFluxes, options,
                   [](Shape s) { return System(testing::symmetric_bands(s.first, s.second, 3, true)); });
    compare_shapes(test::kStreamedFluxes, options, [](Shape s) { return test::random_bands(s.first, s.second, 5); });
}

TEST(RowForms, StreamsAreFourWeightsAndRowSums) {
    const DatapathSpec spec = parse_spec("s17e8,order=flux");
    const auto value = [&](const System& system, const std::string& name) {
        for (const auto& [key, number] : core_parameters(spec, system))
            if (key == name) return number;
        return 0;
    };
    EXPECT_EQ(value(testing::symmetric_bands(9, 7, 3, true), "RowSums"), 1);
    EXPECT_EQ(value(testing::symmetric_bands(9, 7, 3, false), "RowSums"), 0);
    EXPECT_EQ(value(laplacian({9, 7}), "RowSums"), 0);
    EXPECT_EQ(value(skew_stencil({9, 7}), "RowSums"), 1);
    EXPECT_EQ(value(laplacian({9, 7}), "CoefMode"), 1);
}

void solve_checked(const char* text, const char* problem, RtlOptions options) {
    options.memory.stall = 0.01;
    options.memory.seed = 7;
    const auto rtl = make_rtl_engine(options);
    const auto emulated = make_emulated_engine();
    const auto checked = make_checked_engine(*rtl, *emulated);
    SolveOptions solve_options;
    solve_options.spec = parse_spec(text);
    solve_options.tolerance = 1e-8;
    const SolveResult a = solve(make_problem(problem), *checked, solve_options);
    EXPECT_EQ(to_string(a.status), "converged") << a.detail;
    EXPECT_GT(a.inner_iterations, 20U);
}

TEST(RowForms, SolvesLevel5WithEveryIterationEqual) {
    solve_checked(test::kFluxes, "poisson2d:level=5", small_adders());
}

TEST(RowForms, SolvesStreamedFluxesWithEveryIterationEqual) {
    RtlOptions rules;
    rules.rules = true;
    solve_checked(test::kStreamedFluxes, "diffusion2d:level=5", rules);
}

} // namespace
} // namespace mantissa::sim
