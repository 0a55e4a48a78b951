// Words: vectors of 32-bit integers of the instruction set that a file is compiled for, with products of 64 bits formed
// for the even and the odd elements apart. Absent where the set has no such product (MANTISSA_HAS_WORDS 0).
#pragma once

#if defined(__AVX512F__) || defined(__AVX2__)
#define MANTISSA_HAS_WORDS 1
#include <immintrin.h>

#include "isa.hpp"

namespace mantissa::detail::MANTISSA_ISA {
namespace {

#if defined(__AVX512F__)
struct Words {
    using V = __m512i;
    static constexpr std::size_t kCount = 16;
#define MANTISSA_WORDS(name) _mm512_##name
    static V load(const void* at) {
        return _mm512_loadu_si512(at);
    }
    static void store(void* at, V x) {
        _mm512_storeu_si512(at, x);
    }
    /// Elements from here and there. (Gather instructions are slower than loads one by one on many processors.)
    static V pick(const std::int32_t* from, const std::uint32_t* at) {
        return _mm512_setr_epi32(from[at[0]], from[at[1]], from[at[2]], from[at[3]], from[at[4]], from[at[5]],
                                 from[at[6]], from[at[7]], from[at[8]], from[at[9]], from[at[10]], from[at[11]],
                                 from[at[12]], from[at[13]], from[at[14]], from[at[15]]);
    }
    static V zero() {
        return _mm512_setzero_si512();
    }
    static V all64(std::int64_t x) {
        return _mm512_set1_epi64(x);
    }
    /// Even elements of `even`, odd ones of `odd`.
    static V blend(V even, V odd) {
        return _mm512_mask_blend_epi32(0xAAAA, even, odd);
    }
    static V merge_or(V a, V b) {
        return _mm512_or_si512(a, b);
    }
    static V differ(V a, V b) {
        return _mm512_xor_si512(a, b);
    }
    static V sign64(V x) {
        return _mm512_srai_epi64(x, 63);
    }
    static V both(V a, V b) {
        return _mm512_and_si512(a, b);
    }
    static V shift_down64(V x, int by) {
        return _mm512_sra_epi64(x, _mm_cvtsi32_si128(by));
    }
    static bool any(V x) {
        return _mm512_test_epi64_mask(x, x) != 0;
    }
    static V widen_low(V x) {
        return _mm512_cvtepi32_epi64(_mm512_castsi512_si256(x));
    }
    static V widen_high(V x) {
        return _mm512_cvtepi32_epi64(_mm512_extracti64x4_epi64(x, 1));
    }
    /// The bits of x * factor + c in float, rounded down.
    static V fma_down(V x, float factor, float c) {
        return _mm512_castps_si512(_mm512_fmadd_round_ps(_mm512_cvtepi32_ps(x), _mm512_set1_ps(factor),
                                                         _mm512_set1_ps(c), _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC));
    }
#include "words_members.inc"
};
#else
struct Words {
    using V = __m256i;
    static constexpr std::size_t kCount = 8;
#define MANTISSA_WORDS(name) _mm256_##name
    static V load(const void* at) {
        return _mm256_loadu_si256(static_cast<const __m256i*>(at));
    }
    static void store(void* at, V x) {
        _mm256_storeu_si256(static_cast<__m256i*>(at), x);
    }
    static V pick(const std::int32_t* from, const std::uint32_t* at) {
        return _mm256_setr_epi32(from[at[0]], from[at[1]], from[at[2]], from[at[3]], from[at[4]], from[at[5]],
                                 from[at[6]], from[at[7]]);
    }
    static V zero() {
        return _mm256_setzero_si256();
    }
    static V all64(std::int64_t x) {
        return _mm256_set1_epi64x(x);
    }
    static V blend(V even, V odd) {
        return _mm256_blend_epi32(even, odd, 0xAA);
    }
    static V merge_or(V a, V b) {
        return _mm256_or_si256(a, b);
    }
    static V differ(V a, V b) {
        return _mm256_xor_si256(a, b);
    }
    static V sign64(V x) {
        return _mm256_cmpgt_epi64(zero(), x);
    }
    static V both(V a, V b) {
        return _mm256_and_si256(a, b);
    }
    /// With its sign, which AVX2 has no shift of 64 bits for.
    static V shift_down64(V x, int by) {
        const V sign = _mm256_set1_epi64x(INT64_MIN), moved = _mm256_srl_epi64(sign, _mm_cvtsi32_si128(by));
        return _mm256_sub_epi64(_mm256_srl_epi64(_mm256_xor_si256(x, sign), _mm_cvtsi32_si128(by)), moved);
    }
    static bool any(V x) {
        return _mm256_testz_si256(x, x) == 0;
    }
    static V widen_low(V x) {
        return _mm256_cvtepi32_epi64(_mm256_castsi256_si128(x));
    }
    static V widen_high(V x) {
        return _mm256_cvtepi32_epi64(_mm256_extracti128_si256(x, 1));
    }
    /// The caller has set the processor's rounding mode to down.
    static V fma_down(V x, float factor, float c) {
        return _mm256_castps_si256(_mm256_fmadd_ps(_mm256_cvtepi32_ps(x), _mm256_set1_ps(factor), _mm256_set1_ps(c)));
    }
#include "words_members.inc"
};
#endif

} // namespace
} // namespace mantissa::detail::MANTISSA_ISA

#else
#define MANTISSA_HAS_WORDS 0
#endif
