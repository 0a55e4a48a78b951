#include "command/answers/solve_answer.hpp"

#include <fmt/format.h>

#include "command/native/native_options.hpp"
#include "mantissa/base/quoted.hpp"
#include "options/values.hpp"
#include "text/counted.hpp"
#include "text/key_values.hpp"
#include "text/tables/table.hpp"

namespace mantissa::cli {

namespace {

std::string to_text(const ChebyshevBounds& c) {
    return fmt::format("{:.6g} to {:.6g}, {}", c.bounds.low, c.bounds.high,
                       c.lanczos_steps == 0 ? "as given"
                                            : fmt::format("estimated by {} Lanczos steps", c.lanczos_steps));
}

std::string bits_of(int count) {
    return fmt::format("{} {}", count, count == 1 ? "bit" : "bits");
}

/// (The engine gpu has sessions for no Chebyshev iteration: all of its own are native.)
bool is_native(const Point& point) {
    return point.options.spec.sums_free() ||
           (point.engine == "gpu" && point.options.scheme == Scheme::defect_correction);
}

void print_row(std::FILE* to, const char* name, const std::string& value) {
    fmt::print(to, "{:<15}{}\n", name, value);
}

} // namespace

std::string to_text(const EnergyEstimate& e) {
    return fmt::format("{:.2e}  ({:.2e} to {:.2e}{}; A-norm, relative to the solution; estimated)", e.value(), e.lower,
                       e.upper, e.settled ? "" : ", not settled");
}

std::string to_text(const ScheduleStage& stage) {
    return fmt::format("{} below a defect of {}", to_string(stage.spec), text::shortest(stage.below));
}

std::string to_text(const ErrorBound& b) {
    if (!b.absolute) return "none: " + b.why;
    return fmt::format("{:.3e}{}  (largest element of the error, for sure; {})", *b.absolute,
                       b.relative ? fmt::format(", {:.3e} of the solution's", *b.relative) : "", b.method);
}

void print_request(std::FILE* to, const Point& point, const Problem& problem, const std::string& parts,
                   const std::string& exchanges) {
    const auto row = [to](const char* name, const std::string& value) { print_row(to, name, value); };
    const SolveOptions& o = point.options;
    const RecurrenceChoice choice = iterated(o);
    // (Chebyshev's iteration is native in one run, whatever outer loop it stands for in a datapath.)
    const bool one_run = choice.name == RecurrenceChoice::chebyshev && is_native(point);
    const bool refining = refines(o.scheme) && !one_run;
    std::string scheme = one_run ? to_string(choice) : scheme_name(o);
    if (refining && o.digits > 0) scheme += fmt::format(", {} digits an inner solve", text::shortest(o.digits));
    else if (refining && !o.preconditioner)
        scheme += fmt::format(", {} per step", text::counted(o.inner, "inner iteration"));
    if (refining && choice != RecurrenceChoice::pipelined) scheme += ", " + to_string(choice) + " inside";
    else if (choice.name == RecurrenceChoice::gmres) scheme += fmt::format(", cycles of {} steps", choice.restart);
    if (!o.middle.empty()) scheme += ", through " + options::middle_text(o.middle);
    if (o.jacobi) scheme += ", Jacobi scaling";
    if (o.preconditioner) scheme += ", preconditioner " + options::preconditioner_text(o);
    if (const auto outer = outer_words(problem, point.engine, o))
        scheme += (o.resident ? ", resident with an iterate in " : ", outer loop in ") + to_string(*outer);
    if (o.energy) scheme += fmt::format(", to an energy error of {}", text::shortest(*o.energy));
    if (o.headroom) scheme += fmt::format(", {} of headroom", bits_of(*o.headroom));
    if (o.couplings) scheme += fmt::format(", couplings in {} with the rows' sums kept", to_string(*o.couplings));
    row("problem",
        fmt::format("{}  ({} unknowns, {})", problem.name, problem.system.size(), to_string(problem.system.kind())));
    row("scheme", scheme);
    if (!o.preconditioner || !refining) row("datapath", to_string(o.spec));
    for (std::size_t i = 1; i < o.schedule.size(); ++i) row(i == 1 ? "then" : "", to_text(o.schedule[i]));
    row("engine", parts.empty() ? point.engine : point.engine + ", " + parts);
    if (!exchanges.empty()) row("exchanges", exchanges);
    if (!problem.guess.empty()) row("begins at", "a guess");
}

namespace {
std::string to_text(const Check& check) {
    return check.passes == 0 ? fmt::format("nothing compared with {}: no pass ran on an engine", check.engine)
                             : fmt::format("all {} equal to {}, bit for bit",
                                           text::counted(check.passes, "pass", "passes"), check.engine);
}
} // namespace

void print_answer(std::FILE* to, const SolveOptions& o, const SolveResult& r, const std::optional<Check>& check) {
    const auto row = [to](const char* name, const std::string& value) { print_row(to, name, value); };
    const bool refining = refines(o.scheme);
    print_native(to, r);
    if (r.levels) row("levels", fmt::format("{}; set up in {:.3g} s", r.levels->text, r.levels->seconds));
    const char* const option = r.status == Status::iteration_limit ? " (--max-iterations)" : "";
    row("status",
        r.detail.empty() ? to_string(r.status) : fmt::format("{}: {}{}", to_string(r.status), r.detail, option));
    row("iterations", refining ? fmt::format("{} inner, {} outer", r.inner_iterations, r.outer_iterations)
                               : fmt::format("{}", r.inner_iterations));
    row("true residual", fmt::format("{:.3e}  (double precision, relative to the right-hand side)", r.true_residual));
    if (r.error) row("error", fmt::format("{:.5e}  (root mean square, against the continuous solution)", *r.error));
    if (r.energy) row("energy error", to_text(*r.energy));
    if (r.bound) row("error bound", to_text(*r.bound));
    if (r.chebyshev) row("bounds", to_text(*r.chebyshev));
    if (r.equation_scale != 1)
        row("equation", fmt::format("the engine's is {} times the problem's", text::shortest(r.equation_scale)));
    if (o.spec.fixed_vectors()) {
        // (of all stages)
        const auto word = [&](const char* name, int bits, Format DatapathSpec::*vector) {
            if (!(o.spec.*vector).is_fixed()) return std::string();
            int most = (o.spec.*vector).word_bits;
            for (const auto& stage : o.schedule) most = std::max(most, (stage.spec.*vector).word_bits);
            return fmt::format("{} {} of {}  ", name, bits, most);
        };
        row("longest words", word("u", r.words.u, &DatapathSpec::u) + word("r", r.words.r, &DatapathSpec::r) +
                                 word("p", r.words.p, &DatapathSpec::p) + word("q", r.words.q, &DatapathSpec::q) +
                                 "bits");
        if (r.overflows != 0)
            row("overflows", fmt::format("{} lost to a word's overflow", text::counted(r.overflows, "outer step")));
    }
    if (r.resident)
        row("resident", fmt::format("ended {}; {} corrected, {} of headroom at the end", to_string(r.resident->end),
                                    text::counted(r.resident->formed_again, "scale"), bits_of(r.resident->headroom)));
    if (r.bit_operations != BitOperations{})
        row("bit operations",
            fmt::format("{:.4g} multiplied, {:.4g} added", static_cast<double>(r.bit_operations.multiplied),
                        static_cast<double>(r.bit_operations.added)));
    if (r.sigma_guards != 0) row("sigma guards", fmt::format("{}", r.sigma_guards));
    if (r.cycles) row("cycles", fmt::format("{}", *r.cycles));
    if (check) row("check", to_text(*check));
    if (r.device_seconds) row("device", fmt::format("{:.3g} s", *r.device_seconds));
    row("time", fmt::format("{:.3g} s", r.seconds));
}

void print_answers(std::FILE* to, const std::vector<SolveResult>& results, const std::optional<Check>& check) {
    const text::Table table(
        "{right-hand side:>15}  {status:<15} {iterations:>10} {outer:>6}  {true residual:<13.3e} {time}");
    fmt::print(to, "\n{}", table.head());
    for (std::size_t k = 0; k < results.size(); ++k) {
        const SolveResult& r = results[k];
        fmt::print(to, "{}",
                   table.row({k + 1, to_string(r.status), r.inner_iterations, r.outer_iterations, r.true_residual,
                              fmt::format("{:.3g} s{}{}", r.seconds, r.detail.empty() ? "" : "  ", r.detail)}));
    }
    for (std::size_t k = 0; k < results.size(); ++k) {
        const SolveResult& r = results[k];
        if (r.energy) print_row(to, "energy error", fmt::format("{}: {}", k + 1, to_text(*r.energy)));
        if (r.bound) print_row(to, "error bound", fmt::format("{}: {}", k + 1, to_text(*r.bound)));
    }
    if (check) print_row(to, "check", to_text(*check));
}

std::string history_csv(const SolveResult& result) {
    std::string text = "inner_iterations,outer_iterations,relative_defect\n";
    for (const HistoryPoint& h : result.history)
        text += fmt::format("{},{},{}\n", h.inner_iterations, h.outer_iterations, text::shortest(h.relative_defect));
    return text;
}

std::string solution_text(const Point& point, const Problem& problem, const std::vector<SolveResult>& results,
                          const Provenance& here) {
    std::string text = "%%MatrixMarket matrix array real general\n";
    const SolveOptions& o = point.options;
    const std::string inner = o.preconditioner ? options::preconditioner_text(o) : to_string(o.spec);
    text += fmt::format("% solution of {}, {}, {} on {}\n", base::shortened(problem.name, 500),
                        scheme_name(point.options), inner, point.engine);
    for (const SolveResult& result : results)
        text += fmt::format("% {}, true residual {}\n", to_string(result.status), result.true_residual);
    if (!problem.origin.empty()) text += "% at the mesh's place: the origin that the solve took off is added again\n";
    text +=
        fmt::format("% mantissa {} ({})\n{} {}\n", here.version, here.commit, results.front().u.size(), results.size());
    for (const SolveResult& result : results)
        for (const double value : problem.placed(result.u)) text += text::shortest(value) + '\n';
    return text;
}

} // namespace mantissa::cli
