#include "mantissa/float_charconv.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <string>
#include <string_view>

#include <boost/multiprecision/cpp_int.hpp>

#include "decimal_text.hpp"
#include "mantissa/exact.hpp"
#include "mantissa/fixed_charconv.hpp"

namespace mantissa {

namespace {

using boost::multiprecision::cpp_int;
using detail::Digits;
using detail::kFar;
using detail::take_apart;
using exact::detail::Wide;

bool identical(double x, double y) {
    return std::bit_cast<std::uint64_t>(x) == std::bit_cast<std::uint64_t>(y);
}

/// A number rounded into f, and whether it left f's range: to zero, or beyond the largest number.
struct Rounded {
    double value = 0;
    bool out_of_range = false;
    friend bool operator==(const Rounded& a, const Rounded& b) {
        return identical(a.value, b.value) && a.out_of_range == b.out_of_range;
    }
};

Rounded rounded(const Format& f, const Wide& w) {
    // With the range moved to below 1, double's exponents hold what f's do not.
    Wide moved = w;
    moved.exponent -= f.max_exponent() + 1;
    const bool beyond =
        std::fabs(exact::detail::round_to(Format{f.fraction_bits, 11, f.rounding, Subnormals::flush}, moved)) >= 1;
    const double value = exact::detail::round_to(f, w);
    return {value, beyond || value == 0};
}

/// The 128 leading bits of numerator / denominator, and whether there are more.
Wide leading_bits(bool negative, cpp_int numerator, cpp_int denominator) {
    const auto length = [](const cpp_int& x) { return static_cast<int>(msb(x)) + 1; };
    const int shift = 129 - (length(numerator) - length(denominator)); // a quotient of 129 or 130 bits
    if (shift > 0) numerator <<= static_cast<unsigned>(shift);
    else denominator <<= static_cast<unsigned>(-shift);
    cpp_int quotient, rest;
    divide_qr(numerator, denominator, quotient, rest);
    const int extra = length(quotient) - 128;
    const cpp_int kept = quotient >> static_cast<unsigned>(extra);
    const bool sticky = rest != 0 || (kept << static_cast<unsigned>(extra)) != quotient;
    const auto high = static_cast<std::uint64_t>(kept >> 64);
    const auto low = static_cast<std::uint64_t>(kept & ~std::uint64_t{0});
    return {negative, 127 + extra - shift, static_cast<exact::detail::u128>(high) << 64 | low, sticky};
}

/// The text's number, exactly.
Rounded exactly(const Format& f, std::string_view text, bool hex) {
    const Digits d = take_apart(text, hex);
    if (d.digits.empty()) return {d.negative ? -0.0 : 0.0, false};
    const long magnitude = d.exponent + static_cast<long>(d.digits.size()) * (hex ? 4 : 1);
    if (std::labs(magnitude) > kFar / 100 || std::labs(d.exponent) > kFar)
        return rounded(f, {d.negative, magnitude > 0 ? 100'000 : -100'000, exact::detail::u128{1} << 127, false});
    cpp_int numerator = detail::integer(d.digits, hex), denominator = 1;
    const auto power = static_cast<unsigned>(std::labs(d.exponent));
    cpp_int& scaled = d.exponent < 0 ? denominator : numerator;
    const cpp_int ten = 10;
    if (hex) scaled <<= power;
    else scaled *= cpp_int(pow(ten, power));
    return rounded(f, leading_bits(d.negative, std::move(numerator), std::move(denominator)));
}

} // namespace

std::from_chars_result from_chars(const char* first, const char* last, const Format& f, double& value,
                                  std::chars_format notation) {
    if (f.is_fixed()) {
        fixed::Word word = 0;
        const std::from_chars_result result = from_chars(first, last, f, word, notation);
        if (result.ec != std::errc::invalid_argument) value = fixed::to_double(f, word);
        return result;
    }
    double nearest = 0;
    std::from_chars_result result = std::from_chars(first, last, nearest, notation);
    if (result.ec == std::errc::invalid_argument) return result;
    const bool in_range = result.ec == std::errc();
    if (std::string_view(first, result.ptr).find_first_of("nN") != std::string_view::npos) { // nan, inf, infinity
        value = std::isnan(nearest) ? exact::detail::kNaN : nearest;
        return result;
    }
    // The number lies between the neighbours of the nearest double: where they round alike, so does it.
    Rounded r;
    bool known = false;
    if (in_range && std::isfinite(nearest) && nearest != 0) {
        const auto at = [&f](double x) { return rounded(f, exact::detail::widen(exact::detail::unpack(x))); };
        const double below = std::nextafter(nearest, 0.0), above = std::nextafter(nearest, 2 * nearest);
        if (below != 0 && std::isfinite(above)) {
            r = at(below);
            known = r == at(above);
        }
    }
    if (!known) r = exactly(f, std::string_view(first, result.ptr), notation == std::chars_format::hex);
    value = r.value;
    result.ec = r.out_of_range ? std::errc::result_out_of_range : std::errc();
    return result;
}

namespace {

/// A decimal number, digits 10^exponent.
struct Decimal {
    std::uint64_t digits = 0;
    int exponent = 0;
};

bool reads_back(const Format& f, Decimal d, double magnitude) {
    const std::string text = std::to_string(d.digits) + "e" + std::to_string(d.exponent);
    double value = 0;
    return from_chars(text.data(), text.data() + text.size(), f, value).ec == std::errc() &&
           identical(value, magnitude);
}

/// The decimal number of `count` digits nearest to a magnitude.
Decimal nearest_decimal(double magnitude, int count) {
    std::array<char, 64> text;
    char* end =
        std::to_chars(text.data(), text.data() + text.size(), magnitude, std::chars_format::scientific, count - 1).ptr;
    Decimal d;
    const char* p = text.data();
    for (; *p != 'e'; ++p)
        if (*p != '.') d.digits = d.digits * 10 + static_cast<std::uint64_t>(*p - '0');
    p += p[1] == '+' ? 2 : 1;
    std::from_chars(p, end, d.exponent);
    d.exponent -= count - 1;
    return d;
}

/// What reads back as the magnitude lies in an interval about it. If a decimal of some length lies there, so does the
/// next one of that length below or above the magnitude: the nearest one, or the other neighbour.
Decimal shortest_decimal(const Format& f, double magnitude) {
    for (int count = 1; count < 17; ++count) {
        const Decimal nearest = nearest_decimal(magnitude, count);
        for (const std::uint64_t digits : {nearest.digits, nearest.digits + 1, nearest.digits - 1})
            if (reads_back(f, {digits, nearest.exponent}, magnitude)) return {digits, nearest.exponent};
    }
    Decimal d = nearest_decimal(magnitude, 17);
    if (!reads_back(f, d, magnitude)) ++d.digits; // rounded down, which a format that truncates does not read back
    return d;
}

} // namespace

std::to_chars_result to_chars(char* first, char* last, const Format& f, double value, std::chars_format notation) {
    if (f.is_fixed()) return to_chars(first, last, f, fixed::from_double(f, value).word, notation);
    if (!std::isfinite(value) || value == 0 || notation == std::chars_format::hex)
        return std::to_chars(first, last, value, notation);
    const Decimal d = shortest_decimal(f, std::fabs(value));
    return detail::put_text(first, last,
                            detail::decimal_text(std::to_string(d.digits), d.exponent, std::signbit(value), notation));
}

} // namespace mantissa
