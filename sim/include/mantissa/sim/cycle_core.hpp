// Solves by multilevel cycles on fx_cycle under Verilator.
#pragma once

#include <memory>
#include <string>

#include "mantissa/multilevel/word_solve.hpp"
#include "mantissa/sim/core_parameters.hpp"
#include "mantissa/sim/rtl_engine.hpp"

namespace mantissa::sim {

/// Empty where fx_cycle has cycles of `spec` on `grid`, or where several of them share it (fx_cycles); else one line.
/// What every engine refuses is not asked again.
std::string cycle_core_refusal(const multilevel::GridWords& grid, const CycleSpec& spec, int cores = 1);
/// Why a cycle core with rows for grids of 2^level + 1 nodes a side has not so many lanes; empty where it has.
std::string cycle_lanes_refusal(int lanes, int level);
/// Why `cores` of them do not share grids of 2^level + 1 nodes a side; empty where they do.
std::string cycle_cores_refusal(const CycleSpec& spec, int level, int cores);

/// The parameters of fx_cycle for that, which cycle_core_refusal() must accept; rows, counters and points are for
/// levels up to `most`, memory for those up to `stored`; `lanes` nodes a clock and core, a power of two up to 2^most.
CoreParameters cycle_core_parameters(const multilevel::GridWords& grid, const CycleSpec& spec, int most, int stored,
                                     int lanes, int cores = 1);

/// With options.cycle_lanes lanes and options.cores cores. Levels up to 7 share a model.
std::unique_ptr<multilevel::WordSolver> make_cycle_core(const multilevel::GridWords& grid, const CycleSpec& spec,
                                                        const RtlOptions& options);

} // namespace mantissa::sim
