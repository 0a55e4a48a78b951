// What a dense solve may say of its answer. Internal to host/.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "balance.hpp"
#include "mantissa/host/dense.hpp"

namespace mantissa::dense {

/// Is the condition of factored `r` within what its factors can see? Factors of unit roundoff u cannot tell from a
/// singular matrix what looks to them like 1 / u: then it is about `condition` or more, or their rounding alone.
bool condition_in_sight(const DenseResult& r);

/// ||b - A x|| / (||A|| ||x|| + ||b||), maximum norms of the system as it was given.
struct CertainError {
    double error = 0;     ///< its sixth digit is right but where `bounded`
    bool reached = false; ///< is the exact quotient at most n 2^-53 (always right), and `balanced` too?
    bool bounded = false; ///< `error` is an upper bound, and far below the tolerance
    double balanced = 0;  ///< the same of the balanced system in double; 0 where it is not looked at
};

/// The judge of iterates y of the balanced system, whose x_j = y_j 2^(column_j - side) is what is written. Norms of a
/// matrix whose rows differ by many powers of two see the largest ones alone, and then an x without a right digit
/// passes. So where the balance is by the diagonal, the balanced system must pass as well.
class Judge {
public:
    /// All must outlive it.
    Judge(const DenseMatrix& a, std::span<const double> b, const Balance& balance, int threads);

    [[nodiscard]] int side() const { return side_; }
    [[nodiscard]] const std::vector<double>& right_hand_side() const { return b_; }

    /// x of y; elements beyond double's range are infinite, those below are rounded.
    [[nodiscard]] std::vector<double> solution(std::span<const double> y) const;
    /// y_j of the rounded x_j where that is finite: the iterate is what is written. Returns whether anything changed.
    bool round_to_solution(std::span<double> y) const;

    /// 2^side R (b - A x) in double, row by row from b_i on in ascending order; and the error by it, the balanced one
    /// where that is larger.
    double plain(std::span<const double> y, std::vector<double>& r) const;
    /// The same in doubled double precision with a bound on its own error; where that leaves the tolerance (or, with
    /// `digits`, the error's digits) open, in whole numbers. r: the doubled defect, rounded.
    CertainError certain(std::span<const double> y, std::vector<double>& r, bool digits) const;

private:
    const DenseMatrix& given_;
    std::span<const double> given_b_;
    const Balance& balance_;
    int threads_;
    int side_;
    std::vector<double> b_;
    Ranged b_norm_;
    double balanced_norm_ = 0; ///< ||R A C||, where the balance is by the diagonal

    [[nodiscard]] double goal() const { return static_cast<double>(given_.size()) * 0x1p-53; }
    [[nodiscard]] Ranged size(std::span<const double> y) const;
    [[nodiscard]] CertainError exact(std::span<const double> y) const;
    [[nodiscard]] CertainError as_given(std::span<const double> y, std::vector<double>& r, bool digits) const;
    [[nodiscard]] double balanced(std::span<const double> y, std::span<const double> r) const;
};

} // namespace mantissa::dense
