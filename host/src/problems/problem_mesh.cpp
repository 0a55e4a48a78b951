// Systems from meshes: lscm:FILE and dsi:FILE.
#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "mantissa/base/quoted.hpp"
#include "mantissa/format.hpp"
#include "mantissa/host/mesh_systems.hpp"
#include "problem_kinds.hpp"
#include "random.hpp"
#include "text/key_values.hpp"

namespace mantissa::problems {

namespace {

/// `action`, its refusals with the file's name in front.
template <class Action> auto of_file(const std::string& path, const Action& action) {
    try {
        return action();
    } catch (const InvalidInput& fault) {
        const std::string_view what = fault.what();
        if (what.starts_with(path)) throw;
        throw InvalidInput(fmt::format("{}: {}", path, what));
    }
}

/// Vertices of a mesh in a file, guessed from its length: some 75 bytes of text each, with its two triangles.
double guessed_vertices(const std::string& path) {
    std::error_code error;
    const auto bytes = std::filesystem::file_size(path, error);
    return error ? 0 : static_cast<double>(bytes / 75 + 1);
}

/// The path, which runs to the first of `keys`, so it may hold commas.
std::string path_of(std::string_view options, std::initializer_list<std::string_view> keys, std::string_view& rest) {
    std::size_t end = options.size();
    for (const std::string_view key : keys) end = std::min(end, options.find(key));
    rest = end == options.size() ? std::string_view{} : options.substr(end + 1);
    return std::string(options.substr(0, end));
}

std::string one_of(text::KeyValues& keys, std::string_view key, std::initializer_list<std::string_view> choices) {
    const std::string value(keys.take(key).value_or(*choices.begin()));
    if (std::find(choices.begin(), choices.end(), value) == choices.end())
        keys.fail(fmt::format("{}={} must be {}", key, base::shortened(value), fmt::join(choices, " or ")));
    return value;
}

Problem first_of(const std::string& name, const BuiltSystem& built, std::size_t s) {
    return {name, built.system(), built.b(s), {}};
}

/// The share of the vertices that is held, told by a seed; at least one of each part is up to the seed.
std::vector<std::uint32_t> control_nodes(const TriangleMesh& mesh, double share, std::uint64_t seed) {
    const Neighbours around = neighbours_of(mesh);
    SplitMix random(seed);
    std::vector<std::uint32_t> nodes;
    for (std::uint32_t v = 0; v < mesh.points.size(); ++v) {
        const bool held = random.unit() < share;
        if (held && around.count(v) != 0) nodes.push_back(v);
    }
    return nodes;
}

std::vector<std::uint32_t> all_nodes(const TriangleMesh& mesh) {
    const Neighbours around = neighbours_of(mesh);
    std::vector<std::uint32_t> nodes;
    for (std::uint32_t v = 0; v < mesh.points.size(); ++v)
        if (around.count(v) != 0) nodes.push_back(v);
    return nodes;
}

} // namespace

Description describe_lscm(std::string_view text, std::string_view options) {
    std::string_view rest;
    const std::string path = path_of(options, {",weight=", ",pins=", ",cut="}, rest);
    text::KeyValues keys(text, rest, "weight, pins and cut");
    if (path.empty()) keys.fail("no file: write lscm:FILE");
    const std::string weight = one_of(keys, "weight", {"area", "opennl"});
    const std::string pins = one_of(keys, "pins", {"axes", "boundary"});
    const std::string cut = one_of(keys, "cut", {"no", "auto"});
    keys.finish();
    std::string name = "lscm:" + path;
    if (weight != "area") name += ",weight=" + weight;
    if (pins != "axes") name += ",pins=" + pins;
    if (cut != "no") name += ",cut=" + cut;
    return {name, 2 * guessed_vertices(path), [name, path, weight, pins, cut] {
                return of_file(path, [&] {
                    TriangleMesh mesh = read_mesh(path);
                    if (cut == "auto" && !topology_of(mesh).disk()) mesh = cut_to_disk(mesh).mesh;
                    LscmOptions o;
                    o.weight = weight == "area" ? LscmWeight::area : LscmWeight::opennl;
                    o.pins = pins == "axes" ? LscmPins::axes : LscmPins::boundary;
                    return first_of(name, make_lscm(mesh, o).built, 0);
                });
            }};
}

Description describe_dsi(std::string_view text, std::string_view options) {
    std::string_view rest;
    const std::string path =
        path_of(options, {",task=", ",weight=", ",share=", ",seed=", ",mu=", ",coordinate=", ",nodes="}, rest);
    text::KeyValues keys(text, rest, "task, weight, share, nodes, seed, mu and coordinate");
    if (path.empty()) keys.fail("no file: write dsi:FILE");
    const std::string task = one_of(keys, "task", {"smooth", "interpolate"});
    const std::string mu = one_of(keys, "mu", {"harmonic", "normalised"});
    const std::string coordinate = one_of(keys, "coordinate", {"x", "y", "z", "xyz"});
    const bool smooth = task == "smooth";
    std::string nodes = "fuzzy";
    double share = 1;
    std::uint64_t seed = 1;
    if (!smooth) {
        nodes = one_of(keys, "nodes", {"fuzzy", "hard"});
        share = keys.positive("share", 0.05);
        seed = keys.integer("seed", 0, UINT64_MAX, 1);
        if (!(share <= 1)) keys.fail(fmt::format("share={} must be above 0 and at most 1", share));
    }
    const double weight = nodes == "fuzzy" ? keys.positive("weight", 1) : 1;
    keys.finish();
    std::string name = fmt::format("dsi:{},task={}", path, task);
    if (!smooth) name += fmt::format(",nodes={},share={},seed={}", nodes, text::shortest(share), seed);
    if (nodes == "fuzzy") name += fmt::format(",weight={}", text::shortest(weight));
    if (mu != "harmonic") name += ",mu=" + mu;
    name += ",coordinate=" + coordinate;
    const double unknowns = guessed_vertices(path) * (coordinate == "xyz" ? 3 : 1);
    return {name, unknowns, [=] {
                return of_file(path, [&] {
                    const TriangleMesh mesh = read_mesh(path);
                    DsiOptions o;
                    o.weight = mu == "harmonic" ? DsiWeight::harmonic : DsiWeight::normalised;
                    (nodes == "hard" ? o.hard : o.fuzzy) = smooth ? all_nodes(mesh) : control_nodes(mesh, share, seed);
                    o.fuzzy_weight = weight;
                    o.coupled = coordinate == "xyz";
                    const DsiSystem system = make_dsi(mesh, o);
                    return first_of(name, system.built,
                                    o.coupled ? 0 : static_cast<std::size_t>(coordinate.front() - 'x'));
                });
            }};
}

} // namespace mantissa::problems
