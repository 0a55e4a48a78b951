// When a solve has reached its tolerance.
#pragma once

namespace mantissa {

/// Where a recurrence's residual says "reached", a true residual this little above the tolerance counts as reached: the
/// two differ by rounding, as do the norm that stops a solve and the one that reports it, and another step would be
/// spent on that difference. (FCCM'06 level 9, double, fixed500: after 743 iterations the true defect is 1.00009e-10 or
/// 0.99935e-10 of the initial one, depending on the order of summation in the dot products.)
inline constexpr double kReachedSlack = 1e-3;

} // namespace mantissa
