#include "pictures.hpp"

#include <cstddef>

#include <fmt/format.h>

#include "mantissa/host/mesh_systems.hpp"
#include "pictures/image.hpp"
#include "pictures/surface.hpp"

namespace mantissa::meshes {

namespace {

constexpr std::size_t kSize = 560; // squares on a side of a panel

} // namespace

std::vector<pictures::Panel> panels_of_map(const TriangleMesh& mesh, const std::vector<Point2>& uv,
                                           const std::string& name) {
    const MapQuality quality = map_quality(mesh, uv);
    return {
        {pictures::surface_image(mesh, pictures::view_of(mesh), kSize, &uv),
         {name, "with a chessboard of the plane: where the map keeps angles, squares stay square"}},
        {pictures::map_image(mesh, uv, kSize),
         {fmt::format("The map: {} of {} triangles flipped (red), mean distortion {:.4f};",
                      quality.flipped + quality.collapsed, quality.triangles, quality.mean_distortion),
          fmt::format("orange where the ratio of singular values comes near {:g} or more", pictures::kWorstShown)}}};
}

std::vector<pictures::Panel> panels_of_surfaces(const TriangleMesh& before, const TriangleMesh& after,
                                                const std::string& name_before, const std::string& name_after) {
    const Neighbours around = neighbours_of(before);
    const pictures::View view = pictures::view_of(before);
    const auto panel = [&](const TriangleMesh& mesh, const std::string& name) {
        return pictures::Panel{
            pictures::surface_image(mesh, view, kSize),
            {fmt::format("{}, roughness {:.4g}", name, roughness(mesh, around, DsiWeight::harmonic))}};
    };
    return {panel(before, name_before), panel(after, name_after)};
}

std::string picture_of_map(const TriangleMesh& mesh, const std::vector<Point2>& uv) {
    return pictures::drawing_of(panels_of_map(mesh, uv, "The surface"), 2);
}

std::string picture_of_surfaces(const TriangleMesh& before, const TriangleMesh& after) {
    return pictures::drawing_of(panels_of_surfaces(before, after, "Before", "After"), 2);
}

} // namespace mantissa::meshes
