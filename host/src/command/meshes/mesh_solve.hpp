// What `mantissa parameterize` and `mantissa smooth` share: one solve of a mesh's system. Internal to host/.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "mantissa/host/mesh.hpp"
#include "mantissa/host/solve.hpp"
#include "mantissa/host/system_builder.hpp"

namespace CLI {
class App;
}

namespace mantissa::cli {

struct MeshFlags {
    std::string mesh, output, format, spec, engine = "emulated", scheme, device = "cpu";
    std::uint64_t max_iterations = 0, subdivide = 0;
    std::optional<std::uint64_t> inner; ///< else kMeshInner
    double tolerance = 1e-6;
    int threads = 0;
    bool json = false;
};
inline constexpr std::uint64_t kMeshInner = 25;
/// Declares the options.
void add_mesh_options(CLI::App& app, MeshFlags& flags);
inline constexpr const char* kMultilevel = "multilevel-pcg"; ///< the scheme for maps alone
/// Refuses what no solve would take, before a file is read. `map`: the system is a map's.
void check_mesh_flags(const MeshFlags& flags, bool map);

/// The mesh that they name, subdivided.
TriangleMesh mesh_of(const MeshFlags& flags);

/// Solves every right-hand side of `built`; the results have their solutions. `points`: where the vertex of each pair
/// of unknowns is, for the scheme multilevel-pcg, which other systems than maps have not.
std::vector<SolveResult> solve_all(const std::string& name, const BuiltSystem& built, const MeshFlags& flags,
                                   std::span<const Point3> points = {});

/// The options as a solve takes them.
SolveOptions mesh_solve_options(const MeshFlags& flags);
/// "converged in 812 iterations, true residual 9.9e-07" of all of them together.
std::string summary_of(const std::vector<SolveResult>& results);
/// One that did not converge, if there is any; and the largest true residual.
const SolveResult& worst_of(const std::vector<SolveResult>& results);
double largest_residual(const std::vector<SolveResult>& results);

} // namespace mantissa::cli
