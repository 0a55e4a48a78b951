// The advice in words.
#include <cmath>

#include <fmt/format.h>

#include "mantissa/host/advise.hpp"
#include "mantissa/spec.hpp"

namespace mantissa {

namespace {

std::string measured_text(const Problem& problem, const MatrixMeasured& m) {
    std::string text = fmt::format("{}: {} unknowns, at most {} entries off the diagonal in a row.\n", problem.name,
                                   m.unknowns, m.longest_row);
    text += fmt::format("The matrix scaled to a unit diagonal has eigenvalues from {:.3e} to {:.4g}, by {} steps of "
                        "Lanczos",
                        m.smallest, m.largest, m.steps);
    if (!(m.smallest > 0)) return text + ".\n";
    text += m.settled ? "" : " (the smallest had not settled)";
    text += fmt::format(": condition number {:.2e}.\n", m.condition());
    text += fmt::format("Conjugate gradients in double precision take {} iterations{}. Rounding of a double defect "
                        "leaves a residual of about {:.0e}.\n",
                        m.double_iterations, m.double_reached ? "" : " and have not converged then", m.floor);
    return text;
}

std::string widths_text(const Advice& advice) {
    const AdvisedWidths& w = advice.widths;
    const SolveOptions& o = advice.options;
    std::string text =
        w.perturbation == 0
            ? fmt::format("Coefficients: {} fraction bits hold them exactly.\n", w.coefficient)
            : fmt::format("Coefficients: {} fraction bits. Rounding to them changes no row by more than {:.1e}, and "
                          "the matrix stays positive definite with four times that change, of either sign. (By the "
                          "bound alone {} bits would be safe.)\n",
                          w.coefficient, w.perturbation, w.coefficient_safe);
    text +=
        fmt::format("Vectors: {} fraction bits, the most of {} (rounding q = A p must not hide the curvature of the "
                    "smoothest direction), {} (the energy that rounding brings in stays below the error's) and {} "
                    "(the residual must not drift within {} inner iterations).\n",
                    w.vector, w.curvature, w.energy, w.descent, o.inner);
    text +=
        fmt::format("Words: {} bits. {} before the point hold the longest word of the double run, 2^{:.1f} times the "
                    "outer loop's scale, with a sign and one bit to spare.\n",
                    o.spec.r.word_bits, w.integer, std::log2(advice.measured.largest_word));
    text += fmt::format("The iterate between two restarts asks for {} fraction bits", w.iterate);
    text +=
        o.spec.operand == DatapathSpec::kFixedOperand ? ".\n" : fmt::format("; alpha and beta for {}.\n", w.operand);
    return text;
}

} // namespace

std::string advised_command(const Problem& problem, const Advice& advice) {
    const SolveOptions& o = advice.options;
    std::string text = fmt::format("mantissa solve --problem '{}' --jacobi --scheme residual-guided --inner {} --spec "
                                   "'{}'",
                                   problem.name, o.inner, to_string(o.spec));
    if (o.tolerance != SolveOptions{}.tolerance) text += fmt::format(" --tolerance {:g}", o.tolerance);
    if (o.max_iterations != 0) text += fmt::format(" --max-iterations {}", o.max_iterations);
    return text;
}

std::string advice_text(const Problem& problem, const Advice& advice) {
    std::string text = measured_text(problem, advice.measured);
    if (!advice.found) return text + fmt::format("No datapath within 52 bits: {}.\n", advice.why_not);
    return text + widths_text(advice) + "Run\n  " + advised_command(problem, advice) + "\n";
}

} // namespace mantissa
