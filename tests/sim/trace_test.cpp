// The waveform that a run leaves, and what the RTL engine refuses, each with its mend.
#include <cstdio>
#include <fstream>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "fst_signals.hpp"
#include "mantissa/engine.hpp"
#include "mantissa/exact.hpp"
#include "mantissa/sim/rtl_engine.hpp"
#include "specs.hpp"
#include "systems.hpp"

namespace mantissa::sim {
namespace {

/// Every signal that the save file of two passes names is in their waveform. How many are named?
int named_signals(const System& system, const char* spec, const std::string& scope) {
    const std::string base = testing::TempDir() + "mantissa_trace";
    RtlOptions options;
    options.trace = {base + ".fst", 40, 300};
    {
        const auto session = make_rtl_engine(options)->load(system, parse_spec(spec), {});
        std::vector<double> d(system.size(), 0.0);
        d[d.size() / 2] = 0.5;
        session->write(Vec::r, 0, d);
        session->set_scalars(0, 0);
        EXPECT_EQ(session->run({2}).passes, 2U);
    }
    const std::set<std::string> signals = test::fst_signals(base + ".fst");
    EXPECT_GT(signals.size(), 1000U);
    std::ifstream save(base + ".gtkw");
    int named = 0;
    for (std::string line; std::getline(save, line);) {
        if (line.starts_with('[') || line.starts_with('@') || line.starts_with('-')) continue;
        ++named;
        EXPECT_TRUE(line.starts_with(scope) && signals.contains(line)) << line;
    }
    std::remove((base + ".fst").c_str());
    std::remove((base + ".gtkw").c_str());
    return named;
}

TEST(Trace, WritesTheWindowAndASaveFile) {
    EXPECT_GT(named_signals(test::poisson_stencil(9, 9), "s7e8", "model."), 40);
}

TEST(Trace, OfTheSparseCoreHasASaveFileToo) {
    const System rows(CompressedRows({0, 2, 5, 7}, {0, 1, 0, 1, 2, 1, 2}, {1, -0.25, -0.25, 1, -0.25, -0.25, 1}));
    EXPECT_GT(named_signals(rows, "fx18.16,coef=fx18.16", "TOP.sp_core."), 20);
}

/// A window that no run reaches: what an earlier run left there is as it was, of either core.
TEST(Trace, OfNoClockWritesNothing) {
    const System systems[] = {
        test::poisson_stencil(9, 9),
        System(CompressedRows({0, 2, 5, 7}, {0, 1, 0, 1, 2, 1, 2}, {1, -0.25, -0.25, 1, -0.25, -0.25, 1}))};
    const std::string base = testing::TempDir() + "mantissa_no_trace";
    for (const System& system : systems)
        for (const auto& [first, last] : {std::pair{100'000, 100'100}, std::pair{0, 2}}) {
            for (const char* ending : {".fst", ".gtkw"}) std::ofstream(base + ending) << "of before";
            RtlOptions options;
            options.trace = {base + ".fst", static_cast<std::uint64_t>(first), static_cast<std::uint64_t>(last)};
            {
                const auto session = make_rtl_engine(options)->load(
                    system, parse_spec(system.kind() == System::Kind::sparse ? "fx18.16,coef=fx18.16" : "s7e8"), {});
                std::vector<double> d(system.size(), 0.0);
                d[d.size() / 2] = 0.5;
                session->write(Vec::r, 0, d);
                session->set_scalars(0, 0);
                EXPECT_EQ(session->run({2}).passes, 2U);
                session->read(Vec::u, 0, d);
            }
            for (const char* ending : {".fst", ".gtkw"}) {
                std::string text;
                std::getline(std::ifstream(base + ending), text);
                EXPECT_EQ(text, "of before") << ending;
                std::remove((base + ending).c_str());
            }
        }
}

TEST(Refusal, SaysWhyAndTheMend) {
    const auto rtl = make_rtl_engine();
    const System system = test::poisson_stencil(9, 9);
    const auto why = [&](const char* spec) { return rtl->refusal(parse_spec(spec), system, {}); };
    EXPECT_EQ(why("s17e8"), "");
    EXPECT_NE(why("double").find("flush"), std::string::npos) << why("double");
    EXPECT_NE(why("s17e8,dot=s52e11/4").find("depth"), std::string::npos) << why("s17e8,dot=s52e11/4");
    EXPECT_NE(why("s17e8,lanes=8").find("lanes"), std::string::npos);
    EXPECT_NE(why("s17e8:rne:sat").find("sat"), std::string::npos);
    SessionOptions plain;
    plain.recurrence = Recurrence::plain;
    EXPECT_NE(rtl->refusal(parse_spec("s17e8"), system, plain), "");
    EXPECT_NE(rtl->refusal(parse_spec("s17e8,lanes=4"), test::random_bands(3, 3, 1), {}), "");
    EXPECT_THROW((void)rtl->load(system, parse_spec("double"), {}), InvalidInput);
}

} // namespace
} // namespace mantissa::sim
