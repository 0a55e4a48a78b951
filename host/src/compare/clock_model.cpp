#include "clock_model.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>

namespace mantissa::detail {

namespace {

// Two placed and routed netlists on an LFE5U-85F, speed grade 8 (docs/synthesis.md): the s23e8 adder, 24 cells, 133.7
// MHz, and the one-lane s17e8 core, 50 cells through an s52e11 accumulator's adder, 68.8 MHz. A carry cell of the ECP5
// adds two bits; what is no carry is a LUT with its wire. A carry is taken as 0.07 ns.
struct Placed {
    double depth, bits, mhz;
    [[nodiscard]] constexpr double luts() const { return depth - bits / 2; }
};
constexpr double kCarryBit = 0.07 / 2;
constexpr Placed kAdder{24, 27, 133.7}, kCore{50, 56, 68.8};
constexpr double kLut = (1000 / kCore.mhz - kCarryBit * kCore.bits - 1000 / kAdder.mhz + kCarryBit * kAdder.bits) /
                        (kCore.luts() - kAdder.luts());
constexpr double kRegister = 1000 / kAdder.mhz - kCarryBit * kAdder.bits - kLut * kAdder.luts();
static_assert(kLut > 0 && kRegister > 0);

struct Family {
    std::string_view target;
    int carry_bits; ///< of one carry cell
    double slower;  ///< than the ECP5, assumed
};
constexpr std::array kFamilies = {Family{"ecp5", 2, 1.0}, Family{"xc2v", 1, 1.5}, Family{"xc7", 4, 0.8},
                                  Family{"xcup", 8, 0.5}};

} // namespace

int longest_addition(const DatapathSpec& spec) {
    constexpr int kGuard = 32, kRounding = 3; // guard bits of fixed sums; guard, round and sticky
    int bits = spec.dot.fixed ? spec.dot.window.width() + kGuard : spec.dot.accumulator.fraction_bits + 1 + kRounding;
    for (const Format* f : {&spec.u, &spec.r, &spec.p, &spec.row})
        bits = std::max(bits, f->fraction_bits + 1 + kRounding);
    return bits;
}

ClockEstimate model_clock(const std::string& target, std::uint64_t depth, int addition) {
    const auto family =
        std::find_if(kFamilies.begin(), kFamilies.end(), [&](const Family& f) { return f.target == target; });
    const double slower = family->slower, bits = addition;
    // The deepest path runs through the longest addition; some path has at least the LUTs of an adder.
    const double luts = std::max(static_cast<double>(depth) - bits / family->carry_bits, kAdder.luts());
    const double period = slower * (kRegister + kLut * luts + kCarryBit * bits);
    return {
        1000 / period,
        fmt::format("MHz of {} are modelled: {:.2f} ns, {:.2f} ns for each LUT of the longest path and {:.3f} ns for "
                    "each bit of its addition; the first two from two netlists placed on the ECP5 "
                    "(docs/synthesis.md), all times an assumed {:.1f}",
                    target, kRegister * slower, kLut * slower, kCarryBit * slower, slower)};
}

} // namespace mantissa::detail
