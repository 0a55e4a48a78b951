// A cycle in words on sparse rows, made for speed; and the same cycle in double. Internal to numerics/.
#pragma once

#include <memory>

#include "mantissa/multilevel/cycle.hpp"
#include "mantissa/multilevel/word_rows.hpp"
#include "parted/cycle_links.hpp"

namespace mantissa::multilevel {

/// Takes the hierarchy; nothing, and it is as it was, where 16-bit words or 32-bit sums do not hold what the spec asks
/// for.
std::unique_ptr<Cycle> make_rows_cycle(WordHierarchy& hierarchy, int threads);
/// One part's side of it, on a hierarchy that fits: d and c are of the part's rows, and all parts correct at once.
std::unique_ptr<Cycle> make_part_of_rows_cycle(WordHierarchy hierarchy, int threads, std::unique_ptr<CycleLinks> links);
/// The definition itself, on any hierarchy.
std::unique_ptr<Cycle> make_reference_cycle(WordHierarchy hierarchy);
std::unique_ptr<Cycle> make_double_cycle(Hierarchy hierarchy, const CycleSpec& spec, int threads);

} // namespace mantissa::multilevel
