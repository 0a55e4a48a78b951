// The core's latencies in clocks, as rtl/mantissa.svh, rtl/core and their state machines have them.
#pragma once

#include <array>
#include <cstdint>

#include "mantissa/hls/kernel.hpp"

namespace mantissa::sim {

struct CoreTiming {
    int p_in = 0; ///< from a beat's slot, which takes q, to the clocks that take p, u and r
    int u_in = 0, r_in = 0;
    int u_out = 0, r_out = 0, p_out = 0; ///< from a beat's slot to u', r', p'
    int row = 0;                         ///< from a window to q'
    std::array<int, 9>
        band{};      ///< from a window to the clock that takes each coefficient: a chain takes bands one adder apart
    int drain = 0;   ///< from the last term to the dot products' close: slack that the control keeps
    int close = 0;   ///< from close to the scalar unit's start
    int command = 3; ///< clock in which a pass is asked for, and two until the first beat
    int check = 1;   ///< clock before a run's first pass

    CoreTiming(const DatapathSpec& spec, const hls::LoadedMatrix& matrix, Recurrence recurrence);
    /// The scalar unit alone.
    explicit CoreTiming(const DatapathSpec& spec);
    /// Clocks from the scalar unit's start to the next pass's command.
    [[nodiscard]] std::uint64_t scalar(const mantissa_hls::ScalarResult& result) const;

private:
    void take_floating(const DatapathSpec& spec, const mantissa_hls::Shape& shape);
    void take_words(const DatapathSpec& spec, const hls::LoadedMatrix& matrix);

    bool given_ = false;         ///< alpha and beta: there is no scalar unit
    int formed_ = 0, ended_ = 0; ///< of the scalar unit, where it forms alpha and beta and where the totals end the run
};

} // namespace mantissa::sim
