// Dense systems: problems, and their solution to double accuracy from factors in any format.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mantissa/lu/factor.hpp"
#include "mantissa/lu/native.hpp"

namespace mantissa {

/// A x = b with a name that make_dense_problem() reads back.
struct DenseProblem {
    std::string name;
    DenseMatrix a;
    std::vector<double> b;
    double each = 1; ///< every element of the solution that b was made for; 0: b is the caller's
};

/// From `n=N[,kind=KIND][,seed=S][,...]` or `file=FILE`. The right-hand side is A (1, ..., 1), each sum in
/// ascending order in double; where such a sum would leave double's range, A (2^-k, ..., 2^-k). Kinds:
///     uniform    elements uniform on [-1/2, 1/2), as LINPACK's
///     dominant   the same off the diagonal; a_ii = the sum of |a_ij| of its row, and 1
///     graded     uniform, row i times 2^-(40 i / n): rows from 1 down to 2^-40
///     randsvd    condition kappa= (1e6): singular values from 1 down to 1/kappa in equal ratios between two random
///                orthogonal matrices
///     wilkinson  1 on the diagonal and in the last column, -1 below: partial pivoting lets it grow to 2^(n - 1)
///     hilbert    a_ij = 1 / (i + j + 1), i and j from 0: condition 10^(1.5 n)
///     kahan      Kahan's triangle with theta = 1.2: s^i on the diagonal and -c s^i after it, c = cos theta, s = sin
///     bubbles    the boundary integral equation of n / points= (64) bubbles that fill the part phi= (0.02) of a cell
/// file= is a MatrixMarket matrix, array or coordinate, general or symmetric, real or integer; the latter copied
/// densely. `rhs=file:FILE` after it names a right-hand side, a MatrixMarket array or a number a line.
/// Throws InvalidInput with one line.
DenseProblem make_dense_problem(std::string_view text);

/// What a dense problem's text tells before anything is built.
struct DenseOutline {
    std::string name; ///< with every key that counts, in one order: equal names, equal problems
    std::size_t unknowns = 0;
};

/// The files that a problem's text names and make_dense_problem() reads.
std::vector<std::string> dense_problem_files(std::string_view text);

/// Checks a problem's text; of a file only its heading. Throws InvalidInput like make_dense_problem.
DenseOutline outline_dense_problem(std::string_view text);

/// What the solve starts from, in the spec's arithmetic.
enum class DenseMethod : std::uint8_t {
    lu,           ///< factors and two substitutions
    gauss_jordan, ///< the inverse, by Gauss-Jordan elimination (lu/gauss_jordan.hpp); it takes the factors' place
};
/// "lu", "gauss-jordan".
std::string to_string(DenseMethod method);
DenseMethod parse_dense_method(std::string_view text);

/// How double accuracy is reached from the factors.
enum class DenseRefinement : std::uint8_t {
    none,     ///< the substitution alone
    ir,       ///< x <- x + U^-1 L^-1 P (b - A x)
    gmres_ir, ///< the correction by GMRES on U^-1 L^-1 P A (Carson and Higham, SIAM J. Sci. Comput. 40(2), 2018)
};
/// "none", "ir", "gmres-ir".
std::string to_string(DenseRefinement refinement);
DenseRefinement parse_dense_refinement(std::string_view text);

enum class DenseStatus : std::uint8_t {
    converged,    ///< ||b - A x||, of the x that is written, is down to the stopping test: without a doubt
    stagnated,    ///< it no longer falls
    step_limit,   ///< it still falls, and the steps are used up
    failed,       ///< there are no factors: DenseResult::end says why
    out_of_range, ///< solved, but an element of x is beyond the largest double; there is no DenseResult::x
};
/// "converged", "stagnated", "step limit", "no factors", "out of range".
std::string to_string(DenseStatus status);

/// Forms factors with the bits of mantissa::factor.
using LuFactor = std::function<LuFactors(const LuSpec&, const DenseMatrix&)>;

/// How a dense system is factored and refined.
struct DenseOptions {
    LuSpec spec = LuSpec();
    DenseMethod method = DenseMethod::lu;
    DenseRefinement refinement = DenseRefinement::gmres_ir;
    std::uint32_t max_steps = 50;   ///< refinement steps
    std::uint32_t krylov = 50;      ///< GMRES steps of one refinement step, at most
    double krylov_tolerance = 1e-4; ///< of GMRES, on the preconditioned residual
    bool krylov_enough = false;     ///< GMRES ends earlier where the stopping test needs less
    bool scale = true;              ///< rows, then columns, by powers of two to a largest element in (1/2, 1]
    int threads = 0;                ///< 0: as many as OpenMP gives; results do not depend on it
    LuFactor factor;                ///< empty: mantissa::factor on this processor; make_lu_factor() has others
    MakeNativeLu native;            ///< for a spec with LuSpec::native: make_native_lu()
    /// Where `spec` gives no factors or no double accuracy, and the matrix is not singular: once more with this one.
    std::optional<LuSpec> instead;
};

/// The fastest way to double accuracy that a GPU has for n unknowns, as far as it was measured (docs/lu.md): by tensor
/// cores, and where these fail in double; small systems in double at once. Sets `spec` and `instead`.
void take_native_dense(std::size_t n, DenseOptions& options);

/// A point of a refinement's history, after one step.
struct DenseStep {
    std::uint32_t krylov_steps = 0; ///< GMRES steps up to here
    double residual = 0;            ///< ||b - A x||_inf / (||A||_inf ||x||_inf + ||b||_inf)
};

/// Norms without a subscript are maximum norms; u = 2^-53. Without factors all errors, growth and condition are no
/// number.
struct DenseResult {
    DenseStatus status = DenseStatus::failed;
    LuEnd end = LuEnd::factored;    ///< of the factorisation
    std::size_t at = 0;             ///< its column, where it failed
    std::uint32_t steps = 0;        ///< refinement steps after the first substitution
    std::uint32_t krylov_steps = 0; ///< GMRES steps in all
    double backward_error = 0;      ///< ||b - A x|| / (||A|| ||x|| + ||b||); converged: at most n u
    double hpl_residual = 0;        ///< ||b - A x|| / (n u (||A|| ||x|| + ||b||)); HPL accepts below 16
    double forward_error = 0;       ///< ||x - 1||, or of x / DenseProblem::each; no number where that is 0
    double growth = 0;              ///< max |u_ij| / max |a_ij|; 0 for an inverse
    double condition = 0;           ///< Hager's lower estimate of kappa_1 of the (scaled) matrix, from the factors
    double factor_error = 0;        ///< ||P A Q - L U|| / ||A||, or ||A X - I|| / (||A|| ||X||) of an inverse X, scaled
    std::optional<NativeLuReport> native; ///< of a spec with LuSpec::native; growth, condition, factor_error: no number
    LuSpec spec = LuSpec();               ///< that of the factors: `spec` or `instead`
    std::string gave_up;                  ///< with `instead`: what became of `spec`
    std::uint64_t exchanges = 0;          ///< rows and columns that changed places
    double factor_seconds = 0, refine_seconds = 0;
    std::vector<DenseStep> history; ///< after the substitution and after each step
    std::vector<double> x;          ///< finite; empty where there is none
    bool singular = false;          ///< `end` is singular: and so is the matrix, not only the factors' format
    bool examined = false;          ///< `singular` was found out
    bool rounded_away = false;      ///< elements of x are below 2^-1022 and lost digits there
};

/// Called after each step; returning false stops the solve (DenseStatus::step_limit).
using DenseProgress = std::function<bool(const DenseStep&)>;

/// Factors in the spec's arithmetic and refines in double. Throws InvalidInput, one line, for options out of range.
DenseResult solve_dense(const DenseProblem& problem, const DenseOptions& options, const DenseProgress& progress = {});

} // namespace mantissa
