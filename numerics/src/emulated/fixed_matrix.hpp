// A matrix in a fixed-point coefficient format, as engine.hpp defines it: words off the diagonal rounded, a grid's
// diagonal such that every row keeps its (rounded) sum.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "mantissa/fixed_words.hpp"
#include "mantissa/spec.hpp"
#include "mantissa/system.hpp"

namespace mantissa::detail {

struct FixedMatrix {
    System::Kind kind = System::Kind::stencil; ///< bands for every matrix of nine bands
    std::size_t size = 0, row_length = 0, grid_rows = 0;
    std::array<fixed::Word, kBands> stencil{};
    std::array<std::vector<fixed::Word>, kBands> bands;
    std::vector<std::uint64_t> row_begin;
    std::vector<std::uint32_t> column;
    std::vector<fixed::Word> value;
    int terms = kBands; ///< the longest row
    int longest = 0;    ///< bits of the longest word
};

/// Rounds a system's matrix into `coefficient`. Throws InvalidInput, naming the entry, where a word does not fit: the
/// format's W bits, W + 1 on the diagonal, 53 in a constant stencil.
FixedMatrix fixed_matrix(const System& system, const Format& coefficient);

/// Makes rows of a part's ghosts give zero (part_links.hpp). A stencil's do already.
void forget_rows(FixedMatrix& matrix, std::span<const std::uint32_t> ghosts);

/// Row i of A p, exactly.
[[nodiscard]] fixed::Wide row_sum(const FixedMatrix& matrix, const fixed::Word* p, std::size_t i);

/// Bits that a number takes as a word does.
[[nodiscard]] constexpr int wide_bits(fixed::Wide x) {
    const auto m = static_cast<fixed::UnsignedWide>(x < 0 ? ~x : x);
    const auto high = static_cast<std::uint64_t>(m >> 64);
    return 1 + static_cast<int>(high != 0 ? 64 + std::bit_width(high) : std::bit_width(static_cast<std::uint64_t>(m)));
}

/// The power of two that all words of a stencil have in common: a shift of the row's sum. 0 where all are 0.
int common_power(const std::array<fixed::Word, kBands>& stencil);

/// Why the emulated engine cannot run a fixed-point spec on a system: a coefficient that does not fit, row sums beyond
/// 126 bits. Empty when it can.
std::string fixed_refusal(const System& system, const DatapathSpec& spec);

} // namespace mantissa::detail
