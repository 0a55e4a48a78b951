#include "mantissa/fixed_charconv.hpp"

#include <bit>
#include <cmath>
#include <string>
#include <string_view>

#include <boost/multiprecision/cpp_int.hpp>

#include "decimal_text.hpp"

namespace mantissa {

namespace {

using boost::multiprecision::cpp_int;

cpp_int ten_to(int exponent) {
    const cpp_int ten = 10;
    return pow(ten, static_cast<unsigned>(exponent));
}

/// numerator / denominator, numerator not negative, rounded down; and whether there is a rest, and one of half or more.
struct Parts {
    cpp_int whole;
    bool rest = false, half_or_more = false, above_half = false;
    Parts(const cpp_int& numerator, const cpp_int& denominator) {
        cpp_int remainder;
        divide_qr(numerator, denominator, whole, remainder);
        rest = remainder != 0;
        remainder <<= 1;
        half_or_more = remainder >= denominator;
        above_half = remainder > denominator;
    }
};

/// A magnitude as a fraction of integers, in units of 2^-F.
struct Fraction {
    cpp_int numerator, denominator = 1;
    /// digits base^exponent (base 10, or digits of 16 and base 2).
    Fraction(const std::string& digits, long exponent, bool hex, const Format& f)
        : numerator(detail::integer(digits, hex)) {
        const auto size = static_cast<int>(exponent < 0 ? -exponent : exponent);
        cpp_int& scaled = exponent < 0 ? denominator : numerator;
        if (hex) scaled <<= static_cast<unsigned>(size);
        else scaled *= ten_to(size);
        if (f.fraction_bits >= 0) numerator <<= static_cast<unsigned>(f.fraction_bits);
        else denominator <<= static_cast<unsigned>(-f.fraction_bits);
    }
};

fixed::Rounded saturated(const Format& f, bool negative) {
    return {negative ? fixed::min_word(f) : fixed::max_word(f), true};
}

/// The units of a magnitude with its sign, rounded by f.
cpp_int units_of(const Format& f, const Fraction& x, bool negative) {
    const Parts parts(x.numerator, x.denominator);
    bool away = negative && parts.rest;
    if (f.rounding == Rounding::nearest_up) away = negative ? parts.above_half : parts.half_or_more;
    const cpp_int units = parts.whole + (away ? 1 : 0);
    return negative ? cpp_int(-units) : units;
}

fixed::Rounded read(const Format& f, std::string_view text, bool hex) {
    const detail::Digits d = detail::take_apart(text, hex);
    if (d.digits.empty()) return {};
    // Of the base; far beyond or below every word the power need not be formed.
    const double leading = static_cast<double>(d.exponent) * (hex ? 1.0 : 3.3219) +
                           static_cast<double>(d.digits.size()) * (hex ? 4.0 : 3.3219);
    if (leading > 1000) return saturated(f, d.negative);
    if (leading < -1000) return {f.rounding == Rounding::down && d.negative ? -1 : 0, false};
    const cpp_int units = units_of(f, Fraction(d.digits, d.exponent, hex, f), d.negative);
    if (units > fixed::max_word(f) || units < fixed::min_word(f)) return saturated(f, d.negative);
    return {static_cast<fixed::Word>(units), false};
}

/// The magnitude of a word, digits 10^-places, exactly.
struct Exact {
    cpp_int digits;
    int places = 0;
    Exact(const Format& f, fixed::Word word) : digits(word) {
        if (word < 0) digits = -digits;
        places = f.fraction_bits > 0 ? f.fraction_bits : 0;
        if (places == 0) digits <<= static_cast<unsigned>(-f.fraction_bits);
        const cpp_int five = 5;
        digits *= cpp_int(pow(five, static_cast<unsigned>(places)));
    }
};

/// The shortest decimal that reads back: what does so lies in an interval about the value, and if a decimal of some
/// length lies there, so does the next one of that length below or above the value.
std::to_chars_result put_shortest(char* first, char* last, const Format& f, fixed::Word word,
                                  std::chars_format notation) {
    const Exact exact(f, word);
    const auto length = static_cast<int>(exact.digits.str().size());
    std::string digits = exact.digits.str();
    int exponent = -exact.places;
    for (int count = 1; count < length; ++count) {
        const int cut = length - count;
        const Parts parts(exact.digits, ten_to(cut));
        const cpp_int other = parts.whole + 1, nearest = parts.half_or_more ? other : parts.whole;
        const cpp_int& farther = parts.half_or_more ? parts.whole : other;
        bool found = false;
        for (const cpp_int* candidate : {&nearest, &farther}) {
            const Fraction x(candidate->str(), cut - exact.places, false, f);
            if (found || units_of(f, x, word < 0) != word) continue;
            found = true;
            digits = candidate->str();
        }
        if (!found) continue;
        exponent = cut - exact.places;
        break;
    }
    return detail::put_text(first, last, detail::decimal_text(digits, exponent, word < 0, notation));
}

std::to_chars_result put_hex(char* first, char* last, const Format& f, fixed::Word word) {
    const auto magnitude =
        word < 0 ? std::uint64_t{0} - static_cast<std::uint64_t>(word) : static_cast<std::uint64_t>(word);
    const int leading = 63 - std::countl_zero(magnitude);
    std::uint64_t fraction = leading == 0 ? 0 : magnitude << (64 - leading);
    std::string text = word < 0 ? "-1" : "1";
    if (fraction != 0) text += '.';
    for (; fraction != 0; fraction <<= 4) text += "0123456789abcdef"[fraction >> 60];
    const int power = leading - f.fraction_bits;
    text += (power < 0 ? "p-" : "p+") + std::to_string(power < 0 ? -power : power);
    return detail::put_text(first, last, text);
}

} // namespace

std::from_chars_result from_chars(const char* first, const char* last, const Format& f, fixed::Word& word,
                                  std::chars_format notation) {
    double nearest = 0; // for the grammar
    std::from_chars_result result = std::from_chars(first, last, nearest, notation);
    if (result.ec == std::errc::invalid_argument) return result;
    const std::string_view text(first, result.ptr);
    fixed::Rounded rounded;
    if (text.find_first_of("nN") != std::string_view::npos) // nan, inf, infinity
        rounded = std::isnan(nearest) ? fixed::Rounded{0, true} : saturated(f, nearest < 0);
    else rounded = read(f, text, notation == std::chars_format::hex);
    word = rounded.word;
    result.ec = rounded.overflow ? std::errc::result_out_of_range : std::errc();
    return result;
}

std::to_chars_result to_chars(char* first, char* last, const Format& f, fixed::Word word, std::chars_format notation) {
    if (word == 0) return std::to_chars(first, last, 0.0, notation);
    if (notation == std::chars_format::hex) return put_hex(first, last, f, word);
    return put_shortest(first, last, f, word, notation);
}

std::to_chars_result to_chars_exact(char* first, char* last, const Format& f, fixed::Word word) {
    if (word == 0) return detail::put_text(first, last, "0");
    const Exact exact(f, word);
    return detail::put_text(
        first, last, detail::decimal_text(exact.digits.str(), -exact.places, word < 0, std::chars_format::fixed));
}

} // namespace mantissa
