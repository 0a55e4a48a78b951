// The matrix of the next level. Internal to numerics/.
#pragma once

#include <vector>

#include "mantissa/sparse/multilevel.hpp"

namespace mantissa::detail {

struct NextMatrix {
    RealRows a;                ///< symmetric, ones on the diagonal, columns ascend
    std::vector<double> scale; ///< S' that made them ones; none where a diagonal entry was not above zero
};

/// S' R a P S' with R = P^T, exactly symmetric: one triangle is formed, the other is its mirror image. With a
/// `function` (of the next level, unscaled) entries that are less than a hundredth of both diagonal entries, in
/// proportion to it, and whose two unknowns are both joined to a third one by far more, are left out and added to the
/// diagonal such that R a P `function` stays as it is. No function: all entries stay.
NextMatrix next_matrix(const RealRows& a, const RealRows& prolongation, const RealRows& restriction,
                       const std::vector<double>& function, int threads);

} // namespace mantissa::detail
