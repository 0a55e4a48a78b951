// A simulation model of the resident core: the Verilated fx_resident and the loop that clocks it (see resident_abi.h).
#include "resident_abi.h"

#include "clocked_core.hpp"

struct mantissa_resident_state : ClockedCore {
    mantissa_resident_state() : ClockedCore("resident") {}
};

namespace {

constexpr std::uint32_t kControl = 0x08, kSend = 4;

int run(mantissa_resident_state* s, std::uint64_t limit, int (*accepted)(void*, const mantissa_accepted*), void* at) {
    return s->run(limit, [&, &top = *s->top] {
        const mantissa_accepted now{top.passes_o, top.steps_o, static_cast<std::int16_t>(top.exponent_o), top.rr_o};
        return accepted(at, &now) != 0;
    });
}

std::uint64_t send(mantissa_resident_state* s, std::uint64_t* words, std::uint64_t most, std::uint32_t stall) {
    Vmodel& top = *s->top;
    s->write(kControl, kSend);
    return s->take(top.m_axis_v_tvalid, top.m_axis_v_tlast, top.m_axis_v_tdata, top.m_axis_v_tready, words, most,
                   stall);
}

using Core = Calls<mantissa_resident_state>;
const mantissa_resident_api kApi = {
    MANTISSA_RESIDENT_VERSION,
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

const mantissa_resident_api* mantissa_resident_model(void) {
    return &kApi;
}
