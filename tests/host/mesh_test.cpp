// Mesh files, topology, cutting, and the meshes that are made.
#include <cmath>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "expect_invalid.hpp"
#include "mantissa/host/mesh.hpp"
#include "scratch.hpp"

namespace {

using namespace mantissa;

using Triangles = std::vector<std::array<std::uint32_t, 3>>;

/// A torus of n x n vertices: Euler number 0.
TriangleMesh torus(std::uint32_t n) {
    TriangleMesh mesh;
    for (std::uint32_t y = 0; y < n; ++y)
        for (std::uint32_t x = 0; x < n; ++x) {
            const double a = 2 * M_PI * x / n, b = 2 * M_PI * y / n;
            mesh.points.push_back({(3 + std::cos(b)) * std::cos(a), (3 + std::cos(b)) * std::sin(a), std::sin(b)});
        }
    const auto at = [n](std::uint32_t x, std::uint32_t y) { return y % n * n + x % n; };
    for (std::uint32_t y = 0; y < n; ++y)
        for (std::uint32_t x = 0; x < n; ++x) {
            mesh.triangles.push_back({at(x, y), at(x + 1, y), at(x + 1, y + 1)});
            mesh.triangles.push_back({at(x, y), at(x + 1, y + 1), at(x, y + 1)});
        }
    return mesh;
}

TEST(Mesh, ObjWithQuadsBackwardNumbersAndComments) {
    const TriangleMesh m =
        parse_mesh("# made by hand\nv 0 0 0\nv 1 0 0\r\nv 1.5 1e0 0 0.5\nv 0 1 0\nvn 0 0 1\nvt 0 0\ng all\n"
                   "f 1/1/1 2//1 3 -1 # four corners\n\nf -4 -3 -2\n",
                   "a.obj");
    EXPECT_EQ(m.points.size(), 4U);
    EXPECT_EQ(m.points[2], (Point3{1.5, 1, 0}));
    EXPECT_EQ(m.triangles, (Triangles{{0, 1, 2}, {0, 2, 3}, {0, 1, 2}}));
}

TEST(Mesh, OffWithColoursAndComments) {
    const TriangleMesh m =
        parse_mesh("OFF # a header\n# counts\n3 1 0\n0 0 0 255 0 0\n1 0 0\n\n0 1 0\n3 0 1 2 0.1 0.2 0.3\n", "a.off");
    EXPECT_EQ(m.points.size(), 3U);
    EXPECT_EQ(m.triangles, (Triangles{{0, 1, 2}}));
}

TEST(Mesh, WhatIsWrittenReadsBackToTheBit) {
    const TriangleMesh made = make_plane(7, 0.25);
    std::vector<Point2> uv;
    for (const Point3& p : made.points) uv.push_back({p[0] / 3, p[1] / 7});
    const Scratch folder;
    for (const char* name : {"m.obj", "m.ply"})
        for (const bool with_uv : {false, true}) {
            write_mesh(folder.path(name), made, with_uv ? &uv : nullptr);
            const TriangleMesh read = read_mesh(folder.path(name));
            EXPECT_EQ(read.points, made.points) << name;
            EXPECT_EQ(read.triangles, made.triangles) << name;
        }
    expect_invalid([&] { write_mesh(folder.path("m.stl"), made); }, ".obj or .ply");
}

TEST(Mesh, BinaryPlyOfBothByteOrders) {
    const auto file = [](bool big) {
        std::string s = std::string("ply\nformat binary_") + (big ? "big" : "little") +
                        "_endian 1.0\nelement vertex 3\nproperty float x\nproperty double y\nproperty short z\n"
                        "element face 1\nproperty uchar colour\nproperty list uchar uint vertex_index\nend_header\n";
        const auto put = [&](auto value) {
            const char* bytes = reinterpret_cast<const char*>(&value);
            for (std::size_t i = 0; i < sizeof value; ++i) s += bytes[big ? sizeof value - 1 - i : i];
        };
        for (int v = 0; v < 3; ++v) {
            put(static_cast<float>(v) / 4);
            put(1.0 / (1 + v));
            put(static_cast<std::int16_t>(-v * v));
        }
        put(std::uint8_t{7});
        put(std::uint8_t{3});
        for (const std::uint32_t v : {0U, 2U, 1U}) put(v);
        return s;
    };
    for (const bool big : {false, true}) {
        const TriangleMesh m = parse_mesh(file(big), "a.ply");
        EXPECT_EQ(m.points[2], (Point3{0.5, 1.0 / 3, -4}));
        EXPECT_EQ(m.triangles, (Triangles{{0, 2, 1}}));
    }
    const std::string whole = file(false);
    for (std::size_t n = 0; n < whole.size(); ++n)
        expect_invalid([&] { parse_mesh(whole.substr(0, n), "a.ply"); }, "a.ply");
}

TEST(Mesh, BadFilesAreRefusedInOneLine) {
    const auto refused = [](const char* name, const std::string& text, const char* part) {
        expect_invalid([&] { parse_mesh(text, name); }, part);
    };
    refused("a.obj", "v 0 0\n", "a.obj:1: z is missing");
    refused("a.obj", "v 0 0 nan\n", "a.obj:1: z is nan");
    refused("a.obj", "v 0 0 0\nf 1 1 1\n", "vertex 1 twice");
    refused("a.obj", "v 0 0 0\nf 1 2 3\n", "a.obj:2: a face names vertex 3 of 1");
    refused("a.obj", "f 1 2\n", "a.obj:1: a face of 2 corners");
    refused("a.obj", "v 0 0 0\nf -2 1 1\n", "'-2' is no corner");
    refused("a.obj", "f 0 1 2\n", "'0' is no corner");
    refused("a.obj", "f 1x 1 2\n", "'1x' is no corner");
    refused("a.obj", "", "no face");
    refused("a.obj", "v 0 0 1e300\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", "vertex 1 has the coordinate");
    refused("a.txt", "v 0 0 0\n", "neither OFF nor ply");
    refused("a.off", "OFF\n1000000000000 1 0\n", "too short for them");
    refused("a.off", "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 3\n", "a.off:6: corner 3 of 3");
    refused("a.off", "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n2 0 1\n      ", "a face of 2 corners");
    refused("a.off", "OFF\n3 2 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n        ", "ends before its last face");
    const std::string head = "ply\nformat ascii 1.0\n", end = "end_header\n";
    refused("a.ply", head + "element vertex 4000000000\nproperty float x\n" + end, "too short for them");
    refused("a.ply", head + "element vertex 4000000000\n" + end, "too short for them");
    refused("a.ply", head + "element vertex 1\nproperty float x\nproperty float y\n" + end + "0 0\n",
            "without x, y and z");
    refused("a.ply", head + "property float x\n", "before the first element");
    refused("a.ply", head + "element vertex 1\nproperty quad x\n", "property's type");
    refused("a.ply", "ply\nelement vertex 1\n" + end, "names no format");
    refused("a.ply", "ply\nformat rot13 1.0\n", "format 'rot13'");
    refused("a.ply", head + "hello\n", "'hello'");
    refused("a.ply", head + "element face 1\nproperty list uchar int other\n" + end + "1 1\n", "without the list");
    expect_invalid([] { read_mesh("/nowhere/a.obj"); }, "/nowhere/a.obj");
    expect_invalid([] { read_mesh("/"); }, "/");
}

TEST(Mesh, TopologyOfKnownSurfaces) {
    const Topology plane = topology_of(make_plane(6, 0));
    EXPECT_TRUE(plane.disk());
    EXPECT_EQ(plane.boundary_edges, 20U);
    const Topology sphere = topology_of(make_sphere(2));
    EXPECT_EQ(sphere.euler(), 2);
    EXPECT_EQ(sphere.boundary_loops, 0U);
    EXPECT_TRUE(sphere.manifold());
    EXPECT_NE(why_no_disk(sphere).find("closed surface (Euler number 2)"), std::string::npos);
    EXPECT_EQ(topology_of(torus(7)).euler(), 0);

    TriangleMesh two = make_plane(3, 0);
    const TriangleMesh other = make_plane(3, 0);
    for (auto t : other.triangles) {
        for (std::uint32_t& v : t) v += 9;
        two.triangles.push_back(t);
    }
    two.points.insert(two.points.end(), other.points.begin(), other.points.end());
    two.points.push_back({9, 9, 9});
    const Topology parts = topology_of(two);
    EXPECT_EQ(parts.components, 2U);
    EXPECT_EQ(parts.isolated, 1U);
    EXPECT_NE(why_no_disk(parts).find("2 parts"), std::string::npos);
}

TEST(Mesh, FaultsOfSurfacesAreNamed) {
    TriangleMesh m = make_plane(2, 0);
    m.points.push_back({2, 2, 0});
    m.triangles.push_back({0, 3, 4});
    EXPECT_EQ(topology_of(m).split_edges, 1U);
    EXPECT_NE(why_no_disk(topology_of(m)).find("1 edge belongs to three triangles or more (edge 1-4)"),
              std::string::npos);
    TriangleMesh turned = make_plane(2, 0);
    std::swap(turned.triangles[1][1], turned.triangles[1][2]);
    EXPECT_EQ(topology_of(turned).turned_edges, 1U);
    EXPECT_NE(why_no_disk(topology_of(turned)).find("disagree at 1 edge which"), std::string::npos);
    TriangleMesh bow = make_plane(2, 0);
    bow.triangles.pop_back();
    bow.points.push_back({2, 0, 0});
    bow.points.push_back({2, 1, 0});
    bow.triangles.push_back({1, 4, 5});
    EXPECT_EQ(topology_of(bow).split_vertices, 1U);
    EXPECT_NE(why_no_disk(topology_of(bow)).find("1 vertex is where fans of triangles touch"), std::string::npos);
    EXPECT_FALSE(topology_of(bow).manifold());
}

TEST(Mesh, EverySurfaceIsCutToADisk) {
    TriangleMesh holes = make_plane(9, 0.2);
    std::erase_if(holes.triangles, [](const auto& t) { return t[0] == 20 || t[1] == 20 || t[2] == 20 || t[0] == 60; });
    ASSERT_GT(topology_of(holes).boundary_loops, 1U);
    for (const TriangleMesh& given : {make_sphere(0), make_sphere(3), torus(3), torus(11), holes}) {
        const CutMesh cut = cut_to_disk(given);
        const Topology t = topology_of(cut.mesh);
        EXPECT_TRUE(t.disk()) << why_no_disk(t);
        ASSERT_EQ(cut.origin.size(), cut.mesh.points.size());
        ASSERT_EQ(cut.mesh.triangles.size(), given.triangles.size());
        for (std::size_t k = 0; k < given.triangles.size(); ++k)
            for (std::size_t c = 0; c < 3; ++c) EXPECT_EQ(cut.origin[cut.mesh.triangles[k][c]], given.triangles[k][c]);
    }
    const CutMesh whole = cut_to_disk(make_plane(5, 0));
    EXPECT_EQ(whole.cut_edges, 0U);
    EXPECT_EQ(whole.mesh.triangles, make_plane(5, 0).triangles);
}

TEST(Mesh, SubdivisionKeepsTheSurface) {
    const TriangleMesh coarse = make_plane(4, 0.2), fine = subdivided(coarse);
    EXPECT_EQ(fine.triangles.size(), 4 * coarse.triangles.size());
    EXPECT_EQ(fine.points.size(), coarse.points.size() + topology_of(coarse).edges);
    EXPECT_TRUE(topology_of(fine).disk());
    EXPECT_EQ(topology_of(subdivided(torus(5))).euler(), 0);
}

TEST(Mesh, NeighboursAreSymmetricAndSorted) {
    const TriangleMesh m = make_sphere(2);
    const Neighbours n = neighbours_of(m);
    std::set<std::pair<std::size_t, std::size_t>> pairs;
    for (std::size_t v = 0; v < m.points.size(); ++v)
        for (std::uint64_t k = n.begin[v]; k < n.begin[v + 1]; ++k) {
            pairs.emplace(v, n.vertex[k]);
            if (k != n.begin[v]) {
                EXPECT_LT(n.vertex[k - 1], n.vertex[k]);
            }
        }
    EXPECT_EQ(pairs.size(), 2 * topology_of(m).edges);
    for (const auto& [v, w] : pairs) EXPECT_TRUE(pairs.contains({w, v}));
}

} // namespace
