// The resident solver of the emulated engine.
#pragma once

#include <memory>
#include <string>

#include "mantissa/resident.hpp"

namespace mantissa::detail {

/// mantissa::resident_refusal(), and where the emulated engine's integers are too short for the inner passes.
std::string twin_refusal(const DatapathSpec& spec, const System& system, const Format& iterate);
/// For what twin_refusal() lets pass.
std::unique_ptr<ResidentSolver> make_resident_twin(const System& system, const DatapathSpec& spec,
                                                   const Format& iterate, int threads);

} // namespace mantissa::detail
