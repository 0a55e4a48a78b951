// Extreme eigenvalues of a symmetric matrix by Lanczos. Internal to host/.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "mantissa/system.hpp"

namespace mantissa::advising {

/// A symmetric tridiagonal matrix that grows by a row at a time: what m steps of Lanczos know of a matrix. Its
/// eigenvalues, the Ritz values, lie within that one's spectrum; the smallest falls and the largest rises with m.
class Tridiagonal {
public:
    /// A further row: its diagonal entry, and the entry that couples it to the row before (ignored for the first).
    void grow(double diagonal, double coupling);
    [[nodiscard]] std::size_t size() const { return diagonal_.size(); }
    /// Eigenvalues below x, by the signs of the pivots of T - x (Sturm).
    [[nodiscard]] std::size_t below(double x) const;
    /// To a relative 1e-8 by bisection. size() >= 1.
    [[nodiscard]] double smallest() const;
    [[nodiscard]] double largest() const;
    /// |last element| of the unit eigenvector that belongs to smallest().
    [[nodiscard]] double last_of_smallest() const;

private:
    /// Gershgorin's bounds on all eigenvalues.
    [[nodiscard]] std::pair<double, double> bounds() const;
    /// lo and hi with no eigenvalue below lo and at least one below hi, as close as double precision brings them.
    [[nodiscard]] std::pair<double, double> bracket_smallest() const;

    std::vector<double> diagonal_, coupling_;
};

struct Extremes {
    double smallest = 0, largest = 0; ///< Ritz values: not below the smallest eigenvalue, not above the largest
    std::uint64_t steps = 0;          ///< products with the matrix
    bool settled = false;             ///< the smallest no longer moves and an eigenvalue lies next to it
};

struct LanczosOptions {
    std::uint64_t limit = 40000;  ///< steps
    bool stop_below_zero = false; ///< end as soon as a Ritz value is not above zero: the matrix is not definite then
    int threads = 1;
    std::function<bool()> time_up{};               ///< asked before every step: ends there, not settled
    std::function<void(std::uint64_t)> progress{}; ///< called with the steps so far, every few of them
};

/// Lanczos in double precision from a fixed pseudo-random vector, without orthogonalisation (copies of Ritz values do
/// not move the extreme ones), until the smallest Ritz value has settled: it fell by less than 1 % over the last fifth
/// of the steps, and its residual says that an eigenvalue lies within a tenth of it. Empty rows (Dirichlet nodes) are
/// left out. A matrix without entries gives zeros. Where the limit or `time_up` ends it, settled is false; it takes one
/// step at least.
Extremes extreme_eigenvalues(const System& system, const LanczosOptions& options);

} // namespace mantissa::advising
