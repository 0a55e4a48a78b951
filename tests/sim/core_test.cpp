// The RTL core against the emulated engine: the same bits in u, r, p, q and the scalars after every pass, for
// constant stencils and streamed bands of all shapes, with and without stalls.
#include <cmath>
#include <initializer_list>
#include <string>

#include <gtest/gtest.h>

#include "../support/session_owns.hpp"
#include "mantissa/checked_engine.hpp"
#include "mantissa/engine.hpp"
#include "mantissa/host/solve.hpp"
#include "mantissa/sim/latencies.hpp"
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

/// Clocks from the close of the totals to the end of the pass: the scalar unit, and control one clock on either side.
int scalar_clocks(const DatapathSpec& spec) {
    const Format &sums = spec.dot.accumulator, &scalar = spec.scalar;
    const auto rne = [](const Format& f) { return f.truncates() ? 0 : 1; };
    const int integers = spec.dot.fixed ? 1 : 0;
    const int outside = latency::scalar_outside(integers, sums.exponent_bits, sums.fraction_bits, rne(sums),
                                                scalar.exponent_bits, scalar.fraction_bits, rne(scalar));
    return latency::scalar_clocks(integers, outside, scalar.fraction_bits, rne(scalar), 0, sums.fraction_bits) + 2;
}

/// Clocks of a run of one pass in which no stream is ever waited for, from the latencies of its parts.
std::uint64_t clocks_of_a_pass(const DatapathSpec& spec, const System& system) {
    const int lanes = spec.lanes, tree = spec.order == RowOrder::tree ? 1 : 0;
    const int o = spec.operand.fraction_bits, u = spec.u.fraction_bits, r = spec.r.fraction_bits,
              p = spec.p.fraction_bits, q = spec.q.fraction_bits;
    const int row_sum = latency::row_latency(tree, spec.coefficient.fraction_bits, p, spec.row.exponent_bits,
                                             spec.row.fraction_bits, spec.q.exponent_bits, q);
    const int drain = latency::drain_clocks(latency::p_out(o, q, r, p), latency::u_out(o, p, u), row_sum);
    int close = lanes + 2;
    if (!spec.dot.fixed) {
        const int sum = spec.dot.accumulator.fraction_bits;
        const int term = spec.dot.exact_product ? sum : spec.dot.product.fraction_bits;
        close = latency::accumulate_close_latency(term, sum, spec.dot.depth) +
                latency::log2_up(lanes) * (latency::accumulate_fold_latency(term, sum) + 1) + 2;
    }
    const int beats = static_cast<int>(system.size()) / lanes + (static_cast<int>(system.size()) % lanes != 0 ? 1 : 0);
    const int flush = static_cast<int>(system.row_length()) / lanes + (lanes == 1 ? 1 : 2);
    constexpr int kControl = 3; // the checks, the pass beat, and the clock that opens the streams
    return static_cast<std::uint64_t>(kControl + beats + flush + drain + close + scalar_clocks(spec));
}

TEST_P(Core, ClocksWithoutStallsAreTheSumOfTheLatencies) {
    const auto rtl = make_rtl_engine();
    for (const System& system : {test::poisson_stencil(33, 17), test::random_bands(33, 5, 2)}) {
        const auto session = rtl->load(system, spec(), {});
        std::vector<double> r(system.size(), 0.0);
        for (std::size_t i = 0; i < r.size(); ++i)
            if (!(system.kind() == System::Kind::stencil && system.on_edge(i)))
                r[i] = 0.03 * static_cast<double>((i * 5) % 13) - 0.17;
        session->write(Vec::r, 0, r);
        session->set_scalars(0, 0);
        for (int pass = 1; pass <= 3; ++pass) {
            const RunReport report = session->run({1});
            ASSERT_EQ(to_string(report.end), "passes") << session->fault();
            EXPECT_EQ(*report.cycles, clocks_of_a_pass(spec(), system)) << "pass " << pass;
        }
    }
}

// What docs/integration.md and rtl/README.md say that a pass takes beyond its elements and a row of them.
TEST(CoreClocks, AreTheDocumentedOnes) {
    const System system = test::poisson_stencil(65, 65);
    const std::uint64_t moving = 65 * 65 + 65, checks = 1; // the checks come once in a run
    EXPECT_EQ(clocks_of_a_pass(parse_spec("s23e8"), system), moving + checks + 286);
    EXPECT_EQ(clocks_of_a_pass(parse_spec("s52e11"), system), moving + checks + 288);
}

std::string name_of(const testing::TestParamInfo<const char*>& info) {
    std::string name;
    for (const char c : std::string(info.param)) name += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
    return name;
}
INSTANTIATE_TEST_SUITE_P(Specs, Core, testing::ValuesIn(test::kSpecs), name_of);

} // namespace
} // namespace mantissa::sim
