#include "mantissa/sim/simulation_report.hpp"

#include <cmath>

#include <fmt/format.h>

namespace mantissa::sim {

SimulationReport make_report(const CycleCounts& counts, double clock_hz) {
    SimulationReport r;
    r.counts = counts;
    r.clock_hz = clock_hz;
    const auto cycles = static_cast<double>(counts.cycles);
    if (counts.passes > 0) r.cycles_per_pass = cycles / static_cast<double>(counts.passes);
    r.seconds = cycles / clock_hz;
    if (counts.cycles > 0) {
        r.bytes_per_second = static_cast<double>(counts.bytes_read + counts.bytes_written) / r.seconds;
        r.stalled_share = static_cast<double>(counts.stalled + counts.stall_command) / cycles;
    }
    return r;
}

std::string to_text(const SimulationReport& r) {
    std::string text;
    const auto row = [&](const std::string& name, const std::string& value) {
        text += fmt::format("{:<18}{}\n", name, value);
    };
    const CycleCounts& c = r.counts;
    row("passes", fmt::format("{}", c.passes));
    row("cycles", fmt::format("{}  ({:.1f} per pass)", c.cycles, r.cycles_per_pass));
    row("stalled", fmt::format("{} cycles, {:.1f} %", c.stalled + c.stall_command, 100 * r.stalled_share));
    for (std::size_t k = 0; k < CycleCounts::kStreams; ++k)
        if (c.stall[k] != 0) row("  " + stream_name(k), fmt::format("{}", c.stall[k]));
    if (c.stall_command != 0) row("  writes to land", fmt::format("{}", c.stall_command));
    row("bytes read", fmt::format("{}", c.bytes_read));
    row("bytes written", fmt::format("{}", c.bytes_written));
    row("predicted time", fmt::format("{:.4g} ms at {:.4g} MHz", 1e3 * r.seconds, r.clock_hz / 1e6));
    row("memory traffic", fmt::format("{:.3g} GB/s on average", r.bytes_per_second / 1e9));
    return text;
}

MemoryOptions memory_for(double clock_hz, double bytes_per_second, double latency_seconds) {
    MemoryOptions m;
    m.bytes_per_cycle = bytes_per_second / clock_hz;
    m.latency = static_cast<std::uint32_t>(std::ceil(latency_seconds * clock_hz));
    // Enough in flight to cover the latency.
    m.fifo_beats = 64 + 2 * m.latency;
    return m;
}

} // namespace mantissa::sim
