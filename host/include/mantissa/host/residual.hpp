// What the outer loop computes in double precision: defects and norms. Neither result depends on the thread count.
#pragma once

#include <optional>
#include <span>

#include "mantissa/system.hpp"

namespace mantissa {

/// d = b - A u in double precision, round to nearest even. The products of a row are added one after the other in
/// band order (in stored order for sparse rows), the sum is subtracted from b; nothing is fused. Elements of u outside
/// the vector are zero; a Dirichlet node of a stencil system has an empty row, so there d = b.
/// u, b and d have system.size() elements; d may be b but not u. threads >= 1.
void defect(const System& system, std::span<const double> u, std::span<const double> b, std::span<double> d,
            int threads);

/// ||b - A u|| / ||b||, formed anew from u: what decides whether a solve converged. It is norm2(defect) / norm2(b) to
/// the bit unless a product, a sum or a norm leaves the range of double precision (or comes near its lower end). Then
/// every row is formed again with its terms scaled by a power of two, in the same order and with the same roundings,
/// as if exponents had no bounds. 0 when b and the defect are zero. Infinity when u is not finite, when the defect
/// does not vanish beside a zero b, and where the quotient itself is beyond double precision.
/// u and b have system.size() elements. threads >= 1.
double relative_residual(const System& system, std::span<const double> u, std::span<const double> b, int threads);

/// That quotient of two norms; none where double precision lost something of them, so that rows must be formed again.
std::optional<double> plain_relative_residual(double norm, double norm_b);

/// Euclidean norm. Sums of squares are formed in fixed blocks that are added in order; when squares overflow or
/// underflow the vector is scaled by a power of two first. NaN when an element is NaN. threads >= 1.
double norm2(std::span<const double> v, int threads);

} // namespace mantissa
