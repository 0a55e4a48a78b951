// The hls engine's row forms and fixed-point words: the emulated engine's bits behind every pass.
#include <algorithm>
#include <cstdlib>
#include <random>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "engine_compare.hpp"
#include "engines_alike.hpp"
#include "mantissa/hls/engine.hpp"
#include "mantissa/hls/kernel.hpp"
#include "symmetric_systems.hpp"

namespace mantissa {
namespace {

using testing::axis_stencil;
using testing::expect_alike;
using testing::random_residual;
using testing::stencil_system;
using testing::symmetric_bands;
using testing::symmetric_stencil;

/// At least so many passes went on.
void expect_hls_alike(const std::string& spec, const System& system, std::size_t passes, double deviation,
                      std::size_t least) {
    const auto engine = make_hls_engine(), emulated = make_emulated_engine();
    EXPECT_GE(expect_alike(*engine, *emulated, spec, system, passes, random_residual(system, deviation)), least)
        << spec;
}

class HlsFlux : public ::testing::TestWithParam<const char*> {};
class HlsSecondDifferences : public ::testing::TestWithParam<const char*> {};
class HlsWords : public ::testing::TestWithParam<const char*> {};
const auto kName = [](const auto& test) { return testing::test_name(test.param); };

TEST_P(HlsFlux, EqualsEmulated) {
    for (const bool row_sums : {false, true}) {
        expect_hls_alike(GetParam(), symmetric_bands(33, 33, 3, row_sums), 6, 0.01, 6);
        expect_hls_alike(GetParam(), symmetric_bands(3, 5, 5, row_sums), 3, 0.01, 3);
        expect_hls_alike(GetParam(), symmetric_bands(5, 70, 7, row_sums), 4, 0.01, 4);
        expect_hls_alike(GetParam(), symmetric_bands(301, 5, 9, row_sums), 4, 0.01, 4);
        expect_hls_alike(GetParam(), symmetric_stencil(33, 33, row_sums ? 0.7 : 0), 6, 0.01, 6);
        expect_hls_alike(GetParam(), symmetric_stencil(18, 13, row_sums ? 0.7 : 0), 4, 0.01, 4);
    }
    expect_hls_alike(GetParam(), symmetric_bands(17, 23, 11, true).bands(), 4, 0.01, 4);
}

TEST_P(HlsSecondDifferences, EqualsEmulated) {
    for (const double sum : {0.0, 0.7}) {
        expect_hls_alike(GetParam(), axis_stencil(33, 33, sum), 8, 0.01, 8);
        expect_hls_alike(GetParam(), axis_stencil(3, 3, sum), 2, 0.01, 2);
        expect_hls_alike(GetParam(), axis_stencil(5, 70, sum), 4, 0.01, 4);
        expect_hls_alike(GetParam(), axis_stencil(301, 5, sum), 4, 0.01, 4);
    }
}

INSTANTIATE_TEST_SUITE_P(Specs, HlsFlux,
                         ::testing::Values("s17e8,order=flux", "s10e8:rne,u=s23e8,row=s30e9,order=flux,"
                                                               "dot=fixed[13:-50],lanes=4"),
                         kName);
INSTANTIATE_TEST_SUITE_P(Specs, HlsSecondDifferences,
                         ::testing::Values("s14e8,coef=s10e8,row=s16e8:rne,order=second-difference,lanes=2"), kName);

TEST_P(HlsWords, EqualEmulated) {
    // Of one stencil no two coefficients are alike; the others are those of rows of differences, and of one box.
    expect_hls_alike(GetParam(), stencil_system(33, 33), 8, 0.05, 8);
    expect_hls_alike(GetParam(), stencil_system(5, 70), 4, 0.05, 4);
    expect_hls_alike(GetParam(), stencil_system(301, 5), 4, 0.05, 4);
    expect_hls_alike(GetParam(), stencil_system(3, 3), 1, 0.05, 1);
    expect_hls_alike(GetParam(), Stencil(17, 19, {-1, -1, -1, -1, 8, -1, -1, -1, -1}), 6, 0.02, 4);
    for (const bool row_sums : {false, true}) {
        expect_hls_alike(GetParam(), symmetric_bands(33, 33, 3, row_sums), 6, 0.05, 6);
        expect_hls_alike(GetParam(), symmetric_bands(5, 70, 7, row_sums), 4, 0.05, 4);
        expect_hls_alike(GetParam(), symmetric_bands(301, 5, 9, row_sums), 4, 0.05, 4);
    }
    expect_hls_alike(GetParam(), symmetric_bands(18, 23, 11, true).bands(), 4, 0.05, 4);
}

// Words so full that they overflow, in several vectors and passes.
TEST_P(HlsWords, OverflowAsEmulated) {
    for (const double deviation : {0.3, 0.6, 2.0}) {
        expect_hls_alike(GetParam(), stencil_system(18, 13), 6, deviation, 0);
        expect_hls_alike(GetParam(), symmetric_bands(18, 13, 3, true), 6, deviation, 0);
    }
}

INSTANTIATE_TEST_SUITE_P(
    Specs, HlsWords,
    ::testing::Values(
        "fx18.16,coef=fx20.17",
        "fx22.19:floor,r=fx20.18,p=fx24.20,q=fx23.17,u=fx40.33,coef=fx16.13,operand=s10e8:rne,scalar=s23e8:rne,lanes=4",
        "fx30.26,u=s23e8,coef=fx32.28,operand=s40e11,lanes=2"),
    kName);

} // namespace
} // namespace mantissa
