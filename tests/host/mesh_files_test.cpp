// Mesh files as other programs write them: faces of any shape, OFF of all kinds, strips, line ends.
#include <cmath>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "expect_invalid.hpp"
#include "mantissa/host/mesh.hpp"

namespace {

using namespace mantissa;
using Triangles = std::vector<std::array<std::uint32_t, 3>>;

double area_of(const TriangleMesh& m, const std::array<std::uint32_t, 3>& t) {
    const Point3 &a = m.points[t[0]], &b = m.points[t[1]], &c = m.points[t[2]];
    return 0.5 * ((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]));
}

/// One face of a file of each kind, from any of its corners, at any place: triangles of positive area that fill it.
void expect_filled(const std::vector<Point2>& corners, double area) {
    const std::size_t n = corners.size();
    for (const double shift : {0.0, 5e5})
        for (std::size_t start = 0; start < n; ++start)
            for (const char* name : {"a.obj", "a.off", "a.ply"}) {
                const std::string kind = std::string(name).substr(2);
                std::string text, face;
                if (kind == "off") text = fmt::format("OFF\n{} 1 0\n", n);
                if (kind == "ply")
                    text =
                        fmt::format("ply\nformat ascii 1.0\nelement vertex {}\nproperty double x\nproperty double y\n"
                                    "property double z\nelement face 1\nproperty list uchar int vertex_indices\n"
                                    "end_header\n",
                                    n);
                for (const Point2& p : corners)
                    text += fmt::format("{}{} {} 7\n", kind == "obj" ? "v " : "", p[0] + shift, p[1] - shift);
                text += kind == "obj" ? "f" : fmt::format("{}", n);
                for (std::size_t k = 0; k < n; ++k)
                    text += fmt::format(" {}", (start + k) % n + (kind == "obj" ? 1 : 0));
                const TriangleMesh m = parse_mesh(text + "\n", name);
                EXPECT_EQ(m.triangles.size(), n - 2);
                double sum = 0;
                for (const auto& t : m.triangles) {
                    EXPECT_GT(area_of(m, t), 0) << text;
                    sum += area_of(m, t);
                }
                EXPECT_NEAR(sum, area, 1e-9 * area + 1e-5 * (shift > 0)) << text;
            }
}

TEST(MeshFaces, ConcaveOnesAreFilledOnce) {
    expect_filled({{0, 0}, {2, 0}, {2, 2}, {1, 0.5}, {0, 2}}, 2.5);                                     // one dent
    expect_filled({{0, 0}, {3, 0}, {3, 3}, {0, 3}, {0, 2}, {2, 2}, {2, 1}, {0, 1}}, 7);                 // a C
    expect_filled({{0, 0}, {4, 0}, {4, 1}, {2.5, 1}, {2.5, 3}, {1.5, 3}, {1.5, 1}, {0, 1}}, 6);         // a T
    expect_filled({{0, 0}, {1, 1}, {2, 0}, {3, 1}, {4, 0}, {4, 3}, {3, 2}, {2, 3}, {1, 2}, {0, 3}}, 8); // zigzag
    expect_filled({{0, 0}, {1, 0}, {2, 0}, {2, 1}, {2, 2}, {0, 2}}, 4); // convex, corners in line
    std::vector<Point2> star;
    for (int k = 0; k < 14; ++k)
        star.push_back({(k % 2 == 0 ? 3 : 1) * std::cos(M_PI * k / 7), (k % 2 == 0 ? 3 : 1) * std::sin(M_PI * k / 7)});
    expect_filled(star, 7 * 3 * std::sin(M_PI / 7));
}

TEST(MeshFaces, WhatCannotBeFilledIsRefusedWithItsNumber) {
    const auto refused = [](const char* points, const char* corners, const char* part) {
        const std::string obj = std::string("v 9 9 9\nv 8 9 9\nv 9 8 9\n") + points + "f 1 2 3\nf " + corners + "\n";
        expect_invalid([&] { parse_mesh(obj, "a.obj"); }, part);
    };
    const char* square = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 3 0.25 0\n";
    refused(square, "4 6 5 7", "a.obj: face 2 (4 corners) has no area");
    refused(square, "4 6 5 8 7", "a.obj: face 2 (5 corners) crosses itself");
    refused("v 0 0 0\nv 1 0 0\nv 2 0 0\nv 3 0 0\n", "4 5 6 7", "a.obj: face 2 (4 corners) has no area");
    refused("v 1 0 0\nv -0.81 0.59 0\nv 0.31 -0.95 0\nv 0.31 0.95 0\nv -0.81 -0.59 0\n", "4 5 6 7 8",
            "a.obj: face 2 (5 corners) crosses itself"); // a pentagram
    // A convex face stays the fan that it was.
    EXPECT_EQ(parse_mesh("v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 2 3 4 1\n", "a.obj").triangles,
              (Triangles{{1, 2, 3}, {1, 3, 0}}));
}

const Triangles kTent{{0, 1, 4}, {1, 2, 4}, {2, 3, 4}, {3, 0, 4}};
void expect_tent(const std::string& text, const std::string& name) {
    const TriangleMesh m = parse_mesh(text, name);
    EXPECT_EQ(m.triangles, kTent) << text;
    ASSERT_EQ(m.points.size(), 5U) << text;
    EXPECT_EQ(m.points[2], (Point3{1, 1, 0.25})) << text;
    EXPECT_EQ(m.points[4], (Point3{0.5, 0.5, 0.5})) << text;
}

TEST(MeshFiles, OffOfAllKinds) {
    const std::string faces = "3 0 1 4\n3 1 2 4\n3 2 3 4\n3 3 0 4\n",
                      plain = "0 0 0\n1 0 0\n1 1 0.25\n0 1 0\n.5 .5 .5\n";
    const std::string off = "OFF\n", one_line = "0 0 0 1 0 0 1 1 0.25 0 1 0 .5 .5 .5 ";
    for (const std::string& text :
         {off + "5 4 0\n" + plain + faces, "OFF 5 4 0\n" + plain + faces, "OFF5 4 0\n" + plain + faces,
          "5 4 0\n" + plain + faces, "# no word\n\n5 4 8\n" + plain + faces,
          "# a comment\nOFF # more\n5 4\n" + plain + faces, off + "5\n4\n0\n" + plain + faces,
          off + "5 4\n0\n" + plain + faces, off + "5 4 0\n" + one_line + "\n" + faces,
          off + "5 4 0 " + one_line + "3 0 1 4 3 1 2 4 3 2 3 4 3 3 0 4",
          off + "5 4 0\n0 0\n0\n1 0 0\n1 1\n0.25 # here\n0 1 0\n.5\n.5\n.5\n" + faces,
          off + "5 4 0\n" + plain + "3 0 1 4 255 0 0\n3 1 2 4 0.5 0.5 0.5 1\n3 2 3 4 7\n3 3 0 4 # c\n"})
        expect_tent(text, "a.off");
    const auto with = [&](const std::string& word, const std::string& more) {
        std::string lines, flat;
        for (const char* p : {"0 0 0", "1 0 0", "1 1 0.25", "0 1 0", ".5 .5 .5"}) {
            lines += p + more + "\n";
            flat += p + more + " ";
        }
        expect_tent(word + "\n5 4 0\n" + lines + faces, "a.off");
        expect_tent(word + "\n5 4 0\n" + flat + "\n3 0 1 4 3 1 2 4 3 2 3 4 3 3 0 4\n", "a.off");
        expect_tent(word + " 5 4 0\n" + lines + faces, "whatever");
    };
    with("COFF", " 255 0 0 255");
    with("NOFF", " 0 0 1");
    with("CNOFF", " 0 0 1 0.5 0.5 0.5 1");
    with("STOFF", " 0.25 0.75");
    with("STCNOFF", " 0 nan 1 0.5 0.5 0.5 1 0.25 0.75");
    for (const auto& [text, part] :
         {std::pair{"4OFF\n3 1 0\n", "other than three coordinates"},
          std::pair{"nOFF\n3\n3 1 0\n", "other than three coordinates"}, std::pair{"OFF BINARY\n3 1 0\n", "binary OFF"},
          std::pair{"OFF\n3 1 0\n0 0 0 9 9 9 1 0 0 9 9 9 0 1 0 9 9 9\n3 0 1 2\n", "a.off"},
          std::pair{"OFF\n3 2 0\n0 0 0 1 0 0 0 1 0 3 0 1 2 3 0 2 1 5 5\n", "text after the last face"},
          std::pair{"OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n3 0 2 1\n", "more than its first lines say"}})
        expect_invalid([&, t = text] { parse_mesh(t, "a.off"); }, part);
}

TEST(MeshFiles, ObjLinesContinued) {
    const std::string points = "v 0 0 0\nv 1 0 0\nv 1 1 0.25\nv 0 1 0\nv .5 .5 .5\n";
    expect_tent(points + "f 1 2 \\\n5\nf 2 \\\r\n 3 5\nf 3/1 4/2\\\n5/3\nf \\\n4 1 5\n", "a.obj");
    expect_tent(
        "v 0 0 \\\n0\nv 1 \\\n 0 \\\n 0\nv 1\\\n1 0.25\nv 0 1 0\nv .5 .5 .5\nf 1 2 5\nf 2 3 5\nf 3 4 5\nf 4 1 5",
        "a.obj");
    expect_tent("# C:\\here\\\n" + points + "g a \\\n b\nf 1 2 5\nf 2 3 5\rf 3 4 5 \\  \n\nf 4 1 5\\", "a.obj");
    expect_invalid([&] { parse_mesh(points + "f 1 2 \\\n\\\n9x\n", "a.obj"); }, "a.obj:8: '9x' is no corner");
    expect_invalid([&] { parse_mesh(points + "f 1 2 \\ 3\n", "a.obj"); }, "a.obj:6: '\\' is no corner");
}

TEST(MeshFiles, LinesThatEndAsOnOldMacs) {
    const auto mac = [](std::string text) {
        for (char& c : text)
            if (c == '\n') c = '\r';
        return text;
    };
    const std::string points = "0 0 0\n1 0 0\n1 1 0.25\n0 1 0\n.5 .5 .5\n",
                      faces = "3 0 1 4\n3 1 2 4\n3 2 3 4\n3 3 0 4";
    expect_tent(mac("v 0 0 0\nv 1 0 0\nv 1 1 0.25\n# c\nv 0 1 0\n\nv .5 .5 .5\nf 1 2 5\nf 2 3 5\nf 3 4 5\nf 4 1 5\n"),
                "a.obj");
    expect_tent(mac("OFF\n# c\n5 4 0\n" + points + faces), "a.off");
    const std::string head = "ply\nformat ascii 1.0\ncomment c\nelement vertex 5\nproperty float x\nproperty float y\n"
                             "property float z\nelement face 4\nproperty list uchar int vertex_indices\nend_header\n";
    expect_tent(mac(head + points + faces), "a.ply");
    expect_invalid([&] { parse_mesh(mac("v 0 0 0\nv 1 0 x\n"), "a.obj"); }, "a.obj:2: z is missing");
    // Binary data begin right after the header's end, also with a byte that looks like a line end.
    std::string binary =
        mac("ply\nformat binary_little_endian 1.0\nelement vertex 3\nproperty uchar x\nproperty uchar y\n"
            "property uchar z\nelement face 1\nproperty list uchar uchar vertex_indices\nend_header\n");
    for (const int byte : {10, 0, 13, 10, 10, 0, 1, 2, 3, 3, 0, 1, 2}) binary += static_cast<char>(byte);
    EXPECT_EQ(parse_mesh(binary, "a.ply").points[0], (Point3{10, 0, 13}));
}

TEST(MeshFiles, PlyWithNumbersThatNobodyLooksAt) {
    const auto file = [](const std::string& suffix) {
        std::string text =
            "ply\nformat ascii 1.0\nelement camera 1\nproperty float f\nelement vertex 5\nproperty float x\n"
            "property float q\nproperty float y\nproperty float z\nproperty list uchar float l\nelement face 4\n"
            "property float quality\nproperty list uchar int vertex_indices\nend_header\n" +
            suffix + "\n";
        for (const char* p : {"0 {} 0 0", "1 {} 0 0", "1 {} 1 0.25", "0 {} 1 0", ".5 {} .5 .5"})
            text += fmt::format(fmt::runtime(p), suffix) + " 2 1 " + suffix + "\n";
        for (const char* f : {"0 1 4", "1 2 4", "2 3 4", "3 0 4"}) text += suffix + " 3 " + f + "\n";
        return text;
    };
    for (const char* suffix :
         {"nan", "-nan", "inf", "-inf", "NaN", "INFINITY", "-nan(ind)", "1.#QNAN", "-1.#IND00", "1e999", "7"})
        expect_tent(file(suffix), "a.ply");
    expect_invalid([&] { parse_mesh(file("hello"), "a.ply"); }, "'hello' is no number");
    expect_invalid(
        [] {
            parse_mesh("ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\nproperty float z\n"
                       "end_header\n0 nan 0\n",
                       "a.ply");
        },
        "'nan' is no finite number");
}

TEST(MeshFiles, PlyStrips) {
    const auto file = [](const std::string& type, const std::string& strips, int count) {
        std::string text =
            "ply\nformat ascii 1.0\nelement vertex 6\nproperty float x\nproperty float y\nproperty float z\n";
        text += fmt::format("element tristrips {}\nproperty list int {} vertex_indices\nend_header\n", count, type);
        return text + "0 0 0\n0 1 0\n1 0 0\n1 1 0\n2 0 0\n2 1 0\n" + strips;
    };
    const auto strips = [&](const std::string& type, const std::string& text, int count) {
        return parse_mesh(file(type, text, count), "a.ply").triangles;
    };
    EXPECT_EQ(strips("int", "6 0 1 2 3 4 5\n", 1), (Triangles{{0, 1, 2}, {2, 1, 3}, {2, 3, 4}, {4, 3, 5}}));
    EXPECT_EQ(strips("int", "8 0 1 2 -1 2 1 3 -1\n", 1), (Triangles{{0, 1, 2}, {2, 1, 3}}));
    EXPECT_EQ(strips("uint", "7 0 1 2 4294967295 2 1 3\n", 1), (Triangles{{0, 1, 2}, {2, 1, 3}}));
    EXPECT_EQ(strips("int", "4 0 1 2 3\n3 2 3 4\n", 2), (Triangles{{0, 1, 2}, {2, 1, 3}, {2, 3, 4}}));
    EXPECT_EQ(strips("short", "5 0 1 2 2 3\n", 1), (Triangles{{0, 1, 2}})); // joined by a corner twice
    expect_invalid([&] { strips("int", "3 0 1 -2\n", 1); }, "a corner of a strip is -2");
    expect_invalid([&] { strips("int", "3 0 1 9\n", 1); }, "a face names vertex 10 of 6");
    expect_invalid([&] { strips("int", "2 0 1\n", 1); }, "no face");
}

} // namespace
