// Readers of one kind of file each. Internal to host/; read_mesh() is the way in.
#pragma once

#include <string_view>

#include "mantissa/host/mesh.hpp"

namespace mantissa::meshes {

// `text` is the file unpacked, `name` begins error lines.
TriangleMesh read_obj(std::string_view text, std::string_view name);
TriangleMesh read_off(std::string_view text, std::string_view name);
TriangleMesh read_ply(std::string_view text, std::string_view name);

/// The corners of a face of a file, as a fan of triangles. `count` vertices exist; `where` begins the error line.
class Fan {
public:
    Fan(TriangleMesh& mesh, std::string_view name) : mesh_(mesh), name_(name) {}
    void begin() { corners_ = 0; }
    /// A corner, from 0; the file may name vertices that come later, so they are checked at the end.
    void corner(std::uint32_t vertex) {
        if (corners_ == 0) first_ = vertex;
        else if (corners_ >= 2) mesh_.triangles.push_back({first_, last_, vertex});
        last_ = vertex;
        ++corners_;
    }
    [[nodiscard]] std::size_t corners() const { return corners_; }

private:
    TriangleMesh& mesh_;
    std::string_view name_;
    std::size_t corners_ = 0;
    std::uint32_t first_ = 0, last_ = 0;
};

/// Every triangle names three different vertices that exist; every coordinate is finite; there is a triangle.
void check_mesh(const TriangleMesh& mesh, std::string_view name);

} // namespace mantissa::meshes
