// Surfaces seen from a side, with hidden parts removed; maps of surfaces in the plane. Internal to host/.
#pragma once

#include <cstddef>
#include <vector>

#include "image.hpp"
#include "mantissa/host/mesh.hpp"

namespace mantissa::pictures {

/// From where a surface is seen: rows are the directions to the right, up, and towards the eye; and the rectangle that
/// is shown. Two meshes that are compared take one view.
struct View {
    std::array<Point3, 3> axes{};
    Point2 low{}, high{};
};
/// Along the shortest side of the mesh, from the side that most of its surface looks to, turned a little; its y upwards
/// where it can be. Of a mesh without triangles: nothing to see.
View view_of(const TriangleMesh& mesh);

/// The surface lit from the upper left, at most `size` squares on a side. What one sees from behind (of a surface with
/// a boundary) is tinted. With `uv`, one point for each vertex, it carries a chessboard of the plane.
Image surface_image(const TriangleMesh& mesh, const View& view, std::size_t size,
                    const std::vector<Point2>* uv = nullptr);

/// The map in the plane: light where angles are kept, darker up to a ratio of singular values of kWorstShown, flipped
/// triangles red; edges where they are not too close.
inline constexpr double kWorstShown = 1.25;
Image map_image(const TriangleMesh& mesh, const std::vector<Point2>& uv, std::size_t size);

} // namespace mantissa::pictures
