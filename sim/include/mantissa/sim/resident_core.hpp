// The resident solver on fx_resident under Verilator.
#pragma once

#include <memory>
#include <string>

#include "mantissa/resident.hpp"
#include "mantissa/sim/rtl_engine.hpp"

namespace mantissa::sim {

/// Empty where fx_resident runs this, or several of them that share the system (fx_residents); else one line. What
/// every engine refuses is not asked again.
std::string resident_core_refusal(const DatapathSpec& spec, const System& system, int cores = 1);

/// The parameters of fx_resident for `spec` on `system`, as core_parameters() has fx_core's; `outer_lanes` 0: as many
/// as the spec's lanes. MaxLength is at least the system's size, the same for small ones, so that they share a model.
CoreParameters resident_core_parameters(const DatapathSpec& spec, const System& system, const Format& iterate,
                                        int outer_lanes, int cores = 1);

std::unique_ptr<ResidentSolver> make_resident_core(const System& system, const DatapathSpec& spec,
                                                   const Format& iterate, const RtlOptions& options);

} // namespace mantissa::sim
