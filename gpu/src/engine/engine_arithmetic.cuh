// The arithmetic contract of numerics/ on the device.
//
// FloatUnit: hardware-policy formats of eight exponent bits and at most 23 fraction bits. Truncation composes, so an
// operation is the float operation toward zero with flush to zero, and one AND.
// DoubleUnit: any format, carried in double: truncating formats by the processor's operations toward zero, native
// double as it is, everything else by the integer definitions of exact.hpp, which compile for the device as they stand.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "mantissa/engine.hpp"
#include "mantissa/exact.hpp"
#include "mantissa/spec.hpp"
#include "mantissa/window_units.hpp"

#ifdef __CUDACC__
#define MANTISSA_BOTH __host__ __device__ __forceinline__
#define MANTISSA_CALLED __host__ __device__ __noinline__ inline
#else
#define MANTISSA_BOTH inline
#define MANTISSA_CALLED inline
#endif

namespace mantissa::gpu {

/// The processor's operations toward zero; on the host their definitions, so that everything built on them can be
/// tested there. Float results and operands below the smallest normal number are zeros of their sign.
namespace raw {

inline constexpr Format kFloatRz{23, 8}, kDoubleRz = Format{52, 11}.with(Subnormals::gradual);

MANTISSA_BOTH float add(float a, float b) {
#ifdef __CUDA_ARCH__
    float z;
    asm("add.rz.ftz.f32 %0, %1, %2;" : "=f"(z) : "f"(a), "f"(b));
    return z;
#else
    return static_cast<float>(exact::add(kFloatRz, a, b));
#endif
}
MANTISSA_BOTH float mul(float a, float b) {
#ifdef __CUDA_ARCH__
    float z;
    asm("mul.rz.ftz.f32 %0, %1, %2;" : "=f"(z) : "f"(a), "f"(b));
    return z;
#else
    return static_cast<float>(exact::mul(kFloatRz, a, b));
#endif
}
MANTISSA_BOTH float to_float(double x) {
#ifdef __CUDA_ARCH__
    float z;
    asm("cvt.rz.ftz.f32.f64 %0, %1;" : "=f"(z) : "d"(x));
    return z;
#else
    return static_cast<float>(exact::convert(kFloatRz, x));
#endif
}
// What runs on the device, and its definition.
#ifdef __CUDA_ARCH__
#define MANTISSA_RAW(device, host) device
#else
#define MANTISSA_RAW(device, host) host
#endif
MANTISSA_BOTH double add(double a, double b) {
    return MANTISSA_RAW(__dadd_rz(a, b), exact::add(kDoubleRz, a, b));
}
MANTISSA_BOTH double mul(double a, double b) {
    return MANTISSA_RAW(__dmul_rz(a, b), exact::mul(kDoubleRz, a, b));
}
MANTISSA_BOTH double div(double a, double b) {
    return MANTISSA_RAW(__ddiv_rz(a, b), exact::div(kDoubleRz, a, b));
}
/// Nearest-even, never fused with a neighbour.
MANTISSA_BOTH double add_nearest(double a, double b) {
    return MANTISSA_RAW(__dadd_rn(a, b), exact::add(formats::kDouble, a, b));
}
MANTISSA_BOTH double mul_nearest(double a, double b) {
    return MANTISSA_RAW(__dmul_rn(a, b), exact::mul(formats::kDouble, a, b));
}
MANTISSA_BOTH double div_nearest(double a, double b) {
    return MANTISSA_RAW(__ddiv_rn(a, b), exact::div(formats::kDouble, a, b));
}
#undef MANTISSA_RAW

} // namespace raw

/// The integer definitions as calls: inlined at every use they would make kernels that take minutes to compile.
namespace called {

MANTISSA_CALLED double add(const Format& f, double a, double b) {
    return exact::add(f, a, b);
}
MANTISSA_CALLED double mul(const Format& f, double a, double b) {
    return exact::mul(f, a, b);
}
MANTISSA_CALLED double div(const Format& f, double a, double b) {
    return exact::div(f, a, b);
}
MANTISSA_CALLED double convert(const Format& f, double x) {
    return exact::convert(f, x);
}

} // namespace called

/// Can FloatUnit compute in this format?
inline bool float_unit_fits(const Format& f) {
    return f.truncates() && f.flushes() && f.exponent_bits == 8 && f.fraction_bits <= 23;
}

struct FloatUnit {
    using Carrier = float;
    std::uint32_t mask = ~0u;

    FloatUnit() = default;
    explicit FloatUnit(const Format& f) : mask(~((1u << (23 - f.fraction_bits)) - 1)) {}

    MANTISSA_BOTH float cut(float x) const { return std::bit_cast<float>(std::bit_cast<std::uint32_t>(x) & mask); }
    MANTISSA_BOTH float add(float a, float b) const { return cut(raw::add(a, b)); }
    MANTISSA_BOTH float mul(float a, float b) const { return cut(raw::mul(a, b)); }
    MANTISSA_BOTH float convert(float x) const { return cut(x); }
    /// From a double that another unit computed.
    MANTISSA_BOTH float from_double(double x) const { return cut(raw::to_float(x)); }
};

struct DoubleUnit {
    using Carrier = double;
    enum class Way : std::uint8_t { truncate, native, integer };
    Format format;
    Way way = Way::native;
    std::uint64_t mask = ~0ull;
    double largest = 0, smallest = 0;

    DoubleUnit() = default;
    explicit DoubleUnit(const Format& f)
        : format(f), mask(~((std::uint64_t{1} << (52 - f.fraction_bits)) - 1)), largest(f.max()),
          smallest(f.min_normal()) {
        const bool native = !f.truncates() && !f.flushes() && f.fraction_bits == 52 && f.exponent_bits == 11 &&
                            f.overflow == Overflow::infinity;
        way = f.truncates() && f.flushes() ? Way::truncate : native ? Way::native : Way::integer;
    }

    /// A result toward zero in double, cut to the format. (Without branches: lanes have many under way.)
    MANTISSA_BOTH double cut(double z) const {
        constexpr std::uint64_t kSign = std::uint64_t{1} << 63;
        const auto bits = std::bit_cast<std::uint64_t>(z) & mask;
        const double magnitude = std::fabs(std::bit_cast<double>(bits));
        const bool small = magnitude < smallest,
                   large = static_cast<bool>(static_cast<int>(magnitude > largest) &
                                             static_cast<int>(magnitude < std::numeric_limits<double>::infinity()));
        const std::uint64_t kept = small ? 0 : ~kSign, instead = large ? std::bit_cast<std::uint64_t>(largest) : 0,
                            all = large ? kSign : kSign | kept;
        return std::bit_cast<double>((bits & all) | instead);
    }
    MANTISSA_BOTH double add(double a, double b) const {
        if (way == Way::truncate) return cut(raw::add(a, b));
        return way == Way::native ? raw::add_nearest(a, b) : called::add(format, a, b);
    }
    MANTISSA_BOTH double mul(double a, double b) const {
        if (way == Way::truncate) return cut(raw::mul(a, b));
        return way == Way::native ? raw::mul_nearest(a, b) : called::mul(format, a, b);
    }
    MANTISSA_BOTH double div(double a, double b) const {
        if (way == Way::truncate) return cut(raw::div(a, b));
        return way == Way::native ? raw::div_nearest(a, b) : called::div(format, a, b);
    }
    MANTISSA_BOTH double convert(double x) const {
        if (way == Way::truncate) return cut(x);
        return way == Way::native ? x : called::convert(format, x);
    }
    MANTISSA_BOTH double from_double(double x) const { return convert(x); }
};

/// A DoubleUnit that truncates, known at compile time.
struct TruncatingUnit : DoubleUnit {
    TruncatingUnit() = default;
    explicit TruncatingUnit(const Format& f) : DoubleUnit(f) {}
    MANTISSA_BOTH explicit TruncatingUnit(const DoubleUnit& unit) : DoubleUnit(unit) {}
    static bool fits(const Format& f) { return f.truncates() && f.flushes(); }

    MANTISSA_BOTH double add(double a, double b) const { return cut(raw::add(a, b)); }
    MANTISSA_BOTH double mul(double a, double b) const { return cut(raw::mul(a, b)); }
    MANTISSA_BOTH double div(double a, double b) const { return cut(raw::div(a, b)); }
    MANTISSA_BOTH double convert(double x) const { return cut(x); }
    MANTISSA_BOTH double from_double(double x) const { return cut(x); }
};

/// trunc(a b / 2^lsb); `fits` becomes false, and 0 is returned, when it lies outside the window.
MANTISSA_CALLED long long window_units(const FixedWindow& window, double a, double b, bool& fits) {
    return product_units(window, a, b, fits);
}

/// The same for operands of at most 24 bits, whose product is exact in double. unit = 2^-lsb, limit = 2^(width-1).
MANTISSA_BOTH long long window_units(double unit, double limit, float a, float b, bool& fits) {
    const double units = std::trunc(static_cast<double>(a) * static_cast<double>(b) * unit);
    const bool inside = static_cast<int>(units >= -limit) & static_cast<int>(units < limit);
    fits = inside;
    return static_cast<long long>(inside ? units : 0.0);
}

/// Adds terms in the order of a row: chained, or by adjacent pairs with an odd last term moving up.
template <class Unit> struct RowSum {
    using T = typename Unit::Carrier;
    const Unit& unit;
    bool tree;
    unsigned count = 0;
    T stack[32]; // tree: sums of 2^k terms, by the bits of count

    MANTISSA_BOTH RowSum(const Unit& u, bool t) : unit(u), tree(t) {}
    MANTISSA_BOTH void add(T term) {
        if (!tree) {
            stack[0] = count == 0 ? term : unit.add(stack[0], term);
        } else {
            int k = 0;
            for (; ((count >> k) & 1) != 0; ++k) term = unit.add(stack[k], term);
            stack[k] = term;
        }
        ++count;
    }
    [[nodiscard]] MANTISSA_BOTH T total() const {
        if (count == 0) return T(0);
        if (!tree) return stack[0];
        int k = 0;
        while (((count >> k) & 1) == 0) ++k;
        T sum = stack[k];
        for (++k; k < 32; ++k)
            if (((count >> k) & 1) != 0) sum = unit.add(stack[k], sum);
        return sum;
    }
};

/// An exact integer sum of 64-bit terms, as sums of their halves: good for 2^31 terms.
struct UnitSum {
    unsigned long long low = 0;
    long long high = 0;
    unsigned outside = 0;

    MANTISSA_BOTH void add(long long units) {
        low += static_cast<unsigned long long>(units) & 0xFFFFFFFFull;
        high += units >> 32;
    }
};
/// The sum that the two words stand for, rounded into f; `outside` becomes true when it leaves the window.
MANTISSA_CALLED double window_total(const FixedWindow& window, const Format& f, unsigned long long low,
                                    unsigned long long high, bool& outside) {
    __extension__ using Wide = __int128;
    const Wide limit = Wide{1} << (window.width() - 1);
    const Wide total = static_cast<Wide>(static_cast<long long>(high)) * (Wide{1} << 32) + static_cast<Wide>(low);
    outside = outside || total < -limit || total >= limit;
    const bool negative = total < 0;
    return exact::from_integer(f, static_cast<exact::detail::u128>(negative ? -total : total), negative, window.lsb);
}

/// Eq. 5 with its tests; see scalar_unit.hpp, whose order this keeps. Returns whether sigma was guarded.
template <class Unit>
MANTISSA_BOTH bool engine_scalars(const Unit& f, double rho, double pq, double qq, bool overflow, Scalars& s,
                                  RunEnd& end) {
    s = {};
    if (overflow) {
        end = RunEnd::window_overflow;
        return false;
    }
    s.rho = rho;
    s.pq = pq;
    s.qq = qq;
    if (!std::isfinite(rho) || !std::isfinite(pq) || !std::isfinite(qq)) end = RunEnd::not_finite;
    else if (rho == 0) end = RunEnd::exact;
    else if (!(pq > 0)) end = RunEnd::indefinite;
    if (end != RunEnd::passes) return false;
    s.alpha = f.div(rho, pq);
    s.sigma = f.mul(s.alpha, f.add(f.mul(s.alpha, qq), -pq));
    bool guarded = false;
    if (std::signbit(s.sigma) && !std::isnan(s.sigma)) {
        s.sigma = 0;
        guarded = true;
    }
    s.beta = f.div(s.sigma, rho);
    if (!std::isfinite(s.alpha) || !std::isfinite(s.sigma) || !std::isfinite(s.beta)) {
        s.alpha = s.sigma = s.beta = 0;
        end = RunEnd::not_finite;
        guarded = false;
    }
    return guarded;
}

} // namespace mantissa::gpu
