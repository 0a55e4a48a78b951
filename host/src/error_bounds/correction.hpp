// CG in double on a balanced system, with what it tells of its right-hand side's solution. Internal to host/.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "balanced.hpp"

namespace mantissa::errors {

/// What some steps of CG on A c = d know of ||c*||_A with A c* = d.
struct Correction {
    std::vector<double> c; ///< an approximate solution
    double lower = 0;      ///< of it: the root of the drops
    double upper = 0;      ///< with Gauss and Radau's remainder; infinite where there is none
    double left = 1;       ///< ||d - A c|| / ||d|| as the recurrence has it
    double smallest = 0;   ///< the smallest Ritz value; 0 where no step was made
    bool settled = false;  ///< an eigenvalue lies within a tenth of it, or CG has seen all
    std::uint64_t steps = 0;
    bool indefinite = false; ///< p.A p was below zero
};

/// What ends a run. (`upper` is formed from time to time, and only where `spread` asks for it.)
struct CorrectionGoal {
    std::uint64_t most = 0; ///< steps
    double left = 0;        ///< end once `left` is at most this; 0: never
    double spread = 0; ///< end once upper <= spread lower, of squares, with the smallest Ritz value settled; 0: never
};

Correction correct(const Balanced& s, std::span<const double> d, const CorrectionGoal& goal, int threads);

} // namespace mantissa::errors
