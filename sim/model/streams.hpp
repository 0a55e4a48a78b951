// The memory side of a core of a simulation model: the queues of its streams, their random stalls and misbehaviour, and
// the vectors they come from and go to. Compiled with each model, on the ports of the Verilated top. A beat is copied
// as it is: the vectors have the layout of the core's ports (model_abi.h). Several cores read their slabs from one
// memory, with the neighbours' elements at either end, and write their own to the other bank.
#pragma once

#include "model_abi.h"

#include <bit>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

#include "Vmodel.h"
#include "Vmodel___024root.h"

namespace {

constexpr unsigned kLanes = MANTISSA_LANES;
constexpr unsigned kCores = MANTISSA_CORES;
using Root = Vmodel___024root;

/// 64-bit words of a beat in memory, of a port of up to 64 bits (an integer) or more (an array of 32-bit words).
template <class Port> constexpr std::size_t kWords = (sizeof(std::remove_cvref_t<Port>) + 7) / 8;
template <class Port> void put(Port& port, const std::uint64_t* beat) {
    if constexpr (std::is_integral_v<Port>) port = static_cast<Port>(*beat);
    else std::memcpy(&port[0], beat, sizeof(Port));
}
template <class Port> void get(const Port& port, std::uint64_t* beat) {
    if constexpr (std::is_integral_v<Port>) *beat = port;
    else std::memcpy(beat, &port[0], sizeof(Port));
}

using Coefficient = std::remove_cvref_t<decltype(std::declval<Root&>().in_coef[0])>;
constexpr unsigned kCoefs = sizeof(std::declval<Root&>().in_coef) / sizeof(Coefficient) / kCores;

/// Does something with the port of a core's input or output stream k.
template <class Do> inline __attribute__((always_inline)) void with_in(Root& top, unsigned core, unsigned k, Do&& act) {
    switch (k) {
    case 0:
        return act(top.in_u[core]);
    case 1:
        return act(top.in_r[core]);
    case 2:
        return act(top.in_p[core]);
    case 3:
        return act(top.in_q[core]);
    default:
        if (k - 4 < kCoefs) act(top.in_coef[core * kCoefs + k - 4]);
    }
}
template <class Do>
inline __attribute__((always_inline)) void with_out(const Root& top, unsigned core, unsigned k, Do&& act) {
    switch (k) {
    case 0:
        return act(top.out_u[core]);
    case 1:
        return act(top.out_r[core]);
    case 2:
        return act(top.out_p[core]);
    default:
        return act(top.out_q[core]);
    }
}

/// xorshift64*: small, and the same everywhere.
struct Random {
    std::uint64_t state = 1;
    std::uint64_t operator()() {
        state ^= state >> 12;
        state ^= state << 25;
        state ^= state >> 27;
        return state * 0x2545F4914F6CDD1DULL;
    }
};

/// One stream's side of the memory.
struct Stream {
    std::uint64_t beats = 0;        // of this pass; 0 when the stream is not used
    std::uint64_t moved = 0;        // beats across the handshake
    std::uint64_t issued = 0;       // in: beats requested; out: beats drained to memory
    std::uint64_t counted = 0;      // beats whose bytes are in the statistics
    std::uint64_t* data = nullptr;  // this pass's vector or coefficients, beat by beat; in: read only
    std::uint32_t bytes = 0;        // of a beat
    std::uint32_t stall = 0;        // clocks left of a random stall
    bool offered = false;           // in: valid was raised and must stay
    std::uint64_t beyond = 0;       // out: beats after the last one, thrown away
    std::vector<std::uint64_t> due; // ring of arrival clocks, one per buffered beat
};

/// All streams of a core and the memory behind them.
class Streams {
public:
    mantissa_memory memory{0, 0, 64, 0, 1};
    mantissa_buffers buffers{};
    mantissa_misbehaviour misbehaviour{0, 0, 0, 0};

    /// Those of core number `core`.
    explicit Streams(unsigned core = 0) : number_(core) {}

    /// No queues needed: data is always there, room too.
    [[nodiscard]] bool plain() const {
        return memory.bytes_per_cycle <= 0 && memory.latency == 0 && memory.stall <= 0 && misbehaviour.kind == 0;
    }
    void set_memory(const mantissa_memory& m) {
        memory = m;
        if (memory.fifo_beats == 0) memory.fifo_beats = 1;
        random_.state = (m.seed + number_ * 0x9E3779B97F4A7C15ULL) | 1;
    }

    void clear(Root& top) {
        for (Stream& s : streams_) {
            s.beats = s.moved = s.counted = s.issued = 0;
            s.stall = 0;
            s.offered = false;
        }
        top.in_valid[core()] = 0;
        top.in_last[core()] = 0;
        (void)discard(top);
        quiet_until_ = 0;
        budget_ = 0;
        passes_ = 0;
    }

    /// The core's command for its next pass: bit 0 the bank to read, bit 1 whether bands are streamed.
    void begin_pass(Root& top, unsigned command, mantissa_stats& stats) {
        count_bytes(stats);
        ++passes_;
        const unsigned bank = command & 1;
        const bool bands = (command & 2) != 0;
        const std::uint64_t beats = beats_of(buffers.size), kept = buffers.halo_first / kLanes,
                            formed = beats - buffers.halo_last / kLanes; // elements whose rows are
        for (unsigned k = 0; k < MANTISSA_STREAMS; ++k) {
            Stream& s = streams_[k];
            const bool band = k >= 4 && k < MANTISSA_IN;
            s.beats = band && (!bands || k - 4 >= kCoefs) ? 0 : band ? formed : k < MANTISSA_IN ? beats : formed - kept;
            s.moved = s.counted = s.issued = 0;
            s.offered = false;
            s.data = k < 4  ? buffers.vectors[bank][k]
                     : band ? const_cast<std::uint64_t*>(buffers.bands[k - 4])
                            : buffers.vectors[1 - bank][k - MANTISSA_IN];
            if (k >= MANTISSA_IN)
                with_out(top, core(), k - MANTISSA_IN,
                         [&](const auto& port) { s.data += kept * kWords<decltype(port)>; });
            s.bytes = kLanes * buffers.element_bytes[k < MANTISSA_IN ? k : k - MANTISSA_IN];
            s.due.assign(memory.fifo_beats, 0);
        }
        for (unsigned k = 0; k < MANTISSA_IN; ++k) present(top, k);
    }

    /// Valid, last and ready of this clock, as the memory's bandwidth, latency, stalls and misbehaviour have it.
    /// Returns whether the next pass may begin: what was written can be read.
    [[nodiscard]] bool offer(Root& top, std::uint64_t clock) {
        serve(clock);
        unsigned valid = 0, last = 0, ready = 0;
        for (unsigned k = 0; k < MANTISSA_IN; ++k) {
            Stream& s = streams_[k];
            std::uint64_t beats = s.beats, end = s.beats;
            if (misbehaviour.kind != 0 && misbehaviour.stream == k) {
                if (misbehaviour.kind == 1) end = misbehaviour.beat + 1;
                if (misbehaviour.kind == 2) end = ~std::uint64_t{0};
                if (misbehaviour.kind == 3 && misbehaviour.beat < beats) beats = misbehaviour.beat;
            }
            const bool here = s.moved < beats && s.issued > s.moved && s.due[s.moved % memory.fifo_beats] <= clock;
            const bool hold = stalled(s);
            if (here && (s.offered || !hold)) {
                valid |= 1u << k;
                s.offered = true;
                if (s.moved + 1 == end) last |= 1u << k;
            }
        }
        for (unsigned k = 0; k < MANTISSA_OUT; ++k) {
            Stream& s = streams_[MANTISSA_IN + k];
            const bool hold = stalled(s) || dead(MANTISSA_IN + k, s.moved);
            if (!hold && s.moved - s.issued < memory.fifo_beats) ready |= 1u << k;
        }
        top.in_valid[core()] = valid;
        top.in_last[core()] = last;
        top.out_ready[core()] = ready;
        bool landed = clock >= quiet_until_;
        for (unsigned k = MANTISSA_IN; k < MANTISSA_STREAMS; ++k) landed &= streams_[k].issued == streams_[k].moved;
        return landed && !dead(MANTISSA_STREAMS, passes_);
    }

    /// Between runs nothing is offered, and what the core still offers is taken and thrown away; returns whether pass
    /// beats are.
    [[nodiscard]] bool discard(Root& top) const {
        unsigned ready = 15;
        for (unsigned k = 0; k < MANTISSA_OUT; ++k)
            if (dead(MANTISSA_IN + k, ~std::uint64_t{0})) ready &= ~(1u << k);
        top.in_valid[core()] = 0;
        top.out_ready[core()] = ready;
        return !dead(MANTISSA_STREAMS, ~std::uint64_t{0});
    }

    /// Valid and last of streams whose data is always there; returns whether they changed.
    bool offer_plain(Root& top) {
        unsigned valid = 0, last = 0;
        for (unsigned k = 0; k < MANTISSA_IN; ++k) {
            const Stream& s = streams_[k];
            valid |= static_cast<unsigned>(s.moved < s.beats) << k;
            last |= static_cast<unsigned>(s.moved + 1 == s.beats) << k;
        }
        const bool changed = top.in_valid[core()] != valid || top.in_last[core()] != last;
        top.in_valid[core()] = valid;
        top.in_last[core()] = last;
        return changed;
    }

    /// Output beats into memory.
    void take(const Root& top, unsigned stores) {
        if (stores == (1u << MANTISSA_OUT) - 1) { // as nearly always
            for (unsigned k = 0; k < MANTISSA_OUT; ++k) store(top, k);
            return;
        }
        for (; stores != 0; stores &= stores - 1) store(top, static_cast<unsigned>(std::countr_zero(stores)));
    }
    /// Input beats were taken: the next ones. Returns whether a stream came to its last beat or its end.
    bool bring(Root& top, unsigned beats) {
        bool ends = false;
        if (beats == 15) { // as nearly always without bands
            for (unsigned k = 0; k < 4; ++k) ends |= next(top, k);
            return ends;
        }
        for (; beats != 0; beats &= beats - 1) ends |= next(top, static_cast<unsigned>(std::countr_zero(beats)));
        return ends;
    }

    /// A run ended: all that was written counts as drained, and the sources are set back.
    void finish(mantissa_stats& stats) {
        count_bytes(stats);
        for (unsigned k = 0; k < MANTISSA_IN; ++k) streams_[k].beats = streams_[k].moved = streams_[k].counted = 0;
        for (unsigned k = MANTISSA_IN; k < MANTISSA_STREAMS; ++k) streams_[k].issued = streams_[k].moved;
    }
    /// Adds the bytes moved since the last call. Once a pass and not once a beat.
    void count_bytes(mantissa_stats& stats) {
        for (unsigned k = 0; k < MANTISSA_STREAMS; ++k) {
            Stream& s = streams_[k];
            (k < MANTISSA_IN ? stats.bytes_read : stats.bytes_written) += (s.moved - s.counted) * s.bytes;
            s.counted = s.moved;
        }
    }

private:
    /// The number, which is a constant for a core alone.
    [[nodiscard]] unsigned core() const { return kCores == 1 ? 0 : number_; }
    static std::uint64_t beats_of(std::uint64_t elements) { return (elements + kLanes - 1) / kLanes; }
    /// Whether a test has stopped a stream that the core sends (MANTISSA_STREAMS: the pass beats) at its `at`-th beat.
    [[nodiscard]] bool dead(unsigned stream, std::uint64_t at) const {
        return misbehaviour.kind == 3 && misbehaviour.stream == stream && at >= misbehaviour.beat;
    }
    /// Puts the next beat of input stream k on the wires.
    void present(Root& top, unsigned k) {
        const Stream& s = streams_[k];
        if (s.moved < s.beats)
            with_in(top, core(), k, [&](auto& port) { put(port, s.data + s.moved * kWords<decltype(port)>); });
    }
    bool next(Root& top, unsigned k) {
        Stream& s = streams_[k];
        ++s.moved;
        s.offered = false;
        present(top, k);
        return s.moved + 1 >= s.beats;
    }
    void store(const Root& top, unsigned k) {
        Stream& s = streams_[MANTISSA_IN + k];
#ifdef MANTISSA_UPSETS
        if (s.moved >= s.beats) { // a core that an upset has misled may send more than there is room for
            ++s.beyond;
            return;
        }
#endif
        with_out(top, core(), k, [&](const auto& port) { get(port, s.data + s.moved * kWords<decltype(port)>); });
        ++s.moved;
    }

    /// The memory's turn: spends this clock's bytes on requests and on draining writes, round robin.
    void serve(std::uint64_t clock) {
        const bool limited = memory.bytes_per_cycle > 0;
        if (limited) budget_ = budget_ + memory.bytes_per_cycle > 4096 ? 4096 : budget_ + memory.bytes_per_cycle;
        const std::uint64_t depth = memory.fifo_beats;
        unsigned idle = 0;
        while (idle < MANTISSA_STREAMS) {
            Stream& s = streams_[turn_];
            const bool in = turn_ < MANTISSA_IN;
            const bool ready = in ? s.issued < s.beats && s.issued - s.moved < depth : s.issued < s.moved;
            if (ready && (!limited || budget_ >= s.bytes)) {
                if (limited) budget_ -= s.bytes;
                if (in) s.due[s.issued % depth] = clock + memory.latency;
                else quiet_until_ = clock + memory.latency;
                ++s.issued;
                idle = 0;
            } else {
                ++idle;
            }
            if (ready && limited && budget_ < s.bytes) break; // this stream waits for its bytes; keep its turn
            turn_ = (turn_ + 1) % MANTISSA_STREAMS;
        }
    }

    bool stalled(Stream& s) {
        if (memory.stall <= 0) return false;
        if (s.stall > 0) {
            --s.stall;
            return true;
        }
        const std::uint64_t r = random_();
        if (static_cast<double>(r >> 11) * 0x1p-53 < memory.stall) {
            s.stall = static_cast<std::uint32_t>(r & 15);
            return true;
        }
        return false;
    }

    unsigned number_;
    Random random_;
    Stream streams_[MANTISSA_STREAMS];
    std::uint64_t quiet_until_ = 0; // when the last drained write can be read
    double budget_ = 0;
    std::uint64_t passes_ = 0; // pass beats taken since reset
    unsigned turn_ = 0;
};

} // namespace
