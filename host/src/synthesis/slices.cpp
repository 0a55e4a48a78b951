// Slices out of the cells of a mapped netlist. Sources: Xilinx's user guides DS031 (Virtex-II), UG474 (7 series) and
// UG574 (UltraScale), on configurable logic blocks; Lattice's FPGA-TN-02200 (ECP5).
#include <algorithm>

#include "synthesis.hpp"

namespace mantissa::synthesis {

namespace {

std::uint64_t quotient(std::uint64_t count, std::uint64_t per_slice) {
    return (count + per_slice - 1) / per_slice;
}

/// Of 7 series: 4 LUTs, each with two flip-flops after it that share one input past the LUT. So a LUT's place takes
/// one flip-flop that no LUT feeds, and a second one only where the LUT itself is free to pass it on. Memory and shift
/// registers are for SLICEM only, of which a CLB of two slices has one at most. yosys counts carries by CARRY4, a
/// slice's.
std::uint64_t slices_of_7_series(const SynthesisFigures& f) {
    const std::uint64_t luts = f.luts + f.memory_luts, unpaired = f.flip_flops - f.paired;
    return std::max({quotient(luts, 4), quotient(luts + unpaired, 8), quotient(f.flip_flops, 8),
                     2 * quotient(f.memory_luts, 4), f.carries});
}

/// Of UltraScale: 8 LUTs, each with two flip-flops after it that have an input past the LUT each. So flip-flops and
/// LUTs do not compete. About half of the CLBs are SLICEM. A chain of 8 carries can be two of 4, and yosys counts by
/// CARRY4.
std::uint64_t clbs_of_ultrascale(const SynthesisFigures& f) {
    return std::max({quotient(f.luts + f.memory_luts, 8), quotient(f.flip_flops, 16), 2 * quotient(f.memory_luts, 8),
                     quotient(f.carries, 2)});
}

} // namespace

std::uint64_t SynthesisFigures::slices(const std::string& target) const {
    if (target == "xcup") return clbs_of_ultrascale(*this);
    if (target == "xc7") return slices_of_7_series(*this);
    return quotient(luts + memory_luts + flip_flops - paired, 2);
}

} // namespace mantissa::synthesis
