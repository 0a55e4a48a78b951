// One device or several, by what is faster: two engines of the same bits, one of which is slow.
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "command/parts/picked_engine.hpp"
#include "mantissa/errors.hpp"
#include "mantissa/format.hpp"
#include "mantissa/multilevel/cycle_solver.hpp"
#include "mantissa/multilevel/cycle_spec.hpp"
#include "mantissa/partition/parted_engine.hpp"

namespace {

using namespace mantissa;
using cli::make_picked_engine;
using cli::PickNote;

bool never(const System&, const DatapathSpec&) {
    return false;
}
System grid() {
    return Stencil(129, 129, {-1, -1, -1, -1, 8, -1, -1, -1, -1});
}
const DatapathSpec kSpec = parse_spec("fx24.20");

/// u after some passes: a session has to begin at zero whatever was measured.
std::vector<double> iterate(const Engine& engine) {
    const System system = grid();
    const auto session = engine.load(system, kSpec, {});
    std::vector<double> r(system.size(), 0.0625), u(system.size());
    session->write(Vec::r, 0, r);
    session->set_scalars(0, 0);
    session->run({.passes = 8});
    session->read(Vec::u, 0, u);
    return u;
}

// Operation by operation, the emulated engine takes many times as long.
TEST(PickedEngine, TakesTheFasterOne) {
    const std::vector<double> wanted = iterate(*make_emulated_engine());
    for (const bool one_is_slow : {false, true}) {
        const auto note = std::make_shared<PickNote>();
        auto fast = make_emulated_engine(), slow = make_emulated_engine(EmulatedPath::general);
        const auto picked = make_picked_engine(one_is_slow ? std::move(slow) : std::move(fast),
                                               one_is_slow ? std::move(fast) : std::move(slow), never, "2 GPUs", note);
        EXPECT_EQ(iterate(*picked), wanted);
        EXPECT_EQ(note->one, !one_is_slow) << note->text;
        EXPECT_TRUE(note->text.starts_with(one_is_slow ? "all are used: " : "one is used: ")) << note->text;
        EXPECT_TRUE(note->text.ends_with(" on 2 GPUs")) << note->text;
    }
}

TEST(PickedEngine, WhatOneChipHoldsIsNotMeasured) {
    const auto note = std::make_shared<PickNote>();
    const auto picked = make_picked_engine(
        make_emulated_engine(EmulatedPath::general), make_emulated_engine(),
        [](const System&, const DatapathSpec&) { return true; }, "2 GPUs", note);
    iterate(*picked);
    EXPECT_TRUE(note->one);
    EXPECT_EQ(note->text, "one is used: it holds the whole system on its chip");
}

TEST(PickedEngine, RefusesWhatTheSeveralRefuse) {
    const auto note = std::make_shared<PickNote>();
    const auto picked =
        make_picked_engine(make_emulated_engine(), make_parted_engine(make_threads_space(2)), never, "2 GPUs", note);
    EXPECT_NE(picked->refusal(parse_spec("s10e8"), grid(), {}), "");
    EXPECT_THROW(static_cast<void>(picked->load(grid(), parse_spec("s10e8"), {})), InvalidInput);
    EXPECT_EQ(note->text, "");
}

/// Has cycles, or says that it has not; and which engine was asked for them.
class WithCycles final : public Engine {
public:
    WithCycles(std::string refusal, int& asked) : refusal_(std::move(refusal)), asked_(asked) {}
    [[nodiscard]] std::string name() const override { return "gpu"; }
    [[nodiscard]] std::string description() const override { return {}; }
    [[nodiscard]] std::string refusal(const DatapathSpec&, const System&, const SessionOptions&) const override {
        return {};
    }
    [[nodiscard]] std::unique_ptr<Session> load(const System&, const DatapathSpec&,
                                                const SessionOptions&) const override {
        return nullptr;
    }
    [[nodiscard]] std::string cycles_refusal(const System&, const CycleSpec&, const CycleLoop&) const override {
        return refusal_;
    }
    [[nodiscard]] std::unique_ptr<CycleSolver> cycles(const System&, const CycleSpec&,
                                                      const CycleLoop&) const override {
        ++asked_;
        return nullptr;
    }

private:
    std::string refusal_;
    int& asked_;
};

TEST(PickedEngine, CyclesGoToSeveralWhereTheyAreLongAndCan) {
    for (const std::size_t side : {std::size_t{2049}, std::size_t{4097}})
        for (const char* const refusal : {"", "not on several"}) {
            const auto note = std::make_shared<PickNote>();
            int one = 0, several = 0;
            const auto picked =
                make_picked_engine(std::make_unique<WithCycles>("", one),
                                   std::make_unique<WithCycles>(refusal, several), never, "2 GPUs", note);
            const System system(Stencil(side, side, {-1, -1, -1, -1, 8, -1, -1, -1, -1}));
            EXPECT_EQ(picked->cycles_refusal(system, {}, {}), "");
            static_cast<void>(picked->cycles(system, {}, {}));
            const bool shared = side == 4097 && refusal[0] == '\0';
            EXPECT_EQ(several, shared ? 1 : 0);
            EXPECT_EQ(one, shared ? 0 : 1);
            EXPECT_EQ(note->one, !shared);
            EXPECT_EQ(note->text.empty(), shared) << note->text;
        }
}

} // namespace
