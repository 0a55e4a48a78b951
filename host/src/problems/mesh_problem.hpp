// The mesh after a problem's text, and its system with the way back to the mesh. Internal to host/.
#pragma once

#include <optional>
#include <string_view>

#include "mantissa/host/mesh_systems.hpp"

namespace mantissa::problems {

/// One of the two is there. `mesh` is what the system was made on (cut open where that was asked for).
struct MeshProblem {
    TriangleMesh mesh;
    std::optional<LscmSystem> lscm;
    std::optional<DsiSystem> dsi;
};

/// Nothing where the text is of another kind of problem. Throws InvalidInput, one line, as make_problem() does.
std::optional<MeshProblem> make_mesh_problem(std::string_view text);

} // namespace mantissa::problems
