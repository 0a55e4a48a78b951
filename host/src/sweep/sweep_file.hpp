// Sweep files with a table of options of one's own. Internal to host/.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "mantissa/host/options.hpp"
#include "mantissa/host/sweep.hpp"

namespace mantissa::sweeps {

/// parse_sweep() with these options as keys.
Sweep parse_sweep_of(std::string_view text, std::string_view name, std::size_t max_points,
                     std::span<const options::Option> among);

} // namespace mantissa::sweeps
