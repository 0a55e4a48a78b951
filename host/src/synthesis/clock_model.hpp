// A model of the clock that a mapped netlist reaches, for device families without open place and route. Internal to
// host/.
#pragma once

#include <string>

namespace mantissa::synthesis {

/// The longest path between registers under delays by kind of cell.
struct ModelledPath {
    double ns = 0;
    int luts = 0, carries = 0, multipliers = 0; ///< on it; carry cells of one bit (xc2v) or several
    std::string from, to;                       ///< cells at its ends
    [[nodiscard]] double mhz() const { return ns > 0 ? 1000 / ns : 0; }
};

/// Reads what yosys's write_json wrote. Logic delays are those of an ECP5 of speed grade 8 (its place-and-route tool's
/// own), whatever the family; a net takes kNetBase + kNetFanout log2(loads), fitted to placed and routed ECP5 designs
/// (docs/synthesis.md shows the fit). So the figure compares netlists; it is no device's data sheet.
/// Throws InvalidInput for a file that is no netlist.
ModelledPath model_clock(const std::string& netlist_json);

} // namespace mantissa::synthesis
