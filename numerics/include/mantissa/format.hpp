// A number format as a value. Two kinds.
//
// Floating: sign, E exponent bits, M stored fraction bits, hidden one, and a rounding policy.
//
//     s17e8   bit 25      24 .. 17        16 .. 0
//             sign        exponent + 127  fraction            1.0 = 0 01111111 00000000000000000
//
// The text form is `s<M>e<E>` with the policy after it, only where it differs from the hardware policy:
//     s17e8                 toward zero, subnormals flushed, overflow to the largest finite number
//     s23e8:rne             nearest-even, flushed, overflow to infinity
//     s10e5:rne:subnormals  IEEE half
//     s23e8:rne:sat         nearest-even, overflow saturates
// Names for IEEE-policy formats: double, float, half, bfloat16, tf32.
//
// Fixed: W-bit two's complement words, F of the bits fraction, so that a word stands for word * 2^-F. F may exceed W,
// and be below zero. The text form is `fx<W>.<F>`:
//     fx18.16               18-bit words, -2 .. 2 - 2^-16, rounding to nearest, half up: floor(x + 1/2) in units
//     fx18.16:floor         the same words, rounding down
// A value beyond a fixed format's words overflows, and no operation keeps that to itself: the functions of
// fixed_words.hpp return it, Fixed<F> throws, a datapath ends its run with window_overflow.
#pragma once

#include <bit>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "mantissa/errors.hpp"

namespace mantissa {

/// toward_zero and nearest_even belong to floating formats, nearest_up (half up) and down (floor) to fixed ones.
enum class Rounding : std::uint8_t { toward_zero, nearest_even, nearest_up, down };
enum class Subnormals : std::uint8_t { flush, gradual };
/// What a finite result beyond the largest finite number becomes. It matters under nearest_even only: rounding
/// toward zero never passes the largest finite number.
enum class Overflow : std::uint8_t { infinity, saturate };

/// A number format. Structural, so that it can be a template argument. Every value of every floating format, and of
/// every fixed one of at most 53 bits, is exactly representable in double, which is how values travel between formats
/// and engines. Members and functions that name exponents, subnormals or the hidden one are for floating formats.
struct Format {
    int fraction_bits = 52; ///< M, stored fraction bits, 2..52; F of a fixed format, -64..126
    int exponent_bits = 11; ///< E, 2..11; 0 in a fixed format
    Rounding rounding = Rounding::toward_zero;
    Subnormals subnormals = Subnormals::flush;
    Overflow overflow = Overflow::infinity;
    int word_bits = 0; ///< W of a fixed format, 2..64; 0 in a floating one

    static constexpr int kMinFraction = 2, kMaxFraction = 52, kMinExponent = 2, kMaxExponent = 11;
    static constexpr int kMinWord = 2, kMaxWord = 64, kMinPoint = -64, kMaxPoint = 126;
    /// The longest words whose every value is a double.
    static constexpr int kMaxDoubleWord = 53;

    /// W-bit words, F of the bits fraction.
    [[nodiscard]] static constexpr Format fixed(int w, int f, Rounding r = Rounding::nearest_up) {
        return {f, 0, r, Subnormals::flush, Overflow::infinity, w};
    }
    [[nodiscard]] constexpr bool is_fixed() const { return word_bits != 0; }

    [[nodiscard]] constexpr bool valid() const {
        if (is_fixed())
            return word_bits >= kMinWord && word_bits <= kMaxWord && fraction_bits >= kMinPoint &&
                   fraction_bits <= kMaxPoint && exponent_bits == 0 &&
                   (rounding == Rounding::nearest_up || rounding == Rounding::down);
        return fraction_bits >= kMinFraction && fraction_bits <= kMaxFraction && exponent_bits >= kMinExponent &&
               exponent_bits <= kMaxExponent &&
               (rounding == Rounding::toward_zero || rounding == Rounding::nearest_even);
    }
    [[nodiscard]] constexpr int width() const { return is_fixed() ? word_bits : 1 + exponent_bits + fraction_bits; }
    [[nodiscard]] constexpr int bias() const { return (1 << (exponent_bits - 1)) - 1; }
    [[nodiscard]] constexpr int max_exponent() const { return bias(); }
    [[nodiscard]] constexpr int min_exponent() const { return 1 - bias(); }
    /// Significant bits, hidden one included.
    [[nodiscard]] constexpr int precision() const { return fraction_bits + 1; }
    [[nodiscard]] constexpr bool truncates() const { return rounding == Rounding::toward_zero; }
    [[nodiscard]] constexpr bool flushes() const { return subnormals == Subnormals::flush; }

    /// Distance from 1 to the next larger number, 2^-M; between any two neighbours of a fixed format, 2^-F.
    [[nodiscard]] constexpr double epsilon() const { return power_of_two(-fraction_bits); }
    /// Largest finite number, (2 - 2^-M) 2^bias; of a fixed format (2^(W-1) - 1) 2^-F, rounded up where W > 53.
    [[nodiscard]] constexpr double max() const {
        if (is_fixed()) return power_of_two(word_bits - 1 - fraction_bits) - power_of_two(-fraction_bits);
        return power_of_two(max_exponent()) + power_of_two(max_exponent()) * (1.0 - power_of_two(-fraction_bits));
    }
    [[nodiscard]] constexpr double min_normal() const { return power_of_two(min_exponent()); }
    /// Smallest positive number: min_normal() when subnormals are flushed, else 2^(1-bias-M); 2^-F when fixed.
    [[nodiscard]] constexpr double min_positive() const {
        if (is_fixed()) return epsilon();
        return flushes() ? min_normal() : power_of_two(min_exponent() - fraction_bits);
    }

    /// The same M and E under another policy.
    [[nodiscard]] constexpr Format with(Rounding r) const {
        Format f = *this;
        f.rounding = r;
        return f.canonical();
    }
    [[nodiscard]] constexpr Format with(Subnormals s) const {
        Format f = *this;
        f.subnormals = s;
        return f;
    }
    [[nodiscard]] constexpr Format with(Overflow o) const {
        Format f = *this;
        f.overflow = o;
        return f.canonical();
    }
    /// The same policy with M fraction bits.
    [[nodiscard]] constexpr Format with_fraction(int m) const {
        Format f = *this;
        f.fraction_bits = m;
        return f;
    }
    /// Policies that cannot be told apart by any operation get one spelling.
    [[nodiscard]] constexpr Format canonical() const {
        Format f = *this;
        if (f.is_fixed()) return fixed(f.word_bits, f.fraction_bits, f.rounding);
        if (f.truncates()) f.overflow = Overflow::infinity;
        return f;
    }

    /// Can every value of this format be carried in (float or double) T?
    template <class T> [[nodiscard]] constexpr bool fits() const {
        if (is_fixed()) return word_bits <= (sizeof(T) == 4 ? 24 : kMaxDoubleWord);
        if constexpr (sizeof(T) == 4) return fraction_bits <= 23 && exponent_bits <= 8;
        return true;
    }
    /// Is every value of `other` a value of this format (rounding policies aside)?
    [[nodiscard]] constexpr bool contains(const Format& other) const {
        if (is_fixed() || other.is_fixed())
            return is_fixed() && other.is_fixed() && fraction_bits >= other.fraction_bits &&
                   word_bits - fraction_bits >= other.word_bits - other.fraction_bits;
        if (other.fraction_bits > fraction_bits || other.exponent_bits > exponent_bits) return false;
        if (other.flushes() || !flushes()) return true;
        return min_exponent() <= other.min_exponent() - other.fraction_bits;
    }

    friend constexpr bool operator==(const Format&, const Format&) = default;
    friend constexpr auto operator<=>(const Format&, const Format&) = default;

    /// 2^e for -1074 <= e <= 1023.
    static constexpr double power_of_two(int e) {
        if (e >= -1022) return std::bit_cast<double>(static_cast<std::uint64_t>(e + 1023) << 52);
        return std::bit_cast<double>(std::uint64_t{1} << (e + 1074));
    }
};

namespace formats {
inline constexpr Format ieee(int m, int e) {
    return {m, e, Rounding::nearest_even, Subnormals::gradual, Overflow::infinity};
}
inline constexpr Format kDouble = ieee(52, 11), kFloat = ieee(23, 8), kHalf = ieee(10, 5), kBfloat16 = ieee(7, 8),
                        kTf32 = ieee(10, 8);
} // namespace formats

namespace detail {
struct NamedFormat {
    std::string_view name;
    Format format;
};
inline constexpr NamedFormat kNamedFormats[] = {{"double", formats::kDouble},
                                                {"float", formats::kFloat},
                                                {"half", formats::kHalf},
                                                {"bfloat16", formats::kBfloat16},
                                                {"tf32", formats::kTf32}};

/// Reads a decimal number of at most four digits off the front of `text`.
constexpr std::optional<int> take_number(std::string_view& text) {
    int value = 0;
    std::size_t digits = 0;
    while (digits < text.size() && digits < 5 && text[digits] >= '0' && text[digits] <= '9')
        value = value * 10 + (text[digits++] - '0');
    if (digits == 0 || digits > 4) return std::nullopt;
    text.remove_prefix(digits);
    return value;
}

/// After the letters fx: nullptr on success, else what is wrong.
constexpr const char* parse_fixed(std::string_view text, Format& out) {
    std::string_view head = text.substr(0, text.find(':'));
    std::string_view policy = text.substr(head.size());
    const auto w = take_number(head);
    if (!w) return "no word width after fx";
    if (head.empty() || head.front() != '.') return "no point after the word width";
    head.remove_prefix(1);
    const bool negative = !head.empty() && head.front() == '-';
    if (negative) head.remove_prefix(1);
    const auto f = take_number(head);
    if (!f) return "no number of fraction bits after the point";
    if (!head.empty()) return "unexpected characters after the fraction bits";
    out = Format::fixed(*w, negative ? -*f : *f);
    if (*w < Format::kMinWord || *w > Format::kMaxWord) return "the word width is outside 2..64";
    if (out.fraction_bits < Format::kMinPoint || out.fraction_bits > Format::kMaxPoint)
        return "the number of fraction bits is outside -64..126";
    if (policy.empty() || policy == ":nearest") return nullptr;
    if (policy != ":floor") return "the policy words of fixed formats are nearest and floor";
    out.rounding = Rounding::down;
    return nullptr;
}

/// nullptr on success, else what is wrong.
constexpr const char* parse_format(std::string_view text, Format& out) {
    if (text.substr(0, 2) == "fx") return parse_fixed(text.substr(2), out);
    std::string_view head = text.substr(0, text.find(':'));
    std::string_view policy = text.substr(head.size());
    Format f;
    bool named = false;
    for (const NamedFormat& n : kNamedFormats)
        if (head == n.name) {
            f = n.format;
            named = true;
        }
    if (!named) {
        if (head.empty() || head.front() != 's') return "it does not begin with s or fx or a known name";
        head.remove_prefix(1);
        const auto m = take_number(head);
        if (!m) return "no fraction width after s";
        if (head.empty() || head.front() != 'e') return "no e after the fraction width";
        head.remove_prefix(1);
        const auto e = take_number(head);
        if (!e) return "no exponent width after e";
        if (!head.empty()) return "unexpected characters after the exponent width";
        f.fraction_bits = *m;
        f.exponent_bits = *e;
        if (*m < Format::kMinFraction || *m > Format::kMaxFraction) return "the fraction width is outside 2..52";
        if (*e < Format::kMinExponent || *e > Format::kMaxExponent) return "the exponent width is outside 2..11";
    }
    while (!policy.empty()) {
        policy.remove_prefix(1);
        const std::string_view word = policy.substr(0, policy.find(':'));
        policy.remove_prefix(word.size());
        if (word == "rz") f.rounding = Rounding::toward_zero;
        else if (word == "rne") f.rounding = Rounding::nearest_even;
        else if (word == "flush") f.subnormals = Subnormals::flush;
        else if (word == "subnormals") f.subnormals = Subnormals::gradual;
        else if (word == "inf") f.overflow = Overflow::infinity;
        else if (word == "sat") f.overflow = Overflow::saturate;
        else return "the policy words are rz, rne, flush, subnormals, inf and sat";
    }
    out = f.canonical();
    return nullptr;
}
} // namespace detail

/// Parses the text form; nullopt when it is not one.
constexpr std::optional<Format> try_parse_format(std::string_view text) {
    Format f;
    if (detail::parse_format(text, f) != nullptr) return std::nullopt;
    return f;
}

/// Parses the text form. Throws InvalidInput with one line that names the text, the fault and the mend.
Format parse_format(std::string_view text);

/// The shortest text that parse_format reads back as the same format (never a name: `float` prints as
/// s23e8:rne:subnormals, so that results from different spellings join).
std::string to_string(const Format& f);

/// The bit pattern of `value` in `f`, in the low f.width() bits. `value` must be representable in f; any NaN gives
/// the canonical NaN (positive, only the top fraction bit set). A fixed format has neither NaN nor infinity.
std::uint64_t encode(const Format& f, double value);

/// The value of a bit pattern (bits above f.width() are ignored). A pattern with a zero exponent field is a zero of
/// its sign when f flushes. That of a fixed format with W > 53 is rounded to double, to nearest even.
double decode(const Format& f, std::uint64_t bits);

/// Is `value` exactly a value of f?
bool representable(const Format& f, double value);

/// "0 01111111 00000000000000000": sign, exponent and fraction fields of value in f. Of a fixed format "00.1000": the
/// word with its binary point, or "001000 * 2^-9" where the point lies outside the word.
std::string bit_string(const Format& f, double value);

namespace literals {
/// A format as a constant: `Float<"s17e8"_fmt>`. A malformed text does not compile.
consteval Format operator""_fmt(const char* text, std::size_t length) {
    Format f;
    if (detail::parse_format({text, length}, f) != nullptr) throw "malformed format literal";
    return f;
}
} // namespace literals

} // namespace mantissa
