// A whole solve by multilevel cycles, defect correction around them included, by an engine that keeps all of its
// vectors.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "mantissa/format.hpp"

namespace mantissa {

enum class CycleSolveEnd : std::uint8_t {
    reached,  ///< by the solver's own defect
    limit,    ///< of cycles
    overflow, ///< a word of u or b does not fit
};

struct CycleSolveReport {
    CycleSolveEnd end = CycleSolveEnd::limit;
    std::uint64_t cycles = 0;
    double seconds = 0; ///< of the solve alone, transfers not included; 0 where the engine has no clock of its own
    std::vector<double>
        history; ///< the defect's norm over b's, before each cycle and at the end, where the engine tells
    std::optional<std::uint64_t> clocks; ///< of the solve, for engines that count them
};

class CycleSolver {
public:
    CycleSolver() = default;
    CycleSolver(const CycleSolver&) = delete;
    CycleSolver& operator=(const CycleSolver&) = delete;
    virtual ~CycleSolver() = default;
    /// A u = b from u = 0, until the defect's norm is `tolerance` of b's. u and b are words of the solver's format,
    /// fixed(64, F), each rounded once on the way in and out (or double, for cycles in double).
    virtual CycleSolveReport solve(std::span<const double> b, double tolerance, std::uint64_t most_cycles,
                                   std::vector<double>& u) = 0;
    /// Threads of this processor, where it solves. The bits do not depend on them.
    virtual void use(int /*threads*/) {}
};

/// Words of u and b where none are asked for: up to two in magnitude.
inline constexpr Format kCycleIterate = Format::fixed(64, 62);

} // namespace mantissa
