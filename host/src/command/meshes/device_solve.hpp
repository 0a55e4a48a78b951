// A mesh's systems on the GPU, in double: --device gpu. Internal to host/.
#pragma once

#include "mantissa/host/solve.hpp"

namespace mantissa::cli {

/// Throws InvalidInput, one line, where this build or this machine has no GPU for it.
void require_device_for_meshes();

/// A map's system by CG with the multilevel preconditioner on the device (mantissa/gpu/multilevel.hpp).
MapSolver map_solver_on_device();

} // namespace mantissa::cli
