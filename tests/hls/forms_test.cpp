// The hls engine's row forms and fixed-point words: the emulated engine's bits after every pass.
#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <memory>
#include <random>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "engine_compare.hpp"
#include "engines_alike.hpp"
#include "mantissa/hls/engine.hpp"
#include "mantissa/host/solve.hpp"
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
                         ::testing::Values("s17e8,order=flux", "s26e8:rne,u=s23e8,row=s28e9,order=flux,"
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

// Words so full that they overflow, in a write() or in passes.
TEST_P(HlsWords, OverflowAsEmulated) {
    const auto engine = make_hls_engine(), emulated = make_emulated_engine();
    for (const System& system : {stencil_system(18, 13), System(symmetric_bands(18, 13, 3, true))}) {
        std::size_t least = 6, most = 0;
        for (const double deviation : {0.2, 0.5, 1.0, 20.0}) {
            const std::vector<double> start = random_residual(system, deviation);
            const std::size_t passes = expect_alike(*engine, *emulated, GetParam(), system, 6, start);
            least = std::min(least, passes);
            most = std::max(most, passes);
        }
        EXPECT_EQ(least, 0U) << "no first pass overflowed";
        EXPECT_GT(most, 0U) << "no pass before an overflow";
    }
}

INSTANTIATE_TEST_SUITE_P(
    Specs, HlsWords,
    ::testing::Values(
        "fx18.16,coef=fx20.17",
        "fx22.19:floor,u=fx40.33,r=fx20.18,p=fx24.20,q=fx23.17,coef=fx16.13,operand=s10e8:rne,scalar=s23e8:rne,lanes=4",
        "fx30.26,u=s23e8,coef=fx32.28,operand=s40e11,lanes=2"),
    kName);

// Scalars as large and as small as they come: shifts to either side, and nothing left of a word.
TEST(HlsWordScalars, AsEmulated) {
    const auto engine = make_hls_engine(), emulated = make_emulated_engine();
    const System system = stencil_system(18, 13);
    const DatapathSpec spec = parse_spec("fx18.16");
    std::mt19937_64 random(3);
    std::uniform_real_distribution<double> uniform(-1, 1);
    for (const double alpha :
         {0.0, 1.0, -0.75, 0x1p-17, 0x1.8p-18, 0x1p-60, 0x1p-900, 3.0, 0x1p20, -0x1.8p44, 0x1p70}) {
        const auto a = engine->load(system, spec, {}), b = emulated->load(system, spec, {});
        std::vector<double> values(system.size());
        for (const Vec v : {Vec::u, Vec::r, Vec::p, Vec::q}) {
            for (double& x : values) x = uniform(random);
            for (Session* s : {a.get(), b.get()}) s->write(v, 0, values);
        }
        for (Session* s : {a.get(), b.get()}) s->set_scalars(alpha, -alpha / 3);
        const RunReport got = a->run({.passes = 1}), want = b->run({.passes = 1});
        EXPECT_EQ(got.end, want.end) << alpha;
        EXPECT_EQ(got.words, want.words) << alpha << ": " << testing::text_of(got.words) << "; "
                                         << testing::text_of(want.words);
        const auto d = compare_sessions(*a, *b, spec, system.size());
        EXPECT_FALSE(d) << alpha << ": " << d->signal << "[" << d->element << "] " << d->subject << ", "
                        << d->reference;
    }
}

TEST(HlsWordScalars, RunsEndAsOnePassAtATime) {
    const System system = stencil_system(33, 33);
    const auto one = make_hls_engine()->load(system, parse_spec("fx18.16"), {}),
               two = make_hls_engine()->load(system, parse_spec("fx18.16"), {});
    for (Session* s : {one.get(), two.get()}) s->write(Vec::r, 0, random_residual(system, 0.05));
    const RunReport whole = one->run({.passes = 7});
    RunReport parts;
    for (int k = 0; k < 7; ++k) {
        const RunReport part = two->run({.passes = 1});
        parts.passes += part.passes;
        parts.words.merge(part.words);
    }
    EXPECT_EQ(whole.passes, parts.passes);
    EXPECT_EQ(whole.words, parts.words) << testing::text_of(whole.words);
    EXPECT_GT(whole.words.u, 1);
    EXPECT_FALSE(compare_sessions(*one, *two, parse_spec("fx18.16"), system.size()));
}

/// Specs whose every field is drawn, such that values of order one neither vanish nor overflow at once.
class Draw {
public:
    explicit Draw(std::uint64_t seed) : random_(seed) {}
    std::string words() {
        const int bits = between(14, 30);
        const auto vector = [&](int more) {
            const int w = bits + between(0, 2);
            return fmt::format("fx{}.{}{}", w, w - 3 - more, coin() ? ":floor" : "");
        };
        return fmt::format("{},r={},p={},q={},coef={},u=fx{}.{},operand={},scalar={},lanes={}", vector(0), vector(0),
                           vector(0), vector(1), vector(1), bits + 12, bits + between(0, 4), floating(7, 40, 9),
                           floating(12, 52, 10), 1 << between(0, 3));
    }
    std::string fluxes() {
        return fmt::format("{},u={},r={},p={},q={},coef={},row={},order=flux,dot=fixed[13:-44],lanes={}",
                           floating(8, 26, 8), floating(8, 26, 8), floating(8, 26, 8), floating(8, 26, 8),
                           floating(8, 26, 8), floating(6, 26, 8), floating(8, 30, 9), 1 << between(0, 3));
    }

private:
    int between(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random_); }
    bool coin() { return between(0, 1) == 1; }
    std::string floating(int low, int high, int e) {
        return fmt::format("s{}e{}{}", between(low, high), e, coin() ? ":rne" : "");
    }
    std::mt19937_64 random_;
};

std::uint64_t number_from(const char* variable, std::uint64_t usual) {
    const char* const text = std::getenv(variable);
    return text != nullptr ? std::strtoull(text, nullptr, 10) : usual;
}

// MANTISSA_RANDOM_SPECS sets how many of either are drawn (each is a kernel or two to compile), MANTISSA_SEED which.
TEST(HlsForms, DrawnAtRandom) {
    Draw draw(number_from("MANTISSA_SEED", 1));
    for (std::uint64_t k = 0; k < number_from("MANTISSA_RANDOM_SPECS", 1); ++k) {
        const std::string words = draw.words(), fluxes = draw.fluxes();
        for (const bool row_sums : {false, true}) {
            expect_hls_alike(words, symmetric_bands(19, 17, 3, row_sums), 6, 0.05, 0);
            expect_hls_alike(fluxes, symmetric_bands(19, 17, 3, row_sums), 6, 0.01, 0);
        }
        expect_hls_alike(words, stencil_system(19, 17), 6, 0.05, 0);
        expect_hls_alike(fluxes, symmetric_stencil(19, 17, 0.1), 6, 0.01, 0);
        if (::testing::Test::HasFailure()) return;
    }
}

// A whole refined solve with every iteration compared.
TEST(HlsForms, SolvesWithEveryIterationEqual) {
    const auto engine = make_hls_engine(), emulated = make_emulated_engine();
    for (const auto& [spec, name] : {std::pair<std::string, std::string>{"fx18.16", "poisson2d:level=5"},
                                     {"fx18.16", "diffusion2d:level=5"},
                                     {"s17e8,order=flux", "poisson2d:level=5"},
                                     {"s17e8,order=flux", "diffusion2d:level=5"}}) {
        SCOPED_TRACE(spec + " " + name);
        const auto compared = std::make_shared<std::atomic<std::uint64_t>>(0);
        const auto checked = make_checked_engine(*engine, *emulated, compared);
        SolveOptions options;
        options.spec = parse_spec(spec);
        options.tolerance = 1e-10;
        const SolveResult got = solve(make_problem(name), *checked, options),
                          want = solve(make_problem(name), *emulated, options);
        EXPECT_EQ(to_string(got.status), to_string(want.status)) << got.detail;
        EXPECT_EQ(to_string(got.status), to_string(Status::converged)) << got.detail;
        EXPECT_EQ(got.inner_iterations, want.inner_iterations);
        EXPECT_GT(*compared, 20U);
    }
}

TEST(HlsForms, RefusesInOneLine) {
    const auto engine = make_hls_engine();
    const System stencil = stencil_system(9, 9), bands = testing::band_system(9, 9, 3);
    const auto says = [&](const char* spec, const System& system, const char* what) {
        const std::string why = engine->refusal(parse_spec(spec), system, {});
        EXPECT_NE(why.find(what), std::string::npos) << spec << ": " << why;
        EXPECT_EQ(why.find('\n'), std::string::npos) << spec;
        EXPECT_THROW((void)engine->load(system, parse_spec(spec), {}), InvalidInput) << spec;
    };
    says("fx18.16,point=moving", stencil, "point=moving");
    says("s23e8,p=mxint8", stencil, "p=mxint8: blocks of MX words are the emulated engine's alone");
    says("s23e8,coef=mxfp8_e4m3", bands, "coef=mxfp8_e4m3: blocks of MX words are the emulated engine's alone");
    says("fx18.16,dot=fixed[13:-40]", stencil, "dot=exact");
    says("fx33.30", stencil, "at most 32 bits");
    says("fx32.2,p=fx32.40", stencil, "nearer");
    says("fx18.16,coef=fx45.43", stencil, "coef=");
    says("fx18.16,coef=fx18.17", symmetric_bands(9, 9, 3, true), "does not fit");
    says("fx18.16,coef=fx20.17", bands, "symmetric");
    says("fx18.16,coef=fx20.17", testing::sparse_system(20, 3), "sparse");
    says("fx18.16,u=half,coef=fx20.17", stencil, "subnormals");
    says("s17e8,order=flux", stencil, "order=flux");
    says("s17e8,order=second-difference", bands, "order=second-difference");
    EXPECT_EQ(engine->refusal(parse_spec("fx18.16,coef=fx20.17"), stencil, {}), "");
    EXPECT_EQ(engine->refusal(parse_spec("s17e8"), symmetric_bands(9, 9, 3, true), {}), "");
}

} // namespace
} // namespace mantissa
