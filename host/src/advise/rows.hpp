// The rows of a matrix of any kind: which are empty, how long they are; and its entries rounded. Internal to host/.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "mantissa/system.hpp"

namespace mantissa::advising {

/// Rows without an entry other than zero: Dirichlet nodes.
std::vector<bool> empty_rows(const System& system);

/// The most entries off the diagonal that a row has, zeros left out.
std::size_t longest_row(const System& system);

/// Of the magnitudes off the diagonal, each over the root of both diagonal entries, the part that is above zero; 0
/// where there are none. Rows without a diagonal entry above zero are left out.
double positive_share(const System& system);

/// Of a matrix of a nine-point grid: by row the magnitude of the sum of the couplings that lead east or west over that
/// of those that lead north or south, or the other way round, whichever is above 1; the geometric mean over rows that
/// have both. 1 for matrices of other kinds.
double anisotropy(const System& system);

/// The relative residual that rounding leaves of a defect b - A u formed in double precision: 2^-53 times the norm of
/// sqrt(sum_j (a_ij u_j)^2) over that of b. 0 where b is zero.
double defect_floor(const System& system, std::span<const double> u, std::span<const double> b, int threads);
/// A defect gets down to its floor times this, not to the floor itself.
inline constexpr double kFloorSlack = 1.25;

/// The same matrix with every entry a number of its own: symmetric bands as nine bands, any other kind as it is.
System with_every_entry(const System& system);

/// A matrix as a fixed-point engine holds it (engine.hpp), and how far it is from the one that was given.
struct RoundedMatrix {
    System system;        ///< of the same kind; symmetric bands become nine bands
    double row_bound = 0; ///< the largest row sum of |change|; no eigenvalue moves further (Gershgorin)
    int word_bits = 2;    ///< the shortest words that hold every entry off the diagonal, and the diagonal with one more
};

/// Every entry off the diagonal rounded to `fraction_bits` (half up). On grids the diagonal is the rounded row sum
/// minus these, so that row sums survive; in sparse rows it is rounded by itself.
RoundedMatrix rounded(const System& system, int fraction_bits);

/// |x.(B - A) x| / x.A x, the largest over some vectors x that are not zero; for two matrices of one kind and one
/// pattern (symmetric bands and their nine bands alike), A positive definite. 0 without vectors.
double energy_moved(const System& a, const System& b, std::span<const std::vector<double>> vectors);

/// A + factor (B - A), entry by entry, for two matrices of one kind and one pattern.
System moved(const System& a, const System& b, double factor);

} // namespace mantissa::advising
