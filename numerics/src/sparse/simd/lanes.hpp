// 64 bytes of numbers and what the products do with them, for the instruction set that is compiled for. Internal to
// numerics/; no library templates here, see isa/isa.hpp.
#pragma once

#include <cstddef>
#include <cstdint>

#if defined(__AVX2__)
#include <immintrin.h>
#endif

#include "kernels.hpp"

#define MANTISSA_INLINE inline __attribute__((always_inline))

namespace mantissa::detail::MANTISSA_ISA {

/// kSimdLanes<T> sums side by side.
template <class T> struct Lanes;

#if defined(__AVX2__)
/// All bits of the first `n` of a register's elements: none where n is 0 or less, all where there are no more.
MANTISSA_INLINE __m256 first_of_8(std::ptrdiff_t n) {
    const int most = static_cast<int>(n > 8 ? 8 : n);
    return _mm256_castsi256_ps(_mm256_cmpgt_epi32(_mm256_set1_epi32(most), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7)));
}
MANTISSA_INLINE __m256d first_of_4(std::ptrdiff_t n) {
    return _mm256_castsi256_pd(_mm256_cmpgt_epi64(_mm256_set1_epi64x(n), _mm256_setr_epi64x(0, 1, 2, 3)));
}

/// Four lanes each of four rows closed by halving (l + l+2, then + l+1), the rows' sums in order.
MANTISSA_INLINE __m256d close_4x4(__m256d a, __m256d b, __m256d c, __m256d d) {
    const __m256d ab = _mm256_add_pd(_mm256_permute2f128_pd(a, b, 0x20), _mm256_permute2f128_pd(a, b, 0x31));
    const __m256d cd = _mm256_add_pd(_mm256_permute2f128_pd(c, d, 0x20), _mm256_permute2f128_pd(c, d, 0x31));
    return _mm256_permute4x64_pd(_mm256_hadd_pd(ab, cd), 0xD8);
}
/// Eight lanes each of eight rows, likewise.
MANTISSA_INLINE __m256 close_8x8(const __m256* s) {
    __m256 pair[4], four[2];
    for (int k = 0; k < 4; ++k)
        pair[k] = _mm256_add_ps(_mm256_permute2f128_ps(s[2 * k], s[2 * k + 1], 0x20),
                                _mm256_permute2f128_ps(s[2 * k], s[2 * k + 1], 0x31));
    for (int k = 0; k < 2; ++k)
        four[k] = _mm256_add_ps(_mm256_shuffle_ps(pair[2 * k], pair[2 * k + 1], 0x44),
                                _mm256_shuffle_ps(pair[2 * k], pair[2 * k + 1], 0xEE));
    const __m256 sums =
        _mm256_add_ps(_mm256_shuffle_ps(four[0], four[1], 0x88), _mm256_shuffle_ps(four[0], four[1], 0xDD));
    return _mm256_permutevar8x32_ps(sums, _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7));
}
#endif

#if defined(__AVX512F__)

template <> struct Lanes<double> {
    __m512d v;
    static MANTISSA_INLINE Lanes zero() { return {_mm512_setzero_pd()}; }
    /// += value * x[column], all lanes or the first n; all of them are read, and columns after them exist.
    MANTISSA_INLINE void add(const double* value, const std::uint32_t* column, const double* x) {
        const __m256i index = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(column));
        v = _mm512_add_pd(v, _mm512_mul_pd(_mm512_loadu_pd(value), _mm512_i32gather_pd(index, x, 8)));
    }
    MANTISSA_INLINE void add(const double* value, const std::uint32_t* column, const double* x, std::size_t n) {
        const auto mask = static_cast<__mmask8>(n < 8 ? (1U << n) - 1 : 0xFFU);
        const __m256i index = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(column));
        v = _mm512_add_pd(v, _mm512_maskz_mul_pd(mask, _mm512_loadu_pd(value), _mm512_i32gather_pd(index, x, 8)));
    }
    /// Lanes l and l + 4 added.
    [[nodiscard]] MANTISSA_INLINE __m256d half() const {
        return _mm256_add_pd(_mm512_castpd512_pd256(v), _mm512_extractf64x4_pd(v, 1));
    }
    MANTISSA_INLINE void store(double* at) const { _mm512_storeu_pd(at, v); }
};

template <> struct Lanes<float> {
    __m512 v;
    static MANTISSA_INLINE Lanes zero() { return {_mm512_setzero_ps()}; }
    MANTISSA_INLINE void add(const float* value, const std::uint32_t* column, const float* x) {
        const __m512i index = _mm512_loadu_si512(column);
        v = _mm512_add_ps(v, _mm512_mul_ps(_mm512_loadu_ps(value), _mm512_i32gather_ps(index, x, 4)));
    }
    MANTISSA_INLINE void add(const float* value, const std::uint32_t* column, const float* x, std::size_t n) {
        const auto mask = static_cast<__mmask16>(n < 16 ? (1U << n) - 1 : 0xFFFFU);
        const __m512i index = _mm512_loadu_si512(column);
        v = _mm512_add_ps(v, _mm512_maskz_mul_ps(mask, _mm512_loadu_ps(value), _mm512_i32gather_ps(index, x, 4)));
    }
    [[nodiscard]] MANTISSA_INLINE __m256 half() const {
        return _mm256_add_ps(_mm512_castps512_ps256(v), _mm512_extractf32x8_ps(v, 1));
    }
    MANTISSA_INLINE void store(float* at) const { _mm512_storeu_ps(at, v); }
};

#elif defined(__AVX2__)

template <> struct Lanes<double> {
    __m256d low, high;
    static MANTISSA_INLINE Lanes zero() { return {_mm256_setzero_pd(), _mm256_setzero_pd()}; }
    static MANTISSA_INLINE __m256d part(const double* value, const std::uint32_t* column, const double* x) {
        const __m128i index = _mm_loadu_si128(reinterpret_cast<const __m128i*>(column));
        return _mm256_mul_pd(_mm256_loadu_pd(value), _mm256_i32gather_pd(x, index, 8));
    }
    MANTISSA_INLINE void add(const double* value, const std::uint32_t* column, const double* x) {
        low = _mm256_add_pd(low, part(value, column, x));
        high = _mm256_add_pd(high, part(value + 4, column + 4, x));
    }
    MANTISSA_INLINE void add(const double* value, const std::uint32_t* column, const double* x, std::size_t n) {
        const auto left = static_cast<std::ptrdiff_t>(n);
        low = _mm256_add_pd(low, _mm256_and_pd(first_of_4(left), part(value, column, x)));
        high = _mm256_add_pd(high, _mm256_and_pd(first_of_4(left - 4), part(value + 4, column + 4, x)));
    }
    [[nodiscard]] MANTISSA_INLINE __m256d half() const { return _mm256_add_pd(low, high); }
    MANTISSA_INLINE void store(double* at) const {
        _mm256_storeu_pd(at, low);
        _mm256_storeu_pd(at + 4, high);
    }
};

template <> struct Lanes<float> {
    __m256 low, high;
    static MANTISSA_INLINE Lanes zero() { return {_mm256_setzero_ps(), _mm256_setzero_ps()}; }
    static MANTISSA_INLINE __m256 part(const float* value, const std::uint32_t* column, const float* x) {
        const __m256i index = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(column));
        return _mm256_mul_ps(_mm256_loadu_ps(value), _mm256_i32gather_ps(x, index, 4));
    }
    MANTISSA_INLINE void add(const float* value, const std::uint32_t* column, const float* x) {
        low = _mm256_add_ps(low, part(value, column, x));
        high = _mm256_add_ps(high, part(value + 8, column + 8, x));
    }
    MANTISSA_INLINE void add(const float* value, const std::uint32_t* column, const float* x, std::size_t n) {
        const auto left = static_cast<std::ptrdiff_t>(n);
        low = _mm256_add_ps(low, _mm256_and_ps(first_of_8(left), part(value, column, x)));
        high = _mm256_add_ps(high, _mm256_and_ps(first_of_8(left - 8), part(value + 8, column + 8, x)));
    }
    [[nodiscard]] MANTISSA_INLINE __m256 half() const { return _mm256_add_ps(low, high); }
    MANTISSA_INLINE void store(float* at) const {
        _mm256_storeu_ps(at, low);
        _mm256_storeu_ps(at + 8, high);
    }
};

#else

template <class T> struct Lanes {
    static constexpr std::size_t kCount = kSimdLanes<T>;
    T v[kCount];
    static MANTISSA_INLINE Lanes zero() { return {}; }
    MANTISSA_INLINE void add(const T* value, const std::uint32_t* column, const T* x, std::size_t n = kCount) {
        for (std::size_t l = 0; l < n && l < kCount; ++l) v[l] += value[l] * x[column[l]];
    }
    MANTISSA_INLINE void store(T* at) const { __builtin_memcpy(at, v, sizeof v); }
};

#endif

/// All lanes closed by halving.
template <class T> MANTISSA_INLINE T closed(const Lanes<T>& lanes) {
    T flat[kSimdLanes<T>];
    lanes.store(flat);
    for (std::size_t half = kSimdLanes<T> / 2; half > 0; half /= 2)
        for (std::size_t l = 0; l < half; ++l) flat[l] += flat[l + half];
    return flat[0];
}

} // namespace mantissa::detail::MANTISSA_ISA
