// A multilevel preconditioner for the systems of conformal maps, and Conjugate Gradients with it.
//
// The energy of a least squares conformal map is nearly zero for every smooth conformal map, not for constants alone,
// so the matrix is as ill-conditioned as one of fourth order, and Jacobi-CG takes iterations in proportion to the
// vertices. Smoothed aggregation (Vanek, Mandel, Brezina, Computing 56, 1996) with the right near-kernel does not: a
// conformal map is locally a + b z, and so is close to the span of 1 and the three coordinates on a small patch of the
// surface. Vertices are gathered into patches, each patch keeps 1 and the two or three directions in which it extends
// (orthonormal), one step of Jacobi's method smooths these functions, the matrix is projected on them, and so on until
// at most 256 unknowns are left.
//
// The preconditioner is one V cycle: on each level two steps of Chebyshev's method, before and after the correction
// from the next one; the last level has its inverse. It is applied in single precision, which changes no iteration
// count: the residual and everything of CG is in double.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "mantissa/sparse/complex_blocks.hpp"
#include "mantissa/sparse/compressed_rows.hpp"
#include "mantissa/sparse/jacobi_pcg.hpp"

namespace mantissa {

/// A real matrix by rows, not square; columns in any order.
struct RealRows {
    std::uint32_t rows = 0, columns = 0;
    std::vector<std::uint32_t> begin, column; ///< rows + 1; one for each value
    std::vector<double> value;
};

/// A level of the multilevel preconditioner: its matrix, its smoother and its ways to the next level.
struct MultilevelLevel {
    ComplexBlocks a; ///< beyond the first level columns are in no order
    /// Of D: the diagonal, or half of the sum of the row's magnitudes where that is more.
    std::vector<double> inverse;
    double largest = 0;    ///< at least about the largest eigenvalue of D^-1 A, at most 2
    RealRows prolongation; ///< from the next level; none on the last
    RealRows restriction;  ///< its transpose
};
/// The levels of the multilevel preconditioner, the finest first.
struct MultilevelHierarchy {
    std::vector<MultilevelLevel> level;
    std::vector<double> coarsest; ///< the last level's inverse, by rows, real and imaginary part in turn
};

/// The steps of the smoother, chebyshev_step(k) of the residual: x += p, p = before p + residual D^-1 r.
struct ChebyshevStep {
    double before = 0, residual = 0;
};
/// Two steps for eigenvalues of D^-1 A from largest / 10 to `largest`.
std::array<ChebyshevStep, 2> chebyshev_steps(double largest);

/// `points`: where the vertex of each block row is. The result depends on neither threads nor instruction set. Throws
/// InvalidInput where a diagonal is not above zero, points are not finite or not as many as block rows.
MultilevelHierarchy make_multilevel(ComplexBlocks a, std::span<const std::array<double, 3>> points, int threads);

/// Conjugate Gradients on `a`, which must be of complex blocks (complex_blocks.hpp), from x (empty: zeros), one
/// right-hand side. Tests, ends, the return to the true residual and the report are those of jacobi_pcg(); PcgTest must
/// be `residual`. Throws InvalidInput as make_multilevel() and to_complex_blocks() do.
PcgReport multilevel_pcg(const CompressedRows& a, std::span<const std::array<double, 3>> points,
                         const std::vector<double>& b, std::vector<double>& x, const PcgOptions& options);

} // namespace mantissa
