// Short floating-point formats as they lie in memory and on accelerators, and roundings that a datapath's Format does
// not have. Rounding and arithmetic of arrays only: no datapath computes in one.
//
// What differs from Format: the largest number need not be that of IEEE's layout, infinities and NaN may be missing,
// and the rounding may be any of Direction. The text form is a name, or s<M>e<E> as in format.hpp, with policy words
// behind colons, one of which makes a Format's text one of these:
//
//     rna      to nearest, ties away from zero
//     odd      toward zero, and the last bit set where anything was lost (von Neumann's, or jamming)
//     up down  toward +infinity, toward -infinity
//     sr       stochastic: up with a probability of what was cut off, by random bits of a seed
//     rz rne   as in format.hpp
//     flush subnormals inf sat   as in format.hpp;   nan   a result beyond the largest number becomes NaN
//
//     fp8_e4m3    OCP 8-bit: s3e4 with bias 7, largest 448; no infinities, one NaN. Beyond 448: saturates, or `nan`
//     fp8_e5m2    OCP 8-bit: s2e5 as IEEE lays it out, largest 57344; infinities and NaN
//     fp6_e3m2 fp6_e2m3 fp4_e2m1   OCP MX elements, largest 28, 7.5 and 6: neither infinities nor NaN; they saturate
//
// The names round to nearest-even and have subnormal numbers. An infinity stays one where the format has infinities;
// else it becomes the largest number, or NaN where the format is told `nan`. A NaN stays one while it is a double, also
// where the format has no encoding for it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace mantissa::narrow {

enum class Direction : std::uint8_t { toward_zero, nearest_even, nearest_away, to_odd, up, down, stochastic };
/// What a result beyond the largest number becomes.
enum class Beyond : std::uint8_t { infinity, saturate, nan };

/// A short floating format, as OCP's fp8: its numbers, its special values, its rounding.
struct NarrowFormat {
    int fraction_bits = 3;     ///< M, 1..23
    int exponent_bits = 4;     ///< E, 2..8
    int min_exponent = -6;     ///< of the smallest normal number
    double max = 448;          ///< largest number
    bool gradual = true;       ///< has it subnormal numbers?
    bool has_infinity = false; ///< ... infinities
    bool has_nan = true;       ///< ... an encoding of NaN
    Beyond beyond = Beyond::saturate;
    Direction direction = Direction::nearest_even;

    /// Every value is a float's, so that operands are known to lie far from a double's limits.
    static constexpr int kMaxFraction = 23, kMaxExponent = 8;
    [[nodiscard]] int width() const { return 1 + exponent_bits + fraction_bits; }
    [[nodiscard]] int bias() const { return 1 - min_exponent; }
    friend bool operator==(const NarrowFormat&, const NarrowFormat&) = default;
};

/// The format of a text; none where the text is not one of these (it may then be a Format's). Throws InvalidInput, one
/// line, where it begins as one and goes wrong.
std::optional<NarrowFormat> parse_narrow(std::string_view text);

/// The text that reads back as the same format.
std::string to_string(const NarrowFormat& f);

/// The bit pattern of `value`, which must be a value of f, in the low f.width() bits. NaN is the one with the highest
/// positive pattern where f has no infinities, else the one with the top fraction bit alone. Throws InvalidInput for
/// what f has no pattern for.
std::uint32_t encode(const NarrowFormat& f, double value);

/// The value of a pattern; bits above f.width() are ignored.
double decode(const NarrowFormat& f, std::uint32_t bits);

/// Random bits of element `index` of an array: 32, the same for the same seed wherever and by how many threads the
/// array is rounded (SplitMix64's finaliser of seed and index).
[[nodiscard]] constexpr std::uint32_t random_bits(std::uint64_t seed, std::uint64_t index) {
    std::uint64_t z = seed * 0xD1342543DE82EF95ULL + (index + 1) * 0x9E3779B97F4A7C15ULL;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    return static_cast<std::uint32_t>((z ^ (z >> 31)) >> 32);
}

} // namespace mantissa::narrow
