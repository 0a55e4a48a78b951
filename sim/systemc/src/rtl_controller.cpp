// A run with the Verilated core: the same FIFOs, DMA and memory, and a clock.
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "mantissa/hls/kernel.hpp"
#include "mantissa/sim/rtl_engine.hpp"
#include "rtl_core.hpp"
#include "system.hpp"

namespace mantissa::sim {

void CoreSystem::rtl_controller() {
    constexpr std::uint64_t kPatience = 200'000; // clocks without a beat
    Job& job = *job_;
    const std::size_t lanes = job.kernel->step.lanes;
    const std::uint64_t beats = job.shape.beats(static_cast<int>(lanes));
    std::array<TimedFifo*, MANTISSA_IN> in{u_in_, r_in_, p_in_, q_in_};
    for (std::size_t b = 0; b < 9; ++b) in[4 + b] = band_in_[b];
    const std::array<TimedFifo*, MANTISSA_OUT> out{u_out_, r_out_, p_out_, q_out_};
    std::array<std::uint64_t, MANTISSA_IN> taken{};
    std::vector<std::uint64_t> in_data(MANTISSA_IN * lanes), out_data(MANTISSA_OUT * lanes);
    std::vector<std::byte> beat(lanes * sizeof(std::uint64_t));
    mantissa_ports ports{};
    ports.in_data = in_data.data();
    ports.out_data = out_data.data();

    job.rtl->start(*job.words, job.passes, job.rho_stop, job.rho_stop_from, job.bank);
    const auto start = static_cast<Cycle>(std::ceil(now_cycles()));
    sync(start);
    std::uint64_t still = 0;
    bool begun = false;
    ports.busy = 1;
    for (Cycle at = start; ports.busy != 0; ++at) {
        sc_core::wait(sc_core::SC_ZERO_TIME); // the DMA's accesses of this clock come first
        ports.in_valid = ports.in_last = ports.out_ready = 0;
        for (std::size_t k = 0; begun && k < in.size(); ++k)
            if (k < 4 + job.shape.streams && !in[k]->empty() && in[k]->head_ready() <= at) {
                ports.in_valid |= 1U << k;
                if (taken[k] + 1 == beats) ports.in_last |= 1U << k;
                const std::size_t word = word_bytes(std::min<std::size_t>(k, 4));
                for (std::size_t l = 0; l < lanes; ++l)
                    in_data[k * lanes + l] = hls::load_word(in[k]->head() + l * word, word);
            }
        for (std::size_t k = 0; begun && k < out.size(); ++k)
            if (out[k]->room() && out[k]->await_room(abandoned_) <= at) ports.out_ready |= 1U << k;
        const bool landed = running_ == 1 && landed_ <= at; // only this process is left
        ports.pass_ready = landed ? 1 : 0;
        job.rtl->cycle(ports);
        for (std::size_t k = 0; k < in.size(); ++k) {
            if ((ports.in_taken >> k) & 1) {
                in[k]->pop(at, beat.data());
                ++taken[k];
            }
            in[k]->report().reader_stalls += (ports.waiting >> k) & 1;
        }
        for (std::size_t k = 0; k < out.size(); ++k) {
            if ((ports.out_taken >> k) & 1) {
                const std::size_t word = word_bytes(k);
                for (std::size_t l = 0; l < lanes; ++l)
                    hls::store_word(beat.data() + l * word, word, out_data[k * lanes + l]);
                out[k]->push(at, beat.data());
            }
            out[k]->report().writer_stalls += (ports.waiting >> (MANTISSA_IN + k)) & 1;
        }
        if (ports.pass_taken != 0) {
            taken.fill(0);
            begun = true;
            begin_streams(at + 1, static_cast<int>(ports.pass_data & 1));
        }
        const bool moved = (ports.in_taken | ports.out_taken | ports.pass_taken) != 0;
        if (moved) ++job.report->streaming;
        still = moved ? 0 : still + 1;
        if (still > kPatience) {
            std::string what;
            for (std::size_t k = 0; k < CycleCounts::kStreams; ++k)
                if ((ports.waiting >> k) & 1) what += (what.empty() ? "" : ", ") + stream_name(k);
            result_.deadlock = fmt::format("nothing moved for {} clocks; the core waits for {}", kPatience,
                                           what.empty() ? "nothing outside itself" : what);
            job.rtl->reset();
            return; // finished_ stays false: the rest is abandoned
        }
        sc_core::wait(clock_period());
    }
    while (running_ > 1) { // the last writes
        sc_core::wait(all_done_);
        if (abandoned_) throw Abandoned{};
    }
    const RtlCore::Outcome end = job.rtl->finish();
    result_.passes = end.passes;
    result_.sigma_guards = end.sigma_guards;
    result_.cycles = end.cycles;
    result_.end = end.end;
    if (end.end == RunEnd::fault || end.errors != 0) result_.deadlock = describe_errors(end.errors);
    if (end.passes > 0) *job.words = end.words;
    job.bank = end.bank;
    finished_ = true;
}

} // namespace mantissa::sim
