#include <array>
#include <unordered_map>

#include <fmt/format.h>

#include "half_edges.hpp"
#include "mantissa/format.hpp"
#include "text/counted.hpp"

namespace mantissa {

using meshes::for_edges;
using meshes::Side;

namespace {

/// Vertices whose triangles form more than one fan.
void count_fans(const TriangleMesh& mesh, meshes::Sets& corners, Topology& t) {
    std::vector<std::uint32_t> fan(mesh.points.size(), UINT32_MAX);
    std::vector<std::uint8_t> split(mesh.points.size(), 0);
    for (std::uint32_t at = 0; at < 3 * mesh.triangles.size(); ++at) {
        const std::uint32_t v = mesh.triangles[at / 3][at % 3], this_fan = corners.find(at);
        if (fan[v] == UINT32_MAX) fan[v] = this_fan;
        if (fan[v] == this_fan || split[v] != 0) continue;
        split[v] = 1;
        if (t.split_vertices++ == 0 && t.first_fault.empty())
            t.first_fault = fmt::format("vertex {}", v + std::uint64_t{1});
    }
    for (const std::uint32_t f : fan) (f == UINT32_MAX ? t.isolated : t.vertices) += 1;
}

/// Loops that the boundary's edges form, where every vertex has one out.
std::vector<std::vector<std::uint32_t>> loops_of(const TriangleMesh& mesh, const std::vector<Side>& sides) {
    std::vector<std::uint32_t> next(mesh.points.size(), UINT32_MAX);
    for_edges(sides, [&](std::size_t i, std::size_t end) {
        if (end != i + 1) return;
        const Side& s = sides[i];
        (s.rises ? next[s.low] : next[s.high]) = s.rises ? s.high : s.low;
    });
    std::vector<std::vector<std::uint32_t>> loops;
    for (std::uint32_t v = 0; v < next.size(); ++v) {
        if (next[v] == UINT32_MAX) continue;
        loops.emplace_back();
        for (std::uint32_t w = v; w != UINT32_MAX && next[w] != UINT32_MAX;) {
            loops.back().push_back(w);
            const std::uint32_t to = next[w];
            next[w] = UINT32_MAX;
            w = to;
        }
    }
    return loops;
}

} // namespace

Topology topology_of(const TriangleMesh& mesh) {
    Topology t;
    t.triangles = mesh.triangles.size();
    const std::vector<Side> sides = meshes::sides_of(mesh);
    meshes::Sets vertices(mesh.points.size()), corners(3 * mesh.triangles.size());
    const auto fault = [&](std::size_t& count, const Side& s) {
        if (count++ == 0 && t.first_fault.empty())
            t.first_fault = fmt::format("edge {}-{}", s.low + std::uint64_t{1}, s.high + std::uint64_t{1});
    };
    std::size_t joined = 0;
    for_edges(sides, [&](std::size_t i, std::size_t end) {
        ++t.edges;
        joined += vertices.join(sides[i].low, sides[i].high) ? 1 : 0;
        if (end - i == 1) ++t.boundary_edges;
        else if (end - i > 2) fault(t.split_edges, sides[i]);
        else if (sides[i].rises == sides[i + 1].rises) fault(t.turned_edges, sides[i]);
        else meshes::join_corners(corners, sides[i], sides[i + 1]);
    });
    count_fans(mesh, corners, t);
    t.components = t.vertices - joined;
    if (t.manifold()) t.boundary_loops = loops_of(mesh, sides).size();
    return t;
}

std::string why_no_disk(const Topology& t) {
    if (t.disk()) return {};
    if (t.split_edges != 0)
        return fmt::format("{} to three triangles or more ({}): mend the mesh",
                           text::counted(t.split_edges, "edge belongs", "edges belong"), t.first_fault);
    if (t.turned_edges != 0)
        return fmt::format("triangles disagree at {} which side is out ({}): turn them alike",
                           text::counted(t.turned_edges, "edge"), t.first_fault);
    if (t.split_vertices != 0)
        return fmt::format("{} where fans of triangles touch in a point ({}): split {}",
                           text::counted(t.split_vertices, "vertex is", "vertices are"), t.first_fault,
                           t.split_vertices == 1 ? "it" : "them");
    if (t.components != 1) return fmt::format("the mesh has {} parts: give them one by one", t.components);
    if (t.boundary_loops == 0)
        return fmt::format("a closed surface (Euler number {}): cut it open (cut=auto, --cut)", t.euler());
    return fmt::format("{} boundary loops, Euler number {}: cut it to a disk (cut=auto, --cut)", t.boundary_loops,
                       t.euler());
}

std::vector<std::vector<std::uint32_t>> boundary_loops(const TriangleMesh& mesh) {
    return loops_of(mesh, meshes::sides_of(mesh));
}

Neighbours neighbours_of(const TriangleMesh& mesh) {
    Neighbours n;
    n.begin.assign(mesh.points.size() + 1, 0);
    const std::vector<Side> sides = meshes::sides_of(mesh);
    for_edges(sides, [&](std::size_t i, std::size_t) {
        ++n.begin[sides[i].low + std::size_t{1}];
        ++n.begin[sides[i].high + std::size_t{1}];
    });
    for (std::size_t v = 0; v < mesh.points.size(); ++v) n.begin[v + 1] += n.begin[v];
    n.vertex.resize(n.begin.back());
    std::vector<std::uint64_t> at(n.begin.begin(), n.begin.end() - 1);
    for_edges(sides, [&](std::size_t i, std::size_t) {
        n.vertex[at[sides[i].low]++] = sides[i].high;
        n.vertex[at[sides[i].high]++] = sides[i].low;
    });
    for (std::size_t v = 0; v < mesh.points.size(); ++v)
        std::sort(n.vertex.begin() + static_cast<std::ptrdiff_t>(n.begin[v]),
                  n.vertex.begin() + static_cast<std::ptrdiff_t>(n.begin[v + 1]));
    return n;
}

} // namespace mantissa
