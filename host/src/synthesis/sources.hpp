// The RTL and the recipe that netlists are made of. Internal to host/.
#pragma once

#include <string>

namespace mantissa::synthesis {

/// The project's folder, whose RTL is synthesised. MANTISSA_SOURCE names another.
std::string sources_folder();
/// The hash of RTL and recipe in `source` that results of cores of grids are kept under.
std::string sources_hash(const std::string& source);

} // namespace mantissa::synthesis
