// Which points may stand in one chart. Internal to host/.
#pragma once

#include <string>
#include <vector>

#include "report/rows.hpp"

namespace mantissa::report {

/// Points of one problem with one scheme, stopping rule, tolerance and scaling: those that most points share. One
/// point for each specification: one that converged where there is one, and of the emulated engine.
struct Choice {
    std::string problem;
    std::uint64_t unknowns = 0;
    std::vector<const PointRow*> points; ///< in the store's order
};

/// One choice per problem: those with at least half as many points as the richest first, by size downwards, then the
/// others.
std::vector<Choice> comparable_points(const std::vector<PointRow>& points);

} // namespace mantissa::report
