// Systems from meshes: lscm:FILE and dsi:FILE.
#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "mantissa/base/quoted.hpp"
#include "mantissa/format.hpp"
#include "mesh_problem.hpp"
#include "path_of.hpp"
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

std::string one_of(text::KeyValues& keys, std::string_view key, std::initializer_list<std::string_view> choices) {
    const std::string value(keys.take(key).value_or(*choices.begin()));
    if (std::find(choices.begin(), choices.end(), value) == choices.end())
        keys.fail(fmt::format("{}={} must be {}", key, base::shortened(value), fmt::join(choices, " or ")));
    return value;
}

Problem first_of(const std::string& name, const BuiltSystem& built, std::size_t s) {
    return {name, built.system(), built.b(s), {}, built.origin(s)};
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

/// What an lscm: text says.
struct LscmText {
    std::string name, path;
    LscmOptions options;
    bool cut = false;
};

LscmText read_lscm(std::string_view text, std::string_view options) {
    std::string_view rest;
    LscmText t;
    t.path = path_of(options, {",weight=", ",pins=", ",cut="}, rest);
    text::KeyValues keys(text, rest, "weight, pins and cut");
    if (t.path.empty()) keys.fail("no file: write lscm:FILE");
    const std::string weight = one_of(keys, "weight", {"area", "opennl"});
    const std::string pins = one_of(keys, "pins", {"axes", "boundary"});
    const std::string cut = one_of(keys, "cut", {"no", "auto"});
    keys.finish();
    t.name = "lscm:" + t.path;
    if (weight != "area") t.name += ",weight=" + weight;
    if (pins != "axes") t.name += ",pins=" + pins;
    if (cut != "no") t.name += ",cut=" + cut;
    t.options.weight = weight == "area" ? LscmWeight::area : LscmWeight::opennl;
    t.options.pins = pins == "axes" ? LscmPins::axes : LscmPins::boundary;
    t.cut = cut == "auto";
    return t;
}

/// The mesh and its system. Throws InvalidInput that names the file.
MeshProblem made(const LscmText& t) {
    return of_file(t.path, [&] {
        TriangleMesh mesh = read_mesh(t.path);
        if (t.cut && !topology_of(mesh).disk()) mesh = cut_to_disk(mesh).mesh;
        LscmSystem system = make_lscm(mesh, t.options);
        return MeshProblem{std::move(mesh), std::move(system), std::nullopt};
    });
}

/// What a dsi: text says.
struct DsiText {
    std::string name, path, nodes = "fuzzy", mu, coordinate;
    bool smooth = true;
    double share = 1, weight = 1;
    std::uint64_t seed = 1;
};

DsiText read_dsi(std::string_view text, std::string_view options) {
    std::string_view rest;
    DsiText t;
    t.path = path_of(options, {",task=", ",weight=", ",share=", ",seed=", ",mu=", ",coordinate=", ",nodes="}, rest);
    text::KeyValues keys(text, rest, "task, weight, share, nodes, seed, mu and coordinate");
    if (t.path.empty()) keys.fail("no file: write dsi:FILE");
    const std::string task = one_of(keys, "task", {"smooth", "interpolate"});
    t.mu = one_of(keys, "mu", {"harmonic", "normalised"});
    t.coordinate = one_of(keys, "coordinate", {"x", "y", "z", "xyz"});
    t.smooth = task == "smooth";
    for (const char* key : {"nodes", "share", "seed"}) keys.only_with(key, !t.smooth, "task=interpolate");
    if (!t.smooth) {
        t.nodes = one_of(keys, "nodes", {"fuzzy", "hard"});
        t.share = keys.positive("share", 0.05);
        t.seed = keys.integer("seed", 0, UINT64_MAX, 1);
        if (!(t.share <= 1)) keys.fail(fmt::format("share={} must be above 0 and at most 1", t.share));
    }
    keys.only_with("weight", t.nodes == "fuzzy", "nodes=fuzzy");
    t.weight = t.nodes == "fuzzy" ? keys.positive("weight", 1) : 1;
    keys.finish();
    t.name = fmt::format("dsi:{},task={}", t.path, task);
    if (!t.smooth) t.name += fmt::format(",nodes={},share={},seed={}", t.nodes, text::shortest(t.share), t.seed);
    if (t.nodes == "fuzzy") t.name += fmt::format(",weight={}", text::shortest(t.weight));
    if (t.mu != "harmonic") t.name += ",mu=" + t.mu;
    t.name += ",coordinate=" + t.coordinate;
    return t;
}

MeshProblem made(const DsiText& t) {
    return of_file(t.path, [&] {
        TriangleMesh mesh = read_mesh(t.path);
        DsiOptions o;
        o.weight = t.mu == "harmonic" ? DsiWeight::harmonic : DsiWeight::normalised;
        (t.nodes == "hard" ? o.hard : o.fuzzy) = t.smooth ? all_nodes(mesh) : control_nodes(mesh, t.share, t.seed);
        o.fuzzy_weight = t.weight;
        o.coupled = t.coordinate == "xyz";
        DsiSystem system = make_dsi(mesh, o);
        return MeshProblem{std::move(mesh), std::nullopt, std::move(system)};
    });
}

} // namespace

Description describe_lscm(std::string_view text, std::string_view options) {
    const LscmText t = read_lscm(text, options);
    return {t.name, 2 * guessed_vertices(t.path), [t] { return first_of(t.name, made(t).lscm->built, 0); }, {t.path}};
}

Description describe_dsi(std::string_view text, std::string_view options) {
    const DsiText t = read_dsi(text, options);
    const double unknowns = guessed_vertices(t.path) * (t.coordinate == "xyz" ? 3 : 1);
    return {t.name,
            unknowns,
            [t] {
                const bool coupled = t.coordinate == "xyz";
                return first_of(t.name, made(t).dsi->built,
                                coupled ? 0 : static_cast<std::size_t>(t.coordinate.front() - 'x'));
            },
            {t.path}};
}

std::optional<MeshProblem> make_mesh_problem(std::string_view text) {
    constexpr std::string_view kLscm = "lscm:", kDsi = "dsi:";
    if (text.starts_with(kLscm)) return made(read_lscm(text, text.substr(kLscm.size())));
    if (text.starts_with(kDsi)) return made(read_dsi(text, text.substr(kDsi.size())));
    return std::nullopt;
}

} // namespace mantissa::problems
