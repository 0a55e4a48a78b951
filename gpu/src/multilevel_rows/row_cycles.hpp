// Solves by multilevel cycles on rows, of any system that has a hierarchy (multilevel/cycle_solver.hpp).
#pragma once

#include <memory>
#include <string>

#include "mantissa/gpu/peers.hpp"
#include "mantissa/multilevel/cycle_solver.hpp"
#include "mantissa/multilevel/cycle_spec.hpp"
#include "mantissa/system.hpp"

namespace mantissa::gpu {

/// Why it cannot be, in one line; empty where it can, as far as that is known before there is a hierarchy. Asks no
/// device.
[[nodiscard]] std::string row_cycles_refusal(const System& system, const CycleLoop& loop, int parts);
/// The hierarchy of sparse rows is made on the device, others on this processor. Throws InvalidInput, one line, where
/// none is worth its work, DeviceError without a device. Over `peers`, or on the current device where that is null; a
/// cycle in words has the same bits over any parts, and sums in double those of their blocks.
[[nodiscard]] std::unique_ptr<CycleSolver> make_row_cycles(const System& system, const CycleSpec& spec,
                                                           const CycleLoop& loop, const std::shared_ptr<Peers>& peers);

} // namespace mantissa::gpu
