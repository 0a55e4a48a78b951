// An outer loop in integers: u and b in words of one fixed-point format, the defect b - A u an exact integer sum.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "../outer/outer_arithmetic.hpp"
#include "mantissa/fixed_words.hpp"

namespace mantissa::solving {

/// What the outer loop of a solve computes in: `u` is the vector that its correct() and defect() are called with, whose
/// words it keeps beside it (u itself follows, rounded to double).
///
/// Coefficients are words too, with one binary point for the matrix: as many bits as 126-bit sums leave beside 64-bit
/// words, 58 for nine products. A defect is rounded to odd into double: rounding it from there into words of an inner
/// solver (of at most 50 bits) gives what one rounding of the exact sum would. Norms are formed in double.
class IntegerArithmetic final : public OuterArithmetic {
public:
    /// Throws InvalidInput, one line, when an element of b does not fit `format` or the matrix is beyond double's plain
    /// range.
    IntegerArithmetic(const System& system, const Format& format, std::span<const double> b, std::span<double> u,
                      int threads);
    void defect(std::span<const double> u, std::span<const double> b, std::span<double> d) override;
    double norm(std::span<const double> v) override;
    /// u += rnd(s c), of the exact product.
    void correct(std::span<double> u, double s, std::span<const double> c) override;
    [[nodiscard]] double round(double x) const override { return x; }
    /// Has a word of u overflowed?
    [[nodiscard]] bool overflow() const override { return overflow_; }

private:
    [[nodiscard]] double defect_of(std::size_t row, int point) const;

    Format format_;
    std::span<double> u_;
    int threads_;
    int coefficient_point_ = 0; ///< fraction bits of value_
    std::vector<std::uint64_t> row_begin_;
    std::vector<std::uint32_t> column_;
    std::vector<fixed::Word> value_, words_, b_;
    bool overflow_ = false;
};

} // namespace mantissa::solving
