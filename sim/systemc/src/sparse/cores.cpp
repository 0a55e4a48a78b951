#include "cores.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "mantissa/hls/kernel.hpp"
#include "system.hpp"

namespace mantissa::sim {

namespace {

/// xorshift64*: uniform in [0, 1).
double uniform(std::uint64_t& state) {
    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    return static_cast<double>((state * 0x2545F4914F6CDD1D) >> 11) * 0x1p-53;
}

constexpr std::size_t kTokenBytes = 1; // what FIFOs carry here is time alone: words stand in the core's memories

} // namespace

mantissa_hls::SparseMemory SparseCoreState::memory() {
    return {vector[0].data(),   vector[1].data(),        vector[2].data(),       vector[3].data(),
            rows.column.data(), rows.coefficient.data(), rows.slice_begin.data()};
}

SparseCores::SparseCores(const mantissa_hls::Kernel& kernel, const SparseCoreOptions& options,
                         std::vector<SparseCoreState> cores, const DatapathSpec& spec, bool overlaps)
    : kernel_(kernel), options_(options), cores_(std::move(cores)), timing_(spec, cores_.front().rows),
      overlaps_(overlaps), random_(options.seed * 2 + 1) {
    std::uint64_t most = 0;
    for (std::size_t c = 0; c < cores_.size(); ++c) {
        SparseCoreState& core = cores_[c];
        const std::string of = cores_.size() > 1 ? "core" + std::to_string(c) + "." : "";
        const std::size_t lanes = kernel.sparse.lanes, padded = (core.rows.position.size() + lanes - 1) / lanes * lanes;
        const std::size_t bytes[] = {kernel.u_word, kernel.r_word, kernel.p_word, kernel.q_word};
        for (std::size_t v = 0; v < 4; ++v) core.vector[v].assign((padded * bytes[v] + 7) / 8, 0);
        core.registers = std::make_unique<Registers[]>(kernel.sparse.state_bytes / sizeof(Registers) + 1);
        kernel.sparse.begin(core.registers.get(), &core.rows.shape);
        for (int k = 0; k < options.channels; ++k) {
            core.channel.push_back(
                std::make_unique<TimedFifo>(of + "channel" + std::to_string(k), of + "memory", of + "rows"));
            core.channel.back()->configure(options.fifo_beats, kTokenBytes);
        }
        core.formed = std::make_unique<TimedFifo>(of + "p", of + "update", of + "rows");
        core.formed->configure(static_cast<std::uint32_t>(core.rows.slices + 1), kTokenBytes);
        core.update.name = of + "update";
        core.take.name = of + "rows";
        most = std::max({most, core.sends, static_cast<std::uint64_t>(core.ghosts.size())});
    }
    if (cores_.size() > 1)
        exchange_clocks_ = options.link_latency +
                           (options.link_words > 0
                                ? static_cast<std::uint64_t>(std::ceil(static_cast<double>(most) / options.link_words))
                                : 0);
}

/// A channel of the memory: its share of each beat, one after the other, from the pass's request on.
void SparseCores::channel(SparseCoreState& core, std::size_t index, Cycle asked) {
    TimedFifo& to = *core.channel[index];
    const double share = core.rows.beat_bits / 8.0 / options_.channels;
    const double a_clock = options_.channel_bytes * options_.channel_mhz / options_.core_mhz;
    const double duration = options_.channel_bytes > 0 ? share / a_clock : 0;
    double at = static_cast<double>(asked + options_.latency); // when the bytes of the last beat were here
    const char token = 0;
    for (std::uint64_t beat = 0; beat < core.rows.beats(); ++beat) {
        at = std::max(at, static_cast<double>(to.await_room(never_abandoned_))) + duration;
        while (options_.stall > 0 && uniform(random_) < options_.stall) at += 1;
        to.push(static_cast<Cycle>(std::ceil(at)), &token, true);
    }
}

/// u', r' and p', an address a clock.
void SparseCores::update(SparseCoreState& core, Cycle first) {
    const mantissa_hls::SparseMemory memory = core.memory();
    const char token = 0;
    for (std::uint64_t a = 0; a < core.rows.slices; ++a) {
        kernel_.sparse.update(core.registers.get(), &memory, a, a + 1);
        core.formed->push(first + a + static_cast<unsigned>(timing_.formed), &token, true);
    }
    core.update.steps += core.rows.slices;
}

/// Rows, a beat a clock: where p' is formed and each channel has its share. `first`: no beat before this clock.
void SparseCores::take(SparseCoreState& core, Cycle first) {
    const mantissa_hls::SparseMemory memory = core.memory();
    Cycle at = first == 0 ? 0 : first - 1;
    std::uint64_t formed = 0;
    char token = 0;
    for (std::uint64_t s = 0; s < core.rows.slices; ++s) {
        Cycle from = 0;
        const std::uint64_t needed = overlaps_ ? core.rows.needed[s] : core.rows.slices;
        for (; formed < needed; ++formed) {
            from = std::max(from, core.formed->await_beat(never_abandoned_));
            core.formed->pop(from, &token);
        }
        for (std::uint64_t b = core.rows.slice_begin[s]; b < core.rows.slice_begin[s + 1]; ++b) {
            Cycle next = std::max(at + 1, from);
            const Cycle wanted = next;
            for (const auto& fifo : core.channel) next = std::max(next, fifo->await_beat(never_abandoned_));
            for (const auto& fifo : core.channel) {
                if (fifo->head_ready() > wanted) fifo->report().reader_stalls += fifo->head_ready() - wanted;
                fifo->pop(next, &token);
            }
            core.take.stalls += next - wanted;
            if (b == 0) core.first = next;
            at = next;
        }
        kernel_.sparse.rows(core.registers.get(), &memory, s, s + 1);
    }
    for (; formed < core.rows.slices; ++formed) core.formed->pop(core.formed->await_beat(never_abandoned_), &token);
    core.take.steps += core.rows.beats();
    core.last = at;
}

/// p' that other cores read; returns the first clock of rows.
Cycle SparseCores::exchange(Cycle first) {
    Cycle formed = 0;
    for (const SparseCoreState& core : cores_)
        formed = std::max(formed, first + core.rows.slices - 1 + static_cast<unsigned>(timing_.formed));
    const std::size_t bytes = kernel_.p_word;
    for (SparseCoreState& core : cores_) {
        auto* to = reinterpret_cast<std::byte*>(core.vector[2].data());
        for (const Ghost& g : core.ghosts)
            std::memcpy(to + g.to * bytes,
                        reinterpret_cast<const std::byte*>(cores_[g.core].vector[2].data()) + g.from * bytes, bytes);
    }
    return formed + exchange_clocks_;
}

void SparseCores::pass(Cycle asked, const mantissa_hls::PassRequest& request, mantissa_hls::ScalarResult& result) {
    const Cycle first = asked + static_cast<unsigned>(timing_.begin);
    sc_core::sc_event updated, done;
    std::size_t running = 0;
    Workers& workers = CoreSystem::instance().workers();
    const auto spawn = [&](sc_core::sc_event& event, auto body) {
        ++running;
        workers.run([&running, &event, body] {
            body();
            if (--running == 0) event.notify(sc_core::SC_ZERO_TIME);
        });
    };
    for (SparseCoreState& core : cores_) {
        kernel_.sparse.begin_pass(core.registers.get(), &request);
        core.formed->reset();
        for (const auto& fifo : core.channel) fifo->reset();
    }
    Cycle rows_from = 0;
    if (cores_.size() > 1) { // an exchange is a barrier
        for (SparseCoreState& core : cores_) spawn(updated, [this, &core, first] { update(core, first); });
        sc_core::wait(updated);
        rows_from = exchange(first);
    }
    for (SparseCoreState& core : cores_) {
        if (cores_.size() == 1) spawn(done, [this, &core, first] { update(core, first); });
        for (std::size_t k = 0; k < core.channel.size(); ++k)
            spawn(done, [this, &core, k, asked] { channel(core, k, asked); });
        spawn(done, [this, &core, rows_from] { take(core, rows_from); });
    }
    sc_core::wait(done);
    ended_ = 0;
    for (SparseCoreState& core : cores_) {
        ended_ = std::max(ended_, core.last + static_cast<unsigned>(timing_.drain));
        if (&core != cores_.data()) kernel_.sparse.merge(cores_[0].registers.get(), core.registers.get());
    }
    if (cores_.size() > 1) ended_ += options_.link_latency + 1;
    kernel_.sparse.scalars(cores_[0].registers.get(), &request, &result);
}

RunReport SparseCores::run(const RunRequest& request, std::uint64_t rho_stop, mantissa_hls::ScalarWords& words,
                           bool unfit, const DatapathSpec& spec, SystemReport& report) {
    RunReport out;
    Cycle at = 1; // a clock that checks what was programmed
    CoreSystem::instance().workers().run([&] {
        while (out.passes < request.passes && out.end == RunEnd::passes) {
            const mantissa_hls::PassRequest one{words.alpha, words.beta, rho_stop,
                                                out.passes + 1 >= request.rho_stop_from ? 1U : 0U};
            mantissa_hls::ScalarResult result;
            pass(at, one, result);
            out.words.merge(hls::word_use(spec, result));
            if (unfit) result = hls::overflowed();
            unfit = false;
            words = result.words;
            ++out.passes;
            out.sigma_guards += result.guarded;
            out.end = hls::run_end(result.end);
            const std::uint64_t scalar = timing_.scalar.scalar(result);
            report.streaming += ended_ - at - static_cast<unsigned>(timing_.drain);
            report.closing += scalar + static_cast<unsigned>(timing_.drain);
            at = ended_ + scalar;
        }
    });
    sc_core::sc_start();
    out.cycles = at;
    report.cycles += at;
    report.passes += out.passes;
    report.fifos.clear();
    report.stages.clear();
    report.channels.clear();
    for (const SparseCoreState& core : cores_) {
        report.stages.push_back(core.update);
        report.stages.push_back(core.take);
        for (const auto& fifo : core.channel) {
            report.fifos.push_back(fifo->report());
            ChannelReport channel;
            const double share = core.rows.beat_bits / 8.0 / options_.channels;
            channel.bytes_read = static_cast<std::uint64_t>(share * static_cast<double>(core.take.steps));
            if (options_.channel_bytes > 0)
                channel.busy = static_cast<double>(channel.bytes_read) /
                               (options_.channel_bytes * options_.channel_mhz / options_.core_mhz);
            report.channels.push_back(channel);
        }
    }
    return out;
}

} // namespace mantissa::sim
