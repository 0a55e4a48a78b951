// The cycle core's stages as processes with clocks of their own, between bounded FIFOs and the core's memories.
#pragma once

#include <memory>

#include "mantissa/multilevel/word_solve.hpp"
#include "mantissa/sim/systemc_engine.hpp"

namespace mantissa::sim {

/// With options.cycle_lanes lanes. Clocks are those from the start to the end of a solve, transfers not included.
std::unique_ptr<multilevel::WordSolver> make_timed_cycle_core(const multilevel::GridWords& grid, const CycleSpec& spec,
                                                              const SystemcOptions& options);

} // namespace mantissa::sim
