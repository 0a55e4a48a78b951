// LSCM and DSI: known answers, and the problems and commands made of them.
#include <algorithm>
#include <cmath>
#include <complex>
#include <numeric>
#include <string>

#include <gtest/gtest.h>

#include "expect_invalid.hpp"
#include "mantissa/format.hpp"
#include "mantissa/host/mesh_systems.hpp"
#include "mantissa/host/problem.hpp"
#include "mantissa/host/registry.hpp"
#include "mantissa/host/solve.hpp"
#include "meshes/lscm_rows.hpp"
#include "scratch.hpp"

namespace {

using namespace mantissa;

SolveResult solved(const System& system, const std::vector<double>& b, double tolerance) {
    SolveOptions o;
    o.scheme = Scheme::cg;
    o.spec = DatapathSpec(parse_format("double"));
    o.tolerance = tolerance;
    o.jacobi = true;
    o.keep_solution = true;
    const auto engine = make_engine("emulated");
    return solve({"mesh", system, b, {}}, *engine, o);
}

/// The largest distance between both maps, the first moved, turned and scaled onto the second; relative to its size.
double difference(const std::vector<Point2>& a, const std::vector<Point2>& b) {
    using Complex = std::complex<double>;
    Complex ma = 0, mb = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        ma += Complex(a[i][0], a[i][1]);
        mb += Complex(b[i][0], b[i][1]);
    }
    ma /= static_cast<double>(a.size());
    mb /= static_cast<double>(a.size());
    Complex ab = 0;
    double aa = 0, worst = 0, size = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        const Complex x = Complex(a[i][0], a[i][1]) - ma, y = Complex(b[i][0], b[i][1]) - mb;
        ab += std::conj(x) * y;
        aa += std::norm(x);
    }
    for (std::size_t i = 0; i < a.size(); ++i) {
        const Complex x = Complex(a[i][0], a[i][1]) - ma, y = Complex(b[i][0], b[i][1]) - mb;
        worst = std::max(worst, std::abs(ab / aa * x - y));
        size = std::max(size, std::abs(y));
    }
    return worst / size;
}

std::vector<Point2> map_of(const TriangleMesh& mesh, const LscmOptions& options) {
    const LscmSystem system = make_lscm(mesh, options);
    return uv_of(system, solved(system.built.system(), system.built.b(), 1e-15).u);
}

/// A plane with a flat triangle, a vertex of no triangle and corners of every valence.
TriangleMesh awkward_mesh() {
    TriangleMesh mesh = make_plane(9, 0.29, 3);
    mesh.points.push_back({0.5, 0.5, 7});
    // A side of the boundary is cut in two by a point on it: one triangle without area.
    const auto edge = boundary_loops(mesh).front();
    const std::uint32_t a = edge[0], b = edge[1], m = static_cast<std::uint32_t>(mesh.points.size());
    mesh.points.push_back({(mesh.points[a][0] + mesh.points[b][0]) / 2, (mesh.points[a][1] + mesh.points[b][1]) / 2,
                           (mesh.points[a][2] + mesh.points[b][2]) / 2});
    mesh.triangles.push_back({b, a, m});
    return mesh;
}

// The vertex by vertex sums are the builder's, to the bit, for any number of threads.
TEST(Lscm, FormsWhatTheBuilderForms) {
    const TriangleMesh meshes[] = {make_plane(2, 0), make_plane(30, 0.25), make_hemisphere(21), awkward_mesh(),
                                   subdivided(awkward_mesh())};
    for (const TriangleMesh& mesh : meshes)
        for (const LscmWeight weight : {LscmWeight::area, LscmWeight::opennl})
            for (const LscmPins pins : {LscmPins::axes, LscmPins::boundary})
                for (const double drop : {0.0, 1e-12, 1e-3}) {
                    LscmOptions o{.weight = weight, .pins = pins, .drop = drop, .threads = 1};
                    const LscmSystem want = meshes::make_lscm_by_builder(mesh, o);
                    for (const int threads : {1, 3}) {
                        o.threads = threads;
                        const LscmSystem got = make_lscm(mesh, o);
                        EXPECT_EQ(std::get<CompressedRows>(got.built.system().matrix()),
                                  std::get<CompressedRows>(want.built.system().matrix()));
                        EXPECT_EQ(got.built.b(), want.built.b());
                        EXPECT_EQ(got.built.free(), want.built.free());
                        EXPECT_EQ(got.built.start(), want.built.start());
                        EXPECT_EQ(got.pins, want.pins);
                        EXPECT_EQ(got.degenerate, want.degenerate);
                        EXPECT_EQ(got.isolated, want.isolated);
                        EXPECT_EQ(uv_of(got, got.built.start()), uv_of(want, want.built.start()));
                    }
                }
    expect_invalid([] { make_lscm(make_plane(5, 0), {.drop = 1.5}); }, "drop");
}

TEST(Lscm, PlaneMapsToItselfByASimilarity) {
    // The plane tilted, so that both rules for pins see something else than the answer.
    TriangleMesh mesh = make_plane(12, 0.25);
    std::vector<Point2> flat;
    for (Point3& p : mesh.points) {
        flat.push_back({p[0], p[1]});
        p = {0.6 * p[0] - 0.64 * p[1], 0.6 * p[1], 0.8 * p[0] + 0.48 * p[1]}; // a rotation's first two columns
    }
    for (const LscmPins pins : {LscmPins::boundary, LscmPins::axes})
        for (const LscmWeight weight : {LscmWeight::area, LscmWeight::opennl}) {
            LscmOptions o;
            o.pins = pins;
            o.weight = weight;
            const std::vector<Point2> uv = map_of(mesh, o);
            EXPECT_LT(difference(uv, flat), 1e-12);
            const MapQuality q = map_quality(mesh, uv);
            EXPECT_EQ(q.flipped + q.collapsed, 0U);
            EXPECT_NEAR(q.mean_distortion, 1, 1e-11);
            EXPECT_NEAR(q.most_distortion, 1, 1e-10);
        }
}

TEST(Lscm, MapOfAHalfSphereBecomesConformal) {
    // A half sphere has conformal maps, so finer meshes leave less distortion: with the square of the edges' length.
    double before = 1;
    for (const std::size_t rows : {9U, 17U, 33U}) {
        const TriangleMesh mesh = make_hemisphere(rows);
        const MapQuality q = map_quality(mesh, map_of(mesh, {}));
        EXPECT_EQ(q.flipped + q.collapsed, 0U);
        EXPECT_LT(q.mean_distortion - 1, 0.5 * before) << rows;
        before = q.mean_distortion - 1;
    }
    EXPECT_LT(before, 0.05);
}

TEST(Lscm, PatternIsTheOneThatTheWeightsGive) {
    const TriangleMesh mesh = make_hemisphere(12);
    const Topology t = topology_of(mesh);
    const auto nonzeros = [&](LscmWeight weight, double drop) {
        LscmOptions o;
        o.weight = weight;
        o.drop = drop;
        const LscmSystem system = make_lscm(mesh, o);
        return std::get<CompressedRows>(system.built.system().matrix()).nonzeros();
    };
    // Structural: a block of four for each vertex and both directions of each edge, but for what the pins take.
    const Neighbours around = neighbours_of(mesh);
    const LscmSystem system = make_lscm(mesh, {});
    std::size_t gone = 0;
    for (const std::uint32_t v : system.pins) gone += 4 + 8 * around.count(v);
    ASSERT_EQ(std::count(around.vertex.begin() + static_cast<std::ptrdiff_t>(around.begin[system.pins[0]]),
                         around.vertex.begin() + static_cast<std::ptrdiff_t>(around.begin[system.pins[0] + 1]),
                         system.pins[1]),
              0);
    // A vertex that is the third corner of all its triangles is with u in one row and with v in another: no entry (u,
    // v).
    std::vector<std::uint8_t> earlier(mesh.points.size(), 0);
    for (const auto& triangle : mesh.triangles) earlier[triangle[0]] = earlier[triangle[1]] = 1;
    for (const std::uint32_t v : system.pins) earlier[v] = 1;
    gone += 2 * static_cast<std::size_t>(std::count(earlier.begin(), earlier.end(), 0));
    EXPECT_EQ(nonzeros(LscmWeight::area, -1), 4 * (t.vertices + 2 * t.edges) - gone);
    // By area, u and v meet on the boundary's edges alone; two of the four stay elsewhere. (Right angles of this mesh
    // take further entries, so it is a bound.)
    EXPECT_LE(nonzeros(LscmWeight::area, 1e-12), 2 * (t.vertices + 2 * t.edges) + 4 * t.boundary_edges);
    EXPECT_GT(nonzeros(LscmWeight::opennl, 1e-12), nonzeros(LscmWeight::area, 1e-12));
}

TEST(Lscm, WhatIsNoDiskIsRefused) {
    expect_invalid([] { make_lscm(make_sphere(1), {}); }, "closed surface");
    TriangleMesh flat = make_plane(3, 0);
    for (Point3& p : flat.points) p = {p[0], 0, 0};
    expect_invalid([&] { make_lscm(flat, {}); }, "no triangle of the mesh has an area");
}

TEST(Lscm, TrianglesWithoutAreaAreLeftOut) {
    TriangleMesh mesh = make_plane(6, 0);
    mesh.points.push_back({0.5, 0, 0}); // on the lower edge, between vertices 3 and 4 of it: a triangle without area
    const auto extra = static_cast<std::uint32_t>(mesh.points.size() - 1);
    mesh.triangles.push_back({2, extra, 3});
    const LscmSystem system = make_lscm(mesh, {});
    EXPECT_EQ(system.degenerate, 1U);
    EXPECT_EQ(system.isolated, 1U);
    EXPECT_EQ(system.built.system().size(), 2 * 36 - 4U);
}

/// Mallet's iteration: each free vertex in turn to where the sum is least, times times.
void relax(const BuiltSystem& built, std::size_t s, std::vector<double>& x, int times) {
    const auto& m = std::get<CompressedRows>(built.system().matrix());
    for (int k = 0; k < times; ++k)
        for (std::size_t i = 0; i < m.rows(); ++i) {
            double rest = built.b(s)[i], diagonal = 0;
            for (std::uint64_t e = m.row_begin()[i]; e < m.row_begin()[i + 1]; ++e)
                if (m.column()[e] == i) diagonal = m.value()[e];
                else rest -= m.value()[e] * x[m.column()[e]];
            x[i] = rest / diagonal;
        }
}

std::vector<std::uint32_t> every(std::size_t vertices, std::size_t n) {
    std::vector<std::uint32_t> list;
    for (std::size_t v = 0; v < vertices; v += n) list.push_back(static_cast<std::uint32_t>(v));
    return list;
}

TEST(Dsi, SolutionIsTheLimitOfLocalRelaxation) {
    const TriangleMesh mesh = make_sphere(2);
    for (const DsiWeight weight : {DsiWeight::harmonic, DsiWeight::normalised}) {
        DsiOptions o;
        o.weight = weight;
        o.hard = every(mesh.points.size(), 9);
        o.fuzzy = every(mesh.points.size(), 5);
        o.fuzzy_weight = 2;
        const DsiSystem system = make_dsi(mesh, o);
        for (std::size_t s = 0; s < 3; ++s) {
            const std::vector<double> x = solved(system.built.system(), system.built.b(s), 1e-13).u;
            std::vector<double> limit = system.built.start(s);
            relax(system.built, s, limit, 3000);
            for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(x[i], limit[i], 1e-10);
        }
    }
}

TEST(Dsi, CoupledSystemGivesTheSameVertices) {
    const TriangleMesh mesh = make_hemisphere(9);
    DsiOptions o;
    o.hard = every(mesh.points.size(), 7);
    const auto answer = [&](bool coupled) {
        o.coupled = coupled;
        const DsiSystem system = make_dsi(mesh, o);
        EXPECT_EQ(system.built.systems(), coupled ? 1U : 3U);
        std::vector<std::vector<double>> x;
        for (std::size_t s = 0; s < system.built.systems(); ++s)
            x.push_back(solved(system.built.system(), system.built.b(s), 1e-14).u);
        return points_of(system, x);
    };
    const auto one = answer(false), other = answer(true);
    for (std::size_t v = 0; v < one.size(); ++v)
        for (std::size_t c = 0; c < 3; ++c) EXPECT_NEAR(one[v][c], other[v][c], 1e-11);
}

TEST(Dsi, ConstraintsAlongDirectionsHold) {
    // Held in a plane x + z = 1 with a great weight, and by three hard vertices.
    const TriangleMesh mesh = make_plane(9, 0);
    DsiOptions o;
    o.hard = {0, 8, 72};
    for (const std::uint32_t v : {20U, 40U, 60U}) o.constraints.push_back({v, {1, 0, 1}, 1, 1e6});
    const DsiSystem system = make_dsi(mesh, o);
    ASSERT_TRUE(system.coupled);
    const auto points = points_of(system, {solved(system.built.system(), system.built.b(), 1e-13).u});
    for (const std::uint32_t v : {20U, 40U, 60U}) EXPECT_NEAR(points[v][0] + points[v][2], 1, 1e-4);
    EXPECT_EQ(points[8], mesh.points[8]);
}

TEST(Dsi, SmoothingTakesNoiseAway) {
    const TriangleMesh clean = make_sphere(3);
    TriangleMesh noisy = clean;
    for (std::size_t v = 0; v < noisy.points.size(); ++v)
        for (double& x : noisy.points[v]) x *= 1 + (v % 2 == 0 ? 0.03 : -0.03);
    const Neighbours around = neighbours_of(noisy);
    double before = roughness(noisy, around, DsiWeight::harmonic);
    for (const double weight : {10.0, 1.0, 0.1}) {
        DsiOptions o;
        o.fuzzy = every(noisy.points.size(), 1);
        o.fuzzy_weight = weight;
        const DsiSystem system = make_dsi(noisy, o);
        std::vector<std::vector<double>> x;
        for (std::size_t s = 0; s < 3; ++s) x.push_back(solved(system.built.system(), system.built.b(s), 1e-12).u);
        const double now = roughness({points_of(system, x), noisy.triangles}, around, DsiWeight::harmonic);
        EXPECT_LT(now, before) << weight;
        before = now;
    }
}

TEST(Dsi, WhatNothingHoldsIsRefused) {
    const TriangleMesh mesh = make_plane(4, 0);
    expect_invalid([&] { make_dsi(mesh, {}); }, "nothing holds the part of the mesh with vertex 1");
    DsiOptions o;
    o.hard = {99};
    expect_invalid([&] { make_dsi(mesh, o); }, "vertex 100 of 16");
    o.hard = {0};
    o.fuzzy_weight = 0;
    expect_invalid([&] { make_dsi(mesh, o); }, "a weight of 0");
    DsiOptions flat;
    flat.constraints = {{0, {1, 0, 0}, 0, 1}, {5, {0, 1, 0}, 0, 1}, {7, {1, 1, 0}, 0, 1}};
    expect_invalid([&] { make_dsi(mesh, flat); }, "three directions");
    flat.constraints.push_back({9, {0, 0, 1}, 0, 1});
    EXPECT_NO_THROW(make_dsi(mesh, flat));
}

TEST(Dsi, EachPartIsSolvedFromItsOwnMiddle) {
    // Two parts far from each other and from zero: b holds neither distance, and hard vertices stay to the bit.
    TriangleMesh mesh = make_sphere(2);
    const std::size_t n = mesh.points.size();
    for (const auto& t : std::vector(mesh.triangles))
        mesh.triangles.push_back({t[0] + static_cast<std::uint32_t>(n), t[1] + static_cast<std::uint32_t>(n),
                                  t[2] + static_cast<std::uint32_t>(n)});
    for (std::size_t v = 0; v < n; ++v) {
        const Point3 p = mesh.points[v];
        mesh.points.push_back({p[0] - 3e6, p[1] + 1e7, p[2]});
        mesh.points[v] = {p[0] + 5e5, p[1] + 5e6, p[2] + 100};
    }
    for (const bool coupled : {false, true}) {
        DsiOptions o;
        o.hard = every(mesh.points.size(), 5);
        o.fuzzy = every(mesh.points.size(), 3);
        o.coupled = coupled;
        const DsiSystem system = make_dsi(mesh, o);
        std::vector<std::vector<double>> x;
        for (std::size_t s = 0; s < system.built.systems(); ++s) {
            for (const double b : system.built.b(s)) EXPECT_LT(std::abs(b), 100);
            x.push_back(solved(system.built.system(), system.built.b(s), 1e-13).u);
        }
        const std::vector<Point3> points = points_of(system, x);
        for (const std::uint32_t v : o.hard) EXPECT_EQ(points[v], mesh.points[v]);
        for (std::size_t v = 0; v < n; ++v) {
            EXPECT_NEAR(points[v][0] - 5e5, mesh.points[v][0] - 5e5, 1) << v;
            EXPECT_NEAR(points[v + n][1] - 1e7, mesh.points[v + n][1] - 1e7, 1) << v;
        }
    }
    // A constraint's target is moved along.
    TriangleMesh plane = make_plane(9, 0);
    for (Point3& p : plane.points) p = {p[0] + 4e5, p[1] - 6e6, p[2] + 10};
    DsiOptions o;
    o.hard = {0, 8, 72};
    for (const std::uint32_t v : {20U, 40U, 60U}) o.constraints.push_back({v, {1, 0, 1}, 4e5 + 11, 1e6});
    const DsiSystem system = make_dsi(plane, o);
    const auto points = points_of(system, {solved(system.built.system(), system.built.b(), 1e-13).u});
    for (const std::uint32_t v : {20U, 40U, 60U}) EXPECT_NEAR(points[v][0] + points[v][2], 4e5 + 11, 1e-4);
}

TEST(MeshProblems, AreOrdinaryProblems) {
    const Scratch folder;
    const std::string disk = folder.path("a,b.obj"), ball = folder.path("ball.ply");
    write_mesh(disk, make_hemisphere(10));
    write_mesh(ball, make_sphere(2));
    const Problem lscm = make_problem("lscm:" + disk + ",weight=opennl,pins=boundary");
    EXPECT_EQ(lscm.name, "lscm:" + disk + ",weight=opennl,pins=boundary");
    EXPECT_EQ(lscm.system.size(), 2 * 100 - 4U);
    const Problem dsi = make_problem("dsi:" + ball + ",task=interpolate,nodes=hard,share=0.2,coordinate=y");
    EXPECT_EQ(dsi.name, "dsi:" + ball + ",task=interpolate,nodes=hard,share=0.2,seed=1,coordinate=y");
    EXPECT_EQ(make_problem(dsi.name).b, dsi.b);
    EXPECT_EQ(make_problem("dsi:" + ball + ",coordinate=xyz").system.size(), 3 * 66U);
    EXPECT_GT(make_problem("lscm:" + ball + ",cut=auto").system.size(), 2 * 66 - 4U);
    expect_invalid([&] { make_problem("lscm:" + ball); }, ball + ": a closed surface");
    expect_invalid([&] { make_problem("lscm:" + ball + ",weight=heavy"); }, "weight=heavy must be area or opennl");
    expect_invalid([&] { make_problem("lscm:"); }, "no file");
    expect_invalid([&] { make_problem("dsi:" + ball + ",share=0.5"); }, "share");
    expect_invalid([&] { make_problem("dsi:" + ball + ",task=interpolate,share=2"); }, "at most 1");
    // Every engine's seam takes it: a reduced format, refined.
    SolveOptions o;
    o.spec = DatapathSpec(parse_format("s23e8"));
    o.jacobi = true;
    const auto engine = make_engine("emulated");
    EXPECT_EQ(solve(lscm, *engine, o).status, Status::converged);
}

TEST(Lscm, LooksAtTheTopologyBesideTheEquationsToo) {
    const TriangleMesh disk = make_hemisphere(20);
    LscmOptions o;
    const LscmSystem one = make_lscm(disk, o);
    o.threads = 3;
    const LscmSystem three = make_lscm(disk, o);
    EXPECT_EQ(std::get<CompressedRows>(one.built.system().matrix()),
              std::get<CompressedRows>(three.built.system().matrix()));
    EXPECT_EQ(one.built.b(), three.built.b());
    EXPECT_TRUE(three.topology.disk());
    EXPECT_EQ(three.topology.edges, topology_of(disk).edges);
    o.topology = &one.topology; // taken as it is
    EXPECT_EQ(make_lscm(disk, o).built.b(), one.built.b());
    // What is no disk is refused for that, whatever else its equations would be refused for.
    o.topology = nullptr;
    TriangleMesh flat = make_sphere(1);
    expect_invalid([&] { make_lscm(flat, o); }, why_no_disk(topology_of(flat)));
    for (Point3& p : flat.points) p = {1, 1, 1};
    expect_invalid([&] { make_lscm(flat, o); }, why_no_disk(topology_of(flat)));
    TriangleMesh point = disk;
    for (Point3& p : point.points) p = {1, 1, 1};
    expect_invalid([&] { make_lscm(point, o); }, "no triangle of the mesh has an area");
}

} // namespace
