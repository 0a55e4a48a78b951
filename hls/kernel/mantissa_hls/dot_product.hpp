// Dot products: terms into floating partial sums closed by halving, into a fixed-point window, or of words and exact.
#pragma once

#include "mantissa_hls/operators.hpp"
#include "mantissa_hls/words.hpp"

namespace mantissa_hls {

/// |units| and the test of the window for one term: significand of `SB` bits whose bit SB-1 is worth 2^exponent.
struct Units {
    std::uint64_t magnitude;
    bool over;
};

template <int Msb, int Lsb, int SB>
MANTISSA_HLS_INLINE Units to_units(Wide significand, int exponent, bool negative, bool bad) {
    static_assert(SB > 64);
    constexpr int kWidth = Msb - Lsb + 1;
    const int k = exponent - (SB - 1) - Lsb; // shift to the left
    if (bad) return {0, true};
    if (significand == 0 || k <= -128) return {0, false};
    const int lead = (significand >> (SB - 1)) != 0 ? SB - 1 : SB - 2;
    if (lead + k >= kWidth) return {0, true};
    // lead is 63 or more and the window at most 64 bits wide: k is not above zero here
    const auto units = static_cast<std::uint64_t>(significand >> -k);
    constexpr std::uint64_t kLimit = std::uint64_t{1} << (kWidth - 1);
    if (negative ? units > kLimit : units >= kLimit) return {0, true};
    return {units, false};
}

template <int Msb, int Lsb, int SB>
MANTISSA_HLS_INLINE Units to_units(std::uint64_t significand, std::int64_t exponent, bool negative, bool bad) {
    static_assert(SB <= 64);
    constexpr int kWidth = Msb - Lsb + 1;
    const std::int64_t k = exponent - (SB - 1) - Lsb;
    using I = std::int64_t;
    using W = std::uint64_t;
    const I up = choose(k < 0, I{0}, choose(k > 63, I{63}, k)), down = choose(k > 0, I{0}, choose(k < -63, I{63}, -k));
    const W left = significand << up, right = significand >> down;
    const W units = choose(k >= 0, left, choose(k <= -64, W{0}, right));
    const bool top = (significand >> (SB - 1)) != 0;
    const I lead = SB - 2 + static_cast<I>(top);
    constexpr W kLimit = W{1} << (kWidth - 1);
    const bool past = units >= kLimit + static_cast<W>(negative);
    const bool lost = bad | ((significand != 0) & ((lead + k >= kWidth) | past));
    return {units, lost};
}

/// A total on its way to the scalar unit.
template <Fmt F> struct Total {
    Number<F> value;
    bool over = false;
};

/// An integer sum, in units of 2^lsb, rounded once.
template <Fmt F> Total<F> total_of(SignedWide sum, int lsb) {
    Total<F> total;
    const bool negative = sum < 0;
    const Wide magnitude = static_cast<Wide>(negative ? -sum : sum);
    int zeros = 0;
    for (int k = 127; k >= 0 && ((magnitude >> k) & 1) == 0; --k) ++zeros;
    if (magnitude != 0) {
        const Wide normal = magnitude << zeros;
        const auto top = static_cast<std::uint64_t>(normal >> 64);
        const std::uint64_t sticky = static_cast<std::uint64_t>(normal) != 0 ? 1 : 0;
        const std::int64_t exponent = 127 - zeros + lsb + F.bias();
        total.value = round<F, 63>(std::uint64_t{negative}, exponent, top, sticky, false);
    }
    return total;
}

/// One dot product over a pass, `Lanes` terms at a time.
template <Datapath D, Fmt FA, Fmt FB, int Lanes> class DotProduct {
public:
    void begin() {
        for (int j = 0; j < kSums; ++j) {
            sums_[j] = 0;
            low_[j] = high_[j] = 0;
            over_[j] = 0;
        }
        at_ = 0;
    }

    /// Lanes from `live` on hold no element.
    void step(const Beat<Word<FA>, Lanes>& a, const Beat<Word<FB>, Lanes>& b, int live) {
        if constexpr (D.exact) exact(a, b);
        else if constexpr (D.fixed) fixed(a, b, live);
        else floating(a, b, live);
    }

    /// Adds another's sums, which no order changes: exact ones, or a window's.
    void merge(const DotProduct& other) {
        static_assert(D.exact || D.fixed);
        for (int l = 0; l < Lanes; ++l) {
            low_[l] += other.low_[l];
            high_[l] += other.high_[l];
            over_[l] |= other.over_[l];
        }
    }

    [[nodiscard]] Total<D.scalar> close() {
        Total<D.scalar> total;
        if constexpr (D.exact || D.fixed) {
            SignedWide sum = 0;
            bool over = false;
            for (int l = 0; l < Lanes; ++l) {
                sum += (static_cast<SignedWide>(high_[l]) << 32) + low_[l];
                over |= over_[l] != 0;
            }
            if constexpr (D.exact) return total_of<D.scalar>(sum, -FA.m - FB.m);
            constexpr int kWidth = D.msb - D.lsb + 1;
            const SignedWide limit = SignedWide{1} << (kWidth - 1);
            total = total_of<D.scalar>(sum, D.lsb);
            total.over = over || sum < -limit || sum >= limit;
        } else {
            for (int half = kSums / 2; half > 0; half /= 2)
                for (int j = 0; j < half; ++j)
                    sums_[j] = pack(
                        add<D.accumulator>(unpack<D.accumulator>(sums_[j]), unpack<D.accumulator>(sums_[j + half])));
            total.value = convert<D.scalar>(unpack<D.accumulator>(sums_[0]));
        }
        return total;
    }

private:
    static constexpr int kSums = D.exact || D.fixed ? Lanes : D.partials;
    static constexpr int kGroup = kSums < Lanes ? kSums : Lanes; // terms that go to different sums

    void floating(const Beat<Word<FA>, Lanes>& a, const Beat<Word<FB>, Lanes>& b, int live) {
        Word<D.product> term[Lanes];
        for (int l = 0; l < Lanes; ++l) {
#pragma HLS UNROLL
            const Word<D.product> t = pack(multiply<D.product>(unpack<FA>(a.lane[l]), unpack<FB>(b.lane[l])));
            constexpr Word<D.product> kNone = Word<D.product>{1} << (D.product.e + D.product.m);
            term[l] = choose(l < live, t, kNone); // -0 leaves every sum as it is
        }
        for (int first = 0; first < Lanes; first += kGroup) {
            Word<D.accumulator>* const sums = sums_ + at_;
            Word<D.accumulator> next[kGroup];
            for (int l = 0; l < kGroup; ++l) {
#pragma HLS UNROLL
                next[l] = pack(add<D.accumulator>(unpack<D.accumulator>(sums[l]), unpack<D.product>(term[first + l])));
            }
            for (int l = 0; l < kGroup; ++l) {
#pragma HLS UNROLL
                sums[l] = next[l];
            }
            at_ = (at_ + kGroup) & (kSums - 1);
        }
    }

    /// Lanes that hold no element are 0. The low and the high halves of products are added apart: 32 bits are left to
    /// what the sums of either grow to.
    void exact(const Beat<Word<FA>, Lanes>& a, const Beat<Word<FB>, Lanes>& b) {
        for (int l = 0; l < Lanes; ++l) {
#pragma HLS UNROLL
            const std::int64_t product = std::int64_t{integer<FA>(a.lane[l])} * std::int64_t{integer<FB>(b.lane[l])};
            low_[l] += product & 0xFFFFFFFF;
            high_[l] += product >> 32;
        }
    }

    void fixed(const Beat<Word<FA>, Lanes>& a, const Beat<Word<FB>, Lanes>& b, int live) {
        for (int l = 0; l < Lanes; ++l) {
#pragma HLS UNROLL
            const Number<FA> x = unpack<FA>(a.lane[l]);
            const Number<FB> y = unpack<FB>(b.lane[l]);
            bool negative;
            Units units;
            if constexpr (D.exact_product) {
                constexpr int kBits = FA.m + FB.m + 2;
                constexpr int kBias = FA.bias() + FB.bias() - 1;
                negative = x.sign != y.sign;
                const bool bad = x.special() | y.special();
                if constexpr (kBits <= 64) {
                    const std::uint64_t significand = std::uint64_t{x.significand} * std::uint64_t{y.significand};
                    units = to_units<D.msb, D.lsb, kBits>(
                        significand, std::int64_t{x.exponent} + std::int64_t{y.exponent} - kBias, negative, bad);
                } else {
                    units =
                        to_units<D.msb, D.lsb, kBits>(static_cast<Wide>(x.significand) * y.significand,
                                                      static_cast<int>(x.exponent + y.exponent) - kBias, negative, bad);
                }
            } else {
                const Number<D.product> t = multiply<D.product>(x, y);
                negative = t.sign != 0;
                units = to_units<D.msb, D.lsb, D.product.m + 1>(
                    std::uint64_t{t.significand}, std::int64_t{t.exponent} - D.product.bias(), negative, t.special());
            }
            const bool counts = l < live;
            const auto low = static_cast<std::int64_t>(choose(counts, units.magnitude & 0xFFFFFFFF, std::uint64_t{0}));
            const auto high = static_cast<std::int64_t>(choose(counts, units.magnitude >> 32, std::uint64_t{0}));
            low_[l] += choose(negative, -low, low);
            high_[l] += choose(negative, -high, high);
            over_[l] |= static_cast<std::uint64_t>(units.over & counts);
        }
    }

    Word<D.accumulator> sums_[kSums];
    std::int64_t low_[kSums], high_[kSums];
    std::uint64_t over_[kSums];
    int at_ = 0;
};

} // namespace mantissa_hls
