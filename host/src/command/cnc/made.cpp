// Figures 3 and 7 and Table 3, made of meshes on the spot.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <numeric>
#include <sstream>

#include <fmt/format.h>

#include "cnc.hpp"
#include "command/command.hpp"
#include "mantissa/base/files.hpp"
#include "mantissa/engine.hpp"
#include "mantissa/format.hpp"
#include "mantissa/host/mesh_systems.hpp"
#include "mantissa/host/solve.hpp"
#include "mantissa/sparse/formats.hpp"
#include "mantissa/sparse/reorder.hpp"
#include "meshes/pictures.hpp"
#include "pictures/spy.hpp"
#include "report/paper_tables.hpp"
#include "running/progress.hpp"
#include "text/json_text.hpp"
#include "text/tables/table.hpp"

namespace mantissa::cli {

namespace {

constexpr std::size_t kSpySize = 480;
constexpr double kTolerance = 1e-6;

/// Every vertex drawn to its place.
DsiOptions smoothing(const TriangleMesh& mesh, double weight, bool coupled) {
    DsiOptions o;
    o.fuzzy_weight = weight;
    o.coupled = coupled;
    const Neighbours around = neighbours_of(mesh);
    for (std::uint32_t v = 0; v < mesh.points.size(); ++v)
        if (around.count(v) != 0) o.fuzzy.push_back(v);
    return o;
}

const CompressedRows& made_rows(const System& system) {
    return std::get<CompressedRows>(system.matrix());
}

/// The mesh as a disk: as it is, or cut open.
TriangleMesh as_disk(const TriangleMesh& mesh) {
    return topology_of(mesh).disk() ? mesh : cut_to_disk(mesh).mesh;
}

SolveResult solved(const std::string& name, const BuiltSystem& built, std::size_t s, int threads) {
    SolveOptions o;
    o.scheme = Scheme::cg;
    o.spec = DatapathSpec(formats::kDouble);
    o.tolerance = kTolerance;
    o.jacobi = true;
    o.threads = threads;
    o.keep_solution = true;
    running::SolveProgress line(kTolerance);
    SolveResult r = solve({name, built.system(), built.b(s), {}}, *make_emulated_engine(), o, std::ref(line));
    if (r.status != Status::converged)
        throw InvalidInput(
            fmt::format("{}: the solve ended {} at a residual of {:.1e}", name, to_string(r.status), r.true_residual));
    return r;
}

double fill_of(const CompressedRows& a, SparseFormat format) {
    for (const FormatReport& r : report_formats(a, sizeof(float)))
        if (r.format == format) return r.fill;
    return 0;
}
std::size_t stored_of(const CompressedRows& a, SparseFormat format) {
    for (const FormatReport& r : report_formats(a, sizeof(float)))
        if (r.format == format) return r.stored;
    return 0;
}

/// What Table 3 says of a system.
struct Counts {
    std::size_t unknowns = 0;
    std::size_t structural = 0; ///< places where two variables meet in a row
    std::size_t numeric = 0;    ///< those whose sums did not cancel
    std::size_t stored = 0;     ///< by BCRS 4x4
    double fill2 = 0, fill4 = 0;
};

Counts lscm_counts(const TriangleMesh& disk, int threads) {
    LscmOptions o;
    o.threads = threads;
    const LscmSystem dropped = make_lscm(disk, o);
    // By OpenNL's weights no entry cancels but u with v of one vertex; the places of those as well are whole blocks.
    o.weight = LscmWeight::opennl;
    o.drop = 0;
    const LscmSystem full = make_lscm(disk, o);
    const CompressedRows& a = made_rows(full.built.system());
    return {a.rows(),
            stored_of(a, SparseFormat::bcrs2),
            made_rows(dropped.built.system()).nonzeros(),
            stored_of(a, SparseFormat::bcrs4),
            fill_of(a, SparseFormat::bcrs2),
            fill_of(a, SparseFormat::bcrs4)};
}

Counts dsi_counts(const TriangleMesh& mesh, int threads) {
    DsiOptions o = smoothing(mesh, 1, true);
    o.threads = threads;
    const DsiSystem system = make_dsi(mesh, o);
    const CompressedRows& a = made_rows(system.built.system());
    return {a.rows(),
            a.nonzeros(),
            a.nonzeros(),
            stored_of(a, SparseFormat::bcrs4),
            fill_of(a, SparseFormat::bcrs2),
            fill_of(a, SparseFormat::bcrs4)};
}

CncJson json_of(const Counts& c) {
    return {{"unknowns", c.unknowns},   {"structural", c.structural}, {"numeric", c.numeric},
            {"stored_bcrs4", c.stored}, {"fill_bcrs2", c.fill2},      {"fill_bcrs4", c.fill4}};
}

std::string text_of(const Counts& c) {
    const auto each = [&](std::size_t n) { return static_cast<double>(n) / static_cast<double>(c.unknowns); };
    return fmt::format("{:>9}{:>11} ({:>5.2f}){:>11} ({:>5.2f}){:>11} ({:>6.2f}){:>6.2f}{:>6.2f}", c.unknowns,
                       c.structural, each(c.structural), c.numeric, each(c.numeric), c.stored, each(c.stored), c.fill2,
                       c.fill4);
}

void print_paper_table3(const std::string& folder) {
    const std::string path = (std::filesystem::path(folder) / "cnc_table3.csv").string();
    std::ifstream file(path);
    if (!file)
        throw InvalidInput(fmt::format("{}: cannot be read; --data names the folder of the paper's tables", path));
    std::string line;
    std::getline(file, line);
    const text::Table table(
        "{:<28}{unknowns:>12}{nonzeros:>10}{per row:>8.1f}{unknowns:>12}{nonzeros:>10}{per row:>8.1f}");
    fmt::print("the paper's\n{}", table.head());
    while (std::getline(file, line)) {
        std::vector<std::string> f;
        std::istringstream in(line);
        for (std::string part; std::getline(in, part, ',');) f.push_back(part);
        if (f.size() != 5) throw InvalidInput(fmt::format("{}: expected five fields: {}", path, line));
        const auto ratio = [&f](std::size_t a, std::size_t b) { return std::stod(f[a]) / std::stod(f[b]); };
        fmt::print("{}", table.row({f[0], f[1], f[2], ratio(2, 1), f[3], f[4], ratio(4, 3)}));
    }
}

} // namespace

int cnc_table3(const CncFlags& flags) {
    const std::string folder = report::paper_folder(flags.data);
    std::vector<NamedMesh> meshes =
        cnc_meshes(flags, {{"hemisphere, 65 x 65", make_hemisphere(65)}, {"sphere, divided 5 times", make_sphere(5)}});
    for (int level = 0; level < flags.subdivide; ++level)
        meshes.push_back({fmt::format("{}, x 4", meshes.back().name), subdivided(meshes.back().mesh)});
    CncJson list = CncJson::array();
    if (!flags.json)
        fmt::print(
            "Table 3: systems of a parameterisation and of a smoothing (nonzeros, and how many per row)\n{:<28}{:<5}"
            "{:>9}{:>19}{:>19}{:>20}{:>12}\n",
            "", "", "unknowns", "structural", "numeric", "stored, BCRS 4x4", "fill 2, 4");
    for (const NamedMesh& m : meshes) {
        const Counts lscm = lscm_counts(as_disk(m.mesh), flags.threads), dsi = dsi_counts(m.mesh, flags.threads);
        if (flags.json) {
            list.push_back({{"mesh", m.name},
                            {"vertices", m.mesh.points.size()},
                            {"parameterization", json_of(lscm)},
                            {"smoothing", json_of(dsi)}});
            continue;
        }
        fmt::print("{:<28}{:<5}{}\n{:<28}{:<5}{}\n", m.name, "LSCM", text_of(lscm),
                   fmt::format("  {} vertices", m.mesh.points.size()), "DSI", text_of(dsi));
    }
    if (flags.json) {
        fmt::print("{}\n", json_text(list));
        return kDone;
    }
    fmt::print(
        "structural: places where variables of a vertex and its neighbours meet; numeric: those whose sums do not "
        "cancel\n"
        "(LSCM with weights by area). stored and fill: LSCM with OpenNL's weights. A mesh that is no disk is cut open\n"
        "for LSCM. DSI: one system of x, y and z, each vertex drawn.\n\n");
    print_paper_table3(folder);
    fmt::print(
        "The paper does not say what it counts. Its parameterisations have 29 to 41 nonzeros per row: no system of\n"
        "one ring of neighbours has (14 is the most, as above), but BCRS 4x4 stores as many. Its Dragon's\n"
        "smoothing (19.6 per row) is a system of two rings, as ours are.\n");
    return kDone;
}

int cnc_figure3(const CncFlags& flags) {
    const std::vector<NamedMesh> meshes = cnc_meshes(flags, {{"sphere, divided 5 times", make_sphere(5)}});
    if (meshes.size() > 1) throw InvalidInput("--mesh: Figure 3 shows the matrix of one mesh; give one");
    const NamedMesh& m = meshes.front();
    std::FILE* const words = base::is_standard_output(flags.output) ? stderr : stdout; // the picture has the other
    DsiOptions o = smoothing(m.mesh, 1, false);
    o.threads = flags.threads;
    const DsiSystem system = make_dsi(m.mesh, o);
    const CompressedRows& before = made_rows(system.built.system());
    const CompressedRows after = permuted(before, reverse_cuthill_mckee(before));
    std::vector<pictures::Panel> panels;
    CncJson list = CncJson::array();
    for (const auto& [title, a] : {std::pair<std::string, const CompressedRows&>("As the mesh is numbered", before),
                                   std::pair<std::string, const CompressedRows&>("Reverse Cuthill-McKee", after)}) {
        const Bandwidth band = bandwidth(a);
        const double fill2 = fill_of(a, SparseFormat::bcrs2), fill4 = fill_of(a, SparseFormat::bcrs4);
        panels.push_back({pictures::spy_image(a, kSpySize),
                          {title + fmt::format(": {} rows, {} nonzeros", a.rows(), a.nonzeros()),
                           fmt::format("bandwidth {}, {:.0f} in the mean; blocks filled {:.0f} % (2x2), {:.0f} % (4x4)",
                                       band.largest, band.mean, 100 * fill2, 100 * fill4)}});
        list.push_back({{"order", title},
                        {"rows", a.rows()},
                        {"nonzeros", a.nonzeros()},
                        {"bandwidth", band.largest},
                        {"mean_bandwidth", band.mean},
                        {"fill_bcrs2", fill2},
                        {"fill_bcrs4", fill4}});
        if (!flags.json) fmt::print(words, "{}\n  {}\n", panels.back().words[0], panels.back().words[1]);
    }
    base::write_file(flags.output, pictures::drawing_of(panels, 2, "The matrix of smoothing: " + m.name));
    if (flags.json) fmt::print("{}\n", json_text(list));
    else fmt::print(words, "the paper: no influence of the order on the time of a product, on any device\n");
    return kDone;
}

int cnc_figure7(const CncFlags& flags) {
    const std::vector<NamedMesh> meshes =
        cnc_meshes(flags, {{"hemisphere", make_hemisphere(65)}, {"sphere", make_sphere(5)}});
    if (meshes.size() > 2)
        throw InvalidInput("--mesh: Figure 7 parameterises the first and smooths the last; give one or two");
    const TriangleMesh disk = as_disk(meshes.front().mesh);
    LscmOptions o;
    o.threads = flags.threads;
    const LscmSystem lscm = make_lscm(disk, o);
    const SolveResult flat = solved("lscm:" + meshes.front().name, lscm.built, 0, flags.threads);
    const std::vector<Point2> uv = uv_of(lscm, flat.u);
    std::vector<pictures::Panel> panels = meshes::panels_of_map(disk, uv, "Parameterised: " + meshes.front().name);

    const TriangleMesh &clean = meshes.back().mesh, noisy = with_noise(clean, flags.noise);
    DsiOptions d = smoothing(noisy, flags.weight, false);
    d.threads = flags.threads;
    const DsiSystem dsi = make_dsi(noisy, d);
    std::vector<std::vector<double>> x;
    std::uint64_t iterations = 0;
    for (std::size_t s = 0; s < dsi.built.systems(); ++s) {
        SolveResult r = solved("dsi:" + meshes.back().name, dsi.built, s, flags.threads);
        iterations += r.inner_iterations;
        x.push_back(std::move(r.u));
    }
    const TriangleMesh smooth{points_of(dsi, x), noisy.triangles};
    for (pictures::Panel& panel : meshes::panels_of_surfaces(
             noisy, smooth, fmt::format("{} with noise of {:g} edge lengths", meshes.back().name, flags.noise),
             fmt::format("Smoothed, weight {:g}", flags.weight)))
        panels.push_back(std::move(panel));
    base::write_file(flags.output, pictures::drawing_of(panels, 2));
    const MapQuality quality = map_quality(disk, uv);
    if (flags.json) {
        const CncJson j = {{"parameterized", meshes.front().name},
                           {"iterations", flat.inner_iterations},
                           {"flipped", quality.flipped},
                           {"mean_distortion", quality.mean_distortion},
                           {"smoothed", meshes.back().name},
                           {"smoothing_iterations", iterations},
                           {"error_before", root_mean_square_distance(noisy, clean)},
                           {"error_after", root_mean_square_distance(smooth, clean)}};
        fmt::print("{}\n", json_text(j));
        return kDone;
    }
    fmt::print("parameterised  {}: {} unknowns, {} iterations, {} triangles flipped, mean distortion {:.4f}\n"
               "smoothed       {}: 3 x {} unknowns, {} iterations, distance to the mesh without noise {:.3g}, {:.3g} "
               "before\nthe picture is in {}\n",
               meshes.front().name, lscm.built.system().size(), flat.inner_iterations, quality.flipped,
               quality.mean_distortion, meshes.back().name, dsi.built.system().size(), iterations,
               root_mean_square_distance(smooth, clean), root_mean_square_distance(noisy, clean), flags.output);
    return kDone;
}

} // namespace mantissa::cli
