// Short floating-point formats as they lie in memory and on accelerators, and roundings that a datapath's Format does
// not have. Rounding and arithmetic of arrays only: no datapath computes in one.
//
// What differs from Format: the largest number need not be that of IEEE's layout, infinities, NaN, the sign and the
// second zero may be missing, and the rounding may be any of Direction. The text form is a name, or s<M>e<E> as in
// format.hpp, with policy words after colons, one of which makes a Format's text one of these:
//
//     rna      to nearest, ties away from zero
//     odd      toward zero, and the last bit set where anything was lost (von Neumann's, or jamming)
//     up down  toward +infinity, toward -infinity
//     sr       stochastic: up with a probability of what was cut off, by random bits of a seed
//     rz rne   as in format.hpp
//     flush subnormals inf sat   as in format.hpp;   nan   a result beyond the largest number becomes NaN
//     satfinite   as sat, and an infinity becomes the largest number too
//
//     fp8_e4m3    OCP 8-bit: s3e4 with bias 7, largest 448; no infinities, one NaN. Beyond 448: saturates, or `nan`
//     fp8_e5m2    OCP 8-bit: s2e5 as IEEE lays it out, largest 57344; infinities and NaN
//     fp8_e4m3fnuz fp8_e5m2fnuz fp8_e4m3b11fnuz   8-bit: bias 8, 16, 11, largest 240, 57344, 30; no infinities, and the
//                 NaN where IEEE has -0. They saturate, or `nan`
//     fp6_e3m2 fp6_e2m3 fp4_e2m1   OCP MX elements, largest 28, 7.5 and 6: neither infinities nor NaN; they saturate
//     e8m0        OCP scales: the powers of two 2^-127 to 2^127, and NaN. No sign and no zero: what is not above zero
//                 becomes NaN, what is smaller the smallest. Ties go up
//     binary<K>p<P><s|u><e|f>   IEEE P3109 (interim report 4.0): K bits, 3 to 16, P of precision, signed or unsigned,
//                 extended (infinities) or finite; one NaN, one zero. binary8p3 is binary8p3se. Without a word,
//                 SatNone: beyond the largest is infinity where there is one, and NaN below an unsigned format's zero;
//                 `sat` is SatPropagate, `satfinite` SatFinite
//
// The names round to nearest-even and have subnormal numbers. An infinity stays one where the format has infinities;
// else it becomes the largest number, or NaN where the format is told `nan`. A NaN stays one while it is a double, also
// where the format has no encoding for it. The names of ml_dtypes (float8_e4m3fn ...) are read as well,
// and round as its casts do.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "mantissa/narrow/random_bits.hpp"

namespace mantissa::narrow {

enum class Direction : std::uint8_t { toward_zero, nearest_even, nearest_away, to_odd, up, down, stochastic };
/// What a result beyond the largest number becomes. `infinity` is the largest number where the format has no infinity,
/// and NaN below zero where it has no sign. `saturate_all` takes infinite operands too.
enum class Beyond : std::uint8_t { infinity, saturate, nan, saturate_all };
/// Where infinities and NaN lie among the patterns.
enum class Coding : std::uint8_t {
    top_exponent, ///< IEEE 754: an exponent of all ones. OCP: of it, all ones are NaN where the format has no infinity
    p3109,        ///< NaN for -0, or the last pattern without a sign; infinities in front of it and at the signs' ends
};

/// A short floating format, as OCP's fp8: its numbers, its special values, its rounding.
struct NarrowFormat {
    int fraction_bits = 3; ///< M, 0..52
    int exponent_bits = 4; ///< E, 1..16
    int min_exponent = -6; ///< of the smallest normal number
    double max = 448;      ///< largest number; infinity where that is no double
    bool gradual = true;   ///< has it subnormal numbers?
    bool has_infinity = false;
    bool has_nan = true; ///< ... an encoding of NaN
    Beyond beyond = Beyond::saturate;
    Direction direction = Direction::nearest_even;
    Coding coding = Coding::top_exponent;
    bool is_signed = true;
    bool has_zero = true; ///< only a format of powers of two may have none

    [[nodiscard]] int width() const { return (is_signed ? 1 : 0) + exponent_bits + fraction_bits; }
    [[nodiscard]] int bias() const { return has_zero ? 1 - min_exponent : -min_exponent; }
    [[nodiscard]] bool signed_zero() const { return is_signed && coding == Coding::top_exponent; }
    /// Is every value a double (or a float)? P3109's longest exponents go beyond.
    [[nodiscard]] bool fits_double() const {
        return max < std::numeric_limits<double>::infinity() && min_exponent - fraction_bits >= -1074;
    }
    [[nodiscard]] bool fits_float() const {
        return fraction_bits <= 23 && min_exponent - fraction_bits >= -149 && max < 0x1p128;
    }
    friend bool operator==(const NarrowFormat&, const NarrowFormat&) = default;
};

/// The format of a text; none where the text is not one of these (it may then be a Format's). Throws InvalidInput, one
/// line, where it begins as one and goes wrong.
std::optional<NarrowFormat> parse_narrow(std::string_view text);

/// The text that reads back as the same format.
std::string to_string(const NarrowFormat& f);

/// A value of any narrow format, doubles or not: significand 2^exponent, an infinity or NaN.
struct Value {
    enum class Kind : std::uint8_t { finite, infinite, nan };
    Kind kind = Kind::finite;
    bool negative = false;
    std::uint64_t significand = 0;
    int exponent = 0;
};

/// The bit pattern of `value`, which must be a value of f, in the low f.width() bits. Of several NaN it is the positive
/// one with all fraction bits where f has no infinities, else the one with the top fraction bit alone. Throws
/// InvalidInput for what f has no pattern for.
std::uint64_t encode(const NarrowFormat& f, double value);
std::uint64_t encode(const NarrowFormat& f, const Value& value);

/// The value of a pattern; bits above f.width() are ignored. decode() gives the nearest double of what is none.
double decode(const NarrowFormat& f, std::uint64_t bits);
Value decode_value(const NarrowFormat& f, std::uint64_t bits);

/// The largest number, which `max` holds where it is a double.
Value largest(const NarrowFormat& f);

} // namespace mantissa::narrow
