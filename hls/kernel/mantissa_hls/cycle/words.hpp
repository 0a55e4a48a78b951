// Words of a cycle: roundings, cuts, lengths, and rows of the stencil.
#pragma once

#include "mantissa_hls/cycle/plan.hpp"

namespace mantissa_hls::cycle {

using Word = std::int64_t;

inline int larger(int a, int b) {
    return a > b ? a : b;
}
inline int smaller(int a, int b) {
    return a < b ? a : b;
}

/// Bits of a magnitude.
inline int length(std::uint64_t magnitude) {
    return magnitude == 0 ? 0 : 64 - __builtin_clzll(magnitude);
}
inline std::uint64_t magnitude(Word x) {
    return x < 0 ? 0 - static_cast<std::uint64_t>(x) : static_cast<std::uint64_t>(x);
}

/// One rounding for a whole pass: x / 2^s to the nearest, halves up; x 2^-s where s <= 0, held within 2^62.
class Half {
public:
    Half() = default;
    explicit Half(int s)
        : right_(s > 62  ? 63
                 : s > 0 ? s - 1
                         : 0),
          one_(s > 0 && s <= 62), left_(s < -62 ? 62
                                        : s < 0 ? -s
                                                : 0),
          none_(s > 62) {}
    [[nodiscard]] Word operator()(Word x) const {
#pragma HLS INLINE
        if (none_) return 0;
        if (one_) return ((x >> right_) + 1) >> 1;
        if (left_ == 0 || x == 0) return x;
        constexpr Word kMost = Word{1} << 62;
        if (length(magnitude(x)) + left_ > 62) return x < 0 ? -kMost : kMost;
        return x * (Word{1} << left_);
    }

private:
    int right_ = 0;
    bool one_ = false;
    int left_ = 0;
    bool none_ = false;
};

/// x held within words of some bits.
class Cut {
public:
    Cut() = default;
    explicit Cut(int bits) : most_((Word{1} << (bits - 1)) - 1) {}
    [[nodiscard]] Word operator()(Word x) const {
#pragma HLS INLINE
        const Word held = x > most_ ? most_ : x;
        return held < -most_ ? -most_ : held;
    }

private:
    Word most_ = 0;
};

/// Three rows of three beats around a beat, one row after the other, south first: lane l's neighbours are l to l + 2.
template <int Lanes> struct Around { Word row[3][Lanes + 2]; };

/// S x of a lane.
template <int Lanes> MANTISSA_HLS_INLINE SignedWide stencil_row(const CyclePlan& p, const Around<Lanes>& x, int lane) {
    const auto at = [&](int row, int column) { return static_cast<SignedWide>(x.row[row][lane + column]); };
    return p.centre * at(1, 1) + p.east * (at(1, 0) + at(1, 2)) + p.north * (at(0, 1) + at(2, 1)) +
           p.corner * (at(0, 0) + at(0, 2) + at(2, 0) + at(2, 2));
}

/// How r - S x is rounded to the guard's point: r of point q, x of point i.
class Rest {
public:
    Rest() = default;
    Rest(const CyclePlan& p, int h, int q, int i)
        : of_r_(q - larger(q, i)), of_x_(i - larger(q, i)), down_(larger(q, i) - p.guard), cut_(h) {}
    [[nodiscard]] Word operator()(Word r, Word sx) const {
#pragma HLS INLINE
        return cut_(down_(of_r_(r) - of_x_(sx)));
    }

private:
    Half of_r_, of_x_, down_;
    Cut cut_;
};

} // namespace mantissa_hls::cycle
