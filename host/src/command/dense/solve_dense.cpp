#include "command/dense/solve_dense.hpp"

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "command/command.hpp"
#include "command/options/declare.hpp"
#include "dense/verdict.hpp"
#include "mantissa/base/files.hpp"
#include "mantissa/errors.hpp"
#include "mantissa/host/dense.hpp"
#include "mantissa/host/registry.hpp"
#include "text/json_text.hpp"
#include "text/key_values.hpp"

namespace mantissa::cli {

namespace {

using options::Dense;

/// The engine that factored beside the first one, and where the two differ; empty where they do not.
struct Comparison {
    std::string engine, difference;
    std::size_t elements = 0;
    double seconds = 0;
};

std::string difference(const LuFactors& a, const LuFactors& b) {
    if (a.end != b.end || a.at != b.at)
        return fmt::format("'{}' at column {} beside '{}' at column {}", to_string(a.end), a.at, to_string(b.end),
                           b.at);
    if (a.end != LuEnd::factored) return {};
    for (std::size_t k = 0; k < a.size(); ++k)
        if (a.rows[k] != b.rows[k] || a.columns[k] != b.columns[k]) return fmt::format("the pivot of column {}", k);
    for (std::size_t i = 0; i < a.size(); ++i)
        for (std::size_t j = 0; j < a.size(); ++j)
            if (std::bit_cast<std::uint64_t>(a.lu(i, j)) != std::bit_cast<std::uint64_t>(b.lu(i, j)))
                return fmt::format("element ({}, {}), {} beside {}", i, j, a.lu(i, j), b.lu(i, j));
    return {};
}

/// Factors by `engine`, and by the engine `check` beside it if one is named.
LuFactor checked_factor(const DenseFlags& f, int threads, double& seconds, std::optional<Comparison>& comparison) {
    LuFactor first = make_lu_factor(f.engine, threads, &seconds);
    if (f.check.empty()) return first;
    if (f.check == f.engine)
        throw InvalidInput(fmt::format("--check {}: it is the engine that factors; name the other one", f.check));
    comparison.emplace().engine = f.check;
    return [&comparison, first, second = make_lu_factor(f.check, threads, &comparison->seconds)](const LuSpec& spec,
                                                                                                 const DenseMatrix& a) {
        LuFactors factors = first(spec, a);
        comparison->difference = difference(factors, second(spec, a));
        comparison->elements = a.size() * a.size();
        return factors;
    };
}

/// The same of factors in a device's own arithmetic.
std::string native_failure(const DenseResult& r, std::size_t unknowns) {
    if (r.end == LuEnd::overflow)
        return "no factors: U outgrew the range of the tensor cores' words; take --lu tensor:bfloat-pair or "
               "lu:double,sum=free";
    const std::string where = r.at < unknowns ? fmt::format(" at column {}", r.at) : "";
    if (r.end == LuEnd::singular)
        return fmt::format("no factors: the pivot{} vanishes in this arithmetic ({}); take --lu lu:double,sum=free",
                           where, r.examined ? "the matrix is not singular" : "the matrix was not examined");
    return fmt::format("no factors: a number of the system or of its factors{} is not finite", where);
}

/// Arithmetic in which a pivot that vanishes in `u` may not: never `u` itself again.
std::string longer_than(const Format& u) {
    constexpr Format kSingle = formats::kFloat, kDouble = formats::kDouble;
    const auto holds = [&](const Format& f) {
        return u.fraction_bits >= f.fraction_bits && u.exponent_bits >= f.exponent_bits;
    };
    if (holds(kDouble)) return "fewer unknowns that depend on each other: double itself cannot tell them apart";
    if (holds(kSingle)) return "more bits, of the exponent too: --lu lu:s23e11 or lu:double";
    return fmt::format("{}more bits, as --lu lu:s23e8, lu:s23e11 (a wider range) or lu:double",
                       u.flushes() ? "subnormal numbers, as lu:half has, or " : "");
}

/// What the factors failed at, and what mends it.
std::string failure(const DenseProblem& p, const DenseOptions& o, const DenseResult& r) {
    const char* const what = o.method == DenseMethod::lu ? "factors" : "inverse";
    if (r.end == LuEnd::singular && r.singular) return "no " + std::string(what) + ": the matrix is singular";
    if (r.native) return native_failure(r, p.a.size());
    const std::string where = fmt::format("no {}: ", what);
    switch (r.end) {
    case LuEnd::singular:
        return where + fmt::format("the pivot of column {} vanishes in this arithmetic ({}); take {}", r.at,
                                   r.examined ? "the matrix is not singular" : "the matrix was not examined",
                                   longer_than(o.spec.u));
    case LuEnd::overflow:
        // A window that reaches past the format is not what stops a sum that rounds into it.
        if (o.spec.window.msb > o.spec.u.max_exponent())
            return where + fmt::format("overflow at column {}: a sum is beyond the range of {}; take more exponent "
                                       "bits, as lu:s23e8",
                                       r.at, to_string(o.spec.u));
        return where + fmt::format("overflow at column {}: a sum is outside fixed[{}:{}]; take a greater MSB", r.at,
                                   o.spec.window.msb, o.spec.window.lsb);
    default:
        return where +
               fmt::format("not finite at column {}: beyond the format; take more exponent bits, as lu:s23e8", r.at);
    }
}

/// The status, and why no more.
std::string verdict(const DenseProblem& p, const DenseOptions& o, const DenseResult& r) {
    if (r.end != LuEnd::factored) return failure(p, o, r);
    if (r.status == DenseStatus::out_of_range)
        return "out of range: the solution has elements beyond the largest double, so none is written; scale the right-"
               "hand side down";
    if (r.status == DenseStatus::converged) return to_string(r.status);
    if (r.x.empty()) return to_string(r.status) + ": no iterate is in double's range, so none is written";
    if (r.rounded_away)
        return to_string(r.status) + ": x in double cannot do better; elements of it are below 2^-1022, so scale the "
                                     "right-hand side up";
    return to_string(r.status);
}

void print_table(std::FILE* to, const DenseProblem& p, const DenseOptions& o, const DenseResult& r,
                 const std::string& engine, const std::optional<Comparison>& check) {
    const auto row = [to](const char* name, const std::string& value) { fmt::print(to, "{:<15}{}\n", name, value); };
    row("problem", fmt::format("{}  ({} unknowns, dense)", p.name, p.a.size()));
    row(o.method == DenseMethod::lu ? "factors" : "inverse",
        to_string(r.spec) + (o.scale ? ", rows and columns scaled by powers of two" : "") +
            (r.gave_up.empty() ? "" : fmt::format(" ({})", r.gave_up)));
    row("engine", r.native ? fmt::format("{}, {}", engine, r.native->by) : engine);
    if (check && check->difference.empty())
        row("check", fmt::format("engine {} gave the same {} elements and pivots", check->engine, check->elements));
    row("refinement", to_string(o.refinement));
    row("status", verdict(p, o, r));
    if (r.end != LuEnd::factored) return;
    row("steps", (r.krylov_steps == 0 ? fmt::format("{} of refinement", r.steps)
                                      : fmt::format("{} of refinement, {} of GMRES", r.steps, r.krylov_steps)) +
                     (r.native && r.native->residuals != 0
                          ? fmt::format("; on the device {} residuals in double, factors applied {} times",
                                        r.native->residuals, r.native->corrections)
                          : ""));
    row("backward error", fmt::format("{:.3e}  (||b - A x|| / (||A|| ||x|| + ||b||); double accuracy is n u = {:.3e})",
                                      r.backward_error, static_cast<double>(p.a.size()) * 0x1p-53));
    row("HPL residual", fmt::format("{:.3g}  (below 16 is accepted)", r.hpl_residual));
    if (p.each == 1) row("forward error", fmt::format("{:.3e}  (largest; the solution is all ones)", r.forward_error));
    else if (p.each != 0)
        row("forward error",
            fmt::format("{:.3e}  (largest, relative; the solution is all {})", r.forward_error, p.each));
    if (r.native) {
        row("time", fmt::format("{:.3g} ms for the factors and {:.3g} ms for the solve on the device; {:.3g} s in all, "
                                "{:.3g} s of it for the verdict on the processor",
                                1e3 * r.native->factor_seconds, 1e3 * r.native->solve_seconds,
                                r.factor_seconds + r.refine_seconds, r.refine_seconds));
        return;
    }
    const bool lu = o.method == DenseMethod::lu;
    if (lu) {
        row("factor error", fmt::format("{:.3e}  (||P A Q - L U|| / ||A||)", r.factor_error));
        row("growth", fmt::format("{:.4g}", r.growth));
    } else {
        row("inverse error", fmt::format("{:.3e}  (||A X - I|| / (||A|| ||X||))", r.factor_error));
    }
    const char* const what = lu ? "factors" : "inverse";
    const char* const scaled = o.scale ? ", of the scaled matrix" : "";
    row("condition",
        dense::condition_in_sight(r)
            ? fmt::format("{:.2g}  (estimated from the {}, 1-norm{})", r.condition, what, scaled)
            : fmt::format("about {:.1g} or more  (1-norm{}; out of sight of the {}, whose rounding it may be)",
                          r.condition, scaled, what));
    row("time", fmt::format("{:.3g} s for the {}, {:.3g} s of refinement", r.factor_seconds, what, r.refine_seconds));
}

nlohmann::ordered_json to_json(const DenseProblem& p, const DenseOptions& o, const DenseResult& r) {
    nlohmann::ordered_json j = {{"problem", p.name},
                                {"unknowns", p.a.size()},
                                {"method", to_string(o.method)},
                                {"spec", to_string(r.spec)},
                                {"refinement", to_string(o.refinement)},
                                {"scaled", o.scale},
                                {"status", to_string(r.status)},
                                {"reason", verdict(p, o, r)},
                                {"end", std::string(to_string(r.end))},
                                {"matrix_singular", r.singular},
                                {"column", r.at},
                                {"steps", r.steps},
                                {"gmres_steps", r.krylov_steps},
                                {"backward_error", r.backward_error},
                                {"hpl_residual", r.hpl_residual},
                                {"forward_error", r.forward_error},
                                {"factor_error", r.factor_error},
                                {"growth", r.growth},
                                {"condition", r.condition},
                                {"condition_in_sight", nullptr},
                                {"exchanges", r.exchanges},
                                {"factor_seconds", r.factor_seconds},
                                {"refine_seconds", r.refine_seconds}};
    if (!std::isnan(r.condition)) j["condition_in_sight"] = dense::condition_in_sight(r);
    if (r.native)
        j["native"] = {{"by", r.native->by},
                       {"residuals", r.native->residuals},
                       {"corrections", r.native->corrections},
                       {"factor_seconds", r.native->factor_seconds},
                       {"solve_seconds", r.native->solve_seconds}};
    if (!r.gave_up.empty()) j["gave_up"] = r.gave_up;
    for (const DenseStep& step : r.history)
        j["history"].push_back({{"gmres_steps", step.krylov_steps}, {"backward_error", step.residual}});
    return j;
}

} // namespace

void add_dense_options(CLI::App& app, DenseFlags& f) {
    declare(app, Common::dense, f.problem);
    f.options.declare(app, options::Group::dense);
}

namespace {

/// The engine that was named; tensor cores are a GPU's.
std::string engine_of(const DenseFlags& f, const LuSpec& spec) {
    return spec.tensor() && !f.engine_given ? "gpu" : f.engine;
}

bool given(const DenseFlags& f, Dense which) {
    return f.options.given(options::dense(which));
}

/// --format as the arithmetic of the factors, in a GPU's own order of sums where it has the format; without it the
/// default, which is for factors of a matrix that is scaled: others have none of its scale.
LuSpec own_spec(const DenseFlags& f, const DenseOptions& o) {
    if (f.format.empty()) {
        LuSpec spec = parse_lu_spec(options::dense(Dense::lu).default_text);
        if (o.method != DenseMethod::lu || !o.scale) spec.scale = LuScale::one;
        return spec;
    }
    const bool native = f.engine == "gpu" && f.check.empty() && (f.format == "double" || f.format == "float");
    return parse_lu_spec(fmt::format("lu:{}{}", f.format, native ? ",sum=free" : ""));
}

/// Engine gpu and nothing of an arithmetic: the fastest to double accuracy.
bool asks_for_fastest(const DenseFlags& f, const DenseOptions& o) {
    return f.engine == "gpu" && !given(f, Dense::lu) && f.format.empty() && f.check.empty() &&
           o.method == DenseMethod::lu;
}

void check_native(const DenseFlags& f, const DenseOptions& o) {
    if (o.spec.native == LuNative::none) return;
    if (!f.check.empty())
        throw InvalidInput(
            fmt::format("--check {}: {} promises no bits to compare; leave it out", f.check, to_string(o.spec)));
    for (const Dense which : {Dense::gmres_steps, Dense::gmres_tolerance})
        if (o.spec.tensor() && given(f, which))
            throw InvalidInput(fmt::format("{}: {} refines on the device by itself; leave it out",
                                           flag_of(options::dense(which)), to_string(o.spec)));
}

/// GMRES may end where the solve needs no more; its own limit is then that of the last digits.
DenseOptions options_of(const DenseFlags& f) {
    DenseOptions o;
    text::read_number(options::dense(Dense::gmres_tolerance).default_text, o.krylov_tolerance);
    o.krylov_enough = true;
    f.options.give_to(o);
    if (!given(f, Dense::lu)) o.spec = own_spec(f, o);
    else if (!f.format.empty())
        throw InvalidInput(fmt::format("--format {}: {} {} names the formats; leave one out", f.format,
                                       flag_of(options::dense(Dense::lu)), to_string(o.spec)));
    o.threads = thread_count(f.threads);
    if (asks_for_fastest(f, o)) take_native_dense(outline_dense_problem(f.problem).unknowns, o);
    check_native(f, o);
    return o;
}

} // namespace

int solve_dense_command(const DenseFlags& f) {
    DenseOptions o = options_of(f);
    std::FILE* const words = check_outputs({{flag_of(Common::solution), f.solution}}, f.json);
    std::optional<Comparison> check;
    double seconds = 0;
    const std::string engine = engine_of(f, o.spec);
    if (o.spec.native != LuNative::none) o.native = make_native_lu(engine);
    else if (o.method == DenseMethod::lu) o.factor = checked_factor(f, o.threads, seconds, check);
    else if (f.engine != "emulated" || !f.check.empty())
        throw InvalidInput(
            "--method gauss-jordan: an inverse is formed by the engine emulated alone; leave --engine and "
            "--check out");
    const DenseProblem problem = make_dense_problem(f.problem);
    const DenseResult r = solve_dense(problem, o);
    if (f.json) {
        nlohmann::ordered_json j = to_json(problem, o, r);
        j["engine"] = engine;
        j["engine_seconds"] = r.native ? r.native->factor_seconds : seconds;
        if (check) j["check"] = {{"engine", check->engine}, {"elements", check->elements}, {"seconds", check->seconds}};
        fmt::print("{}\n", json_text(j));
    } else {
        print_table(words, problem, o, r, engine, check);
    }
    if (!f.solution.empty() && !r.x.empty()) {
        std::string text = fmt::format("%%MatrixMarket matrix array real general\n% solution of {}, {}\n{} 1\n",
                                       problem.name, to_string(r.spec), r.x.size());
        for (const double x : r.x) text += text::shortest(x) + '\n';
        base::write_file(f.solution, text);
    }
    if (check && !check->difference.empty()) // after the answer, so that it is not lost
        throw InvalidInput(fmt::format("--check {}: the engines differ: {}", check->engine, check->difference));
    return r.status == DenseStatus::converged ? kDone : kNotConverged;
}

} // namespace mantissa::cli
