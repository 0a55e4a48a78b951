// A simulation model of the cycle core: the Verilated fx_cycle and the loop that clocks it (see cycle_abi.h).
#include "cycle_abi.h"

#include "clocked_core.hpp"

struct mantissa_cycle_state : ClockedCore {
    mantissa_cycle_state() : ClockedCore("cycle") {}
};

namespace {

constexpr std::uint32_t kControl = 0x08, kSend = 4;

int run(mantissa_cycle_state* s, std::uint64_t limit, void (*seen)(void*, const mantissa_verdict*), void* at) {
    Vmodel& top = *s->top;
    for (std::uint64_t k = 0; limit == 0 || k < limit; ++k) {
        s->edge();
        if (top.accepted_o) {
            const mantissa_verdict now{top.cycles_o, top.exponent_o, top.squares_o};
            seen(at, &now);
        }
        if (!top.busy_o) return 0;
    }
    return 1;
}

std::uint64_t send(mantissa_cycle_state* s, std::uint64_t* words, std::uint64_t most, std::uint32_t stall) {
    Vmodel& top = *s->top;
    s->write(kControl, kSend);
    return s->take(top.m_axis_u_tvalid, top.m_axis_u_tlast, top.m_axis_u_tdata, top.m_axis_u_tready, words, most,
                   stall);
}

const mantissa_cycle_api kApi = {
    MANTISSA_CYCLE_VERSION,
    [] { return new mantissa_cycle_state; },
    [](mantissa_cycle_state* s) { delete s; },
    [](mantissa_cycle_state* s) { s->reset(); },
    [](mantissa_cycle_state* s, std::uint32_t address, std::uint32_t value) { s->write(address, value); },
    [](mantissa_cycle_state* s, std::uint32_t address) { return s->read(address); },
    [](mantissa_cycle_state* s, const std::uint64_t* words, std::uint64_t count, std::uint32_t stall) {
        s->load(words, count, stall);
    },
    run,
    send,
    [](mantissa_cycle_state* s) { return s->clock; },
    Upsets::places,
    [](mantissa_cycle_state* s, const mantissa_upset* upset) { s->upsets.arm(*upset); },
};

} // namespace

const mantissa_cycle_api* mantissa_cycle_model(void) {
    return &kApi;
}
