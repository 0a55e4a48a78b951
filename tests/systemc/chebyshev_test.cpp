// The Chebyshev recurrence on the HLS datapath, untimed and timed, against the emulated engine bit for bit, and the
// timed model's clocks against the RTL core's.
#include <random>

#include <gtest/gtest.h>

#include "mantissa/chebyshev.hpp"
#include "mantissa/fitted.hpp"
#include "mantissa/hls/engine.hpp"
#include "mantissa/sim/rtl_engine.hpp"
#include "mantissa/sim/systemc_engine.hpp"
#include "systems.hpp"

namespace mantissa {
namespace {

constexpr SessionOptions kChebyshev{1, Recurrence::chebyshev};

std::vector<double> start_of(const System& system) {
    std::mt19937_64 random(3);
    std::uniform_real_distribution<double> uniform(-0.02, 0.02);
    std::vector<double> r(system.size());
    for (std::size_t i = 0; i < r.size(); ++i) r[i] = system.on_edge(i) ? 0.0 : uniform(random);
    return r;
}

System fitted_system(const System& system, const DatapathSpec& spec) {
    const auto fit = fitted(system, spec);
    return fit ? fit->system : system;
}

struct Case {
    const char* spec;
    bool bands;
};

class ChebyshevHls : public ::testing::TestWithParam<Case> {
protected:
    [[nodiscard]] DatapathSpec spec() const { return parse_spec(GetParam().spec); }
    [[nodiscard]] System system(std::size_t row, std::size_t rows) const {
        return fitted_system(
            GetParam().bands ? sim::test::random_bands(row, rows, row) : sim::test::poisson_stencil(row, rows), spec());
    }
};

TEST_P(ChebyshevHls, EqualsTheEmulatedEngine) {
    std::vector<std::unique_ptr<Engine>> engines;
    engines.push_back(make_hls_engine());
    engines.push_back(make_systemc_engine());
    const System a = system(13, 9);
    for (const auto& engine : engines) {
        SCOPED_TRACE(engine->name());
        const auto subject = engine->load(a, spec(), kChebyshev),
                   reference = make_emulated_engine()->load(a, spec(), kChebyshev);
        const std::vector<StepPair> pairs = chebyshev_pairs({0.9, 20}, 9);
        for (Session* s : {subject.get(), reference.get()}) s->write(Vec::r, 0, start_of(a));
        for (std::size_t k = 0; k < pairs.size(); k += k == 0 ? 1 : 3) {
            const auto some = std::span(pairs).subspan(k, k == 0 ? 1 : 3);
            const RunReport x = subject->run({.passes = some.size(), .pairs = some}),
                            y = reference->run({.passes = some.size(), .pairs = some});
            ASSERT_EQ(x.passes, y.passes) << subject->fault();
            ASSERT_EQ(x.end, y.end);
            sim::test::expect_same_words(x.words, y.words, k);
            sim::test::expect_same_state(*subject, *reference, a.size(), k);
            if (HasFatalFailure()) return;
        }
    }
}

// Words too long for their format, wherever they come from.
TEST_P(ChebyshevHls, OverflowsAsTheEmulatedEngineDoes) {
    if (!spec().fixed_vectors()) GTEST_SKIP() << "floating vectors do not overflow";
    const System a = system(13, 9);
    for (const auto& engine : {make_hls_engine(), make_systemc_engine()}) {
        const auto subject = engine->load(a, spec(), kChebyshev),
                   reference = make_emulated_engine()->load(a, spec(), kChebyshev);
        std::vector<StepPair> pairs(12, {0.5, 3});
        pairs[0] = {};
        for (Session* s : {subject.get(), reference.get()}) s->write(Vec::r, 0, start_of(a));
        const RunRequest request{.passes = pairs.size(), .pairs = pairs};
        const RunReport x = subject->run(request), y = reference->run(request);
        EXPECT_EQ(y.end, RunEnd::window_overflow);
        EXPECT_EQ(x.end, y.end);
        EXPECT_EQ(x.passes, y.passes);
        sim::test::expect_same_state(*subject, *reference, a.size(), 1);
    }
}

TEST_P(ChebyshevHls, TakesTheRtlCoresClocks) {
    const System a = system(65, 65);
    const std::vector<StepPair> pairs = chebyshev_pairs({0.9, 20}, 4);
    const auto clocks = [&](const Engine& engine) {
        const auto session = engine.load(a, spec(), kChebyshev);
        session->write(Vec::r, 0, start_of(a));
        const RunReport report = session->run({.passes = pairs.size(), .pairs = pairs});
        EXPECT_EQ(report.passes, pairs.size()) << session->fault();
        return static_cast<double>(report.cycles.value_or(0)) / static_cast<double>(pairs.size());
    };
    sim::SystemcOptions model;
    model.memory.burst_beats = 1;
    model.memory.latency = 0;
    model.memory.bytes_per_cycle = 0;
    model.memory.idle_credit = 4096;
    const double want = clocks(*sim::make_rtl_engine()), got = clocks(*sim::make_systemc_engine(model));
    EXPECT_NEAR(got, want, 4) << "clocks a pass, predicted and taken";
}

std::string name_of(const ::testing::TestParamInfo<Case>& c) {
    return c.index == 0 ? "words" : c.index == 1 ? "streamed_words" : "floating";
}
INSTANTIATE_TEST_SUITE_P(Datapaths, ChebyshevHls,
                         ::testing::Values(Case{"fx18.16", false}, Case{"fx20.18,operand=s23e11,lanes=4", true},
                                           Case{"s17e8,lanes=2", false}),
                         name_of);

} // namespace
} // namespace mantissa
