// Rounding into formats of at most 17 significant bits, on the upper words of doubles: sign, exponent and the first 20
// bits of the fraction. Twice as many numbers fit a vector, and their shifts, comparisons and minima are single
// instructions from AVX2 on; older processors round by narrow_isa.cpp. The definition is the same (narrow_unit.hpp),
// and the tests compare both with it.
//
// What the lower word holds goes into the upper word's last bit, below every tie: so a number rounds as all of it
// would. A magnitude is rounded at bit d by adding to its pattern what carries into bit d. d grows by one with each
// binade below the smallest normal number. What lies below one unit has no bit d of its own and becomes zero or one
// unit.
#include "narrow_kernels.hpp"

#include "isa/isa.hpp"
#include "vectors.hpp"

namespace mantissa::detail::MANTISSA_ISA {

#if !defined(__AVX2__)

const ShortKernels& short_kernels() {
    static const ShortKernels none = {};
    return none;
}

#else

namespace {

enum { kTowardZero, kNearestEven, kNearestAway, kToOdd, kUp, kDown, kStochastic };

#if defined(__AVX512F__)
constexpr std::size_t kLanes = 16;
using Raw = __m512i;
#define MANTISSA_VECTOR(name) _mm512_##name
#define MANTISSA_SHUFFLE(x, y, order)                                                                                  \
    _mm512_castps_si512(_mm512_shuffle_ps(_mm512_castsi512_ps(reinterpret_cast<Raw>(x)),                               \
                                          _mm512_castsi512_ps(reinterpret_cast<Raw>(y)), order))
#else
constexpr std::size_t kLanes = 8;
using Raw = __m256i;
#define MANTISSA_VECTOR(name) _mm256_##name
#define MANTISSA_SHUFFLE(x, y, order)                                                                                  \
    _mm256_castps_si256(_mm256_shuffle_ps(_mm256_castsi256_ps(reinterpret_cast<Raw>(x)),                               \
                                          _mm256_castsi256_ps(reinterpret_cast<Raw>(y)), order))
#endif
// Vectors by the compiler's extension, and intrinsics where it has no words.
using Ints = std::int32_t __attribute__((vector_size(4 * kLanes)));
using Loose = std::int32_t __attribute__((vector_size(4 * kLanes), aligned(8), may_alias)); // where doubles lie
using Unsigned = std::uint32_t __attribute__((vector_size(4 * kLanes)));
using LooseBits = std::int64_t __attribute__((vector_size(4 * kLanes), aligned(8), may_alias));

constexpr std::int32_t kSign = INT32_MIN, kInfinity = 0x7FF << 20, kNaN = 0xFFF << 19;

MANTISSA_INLINE Ints all(std::int32_t x) {
    return x - Ints{};
}
MANTISSA_INLINE Ints shifted_right(Ints x, int by) {
    return reinterpret_cast<Ints>(reinterpret_cast<Unsigned>(x) >> by);
}
/// By amounts of which those beyond 31, and negative ones, leave nothing.
MANTISSA_INLINE Ints shifted_right(Ints x, Ints by) {
    return reinterpret_cast<Ints>(MANTISSA_VECTOR(srlv_epi32)(reinterpret_cast<Raw>(x), reinterpret_cast<Raw>(by)));
}
MANTISSA_INLINE Ints shifted_left(Ints x, Ints by) {
    return reinterpret_cast<Ints>(MANTISSA_VECTOR(sllv_epi32)(reinterpret_cast<Raw>(x), reinterpret_cast<Raw>(by)));
}
MANTISSA_INLINE Ints lesser(Ints x, Ints y) {
    return reinterpret_cast<Ints>(MANTISSA_VECTOR(min_epi32)(reinterpret_cast<Raw>(x), reinterpret_cast<Raw>(y)));
}
MANTISSA_INLINE Ints greater(Ints x, Ints y) {
    return reinterpret_cast<Ints>(MANTISSA_VECTOR(max_epi32)(reinterpret_cast<Raw>(x), reinterpret_cast<Raw>(y)));
}
/// 1 where there is a bit.
MANTISSA_INLINE Ints any_bit(Ints x) {
    return reinterpret_cast<Ints>(MANTISSA_VECTOR(min_epu32)(reinterpret_cast<Raw>(x), MANTISSA_VECTOR(set1_epi32)(1)));
}
MANTISSA_INLINE bool any(Ints mask) { // all bits or none
#if defined(__AVX512F__)
    return _mm512_movepi32_mask(reinterpret_cast<Raw>(mask)) != 0;
#else
    return _mm256_movemask_epi8(reinterpret_cast<Raw>(mask)) != 0;
#endif
}
/// The words of 2 x kLanes / 2 numbers, in an order that store_words() undoes.
template <class T> MANTISSA_INLINE Ints upper_words(T x, T y) {
    return reinterpret_cast<Ints>(MANTISSA_SHUFFLE(x, y, 0xDD));
}
template <class T> MANTISSA_INLINE Ints lower_words(T x, T y) {
    return reinterpret_cast<Ints>(MANTISSA_SHUFFLE(x, y, 0x88));
}
MANTISSA_INLINE void store_words(Ints upper, double* to) {
    auto* const out = reinterpret_cast<Loose*>(to);
    out[0] = reinterpret_cast<Ints>(MANTISSA_VECTOR(unpacklo_epi32)(Raw{}, reinterpret_cast<Raw>(upper)));
    out[1] = reinterpret_cast<Ints>(MANTISSA_VECTOR(unpackhi_epi32)(Raw{}, reinterpret_cast<Raw>(upper)));
}

/// The parameters' upper words; the lower ones are zero.
struct Words {
    std::int32_t drop, drop_lowest, least_field, unit, half, last_or, last_xor, max, min_normal, below, zero, over[2],
        infinite[2], negative;
    explicit Words(const NarrowParams& p)
        : drop(p.drop - 32), drop_lowest(p.drop - 32 + (p.flushes || p.least_field < 1 ? -1 : 0)),
          least_field(static_cast<std::int32_t>(p.least_field)), unit(word(p.unit)), half(unit - (1 << 20)),
          last_or(word(p.last_or)), last_xor(word(p.last_xor)), max(word(p.max)),
          min_normal(p.flushes ? word(p.min_normal) : 0), below(word(p.below)),
          zero(word(p.zero)), over{word(p.over[0]), word(p.over[1])}, infinite{word(p.infinite[0]),
                                                                               word(p.infinite[1])},
          negative(word(p.negative)) {}
    static std::int32_t word(std::int64_t x) { return static_cast<std::int32_t>(x >> 32); }
};

/// What is added to m so that it carries into bit d where it is rounded away from zero.
template <int D> MANTISSA_INLINE Ints carry(Ints m, Ints d, Ints below, Ints negative, const Words& f) {
    if constexpr (D == kTowardZero || D == kStochastic) return Ints{};
    if constexpr (D == kNearestAway) return shifted_right(below, 1) + 1;
    if constexpr (D == kUp) return below & ~negative;
    if constexpr (D == kDown) return below & negative;
    const Ints last = shifted_right((m | f.last_or) ^ f.last_xor, d) & 1;
    if constexpr (D == kToOdd) return below & (last - 1);
    return shifted_right(below, 1) + last;
}

/// Is a magnitude below one unit rounded to it? All bits or none.
template <int D> MANTISSA_INLINE Ints to_unit(Ints m, Ints negative, const Words& f) {
    if constexpr (D == kTowardZero) return Ints{};
    if constexpr (D == kNearestEven) return m > f.half;
    if constexpr (D == kNearestAway) return m >= f.half;
    if constexpr (D == kUp) return (m > 0) & ~negative;
    if constexpr (D == kDown) return (m > 0) & negative;
    return m > 0;
}

/// Is a magnitude rounded up stochastically, at bit d, which may lie above all of it? All bits or none.
MANTISSA_INLINE Ints to_greater(Ints m, Ints lower, Ints d, Ints random, [[maybe_unused]] bool far) {
    const Ints hidden = (m & 0xFFFFF) | (1 << 20);
    Ints share = shifted_left(hidden, 32 - d) | shifted_right(lower, d); // floor(2^32 t)
    if (far) share |= shifted_right(hidden, d - 32);
    return reinterpret_cast<Unsigned>(share) > reinterpret_cast<Unsigned>(random);
}

/// Infinities, NaN, and what is beyond the largest number.
MANTISSA_INLINE Ints special(Ints result, Ints r, Ints m, Ints negative, const Words& f) {
    const Ints beyond = r > f.max;
    result = beyond ? f.over[0] ^ (negative & f.over[1]) : result;
    result = m == kInfinity ? f.infinite[0] ^ (negative & f.infinite[1]) : result;
    return m > kInfinity ? all(kNaN) : result;
}

template <int D, Tiny kTiny, Signs kSigns>
MANTISSA_INLINE Ints round_some(Ints upper, Ints lower, Ints random, const Words& f) {
    const Ints sign = upper & kSign, size = upper ^ sign, negative = upper >> 31;
    const Ints m = size | any_bit(lower);
    Ints d = all(f.drop);
    if constexpr (kTiny == Tiny::gradual) d = greater(f.drop + f.least_field - shifted_right(m, 20), d);
    if constexpr (kTiny == Tiny::lowest) d = m < 1 << 20 ? all(f.drop_lowest) : d;
    const Ints at = kTiny == Tiny::gradual ? lesser(d, all(20)) : d;
    const Ints keep = shifted_left(all(-1), at);
    Ints r = (m + carry<D>(m, at, ~keep, negative, f)) & keep;
    if constexpr (D == kStochastic) {
        const Ints up = to_greater(size, lower, d, random, kTiny == Tiny::gradual);
        if constexpr (kTiny == Tiny::gradual) r = m < f.unit ? up & f.unit : r - (shifted_left(up, at));
        else r -= shifted_left(up, at);
    } else if constexpr (kTiny == Tiny::gradual) r = m < f.unit ? to_unit<D>(m, negative, f) & f.unit : r;
    Ints result = r;
    if constexpr (kTiny != Tiny::gradual) result = r < f.min_normal ? all(f.below) : r;
    const Ints magnitude = result;
    result |= sign;
    if constexpr (kSigns == Signs::one_zero) result = magnitude == 0 ? Ints{} : result;
    if constexpr (kSigns == Signs::none) {
        result = (negative & magnitude) != 0 ? all(f.negative) : magnitude;
        result = m == 0 ? all(f.zero) : result;
    }
    const Ints beyond = (r > f.max) | (r >> 31); // (a NaN may have wrapped)
    return any(beyond) ? special(result, r, m, negative, f) : result;
}

template <int D, Tiny kTiny, Signs kSigns, bool kMostlyNormal>
void round_loop(const double* a, double* out, std::size_t n, const NarrowParams& params, std::uint64_t first) {
    const Words f(params); // no store can change it
    const Noisy noisy(params);
    Mixed number[2] = {counters(params.seed, first), counters(params.seed, first + kLongs)};
    by_vectors<kLanes>(a, out, n, [&](const double* from, double* to) {
        const auto* const in = reinterpret_cast<const LooseBits*>(from);
        const Bits x = in[0], y = in[1];
        Ints random{};
        if constexpr (kMostlyNormal) {
            const Bits noise[] = {noise_of(number[0]), noise_of(number[1])};
            for (Mixed& z : number) z.v += narrow::counted(0, kLanes - 1);
            if (!any_negative(noisy.others(x) | noisy.others(y))) {
                auto* const rounded = reinterpret_cast<LooseBits*>(to);
                rounded[0] = noisy.rounded<kSigns>(x, noise[0]);
                rounded[1] = noisy.rounded<kSigns>(y, noise[1]);
                return;
            }
            random = ~upper_words(noise[0], noise[1]);
        } else if constexpr (D == kStochastic) {
            random = upper_words(narrow::mixed(number[0]).v, narrow::mixed(number[1]).v);
            for (Mixed& z : number) z.v += narrow::counted(0, kLanes - 1);
        }
        store_words(round_some<D, kTiny, kSigns>(upper_words(x, y), lower_words(x, y), random, f), to);
    });
}

template <int D, Tiny kTiny, Signs kSigns>
void round_all(const double* a, double* out, std::size_t n, const NarrowParams& params, std::uint64_t first) {
    // Where numbers about one are often below the normal ones, a branch that fails costs more than it saves: the more
    // so, the more numbers share it.
    constexpr std::int64_t kSeldomBelow = std::int64_t{1023 - (kLanes == 16 ? 7 : 6)} << 52;
    if (D == kStochastic && params.min_normal <= kSeldomBelow)
        round_loop<D, kTiny, kSigns, D == kStochastic>(a, out, n, params, first);
    else round_loop<D, kTiny, kSigns, false>(a, out, n, params, first);
}

#define MANTISSA_SHORT_SIGNS(D, tiny)                                                                                  \
    { round_all<D, tiny, Signs::two_zeros>, round_all<D, tiny, Signs::one_zero>, round_all<D, tiny, Signs::none> }
#define MANTISSA_SHORT(D)                                                                                              \
    {                                                                                                                  \
        MANTISSA_SHORT_SIGNS(D, Tiny::flush), MANTISSA_SHORT_SIGNS(D, Tiny::gradual),                                  \
            MANTISSA_SHORT_SIGNS(D, Tiny::lowest)                                                                      \
    }

} // namespace

const ShortKernels& short_kernels() {
    static const ShortKernels kernels = {{MANTISSA_SHORT(kTowardZero), MANTISSA_SHORT(kNearestEven),
                                          MANTISSA_SHORT(kNearestAway), MANTISSA_SHORT(kToOdd), MANTISSA_SHORT(kUp),
                                          MANTISSA_SHORT(kDown), MANTISSA_SHORT(kStochastic)}};
    return kernels;
}

#endif

} // namespace mantissa::detail::MANTISSA_ISA
