// Meshes as pictures (SVG). Internal to host/.
#pragma once

#include <string>
#include <vector>

#include "mantissa/host/mesh.hpp"
#include "pictures/image.hpp"

namespace mantissa::meshes {

/// The surface with a chessboard of the plane on it, and the map coloured by how it keeps angles, flipped triangles
/// red. `name` is what the words call the surface.
std::vector<pictures::Panel> panels_of_map(const TriangleMesh& mesh, const std::vector<Point2>& uv,
                                           const std::string& name);
/// Two surfaces side by side, seen alike.
std::vector<pictures::Panel> panels_of_surfaces(const TriangleMesh& before, const TriangleMesh& after,
                                                const std::string& name_before, const std::string& name_after);

/// The panels as a drawing.
std::string picture_of_map(const TriangleMesh& mesh, const std::vector<Point2>& uv);
std::string picture_of_surfaces(const TriangleMesh& before, const TriangleMesh& after);

} // namespace mantissa::meshes
