// What the core and its harness do when something is wrong: an error flag and a clean stop, never a hang, and nothing
// left behind for the next run.
#include <cstdio>
#include <stdexcept>
#include <string>

#include <gtest/gtest.h>

#include "beats.hpp"
#include "core_matrix.hpp"
#include "core_registers.hpp"
#include "mantissa/checked_engine.hpp"
#include "mantissa/engine.hpp"
#include "mantissa/exact.hpp"
#include "mantissa/fitted.hpp"
#include "mantissa/fixed_words.hpp"
#include "mantissa/sim/core_parameters.hpp"
#include "mantissa/sim/model_cache.hpp"
#include "mantissa/sim/rtl_engine.hpp"
#include "model_library.hpp"
#include "specs.hpp"
#include "systems.hpp"

namespace mantissa::sim {
namespace {

class Faults : public testing::TestWithParam<const char*> {
protected:
    Faults() : spec_(parse_spec(GetParam())), system_(bands(9, 7, 4)) {
        RtlOptions options;
        options.patience = 5000;
        options.rules = true;
        session_ = load(options);
    }
    /// Random bands, scaled for the spec where it asks for it.
    [[nodiscard]] System bands(std::size_t row_length, std::size_t rows, std::uint64_t seed) const {
        const System system = test::random_bands(row_length, rows, seed);
        const auto fit = fitted(system, spec_);
        return fit ? fit->system : system;
    }
    /// The streams that the core reads.
    [[nodiscard]] std::uint32_t sources() const {
        return 4 + static_cast<std::uint32_t>(core_matrix(system_, spec_).streams.size());
    }
    std::unique_ptr<RtlSession> load(const RtlOptions& options) {
        auto session = make_rtl_engine(options)->load(system_, spec_, {});
        return std::unique_ptr<RtlSession>(dynamic_cast<RtlSession*>(session.release()));
    }
    void write_start(Session& s) const {
        std::vector<double> d(system_.size());
        for (std::size_t i = 0; i < d.size(); ++i) d[i] = 0.05 * static_cast<double>((i * 7) % 11) - 0.2;
        for (Vec v : {Vec::u, Vec::p, Vec::q}) s.clear(v);
        s.write(Vec::r, 0, d);
        s.set_scalars(0, 0);
    }
    /// A whole run from the start agrees with the emulated engine: the core is as good as new.
    void expect_healthy() {
        const auto reference = make_emulated_engine()->load(system_, spec_, {});
        write_start(*session_);
        write_start(*reference);
        session_->set_misbehaviour({});
        const RunReport a = session_->run({5}), b = reference->run({5});
        ASSERT_EQ(to_string(a.end), to_string(b.end)) << session_->fault();
        const auto difference = compare_sessions(*session_, *reference, spec_, system_.size());
        ASSERT_FALSE(difference) << difference->signal << " element " << difference->element;
    }
    /// A run was aborted, or had come to its end while the abort was on its way.
    void expect_aborted(std::uint32_t passes) {
        const std::uint32_t errors = session_->read_register(kErrors);
        if (errors == 0) EXPECT_EQ(session_->read_register(kPassCount), passes);
        else EXPECT_EQ(errors, static_cast<std::uint32_t>(kAborted));
    }
    void start_and_expect(std::uint32_t error) {
        session_->start({3});
        ASSERT_TRUE(session_->advance(0)) << session_->fault();
        const std::uint32_t status = session_->read_register(kStatus);
        EXPECT_EQ(status & (kBusyBit | kDoneBit), kDoneBit);
        EXPECT_EQ((status >> 4) & 7, static_cast<std::uint32_t>(RunEnd::fault));
        EXPECT_EQ(session_->read_register(kErrors), error);
        EXPECT_EQ(session_->finish().end, RunEnd::fault);
        EXPECT_NE(session_->fault(), "");
        session_->write_register(kErrors, 0x1FF);
        EXPECT_EQ(session_->read_register(kErrors), 0U);
    }
    [[nodiscard]] std::uint64_t beats() const {
        const auto lanes = static_cast<std::size_t>(spec_.lanes);
        return (system_.size() + lanes - 1) / lanes;
    }

    DatapathSpec spec_;
    System system_;
    std::unique_ptr<RtlSession> session_;
};

TEST_P(Faults, Identifies) {
    EXPECT_EQ(session_->read_register(kId), kIdValue);
    expect_healthy();
}

TEST_P(Faults, ZeroLength) {
    session_->write_register(kLength, 0);
    start_and_expect(kBadLength | kBadRowLength); // a row is longer than no vector
    session_->write_register(kLength, static_cast<std::uint32_t>(system_.size()));
    expect_healthy();
}

TEST_P(Faults, RowTooLongOrTooShort) {
    for (const std::uint32_t row : {0U, 2U, 1026U, 4096U + 9U, 64U}) { // 64 is above the vector's length
        session_->write_register(kRowLength, row);
        start_and_expect(kBadRowLength);
    }
    session_->write_register(kRowLength, 9);
    expect_healthy();
}

TEST_P(Faults, NoPasses) {
    session_->start({0});
    ASSERT_TRUE(session_->advance(0));
    EXPECT_EQ(session_->read_register(kErrors), static_cast<std::uint32_t>(kNoPasses));
    session_->write_register(kErrors, 0x1FF);
    expect_healthy();
}

TEST_P(Faults, ProgrammedWhileBusy) {
    write_start(*session_);
    session_->start({3});
    EXPECT_FALSE(session_->advance(40));
    session_->write_register(kControl, 1);   // a second start
    session_->write_register(kPasses, 100);  // ignored
    session_->write_register(kRowLength, 5); // ignored
    EXPECT_TRUE(session_->advance(0));
    EXPECT_EQ(session_->read_register(kPassCount), 3U);
    EXPECT_EQ(session_->read_register(kErrors), static_cast<std::uint32_t>(kBusy));
    EXPECT_EQ(session_->read_register(kRowLength), 9U);
    const std::uint32_t status = session_->read_register(kStatus);
    EXPECT_EQ((status >> 4) & 7, 0U); // the run itself ended well
    session_->finish();
    session_->write_register(kErrors, 0x1FF);
    expect_healthy();
}

TEST_P(Faults, StreamEndsEarly) {
    for (std::uint32_t stream = 0; stream < sources(); ++stream) {
        SCOPED_TRACE(stream_name(stream));
        session_->set_misbehaviour({Misbehaviour::Kind::early_last, stream, beats() / 2});
        start_and_expect(kEndedEarly);
        session_->reset();
        expect_healthy();
        if (HasFatalFailure()) return;
    }
}

TEST_P(Faults, StreamEndsLate) {
    for (std::uint32_t stream = 0; stream < sources(); ++stream) {
        SCOPED_TRACE(stream_name(stream));
        session_->set_misbehaviour({Misbehaviour::Kind::no_last, stream, 0});
        start_and_expect(kEndedLate);
        session_->reset();
        expect_healthy();
        if (HasFatalFailure()) return;
    }
}

TEST_P(Faults, StallLimitStopsADeadStream) {
    for (std::uint32_t stream = 0; stream < 17; ++stream) {
        if (stream >= sources() && stream < 13) continue;
        SCOPED_TRACE(stream_name(stream));
        session_->set_misbehaviour({Misbehaviour::Kind::ends, stream, beats() / 2});
        session_->write_register(kStallLimit, 300);
        start_and_expect(kStalled);
        session_->write_register(kStallLimit, 0);
        session_->reset();
        expect_healthy();
        if (HasFatalFailure()) return;
    }
}

// A sink that stops, and the memory that does not take a pass beat: the run ends, the beat stays (the model's rules
// look on), a start is refused until it has been taken, and then the core is as good as new without a reset.
TEST_P(Faults, WhatIsOfferedStaysAfterTheRun) {
    for (std::uint32_t stream = 13; stream < 18; ++stream)
        for (const bool abort : {false, true}) {
            SCOPED_TRACE(stream_name(stream) + (abort ? ", aborted" : ", stalled"));
            write_start(*session_);
            session_->set_misbehaviour({Misbehaviour::Kind::ends, stream, stream == 17 ? 0 : beats() / 2});
            session_->write_register(kStallLimit, abort ? 0 : 300);
            session_->start({3});
            if (abort) {
                EXPECT_FALSE(session_->advance(400));
                session_->write_register(kControl, 2);
            }
            ASSERT_TRUE(session_->advance(0)) << session_->fault();
            EXPECT_EQ(session_->read_register(kErrors), abort ? kAborted : kStalled);
            for (int again = 0; again < 3; ++again) {
                EXPECT_EQ(session_->read_register(kStatus) & (kBusyBit | kDoneBit | kOfferingBit),
                          kDoneBit | kOfferingBit);
                session_->start({3});
                ASSERT_TRUE(session_->advance(0));
                EXPECT_EQ(session_->read_register(kErrors), static_cast<std::uint32_t>(kStillOffered));
                EXPECT_EQ(session_->finish().end, RunEnd::fault);
                EXPECT_NE(session_->fault().find("still offered"), std::string::npos);
            }
            session_->write_register(kStallLimit, 0);
            session_->set_misbehaviour({});
            session_->read_register(kId); // some clocks, in which the sinks take and throw away
            EXPECT_EQ(session_->read_register(kStatus) & kOfferingBit, 0U);
            expect_healthy();
            if (HasFatalFailure()) return;
        }
}

TEST_P(Faults, AbortAtAnyClockOfAStallingMemory) {
    MemoryOptions stalling;
    stalling.stall = 0.2;
    stalling.latency = 7;
    for (std::uint64_t clocks = 1; clocks < 1500; clocks += 11) {
        SCOPED_TRACE(clocks);
        stalling.seed = clocks;
        session_->set_memory(stalling);
        write_start(*session_);
        session_->start({2});
        if (session_->advance(clocks)) break;
        session_->write_register(kControl, 2);
        ASSERT_TRUE(session_->advance(0)) << session_->fault();
        expect_aborted(2);
        while ((session_->read_register(kStatus) & kOfferingBit) != 0) {
        }
        expect_healthy();
        if (HasFatalFailure()) return;
    }
}

// The checks themselves: a source that withdraws what it has offered is found.
TEST_P(Faults, ABrokenRuleIsFound) {
    int found = 0;
    for (std::uint32_t stream = 0; stream < 4; ++stream) {
        RtlOptions options;
        options.rules = true;
        options.memory.stall = 0.3;
        const auto session = load(options);
        write_start(*session);
        session->start({2});
        ASSERT_FALSE(session->advance(80)); // most streams wait for the slowest
        session->set_misbehaviour({Misbehaviour::Kind::ends, stream, 0});
        try {
            session->advance(3);
        } catch (const std::runtime_error& e) {
            EXPECT_NE(std::string(e.what()).find("stream_rules.sv"), std::string::npos) << e.what();
            ++found;
        }
    }
    EXPECT_GE(found, 1);
}

TEST_P(Faults, HalvesOfARegisterStandForThemselves) {
    const std::uint64_t held = ~std::uint64_t{0} >> (64 - spec_.scalar.width()); // bits that a scalar has
    const std::uint32_t low = 0x56789ABCU & static_cast<std::uint32_t>(held),
                        high = 0x3F401234U & static_cast<std::uint32_t>(held >> 32);
    for (const std::uint32_t at : {kAlpha, kBeta, kRhoStop}) {
        session_->write_register(at + 4, 0x3F401234);
        session_->write_register(at, 0x56789ABC);
        EXPECT_EQ(session_->read_register(at), low);
        EXPECT_EQ(session_->read_register(at + 4), high);
        session_->write_register(at + 4, 0);
        EXPECT_EQ(session_->read_register(at), low);
        session_->write_register(at, 0);
    }
    session_->write_register(kCycles, 77); // read only
    for (const std::uint32_t at : {0x78U, 0x7CU, 0x80U, 0xC4U, 0xC8U, 0xFCU, static_cast<std::uint32_t>(kCycles)})
        EXPECT_EQ(session_->read_register(at), 0U) << at; // no word has been written yet (0xC8)
    expect_healthy();
}

TEST_P(Faults, WatchdogSaysWhatWasWaitedFor) {
    session_->set_misbehaviour({Misbehaviour::Kind::ends, 6, beats() / 2});
    write_start(*session_);
    const RunReport report = session_->run({3});
    EXPECT_EQ(report.end, RunEnd::fault);
    EXPECT_NE(session_->fault().find("band 2 in"), std::string::npos) << session_->fault();
    expect_healthy(); // run() resets the core after a watchdog
    session_->set_misbehaviour({Misbehaviour::Kind::ends, 16, 3});
    write_start(*session_);
    EXPECT_EQ(session_->run({3}).end, RunEnd::fault);
    EXPECT_NE(session_->fault().find("q out"), std::string::npos) << session_->fault();
    expect_healthy();
}

TEST_P(Faults, AbortAtAnyClock) {
    for (std::uint64_t clocks = 1; clocks < 700; clocks += 13) {
        SCOPED_TRACE(clocks);
        write_start(*session_);
        session_->start({2});
        if (session_->advance(clocks)) break;
        session_->write_register(kControl, 2);
        ASSERT_TRUE(session_->advance(0)) << session_->fault();
        expect_aborted(2);
        session_->write_register(kErrors, 0x1FF);
        expect_healthy();
        if (HasFatalFailure()) return;
    }
}

TEST_P(Faults, ResetAtAnyClock) {
    for (std::uint64_t clocks = 1; clocks < 700; clocks += 17) {
        SCOPED_TRACE(clocks);
        write_start(*session_);
        session_->start({2});
        session_->advance(clocks);
        session_->reset();
        EXPECT_EQ(session_->read_register(kStatus) & kBusyBit, 0U);
        expect_healthy();
        if (HasFatalFailure()) return;
    }
}

/// One core that a host programs for one system after the other, by its registers alone: it is never reset.
class OneCore {
public:
    explicit OneCore(const DatapathSpec& spec, const System& largest)
        : spec_(spec), model_(std::make_shared<ModelLibrary>(
                           build_model({core_parameters(spec, largest), false, true}, ModelCacheOptions{}))) {}

    /// Runs `passes` passes from r = d, and compares all vectors and rho with the emulated engine's.
    void expect_run_equals(const System& system, std::uint64_t passes) {
        const Format formats[] = {spec_.u, spec_.r, spec_.p, spec_.q};
        std::vector<double> d(system.size());
        for (std::size_t i = 0; i < d.size(); ++i) d[i] = 0.05 * static_cast<double>((i * 7) % 11) - 0.2;
        const auto reference = make_emulated_engine()->load(system, spec_, {});
        reference->write(Vec::r, 0, d);
        reference->set_scalars(0, 0);
        const RunReport wanted = reference->run({passes});

        Beats vectors[2][4];
        mantissa_buffers buffers{};
        buffers.size = system.size();
        for (std::size_t v = 0; v < 4; ++v) {
            for (std::size_t bank = 0; bank < 2; ++bank) {
                vectors[bank][v] = Beats(system.size(), spec_.lanes, formats[v].width());
                buffers.vectors[bank][v] = vectors[bank][v].data();
            }
            buffers.element_bytes[v] = 8;
        }
        for (std::size_t i = 0; i < d.size(); ++i) vectors[0][1].set(i, word(spec_.r, d[i]));
        CoreMatrix matrix = core_matrix(system, spec_);
        for (std::size_t k = 0; k < matrix.streams.size(); ++k) {
            buffers.bands[k] = matrix.streams[k].data();
            buffers.element_bytes[4 + k] = 8;
        }
        api().set_buffers(model_.state(), 0, &buffers);
        write(kLength, static_cast<std::uint32_t>(system.size()));
        write(kRowLength, static_cast<std::uint32_t>(system.row_length()));
        write(kPasses, static_cast<std::uint32_t>(passes));
        for (const std::uint32_t at : {kBank, kMode, kAlpha, kBeta, kRhoStop}) write(at, 0);
        for (const std::uint32_t at : {kAlpha, kBeta, kRhoStop}) write(at + 4, 0);
        write(kControl, kStartBit);
        mantissa_stats stats{};
        ASSERT_EQ(api().run(model_.state(), 5000, 0, &stats), 0) << "the core stands";
        const std::uint32_t status = api().read_register(model_.state(), kStatus);
        ASSERT_EQ(run_end_of(end_number(status)), wanted.end);
        ASSERT_EQ(api().read_register(model_.state(), kErrors), 0U);
        const std::size_t bank = (status & kBankBit) != 0 ? 1 : 0;
        std::vector<double> values(system.size());
        for (std::size_t v = 0; v < 4; ++v) {
            reference->read(static_cast<Vec>(v), 0, values);
            for (std::size_t i = 0; i < values.size(); ++i)
                ASSERT_EQ(vectors[bank][v].get(i), word(formats[v], values[i])) << "urpq"[v] << " element " << i;
        }
        const std::uint64_t rho = api().read_register(model_.state(), kRho) |
                                  (std::uint64_t{api().read_register(model_.state(), kRho + 4)} << 32);
        ASSERT_EQ(rho, encode(spec_.scalar, reference->scalars().rho));
    }

private:
    [[nodiscard]] const mantissa_model_api& api() const { return model_.api(); }
    void write(std::uint32_t at, std::uint32_t value) { api().write_register(model_.state(), at, value); }
    static std::uint64_t word(const Format& f, double x) {
        if (!f.is_fixed()) return encode(f, exact::convert(f, x));
        return static_cast<std::uint64_t>(fixed::from_double(f, x).word) & (~std::uint64_t{0} >> (64 - f.word_bits));
    }

    DatapathSpec spec_;
    Model model_;
};

TEST_P(Faults, BackToBackRunsOfManySizesLeaveNothingBehind) {
    // Long and short rows and vectors one after another, rows that are no multiple of the lanes among them.
    const std::pair<std::size_t, std::size_t> shapes[] = {{12, 6}, {5, 6}, {5, 1},  {31, 4},
                                                          {4, 3},  {9, 7}, {30, 5}, {7, 2}};
    OneCore core(spec_, system_);
    for (int round = 0; round < 2; ++round)
        for (const auto& [row, rows] : shapes) {
            SCOPED_TRACE(std::to_string(row) + " x " + std::to_string(rows));
            for (const std::uint64_t passes : {3U, 2U}) {
                core.expect_run_equals(bands(row, rows, row), passes);
                if (HasFatalFailure()) return;
            }
        }
}

TEST_P(Faults, ThresholdEndsARunWhereTheReferenceDoes) {
    const auto reference = make_emulated_engine()->load(system_, spec_, {});
    write_start(*session_);
    write_start(*reference);
    RunRequest request;
    request.passes = 40;
    request.rho_stop = 1e-3;
    request.rho_stop_from = 2;
    for (int k = 0; k < 3; ++k) {
        const RunReport a = session_->run(request), b = reference->run(request);
        EXPECT_EQ(to_string(a.end), to_string(b.end));
        EXPECT_EQ(a.passes, b.passes);
        ASSERT_FALSE(compare_sessions(*session_, *reference, spec_, system_.size()));
        request.rho_stop /= 64;
    }
}

std::string name_of(const testing::TestParamInfo<const char*>& info) {
    const char* const names[] = {"OneLane", "TwoLanes", "Integers"};
    return names[info.index];
}
INSTANTIATE_TEST_SUITE_P(Specs, Faults, testing::ValuesIn(test::kRuleSpecs), name_of);

} // namespace
} // namespace mantissa::sim
