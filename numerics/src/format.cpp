#include "mantissa/format.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "mantissa/narrow/narrow_format.hpp"
#include "mantissa/narrow/word_format.hpp"
#include "policy_words.hpp"

namespace mantissa {

namespace {

/// Other names of formats, as NumPy, ml_dtypes and IEEE 754 write them.
struct Alias {
    std::string_view name, text;
};
constexpr std::array<Alias, 12> kAliases = {{{"fp64", "double"},
                                             {"float64", "double"},
                                             {"binary64", "double"},
                                             {"fp32", "float"},
                                             {"float32", "float"},
                                             {"binary32", "float"},
                                             {"fp16", "half"},
                                             {"float16", "half"},
                                             {"binary16", "half"},
                                             {"bf16", "bfloat16"},
                                             {"float8_e3m4", "s4e3:rne:subnormals"},
                                             {"float8_e4m3", "s3e4:rne:subnormals"}}};

/// Is it a format that arrays have and datapaths do not?
bool for_arrays_alone(std::string_view text) {
    try {
        return narrow::parse_narrow(text) || (text.starts_with("ufx") && narrow::parse_words(text));
    } catch (const InvalidInput&) {
        return false; // (the fault is said as a datapath's)
    }
}

Format read_format(std::string_view text) {
    const std::string_view head = text.substr(0, text.find(':'));
    for (const Alias& a : kAliases)
        if (head == a.name) return read_format(std::string(a.text) + std::string(text.substr(head.size())));
    Format f;
    const char* const fault = detail::parse_format(text, f);
    if (fault != nullptr && for_arrays_alone(text))
        throw InvalidInput(
            fmt::format("format '{}': it is for arrays alone (docs/formats.md); a datapath takes s<M>e<E>, "
                        "as in s17e8, or fx<W>.<F>, as in fx18.16",
                        text.substr(0, 60)));
    if (fault != nullptr)
        throw InvalidInput(
            fmt::format("format '{}': {}; write s<M>e<E> with M in 2..52 and E in 2..11, as in s17e8 or s23e8:rne, "
                        "fx<W>.<F> with W in 2..64, as in fx18.16, or one of double, float, half, bfloat16, tf32",
                        text.substr(0, 60), fault));
    return f;
}

} // namespace

Format parse_format(std::string_view text) {
    policy_words::refuse_twice(text);
    return read_format(text);
}

std::string to_string(const Format& f) {
    if (f.is_fixed())
        return fmt::format("fx{}.{}{}", f.word_bits, f.fraction_bits, f.rounding == Rounding::down ? ":floor" : "");
    return fmt::format("s{}e{}{}{}{}", f.fraction_bits, f.exponent_bits,
                       f.rounding == Rounding::nearest_even ? ":rne" : "",
                       f.subnormals == Subnormals::gradual ? ":subnormals" : "",
                       f.canonical().overflow == Overflow::saturate ? ":sat" : "");
}

namespace {

std::uint64_t word_mask(const Format& f) {
    return ~std::uint64_t{0} >> (64 - f.word_bits);
}

std::string fixed_bit_string(const Format& f, std::uint64_t word) {
    std::string digits = fmt::format("{:0{}b}", word, f.word_bits);
    if (f.fraction_bits < 0 || f.fraction_bits >= f.word_bits)
        return fmt::format("{} * 2^{}", digits, -f.fraction_bits);
    return digits.insert(static_cast<std::size_t>(f.word_bits - f.fraction_bits), ".");
}

} // namespace

std::uint64_t encode(const Format& f, double value) {
    if (f.is_fixed()) {
        const double units = std::ldexp(value, f.fraction_bits); // exact: the value is representable
        return static_cast<std::uint64_t>(static_cast<std::int64_t>(units)) & word_mask(f);
    }
    const int m = f.fraction_bits;
    const std::uint64_t exponent_ones = (std::uint64_t{1} << f.exponent_bits) - 1;
    if (std::isnan(value)) return (exponent_ones << m) | (std::uint64_t{1} << (m - 1));
    const std::uint64_t bits = std::bit_cast<std::uint64_t>(value);
    const std::uint64_t sign = (bits >> 63) << (f.width() - 1);
    const double magnitude = std::fabs(value);
    if (magnitude == 0) return sign;
    if (std::isinf(value)) return sign | (exponent_ones << m);
    const int exponent = std::ilogb(magnitude);
    if (exponent < f.min_exponent()) // a subnormal number: its fraction counts units of 2^(min_exponent - M)
        return sign | static_cast<std::uint64_t>(std::ldexp(std::ldexp(magnitude, m), -f.min_exponent()));
    const auto fraction = static_cast<std::uint64_t>(std::ldexp(std::ldexp(magnitude, -exponent) - 1.0, m));
    return sign | (static_cast<std::uint64_t>(exponent + f.bias()) << m) | fraction;
}

double decode(const Format& f, std::uint64_t bits) {
    if (f.is_fixed()) {
        const int above = 64 - f.word_bits; // sign extension; the conversion rounds to nearest even where W > 53
        const auto word = static_cast<std::int64_t>(bits << above) >> above;
        return std::ldexp(static_cast<double>(word), -f.fraction_bits);
    }
    const int m = f.fraction_bits;
    const std::uint64_t fraction = bits & ((std::uint64_t{1} << m) - 1);
    const std::uint64_t exponent_ones = (std::uint64_t{1} << f.exponent_bits) - 1;
    const std::uint64_t exponent = (bits >> m) & exponent_ones;
    const bool negative = ((bits >> (f.width() - 1)) & 1) != 0;
    double magnitude = 0;
    if (exponent == exponent_ones) {
        if (fraction != 0) return std::bit_cast<double>(std::uint64_t{0x7FF8} << 48);
        magnitude = std::bit_cast<double>(std::uint64_t{0x7FF0} << 48);
    } else if (exponent == 0) {
        magnitude = f.flushes() ? 0.0 : std::ldexp(static_cast<double>(fraction), f.min_exponent() - m);
    } else {
        magnitude =
            std::ldexp(1.0 + std::ldexp(static_cast<double>(fraction), -m), static_cast<int>(exponent) - f.bias());
    }
    return negative ? -magnitude : magnitude;
}

bool representable(const Format& f, double value) {
    if (f.is_fixed()) {
        const double units = std::ldexp(value, f.fraction_bits), limit = std::ldexp(1.0, f.word_bits - 1);
        return units >= -limit && units < limit && units == std::floor(units) && (units != 0 || value == 0);
    }
    if (std::isnan(value) || std::isinf(value) || value == 0) return true;
    const double magnitude = std::fabs(value);
    if (magnitude > f.max() || magnitude < f.min_positive()) return false;
    const int exponent = std::max(std::ilogb(magnitude), f.min_exponent());
    // In units in the last place, in two steps so that neither scale overflows.
    const double units = std::ldexp(std::ldexp(magnitude, -exponent), f.fraction_bits);
    return units == std::floor(units);
}

std::string bit_string(const Format& f, double value) {
    const std::uint64_t bits = encode(f, value);
    if (f.is_fixed()) return fixed_bit_string(f, bits);
    return fmt::format("{:b} {:0{}b} {:0{}b}", bits >> (f.width() - 1),
                       (bits >> f.fraction_bits) & ((std::uint64_t{1} << f.exponent_bits) - 1), f.exponent_bits,
                       bits & ((std::uint64_t{1} << f.fraction_bits) - 1), f.fraction_bits);
}

} // namespace mantissa
