// OBJ: a mesh as text.
#include <algorithm>

#include <fmt/format.h>

#include "faces.hpp"
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
    in.skip_word();
    return static_cast<std::uint32_t>(back ? vertices - n : n - 1);
}

} // namespace

TriangleMesh read_obj(std::string_view text, std::string_view name) {
    TriangleMesh mesh;
    NumberText in(text, name);
    in.continue_lines();
    Faces faces(mesh, name);
    std::uint32_t last = 0; // of all corners, and the line of it: vertices may come after their faces
    std::uint64_t line = 0;
    for (; !in.at_end(); in.take_line()) {
        in.skip_blanks();
        if (in.at_line_end()) continue;
        const std::string word = in.word();
        if (word != "v" && word != "f") { // comments, normals, texture, groups: none of our business
            mesh.textured = mesh.textured || word == "vt" || word == "usemtl" || word == "g";
            continue;
        }
        in.step();
        if (word == "v") {
            mesh.points.push_back(read_point(in));
            continue;
        }
        faces.begin();
        for (in.skip_blanks(); !in.at_line_end() && in.peek() != '#'; in.skip_blanks()) {
            const std::uint32_t corner = obj_corner(in, mesh.points.size());
            if (corner > last) line = in.line();
            last = std::max(last, corner);
            faces.corner(corner);
        }
        if (faces.corners() < 3) in.fail(fmt::format("a face of {} corners: give three or more", faces.corners()));
        faces.end();
    }
    if (line != 0 && last >= mesh.points.size())
        NumberText::fail(name, line,
                         fmt::format("a face names vertex {} of {}: the file is truncated, or wrong",
                                     std::uint64_t{last} + 1, mesh.points.size()));
    faces.finish();
    return mesh;
}

} // namespace mantissa::meshes
