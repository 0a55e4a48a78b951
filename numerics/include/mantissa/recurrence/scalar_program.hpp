// A recurrence's scalars as a program of the RTL's scalar unit (rtl/core/scalar_sequencer.sv): what
// rtl/scalar_program.svh holds is written by this.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "mantissa/recurrence/definition.hpp"

namespace mantissa::recurrence {

/// What an instruction does, by the number that the unit knows it by.
enum class ScalarOperation : std::uint8_t { total, hold, divide, times, minus, below, check, clear, operand, done };
/// What its result must be: else the next check ends the run; `guarded`: +0 in place of what is negative.
enum class ScalarDemand : std::uint8_t { any, finite, nonzero, positive, guarded };

struct ScalarInstruction {
    ScalarOperation operation = ScalarOperation::done;
    std::string a;      ///< the scalar that it reads; of `total`, the total's number
    std::string result; ///< the scalar that it writes; of `operand`, its number; of `check`, 1 where the program ends
    ScalarDemand demand = ScalarDemand::any;
};

/// The unit's program of a recurrence.
struct ScalarProgram {
    std::vector<ScalarInstruction> instruction;
    std::size_t window = 0;          ///< where it goes on once a total left its window
    std::size_t stop = 0;            ///< ... where the run ends with its `clears` at +0
    std::size_t operands = 0;        ///< ... where the bus wrote an operand
    std::vector<bool> signed_totals; ///< by number: totals that can be negative
};

/// The program of one iteration's scalars. The unit sums up all dot products of an iteration, at most three, before the
/// scalars are formed; it has seven scalars with names of their own (alpha, beta, rho, pq, qq, sigma and the threshold)
/// and one more; it divides, multiplies and subtracts. Throws InvalidInput, one line, for a recurrence that needs more.
///
/// The order is the recurrence's own, but for three things. The divisor of the first division is loaded first, and the
/// totals are tested after that division's beginning, since the last of them is on its way meanwhile. An operand of
/// the vectors' updates is formed, and the threshold compared, where the scalar is held for something else anyway.
[[nodiscard]] ScalarProgram scalar_program(const Definition& definition);

/// The program as text of rtl/scalar_program.svh, from its `define on to its last entry.
[[nodiscard]] std::string verilog(const ScalarProgram& program);

} // namespace mantissa::recurrence
