// A simulation model: the Verilated core or cores, their memory, and the loop that clocks them. Compiled together with
// the Verilated code for each set of core parameters (see model_abi.h), so the loop is inlined around eval().
#include "model_abi.h"

#include <array>
#include <memory>
#include <stdexcept>
#include <string>

#include <verilated.h>

#include "Vmodel.h"
#include "Vmodel___024root.h"

#include "streams.hpp"
#include "upsets.hpp"
#include "waveform.hpp"

// What eval() calls on a rising edge, after its loops and triggers. Absent where a version names them otherwise.
__attribute__((weak)) void Vmodel___024root___eval_ico(Vmodel___024root* top);
__attribute__((weak)) void Vmodel___024root___eval_nba(Vmodel___024root* top);

struct mantissa_model_state {
    std::unique_ptr<VerilatedContext> context = std::make_unique<VerilatedContext>();
    std::unique_ptr<Vmodel> top;
    std::array<Streams, kCores> cores = numbered(std::make_index_sequence<kCores>());
    std::uint64_t clock = 0;
    Upsets upsets;
#ifdef MANTISSA_TRACE
    std::unique_ptr<VerilatedFstC> trace;
    std::uint64_t trace_first = 0, trace_last = 0;
    std::string trace_path;
#endif

    template <std::size_t... K> static std::array<Streams, kCores> numbered(std::index_sequence<K...>) {
        return {Streams(K)...};
    }
    /// What `act` says of every core's streams; all are asked.
    template <class Act> bool all(Act&& act) const {
        bool yes = true;
        for (const Streams& streams : cores) yes &= act(streams);
        return yes;
    }
    template <class Act> bool all(Act&& act) {
        bool yes = true;
        for (Streams& streams : cores) yes &= act(streams);
        return yes;
    }

    [[nodiscard]] bool plain() const {
#ifdef MANTISSA_TRACE
        if (trace) return false;
#endif
#ifdef MANTISSA_RULES
        return false; // the assertions look at every clock as it is before its edge
#endif
        return all([](const Streams& streams) { return streams.plain(); });
    }

    /// A rising edge after an evaluation since which nothing but registers and data inputs moved, so that the low half
    /// of the clock needs none: straight to what eval() would call.
    template <class Root> void rise(Root& root) {
        if constexpr (requires {
                          root.__Vtrigrprev__TOP__clk_i = 1;
                          root.__VicoTriggered.at(0) = true;
                          root.__VnbaTriggered.at(0) = true;
                      }) {
            if (&Vmodel___024root___eval_ico != nullptr && &Vmodel___024root___eval_nba != nullptr) {
                root.clk_i = 1;
                root.__Vtrigrprev__TOP__clk_i = 1;
                root.__VicoTriggered.at(0) = true;
                Vmodel___024root___eval_ico(&root);
                root.__VnbaTriggered.at(0) = true;
                Vmodel___024root___eval_nba(&root);
                return;
            }
        }
        top->clk_i = 0;
        top->eval();
        top->clk_i = 1;
        top->eval();
    }

    void count() {
        ++clock;
        upsets.after_edge(*top, clock);
    }
    void edge() {
        top->clk_i = 0;
        top->eval();
        dump(2 * clock);
        top->clk_i = 1;
        top->eval();
        dump(2 * clock + 1);
        count();
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

    /// What of a clock shows before its edge.
    struct Clock {
        std::array<unsigned, kCores> beats, stores;
        unsigned command_data;
        bool command, moved;
    };
    Clock look(mantissa_stats& stats) {
        const Vmodel___024root& root = *top->rootp;
        ++stats.cycles;
        Clock now{};
        unsigned waiting = 0, moved = 0;
        for (unsigned k = 0; k < kCores; ++k) {
            waiting |= root.waiting[k];
            now.beats[k] = root.in_valid[k] & root.in_ready[k];
            now.stores[k] = root.out_valid[k] & root.out_ready[k];
            moved |= now.beats[k] | now.stores[k];
        }
        if (waiting != 0) {
            ++stats.stalled;
            for (unsigned k = 0; k < MANTISSA_STREAMS; ++k) stats.stall[k] += (waiting >> k) & 1;
        }
        stats.stall_command += root.pass_valid && !root.pass_ready;
        now.command_data = root.pass_data;
        now.command = root.pass_valid && root.pass_ready;
        now.moved = moved != 0;
        stats.streaming += now.moved;
        return now;
    }
    void take(const Root& root, const Clock& now) {
        for (unsigned k = 0; k < kCores; ++k) cores[k].take(root, now.stores[k]);
    }
    /// Returns whether a stream came to its last beat or its end.
    bool bring(Root& root, const Clock& now, mantissa_stats& stats) {
        bool ends = false;
        for (unsigned k = 0; k < kCores; ++k) ends |= cores[k].bring(root, now.beats[k]);
        if (now.command) {
            ++stats.passes;
            for (Streams& streams : cores) streams.begin_pass(root, now.command_data, stats);
        }
        return ends;
    }
    /// Returns whether valid or last of a stream changed.
    bool offer_plain(Root& root) {
        bool changed = false;
        for (Streams& streams : cores) changed |= streams.offer_plain(root);
        return changed;
    }

    /// One clock of the core and its streams; returns whether anything moved.
    bool step(mantissa_stats& stats) {
        Vmodel___024root& root = *top->rootp;
        top->pass_ready = all([&](Streams& streams) { return streams.offer(root, clock); });
        top->clk_i = 0;
        top->eval();
        dump(2 * clock);
        const Clock now = look(stats);
        take(root, now);
        top->clk_i = 1;
        top->eval();
        dump(2 * clock + 1);
        count();
        bring(root, now, stats);
        return now.moved || now.command;
    }

    /// The same with every beat there and room for all. What the core shows then hangs on its registers and on the
    /// streams' valid and last alone, so between their changes its outputs after one edge are those before the next,
    /// and one evaluation makes a clock. `settled`: the outputs stand.
    bool step_plain(mantissa_stats& stats, bool& settled) {
        Vmodel___024root& root = *top->rootp;
        if (!settled) {
            top->clk_i = 0;
            top->eval();
        }
        const Clock now = look(stats);
        take(root, now);
        rise(root);
        count();
        const bool ends = bring(root, now, stats);
        settled = !(ends || now.command) || !offer_plain(root);
        return now.moved || now.command;
    }

    template <bool Plain> int run_loop(std::uint64_t patience, std::uint64_t limit, mantissa_stats& stats) {
        std::uint64_t idle = 0;
        const std::uint64_t begin = clock;
        [[maybe_unused]] bool settled = false;
        if constexpr (Plain) {
            offer_plain(*top->rootp);
            for (unsigned k = 0; k < kCores; ++k) top->rootp->out_ready[k] = 15;
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
        for (Streams& streams : cores)
            if (result == 0) streams.finish(stats);
            else streams.count_bytes(stats);
        return result;
    }

    std::uint32_t read(std::uint32_t address) {
        top->araddr = static_cast<SData>(address);
        top->arvalid = 1; // it is taken at once: no read is under way
        tick();
        top->arvalid = 0;
        wait_for(top->rvalid, "a read");
        const std::uint32_t value = top->rdata;
        tick();
        return value;
    }
    void write(std::uint32_t address, std::uint32_t value) {
        top->awaddr = static_cast<SData>(address);
        top->wdata = value;
        top->wstrb = 15;
        top->awvalid = top->wvalid = 1; // both are taken at once: no write is under way
        tick();
        top->awvalid = top->wvalid = 0;
        wait_for(top->bvalid, "a write");
        tick();
    }
    void wait_for(const CData& answer, const char* what) {
        constexpr int kMost = 10000; // an upset may have taken the answer away
        for (int k = 0; !answer; ++k) {
            if (k == kMost) throw std::runtime_error(std::string("the core does not answer ") + what);
            tick();
        }
    }
    /// A clock for the registers' sake: the streams must not miss one while the core is busy, and what a run that has
    /// ended still offers is thrown away.
    void tick() {
        mantissa_stats aside{};
        if (top->busy) {
            step(aside);
        } else {
            top->pass_ready = all([&](const Streams& streams) { return streams.discard(*top->rootp); });
            edge();
        }
    }
};

#ifdef MANTISSA_RULES
/// What an assertion that does not hold calls: no run goes on after it.
void vl_stop(const char* file, int line, const char* scope) {
    throw std::runtime_error(std::string(file) + ":" + std::to_string(line) +
                             ": the core broke a rule of its interfaces, in " + scope);
}
#endif

namespace {

void clear(mantissa_model_state& m) {
    for (Streams& streams : m.cores) streams.clear(*m.top->rootp);
    m.top->pass_ready = m.all([&](const Streams& streams) { return streams.discard(*m.top->rootp); });
}
mantissa_model_state* create() {
    auto* m = new mantissa_model_state;
#ifdef MANTISSA_TRACE
    m->context->traceEverOn(true);
#endif
    m->top = std::make_unique<Vmodel>(m->context.get(), "model");
    clear(*m);
    m->top->awvalid = m->top->wvalid = m->top->arvalid = 0;
    m->top->rst_ni = 0;
    for (int k = 0; k < 4; ++k) m->edge();
    m->top->rst_ni = 1;
    return m;
}
void destroy(mantissa_model_state* m) {
#ifdef MANTISSA_TRACE
    if (m->trace && m->trace->isOpen()) m->trace->close();
#endif
    Verilated::threadContextp(m->context.get()); // where the scopes of public signals are looked for, and taken from
    m->top->final();
    delete m;
}
void reset(mantissa_model_state* m) {
    clear(*m);
    m->top->rst_ni = 0;
    m->edge();
    m->top->rst_ni = 1;
}
void set_memory(mantissa_model_state* m, const mantissa_memory* memory) {
    for (Streams& streams : m->cores) streams.set_memory(*memory);
}
void set_buffers(mantissa_model_state* m, std::uint32_t core, const mantissa_buffers* buffers) {
    m->cores.at(core).buffers = *buffers;
}
void set_misbehaviour(mantissa_model_state* m, const mantissa_misbehaviour* b) {
    for (Streams& streams : m->cores) streams.misbehaviour = {};
    m->cores.at(b->core).misbehaviour = *b;
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
    std::uint32_t any = m->top->pass_valid ? 1u << 17 : 0u;
    for (unsigned k = 0; k < kCores; ++k) any |= m->top->waiting[k];
    return any;
}
std::uint64_t clock_of(mantissa_model_state* m) {
    return m->clock;
}

/// Bits of an element of u, r, p, q and of a coefficient.
constexpr unsigned kWidths[] = {MANTISSA_WIDTHS};

/// Lanes of up to 64 bits into a beat, and out of one.
void pack(const std::uint64_t* lanes, unsigned width, std::uint64_t* beat) {
    for (unsigned l = 0; l < kLanes; ++l) {
        const unsigned at = l * width / 64, shift = l * width % 64;
        const std::uint64_t word = lanes[l] & (~std::uint64_t{0} >> (64 - width));
        if (shift == 0) beat[at] = word;
        else beat[at] |= word << shift;
        if (shift + width > 64) beat[at + 1] = word >> (64 - shift);
    }
}
void unpack(const std::uint64_t* beat, unsigned width, std::uint64_t* lanes) {
    for (unsigned l = 0; l < kLanes; ++l) {
        const unsigned at = l * width / 64, shift = l * width % 64;
        std::uint64_t word = beat[at] >> shift;
        if (shift + width > 64) word |= beat[at + 1] << (64 - shift);
        lanes[l] = word & (~std::uint64_t{0} >> (64 - width));
    }
}

void cycle(mantissa_model_state* m, mantissa_ports* ports) {
    Vmodel& top = *m->top;
    Root& root = *top.rootp;
    std::uint64_t beat[kLanes + 1];
    for (unsigned k = 0; k < MANTISSA_IN; ++k)
        if ((ports->in_valid >> k) & 1) {
            pack(ports->in_data + k * kLanes, kWidths[k < 4 ? k : 4], beat);
            with_in(root, 0, k, [&](auto& port) { put(port, beat); });
        }
    top.in_valid[0] = static_cast<SData>(ports->in_valid);
    top.in_last[0] = static_cast<SData>(ports->in_last);
    top.out_ready[0] = static_cast<CData>(ports->out_ready);
    top.pass_ready = static_cast<CData>(ports->pass_ready);
    top.clk_i = 0;
    top.eval();
    m->dump(2 * m->clock);
    ports->in_taken = ports->in_valid & top.in_ready[0];
    ports->out_taken = ports->out_ready & top.out_valid[0];
    ports->pass_taken = top.pass_valid & ports->pass_ready;
    ports->pass_data = top.pass_data;
    ports->waiting = top.waiting[0];
    for (unsigned k = 0; k < MANTISSA_OUT; ++k)
        if ((ports->out_taken >> k) & 1) {
            with_out(root, 0, k, [&](const auto& port) { get(port, beat); });
            unpack(beat, kWidths[k], ports->out_data + k * kLanes);
        }
    top.clk_i = 1;
    top.eval();
    m->dump(2 * m->clock + 1);
    m->count();
    ports->busy = top.busy;
}

#ifdef MANTISSA_TRACE
constexpr std::uint32_t kHasTrace = 1;
#else
constexpr std::uint32_t kHasTrace = 0;
#endif

void arm(mantissa_model_state* m, const mantissa_upset* upset) {
    m->upsets.arm(*upset);
}

constexpr mantissa_model_api kApi = {MANTISSA_MODEL_VERSION,
                                     kLanes,
                                     kCores,
                                     kHasTrace,
                                     create,
                                     destroy,
                                     reset,
                                     set_memory,
                                     set_buffers,
                                     set_misbehaviour,
                                     write_register,
                                     read_register,
                                     run,
                                     waiting,
                                     begin_waveform<mantissa_model_state>,
                                     clock_of,
                                     cycle,
                                     Upsets::places,
                                     arm};

} // namespace

extern "C" const mantissa_model_api* mantissa_model() {
    return &kApi;
}
