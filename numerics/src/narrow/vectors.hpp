// What both kernels that round into narrow formats share, compiled once per instruction set: vectors of 64-bit
// integers, the random bits of stochastic rounding in them, and the loop over an array.
#pragma once

#include <cstddef>
#include <cstdint>

#include "isa/isa.hpp"
#include "mantissa/narrow/random_bits.hpp"
#include "narrow_kernels.hpp"

#if defined(__AVX2__)
#include <immintrin.h>
#endif

namespace mantissa::detail::MANTISSA_ISA {
namespace {

#if defined(__AVX512F__)
constexpr std::size_t kLongs = 8;
#elif defined(__AVX2__)
constexpr std::size_t kLongs = 4;
#else
constexpr std::size_t kLongs = 2;
#endif
using Bits = std::int64_t __attribute__((vector_size(8 * kLongs)));
using Longs = std::uint64_t __attribute__((vector_size(8 * kLongs)));

/// Words for the random bits' definition, with products by a constant that AVX2 has no instruction for.
struct Mixed {
    Longs v;
    MANTISSA_INLINE friend Mixed operator^(Mixed a, Mixed b) { return {a.v ^ b.v}; }
    MANTISSA_INLINE friend Mixed operator>>(Mixed a, int by) { return {a.v >> by}; }
#if defined(__AVX2__) && !defined(__AVX512DQ__)
    MANTISSA_INLINE friend Mixed operator*(Mixed a, unsigned long long b) {
        const Longs cross = crossed(a, b);
        return {low(a, b) + (cross << 32) + (cross >> 32 << 32)};
    }
    /// (In sums of 32 bits nothing carries from the lower halves into the upper ones.)
    MANTISSA_INLINE friend Mixed upper_product(Mixed a, unsigned long long b) {
        const Longs cross = crossed(a, b);
        const __m256i sum = _mm256_add_epi32(reinterpret_cast<__m256i>(low(a, b)), reinterpret_cast<__m256i>(cross));
        return {reinterpret_cast<Longs>(_mm256_add_epi32(sum, reinterpret_cast<__m256i>(cross << 32)))};
    }
    /// The product of the lower halves.
    MANTISSA_INLINE static Longs low(Mixed a, unsigned long long b) {
        const Longs factor = b - Longs{};
        return reinterpret_cast<Longs>(
            _mm256_mul_epu32(reinterpret_cast<__m256i>(a.v), reinterpret_cast<__m256i>(factor)));
    }
    /// In each half what a half of one and the other half of the other add to the product's upper half.
    MANTISSA_INLINE static Longs crossed(Mixed a, unsigned long long b) {
        const Longs swapped = ((b << 32) | (b >> 32)) - Longs{};
        return reinterpret_cast<Longs>(
            _mm256_mullo_epi32(reinterpret_cast<__m256i>(a.v), reinterpret_cast<__m256i>(swapped)));
    }
#else
    MANTISSA_INLINE friend Mixed operator*(Mixed a, unsigned long long b) {
        return {a.v * b};
    }
    MANTISSA_INLINE friend Mixed upper_product(Mixed a, unsigned long long b) {
        return a * b;
    }
#endif
};

/// Counters of elements `first` and of those after it.
MANTISSA_INLINE Mixed counters(std::uint64_t seed, std::uint64_t first) {
    Mixed number{};
    for (std::size_t lane = 0; lane < kLongs; ++lane) number.v[lane] = narrow::counted(seed, first + lane);
    return number;
}
/// 2^32 - 1 less the random bits of such counters, in the upper halves; the lower ones are 0. A multiple of 2^-32 below
/// one, floor(2^32 t) / 2^32, is above random / 2^32 where it and the noise as a fraction carry into the ones.
MANTISSA_INLINE Bits noise_of(Mixed number) {
    return ~reinterpret_cast<Bits>(narrow::mixed(number).v) & ((~std::int64_t{0} << 32) - Bits{});
}
/// The noise in front of bit d, 0 to 63.
MANTISSA_INLINE Bits noise_at(Bits noise, Bits d) {
    return reinterpret_cast<Bits>(reinterpret_cast<Longs>(noise) >> 1 >> reinterpret_cast<Longs>(63 - d));
}
/// ... 1 to 64.
MANTISSA_INLINE Bits noise_at(Bits noise, int d) {
    return reinterpret_cast<Bits>(reinterpret_cast<Longs>(noise) >> (64 - d));
}

/// Is there a lane whose sign bit is set?
MANTISSA_INLINE bool any_negative(Bits x) {
#if defined(__AVX512DQ__)
    return _mm512_movepi64_mask(reinterpret_cast<__m512i>(x)) != 0;
#elif defined(__AVX2__)
    return _mm256_movemask_pd(reinterpret_cast<__m256d>(x)) != 0;
#else
    return (x[0] | x[1]) < 0;
#endif
}

/// Stochastic rounding of numbers that are normal and remain so, where no more than their patterns is needed.
struct Noisy {
    std::int64_t least, most, negative;
    int drop;
    explicit Noisy(const NarrowParams& p)
        : least(p.min_normal > std::int64_t{1} << 52 ? p.min_normal : std::int64_t{1} << 52),
          most(p.drop > 0 ? p.max : -1), negative(p.negative), drop(p.drop > 0 ? p.drop : 1) {}
    /// Below zero where a number is another.
    [[nodiscard]] MANTISSA_INLINE Bits others(Bits x) const {
        const Bits m = x & (INT64_MAX - Bits{});
        return (m - least) | (most - m);
    }
    template <Signs kSigns> [[nodiscard]] MANTISSA_INLINE Bits rounded(Bits x, Bits noise) const {
        const Bits r = (x + noise_at(noise, drop)) & ((~std::int64_t{0} << drop) - Bits{});
        return kSigns == Signs::none ? (x < 0 ? negative - Bits{} : r) : r;
    }
};

/// Calls step(from, to) for every kLanes numbers of an array of n, and once for a copy of the rest, zeros after it.
template <std::size_t kLanes, class Step>
MANTISSA_INLINE void by_vectors(const double* a, double* out, std::size_t n, Step&& step) {
    std::size_t i = 0;
    for (; i + kLanes <= n; i += kLanes) step(a + i, out + i);
    if (i == n) return;
    double rest[kLanes] = {};
    __builtin_memcpy(rest, a + i, (n - i) * sizeof(double));
    step(rest, rest);
    __builtin_memcpy(out + i, rest, (n - i) * sizeof(double));
}

} // namespace
} // namespace mantissa::detail::MANTISSA_ISA
