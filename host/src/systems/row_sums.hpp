// Sparse rows whose couplings are short and whose sums are kept. Internal to host/.
#pragma once

#include <span>

#include "mantissa/format.hpp"
#include "mantissa/system.hpp"

namespace mantissa::systems {

/// The matrix with its entries off the diagonal rounded once into `coupling`; each diagonal entry takes up what its row
/// lost, so that A' d = A d for d_i = 1 / scale_i up to double precision. `scale` is that of jacobi_scaled() (one
/// element stands for all, none for 1): d is then the vector of ones on the matrix as given. A symmetric matrix stays
/// symmetric. Throws InvalidInput, one line, where `matrix` has no sparse rows.
System with_row_sums_kept(const System& matrix, const Format& coupling, std::span<const double> scale);

} // namespace mantissa::systems
