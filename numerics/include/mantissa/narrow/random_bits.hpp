// The random bits of stochastic rounding. No library headers: kernels that are compiled for one instruction set include
// this.
#pragma once

namespace mantissa::narrow {

/// SplitMix64's counter of an element: seed and index, each times an odd constant.
[[nodiscard]] constexpr unsigned long long counted(unsigned long long seed, unsigned long long index) {
    return seed * 0xD1342543DE82EF95ULL + (index + 1) * 0x9E3779B97F4A7C15ULL;
}

/// A product of which the upper 32 bits are used: vectors may leave anything in the lower ones.
template <class Words> [[nodiscard]] constexpr Words upper_product(Words a, unsigned long long b) {
    return a * b;
}

/// SplitMix64's finaliser of such a counter, of which the upper 32 bits are used. Words: unsigned 64-bit integers, or
/// vectors of them.
template <class Words> [[nodiscard]] constexpr Words mixed(Words z) {
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = upper_product(z ^ (z >> 27), 0x94D049BB133111EBULL);
    return z ^ (z >> 31);
}

/// Random bits of element `index` of an array: 32, the same for the same seed wherever and by how many threads the
/// array is rounded.
[[nodiscard]] constexpr unsigned random_bits(unsigned long long seed, unsigned long long index) {
    return static_cast<unsigned>(mixed(counted(seed, index)) >> 32);
}

} // namespace mantissa::narrow
