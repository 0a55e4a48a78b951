// Fixed-point words beyond those of datapaths: without a sign, with any rounding, and with overflow that saturates or
// wraps by request. Arithmetic of arrays only.
//
//     fx18.16:sat           as fx18.16, and what does not fit becomes the largest or the smallest word
//     fx18.16:wrap          ... keeps its low bits
//     ufx18.16              words without a sign, 0 to 4 - 2^-16
//     fx18.16:rne ...       rounding; nearest (half up) without a word. Of x in units:
//         nearest floor(x + 1/2)   floor floor(x)   up ceil(x)   rz toward zero   rne to nearest, ties to even
//         rna ties away from zero  odd floor(x) with the last bit set where anything was lost (jamming)
//         sr floor(x), or one more where floor(2^32 (x - floor(x))) > the element's random bits
//
// Without sat and wrap a result that does not fit is reported, as of every fixed format.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "mantissa/narrow/random_bits.hpp"

namespace mantissa::narrow {

enum class WordRounding : std::uint8_t { nearest, floor, up, toward_zero, nearest_even, nearest_away, odd, stochastic };
enum class WordOverflow : std::uint8_t { report, saturate, wrap };

/// W-bit words, F of the bits fraction.
struct WordFormat {
    int word_bits = 18;     ///< W, 1..64, without a sign 1..63
    int fraction_bits = 16; ///< F, -31..63
    bool is_signed = true;
    WordRounding rounding = WordRounding::nearest;
    WordOverflow overflow = WordOverflow::report;

    static constexpr int kMaxWord = 64, kMinPoint = -31, kMaxPoint = 63;
    [[nodiscard]] std::int64_t max_word() const {
        return static_cast<std::int64_t>(~std::uint64_t{0} >> (64 - word_bits + (is_signed ? 1 : 0)));
    }
    [[nodiscard]] std::int64_t min_word() const { return is_signed ? -max_word() - 1 : 0; }
    friend bool operator==(const WordFormat&, const WordFormat&) = default;
};

/// The format of a text; none where it does not begin as one of these, or is a Format's. Throws InvalidInput, one line,
/// where it goes wrong after that.
std::optional<WordFormat> parse_words(std::string_view text);
/// The text that reads back as the same format.
std::string to_string(const WordFormat& f);

/// What happened to an array's elements besides rounding.
struct WordFlags {
    bool overflow = false;   ///< a result did not fit
    bool impossible = false; ///< a NaN, a quotient by zero, an infinity that was to wrap: the word is 0
    WordFlags& operator|=(const WordFlags& other) {
        overflow |= other.overflow;
        impossible |= other.impossible;
        return *this;
    }
};

/// Arrays of words: each element the exact result, rounded once, element i with the random bits of number first + i.
/// Throws InvalidInput where lengths differ.
class WordUnit {
public:
    explicit WordUnit(const WordFormat& format, std::uint64_t seed = 0) : format_(format), seed_(seed) {}

    /// Doubles into words.
    WordFlags convert(std::span<const double> a, std::span<std::int64_t> out, std::uint64_t first = 0) const;
    enum class Op : std::uint8_t { add, sub, mul, div, fma };
    /// a op b, or a b + c.
    WordFlags apply(Op op, std::span<const std::int64_t> a, std::span<const std::int64_t> b,
                    std::span<const std::int64_t> c, std::span<std::int64_t> out, std::uint64_t first = 0) const;
    /// The sum of a[i], or of a[i] b[i] where b is not empty; b's elements lie `stride` apart. At most 2^62 terms of
    /// sums, and of products what 127 bits hold (InvalidInput).
    WordFlags sum(std::span<const std::int64_t> a, const std::int64_t* b, std::size_t stride, std::int64_t& out,
                  std::uint64_t number = 0) const;

private:
    WordFormat format_;
    std::uint64_t seed_;
};

} // namespace mantissa::narrow
