// The core's registers. Written by rtl/generate.py from rtl/core.toml; edit that and run it again.
#pragma once

// clang-format off

#include <cstdint>

#include "mantissa/run_end.hpp"

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
    kCoefficient = 0x80, // of band b at 8 b after
    kWordsU = 0xC8,
    kWordsR = 0xD0,
    kWordsP = 0xD8,
    kWordsQ = 0xE0,
    kHaloFirst = 0xE8,
    kHaloLast = 0xEC,
    kHaloColumn = 0xF0,
};

constexpr std::uint32_t kIdValue = 0x4D545301;

/// Bits of CONTROL.
enum ControlBit : std::uint32_t {
    kStartBit = 1U << 0, // a run begins
    kAbortBit = 1U << 1, // the run ends
};

/// Bits of STATUS.
enum StatusBit : std::uint32_t {
    kBusyBit = 1U << 0, // a run is on
    kDoneBit = 1U << 1, // a run has ended
    kBankBit = 1U << 8, // the bank that holds u, r, p, q
    kOfferingBit = 1U << 9, // beats of a run that has ended are still offered
    kFaultDetectedBit = 1U << 11, // fx_core with Checks: a check failed since the start
};

/// STATUS[6:4], how a run ended: a number of mantissa::RunEnd.
constexpr std::uint32_t end_number(std::uint32_t status) {
    return (status >> 4) & 7;
}

// The core's numbers are the contract's.
static_assert(static_cast<std::uint32_t>(RunEnd::passes) == 0); // all passes were run
static_assert(static_cast<std::uint32_t>(RunEnd::rho_reached) == 1); // rho fell below RHO_STOP
static_assert(static_cast<std::uint32_t>(RunEnd::exact) == 2); // rho is zero: nothing is left to reduce
static_assert(static_cast<std::uint32_t>(RunEnd::indefinite) == 3); // p.q is not above zero: A is not positive definite, in this format
static_assert(static_cast<std::uint32_t>(RunEnd::not_finite) == 4); // a scalar is infinite or NaN
static_assert(static_cast<std::uint32_t>(RunEnd::window_overflow) == 5); // a dot product left its fixed-point window; RHO, PQ and QQ are +0 too
static_assert(static_cast<std::uint32_t>(RunEnd::fault) == 6); // fault: see ERRORS

} // namespace mantissa::sim
