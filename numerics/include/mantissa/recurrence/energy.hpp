// The A-norm of CG's error from the numbers that the scalar unit has anyway.
//
// A step of length alpha along p, with r.p = rho and p.Ap = pq, lowers the square of the error's A-norm by
//
//     drop_k = alpha_k rho_k = alpha_k^2 pq_k
//
// exactly where alpha = rho / pq (Hestenes and Stiefel 1952, theorem 6.1), and in finite precision as long as
// neighbouring vectors are orthogonal (Strakos and Tichy, ETNA 13, 2002). So ||x - x_l||_A^2 >= drop_l + ... + drop_k:
// a lower bound that is as tight as what is left after step k is small. Nothing here asks where the recurrence began
// anew: the drops of inner solves, each in the units of the problem as given (square of the scale of r times fit, see
// below), follow each other as those of one recurrence do.
//
// Units: where the inner solver works on (fit A) c' = d / scale and the correction is scale fit c', a drop of its own
// is drop' = alpha'^2 pq', and that of the problem's error scale^2 fit drop'. With Jacobi scaling the A-norm is the
// same:
// ||D^1/2 e|| in D^-1/2 A D^-1/2 is e's in A.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace mantissa::recurrence {

/// The adaptive delay of Meurant, Papez and Tichy, "Accurate error estimation in CG", Numer. Algorithms 88, 2021,
/// section 4: which l has a bound that misses at most a share `tau` of its square.
///
/// The square left after step k is taken for at most S drop_k, S the largest quotient of what was left and the drop
/// over the steps since the square was 10^4 times the last drop, and over those whose bound is still open. Then the
/// bound of l is good once S drop_k <= tau (drop_l + ... + drop_(k-1)).
class EnergyDrops {
public:
    /// `tau` between 0 and 1: 0.25 keeps an estimate of the norm within 14 %.
    explicit EnergyDrops(double tau = 0.25) : tau_(tau) {}

    /// The drop of a further step. One that is not finite or not above zero is left out.
    void add(double drop);
    /// After a new beginning that these steps did not lead to: what they made of x_0's error stays, no iterate has a
    /// bound.
    void begin_anew();
    /// Steps so far.
    [[nodiscard]] std::uint64_t steps() const { return drop_.size(); }
    /// Iterates x_0 to x_(known() - 1) have bounds.
    [[nodiscard]] std::uint64_t known() const { return known_; }
    /// The lower bound of ||x - x_l||_A^2 for the last of them, l = known() - 1; 0 where there is none.
    [[nodiscard]] double square() const { return square_; }
    /// The lower bound of ||x - x_0||_A^2 that all drops make.
    [[nodiscard]] double whole() const { return whole_; }
    /// Is the last known error at most `tolerance` of the first one, both by their lower bounds? The iterate of the
    /// last step is closer still.
    [[nodiscard]] bool reached(double tolerance) const {
        return known_ > 0 && square_ <= tolerance * tolerance * whole_;
    }

private:
    double tau_;
    std::vector<double> drop_, left_; ///< left_[i]: the sum of drop_[i ..], kept up from window_ on
    std::size_t window_ = 0, known_ = 0;
    double square_ = 0, whole_ = 0;
};

/// What is left after the last step of one run of CG, from above: gamma_k rho_k with the Gauss-Radau coefficients of
/// Meurant and Tichy, "On computing quadrature-based bounds for the A-norm of the error in conjugate gradients", Numer.
/// Algorithms 62, 2013:
///
///     gamma_0 = 1 / mu,   gamma_(j+1) = (gamma_j - alpha_j) / (mu (gamma_j - alpha_j) + rho_(j+1) / rho_j)
///
/// An upper bound of ||x - x_k||_A^2 in exact arithmetic for any 0 < mu below the smallest eigenvalue. `alpha` of the k
/// steps made, `rho` the k + 1 squares of residuals (r.z with a preconditioner, mu then of the preconditioned matrix).
/// Infinity where mu is found too large.
[[nodiscard]] double gauss_radau(std::span<const double> alpha, std::span<const double> rho, double mu);

} // namespace mantissa::recurrence
