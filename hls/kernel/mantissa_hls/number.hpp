// Unpacked numbers and the one rounding site. Integers only and without branches: every choice is a multiplexer, which
// is what hardware builds and what lets a C++ compiler put the lanes side by side.
#pragma once

#include "mantissa_hls/datapath.hpp"

namespace mantissa_hls {

/// A multiplexer. Written with masks, so that no compiler makes a branch of it.
template <class T> MANTISSA_HLS_INLINE T choose(bool condition, T yes, T no) {
    const T mask = T{0} - static_cast<T>(condition);
    return (yes & mask) | (no & ~mask);
}

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

template <Fmt F> MANTISSA_HLS_INLINE Number<F> unpack(Word<F> word) {
    using N = Number<F>;
    const auto magnitude = word & ((Word<F>{1} << (F.e + F.m)) - 1);
    const auto field = magnitude >> F.m;
    const auto fraction = word & ((Word<F>{1} << F.m) - 1);
    N n;
    n.sign = static_cast<typename N::Sig>(word >> (F.e + F.m));
    n.exponent = static_cast<typename N::Exp>(field);
    n.significand = choose(field == 0, typename N::Sig{0}, static_cast<typename N::Sig>(fraction | (Word<F>{1} << F.m)));
    return n;
}

template <Fmt F> MANTISSA_HLS_INLINE Word<F> pack(const Number<F>& n) {
    const auto fraction = static_cast<Word<F>>(n.significand & (Number<F>::kHidden - 1));
    return (static_cast<Word<F>>(n.sign) << (F.e + F.m)) | (static_cast<Word<F>>(n.exponent) << F.m) | fraction;
}

/// One stage of the normaliser: shifts by K when the top K of Top + 1 bits are zero.
template <int Top, int K, class T> MANTISSA_HLS_INLINE void normalise_stage(T& x, T& zeros) {
    if constexpr (K <= Top) {
        const bool low = (x >> (Top + 1 - K)) == 0;
        x = choose(low, static_cast<T>(x << K), x);
        zeros += choose(low, T{K}, T{0});
    }
}

/// Shifts the leading one of x to bit Top and counts by how much; x is below 2^(Top+1). Zero gives some count.
template <int Top, class T> MANTISSA_HLS_INLINE T normalise(T x, T& zeros) {
#if defined(__AVX512CD__) && !defined(__SYNTHESIS__)
    if constexpr (sizeof(T) == 4) {
        const int count = __builtin_clz(x | 1) - (31 - Top);
        zeros = static_cast<T>(count);
        return x << count;
    }
#endif
    zeros = 0;
    normalise_stage<Top, 32>(x, zeros);
    normalise_stage<Top, 16>(x, zeros);
    normalise_stage<Top, 8>(x, zeros);
    normalise_stage<Top, 4>(x, zeros);
    normalise_stage<Top, 2>(x, zeros);
    normalise_stage<Top, 1>(x, zeros);
    return x;
}

/// What comes out of an operator before it is rounded: (-1)^sign * significand * 2^(exponent - bias - Top) with bit Top
/// set; the exponent is biased as in F already. `sticky` is 1 when a tail was cut off below; `zero` overrides all.
template <Fmt F, int Top, class T, class E> MANTISSA_HLS_INLINE Number<F> round(T sign, E exponent, T significand, T sticky, bool zero) {
    using N = Number<F>;
    T kept;
    if constexpr (Top <= F.m) {
        kept = significand << (F.m - Top);
    } else {
        constexpr int kDrop = Top - F.m;
        kept = significand >> kDrop;
        if constexpr (F.nearest) {
            const T rest = significand & ((T{1} << kDrop) - 1);
            [[maybe_unused]] constexpr T kHalf = T{1} << (kDrop - 1); // a tie goes to the even one
            if constexpr (kDrop == 1) kept += rest & (sticky | (kept & 1));
            else kept += T(rest > kHalf) | (T(rest == kHalf) & (sticky | (kept & 1)));
            const T carry = kept >> (F.m + 1);
            kept >>= carry;
            exponent += static_cast<E>(carry);
        }
    }
    // The range: below the smallest normal number a zero of its sign, above the largest that number or an infinity.
    constexpr E kMax = F.special() - 1;
    const bool over = exponent > kMax;
    if constexpr (F.nearest && !F.saturate) {
        exponent = choose(over, static_cast<E>(kMax + 1), exponent);
        kept = choose(over, static_cast<T>(T{1} << F.m), kept);
    } else {
        exponent = choose(over, kMax, exponent);
        kept = choose(over, static_cast<T>((T{2} << F.m) - 1), kept);
    }
    const bool none = zero | (exponent < 1);
    N n;
    n.sign = static_cast<typename N::Sig>(sign);
    n.exponent = choose(none, typename N::Exp{0}, static_cast<typename N::Exp>(exponent));
    n.significand = choose(none, typename N::Sig{0}, static_cast<typename N::Sig>(kept));
    return n;
}

/// Puts an infinity or NaN in place of a result; the flags are 0 or 1.
template <Fmt F>
MANTISSA_HLS_INLINE Number<F> with_special(Number<F> n, typename Number<F>::Sig infinite, typename Number<F>::Sig nan) {
    using N = Number<F>;
    using Sig = typename N::Sig;
    const Sig nan_mask = Sig{0} - nan, special_mask = Sig{0} - (infinite | nan);
    n.exponent = static_cast<typename N::Exp>((static_cast<Sig>(n.exponent) & ~special_mask) |
                                              (Sig{F.special()} & special_mask));
    n.significand = (n.significand & ~special_mask) | (N::kHidden & special_mask) | (N::kNan & nan_mask);
    n.sign &= ~nan_mask;
    return n;
}

} // namespace mantissa_hls
