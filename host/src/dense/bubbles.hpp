// The microscopic problem of a bubbly flow: round bubbles in a cell of an ideal fluid, each moving with a velocity of
// its own, as a boundary integral equation. Internal to host/.
//
// The fluid's velocity is the gradient of a potential q with q_n = v.n on each bubble, n into the fluid. With Green's
// function G = ln|x - y| / (2 pi) the potential on the circles obeys q / 2 + D q = S (v.n). Each circle has `points`
// points at equal angles, and the sums over them take the integrals' place (Nystrom's method, of spectral accuracy).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "mantissa/lu/dense.hpp"

namespace mantissa::dense {

using Vector2 = std::array<double, 2>;

/// Bubbles of one radius in a square cell, in free space.
struct BubbleCell {
    double side = 1, radius = 0;
    std::size_t points = 64; ///< of one circle, at angles 2 pi p / points
    std::vector<Vector2> centres;

    [[nodiscard]] std::size_t size() const { return points * centres.size(); }
    /// Point p of bubble l is unknown l * points + p.
    [[nodiscard]] Vector2 normal(std::size_t i) const;
    [[nodiscard]] Vector2 place(std::size_t i) const;
    /// The length of circle that a point stands for.
    [[nodiscard]] double step() const;
};

/// `bubbles` bubbles that fill the fraction 0 < phi <= 0.3 of a cell of side 1, by Poisson-disk sampling: centres drawn
/// uniformly, one too near to an earlier one drawn again. Centres are four radii apart at least; where so many do not
/// fit, the distance is made shorter by tenths, to no less than 2.2 radii. Every bubble lies inside the cell. Throws
/// InvalidInput, one line, where they do not fit, or phi is out of range.
BubbleCell place_bubbles(std::size_t bubbles, std::size_t points, double phi, std::uint64_t seed);

/// I / 2 + D. A_ij = h (x_j - x_i).n_j / (2 pi |x_j - x_i|^2) for points of two circles, 1 / (2 points) for two of one,
/// and 1/2 more on the diagonal. Without `own` the circle's own part is left out: the potential then differs by a
/// constant on each circle, which moves no fluid, and dilute rows are strictly dominant.
DenseMatrix bubble_matrix(const BubbleCell& cell, bool own = true);

/// S (v.n) for bubbles that move with these velocities; a circle's own part exactly.
std::vector<double> bubble_right_hand_side(const BubbleCell& cell, std::span<const Vector2> velocities);

/// The cell's mean velocity: -(sum of h n_i q_i) / side^2.
Vector2 bubble_drift(const BubbleCell& cell, std::span<const double> q);

} // namespace mantissa::dense
