// Words of a session on their way to and from the outer loop's vectors, as the host has them.
#pragma once

#include "engine/outer_kernels.cuh"
#include "words.cuh"

namespace mantissa::gpu {

#ifdef __CUDACC__

__device__ __forceinline__ double word_value(const Format& f, long long word) {
    return static_cast<double>(word) * Format::power_of_two(-f.fraction_bits);
}

inline __global__ void __launch_bounds__(kOuterThreads)
    fixed_direction(const double* d, double reciprocal, Format p_format, const int* p, bool keep, long long size,
                    double* direction, double* product) {
    const long long i = outer_element();
    if (i >= size) return;
    const double r = __dmul_rn(d[i], reciprocal);
    direction[i] = r;
    if (keep) product[i] = __dmul_rn(r, word_value(p_format, p[i]));
}

inline __global__ void __launch_bounds__(kOuterThreads)
    fixed_restart(Format r_format, Format p_format, const double* direction, double projection, bool keep,
                  long long size, int* r_words, int* p_words, unsigned* unfit) {
    const long long i = outer_element();
    if (i >= size) return;
    const double r = direction[i];
    const fixed::Rounded word = fixed::from_double(r_format, r);
    bool over = word.overflow;
    r_words[i] = static_cast<int>(word.word);
    if (keep) {
        const double p = __dadd_rn(word_value(p_format, p_words[i]), -__dmul_rn(projection, r));
        const fixed::Rounded direction_word = fixed::from_double(p_format, p);
        over |= direction_word.overflow;
        p_words[i] = static_cast<int>(direction_word.word);
    }
    if (over) *unfit = 1;
}

/// U: int, long long or double.
template <class U>
__global__ void __launch_bounds__(kOuterThreads)
    fixed_correction(Format u_format, Format p_format, const U* u, const int* p, double alpha, long long size,
                     double* correction, unsigned* broken) {
    const long long i = outer_element();
    if (i >= size) return;
    const double along = __dmul_rn(alpha, word_value(p_format, p[i]));
    double c;
    if constexpr (std::is_same_v<U, double>) c = __dadd_rn(u[i], along);
    else c = __dadd_rn(word_value(u_format, u[i]), word_value(u_format, fixed::from_double(u_format, along).word));
    correction[i] = c;
    if (!isfinite(c)) *broken = 1;
}

#endif

} // namespace mantissa::gpu
