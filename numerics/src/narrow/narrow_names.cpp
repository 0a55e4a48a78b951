#include "narrow_names.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>

#include <fmt/format.h>

#include "mantissa/errors.hpp"

namespace mantissa::narrow {

namespace {

/// A number of one or two digits off the front of `text`.
std::optional<int> take_digits(std::string_view& text) {
    int value = 0;
    std::size_t n = 0;
    while (n < text.size() && n < 2 && text[n] >= '0' && text[n] <= '9') value = value * 10 + (text[n++] - '0');
    if (n == 0) return std::nullopt;
    text.remove_prefix(n);
    return value;
}

} // namespace

NarrowFormat p3109(int bits, int precision, bool is_signed, bool extended) {
    NarrowFormat f;
    f.fraction_bits = precision - 1;
    f.exponent_bits = bits - precision + (is_signed ? 0 : 1);
    f.min_exponent = 1 - (1 << (is_signed ? bits - precision - 1 : bits - precision));
    f.has_infinity = extended;
    f.has_nan = true;
    f.beyond = Beyond::infinity;
    f.coding = Coding::p3109;
    f.is_signed = is_signed;
    const Value max = largest(f);
    f.max = std::ldexp(static_cast<double>(max.significand), max.exponent);
    return f;
}

std::optional<NarrowFormat> parse_p3109(std::string_view head) {
    std::string text(head);
    std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
    std::string_view rest = text;
    constexpr std::string_view kName = "binary";
    if (rest.substr(0, kName.size()) != kName) return std::nullopt;
    rest.remove_prefix(kName.size());
    const auto bits = take_digits(rest);
    if (!bits || rest.empty() || rest.front() != 'p') return std::nullopt;
    rest.remove_prefix(1);
    const auto precision = take_digits(rest);
    const bool known = rest.empty() || rest == "se" || rest == "sf" || rest == "ue" || rest == "uf";
    if (!precision || !known)
        throw InvalidInput(fmt::format("format '{}': write binary<K>p<P> and one of se, sf, ue, uf, as binary8p3se: "
                                       "signed or unsigned, extended or finite",
                                       head.substr(0, 40)));
    const bool is_signed = rest.empty() || rest.front() == 's', extended = rest.empty() || rest.back() == 'e';
    if (*bits < 3 || *bits > 16) throw InvalidInput(fmt::format("format '{}': K is 3 to 16 bits", head.substr(0, 40)));
    const int most = is_signed ? *bits - 1 : *bits;
    if (*precision < 1 || *precision > most)
        throw InvalidInput(fmt::format("format '{}': the precision of {} {}-bit format is 1 to {}", head.substr(0, 40),
                                       is_signed ? "a signed" : "an unsigned", *bits, most));
    return p3109(*bits, *precision, is_signed, extended);
}

} // namespace mantissa::narrow
