// A simulation model of the sparse core: the Verilated sp_core, the memory that streams its matrix, and the loop that
// clocks them (see sparse_abi.h).
#include "sparse_abi.h"

#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>

#include <verilated.h>

#include "Vmodel.h"

#include "upsets.hpp"
#include "waveform.hpp"

namespace {

using WordPort = std::remove_cvref_t<decltype(std::declval<Vmodel&>().s_axis_word_tdata)>;
using RowPort = std::remove_cvref_t<decltype(std::declval<Vmodel&>().s_axis_row_tdata)>;

/// 64-bit words of a beat in memory, of a port of up to 64 bits (an integer) or more (an array of 32-bit words).
template <class Port> constexpr std::uint64_t kWords = (sizeof(Port) + 7) / 8;
template <class Port> void put(Port& port, const std::uint64_t* beat) {
    if constexpr (std::is_integral_v<Port>) port = static_cast<Port>(*beat);
    else std::memcpy(&port[0], beat, sizeof(Port));
}
template <class Port> void get(const Port& port, std::uint64_t* beat) {
    if constexpr (std::is_integral_v<Port>) *beat = port;
    else std::memcpy(beat, &port[0], sizeof(Port));
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
    double share() { return static_cast<double>((*this)() >> 11) * 0x1p-53; }
};

/// Whether one side of a stream is willing in a clock: it stops at random for 1 to 16 clocks.
struct Will {
    std::uint32_t left = 0;
    bool operator()(Random& random, double stall) {
        if (left > 0) {
            --left;
            return false;
        }
        if (stall <= 0 || random.share() >= stall) return true;
        left = static_cast<std::uint32_t>(random() >> 60);
        return false;
    }
};

constexpr std::uint64_t kNever = ~std::uint64_t{0};
constexpr std::uint64_t kPatience = 10000;

} // namespace

struct mantissa_sparse_state {
    std::unique_ptr<VerilatedContext> context = std::make_unique<VerilatedContext>();
    std::unique_ptr<Vmodel> top;
    std::uint64_t clock = 0;
    Upsets upsets;
    mantissa_memory memory{0, 0, 64, 0, 1};
    Random random;
    Will row_will, pass_will, word_will;
    const std::uint64_t* matrix = nullptr;
    std::uint64_t beats = 0, beat_bytes = 0;
    std::uint64_t last_at = kNever, ends_at = kNever;
    std::uint64_t asked = 0; // passes that were asked for and whose matrix has not been streamed to its end
    std::uint64_t next = 0;  // the beat that is offered next
    std::uint64_t from = 0;  // no beat comes before this clock
    double credit = 0;       // bytes that the memory may move now
    bool offered = false;    // valid was raised and must stay
#ifdef MANTISSA_TRACE
    std::unique_ptr<VerilatedFstC> trace;
    std::uint64_t trace_first = 0, trace_last = 0;
    std::string trace_path;
#endif

    mantissa_sparse_state() {
#ifdef MANTISSA_TRACE
        context->traceEverOn(true);
#endif
        top = std::make_unique<Vmodel>(context.get());
        reset();
    }
    ~mantissa_sparse_state() {
#ifdef MANTISSA_TRACE
        if (trace && trace->isOpen()) trace->close();
#endif
        top->final();
    }
    void reset() {
        top->rst_ni = 0;
        top->s_axil_awvalid = top->s_axil_wvalid = top->s_axil_arvalid = 0;
        top->s_axil_bready = top->s_axil_rready = 1;
        top->s_axis_word_tvalid = top->s_axis_ask_tvalid = top->m_axis_word_tready = 0;
        top->s_axis_row_tvalid = top->m_axis_pass_tready = 0;
        asked = next = 0;
        offered = false;
        for (int k = 0; k < 4; ++k) edge();
        top->rst_ni = 1;
        for (int k = 0; k < 4; ++k) edge();
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
    void low() {
        top->clk_i = 0;
        top->eval();
        dump(2 * clock);
    }
    void high() {
        top->clk_i = 1;
        top->eval();
        dump(2 * clock + 1);
        ++clock;
        upsets.after_edge(*top, clock);
    }
    void edge() {
        low();
        high();
    }

    /// What the matrix's memory drives in this clock.
    void offer() {
        const double most = static_cast<double>(beat_bytes) * memory.fifo_beats;
        if (memory.bytes_per_cycle > 0) credit = std::min(credit + memory.bytes_per_cycle, most);
        top->m_axis_pass_tready = pass_will(random, memory.stall) ? 1 : 0;
        if (offered) return;
        const bool can = asked > 0 && next < ends_at && clock >= from &&
                         (memory.bytes_per_cycle <= 0 || credit >= static_cast<double>(beat_bytes)) &&
                         row_will(random, memory.stall);
        top->s_axis_row_tvalid = can ? 1 : 0;
        if (!can) return;
        offered = true;
        credit -= static_cast<double>(beat_bytes);
        put(top->s_axis_row_tdata, matrix + next * kWords<RowPort>);
        const bool last = last_at == kNever ? next + 1 == beats : next == last_at;
        top->s_axis_row_tlast = last ? 1 : 0;
    }
    /// One clock of a run; returns whether anything moved.
    bool step(mantissa_sparse_stats& stats) {
        offer();
        low();
        const bool ready = top->s_axis_row_tready, taken = ready && top->s_axis_row_tvalid;
        const bool pass = top->m_axis_pass_tvalid && top->m_axis_pass_tready;
        ++stats.cycles;
        stats.waited += ready && !taken ? 1 : 0;
        // Between the matrix's last beat and the next pass the core works by itself.
        const bool moves = taken || pass || (!ready && !top->m_axis_pass_tvalid);
        high();
        if (pass) {
            ++stats.passes;
            if (asked == 0) {
                from = clock + memory.latency;
                credit = 0;
            }
            ++asked;
        }
        if (taken) {
            ++stats.beats;
            offered = false;
            if (++next == beats) {
                next = 0;
                --asked;
                from = clock + memory.latency;
            }
        }
        return moves;
    }
    int run(std::uint64_t patience, std::uint64_t limit, mantissa_sparse_stats& stats) {
        std::uint64_t idle = 0;
        const std::uint64_t begin = clock;
        for (;;) {
            idle = step(stats) ? 0 : idle + 1;
            if (!top->busy_o) break;
            if (idle > patience) return 1;
            if (limit != 0 && clock - begin >= limit) return 2;
        }
        return 0;
    }
    /// What a run that ended early left on its way is thrown away.
    void quiet() {
        asked = next = 0;
        offered = false;
        top->s_axis_row_tvalid = 0;
        top->m_axis_pass_tready = 1;
    }
    void tick() {
        mantissa_sparse_stats aside{};
        if (top->busy_o) {
            step(aside);
            return;
        }
        quiet();
        edge();
    }
    void write(std::uint32_t address, std::uint32_t value) {
        top->s_axil_awaddr = static_cast<CData>(address);
        top->s_axil_wdata = value;
        top->s_axil_wstrb = 15;
        top->s_axil_awvalid = top->s_axil_wvalid = 1; // both are taken at once: no write is under way
        tick();
        top->s_axil_awvalid = top->s_axil_wvalid = 0;
        wait_for(top->s_axil_bvalid, "a write");
        tick();
    }
    std::uint32_t read(std::uint32_t address) {
        top->s_axil_araddr = static_cast<CData>(address);
        top->s_axil_arvalid = 1; // it is taken at once: no read is under way
        tick();
        top->s_axil_arvalid = 0;
        wait_for(top->s_axil_rvalid, "a read");
        const std::uint32_t value = top->s_axil_rdata;
        tick();
        return value;
    }
    void wait_for(const CData& answer, const char* what) {
        for (std::uint64_t k = 0; !answer; ++k) { // an upset may have taken the answer away
            if (k == kPatience) throw std::runtime_error(std::string("the core does not answer ") + what);
            tick();
        }
    }
    std::uint64_t load(std::uint32_t vector, const std::uint64_t* words, std::uint64_t count) {
        quiet();
        std::uint64_t k = 0;
        for (std::uint64_t idle = 0; k < count && idle < kPatience; ++idle) {
            if (!top->s_axis_word_tvalid && word_will(random, memory.stall)) {
                put(top->s_axis_word_tdata, words + k * kWords<WordPort>);
                top->s_axis_word_tuser = static_cast<CData>(vector);
                top->s_axis_word_tlast = k + 1 == count ? 1 : 0;
                top->s_axis_word_tvalid = 1;
            }
            low();
            const bool taken = top->s_axis_word_tvalid && top->s_axis_word_tready;
            high();
            if (!taken) continue;
            top->s_axis_word_tvalid = 0;
            ++k;
            idle = 0;
        }
        return k;
    }
    std::uint64_t send(std::uint32_t vector, std::uint64_t* words, std::uint64_t count) {
        quiet();
        edge(); // the last beat that was loaded lands
        top->s_axis_ask_tdata = static_cast<CData>(vector);
        top->s_axis_ask_tvalid = 1;
        std::uint64_t k = 0;
        for (std::uint64_t idle = 0; idle < kPatience; ++idle) {
            top->m_axis_word_tready = word_will(random, memory.stall) ? 1 : 0;
            low();
            const bool asked_for = top->s_axis_ask_tvalid && top->s_axis_ask_tready;
            const bool taken = top->m_axis_word_tvalid && top->m_axis_word_tready, last = top->m_axis_word_tlast;
            if (taken && k < count) get(top->m_axis_word_tdata, words + k * kWords<WordPort>);
            high();
            if (asked_for) top->s_axis_ask_tvalid = 0;
            if (!taken) continue;
            ++k;
            idle = 0;
            if (last || k > count) break; // (with an upset in its count the core need not come to an end)
        }
        top->m_axis_word_tready = 0;
        return k;
    }
};

namespace {

mantissa_sparse_state* create() {
    return new mantissa_sparse_state;
}
void destroy(mantissa_sparse_state* s) {
    delete s;
}
void reset(mantissa_sparse_state* s) {
    s->reset();
}
void set_memory(mantissa_sparse_state* s, const mantissa_memory* m) {
    s->memory = *m;
    if (s->memory.fifo_beats == 0) s->memory.fifo_beats = 1;
    s->random.state = m->seed | 1;
}
void set_matrix(mantissa_sparse_state* s, const std::uint64_t* beats, std::uint64_t count, std::uint32_t beat_bytes) {
    s->matrix = beats;
    s->beats = count;
    s->beat_bytes = beat_bytes;
}
void misbehave(mantissa_sparse_state* s, std::uint64_t last_at, std::uint64_t ends_at) {
    s->last_at = last_at;
    s->ends_at = ends_at;
}
void write_register(mantissa_sparse_state* s, std::uint32_t address, std::uint32_t value) {
    s->write(address, value);
}
std::uint32_t read_register(mantissa_sparse_state* s, std::uint32_t address) {
    return s->read(address);
}
std::uint64_t load(mantissa_sparse_state* s, std::uint32_t vector, const std::uint64_t* words, std::uint64_t count) {
    return s->load(vector, words, count);
}
std::uint64_t send(mantissa_sparse_state* s, std::uint32_t vector, std::uint64_t* words, std::uint64_t count) {
    return s->send(vector, words, count);
}
int run(mantissa_sparse_state* s, std::uint64_t patience, std::uint64_t limit, mantissa_sparse_stats* stats) {
    return s->run(patience, limit, *stats);
}
std::uint64_t clock_of(mantissa_sparse_state* s) {
    return s->clock;
}

void arm(mantissa_sparse_state* s, const mantissa_upset* upset) {
    s->upsets.arm(*upset);
}

#ifdef MANTISSA_TRACE
constexpr std::uint32_t kHasTrace = 1;
#else
constexpr std::uint32_t kHasTrace = 0;
#endif

constexpr mantissa_sparse_api kApi = {MANTISSA_SPARSE_VERSION,
                                      kHasTrace,
                                      kWords<RowPort>,
                                      kWords<WordPort>,
                                      create,
                                      destroy,
                                      reset,
                                      set_memory,
                                      set_matrix,
                                      misbehave,
                                      write_register,
                                      read_register,
                                      load,
                                      send,
                                      run,
                                      begin_waveform<mantissa_sparse_state>,
                                      clock_of,
                                      Upsets::places,
                                      arm};

} // namespace

extern "C" const mantissa_sparse_api* mantissa_sparse_model() {
    return &kApi;
}
