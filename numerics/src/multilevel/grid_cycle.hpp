// A cycle in words on the grid of a constant stencil, made for speed. Internal to numerics/.
#pragma once

#include <functional>
#include <memory>

#include "mantissa/multilevel/cycle.hpp"
#include "mantissa/multilevel/word_rows.hpp"
#include "mantissa/multilevel/word_solve.hpp"
#include "parted/cycle_links.hpp"

namespace mantissa::multilevel {

/// At least two levels.
std::unique_ptr<Cycle> make_grid_cycle(const GridWords& grid, const CycleSpec& spec, int threads);
/// One part's side of it: d and c are of the grid rows that the part owns, and all parts correct at once.
std::unique_ptr<Cycle> make_part_of_grid_cycle(const GridWords& grid, const CycleSpec& spec, int threads,
                                               std::unique_ptr<GridLinks> links);

/// The cycle to be made for a number of threads.
using MakeGridCycle = std::function<std::unique_ptr<Cycle>(const GridWords&, const CycleSpec&, int)>;
/// The processor's solver around whichever cycle.
std::unique_ptr<WordSolver> make_word_solver(const GridWords& grid, const CycleSpec& spec, MakeGridCycle make);

} // namespace mantissa::multilevel
