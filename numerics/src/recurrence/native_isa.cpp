// The native loops for each instruction set. No library templates here: see isa/isa.hpp.
#include "native_tables.hpp"

namespace mantissa::recurrence::MANTISSA_ISA {

const NativeTables& native_tables() {
    static constexpr NativeTables kTables{
        kSweepLoops<kCg, double>,
        kSweepLoops<kCg, float>,
        kSweepLoops<kBicgstab, double>,
        kSweepLoops<kBicgstab, float>,
        kSweepLoops<kFlexible, double>,
        kSweepLoops<kFlexible, float>,
        kSweepLoops<kRightBicgstab, double>,
        kSweepLoops<kRightBicgstab, float>,
        kSweepLoops<kChebyshev, double>,
        kSweepLoops<kChebyshev, float>,
    };
    return kTables;
}

} // namespace mantissa::recurrence::MANTISSA_ISA
