// Restarted GMRES in a datapath's arithmetic, for matrices of any kind.
//
// Saad and Schultz, "GMRES: a generalized minimal residual algorithm for solving nonsymmetric linear systems", SIAM J.
// Sci. Stat. Comput. 7(3), 1986; the basis by modified Gram-Schmidt, the least-squares problem by Givens rotations.
//
// b and r are in r's format, the basis v_1 .. v_(m+1) in p's, w in q's and u in u's; every scalar is a value of the
// scalar format, in which each of its operations is rounded once, and is rounded to the operand format as it enters a
// vector update. Rows and dot products are formed as engine.hpp defines them. A cycle of m steps, from the iterate u
// (+0 at first, where r = b):
//
//     w = A u                       the row's result rounded to q's format
//     r = b - (1 w)                 to r's format
//     rho = r.r   g_1 = sqrt(rho)   v_1 = 0 + ((1 / g_1) r), product and sum to p's format
//     step j = 1, 2, ...
//         w = A v_j                 to q's format
//         i = 1 .. j:  h_i = w.v_i;  w = w - (h_i v_i), product and difference to q's format
//         h = sqrt(w.w)             v_(j+1) = 0 + ((1 / h) w), to p's format
//         k = 1 .. j - 1:  (h_k, h_(k+1)) = ((c_k h_k) + (s_k h_(k+1)), (c_k h_(k+1)) - (s_k h_k))
//         d = sqrt((h_j h_j) + (h h));  c_j = h_j / d;  s_j = h / d;  R's column j is h_1 .. h_(j-1), d
//         g_(j+1) = -(s_j g_j);  g_j = c_j g_j;  rho = g_(j+1) g_(j+1)
//     y_i = (g_i - sum_k>i R_ik y_k) / R_ii for i = j .. 1, terms taken off one after the other, k ascending
//     u = u + (y_i v_i) for i = 1 .. j, product and sum to u's format
//
// With a preconditioner M, from the right: w = A z_j, z_j = M v_j rounded to p's format, and u = u + (y_i z_i). M may
// be another map in every step (Saad, "A flexible inner-outer preconditioned GMRES algorithm", SIAM J. Sci. Comput.
// 14(2), 1993); r is the system's own.
//
// A step counts as a pass; the product with A that begins a cycle does not. A cycle ends after m steps, after a step
// whose space is exhausted, and after one whose rho is below the threshold; the next one begins with the residual
// itself, whose rho ends the run where it is below the threshold too (rho_reached) or zero (exact). A space is
// exhausted where h is within its own roundings: h^2 <= 2^(2 - 2 f) (h_1^2 + .. + h_j^2), in double, before the
// rotations, with f the fewest fraction bits of p, q and the operand; a further v would be noise, often along a v that
// is there already. A step in which a dot product leaves its window (window_overflow) or a value is not finite
// (not_finite; h_j / d is none where d is zero: A is singular, or rounding makes it so) is dropped; the cycle ends with
// the steps before it, and so does the run.
//
// No bit depends on the number of threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "mantissa/engine.hpp"
#include "mantissa/recurrence/preconditioner.hpp"
#include "mantissa/spec.hpp"
#include "mantissa/system.hpp"

namespace mantissa {

namespace detail {
class GmresArithmetic;
}

/// Steps of a cycle that may be asked for.
inline constexpr std::size_t kLeastRestart = 1, kMostRestart = 1000;

/// How a GmresSolver computes. The bits do not depend on it.
enum class GmresPath : std::uint8_t {
    fastest, ///< in the processor's own double precision where the datapath is that
    general, ///< operation by operation
};

/// GMRES(m). Not for use from two threads at once.
class GmresSolver {
public:
    /// Empty where GMRES runs in this datapath; else one line that says why not: floating formats alone hold a basis.
    [[nodiscard]] static std::string refusal(const DatapathSpec& spec);

    /// Copies what it needs of `system`. `restart`: steps of a cycle, kLeastRestart to kMostRestart. Memory: up to
    /// restart + 5 vectors of doubles, taken as steps need them, and with a preconditioner restart more. Throws
    /// InvalidInput with refusal()'s line, for a `restart` outside its range, and where the datapath's row order means
    /// nothing for the matrix.
    GmresSolver(const System& system, const DatapathSpec& spec, std::size_t restart, int threads = 1,
                GmresPath path = GmresPath::fastest, recurrence::Preconditioner preconditioner = {});
    ~GmresSolver();
    GmresSolver(const GmresSolver&) = delete;
    GmresSolver& operator=(const GmresSolver&) = delete;

    /// Begins a solve of A u = b from u = 0; b is rounded into r's format.
    void start(std::span<const double> b);
    /// Runs steps. n runs of one pass equal one run of n passes, bit for bit. The rho that is tested is that in front
    /// of a pass, from pass rho_stop_from on.
    RunReport run(const RunRequest& request);
    /// The square of the residual's norm, as the rotations or, in front of a cycle, the residual itself has it.
    [[nodiscard]] double rho() const { return rho_; }
    /// The best iterate: that of the cycle that runs, closed with the steps it has, or that of an earlier cycle whose
    /// residual b - A u, formed in the datapath, is smaller.
    [[nodiscard]] std::span<const double> solution();

private:
    RunEnd begin_cycle(double stop, bool test);
    RunEnd step();
    void close_cycle();
    [[nodiscard]] bool is_noise(double h, std::size_t j) const;
    /// What the product of step j is formed of.
    [[nodiscard]] const std::vector<double>& along(std::size_t j) const { return preconditioner_ ? z_[j] : basis_[j]; }
    void add_basis(std::span<double> u) const;
    /// r = b - A u into `r_of_u`; the square of its norm, infinite where it is none.
    double residual(std::span<const double> u, std::span<double> r_of_u);
    [[nodiscard]] double& column(std::size_t j, std::size_t i) { return triangle_[j * (j + 1) / 2 + i]; }
    [[nodiscard]] double column(std::size_t j, std::size_t i) const { return triangle_[j * (j + 1) / 2 + i]; }

    DatapathSpec spec_;
    std::size_t restart_, size_;
    std::unique_ptr<detail::GmresArithmetic> arithmetic_;
    std::vector<double> b_, r_, u_, w_;
    std::vector<std::vector<double>> basis_, z_;
    recurrence::Preconditioner preconditioner_;
    std::vector<double> triangle_;  ///< R's columns, one after the other
    std::vector<double> c_, s_, g_; ///< rotations and right-hand side
    std::vector<double> best_, candidate_;
    double best_rho_ = 0, rho_ = 0;
    std::size_t steps_ = 0; ///< of the cycle
    bool open_ = false;     ///< has the cycle its v_1?
    bool first_ = true;     ///< is u still zero, so that r = b?
    bool last_of_cycle_ = false;
};

} // namespace mantissa
