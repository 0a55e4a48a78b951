// The time and area of a solve on several cores of a device, from counted clocks and cells. Pure functions; formulas
// in docs/compare.md. Internal to host/.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compare/device.hpp"
#include "compare/model/part_loads.hpp"
#include "mantissa/spec.hpp"

namespace mantissa::compare {

/// What an element moves through the memory in one pass, lanes not counted.
struct Traffic {
    int words = 0;           ///< 8 with a constant stencil; else coefficient_words() more
    std::uint64_t bits = 0;  ///< as they are
    double bytes = 0;        ///< each word rounded up to bytes, or bits / 8 when packed
    double vector_bytes = 0; ///< u, r, p and p again: what an outer step takes from the core and gives back
};
/// Words of the matrix that an element streams: nine products take nine bands; fluxes, and rows of integers, the four
/// couplings of a symmetric matrix (row sums, a fifth where they are not zero, are not counted); second differences
/// none.
int coefficient_words(const DatapathSpec& spec);
Traffic traffic_of(const DatapathSpec& spec, bool constant_bands, bool packed);

/// One core as synthesis found it.
struct CoreArea {
    std::uint64_t slices = 0, blocks = 0, memory_bits = 0;
};

/// A solve as the engines found it.
struct Workload {
    double unknowns = 0, row_length = 0;
    double cycles_per_pass = 0; ///< of one core
    double iterations = 0, outer = 0;
    double host_seconds = 0; ///< of one outer step on the host
};

/// How many cores fit, and what a further one would lack: "logic", "blocks" or "memory".
struct Fit {
    std::uint64_t cores = 0;
    std::string bound;
};
Fit cores_that_fit(const CoreArea& core, const Device& device, double fill);

/// One solve on `cores` cores.
struct Estimate {
    std::uint64_t cores = 1;
    double pass_clocks = 0; ///< with nothing to wait for
    double pass_bytes = 0;
    double pass_seconds = 0;
    double seconds_inner = 0, seconds_host = 0, seconds_link = 0;
    double seconds = 0;
    double area_share = 0; ///< of the device: the largest of its slices', blocks' and memories' shares
    double area_time = 0;  ///< area_share * seconds
    std::string bound;     ///< "bandwidth", "io" or "clock": what the time of a pass waits for
};
Estimate estimate(const CoreArea& core, const DatapathSpec& spec, const Traffic& traffic, const Workload& work,
                  const Device& device, std::uint64_t cores, double clock_hz);
/// The same with the system cut otherwise than in strips: the pass waits for the core that streams most.
Estimate estimate(const CoreArea& core, const DatapathSpec& spec, const Traffic& traffic, const Workload& work,
                  const Device& device, const PartLoads& loads, double clock_hz);

/// Estimates for 1, 2, 4, ... cores and the fewest that come within 1 % of the shortest pass; none when no core fits.
/// Where the pass of the last waits for no memory, its bound is what holds back a further core.
std::vector<Estimate> estimates(const CoreArea& core, const DatapathSpec& spec, const Traffic& traffic,
                                const Workload& work, const Device& device, double fill, double clock_hz, Fit& fit);

/// True for each point (x, y) that no other dominates: none is at most as large in both and smaller in one.
std::vector<bool> pareto_front(const std::vector<std::pair<double, double>>& points);

} // namespace mantissa::compare
