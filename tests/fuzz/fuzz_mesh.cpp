// The mesh readers take any bytes: they return a mesh whose triangles name vertices that exist, or throw InvalidInput
// with one line. What is returned has a topology, and can be cut where it is a surface.
//
// MANTISSA_FUZZ_READER names one reader (obj, off, ply). Its word is put in front of bytes that do not begin with it,
// so that every input reaches that reader.
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "mantissa/format.hpp"
#include "mantissa/host/mesh.hpp"

namespace {

constexpr std::string_view kReader = MANTISSA_FUZZ_READER;
// An OBJ begins with anything: a comment keeps the first bytes from being another kind's.
constexpr std::string_view kFirst = kReader == "ply" ? "ply\n" : kReader == "off" ? "OFF\n" : "#\n";

void require(bool good) {
    if (!good) std::abort();
}

void check(std::string_view text, const char* name) {
    try {
        const mantissa::TriangleMesh mesh = mantissa::parse_mesh(text, name);
        require(!mesh.triangles.empty());
        for (const auto& t : mesh.triangles)
            for (const std::uint32_t v : t) require(v < mesh.points.size() && std::isfinite(mesh.points[v][0]));
        const mantissa::Topology topology = mantissa::topology_of(mesh);
        require(topology.vertices + topology.isolated == mesh.points.size());
        require(topology.disk() == mantissa::why_no_disk(topology).empty());
        if (topology.manifold() && topology.components == 1)
            require(mantissa::topology_of(mantissa::cut_to_disk(mesh).mesh).disk());
    } catch (const mantissa::InvalidInput& fault) {
        require(std::string_view(fault.what()).find('\n') == std::string_view::npos);
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    if (text.starts_with(kFirst)) check(text, "fuzz.obj");
    else check(std::string(kFirst).append(text), "fuzz.obj");
    return 0;
}
