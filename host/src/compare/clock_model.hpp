// A clock where place and route cannot be had. Internal to host/.
#pragma once

#include <cstdint>
#include <string>

#include "mantissa/spec.hpp"

namespace mantissa::detail {

struct ClockEstimate {
    double mhz = 0;
    std::string text; ///< one line: how it was formed
};

/// Bits of the longest addition in a core of `spec`: of its accumulators, or of a vector's or row's adder.
int longest_addition(const DatapathSpec& spec);

/// The clock of a core whose longest path between registers has `depth` cells (carry cells counted singly), on a
/// family of synthesis targets; `addition` is longest_addition's. A model: see docs/compare.md.
ClockEstimate model_clock(const std::string& target, std::uint64_t depth, int addition);

} // namespace mantissa::detail
