#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "mantissa/engine.hpp"
#include "mantissa/format.hpp"
#include "mantissa/host/solve.hpp"
#include "mantissa/sparse/formats.hpp"
#include "mantissa/sparse/reorder.hpp"
#include "meshes/pictures.hpp"
#include "pictures/spy.hpp"
#include "problems/mesh_problem.hpp"
#include "sections.hpp"

namespace mantissa::report {

namespace {

/// Pictures are made anew from the mesh's file: of so many problems, and meshes up to so many vertices.
constexpr std::size_t kMostProblems = 3, kMostVertices = 250'000, kSpySize = 480;
constexpr double kTolerance = 1e-6;

double fill_of(const CompressedRows& a, SparseFormat format) {
    for (const FormatReport& r : report_formats(a, sizeof(double)))
        if (r.format == format) return r.fill;
    return 0;
}

pictures::Panel spy_panel(const CompressedRows& a, const std::string& title) {
    const Bandwidth band = bandwidth(a);
    return {
        pictures::spy_image(a, kSpySize),
        {fmt::format("{}: {} rows, {} nonzeros, bandwidth {} ({:.0f} in the mean), blocks filled {:.0f} % (2x2) and "
                     "{:.0f} % (4x4)",
                     title, a.rows(), a.nonzeros(), band.largest, band.mean, 100 * fill_of(a, SparseFormat::bcrs2),
                     100 * fill_of(a, SparseFormat::bcrs4))}};
}

/// The solution in double; nothing where CG does not get there.
std::optional<std::vector<double>> solution_of(const BuiltSystem& built, std::size_t s) {
    SolveOptions o;
    o.scheme = Scheme::cg;
    o.spec = DatapathSpec(formats::kDouble);
    o.tolerance = kTolerance;
    o.jacobi = true;
    o.keep_solution = true;
    SolveResult r = solve({"mesh", built.system(), built.b(s), {}}, *make_emulated_engine(), o);
    if (r.status != Status::converged) return std::nullopt;
    return std::move(r.u);
}

std::vector<pictures::Panel> result_panels(const problems::MeshProblem& p) {
    if (p.lscm) {
        const auto x = solution_of(p.lscm->built, 0);
        return x ? meshes::panels_of_map(p.mesh, uv_of(*p.lscm, *x), "The surface") : std::vector<pictures::Panel>{};
    }
    std::vector<std::vector<double>> x;
    for (std::size_t s = 0; s < p.dsi->built.systems(); ++s) {
        auto one = solution_of(p.dsi->built, s);
        if (!one) return {};
        x.push_back(std::move(*one));
    }
    const TriangleMesh after{points_of(*p.dsi, x), p.mesh.triangles};
    return meshes::panels_of_surfaces(p.mesh, after, "As given", "The solution");
}

void add_pictures(Section& section, const std::string& problem) {
    std::optional<problems::MeshProblem> p;
    try {
        p = problems::make_mesh_problem(problem);
    } catch (const InvalidInput& fault) {
        section.blocks.emplace_back(
            Gap{fmt::format("No pictures of {}: {}", problem, fault.what()),
                "make the report in the folder that the solve ran in, with the mesh at its place"});
        return;
    }
    if (p->mesh.points.size() > kMostVertices) {
        section.blocks.emplace_back(
            Gap{fmt::format("No pictures of {}: it has {} vertices, and a report draws up to {}", problem,
                            p->mesh.points.size(), kMostVertices),
                "mantissa parameterize or smooth with --picture"});
        return;
    }
    const BuiltSystem& built = p->lscm ? p->lscm->built : p->dsi->built;
    const auto& a = std::get<CompressedRows>(built.system().matrix());
    section.blocks.emplace_back(Heading{problem});
    section.blocks.emplace_back(Picture{
        "Where the matrix has its entries, as the mesh is numbered and after reverse Cuthill-McKee",
        {spy_panel(a, "As numbered"), spy_panel(permuted(a, reverse_cuthill_mckee(a)), "Reverse Cuthill-McKee")}});
    std::vector<pictures::Panel> panels = result_panels(*p);
    if (panels.empty()) {
        section.blocks.emplace_back(
            Gap{fmt::format("No picture of the solution of {}: CG in double does not reach {:g}", problem, kTolerance),
                ""});
        return;
    }
    section.blocks.emplace_back(
        Picture{p->lscm ? "The map to the plane, solved in double" : "The surface before and after, solved in double",
                std::move(panels)});
}

} // namespace

std::optional<Section> meshes_section(const Rows& rows) {
    std::vector<std::string> list;
    std::set<std::string> seen;
    for (const PointRow& p : rows.points)
        if ((p.problem.starts_with("lscm:") || p.problem.starts_with("dsi:")) && seen.insert(p.problem).second)
            list.push_back(p.problem);
    if (list.empty()) return std::nullopt;
    Section section{"meshes", "Systems from meshes", {}};
    std::string text = "Drawn from the meshes as they lay when this page was made.";
    if (list.size() > kMostProblems) {
        text += fmt::format(" The first {} of {} problems.", kMostProblems, list.size());
        list.resize(kMostProblems);
    }
    section.blocks.emplace_back(Text{text});
    for (const std::string& problem : list) add_pictures(section, problem);
    return section;
}

} // namespace mantissa::report
