// No library templates here: see isa/isa.hpp.
#include "kernels.hpp"
#include "lanes.hpp"

namespace mantissa::detail::MANTISSA_ISA {

namespace {

template <class T> MANTISSA_INLINE Lanes<T> row_lanes(const SimdArrays<T>& a, std::size_t row) {
    constexpr std::size_t kLanes = kSimdLanes<T>;
    Lanes<T> sum = Lanes<T>::zero();
    std::size_t k = a.begin[row];
    const std::size_t end = a.begin[row + 1];
    // One loop with a mask: rows of a mesh then take one turn each, which a processor foresees.
    for (; k < end; k += kLanes) sum.add(a.value + k, a.column + k, a.x, end - k);
    return sum;
}

template <class T> void crs(const SimdArrays<T>& a, std::size_t begin, std::size_t end) {
    std::size_t i = begin;
#if defined(__AVX2__)
    if constexpr (sizeof(T) == 8) {
        for (; i + 4 <= end; i += 4)
            _mm256_storeu_pd(a.y + i, close_4x4(row_lanes(a, i).half(), row_lanes(a, i + 1).half(),
                                                row_lanes(a, i + 2).half(), row_lanes(a, i + 3).half()));
    } else {
        for (; i + 8 <= end; i += 8) {
            __m256 half[8];
            for (std::size_t r = 0; r < 8; ++r) half[r] = row_lanes(a, i + r).half();
            _mm256_storeu_ps(a.y + i, close_8x8(half));
        }
    }
#endif
    for (; i < end; ++i) a.y[i] = closed(row_lanes(a, i));
}

/// Slices of kSliceRows rows, a row in one lane of one of kParts sums.
template <class T> void sliced(const SimdArrays<T>& a, std::size_t begin, std::size_t end) {
    constexpr std::size_t kLanes = kSimdLanes<T>, kParts = kSliceRows / kLanes;
    for (std::size_t s = begin; s < end; ++s) {
        Lanes<T> sum[kParts];
        for (Lanes<T>& part : sum) part = Lanes<T>::zero();
        for (std::size_t k = a.begin[s]; k < a.begin[s + 1]; ++k)
            for (std::size_t p = 0; p < kParts; ++p)
                sum[p].add(a.value + k * kSliceRows + p * kLanes, a.column + k * kSliceRows + p * kLanes, a.x);
        T flat[kSliceRows];
        for (std::size_t p = 0; p < kParts; ++p) sum[p].store(flat + p * kLanes);
        const std::size_t rows = a.rows - s * kSliceRows < kSliceRows ? a.rows - s * kSliceRows : kSliceRows;
        const std::uint32_t* const row = a.row + s * kSliceRows;
        for (std::size_t t = 0; t < rows; ++t) a.y[row[t]] = flat[t];
    }
}

/// Of a 4 x 4 block's row, lane c sums what column c gives; closed by halving.
template <class T> void bcrs4_plainly(const SimdArrays<T>& a, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
        T sum[16] = {};
        for (std::size_t k = a.begin[i]; k < a.begin[i + 1]; ++k)
            for (int e = 0; e < 16; ++e)
                sum[e] += a.value[k * 16 + static_cast<std::size_t>(e)] *
                          a.x[std::size_t{a.column[k]} * 4 + static_cast<std::size_t>(e % 4)];
        for (int r = 0; r < 4; ++r)
            a.y[i * 4 + static_cast<std::size_t>(r)] =
                (sum[4 * r] + sum[4 * r + 2]) + (sum[4 * r + 1] + sum[4 * r + 3]);
    }
}

/// Blocks k mod 4 apart, then halved; lane (r, c) of each sums a_rc x_c.
template <class T> void bcrs2_plainly(const SimdArrays<T>& a, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
        T sum[4][4] = {};
        const std::size_t first = a.begin[i];
        for (std::size_t k = first; k < a.begin[i + 1]; ++k)
            for (std::size_t e = 0; e < 4; ++e)
                sum[(k - first) % 4][e] += a.value[k * 4 + e] * a.x[std::size_t{a.column[k]} * 2 + e % 2];
        for (std::size_t half = 2; half > 0; half /= 2)
            for (std::size_t m = 0; m < half; ++m)
                for (std::size_t e = 0; e < 4; ++e) sum[m][e] += sum[m + half][e];
        a.y[2 * i] = sum[0][0] + sum[0][1];
        a.y[2 * i + 1] = sum[0][2] + sum[0][3];
    }
}

/// Blocks k mod 4 apart, then halved; sums of re x and of im x, of both parts of x, joined at the end.
template <class T> void complex2_plainly(const SimdArrays<T>& a, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
        T real[4][2] = {}, imaginary[4][2] = {};
        const std::size_t first = a.begin[i];
        for (std::size_t k = first; k < a.begin[i + 1]; ++k)
            for (std::size_t e = 0; e < 2; ++e) {
                const T part = a.x[std::size_t{a.column[k]} * 2 + e];
                real[(k - first) % 4][e] += a.value[2 * k] * part;
                imaginary[(k - first) % 4][e] += a.value[2 * k + 1] * part;
            }
        for (std::size_t half = 2; half > 0; half /= 2)
            for (std::size_t m = 0; m < half; ++m)
                for (std::size_t e = 0; e < 2; ++e) {
                    real[m][e] += real[m + half][e];
                    imaginary[m][e] += imaginary[m + half][e];
                }
        a.y[2 * i] = real[0][0] - imaginary[0][1];
        a.y[2 * i + 1] = real[0][1] + imaginary[0][0];
    }
}

#if defined(__AVX2__)

// ---- 4 x 4 blocks -----------------------------------------------------------------------------------------------

void bcrs4(const SimdArrays<double>& a, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
#if defined(__AVX512F__)
        __m512d two[2] = {_mm512_setzero_pd(), _mm512_setzero_pd()};
        for (std::size_t k = a.begin[i]; k < a.begin[i + 1]; ++k) {
            const __m512d x = _mm512_broadcast_f64x4(_mm256_loadu_pd(a.x + std::size_t{a.column[k]} * 4));
            for (std::size_t r = 0; r < 2; ++r)
                two[r] = _mm512_add_pd(two[r], _mm512_mul_pd(_mm512_loadu_pd(a.value + k * 16 + 8 * r), x));
        }
        const __m256d sum[4] = {_mm512_castpd512_pd256(two[0]), _mm512_extractf64x4_pd(two[0], 1),
                                _mm512_castpd512_pd256(two[1]), _mm512_extractf64x4_pd(two[1], 1)};
#else
        __m256d sum[4] = {_mm256_setzero_pd(), _mm256_setzero_pd(), _mm256_setzero_pd(), _mm256_setzero_pd()};
        for (std::size_t k = a.begin[i]; k < a.begin[i + 1]; ++k) {
            const __m256d x = _mm256_loadu_pd(a.x + std::size_t{a.column[k]} * 4);
            for (std::size_t r = 0; r < 4; ++r)
                sum[r] = _mm256_add_pd(sum[r], _mm256_mul_pd(_mm256_loadu_pd(a.value + k * 16 + 4 * r), x));
        }
#endif
        _mm256_storeu_pd(a.y + i * 4, close_4x4(sum[0], sum[1], sum[2], sum[3]));
    }
}

void bcrs4(const SimdArrays<float>& a, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
#if defined(__AVX512F__)
        __m512 all = _mm512_setzero_ps();
        for (std::size_t k = a.begin[i]; k < a.begin[i + 1]; ++k) {
            const __m512 x = _mm512_broadcast_f32x4(_mm_loadu_ps(a.x + std::size_t{a.column[k]} * 4));
            all = _mm512_add_ps(all, _mm512_mul_ps(_mm512_loadu_ps(a.value + k * 16), x));
        }
        const __m256 low = _mm512_castps512_ps256(all), high = _mm512_extractf32x8_ps(all, 1);
#else
        __m256 low = _mm256_setzero_ps(), high = low;
        for (std::size_t k = a.begin[i]; k < a.begin[i + 1]; ++k) {
            const __m256 x = _mm256_broadcast_ps(reinterpret_cast<const __m128*>(a.x + std::size_t{a.column[k]} * 4));
            low = _mm256_add_ps(low, _mm256_mul_ps(_mm256_loadu_ps(a.value + k * 16), x));
            high = _mm256_add_ps(high, _mm256_mul_ps(_mm256_loadu_ps(a.value + k * 16 + 8), x));
        }
#endif
        // Rows 0 and 1 in `low`, 2 and 3 in `high`: columns c + c+2, then their neighbours.
        const __m256 half = _mm256_add_ps(_mm256_shuffle_ps(low, high, 0x44), _mm256_shuffle_ps(low, high, 0xEE));
        const __m256 sums = _mm256_hadd_ps(half, half); // 0, 2, 0, 2 and 1, 3, 1, 3
        _mm_storeu_ps(a.y + i * 4, _mm_unpacklo_ps(_mm256_castps256_ps128(sums), _mm256_extractf128_ps(sums, 1)));
    }
}

// ---- 2 x 2 blocks -----------------------------------------------------------------------------------------------

/// Both numbers that a block meets, twice.
MANTISSA_INLINE __m256d twice(const double* x) {
    return _mm256_broadcast_pd(reinterpret_cast<const __m128d*>(x));
}

void bcrs2(const SimdArrays<double>& a, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
        const std::size_t last = a.begin[i + 1];
        const auto x = [&](std::size_t block) { return twice(a.x + std::size_t{a.column[block]} * 2); };
#if defined(__AVX512F__)
        __m512d two[2] = {_mm512_setzero_pd(), _mm512_setzero_pd()};
        for (std::size_t k = a.begin[i]; k < last; k += 4) {
            const std::size_t left = last - k;
            const auto mask = static_cast<std::uint32_t>(left < 4 ? (1U << (4 * left)) - 1 : 0xFFFFU);
            for (std::size_t h = 0; h < 2; ++h) {
                const __m512d part = _mm512_insertf64x4(_mm512_castpd256_pd512(x(k + 2 * h)), x(k + 2 * h + 1), 1);
                two[h] = _mm512_add_pd(two[h], _mm512_maskz_mul_pd(static_cast<__mmask8>(mask >> (8 * h)),
                                                                   _mm512_loadu_pd(a.value + 4 * k + 8 * h), part));
            }
        }
        const __m512d half = _mm512_add_pd(two[0], two[1]);
        const __m256d sum = _mm256_add_pd(_mm512_castpd512_pd256(half), _mm512_extractf64x4_pd(half, 1));
#else
        __m256d four[4] = {_mm256_setzero_pd(), _mm256_setzero_pd(), _mm256_setzero_pd(), _mm256_setzero_pd()};
        for (std::size_t k = a.begin[i]; k < last; k += 4)
            for (std::size_t m = 0; m < 4; ++m) {
                const __m256d product = _mm256_mul_pd(_mm256_loadu_pd(a.value + 4 * (k + m)), x(k + m));
                four[m] = _mm256_add_pd(four[m], _mm256_and_pd(first_of_4(k + m < last ? 4 : 0), product));
            }
        const __m256d sum = _mm256_add_pd(_mm256_add_pd(four[0], four[2]), _mm256_add_pd(four[1], four[3]));
#endif
        _mm_storeu_pd(a.y + 2 * i, _mm_hadd_pd(_mm256_castpd256_pd128(sum), _mm256_extractf128_pd(sum, 1)));
    }
}

/// Pairs of x that four blocks meet.
MANTISSA_INLINE __m256d pairs(const float* x, const std::uint32_t* column) {
    const __m128i index = _mm_loadu_si128(reinterpret_cast<const __m128i*>(column));
    return _mm256_i32gather_pd(reinterpret_cast<const double*>(x), index, 8);
}

void bcrs2(const SimdArrays<float>& a, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
        const std::size_t last = a.begin[i + 1];
        __m256 low = _mm256_setzero_ps(), high = low; // blocks 0 and 1, 2 and 3 of four
        for (std::size_t k = a.begin[i]; k < last; k += 4) {
            const auto left = static_cast<std::ptrdiff_t>(4 * (last - k));
            const __m256d x = pairs(a.x, a.column + k);
            const __m256 first =
                _mm256_mul_ps(_mm256_loadu_ps(a.value + 4 * k), _mm256_castpd_ps(_mm256_permute4x64_pd(x, 0x50)));
            const __m256 second =
                _mm256_mul_ps(_mm256_loadu_ps(a.value + 4 * k + 8), _mm256_castpd_ps(_mm256_permute4x64_pd(x, 0xFA)));
            low = _mm256_add_ps(low, _mm256_and_ps(first_of_8(left), first));
            high = _mm256_add_ps(high, _mm256_and_ps(first_of_8(left - 8), second));
        }
        const __m256 half = _mm256_add_ps(low, high);
        const __m128 sum = _mm_add_ps(_mm256_castps256_ps128(half), _mm256_extractf128_ps(half, 1));
        _mm_storel_pi(reinterpret_cast<__m64*>(a.y + 2 * i), _mm_hadd_ps(sum, sum));
    }
}

// ---- complex 2 x 2 blocks ---------------------------------------------------------------------------------------

void complex2(const SimdArrays<double>& a, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
        const std::size_t last = a.begin[i + 1];
        const auto two = [&](std::size_t block) {
            const __m128d first = _mm_loadu_pd(a.x + std::size_t{a.column[block]} * 2);
            const __m128d second = _mm_loadu_pd(a.x + std::size_t{a.column[block + 1]} * 2);
            return _mm256_insertf128_pd(_mm256_castpd128_pd256(first), second, 1);
        };
#if defined(__AVX512F__)
        __m512d real = _mm512_setzero_pd(), imaginary = real;
        for (std::size_t k = a.begin[i]; k < last; k += 4) {
            const std::size_t left = last - k;
            const auto mask = static_cast<__mmask8>(left < 4 ? (1U << (2 * left)) - 1 : 0xFFU);
            const __m512d x = _mm512_insertf64x4(_mm512_castpd256_pd512(two(k)), two(k + 2), 1);
            const __m512d value = _mm512_loadu_pd(a.value + 2 * k);
            real = _mm512_add_pd(real, _mm512_maskz_mul_pd(mask, _mm512_movedup_pd(value), x));
            imaginary = _mm512_add_pd(imaginary, _mm512_maskz_mul_pd(mask, _mm512_permute_pd(value, 0xFF), x));
        }
        const auto half = [](__m512d v) {
            return _mm256_add_pd(_mm512_castpd512_pd256(v), _mm512_extractf64x4_pd(v, 1));
        };
        const __m256d re = half(real), im = half(imaginary);
#else
        __m256d real[2] = {_mm256_setzero_pd(), _mm256_setzero_pd()};
        __m256d imaginary[2] = {_mm256_setzero_pd(), _mm256_setzero_pd()};
        for (std::size_t k = a.begin[i]; k < last; k += 4)
            for (std::size_t h = 0; h < 2; ++h) {
                const __m256d mask =
                    first_of_4(static_cast<std::ptrdiff_t>(2 * (last - k)) - static_cast<std::ptrdiff_t>(4 * h));
                const __m256d value = _mm256_loadu_pd(a.value + 2 * k + 4 * h), x = two(k + 2 * h);
                real[h] = _mm256_add_pd(real[h], _mm256_and_pd(mask, _mm256_mul_pd(_mm256_movedup_pd(value), x)));
                imaginary[h] =
                    _mm256_add_pd(imaginary[h], _mm256_and_pd(mask, _mm256_mul_pd(_mm256_permute_pd(value, 0xF), x)));
            }
        const __m256d re = _mm256_add_pd(real[0], real[1]), im = _mm256_add_pd(imaginary[0], imaginary[1]);
#endif
        const __m128d r = _mm_add_pd(_mm256_castpd256_pd128(re), _mm256_extractf128_pd(re, 1));
        const __m128d m = _mm_add_pd(_mm256_castpd256_pd128(im), _mm256_extractf128_pd(im, 1));
        _mm_storeu_pd(a.y + 2 * i, _mm_addsub_pd(r, _mm_shuffle_pd(m, m, 1)));
    }
}

void complex2(const SimdArrays<float>& a, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
        const std::size_t last = a.begin[i + 1];
        __m256 real = _mm256_setzero_ps(), imaginary = real;
        for (std::size_t k = a.begin[i]; k < last; k += 4) {
            const __m256 mask = first_of_8(static_cast<std::ptrdiff_t>(2 * (last - k)));
            const __m256 part = _mm256_castpd_ps(pairs(a.x, a.column + k)), value = _mm256_loadu_ps(a.value + 2 * k);
            real = _mm256_add_ps(real, _mm256_and_ps(mask, _mm256_mul_ps(_mm256_moveldup_ps(value), part)));
            imaginary = _mm256_add_ps(imaginary, _mm256_and_ps(mask, _mm256_mul_ps(_mm256_movehdup_ps(value), part)));
        }
        const auto close = [](__m256 v) { // four pairs to one
            const __m128 half = _mm_add_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));
            return _mm_add_ps(half, _mm_movehl_ps(half, half));
        };
        const __m128 m = close(imaginary);
        const __m128 y = _mm_addsub_ps(close(real), _mm_shuffle_ps(m, m, 0xE1));
        _mm_storel_pi(reinterpret_cast<__m64*>(a.y + 2 * i), y);
    }
}

template <class T> constexpr SimdKernels<T> kKernels{crs<T>, bcrs2, bcrs4, complex2, sliced<T>};

#else

template <class T>
constexpr SimdKernels<T> kKernels{crs<T>, bcrs2_plainly<T>, bcrs4_plainly<T>, complex2_plainly<T>, sliced<T>};

#endif

} // namespace

const SimdKernels<float>& simd_kernels(float) {
    return kKernels<float>;
}
const SimdKernels<double>& simd_kernels(double) {
    return kKernels<double>;
}

} // namespace mantissa::detail::MANTISSA_ISA
