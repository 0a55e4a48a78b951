// mantissa smooth: a mesh with less noise.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>

#include <optional>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "command/command.hpp"
#include "mantissa/base/files.hpp"
#include "mantissa/format.hpp"
#include "mantissa/host/mesh_systems.hpp"
#include "mesh_solve.hpp"
#include "meshes/pictures.hpp"
#include "store/result_json.hpp"
#include "text/json_text.hpp"

namespace mantissa::cli {

namespace {

constexpr std::uint64_t kSeed = 1;
constexpr double kMostNoise = 1000; ///< beyond, nothing of the mesh is left to find

struct SmoothFlags {
    MeshFlags mesh;
    double weight = 1;
    std::string mu = "harmonic", picture;
    double noise = 0;
    std::optional<std::uint64_t> seed; ///< else kSeed
};

struct Smoothed {
    TriangleMesh before, after;
    std::size_t unknowns = 0, nonzeros = 0;
    std::vector<SolveResult> results;
    double seconds = 0; ///< of all solves, which may be done together
    double roughness_before = 0, roughness_after = 0, moved = 0;
    std::optional<double> error_before, error_after; ///< to the mesh as read, where noise was added
};

Smoothed smooth_mesh(const SmoothFlags& f, DsiOptions options) {
    Smoothed s;
    TriangleMesh clean = mesh_of(f.mesh);
    s.before = f.noise > 0 ? with_noise(clean, f.noise, f.seed.value_or(kSeed)) : clean;
    const Neighbours around = neighbours_of(s.before);
    for (std::uint32_t v = 0; v < s.before.points.size(); ++v)
        if (around.count(v) != 0) options.fuzzy.push_back(v);
    try {
        const DsiSystem system = make_dsi(s.before, options);
        s.unknowns = system.built.system().size();
        s.nonzeros = std::get<CompressedRows>(system.built.system().matrix()).nonzeros();
        const auto begin = std::chrono::steady_clock::now();
        s.results = solve_all("dsi:" + f.mesh.mesh, system.built, f.mesh);
        s.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
        std::vector<std::vector<double>> x;
        for (const SolveResult& r : s.results) x.push_back(r.u);
        s.after = {points_of(system, x), s.before.triangles};
    } catch (const InvalidInput& fault) {
        throw InvalidInput(fmt::format("{}: {}", f.mesh.mesh, fault.what()));
    }
    if (f.noise > 0) {
        s.error_before = root_mean_square_distance(s.before, clean);
        s.error_after = root_mean_square_distance(s.after, clean);
    }
    s.roughness_before = roughness(s.before, around, options.weight);
    s.roughness_after = roughness(s.after, around, options.weight);
    for (std::size_t v = 0; v < s.before.points.size(); ++v) {
        const Point3 &a = s.before.points[v], &b = s.after.points[v];
        s.moved = std::max(s.moved, std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]));
    }
    return s;
}

bool converged(const Smoothed& s) {
    return std::all_of(s.results.begin(), s.results.end(),
                       [](const SolveResult& r) { return r.status == Status::converged; });
}

void print_result(const SmoothFlags& f, const Smoothed& s) {
    const double seconds = s.seconds;
    if (f.mesh.json) {
        results::Json iterations = results::Json::array();
        for (const SolveResult& r : s.results) iterations.push_back(r.inner_iterations);
        results::Json j = {{"mesh", f.mesh.mesh},
                           {"vertices", s.before.points.size()},
                           {"triangles", s.before.triangles.size()},
                           {"unknowns", s.unknowns},
                           {"nonzeros", s.nonzeros},
                           {"converged", converged(s)},
                           {"status", to_string(worst_of(s.results).status)},
                           {"true_residual", largest_residual(s.results)},
                           {"iterations", iterations},
                           {"seconds", seconds},
                           {"roughness_before", s.roughness_before},
                           {"roughness_after", s.roughness_after},
                           {"most_moved", s.moved}};
        if (s.error_before) {
            j["error_before"] = *s.error_before;
            j["error_after"] = *s.error_after;
        }
        fmt::print("{}\n", json_text(j));
        return;
    }
    const auto row = [](const char* name, const std::string& value) { fmt::print("{:<15}{}\n", name, value); };
    row("mesh",
        fmt::format("{}  ({} vertices, {} triangles)", f.mesh.mesh, s.before.points.size(), s.before.triangles.size()));
    row("system",
        fmt::format("{} unknowns, {} nonzeros, {} right-hand sides", s.unknowns, s.nonzeros, s.results.size()));
    row("solve", summary_of(s.results));
    row("time", fmt::format("{:.3g} s", seconds));
    row("roughness", fmt::format("{:.4g}, {:.4g} before", s.roughness_after, s.roughness_before));
    row("moved", fmt::format("{:.4g} at most", s.moved));
    if (s.error_before)
        row("error", fmt::format("{:.4g}, {:.4g} before (root mean square distance to the mesh without noise)",
                                 *s.error_after, *s.error_before));
}

int smooth(const SmoothFlags& f) {
    DsiOptions options;
    if (f.mu != "harmonic" && f.mu != "normalised")
        throw InvalidInput(fmt::format("--mu {}: write harmonic or normalised", f.mu));
    if (!(f.weight > 0 && std::isfinite(f.weight)))
        throw InvalidInput(fmt::format("--weight {}: give a number above 0", f.weight));
    if (!(f.noise >= 0 && f.noise <= kMostNoise))
        throw InvalidInput(fmt::format("--noise {}: give 0 to {} mean edge lengths", f.noise, kMostNoise));
    if (f.seed && f.noise == 0) throw InvalidInput("--seed: it is of the noise; give --noise too, or leave it out");
    options.weight = f.mu == "harmonic" ? DsiWeight::harmonic : DsiWeight::normalised;
    options.fuzzy_weight = f.weight;
    options.threads = thread_count(f.mesh.threads);
    check_mesh_flags(f.mesh, false);
    check_outputs({{"--picture", f.picture, true}}, f.mesh.json);
    const Smoothed s = smooth_mesh(f, options);
    const bool finite = std::all_of(s.after.points.begin(), s.after.points.end(), [](const Point3& p) {
        return std::isfinite(p[0]) && std::isfinite(p[1]) && std::isfinite(p[2]);
    });
    if (finite) {
        write_mesh(f.mesh.output, s.after);
        if (s.before.textured)
            fmt::print(stderr,
                       "mantissa: {} has vertices and triangles alone: texture coordinates, groups and materials of {} "
                       "are not in it\n",
                       f.mesh.output, f.mesh.mesh);
        if (!f.picture.empty()) base::write_file(f.picture, meshes::picture_of_surfaces(s.before, s.after));
    } else {
        fmt::print(stderr, "mantissa: the mesh is not finite ({}), so nothing was written\n", summary_of(s.results));
    }
    print_result(f, s);
    return converged(s) ? kDone : kNotConverged;
}

Run setup_smooth(CLI::App& app, const std::string&) {
    const auto flags = std::make_shared<SmoothFlags>();
    add_mesh_options(app, flags->mesh);
    app.add_option("--weight", flags->weight, "how strongly each vertex is drawn to its place; less is smoother")
        ->capture_default_str();
    app.add_option("--mu", flags->mu, "what a vertex's roughness counts: harmonic (1) or normalised (1 / neighbours^2)")
        ->capture_default_str();
    app.add_option("--noise", flags->noise,
                   "for trials: add noise of this standard deviation first, in mean edge lengths; the distance to the "
                   "mesh without it is reported");
    app.add_option("--seed", flags->seed, "of the noise")
        ->check(whole_number(0))
        ->default_str(fmt::format("{}", kSeed));
    app.add_option("--picture", flags->picture, "draw the mesh before and after to an SVG file");
    return [flags] { return smooth(*flags); };
}

} // namespace

const Command kSmooth{"smooth", "A mesh with less noise: discrete smooth interpolation", setup_smooth, true};

} // namespace mantissa::cli
