// Blocks of short words with one scale each: the MX formats of the Open Compute Project (Microscaling Formats (MX)
// Specification, version 1.0, section 5). Successive numbers of an array form blocks; the last one may be shorter. A
// block stands for its scale, a power of two from 2^-127 to 2^127 (E8M0), times its elements.
//
// The text form is `mx<element>`, with the rule of the scale and the length after it where they differ:
//     mxint8                    floor, blocks of 32: 8.25 bits a number
//     mxfp8_e4m3:rceil          another rule
//     mxint8:ceil/64            another rule and another length
//
//     mxint8        -127/64 to 127/64 in steps of 1/64; a zero of either sign is +0
//     mxfp8_e4m3 mxfp8_e5m2 mxfp6_e3m2 mxfp6_e2m3 mxfp4_e2m1    OCP's elements (narrow_format.hpp), with -0
//
// With m the largest magnitude of a block, e the exponent of the largest power of two among the elements (8, 15, 4, 2
// and 2 of the formats in the order above, 0 of mxint8) and max their largest number, the scale is
//     floor   2^(floor(log2 m) - e), section 6.3 of the specification; elements may saturate
//     ceil    2^(ceil(log2 m) - e)
//     even    as floor, of m rounded to the elements' fraction bits, half up
//     rceil   the smallest not below m / max, formed in float as m (1 / max), both factors rounded: no element
//             saturates but for that product's rounding
// kept in 2^-127 .. 2^127; 2^-127 of a block of zeros. Elements are number / scale, rounded to nearest-even, and
// saturate. A block with an infinity or a NaN is NaN throughout; under rceil one whose m is beyond float, too.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace mantissa::narrow {

/// The words of a block.
enum class BlockElement : std::uint8_t { none, int8, fp8_e4m3, fp8_e5m2, fp6_e3m2, fp6_e2m3, fp4_e2m1 };
/// How a block's scale follows from its largest magnitude.
enum class ScaleRule : std::uint8_t { floor, ceil, even, rceil };

/// A block format; by default none.
struct BlockFormat {
    BlockElement element = BlockElement::none;
    ScaleRule rule = ScaleRule::floor;
    int length = kUsualLength; ///< numbers in a block, a power of two in 1..kMaxLength
    static constexpr int kUsualLength = 32, kMaxLength = 65536, kScaleBits = 8;

    [[nodiscard]] constexpr bool given() const { return element != BlockElement::none; }
    /// Bits of an element, sign included; 0 of none.
    [[nodiscard]] int element_bits() const;
    /// Bits of an element's significand, the leading one included, which a multiplier takes; of mxint8 its word.
    [[nodiscard]] int factor_bits() const;
    /// Bits of a number in a full block, its share of the scale included.
    [[nodiscard]] double bits() const { return element_bits() + static_cast<double>(kScaleBits) / length; }
    friend constexpr bool operator==(const BlockFormat&, const BlockFormat&) = default;
};

/// The format of a text; none where the text does not begin with `mx`. Throws InvalidInput, one line, where it begins
/// as one and goes wrong.
std::optional<BlockFormat> parse_block_format(std::string_view text);

/// The text that reads back as the same format; empty of none.
std::string to_string(const BlockFormat& f);

/// out[i] = the number that element i's word and its block's scale stand for; blocks begin at x[0]. In place allowed.
/// Copies where no format is given. Throws InvalidInput, one line, where the lengths differ.
void round_blocks(const BlockFormat& f, std::span<const double> x, std::span<double> out);

} // namespace mantissa::narrow
