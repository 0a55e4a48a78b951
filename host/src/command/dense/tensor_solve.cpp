#include "command/dense/tensor_solve.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "command/command.hpp"
#include "mantissa/base/files.hpp"
#include "mantissa/format.hpp"
#include "mantissa/host/dense.hpp"
#include "text/key_values.hpp"
#ifdef MANTISSA_GPU
#include "mantissa/gpu/device.hpp"
#include "mantissa/gpu/lu_mixed.hpp"
#include "text/json_text.hpp"
#endif

namespace mantissa::cli {

namespace {

constexpr std::string_view kPrefix = "tensor:";

} // namespace

bool names_tensor_cores(std::string_view spec) {
    return spec.starts_with(kPrefix);
}

#ifdef MANTISSA_GPU

namespace {

gpu::MixedWords parse_words(std::string_view text) {
    using gpu::MixedWords;
    for (const MixedWords words :
         {MixedWords::half, MixedWords::half_pair, MixedWords::bfloat, MixedWords::bfloat_pair})
        if (gpu::to_string(words) == text) return words;
    throw InvalidInput(fmt::format("--lu tensor:{}: it is half, half-pair, bfloat or bfloat-pair", text));
}

gpu::MixedOptions options_of(const DenseFlags& f) {
    gpu::MixedOptions o;
    o.words = parse_words(std::string_view(f.spec).substr(kPrefix.size()));
    const DenseRefinement refinement = parse_dense_refinement(f.refine);
    if (refinement == DenseRefinement::none)
        throw InvalidInput("--refine none: factors of the tensor cores are always refined; use ir or gmres-ir");
    o.refinement = refinement == DenseRefinement::ir ? gpu::MixedRefinement::classical : gpu::MixedRefinement::gmres;
    o.most_residuals = static_cast<int>(std::clamp<std::uint32_t>(f.steps, 1, 100000)) + 1;
    if (f.plain) throw InvalidInput("--unscaled: the tensor cores' words have few exponent bits, so it always scales");
    return o;
}

std::string verdict(const gpu::MixedResult& r) {
    switch (r.status) {
    case gpu::MixedStatus::singular:
        return fmt::format("no factors: singular at column {}", r.column);
    case gpu::MixedStatus::overflow:
        return "no factors: U outgrew the words' range; use bfloat words";
    case gpu::MixedStatus::not_finite:
        return "no solution: a number of the system or of its factors is not finite";
    default:
        return std::string(gpu::to_string(r.status));
    }
}

void print_table(std::FILE* to, const DenseProblem& p, const DenseFlags& f, const gpu::MixedResult& r, double forward) {
    const auto row = [to](const char* name, const std::string& value) { fmt::print(to, "{:<15}{}\n", name, value); };
    row("problem", fmt::format("{}  ({} unknowns, dense)", p.name, p.a.size()));
    row("factors", f.spec + " on the GPU's tensor cores, partial pivoting, rows and columns scaled by powers of two");
    row("refinement", f.refine);
    row("status", verdict(r));
    row("steps", fmt::format("{} residuals in double, factors applied {} times", r.residuals, r.corrections));
    row("backward error", fmt::format("{:.3e}  (||b - A x|| / (||A|| ||x|| + ||b||); double accuracy is n u = {:.3e})",
                                      r.backward_error, static_cast<double>(p.a.size()) * 0x1p-53));
    row("HPL residual", fmt::format("{:.3g}  (below 16 is accepted)", r.hpl_residual));
    row("forward error", fmt::format("{:.3e}  (largest; the solution is all ones)", forward));
    row("time", fmt::format("{:.3g} s for the factors, {:.3g} s of refinement", r.prepare_seconds + r.factor_seconds,
                            r.refine_seconds));
}

nlohmann::ordered_json to_json(const DenseProblem& p, const DenseFlags& f, const gpu::MixedResult& r, double forward) {
    return {{"problem", p.name},
            {"unknowns", p.a.size()},
            {"spec", f.spec},
            {"refinement", f.refine},
            {"status", std::string(gpu::to_string(r.status))},
            {"column", r.column},
            {"residuals", r.residuals},
            {"corrections", r.corrections},
            {"backward_error", r.backward_error},
            {"hpl_residual", r.hpl_residual},
            {"forward_error", forward},
            {"prepare_seconds", r.prepare_seconds},
            {"factor_seconds", r.factor_seconds},
            {"refine_seconds", r.refine_seconds}};
}

} // namespace

int tensor_solve_command(const DenseFlags& f) {
    const gpu::MixedOptions options = options_of(f);
    std::FILE* const words = check_outputs({{"--solution", f.solution}}, f.json);
    if (const std::string missing = gpu::device_missing(); !missing.empty())
        throw InvalidInput("--lu " + f.spec + ": " + missing);
    const DenseProblem problem = make_dense_problem(f.problem);
    const std::size_t n = problem.a.size();
    std::vector<double> x(n);
    const gpu::MixedResult r = gpu::solve_mixed(problem.a.values(), problem.b, x, true, options);
    double forward = 0;
    for (const double value : x) forward = std::max(forward, std::fabs(value - 1.0));
    if (f.json) fmt::print("{}\n", json_text(to_json(problem, f, r, forward)));
    else print_table(words, problem, f, r, forward);
    const bool converged = r.status == gpu::MixedStatus::converged;
    if (!f.solution.empty() && (converged || r.status == gpu::MixedStatus::stagnated)) {
        std::string text = fmt::format("%%MatrixMarket matrix array real general\n% solution of {}, {}\n{} 1\n",
                                       problem.name, f.spec, n);
        for (const double value : x) text += text::shortest(value) + '\n';
        base::write_file(f.solution, text);
    }
    return converged ? kDone : kNotConverged;
}

#else

int tensor_solve_command(const DenseFlags& f) {
    throw InvalidInput(fmt::format(
        "--lu {}: this build has no CUDA (install the CUDA toolkit, 13 or later, and build again)", f.spec));
}

#endif

} // namespace mantissa::cli
