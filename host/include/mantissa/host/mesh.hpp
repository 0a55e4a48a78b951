// Triangle meshes: files, topology, cutting, and a few with known answers.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mantissa {

using Point3 = std::array<double, 3>;
using Point2 = std::array<double, 2>;

/// Vertices and triangles between them, three different vertices each, counterclockwise seen from outside.
struct TriangleMesh {
    std::vector<Point3> points;
    std::vector<std::array<std::uint32_t, 3>> triangles;
    bool textured = false; ///< the file (OBJ) has texture coordinates, groups or materials too, which are not read
};

/// Reads OBJ, OFF or PLY (text, or binary of either byte order), told by the first bytes and the name's ending; gzipped
/// or not. Faces with more corners become triangles that fill them once; those that cross themselves or have no area
/// are refused, as are triangles with a vertex twice. Coordinates are read as doubles. Throws InvalidInput: the file,
/// the line or the element, and the mend.
TriangleMesh read_mesh(const std::string& path);
/// The same from a file's contents, unpacked; `name` tells an OBJ and begins error lines.
TriangleMesh parse_mesh(std::string_view text, const std::string& name);
/// Writes OBJ or PLY (text), by the name's ending, with `uv` (one for each vertex) as texture coordinates where it is
/// given. Throws InvalidInput: another ending, a file that cannot be written.
void write_mesh(const std::string& path, const TriangleMesh& mesh, const std::vector<Point2>* uv = nullptr);
/// Throws InvalidInput when write_mesh() would not take the name's ending; `option` begins the line.
void check_mesh_name(const std::string& option, const std::string& path);

/// What a mesh is, as a surface.
struct Topology {
    std::size_t vertices = 0; ///< of triangles
    std::size_t edges = 0, triangles = 0;
    std::size_t isolated = 0;   ///< vertices of no triangle
    std::size_t components = 0; ///< joined by edges
    std::size_t boundary_edges = 0, boundary_loops = 0;
    std::size_t split_edges = 0;    ///< of three triangles and more
    std::size_t turned_edges = 0;   ///< two triangles run along it in the same direction
    std::size_t split_vertices = 0; ///< where fans of triangles touch in a point
    /// One fault to show, as "edge 3-17"; vertices from 1.
    std::string first_fault;
    [[nodiscard]] long euler() const {
        return static_cast<long>(vertices) - static_cast<long>(edges) + static_cast<long>(triangles);
    }
    /// Is it a surface: every edge of one or two triangles that agree which side is out, every vertex one fan?
    [[nodiscard]] bool manifold() const { return split_edges == 0 && turned_edges == 0 && split_vertices == 0; }
    [[nodiscard]] bool disk() const { return manifold() && components == 1 && boundary_loops == 1 && euler() == 1; }
};
Topology topology_of(const TriangleMesh& mesh);
/// Why it is no disk, in one line with the mend; empty where it is one.
std::string why_no_disk(const Topology& topology);

/// Edges of the boundary, as loops of vertices, the triangles on their left. The mesh must be a surface.
std::vector<std::vector<std::uint32_t>> boundary_loops(const TriangleMesh& mesh);
/// The vertices around each vertex, ascending.
struct Neighbours {
    std::vector<std::uint64_t> begin; ///< one for each vertex and the end
    std::vector<std::uint32_t> vertex;
    [[nodiscard]] std::size_t count(std::size_t v) const { return begin[v + 1] - begin[v]; }
};
Neighbours neighbours_of(const TriangleMesh& mesh);

/// A mesh cut open along edges until it is a disk, and the vertex of the given mesh that each of its vertices was.
struct CutMesh {
    TriangleMesh mesh;
    std::vector<std::uint32_t> origin;
    std::size_t cut_edges = 0;
};
/// The cut is what a spanning tree of the triangles (breadth first from the first) does not cross, without its dead
/// ends. Throws InvalidInput where the mesh is no connected surface.
CutMesh cut_to_disk(const TriangleMesh& mesh);

/// Each triangle becomes four, by the middles of its edges.
TriangleMesh subdivided(const TriangleMesh& mesh);

/// Meshes with known answers.
///   plane       rows x rows vertices over [0,1]^2, the inner ones moved by `jitter` (below 0.3) of their distance
///   hemisphere  the same grid as a disk, lifted to a half sphere
///   sphere      an octahedron subdivided `rows` times, on the unit sphere
TriangleMesh make_plane(std::size_t rows, double jitter, std::uint64_t seed = 1);
TriangleMesh make_hemisphere(std::size_t rows);
TriangleMesh make_sphere(std::size_t times);

/// The mesh with noise: each vertex moved in each coordinate by a distance of standard deviation `amount` times the
/// mean length of an edge (a sum of twelve even deviates). The same numbers for the same seed. Throws InvalidInput
/// unless amount is finite and not below 0.
TriangleMesh with_noise(const TriangleMesh& mesh, double amount, std::uint64_t seed = 1);
/// The root mean square distance between vertices of the same number; both meshes have as many.
double root_mean_square_distance(const TriangleMesh& a, const TriangleMesh& b);

} // namespace mantissa
