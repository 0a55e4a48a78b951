#include "clock_model.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>

namespace mantissa::detail {

namespace {

// Two placed and routed netlists on an LFE5U-85F, speed grade 8 (docs/synthesis.md), by the depth of their paths:
// the s23e8 adder, 24 cells, 133.7 MHz; the one-lane s17e8 core, 50 cells, 68.8 MHz.
constexpr double kDepth1 = 24, kMhz1 = 133.7, kDepth2 = 50, kMhz2 = 68.8;
constexpr double kEcp5Cell = (1000 / kMhz2 - 1000 / kMhz1) / (kDepth2 - kDepth1);
constexpr double kRegister = 1000 / kMhz1 - kEcp5Cell * kDepth1;

// Families count their carries in cells of 1, 2, 4 or 8 bits, so the same adder (s23e8) has these depths; `slower` is
// an assumption about the silicon against the ECP5's.
struct Family {
    std::string_view target;
    double adder_depth, slower;
};
constexpr std::array kFamilies = {Family{"ecp5", 24, 1.0}, Family{"xc2v", 37, 1.5}, Family{"xc7", 15, 0.8},
                                  Family{"xcup", 15, 0.5}};

} // namespace

ClockEstimate model_clock(const std::string& target, std::uint64_t depth) {
    const auto family =
        std::find_if(kFamilies.begin(), kFamilies.end(), [&](const Family& f) { return f.target == target; });
    const double slower = family->slower, cell = kEcp5Cell * kDepth1 / family->adder_depth * slower;
    const double period = kRegister * slower + cell * static_cast<double>(depth);
    return {
        1000 / period,
        fmt::format("MHz of {} are modelled: {:.2f} ns and {:.3f} ns for each cell of the longest path; the two are "
                    "the ECP5's, from two placed netlists (docs/synthesis.md), with cells of the family's carry "
                    "length and, assumed, {:.1f} times the ECP5's delays",
                    target, kRegister * slower, cell, slower)};
}

} // namespace mantissa::detail
