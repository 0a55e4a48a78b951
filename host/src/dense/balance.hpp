// A dense system brought to the middle of double's range by powers of two, and numbers without a range. Internal to
// host/.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "mantissa/lu/dense.hpp"

namespace mantissa::dense {

/// m 2^e with |m| in [1/2, 1), or 0: a double whose exponent has no end. m may be infinite or NaN.
struct Ranged {
    double m = 0;
    long e = 0;

    Ranged() = default;
    explicit Ranged(double x, long exponent = 0);

    [[nodiscard]] Ranged times(const Ranged& x) const { return Ranged(m * x.m, e + x.e); }
    [[nodiscard]] Ranged plus(const Ranged& x) const;
    /// Of magnitudes.
    [[nodiscard]] bool below(const Ranged& x) const;
    /// this / x in double; 0 / 0 is 0.
    [[nodiscard]] double over(const Ranged& x) const;
};

/// x = m 2^e with m in (1/2, 1]: its e; 0 for what has none.
int exponent(double x);

/// The given A as R A C, R and C diagonal with powers of two, each element rounded at most once (where it leaves
/// double's range downwards). A solution of A x = b is x_j = y_j 2^(column_j - side) with R A C y = 2^side R b.
struct Balance {
    DenseMatrix a;                ///< R A C
    std::vector<int> row, column; ///< exponents of R and C
    int top = 0;                  ///< part of each row's exponent: see raise()
    bool by_diagonal = false;     ///< R = C, by the diagonal
    Ranged norm;                  ///< ||A||, the greatest sum of a row's magnitudes, of the given matrix

    /// With `scale`: rows, then columns, to a largest element in (1/2, 1]; rows and columns of zeros stay. Where that
    /// would scale rows of a symmetric matrix with a positive diagonal otherwise than its columns (by more than 2^10
    /// from one to another), as where it is a good one scaled badly, R = C instead, by the diagonal: no diagonal
    /// scaling of a positive definite matrix does much better (van der Sluis 1969). Without: as it is, but where its
    /// largest element is far out, one power of two for all.
    Balance(const DenseMatrix& given, bool scale);

    /// Sets `top`: R A C 2^top.
    void raise(int to);
    /// The exponent that brings the largest element of R b into (1/2, 1].
    [[nodiscard]] int side(std::span<const double> b) const;
    /// 2^side R b.
    [[nodiscard]] std::vector<double> right_hand_side(std::span<const double> b, int side) const;
};

/// Whether a matrix is singular. Its elements are whole numbers times powers of two, so elimination modulo two primes
/// of 61 bits tells: `no` for certain, `yes` but for a chance of 2^-100. `unknown` beyond kMostExamined rows.
enum class Singular : unsigned char { no, yes, unknown };
constexpr std::size_t kMostExamined = 768;
Singular examine(const DenseMatrix& a, int threads);

} // namespace mantissa::dense
