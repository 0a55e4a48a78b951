// The systemc engine: the reference pass's bits whatever the memory and the FIFOs, its clocks, deadlocks explained.
#include <algorithm>
#include <numeric>

#include <gtest/gtest.h>

#include "engine_compare.hpp"
#include "engines_alike.hpp"
#include "mantissa/hls/engine.hpp"
#include "mantissa/sim/systemc_engine.hpp"
#include "session_owns.hpp"
#include "symmetric_systems.hpp"

namespace mantissa {
namespace {

using sim::SystemcOptions;
using sim::SystemReport;
using testing::band_system;
using testing::compare_with_reference;
using testing::stencil_system;

/// A memory that starves the core, with misses and shallow FIFOs.
SystemcOptions slow_memory() {
    SystemcOptions o;
    o.memory.channels = 2;
    o.memory.bytes_per_cycle = 6;
    o.memory.latency = 23;
    o.memory.page_miss = 9;
    o.memory.page_bytes = 512;
    o.memory.burst_beats = 8;
    o.stream_fifo = 12;
    o.link_fifo = 1;
    return o;
}

class SystemcSpec : public ::testing::TestWithParam<const char*> {};

TEST_P(SystemcSpec, EqualsReferencePass) {
    const auto ideal = make_systemc_engine();
    compare_with_reference(*ideal, GetParam(), stencil_system(33, 33), 6); // level 5
    compare_with_reference(*ideal, GetParam(), band_system(9, 21, 3), 4);
    const auto slow = sim::make_systemc_engine(slow_memory());
    compare_with_reference(*slow, GetParam(), stencil_system(17, 13), 5);
    compare_with_reference(*slow, GetParam(), band_system(19, 11, 9), 4);
}

INSTANTIATE_TEST_SUITE_P(Specs, SystemcSpec,
                         ::testing::Values("s17e8", "s20e8", "s23e8", "s14e8,u=s23e8,row=s20e8,dot=fixed[13:-50]",
                                           "s7e8,u=s17e8,row=s13e8", "s23e8:rne", "s52e11", "s17e8,dot=fixed[13:-50]",
                                           "s23e8,lanes=4", "s28e11"),
                         [](const auto& test) { return testing::test_name(test.param); });

// Row forms and words, with the kernels of tests/hls: the emulated engine's bits, ends and longest words.
class SystemcForms : public ::testing::TestWithParam<const char*> {};

TEST_P(SystemcForms, EqualEmulated) {
    const auto ideal = make_systemc_engine(), slow = sim::make_systemc_engine(slow_memory()),
               emulated = make_emulated_engine();
    const std::string spec = GetParam();
    const bool axes = parse_spec(spec).order == RowOrder::second_difference;
    std::vector<System> systems;
    if (axes) {
        systems = {testing::axis_stencil(33, 33), testing::axis_stencil(18, 13, 0.7)};
    } else {
        systems = {testing::symmetric_stencil(33, 33), testing::symmetric_stencil(18, 13, 0.7),
                   testing::symmetric_bands(18, 13, 3, false), testing::symmetric_bands(19, 11, 5, true),
                   testing::symmetric_bands(19, 11, 5, true).bands()};
    }
    const double deviation = parse_spec(spec).fixed_vectors() ? 0.05 : 0.01;
    for (const System& system : systems)
        for (const auto* engine : {ideal.get(), slow.get()}) {
            const auto start = testing::random_residual(system, deviation);
            EXPECT_EQ(testing::expect_alike(*engine, *emulated, spec, system, 4, start), 4U);
        }
}

INSTANTIATE_TEST_SUITE_P(
    Specs, SystemcForms,
    ::testing::Values("s17e8,order=flux", "s26e8:rne,u=s23e8,row=s28e9,order=flux,dot=fixed[13:-50],lanes=4",
                      "s14e8,coef=s10e8,row=s16e8:rne,order=second-difference,lanes=2", "fx18.16,coef=fx20.17",
                      "fx22.19:floor,u=fx40.33,r=fx20.18,p=fx24.20,q=fx23.17,coef=fx16.13,operand=s10e8:rne,"
                      "scalar=s23e8:rne,lanes=4",
                      "fx30.26,u=s23e8,coef=fx32.28,operand=s40e11,lanes=2"),
    [](const auto& test) { return testing::test_name(test.param); });

TEST(SystemcWords, OverflowAsEmulated) {
    const auto engine = make_systemc_engine(), emulated = make_emulated_engine();
    const System system = testing::symmetric_bands(18, 13, 3, true);
    const auto passes = [&](double deviation) {
        return testing::expect_alike(*engine, *emulated, "fx18.16,coef=fx20.17", system, 6,
                                     testing::random_residual(system, deviation));
    };
    EXPECT_EQ(passes(20), 0U); // in write()
    EXPECT_LT(passes(0.5), 6U);
}

// Fluxes want four streams of coefficients, or five; the report has no more.
TEST(SystemcWords, StreamsAreThoseOfTheMatrix) {
    for (const char* spec : {"s17e8,order=flux", "fx18.16,coef=fx20.17"})
        for (const bool row_sums : {false, true}) {
            const System system = testing::symmetric_bands(33, 33, 3, row_sums);
            const auto session = make_systemc_engine()->load(system, parse_spec(spec), {});
            session->write(Vec::r, 0, testing::random_residual(system));
            session->run({.passes = 2});
            const SystemReport r = dynamic_cast<sim::SystemcSession&>(*session).report();
            const std::size_t streams = row_sums ? 5 : 4;
            EXPECT_EQ(std::ranges::count_if(r.fifos, [](const auto& f) { return f.name.starts_with("band"); }),
                      static_cast<std::ptrdiff_t>(streams));
            const std::size_t vectors = parse_spec(spec).fixed_vectors() ? 4 + 3 + 3 + 3 : 4 * 4, weight = 4;
            const std::size_t bytes = parse_spec(spec).fixed_vectors() ? 3 : weight;
            EXPECT_EQ(r.channels[0].bytes_read, 2U * 1089 * (vectors + streams * bytes)) << spec;
        }
}

SystemReport run(const SystemcOptions& options, const std::string& spec, const System& system, std::uint64_t passes,
                 RunReport* out = nullptr) {
    const auto session = sim::make_systemc_engine(options)->load(system, parse_spec(spec), {});
    session->write(Vec::r, 0, testing::random_residual(system));
    const RunReport report = session->run({.passes = passes});
    if (out != nullptr) *out = report;
    EXPECT_EQ(report.end, RunEnd::passes) << session->fault();
    return dynamic_cast<sim::SystemcSession&>(*session).report();
}

double per_pass(const SystemReport& r) {
    return static_cast<double>(r.cycles) / static_cast<double>(r.passes);
}

TEST(SystemcTiming, FullRateWithoutStalls) {
    for (const char* spec : {"s17e8", "s23e8,lanes=4", "s52e11"}) {
        const System system = stencil_system(65, 65);
        RunReport out;
        const SystemReport r = run({}, spec, system, 4, &out);
        EXPECT_EQ(out.cycles, r.cycles);
        const double lanes = parse_spec(spec).lanes;
        EXPECT_LE(per_pass(r), 4225 / lanes + 2 * 65 + 400) << spec;
        EXPECT_GE(per_pass(r), 4225 / lanes + 65 / lanes) << spec;
        EXPECT_EQ(r.landing, 0U);
        // A pass is asked for in one clock and its first beat comes two later; one clock of checks before the first.
        EXPECT_EQ(r.streaming + r.closing + r.landing + r.passes * 3 + 1, r.cycles) << spec;
        for (const sim::FifoReport& f : r.fifos) {
            EXPECT_EQ(f.writer_stalls, 0U) << spec << " " << f.name;
            EXPECT_LE(f.high_water, f.depth) << f.name;
            EXPECT_GE(f.high_water, 1U) << f.name;
        }
    }
}

// A memory-bound pass takes what its bytes take: 4 vectors in, 4 out, 4 bytes an element.
TEST(SystemcTiming, BandwidthBound) {
    const System system = stencil_system(65, 65);
    SystemcOptions o;
    o.memory.bytes_per_cycle = 8;
    const SystemReport r = run(o, "s23e8", system, 3);
    const double streaming = static_cast<double>(r.streaming) / 3;
    EXPECT_NEAR(streaming, 4225.0 * 32 / 8, 0.03 * 4225 * 32 / 8);
    EXPECT_EQ(r.channels.size(), 1U);
    EXPECT_EQ(r.channels[0].bytes_read, 3U * 4225 * 16);
    EXPECT_EQ(r.channels[0].bytes_written, 3U * 4225 * 16);
    // Four channels carry four times as much: no longer bound.
    o.memory.channels = 4;
    o.memory.interleave = 64;
    EXPECT_LT(per_pass(run(o, "s23e8", system, 3)), 1.1 * per_pass(run({}, "s23e8", system, 3)));
}

TEST(SystemcTiming, PageMissesCost) {
    const System system = stencil_system(65, 65);
    SystemcOptions o;
    o.memory.bytes_per_cycle = 40;
    o.memory.burst_beats = 4;
    const double fast = per_pass(run(o, "s23e8", system, 2));
    o.memory.page_miss = 30;
    o.memory.banks = 1;
    const SystemReport slow = run(o, "s23e8", system, 2);
    EXPECT_GT(per_pass(slow), 1.5 * fast);
    EXPECT_GT(slow.channels[0].page_misses, slow.channels[0].page_hits);
}

TEST(SystemcFifo, TooShallowIsADeadlockThatNamesIt) {
    SystemcOptions o;
    o.fifo_depth["p_dot"] = 8;
    const System system = stencil_system(33, 33);
    const auto engine = sim::make_systemc_engine(o);
    const auto session = engine->load(system, parse_spec("s23e8"), {});
    session->write(Vec::r, 0, testing::random_residual(system));
    const RunReport report = session->run({.passes = 3});
    EXPECT_EQ(report.end, RunEnd::fault);
    EXPECT_EQ(report.passes, 0U);
    EXPECT_NE(session->fault().find("FIFO p_dot is too shallow"), std::string::npos) << session->fault();
    EXPECT_NE(session->fault().find("lines cannot write p_dot (full: 8 of 8)"), std::string::npos) << session->fault();
    EXPECT_NE(session->fault().find("dot_pq cannot read q_dot (empty)"), std::string::npos) << session->fault();
    // The next session's run is not touched by it, and one beat short of enough still stands.
    const std::uint32_t enough = [&] {
        for (const sim::FifoReport& f : run({}, "s23e8", system, 1).fifos)
            if (f.name == "p_dot") return f.high_water;
        return 0U;
    }();
    o.fifo_depth["p_dot"] = enough;
    EXPECT_EQ(per_pass(run(o, "s23e8", system, 2)), per_pass(run({}, "s23e8", system, 2)));
}

TEST(SystemcSession, OwnsItsSystem) {
    const auto engine = sim::make_systemc_engine(SystemcOptions{});
    session_test::expect_session_owns_its_system(*engine, stencil_system(9, 9), parse_spec("s17e8"));
    session_test::expect_session_owns_its_system(*engine, band_system(9, 7, 3), parse_spec("s17e8"));
}

TEST(SystemcSession, TakesTurnsWithOthers) {
    const System system = stencil_system(17, 17);
    const auto engine = make_systemc_engine();
    const auto a = engine->load(system, parse_spec("s17e8"), {}), b = engine->load(system, parse_spec("s23e8"), {});
    const auto c = make_hls_engine()->load(system, parse_spec("s17e8"), {});
    const std::vector<double> r0 = testing::random_residual(system);
    for (Session* s : {a.get(), b.get(), c.get()}) s->write(Vec::r, 0, r0);
    for (int k = 0; k < 4; ++k) {
        a->run({.passes = 2});
        b->run({.passes = 1});
        c->run({.passes = 2});
    }
    EXPECT_EQ(a->scalars().rho, c->scalars().rho);
    EXPECT_EQ(a->scalars().beta, c->scalars().beta);
    std::vector<double> x(system.size()), y(system.size());
    a->read(Vec::p, 0, x);
    c->read(Vec::p, 0, y);
    EXPECT_EQ(x, y);
}

TEST(SystemcHost, ShareOfTheOuterLoop) {
    const System system = stencil_system(33, 33);
    SystemcOptions o;
    o.host.mflops = 100;
    o.host.link_mb_per_s = 100;
    const SystemReport apart = run(o, "s23e8", system, 10);
    o.host.overlap = true;
    const SystemReport together = run(o, "s23e8", system, 10);
    EXPECT_GT(apart.host_share(), 0);
    EXPECT_DOUBLE_EQ(apart.host_seconds, apart.host_compute_seconds + apart.host_transfer_seconds);
    EXPECT_DOUBLE_EQ(together.host_seconds, std::max(together.host_compute_seconds, together.host_transfer_seconds));
    EXPECT_DOUBLE_EQ(apart.host_compute_seconds, 1089 * 25 / 100e6);
    EXPECT_DOUBLE_EQ(apart.host_transfer_seconds, 1089 * 4 / 100e6);
}

TEST(SystemcEngine, RefusesWrongOptions) {
    SystemcOptions o;
    o.fifo_depth["p_dott"] = 8;
    EXPECT_THROW((void)sim::make_systemc_engine(o), InvalidInput);
    o = {};
    o.memory.channels = 17;
    EXPECT_THROW((void)sim::make_systemc_engine(o), InvalidInput);
    EXPECT_NE(make_systemc_engine()->refusal(parse_spec("double"), stencil_system(9, 9), {}), "");
    o = {};
    o.core = sim::CoreKind::rtl;
    try {
        const auto socket = sim::make_systemc_engine(o); // refused as a whole in a build without the core
        for (const char* spec : {"fx18.16", "s17e8,order=flux"}) {
            const std::string why = socket->refusal(parse_spec(spec), stencil_system(9, 9), {});
            EXPECT_NE(why.find("rows are products"), std::string::npos) << why;
        }
    } catch (const InvalidInput& e) {
        EXPECT_NE(std::string(e.what()).find("no RTL core"), std::string::npos) << e.what();
    }
}

} // namespace
} // namespace mantissa
