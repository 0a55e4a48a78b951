// A clock where place and route cannot be had. Internal to host/.
#pragma once

#include <cstdint>
#include <string>

namespace mantissa::detail {

struct ClockEstimate {
    double mhz = 0;
    std::string text; ///< one line: how it was formed
};

/// The clock of a core whose longest path between registers has `depth` cells (carry cells counted singly), on a
/// family of synthesis targets. A model: see docs/compare.md.
ClockEstimate model_clock(const std::string& target, std::uint64_t depth);

} // namespace mantissa::detail
