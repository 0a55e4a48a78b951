// Several integer cores on one solve against the emulated engine: the same words of u, r, p and q, the same scalars and
// the same report, whatever the slabs, the matrix, the lanes and the memory; and a core that overflows or fails ends
// the run of all. MANTISSA_CORE_SWEEP=1 in the environment runs every small grid.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core_registers.hpp"
#include "fixed_systems.hpp"
#include "mantissa/checked_engine.hpp"
#include "mantissa/engine.hpp"
#include "mantissa/host/solve.hpp"
#include "mantissa/sim/latencies.hpp"
#include "mantissa/sim/rtl_engine.hpp"
#include "session_pair.hpp"
#include "slabs.hpp"
#include "specs.hpp"
#include "systems.hpp"

namespace mantissa::sim {
namespace {

using test::CoresCase;
using test::Matrix;

class Cores : public ::testing::TestWithParam<CoresCase> {
protected:
    DatapathSpec spec() const { return parse_spec(GetParam().spec); }
    System system(std::size_t row_length, std::size_t rows) const {
        return test::system_of(GetParam().matrix, spec(), row_length, rows);
    }
    RtlOptions options(double stall = 0, std::uint64_t seed = 1) const {
        RtlOptions o;
        o.memory.stall = stall;
        o.memory.seed = seed;
        o.rules = GetParam().rules;
        o.cores = GetParam().cores;
        o.patience = 5000;
        return o;
    }
    std::unique_ptr<RtlSession> load(const System& system, double stall = 0) const {
        auto session = make_rtl_engine(options(stall))->load(system, spec(), {});
        return std::unique_ptr<RtlSession>(dynamic_cast<RtlSession*>(session.release()));
    }
    std::vector<Slab> slabs_of(const System& system) const {
        return slabs(system.size(), system.row_length(), spec().lanes, GetParam().cores,
                     system.kind() == System::Kind::stencil && spec().lanes == 1);
    }
    /// A registers' page: that of all cores, or core k's at k + 1.
    static constexpr std::uint32_t page(std::uint32_t k) { return k << 8; }
    /// Rows that are a multiple of the lanes and rows that are none, and slabs that end in the middle of a row.
    std::vector<std::pair<std::size_t, std::size_t>> shapes() const {
        const auto lanes = static_cast<std::size_t>(spec().lanes), cores = static_cast<std::size_t>(GetParam().cores);
        if (std::getenv("MANTISSA_CORE_SWEEP") != nullptr) return every_shape();
        return {{lanes + 2, 4 * cores}, {lanes + 5, 3 * cores + 4}, {2 * lanes + 7, 9}, {4 * lanes, 4 * cores + 1}};
    }
    /// All small ones of which every core gets a slab.
    std::vector<std::pair<std::size_t, std::size_t>> every_shape() const {
        const auto lanes = static_cast<std::size_t>(spec().lanes);
        const bool constant = GetParam().matrix == Matrix::box || GetParam().matrix == Matrix::general;
        std::vector<std::pair<std::size_t, std::size_t>> list;
        for (std::size_t row = std::max<std::size_t>(3, lanes); row < 3 * lanes + 9; ++row)
            for (std::size_t rows = 3; rows < 14; ++rows)
                if (!slabs(row * rows, row, spec().lanes, GetParam().cores, constant && lanes == 1).empty())
                    list.emplace_back(row, rows);
        return list;
    }
    /// A run from a start agrees with the emulated engine: the cores are as good as new.
    void expect_healthy(RtlSession& session, const System& system) const {
        const auto reference = emulated_->load(system, spec(), {});
        const std::vector<double> r(1, 0.125);
        for (Session* const s : {static_cast<Session*>(&session), reference.get()}) {
            for (const Vec v : {Vec::u, Vec::r, Vec::p, Vec::q}) s->clear(v);
            s->write(Vec::r, system.row_length() + 1, r);
            s->set_scalars(0, 0);
            ASSERT_EQ(s->run({3}).passes, 3U) << s->fault();
        }
        test::expect_same_state(session, *reference, system.size(), 3);
    }
    /// Starts a run, which is to end with a fault in all cores: with `errors` in one, and aborted in the others.
    void expect_fault(RtlSession& session, std::uint32_t core, std::uint32_t errors) const {
        session.start({3});
        ASSERT_TRUE(session.advance(0)) << session.fault();
        EXPECT_EQ(session.read_register(page(0) + kErrors), errors | kAborted); // of any
        for (std::uint32_t k = 0; k < static_cast<std::uint32_t>(GetParam().cores); ++k) {
            EXPECT_EQ(session.read_register(page(k + 1) + kErrors), k == core ? errors : kAborted) << k;
            EXPECT_EQ(end_number(session.read_register(page(k + 1) + kStatus)),
                      static_cast<std::uint32_t>(RunEnd::fault));
        }
        EXPECT_EQ(session.finish().end, RunEnd::fault);
        session.write_register(kErrors, 0x1FF);
        EXPECT_EQ(session.read_register(kErrors), 0U);
    }
    std::uint32_t last_core() const { return static_cast<std::uint32_t>(GetParam().cores) - 1; }
    std::unique_ptr<Engine> emulated_ = make_emulated_engine();
};

TEST_P(Cores, PassesWithAndWithoutStalls) {
    std::uint64_t seed = 1;
    for (const auto& [row, rows] : shapes())
        for (const double stall : {0.0, 0.02, 0.2}) {
            SCOPED_TRACE(std::to_string(row) + " x " + std::to_string(rows));
            RtlOptions o = options(stall, ++seed);
            if (seed % 3 == 0) {
                o.memory.bytes_per_cycle = 24;
                o.memory.latency = 40;
                o.memory.fifo_beats = 8;
            }
            test::compare_passes(*make_rtl_engine(o), *emulated_, system(row, rows), spec(), 6, seed);
            if (HasFatalFailure()) return;
        }
}

TEST_P(Cores, AnyScalarsAndWords) {
    const auto [row, rows] = shapes()[1];
    const test::Ends ends =
        test::compare_any_scalars(*make_rtl_engine(options(0.05, 3)), *emulated_, system(row, rows), spec(), 60, 7);
    EXPECT_GT(ends.overflows, 5);
    EXPECT_GT(ends.others, 5);
}

// Each element in its turn is the only one whose word overflows: beyond a border it is read by two cores, and one of
// them owns it.
TEST_P(Cores, AnOverflowInOneCoreEndsAll) {
    const auto [row, rows] = shapes()[0];
    const System grid = system(row, rows);
    test::SessionPair pair(*make_rtl_engine(options()), *emulated_, grid, spec());
    std::mt19937_64 random(5);
    const double much[] = {0.9 * spec().r.max()}, minus[] = {-0.9 * spec().q.max()};
    for (std::size_t i = 0; i < grid.size(); ++i) {
        SCOPED_TRACE(i);
        pair.fill(random, 6);
        pair.write(Vec::r, i, much);
        pair.write(Vec::q, i, minus);
        pair.set_scalars(0.75, 0.0);
        ASSERT_EQ(to_string(pair.run({3}, i).end), "window overflow");
        if (HasFatalFailure()) return;
    }
}

TEST_P(Cores, RunsInPiecesAndToAThreshold) {
    const auto [row, rows] = shapes()[2];
    const System grid = system(row, rows);
    test::SessionPair pieces(*make_rtl_engine(options(0.05, 3)), *emulated_, grid, spec());
    std::vector<double> d(grid.size());
    for (std::size_t i = 0; i < d.size(); ++i)
        if (!grid.on_edge(i)) d[i] = 0.02 * static_cast<double>((i * 7) % 11) - 0.1;
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
}

// What a pass takes beside the elements of the longest slab: a few clocks more than one core does
// (fixed_core_test.cpp).
TEST_P(Cores, FixedClocksOfAPass) {
    const auto formed = [](int frac, int rne) { return latency::scalar_clocks(1, 0, frac, rne, 1, 0); };
    const int rne = spec().scalar.truncates() ? 0 : 1;
    const int more = std::max(0, formed(spec().scalar.fraction_bits, rne) - formed(23, 0));
    const auto lanes = static_cast<std::size_t>(spec().lanes);
    const System grid = system(4 * lanes + 1, 9 * static_cast<std::size_t>(GetParam().cores));
    // Beyond the vector's end one core goes on for a row.
    std::size_t moving = 0;
    for (const Slab& slab : slabs_of(grid))
        moving = std::max(moving, (slab.length + lanes - 1) / lanes +
                                      (slab.halo_last == 0 ? grid.row_length() / lanes + 1 : 0));
    const auto session = load(grid);
    const std::vector<double> r(1, 0.125);
    session->write(Vec::r, grid.row_length() + 1, r);
    session->set_scalars(0, 0);
    const RunReport report = session->run({2});
    ASSERT_EQ(report.passes, 2U) << session->fault();
    EXPECT_LT(*report.cycles / 2, moving + 103 + static_cast<std::uint64_t>(more));
    RecordProperty("fixed_clocks", static_cast<int>(*report.cycles / 2 - moving));
}

// A stream of one core that ends early or dies: that core's fault ends the others' run too, which would wait for its
// totals for ever, and after a reset all is as before.
TEST_P(Cores, AFaultOfOneCoreEndsAll) {
    const auto [row, rows] = shapes()[1];
    const System grid = system(row, rows);
    const auto session = load(grid);
    for (const std::uint32_t core : {0U, last_core()})
        for (const bool dies : {false, true}) {
            SCOPED_TRACE(std::to_string(core) + (dies ? " dies" : " ends early"));
            session->set_misbehaviour({dies ? Misbehaviour::Kind::ends : Misbehaviour::Kind::early_last, 1, 2, core});
            session->write_register(kStallLimit, dies ? 300 : 0);
            expect_fault(*session, core, dies ? kStalled : kEndedEarly);
            session->set_misbehaviour({});
            session->reset();
            expect_healthy(*session, grid);
            if (HasFatalFailure()) return;
        }
}

// A slab that does not fit its core is refused when a run starts, in which the others have begun: no reset is wanted.
TEST_P(Cores, ASlabThatDoesNotFitIsRefused) {
    const auto [row, rows] = shapes()[1];
    const System grid = system(row, rows);
    const auto session = load(grid);
    const std::uint32_t core = last_core(), at = page(core + 1);
    const auto lanes = static_cast<std::uint32_t>(spec().lanes);
    const Slab slab = slabs_of(grid)[core];
    const auto halo = static_cast<std::uint32_t>(slab.halo_first), length = static_cast<std::uint32_t>(slab.length),
               columns = static_cast<std::uint32_t>(row);
    const auto refuse = [&](std::uint32_t address, std::uint32_t value) {
        SCOPED_TRACE("register " + std::to_string(address) + ", " + std::to_string(value));
        const std::uint32_t before = session->read_register(at + address);
        session->write_register(at + address, value);
        EXPECT_EQ(session->read_register(at + address), value);
        expect_fault(*session, core, kBadRowLength);
        session->write_register(at + address, before);
        expect_healthy(*session, grid);
    };
    refuse(kHaloFirst, (columns - 1) / lanes * lanes);  // below a row
    refuse(kHaloFirst, length / lanes * lanes + lanes); // nothing is left
    refuse(kHaloLast, length / lanes * lanes);
    refuse(kHaloLast, columns / lanes * lanes + 4 * lanes); // more than the last row takes
    refuse(kHaloColumn, columns);
    if (lanes > 1) refuse(kHaloFirst, halo + 1); // no whole beats
    if (lanes == 1) {                            // no whole rows
        refuse(kHaloFirst, halo + 1);
        refuse(kHaloColumn, 1);
    }
}

// What all cores have in common is written on the page of all; a core alone answers an error, and keeps what it has.
TEST_P(Cores, RegistersOfAllAndOfOne) {
    const System grid = system(shapes()[1].first, shapes()[1].second);
    const auto session = load(grid);
    EXPECT_EQ(session->read_register(kId), kIdValue);
    session->write_register(kPasses, 7);
    session->write_register(page(1) + kPasses, 9);
    if (GetParam().cores == 2) session->write_register(page(3) + kPasses, 9); // no such core; three have no such page
    const std::vector<Slab> list = slabs_of(grid);
    for (std::uint32_t k = 0; k <= last_core(); ++k) {
        EXPECT_EQ(session->read_register(page(k + 1) + kPasses), 7U);
        EXPECT_EQ(session->read_register(page(k + 1) + kLength), list[k].length);
        EXPECT_EQ(session->read_register(page(k + 1) + kHaloFirst), list[k].halo_first);
        EXPECT_EQ(session->read_register(page(k + 1) + kHaloLast), list[k].halo_last);
    }
    session->write_register(page(0) + kHaloLast, 64);
    for (std::uint32_t k = 0; k <= last_core(); ++k) EXPECT_EQ(session->read_register(page(k + 1) + kHaloLast), 64U);
}

/// A level-7 solve on the model without rules, each pass compared.
TEST_P(Cores, SolvesWithEveryIterationEqual) {
    if (GetParam().rules) GTEST_SKIP() << "slow with rules";
    const auto rtl = make_rtl_engine(options());
    const auto checked = make_checked_engine(*rtl, *emulated_);
    SolveOptions solve_options;
    solve_options.spec = spec();
    solve_options.tolerance = 1e-8;
    const Problem problem = make_problem("poisson2d:level=7");
    const SolveResult a = solve(problem, *checked, solve_options);
    EXPECT_EQ(to_string(a.status), "converged") << a.detail;
    EXPECT_GT(a.inner_iterations, 100U);
}

// Every element is one core's own, slabs begin and end with whole beats, and halos reach a row and an element far.
TEST(Slabs, CoverTheVectorOnce) {
    for (const std::size_t row : {9U, 16U, 33U, 129U})
        for (const int lanes : {1, 2, 8})
            for (const bool whole_rows : {false, true})
                for (int cores = 1; cores <= 9; ++cores) {
                    if (whole_rows && lanes > 1) continue;
                    const std::size_t size = row * 41;
                    const std::vector<Slab> list = slabs(size, row, lanes, cores, whole_rows);
                    ASSERT_EQ(list.size(), static_cast<std::size_t>(cores));
                    const auto beat = static_cast<std::size_t>(lanes);
                    std::size_t at = 0, most = 0, least = size;
                    for (const Slab& slab : list) {
                        EXPECT_EQ(slab.first + slab.halo_first, at);
                        EXPECT_EQ(slab.first % beat + slab.halo_first % beat + slab.halo_last % beat, 0U);
                        EXPECT_EQ(slab.column, slab.first % row);
                        for (const std::size_t halo : {slab.halo_first, slab.halo_last})
                            EXPECT_TRUE(halo == 0 || halo >= (whole_rows ? row : row + 1));
                        at = slab.first + slab.length - slab.halo_last;
                        const std::size_t clocks = slab.length + (at == size ? slab.halo_first : 0);
                        most = std::max(most, clocks);
                        least = std::min(least, clocks);
                    }
                    EXPECT_EQ(at, size);
                    EXPECT_LE(most - least, 2 * std::max(beat, whole_rows ? row : 1));
                }
    EXPECT_TRUE(slabs(9 * 3, 9, 1, 4, true).empty());
    EXPECT_NE(slabs_refusal(9 * 3, 9, 1, 4, true).find("use 2 or fewer"), std::string::npos)
        << slabs_refusal(9 * 3, 9, 1, 4, true);
}

TEST(CoresRefusal, SaysWhyInOneLine) {
    RtlOptions options;
    options.cores = 4;
    const auto rtl = make_rtl_engine(options);
    const auto refused = [&](const char* spec, const char* part, const System& system) {
        const std::string why = rtl->refusal(parse_spec(spec), system, {});
        EXPECT_NE(why.find(part), std::string::npos) << spec << ": " << why;
        EXPECT_EQ(why.find('\n'), std::string::npos) << why;
        EXPECT_THROW((void)rtl->load(system, parse_spec(spec), {}), InvalidInput);
    };
    EXPECT_EQ(rtl->refusal(parse_spec("fx18.14"), test::poisson_stencil(9, 40), {}), "");
    refused("s17e8", "fixed-point words only", test::poisson_stencil(9, 40));
    refused("fx18.14", "too short for 4 cores", test::poisson_stencil(9, 3));
}

INSTANTIATE_TEST_SUITE_P(Cases, Cores, ::testing::ValuesIn(test::cores_cases()), test::name_of_cores_case);

} // namespace
} // namespace mantissa::sim
