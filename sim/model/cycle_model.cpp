// A simulation model of the cycle core: the Verilated fx_cycle and the loop that clocks it (see cycle_abi.h).
#include "cycle_abi.h"

#include "clocked_core.hpp"

struct mantissa_cycle_state : ClockedCore {
    mantissa_cycle_state() : ClockedCore("cycle") {}
};

namespace {

constexpr std::uint32_t kControl = 0x08, kSend = 4;

int run(mantissa_cycle_state* s, std::uint64_t limit, void (*seen)(void*, const mantissa_verdict*), void* at) {
    return s->run(limit, [&, &top = *s->top] {
        const mantissa_verdict now{top.cycles_o, top.exponent_o, top.squares_o};
        seen(at, &now);
        return true;
    });
}

std::uint64_t send(mantissa_cycle_state* s, std::uint64_t* words, std::uint64_t most, std::uint32_t stall) {
    Vmodel& top = *s->top;
    s->write(kControl, kSend);
    return s->take(top.m_axis_u_tvalid, top.m_axis_u_tlast, top.m_axis_u_tdata, top.m_axis_u_tready, words, most,
                   stall);
}

using Core = Calls<mantissa_cycle_state>;
const mantissa_cycle_api kApi = {
    MANTISSA_CYCLE_VERSION,
    Core::create,
    Core::destroy,
    Core::reset,
    Core::write,
    Core::read,
    Core::load,
    run,
    send,
    Core::clock,
    Upsets::places,
    Core::arm,
};

} // namespace

const mantissa_cycle_api* mantissa_cycle_model(void) {
    return &kApi;
}
