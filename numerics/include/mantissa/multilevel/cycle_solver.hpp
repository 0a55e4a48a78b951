// A whole solve by multilevel cycles, the loop around them included, by an engine that keeps all of its vectors.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "mantissa/format.hpp"

namespace mantissa {

/// Words of u and b where none are asked for: up to two in magnitude.
inline constexpr Format kCycleIterate = Format::fixed(64, 62);

/// What stands around cycles.
struct CycleLoop {
    Format iterate = kCycleIterate; ///< of u, b and the defect: words of 64 bits, or double
    bool cg = false;                ///< CG preconditioned by a cycle, in double with the flexible beta; else u += c
    int threads = 1;                ///< of this processor, for what it does; the bits do not depend on them
    int directions = 1;             ///< 1 to kMostDirections: CG makes a new one conjugate to so many before it
};

enum class CycleSolveEnd : std::uint8_t {
    reached,    ///< by the solver's own defect
    limit,      ///< of cycles
    overflow,   ///< a word of u or b does not fit
    stagnated,  ///< the defect no longer falls
    diverged,   ///< it grew
    indefinite, ///< p.A p or r.z is not above zero
    not_finite, ///< a sum left the range of double precision
    fault,      ///< hardware did not end as it should have; u is zero, and the next solve begins anew
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
    /// A u = b from u = 0, until the defect's norm is `tolerance` of b's. u and b are words of the loop's format, each
    /// rounded once on the way in and out.
    virtual CycleSolveReport solve(std::span<const double> b, double tolerance, std::uint64_t most_cycles,
                                   std::vector<double>& u) = 0;
    /// May its word that it converged be taken for proof? Not a core's, whose state an upset may have turned over
    /// (docs/upsets.md): who knows b forms b - A u.
    [[nodiscard]] virtual bool trusted() const { return true; }
    /// The levels, in words; empty where the engine says nothing.
    [[nodiscard]] virtual std::string description() const { return {}; }
};

} // namespace mantissa
