// OrderFreeSum (mantissa/partition/order_free_sum.hpp) in 64-bit words that may be added in any order, by atomic adds
// in a device and by an all-reduce between ranks, with the same total to the last bit.
//
// That sum keeps the three bins of 40 bits whose highest one has the largest term. A term's digits in a bin do not
// depend on which bins are kept. So here each bin that there can be has words of its own, and which three count is
// decided at the end.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>

#ifdef __CUDACC__
#define MANTISSA_BOTH __host__ __device__ __forceinline__
#else
#define MANTISSA_BOTH inline
#endif

namespace mantissa::gpu {

inline constexpr int kBinBits = 40, kBinsKept = 3;
inline constexpr int kHighestTop = 23, kLowestTop = -25; ///< of the bin with the largest term
inline constexpr int kLowestBin = kLowestTop - (kBinsKept - 1);
inline constexpr int kBinCount = kHighestTop - kLowestBin + 1;
/// Of a bin: the sum's low 32 bits, its other bits, and how many adders had their largest term there. After all bins:
/// how many met a term that was not finite or 2^959 or more.
inline constexpr int kLowWord = 0, kHighWord = 1, kTopWord = 2, kBinWords = 3;
inline constexpr int kLostWord = kBinCount * kBinWords;
inline constexpr int kSumWords = kLostWord + 1;

MANTISSA_BOTH int bin_word(int bin, int which) {
    return (bin - kLowestBin) * kBinWords + which;
}

/// Sizes of terms are compared by this key: the upper half of the double's magnitude, and that it is not zero.
MANTISSA_BOTH std::uint32_t size_key(double term) {
    std::uint64_t bits = 0;
#ifdef __CUDA_ARCH__
    bits = static_cast<std::uint64_t>(__double_as_longlong(term));
#else
    std::memcpy(&bits, &term, sizeof bits);
#endif
    return (static_cast<std::uint32_t>(bits >> 32) & 0x7FFFFFFFu) | (static_cast<std::uint32_t>(bits) != 0 ? 1u : 0u);
}
/// A term of 2^959 or more, or not finite.
MANTISSA_BOTH bool is_lost(std::uint32_t key) {
    return (key >> 20) >= 959 + 1023;
}
/// The bin of the largest term, whose key is not zero.
MANTISSA_BOTH int top_of(std::uint32_t key) {
    // |term| < 2^exponent; numbers below the normal ones are in the lowest bin anyway.
    const int exponent = static_cast<int>(key >> 20) - 1022, above = exponent + 1 - kBinBits;
    const int top = above > 0 ? (above + kBinBits - 1) / kBinBits : -(-above / kBinBits);
    return top > kLowestTop ? top : kLowestTop;
}
/// significand 2^exponent, of 1 or 1.5: without a call where it is a normal number.
MANTISSA_BOTH double scaled(bool and_half, int exponent) {
    if (exponent < -1022 || exponent > 1023) return ldexp(and_half ? 1.5 : 1.0, exponent);
    const std::uint64_t bits = (static_cast<std::uint64_t>(exponent + 1023) << 52) | (and_half ? 1ull << 51 : 0ull);
#ifdef __CUDA_ARCH__
    return __longlong_as_double(static_cast<long long>(bits));
#else
    double value = 0;
    std::memcpy(&value, &bits, sizeof value);
    return value;
#endif
}
/// 1.5 2^52 units of a bin: x + m - m is x rounded to that unit.
MANTISSA_BOTH double rounder_of(int bin) {
    return scaled(true, 52 + kBinBits * bin);
}
/// A sum of multiples of a bin's unit, below 2^52 of them, in units.
MANTISSA_BOTH std::int64_t units_of(double sum, int bin) {
    const int exponent = -kBinBits * bin;
    const double units = exponent > 1023 ? ldexp(sum, exponent) : sum * scaled(false, exponent);
    return static_cast<std::int64_t>(units);
}

/// An integer of 128 bits rounded to double.
MANTISSA_BOTH double to_double(__int128 value) {
    const bool negative = value < 0;
    auto size = static_cast<unsigned __int128>(negative ? -value : value);
    int shift = 0;
    for (; (size >> 64) != 0; ++shift) size = (size >> 1) | (size & 1); // what is cut off stays visible in the last bit
    const double rounded = ldexp(static_cast<double>(static_cast<std::uint64_t>(size)), shift);
    return negative ? -rounded : rounded;
}

/// OrderFreeSum::total() of these words.
MANTISSA_BOTH double total_of(const std::uint64_t* words) {
    if (words[kLostWord] != 0) return NAN;
    int top = kHighestTop;
    while (top >= kLowestTop && words[bin_word(top, kTopWord)] == 0) --top;
    if (top < kLowestTop) return 0;
    __int128 count[kBinsKept];
    for (int k = 0; k < kBinsKept; ++k)
        count[k] = static_cast<__int128>(static_cast<std::int64_t>(words[bin_word(top - k, kHighWord)])) * 4294967296 +
                   static_cast<__int128>(words[bin_word(top - k, kLowWord)]);
    for (int k = kBinsKept - 1; k > 0; --k) { // carries go up first, so that the bins' numbers do not cancel
        const __int128 carry = count[k] >> kBinBits;
        count[k] -= carry << kBinBits;
        count[k - 1] += carry;
    }
    double sum = 0;
    for (int k = kBinsKept - 1; k >= 0; --k) sum += ldexp(to_double(count[k]), kBinBits * (top - k));
    return sum;
}

} // namespace mantissa::gpu
