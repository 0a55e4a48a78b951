#include "mesh_files.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdint>
#include <optional>

#include <fmt/format.h>

#include "mantissa/base/files.hpp"
#include "mantissa/base/quoted.hpp"
#include "mantissa/format.hpp"
#include "text/key_values.hpp"
#include "text/packed_file.hpp"

namespace mantissa {

namespace {

enum class Kind : std::uint8_t { obj, off, ply, unknown };

std::string ending_of(std::string name) {
    for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    if (name.ends_with(".gz")) name.resize(name.size() - 3);
    const auto dot = name.rfind('.');
    return dot == std::string::npos ? "" : name.substr(dot);
}

Kind kind_of(std::string_view text, const std::string& path) {
    const std::string ending = ending_of(path);
    const auto begins = [&](std::string_view word) {
        return text.starts_with(word) && text.size() > word.size() &&
               std::isspace(static_cast<unsigned char>(text[word.size()])) != 0;
    };
    if (begins("ply")) return Kind::ply;
    if (meshes::begins_as_off(text)) return Kind::off;
    // An OFF may begin with comments, or with its counts.
    return ending == ".obj" ? Kind::obj : ending == ".off" ? Kind::off : Kind::unknown;
}

} // namespace

namespace meshes {

void check_mesh(const TriangleMesh& mesh, std::string_view name) {
    if (mesh.triangles.empty()) throw InvalidInput(fmt::format("{}: no face: give a mesh with triangles", name));
    if (mesh.triangles.size() > UINT32_MAX / 3)
        throw InvalidInput(
            fmt::format("{}: {} triangles: at most {} can be", name, mesh.triangles.size(), UINT32_MAX / 3));
    for (std::size_t i = 0; i < mesh.points.size(); ++i)
        for (const double x : mesh.points[i])
            if (!(std::abs(x) < 1e100))
                throw InvalidInput(fmt::format("{}: vertex {} has the coordinate {}: scale the mesh, or mend the file",
                                               name, i + 1, x));
    for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
        const auto& [a, b, c] = mesh.triangles[t];
        if (std::max({a, b, c}) >= mesh.points.size())
            throw InvalidInput(fmt::format("{}: a face names vertex {} of {}: the file is truncated, or wrong", name,
                                           std::max({a, b, c}) + std::uint64_t{1}, mesh.points.size()));
        if (a == b || b == c || a == c)
            throw InvalidInput(fmt::format("{}: a face has vertex {} twice: remove it (triangle {})", name,
                                           (a == b || a == c ? a : b) + std::uint64_t{1}, t + 1));
    }
}

} // namespace meshes

TriangleMesh parse_mesh(std::string_view text, const std::string& name) {
    constexpr std::string_view kMark = "\xEF\xBB\xBF";
    if (text.starts_with(kMark)) text.remove_prefix(kMark.size());
    TriangleMesh mesh;
    switch (kind_of(text, name)) {
    case Kind::obj:
        mesh = meshes::read_obj(text, name);
        break;
    case Kind::off:
        mesh = meshes::read_off(text, name);
        break;
    case Kind::ply:
        mesh = meshes::read_ply(text, name);
        break;
    case Kind::unknown:
        throw InvalidInput(fmt::format("{}: no mesh: it begins with neither OFF nor ply, and its name does not end in "
                                       ".obj or .off",
                                       name));
    }
    meshes::check_mesh(mesh, name);
    return mesh;
}

TriangleMesh read_mesh(const std::string& path) {
    const auto any = [](std::string_view) { return std::optional(SIZE_MAX); };
    return parse_mesh(text::read_packed_file(path, any).view(), path);
}

void check_mesh_name(const std::string& option, const std::string& path) {
    const std::string ending = ending_of(path);
    if ((ending != ".obj" && ending != ".ply") || path.ends_with(".gz"))
        throw InvalidInput(fmt::format("{} {}: name a file that ends in .obj or .ply", option, base::quoted(path)));
}

void write_mesh(const std::string& path, const TriangleMesh& mesh, const std::vector<Point2>* uv) {
    check_mesh_name("mesh", path);
    const bool obj = ending_of(path) == ".obj";
    const auto number = [](double x) { return text::shortest(x); };
    std::string out;
    out.reserve(mesh.points.size() * 64 + mesh.triangles.size() * 40);
    if (!obj) {
        out += fmt::format("ply\nformat ascii 1.0\nelement vertex {}\nproperty double x\nproperty double y\n"
                           "property double z\n",
                           mesh.points.size());
        if (uv != nullptr) out += "property double s\nproperty double t\n";
        out +=
            fmt::format("element face {}\nproperty list uchar int vertex_indices\nend_header\n", mesh.triangles.size());
    }
    for (std::size_t i = 0; i < mesh.points.size(); ++i) {
        const Point3& p = mesh.points[i];
        out += fmt::format("{}{} {} {}", obj ? "v " : "", number(p[0]), number(p[1]), number(p[2]));
        if (!obj && uv != nullptr) out += fmt::format(" {} {}", number((*uv)[i][0]), number((*uv)[i][1]));
        out += '\n';
    }
    if (obj && uv != nullptr)
        for (const Point2& p : *uv) out += fmt::format("vt {} {}\n", number(p[0]), number(p[1]));
    for (const auto& [a, b, c] : mesh.triangles) {
        if (!obj) out += fmt::format("3 {} {} {}\n", a, b, c);
        else if (uv == nullptr) out += fmt::format("f {} {} {}\n", a + 1ULL, b + 1ULL, c + 1ULL);
        else out += fmt::format("f {0}/{0} {1}/{1} {2}/{2}\n", a + 1ULL, b + 1ULL, c + 1ULL);
    }
    base::write_file(path, out);
}

} // namespace mantissa
