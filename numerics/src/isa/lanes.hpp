// Lanes<T>: vectors of sixteen floats or eight doubles with AVX-512, whose instructions carry their rounding mode. The
// intrinsics for the two differ in their suffixes alone, so lanes_members.inc names them once.
#pragma once

#include <immintrin.h>

#include "isa.hpp"

namespace mantissa::detail::MANTISSA_ISA {
namespace {

constexpr int kDown = _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC, kUp = _MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC,
              kNearest = _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC,
              kTruncate = _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC;

template <class T> struct Lanes;

template <> struct Lanes<float> {
    using T = float;
    using Bits = std::int32_t;
    using V = __m512;
    using I = __m512i;
    using K = __mmask16;
    static constexpr std::size_t kCount = 16;
    /// From here on the remainders of quotients and roots of a number do not underflow.
    static constexpr float kSafe = 0x1p-70F;
    static I bits(V x) { return _mm512_castps_si512(x); }
    static V number(I x) { return _mm512_castsi512_ps(x); }
#define MANTISSA_FLOATS(name) _mm512_##name##_ps
#define MANTISSA_FLOAT_MASK(name) _mm512_##name##_ps_mask
#define MANTISSA_INTEGERS(name) _mm512_##name##_epi32
#define MANTISSA_INTEGER_MASK(name) _mm512_##name##_epi32_mask
#include "lanes_members.inc"
};

template <> struct Lanes<double> {
    using T = double;
    using Bits = std::int64_t;
    using V = __m512d;
    using I = __m512i;
    using K = __mmask8;
    static constexpr std::size_t kCount = 8;
    static constexpr double kSafe = 0x1p-900;
    static I bits(V x) { return _mm512_castpd_si512(x); }
    static V number(I x) { return _mm512_castsi512_pd(x); }
#define MANTISSA_FLOATS(name) _mm512_##name##_pd
#define MANTISSA_FLOAT_MASK(name) _mm512_##name##_pd_mask
#define MANTISSA_INTEGERS(name) _mm512_##name##_epi64
#define MANTISSA_INTEGER_MASK(name) _mm512_##name##_epi64_mask
#include "lanes_members.inc"
};

} // namespace
} // namespace mantissa::detail::MANTISSA_ISA
