// Kernels by directed rounding, compiled once per instruction set: results formed toward -infinity and toward
// +infinity, and finished into any format from the two (round_directed). See DirectedKernels.
#include "fill_directed.hpp"
#include "round.hpp"

#if defined(__AVX512F__)
#include "lanes.hpp"
#endif

namespace mantissa::detail::MANTISSA_ISA {
namespace {

template <class T, Op kOp> void form(const OperandArrays<T>& in, T* __restrict out, std::size_t n) {
    const Source<T> a = in.a;
    [[maybe_unused]] const Source<T> b = in.b, c = in.c;
    [[maybe_unused]] const T s = in.s;
    for (std::size_t i = 0; i < n; ++i) {
        if constexpr (kOp == Op::add) out[i] = a[i] + b[i];
        else if constexpr (kOp == Op::sub) out[i] = a[i] - b[i];
        else if constexpr (kOp == Op::mul) out[i] = a[i] * b[i];
        else if constexpr (kOp == Op::div) out[i] = a[i] / b[i];
        else if constexpr (kOp == Op::sqrt) out[i] = root(a[i]);
        else if constexpr (kOp == Op::scale) out[i] = s * a[i];
#if defined(__FMA__)
        else out[i] = fused_sum(a[i], b[i], c[i]);
#endif
    }
}

void exact_product_sum(const OperandArrays<float>& in, double* __restrict out, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i)
        out[i] = static_cast<double>(in.a[i]) * static_cast<double>(in.b[i]) + static_cast<double>(in.c[i]);
}

template <class T, bool kGrid, bool kNear>
void finish(const T* down, const T* up, [[maybe_unused]] const T* near, Sink<T> out, std::size_t n,
            const DirectedParams<T>& params) {
    const DirectedParams<T> f = params;
#pragma GCC ivdep
    for (std::size_t i = 0; i < n; ++i)
        out[i] = round_directed<T, kGrid, kNear>(down[i], up[i], kNear ? near[i] : T{0}, f);
}

template <class C, class T, bool kLimits, bool kGrid>
void round(Source<C> a, Sink<T> out, std::size_t n, const DirectedParams<C>& params) {
    const DirectedParams<C> f = params;
#pragma GCC ivdep
    for (std::size_t i = 0; i < n; ++i) out[i] = static_cast<T>(round_exact<C, kLimits, kGrid>(a[i], f));
}

void narrow(const double* a, Sink<float> out, std::size_t n) {
#pragma GCC ivdep
    for (std::size_t i = 0; i < n; ++i) out[i] = static_cast<float>(a[i]);
}

#if defined(__AVX512F__)
// Both roundings of a result in registers.

/// What rounding needs of a result.
template <class T> struct Formed {
    typename Lanes<T>::V base;      ///< rounded away from zero; or toward zero, as `truncated` says
    typename Lanes<T>::V magnitude; ///< what decides of flushing: rounded toward zero (Fused::flush) or to nearest
    typename Lanes<T>::K exact;
    bool truncated = false;
};

template <class T, Op kOp, int kMode>
MANTISSA_INLINE typename Lanes<T>::V form_lanes(typename Lanes<T>::V a, typename Lanes<T>::V b,
                                                typename Lanes<T>::V c) {
    using L = Lanes<T>;
    if constexpr (kOp == Op::add) return L::template add<kMode>(a, b);
    else if constexpr (kOp == Op::sub) return L::template sub<kMode>(a, b);
    else if constexpr (kOp == Op::mul || kOp == Op::scale) return L::template mul<kMode>(a, b);
    else if constexpr (kOp == Op::div) return L::template div<kMode>(a, b);
    else if constexpr (kOp == Op::sqrt) return L::template sqrt<kMode>(a);
    else return L::template fma<kMode>(a, b, c);
}

template <class T, Op kOp, Fused kFused>
MANTISSA_INLINE Formed<T> form_both(typename Lanes<T>::V a, typename Lanes<T>::V b, typename Lanes<T>::V c) {
    using L = Lanes<T>;
    Formed<T> x{};
    const auto down = form_lanes<T, kOp, kDown>(a, b, c), up = form_lanes<T, kOp, kUp>(a, b, c);
    x.base = L::greater(up, down);
    x.exact = L::equal(down, up);
    if constexpr (kFused == Fused::flush) x.magnitude = L::lesser_magnitude(up, down);
    if constexpr (kFused == Fused::flush_near) x.magnitude = L::magnitude(form_lanes<T, kOp, kNearest>(a, b, c));
    return x;
}

/// Quotients and roots take long, so they are formed once, and exact if nothing remains. The remainder of a q of p bits
/// is a multiple of ulp(q) ulp(b) and less than ulp(q) b, a number of T unless it underflows. With |a| = 2^e or more,
/// ulp(q) ulp(b) >= 2^(e - 2 p), so it does so for tiny a only: those are formed twice like the rest.
template <class T, Op kOp, Fused kFused>
MANTISSA_INLINE Formed<T> form_once(typename Lanes<T>::V a, typename Lanes<T>::V b,
                                    [[maybe_unused]] typename Lanes<T>::V below_normal) {
    using L = Lanes<T>;
    const auto quotient = form_lanes<T, kOp, kTruncate>(a, b, a);
    const auto zero = L::all(T{0}), magnitude = L::magnitude(quotient);
    auto unsafe = L::less(L::magnitude(a), L::all(L::kSafe));
    // Just below the smallest normal number, the quotient rounded to nearest alone knows.
    if constexpr (kFused == Fused::flush_near) unsafe |= L::equal(magnitude, below_normal);
    if (unsafe != 0) [[unlikely]] {
        if ((unsafe & L::unequal(a, zero)) != 0) return form_both<T, kOp, kFused>(a, b, a);
    }
    // NaN where the quotient is infinite or the divisor is: exact.
    const auto exact = L::equal_or_nan(L::remainder(quotient, kOp == Op::sqrt ? quotient : b, a), zero);
    return {quotient, magnitude, exact, true};
}

/// round_directed on lanes, for formats with T's exponent range that overflow to infinity.
template <class T, Op kOp, Fused kFused> struct FusedRounding {
    using L = Lanes<T>;
    using V = typename L::V;
    typename L::I mask, half_less_one, half, last;
    V least, below_least, sign;

    explicit FusedRounding(const DirectedParams<T>& f)
        : mask(L::all_bits(f.mask)), half_less_one(L::all_bits(f.half_less_one)),
          half(L::all_bits(f.half_less_one + 1)), last(L::all_bits(f.half_less_one + f.half_less_one + 2)),
          least(L::all(__builtin_bit_cast(T, f.least))),
          below_least(L::number(L::add_bits(L::bits(least), L::all_bits(-1)))), sign(L::all(T(-0.0))) {}

    template <Op kSingle> MANTISSA_INLINE V apply(V a, V b, V c) const {
        // Sums of values of the format below its smallest normal number are values short of that: flush-to-zero mode
        // sees to them, where there are only sums. Those of any doubles may round up to it.
        constexpr bool kByMode = sizeof(T) == 4 && (kOp == Op::add || kOp == Op::sub);
        constexpr Fused kRange = kByMode ? Fused::gradual : kFused;
        Formed<T> x;
        if constexpr (kSingle == Op::div || kSingle == Op::sqrt) x = form_once<T, kSingle, kRange>(a, b, below_least);
        else x = form_both<T, kSingle, kRange>(a, b, c);
        // As round_directed() has it: half a unit less one more, and one for an odd last bit; and from a truncated
        // result one for what was cut off. An exact result is both truncated and not.
        const auto base = L::bits(x.base);
        auto rounded = L::add_bits(base, x.truncated ? half : half_less_one);
        if (x.truncated) rounded = L::add_bits(rounded, L::test_not(x.exact, base, last), base, half_less_one);
        else rounded = L::add_bits(rounded, L::test(x.exact, base, last), base, half);
        rounded = L::and_bits(base, L::numbers(x.base), rounded, mask);
        if constexpr (kRange != Fused::gradual) {
            const auto tiny = L::less(x.magnitude, least);
            rounded = L::and_bits(rounded, tiny, rounded, L::bits(sign));
        }
        return L::number(rounded);
    }
};

template <class T, Op kOp, Fused kFused>
void fused(const OperandArrays<T>& in, Sink<T> out, std::size_t n, const DirectedParams<T>& params) {
    using L = Lanes<T>;
    const FusedRounding<T, kOp, kFused> round(params);
    constexpr bool kScaled = kOp == Op::add_scaled || kOp == Op::sub_scaled;
    constexpr bool kTwo = kOp != Op::sqrt && kOp != Op::scale;
    const auto s = L::all(in.s);
    const OperandArrays<T> from = in;
    const auto one = [&](auto a, auto b, auto c) __attribute__((always_inline)) {
        if constexpr (kScaled) {
            const auto product = round.template apply<Op::scale>(a, s, c);
            return round.template apply < kOp == Op::add_scaled ? Op::add : Op::sub > (b, product, c);
        } else if constexpr (kOp == Op::scale) {
            return round.template apply<Op::scale>(a, s, c);
        } else {
            return round.template apply<kOp>(a, b, c);
        }
    };
    std::size_t i = 0;
#pragma GCC unroll 2
    for (; i + L::kCount <= n; i += L::kCount) {
        const auto a = L::load(from.a + i);
        const auto b = kTwo ? L::load(from.b + i) : a;
        const auto c = kOp == Op::fma ? L::load(from.c + i) : a;
        L::store(out + i, one(a, b, c));
    }
    if (i < n) {
        const auto k = static_cast<typename L::K>((1U << (n - i)) - 1);
        const auto a = L::load(from.a + i, k);
        const auto b = kTwo ? L::load(from.b + i, k) : a;
        const auto c = kOp == Op::fma ? L::load(from.c + i, k) : a;
        L::store(out + i, one(a, b, c), k);
    }
}

template <class T, Op kOp> void fill_fused(DirectedKernels<T>& k) {
    auto& row = k.fused[static_cast<int>(kOp)];
    row[static_cast<int>(Fused::gradual)] = fused<T, kOp, Fused::gradual>;
    row[static_cast<int>(Fused::flush)] = fused<T, kOp, Fused::flush>;
    row[static_cast<int>(Fused::flush_near)] = fused<T, kOp, Fused::flush_near>;
}
#endif

template <class T> void fill(DirectedKernels<T>& k) {
    k.form[static_cast<int>(Op::add)] = form<T, Op::add>;
    k.form[static_cast<int>(Op::sub)] = form<T, Op::sub>;
    k.form[static_cast<int>(Op::mul)] = form<T, Op::mul>;
    k.form[static_cast<int>(Op::div)] = form<T, Op::div>;
    k.form[static_cast<int>(Op::sqrt)] = form<T, Op::sqrt>;
    k.form[static_cast<int>(Op::scale)] = form<T, Op::scale>;
#if defined(__FMA__)
    k.form[static_cast<int>(Op::fma)] = form<T, Op::fma>;
#endif
    k.finish[static_cast<int>(Directed::plain)] = finish<T, false, false>;
    k.finish[static_cast<int>(Directed::grid)] = finish<T, true, false>;
    k.finish[static_cast<int>(Directed::near)] = finish<T, false, true>;
    k.finish[static_cast<int>(Directed::near_grid)] = finish<T, true, true>;
#if defined(__AVX512F__)
    fill_fused<T, Op::add>(k);
    fill_fused<T, Op::sub>(k);
    fill_fused<T, Op::mul>(k);
    fill_fused<T, Op::div>(k);
    fill_fused<T, Op::sqrt>(k);
    fill_fused<T, Op::scale>(k);
    fill_fused<T, Op::fma>(k);
    fill_fused<T, Op::add_scaled>(k);
    fill_fused<T, Op::sub_scaled>(k);
#endif
}

template <class C, class T>
void fill_round(void (*(&row)[kRounds])(Source<C>, Sink<T>, std::size_t, const DirectedParams<C>&)) {
    row[static_cast<int>(Rounds::unlimited)] = round<C, T, false, false>;
    row[static_cast<int>(Rounds::limited)] = round<C, T, true, false>;
    row[static_cast<int>(Rounds::on_grid)] = round<C, T, true, true>;
}

} // namespace

void fill_directed(KernelTable& t) {
    fill(t.directed32);
    fill(t.directed64);
    fill_round(t.round32);
    fill_round(t.round64);
    fill_round(t.shorten);
    t.exact_product_sum = exact_product_sum;
    t.narrow = narrow;
#if defined(__FMA__)
    t.has_fma = true;
#endif
}

} // namespace mantissa::detail::MANTISSA_ISA
