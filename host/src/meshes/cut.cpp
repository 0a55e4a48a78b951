// Cutting a surface open until it is a disk.
#include <queue>

#include <fmt/format.h>

#include "half_edges.hpp"
#include "mantissa/format.hpp"

namespace mantissa {

namespace {

using meshes::Side;

/// An edge with its two sides, or the boundary's with one.
struct Edge {
    Side a, b;
    bool two = false;
    bool open = false; ///< a tree of triangles does not cross it
};

struct Cutter {
    const TriangleMesh& mesh;
    std::vector<Edge> edges;
    std::vector<std::uint32_t> edge_of; ///< of each side

    explicit Cutter(const TriangleMesh& given) : mesh(given), edge_of(3 * given.triangles.size()) {
        const std::vector<Side> sides = meshes::sides_of(mesh);
        meshes::for_edges(sides, [&](std::size_t i, std::size_t end) {
            const auto n = static_cast<std::uint32_t>(edges.size());
            edges.push_back({sides[i], sides[end - 1], end - i == 2, true});
            for (std::size_t k = i; k < end; ++k) edge_of[sides[k].at] = n;
        });
    }

    /// Closes the edges that a tree of triangles crosses, breadth first from the first.
    void span() {
        std::vector<std::uint8_t> seen(mesh.triangles.size(), 0);
        std::queue<std::uint32_t> todo;
        seen[0] = 1;
        todo.push(0);
        while (!todo.empty()) {
            const std::uint32_t t = todo.front();
            todo.pop();
            for (std::uint32_t k = 0; k < 3; ++k) {
                Edge& e = edges[edge_of[3 * t + k]];
                if (!e.two) continue;
                const std::uint32_t other = e.a.at / 3 == t ? e.b.at / 3 : e.a.at / 3;
                if (seen[other] != 0) continue;
                seen[other] = 1;
                e.open = false;
                todo.push(other);
            }
        }
    }

    /// Takes dead ends off the open edges, but for one edge where nothing else would be left (a sphere).
    void prune() {
        std::vector<std::uint32_t> degree(mesh.points.size(), 0);
        std::vector<std::vector<std::uint32_t>> at(mesh.points.size());
        std::size_t open = 0;
        for (std::uint32_t n = 0; n < edges.size(); ++n) {
            if (!edges[n].open) continue;
            ++open;
            for (const std::uint32_t v : {edges[n].a.low, edges[n].a.high}) {
                ++degree[v];
                at[v].push_back(n);
            }
        }
        std::queue<std::uint32_t> ends;
        for (std::uint32_t v = 0; v < degree.size(); ++v)
            if (degree[v] == 1) ends.push(v);
        // Two edges make a slit with a vertex in its middle that becomes two.
        while (!ends.empty() && open > 2) {
            const std::uint32_t v = ends.front();
            ends.pop();
            if (degree[v] != 1) continue;
            for (const std::uint32_t n : at[v]) {
                if (!edges[n].open) continue;
                edges[n].open = false;
                --open;
                const std::uint32_t w = edges[n].a.low == v ? edges[n].a.high : edges[n].a.low;
                --degree[v];
                if (--degree[w] == 1) ends.push(w);
                break;
            }
        }
    }

    CutMesh cut() const {
        meshes::Sets corners(3 * mesh.triangles.size());
        CutMesh result;
        for (const Edge& e : edges) {
            if (!e.two) continue;
            if (e.open) ++result.cut_edges;
            else meshes::join_corners(corners, e.a, e.b);
        }
        // New vertices in the order of the old ones, copies after one another.
        std::vector<std::vector<std::uint32_t>> fans(mesh.points.size());
        for (std::uint32_t at = 0; at < edge_of.size(); ++at)
            if (corners.find(at) == at) fans[mesh.triangles[at / 3][at % 3]].push_back(at);
        std::vector<std::uint32_t> number(edge_of.size(), 0);
        for (std::uint32_t v = 0; v < fans.size(); ++v)
            for (const std::uint32_t fan : fans[v]) {
                number[fan] = static_cast<std::uint32_t>(result.origin.size());
                result.origin.push_back(v);
                result.mesh.points.push_back(mesh.points[v]);
            }
        for (std::uint32_t t = 0; t < mesh.triangles.size(); ++t)
            result.mesh.triangles.push_back(
                {number[corners.find(3 * t)], number[corners.find(3 * t + 1)], number[corners.find(3 * t + 2)]});
        return result;
    }
};

} // namespace

CutMesh cut_to_disk(const TriangleMesh& mesh) {
    const Topology topology = topology_of(mesh);
    if (!topology.manifold() || topology.components != 1)
        throw InvalidInput("a mesh to cut must be one surface: " + why_no_disk(topology));
    Cutter cutter(mesh);
    cutter.span();
    cutter.prune();
    return cutter.cut();
}

} // namespace mantissa
