// 32-bit words two to a 64-bit lane, as the processors' widening multiplication has them: what compilers make of such
// loops moves words between lanes, which takes as long again. Nothing here without AVX2.
#pragma once

#include "isa.hpp"

#if defined(__AVX2__)
#include <immintrin.h>
#define MANTISSA_WORD_PAIRS 1

namespace mantissa::detail::MANTISSA_ISA {

#if defined(__AVX512F__)
struct Pairs {
    using Lanes = __m512i;
    static constexpr std::size_t kWords = 16;
    static MANTISSA_INLINE Lanes load(const void* at) { return _mm512_loadu_si512(at); }
    static MANTISSA_INLINE void store(void* at, Lanes x) { _mm512_storeu_si512(at, x); }
    static MANTISSA_INLINE Lanes all32(std::int32_t x) { return _mm512_set1_epi32(x); }
    static MANTISSA_INLINE Lanes all64(std::uint64_t x) { return _mm512_set1_epi64(static_cast<long long>(x)); }
    static MANTISSA_INLINE Lanes product(Lanes a, Lanes b) { return _mm512_mul_epi32(a, b); }
    static MANTISSA_INLINE Lanes odd(Lanes x) { return _mm512_srli_epi64(x, 32); }
    static MANTISSA_INLINE Lanes add(Lanes a, Lanes b) { return _mm512_add_epi64(a, b); }
    static MANTISSA_INLINE Lanes sub(Lanes a, Lanes b) { return _mm512_sub_epi64(a, b); }
    static MANTISSA_INLINE Lanes sub32(Lanes a, Lanes b) { return _mm512_sub_epi32(a, b); }
    static MANTISSA_INLINE Lanes both(Lanes a, Lanes b) { return _mm512_and_si512(a, b); }
    static MANTISSA_INLINE Lanes either(Lanes a, Lanes b) { return _mm512_or_si512(a, b); }
    static MANTISSA_INLINE Lanes differ(Lanes a, Lanes b) { return _mm512_xor_si512(a, b); }
    static MANTISSA_INLINE Lanes joined(Lanes even, Lanes odd) {
        return _mm512_mask_blend_epi32(0xAAAA, even, _mm512_slli_epi64(odd, 32));
    }
    static MANTISSA_INLINE bool any(Lanes x) { return _mm512_test_epi64_mask(x, x) != 0; }
    /// x 2^-shift, rounded down.
    struct Shift {
        __m128i count;
        explicit MANTISSA_INLINE Shift(int shift) : count(_mm_cvtsi32_si128(shift)) {}
        MANTISSA_INLINE Lanes of(Lanes x) const { return _mm512_sra_epi64(x, count); }
    };
};
#else
struct Pairs {
    using Lanes = __m256i;
    static constexpr std::size_t kWords = 8;
    static MANTISSA_INLINE Lanes load(const void* at) { return _mm256_loadu_si256(static_cast<const __m256i*>(at)); }
    static MANTISSA_INLINE void store(void* at, Lanes x) { _mm256_storeu_si256(static_cast<__m256i*>(at), x); }
    static MANTISSA_INLINE Lanes all32(std::int32_t x) { return _mm256_set1_epi32(x); }
    static MANTISSA_INLINE Lanes all64(std::uint64_t x) { return _mm256_set1_epi64x(static_cast<long long>(x)); }
    static MANTISSA_INLINE Lanes product(Lanes a, Lanes b) { return _mm256_mul_epi32(a, b); }
    static MANTISSA_INLINE Lanes odd(Lanes x) { return _mm256_srli_epi64(x, 32); }
    static MANTISSA_INLINE Lanes add(Lanes a, Lanes b) { return _mm256_add_epi64(a, b); }
    static MANTISSA_INLINE Lanes sub(Lanes a, Lanes b) { return _mm256_sub_epi64(a, b); }
    static MANTISSA_INLINE Lanes sub32(Lanes a, Lanes b) { return _mm256_sub_epi32(a, b); }
    static MANTISSA_INLINE Lanes both(Lanes a, Lanes b) { return _mm256_and_si256(a, b); }
    static MANTISSA_INLINE Lanes either(Lanes a, Lanes b) { return _mm256_or_si256(a, b); }
    static MANTISSA_INLINE Lanes differ(Lanes a, Lanes b) { return _mm256_xor_si256(a, b); }
    static MANTISSA_INLINE Lanes joined(Lanes even, Lanes odd) {
        return _mm256_blend_epi32(even, _mm256_slli_epi64(odd, 32), 0xAA);
    }
    static MANTISSA_INLINE bool any(Lanes x) { return _mm256_testz_si256(x, x) == 0; }
    /// x 2^-shift, rounded down: AVX2 has no such shift of 64 bits.
    struct Shift {
        __m128i count;
        Lanes sign, moved_sign;
        explicit MANTISSA_INLINE Shift(int shift)
            : count(_mm_cvtsi32_si128(shift)), sign(all64(std::uint64_t{1} << 63)),
              moved_sign(all64((std::uint64_t{1} << 63) >> shift)) {}
        MANTISSA_INLINE Lanes of(Lanes x) const {
            return _mm256_sub_epi64(_mm256_srl_epi64(_mm256_xor_si256(x, sign), count), moved_sign);
        }
    };
};
#endif

} // namespace mantissa::detail::MANTISSA_ISA
#endif
