// What cores of cycles take of a problem. Internal to host/.
#pragma once

#include <optional>

#include "mantissa/host/problem.hpp"
#include "mantissa/multilevel/grid_words.hpp"

namespace mantissa::tuning {

/// Of the vectors in a cycle core's netlist, which tells the logic: their level.
inline constexpr int kCycleStored = 5;

/// Poisson's stencil on a grid of 2^n + 1 nodes a side, of which netlists of cycle cores are; else none.
std::optional<multilevel::GridWords> poisson_grid(const Problem& problem);
/// Level of the rows that a core for the grid has: the table's, or more.
int cycle_rows(const multilevel::GridWords& grid);

} // namespace mantissa::tuning
