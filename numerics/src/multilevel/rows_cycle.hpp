// A cycle in words on sparse rows, made for speed; and the same cycle in double. Internal to numerics/.
#pragma once

#include <memory>

#include "mantissa/multilevel/cycle.hpp"
#include "mantissa/multilevel/word_rows.hpp"

namespace mantissa::multilevel {

/// Takes the hierarchy; nothing, and it is as it was, where 16-bit words or 32-bit sums do not hold what the spec asks
/// for.
std::unique_ptr<Cycle> make_rows_cycle(WordHierarchy& hierarchy, int threads);
/// The definition itself, on any hierarchy.
std::unique_ptr<Cycle> make_reference_cycle(WordHierarchy hierarchy);
std::unique_ptr<Cycle> make_double_cycle(Hierarchy hierarchy, const CycleSpec& spec, int threads);

} // namespace mantissa::multilevel
