// Which widths a matrix asks for: fixed-point words, coefficients and the iterate of a residual-guided solve, from
// measured eigenvalues. docs/advise.md derives the rule.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "mantissa/host/problem.hpp"
#include "mantissa/host/solve.hpp"

namespace mantissa {

/// What advice is asked for: the solve that the datapath shall serve.
struct AdviceOptions {
    double tolerance = 1e-10; ///< that the solve shall reach
    std::uint64_t inner = 10; ///< inner iterations per outer step
    int threads = 1;
    /// Processor seconds of this process, all threads, that all of it takes at most; three solves in double precision
    /// where these are more. (Other work of the process meanwhile counts as well.)
    double seconds = 10;
    /// Empty where all engines that shall run the solve take the datapath on the system; else one line that says why
    /// not. Where it is left out any words will do.
    std::function<std::string(const DatapathSpec&, const System&)> refusal{};
    std::string engine{}; ///< that the advised commands name; empty for the default one
    double before = 0; ///< processor seconds that went into reading the problem: they count, and so they do of a solve
};

/// What was measured on the matrix scaled to a unit diagonal, and on the problem.
struct MatrixMeasured {
    std::size_t unknowns = 0;
    std::size_t longest_row = 0; ///< entries off the diagonal
    double smallest = 0;         ///< eigenvalues, by Lanczos
    double largest = 0;
    std::uint64_t steps = 0;     ///< Lanczos steps for them
    bool settled = false;        ///< the smallest had settled when they ended
    bool double_reached = false; ///< CG in double precision brought its residual below the tolerance
    std::uint64_t double_iterations = 0;
    double floor = 0;              ///< relative residual below which no defect formed in double precision falls
    double largest_word = 0;       ///< of r, p and q in that run, relative to the outer loop's scale
    double correction = 0;         ///< largest 2-norm that the iterate gained between two restarts, likewise
    double largest_correction = 0; ///< ... and largest magnitude of an element of it
    double double_seconds = 0;     ///< that a solve in double precision takes: reading, scaling and CG
    [[nodiscard]] double condition() const { return largest / smallest; }
};

/// What the widths have to satisfy, in bits after the point: each is the fewest that does.
struct AdvisedWidths {
    double margin = 0;         ///< times which the rounding of the coefficients, with either sign, leaves A definite
    int coefficient = 0;       ///< fraction bits of the coefficients by that margin
    int coefficient_word = 0;  ///< word that holds them
    int coefficient_safe = 0;  ///< fraction bits that suffice by the bound on the rounding alone, whatever its signs
    int coefficient_shown = 0; ///< ... by that or by Lanczos: `coefficient` is less where only trials could show it
    /// The largest row sum of what rounding to `coefficient` bits changes: bounds its norm. (Of a stencil in the
    /// multiple that a solve takes of it, so that small integers are exact.)
    double perturbation = 0;
    int curvature = 0;       ///< fraction bits of r, p and q by p.Ap of the smoothest direction
    int energy = 0;          ///< ... by the energy that rounding r adds
    int descent = 0;         ///< ... by what an inner solve shall gain
    int vector = 0;          ///< fraction bits of r and p: the largest of the three, without the first where q is exact
    int product = 0;         ///< fraction bits of q; `coefficient` more than p's where that makes rows exact
    bool exact_rows = false; ///< coefficients are so short that no row is rounded
    int integer = 0;         ///< bits of r and p before the point, sign included
    int product_integer = 0; ///< ... of q; more where a stencil is scaled to large integers
    int iterate = 0;         ///< fraction bits of u
    int iterate_integer = 0; ///< bits of u before the point, sign included
    int headroom = 0;        ///< of the outer loop's scale; below 0 where the norm's elements are all small
    int operand = 0;         ///< fraction bits of alpha and beta, floating
};

/// Widths, and the solve that they make: residual guided, with Jacobi scaling.
struct Proposal {
    AdvisedWidths widths;
    SolveOptions options;
    std::optional<std::uint64_t> tried; ///< iterations of a trial solve with them that converged, if one did
    std::string engine{};               ///< AdviceOptions::engine
};

/// The advised solve shall take at most so many times the iterations of double precision.
inline constexpr double kMostTimes = 1.5;

/// Multilevel cycles in words, where they take a quarter of the time of CG in double precision or less.
struct FasterCycles {
    std::string spec;             ///< of CycleSpec
    std::uint64_t iterations = 0; ///< of a solve that was tried
    double times = 0;             ///< the processor time of CG over that of this solve, set-up included
};

/// What was measured of a matrix, and the datapaths that follow from it.
struct Advice {
    MatrixMeasured measured;
    std::optional<Proposal>
        advised;                    ///< at most kMostTimes the iterations of double precision, if a trial could show it
    std::optional<Proposal> fewest; ///< the fewest bits that should converge, in several times the iterations
    std::optional<FasterCycles> cycles; ///< tried where CG takes hundreds of iterations
    int trials = 0;                     ///< solves that were tried
    std::uint64_t products = 0; ///< with the matrix, in double: Lanczos and CG; a solve in double takes one a step
    double seconds = 0;         ///< processor time of all of it, AdviceOptions::before included
    double tolerance = 1e-10;   ///< that was asked for
    std::string why_not;        ///< without a proposal: why, a plain sentence's second half
    [[nodiscard]] bool found() const { return advised.has_value(); }
};

/// Called from time to time with what is being done.
using AdviceProgress = std::function<void(const std::string&)>;

/// Measures and derives. Throws InvalidInput as jacobi_scaled() does, and when an option is out of range.
Advice advise(const Problem& problem, const AdviceOptions& options, const AdviceProgress& progress = {});

/// The advice in plain sentences, a line each: what was measured, which widths follow and why, how to run it and, on
/// the devices' family `target`, how to see its area.
std::string advice_text(const Problem& problem, const Advice& advice, const std::string& target = "xcup");

/// The `mantissa solve` that runs a proposal, as one would type it.
std::string advised_command(const Problem& problem, const Proposal& proposal);

} // namespace mantissa
