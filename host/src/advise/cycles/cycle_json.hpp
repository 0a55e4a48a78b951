// The advice on cycles as a JSON object. Internal to host/.
#pragma once

#include "mantissa/host/advise_cycles.hpp"
#include "store/result_json.hpp"

namespace mantissa::advising {

/// All of it but its text.
results::Json to_json(const Problem& problem, const CycleAdvice& advice, double tolerance);

} // namespace mantissa::advising
