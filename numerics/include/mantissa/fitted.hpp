// A system scaled so that a datapath holds its coefficients well. The whole equation is scaled: A' = scale A, so the
// solution of A' x = scale b is that of A x = b.
#pragma once

#include <optional>

#include "mantissa/spec.hpp"
#include "mantissa/system.hpp"

namespace mantissa {

/// A system multiplied by a number, so that its coefficients fit a format better.
struct Fitted {
    System system;    ///< scale times the one given
    double scale = 1; ///< m 2^k
};

/// Scales `system` for `spec`:
///
///   fixed coefficients          2^k with the largest k for which every coefficient fits (off the diagonal in the
///                               format's W bits, on it in W + 1). A stencil with an m: m 2^k with which a row sum
///                               of words of p is a word of q, so that no row is rounded (unless integers so long
///                               that q's words would overflow: then a lower k)
///   order=second-difference     m alone, in floating formats
///   coefficients in blocks      m alone, where rows add products: a stencil's row sum survives
///   else                        nothing
///
/// m is the smallest of 1..4095 for which m times the stencil is, to within 2^-48 of each coefficient, integers below
/// 2^24 times one power of two, and these are values of the coefficient format (words of one block); they then take the
/// coefficients' place. (8/3, -1/3) of bilinear elements becomes (8, -1): m = 3. Where no m is found it is 1 and
/// coefficients stay as they are.
///
/// Nothing where the system stays as it is. Throws InvalidInput, one line, where the scale would leave the range of
/// double.
[[nodiscard]] std::optional<Fitted> fitted(const System& system, const DatapathSpec& spec);

} // namespace mantissa
