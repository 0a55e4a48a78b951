// The RTL core at datapaths drawn at random, in random sizes with random stalls, against the emulated engine bit for
// bit. MANTISSA_RANDOM_SPECS sets how many are drawn (each builds a model, some 15 s), MANTISSA_SEED which.
#include <algorithm>
#include <cstdlib>
#include <random>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core_registers.hpp"
#include "fixed_systems.hpp"
#include "mantissa/checked_engine.hpp"
#include "mantissa/sim/rtl_engine.hpp"
#include "session_pair.hpp"
#include "systems.hpp"

namespace mantissa::sim {
namespace {

std::uint64_t number_from(const char* variable, std::uint64_t usual) {
    const char* text = std::getenv(variable);
    return text != nullptr ? std::strtoull(text, nullptr, 10) : usual;
}

class Draw {
public:
    explicit Draw(std::uint64_t seed) : random_(seed) {}
    int between(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random_); }
    bool coin() { return between(0, 1) == 1; }
    std::string format(int low, int high, int e) {
        return fmt::format("s{}e{}{}", between(low, high), e, coin() ? ":rne" : "");
    }
    /// A spec whose every field is drawn. Exponents are wide enough that values of order one neither vanish nor
    /// overflow at once, so that passes go on.
    std::string spec() {
        const auto vector = [&] { return format(4, 26, between(6, 9)); };
        std::string text =
            fmt::format("{},u={},p={},q={},coef={},operand={},row={},scalar={}", vector(), vector(), vector(), vector(),
                        vector(), vector(), format(6, 30, between(6, 9)), format(16, 40, between(9, 11)));
        if (coin()) text += ",order=tree";
        if (coin()) text += fmt::format(",dot=fixed[{}:{}]", between(8, 14), -between(24, 48));
        else text += fmt::format(",product={},dot={}/16", format(8, 30, between(7, 9)), format(20, 45, between(9, 11)));
        const int lanes = 1 << between(0, 2);
        return lanes == 1 ? text : text + fmt::format(",lanes={}", lanes);
    }

    /// The same for fixed-point words.
    std::string fixed_spec() {
        const auto word = [&](int least, int most, int point) {
            const int bits = between(least, most);
            return fmt::format("fx{}.{}{}", bits, bits - 2 + between(-point, point), coin() ? ":floor" : "");
        };
        return fmt::format("{},u={},p={},q={},coef={},operand={},scalar={},lanes={}", word(10, 32, 2), word(10, 53, 4),
                           word(10, 32, 3), word(10, 32, 3), word(6, 28, 2), format(2, 30, between(6, 9)),
                           format(5, 40, between(8, 11)), 1 << between(0, 3));
    }

private:
    std::mt19937_64 random_;
};

/// Runs aborted at clocks drawn at random, each after what the one before has left; then a run that must be right.
void aborts_leave_nothing_behind(const Engine& rtl, const Engine& emulated, const System& system,
                                 const DatapathSpec& spec, Draw& draw) {
    const auto subject = rtl.load(system, spec, {}), reference = emulated.load(system, spec, {});
    auto& core = dynamic_cast<RtlSession&>(*subject);
    std::vector<double> d(system.size());
    for (std::size_t i = 0; i < d.size(); ++i)
        d[i] = system.on_edge(i) ? 0.0 : 0.02 * static_cast<double>((i * 5) % 9) - 0.07;
    const auto start = [&](Session& s) {
        for (const Vec v : {Vec::u, Vec::p, Vec::q}) s.clear(v);
        s.write(Vec::r, 0, d);
        s.set_scalars(0, 0);
    };
    for (int k = 0; k < 20; ++k) {
        start(core);
        core.start({2});
        if (core.advance(static_cast<std::uint64_t>(draw.between(1, 1500)))) continue;
        core.write_register(kControl, 2);
        ASSERT_TRUE(core.advance(0)) << core.fault();
        while ((core.read_register(kStatus) & kOfferingBit) != 0) {
        }
    }
    start(core);
    start(*reference);
    ASSERT_EQ(to_string(core.run({3}).end), to_string(reference->run({3}).end)) << core.fault();
    const auto difference = compare_sessions(core, *reference, spec, system.size());
    ASSERT_FALSE(difference) << difference->signal << " element " << difference->element;
}

TEST(RandomCore, EqualsEmulated) {
    const std::uint64_t seed = number_from("MANTISSA_SEED", 1), count = number_from("MANTISSA_RANDOM_SPECS", 2);
    Draw draw(seed);
    const auto emulated = make_emulated_engine();
    std::uint64_t compared = 0;
    for (std::uint64_t k = 0; compared < count && k < 20 * count + 20; ++k) {
        const std::string text = draw.spec();
        const DatapathSpec spec = parse_spec(text);
        RtlOptions options;
        options.memory.stall = 0.05 * draw.between(0, 4);
        options.memory.latency = static_cast<unsigned>(draw.between(1, 50));
        options.memory.seed = seed + k;
        options.rules = true;
        options.extra = {{"CoefMode", 2}}; // one model for both systems: a core built for both
        const auto rtl = make_rtl_engine(options);
        const auto row = static_cast<std::size_t>(draw.between(5, 33)),
                   rows = static_cast<std::size_t>(draw.between(3, 20));
        const System stencil = test::poisson_stencil(row, rows), bands = test::random_bands(row, rows, seed + k);
        if (!rtl->refusal(spec, stencil, {}).empty()) continue; // outside the core's parameters
        SCOPED_TRACE(fmt::format("{} on {} x {}, seed {}", text, row, rows, seed));
        test::compare_passes(*rtl, *emulated, stencil, spec, 6, seed + k);
        test::compare_passes(*rtl, *emulated, bands, spec, 6, seed + k);
        aborts_leave_nothing_behind(*rtl, *emulated, bands, spec, draw);
        if (HasFatalFailure()) return;
        ++compared;
    }
    EXPECT_EQ(compared, count) << "too few of the specs drawn are within the core's parameters";
}

TEST(RandomCore, EqualsEmulatedInFixedWords) {
    const std::uint64_t seed = number_from("MANTISSA_SEED", 1), count = number_from("MANTISSA_RANDOM_SPECS", 2);
    Draw draw(seed);
    const auto emulated = make_emulated_engine();
    std::uint64_t compared = 0;
    for (std::uint64_t k = 0; compared < count && k < 20 * count + 20; ++k) {
        const std::string text = draw.fixed_spec();
        const DatapathSpec spec = parse_spec(text);
        const auto matrix = static_cast<test::Matrix>(draw.between(0, 3));
        RtlOptions options;
        options.memory.stall = 0.05 * draw.between(0, 4);
        options.memory.latency = static_cast<unsigned>(draw.between(1, 50));
        options.memory.seed = seed + k;
        options.rules = true;
        options.extra = {{"Style", draw.between(0, 2)}, {"DelayRam", draw.between(0, 1)}};
        const auto rtl = make_rtl_engine(options);
        const auto row = static_cast<std::size_t>(draw.between(std::max(5, spec.lanes), 40)),
                   rows = static_cast<std::size_t>(draw.between(3, 12));
        SCOPED_TRACE(fmt::format("{} on {} x {}, matrix {}, seed {}", text, row, rows, static_cast<int>(matrix), seed));
        const System system = test::system_of(matrix, spec, row, rows);
        if (!rtl->refusal(spec, system, {}).empty()) continue; // outside the core's parameters
        test::compare_passes(*rtl, *emulated, system, spec, 6, seed + k);
        test::compare_any_scalars(*rtl, *emulated, system, spec, 40, seed + k);
        aborts_leave_nothing_behind(*rtl, *emulated, system, spec, draw);
        if (HasFatalFailure()) return;
        ++compared;
    }
    EXPECT_EQ(compared, count) << "too few of the specs drawn are within the core's parameters";
}

} // namespace
} // namespace mantissa::sim
