// The RTL core against the emulated engine: the same bits in u, r, p, q and the scalars behind every pass, for
// constant stencils and streamed bands of all shapes, with and without stalls.
#include <string>

#include <gtest/gtest.h>

#include "../support/session_owns.hpp"
#include "mantissa/checked_engine.hpp"
#include "mantissa/engine.hpp"
#include "mantissa/host/solve.hpp"
#include "mantissa/sim/rtl_engine.hpp"
#include "specs.hpp"
#include "systems.hpp"

namespace mantissa::sim {
namespace {

class Core : public testing::TestWithParam<const char*> {
protected:
    DatapathSpec spec() const { return parse_spec(GetParam()); }
    std::unique_ptr<Engine> emulated_ = make_emulated_engine();
};

RtlOptions with_stalls(double stall, std::uint64_t seed) {
    RtlOptions options;
    options.memory.stall = stall;
    options.memory.seed = seed;
    return options;
}

TEST_P(Core, StencilPasses) {
    const auto rtl = make_rtl_engine();
    const std::pair<std::size_t, std::size_t> shapes[] = {{9, 9},  {5, 3},  {4, 4}, {17, 6},
                                                          {31, 5}, {8, 20}, {7, 7}, {6, 5}};
    for (const auto& [row, rows] : shapes) {
        SCOPED_TRACE(std::to_string(row) + " x " + std::to_string(rows));
        test::compare_passes(*rtl, *emulated_, test::poisson_stencil(row, rows), spec(), 8, row);
        if (HasFatalFailure()) return;
    }
}

TEST_P(Core, BandPassesWithStalls) {
    const std::pair<std::size_t, std::size_t> shapes[] = {{9, 9}, {4, 1}, {5, 3}, {13, 4}, {6, 7}, {15, 5}};
    std::uint64_t seed = 1;
    for (const auto& [row, rows] : shapes) {
        SCOPED_TRACE(std::to_string(row) + " x " + std::to_string(rows));
        const auto rtl = make_rtl_engine(with_stalls(seed % 2 == 0 ? 0.02 : 0.2, seed));
        test::compare_passes(*rtl, *emulated_, test::random_bands(row, rows, seed), spec(), 6, seed);
        ++seed;
        if (HasFatalFailure()) return;
    }
}

TEST_P(Core, SessionsOwnTheirSystem) {
    const auto rtl = make_rtl_engine();
    session_test::expect_session_owns_its_system(*rtl, test::poisson_stencil(9, 9), spec());
    session_test::expect_session_owns_its_system(*rtl, test::random_bands(9, 7, 3), spec());
}

TEST_P(Core, SlowMemory) {
    RtlOptions options;
    options.memory.bytes_per_cycle = 24;
    options.memory.latency = 40;
    options.memory.fifo_beats = 8;
    options.memory.stall = 0.01;
    const auto rtl = make_rtl_engine(options);
    test::compare_passes(*rtl, *emulated_, test::random_bands(11, 6, 3), spec(), 4, 5);
    test::compare_passes(*rtl, *emulated_, test::poisson_stencil(11, 6), spec(), 4, 6);
}

TEST_P(Core, SolvesLevel5WithEveryIterationEqual) {
    RtlOptions options = with_stalls(0.01, 7);
    const auto rtl = make_rtl_engine(options);
    const auto checked = make_checked_engine(*rtl, *emulated_);
    SolveOptions solve_options;
    solve_options.spec = spec();
    const Problem problem = make_problem("poisson2d:level=5");
    const SolveResult a = solve(problem, *checked, solve_options);
    EXPECT_EQ(to_string(a.status), "converged") << a.detail;
    EXPECT_GT(a.inner_iterations, 20U);
}

TEST_P(Core, SolvesBandsWithEveryIterationEqual) {
    const auto rtl = make_rtl_engine(with_stalls(0.05, 11));
    const auto checked = make_checked_engine(*rtl, *emulated_);
    SolveOptions solve_options;
    solve_options.spec = spec();
    solve_options.tolerance = 1e-8;
    const Problem problem = make_problem("diffusion2d:level=5");
    const SolveResult a = solve(problem, *checked, solve_options);
    // Not every spec converges here (a fixed window can be left); either way both engines tell the same story.
    const SolveResult b = solve(problem, *emulated_, solve_options);
    EXPECT_EQ(to_string(a.status), to_string(b.status)) << a.detail;
    EXPECT_EQ(a.inner_iterations, b.inner_iterations);
    EXPECT_EQ(a.sigma_guards, b.sigma_guards);
    EXPECT_EQ(a.true_residual, b.true_residual);
}

TEST_P(Core, CyclesWithoutStalls) {
    const auto rtl = make_rtl_engine();
    const System system = test::poisson_stencil(65, 65);
    const auto session = rtl->load(system, spec(), {});
    std::vector<double> r(system.size(), 0.0);
    r[system.size() / 2] = 0.5;
    session->write(Vec::r, 0, r);
    session->set_scalars(0, 0);
    const RunReport report = session->run({3});
    ASSERT_EQ(report.passes, 3U);
    const auto lanes = static_cast<std::uint64_t>(spec().lanes);
    EXPECT_LE(*report.cycles, 3 * (system.size() / lanes + 2 * 65 + 400));
    EXPECT_GE(*report.cycles, 3 * (system.size() / lanes));
}

std::string name_of(const testing::TestParamInfo<const char*>& info) {
    std::string name;
    for (const char c : std::string(info.param)) name += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
    return name;
}
INSTANTIATE_TEST_SUITE_P(Specs, Core, testing::ValuesIn(test::kSpecs), name_of);

} // namespace
} // namespace mantissa::sim
