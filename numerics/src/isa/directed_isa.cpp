// Kernels by directed rounding, compiled once per instruction set: results formed toward -infinity and toward
// +infinity, and finished into any format from the two (round_directed). See DirectedKernels.
#include "fill_directed.hpp"
#include "round.hpp"

#if defined(__AVX512F__)
#include <immintrin.h>
#endif

namespace mantissa::detail::MANTISSA_ISA {
namespace {

template <class T, Op kOp> void form(const OperandArrays<T>& in, T* __restrict out, std::size_t n) {
    const T* a = in.a;
    [[maybe_unused]] const T* b = in.b;
    [[maybe_unused]] const T* c = in.c;
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
void finish(const T* down, const T* up, [[maybe_unused]] const T* near, T* __restrict out, std::size_t n,
            const DirectedParams<T>& params) {
    const DirectedParams<T> f = params;
    for (std::size_t i = 0; i < n; ++i)
        out[i] = round_directed<T, kGrid, kNear>(down[i], up[i], kNear ? near[i] : T{0}, f);
}

template <class T, bool kLimits, bool kGrid>
void round(const double* a, T* out, std::size_t n, const DirectedParams<double>& params) {
    const DirectedParams<double> f = params;
#pragma GCC ivdep
    for (std::size_t i = 0; i < n; ++i) out[i] = static_cast<T>(round_exact<double, kLimits, kGrid>(a[i], f));
}

void narrow(const double* __restrict a, float* __restrict out, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) out[i] = static_cast<float>(a[i]);
}

#if defined(__AVX512F__)
// Instructions that carry their rounding mode: both roundings of a result in registers.
constexpr int kDown = _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC, kUp = _MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC,
              kNearest = _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC,
              kTruncate = _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC;

template <class T> struct Lanes;

template <> struct Lanes<float> {
    using V = __m512;
    using I = __m512i;
    using K = __mmask16;
    static constexpr std::size_t kCount = 16;
    static V load(const float* p) { return _mm512_loadu_ps(p); }
    static V load(const float* p, K k) { return _mm512_maskz_loadu_ps(k, p); }
    static void store(float* p, V x) { _mm512_storeu_ps(p, x); }
    static void store(float* p, V x, K k) { _mm512_mask_storeu_ps(p, k, x); }
    static V all(float x) { return _mm512_set1_ps(x); }
    static I all_bits(std::int32_t x) { return _mm512_set1_epi32(x); }
    static I bits(V x) { return _mm512_castps_si512(x); }
    static V number(I x) { return _mm512_castsi512_ps(x); }
    template <int kMode> static V add(V a, V b) { return _mm512_add_round_ps(a, b, kMode); }
    template <int kMode> static V sub(V a, V b) { return _mm512_sub_round_ps(a, b, kMode); }
    template <int kMode> static V mul(V a, V b) { return _mm512_mul_round_ps(a, b, kMode); }
    template <int kMode> static V div(V a, V b) { return _mm512_div_round_ps(a, b, kMode); }
    template <int kMode> static V sqrt(V a) { return _mm512_sqrt_round_ps(a, kMode); }
    template <int kMode> static V fma(V a, V b, V c) { return _mm512_fmadd_round_ps(a, b, c, kMode); }
    /// c - a b
    static V remainder(V a, V b, V c) { return _mm512_fnmadd_ps(a, b, c); }
    /// The greater magnitude with a's sign; the lesser one.
    static V greater(V a, V b) { return _mm512_range_ps(a, b, 0b0011); }
    static V lesser_magnitude(V a, V b) { return _mm512_range_ps(a, b, 0b1010); }
    static V magnitude(V a) { return _mm512_abs_ps(a); }
    static K equal(V a, V b) { return _mm512_cmp_ps_mask(a, b, _CMP_EQ_OQ); }
    static K equal_or_nan(V a, V b) { return _mm512_cmp_ps_mask(a, b, _CMP_EQ_UQ); }
    static K unequal(V a, V b) { return _mm512_cmp_ps_mask(a, b, _CMP_NEQ_OQ); }
    static K less(V a, V b) { return _mm512_cmp_ps_mask(a, b, _CMP_LT_OQ); }
    static K less(K k, V a, V b) { return _mm512_mask_cmp_ps_mask(k, a, b, _CMP_LT_OQ); }
    static K numbers(V a) { return _mm512_cmp_ps_mask(a, a, _CMP_ORD_Q); }
    static I add_bits(I a, I b) { return _mm512_add_epi32(a, b); }
    static I add_bits(I otherwise, K k, I a, I b) { return _mm512_mask_add_epi32(otherwise, k, a, b); }
    static I and_bits(I otherwise, K k, I a, I b) { return _mm512_mask_and_epi32(otherwise, k, a, b); }
    static K test(K k, I a, I b) { return _mm512_mask_test_epi32_mask(k, a, b); }
    static K test_not(K k, I a, I b) { return _mm512_mask_testn_epi32_mask(k, a, b); }
    /// From here on the remainders of quotients and roots of a number do not underflow.
    static constexpr float kSafe = 0x1p-70F;
};

template <> struct Lanes<double> {
    using V = __m512d;
    using I = __m512i;
    using K = __mmask8;
    static constexpr std::size_t kCount = 8;
    static V load(const double* p) { return _mm512_loadu_pd(p); }
    static V load(const double* p, K k) { return _mm512_maskz_loadu_pd(k, p); }
    static void store(double* p, V x) { _mm512_storeu_pd(p, x); }
    static void store(double* p, V x, K k) { _mm512_mask_storeu_pd(p, k, x); }
    static V all(double x) { return _mm512_set1_pd(x); }
    static I all_bits(std::int64_t x) { return _mm512_set1_epi64(x); }
    static I bits(V x) { return _mm512_castpd_si512(x); }
    static V number(I x) { return _mm512_castsi512_pd(x); }
    template <int kMode> static V add(V a, V b) { return _mm512_add_round_pd(a, b, kMode); }
    template <int kMode> static V sub(V a, V b) { return _mm512_sub_round_pd(a, b, kMode); }
    template <int kMode> static V mul(V a, V b) { return _mm512_mul_round_pd(a, b, kMode); }
    template <int kMode> static V div(V a, V b) { return _mm512_div_round_pd(a, b, kMode); }
    template <int kMode> static V sqrt(V a) { return _mm512_sqrt_round_pd(a, kMode); }
    template <int kMode> static V fma(V a, V b, V c) { return _mm512_fmadd_round_pd(a, b, c, kMode); }
    static V remainder(V a, V b, V c) { return _mm512_fnmadd_pd(a, b, c); }
    static V greater(V a, V b) { return _mm512_range_pd(a, b, 0b0011); }
    static V lesser_magnitude(V a, V b) { return _mm512_range_pd(a, b, 0b1010); }
    static V magnitude(V a) { return _mm512_abs_pd(a); }
    static K equal(V a, V b) { return _mm512_cmp_pd_mask(a, b, _CMP_EQ_OQ); }
    static K equal_or_nan(V a, V b) { return _mm512_cmp_pd_mask(a, b, _CMP_EQ_UQ); }
    static K unequal(V a, V b) { return _mm512_cmp_pd_mask(a, b, _CMP_NEQ_OQ); }
    static K less(V a, V b) { return _mm512_cmp_pd_mask(a, b, _CMP_LT_OQ); }
    static K less(K k, V a, V b) { return _mm512_mask_cmp_pd_mask(k, a, b, _CMP_LT_OQ); }
    static K numbers(V a) { return _mm512_cmp_pd_mask(a, a, _CMP_ORD_Q); }
    static I add_bits(I a, I b) { return _mm512_add_epi64(a, b); }
    static I add_bits(I otherwise, K k, I a, I b) { return _mm512_mask_add_epi64(otherwise, k, a, b); }
    static I and_bits(I otherwise, K k, I a, I b) { return _mm512_mask_and_epi64(otherwise, k, a, b); }
    static K test(K k, I a, I b) { return _mm512_mask_test_epi64_mask(k, a, b); }
    static K test_not(K k, I a, I b) { return _mm512_mask_testn_epi64_mask(k, a, b); }
    static constexpr double kSafe = 0x1p-900;
};

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
void fused(const OperandArrays<T>& in, T* out, std::size_t n, const DirectedParams<T>& params) {
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

} // namespace

void fill_directed(KernelTable& t) {
    fill(t.directed32);
    fill(t.directed64);
    t.round32[static_cast<int>(Rounds::unlimited)] = round<float, false, false>;
    t.round32[static_cast<int>(Rounds::limited)] = round<float, true, false>;
    t.round32[static_cast<int>(Rounds::on_grid)] = round<float, true, true>;
    t.round64[static_cast<int>(Rounds::unlimited)] = round<double, false, false>;
    t.round64[static_cast<int>(Rounds::limited)] = round<double, true, false>;
    t.round64[static_cast<int>(Rounds::on_grid)] = round<double, true, true>;
    t.exact_product_sum = exact_product_sum;
    t.narrow = narrow;
#if defined(__FMA__)
    t.has_fma = true;
#endif
}

} // namespace mantissa::detail::MANTISSA_ISA
