// Kernels for arrays of fixed-point words, compiled once per instruction set: fixed_kernels_isa.cpp.
#pragma once

#include "isa.hpp"

namespace mantissa::detail {

__extension__ using FixedWide = __int128;

/// What a result of integers is made into a word with. In 64-bit lanes shifts to the right are in 0..62, to the left in
/// 0..W-1; in 128 bits to the right in 0..126.
struct FixedParams {
    int shift = 0;      ///< to the right
    int left = 0;       ///< of conversions: to the left, where `shift` is 0
    bool up = false;    ///< half a unit is added: nearest, and shift > 0
    int word_bits = 64; ///< W
    std::int64_t s = 0; ///< scale, add_scaled, sub_scaled: the significand; 32 bits where T has 32
    double unit = 0;    ///< conversions: 2^F of doubles, 2^-F into doubles
    double below = 0;   ///< of doubles: what is less, or `above` or more, in units, does not fit
    double above = 0;
    double least = 0, greatest = 0; ///< of doubles: the smallest and the largest word, as doubles
};

template <class T> struct FixedOperands { Source<T> a, b, c; };
/// Returns whether any element overflowed. The output may be any of the inputs.
template <class T>
using FixedKernel = bool (*)(const FixedOperands<T>& in, Sink<T> out, std::size_t n, const FixedParams& f);

template <class T> struct FixedKernels {
    FixedKernel<T>
        narrow[kOperations];          ///< 64-bit lanes: |product| <= 2^62; add and sub of all words; nullptr for others
    FixedKernel<T> wide[kOperations]; ///< 128 bits: mul, fma and the scaled ones; nullptr for others
    bool (*from_doubles)(Source<double> a, Sink<T> out, std::size_t n, const FixedParams& f); ///< F >= 0, W <= 53
    void (*to_doubles)(Source<T> a, double* out, std::size_t n, const FixedParams& f);
    bool (*from_int32)(Source<std::int32_t> a, Sink<T> out, std::size_t n, const FixedParams& f);
    bool (*from_int64)(Source<std::int64_t> a, Sink<T> out, std::size_t n, const FixedParams& f);
};
struct FixedTable {
    FixedKernels<std::int32_t> words32;
    FixedKernels<std::int64_t> words64;
};

namespace baseline {
const FixedTable& fixed_table();
}
namespace avx2 {
const FixedTable& fixed_table();
}
namespace avx512 {
const FixedTable& fixed_table();
}
const FixedTable& best_fixed_table();

} // namespace mantissa::detail
