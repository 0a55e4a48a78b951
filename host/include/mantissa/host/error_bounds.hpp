// What is known of the error x - x*, x* = A^-1 b, after a solve of a symmetric positive definite system: an estimate
// of its A-norm, and a bound that holds.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "mantissa/host/problem.hpp"

namespace mantissa {

/// The A-norm of the error of one iterate, estimated by CG steps in double on A c = b - A x. All numbers are relative
/// to
/// ||x*||_A.
struct EnergyEstimate {
    double lower = 0;        ///< root of the drops (mantissa/recurrence/energy.hpp): below the error but for rounding
    double upper = 0;        ///< and with Gauss and Radau's coefficient; infinite where there is none
    std::uint64_t steps = 0; ///< of CG that it took
    bool settled = false;    ///< is `upper` at most 1.5 times `lower`, of a spectrum whose end was seen?

    /// The geometric mean of the two; `lower` where there is no other.
    [[nodiscard]] double value() const;
    friend bool operator==(const EnergyEstimate&, const EnergyEstimate&) = default;
};

/// ||x - x*||_inf <= absolute, for sure: every rounding on the way to it is accounted for.
struct ErrorBound {
    std::optional<double> absolute; ///< none: no bound, `why` says for what reason
    std::optional<double> relative; ///< to ||x*||_inf; none where the bound does not tell x* from zero
    std::string method;             ///< "M-matrix", "Cholesky" or "doubled Cholesky"; empty: none
    std::string why;                ///< one line, where there is no bound
    friend bool operator==(const ErrorBound&, const ErrorBound&) = default;
};

/// The estimate for x. The defect is formed anew in doubled arithmetic, so it is the error of x as it is, whatever
/// formats and recurrence made it; ||x*||_A^2 = x.(b + d) + ||x - x*||_A^2 with d = b - A x.
///
/// CG goes on until upper <= 1.5 lower with the smallest Ritz value of its steps settled (an eigenvalue lies within a
/// tenth of it), or for `most` steps. The eigenvalue that Gauss and Radau's coefficient wants is taken as half that
/// value, a tenth of it where it has not settled. That is no rigorous bound of the spectrum, and so `upper` none of the
/// error: error_bound() gives one.
///
/// Nothing where the matrix has a diagonal entry that is not above zero, is not symmetric or shows itself indefinite,
/// and where x or b is not finite. Throws InvalidInput, here and below, where one has not an element for each unknown.
std::optional<EnergyEstimate> energy_estimate(const Problem& problem, std::span<const double> x, std::uint64_t most,
                                              int threads);

/// The bound for x, of x* itself: nothing is assumed of how x was made. Two ways, the first that holds:
///
/// *M-matrix*: no entry off the diagonal is above zero, and for some v > 0 all of A v is above zero. Then A^-1 >= 0 and
/// |A^-1 r| <= v max |r_i| / (A v)_i element by element (Ostrowski 1937; Ogita, Oishi, Ushiro, Computing 73, 2004). v
/// is an approximate solution of A v = 1 by CG; only A v > 0 has to hold, formed in doubled arithmetic.
///
/// *Cholesky*: a factorisation of A - s in double, or in pairs of doubles, runs to its end. Then the smallest
/// eigenvalue is at least s less what rounding can have hidden (Higham, Accuracy and Stability of Numerical Algorithms,
/// 2002, theorem 10.3; Rump, BIT 46, 2006), and |A^-1 r|_i <= ||r||_2 / that. Rows are put in the order of reverse
/// Cuthill and McKee; kMostEnvelope numbers inside the envelope and kMostCholeskyWork products at most (of pairs
/// kMostDoubledWork), else there is no bound.
///
/// Either is used of r = b - A (x + c), c an approximate correction: |x - x*| <= |c| + |A^-1 r|, which is near the true
/// error. A is scaled by powers of two to diagonal entries from 1/2 to 4 first, which is exact. No modes of rounding
/// are set: all rests on a-priori bounds of rounding to nearest, sums in doubled arithmetic by certain.hpp.
ErrorBound error_bound(const Problem& problem, std::span<const double> x, int threads);

inline constexpr std::uint64_t kMostEnvelope = std::uint64_t{1} << 25;
inline constexpr std::uint64_t kMostCholeskyWork = std::uint64_t{1} << 34;
inline constexpr std::uint64_t kMostDoubledWork = std::uint64_t{1} << 26;

} // namespace mantissa
