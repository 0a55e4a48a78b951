// Cores of the Chebyshev recurrence against the emulated engine: the same vectors and the same reports after every
// pass, with random stalls, and how many clocks a pass takes. Three models of its own, with the rules of the core's
// interfaces as assertions.
#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core_registers.hpp"
#include "fixed_systems.hpp"
#include "mantissa/chebyshev.hpp"
#include "mantissa/checked_engine.hpp"
#include "mantissa/host/problem.hpp"
#include "mantissa/host/solve.hpp"
#include "mantissa/sim/rtl_engine.hpp"
#include "systems.hpp"

namespace mantissa::sim {
namespace {

using test::Matrix;

struct Case {
    const char* spec;
    Matrix matrix;
};
constexpr Case kCases[] = {{"fx18.16", Matrix::box},
                           {"fx20.18,operand=s23e11,lanes=4", Matrix::bands_with_sums},
                           {"s17e8,lanes=2", Matrix::box}};

constexpr SessionOptions kChebyshev{1, Recurrence::chebyshev};

RtlOptions options(double stall = 0, std::uint64_t seed = 1) {
    RtlOptions o;
    o.memory.stall = stall;
    o.memory.seed = seed;
    o.rules = true;
    return o;
}

/// Both engines' sessions, which are given the same.
struct Pair {
    Pair(const Engine& rtl, const System& system, const DatapathSpec& spec)
        : size(system.size()), subject(rtl.load(system, spec, kChebyshev)),
          reference(make_emulated_engine()->load(system, spec, kChebyshev)) {}
    void write(Vec v, const std::vector<double>& values) const {
        subject->write(v, 0, values);
        reference->write(v, 0, values);
    }
    /// Returns how the reference's run ended.
    RunEnd run(std::span<const StepPair> pairs, std::uint64_t number) const {
        const RunRequest request{.passes = pairs.size(), .pairs = pairs};
        const RunReport a = subject->run(request), b = reference->run(request);
        compare(a, b, number);
        return b.end;
    }
    void compare(const RunReport& a, const RunReport& b, std::uint64_t number) const {
        ASSERT_EQ(to_string(a.end), to_string(b.end)) << "run " << number << " " << subject->fault();
        ASSERT_EQ(a.passes, b.passes) << "run " << number;
        ASSERT_EQ(a.sigma_guards, 0U);
        test::expect_same_words(a.words, b.words, number);
        test::expect_same_state(*subject, *reference, size, number);
    }
    std::size_t size;
    std::unique_ptr<Session> subject, reference;
};

std::vector<double> start_of(const System& system, double size, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::uniform_real_distribution<double> uniform(-size, size);
    std::vector<double> r(system.size());
    for (std::size_t i = 0; i < r.size(); ++i) r[i] = system.on_edge(i) ? 0.0 : uniform(random);
    return r;
}

class Chebyshev : public ::testing::TestWithParam<Case> {
protected:
    [[nodiscard]] DatapathSpec spec() const { return parse_spec(GetParam().spec); }
    [[nodiscard]] System system(std::size_t row, std::size_t rows) const {
        return test::system_of(GetParam().matrix, spec(), row, rows);
    }
};

TEST_P(Chebyshev, PassesWithStalls) {
    std::uint64_t seed = 1;
    for (const auto& [row, rows] : {std::pair<std::size_t, std::size_t>{5, 3}, {9, 7}, {16, 5}, {23, 9}}) {
        SCOPED_TRACE(std::to_string(row) + " x " + std::to_string(rows));
        RtlOptions o = options(seed == 1 ? 0 : seed % 2 == 0 ? 0.02 : 0.2, seed);
        if (seed == 3) {
            o.memory.bytes_per_cycle = 24;
            o.memory.latency = 40;
            o.memory.fifo_beats = 8;
        }
        const System a = system(row, rows);
        const Pair pair(*make_rtl_engine(o), a, spec());
        pair.write(Vec::r, start_of(a, 0.05, seed));
        const std::vector<StepPair> pairs = chebyshev_pairs({0.9, 20}, 11);
        pair.run(std::span(pairs).first(1), 1); // one alone, some together, and what the table held before again
        pair.run(std::span(pairs).subspan(1, 7), 2);
        pair.run(std::span(pairs).subspan(8), 3);
        pair.run(std::span(pairs).first(5), 4);
        ++seed;
        if (HasFatalFailure()) return;
    }
}

// alpha and beta of every size and sign, zeros among them; in words sums that fit and sums that overflow.
TEST_P(Chebyshev, AnyPairs) {
    const System a = system(11, 5);
    const Pair pair(*make_rtl_engine(options()), a, spec());
    std::mt19937_64 random(7);
    std::uniform_real_distribution<double> significand(-2, 2);
    std::uniform_int_distribution<int> exponent(-24, 6);
    int overflows = 0, others = 0;
    for (std::uint64_t k = 0; k < 40; ++k) {
        for (const Vec v : {Vec::u, Vec::r, Vec::p, Vec::q})
            pair.write(v, start_of(a, std::ldexp(1.0, -int(k % 9)), k));
        std::vector<StepPair> pairs(3);
        for (StepPair& p : pairs)
            p = {k % 7 == 0 ? 0.0 : std::ldexp(significand(random), exponent(random)),
                 k % 5 == 0 ? 0.0 : std::ldexp(significand(random), exponent(random))};
        (pair.run(pairs, k) == RunEnd::window_overflow ? overflows : others) += 1;
        if (HasFatalFailure()) return;
    }
    if (spec().fixed_vectors()) {
        EXPECT_GT(overflows, 3);
    }
    EXPECT_GT(others, 3);
}

// A run with more passes than the table has pairs goes in pieces.
TEST_P(Chebyshev, RunsBeyondTheTable) {
    const System a = system(8, 3);
    const Pair pair(*make_rtl_engine(options()), a, spec());
    pair.write(Vec::r, start_of(a, 0.05, 3));
    std::vector<StepPair> pairs = chebyshev_pairs({0.9, 20}, 20);
    std::mt19937_64 random(5);
    while (pairs.size() < 1100) {
        const double more = std::ldexp(static_cast<double>(random() % 1000), -12);
        pairs.push_back({0.5 + more, 0.25 * more});
    }
    pair.run(pairs, 1);
}

TEST_P(Chebyshev, ScalarsReadAsZero) {
    const System a = system(9, 5);
    const auto session = make_rtl_engine(options())->load(a, spec(), kChebyshev);
    auto& core = dynamic_cast<RtlSession&>(*session);
    session->write(Vec::r, 0, start_of(a, 0.05, 3));
    const std::vector<StepPair> pairs = chebyshev_pairs({0.9, 20}, 3);
    EXPECT_EQ(session->run({.passes = 4, .pairs = pairs}).end, RunEnd::passes);
    for (const std::uint32_t address : {kAlpha, kBeta, kRho, kPq, kQq, kSigma}) {
        EXPECT_EQ(core.read_register(address), 0U);
        EXPECT_EQ(core.read_register(address + 4), 0U);
    }
    EXPECT_NE(core.read_register(kConfig) & (1U << 11), 0U);
}

std::string name_of(const ::testing::TestParamInfo<Case>& c) {
    return c.index == 0 ? "words" : c.index == 1 ? "streamed_words" : "floating";
}
INSTANTIATE_TEST_SUITE_P(Cores, Chebyshev, ::testing::ValuesIn(kCases), name_of);

// Beyond the elements and one grid row a pass of the integer core takes fewer than 40 clocks.
TEST(ChebyshevClocks, BeyondTheData) {
    const DatapathSpec spec = parse_spec("fx18.16");
    const System a = test::system_of(Matrix::box, spec, 65, 65);
    const auto session = make_rtl_engine(options())->load(a, spec, kChebyshev);
    session->write(Vec::r, 0, start_of(a, 0.01, 3));
    const std::vector<StepPair> pairs = chebyshev_pairs({0.9, 20}, 20);
    const RunReport report = session->run({.passes = 21, .pairs = pairs});
    ASSERT_EQ(report.passes, 21U);
    const double beyond = static_cast<double>(report.cycles.value()) / 21 - 65 * 65 - 65;
    RecordProperty("clocks_beyond_the_data", std::to_string(beyond));
    EXPECT_LT(beyond, 40);
    EXPECT_GT(beyond, 10);
}

// A whole solve, every pass compared.
TEST(ChebyshevClocks, SolvesAsTheEmulatedEngineDoes) {
    const auto rtl = make_rtl_engine(options(0.05, 4)), emulated = make_emulated_engine();
    const auto checked = make_checked_engine(*rtl, *emulated);
    SolveOptions o;
    o.scheme = Scheme::defect_correction;
    o.recurrence = RecurrenceChoice::chebyshev;
    o.inner = 30;
    o.spec = parse_spec("fx18.16");
    o.tolerance = 1e-6;
    const SolveResult result = solve(make_problem("poisson2d:level=4"), *checked, o);
    EXPECT_EQ(result.status, Status::converged) << result.detail;
    EXPECT_GT(result.cycles.value_or(0), 0U);
}

TEST(ChebyshevClocks, OtherCoresRefuse) {
    const System grid = test::poisson_stencil(9, 9);
    RtlOptions two = options();
    two.cores = 2;
    EXPECT_NE(make_rtl_engine(two)->refusal(parse_spec("fx18.16"), grid, kChebyshev).find("one core"),
              std::string::npos);
    const System rows = CompressedRows({0, 1, 2}, {0, 1}, {1.0, 1.0});
    EXPECT_NE(make_rtl_engine(options())->refusal(parse_spec("fx18.16"), rows, kChebyshev).find("grid"),
              std::string::npos);
}

} // namespace
} // namespace mantissa::sim
