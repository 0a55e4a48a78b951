// The resident core against the emulated engine's resident solver: the same words of V, the same end, counts and
// history, whatever the words, the shape and the lanes. MANTISSA_CORE_SWEEP=1 adds more lanes and a stencil of nine
// different coefficients, and cores that share a system (each case is a model, 15 s and more).
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <numeric>
#include <ostream>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "fixed_systems.hpp"
#include "mantissa/engine.hpp"
#include "mantissa/host/solve.hpp"
#include "mantissa/resident.hpp"
#include "mantissa/sim/latencies.hpp"
#include "mantissa/sim/rtl_engine.hpp"
#include "specs.hpp"

namespace mantissa::sim {
namespace {

using fixed::Word;

constexpr Format kIterate = Format::fixed(64, 54);

struct Case {
    std::string spec;
    int outer_lanes = 1;
    test::Matrix matrix = test::Matrix::box;
    int checks = 0; ///< the core's parameter
    int cores = 1;  ///< that share the system
};
void PrintTo(const Case& c, std::ostream* out) {
    *out << c.spec << ", " << c.outer_lanes << " outer" << (c.checks != 0 ? ", Checks" : "");
    if (c.cores > 1) *out << ", " << c.cores << " cores";
}

std::vector<Case> cases() {
    const std::string specs[] = {"fx18.16,u=fx25.21,operand=s14e8,scalar=s19e8:rne",
                                 "fx20.18,u=fx27.23,operand=s14e8:rne,scalar=s20e8",
                                 "fx22.20:floor,u=fx29.25:floor,operand=s14e8:rne,scalar=s34e9"};
    std::vector<Case> list = {{specs[0], 1},
                              {specs[1] + ",lanes=4", 1},
                              {specs[2] + ",lanes=4", 4},
                              {specs[0], 1, test::Matrix::box, 1},
                              {specs[2] + ",lanes=4", 2, test::Matrix::box, 1},
                              {specs[0], 1, test::Matrix::box, 0, 2},
                              {specs[1] + ",lanes=2", 2, test::Matrix::box, 0, 3}};
    if (std::getenv("MANTISSA_CORE_SWEEP") == nullptr) return list;
    for (const std::string& spec : specs)
        for (const test::Matrix matrix : {test::Matrix::box, test::Matrix::general})
            for (const int lanes : {1, 2, 4, 16, 64})
                for (int outer = 1; outer <= lanes; outer *= lanes > 4 ? 16 : 4)
                    list.push_back({spec + (lanes > 1 ? ",lanes=" + std::to_string(lanes) : ""), outer, matrix});
    for (const std::string& spec : specs)
        for (const int cores : {2, 3, 5})
            for (const int lanes : {1, 4})
                list.push_back(
                    {spec + (lanes > 1 ? ",lanes=4" : ""), lanes == 1 ? 1 : 2, test::Matrix::general, 0, cores});
    return list;
}

class ResidentCore : public ::testing::TestWithParam<Case> {
protected:
    ResidentCore() : spec_(parse_spec(GetParam().spec)), emulated_(make_emulated_engine()) {
        RtlOptions options;
        options.outer_lanes = GetParam().outer_lanes;
        options.cores = GetParam().cores;
        if (GetParam().checks != 0) options.extra.emplace_back("Checks", GetParam().checks);
        rtl_ = make_rtl_engine(options);
    }
    [[nodiscard]] System system(std::size_t row_length, std::size_t rows) const {
        return test::system_of(GetParam().matrix, spec_, row_length, rows);
    }
    /// A right-hand side of norm 1 or so; 0 on the edge.
    static std::vector<Word> random_words(const System& system, std::mt19937_64& random) {
        std::vector<Word> b(system.size());
        const double one = std::ldexp(1.0, kDefectFraction) / std::sqrt(static_cast<double>(b.size()));
        for (std::size_t i = 0; i < b.size(); ++i)
            if (!system.on_edge(i)) b[i] = static_cast<Word>(std::normal_distribution<>(0, 0.7 * one)(random));
        return b;
    }

    /// Both, and all that they leave; returns the end, by its name.
    static std::string both(ResidentSolver& rtl, ResidentSolver& emulated, const std::vector<Word>& b,
                            const ResidentRequest& request) {
        const ResidentReport x = rtl.solve(b, request), y = emulated.solve(b, request);
        EXPECT_EQ(to_string(x.end), to_string(y.end)) << rtl.fault();
        EXPECT_EQ(x.passes, y.passes);
        EXPECT_EQ(x.steps, y.steps);
        EXPECT_EQ(x.formed_again, y.formed_again);
        EXPECT_EQ(x.overflows, y.overflows);
        EXPECT_EQ(x.sigma_guards, y.sigma_guards);
        EXPECT_EQ(x.headroom, y.headroom);
        EXPECT_EQ(x.e, y.e);
        EXPECT_EQ(x.rr, y.rr);
        EXPECT_EQ(x.overflow_v, y.overflow_v);
        EXPECT_EQ(x.overflow_d, y.overflow_d);
        EXPECT_EQ(x.words, y.words);
        EXPECT_EQ(x.history, y.history);
        std::vector<Word> v(b.size()), w(b.size());
        rtl.read(0, v);
        emulated.read(0, w);
        EXPECT_EQ(v, w);
        return to_string(y.end);
    }

    DatapathSpec spec_;
    std::unique_ptr<Engine> emulated_, rtl_;
};

TEST_P(ResidentCore, SolvesOfAnyShape) {
    const auto lanes = static_cast<std::size_t>(spec_.lanes);
    std::mt19937_64 random(3);
    for (const auto& [row, rows] :
         std::vector<std::pair<std::size_t, std::size_t>>{{std::max<std::size_t>(3, lanes), 3},
                                                          {lanes + 5, 7},
                                                          {2 * lanes + 7, 9},
                                                          {4 * lanes, 5},
                                                          {3 * lanes + 1, 4},
                                                          {13, 31}}) {
        SCOPED_TRACE(std::to_string(row) + " x " + std::to_string(rows));
        const System of = system(row, rows);
        if (GetParam().cores > 1 && !rtl_->resident_refusal(spec_, of, kIterate).empty()) continue; // too few rows
        const auto rtl = rtl_->resident(of, spec_, kIterate, 1), emulated = emulated_->resident(of, spec_, kIterate, 1);
        for (const std::uint64_t inner : {1, 3, 10}) { // one solve after the other
            const ResidentRequest request{.inner = inner,
                                          .headroom = static_cast<int>(inner) % 4 - 1,
                                          .relax = static_cast<int>(inner) % 3,
                                          .max_passes = 61,
                                          .tolerance = resident_tolerance(spec_.scalar, 1e-9)};
            both(*rtl, *emulated, random_words(of, random), request);
            if (HasFailure()) return;
        }
    }
}

// Too little headroom: words overflow, the run is lost, and the solve goes on with one bit more.
TEST_P(ResidentCore, OverflowsAreRetried) {
    const System of = system(21, 19);
    const auto rtl = rtl_->resident(of, spec_, kIterate, 1), emulated = emulated_->resident(of, spec_, kIterate, 1);
    std::mt19937_64 random(5);
    std::uint64_t overflows = 0;
    for (const int headroom : {-1, -2, -3, -6}) {
        const std::vector<Word> b = random_words(of, random);
        const ResidentRequest request{
            .headroom = headroom, .max_passes = 200, .tolerance = resident_tolerance(spec_.scalar, 1e-8)};
        both(*rtl, *emulated, b, request);
        if (HasFailure()) return;
        overflows += emulated->solve(b, request).overflows;
    }
    EXPECT_GT(overflows, 2U);
}

TEST_P(ResidentCore, Ends) {
    const System of = system(21, 19);
    const auto rtl = rtl_->resident(of, spec_, kIterate, 1), emulated = emulated_->resident(of, spec_, kIterate, 1);
    std::mt19937_64 random(7);
    const std::vector<Word> b = random_words(of, random), zero(b.size());
    const ResidentTolerance tolerance = resident_tolerance(spec_.scalar, 1e-6);
    EXPECT_EQ(both(*rtl, *emulated, zero, {.max_passes = 50, .tolerance = tolerance}), "exact");
    EXPECT_EQ(both(*rtl, *emulated, b, {.max_passes = 500, .tolerance = tolerance}), "converged");
    EXPECT_EQ(both(*rtl, *emulated, b, {.inner = 7, .max_passes = 17, .tolerance = tolerance}), "passes");
    EXPECT_EQ(both(*rtl, *emulated, b, {.max_passes = 0, .tolerance = tolerance}), "passes");
    EXPECT_EQ(both(*rtl, *emulated, b, {.headroom = -5000, .max_passes = 20, .tolerance = tolerance}),
              "window overflow");
    EXPECT_EQ(both(*rtl, *emulated, b, {.headroom = 5000, .max_passes = 20, .tolerance = tolerance}), "fault");
    // Far beyond what D resolves.
    both(*rtl, *emulated, b, {.max_passes = 900, .tolerance = resident_tolerance(spec_.scalar, 1e-30)});
    // p.q is zero where only a corner of the grid is not: every run ends indefinite.
    std::vector<Word> corner(b.size());
    corner[0] = Word{1} << (kDefectFraction - 1);
    EXPECT_EQ(both(*rtl, *emulated, corner, {.max_passes = 50, .tolerance = tolerance}), "indefinite");
    // Elements beyond the norm, as far as the words go.
    std::vector<Word> large(b.size());
    for (std::size_t i = 0; i < large.size(); ++i) large[i] = static_cast<Word>(random());
    both(*rtl, *emulated, large, {.max_passes = 100, .tolerance = tolerance});
}

// What watches ends a solve where it stands.
TEST_P(ResidentCore, IsStopped) {
    const System of = system(21, 19);
    const auto rtl = rtl_->resident(of, spec_, kIterate, 1), emulated = emulated_->resident(of, spec_, kIterate, 1);
    std::mt19937_64 random(9);
    const std::vector<Word> b = random_words(of, random);
    const ResidentRequest request{.inner = 4,
                                  .max_passes = 100,
                                  .tolerance = resident_tolerance(spec_.scalar, 1e-6),
                                  .watch = [](const ResidentPoint& point) { return point.steps < 3; }};
    EXPECT_EQ(both(*rtl, *emulated, b, request), "stopped");
    EXPECT_EQ(both(*rtl, *emulated, b, {.max_passes = 500, .tolerance = request.tolerance}), "converged");
}

/// What a user does, at levels 5 and 6, to ten digits; and the clocks that steps take beside their elements.
TEST_P(ResidentCore, WholeSolves) {
    if (GetParam().matrix == test::Matrix::general) GTEST_SKIP() << "the model's stencil is not the problem's";
    for (const char* name : {"poisson2d:level=5", "poisson2d:level=6"}) {
        const Problem problem = make_problem(name);
        SolveOptions options;
        options.spec = spec_;
        options.resident = true;
        options.outer = kIterate;
        const SolveResult x = solve(problem, *rtl_, options), y = solve(problem, *emulated_, options);
        EXPECT_EQ(to_string(x.status), "converged") << x.detail;
        EXPECT_EQ(x.inner_iterations, y.inner_iterations);
        EXPECT_EQ(x.outer_iterations, y.outer_iterations);
        EXPECT_EQ(x.u, y.u);
        const auto lanes = static_cast<std::size_t>(spec_.lanes),
                   outer = static_cast<std::size_t>(GetParam().outer_lanes);
        const std::size_t n = problem.system.size(), row = problem.system.row_length();
        // A step is its passes, one that adds alpha p, and one of the outer unit. Beside their elements and a row, a
        // pass takes below 100 clocks with scalars of up to 23 bits, and the outer unit with two quotients not many
        // more.
        const auto formed = [](int frac, int rne) { return latency::scalar_clocks(1, 0, frac, rne, 1, 0); };
        const int more =
            std::max(0, formed(spec_.scalar.fraction_bits, spec_.scalar.truncates() ? 0 : 1) - formed(23, 0));
        const std::size_t steps = x.outer_iterations + 1 + x.resident->formed_again,
                          passes = x.inner_iterations + x.outer_iterations;
        // Of several cores each has its share, up to a row more, and a row and two tokens of its neighbours at either
        // end; these are shared in front of a pass and of a correction, 8 clocks a round beside the tokens.
        const auto cores = static_cast<std::size_t>(GetParam().cores);
        const auto several = [&](std::size_t width) { return cores == 1 ? 0 : row / width + 2 * (row / width + 2); };
        const std::size_t shared = cores == 1 ? 0 : 2 * (row / lanes + 2 + 8);
        const std::size_t moving = passes * (n / cores / lanes + row / lanes + 2 + several(lanes) + shared) +
                                   steps * (n / cores / outer + row / outer + 2 + several(outer) + shared);
        const auto beside = static_cast<std::int64_t>(*x.cycles) - static_cast<std::int64_t>(moving);
        EXPECT_LT(beside, static_cast<std::int64_t>(passes + 2 * steps) * (100 + more));
        RecordProperty("clocks_beside_of_a_step", static_cast<int>(beside / static_cast<std::int64_t>(steps)));
    }
}

std::string name_of(const ::testing::TestParamInfo<Case>& info) {
    const std::string& spec = info.param.spec;
    return spec.substr(0, 4) + "_lanes" + std::to_string(parse_spec(spec).lanes) + "_outer" +
           std::to_string(info.param.outer_lanes) + (info.param.matrix == test::Matrix::box ? "" : "_general") +
           (info.param.checks != 0 ? "_checked" : "") +
           (info.param.cores > 1 ? "_cores" + std::to_string(info.param.cores) : "") + "_" + std::to_string(info.index);
}

INSTANTIATE_TEST_SUITE_P(Cases, ResidentCore, ::testing::ValuesIn(cases()), name_of);

} // namespace
} // namespace mantissa::sim
