// The hierarchy that suits a system. Internal to numerics/.
#pragma once

#include "mantissa/multilevel/hierarchy.hpp"

namespace mantissa::multilevel {

/// Of the grid where the system has one that can be halved, else by aggregation. Throws InvalidInput, one line, where
/// none is worth its work.
Hierarchy hierarchy_of(const System& system, int threads);

} // namespace mantissa::multilevel
