// Sums of doubles whose bits do not depend on the order: not on threads, blocks, parts or the direction of a walk.
//
// Each term is cut at two fixed places, relative to 2^e, near which the sum is expected, and the pieces are added
// exactly (the binned sums of Demmel and Nguyen, "Parallel reproducible summation", 2015, with two bins):
//
//     high: multiples of 2^(e-34), in a double that starts at 1.5 2^(e+18), whose unit in the last place that is
//     low:  of what is left, multiples of 2^(e-66), in one that starts at 1.5 2^(e-14)
//
// Adding rounds down, so a piece is a function of its term alone. A thread may add 2^19 terms, a sum may have 2^32.
// What is cut off is half of 2^(e-66) for each term in the mean: the end of the sum adds that. Products of floats need
// one place only. A sum that leaves its range says so, and is formed again (SumRange in grid_point.cuh).
#pragma once

#include "sync/grid_reduce.cuh"

namespace mantissa::gpu {

inline constexpr int kHighUnit = 34, kLowUnit = 66;
inline constexpr int kHighStart = 18, kLowStart = -14;
inline constexpr int kPartWords = 2 * kSums; ///< high and low of each sum, as 64-bit integers

#ifdef __CUDACC__

/// The double that counts in units of 2^(exponent - 52), from 1.5 2^exponent on.
__device__ __forceinline__ double counting_start(int exponent) {
    return __longlong_as_double((static_cast<long long>(exponent + 1023) << 52) | 0x8000000000000ll);
}
/// How far it has counted: the difference of two doubles of one binade in units of the last place.
__device__ __forceinline__ long long counted(double sum, int exponent) {
    return __double_as_longlong(sum) - __double_as_longlong(counting_start(exponent));
}
__device__ __forceinline__ bool has_left_binade(long long count) {
    return count > (1ll << 50) || count < -(1ll << 50); // or is no number
}
inline constexpr long long kBad = 1ll << 46;

/// A thread's sums of products of T.
template <class T> struct OrderFree;

template <> struct OrderFree<double> {
    double high[kSums], low[kSums];

    static __device__ __forceinline__ double start(int exponent) { return counting_start(exponent); }
    __device__ __forceinline__ explicit OrderFree(const int (&exponent)[kSums]) {
#pragma unroll
        for (int k = 0; k < kSums; ++k) {
            high[k] = counting_start(exponent[k] + kHighStart);
            low[k] = counting_start(exponent[k] + kLowStart);
        }
    }
    __device__ __forceinline__ void add(int k, double a, double b) {
        const double term = __dmul_rn(a, b), sum = __dadd_rd(high[k], term);
        const double rest = __dadd_rn(term, -__dadd_rn(sum, -high[k]));
        high[k] = sum;
        low[k] = __dadd_rd(low[k], rest);
    }
    __device__ __forceinline__ void words(const int (&exponent)[kSums], long long (&word)[kPartWords]) const {
#pragma unroll
        for (int k = 0; k < kSums; ++k) {
            const long long h = counted(high[k], exponent[k] + kHighStart);
            const bool bad = has_left_binade(h);
            word[2 * k] = bad ? kBad : h;
            word[2 * k + 1] = bad ? 0 : counted(low[k], exponent[k] + kLowStart);
        }
    }
};

using OrderFreeSums = OrderFree<double>;

/// The same with the low pieces in shared memory, where registers are short. Stride: threads of the block.
template <int Stride> struct OrderFreeShared {
    double high[kSums];
    double* low; ///< the thread's first place; the others are Stride apart

    __device__ __forceinline__ OrderFreeShared(const int (&exponent)[kSums], double* places) : low(places) {
#pragma unroll
        for (int k = 0; k < kSums; ++k) {
            high[k] = counting_start(exponent[k] + kHighStart);
            low[k * Stride] = counting_start(exponent[k] + kLowStart);
        }
    }
    __device__ __forceinline__ void add(int k, double a, double b) {
        const double term = __dmul_rn(a, b), sum = __dadd_rd(high[k], term);
        const double rest = __dadd_rn(term, -__dadd_rn(sum, -high[k]));
        high[k] = sum;
        low[k * Stride] = __dadd_rd(low[k * Stride], rest);
    }
    __device__ __forceinline__ void words(const int (&exponent)[kSums], long long (&word)[kPartWords]) const {
#pragma unroll
        for (int k = 0; k < kSums; ++k) {
            const long long h = counted(high[k], exponent[k] + kHighStart);
            const bool bad = has_left_binade(h);
            word[2 * k] = bad ? kBad : h;
            word[2 * k + 1] = bad ? 0 : counted(low[k * Stride], exponent[k] + kLowStart);
        }
    }
};

/// Products of floats are exact in double. Each is rounded (halves up) to a multiple of 2^(e-44), which is enough for
/// them, in one counting double.
template <> struct OrderFree<float> {
    static constexpr int kStart = 8, kShift = kHighUnit - (52 - kStart); ///< -10: bits below the high unit
    double high[kSums], half[kSums];

    __device__ __forceinline__ explicit OrderFree(const int (&exponent)[kSums]) {
#pragma unroll
        for (int k = 0; k < kSums; ++k) {
            high[k] = counting_start(exponent[k] + kStart);
            half[k] = __longlong_as_double(static_cast<long long>(exponent[k] + kStart - 53 + 1023) << 52);
        }
    }
    __device__ __forceinline__ void add(int k, float a, float b) {
        high[k] = __dadd_rd(high[k], __fma_rn(static_cast<double>(a), static_cast<double>(b), half[k]));
    }
    __device__ __forceinline__ void words(const int (&exponent)[kSums], long long (&word)[kPartWords]) const {
#pragma unroll
        for (int k = 0; k < kSums; ++k) {
            const long long h = counted(high[k], exponent[k] + kStart);
            const bool bad = has_left_binade(h);
            word[2 * k] = bad ? kBad : h >> -kShift;
            word[2 * k + 1] = bad ? 0 : (h & ((1ll << -kShift) - 1)) << (kLowUnit - kHighUnit + kShift);
        }
    }
};

/// Sums of six words over the lanes of a warp. Lane 4 k has word k (and so have the three after it).
__device__ __forceinline__ long long warp_words(const long long (&word)[kPartWords]) {
    const int lane = threadIdx.x & 31;
    long long four[4];
#pragma unroll
    for (int k = 0; k < 4; ++k) {
        const long long upper = k < 2 ? word[4 + k] : 0;
        const bool high = (lane & 16) != 0;
        four[k] = (high ? upper : word[k]) + __shfl_xor_sync(~0u, high ? word[k] : upper, 16);
    }
    long long two[2];
#pragma unroll
    for (int k = 0; k < 2; ++k) {
        const bool high = (lane & 8) != 0;
        two[k] = (high ? four[2 + k] : four[k]) + __shfl_xor_sync(~0u, high ? four[k] : four[2 + k], 8);
    }
    const bool high = (lane & 4) != 0;
    long long one = (high ? two[1] : two[0]) + __shfl_xor_sync(~0u, high ? two[0] : two[1], 4);
    one += __shfl_xor_sync(~0u, one, 2);
    one += __shfl_xor_sync(~0u, one, 1);
    return one;
}

/// 2^exponent, without a call where it is a normal number.
__device__ __forceinline__ double power_of_two(int exponent) {
    return exponent > -1023 && exponent < 1024 ? __longlong_as_double(static_cast<long long>(exponent + 1023) << 52)
                                               : scalbn(1.0, exponent);
}

/// The double nearest to a sum; `cut`: of how many terms something was cut off.
__device__ __forceinline__ double sum_of_words(long long high, unsigned long long low, int exponent, long long cut) {
    if (high == 0 && low == 0) return 0;
    if (high >= (1ll << 44) || high <= -(1ll << 44)) return __longlong_as_double(0x7FF8000000000000ll);
    low += static_cast<unsigned long long>(cut) / 2;
    high += static_cast<long long>(low >> 32);
    const auto rest = static_cast<double>(low & 0xFFFFFFFFull);
    const double units = __fma_rn(static_cast<double>(high), 0x1p32, rest);
    const int unit = exponent - kLowUnit;
    // (a power of two scales as scalbn() does wherever the power and the result are normal: |units| < 2^77)
    return unit > -1022 && unit < 900 ? __dmul_rn(units, power_of_two(unit)) : scalbn(units, unit);
}

#endif

} // namespace mantissa::gpu
