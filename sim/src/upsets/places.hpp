// A model's state as upsets see it.
#pragma once

#include "../../model/upset_abi.h"
#include "mantissa/sim/rtl_engine.hpp"
#include "mantissa/sim/upsets.hpp"

namespace mantissa::sim {

/// What every session does with a trial: takes the list of places, and arms the model with the trial's upset.
template <class Api, class State> void begin_trial(UpsetTrial& trial, const Api& api, State* state) {
    if (trial.list) {
        trial.places.clear();
        const mantissa_upset_place* list = nullptr;
        const std::uint64_t count = api.upset_places(&list);
        for (std::uint64_t k = 0; k < count; ++k)
            trial.places.push_back({upset_place_name(list[k].name), list[k].bits, list[k].words});
    }
    trial.clocks = api.clock(state);
    trial.faults = trial.detected = 0;
    trial.hung = false;
    if (!trial.upset) return;
    const mantissa_upset upset{trial.upset->place, trial.upset->bit, trial.upset->word, trial.upset->clock};
    api.arm(state, &upset);
}

/// The path of a session's model. A trial's has its state by name, and is looked for once.
std::string trial_model(ModelRequest request, const RtlOptions& options);

} // namespace mantissa::sim
