// Where the common binary point of r, p and q goes in front of a pass (DatapathSpec::point, engine.hpp): integers
// alone, lengths of words and exponents of alpha and beta.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <optional>

#include "mantissa/fixed_words.hpp"

namespace mantissa::fixed {

/// The point rises by at most this a pass,
inline constexpr int kMostRise = 2;
/// stays within this distance of the formats' F,
inline constexpr int kMostMove = 256;
/// and is formed for words of at least this many bits: r and p have as many.
inline constexpr int kLeastMovingWord = 8;

/// The l with |word| <= 2^l that a two's complement word shows: one less than the bits that it takes.
[[nodiscard]] constexpr int length_of(Word word) {
    return bits_of(word) - 1;
}

/// The e with 2^(e-1) <= |s| < 2^e of a finite scalar; nothing where it is zero.
[[nodiscard]] inline std::optional<int> exponent_of(double s) {
    if (s == 0) return std::nullopt;
    int e = 0;
    static_cast<void>(std::frexp(s, &e));
    return e;
}

/// How far the point rises (negative: falls) so that words of `word_bits` hold r' = r - alpha q and p' = r' + beta p,
/// roundings included: with |r| <= 2^r, |alpha q| <= 2^alpha_q, |beta p| <= 2^beta_p in units of the old point, each of
/// the latter two nothing where it is zero. 8 <= word_bits <= 53, r >= 0.
[[nodiscard]] constexpr int point_rise(int word_bits, int r, std::optional<int> alpha_q, std::optional<int> beta_p) {
    const int top = std::max({r, alpha_q.value_or(r), beta_p.value_or(r)});
    const auto term = [&](int exponent) { return std::uint64_t{1} << std::max(0, exponent - top + word_bits - 4); };
    std::uint64_t sum = term(r);
    if (alpha_q) sum += term(*alpha_q);
    if (beta_p) sum += term(*beta_p);
    // sum is below 2^length, so at least one of its units, which becomes two of the new words' at least, stays free.
    const int length = static_cast<int>(std::bit_width(sum));
    return std::min(kMostRise, 2 * word_bits - 5 - top - length);
}

} // namespace mantissa::fixed
