// The core's registers, as the header of rtl/core/core_regs.sv lists them.
#pragma once

#include <cstdint>

namespace mantissa::sim {

/// Byte addresses; values wider than 32 bits take two words, the low one at the lower address.
enum Register : std::uint32_t {
    kId = 0x00,
    kConfig = 0x04,
    kControl = 0x08,
    kStatus = 0x0C,
    kErrors = 0x10,
    kLength = 0x14,
    kRowLength = 0x18,
    kPasses = 0x1C,
    kRhoStopFrom = 0x20,
    kStallLimit = 0x24,
    kMode = 0x28,
    kBank = 0x2C,
    kPassCount = 0x30,
    kSigmaGuards = 0x34,
    kCycles = 0x38,
    kAlpha = 0x40,
    kBeta = 0x48,
    kRho = 0x50,
    kPq = 0x58,
    kQq = 0x60,
    kSigma = 0x68,
    kRhoStop = 0x70,
    kCoefficient = 0x80, // of band b at 8 b behind
};

/// Bits of STATUS; how a run ended is in [6:4].
enum StatusBit : std::uint32_t {
    kBusyBit = 1,
    kDoneBit = 2,
    kBankBit = 1U << 8,
    kOfferingBit = 1U << 9, // beats of a run that has ended are still offered
};

} // namespace mantissa::sim
