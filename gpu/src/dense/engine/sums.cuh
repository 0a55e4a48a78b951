// The sums of a factor's elements, as numerics/src/lu has them: w <- w - l u in a floating format or in a
// fixed-point window. W is what a sum is carried in, Op what l and u are carried in.
#pragma once

#include <cstdint>

#include "engine/engine_arithmetic.cuh"
#include "mantissa/lu/spec.hpp"

namespace mantissa::gpu::lu {

/// Formats whose values are floats that no operation flushes.
inline bool plain_floats(const Format& f) {
    return f.fits<float>() && (f.flushes() || f.exponent_bits < 8);
}

#ifdef __CUDACC__

__device__ __forceinline__ float raw_fma(float a, float b, float c) {
    float z;
    asm("fma.rz.ftz.f32 %0, %1, %2, %3;" : "=f"(z) : "f"(a), "f"(b), "f"(c));
    return z;
}
MANTISSA_CALLED double called_fma(const Format& f, double a, double b, double c) {
    return exact::fma(f, a, b, c);
}

/// Truncating, flushing formats of eight exponent bits in float.
struct FloatCut {
    using Carrier = float;
    static bool fits(const Format& f) { return float_unit_fits(f); }
    FloatUnit unit;
    FloatCut() = default;
    explicit FloatCut(const Format& f) : unit(f) {}
    __device__ __forceinline__ float mul(float a, float b) const { return unit.mul(a, b); }
    __device__ __forceinline__ float add(float a, float b) const { return unit.add(a, b); }
    __device__ __forceinline__ float sub(float a, float b) const { return unit.add(a, -b); }
    __device__ __forceinline__ float fma(float a, float b, float c) const { return unit.cut(raw_fma(a, b, c)); }
    __device__ __forceinline__ float convert(float a) const { return unit.cut(a); }
};

/// Truncating, flushing formats of fewer exponent bits in float: the float result toward zero, cut, then the range.
struct FloatClamp {
    using Carrier = float;
    static bool fits(const Format& f) {
        return f.truncates() && f.flushes() && f.exponent_bits <= 8 && f.fraction_bits <= 23;
    }
    std::uint32_t mask = ~0u;
    float largest = 0, smallest = 0;
    FloatClamp() = default;
    explicit FloatClamp(const Format& f)
        : mask(~((1u << (23 - f.fraction_bits)) - 1)), largest(static_cast<float>(f.max())),
          smallest(static_cast<float>(f.min_normal())) {}
    __device__ __forceinline__ float cut(float x) const {
        const float y = __uint_as_float(__float_as_uint(x) & mask), magnitude = fminf(fabsf(y), largest);
        return copysignf(magnitude < smallest ? 0.0f : magnitude, y);
    }
    __device__ __forceinline__ float mul(float a, float b) const { return cut(raw::mul(a, b)); }
    __device__ __forceinline__ float add(float a, float b) const { return cut(raw::add(a, b)); }
    __device__ __forceinline__ float sub(float a, float b) const { return cut(raw::add(a, -b)); }
    __device__ __forceinline__ float fma(float a, float b, float c) const { return cut(raw_fma(a, b, c)); }
    __device__ __forceinline__ float convert(float a) const { return cut(a); }
};

/// IEEE single precision as the processor has it.
struct NativeFloat {
    using Carrier = float;
    static bool fits(const Format& f) { return f == formats::kFloat; }
    NativeFloat() = default;
    explicit NativeFloat(const Format&) {}
    __device__ __forceinline__ float mul(float a, float b) const { return __fmul_rn(a, b); }
    __device__ __forceinline__ float add(float a, float b) const { return __fadd_rn(a, b); }
    __device__ __forceinline__ float sub(float a, float b) const { return __fsub_rn(a, b); }
    __device__ __forceinline__ float fma(float a, float b, float c) const { return __fmaf_rn(a, b, c); }
    __device__ __forceinline__ float convert(float a) const { return a; }
};

/// IEEE double precision.
struct NativeDouble {
    using Carrier = double;
    static bool fits(const Format& f) { return f == formats::kDouble; }
    NativeDouble() = default;
    explicit NativeDouble(const Format&) {}
    __device__ __forceinline__ double mul(double a, double b) const { return __dmul_rn(a, b); }
    __device__ __forceinline__ double add(double a, double b) const { return __dadd_rn(a, b); }
    __device__ __forceinline__ double sub(double a, double b) const { return __dsub_rn(a, b); }
    __device__ __forceinline__ double fma(double a, double b, double c) const { return __fma_rn(a, b, c); }
    __device__ __forceinline__ double convert(double a) const { return a; }
};

/// All other truncating, flushing formats in double.
struct DoubleCut {
    using Carrier = double;
    static bool fits(const Format& f) { return TruncatingUnit::fits(f); }
    TruncatingUnit unit;
    DoubleCut() = default;
    explicit DoubleCut(const Format& f) : unit(f) {}
    __device__ __forceinline__ double mul(double a, double b) const { return unit.mul(a, b); }
    __device__ __forceinline__ double add(double a, double b) const { return unit.add(a, b); }
    __device__ __forceinline__ double sub(double a, double b) const { return unit.add(a, -b); }
    __device__ __forceinline__ double fma(double a, double b, double c) const { return unit.cut(__fma_rz(a, b, c)); }
    __device__ __forceinline__ double convert(double a) const { return unit.convert(a); }
};

/// Formats rounding to nearest with at most 50 fraction bits and nine exponent bits. The exact result is first rounded
/// in double to odd (the neighbour whose last bit is set, when it is not exact); with two bits or more to spare a
/// second rounding is then the only one.
struct Nearest {
    using Carrier = double;
    static bool fits(const Format& f) { return !f.truncates() && f.fraction_bits <= 50 && f.exponent_bits <= 9; }
    /// Are the operands small enough that nothing in double over- or underflows?
    static bool takes(const Format& f) { return f.exponent_bits <= 9; }
    std::uint64_t mask = 0, below_half = 0;
    int drop = 0;
    double largest = 0, smallest = 0, grid = 0, beyond = 0;
    bool gradual = false;
    Nearest() = default;
    explicit Nearest(const Format& f)
        : mask(~((std::uint64_t{1} << (52 - f.fraction_bits)) - 1)),
          below_half((std::uint64_t{1} << (51 - f.fraction_bits)) - 1), drop(52 - f.fraction_bits), largest(f.max()),
          smallest(f.min_normal()), grid(1.5 * Format::power_of_two(52 + f.min_exponent() - f.fraction_bits)),
          beyond(f.overflow == Overflow::saturate ? f.max() : std::numeric_limits<double>::infinity()),
          gradual(!f.flushes()) {}
    static __device__ __forceinline__ double odd(double down, double up) {
        return down == up || (__double_as_longlong(up) & 1) != 0 ? up : down;
    }
    __device__ __forceinline__ double round(double z) const {
        if (!isfinite(z)) return z;
        const auto bits = static_cast<std::uint64_t>(__double_as_longlong(z));
        const double y =
            __longlong_as_double(static_cast<long long>((bits + below_half + ((bits >> drop) & 1)) & mask));
        double magnitude = fabs(y);
        if (gradual && fabs(z) < smallest) magnitude = __dsub_rn(__dadd_rn(fabs(z), grid), grid);
        else if (magnitude < smallest) magnitude = 0;
        return copysign(magnitude > largest ? beyond : magnitude, z);
    }
    __device__ __forceinline__ double mul(double a, double b) const {
        return round(odd(__dmul_rd(a, b), __dmul_ru(a, b)));
    }
    __device__ __forceinline__ double add(double a, double b) const {
        return round(odd(__dadd_rd(a, b), __dadd_ru(a, b)));
    }
    __device__ __forceinline__ double sub(double a, double b) const { return add(a, -b); }
    __device__ __forceinline__ double fma(double a, double b, double c) const {
        return round(odd(__fma_rd(a, b, c), __fma_ru(a, b, c)));
    }
    __device__ __forceinline__ double convert(double a) const { return round(a); }
};

/// Any format, by the integer definitions.
struct AnyFormat {
    using Carrier = double;
    static bool fits(const Format&) { return true; }
    Format format;
    AnyFormat() = default;
    explicit AnyFormat(const Format& f) : format(f) {}
    __device__ __forceinline__ double mul(double a, double b) const { return called::mul(format, a, b); }
    __device__ __forceinline__ double add(double a, double b) const { return called::add(format, a, b); }
    __device__ __forceinline__ double sub(double a, double b) const { return called::add(format, a, -b); }
    __device__ __forceinline__ double fma(double a, double b, double c) const { return called_fma(format, a, b, c); }
    __device__ __forceinline__ double convert(double a) const { return called::convert(format, a); }
};

/// What is not finite, or outside the window.
struct Marks {
    bool outside = false, not_finite = false;
};

/// Sums in a floating format, by a Unit above.
template <class Unit> struct FloatingSums {
    using W = typename Unit::Carrier;
    using Op = W;
    using Magnitude = W;
    static constexpr bool kWindow = false;
    Unit sum, product;
    DoubleUnit a, accumulator, u;
    bool exact_product = false, same = false; ///< same: products have the sums' format

    explicit FloatingSums(const LuSpec& spec)
        : sum(spec.accumulator), product(spec.exact_product ? spec.accumulator : spec.product), a(spec.a),
          accumulator(spec.accumulator), u(spec.u), exact_product(spec.exact_product),
          same(spec.exact_product || spec.product == spec.accumulator) {}

    __device__ W start(double x, Marks&) const { return static_cast<W>(accumulator.convert(a.convert(x))); }
    static __device__ __forceinline__ W magnitude(W w) { return fabs(w); }
    static __device__ __forceinline__ bool comparable(W magnitude) { return magnitude == magnitude; }
    __device__ double rounded(W w, Marks& marks) const {
        const double z = u.convert(static_cast<double>(w));
        if (!isfinite(z)) marks.not_finite = true;
        return z;
    }
    template <bool Exact> __device__ __forceinline__ W subtract(W w, Op l, Op x, Marks&) const {
        if constexpr (Exact) return sum.fma(-l, x, w);
        else return sum.sub(w, product.mul(l, x));
    }
    __device__ __forceinline__ W subtract(W w, Op l, Op x, Marks& marks) const {
        return exact_product ? subtract<true>(w, l, x, marks) : subtract<false>(w, l, x, marks);
    }
    /// order=blocked: the first product of a panel's sum, and the next ones.
    __device__ __forceinline__ W first_term(Op l, Op x) const {
        const W term = product.mul(l, x);
        return same ? term : sum.convert(term);
    }
    __device__ __forceinline__ W next_term(W s, Op l, Op x) const {
        return exact_product ? sum.fma(l, x, s) : sum.add(s, product.mul(l, x));
    }
};

/// The way out of a window, rounded into f.
MANTISSA_CALLED double window_rounded(const Format& f, exact::detail::u128 magnitude, bool negative, int lsb) {
    return exact::from_integer(f, magnitude, negative, lsb);
}

/// Sums in a window of at most 52 bits whose products are exact in double (numerics' WindowSums::quick): integers of
/// 64 bits.
struct WordSums {
    using W = long long;
    using Op = double;
    using Magnitude = unsigned long long;
    static constexpr bool kWindow = true;
    FixedWindow window;
    DoubleUnit a, u;
    double unit = 0, limit = 0, lsb = 0;

    explicit WordSums(const LuSpec& spec)
        : window(spec.window), a(spec.a), u(spec.u), unit(Format::power_of_two(-spec.window.lsb)),
          limit(Format::power_of_two(spec.window.width() - 1)), lsb(Format::power_of_two(spec.window.lsb)) {}

    __device__ W start(double x, Marks& marks) const {
        bool fits = true;
        const long long w = window_units(window, a.convert(x), 1.0, fits);
        if (!fits) marks.outside = true;
        return w;
    }
    static __device__ __forceinline__ Magnitude magnitude(W w) { return static_cast<Magnitude>(w < 0 ? -w : w); }
    static __device__ __forceinline__ bool comparable(Magnitude) { return true; }
    __device__ double rounded(W w, Marks& marks) const {
        const auto bound = static_cast<long long>(limit);
        if (w < -bound || w >= bound) {
            marks.outside = true;
            return 0;
        }
        double z;
        if (u.way == DoubleUnit::Way::truncate) { // exact below 2^53, and the power of two changes no bit
            z = u.cut(static_cast<double>(w) * lsb);
        } else {
            z = window_rounded(u.format, magnitude(w), w < 0, window.lsb);
        }
        if (!isfinite(z)) marks.not_finite = true;
        return z;
    }
    template <bool> __device__ __forceinline__ W subtract(W w, Op l, Op x, Marks& marks) const {
        return subtract(w, l, x, marks);
    }
    /// Nothing is subtracted where l is not finite: that has been marked.
    __device__ __forceinline__ W subtract(W w, Op l, Op x, Marks& marks) const {
        const double units = l * x * unit;
        const bool inside = units < limit && units > -limit - 1;
        if (!inside && isfinite(l)) marks.outside = true;
        return inside ? w - __double2ll_rz(units) : w;
    }
};

/// Sums in any window.
struct WideSums {
    __extension__ using W = __int128;
    using Op = double;
    using Magnitude = exact::detail::u128;
    static constexpr bool kWindow = true;
    FixedWindow window;
    DoubleUnit a, u;

    explicit WideSums(const LuSpec& spec) : window(spec.window), a(spec.a), u(spec.u) {}
    __device__ W start(double x, Marks& marks) const {
        bool fits = true;
        const W w = window_units(window, a.convert(x), 1.0, fits);
        if (!fits) marks.outside = true;
        return w;
    }
    static __device__ __forceinline__ Magnitude magnitude(W w) { return static_cast<Magnitude>(w < 0 ? -w : w); }
    static __device__ __forceinline__ bool comparable(Magnitude) { return true; }
    __device__ double rounded(W w, Marks& marks) const {
        const W bound = W{1} << (window.width() - 1);
        if (w < -bound || w >= bound) {
            marks.outside = true;
            return 0;
        }
        const double z = window_rounded(u.format, magnitude(w), w < 0, window.lsb);
        if (!isfinite(z)) marks.not_finite = true;
        return z;
    }
    template <bool> __device__ __forceinline__ W subtract(W w, Op l, Op x, Marks& marks) const {
        return subtract(w, l, x, marks);
    }
    __device__ __forceinline__ W subtract(W w, Op l, Op x, Marks& marks) const {
        if (!isfinite(l)) return w;
        bool fits = true;
        const long long units = window_units(window, l, x, fits);
        if (!fits) marks.outside = true;
        return w - units;
    }
};

#endif

} // namespace mantissa::gpu::lu
