#include "core_clock.hpp"

#include <fmt/format.h>

#include "text/counted.hpp"

namespace mantissa::synthesis {

double delay_ratio(const std::string& target) {
    if (target == "xc2v") return 1.5; // 150 nm against the ECP5's 40 nm
    if (target == "xcup") return 0.5; // 16 nm
    return 1;                         // ecp5 itself; xc7, of 28 nm, is taken to be no faster
}

CoreClock modelled_clock(const std::string& target, double ecp5_mhz, const std::string& path) {
    const double ratio = delay_ratio(target);
    CoreClock clock{ecp5_mhz / ratio, "modelled", "model, an ECP5's delays", path};
    clock.derivation += ecp5_mhz > 0 ? fmt::format("; {:.2f} ns with the delays of an ECP5", 1000 / ecp5_mhz) : "";
    if (ratio == 1) return clock;
    clock.source += fmt::format(" times {}", ratio);
    clock.derivation += fmt::format(", times {} assumed for {}", ratio, target);
    return clock;
}

const Placement& median_placement(const std::vector<Placement>& placements) {
    return placements.at((placements.size() - 1) / 2);
}

CoreClock core_clock(const std::string& target, double ecp5_mhz, const std::string& path,
                     const std::vector<Placement>& placements) {
    if (placements.empty()) return modelled_clock(target, ecp5_mhz, path);
    const Placement& median = median_placement(placements);
    const std::string which =
        placements.size() == 1
            ? fmt::format("seed {}", median.seed)
            : fmt::format("median of {}, of seed {}", text::counted(placements.size(), "seed"), median.seed);
    return {median.mhz, "measured", "place and route, " + which,
            "placed and routed on an LFE5U-85F of speed grade 8, " + which};
}

} // namespace mantissa::synthesis
