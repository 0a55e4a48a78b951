// A cycle in words on sparse rows, made for speed; and the same cycle in double. Internal to numerics/.
#pragma once

#include <memory>

#include "mantissa/multilevel/cycle.hpp"
#include "word_rows.hpp"

namespace mantissa::multilevel {

std::unique_ptr<Cycle> make_rows_cycle(WordHierarchy hierarchy, int threads);
std::unique_ptr<Cycle> make_double_cycle(Hierarchy hierarchy, const CycleSpec& spec, int threads);

} // namespace mantissa::multilevel
