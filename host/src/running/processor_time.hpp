// Seconds that this process has computed.
#pragma once

#include <ctime>

namespace mantissa::running {

/// Processor time of the whole process since it began, user and system, all threads of it: what budgets count. Time in
/// which the machine was busy with other processes, or nothing was runnable, does not count.
inline double processor_seconds() {
    timespec now{};
    ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

} // namespace mantissa::running
