// The arithmetic contract of numerics/ on the device.
//
// FloatUnit: hardware-policy formats of eight exponent bits and at most 23 fraction bits. Truncation composes, so an
// operation is the float operation toward zero with flush to zero, and one AND.
// DoubleUnit: any format, carried in double: truncating formats by the processor's operations toward zero, native double as it
// is, everything else by the integer definitions of exact.hpp, which compile for the device as they stand.
#pragma once

#include <cstdint>

#include "mantissa/exact.hpp"
#include "mantissa/spec.hpp"

namespace mantissa::gpu {

/// Can FloatUnit compute in this format?
inline bool float_unit_fits(const Format& f) {
    return f.truncates() && f.flushes() && f.exponent_bits == 8 && f.fraction_bits <= 23;
}

struct FloatUnit {
    using Carrier = float;
    std::uint32_t mask = ~0u;

    FloatUnit() = default;
    explicit FloatUnit(const Format& f) : mask(~((1u << (23 - f.fraction_bits)) - 1)) {}

#ifdef __CUDACC__
    __device__ __forceinline__ float cut(float x) const { return __uint_as_float(__float_as_uint(x) & mask); }
    __device__ __forceinline__ float add(float a, float b) const {
        float z;
        asm("add.rz.ftz.f32 %0, %1, %2;" : "=f"(z) : "f"(a), "f"(b));
        return cut(z);
    }
    __device__ __forceinline__ float mul(float a, float b) const {
        float z;
        asm("mul.rz.ftz.f32 %0, %1, %2;" : "=f"(z) : "f"(a), "f"(b));
        return cut(z);
    }
    __device__ __forceinline__ float convert(float x) const { return cut(x); }
    /// From a double that another unit computed.
    __device__ __forceinline__ float from_double(double x) const {
        float z;
        asm("cvt.rz.ftz.f32.f64 %0, %1;" : "=f"(z) : "d"(x));
        return cut(z);
    }
#endif
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

#ifdef __CUDACC__
    /// A result toward zero in double, cut to the format.
    __device__ __forceinline__ double cut(double z) const {
        z = __longlong_as_double(__double_as_longlong(z) & static_cast<long long>(mask));
        const double magnitude = fabs(z);
        if (magnitude < smallest) return copysign(0.0, z);
        if (magnitude > largest && !isinf(z)) return copysign(largest, z);
        return z;
    }
    __device__ __forceinline__ double add(double a, double b) const {
        if (way == Way::truncate) return cut(__dadd_rz(a, b));
        return way == Way::native ? __dadd_rn(a, b) : exact::add(format, a, b);
    }
    __device__ __forceinline__ double mul(double a, double b) const {
        if (way == Way::truncate) return cut(__dmul_rz(a, b));
        return way == Way::native ? __dmul_rn(a, b) : exact::mul(format, a, b);
    }
    __device__ __forceinline__ double div(double a, double b) const {
        if (way == Way::truncate) return cut(__ddiv_rz(a, b));
        return way == Way::native ? __ddiv_rn(a, b) : exact::div(format, a, b);
    }
    __device__ __forceinline__ double convert(double x) const {
        if (way == Way::truncate) return cut(x);
        return way == Way::native ? x : exact::convert(format, x);
    }
    __device__ __forceinline__ double from_double(double x) const { return convert(x); }
#endif
};

#ifdef __CUDACC__

/// trunc(a b / 2^lsb); `fits` becomes false, and 0 is returned, when it lies outside the window.
__device__ __forceinline__ long long window_units(const FixedWindow& window, double a, double b, bool& fits) {
    using namespace exact::detail;
    const Operand x = unpack(a), y = unpack(b);
    if (x.kind == Kind::nan || y.kind == Kind::nan || x.kind == Kind::infinite || y.kind == Kind::infinite) {
        fits = false;
        return 0;
    }
    if (x.kind == Kind::zero || y.kind == Kind::zero) return 0;
    const bool negative = x.negative != y.negative;
    const u128 significand = static_cast<u128>(x.significand) * y.significand;
    const int scale = x.exponent + y.exponent - 126;
    const int shift = window.lsb - scale; // bits that fall off
    if (shift >= 128) return 0;
    const int top = 127 - leading_zeros(significand) - shift;
    if (shift < 0 || top >= window.width()) {
        fits = false;
        return 0;
    }
    const u128 units = significand >> shift;
    const u128 limit = u128{1} << (window.width() - 1);
    if (negative ? units > limit : units >= limit) {
        fits = false;
        return 0;
    }
    const auto low = static_cast<unsigned long long>(units);
    return static_cast<long long>(negative ? ~low + 1 : low);
}

/// The same for operands of at most 24 bits, whose product is exact in double. unit = 2^-lsb, limit = 2^(width-1).
__device__ __forceinline__ long long window_units(double unit, double limit, float a, float b, bool& fits) {
    const double units = trunc(static_cast<double>(a) * static_cast<double>(b) * unit);
    if (!(units >= -limit && units < limit)) {
        fits = false;
        return 0;
    }
    return __double2ll_rz(units);
}

#endif

} // namespace mantissa::gpu
