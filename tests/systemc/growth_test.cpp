// What runs of the systemc engine leave behind: nothing. SystemC keeps some of every process that ends until the
// program does, so processes are used again.
#include <malloc.h>

#include <cstddef>
#include <functional>
#include <span>

#include <gtest/gtest.h>

#include "engine_compare.hpp"
#include "engines_alike.hpp"
#include "mantissa/sim/systemc_engine.hpp"
#include "sparse_systems.hpp"

namespace mantissa::sim {
namespace {

constexpr int kSolves = 50;

std::size_t bytes_in_use() {
    const struct mallinfo2 now = ::mallinfo2();
    return now.uordblks + now.hblkhd;
}

/// Bytes that solves leave, when as many have been before: the first ones fill the allocator's lists.
std::ptrdiff_t growth(const std::function<void()>& solve) {
    for (int k = 0; k < kSolves; ++k) solve();
    const std::size_t before = bytes_in_use();
    for (int k = 0; k < kSolves; ++k) solve();
    return static_cast<std::ptrdiff_t>(bytes_in_use()) - static_cast<std::ptrdiff_t>(before);
}

void solve(const SystemcOptions& options, const System& system, const char* spec, std::span<const double> residual) {
    const auto session = make_systemc_engine(options)->load(system, parse_spec(spec), {});
    session->write(Vec::r, 0, residual);
    for (int step = 0; step < 3; ++step) {
        ASSERT_GT(session->run({.passes = 10}).passes, 0U);
        session->clear(Vec::p);
    }
}

/// What those lists may still take; processes that end leave 4 to 13 kB a solve.
constexpr std::ptrdiff_t kMost = 8192;

TEST(SystemcGrowth, GridsLeaveNothing) {
    const System system = testing::stencil_system(17, 17);
    const auto residual = testing::random_residual(system);
    EXPECT_LT(growth([&] { solve({}, system, "s17e8", residual); }), kMost);
}

TEST(SystemcGrowth, SparseCoresLeaveNothing) {
    const System system = testing::symmetric_rows(150, 1, true);
    const auto residual = testing::residual_of_rows(system, 0.05);
    SystemcOptions options;
    options.sparse.channels = 3;
    EXPECT_LT(growth([&] { solve(options, system, "fx18.16", residual); }), kMost);
    options.sparse.cores = 3;
    EXPECT_LT(growth([&] { solve(options, system, "fx18.16", residual); }), kMost);
}

TEST(SystemcGrowth, RunsThatStandStillLeaveNothing) {
    const System system = testing::band_system(19, 11, 9);
    SystemcOptions options;
    options.fifo_depth["p_dot"] = 8;
    const auto stuck = [&] {
        const auto session = make_systemc_engine(options)->load(system, parse_spec("s17e8"), {});
        EXPECT_EQ(session->run({.passes = 2}).end, RunEnd::fault);
    };
    EXPECT_LT(growth(stuck), kMost);
}

} // namespace
} // namespace mantissa::sim
