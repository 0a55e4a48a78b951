// The shipped table of synthesised cores (experiments/tune/cores.json), from which the area models are fitted. Internal
// to host/.
#pragma once

#include <functional>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "synthesis/synthesis.hpp"

namespace mantissa::tuning {

/// Calls `take` with each entry of the table. Throws InvalidInput, one line, for a file that is no such table or an
/// entry that lacks what `take` asks it for.
void each_core(const std::string& file, const std::function<void(const nlohmann::json&)>& take);

/// The cells of an entry's netlist: what slices() counts by.
[[nodiscard]] synthesis::SynthesisFigures cells_of(const nlohmann::json& entry);

} // namespace mantissa::tuning
