// Sums of doubles whose bits do not depend on the order: not on threads, blocks, parts or the direction of a walk.
//
// Each term is cut at two fixed places, relative to 2^e, near which the sum is expected, and the pieces are added
// exactly (the binned sums of Demmel and Nguyen, "Parallel reproducible summation", 2015, with two bins):
//
//     high: multiples of 2^(e-34), in a double that starts at 1.5 2^(e+18), whose unit in the last place that is
//     low:  of what is left, multiples of 2^(e-66), in one that starts at 1.5 2^(e-14)
//
// Adding rounds down, so a piece is a function of its term alone. A thread may add 2^19 terms, a sum may have 2^32.
// What is cut off is half of 2^(e-66) for each term in the mean: the end of the sum adds that.
#pragma once

#include "../grid_reduce.cuh"

namespace mantissa::gpu {

inline constexpr int kHighUnit = 34, kLowUnit = 66;
inline constexpr int kHighStart = 18, kLowStart = -14;
inline constexpr int kPartWords = 2 * kSums; ///< high and low of each sum, as 64-bit integers

#ifdef __CUDACC__

struct OrderFreeSums {
    double high[kSums], low[kSums];

    static __device__ __forceinline__ double start(int exponent) {
        return __longlong_as_double((static_cast<long long>(exponent + 1023) << 52) | 0x8000000000000ll);
    }
    __device__ __forceinline__ explicit OrderFreeSums(const int (&exponent)[kSums]) {
#pragma unroll
        for (int k = 0; k < kSums; ++k) {
            high[k] = start(exponent[k] + kHighStart);
            low[k] = start(exponent[k] + kLowStart);
        }
    }
    __device__ __forceinline__ void add(int k, double term) {
        const double sum = __dadd_rd(high[k], term);
        const double rest = __dadd_rn(term, -__dadd_rn(sum, -high[k]));
        high[k] = sum;
        low[k] = __dadd_rd(low[k], rest);
    }
    /// The pieces as integers: the difference of two doubles of one binade in units of the last place.
    __device__ __forceinline__ void words(const int (&exponent)[kSums], long long (&word)[kPartWords]) const {
#pragma unroll
        for (int k = 0; k < kSums; ++k) {
            const long long h = __double_as_longlong(high[k]) - __double_as_longlong(start(exponent[k] + kHighStart));
            const bool bad = h > (1ll << 50) || h < -(1ll << 50); // it has left the binade, or is no number
            word[2 * k] = bad ? 1ll << 46 : h;
            word[2 * k + 1] =
                bad ? 0 : __double_as_longlong(low[k]) - __double_as_longlong(start(exponent[k] + kLowStart));
        }
    }
};

/// Sums of six words over the lanes of a warp. Lane 4 k has word k (and so have the three behind it).
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

/// The double nearest to a sum of `terms` terms.
__device__ __forceinline__ double sum_of_words(long long high, unsigned long long low, int exponent, long long terms) {
    if (high == 0 && low == 0) return 0;
    if (high >= (1ll << 44) || high <= -(1ll << 44)) return __longlong_as_double(0x7FF8000000000000ll);
    low += static_cast<unsigned long long>(terms) / 2;
    high += static_cast<long long>(low >> 32);
    const auto rest = static_cast<double>(low & 0xFFFFFFFFull);
    return scalbn(__fma_rn(static_cast<double>(high), 0x1p32, rest), exponent - kLowUnit);
}

#endif

} // namespace mantissa::gpu
