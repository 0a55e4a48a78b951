// The sparse core against the emulated engine: the same words, scalars and reports after every pass, whatever the
// pattern, the words, the lanes and the stalls; the clocks of a pass; faults and refusals. Each spec is a model, 10 s.
#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "mantissa/checked_engine.hpp"
#include "mantissa/engine.hpp"
#include "mantissa/host/solve.hpp"
#include "mantissa/sim/latencies.hpp"
#include "mantissa/sim/rtl_engine.hpp"
#include "mantissa/sim/sparse_core.hpp"
#include "session_pair.hpp"
#include "systems.hpp"

namespace mantissa::sim {
namespace {

using Entries = std::map<std::pair<std::size_t, std::size_t>, double>;

CompressedRows rows_of(std::size_t n, const Entries& entries) {
    std::vector<std::uint64_t> begin(n + 1, 0);
    std::vector<std::uint32_t> column;
    std::vector<double> value;
    for (const auto& [at, a] : entries) {
        ++begin[at.first + 1];
        column.push_back(static_cast<std::uint32_t>(at.second));
        value.push_back(a);
    }
    for (std::size_t i = 0; i < n; ++i) begin[i + 1] += begin[i];
    return {begin, column, value};
}

/// A symmetric matrix with a unit diagonal, rows of any length, two full ones, and some that are empty.
CompressedRows random_symmetric(std::size_t n, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::uniform_real_distribution<double> weight(-0.4, 0.1);
    Entries entries;
    const auto couple = [&](std::size_t i, std::size_t j) {
        if (i != j && i % 13 != 7 && j % 13 != 7) entries[{i, j}] = entries[{j, i}] = weight(random);
    };
    for (std::size_t i = 0; i < n; ++i) {
        if (i % 13 != 7) entries[{i, i}] = 1;
        for (std::uint64_t k = random() % 6; k > 0; --k) couple(i, random() % n);
        couple(i, 3);
        if (n > 20) couple(i, n / 2);
    }
    return rows_of(n, entries);
}

/// The five-point Laplacian, as rows.
CompressedRows grid(std::size_t side) {
    Entries entries;
    for (std::size_t i = 0; i < side * side; ++i) {
        entries[{i, i}] = 1;
        if (i % side != 0) entries[{i, i - 1}] = entries[{i - 1, i}] = -0.25;
        if (i >= side) entries[{i, i - side}] = entries[{i - side, i}] = -0.25;
    }
    return rows_of(side * side, entries);
}

/// Sides of words and coefficients: 18 x 18, 24 x 18 with points of their own, 27 x 18 rounded down, 20 x 22.
constexpr const char* kSpecs[] = {"fx18.15,lanes=4", "fx18.15,coef=fx24.20,q=fx20.15",
                                  "fx18.14,coef=fx27.25:floor,lanes=8",
                                  "fx22.17,u=fx30.24,coef=fx20.17,operand=s13e8,scalar=s23e8,lanes=16"};

class SparseCore : public ::testing::TestWithParam<const char*> {
protected:
    DatapathSpec spec() const { return parse_spec(GetParam()); }
    static RtlOptions options(double stall = 0, std::uint64_t seed = 1) {
        RtlOptions o;
        o.memory.stall = stall;
        o.memory.seed = seed;
        return o;
    }
    /// Of the smallest memories: one model.
    static constexpr std::size_t kSizes[] = {520, 777, 1000};
    std::unique_ptr<Engine> emulated_ = make_emulated_engine();
};

TEST_P(SparseCore, Passes) {
    const auto rtl = make_rtl_engine(options());
    for (const std::size_t n : kSizes) {
        SCOPED_TRACE(n);
        test::compare_passes(*rtl, *emulated_, random_symmetric(n, n), spec(), 6, n);
        if (HasFatalFailure()) return;
    }
}

TEST_P(SparseCore, PassesWithStalls) {
    std::uint64_t seed = 1;
    for (const std::size_t n : kSizes) {
        SCOPED_TRACE(n);
        RtlOptions o = options(seed % 2 == 0 ? 0.02 : 0.3, seed);
        if (seed % 3 == 0) {
            o.memory.bytes_per_cycle = 5;
            o.memory.latency = 2000;
            o.memory.fifo_beats = 8;
        }
        test::compare_passes(*make_rtl_engine(o), *emulated_, random_symmetric(n, n + 9), spec(), 4, seed);
        ++seed;
        if (HasFatalFailure()) return;
    }
}

TEST_P(SparseCore, AnyScalarsAndWords) {
    const test::Ends ends = test::compare_any_scalars(*make_rtl_engine(options()), *emulated_,
                                                      random_symmetric(kSizes[0], 3), spec(), 40, 7);
    EXPECT_GT(ends.overflows, 5);
    EXPECT_GT(ends.others, 5);
}

TEST_P(SparseCore, PiecesOfAVectorAndThresholds) {
    const auto rtl = make_rtl_engine(options(0.05, 3));
    const System system = random_symmetric(kSizes[0], 4);
    test::SessionPair pair(*rtl, *emulated_, system, spec());
    std::mt19937_64 random(5);
    std::vector<double> d(system.size(), 0.01);
    pair.write(Vec::r, 0, d);
    pair.set_scalars(0, 0);
    double stop = 1e-2;
    for (std::uint64_t k = 0; k < 4; ++k, stop /= 16) {
        RunRequest request;
        request.passes = 5;
        request.rho_stop = stop;
        request.rho_stop_from = 2;
        pair.run(request, k);
        if (HasFatalFailure()) return;
        pair.write(Vec::u, 17 * k, std::vector<double>{0.25, -0.125});
        if (k == 2) {
            pair.subject->clear(Vec::q);
            pair.reference->clear(Vec::q);
        }
    }
}

/// Beats and elements / lanes, and fixed ones: below 100 with scalars of up to 23 fraction bits, and what a longer
/// scalar unit takes more than that one.
TEST_P(SparseCore, ClocksOfAPass) {
    const System system = grid(31);
    const SparseStream stream(std::get<CompressedRows>(system.matrix()), spec());
    const auto formed = [](int frac, int rne) { return latency::scalar_clocks(1, 0, frac, rne, 1, 0); };
    const int rne = spec().scalar.truncates() ? 0 : 1;
    const int more = std::max(0, formed(spec().scalar.fraction_bits, rne) - formed(23, 0));
    const auto session = make_rtl_engine(options())->load(system, spec(), {});
    session->write(Vec::r, 100, std::vector<double>(1, 0.25));
    session->set_scalars(0, 0);
    const RunReport report = session->run({2});
    ASSERT_EQ(report.passes, 2U) << session->fault();
    ASSERT_EQ(to_string(report.end), "passes");
    const std::uint64_t moving = stream.order.beats() + stream.order.slices();
    EXPECT_GE(*report.cycles, 2 * moving);
    EXPECT_LT(*report.cycles, 2 * (moving + 100 + static_cast<std::uint64_t>(more)));
    RecordProperty("fixed_clocks", static_cast<int>(*report.cycles / 2 - moving));
    EXPECT_LT(*report.cycles, 2 * (moving + 120)); // whatever the scalars
    EXPECT_LE(stream.order.figures().conflict_beats * 10, stream.order.beats());
}

INSTANTIATE_TEST_SUITE_P(Specs, SparseCore, ::testing::ValuesIn(kSpecs));

// Rows that are all of one length stay where they are, and their columns near them: the stream's addresses are
// differences.
TEST(SparseCoreColumns, AsDifferences) {
    const DatapathSpec spec = parse_spec(kSpecs[0]);
    Entries entries;
    for (std::size_t i = 0; i < 900; ++i)
        for (std::size_t j = i / 6 * 6; j < i / 6 * 6 + 6; ++j)
            entries[{i, j}] = i == j ? 1 : -0.01 * static_cast<double>(1 + (i + j) % 17);
    const System system = rows_of(900, entries);
    const SparseStream stream(std::get<CompressedRows>(system.matrix()), spec);
    ASSERT_TRUE(stream.order.delta());
    ASSERT_LT(stream.address_field, stream.order.address_bits());
    test::compare_passes(*make_rtl_engine(), *make_emulated_engine(), system, spec, 6, 2);
}

/// Traffic has the columns' bits that a core made for the matrix would have, not those of the shared model; so has what
/// a memory must bring to keep up.
TEST(SparseCoreTraffic, IsOfACoreMadeForTheMatrix) {
    const DatapathSpec spec = parse_spec(kSpecs[0]);
    const System system = grid(6);
    const SparseStream stream(std::get<CompressedRows>(system.matrix()), spec);
    const auto lanes = static_cast<unsigned>(spec.lanes);
    ASSERT_GT(stream.address_field + stream.order.bank_bits(), stream.order.column_bits());
    const std::uint64_t bits = lanes * static_cast<unsigned>(stream.coefficient_bits + stream.order.column_bits()) + 1;
    for (const double share : {1.0, 0.5}) {
        RtlOptions options;
        options.memory.bytes_per_cycle = share * static_cast<double>((bits + 7) / 8);
        const auto session = make_rtl_engine(options)->load(system, spec, {});
        session->write(Vec::r, 10, std::vector<double>(1, 0.25));
        session->set_scalars(0, 0);
        ASSERT_EQ(session->run({3}).passes, 3U) << session->fault();
        const CycleCounts& counts = dynamic_cast<const RtlSession&>(*session).counts();
        EXPECT_EQ(counts.bytes_read, 3 * stream.order.beats() * ((bits + 7) / 8));
        if (share == 1) EXPECT_LE(counts.stalled, 3U);
        else EXPECT_GT(counts.stalled, stream.order.beats());
    }
}

TEST(SparseCoreFaults, EndTheRunAndTheNextOneIsWhole) {
    const System system = random_symmetric(600, 5);
    const DatapathSpec spec = parse_spec(kSpecs[0]);
    RtlOptions options;
    options.patience = 3000;
    const auto emulated = make_emulated_engine();
    test::SessionPair pair(*make_rtl_engine(options), *emulated, system, spec);
    auto& rtl = dynamic_cast<RtlSession&>(*pair.subject);
    std::mt19937_64 random(5);
    const auto broken = [&](Misbehaviour m, const char* part) {
        rtl.set_misbehaviour(m);
        EXPECT_EQ(to_string(rtl.run({2}).end), "fault");
        EXPECT_NE(rtl.fault().find(part), std::string::npos) << rtl.fault();
        rtl.set_misbehaviour({});
        pair.fill(random, 6);
        pair.set_scalars(0.25, 0.5);
        pair.run({3}, 1);
    };
    using Kind = Misbehaviour::Kind;
    pair.fill(random, 6);
    broken({Kind::early_last, 4, 20}, "before its last beat");
    broken({Kind::no_last, 4, 0}, "without tlast");
    broken({Kind::ends, 4, 30}, "watchdog");
    EXPECT_THROW(rtl.set_misbehaviour({Kind::ends, 1, 0}), InvalidInput);
}

TEST(SparseCoreSolve, EveryIterationEqual) {
    const auto rtl = make_rtl_engine();
    const auto emulated = make_emulated_engine();
    const auto checked = make_checked_engine(*rtl, *emulated);
    const CompressedRows a = grid(31);
    Problem problem{.name = "grid", .system = a, .b = std::vector<double>(a.rows(), 1.0), .exact = {}};
    SolveOptions options;
    options.spec = parse_spec(kSpecs[0]);
    options.tolerance = 1e-10;
    const SolveResult x = solve(problem, *checked, options), y = solve(problem, *emulated, options);
    EXPECT_EQ(to_string(x.status), "converged") << x.detail;
    EXPECT_EQ(x.inner_iterations, y.inner_iterations);
    EXPECT_GT(x.inner_iterations, 20U);
}

TEST(SparseCoreRefusal, SaysWhyInOneLine) {
    const auto rtl = make_rtl_engine();
    const auto refused = [&](const char* spec, const char* part, const System& system) {
        const std::string why = rtl->refusal(parse_spec(spec), system, {});
        EXPECT_NE(why.find(part), std::string::npos) << spec << ": " << why;
        EXPECT_EQ(why.find('\n'), std::string::npos) << why;
        EXPECT_THROW((void)rtl->load(system, parse_spec(spec), {}), InvalidInput);
    };
    const System good = random_symmetric(50, 1);
    EXPECT_EQ(rtl->refusal(parse_spec("fx18.15,lanes=16"), good, {}), "");
    refused("s17e8", "fixed-point words", good);
    refused("fx18.15,point=moving", "point=moving", good);
    refused("fx18.15", "a(0, 1) is not a(1, 0)", rows_of(3, {{{0, 0}, 1}, {{0, 1}, 0.5}, {{1, 1}, 1}, {{2, 2}, 1}}));
    refused("fx18.15", "a(1, 0) is not a(0, 1)", rows_of(2, {{{0, 0}, 1}, {{1, 0}, 0.25}, {{1, 1}, 1}}));
    refused("fx18.15", "diagonal of row 1", rows_of(2, {{{0, 0}, 1}, {{1, 1}, -1}}));
    refused("fx18.15", "diagonal of row 0", rows_of(2, {{{0, 1}, 0.5}, {{1, 0}, 0.5}, {{1, 1}, 1}}));
    std::vector<std::uint64_t> begin(kMostSparseRows + 2, 1);
    begin[0] = 0;
    refused("fx18.15", "1048576", CompressedRows(begin, {0}, {1.0}));
    RtlOptions two;
    two.cores = 2;
    EXPECT_NE(make_rtl_engine(two)->refusal(parse_spec("fx18.15"), good, {}).find("one core"), std::string::npos);
}

} // namespace
} // namespace mantissa::sim
