// How a solve by the native solvers ends, on the device and on the host. (How a run of passes of an engine ends is
// mantissa/run_end.hpp.)
#pragma once

#include <cstdint>
#include <string>

namespace mantissa::gpu {

/// With a tolerance, a report says `converged` of the true residual only, and always when that has reached it;
/// `stagnated` where the recurrence or the restarts end above it.
enum class CgEnd : std::uint32_t { converged, passes, indefinite, not_finite, stagnated, cancelled };
std::string to_string(CgEnd e);

} // namespace mantissa::gpu
