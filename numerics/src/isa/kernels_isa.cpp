// Element-wise kernels, compiled once per instruction set (MANTISSA_ISA names the namespace).
// They run under whatever rounding mode the caller has set.
#include "fill_directed.hpp"
#include "round.hpp"

namespace mantissa::detail::MANTISSA_ISA {
namespace {

template <Finish kFinish> MANTISSA_INLINE float finish(float x, const FinishParams& f) {
    if constexpr (kFinish == Finish::none) return x;
    x = masked(x, f.mask32);
    if constexpr (kFinish == Finish::mask) return x;
    return clamp_range(x, static_cast<float>(f.max), static_cast<float>(f.min_normal));
}

template <Finish kFinish> MANTISSA_INLINE double finish(double x, const FinishParams& f) {
    if constexpr (kFinish == Finish::none) return x;
    if constexpr (kFinish == Finish::rne_float) return nearest_even(x, f.drop, f.mask64);
    if constexpr (kFinish == Finish::rne_range) return nearest_even_range(x, f);
    x = masked(x, f.mask64);
    if constexpr (kFinish == Finish::mask) return x;
    return clamp_range(x, f.max, f.min_normal);
}

/// T is the carrier in memory, C the type in which the operation is formed (double under nearest-even: the operands'
/// 2 (M+1) + 2 <= 53 bits make the second rounding harmless).
template <class T, Op kOp, Finish kFinish>
void apply(const OperandArrays<T>& in, Sink<T> out, std::size_t n, const FinishParams& params) {
    constexpr bool kThroughDouble = kFinish == Finish::rne_float || kFinish == Finish::rne_range;
    using C = decltype([] {
        if constexpr (kThroughDouble) return double{};
        else return T{};
    }());
    const FinishParams f = params;
    const Source<T> a = in.a;
    [[maybe_unused]] const Source<T> b = in.b;
    [[maybe_unused]] const C scale = in.s;
    if constexpr (kOp == Op::add || kOp == Op::sub || kOp == Op::mul || kOp == Op::div) {
#pragma GCC ivdep
        for (std::size_t i = 0; i < n; ++i) {
            const C x = a[i], y = b[i];
            C z;
            if constexpr (kOp == Op::add) z = x + y;
            else if constexpr (kOp == Op::sub) z = x - y;
            else if constexpr (kOp == Op::mul) z = x * y;
            else z = x / y;
            out[i] = static_cast<T>(finish<kFinish>(z, f));
        }
    } else if constexpr (kOp == Op::sqrt) {
#pragma GCC ivdep
        for (std::size_t i = 0; i < n; ++i) out[i] = static_cast<T>(finish<kFinish>(root(static_cast<C>(a[i])), f));
    } else if constexpr (kOp == Op::scale) {
#pragma GCC ivdep
        for (std::size_t i = 0; i < n; ++i) out[i] = static_cast<T>(finish<kFinish>(scale * static_cast<C>(a[i]), f));
#if defined(__FMA__)
    } else if constexpr (kOp == Op::fma) {
        const Source<T> c = in.c;
#pragma GCC ivdep
        for (std::size_t i = 0; i < n; ++i) out[i] = finish<kFinish>(fused_sum(a[i], b[i], c[i]), f);
#endif
    } else {
#pragma GCC ivdep
        for (std::size_t i = 0; i < n; ++i) {
            // Through T: the conversion is part of the product's rounding.
            const T product = static_cast<T>(finish<kFinish>(scale * static_cast<C>(a[i]), f));
            const C x = b[i], y = product;
            out[i] = static_cast<T>(finish<kFinish>(kOp == Op::add_scaled ? x + y : x - y, f));
        }
    }
}

/// Nearest-even of a float whose last bit says that something nonzero was cut off below it. 24 bits with such a bit
/// round correctly to any 22 or fewer. An infinity keeps its class: the added bits do not reach its exponent. They
/// would carry out of a NaN's, which is left alone.
MANTISSA_INLINE float nearest_even_of_odd(float truncated, bool inexact, int drop, std::uint32_t mask) {
    const std::uint32_t b = bits_of(truncated) | (inexact ? 1U : 0U);
    const std::uint32_t half = 1U << (drop - 1);
    const std::uint32_t rounded = ((b & (half << 1)) != 0 ? b + half : b + (half - 1)) & mask;
    return truncated == truncated ? __builtin_bit_cast(float, rounded) : truncated;
}

template <bool kSubtract>
void add_odd(const OperandArrays<float>& in, Sink<float> out, std::size_t n, const FinishParams& params) {
    const Source<float> a = in.a, b = in.b;
    const std::uint32_t mask = params.mask32;
    const int drop = params.drop - 29;
#pragma GCC ivdep
    for (std::size_t i = 0; i < n; ++i) {
        const float x = a[i], y = kSubtract ? -b[i] : b[i];
        // Truncated toward zero, t = x + y - d with d of t's sign or zero. Of x and y the one with t's sign gives
        // itself less d when the other is taken away, and truncation cannot round that up to itself.
        const float t = x + y;
        const bool inexact = (t - x != y) | (t - y != x);
        out[i] = nearest_even_of_odd(t, inexact, drop, mask);
    }
}

#if defined(__FMA__)
void mul_odd(const OperandArrays<float>& in, Sink<float> out, std::size_t n, const FinishParams& params) {
    const Source<float> a = in.a, b = in.b;
    constexpr std::size_t kBlock = 512;
    constexpr std::uint32_t kSafe = (127 - 90) << 23; // 2^-90: the remainder of a product below may underflow
    const FinishParams f = params;
    const int drop = f.drop - 29;
    float block[kBlock];
    const bool aliased = out.address() == a.address() || out.address() == b.address();
    for (std::size_t begin = 0; begin < n; begin += kBlock) {
        const std::size_t count = n - begin < kBlock ? n - begin : kBlock;
        const Source<float> x = a + begin, y = b + begin;
        const Sink<float> z = aliased ? Sink<float>(block) : out + begin;
        std::uint32_t tiny = 0;
#pragma GCC ivdep
        for (std::size_t i = 0; i < count; ++i) {
            const float t = x[i] * y[i];
            const bool inexact = __builtin_fmaf(x[i], y[i], -t) != 0;
            const std::uint32_t magnitude = (bits_of(t) & 0x7FFFFFFFU) - 1; // zero is exact: out of the way
            tiny |= magnitude < kSafe ? 1U : 0U;
            z[i] = nearest_even_of_odd(t, inexact, drop, f.mask32);
        }
        if (tiny != 0) { // rare: the whole block through double, where every product is exact
#pragma GCC ivdep
            for (std::size_t i = 0; i < count; ++i)
                z[i] = static_cast<float>(nearest_even_range(static_cast<double>(x[i]) * static_cast<double>(y[i]), f));
        }
        if (aliased) __builtin_memcpy((out + begin).address(), block, count * sizeof(float));
    }
}
#endif

/// Any NaN as the canonical one: the fraction of a stranger may lie wholly in the bits that rounding drops (an
/// infinity would be left), or carry into the exponent.
MANTISSA_INLINE double one_nan(double x) {
    return x == x ? x : __builtin_nan("");
}
MANTISSA_INLINE float one_nan(float x) {
    return x == x ? x : __builtin_nanf("");
}

template <Finish kFinish>
void convert_to_float(Source<double> a, Sink<float> out, std::size_t n, const FinishParams& params) {
    const FinishParams f = params;
#pragma GCC ivdep
    for (std::size_t i = 0; i < n; ++i) out[i] = finish<kFinish>(one_nan(static_cast<float>(a[i])), f);
}

template <Finish kFinish>
void convert_to_double(Source<double> a, Sink<double> out, std::size_t n, const FinishParams& params) {
    const FinishParams f = params;
#pragma GCC ivdep
    for (std::size_t i = 0; i < n; ++i) {
        const double y = finish<kFinish>(one_nan(a[i]), f);
        // No operation is formed here, so the processor's flush-to-zero has nothing to act on.
        out[i] = __builtin_fabs(y) < f.min_normal && f.grid == 0 ? __builtin_copysign(0.0, y) : y;
    }
}

/// Into doubles of a format with float's exponents: through float, whose conversion toward zero with flush-to-zero does
/// the range. Five instructions for a vector, where the range of doubles takes a dozen.
void convert_through_float(Source<double> a, Sink<double> out, std::size_t n, const FinishParams& params) {
    const FinishParams f = params;
#pragma GCC ivdep
    for (std::size_t i = 0; i < n; ++i)
        out[i] = static_cast<double>(finish<Finish::mask>(one_nan(static_cast<float>(a[i])), f));
}

template <class T, Op kOp> void fill_row(KernelFn<T> (&table)[kOps][kFinishes]) {
    auto& row = table[static_cast<int>(kOp)];
    row[static_cast<int>(Finish::none)] = apply<T, kOp, Finish::none>;
    row[static_cast<int>(Finish::mask)] = apply<T, kOp, Finish::mask>;
    row[static_cast<int>(Finish::mask_range)] = apply<T, kOp, Finish::mask_range>;
    if constexpr (sizeof(T) == 4 && kOp != Op::fma) { // whose sum is not harmlessly rounded to double first
        row[static_cast<int>(Finish::rne_float)] = apply<T, kOp, Finish::rne_float>;
        row[static_cast<int>(Finish::rne_range)] = apply<T, kOp, Finish::rne_range>;
    }
}

template <class T> void fill(KernelFn<T> (&table)[kOps][kFinishes]) {
    fill_row<T, Op::add>(table);
    fill_row<T, Op::sub>(table);
    fill_row<T, Op::mul>(table);
    fill_row<T, Op::div>(table);
    fill_row<T, Op::sqrt>(table);
    fill_row<T, Op::scale>(table);
    fill_row<T, Op::add_scaled>(table);
    fill_row<T, Op::sub_scaled>(table);
#if defined(__FMA__)
    fill_row<T, Op::fma>(table);
#endif
}

KernelTable make_table() {
    KernelTable t{};
    fill(t.f32);
    fill(t.f64);
    constexpr int kOdd = static_cast<int>(Finish::rne_odd);
    t.f32[static_cast<int>(Op::add)][kOdd] = add_odd<false>;
    t.f32[static_cast<int>(Op::sub)][kOdd] = add_odd<true>;
#if defined(__FMA__)
    t.f32[static_cast<int>(Op::mul)][kOdd] = mul_odd;
#endif
    t.convert32[static_cast<int>(Finish::none)] = convert_to_float<Finish::none>;
    t.convert32[static_cast<int>(Finish::mask)] = convert_to_float<Finish::mask>;
    t.convert32[static_cast<int>(Finish::mask_range)] = convert_to_float<Finish::mask_range>;
    t.convert64[static_cast<int>(Finish::none)] = convert_to_double<Finish::none>;
    t.convert64[static_cast<int>(Finish::mask)] = convert_to_double<Finish::mask>;
    t.convert64[static_cast<int>(Finish::mask_range)] = convert_to_double<Finish::mask_range>;
    t.convert_through_float = convert_through_float;
    fill_directed(t);
    return t;
}

} // namespace

const KernelTable& kernel_table() {
    static const KernelTable table = make_table();
    return table;
}

} // namespace mantissa::detail::MANTISSA_ISA
