// Table 5 of the paper and the growth laws of its Figures 1 and 2. Internal to host/.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "synthesis.hpp"

namespace mantissa::synthesis {

struct Table5Row {
    std::string multiplier; ///< logic or mul18x18, as the paper has it
    std::string format;
    int fraction_bits = 0;
    double slices = 0, multipliers = 0, io_bits = 0, mhz = 0; ///< the paper's
    std::optional<SynthesisFigures> ours;                     ///< nothing while not synthesised
};

/// Reads table5_area.csv. Throws InvalidInput naming file and line.
std::vector<Table5Row> read_table5(const std::string& folder);

/// y = c[0] + c[1] x + ... by least squares, and the share of the variance that it explains.
struct Fit {
    std::vector<double> coefficients;
    double r2 = 0;
    [[nodiscard]] double at(double x) const;
};
/// Needs more points than `degree`.
Fit fit_polynomial(const std::vector<double>& x, const std::vector<double>& y, int degree);

/// Slices (upper half) and I/O bits (lower half) over the fraction width, the paper's and ours with their fits.
std::string table5_svg(const std::vector<Table5Row>& rows, const std::string& multiplier);

} // namespace mantissa::synthesis
