// Whole solves of matrices of practice and of mesh systems on the sparse core in C++ (hls) and on timed cores
// (systemc): every pass equal to the emulated engine's, to the tolerance. Sixty passes to seventeen hundred a solve.
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "mantissa/checked_engine.hpp"
#include "mantissa/hls/engine.hpp"
#include "mantissa/host/problem.hpp"
#include "mantissa/host/solve.hpp"
#include "mantissa/sim/systemc_engine.hpp"

namespace mantissa {
namespace {

class SparseSolve : public ::testing::TestWithParam<const char*> {
protected:
    /// Empty where the data set is not at hand.
    static std::string problem(const std::string& text) {
        const char* const data = std::getenv("MANTISSA_DATA");
        if (data == nullptr) return {};
        const std::size_t colon = text.find(':');
        const std::filesystem::path file = std::filesystem::path(data) / text.substr(colon + 1);
        return std::filesystem::exists(file) ? text.substr(0, colon + 1) + file.string() : std::string();
    }

    static void expect_whole_solve(const Engine& engine, const Problem& problem) {
        const auto emulated = make_emulated_engine();
        const auto passes = std::make_shared<std::atomic<std::uint64_t>>(0);
        const auto checked = make_checked_engine(engine, *emulated, passes);
        SolveOptions options;
        options.spec = parse_spec("fx24.18,coef=fx24.22,lanes=8");
        options.jacobi = true;
        options.inner = 25;
        const SolveResult result = solve(problem, *checked, options); // throws Mismatch where a bit differs
        EXPECT_EQ(to_string(result.status), "converged") << result.detail;
        EXPECT_LE(result.true_residual, 1.001 * options.tolerance); // as Status::converged says
        EXPECT_GE(passes->load(), result.inner_iterations);
        EXPECT_GE(result.outer_iterations, 3U);
    }
};

TEST_P(SparseSolve, EveryPassEqual) {
    const std::string text = problem(GetParam());
    if (text.empty()) GTEST_SKIP() << "MANTISSA_DATA has no " << GetParam();
    const Problem whole = make_problem(text);
    {
        SCOPED_TRACE("hls");
        expect_whole_solve(*make_hls_engine(), whole);
    }
    if (text.starts_with("lscm")) return; // 1721 passes: once
    sim::SystemcOptions options;
    options.sparse = {.channels = 3, .channel_bytes = 16, .latency = 60, .order = sim::PassOrder::shorter};
    {
        SCOPED_TRACE("systemc, one core");
        expect_whole_solve(*sim::make_systemc_engine(options), whole);
    }
    options.sparse = {.cores = 2, .link_words = 4, .link_latency = 20};
    SCOPED_TRACE("systemc, two cores");
    expect_whole_solve(*sim::make_systemc_engine(options), whole);
}

INSTANTIATE_TEST_SUITE_P(Problems, SparseSolve,
                         ::testing::Values("mtx:matrices/LFAT5.mtx", "mtx:matrices/bcsstk03.mtx",
                                           "mtx:matrices/msc01440.mtx", "mtx:matrices/wathen100.mtx",
                                           "mtx:matrices/shallow_water1.mtx", "dsi:meshes/bff_beetle.obj",
                                           "lscm:meshes/camelhead.off"),
                         [](const auto& test) {
                             const std::string stem = std::filesystem::path(test.param).stem().string();
                             return stem;
                         });

} // namespace
} // namespace mantissa
