// The core's latencies in clocks, as rtl/mantissa.svh, rtl/core and their state machines have them.
#pragma once

#include <array>
#include <cstdint>

#include "mantissa/spec.hpp"
#include "mantissa_hls/scalar_unit.hpp"

namespace mantissa::sim {

struct CoreTiming {
    int u_in, r_in;          ///< from a beat's slot, which takes p and q, to the clocks that take u and r
    int u_out, r_out, p_out; ///< from a beat's slot to u', r', p'
    int row;                 ///< from a window to q'
    std::array<int, 9> band; ///< from a window to the clock that takes each band: a chain takes them one adder apart
    int drain;               ///< from the last term to the dot products' close: slack that the control keeps
    int close;               ///< from close to the scalar unit's start
    int command = 3;         ///< clock in which a pass is asked for, and two until the first beat
    int check = 1;           ///< clock before a run's first pass

    explicit CoreTiming(const DatapathSpec& spec);
    /// Clocks from the scalar unit's start to the next pass's command.
    [[nodiscard]] std::uint64_t scalar(const mantissa_hls::ScalarResult& result) const;

private:
    int formed_, ended_; ///< of the scalar unit, where it forms alpha and beta and where the totals end the run
};

} // namespace mantissa::sim
