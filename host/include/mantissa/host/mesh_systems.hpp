// The two applications of the Concurrent Number Cruncher (Buatois, Caumon, Levy, IJPEDS 24(3), 2008) as systems of
// equations on meshes, and what their solutions are worth.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "mantissa/host/mesh.hpp"
#include "mantissa/host/system_builder.hpp"

namespace mantissa {

// ---- LSCM: least squares conformal maps (Levy, Petitjean, Ray, Maillot, SIGGRAPH 2002)
// -------------------------------

/// What a triangle's two rows count for. With its corners at (0,0), (a,0), (c,d) in its plane:
enum class LscmWeight : std::uint8_t {
    area,   ///< 1/(a d): the conformal energy
    opennl, ///< 1: what OpenNL's example solves
};
/// Which two vertices are held.
enum class LscmPins : std::uint8_t {
    axes,     ///< the ends of the mesh along the longest side of its bounding box, where they project to
    boundary, ///< two far ends of the boundary, at (0,0) and (their distance, 0)
};
/// What a least squares conformal map of a mesh holds fixed and how it weighs.
struct LscmOptions {
    LscmWeight weight = LscmWeight::area;
    LscmPins pins = LscmPins::axes;
    /// See BuilderOptions: entries that cancel leave rounding errors behind, which this removes.
    double drop = 1e-12;
    int threads = 1;
    const Topology* topology = nullptr; ///< the mesh's, where the caller has it already
};
/// The system of a least squares conformal map, and what of the mesh is in it.
struct LscmSystem {
    BuiltSystem built; ///< variables 2 k and 2 k + 1 are u and v of vertex k
    std::array<std::uint32_t, 2> pins{};
    std::size_t degenerate = 0; ///< triangles without area (a d below 1e-12 a^2), left out
    std::size_t isolated = 0;   ///< vertices of no triangle that counts, held where they project to
    Topology topology;          ///< of the mesh
};
/// Per triangle, with w its weight: w |(c - a + i d) U_0 + (-c - i d) U_1 + a U_2|^2, U = u + i v. Throws InvalidInput,
/// one line that does not name the file, where the mesh is no disk.
LscmSystem make_lscm(const TriangleMesh& mesh, const LscmOptions& options);
/// The map from a solution of it: one point for each vertex.
std::vector<Point2> uv_of(const LscmSystem& system, std::span<const double> x);

/// How far a map of a mesh into the plane is from a conformal one.
struct MapQuality {
    std::size_t triangles = 0; ///< those with area
    std::size_t flipped = 0;   ///< they lie upside down in the plane
    std::size_t collapsed = 0; ///< no area in the plane
    /// Ratio of the map's singular values, 1 where it is conformal; of triangles neither flipped nor collapsed,
    /// weighted by their area on the surface.
    double mean_distortion = 0, most_distortion = 0;
};
MapQuality map_quality(const TriangleMesh& mesh, const std::vector<Point2>& uv);

// ---- DSI: discrete smooth interpolation (Mallet, Computer-Aided Design 24(4), 1992)
// ----------------------------------

enum class DsiWeight : std::uint8_t {
    harmonic,   ///< mu = 1
    normalised, ///< mu(k) = 1 / (neighbours of k)^2
};
/// w (D . phi(vertex) - target)^2, added to the roughness.
struct DsiConstraint {
    std::uint32_t vertex = 0;
    Point3 direction{};
    double target = 0, weight = 1;
};
/// sum_k mu(k) |sum over neighbours a of phi(a) - phi(k)|^2 and the constraints, to be made least.
struct DsiOptions {
    DsiWeight weight = DsiWeight::harmonic;
    std::vector<std::uint32_t> hard;        ///< vertices that stay where they are
    std::vector<std::uint32_t> fuzzy;       ///< vertices that want to stay where they are,
    double fuzzy_weight = 1;                ///< each coordinate with this weight; above 0
    std::vector<DsiConstraint> constraints; ///< along a direction; they couple the coordinates
    /// One system of three times the unknowns in place of three right-hand sides. Always so with constraints.
    bool coupled = false;
    int threads = 1;
};
/// The system of a smoothing (discrete smooth interpolation) of a mesh.
struct DsiSystem {
    BuiltSystem
        built; ///< variable k is vertex k, a right-hand side for x, y, z; coupled: variables 3 k, 3 k + 1, 3 k + 2
    bool coupled = false;
};
/// Throws InvalidInput, one line: a part of the mesh that nothing holds, a vertex that does not exist or is in no
/// triangle, a weight that is not above 0.
DsiSystem make_dsi(const TriangleMesh& mesh, const DsiOptions& options);
/// The vertices from its solutions: one for each right-hand side.
std::vector<Point3> points_of(const DsiSystem& system, const std::vector<std::vector<double>>& x);
/// sum_k mu(k) |sum over neighbours a of phi(a) - phi(k)|^2
double roughness(const TriangleMesh& mesh, const Neighbours& neighbours, DsiWeight weight);

} // namespace mantissa
