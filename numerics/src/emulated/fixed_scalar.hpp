// alpha and beta in front of fixed-point words: a significand and the shift that is the same for a whole pass.
#pragma once

#include "mantissa/fixed_arithmetic.hpp"

namespace mantissa::detail {

/// A scalar with the shift that brings its product with a word onto another grid.
struct FixedScalar : fixed::Scalar {
    /// `s` is a finite value of the operand format.
    explicit FixedScalar(double s) : fixed::Scalar(fixed::Scalar::of(s)) {}

    /// Right shift of significand * word, `from` fraction bits, onto `to` fraction bits.
    [[nodiscard]] int shift(const Format& from, const Format& to) const {
        return from.fraction_bits - to.fraction_bits - exponent;
    }
};

/// A sum and whether it is known: bits beyond 128 would be lost.
class ExactSum {
public:
    void add(fixed::Wide term) { lost_ |= __builtin_add_overflow(sum_, term, &sum_); }
    void merge(const ExactSum& other) {
        add(other.sum_);
        lost_ |= other.lost_;
    }
    [[nodiscard]] fixed::Wide units() const { return sum_; }
    [[nodiscard]] bool lost() const { return lost_; }

private:
    fixed::Wide sum_ = 0;
    bool lost_ = false;
};

/// rnd(significand * word 2^-shift); `lost` where 127 bits do not hold it, so that no word does either: the low bits
/// that a word keeps are right all the same.
inline fixed::Wide scaled_word(const FixedScalar& s, fixed::Word word, int shift, Rounding rounding, bool& lost) {
    const fixed::Wide product = fixed::Wide{s.significand} * word; // at most 53 + 53 bits
    if (shift >= -20) return fixed::shift_round(product, shift, rounding);
    if (product == 0) return 0;
    if (shift <= -127) {
        lost = true;
        return 0;
    }
    const auto moved = static_cast<fixed::Wide>(static_cast<fixed::UnsignedWide>(product) << -shift);
    lost |= moved >> -shift != product;
    return moved;
}

} // namespace mantissa::detail
