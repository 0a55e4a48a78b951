// The sides of triangles, sorted by edge. Internal to host/.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "mantissa/host/mesh.hpp"

namespace mantissa::meshes {

/// Side k of triangle t, from its corner k to the next: number 3 t + k.
struct Side {
    std::uint32_t low = 0, high = 0; ///< its vertices
    std::uint32_t at = 0;
    bool rises = false; ///< it runs from low to high
};

inline std::uint32_t next_corner(std::uint32_t at) {
    return at % 3 == 2 ? at - 2 : at + 1;
}

/// All sides, by edge, those of an edge by number. Counted by their lower vertex first, then sorted among the few of
/// each: large meshes are read and divided through here.
inline std::vector<Side> sides_of(const TriangleMesh& mesh) {
    std::vector<std::size_t> end(mesh.points.size() + 1, 0);
    const auto for_sides = [&](const auto& body) {
        for (std::uint32_t t = 0; t < mesh.triangles.size(); ++t)
            for (std::uint32_t k = 0; k < 3; ++k) {
                const std::uint32_t from = mesh.triangles[t][k], to = mesh.triangles[t][(k + 1) % 3];
                body(Side{std::min(from, to), std::max(from, to), 3 * t + k, from < to});
            }
    };
    for_sides([&](const Side& s) { ++end[s.low + std::size_t{1}]; });
    for (std::size_t v = 0; v < mesh.points.size(); ++v) end[v + 1] += end[v];
    std::vector<Side> sides(3 * mesh.triangles.size());
    for_sides([&](const Side& s) { sides[end[s.low]++] = s; }); // afterwards end[v] is the end of v's
    std::size_t begin = 0;
    for (std::size_t v = 0; v < mesh.points.size(); ++v) {
        std::sort(sides.begin() + static_cast<std::ptrdiff_t>(begin),
                  sides.begin() + static_cast<std::ptrdiff_t>(end[v]),
                  [](const Side& a, const Side& b) { return a.high != b.high ? a.high < b.high : a.at < b.at; });
        begin = end[v];
    }
    return sides;
}

/// Calls body(first, end) for the sides of each edge.
template <class Body> void for_edges(const std::vector<Side>& sides, const Body& body) {
    for (std::size_t i = 0; i < sides.size();) {
        std::size_t end = i + 1;
        while (end < sides.size() && sides[end].low == sides[i].low && sides[end].high == sides[i].high) ++end;
        body(i, end);
        i = end;
    }
}

/// Sets that grow together.
class Sets {
public:
    explicit Sets(std::size_t n) : parent_(n) { std::iota(parent_.begin(), parent_.end(), 0U); }
    std::uint32_t find(std::uint32_t x) {
        while (parent_[x] != x) x = parent_[x] = parent_[parent_[x]];
        return x;
    }
    /// The smaller number stands for both.
    bool join(std::uint32_t a, std::uint32_t b) {
        a = find(a);
        b = find(b);
        if (a == b) return false;
        parent_[std::max(a, b)] = std::min(a, b);
        return true;
    }

private:
    std::vector<std::uint32_t> parent_;
};

/// Joins the corners that two triangles have in common along an edge. The edge has two sides, `a` and `b`, that run
/// against one another.
inline void join_corners(Sets& corners, const Side& a, const Side& b) {
    corners.join(a.at, next_corner(b.at));
    corners.join(next_corner(a.at), b.at);
}

} // namespace mantissa::meshes
