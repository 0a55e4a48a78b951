// Problems: a linear system in double precision with a right-hand side and a name.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "mantissa/system.hpp"

namespace mantissa {

/// A system A x = b with its name and, where it is known, its solution.
struct Problem {
    std::string name; ///< canonical text, e.g. "poisson2d:level=8"; the key under which results are stored
    System system;
    std::vector<double> b; ///< right-hand side, system.size() elements
    /// The continuous solution at element i, where it is known (empty function where not). Several threads call it.
    std::function<double(std::size_t)> exact;
    /// What is to be added to the solution, element by element, to have what was asked for; empty: nothing. A mesh that
    /// lies far away is solved as if its middle were at zero: with its distance in b, a residual of 1e-6 relative to b
    /// would be an error of 1e-6 of that distance. A x = b holds without it.
    std::vector<double> origin{};
    /// A line about the input that whoever reads the answer should know; empty: nothing.
    std::string note{};
    /// Is the matrix symmetric to the bit (mantissa/symmetry.hpp)? It is asked once, when the problem is made.
    bool symmetric = true;
    /// Where a solve begins; empty: at zero. Of the system's size, or for solve_all() one after the other for each
    /// right-hand side; finite, in terms of `b`, without `origin`.
    std::vector<double> guess{};
    /// Right-hand sides after `b`, each of the system's size: solve_all() takes them.
    std::vector<std::vector<double>> more{};
    /// Of a symmetric matrix with a diagonal entry that is not above zero: which, in one line. Else empty.
    std::string indefinite{};

    /// May CG take it? (Whether the matrix is positive definite, the solve finds out.)
    [[nodiscard]] bool suits_cg() const { return symmetric && indefinite.empty(); }

    /// The solution `x` with `origin` added.
    [[nodiscard]] std::vector<double> placed(std::vector<double> x) const;
};

/// Builds a problem from its text, `KIND:KEY=VALUE,...`:
///
///   poisson2d:level=8[,anisotropy=A][,rhs=smooth|random][,seed=S]
///                                          -u_xx - A u_yy = f on [0,1]^2, bilinear elements on (2^level+1)^2 nodes
///                                          (2/3+...: 8/3 and -1/3 at A = 1), zero Dirichlet nodes kept in the vector,
///                                          right-hand side h^2 f (lumped), f = 2(A x(1-x) + y(1-y)) so that
///                                          u = x(1-x)y(1-y), or a random one. A constant stencil. FCCM'06
///                                          section 2.1.
///   diffusion2d:level=7[,field=smooth|jump|checker][,contrast=C][,seed=S]
///                                          -div(k grad u) = 1, bilinear elements, k per element; nine streamed bands
///   poisson3d:level=5                      seven-point Laplacian on (2^level-1)^3 interior nodes; sparse rows
///   convection2d:level=L|n=N[,peclet=P][,difference=upwind|central][,wind=constant|recirculating]
///     [,rhs=known|random][,seed=S]         -lap u + P w.grad u = f on the unit square, u = 0 on its edge, by
///                                          five-point differences on N^2 interior nodes (N = 2^L - 1), times h^2; not
///                                          symmetric unless P = 0. P is the Peclet number |w| 1 / epsilon of
///                                          -epsilon lap u + w.grad u. With c = P h w_x / 2 the west and east
///                                          coefficients are -1 - c and -1 + c (central), or -1 - 2 max(c, 0) and
///                                          -1 - 2 max(-c, 0) (upwind), and add to the diagonal what they lose; along
///                                          y likewise. w = (4, 3)/5, or (Y (1 - X^2), -X (1 - Y^2)) of X = 2x - 1,
///                                          Y = 2y - 1. b = A u of u = 16 x(1-x) y(1-y) at the nodes, or numbers from
///                                          -1 to 1. Sparse rows. Elman, Silvester and Wathen, Finite Elements and
///                                          Fast Iterative Solvers, 2014, chapter 6
///   convection3d:level=L|n=N[,...]         likewise on the cube, seven-point; w = (2, 1, 2)/3, or as above with
///                                          w_z = 0; u = 64 x(1-x) y(1-y) z(1-z)
///   mtx:PATH[,rhs=ones|random|file:PATH][,seed=S]   a MatrixMarket file, symmetric, skew-symmetric or general;
///                                          sparse rows, or nine bands when its pattern is a nine-point grid's
///   lscm:MESH[,weight=area|opennl][,pins=axes|boundary][,cut=no|auto]
///                                          least squares conformal map of a mesh file (OBJ, OFF, PLY) that is a disk;
///                                          unknowns u, v of each vertex but two. CNC'08; mesh_systems.hpp
///   dsi:MESH[,task=smooth|interpolate][,weight=W][,nodes=fuzzy|hard][,share=P][,seed=S][,mu=harmonic|normalised]
///     [,coordinate=x|y|z|xyz]              discrete smooth interpolation: every vertex drawn to its place with weight
///                                          W (smooth), or a share P of them held there (interpolate); one coordinate,
///                                          or all three in one system
///
///   generated:kind=nd|band|thermal|elasticity|scattered|power|arrow|circuit|supply,n=N[,seed=S][,order=natural|random]
///                                          a large sparse matrix of about N rows like those of Cevahir et al. 2009:
///                                          nd, a cubic lattice, 399 entries a row; band, 200 a row, of very unequal
///                                          length; thermal, triangles, 7 a row; elasticity, bricks, 81 a row, and the
///                                          same in an order at random. For rows of very unequal length: power, some
///                                          15 a row at n = 20000 and a few of thousands; arrow, 5 a row and one full.
///                                          The right-hand side is ones
///
/// Throws InvalidInput, one line naming the text or the file and line, and the mend.
Problem make_problem(std::string_view text);

/// The same, and the file of `rhs=file:PATH` may have several columns, a right-hand side each: the first is `b`, the
/// others are in `more`.
Problem make_problem_of_columns(std::string_view text);

} // namespace mantissa
