// The levels that a system gets, measured. Internal to host/.
#pragma once

#include "mantissa/host/advise_cycles.hpp"
#include "mantissa/system.hpp"

namespace mantissa::advising {

/// Makes the hierarchy of `system`, as multilevel cycles do, and measures it.
LevelsMeasured measured_levels(const System& system, int threads);

} // namespace mantissa::advising
