// A simulation model of the resident core: the Verilated fx_resident and the loop that clocks it (see resident_abi.h).
#include "resident_abi.h"

#include <memory>
#include <stdexcept>

#include <verilated.h>

#include "Vmodel.h"

struct mantissa_resident_state {
    std::unique_ptr<VerilatedContext> context = std::make_unique<VerilatedContext>();
    std::unique_ptr<Vmodel> top;
    std::uint64_t clock = 0;

    mantissa_resident_state() : top(std::make_unique<Vmodel>(context.get())) {
        top->rst_ni = 0;
        for (int k = 0; k < 16; ++k) edge();
        top->rst_ni = 1;
        top->s_axil_bready = 1;
        top->s_axil_rready = 1;
        for (int k = 0; k < 16; ++k) edge();
    }
    ~mantissa_resident_state() { top->final(); }

    void low() {
        top->clk_i = 0;
        top->eval();
    }
    void high() {
        top->clk_i = 1;
        top->eval();
        ++clock;
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
            if (answer != 0) throw std::runtime_error("resident model: the core refused a write to a register");
            return;
        }
        throw std::runtime_error("resident model: the core does not answer a write");
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
            if (answer != 0) throw std::runtime_error("resident model: the core refused a read of a register");
            return value;
        }
        throw std::runtime_error("resident model: the core does not answer a read");
    }
};

namespace {

constexpr std::uint32_t kControl = 0x08, kSend = 4;

void load(mantissa_resident_state* s, const std::uint64_t* words, std::uint64_t count, std::uint32_t stall) {
    Vmodel& top = *s->top;
    for (std::uint64_t k = 0; k < count;) {
        for (std::uint32_t wait = 0; wait < stall; ++wait) s->edge();
        top.s_axis_d_tdata = words[k];
        top.s_axis_d_tlast = k + 1 == count ? 1 : 0;
        top.s_axis_d_tvalid = 1;
        s->low();
        const bool taken = top.s_axis_d_tready != 0;
        s->high();
        if (taken) ++k;
        top.s_axis_d_tvalid = 0;
    }
}

int run(mantissa_resident_state* s, std::uint64_t limit, int (*accepted)(void*, const mantissa_accepted*), void* at) {
    Vmodel& top = *s->top;
    for (std::uint64_t k = 0; limit == 0 || k < limit; ++k) {
        s->edge();
        if (top.accepted_o) {
            const mantissa_accepted now{top.passes_o, top.steps_o, static_cast<std::int16_t>(top.exponent_o), top.rr_o};
            if (accepted(at, &now) == 0) return 2;
        }
        if (!top.busy_o) return 0;
    }
    return 1;
}

std::uint64_t send(mantissa_resident_state* s, std::uint64_t* words, std::uint64_t most, std::uint32_t stall) {
    Vmodel& top = *s->top;
    s->write(kControl, kSend);
    std::uint64_t count = 0;
    for (std::uint64_t waited = 0; waited < most + 1000;) {
        top.m_axis_v_tready = 1;
        s->low();
        const bool taken = top.m_axis_v_tvalid != 0, last = top.m_axis_v_tlast != 0;
        if (taken && count < most) words[count] = top.m_axis_v_tdata;
        s->high();
        top.m_axis_v_tready = 0;
        for (std::uint32_t wait = 0; wait < stall; ++wait) s->edge();
        if (taken) {
            ++count;
            if (last || count > most) return count;
        } else {
            ++waited;
        }
    }
    return count;
}

const mantissa_resident_api kApi = {
    MANTISSA_RESIDENT_VERSION,
    [] { return new mantissa_resident_state; },
    [](mantissa_resident_state* s) { delete s; },
    [](mantissa_resident_state* s, std::uint32_t address, std::uint32_t value) { s->write(address, value); },
    [](mantissa_resident_state* s, std::uint32_t address) { return s->read(address); },
    load,
    run,
    send,
    [](mantissa_resident_state* s) { return s->clock; },
};

} // namespace

const mantissa_resident_api* mantissa_resident_model(void) {
    return &kApi;
}
