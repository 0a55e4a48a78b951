// The defect of an outer loop, d = b - A u in double precision, in the order that every place forms it in: the host,
// and each part of a system for its rows (mantissa/host/residual.hpp defines it).
#pragma once

#include <cstddef>

#include "mantissa/system.hpp"

namespace mantissa::outer {

/// Elements begin to end - 1 of d = b - A u. u, b and d have system.size() elements; d may be b but not u. Of a stencil
/// begin and end lie between grid rows.
void defect_piece(const System& system, std::size_t begin, std::size_t end, const double* u, const double* b,
                  double* d);

} // namespace mantissa::outer
