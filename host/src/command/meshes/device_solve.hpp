// A mesh's systems on the GPU, in double: --device gpu. Internal to host/.
#pragma once

#include <span>
#include <vector>

#include "mantissa/host/mesh.hpp"
#include "mantissa/host/solve.hpp"
#include "mantissa/host/system_builder.hpp"

namespace mantissa::cli {

/// Throws InvalidInput, one line, where this build or this machine has no GPU for it.
void require_device_for_meshes();

/// Jacobi CG on the device (mantissa/gpu/sparse_solver.hpp): blocks [[x, -y], [y, x]] with two of four values where the
/// matrix is made of them, else sliced ELL; three right-hand sides in one pass. The time of each result is that of all,
/// from the system to the solutions.
std::vector<SolveResult> solve_on_device(const BuiltSystem& built, const SolveOptions& options);
/// A map's system by CG with the multilevel preconditioner (mantissa/gpu/multilevel.hpp). `points`: where the vertex of
/// each pair of unknowns is.
SolveResult solve_map_on_device(const BuiltSystem& built, std::span<const Point3> points, const SolveOptions& options);

} // namespace mantissa::cli
