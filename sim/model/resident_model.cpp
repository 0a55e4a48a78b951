// A simulation model of the resident core: the Verilated fx_resident and the loop that clocks it (see resident_abi.h).
#include "resident_abi.h"

#include "clocked_core.hpp"

struct mantissa_resident_state : ClockedCore {
    mantissa_resident_state() : ClockedCore("resident") {}
};

namespace {

constexpr std::uint32_t kControl = 0x08, kSend = 4;

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
    return s->take(top.m_axis_v_tvalid, top.m_axis_v_tlast, top.m_axis_v_tdata, top.m_axis_v_tready, words, most,
                   stall);
}

const mantissa_resident_api kApi = {
    MANTISSA_RESIDENT_VERSION,
    [] { return new mantissa_resident_state; },
    [](mantissa_resident_state* s) { delete s; },
    [](mantissa_resident_state* s) { s->reset(); },
    [](mantissa_resident_state* s, std::uint32_t address, std::uint32_t value) { s->write(address, value); },
    [](mantissa_resident_state* s, std::uint32_t address) { return s->read(address); },
    [](mantissa_resident_state* s, const std::uint64_t* words, std::uint64_t count, std::uint32_t stall) {
        s->load(words, count, stall);
    },
    run,
    send,
    [](mantissa_resident_state* s) { return s->clock; },
    Upsets::places,
    [](mantissa_resident_state* s, const mantissa_upset* upset) { s->upsets.arm(*upset); },
};

} // namespace

const mantissa_resident_api* mantissa_resident_model(void) {
    return &kApi;
}
