// mantissa flow: bubbles carried by the fluid that they move, a dense system for each cell.
#include <algorithm>
#include <cstdio>
#include <memory>
#include <optional>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "command/command.hpp"
#include "command/options/declare.hpp"
#include "device_cells.hpp"
#include "mantissa/base/files.hpp"
#include "mantissa/base/quoted.hpp"
#include "mantissa/host/flow.hpp"
#include "mantissa/host/provenance.hpp"
#include "store/result_json.hpp"
#include "text/counted.hpp"
#include "text/json_text.hpp"
#include "text/key_values.hpp"

namespace mantissa::cli {

namespace {

struct FlowFlags {
    std::string cells = "32x32", lu, refine = "none", device = "cpu", precision, arrangement = "random",
                drive = "rolls", picture;
    FlowOptions flow;
    std::uint32_t steps = 40;
    int threads = 0;
    bool pivot = false, json = false;
};

FlowOptions options_of(const FlowFlags& f) {
    FlowOptions o = f.flow;
    const std::size_t cross = f.cells.find('x');
    if (cross == std::string::npos || !text::read_number(std::string_view(f.cells).substr(0, cross), o.columns) ||
        !text::read_number(std::string_view(f.cells).substr(cross + 1), o.rows))
        throw InvalidInput(fmt::format("--cells {}: write KxL, as 32x32", base::quoted(f.cells)));
    if (f.arrangement == "square") o.arrangement = BubbleArrangement::square;
    else if (f.arrangement != "random")
        throw InvalidInput(fmt::format("--arrangement {}: it is random or square", base::quoted(f.arrangement)));
    if (f.drive == "rise") o.drive = BubbleDrive::rise;
    else if (f.drive != "rolls")
        throw InvalidInput(fmt::format("--drive {}: it is rise or rolls", base::quoted(f.drive)));
    o.validate();
    return o;
}

std::string precision_of(const FlowFlags& f) {
    return f.precision.empty() ? "float" : f.precision;
}

/// Of the factors on the processor.
LuSpec lu_of(const FlowFlags& f) {
    if (f.lu.empty()) {
        const std::string precision = precision_of(f);
        if (precision != "float" && precision != "double")
            throw InvalidInput(fmt::format("--precision {}: on the processor it is float or double; --lu has other "
                                           "arithmetic, --device gpu has tf32x3",
                                           base::quoted(precision)));
        return parse_lu_spec("lu:" + precision + (f.pivot ? "" : ",pivot=none"));
    }
    if (f.pivot || !f.precision.empty())
        throw InvalidInput(fmt::format("--lu {} with {}: it has its own arithmetic and pivots (,pivot=none); leave one "
                                       "of the two out",
                                       base::quoted(f.lu), f.pivot ? "--pivot" : "--precision"));
    return parse_lu_spec(f.lu);
}

std::unique_ptr<CellSolver> solver_of(const FlowFlags& f, const FlowOptions& o) {
    if (f.device == "gpu") {
        if (!f.lu.empty())
            throw InvalidInput("--device gpu with --lu: the device has --precision instead; leave --lu out");
        if (f.refine != "none")
            throw InvalidInput(fmt::format("--device gpu with --refine {}: only the processor refines; leave it out",
                                           base::quoted(f.refine)));
        return make_device_cells(precision_of(f), o, f.pivot);
    }
    if (f.device != "cpu") throw InvalidInput(fmt::format("--device {}: it is cpu or gpu", base::quoted(f.device)));
    if (f.refine != "none" && f.refine != "ir")
        throw InvalidInput(fmt::format("--refine {}: it is none or ir", base::quoted(f.refine)));
    const LuSpec spec = lu_of(f);
    if (spec.scale != LuScale::one)
        throw InvalidInput("--lu: cells take their matrices as they are, of elements about one; leave scale=top out");
    return make_emulated_cells(spec, f.refine == "ir", thread_count(f.threads));
}

/// What the steps took, apart from the first solve of every cell.
struct Outcome {
    CellTimes cells;
    double advection = 0, mean_before = 0;
};

results::Json to_json(const FlowFlags& f, const BubblyFlow& flow, const CellSolver& solver, const Outcome& out,
                      const std::string& typed) {
    const FlowOptions& o = flow.options();
    const double steps = std::max<double>(1, static_cast<double>(flow.steps()));
    const Provenance here = current_provenance(typed);
    double fastest = 0;
    for (const Point2& u : flow.velocity()) fastest = std::max(fastest, std::hypot(u[0], u[1]));
    const double total = (out.cells.total() + out.advection) / steps;
    return {{"kind", "bubbly flow"},
            {"command", typed},
            {"commit", here.commit},
            {"cells", {o.columns, o.rows}},
            {"unknowns", o.unknowns},
            {"bubbles", o.bubbles},
            {"batch", o.batch()},
            {"device", f.device},
            {"where", solver.where()},
            {"arithmetic", f.lu.empty() ? precision_of(f) : f.lu},
            {"pivot", f.lu.empty() ? f.pivot : lu_of(f).pivot != LuPivot::none},
            {"steps", flow.steps()},
            {"time", flow.time()},
            {"mean_density", flow.mean_density()},
            {"mean_density_before", out.mean_before},
            {"rounding_bound", flow.rounding_bound()},
            {"greatest_velocity", fastest},
            {"backward_error", solver.backward_error()},
            {"seconds_per_step",
             {{"total", total},
              {"assembly", out.cells.assembly / steps},
              {"factor", out.cells.factor / steps},
              {"solve", out.cells.solve / steps},
              {"transfers", out.cells.transfers / steps},
              {"advection", out.advection / steps}}},
            {"seconds_per_cell", total / static_cast<double>(o.batch())}};
}

void print_table(std::FILE* to, const FlowFlags& f, const BubblyFlow& flow, const CellSolver& solver,
                 const Outcome& out) {
    const auto row = [to](const char* name, const std::string& value) { fmt::print(to, "{:<15}{}\n", name, value); };
    const FlowOptions& o = flow.options();
    row("cells", fmt::format("{} x {}, {} of them solved in each step", o.columns, o.rows, o.batch()));
    row("cell", fmt::format("{} unknowns, {} of {} points", o.unknowns, text::counted(o.bubbles, "bubble"),
                            o.unknowns / o.bubbles));
    row("arithmetic", fmt::format("{} on {}", f.lu.empty() ? precision_of(f) : f.lu, solver.where()));
    row("steps", fmt::format("{}, to time {:.5g}", flow.steps(), flow.time()));
    const auto [low, high] = std::minmax_element(flow.density().begin(), flow.density().end());
    row("bubbles' share", fmt::format("{:.4g} to {:.4g}", *low, *high));
    row("conserved", fmt::format("the mean changed by {:.2e}; rounding can change it by {:.2e}",
                                 std::fabs(flow.mean_density() - out.mean_before), flow.rounding_bound()));
    row("backward error", fmt::format("{:.2e}  (the greatest of all cells: ||b - A q|| / (||A|| ||q|| + ||b||))",
                                      solver.backward_error()));
    if (flow.steps() == 0) return;
    const double steps = static_cast<double>(flow.steps()), ms = 1e3 / steps;
    row("per step",
        fmt::format("{:.4g} ms: assembly {:.3g}, factors {:.3g}, solution {:.3g}, transfers {:.3g}, "
                    "advection {:.3g}",
                    ms * (out.cells.total() + out.advection), ms * out.cells.assembly, ms * out.cells.factor,
                    ms * out.cells.solve, ms * out.cells.transfers, ms * out.advection));
}

int run_flow(const FlowFlags& f, const std::string& typed) {
    const FlowOptions options = options_of(f);
    std::FILE* const words = check_outputs({{"--picture", f.picture, true}}, f.json);
    const std::unique_ptr<CellSolver> solver = solver_of(f, options);
    BubblyFlow flow(options, *solver);
    const CellTimes before = solver->times();
    Outcome out;
    out.mean_before = flow.mean_density();
    std::vector<FlowFrame> frames;
    const auto keep = [&] {
        frames.push_back({flow.steps(), flow.time(), {flow.density().begin(), flow.density().end()}});
    };
    constexpr std::uint32_t kFrames = 4;
    if (!f.picture.empty()) keep();
    for (std::uint32_t step = 1; step <= f.steps; ++step) {
        flow.step();
        const bool framed = step * kFrames / f.steps != (step - 1) * kFrames / f.steps;
        if (!f.picture.empty() && framed) keep();
    }
    const CellTimes& after = solver->times();
    out.cells = {after.assembly - before.assembly, after.factor - before.factor, after.solve - before.solve,
                 after.transfers - before.transfers};
    out.advection = flow.advection_seconds();
    if (f.json) fmt::print("{}\n", json_text(to_json(f, flow, *solver, out, typed)));
    else print_table(words, f, flow, *solver, out);
    if (!f.picture.empty()) {
        const auto densest = std::max_element(flow.density().begin(), flow.density().end()) - flow.density().begin();
        const BubbleCell cell = flow.cell(static_cast<std::size_t>(densest));
        const DenseProblem system = bubble_system(cell);
        const std::vector<double> q = substitute(factor(parse_lu_spec("lu:double"), system.a), system.b);
        base::write_file(f.picture, flow_picture(options, frames, cell, q));
    }
    return kDone;
}

Run setup_flow(CLI::App& app, const std::string& typed) {
    const auto flags = std::make_shared<FlowFlags>();
    FlowOptions& flow = flags->flow;
    app.add_option("--cells", flags->cells, "of the grid, KxL")->capture_default_str();
    app.add_option("--unknowns", flow.unknowns, "of a cell's dense system: bubbles times points")
        ->capture_default_str();
    app.add_option("--bubbles", flow.bubbles, "of a cell")->capture_default_str();
    app.add_option("--steps", flags->steps, "in time")->capture_default_str();
    app.add_option("--fraction", flow.fraction, "mean share of the area that bubbles take")->capture_default_str();
    app.add_option("--contrast", flow.contrast, "how much denser the cloud's middle is")->capture_default_str();
    app.add_option("--refreshed", flow.refreshed, "share of the cells that are solved in each step")
        ->capture_default_str();
    app.add_option("--courant", flow.courant, "of the time step, at most 0.5")->capture_default_str();
    app.add_option("--arrangement", flags->arrangement, "of a cell's bubbles: random or square")->capture_default_str();
    app.add_option("--drive", flags->drive, "the bubbles' own velocity: rise, or rolls, which adds vortices")
        ->capture_default_str();
    app.add_option("--seed", flow.seed, "of the bubbles' places")->check(whole_number(0))->capture_default_str();
    declare(app, Common::device, flags->device, "cpu or gpu")->capture_default_str();
    app.add_option("--precision", flags->precision,
                   "of the cells' factors: float or double; on the GPU also tf32x3 (tensor cores, parts of floats)")
        ->default_str("float");
    using options::Dense;
    declare(app, options::dense(Dense::lu), flags->lu,
            "on the processor: arithmetic of the factors, as lu:s10e5,acc=fixed[15:-34]")
        ->default_str("");
    declare(app, options::dense(Dense::refine), flags->refine, "on the processor, to double accuracy: none or ir");
    app.add_flag("--pivot", flags->pivot, "partial pivoting; else none, for the systems are near dominant");
    app.add_option("--picture", flags->picture, "write densities and one cell's bubbles as SVG");
    declare(app, Common::threads, flags->threads);
    declare(app, Common::json, flags->json);
    return [flags, typed, &app] {
        if (flags->arrangement == "square" && app.get_option("--seed")->count() != 0)
            throw InvalidInput("--seed: a square arrangement has nothing at random; leave it out");
        return run_flow(*flags, typed);
    };
}

} // namespace

const Command kFlow{"flow", "Bubbles carried by the fluid that they move: a dense system for each cell", setup_flow};

} // namespace mantissa::cli
