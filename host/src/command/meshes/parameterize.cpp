// mantissa parameterize: texture coordinates for a mesh.
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
#include "text/counted.hpp"
#include "text/json_text.hpp"

namespace mantissa::cli {

namespace {

struct ParameterizeFlags {
    MeshFlags mesh;
    std::string weight = "area", pins = "axes", picture;
    bool cut = false;
};

LscmOptions options_of(const ParameterizeFlags& f) {
    LscmOptions o;
    if (f.weight != "area" && f.weight != "opennl")
        throw InvalidInput(fmt::format("--weight {}: write area or opennl", f.weight));
    if (f.pins != "axes" && f.pins != "boundary")
        throw InvalidInput(fmt::format("--pins {}: write axes or boundary", f.pins));
    o.weight = f.weight == "area" ? LscmWeight::area : LscmWeight::opennl;
    o.pins = f.pins == "axes" ? LscmPins::axes : LscmPins::boundary;
    o.threads = thread_count(f.mesh.threads);
    return o;
}

/// Seconds of a run's parts.
struct Phases {
    double mesh = 0;    ///< reading and subdividing
    double system = 0;  ///< topology, cutting, the equations
    double solve = 0;   ///< with everything that it makes first
    double quality = 0; ///< of the map
};
class Watch {
public:
    double lap() {
        const auto now = std::chrono::steady_clock::now();
        const double seconds = std::chrono::duration<double>(now - last_).count();
        last_ = now;
        return seconds;
    }

private:
    std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

struct Mapped {
    Phases seconds;
    CutMesh surface; ///< what was solved on
    Topology given;
    std::size_t unknowns = 0, nonzeros = 0, degenerate = 0, isolated = 0;
    std::vector<SolveResult> results;
    std::vector<Point2> uv;
    MapQuality quality;
};

Mapped map_mesh(const ParameterizeFlags& f, const LscmOptions& options) {
    Mapped m;
    Watch watch;
    m.surface.mesh = mesh_of(f.mesh);
    m.seconds.mesh = watch.lap();
    LscmOptions with_topology = options;
    try {
        if (f.cut) {
            m.given = topology_of(m.surface.mesh);
            if (!m.given.disk()) m.surface = cut_to_disk(m.surface.mesh);
            else with_topology.topology = &m.given;
        }
        const LscmSystem system = make_lscm(m.surface.mesh, with_topology);
        if (!f.cut) m.given = system.topology;
        m.degenerate = system.degenerate;
        m.isolated = system.isolated;
        m.unknowns = system.built.system().size();
        m.nonzeros = std::get<CompressedRows>(system.built.system().matrix()).nonzeros();
        m.seconds.system = watch.lap();
        std::vector<Point3> points; // of the pairs of unknowns
        for (std::size_t k = 0; k < system.built.free().size(); k += 2)
            points.push_back(m.surface.mesh.points[system.built.free()[k] / 2]);
        m.results = solve_all("lscm:" + f.mesh.mesh, system.built, f.mesh, points);
        m.seconds.solve = watch.lap();
        m.uv = uv_of(system, m.results.front().u);
    } catch (const InvalidInput& fault) {
        throw InvalidInput(fmt::format("{}: {}", f.mesh.mesh, fault.what()));
    }
    m.quality = map_quality(m.surface.mesh, m.uv);
    m.seconds.quality = watch.lap();
    return m;
}

/// A map that folds over is no texture, whatever the solve ended with; empty where it does not.
std::string warning_of(const Mapped& m) {
    const std::size_t over = m.quality.flipped + m.quality.collapsed;
    if (over == 0) return {};
    return fmt::format("{} of {} triangles {} upside down in the map: it folds over there. Solve again with a smaller "
                       "--tolerance (the residual is {:.1e}): where they stay, the surface has no better map of this "
                       "kind, or is too thin for double precision",
                       over, m.quality.triangles, over == 1 ? "lies" : "lie", m.results.front().true_residual);
}

void print_json(const ParameterizeFlags& f, const Mapped& m) {
    const SolveResult& r = m.results.front();
    results::Json j = {{"mesh", f.mesh.mesh},
                       {"vertices", m.surface.mesh.points.size()},
                       {"triangles", m.surface.mesh.triangles.size()},
                       {"euler", m.given.euler()},
                       {"boundary_loops", m.given.boundary_loops},
                       {"cut_edges", m.surface.cut_edges},
                       {"unknowns", m.unknowns},
                       {"nonzeros", m.nonzeros},
                       {"degenerate_triangles", m.degenerate},
                       {"isolated_vertices", m.isolated},
                       {"converged", r.status == Status::converged},
                       {"status", to_string(r.status)},
                       {"iterations", r.inner_iterations},
                       {"true_residual", r.true_residual},
                       {"seconds", r.seconds},
                       {"seconds_of",
                        {{"mesh", m.seconds.mesh},
                         {"system", m.seconds.system},
                         {"solve", m.seconds.solve},
                         {"quality", m.seconds.quality}}},
                       {"flipped", m.quality.flipped},
                       {"collapsed", m.quality.collapsed},
                       {"mean_distortion", m.quality.mean_distortion},
                       {"most_distortion", m.quality.most_distortion}};
    if (const std::string warning = warning_of(m); !warning.empty()) j["warning"] = warning;
    fmt::print("{}\n", json_text(j));
}

void print_table(const ParameterizeFlags& f, const Mapped& m) {
    const auto row = [](const char* name, const std::string& value) { fmt::print("{:<15}{}\n", name, value); };
    std::string left_out;
    if (m.degenerate != 0) left_out += fmt::format(", {} without area left out", m.degenerate);
    row("mesh", fmt::format("{}  ({} vertices, {} triangles{})", f.mesh.mesh, m.surface.mesh.points.size(),
                            m.surface.mesh.triangles.size(), left_out));
    if (m.surface.cut_edges != 0)
        row("cut", fmt::format("{} (Euler number {}, {} before)", text::counted(m.surface.cut_edges, "edge"),
                               m.given.euler(), text::counted(m.given.boundary_loops, "boundary loop")));
    row("system", fmt::format("{} unknowns, {} nonzeros", m.unknowns, m.nonzeros));
    row("solve", summary_of(m.results));
    row("time",
        fmt::format("{:.3g} s, and {:.3g} s before it for the system", m.results.front().seconds, m.seconds.system));
    row("flipped", fmt::format("{} of {} triangles", m.quality.flipped + m.quality.collapsed, m.quality.triangles));
    row("distortion", fmt::format("{:.4f} in the mean by area, {:.4g} at most (1: conformal)",
                                  m.quality.mean_distortion, m.quality.most_distortion));
}

int parameterize(const ParameterizeFlags& f) {
    const LscmOptions options = options_of(f);
    check_mesh_flags(f.mesh, true);
    check_outputs({{"--picture", f.picture, true}}, f.mesh.json);
    const Mapped m = map_mesh(f, options);
    const bool finite = std::all_of(m.uv.begin(), m.uv.end(),
                                    [](const Point2& p) { return std::isfinite(p[0]) && std::isfinite(p[1]); });
    if (finite) {
        write_mesh(f.mesh.output, m.surface.mesh, &m.uv);
        if (!f.picture.empty()) base::write_file(f.picture, meshes::picture_of_map(m.surface.mesh, m.uv));
    } else {
        fmt::print(stderr, "mantissa: the map is not finite ({}), so nothing was written\n",
                   to_string(m.results.front().status));
    }
    if (f.mesh.json) print_json(f, m);
    else print_table(f, m);
    if (const std::string warning = warning_of(m); finite && !warning.empty())
        fmt::print(stderr, "mantissa: {}: {}\n", f.mesh.mesh, warning);
    return m.results.front().status == Status::converged ? kDone : kNotConverged;
}

Run setup_parameterize(CLI::App& app, const std::string&) {
    const auto flags = std::make_shared<ParameterizeFlags>();
    add_mesh_options(app, flags->mesh);
    app.add_option("--weight", flags->weight, "area: the conformal energy; opennl: what OpenNL's example solves")
        ->capture_default_str();
    app.add_option("--pins", flags->pins, "the two vertices that are held: axes or boundary")->capture_default_str();
    app.add_flag("--cut", flags->cut, "cut a mesh that is no disk open first");
    app.add_option("--picture", flags->picture, "draw the map to an SVG file; flipped triangles in red");
    return [flags] { return parameterize(*flags); };
}

} // namespace

const Command kParameterize{"parameterize", "Texture coordinates for a mesh: its least squares conformal map",
                            setup_parameterize, true};

} // namespace mantissa::cli
