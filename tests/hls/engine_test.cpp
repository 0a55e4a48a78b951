// The hls engine: the reference pass's bits at every iteration, its refusals, its kernel cache.
#include <cstdlib>
#include <filesystem>

#include <gtest/gtest.h>

#include "engine_compare.hpp"
#include "mantissa/hls/engine.hpp"
#include "mantissa/hls/kernel.hpp"
#include "session_owns.hpp"

namespace mantissa {
namespace {

using testing::band_system;
using testing::compare_with_reference;
using testing::stencil_system;

class HlsSpec : public ::testing::TestWithParam<const char*> {};

TEST_P(HlsSpec, EqualsReferencePass) {
    const auto engine = make_hls_engine();
    compare_with_reference(*engine, GetParam(), stencil_system(33, 33), 8); // level 5
    compare_with_reference(*engine, GetParam(), stencil_system(17, 13), 6);
    compare_with_reference(*engine, GetParam(), stencil_system(3, 3), 2);
    compare_with_reference(*engine, GetParam(), stencil_system(5, 70), 4);
    compare_with_reference(*engine, GetParam(), stencil_system(301, 5), 4);
    compare_with_reference(*engine, GetParam(), band_system(9, 21, 3), 6);
    compare_with_reference(*engine, GetParam(), band_system(67, 31, 9), 4);
}

const auto kName = [](const auto& test) { return testing::test_name(test.param); };

INSTANTIATE_TEST_SUITE_P(BuiltIn, HlsSpec,
                         ::testing::Values("s17e8", "s20e8", "s23e8", "s14e8,u=s23e8,row=s20e8,dot=fixed[13:-50]",
                                           "s7e8,u=s17e8,row=s13e8", "s23e8:rne", "s52e11", "s17e8,dot=fixed[13:-50]",
                                           "s23e8,lanes=4", "s28e11"),
                         kName);

// Compiled on first use.
INSTANTIATE_TEST_SUITE_P(OnDemand, HlsSpec,
                         ::testing::Values("s10e5,row=s12e5,order=tree,dot=s52e11/4,lanes=2",
                                           "s52e11:rne,dot=fixed[13:-50]", "s17e8,product=exact,scalar=s23e8",
                                           "s23e8:rne:sat,coef=s10e8,operand=s12e8,product=s20e8,dot=fixed[8:-40]"),
                         kName);

TEST(HlsEngine, BuiltInListIsWhatTheTestsTake) {
    EXPECT_EQ(hls::builtin_kernels().size(), 14U);
    for (const std::string& name : hls::builtin_kernels()) {
        const auto [spec, kind, recurrence] = hls::parse_kernel_name(name);
        EXPECT_EQ(hls::kernel_for(spec, kind, recurrence).name, name);
    }
}

TEST(HlsEngine, ManyPassesEqualOneByOne) {
    const System system = stencil_system(33, 33);
    const auto one = make_hls_engine()->load(system, parse_spec("s17e8"), {});
    const auto two = make_hls_engine()->load(system, parse_spec("s17e8"), {});
    const std::vector<double> r0 = testing::random_residual(system);
    one->write(Vec::r, 0, r0);
    two->write(Vec::r, 0, r0);
    EXPECT_EQ(one->run({.passes = 12}).passes, 12U);
    for (int k = 0; k < 12; ++k) two->run({.passes = 1});
    std::vector<double> a(system.size()), b(system.size());
    one->read(Vec::u, 0, a);
    two->read(Vec::u, 0, b);
    EXPECT_EQ(a, b);
    EXPECT_EQ(one->scalars().rho, two->scalars().rho);
}

TEST(HlsEngine, SessionsOwnTheirSystem) {
    const auto engine = make_hls_engine();
    session_test::expect_session_owns_its_system(*engine, stencil_system(9, 9), parse_spec("s17e8"));
    session_test::expect_session_owns_its_system(*engine, testing::band_system(9, 7, 3), parse_spec("s17e8"));
}

TEST(HlsEngine, EndsAsTheContractSays) {
    const System system = stencil_system(9, 9);
    const auto engine = make_hls_engine();
    EXPECT_EQ(engine->load(system, parse_spec("s17e8"), {})->run({.passes = 3}).end, RunEnd::exact);
    const System negative = Stencil(9, 9, {0, 0, 0, 0, -1, 0, 0, 0, 0});
    const std::vector<double> halves(81, 0.5);
    const auto other = engine->load(negative, parse_spec("s17e8"), {});
    other->write(Vec::r, 0, halves);
    EXPECT_EQ(other->run({.passes = 3}).end, RunEnd::indefinite);
    const auto large = engine->load(system, parse_spec("s17e8,dot=fixed[13:-50]"), {});
    large->write(Vec::r, 0, std::vector<double>(81, 100.0));
    const RunReport report = large->run({.passes = 5});
    EXPECT_EQ(report.end, RunEnd::window_overflow);
    EXPECT_EQ(report.passes, 1U);
    EXPECT_EQ(large->scalars().rho, 0.0);
    const auto stops = engine->load(system, parse_spec("s17e8"), {});
    stops->write(Vec::r, 0, testing::random_residual(system));
    const RunReport reached = stops->run({.passes = 50, .rho_stop = 1e3, .rho_stop_from = 4});
    EXPECT_EQ(reached.end, RunEnd::rho_reached);
    EXPECT_EQ(reached.passes, 4U);
}

TEST(HlsEngine, RefusesInOneLine) {
    const auto engine = make_hls_engine();
    const System system = stencil_system(9, 9);
    EXPECT_NE(engine->refusal(parse_spec("float"), system, {}).find("subnormals"), std::string::npos);
    EXPECT_NE(engine->refusal(parse_spec("s17e8"), system, {1, Recurrence::plain}).find("plain"), std::string::npos);
    EXPECT_NE(engine->refusal(parse_spec("s17e8"), stencil_system(8194, 3), {}).find("8193"), std::string::npos);
    EXPECT_EQ(engine->refusal(parse_spec("s17e8"), system, {}), "");
    EXPECT_THROW((void)engine->load(system, parse_spec("half"), {}), InvalidInput);
    const auto session = engine->load(system, parse_spec("s17e8"), {});
    EXPECT_THROW(session->write(Vec::u, 80, std::vector<double>(2)), InvalidInput);
}

// A compiler that is not there, with a spec that nobody compiled before.
TEST(HlsEngine, SaysWhenItCannotCompile) {
    const char* before = std::getenv("CXX");
    const std::string kept = before != nullptr ? before : "";
    setenv("CXX", "no-such-compiler", 1);
    try {
        (void)make_hls_engine()->load(stencil_system(9, 9), parse_spec("s9e6,row=s11e6"), {});
        ADD_FAILURE() << "no exception";
    } catch (const ToolFailure& e) {
        EXPECT_NE(std::string(e.what()).find("no-such-compiler"), std::string::npos) << e.what();
        EXPECT_EQ(std::string(e.what()).find('\n'), std::string::npos);
    }
    if (before != nullptr) setenv("CXX", kept.c_str(), 1);
    else unsetenv("CXX");
}

} // namespace
} // namespace mantissa
