// The cycle core as HLS-style C++ (mantissa_hls/cycle/), behind the interface of solves in words.
#pragma once

#include <memory>

#include "mantissa/multilevel/word_solve.hpp"
#include "mantissa_hls/cycle/plan.hpp"

namespace mantissa::hls {

/// What the kernel is told.
[[nodiscard]] mantissa_hls::cycle::CyclePlan cycle_plan(const multilevel::GridPlan& plan);
/// The rows that one of several cores has (multilevel::CycleSlabs).
[[nodiscard]] mantissa_hls::cycle::CycleSlab cycle_slab(const multilevel::GridPlan& plan, int core, int cores);

/// The core of a cycle. Throws InvalidInput where grid_plan() does.
std::unique_ptr<multilevel::WordSolver> make_cycle_core(const multilevel::GridWords& grid, const CycleSpec& spec);

} // namespace mantissa::hls
