// The clock of a synthesised part: one number with its derivation. `synthesize`, `compare`, `reproduce table5` and the
// report all take it from here. Internal to host/.
#pragma once

#include <string>
#include <vector>

#include "synthesis.hpp"

namespace mantissa::synthesis {

struct CoreClock {
    double mhz = 0;
    std::string kind;       ///< "measured" by place and route, or "modelled"
    std::string source;     ///< in a few words: "model, an ECP5's delays times 1.5", "place and route, seed 1"
    std::string derivation; ///< the device and seeds, or the path and the delays that it was timed with
};

/// Delays of a family's silicon, as a factor on those of an ECP5 of speed grade 8: 1 for ecp5; for the others an
/// assumption, from the generation of the silicon (docs/synthesis.md lists them).
double delay_ratio(const std::string& target);

/// The clock by the model: `ecp5_mhz` is that of the netlist's longest path with an ECP5's delays (clock_model.hpp),
/// `path` that path in words.
CoreClock modelled_clock(const std::string& target, double ecp5_mhz, const std::string& path);

/// The run in the middle of `placements`, which are sorted by their clocks; of an even number the slower of two, so
/// that its path can be named. Needs one at least.
const Placement& median_placement(const std::vector<Placement>& placements);

/// The median of place and route where there are runs of it, sorted by their clocks; else the model's.
CoreClock core_clock(const std::string& target, double ecp5_mhz, const std::string& path,
                     const std::vector<Placement>& placements);

} // namespace mantissa::synthesis
