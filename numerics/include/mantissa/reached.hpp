// When a tolerance counts as reached: the same in every solver.
#pragma once

namespace mantissa {

/// Where a solver's own test said "reached", a true residual this little above the tolerance (relative to it) counts as
/// reached: the recurrence's residual and the true one differ by rounding, and another step would be spent on that
/// difference. (FCCM'06 level 9, double, fixed500: after 743 iterations the true defect is 1.00009e-10 or 0.99935e-10
/// of the initial one, depending on the order of summation in the dot products.)
inline constexpr double kReachedSlack = 1e-3;

} // namespace mantissa
