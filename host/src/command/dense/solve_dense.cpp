#include "command/dense/solve_dense.hpp"

#include <cstdio>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "command/command.hpp"
#include "command/dense/tensor_solve.hpp"
#include "mantissa/base/files.hpp"
#include "mantissa/host/dense.hpp"
#include "text/key_values.hpp"

namespace mantissa::cli {

namespace {

void print_table(std::FILE* to, const DenseProblem& p, const DenseOptions& o, const DenseResult& r) {
    const auto row = [to](const char* name, const std::string& value) { fmt::print(to, "{:<15}{}\n", name, value); };
    row("problem", fmt::format("{}  ({} unknowns, dense)", p.name, p.a.size()));
    row("factors", to_string(o.spec) + (o.scale ? ", rows and columns scaled by powers of two" : ""));
    row("refinement", to_string(o.refinement));
    if (r.end != LuEnd::factored) {
        row("status", fmt::format("no factors: {} at column {}", to_string(r.end), r.at));
        return;
    }
    row("status", to_string(r.status));
    row("steps", r.krylov_steps == 0 ? fmt::format("{} of refinement", r.steps)
                                     : fmt::format("{} of refinement, {} of GMRES", r.steps, r.krylov_steps));
    row("backward error", fmt::format("{:.3e}  (||b - A x|| / (||A|| ||x|| + ||b||); double accuracy is n u = {:.3e})",
                                      r.backward_error, static_cast<double>(p.a.size()) * 0x1p-53));
    row("HPL residual", fmt::format("{:.3g}  (below 16 is accepted)", r.hpl_residual));
    row("forward error", fmt::format("{:.3e}  (largest; the solution is all ones)", r.forward_error));
    row("factor error", fmt::format("{:.3e}  (||P A Q - L U|| / ||A||)", r.factor_error));
    row("growth", fmt::format("{:.4g}", r.growth));
    row("condition", fmt::format("{:.2g}  (estimated from the factors, 1-norm)", r.condition));
    row("time", fmt::format("{:.3g} s for the factors, {:.3g} s of refinement", r.factor_seconds, r.refine_seconds));
}

nlohmann::ordered_json to_json(const DenseProblem& p, const DenseOptions& o, const DenseResult& r) {
    nlohmann::ordered_json j = {{"problem", p.name},
                                {"unknowns", p.a.size()},
                                {"spec", to_string(o.spec)},
                                {"refinement", to_string(o.refinement)},
                                {"scaled", o.scale},
                                {"status", to_string(r.status)},
                                {"end", std::string(to_string(r.end))},
                                {"column", r.at},
                                {"steps", r.steps},
                                {"gmres_steps", r.krylov_steps},
                                {"backward_error", r.backward_error},
                                {"hpl_residual", r.hpl_residual},
                                {"forward_error", r.forward_error},
                                {"factor_error", r.factor_error},
                                {"growth", r.growth},
                                {"condition", r.condition},
                                {"exchanges", r.exchanges},
                                {"factor_seconds", r.factor_seconds},
                                {"refine_seconds", r.refine_seconds}};
    for (const DenseStep& step : r.history)
        j["history"].push_back({{"gmres_steps", step.krylov_steps}, {"backward_error", step.residual}});
    return j;
}

} // namespace

void add_dense_options(CLI::App& app, DenseFlags& f) {
    app.add_option("--dense", f.problem,
                   "in place of --problem, a dense system by LU: n=N[,kind=uniform|dominant|graded|randsvd][,seed=S]"
                   "[,kappa=K], or file=FILE, a dense copy of a MatrixMarket matrix (docs/lu.md)");
    app.add_option("--lu", f.spec,
                   "arithmetic of the factors, as lu:s10e5,acc=fixed[15:-34],pivot=partial; or tensor:half-pair (half, "
                   "bfloat, bfloat-pair), by the tensor cores of a GPU")
        ->capture_default_str();
    app.add_option("--refine", f.refine, "to double accuracy: none, ir or gmres-ir")->capture_default_str();
    app.add_option("--refine-steps", f.steps, "refinement steps at most")->capture_default_str();
    app.add_flag("--unscaled", f.plain, "do not scale the rows and columns of a dense system");
}

int solve_dense_command(const DenseFlags& f) {
    if (names_tensor_cores(f.spec)) return tensor_solve_command(f);
    DenseOptions o;
    o.spec = parse_lu_spec(f.spec);
    o.refinement = parse_dense_refinement(f.refine);
    o.max_steps = f.steps;
    o.scale = !f.plain;
    o.threads = thread_count(f.threads);
    std::FILE* const words = check_outputs({{"--solution", f.solution}}, f.json);
    const DenseProblem problem = make_dense_problem(f.problem);
    const DenseResult r = solve_dense(problem, o);
    if (f.json) fmt::print("{}\n", to_json(problem, o, r).dump(2));
    else print_table(words, problem, o, r);
    if (!f.solution.empty() && r.end == LuEnd::factored) {
        std::string text = fmt::format("%%MatrixMarket matrix array real general\n% solution of {}, {}\n{} 1\n",
                                       problem.name, to_string(o.spec), r.x.size());
        for (const double x : r.x) text += text::shortest(x) + '\n';
        base::write_file(f.solution, text);
    }
    return r.status == DenseStatus::converged ? kDone : kNotConverged;
}

} // namespace mantissa::cli
