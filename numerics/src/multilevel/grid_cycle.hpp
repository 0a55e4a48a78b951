// A cycle in words on the grid of a constant stencil, made for speed. Internal to numerics/.
#pragma once

#include <memory>

#include "mantissa/multilevel/cycle.hpp"
#include "mantissa/multilevel/word_rows.hpp"

namespace mantissa::multilevel {

/// At least two levels.
std::unique_ptr<Cycle> make_grid_cycle(const GridWords& grid, const CycleSpec& spec, int threads);

} // namespace mantissa::multilevel
