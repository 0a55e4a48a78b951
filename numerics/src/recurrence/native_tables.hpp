// The native loops of the library's recurrences, compiled once for each instruction set. Internal to numerics/.
#pragma once

#include "mantissa/recurrence/library.hpp"
#include "mantissa/recurrence/native_sweeps.hpp"

namespace mantissa::recurrence {

struct NativeTables {
    SweepLoops<double> cg;
    SweepLoops<float> cg_single;
    SweepLoops<double> bicgstab;
    SweepLoops<float> bicgstab_single;
    SweepLoops<double> flexible;
    SweepLoops<float> flexible_single;
    SweepLoops<double> right_bicgstab;
    SweepLoops<float> right_bicgstab_single;
    SweepLoops<double> chebyshev;
    SweepLoops<float> chebyshev_single;
};

// clang-format off
namespace baseline { const NativeTables& native_tables(); }
namespace avx2 { const NativeTables& native_tables(); }
namespace avx512 { const NativeTables& native_tables(); }
// clang-format on

} // namespace mantissa::recurrence
