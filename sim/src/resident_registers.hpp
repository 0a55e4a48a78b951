// fx_resident's registers. Written by rtl/generate.py from rtl/core.toml; edit that and run it again.
#pragma once

// clang-format off

#include <cstdint>

namespace mantissa::sim::resident_core {

/// Byte addresses; values wider than 32 bits take two words, the low one at the lower address.
enum Register : std::uint32_t {
    kId = 0x00,
    kConfig = 0x04,
    kControl = 0x08,
    kStatus = 0x0C,
    kLength = 0x10,
    kRowLength = 0x14,
    kInner = 0x18,
    kPasses = 0x1C,
    kTolerance = 0x20,
    kToleranceExponent = 0x28,
    kHeadroom = 0x2C,
    kPassCount = 0x30,
    kSteps = 0x34,
    kFormedAgain = 0x38,
    kOverflows = 0x3C,
    kSigmaGuards = 0x40,
    kExponent = 0x44,
    kRr = 0x48,
    kCycles = 0x50,
    kWordsU = 0x58,
    kWordsR = 0x60,
    kWordsP = 0x68,
    kWordsQ = 0x70,
    kHeadroomNow = 0x78,
    kRelax = 0x7C,
    kStallLimit = 0x80,
    kShare = 0x84,
};

constexpr std::uint32_t kIdValue = 0x4D545201;

/// STATUS[7:4], how a solve ended.
enum End : std::uint32_t {
    kEndConverged = 0, // r.r was below the tolerance
    kEndPasses = 1, // PASSES passes were done
    kEndExact = 2, // D is zero, and no correction was rounded: b is A V
    kEndIndefinite = 3, // ten runs in a row ended in trouble, the last one with p.q not above zero
    kEndNotFinite = 4, // likewise, the last one with a scalar that was not finite
    kEndWindowOverflow = 5, // words overflowed 41 times, with more and more headroom
    kEndFault = 6, // no exponent fits r's words (a headroom that cannot be); ten runs in a row ended with rho zero; D is zero, but corrections were rounded to V's or D's grid (VF too short for the tolerance); D was not loaded, or a register is out of its range; STALL_LIMIT; or the solve was aborted
    kEndOuterOverflow = 7, // a word of V or D overflowed
};

} // namespace mantissa::sim::resident_core
