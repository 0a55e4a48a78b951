// What a simulated run cost, in words and in numbers.
#pragma once

#include <string>

#include "mantissa/sim/rtl_engine.hpp"

namespace mantissa::sim {

struct SimulationReport {
    CycleCounts counts;
    double clock_hz = 0;
    double cycles_per_pass = 0;
    double seconds = 0;          ///< at clock_hz: the predicted time of the runs, the host's work not counted
    double bytes_per_second = 0; ///< moved on average over that time
    double stalled_share = 0;    ///< of the busy clocks
};

SimulationReport make_report(const CycleCounts& counts, double clock_hz);

/// A table for people, one line each; ends with a newline.
std::string to_text(const SimulationReport& report);

/// Memory options for a bandwidth in bytes per second (0: unlimited) and a latency in seconds at a clock.
MemoryOptions memory_for(double clock_hz, double bytes_per_second, double latency_seconds);

} // namespace mantissa::sim
