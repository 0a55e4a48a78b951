// Solves by multilevel cycles on rows, of any system that has a hierarchy (multilevel/cycle_solver.hpp), on one device.
#pragma once

#include <memory>
#include <string>

#include "mantissa/multilevel/cycle_solver.hpp"
#include "mantissa/multilevel/cycle_spec.hpp"
#include "mantissa/system.hpp"

namespace mantissa::gpu {

/// Why it cannot be, in one line; empty where it can, as far as that is known before there is a hierarchy. Asks no
/// device.
[[nodiscard]] std::string row_cycles_refusal(const System& system, const CycleLoop& loop);
/// The hierarchy of sparse rows is made on the device, others on this processor. Throws InvalidInput, one line, where
/// none is worth its work, DeviceError without a device.
[[nodiscard]] std::unique_ptr<CycleSolver> make_row_cycles(const System& system, const CycleSpec& spec,
                                                           const CycleLoop& loop);

} // namespace mantissa::gpu
