#include "mesh_solve.hpp"

#include <algorithm>
#include <functional>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "command/command.hpp"
#include "command/options/declare.hpp"
#include "device_solve.hpp"
#include "mantissa/format.hpp"
#include "mantissa/host/mesh.hpp"
#include "mantissa/host/options.hpp"
#include "mantissa/host/registry.hpp"
#include "running/progress.hpp"
#include "text/counted.hpp"

namespace mantissa::cli {

void add_mesh_options(CLI::App& app, MeshFlags& flags) {
    app.add_option("mesh", flags.mesh, "OBJ, OFF or PLY; triangles, or faces that are split into them")->required();
    app.add_option("--subdivide", flags.subdivide,
                   "first make four triangles of each, so many times (0 to 12), by the middles of its edges")
        ->check(whole_number(0, 12))
        ->capture_default_str();
    app.add_option("-o,--output", flags.output, "the mesh to write, OBJ or PLY by the name's ending")->required();
    auto* format = app.add_option("--format", flags.format, "one format for the datapath, as s23e8 (else: double)");
    app.add_option("--spec", flags.spec, "a full datapath, as s14e8,u=s23e8,row=s23e8,coef=s23e8 (else: double)")
        ->excludes(format);
    declare(app, Common::engine, flags.engine);
    app.add_option("--scheme", flags.scheme,
                   "as in mantissa solve (else: jacobi-pcg in double, residual-guided with a spec); for a map also "
                   "multilevel-pcg, the fastest on large meshes, and what --device gpu takes if none is given");
    declare(app, Common::device, flags.device,
            "cpu; gpu: CG in double on the GPU, with neither engine nor spec, by --scheme multilevel-pcg (for a "
            "map, if none is given) or jacobi-pcg")
        ->capture_default_str();
    app.add_option("--inner", flags.inner, "inner iterations per outer step")
        ->check(whole_number(1))
        ->default_str(fmt::format("{}", kMeshInner));
    app.add_option("--tolerance", flags.tolerance, "on the residual relative to the right-hand side")
        ->capture_default_str();
    app.add_option("--max-iterations", flags.max_iterations,
                   "inner iterations in all; 0: 150 per square root of the unknowns and 10000")
        ->check(whole_number(0));
    declare(app, Common::threads, flags.threads);
    declare(app, Common::json, flags.json);
}

SolveOptions mesh_solve_options(const MeshFlags& flags) {
    SolveOptions o;
    const bool reduced = !flags.format.empty() || !flags.spec.empty();
    const bool processor = !reduced && flags.engine == "emulated";
    if (flags.scheme == kMultilevel) o.scheme = Scheme::jacobi_pcg; // the same options
    else if (!flags.scheme.empty()) set_scheme(o, flags.scheme);    // with the recurrence that it may name
    else o.scheme = reduced ? Scheme::residual_guided : processor ? Scheme::jacobi_pcg : Scheme::cg;
    o.spec = !flags.spec.empty() ? parse_spec(flags.spec)
                                 : DatapathSpec(parse_format(flags.format.empty() ? "double" : flags.format));
    o.inner = flags.inner.value_or(kMeshInner);
    o.tolerance = flags.tolerance;
    o.max_iterations = flags.max_iterations;
    o.threads = thread_count(flags.threads);
    o.jacobi = o.scheme != Scheme::jacobi_pcg;
    o.keep_solution = true;
    if (!(o.tolerance > 0 && o.tolerance < 1))
        throw InvalidInput(fmt::format("--tolerance {}: give a number between 0 and 1", o.tolerance));
    return o;
}

TriangleMesh mesh_of(const MeshFlags& flags) {
    TriangleMesh mesh = read_mesh(flags.mesh);
    for (std::uint64_t k = 0; k < flags.subdivide; ++k) mesh = subdivided(mesh);
    return mesh;
}

namespace {

/// Is the map solved by multilevel-pcg, named or not?
bool by_multilevel(const MeshFlags& flags, bool map) {
    return flags.scheme == kMultilevel || (map && flags.device == "gpu" && flags.scheme.empty());
}

/// Refuses what no solve takes, and inner iterations where there are none.
void check_solve(const MeshFlags& flags, bool map) {
    const SolveOptions o = mesh_solve_options(flags);
    if (const std::string why = options::refusal(o); !why.empty()) throw InvalidInput(why);
    if (!flags.inner) return;
    const options::Option& inner = *options::find("inner");
    if (by_multilevel(flags, map))
        throw InvalidInput(fmt::format("{}: scheme {} has no inner solves; leave it out", flag_of(inner), kMultilevel));
    if (const std::string why = options::unused(inner, o); !why.empty()) throw InvalidInput(why);
}

} // namespace

void check_mesh_flags(const MeshFlags& flags, bool map) {
    mesh_solve_options(flags);
    if (flags.device != "cpu" && flags.device != "gpu")
        throw InvalidInput(fmt::format("--device {}: write cpu or gpu", flags.device));
    const bool reduced = !flags.format.empty() || !flags.spec.empty() || flags.engine != "emulated";
    if (flags.scheme == kMultilevel && !map)
        throw InvalidInput("--scheme multilevel-pcg: it is made for maps (mantissa parameterize): leave --scheme out");
    if (flags.scheme == kMultilevel && reduced)
        throw InvalidInput("--scheme multilevel-pcg: it solves in double by itself: leave --format, --spec and "
                           "--engine out");
    check_solve(flags, map);
    if (flags.device == "gpu") {
        const bool known = flags.scheme.empty() || flags.scheme == kMultilevel || flags.scheme == "jacobi-pcg";
        if (reduced || !known)
            throw InvalidInput(
                "--device gpu: it solves in double by itself, by jacobi-pcg or multilevel-pcg: leave "
                "--format, --spec, --engine and other schemes out (--engine gpu is the reduced formats')");
        require_device_for_meshes();
    }
    check_mesh_name("--output", flags.output);
    check_outputs({{"--output", flags.output}}, false);
}

namespace {

std::vector<SolveResult> solve_map(const BuiltSystem& built, const SolveOptions& options, const MeshFlags& flags,
                                   std::span<const Point3> points) {
    running::SolveProgress line(options.tolerance);
    return {solve_multilevel(built.system(), points, built.b(), options, std::ref(line),
                             flags.device == "gpu" ? map_solver_on_device() : MapSolver())};
}

} // namespace

std::vector<SolveResult> solve_all(const std::string& name, const BuiltSystem& built, const MeshFlags& flags,
                                   std::span<const Point3> points) {
    const SolveOptions options = mesh_solve_options(flags);
    if (by_multilevel(flags, !points.empty())) return solve_map(built, options, flags, points);
    Problem problem{name, built.system(), built.b(0), {}};
    for (std::size_t s = 1; s < built.systems(); ++s) problem.more.push_back(built.b(s));
    running::SolveProgress line(options.tolerance);
    return mantissa::solve_all(problem, *make_engine(flags.device == "gpu" ? "gpu" : flags.engine), options,
                               std::ref(line));
}

const SolveResult& worst_of(const std::vector<SolveResult>& results) {
    const auto worst = std::find_if(results.rbegin(), results.rend(),
                                    [](const SolveResult& r) { return r.status != Status::converged; });
    return worst == results.rend() ? results.front() : *worst;
}

double largest_residual(const std::vector<SolveResult>& results) {
    double residual = 0;
    for (const SolveResult& r : results) residual = std::max(residual, r.true_residual);
    return residual;
}

std::string summary_of(const std::vector<SolveResult>& results) {
    std::uint64_t iterations = 0;
    for (const SolveResult& r : results) iterations += r.inner_iterations;
    const double residual = largest_residual(results);
    const SolveResult* const worst = &worst_of(results);
    // (a limit is of each right-hand side, the iterations are of all)
    const std::string sides = results.size() == 1 ? "" : fmt::format(" over {} right-hand sides", results.size());
    return fmt::format("{}{}{}{} {}{}, true residual {:.2e}", to_string(worst->status),
                       worst->detail.empty() ? "" : ": ", worst->detail, worst->detail.empty() ? " in" : ";",
                       text::counted(iterations, "iteration"), sides, residual);
}

} // namespace mantissa::cli
