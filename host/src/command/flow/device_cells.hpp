// Cells of the bubbly flow on the GPU, where this build has one. Internal to host/.
#pragma once

#include <memory>
#include <string>

#include "mantissa/host/flow.hpp"

namespace mantissa::cli {

/// `precision` is float, tf32x3 or double. Throws InvalidInput with one line where there is no device, or this build
/// has none, or a batch does not fit into its memory.
std::unique_ptr<CellSolver> make_device_cells(const std::string& precision, const FlowOptions& options, bool pivot);

} // namespace mantissa::cli
