// Rounding into a narrow format on the bits of doubles, branch-free, so that loops over it vectorise. The definition is
// in narrow_unit.hpp, and written out in exact_rounding.hpp, which the tests compare with this.
//
// A magnitude's pattern m counts its significand's units from bit 0, and a carry out of the significand goes into the
// exponent, as it should. So a magnitude is rounded at bit d by adding to m what carries into bit d, and clearing the
// bits below; d is `drop` for normal numbers. Below them the grid stays where it is: adding and taking away 2^52 units
// rounds to it. Stochastically, d grows by one with each binade instead, and what lies below one unit, which has no bit
// d of its own, becomes zero or one unit.
#include "narrow_kernels.hpp"

#include "isa/isa.hpp"
#include "vectors.hpp"

namespace mantissa::detail::MANTISSA_ISA {

namespace {

// Vectors by the compiler's extension: it does not vectorise shifts by amounts that it can narrow.
using Doubles = double __attribute__((vector_size(8 * kLongs)));
// Where doubles lie: GCC 12 makes copies of bytes through memory, in halves that the next load waits for, and forgets
// an alignment that is given to a vector type afterwards.
using Loose = double __attribute__((vector_size(8 * kLongs), aligned(8), may_alias));
constexpr std::int64_t kSign = static_cast<std::int64_t>(1ULL << 63), kInfinity = std::int64_t{0x7FF} << 52,
                       kNaN = std::int64_t{0xFFF} << 51;

enum { kTowardZero, kNearestEven, kNearestAway, kToOdd, kUp, kDown, kStochastic };

MANTISSA_INLINE Bits all(std::int64_t x) {
    return x - Bits{};
}
MANTISSA_INLINE Bits shifted_right(Bits x, Bits by) { // of what is not negative: AVX2 has no arithmetic shifts
    return reinterpret_cast<Bits>(reinterpret_cast<Longs>(x) >> reinterpret_cast<Longs>(by));
}
MANTISSA_INLINE Bits shifted_right(Bits x, int by) {
    return reinterpret_cast<Bits>(reinterpret_cast<Longs>(x) >> by);
}
MANTISSA_INLINE Bits shifted_left(Bits x, Bits by) {
    return reinterpret_cast<Bits>(reinterpret_cast<Longs>(x) << reinterpret_cast<Longs>(by));
}

/// Of such noise: the random bits as a double, plus 1.
MANTISSA_INLINE Doubles one_above(Bits noise) {
    return (0x1p52 + 0x1p32) - reinterpret_cast<Doubles>((std::int64_t{0x433} << 52) | shifted_right(noise, 32));
}

/// What is added to m so that it carries into bit d where it is rounded away from zero.
template <int D>
MANTISSA_INLINE Bits carry(Bits m, Bits d, Bits below, Bits negative, Bits noise, const NarrowParams& f) {
    if constexpr (D == kTowardZero) return Bits{};
    if constexpr (D == kNearestAway) return shifted_right(below + 1, 1);
    if constexpr (D == kUp) return below & ~negative;
    if constexpr (D == kDown) return below & negative;
    // floor(2^32 t) + noise carries where floor(2^32 t) is above the random bits.
    if constexpr (D == kStochastic) return noise_at(noise, d);
    const Bits last = shifted_right((m | f.last_or) ^ f.last_xor, d) & 1;
    if constexpr (D == kToOdd) return below & (last - 1);
    return shifted_right(below, 1) + (last & below); // last & below: no tie where nothing is dropped
}

/// Is a magnitude below one unit rounded to it, stochastically? All bits or none.
MANTISSA_INLINE Bits to_unit(Bits m, Bits noise, const NarrowParams& f) {
    return reinterpret_cast<Doubles>(m) * f.unit_scale[0] * f.unit_scale[1] >= one_above(noise);
}

/// A magnitude below the normal numbers, which the processor itself rounds to the nearest multiple of the unit; other
/// directions move that by one.
template <int D> MANTISSA_INLINE Doubles on_grid(Doubles size, Bits negative, const NarrowParams& f) {
    const Doubles units = size + f.grid, near = units - f.grid; // the last bit of `units` counts them
    const auto unit_where = [&](Bits mask) { return reinterpret_cast<Doubles>(mask & f.unit); };
    if constexpr (D == kNearestAway) return near + unit_where(size - near == f.half);
    if constexpr (D == kTowardZero) return near - unit_where(near > size);
    if constexpr (D == kToOdd) {
        const Bits even = (reinterpret_cast<Bits>(units) & 1) == 0;
        return (near + unit_where((near < size) & even)) - unit_where((near > size) & even);
    }
    if constexpr (D == kUp || D == kDown) {
        const Bits outward = D == kUp ? ~negative : negative;
        return (near + unit_where((near < size) & outward)) - unit_where((near > size) & ~outward);
    }
    return near;
}

template <int D, bool kGradual, Signs kSigns>
MANTISSA_INLINE Doubles round_some(Doubles x, Bits noise, const NarrowParams& f) {
    const Bits pattern = reinterpret_cast<Bits>(x), sign = pattern & kSign, m = pattern ^ sign;
    const Bits negative = pattern < 0;
    Bits d = all(f.drop);
    constexpr bool kByAdding = kGradual && D != kStochastic;
    if constexpr (kGradual && !kByAdding) {
        const Bits field = shifted_right(m, 52), above = f.least_field - field + (field == 0); // -1 where it is
        d = f.drop + (above > 0 ? above : Bits{});
        d = d < 52 ? d : all(52);
    }
    const Bits below = shifted_left(all(1), d) - 1;
    Bits r = (m + carry<D>(m, d, below, negative, noise, f)) & ~below;
    if constexpr (kByAdding) {
        r = m < f.min_normal ? reinterpret_cast<Bits>(on_grid<D>(reinterpret_cast<Doubles>(m), negative, f)) : r;
    } else if constexpr (kGradual) r = m < f.unit ? to_unit(m, noise, f) & f.unit : r;
    const Bits beyond = r > f.max;
    if constexpr (!kGradual) r = r < f.min_normal ? all(f.below) : r;
    Bits result = r | sign;
    if constexpr (kSigns == Signs::one_zero) result = r == 0 ? Bits{} : result;
    if constexpr (kSigns == Signs::none) {
        result = (negative & r) != 0 ? all(f.negative) : r;
        result = m == 0 ? all(f.zero) : result;
    }
    result = beyond ? f.over[0] ^ (negative & f.over[1]) : result;
    result = m == kInfinity ? f.infinite[0] ^ (negative & f.infinite[1]) : result;
    return reinterpret_cast<Doubles>(m > kInfinity ? all(kNaN) : result);
}

/// Stochastic rounding of numbers that are not normal, or may not remain so.
template <bool kGradual, Signs kSigns>
__attribute__((noinline)) Doubles round_others(Doubles x, Bits noise, const NarrowParams& f) {
    return round_some<kStochastic, kGradual, kSigns>(x, noise, f);
}
template <int D, bool kGradual, Signs kSigns>
void round_all(const double* a, double* out, std::size_t n, const NarrowParams& params, std::uint64_t first) {
    const NarrowParams f = params; // no store can change it
    const Noisy noisy(params);
    Mixed number = counters(params.seed, first);
    by_vectors<kLongs>(a, out, n, [&](const double* from, double* to) {
        const Doubles x = *reinterpret_cast<const Loose*>(from);
        auto& rounded = *reinterpret_cast<Loose*>(to);
        if constexpr (D == kStochastic) {
            const Bits pattern = reinterpret_cast<Bits>(x), noise = noise_of(number);
            rounded = any_negative(noisy.others(pattern))
                          ? round_others<kGradual, kSigns>(x, noise, f)
                          : reinterpret_cast<Doubles>(noisy.rounded<kSigns>(pattern, noise));
        } else rounded = round_some<D, kGradual, kSigns>(x, Bits{}, f);
        number.v += narrow::counted(0, kLongs - 1);
    });
}

#define MANTISSA_NARROW(D)                                                                                             \
    {                                                                                                                  \
        {round_all<D, false, Signs::two_zeros>, round_all<D, false, Signs::one_zero>,                                  \
         round_all<D, false, Signs::none>},                                                                            \
        {                                                                                                              \
            round_all<D, true, Signs::two_zeros>, round_all<D, true, Signs::one_zero>, round_all<D, true, Signs::none> \
        }                                                                                                              \
    }

} // namespace

const NarrowKernels& narrow_kernels() {
    static const NarrowKernels kernels = {{MANTISSA_NARROW(kTowardZero), MANTISSA_NARROW(kNearestEven),
                                           MANTISSA_NARROW(kNearestAway), MANTISSA_NARROW(kToOdd), MANTISSA_NARROW(kUp),
                                           MANTISSA_NARROW(kDown), MANTISSA_NARROW(kStochastic)}};
    return kernels;
}

} // namespace mantissa::detail::MANTISSA_ISA
