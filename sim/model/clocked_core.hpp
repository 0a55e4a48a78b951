// A Verilated core with AXI4-Lite registers and a stream of words in: its reset and clock, and who drives those.
#pragma once

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>

#include <verilated.h>

#include "Vmodel.h"
#include "upsets.hpp"

/// `name` stands in front of what this throws.
class ClockedCore {
public:
    explicit ClockedCore(const char* name) : name_(name), top(std::make_unique<Vmodel>(context_.get())) { reset(); }
    ~ClockedCore() { top->final(); }
    ClockedCore(const ClockedCore&) = delete;
    ClockedCore& operator=(const ClockedCore&) = delete;

    /// By the wire. What was asked for and not answered is given up.
    void reset() {
        top->s_axil_awvalid = top->s_axil_wvalid = top->s_axil_arvalid = top->s_axis_d_tvalid = 0;
        top->rst_ni = 0;
        for (int k = 0; k < 16; ++k) edge();
        top->rst_ni = 1;
        top->s_axil_bready = 1;
        top->s_axil_rready = 1;
        for (int k = 0; k < 16; ++k) edge();
    }
    void low() {
        top->clk_i = 0;
        top->eval();
    }
    void high() {
        top->clk_i = 1;
        top->eval();
        ++clock;
        upsets.after_edge(*top, clock);
    }
    void edge() {
        low();
        high();
    }

    void write(std::uint32_t address, std::uint32_t value) {
        top->s_axil_awaddr = static_cast<CData>(address);
        top->s_axil_wdata = value;
        top->s_axil_wstrb = 15;
        top->s_axil_awvalid = 1;
        top->s_axil_wvalid = 1;
        for (int k = 0; k < 64; ++k) {
            low();
            const bool address_taken = top->s_axil_awvalid && top->s_axil_awready;
            const bool data_taken = top->s_axil_wvalid && top->s_axil_wready;
            const bool answered = top->s_axil_bvalid;
            const unsigned answer = top->s_axil_bresp;
            high();
            if (address_taken) top->s_axil_awvalid = 0;
            if (data_taken) top->s_axil_wvalid = 0;
            if (!answered) continue;
            if (answer != 0) fail("the core refused a write to a register");
            return;
        }
        fail("the core does not answer a write");
    }
    std::uint32_t read(std::uint32_t address) {
        top->s_axil_araddr = static_cast<CData>(address);
        top->s_axil_arvalid = 1;
        for (int k = 0; k < 64; ++k) {
            low();
            const bool taken = top->s_axil_arvalid && top->s_axil_arready;
            const bool answered = top->s_axil_rvalid;
            const std::uint32_t value = top->s_axil_rdata;
            const unsigned answer = top->s_axil_rresp;
            high();
            if (taken) top->s_axil_arvalid = 0;
            if (!answered) continue;
            if (answer != 0) fail("the core refused a read of a register");
            return value;
        }
        fail("the core does not answer a read");
    }
    /// Words of D, tlast with the last one; with `stall` clocks without a word between.
    void load(const std::uint64_t* words, std::uint64_t count, std::uint32_t stall) {
        constexpr std::uint64_t kMostWait = 100000; // an upset may have left the core busy
        std::uint64_t waited = 0;
        for (std::uint64_t k = 0; k < count;) {
            for (std::uint32_t wait = 0; wait < stall; ++wait) edge();
            top->s_axis_d_tdata = words[k];
            top->s_axis_d_tlast = k + 1 == count ? 1 : 0;
            top->s_axis_d_tvalid = 1;
            low();
            const bool taken = top->s_axis_d_tready != 0;
            high();
            if (taken) ++k;
            else if (++waited > kMostWait) fail("the core takes no word");
            top->s_axis_d_tvalid = 0;
        }
    }
    /// Takes words from the stream of these wires until tlast, `most` at most, with `stall` clocks without a word
    /// taken between; returns how many.
    template <class Valid, class Last, class Data, class Ready>
    std::uint64_t take(const Valid& valid, const Last& last, const Data& data, Ready& ready, std::uint64_t* words,
                       std::uint64_t most, std::uint32_t stall) {
        std::uint64_t count = 0;
        for (std::uint64_t waited = 0; waited < most + 1000;) {
            ready = 1;
            low();
            const bool taken = valid != 0, ends = last != 0;
            if (taken && count < most) words[count] = data;
            high();
            ready = 0;
            for (std::uint32_t wait = 0; wait < stall; ++wait) edge();
            if (!taken) {
                ++waited;
                continue;
            }
            ++count;
            if (ends || count > most) return count;
        }
        return count;
    }

    /// Clocks until the core is idle: 0; 1 after `limit` clocks, where that is not 0. look() is asked at every verdict:
    /// where it says no, 2.
    template <class Look> int run(std::uint64_t limit, const Look& look) {
        for (std::uint64_t k = 0; limit == 0 || k < limit; ++k) {
            edge();
            if (top->accepted_o && !look()) return 2;
            if (!top->busy_o) return 0;
        }
        return 1;
    }

private:
    [[noreturn]] void fail(const char* what) const { throw std::runtime_error(std::string(name_) + " model: " + what); }

    const char* name_;
    std::unique_ptr<VerilatedContext> context_ = std::make_unique<VerilatedContext>();

public:
    std::unique_ptr<Vmodel> top; ///< its wires
    std::uint64_t clock = 0;     ///< since the beginning
    Upsets upsets;
};

/// What the tables of functions of these models have in common (cycle_abi.h, resident_abi.h).
template <class State> struct Calls {
    static State* create() { return new State; }
    static void destroy(State* s) { delete s; }
    static void reset(State* s) { s->reset(); }
    static void write(State* s, std::uint32_t address, std::uint32_t value) { s->write(address, value); }
    static std::uint32_t read(State* s, std::uint32_t address) { return s->read(address); }
    static void load(State* s, const std::uint64_t* words, std::uint64_t count, std::uint32_t stall) {
        s->load(words, count, stall);
    }
    static std::uint64_t clock(State* s) { return s->clock; }
    static void arm(State* s, const mantissa_upset* upset) { s->upsets.arm(*upset); }
};
