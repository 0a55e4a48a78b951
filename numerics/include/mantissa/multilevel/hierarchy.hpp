// The hierarchy of a multilevel cycle (multilevel/cycle.hpp) on sparse rows: matrices, each of unit diagonal, and the
// ways between them, in double precision. Words are made of it afterwards.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "mantissa/sparse/multilevel.hpp"
#include "mantissa/system.hpp"

namespace mantissa::multilevel {

/// A level. With S the diagonal of scales that gives the level's matrix a unit diagonal, everything here is scaled:
/// a = S A S, prolongation = S^-1 P S' (S' of the next level), so that the next level's a is R a P with R = P^T; but
/// for entries below a hundredth of both diagonal entries, which make_aggregation() leaves out, where stronger
/// couplings lead around them, and adds to the diagonal in proportion to the near-kernel function. A smoother for
/// eigenvalues from min(largest / 4, 1/3) to `largest` suits it.
struct Level {
    RealRows a;                 ///< square, symmetric, ones on the diagonal; columns ascend within a row
    RealRows prolongation;      ///< from the next level; no rows on the last
    RealRows restriction;       ///< its transpose
    double largest = 0;         ///< at least about the largest eigenvalue of a: what the smoother is made for
    std::vector<double> kernel; ///< what smooth errors look like here: the first near-kernel function, scaled
};

/// The levels, the finest first.
struct Hierarchy {
    std::vector<double> scale; ///< S of the finest level: c = S e for a correction e of the scaled problem; from 0 on
    std::vector<Level> level;  ///< at least one
    std::vector<double> coarsest; ///< the inverse of the last level's a, dense, by rows
    bool of_grid = false;         ///< every second node of a grid, else by aggregation
    std::string why_not;          ///< not empty where no hierarchy was found that is worth its work: one line, why
    /// Entries of all levels over those of the first.
    [[nodiscard]] double operator_complexity() const;
};

/// What smooth errors look like: `functions` vectors, each with an element for each row; none: ones.
struct NearKernel {
    std::vector<std::vector<double>> functions;
};

/// Smoothed aggregation (Vanek, Mandel, Brezina, Computing 56, 1996) of symmetric positive definite rows. The result
/// depends on neither threads nor instruction set. Throws InvalidInput where a diagonal entry is not above zero or a
/// function's length is not the number of rows.
Hierarchy make_aggregation(const CompressedRows& a, const NearKernel& kernel, int threads);

/// Every second node in each direction, and interpolation that follows the operator: a step of Jacobi's method on
/// bilinear interpolation, on its pattern, row sums kept. For matrices of a nine-point grid (of any kind but sparse
/// rows) that can be halved until 256 nodes are left, as with 2^n + 1 nodes a side. Nodes with empty rows are Dirichlet
/// nodes: their scale is 0, their row of the first level has a 1 alone, and no further level has them. The result
/// depends on neither threads nor instruction set. Throws InvalidInput for sparse rows, and where the diagonal entry of
/// a row that is not empty is not above zero.
Hierarchy make_grid_hierarchy(const System& system, int threads);

/// Of the grid where the system has one that can be halved, else by aggregation. Throws as those two do.
Hierarchy make_hierarchy(const System& system, int threads);

/// Throws InvalidInput, one line, unless `why_not` is empty.
void require_hierarchy(const std::string& why_not);

/// make_hierarchy()'s; throws InvalidInput, one line, where none is worth its work.
Hierarchy hierarchy_of(const System& system, int threads);

} // namespace mantissa::multilevel
