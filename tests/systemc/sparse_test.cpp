// Sparse cores in SystemC: the emulated engine's bits whatever the lanes, channels, stalls, cores and the order of a
// pass; clocks as counted.
#include <gtest/gtest.h>

#include "engine_compare.hpp"
#include "engines_alike.hpp"
#include "mantissa/sim/systemc_engine.hpp"
#include "sparse_systems.hpp"

namespace mantissa::sim {
namespace {

using testing::expect_alike;
using testing::residual_of_rows;
using testing::symmetric_rows;

void alike(const SparseCoreOptions& sparse, const std::string& spec, const System& system, std::size_t passes) {
    SystemcOptions options;
    options.sparse = sparse;
    EXPECT_GE(expect_alike(*make_systemc_engine(options), *make_emulated_engine(), spec, system, passes,
                           residual_of_rows(system, 0.05)),
              passes);
}

class SystemcSparse : public ::testing::TestWithParam<const char*> {};

TEST_P(SystemcSparse, EqualsEmulated) {
    const System full = symmetric_rows(150, 1, true), near = symmetric_rows(257, 2, false, 20, 9);
    const SparseCoreOptions stalls{.channels = 3, .channel_bytes = 4, .latency = 40, .stall = 0.2, .fifo_beats = 3};
    for (const PassOrder order : {PassOrder::two_part, PassOrder::overlapping, PassOrder::shorter})
        for (SparseCoreOptions o : {SparseCoreOptions{}, stalls}) {
            o.order = order;
            alike(o, GetParam(), full, 3);
            alike(o, GetParam(), near, 4);
        }
    for (const int cores : {2, 3})
        for (SparseCoreOptions o : {SparseCoreOptions{}, stalls}) {
            o.cores = cores;
            o.link_words = 2;
            o.link_latency = 30;
            alike(o, GetParam(), full, 3);
            alike(o, GetParam(), near, 4);
        }
}

INSTANTIATE_TEST_SUITE_P(Specs, SystemcSparse,
                         ::testing::Values("fx18.16", "fx18.16,coef=fx24.22,lanes=4", "fx18.16,lanes=8",
                                           "fx27.24,coef=fx18.16,u=s23e8,lanes=16"),
                         [](const auto& test) { return testing::test_name(test.param); });

std::uint64_t clocks(const SparseCoreOptions& sparse, const std::string& spec, const System& system,
                     std::uint64_t passes) {
    SystemcOptions options;
    options.sparse = sparse;
    const auto engine = make_systemc_engine(options);
    const auto session = engine->load(system, parse_spec(spec), {});
    session->write(Vec::r, 0, residual_of_rows(system, 0.05));
    const RunReport report = session->run({.passes = passes});
    EXPECT_EQ(report.passes, passes);
    return report.cycles.value_or(0);
}

TEST(SystemcSparseClocks, AreThoseCounted) {
    const System system = symmetric_rows(2000, 3, false, 30, 9);
    const std::string spec = "fx18.16,lanes=8";
    const SparsePass pass = sparse_pass(parse_spec(spec), system);
    EXPECT_EQ(pass.addresses, 250U);
    EXPECT_LT(pass.fixed, 120U); // of which the scalar unit takes 87
    EXPECT_EQ(clocks({}, spec, system, 4) - clocks({}, spec, system, 3), pass.two_part);
    EXPECT_EQ(clocks({.order = PassOrder::overlapping}, spec, system, 4) -
                  clocks({.order = PassOrder::overlapping}, spec, system, 3),
              pass.overlapping);
    EXPECT_LT(pass.overlapping, pass.two_part);
    EXPECT_EQ(clocks({.order = PassOrder::shorter}, spec, system, 3),
              clocks({.order = PassOrder::overlapping}, spec, system, 3));
    // A row that reads all of p' lets nothing overlap but itself.
    const System full = symmetric_rows(200, 4, true);
    const SparsePass late = sparse_pass(parse_spec(spec), full);
    EXPECT_LE(late.overlapping, late.two_part);
}

TEST(SystemcSparseClocks, ChannelsBoundThem) {
    const System system = symmetric_rows(2000, 3, false, 30, 9);
    const std::string spec = "fx18.16,lanes=8";
    const SparsePass pass = sparse_pass(parse_spec(spec), system);
    // Half of what a beat wants in each clock, brought by one channel or two: rows take twice as many clocks, less what
    // is read ahead during the updates.
    const double bytes = pass.beat_bits / 16.0;
    const SparseCoreOptions one{.channel_bytes = bytes, .channel_mhz = 300, .fifo_beats = 4};
    const SparseCoreOptions two{.channels = 2, .channel_bytes = bytes / 2, .channel_mhz = 300, .fifo_beats = 4};
    const std::uint64_t slow = clocks(one, spec, system, 4) - clocks(one, spec, system, 3);
    EXPECT_NEAR(static_cast<double>(slow), static_cast<double>(pass.two_part + pass.beats), 8);
    EXPECT_EQ(clocks(two, spec, system, 4) - clocks(two, spec, system, 3), slow);
    const SparseCoreOptions fast{.channels = 2, .channel_bytes = 32, .channel_mhz = 450, .latency = 100};
    EXPECT_EQ(clocks(fast, spec, system, 4) - clocks(fast, spec, system, 3), pass.two_part);
}

TEST(SystemcSparseClocks, TwoCoresShareTheRowsAndExchange) {
    const System system = symmetric_rows(4000, 5, false, 30, 9);
    const std::string spec = "fx18.16,lanes=4";
    const SparsePass pass = sparse_pass(parse_spec(spec), system);
    const SparseCoreOptions two{.cores = 2};
    const SparseCoreOptions far{.cores = 2, .link_words = 1, .link_latency = 50};
    const std::uint64_t alone = pass.two_part;
    const std::uint64_t both = clocks(two, spec, system, 4) - clocks(two, spec, system, 3);
    EXPECT_LT(both, alone * 6 / 10);
    const std::uint64_t linked = clocks(far, spec, system, 4) - clocks(far, spec, system, 3);
    EXPECT_GE(linked, both + 100 + 1);
    EXPECT_LE(linked, both + 100 + 40);
}

TEST(SystemcSparse, RefusesWrongOptionsInOneLine) {
    const auto refused = [](const SparseCoreOptions& sparse) {
        SystemcOptions options;
        options.sparse = sparse;
        try {
            (void)make_systemc_engine(options);
        } catch (const InvalidInput& e) {
            return std::string(e.what());
        }
        return std::string();
    };
    EXPECT_NE(refused({.cores = 0}).find("0 sparse cores"), std::string::npos);
    EXPECT_NE(refused({.channels = 33}).find("33 channels"), std::string::npos);
    EXPECT_NE(refused({.stall = 1}).find("stall"), std::string::npos);
    EXPECT_NE(refused({.cores = 2, .order = PassOrder::overlapping}).find("cannot overlap"), std::string::npos);
    const CompressedRows one({0, 1}, {0}, {1.0});
    SystemcOptions options;
    options.sparse.cores = 2;
    EXPECT_THROW((void)make_systemc_engine(options)->load(one, parse_spec("fx18.16"), {}), InvalidInput);
}

} // namespace
} // namespace mantissa::sim
