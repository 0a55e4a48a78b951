// Multiply, add, subtract, divide, convert: the exact result rounded once into FO.
#pragma once

#include "mantissa_hls/number.hpp"

namespace mantissa_hls {

/// A product of two significands of MA+1 and MB+1 bits, cut to its top `Keep` bits with a sticky bit for the rest.
template <class T> struct Cut {
    T bits;
    T sticky;
};

template <int MA, int MB, int Keep, class T> MANTISSA_HLS_INLINE Cut<T> product(std::uint64_t a, std::uint64_t b) {
    constexpr int kBits = MA + MB + 2, kDrop = kBits - Keep;
    if constexpr (kBits <= 32 && sizeof(T) == 4) {
        const std::uint32_t full = static_cast<std::uint32_t>(a) * static_cast<std::uint32_t>(b);
        if constexpr (kDrop <= 0) return {full << -kDrop, T{0}};
        else return {full >> kDrop, T((full & ((std::uint32_t{1} << kDrop) - 1)) != 0)};
    } else if constexpr (kBits <= 64) {
        const std::uint64_t full = a * b;
        if constexpr (kDrop <= 0) return {static_cast<T>(full << -kDrop), T{0}};
        else if constexpr (kDrop < 8 * sizeof(T)) // compared in T: lanes of one width
            return {static_cast<T>(full >> kDrop), T((static_cast<T>(full) & ((T{1} << kDrop) - 1)) != 0)};
        else return {static_cast<T>(full >> kDrop), T((full & ((std::uint64_t{1} << kDrop) - 1)) != 0)};
    } else { // four tiles
        constexpr std::uint64_t kLow = 0xFFFFFFFF;
        const std::uint64_t al = a & kLow, ah = a >> 32, bl = b & kLow, bh = b >> 32;
        const std::uint64_t ll = al * bl, lh = al * bh, hl = ah * bl, hh = ah * bh;
        const std::uint64_t middle = (ll >> 32) + (lh & kLow) + (hl & kLow);
        const std::uint64_t high = hh + (lh >> 32) + (hl >> 32) + (middle >> 32);
        const std::uint64_t low = (middle << 32) | (ll & kLow);
        if constexpr (kDrop <= 0) {
            return {static_cast<T>(low << -kDrop), T{0}};
        } else if constexpr (kDrop >= 64) {
            constexpr int k = kDrop - 64;
            const std::uint64_t lost = k == 0 ? 0 : high & ((std::uint64_t{1} << k) - 1);
            return {static_cast<T>(high >> k), T((lost | low) != 0)};
        } else {
            return {static_cast<T>((high << (64 - kDrop)) | (low >> kDrop)), T((low << (64 - kDrop)) != 0)};
        }
    }
}

template <Fmt FO, Fmt FA, Fmt FB> MANTISSA_HLS_INLINE Number<FO> multiply(const Number<FA>& a, const Number<FB>& b) {
    // Two bits more than the result's significand: one that normalising takes, one to round on. The sum of exponents
    // fits whatever holds the significand.
    constexpr bool kWide = wide_significand(FO.m) || wide_significand(FA.m) || wide_significand(FB.m);
    using T = typename WordOf<kWide>::type;
    using E = typename WordOf<kWide>::index;
    using S = typename Number<FO>::Sig;
    constexpr int kKeep = FO.m + 3;
    const Cut<T> cut = product<FA.m, FB.m, kKeep, T>(a.significand, b.significand);
    const T top = cut.bits >> (kKeep - 1);
    // Leading one to bit m + 1, the lost bit into sticky.
    const T bits = cut.bits >> top;
    const T sticky = cut.sticky | (top & cut.bits);
    constexpr E kRebias = FO.bias() - FA.bias() - FB.bias();
    const E exponent = static_cast<E>(a.exponent) + static_cast<E>(b.exponent) + kRebias + static_cast<E>(top);
    const T sign = static_cast<T>(a.sign ^ b.sign);
    const bool zero = a.zero() | b.zero();
    const bool special = a.special() | b.special();
    const bool nan = a.nan() | b.nan() | (special & zero);
    return with_special<FO>(round<FO, FO.m + 1>(sign, exponent, bits, sticky, zero), S(special), S(nan));
}

/// a + b, or a - b.
template <Fmt FO, bool Subtract = false, Fmt FA, Fmt FB>
MANTISSA_HLS_INLINE Number<FO> add(const Number<FA>& a, const Number<FB>& b) {
    constexpr int kM = FA.m > FB.m ? (FA.m > FO.m ? FA.m : FO.m) : (FB.m > FO.m ? FB.m : FO.m);
    constexpr bool kWide = wide_significand(kM);
    using T = typename WordOf<kWide>::type;
    using E = typename WordOf<kWide>::index;
    // Both operands at the wider fraction and the wider bias.
    constexpr int kBias = FA.bias() > FB.bias() ? FA.bias() : FB.bias();
    const T xs = static_cast<T>(a.significand) << (kM - FA.m), ys = static_cast<T>(b.significand) << (kM - FB.m);
    // A zero's exponent stays 0, below all others.
    const E xe = static_cast<E>(a.exponent) + choose(xs != 0, E{kBias - FA.bias()}, E{0});
    const E ye = static_cast<E>(b.exponent) + choose(ys != 0, E{kBias - FB.bias()}, E{0});
    const T xn = static_cast<T>(a.sign), yn = static_cast<T>(b.sign) ^ (Subtract ? 1 : 0);

    const bool swap = (xe < ye) | ((xe == ye) & (xs < ys));
    const T big = choose(swap, ys, xs), small = choose(swap, xs, ys);
    const E exponent = choose(swap, ye, xe);
    const E distance = choose(swap, static_cast<E>(ye - xe), static_cast<E>(xe - ye));
    const T sign = choose(swap, yn, xn);
    // The smaller one aligned with the larger; what falls off is jammed into the lowest bit.
    constexpr E limit = kM + 4;
    const E shift = choose(distance < limit, distance, limit);
    const T whole = small << 3;
    const T shifted = whole >> shift;
    const T jammed = shifted | static_cast<T>(static_cast<T>(shifted << shift) != whole);
    const T minus = T{0} - (xn ^ yn); // all ones when the signs differ
    const T sum = (big << 3) + (jammed ^ minus) - minus;
    constexpr int kTop = kM + 4;
    T zeros;
    const T normal = normalise<kTop>(sum, zeros);
    const bool none = sum == 0;
    constexpr E kRebias = FO.bias() - kBias + 1;
    const bool infinite = a.special() | b.special();
    const T result_sign = choose(infinite, choose(a.special(), xn, yn), choose(none, static_cast<T>(xn & yn), sign));
    using S = typename Number<FO>::Sig;
    // The signs stay numbers: turned into truth values they keep compilers from putting lanes side by side.
    const S nan = S(a.nan() | b.nan()) | (S(a.special() & b.special()) & static_cast<S>(xn ^ yn));
    return with_special<FO>(
        round<FO, kTop>(result_sign, exponent + kRebias - static_cast<E>(zeros), normal, T{0}, none), S(infinite), nan);
}

template <Fmt FO, Fmt FA> MANTISSA_HLS_INLINE Number<FO> convert(const Number<FA>& a) {
    if constexpr (FO == FA) {
        return a;
    } else {
        constexpr bool kWide = wide_significand(FO.m) || wide_significand(FA.m);
        using T = typename WordOf<kWide>::type;
        using E = typename WordOf<kWide>::index;
        const E exponent = static_cast<E>(a.exponent) + (FO.bias() - FA.bias());
        return with_special<FO>(
            round<FO, FA.m>(static_cast<T>(a.sign), exponent, static_cast<T>(a.significand), T{0}, a.zero()),
            a.special(), a.nan());
    }
}

/// a / b in one format, a quotient bit per turn of the loop.
template <Fmt F> inline Number<F> divide(const Number<F>& a, const Number<F>& b) {
    using T = std::uint64_t;
    constexpr int kBits = F.m + 3; // the quotient is above 1/2: one bit may be lost, one is to round on
    T rest = a.significand, quotient = 0;
    const T divisor = b.significand;
    for (int k = 0; k < kBits; ++k) {
#pragma HLS PIPELINE II = 1
        const bool goes = rest >= divisor;
        rest = (goes ? rest - divisor : rest) << 1;
        quotient = (quotient << 1) | (goes ? 1 : 0);
    }
    const bool top = (quotient >> (kBits - 1)) != 0;
    quotient = top ? quotient : quotient << 1;
    const std::int64_t exponent =
        static_cast<std::int64_t>(a.exponent) - static_cast<std::int64_t>(b.exponent) + F.bias() - (top ? 0 : 1);
    const T sign = static_cast<T>(a.sign ^ b.sign);
    const bool nan = a.nan() | b.nan() | (a.special() & b.special()) | (a.zero() & b.zero());
    const bool infinite = a.infinite() | b.zero();
    const bool zero = a.zero() | b.infinite();
    return with_special<F>(round<F, kBits - 1>(sign, exponent, quotient, T(rest != 0), zero), infinite & !nan, nan);
}

} // namespace mantissa_hls
