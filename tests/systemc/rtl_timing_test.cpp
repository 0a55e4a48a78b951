// The clock: what the timed model predicts against what the RTL core takes, and the same bits from both.
#include <gtest/gtest.h>

#include "engine_compare.hpp"
#include "fixed_systems.hpp"
#include "mantissa/hls/engine.hpp"
#include "mantissa/sim/rtl_engine.hpp"
#include "mantissa/sim/systemc_engine.hpp"
#include "specs.hpp"

namespace mantissa {
namespace {

struct Outcome {
    double per_pass;
    Scalars scalars;
    std::vector<double> p;
};

Outcome run(const Engine& engine, const std::string& spec, const System& system) {
    constexpr std::uint64_t kPasses = 5;
    const auto session = engine.load(system, parse_spec(spec), {});
    session->write(Vec::r, 0, testing::random_residual(system));
    const RunReport report = session->run({.passes = kPasses});
    EXPECT_EQ(report.passes, kPasses) << session->fault();
    Outcome out{static_cast<double>(report.cycles.value_or(0)) / kPasses, session->scalars(), {}};
    out.p.resize(system.size());
    session->read(Vec::p, 0, out.p);
    return out;
}

class RtlTiming : public ::testing::TestWithParam<const char*> {};

TEST_P(RtlTiming, PredictsClocksAndGivesTheSameBits) {
    const std::string spec = GetParam();
    struct Memory {
        const char* name;
        double bytes_per_cycle;
        std::uint32_t latency;
        double margin; ///< of the RTL core's clocks
    };
    const double lanes = parse_spec(spec).lanes;
    // Four lanes make these passes so short that thirty clocks at their edges, where the core's lock step moves fewer
    // bytes than the model's decoupled stages, are more than 3 %.
    const double limited = lanes < 4 ? 0.03 : 0.05;
    const Memory memories[] = {
        {"ideal", 0, 0, 0.01}, {"half the bytes", 16 * lanes, 20, limited}, {"latency 100", 0, 100, limited}};
    for (const System& system :
         {testing::stencil_system(33, 33), testing::stencil_system(65, 65), testing::band_system(47, 41, 5)})
        for (const Memory& m : memories) {
            sim::RtlOptions rtl;
            rtl.memory.bytes_per_cycle = m.bytes_per_cycle;
            rtl.memory.latency = m.latency;
            sim::SystemcOptions model; // that engine's memory: no pages, beat by beat, a token bucket
            model.memory.bytes_per_cycle = m.bytes_per_cycle;
            model.memory.latency = m.latency;
            model.memory.burst_beats = 1;
            model.memory.idle_credit = 4096;
            const Outcome want = run(*sim::make_rtl_engine(rtl), spec, system);
            const Outcome got = run(*sim::make_systemc_engine(model), spec, system);
            const Outcome untimed = run(*make_hls_engine(), spec, system);
            EXPECT_NEAR(got.per_pass, want.per_pass, m.margin * want.per_pass)
                << m.name << ", size " << system.size() << ", " << to_string(system.kind());
            for (const Outcome* o : {&got, &untimed}) {
                EXPECT_EQ(o->p, want.p);
                EXPECT_EQ(o->scalars.rho, want.scalars.rho);
                EXPECT_EQ(o->scalars.alpha, want.scalars.alpha);
                EXPECT_EQ(o->scalars.beta, want.scalars.beta);
            }
            RecordProperty(std::string(m.name) + " " + std::to_string(system.size()),
                           std::to_string(got.per_pass) + " for " + std::to_string(want.per_pass));
        }
}

// One switch: the Verilated core between the same FIFOs, DMA and memory channels as the timed stages.
TEST_P(RtlTiming, TheCoreInTheSameSocket) {
    // Open pages make the clocks depend on the order of requests within a clock or two.
    struct Memory {
        double bytes_per_lane;
        int channels;
        std::uint32_t latency, page_miss;
        double margin;
    };
    // Four lanes: as above, and the core's lock step leaves the memory idle for a pipeline's length at a pass's end.
    const double scarce = parse_spec(GetParam()).lanes < 4 ? 0.08 : 0.10;
    const Memory memories[] = {{0, 1, 0, 0, 0.01}, {14, 1, 25, 0, 0.03}, {10, 2, 25, 6, scarce}};
    for (const System& system : {testing::stencil_system(33, 33), testing::band_system(47, 41, 5)})
        for (const Memory& m : memories) {
            sim::SystemcOptions options;
            options.memory.bytes_per_cycle = m.bytes_per_lane * parse_spec(GetParam()).lanes;
            options.memory.channels = m.channels;
            options.memory.latency = m.latency;
            options.memory.page_miss = m.page_miss;
            options.memory.burst_beats = 4;
            const Outcome got = run(*sim::make_systemc_engine(options), GetParam(), system);
            options.core = sim::CoreKind::rtl;
            const Outcome want = run(*sim::make_systemc_engine(options), GetParam(), system);
            EXPECT_EQ(got.p, want.p);
            EXPECT_EQ(got.scalars.rho, want.scalars.rho);
            EXPECT_EQ(got.scalars.beta, want.scalars.beta);
            EXPECT_NEAR(got.per_pass, want.per_pass, m.margin * want.per_pass)
                << m.bytes_per_lane << " bytes a clock and lane, " << m.channels << " channels, "
                << to_string(system.kind());
        }
}

// The integer core, by the models of its own tests.
class IntegerRtlTiming : public ::testing::TestWithParam<sim::test::FixedCase> {};

TEST_P(IntegerRtlTiming, PredictsClocksAndGivesTheSameBits) {
    const sim::test::FixedCase& c = GetParam();
    sim::RtlOptions rtl;
    rtl.rules = c.rules;
    const DatapathSpec spec = parse_spec(c.spec);
    for (const auto& [columns, rows] : {std::pair<std::size_t, std::size_t>{33, 33}, {65, 47}}) {
        const System system = sim::test::system_of(c.matrix, spec, columns, rows);
        for (const std::uint32_t latency : {0U, 100U}) {
            rtl.memory.latency = latency;
            sim::SystemcOptions model;
            model.memory.latency = latency;
            model.memory.burst_beats = 1;
            const Outcome want = run(*sim::make_rtl_engine(rtl), c.spec, system),
                          got = run(*sim::make_systemc_engine(model), c.spec, system);
            EXPECT_EQ(got.p, want.p);
            EXPECT_EQ(got.scalars.beta, want.scalars.beta);
            // 64 beats under way are fewer than such a latency wants, and streams that start apart keep their distance.
            EXPECT_NEAR(got.per_pass, want.per_pass, latency == 0 ? 0 : 0.01 * want.per_pass)
                << columns << " x " << rows << ", latency " << latency;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Cases, IntegerRtlTiming, ::testing::ValuesIn(sim::test::fixed_cases()),
                         sim::test::name_of_case);

INSTANTIATE_TEST_SUITE_P(Specs, RtlTiming, ::testing::ValuesIn(sim::test::kSpecs),
                         [](const auto& test) { return testing::test_name(test.param).substr(0, 100); });

} // namespace
} // namespace mantissa
