// Jacobi preconditioning as symmetric scaling: D^-1/2 A D^-1/2 y = D^-1/2 b with u = D^-1/2 y, D the diagonal of A.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "mantissa/host/problem.hpp"

namespace mantissa {

/// A problem scaled to a unit diagonal, with the way back.
struct ScaledProblem {
    Problem problem;           ///< its matrix is D^-1/2 A D^-1/2; b and `exact` are scaled along, the name is kept
    std::vector<double> scale; ///< D^-1/2 per element; one entry when it is the same for all (a constant stencil)

    [[nodiscard]] double at(std::size_t i) const { return scale.size() == 1 ? scale[0] : scale[i]; }
    /// u = D^-1/2 y, in place.
    void map_back(std::span<double> y) const;
};

/// Scales a problem. Rows whose diagonal is zero (Dirichlet nodes of band systems) keep their scale of one. Throws
/// InvalidInput when a diagonal entry is negative or not finite.
ScaledProblem jacobi_scaled(const Problem& problem);

} // namespace mantissa
