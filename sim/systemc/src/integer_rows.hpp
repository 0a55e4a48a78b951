// The clocks of the integer core's rows, as rtl/fx_row_plan.svh plans them.
#pragma once

#include <array>

#include "mantissa/hls/kernel.hpp"

namespace mantissa::sim {

/// Clocks from a window to q' and to the clocks that take each coefficient.
struct RowClocks {
    int latency = 0;
    std::array<int, 9> taken{};
};

RowClocks integer_rows(const DatapathSpec& spec, const hls::LoadedMatrix& matrix);

} // namespace mantissa::sim
