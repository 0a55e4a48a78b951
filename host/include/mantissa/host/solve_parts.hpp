// solve_over_parts() with the parts' loops elsewhere than on this processor.
#pragma once

#include <memory>

#include "mantissa/host/solve.hpp"
#include "mantissa/partition/parted_cg.hpp"

namespace mantissa {

/// As solve_over_parts() in solve.hpp, with its bits; `elsewhere` makes what iterates for each part of this process
/// (mantissa/gpu/rank_cg.hpp makes GPUs do it). Throws as that does, and what `elsewhere` throws.
SolveResult solve_over_parts(const Problem& problem, const std::shared_ptr<Space>& space, CutMethod method,
                             const ExchangeOptions& exchange, const MakePartSolver& elsewhere,
                             const SolveOptions& options, const Progress& progress = {});

} // namespace mantissa
