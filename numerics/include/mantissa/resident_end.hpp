// How a resident solve (resident.hpp) ends: one enumeration for every engine.
#pragma once

#include <cstdint>
#include <string>

namespace mantissa {

/// How a resident solve ends.
enum class ResidentEnd : std::uint8_t {
    converged = 0,       ///< the defect is below the tolerance
    passes = 1,          ///< the most passes are reached
    exact = 2,           ///< the defect is zero, and no shift has rounded V: b' is the matrix times V
    indefinite = 3,      ///< runs ended so again and again
    not_finite = 4,      ///< likewise
    window_overflow = 5, ///< words of u, r, p or q overflow however small the scale
    fault = 6, ///< no exponent gives r the norm asked for (an absurd headroom), runs that found rho zero again and
               ///< again, a defect of zero after a V that was rounded, or hardware: fault()
    outer_overflow = 7, ///< a word of V or D overflowed; V means nothing
    stopped = 8,        ///< ResidentRequest::watch said so
};
/// "converged", "passes", "exact", "indefinite", "not finite", "window overflow", "fault", "outer overflow", "stopped".
std::string to_string(ResidentEnd end);

} // namespace mantissa
