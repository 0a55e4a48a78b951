// Unpacked numbers and the one rounding site. Integers only and without branches: every choice is a multiplexer, which
// is what hardware builds and what lets a C++ compiler put the lanes side by side.
#pragma once

#include "mantissa_hls/datapath.hpp"

namespace mantissa_hls {

/// An adder needs five bits above the fraction: hidden one, carry, guard, round, sticky.
constexpr bool wide_significand(int fraction_bits) {
    return fraction_bits > 27;
}

/// Zero: exponent 0, significand 0. Finite: exponent field as stored, significand with its hidden one. Infinite: exponent
/// field all ones, significand the hidden one. NaN: positive, the top fraction bit set as well.
template <Fmt F> struct Number {
    using Sig = typename WordOf<wide_significand(F.m)>::type;
    using Exp = typename WordOf<wide_significand(F.m)>::index;
    static constexpr Sig kHidden = Sig{1} << F.m;
    static constexpr Sig kNan = kHidden | (kHidden >> 1);
    Sig sign = 0; ///< 0 or 1
    Exp exponent = 0;
    Sig significand = 0;

    [[nodiscard]] bool special() const { return exponent == F.special(); }
    [[nodiscard]] bool nan() const { return special() & (significand != kHidden); }
    [[nodiscard]] bool infinite() const { return special() & (significand == kHidden); }
    [[nodiscard]] bool zero() const { return significand == 0; }
};

template <Fmt F> inline Number<F> unpack(Word<F> word) {
#pragma HLS INLINE
    using N = Number<F>;
    const auto magnitude = word & ((Word<F>{1} << (F.e + F.m)) - 1);
    const auto field = magnitude >> F.m;
    const auto fraction = word & ((Word<F>{1} << F.m) - 1);
    N n;
    n.sign = static_cast<typename N::Sig>(word >> (F.e + F.m));
    n.exponent = static_cast<typename N::Exp>(field);
    n.significand = field == 0 ? typename N::Sig{0} : static_cast<typename N::Sig>(fraction | (Word<F>{1} << F.m));
    return n;
}

template <Fmt F> inline Word<F> pack(const Number<F>& n) {
#pragma HLS INLINE
    const auto fraction = static_cast<Word<F>>(n.significand & (Number<F>::kHidden - 1));
    return (static_cast<Word<F>>(n.sign) << (F.e + F.m)) | (static_cast<Word<F>>(n.exponent) << F.m) | fraction;
}

/// Leading zeros of x below bit Top (inclusive); x must be below 2^(Top+1). Zero gives some number.
template <int Top, class T> inline T normalise(T x, T& zeros) {
#pragma HLS INLINE
#if defined(__AVX512CD__) && !defined(__SYNTHESIS__)
    if constexpr (sizeof(T) == 4) {
        const int count = x == 0 ? 0 : __builtin_clz(x) - (31 - Top);
        zeros = static_cast<T>(count);
        return x << count;
    } else
#endif
    {
        zeros = 0;
        for (int k = Top >= 32 ? 32 : 16; k > 0; k /= 2) {
#pragma HLS UNROLL
            if (k > Top) continue;
            const bool low = (x >> (Top + 1 - k)) == 0;
            x = low ? x << k : x;
            zeros = low ? zeros + static_cast<T>(k) : zeros;
        }
        return x;
    }
}

/// What comes out of an operator before it is rounded: (-1)^sign * significand * 2^(exponent - bias - Top) with bit Top
/// set; the exponent is biased as in F already. `zero` overrides it.
template <Fmt F, int Top, class T, class E>
inline Number<F> round(T sign, E exponent, T significand, bool sticky, bool zero) {
#pragma HLS INLINE
    using N = Number<F>;
    T kept;
    if constexpr (Top <= F.m) {
        kept = significand << (F.m - Top);
    } else {
        constexpr int kDrop = Top - F.m;
        kept = significand >> kDrop;
        if constexpr (F.nearest) {
            const T rest = significand & ((T{1} << kDrop) - 1);
            constexpr T kHalf = T{1} << (kDrop - 1);
            const bool up = (rest > kHalf) | ((rest == kHalf) & (sticky | ((kept & 1) != 0)));
            kept = up ? kept + 1 : kept;
            const bool carry = (kept >> (F.m + 1)) != 0;
            kept = carry ? kept >> 1 : kept;
            exponent = carry ? exponent + 1 : exponent;
        }
    }
    // The range: below the smallest normal number a zero of its sign, above the largest that number or an infinity.
    constexpr E kMax = F.special() - 1;
    const bool over = exponent > kMax;
    if constexpr (F.nearest && !F.saturate) {
        exponent = over ? kMax + 1 : exponent;
        kept = over ? T{1} << F.m : kept;
    } else {
        exponent = over ? kMax : exponent;
        kept = over ? (T{2} << F.m) - 1 : kept;
    }
    const bool none = zero | (exponent < 1);
    N n;
    n.sign = static_cast<typename N::Sig>(sign);
    n.exponent = none ? typename N::Exp{0} : static_cast<typename N::Exp>(exponent);
    n.significand = none ? typename N::Sig{0} : static_cast<typename N::Sig>(kept);
    return n;
}

/// Puts an infinity or NaN in place of a result.
template <Fmt F> inline Number<F> with_special(Number<F> n, bool infinite, bool nan) {
#pragma HLS INLINE
    using N = Number<F>;
    n.exponent = (infinite | nan) ? typename N::Exp{F.special()} : n.exponent;
    n.significand = infinite ? N::kHidden : n.significand;
    n.significand = nan ? N::kNan : n.significand;
    n.sign = nan ? typename N::Sig{0} : n.sign;
    return n;
}

} // namespace mantissa_hls
