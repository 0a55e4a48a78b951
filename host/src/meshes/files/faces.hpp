// The faces of a mesh file as triangles. Internal to host/.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "mantissa/host/mesh.hpp"

namespace mantissa::meshes {

/// Faces of any number of corners while a file is read; finish() makes triangles of them, in the order of the file.
class Faces {
public:
    /// `name` begins error lines.
    Faces(TriangleMesh& mesh, std::string_view name) : mesh_(mesh), name_(name) {}
    void begin() { corner_.clear(); }
    /// A corner, from 0; the file may name vertices that come later, so they are looked at by finish() alone.
    void corner(std::uint32_t vertex) { corner_.push_back(vertex); }
    [[nodiscard]] std::size_t corners() const { return corner_.size(); }
    /// The face has all its corners, three or more.
    void end();
    /// Every second triangle of a strip is turned round; UINT32_MAX ends a strip and begins another.
    void strip(std::span<const std::uint32_t> corners);
    /// Throws InvalidInput, one line with the number of the face: one that crosses itself or has no area.
    void finish();

private:
    struct Polygon {
        std::size_t triangle = 0; ///< it comes before this triangle
        std::size_t first = 0, count = 0;
        std::uint64_t face = 0; ///< from 1
    };

    TriangleMesh& mesh_;
    std::string_view name_;
    std::vector<std::uint32_t> corner_; ///< of the face that is being read
    std::vector<Polygon> polygons_;
    std::vector<std::uint32_t> corners_; ///< of all polygons
    std::uint64_t faces_ = 0;
};

/// A polygon in space as triangles between its corners (numbers from 0), counterclockwise where it is: a fan from its
/// first corner where that covers it once, else by clipping ears, seen along its mean normal.
struct PolygonTriangles {
    std::vector<std::array<std::size_t, 3>> triangles;
    const char* fault = nullptr; ///< why there are none, as "crosses itself"
};
PolygonTriangles triangles_of(std::span<const Point3> corners);

} // namespace mantissa::meshes
