// OBJ and OFF: meshes as text.
#include <fmt/format.h>

#include "mantissa/format.hpp"
#include "mesh_files.hpp"
#include "text/number_text.hpp"

namespace mantissa::meshes {

namespace {

using text::NumberText;
constexpr std::uint64_t kMostVertices = UINT32_MAX;

Point3 read_point(NumberText& in) {
    Point3 p{};
    static constexpr const char* kNames[] = {"x", "y", "z"};
    for (std::size_t i = 0; i < 3; ++i) p[i] = in.real(kNames[i]);
    return p;
}

/// A corner of an OBJ face, "7", "7/1", "7//2", "-1": the vertex, from 0.
std::uint32_t obj_corner(NumberText& in, std::size_t vertices) {
    in.skip_blanks();
    const std::string word = in.word();
    const bool back = !word.empty() && word.front() == '-';
    std::uint64_t n = 0;
    const char* begin = word.data() + (back ? 1 : 0);
    const auto [end, error] = std::from_chars(begin, word.data() + word.size(), n);
    const bool whole = error == std::errc{} && (end == word.data() + word.size() || *end == '/');
    if (!whole || n == 0 || (back && n > vertices) || n > kMostVertices)
        in.fail(
            fmt::format("'{}' is no corner of a face: give the number of a vertex, from 1 (or back from -1)", word));
    while (!in.at_line_end() && in.peek() != ' ' && in.peek() != '\t' && in.peek() != '\r') in.step();
    return static_cast<std::uint32_t>(back ? vertices - n : n - 1);
}

} // namespace

TriangleMesh read_obj(std::string_view text, std::string_view name) {
    TriangleMesh mesh;
    NumberText in(text, name);
    Fan fan(mesh, name);
    for (; !in.at_end(); in.take_line()) {
        in.skip_blanks();
        if (in.at_line_end()) continue;
        const std::string word = in.word();
        if (word != "v" && word != "f") continue; // comments, normals, texture, groups: none of our business
        in.step();
        if (word == "v") {
            mesh.points.push_back(read_point(in));
            continue;
        }
        fan.begin();
        for (in.skip_blanks(); !in.at_line_end() && in.peek() != '#'; in.skip_blanks())
            fan.corner(obj_corner(in, mesh.points.size()));
        if (fan.corners() < 3) in.fail(fmt::format("a face of {} corners: give three or more", fan.corners()));
    }
    return mesh;
}

TriangleMesh read_off(std::string_view text, std::string_view name) {
    TriangleMesh mesh;
    NumberText in(text, name);
    const auto content = [&](const char* what) {
        for (;; in.take_line()) {
            in.skip_blanks();
            if (in.at_end()) in.fail(fmt::format("the file ends before {}", what));
            if (!in.at_line_end() && in.peek() != '#') return;
        }
    };
    content("its first line");
    for (int i = 0; i < 3; ++i) in.step(); // OFF, which was looked at before
    content("its counts: give VERTICES FACES EDGES");
    const std::uint64_t vertices = in.whole("the number of vertices"), faces = in.whole("the number of faces");
    in.take_line();
    // No vertex is shorter than "0 0 0" and a line end, no face than "3 0 1 2": a wrong count is found here.
    if (vertices > kMostVertices || vertices > in.left() / 6 + 1 || faces > in.left() / 8 + 1)
        in.fail(fmt::format("{} vertices and {} faces announced, but the file is too short for them", vertices, faces));
    for (std::uint64_t i = 0; i < vertices; ++i, in.take_line()) {
        content("its last vertex");
        mesh.points.push_back(read_point(in));
    }
    Fan fan(mesh, name);
    for (std::uint64_t i = 0; i < faces; ++i, in.take_line()) {
        content("its last face");
        const std::uint64_t corners = in.whole("the number of corners");
        if (corners < 3) in.fail(fmt::format("a face of {} corners: give three or more", corners));
        fan.begin();
        for (std::uint64_t k = 0; k < corners; ++k) {
            const std::uint64_t v = in.whole("a corner");
            if (v >= vertices) in.fail(fmt::format("corner {} of {} vertices (they count from 0)", v, vertices));
            fan.corner(static_cast<std::uint32_t>(v));
        }
    }
    return mesh;
}

} // namespace mantissa::meshes
