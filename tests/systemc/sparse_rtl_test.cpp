// Clocks of the sparse core in SystemC beside those of the RTL core with the same memory.
#include <gtest/gtest.h>

#include "mantissa/sim/rtl_engine.hpp"
#include "mantissa/sim/sparse_core.hpp"
#include "mantissa/sim/systemc_engine.hpp"
#include "sparse_systems.hpp"

namespace mantissa::sim {
namespace {

std::uint64_t clocks(const Engine& engine, const std::string& spec, const System& system, std::uint64_t passes) {
    const auto session = engine.load(system, parse_spec(spec), {});
    session->write(Vec::r, 0, testing::residual_of_rows(system, 0.05));
    const RunReport report = session->run({.passes = passes});
    EXPECT_EQ(report.passes, passes);
    EXPECT_EQ(to_string(report.end), "passes");
    return report.cycles.value_or(0);
}

TEST(SparseRtlTiming, IsTheRtlCores) {
    for (const char* spec : {"fx18.15,lanes=4", "fx18.14,coef=fx27.25:floor,lanes=8"})
        for (const System& system :
             {System(testing::symmetric_rows(1000, 1, true)), System(testing::symmetric_rows(700, 2, false, 20, 9))}) {
            const auto rtl = make_rtl_engine(RtlOptions{});
            const auto systemc = make_systemc_engine(SystemcOptions{});
            for (const std::uint64_t passes : {1, 2})
                EXPECT_EQ(clocks(*systemc, spec, system, passes), clocks(*rtl, spec, system, passes))
                    << spec << ", " << passes << " passes, " << system.size() << " rows";
        }
}

TEST(SparseRtlTiming, IsNearTheRtlCoresWithASlowMemory) {
    const std::string spec = "fx18.15,lanes=4";
    const System system = testing::symmetric_rows(700, 2, false, 20, 9);
    const double bytes = 0.5 * sparse_pass(parse_spec(spec), system).beat_bits / 8;
    RtlOptions slow;
    slow.memory.bytes_per_cycle = bytes;
    slow.memory.latency = 60;
    slow.memory.fifo_beats = 16;
    SystemcOptions options;
    options.sparse.channel_bytes = bytes;
    options.sparse.channel_mhz = options.sparse.core_mhz;
    options.sparse.latency = 60;
    options.sparse.fifo_beats = 16;
    const auto want = static_cast<double>(clocks(*make_rtl_engine(slow), spec, system, 3));
    EXPECT_NEAR(static_cast<double>(clocks(*make_systemc_engine(options), spec, system, 3)), want, 0.03 * want);
}

/// Both count a beat as a core made for the matrix takes it.
TEST(SparseRtlTiming, BeatsAreAsLongAsTheRtlCores) {
    for (const char* text : {"fx18.15,lanes=4", "fx18.14,coef=fx27.25:floor,lanes=8", "fx18.16"})
        for (const CompressedRows& rows : {testing::symmetric_rows(37, 1, true), testing::symmetric_rows(90, 2, false),
                                           testing::symmetric_rows(3000, 2, false, 20, 9)}) {
            const DatapathSpec spec = parse_spec(text);
            EXPECT_EQ(static_cast<unsigned>(sparse_pass(spec, rows).beat_bits), 8 * SparseStream(rows, spec).beat_bytes)
                << text << ", " << rows.rows() << " rows";
        }
}

} // namespace
} // namespace mantissa::sim
