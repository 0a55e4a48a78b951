#include "faces.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "mantissa/format.hpp"

namespace mantissa::meshes {

void Faces::end() {
    ++faces_;
    if (corner_.size() == 3) {
        mesh_.triangles.push_back({corner_[0], corner_[1], corner_[2]});
        return;
    }
    polygons_.push_back({mesh_.triangles.size(), corners_.size(), corner_.size(), faces_});
    corners_.insert(corners_.end(), corner_.begin(), corner_.end());
}

void Faces::strip(std::span<const std::uint32_t> corners) {
    std::size_t begin = 0;
    for (std::size_t k = 0; k < corners.size(); ++k) {
        if (corners[k] == UINT32_MAX) begin = k + 1;
        if (k < begin + 2) continue;
        const std::uint32_t a = corners[k - 2], b = corners[k - 1], c = corners[k];
        if (a == b || b == c || a == c) continue; // how strips are joined
        if ((k - begin) % 2 == 0) mesh_.triangles.push_back({a, b, c});
        else mesh_.triangles.push_back({b, a, c});
    }
}

void Faces::finish() {
    if (polygons_.empty()) return;
    const std::vector<std::array<std::uint32_t, 3>> given = std::exchange(mesh_.triangles, {});
    std::size_t done = 0;
    std::vector<Point3> points;
    const auto copy_to = [&](std::size_t end) {
        mesh_.triangles.insert(mesh_.triangles.end(), given.begin() + static_cast<std::ptrdiff_t>(done),
                               given.begin() + static_cast<std::ptrdiff_t>(end));
        done = end;
    };
    for (const Polygon& polygon : polygons_) {
        copy_to(polygon.triangle);
        const auto corners = std::span(corners_).subspan(polygon.first, polygon.count);
        points.clear();
        bool good = true; // else the mesh is refused as a whole, with its own line
        for (const std::uint32_t v : corners) {
            good = good && v < mesh_.points.size();
            if (good) points.push_back(mesh_.points[v]);
        }
        for (const Point3& p : points)
            for (const double x : p) good = good && std::abs(x) < 1e100;
        PolygonTriangles split;
        if (good) split = triangles_of(points);
        else
            for (std::size_t i = 1; i + 1 < corners.size(); ++i) split.triangles.push_back({0, i, i + 1});
        if (split.fault != nullptr)
            throw InvalidInput(fmt::format("{}: face {} ({} corners) {}: split it into triangles, or remove it", name_,
                                           polygon.face, polygon.count, split.fault));
        for (const auto& [a, b, c] : split.triangles) mesh_.triangles.push_back({corners[a], corners[b], corners[c]});
    }
    copy_to(given.size());
}

} // namespace mantissa::meshes
