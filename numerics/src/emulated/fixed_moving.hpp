// What a session in fixed-point words takes for a binary point that moves: where it stands, and sums of two terms on
// different grids that are rounded once.
#pragma once

#include <algorithm>

#include "fixed_scalar.hpp"
#include "mantissa/engine.hpp"
#include "mantissa/moving_point.hpp"

namespace mantissa::detail {

/// The point of r, p and q, as far from their formats' F as passes moved it.
class MovingPoint {
public:
    explicit MovingPoint(const DatapathSpec& spec)
        : moves_(spec.moves()), word_bits_(std::min(spec.r.word_bits, spec.p.word_bits)) {}

    [[nodiscard]] bool moves() const { return moves_; }
    /// f - F.
    [[nodiscard]] int moved() const { return moved_; }

    /// Words enter a vector.
    void written(Vec v) {
        if (!moves_ || v == Vec::u) return;
        if (moved_ != 0)
            throw InvalidInput(
                "session: the binary point of r, p and q has moved: clear all three before one is written");
        clear_ &= ~bit(v);
        known_ = false;
    }
    /// A vector was cleared; with the last one of the three the point goes home.
    void cleared(Vec v) {
        if (!moves_ || v == Vec::u) return;
        clear_ |= bit(v);
        known_ = false;
        if (clear_ == kAll) moved_ = 0;
    }
    /// Does the next pass need the lengths of words that were written?
    [[nodiscard]] bool lengths_known() const { return known_; }
    void lengths(int r, int p, int q) {
        r_ = r;
        p_ = p;
        q_ = q;
        known_ = true;
    }
    /// Moves in front of a pass; returns d.
    int move(double alpha, double beta) {
        const auto a = fixed::exponent_of(alpha), b = fixed::exponent_of(beta);
        const auto over = [](std::optional<int> scalar, int length) {
            return scalar ? std::optional<int>(*scalar + length) : std::nullopt;
        };
        const int wanted =
            fixed::point_rise(std::max(word_bits_ - guard_, fixed::kLeastMovingWord), r_, over(a, q_), over(b, p_));
        const int d = std::clamp(moved_ + wanted, -fixed::kMostMove, fixed::kMostMove) - moved_;
        moved_ += d;
        clear_ = 0;
        return d;
    }
    /// A word of r, p or q overflowed in a pass.
    void overflowed() {
        known_ = false;
        if (word_bits_ - guard_ > fixed::kLeastMovingWord) ++guard_;
    }

private:
    static unsigned bit(Vec v) { return 1U << static_cast<unsigned>(v); }
    static constexpr unsigned kAll = 0b1110; // r, p and q of Vec

    bool moves_;
    int word_bits_, moved_ = 0, guard_ = 0;
    unsigned clear_ = kAll;
    bool known_ = true; ///< all words are 0
    int r_ = 0, p_ = 0, q_ = 0;
};

/// rnd(x 2^ex + y 2^ey), rounded once. `lost` where 127 bits do not hold it, as in scaled_word(): its low bits are
/// right all the same. |x| < 2^54, |y| < 2^107.
inline fixed::Wide rounded_sum(fixed::Wide x, int ex, fixed::Wide y, int ey, Rounding rounding, bool& lost) {
    using fixed::Wide;
    // What lies below 2^grid is cut off one term at most, downward: with half a unit on the grid it does not show.
    const int low = std::min(ex, ey), high = std::max(ex, ey);
    const int grid = std::min(0, std::max(low, std::min(-1, high)));
    const auto at = [&](Wide term, int exponent) -> Wide {
        const int left = exponent - grid;
        if (left <= 0) return fixed::shift_round(term, -left, Rounding::down);
        if (term == 0) return 0;
        if (left >= 127) {
            lost = true;
            return 0;
        }
        const auto moved = static_cast<Wide>(static_cast<fixed::UnsignedWide>(term) << left);
        lost |= moved >> left != term;
        return moved;
    };
    const Wide a = at(x, ex), b = at(y, ey);
    Wide sum = 0;
    lost |= __builtin_add_overflow(a, b, &sum);
    if (grid == 0) return sum;
    if (grid <= -126) return rounding == Rounding::down && sum < 0 ? -1 : 0; // both terms are below a quarter
    if (rounding == Rounding::nearest_up) lost |= __builtin_add_overflow(sum, Wide{1} << (-grid - 1), &sum);
    return sum >> -grid;
}

} // namespace mantissa::detail
