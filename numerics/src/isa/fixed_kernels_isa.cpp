// Arrays of fixed-point words, compiled once per instruction set (MANTISSA_ISA names the namespace). Words are taken
// apart and put together by masks: not every instruction set shifts 64-bit lanes with their sign.
#include "fixed_kernels.hpp"
#include "words.hpp"

namespace mantissa::detail::MANTISSA_ISA {
namespace {

constexpr std::uint64_t kSign = std::uint64_t{1} << 63;

template <class T> struct UnsignedOf;
template <> struct UnsignedOf<std::int32_t> { using Type = std::uint32_t; };
template <> struct UnsignedOf<std::int64_t> { using Type = std::uint64_t; };

/// What all elements of a call share: the word of 64-bit units, and what is beyond its W bits.
template <class T> struct Fit {
    using U = typename UnsignedOf<T>::Type;
    U mask, sign;
    std::uint64_t offset, beyond;

    explicit Fit(int word_bits)
        : mask(static_cast<U>(~U{0}) >> (8 * static_cast<int>(sizeof(T)) - word_bits)), sign(U{1} << (word_bits - 1)),
          offset(std::uint64_t{1} << (word_bits - 1)), beyond(~(~std::uint64_t{0} >> (64 - word_bits))) {}

    MANTISSA_INLINE T word(std::uint64_t units) const {
        return static_cast<T>(((static_cast<U>(units) & mask) ^ sign) - sign);
    }
    /// Not zero where the units do not fit.
    MANTISSA_INLINE std::uint64_t lost(std::uint64_t units) const { return (units + offset) & beyond; }
};

/// x 2^-shift, rounded, as two's complement units; `half` is half a unit, or 0.
MANTISSA_INLINE std::uint64_t shifted(std::uint64_t x, std::uint64_t half, int shift) {
#if defined(__AVX512F__)
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(x + half) >> shift);
#else
    return (((x + half) ^ kSign) >> shift) - (kSign >> shift);
#endif
}

/// Sums of words in T itself.
template <class T, Op kOp>
bool sums(const FixedOperands<T>& in, Sink<T> out, std::size_t n, const FixedParams& params) {
    using U = typename UnsignedOf<T>::Type;
    const Source<T> a = in.a, b = in.b;
    const Fit<T> fit(params.word_bits);
    const U mask = fit.mask, sign = fit.sign;
    U lost = 0;
#pragma GCC ivdep
    for (std::size_t i = 0; i < n; ++i) {
        const U x = static_cast<U>(a[i]), y = static_cast<U>(b[i]);
        const U sum = kOp == Op::add ? x + y : x - y;
        const U word = ((sum & mask) ^ sign) - sign;
        // W < the type's bits: the sum is right, and its word another one. Else: operands' signs against the sum's.
        const U carry = kOp == Op::add ? (x ^ sum) & (y ^ sum) : (x ^ y) & (x ^ sum);
        lost |= (sum ^ word) | (carry >> (8 * sizeof(T) - 1));
        out[i] = static_cast<T>(word);
    }
    return lost != 0;
}

template <class T, Op kOp>
bool products(const FixedOperands<T>& in, Sink<T> out, std::size_t n, const FixedParams& params) {
    constexpr bool kScaled = kOp == Op::scale || kOp == Op::add_scaled || kOp == Op::sub_scaled;
    const Source<T> a = in.a, b = in.b;
    [[maybe_unused]] const Source<T> c = in.c;
    const Fit<T> fit(params.word_bits);
    [[maybe_unused]] const T s = static_cast<T>(params.s);
    const int shift = params.shift;
    const std::uint64_t half = params.up ? std::uint64_t{1} << (shift - 1) : 0;
    std::uint64_t lost = 0;
#pragma GCC ivdep
    for (std::size_t i = 0; i < n; ++i) {
        const T x = a[i];
        const T y = kScaled ? s : static_cast<T>(b[i]);
        const std::int64_t product = static_cast<std::int64_t>(x) * static_cast<std::int64_t>(y);
        std::uint64_t units = shifted(static_cast<std::uint64_t>(product), half, shift);
        if constexpr (kOp == Op::fma) units += static_cast<std::uint64_t>(static_cast<std::int64_t>(c[i]));
        if constexpr (kOp == Op::add_scaled) units += static_cast<std::uint64_t>(static_cast<std::int64_t>(b[i]));
        if constexpr (kOp == Op::sub_scaled)
            units = static_cast<std::uint64_t>(static_cast<std::int64_t>(b[i])) - units;
        lost |= fit.lost(units);
        out[i] = fit.word(units);
    }
    return lost != 0;
}

#if MANTISSA_HAS_WORDS
/// products() of 32-bit words, those with an even and with an odd index in turn.
template <Op kOp>
bool paired_products(const FixedOperands<std::int32_t>& in, Sink<std::int32_t> out, std::size_t n,
                     const FixedParams& params) {
    using V = Words::V;
    constexpr bool kScaled = kOp == Op::scale || kOp == Op::add_scaled || kOp == Op::sub_scaled;
    const Source<std::int32_t> a = in.a, b = in.b, c = in.c;
    const Fit<std::int32_t> fit(params.word_bits);
    const int shift = params.shift;
    const V half = Words::all64(params.up ? std::int64_t{1} << (shift - 1) : 0), one = Words::all(1);
    const V offset = Words::all64(static_cast<std::int64_t>(fit.offset));
    const V beyond = Words::all64(static_cast<std::int64_t>(fit.beyond));
    const V mask = Words::all(static_cast<std::int32_t>(fit.mask)),
            sign = Words::all(static_cast<std::int32_t>(fit.sign));
    const V s = Words::all(static_cast<std::int32_t>(params.s));
    const auto form = [&](V x, V y, V more) __attribute__((always_inline)) {
        const V units = Words::shift_down64(Words::add64(Words::mul_even(x, y), half), shift);
        const V term = Words::mul_even(more, one); // the word, in 64 bits
        if constexpr (kOp == Op::fma || kOp == Op::add_scaled) return Words::add64(term, units);
        else if constexpr (kOp == Op::sub_scaled) return Words::sub64(term, units);
        else return units;
    };
    V lost = Words::zero();
    std::size_t i = 0;
    for (; i + Words::kCount <= n; i += Words::kCount) {
        const V x = Words::load((a + i).address());
        const V y = kScaled ? s : Words::load((b + i).address());
        V more = x; // unused
        if constexpr (kOp == Op::fma) more = Words::load((c + i).address());
        if constexpr (kOp == Op::add_scaled || kOp == Op::sub_scaled) more = Words::load((b + i).address());
        const V even = form(x, y, more);
        const V odd = form(Words::odd(x), kScaled ? y : Words::odd(y), Words::odd(more));
        const V moved = Words::merge_or(Words::add64(even, offset), Words::add64(odd, offset));
        lost = Words::merge_or(lost, Words::both(moved, beyond));
        const V word = Words::both(Words::blend(even, Words::to_odd(odd)), mask);
        Words::store((out + i).address(), Words::sub(Words::differ(word, sign), sign));
    }
    const FixedOperands<std::int32_t> rest{a + i, b + i, c + i};
    return products<std::int32_t, kOp>(rest, out + i, n - i, params) || Words::any(lost);
}
#endif

/// Products in 64-bit lanes.
template <class T, Op kOp> constexpr FixedKernel<T> narrow_products() {
#if MANTISSA_HAS_WORDS
    if constexpr (sizeof(T) == 4) return paired_products<kOp>;
    else
#endif
        return products<T, kOp>;
}

template <class T, Op kOp>
bool wide_products(const FixedOperands<T>& in, Sink<T> out, std::size_t n, const FixedParams& params) {
    constexpr bool kScaled = kOp == Op::scale || kOp == Op::add_scaled || kOp == Op::sub_scaled;
    const Source<T> a = in.a, b = in.b;
    [[maybe_unused]] const Source<T> c = in.c;
    const Fit<T> fit(params.word_bits);
    const std::int64_t s = params.s;
    const int shift = params.shift;
    const FixedWide half = params.up ? FixedWide{1} << (shift - 1) : 0;
    std::uint64_t lost = 0;
    for (std::size_t i = 0; i < n; ++i) {
        const FixedWide product = FixedWide{a[i]} * (kScaled ? s : std::int64_t{b[i]});
        FixedWide units = (product + half) >> shift;
        if constexpr (kOp == Op::fma) units += c[i];
        if constexpr (kOp == Op::add_scaled) units += b[i];
        if constexpr (kOp == Op::sub_scaled) units = b[i] - units;
        const T word = fit.word(static_cast<std::uint64_t>(units));
        lost |= static_cast<std::uint64_t>(units != word);
        out[i] = word;
    }
    return lost != 0;
}

/// Through the whole number toward zero, which differs from the rounded one by 1 at most.
template <class T> bool from_doubles(Source<double> a, Sink<T> out, std::size_t n, const FixedParams& params) {
    const FixedParams f = params;
    const double half = f.up ? 0.5 : 1.0, below_half = f.up ? -0.5 : 0.0;
    std::uint64_t lost = 0;
#pragma GCC ivdep
    for (std::size_t i = 0; i < n; ++i) {
        const double units = a[i] * f.unit; // exact, or infinite
        lost |= static_cast<std::uint64_t>(!(units >= f.below)) | static_cast<std::uint64_t>(!(units < f.above));
        double held = units < f.greatest ? units : f.greatest;
        held = held > f.least ? held : f.least;
        held = units == units ? held : 0.0;
        const T whole = static_cast<T>(held);
        const double rest = held - static_cast<double>(whole); // exact, of the sign of `held`
        out[i] = static_cast<T>(whole + static_cast<T>(rest >= half) - static_cast<T>(rest < below_half));
    }
    return lost != 0;
}

template <class T> void to_doubles(Source<T> a, double* out, std::size_t n, const FixedParams& params) {
    const double unit = params.unit;
#pragma GCC ivdep
    for (std::size_t i = 0; i < n; ++i) out[i] = static_cast<double>(a[i]) * unit;
}

/// Words of another format.
template <class S, class T> bool from_words(Source<S> a, Sink<T> out, std::size_t n, const FixedParams& params) {
    const int shift = params.shift, left = params.left;
    const Fit<T> fit(params.word_bits), before(params.word_bits - left); // what fits moved, fits W - left bits before
    const int below = shift > 0 ? shift - 1 : 0;
    const std::uint64_t up = params.up ? 1 : 0;
    std::uint64_t lost = 0;
#pragma GCC ivdep
    for (std::size_t i = 0; i < n; ++i) {
        const auto x = static_cast<std::uint64_t>(static_cast<std::int64_t>(a[i]));
        const std::uint64_t units = shifted(x, 0, shift) + ((x >> below) & up);
        lost |= before.lost(units);
        out[i] = fit.word(units << left);
    }
    return lost != 0;
}

template <class T> void fill(FixedKernels<T>& k) {
    const auto at = [](auto& list, Op op) -> auto& {
        return list[static_cast<int>(op)];
    };
    at(k.narrow, Op::add) = sums<T, Op::add>;
    at(k.narrow, Op::sub) = sums<T, Op::sub>;
    at(k.narrow, Op::mul) = narrow_products<T, Op::mul>();
    at(k.narrow, Op::fma) = narrow_products<T, Op::fma>();
    at(k.narrow, Op::scale) = narrow_products<T, Op::scale>();
    at(k.narrow, Op::add_scaled) = narrow_products<T, Op::add_scaled>();
    at(k.narrow, Op::sub_scaled) = narrow_products<T, Op::sub_scaled>();
    at(k.wide, Op::mul) = wide_products<T, Op::mul>;
    at(k.wide, Op::fma) = wide_products<T, Op::fma>;
    at(k.wide, Op::scale) = wide_products<T, Op::scale>;
    at(k.wide, Op::add_scaled) = wide_products<T, Op::add_scaled>;
    at(k.wide, Op::sub_scaled) = wide_products<T, Op::sub_scaled>;
    k.from_doubles = from_doubles<T>;
    k.to_doubles = to_doubles<T>;
    k.from_int32 = from_words<std::int32_t, T>;
    k.from_int64 = from_words<std::int64_t, T>;
}

FixedTable make_table() {
    FixedTable t{};
    fill(t.words32);
    fill(t.words64);
    return t;
}

} // namespace

const FixedTable& fixed_table() {
    static const FixedTable table = make_table();
    return table;
}

} // namespace mantissa::detail::MANTISSA_ISA
