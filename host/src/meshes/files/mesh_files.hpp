// Readers of one kind of file each. Internal to host/; read_mesh() is the way in.
#pragma once

#include <string_view>

#include "mantissa/host/mesh.hpp"

namespace mantissa::meshes {

// `text` is the file unpacked, `name` begins error lines.
TriangleMesh read_obj(std::string_view text, std::string_view name);
TriangleMesh read_off(std::string_view text, std::string_view name);
/// Is the first word that of an OFF file: OFF, or COFF, NOFF, STOFF ...?
bool begins_as_off(std::string_view text);
TriangleMesh read_ply(std::string_view text, std::string_view name);

/// Every triangle names three different vertices that exist; every coordinate is finite; there is a triangle.
void check_mesh(const TriangleMesh& mesh, std::string_view name);

} // namespace mantissa::meshes
