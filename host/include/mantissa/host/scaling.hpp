// Jacobi preconditioning as symmetric scaling: D^-1/2 A D^-1/2 y = D^-1/2 b with u = D^-1/2 y, D the diagonal of A.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "mantissa/host/problem.hpp"

namespace mantissa {

/// A problem scaled so that the schemes can work on it, with the way back: u = 2^shift D^-1/2 y.
struct ScaledProblem {
    Problem problem;           ///< its matrix is D^-1/2 A D^-1/2; b and `exact` are scaled along, the name is kept
    std::vector<double> scale; ///< D^-1/2 per element; one entry when it is the same for all (a constant stencil)
    int shift = 0;             ///< b carries a factor 2^-shift; 0 unless b's range asks for it

    [[nodiscard]] double at(std::size_t i) const { return scale.size() == 1 ? scale[0] : scale[i]; }
    /// u = 2^shift D^-1/2 y, in place, each element rounded once. Elements beyond double precision become infinite.
    void map_back(std::span<double> y) const;
    /// Is a norm of this problem the norm of the problem as given, up to one factor?
    [[nodiscard]] bool uniform() const { return scale.size() == 1; }
    /// Norm of the defect of the problem as given, times 2^-shift, from a defect d of the scaled one: ||D^1/2 d||.
    [[nodiscard]] double norm_as_given(std::span<const double> d, int threads) const;
};

/// Scales a problem to a unit diagonal. Rows whose diagonal is zero (Dirichlet nodes of band systems) keep their scale
/// of one. Entries whose products would leave the range of double precision on the way are formed with powers of two
/// taken out, and b is shifted by one where its scaled entries would leave 2^-400..2^400; elsewhere both are plain
/// products. Throws InvalidInput, naming the entry, when a diagonal entry is negative or not finite, when a scaled
/// entry is beyond double precision (the matrix is not positive definite then), or when b is not finite.
ScaledProblem jacobi_scaled(const Problem& problem);

/// The problem as it is with b shifted by range_shift(), so that no norm of a defect overflows
/// or vanishes; nothing when b lies there already, or is zero. Throws InvalidInput when b is not finite.
std::optional<ScaledProblem> range_scaled(const Problem& problem, int threads);

/// The binary exponent of b's largest magnitude where that lies outside 2^-400..2^400; 0 elsewhere, for zeros, and
/// where an element is not finite.
int range_shift(std::span<const double> b);

} // namespace mantissa
