// The advice in words.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "mantissa/base/shell_words.hpp"
#include "mantissa/host/advise.hpp"
#include "mantissa/host/advise_cycles.hpp"
#include "mantissa/sparse_core/limits.hpp"
#include "mantissa/spec.hpp"
#include "widths/core_limits.hpp"

namespace mantissa {

namespace {

std::string measured_text(const Problem& problem, const MatrixMeasured& m) {
    std::string text = fmt::format("{}: {} unknowns, at most {} entries off the diagonal in a row.\n", problem.name,
                                   m.unknowns, m.longest_row);
    const std::string by = fmt::format("by {} step{} of Lanczos", m.steps, m.steps == 1 ? "" : "s");
    if (!(m.smallest > 0))
        return text + fmt::format("The matrix scaled to a unit diagonal has an eigenvalue of {:.3e} or below, {}.\n",
                                  m.smallest, by);
    text += fmt::format("The matrix scaled to a unit diagonal has eigenvalues from {:.3e} to {:.4g}, {}", m.smallest,
                        m.largest, by);
    text += m.settled ? "" : " (the smallest had not settled)";
    text += fmt::format(": condition number {:.2e}.\n", m.condition());
    text += fmt::format("Conjugate gradients in double precision take {} iterations{}. Rounding of a double defect "
                        "leaves a residual of about {:.0e}.\n",
                        m.double_iterations, m.double_reached ? "" : " and have not converged then", m.floor);
    return text;
}

std::string widths_text(const MatrixMeasured& m, const Proposal& proposal) {
    const AdvisedWidths& w = proposal.widths;
    const SolveOptions& o = proposal.options;
    std::string text =
        w.perturbation == 0
            ? fmt::format("Coefficients: {} fraction bits hold them exactly.\n", w.coefficient)
            : fmt::format(
                  "Coefficients: {} fraction bits. Rounding to them changes no row by more than {:.1e}. (By the "
                  "bound on rows alone {} bits would be safe for the rule, with a margin of {:.0f}.)\n",
                  w.coefficient, w.perturbation, w.coefficient_safe, w.margin);
    const std::string energy = fmt::format("{} (the energy that rounding brings in stays below the error's)", w.energy);
    const std::string descent =
        fmt::format("{} (what {} inner iterations gain must show in the residual's words)", w.descent, o.inner);
    if (w.exact_rows)
        text += fmt::format(
            "Vectors: the rule asks for the most of {} and {}{}; named are {} fraction bits.\n", energy, descent,
            w.product > w.vector
                ? fmt::format("; q = A p takes {}, with which rows of so short coefficients are exact", w.product)
                : "; rows of so short coefficients are exact",
            w.vector);
    else
        text += fmt::format(
            "Vectors: the rule asks for the most of {} (rounding q = A p must not hide the curvature of the "
            "smoothest direction), {} and {}; named are {} fraction bits.\n",
            w.curvature, energy, descent, w.vector);
    text += fmt::format("Words: {} bits, {} before the point, sign included", o.spec.r.word_bits, w.integer);
    if (m.largest_word > 0)
        text +=
            fmt::format("; the longest word of the double run was 2^{:.1f} times the defect's norm, which is scaled "
                        "to 2^{}",
                        std::log2(m.largest_word), -w.headroom);
    text += fmt::format(".\nThe iterate between two restarts: {} fraction bits in words of {}", w.iterate,
                        o.spec.u.word_bits);
    text +=
        o.spec.operand == DatapathSpec::kFixedOperand ? ".\n" : fmt::format("; alpha and beta for {}.\n", w.operand);
    return text;
}

/// The rule of docs/coefficients.md, for who takes floating-point coefficients in place of words.
std::string floating_text(const MatrixMeasured& m) {
    constexpr double kFewest = 12, kAbove = 3;
    return fmt::format(
        "Floating-point coefficients that are truncated want up to {:.0f} fraction bits (the condition's "
        "logarithm and {:.0f}, at least {:.0f}).\n",
        std::max(kFewest, std::ceil(std::log2(m.condition()) + kAbove)), kAbove, kFewest);
}

/// What came of it when it was tried.
std::string tried_text(const Advice& advice, const Proposal& proposal) {
    if (!proposal.tried) return "By the rule: time for trials was up before one with these words had converged.";
    return fmt::format("Tried: {} iterations, {:.2f} times those of double precision, no step lost to overflow.",
                       *proposal.tried,
                       static_cast<double>(*proposal.tried) /
                           static_cast<double>(std::max<std::uint64_t>(advice.measured.double_iterations, 1)));
}

/// Multilevel cycles, where they are far faster.
std::string cycles_text(const Problem& problem, const Advice& advice) {
    if (!advice.cycles) return {};
    return fmt::format("Multilevel cycles in short words are far faster on a processor: {} iterations, {:.1f} times as "
                       "fast as CG in double precision. (--advise --preconditioner multilevel finds their shortest "
                       "words.)\n  {}\n",
                       advice.cycles->iterations, advice.cycles->times,
                       cycle_command(problem, parse_cycle_spec(advice.cycles->spec), advice.tolerance));
}

/// Where these words run, and how to see the area.
std::string hardware_text(const Problem& problem, const Proposal& proposal, const std::string& target) {
    const DatapathSpec& spec = proposal.options.spec;
    if (const std::string why = advising::core_refusal(spec, problem.system); !why.empty())
        return fmt::format(
            "No core takes the advised words: {}; engines emulated and gpu do. With --engine rtl the advice "
            "names words that a core takes, or says why there are none.\n",
            why);
    const System::Kind kind = problem.system.kind();
    const bool sparse = kind == System::Kind::sparse;
    const char* const core = sparse ? " --operator sparse" : kind == System::Kind::stencil ? " --bands constant" : "";
    return fmt::format(
        "In hardware the {} core takes these words, with the same bits: add --engine rtl, hls or systemc "
        "to the solve. Its area and clock:\n  mantissa synthesize --spec {}{} --target {}\n",
        sparse ? "sparse" : "integer", base::shell_quoted(to_string(spec)), core, target);
}

} // namespace

std::string advising::core_refusal(const DatapathSpec& spec, const System& system) {
    constexpr int kMostIterate = 53;
    const int longest = std::max({spec.r.word_bits, spec.p.word_bits, spec.q.word_bits, spec.coefficient.word_bits});
    if (longest > kCoreWord || spec.u.word_bits > kMostIterate)
        return fmt::format("words of a core have at most {} bits, u's {}", kCoreWord, kMostIterate);
    const int shortest = std::min({spec.r.word_bits, spec.p.word_bits, spec.q.word_bits, spec.coefficient.word_bits});
    if (shortest < kLeastCoreWord) return fmt::format("words of a core have at least {} bits", kLeastCoreWord);
    if (system.kind() == System::Kind::sparse && system.size() > sparse_core::kMostRows)
        return fmt::format("the sparse core holds {} rows at most", sparse_core::kMostRows);
    return {};
}

std::string advised_command(const Problem& problem, const Proposal& proposal) {
    const SolveOptions& o = proposal.options;
    std::string text = fmt::format("mantissa solve --problem {} --jacobi --scheme residual-guided --inner {} --spec {}",
                                   base::shell_quoted(problem.name), o.inner, base::shell_quoted(to_string(o.spec)));
    if (!proposal.engine.empty()) text += " --engine " + proposal.engine;
    if (o.headroom) text += fmt::format(" --headroom {}", *o.headroom);
    if (o.tolerance != SolveOptions{}.tolerance) text += fmt::format(" --tolerance {}", o.tolerance);
    if (o.max_iterations != 0) text += fmt::format(" --max-iterations {}", o.max_iterations);
    return text;
}

std::string advice_text(const Problem& problem, const Advice& advice, const std::string& target) {
    std::string text = measured_text(problem, advice.measured);
    if (!advice.found())
        return text + fmt::format("No datapath within 52 bits: {}.\n", advice.why_not) + cycles_text(problem, advice);
    text += widths_text(advice.measured, *advice.advised);
    text += floating_text(advice.measured);
    text += fmt::format("{} trial solve{} went before this.\n", advice.trials, advice.trials == 1 ? "" : "s");
    text += "Advised:\n  " + advised_command(problem, *advice.advised) + "\n  " + tried_text(advice, *advice.advised) +
            "\n";
    if (advice.fewest->options.spec != advice.advised->options.spec)
        text += "The fewest bits:\n  " + advised_command(problem, *advice.fewest) + "\n  " +
                tried_text(advice, *advice.fewest) + "\n";
    return text + hardware_text(problem, *advice.advised, target) + cycles_text(problem, advice);
}

} // namespace mantissa
