// What a row of a system has. Internal to host/src/solve/.
#pragma once

#include <cstddef>

#include "mantissa/system.hpp"

namespace mantissa::solving {

/// Row i's diagonal entry, and whether it couples to another row. An empty row is a Dirichlet node.
struct RowCheck {
    double diagonal = 0;
    bool coupled = false;
    [[nodiscard]] bool empty() const { return diagonal == 0 && !coupled; }
};
RowCheck row_check(const System& system, std::size_t i);

} // namespace mantissa::solving
