// Fixed-point words: two's complement integers. Where the point is, only shifts know, and these stay the same for a
// whole pass: a product is one multiplier, one shift, half a unit added.
#pragma once

#include "mantissa_hls/number.hpp"

namespace mantissa_hls {

/// A signed integer for |x| < 2^Bits, with two bits in hand.
template <bool Long> struct ExactOf { using type = std::int64_t; };
template <> struct ExactOf<true> { using type = SignedWide; };
template <int Bits> using Exact = typename ExactOf<(Bits > 62)>::type;

/// The integer that a word stands for.
template <Fmt F> using Integer = typename WordOf<(F.width() > 32)>::index;

/// The integer in the low `Bits` bits of a word.
template <int Bits, class W> MANTISSA_HLS_INLINE auto sign_extended(W word) {
    using I = typename WordOf<(sizeof(W) > 4)>::index;
    constexpr int kAbove = 8 * static_cast<int>(sizeof(W)) - Bits;
    return static_cast<I>(static_cast<I>(word << kAbove) >> kAbove);
}
template <Fmt F> MANTISSA_HLS_INLINE Integer<F> integer(Word<F> word) {
    return sign_extended<F.word>(word);
}

/// A result before it is a word: its low 64 bits, and whether it lies beyond 2^61, so that no word holds it, nor its
/// sum with one.
struct Moved {
    std::uint64_t units;
    bool beyond;
};

/// rnd(x 2^-shift) with one shift for a whole pass, for |x| two bits short of T.
template <class T> struct Shift {
    T half = 0;  ///< what rounding to nearest adds
    T limit = 0; ///< of the shifted integer's magnitude, before it moves left
    int right = 0, left = 0;
    std::uint64_t holds = ~std::uint64_t{0}; ///< zero where nothing of 64 bits is left

    void set(int shift, bool nearest) {
        constexpr int kMost = 8 * static_cast<int>(sizeof(T)) - 1; // every x is then a small part of a unit
        right = shift < 0 ? 0 : shift < kMost ? shift : kMost;
        half = right > 0 && nearest ? T{1} << (right - 1) : T{0};
        const int up = shift < 0 ? -shift : 0;
        left = up & 63;
        holds = up < 64 ? ~std::uint64_t{0} : std::uint64_t{0};
        limit = up < 62 ? (T{1} << 61) >> up : T{0};
    }
    MANTISSA_HLS_INLINE Moved operator()(T x) const {
        const T y = (x + half) >> right;
        const bool beyond = (y > limit) | (y < -limit);
        return {(static_cast<std::uint64_t>(y) << left) & holds, beyond};
    }
};

/// What a format keeps of an exact result: its low W bits, and whether they are another number.
template <Fmt F> struct Kept {
    Integer<F> word;
    bool over;
};
template <Fmt F> MANTISSA_HLS_INLINE Kept<F> keep(std::uint64_t exact, bool beyond) {
    const std::int64_t word = sign_extended<F.word>(exact);
    const bool differs = static_cast<std::uint64_t>(word) != exact;
    return {static_cast<Integer<F>>(word), static_cast<bool>(beyond | differs)};
}

/// Which bits the words of a vector have taken: the OR of w, inverted where it is negative; the sign's place where one
/// overflowed. A word takes a bit more than its highest, and an overflow thus one more than the format has.
template <Fmt F, int Lanes> class WordUse {
public:
    void begin() {
        for (int l = 0; l < Lanes; ++l) taken_[l] = 0;
    }
    MANTISSA_HLS_INLINE void note(int lane, Integer<F> word, Word<F> over) {
        constexpr int kTop = 8 * static_cast<int>(sizeof(word)) - 1;
        taken_[lane] |= static_cast<Word<F>>(word ^ (word >> kTop)) | static_cast<Word<F>>(over << (F.word - 1));
    }
    [[nodiscard]] std::uint64_t taken() const {
        std::uint64_t all = 0;
        for (int l = 0; l < Lanes; ++l) all |= taken_[l];
        return all;
    }
    void merge(const WordUse& other) {
        for (int l = 0; l < Lanes; ++l) taken_[l] |= other.taken_[l];
    }
    [[nodiscard]] bool over() const { return (taken() >> (F.word - 1)) != 0; }

private:
    Word<F> taken_[Lanes];
};

/// alpha or beta in front of words: a significand and the shift that brings the product onto a vector's grid.
template <Fmt Operand, Fmt From, Fmt To> class Scale {
public:
    void set(const Number<Operand>& s) {
        const auto significand = static_cast<Significand>(s.significand);
        const bool none = s.special(); // no factor of a word
        significand_ = none ? 0 : s.sign != 0 ? -significand : significand;
        const int exponent = static_cast<int>(s.exponent) - Operand.bias() - Operand.m;
        shift_.set(none || s.zero() ? 0 : From.m - To.m - exponent, To.nearest);
    }
    /// rnd(s w)
    MANTISSA_HLS_INLINE Moved operator()(Integer<From> w) const {
        return shift_(static_cast<Product>(significand_) * static_cast<Product>(w));
    }

private:
    using Significand = typename WordOf<(Operand.m > 29)>::index;
    using Product = Exact<Operand.m + From.word>;
    Significand significand_ = 0;
    Shift<Product> shift_;
};

/// Every word of a fixed format is a number of this one.
template <Fmt F> inline constexpr Fmt kNumberOf{.m = F.word < 3 ? 2 : F.word - 1, .e = 11};

/// A word as a number, exactly.
template <Fmt F> MANTISSA_HLS_INLINE Number<kNumberOf<F>> number(Integer<F> word) {
    constexpr Fmt kTo = kNumberOf<F>;
    using N = Number<kTo>;
    using Sig = typename N::Sig;
    const bool negative = word < 0;
    const auto whole = static_cast<Sig>(word);
    Sig zeros;
    N n;
    n.significand = normalise<kTo.m>(choose(negative, Sig{0} - whole, whole), zeros);
    n.sign = static_cast<Sig>(negative);
    const auto exponent = static_cast<typename N::Exp>(kTo.bias() + kTo.m - F.m) - static_cast<typename N::Exp>(zeros);
    n.exponent = choose(word == 0, typename N::Exp{0}, exponent);
    return n;
}

} // namespace mantissa_hls
