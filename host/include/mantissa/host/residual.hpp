// What the outer loop computes in double precision: defects and norms. Neither result depends on the thread count.
#pragma once

#include <optional>
#include <span>

#include "mantissa/outer/certain.hpp"
#include "mantissa/system.hpp"

namespace mantissa {

/// d = b - A u in double precision, round to nearest even. The products of a row are added one after the other in
/// band order (in stored order for sparse rows), the sum is subtracted from b; nothing is fused. Elements of u outside
/// the vector are zero; a Dirichlet node of a stencil system has an empty row, so there d = b.
/// u, b and d have system.size() elements; d may be b but not u. threads >= 1.
void defect(const System& system, std::span<const double> u, std::span<const double> b, std::span<double> d,
            int threads);

/// d = b - A u, each element a sum in doubled double precision that is rounded once (mantissa/outer/certain.hpp). Gives
/// the largest bound on what an element misses of the exact sum beside that rounding. Otherwise as defect(), d not b.
double certain_defect(const System& system, std::span<const double> u, std::span<const double> b, std::span<double> d,
                      int threads);

/// ||b - A u|| / ||b||, formed anew from u: what decides whether a solve converged. Rows are summed in doubled double
/// precision with a bound on the error; where the bound leaves open on which side of `decides` the exact quotient lies,
/// where less than six digits of the quotient are sure, and where a number leaves the range of double precision, they
/// are summed in whole numbers instead (some 0.3 us a term). So what is returned lies below `decides` if and only if
/// the exact quotient does, and is the quotient to 1e-6 at least. 0 when the defect is zero. Infinity when u is not
/// finite, when the defect does not vanish beside a zero b, and where the quotient itself is beyond double precision.
/// u and b have system.size() elements. threads >= 1.
double relative_residual(const System& system, std::span<const double> u, std::span<const double> b, int threads,
                         std::optional<double> decides = {});

/// The same from the defect's norm; none where whole numbers have to decide.
std::optional<double> certain_relative_residual(const certain::Norm& d, std::span<const double> b, int threads,
                                                std::optional<double> decides);

/// Euclidean norm. Sums of squares are formed in fixed blocks that are added in order; when squares overflow or
/// underflow the vector is scaled by a power of two first. NaN when an element is NaN. threads >= 1.
double norm2(std::span<const double> v, int threads);

} // namespace mantissa
