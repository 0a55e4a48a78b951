// The integer core against the emulated engine: the same words of u, r, p and q, the same scalars and the same report
// after every pass, whatever the words, the matrix, the lanes and the memory. MANTISSA_CORE_SWEEP=1 adds every
// combination of spec, matrix and lanes to those that always run (each is a model, 10 s and more).
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "../support/session_owns.hpp"
#include "fixed_systems.hpp"
#include "mantissa/checked_engine.hpp"
#include "mantissa/engine.hpp"
#include "mantissa/host/solve.hpp"
#include "mantissa/sim/latencies.hpp"
#include "mantissa/sim/rtl_engine.hpp"
#include "session_pair.hpp"
#include "specs.hpp"
#include "systems.hpp"

namespace mantissa::sim {
namespace {

using test::FixedCase;
using test::Matrix;

/// A system of the kind, scaled as a solve scales it.
System system_of(const FixedCase& c, std::size_t row_length, std::size_t rows) {
    return test::system_of(c.matrix, parse_spec(c.spec), row_length, rows);
}

class FixedCore : public ::testing::TestWithParam<FixedCase> {
protected:
    DatapathSpec spec() const { return parse_spec(GetParam().spec); }
    RtlOptions options(double stall = 0, std::uint64_t seed = 1) const {
        RtlOptions o;
        o.memory.stall = stall;
        o.memory.seed = seed;
        o.rules = GetParam().rules;
        return o;
    }
    /// Rows that are a multiple of the lanes and rows that are none, as short as the core takes them.
    std::vector<std::pair<std::size_t, std::size_t>> shapes() const {
        const auto lanes = static_cast<std::size_t>(spec().lanes);
        return {{std::max<std::size_t>(3, lanes), 3},
                {lanes + 5, 7},
                {2 * lanes + 7, 9},
                {4 * lanes, 5},
                {3 * lanes + 1, 4}};
    }
    std::unique_ptr<Engine> emulated_ = make_emulated_engine();
};

TEST_P(FixedCore, Passes) {
    const auto rtl = make_rtl_engine(options());
    for (const auto& [row, rows] : shapes()) {
        SCOPED_TRACE(std::to_string(row) + " x " + std::to_string(rows));
        test::compare_passes(*rtl, *emulated_, system_of(GetParam(), row, rows), spec(), 8, row);
        if (HasFatalFailure()) return;
    }
}

TEST_P(FixedCore, PassesWithStalls) {
    std::uint64_t seed = 1;
    for (const auto& [row, rows] : shapes()) {
        SCOPED_TRACE(std::to_string(row) + " x " + std::to_string(rows));
        RtlOptions o = options(seed % 2 == 0 ? 0.02 : 0.2, seed);
        if (seed % 3 == 0) {
            o.memory.bytes_per_cycle = 24;
            o.memory.latency = 40;
            o.memory.fifo_beats = 8;
        }
        test::compare_passes(*make_rtl_engine(o), *emulated_, system_of(GetParam(), row, rows), spec(), 6, seed);
        ++seed;
        if (HasFatalFailure()) return;
    }
}

// Shifts to either side and far beyond the words, sums that fit and sums that overflow, and what an overflow leaves.
TEST_P(FixedCore, AnyScalarsAndWords) {
    const auto rtl = make_rtl_engine(options());
    const auto lanes = static_cast<std::size_t>(spec().lanes);
    const test::Ends ends =
        test::compare_any_scalars(*rtl, *emulated_, system_of(GetParam(), lanes + 6, 5), spec(), 60, 7);
    EXPECT_GT(ends.overflows, 5);
    EXPECT_GT(ends.others, 5);
}

// A value that does not fit is stored as the nearest word, and ends the next run in its first pass.
TEST_P(FixedCore, WhatDoesNotFitEndsTheNextRun) {
    const auto rtl = make_rtl_engine(options());
    const auto lanes = static_cast<std::size_t>(spec().lanes);
    const System system = system_of(GetParam(), lanes + 6, 5);
    test::SessionPair pair(*rtl, *emulated_, system, spec());
    std::mt19937_64 random(5);
    for (const Vec v : {Vec::u, Vec::r, Vec::p, Vec::q}) {
        pair.fill(random, 8);
        pair.set_scalars(0.25, 0.5);
        const std::array<double, 2> far = {1e9, -1e9};
        pair.write(v, 3, far);
        EXPECT_EQ(to_string(pair.run({0}, 0).end), "passes"); // of no passes: the word waits
        EXPECT_EQ(to_string(pair.run({4}, 1).end), "window overflow");
        if (HasFatalFailure()) return;
        pair.fill(random, 8);
        pair.run({4}, 2);
        if (HasFatalFailure()) return;
    }
}

TEST_P(FixedCore, RunsInPiecesAndToAThreshold) {
    const auto rtl = make_rtl_engine(options(0.05, 3));
    const auto lanes = static_cast<std::size_t>(spec().lanes);
    const System system = system_of(GetParam(), 2 * lanes + 7, 9);
    test::SessionPair pieces(*rtl, *emulated_, system, spec());
    std::vector<double> d(system.size());
    for (std::size_t i = 0; i < d.size(); ++i)
        if (!system.on_edge(i)) d[i] = 0.02 * static_cast<double>((i * 7) % 11) - 0.1;
    pieces.write(Vec::r, 0, d);
    pieces.set_scalars(0, 0);
    double stop = 1e-2;
    for (std::uint64_t k = 0; k < 4; ++k, stop /= 16) {
        RunRequest request;
        request.passes = 5;
        request.rho_stop = stop;
        request.rho_stop_from = 2;
        pieces.run(request, k);
        if (HasFatalFailure()) return;
    }
    const std::vector<double> zeros(system.size(), 0.0);
    for (const Vec v : {Vec::u, Vec::r, Vec::p, Vec::q}) pieces.write(v, 0, zeros);
    EXPECT_EQ(to_string(pieces.run({2}, 9).end), "exact");
}

TEST_P(FixedCore, SessionsOwnTheirSystem) {
    const auto lanes = static_cast<std::size_t>(spec().lanes);
    session_test::expect_session_owns_its_system(*make_rtl_engine(options()), system_of(GetParam(), lanes + 6, 5),
                                                 spec());
}

// What a pass takes beside its elements and a row of them: below 100 clocks with scalars of up to 23 fraction bits, and
// what a longer scalar unit takes more than that one.
TEST_P(FixedCore, FixedClocksOfAPassStayBelow100) {
    const auto formed = [](int frac, int rne) { return latency::scalar_clocks(1, 0, frac, rne, 1, 0); };
    const int rne = spec().scalar.truncates() ? 0 : 1;
    const int more = std::max(0, formed(spec().scalar.fraction_bits, rne) - formed(23, 0));
    const auto lanes = static_cast<std::size_t>(spec().lanes);
    const System system = system_of(GetParam(), 4 * lanes + 1, 9);
    const auto session = make_rtl_engine(options())->load(system, spec(), {});
    const std::vector<double> r(1, 0.125); // eight times as much is a word too
    session->write(Vec::r, system.row_length() + 1, r);
    session->set_scalars(0, 0);
    const RunReport report = session->run({2});
    ASSERT_EQ(report.passes, 2U) << session->fault();
    const std::uint64_t moving = (system.size() + lanes - 1) / lanes + system.row_length() / lanes + 1;
    EXPECT_LT(*report.cycles / 2, moving + 100 + static_cast<std::uint64_t>(more));
    RecordProperty("fixed_clocks", static_cast<int>(*report.cycles / 2 - moving));
}

/// A level-5 solve (or MANTISSA_CORE_LEVEL's), every iteration compared.
TEST_P(FixedCore, SolvesWithEveryIterationEqual) {
    const char* const level = std::getenv("MANTISSA_CORE_LEVEL");
    const auto rtl = make_rtl_engine(options());
    const auto checked = make_checked_engine(*rtl, *emulated_);
    SolveOptions solve_options;
    solve_options.spec = spec();
    solve_options.tolerance = 1e-8;
    const bool streamed = GetParam().matrix == Matrix::bands || GetParam().matrix == Matrix::bands_with_sums;
    const Problem problem = make_problem(std::string(streamed ? "diffusion2d" : "poisson2d") +
                                         ":level=" + (level != nullptr ? level : "5"));
    if (GetParam().matrix == Matrix::general) GTEST_SKIP() << "the model's stencil is not the problem's";
    const SolveResult a = solve(problem, *checked, solve_options);
    const SolveResult b = solve(problem, *emulated_, solve_options);
    EXPECT_EQ(to_string(a.status), to_string(b.status)) << a.detail;
    EXPECT_EQ(a.inner_iterations, b.inner_iterations);
    EXPECT_GT(a.inner_iterations, 20U);
}

TEST(FixedRefusal, SaysWhyInOneLine) {
    const auto rtl = make_rtl_engine();
    const System stencil = test::poisson_stencil(9, 9);
    const auto refused = [&](const char* spec, const char* part, const System& system) {
        const std::string why = rtl->refusal(parse_spec(spec), system, {});
        EXPECT_NE(why.find(part), std::string::npos) << spec << ": " << why;
        EXPECT_EQ(why.find('\n'), std::string::npos) << why;
        EXPECT_THROW((void)rtl->load(system, parse_spec(spec), {}), InvalidInput);
    };
    EXPECT_EQ(rtl->refusal(parse_spec("fx18.14"), stencil, {}), "");
    EXPECT_EQ(rtl->refusal(parse_spec("fx18.14,order=flux,lanes=8"), stencil, {}), "");
    refused("fx18.14,u=double", "u= is s52e11", stencil);
    refused("fx18.14,point=moving", "point=moving", stencil);
    refused("fx18.14,dot=fixed[13:-40]", "dot", stencil);
    refused("fx34.30", "at most 32 bits", stencil);
    refused("fx2.1", "at least 3 bits", stencil);
    refused("fx18.14,coef=fx2.2", "coef=", stencil);
    refused("fx18.14,coef=fx40.36", "coef=", stencil);
    refused("fx18.14,operand=s14e8:subnormals", "flushes", stencil);
    refused("fx18.14,coef=fx30.31", "below 2^30", Stencil(9, 9, {0, 0, 0, 0, 0.7, -0.1, 0, 0, 0}));
    refused("fx18.14", "as fluxes", mantissa::testing::band_system(9, 9, 1));
    refused("fx18.14", "sparse", mantissa::testing::sparse_system(40, 1));
    refused("fx18.14,lanes=16", "shorter than 16 lanes", stencil);
    refused("fx18.16", "does not fit", test::random_bands(9, 9, 1)); // as it is, unscaled
}

INSTANTIATE_TEST_SUITE_P(Cases, FixedCore, ::testing::ValuesIn(test::fixed_cases()), test::name_of_case);

} // namespace
} // namespace mantissa::sim
