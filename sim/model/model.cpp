// A simulation model: the Verilated core, its memory, and the loop that clocks them. Compiled together with the
// Verilated code for each set of core parameters (see model_abi.h), so the loop is inlined around eval().
#include "model_abi.h"

#include <bit>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include <verilated.h>
#ifdef MANTISSA_TRACE
#include <verilated_fst_c.h>
#endif

#include "Vmodel.h"
#include "Vmodel___024root.h"

namespace {

constexpr unsigned kLanes = MANTISSA_LANES;

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
    std::uint32_t bytes = 0;        // of a beat
    std::uint32_t stall = 0;        // clocks left of a random stall
    bool offered = false;           // in: valid was raised and must stay
    std::vector<std::uint64_t> due; // ring of arrival clocks, one per buffered beat
};

} // namespace

struct mantissa_model_state {
    std::unique_ptr<VerilatedContext> context = std::make_unique<VerilatedContext>();
    std::unique_ptr<Vmodel> top;
    mantissa_memory memory{0, 0, 64, 0, 1};
    mantissa_buffers buffers{};
    mantissa_misbehaviour misbehaviour{0, 0, 0};
    Random random;
    Stream streams[MANTISSA_STREAMS];
    unsigned read_bank = 0;
    std::uint64_t clock = 0;
    std::uint64_t quiet_until = 0; // when the last drained write can be read
    double budget = 0;
    unsigned turn = 0;
#ifdef MANTISSA_TRACE
    std::unique_ptr<VerilatedFstC> trace;
    std::uint64_t trace_first = 0, trace_last = 0;
    std::string trace_path;
#endif

    [[nodiscard]] bool plain() const { // no queues needed: data is always there, room too
#ifdef MANTISSA_TRACE
        if (trace) return false;
#endif
        return memory.bytes_per_cycle <= 0 && memory.latency == 0 && memory.stall <= 0 && misbehaviour.kind == 0;
    }

    /// Takes the clock low without an evaluation: only what Verilator remembers of it is changed. Right where nothing
    /// but registers and data inputs moved since the last one. Versions that keep it elsewhere evaluate.
    template <class Root> void lower(Root& root) {
        if constexpr (requires { root.__Vtrigrprev__TOP__clk_i = 0; }) {
            root.__Vtrigrprev__TOP__clk_i = 0;
        } else {
            top->clk_i = 0;
            top->eval();
        }
    }

    void edge() {
        top->clk_i = 0;
        top->eval();
        dump(2 * clock);
        top->clk_i = 1;
        top->eval();
        dump(2 * clock + 1);
        ++clock;
    }
    void dump([[maybe_unused]] std::uint64_t time) {
#ifdef MANTISSA_TRACE
        if (trace && clock >= trace_first && clock <= trace_last) {
            if (!trace->isOpen()) trace->open(trace_path.c_str());
            trace->dump(time);
        } else if (trace && trace->isOpen()) {
            trace->close();
            trace.reset();
        }
#endif
    }

    void clear_queues() {
        for (Stream& s : streams) {
            s.beats = s.moved = s.issued = 0;
            s.stall = 0;
            s.offered = false;
        }
        top->in_valid = 0;
        top->in_last = 0;
        top->out_ready = 0;
        top->pass_ready = 0;
        quiet_until = 0;
        budget = 0;
    }

    void begin_pass(unsigned command) {
        read_bank = command & 1;
        const bool bands = (command & 2) != 0;
        const std::uint64_t beats = (buffers.size + kLanes - 1) / kLanes;
        for (unsigned k = 0; k < MANTISSA_STREAMS; ++k) {
            Stream& s = streams[k];
            s.beats = k >= 4 && k < MANTISSA_IN && !bands ? 0 : beats;
            s.moved = s.issued = 0;
            s.offered = false;
            s.bytes = kLanes * buffers.element_bytes[k < MANTISSA_IN ? k : k - MANTISSA_IN];
            s.due.assign(memory.fifo_beats, 0);
        }
        for (unsigned k = 0; k < MANTISSA_IN; ++k) present(k);
    }

    /// Puts the next beat of input stream k on the wires.
    void present(unsigned k) {
        const Stream& s = streams[k];
        const std::uint64_t* from = k < 4 ? buffers.vectors[read_bank][k] : buffers.bands[k - 4];
        if (s.moved >= s.beats) return;
        const std::uint64_t first = s.moved * kLanes;
        for (unsigned l = 0; l < kLanes; ++l)
            top->in_data[k * kLanes + l] = kLanes == 1 || first + l < buffers.size ? from[first + l] : 0;
    }

    void store(unsigned k) {
        const std::uint64_t first = streams[MANTISSA_IN + k].moved * kLanes;
        std::uint64_t* to = buffers.vectors[1 - read_bank][k];
        for (unsigned l = 0; l < kLanes; ++l)
            if (kLanes == 1 ? first < buffers.size : first + l < buffers.size)
                to[first + l] = top->out_data[k * kLanes + l];
    }

    /// The memory's turn: spends this clock's bytes on requests and on draining writes, round robin.
    void serve() {
        const bool limited = memory.bytes_per_cycle > 0;
        if (limited) budget = budget + memory.bytes_per_cycle > 4096 ? 4096 : budget + memory.bytes_per_cycle;
        const std::uint64_t depth = memory.fifo_beats;
        unsigned idle = 0;
        while (idle < MANTISSA_STREAMS) {
            Stream& s = streams[turn];
            const bool in = turn < MANTISSA_IN;
            const bool ready = in ? s.issued < s.beats && s.issued - s.moved < depth : s.issued < s.moved;
            if (ready && (!limited || budget >= s.bytes)) {
                if (limited) budget -= s.bytes;
                if (in) s.due[s.issued % depth] = clock + memory.latency;
                else quiet_until = clock + memory.latency;
                ++s.issued;
                idle = 0;
            } else {
                ++idle;
            }
            if (ready && limited && budget < s.bytes) break; // this stream waits for its bytes; keep its turn
            turn = (turn + 1) % MANTISSA_STREAMS;
        }
    }

    bool stalled(Stream& s) {
        if (memory.stall <= 0) return false;
        if (s.stall > 0) {
            --s.stall;
            return true;
        }
        const std::uint64_t r = random();
        if (static_cast<double>(r >> 11) * 0x1p-53 < memory.stall) {
            s.stall = static_cast<std::uint32_t>(r & 15);
            return true;
        }
        return false;
    }

    void offer() {
        serve();
        unsigned valid = 0, last = 0, ready = 0;
        for (unsigned k = 0; k < MANTISSA_IN; ++k) {
            Stream& s = streams[k];
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
            Stream& s = streams[MANTISSA_IN + k];
            const bool hold = stalled(s) || (misbehaviour.kind == 3 && misbehaviour.stream == MANTISSA_IN + k &&
                                             s.moved >= misbehaviour.beat);
            if (!hold && s.moved - s.issued < memory.fifo_beats) ready |= 1u << k;
        }
        top->in_valid = valid;
        top->in_last = last;
        top->out_ready = ready;
        bool landed = clock >= quiet_until;
        for (unsigned k = MANTISSA_IN; k < MANTISSA_STREAMS; ++k) landed &= streams[k].issued == streams[k].moved;
        top->pass_ready = landed;
    }

    /// Valid and last of streams whose data is always there; returns whether they changed.
    bool offer_plain() {
        unsigned valid = 0, last = 0;
        for (unsigned k = 0; k < MANTISSA_IN; ++k) {
            const Stream& s = streams[k];
            valid |= static_cast<unsigned>(s.moved < s.beats) << k;
            last |= static_cast<unsigned>(s.moved + 1 == s.beats) << k;
        }
        const bool changed = top->in_valid != valid || top->in_last != last;
        top->in_valid = valid;
        top->in_last = last;
        return changed;
    }

    /// One clock of the core and its streams; returns whether anything moved.
    bool step(mantissa_stats& stats) {
        offer();
        top->clk_i = 0;
        top->eval();
        dump(2 * clock);
        ++stats.cycles;
        const unsigned beats = top->in_valid & top->in_ready;
        const unsigned stores = top->out_valid & top->out_ready;
        const bool command = top->pass_valid && top->pass_ready;
        const unsigned command_data = top->pass_data;
        if (const unsigned waiting = top->waiting; waiting != 0) {
            ++stats.stalled;
            for (unsigned k = 0; k < MANTISSA_STREAMS; ++k) stats.stall[k] += (waiting >> k) & 1;
        }
        stats.stall_command += top->pass_valid && !top->pass_ready;
        take(stores, stats);
        top->clk_i = 1;
        top->eval();
        dump(2 * clock + 1);
        ++clock;
        bring(beats, stats);
        if (command) {
            ++stats.passes;
            begin_pass(command_data);
        }
        const bool moved = (beats | stores) != 0;
        stats.streaming += moved;
        return moved || command;
    }

    /// The same with every beat there and room for all. What the core shows then hangs on its registers and on the
    /// streams' valid and last alone, so between their changes its outputs behind one edge are those before the next,
    /// and one evaluation makes a clock. `settled`: the outputs stand.
    bool step_plain(mantissa_stats& stats, bool& settled) {
        if (!settled) {
            top->clk_i = 0;
            top->eval();
        } else {
            lower(*top->rootp);
        }
        ++stats.cycles;
        const unsigned beats = top->in_valid & top->in_ready;
        const unsigned stores = top->out_valid;
        const bool command = top->pass_valid != 0;
        const unsigned command_data = top->pass_data;
        if (const unsigned waiting = top->waiting; waiting != 0) {
            ++stats.stalled;
            for (unsigned k = 0; k < MANTISSA_STREAMS; ++k) stats.stall[k] += (waiting >> k) & 1;
        }
        take(stores, stats);
        top->clk_i = 1;
        top->eval();
        ++clock;
        const bool ends = bring(beats, stats);
        if (command) {
            ++stats.passes;
            begin_pass(command_data);
        }
        settled = !(ends || command) || !offer_plain();
        const bool moved = (beats | stores) != 0;
        stats.streaming += moved;
        return moved || command;
    }

    /// Output beats into memory.
    void take(unsigned stores, mantissa_stats& stats) {
        for (; stores != 0; stores &= stores - 1) {
            const auto k = static_cast<unsigned>(std::countr_zero(stores));
            Stream& s = streams[MANTISSA_IN + k];
            store(k);
            ++s.moved;
            stats.bytes_written += s.bytes;
        }
    }
    /// Input beats were taken: the next ones. Returns whether a stream came to its last beat or its end.
    bool bring(unsigned beats, mantissa_stats& stats) {
        bool ends = false;
        for (; beats != 0; beats &= beats - 1) {
            const auto k = static_cast<unsigned>(std::countr_zero(beats));
            Stream& s = streams[k];
            ++s.moved;
            s.offered = false;
            stats.bytes_read += s.bytes;
            ends |= s.moved + 1 >= s.beats;
            present(k);
        }
        return ends;
    }

    template <bool Plain> int run_loop(std::uint64_t patience, std::uint64_t limit, mantissa_stats& stats) {
        std::uint64_t idle = 0;
        const std::uint64_t begin = clock;
        [[maybe_unused]] bool settled = false;
        if constexpr (Plain) {
            offer_plain();
            top->out_ready = 15;
            top->pass_ready = 1;
        }
        const auto clocked = [&] {
            if constexpr (Plain) return step_plain(stats, settled);
            else return step(stats);
        };
        int result = 0;
        for (;;) {
            if (clocked()) idle = 0;
            else if (++idle > patience) {
                result = 1;
                break;
            }
            if (!top->busy) break;
            if (limit != 0 && clock - begin >= limit) {
                result = 2;
                break;
            }
        }
        if (result == 0) finish_writes();
        top->out_ready = 0;
        top->pass_ready = 0;
        return result;
    }
    void finish_writes() {
        for (unsigned k = MANTISSA_IN; k < MANTISSA_STREAMS; ++k) streams[k].issued = streams[k].moved;
    }

    std::uint32_t read(std::uint32_t address) {
        top->araddr = static_cast<CData>(address);
        top->arvalid = 1;
        tick();
        top->arvalid = 0;
        const std::uint32_t value = top->rdata;
        tick();
        return value;
    }
    void write(std::uint32_t address, std::uint32_t value) {
        top->awaddr = static_cast<CData>(address);
        top->wdata = value;
        top->awvalid = 1;
        tick();
        top->awvalid = 0;
        tick();
    }
    /// A clock for the registers' sake: the streams must not miss one while the core is busy.
    void tick() {
        mantissa_stats aside{};
        if (top->busy) step(aside);
        else edge();
    }
};

namespace {

mantissa_model_state* create() {
    auto* m = new mantissa_model_state;
#ifdef MANTISSA_TRACE
    m->context->traceEverOn(true);
#endif
    m->top = std::make_unique<Vmodel>(m->context.get(), "model");
    m->clear_queues();
    m->top->awvalid = m->top->arvalid = 0;
    m->top->rst_ni = 0;
    for (int k = 0; k < 4; ++k) m->edge();
    m->top->rst_ni = 1;
    return m;
}
void destroy(mantissa_model_state* m) {
#ifdef MANTISSA_TRACE
    if (m->trace && m->trace->isOpen()) m->trace->close();
#endif
    m->top->final();
    delete m;
}
void reset(mantissa_model_state* m) {
    m->clear_queues();
    m->top->rst_ni = 0;
    m->edge();
    m->top->rst_ni = 1;
}
void set_memory(mantissa_model_state* m, const mantissa_memory* memory) {
    m->memory = *memory;
    if (m->memory.fifo_beats == 0) m->memory.fifo_beats = 1;
    m->random.state = memory->seed | 1;
}
void set_buffers(mantissa_model_state* m, const mantissa_buffers* buffers) {
    m->buffers = *buffers;
}
void set_misbehaviour(mantissa_model_state* m, const mantissa_misbehaviour* b) {
    m->misbehaviour = *b;
}
void write_register(mantissa_model_state* m, std::uint32_t address, std::uint32_t value) {
    m->write(address, value);
}
std::uint32_t read_register(mantissa_model_state* m, std::uint32_t address) {
    return m->read(address);
}
int run(mantissa_model_state* m, std::uint64_t patience, std::uint64_t limit, mantissa_stats* stats) {
    return m->plain() ? m->run_loop<true>(patience, limit, *stats) : m->run_loop<false>(patience, limit, *stats);
}
std::uint32_t waiting(mantissa_model_state* m) {
    return m->top->waiting | (m->top->pass_valid ? 1u << 17 : 0u);
}
int trace([[maybe_unused]] mantissa_model_state* m, [[maybe_unused]] const char* path,
          [[maybe_unused]] std::uint64_t first, [[maybe_unused]] std::uint64_t last) {
#ifdef MANTISSA_TRACE
    m->trace = std::make_unique<VerilatedFstC>();
    m->top->trace(m->trace.get(), 99);
    m->trace_path = path;
    m->trace_first = first;
    m->trace_last = last;
    return 0;
#else
    return 1;
#endif
}
std::uint64_t clock_of(mantissa_model_state* m) {
    return m->clock;
}

void cycle(mantissa_model_state* m, mantissa_ports* ports) {
    Vmodel& top = *m->top;
    for (unsigned k = 0; k < MANTISSA_IN; ++k)
        if ((ports->in_valid >> k) & 1)
            for (unsigned l = 0; l < kLanes; ++l) top.in_data[k * kLanes + l] = ports->in_data[k * kLanes + l];
    top.in_valid = static_cast<SData>(ports->in_valid);
    top.in_last = static_cast<SData>(ports->in_last);
    top.out_ready = static_cast<CData>(ports->out_ready);
    top.pass_ready = static_cast<CData>(ports->pass_ready);
    top.clk_i = 0;
    top.eval();
    m->dump(2 * m->clock);
    ports->in_taken = ports->in_valid & top.in_ready;
    ports->out_taken = ports->out_ready & top.out_valid;
    ports->pass_taken = top.pass_valid & ports->pass_ready;
    ports->pass_data = top.pass_data;
    ports->waiting = top.waiting;
    for (unsigned k = 0; k < MANTISSA_OUT; ++k)
        if ((ports->out_taken >> k) & 1)
            for (unsigned l = 0; l < kLanes; ++l) ports->out_data[k * kLanes + l] = top.out_data[k * kLanes + l];
    top.clk_i = 1;
    top.eval();
    m->dump(2 * m->clock + 1);
    ++m->clock;
    ports->busy = top.busy;
}

#ifdef MANTISSA_TRACE
constexpr std::uint32_t kHasTrace = 1;
#else
constexpr std::uint32_t kHasTrace = 0;
#endif

constexpr mantissa_model_api kApi = {
    MANTISSA_MODEL_VERSION, kLanes,         kHasTrace,     create, destroy, reset, set_memory, set_buffers,
    set_misbehaviour,       write_register, read_register, run,    waiting, trace, clock_of,   cycle};

} // namespace

extern "C" const mantissa_model_api* mantissa_model() {
    return &kApi;
}
