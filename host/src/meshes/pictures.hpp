// Meshes as pictures (SVG). Internal to host/.
#pragma once

#include <string>
#include <vector>

#include "mantissa/host/mesh.hpp"

namespace mantissa::meshes {

/// The map's triangles in the plane, flipped ones in red. A large mesh is drawn with every n-th triangle, and says so.
std::string picture_of_map(const TriangleMesh& mesh, const std::vector<Point2>& uv);
/// Two surfaces side by side, lit from the front, seen along their shortest axis.
std::string picture_of_surfaces(const TriangleMesh& before, const TriangleMesh& after);

} // namespace mantissa::meshes
