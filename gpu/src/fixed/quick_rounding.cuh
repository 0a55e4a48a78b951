// Rounding into a floating format in few dependent instructions, for the scalars between passes.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "engine/engine_arithmetic.cuh"

namespace mantissa::gpu {

/// Rounding of positive doubles whose exponents are moderate into a floating format: from a result toward zero in 53
/// bits and whether it was exact. (Truncation composes; rounding to odd lets nearest-even in at most 51 bits follow.)
struct QuickRounding {
    std::uint64_t mask = 0, half = 0; ///< half a unit less one, 0 where the format truncates
    int drop = 0;                     ///< fraction bits that go
    unsigned low = 1, span = 0;       ///< exponent fields that are moderate: low .. low + span
    bool nearest = false, fits = false;

    QuickRounding() = default;
    explicit QuickRounding(const Format& f)
        : mask(~((std::uint64_t{1} << (52 - f.fraction_bits)) - 1)), drop(52 - f.fraction_bits),
          nearest(f.rounding == Rounding::nearest_even), fits(!nearest || drop >= 2) {
        if (nearest && fits) half = (std::uint64_t{1} << (drop - 1)) - 1;
        const int least = std::max(f.min_exponent() + 1, -400), most = std::min(f.max_exponent() - 1, 400);
        low = static_cast<unsigned>(1023 + least);
        span = static_cast<unsigned>(std::max(most - least, 0));
    }
    template <bool Nearest> [[nodiscard]] MANTISSA_BOTH double round(double z, bool inexact, bool& moderate) const {
        auto bits = std::bit_cast<std::uint64_t>(z);
        if constexpr (Nearest) {
            bits |= static_cast<std::uint64_t>(inexact);
            bits += half + (bits >> drop & 1);
        }
        bits &= mask;
        moderate &= static_cast<unsigned>(bits >> 52) - low <= span; // (a sign bit is beyond)
        return std::bit_cast<double>(bits);
    }
};

struct QuickScalars {
    QuickRounding scalar, operand;
    bool fits = false;

    QuickScalars() = default;
    QuickScalars(const Format& scalar_format, const Format& operand_format)
        : scalar(scalar_format), operand(operand_format),
          fits(scalar.fits && operand.fits && operand_format.fraction_bits <= 30) {}
};

} // namespace mantissa::gpu
