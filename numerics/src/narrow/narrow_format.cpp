#include "mantissa/narrow/narrow_format.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "../policy_words.hpp"
#include "mantissa/format.hpp"
#include "narrow_names.hpp"

namespace mantissa::narrow {

namespace {

struct Word {
    std::string_view text;
    Direction direction;
};
constexpr std::array<Word, 7> kDirections = {{{"rz", Direction::toward_zero},
                                              {"rne", Direction::nearest_even},
                                              {"rna", Direction::nearest_away},
                                              {"odd", Direction::to_odd},
                                              {"up", Direction::up},
                                              {"down", Direction::down},
                                              {"sr", Direction::stochastic}}};

/// Is this one of the words that only narrow formats have?
bool narrow_word(std::string_view word) {
    return word == "rna" || word == "odd" || word == "up" || word == "down" || word == "sr" || word == "nan" ||
           word == "satfinite";
}

bool has_narrow_word(std::string_view policy) {
    while (!policy.empty()) {
        policy.remove_prefix(1);
        const std::string_view word = policy.substr(0, policy.find(':'));
        if (narrow_word(word)) return true;
        policy.remove_prefix(word.size());
    }
    return false;
}

NarrowFormat of(const Format& f) {
    NarrowFormat n;
    n.fraction_bits = f.fraction_bits;
    n.exponent_bits = f.exponent_bits;
    n.min_exponent = f.min_exponent();
    n.max = f.max();
    n.gradual = !f.flushes();
    n.has_infinity = n.has_nan = true;
    n.beyond = f.overflow == Overflow::saturate ? Beyond::saturate : Beyond::infinity;
    n.direction = f.truncates() ? Direction::toward_zero : Direction::nearest_even;
    return n;
}

void take_word(std::string_view text, std::string_view word, NarrowFormat& f) {
    for (const Word& w : kDirections)
        if (word == w.text) {
            f.direction = w.direction;
            return;
        }
    const bool both_zeros = f.coding == Coding::top_exponent;
    if (word == "flush" && both_zeros) f.gradual = false;
    else if (word == "subnormals" && f.has_zero) f.gradual = true;
    else if (word == "inf" && f.has_infinity) f.beyond = Beyond::infinity;
    else if (word == "sat") f.beyond = Beyond::saturate;
    else if (word == "satfinite") f.beyond = Beyond::saturate_all;
    else if (word == "nan" && f.has_nan) f.beyond = Beyond::nan;
    else
        throw InvalidInput(fmt::format(
            "format '{}': {} is no policy word of it; there are rz, rne, rna, odd, up, down, "
            "sr, sat, satfinite, flush and subnormals, inf where it has infinities and nan where it has NaN",
            text, word));
}

/// The same numbers under the same patterns?
bool same_numbers(const NarrowFormat& a, const NarrowFormat& b) {
    return a.fraction_bits == b.fraction_bits && a.exponent_bits == b.exponent_bits &&
           a.min_exponent == b.min_exponent && a.max == b.max && a.has_infinity == b.has_infinity &&
           a.has_nan == b.has_nan && a.coding == b.coding && a.is_signed == b.is_signed && a.has_zero == b.has_zero;
}

std::uint64_t last_pattern(const NarrowFormat& f) {
    return (std::uint64_t{1} << f.width()) - 1;
}
std::uint64_t sign_bit(const NarrowFormat& f) {
    return f.is_signed ? std::uint64_t{1} << (f.width() - 1) : 0;
}
std::uint64_t infinity_pattern(const NarrowFormat& f) {
    if (f.coding == Coding::top_exponent) return ((std::uint64_t{1} << f.exponent_bits) - 1) << f.fraction_bits;
    return f.is_signed ? sign_bit(f) - 1 : last_pattern(f) - 1;
}

std::uint64_t nan_pattern(const NarrowFormat& f) {
    if (f.coding == Coding::p3109) return f.is_signed ? sign_bit(f) : last_pattern(f);
    return infinity_pattern(f) |
           (f.has_infinity ? std::uint64_t{1} << (f.fraction_bits - 1) : (std::uint64_t{1} << f.fraction_bits) - 1);
}

[[noreturn]] void no_value(const NarrowFormat& f) {
    throw InvalidInput(fmt::format("a number that is no value of {} has no bits in it; round it first", to_string(f)));
}

/// The pattern of a positive number without the sign; what is none of the format's is refused by the caller, who reads
/// the pattern back.
std::uint64_t magnitude_pattern(const NarrowFormat& f, std::uint64_t significand, int exponent) {
    const int top = 63 - std::countl_zero(significand);
    const int power = std::max(top + exponent, f.min_exponent); // of the leading bit, or of the smallest normal number
    const int shift = exponent - (power - f.fraction_bits);     // to units of the last place
    if (shift > 63 - top || (shift < 0 && (-shift > 63 || significand % (std::uint64_t{1} << -shift) != 0)))
        no_value(f);
    const std::uint64_t units = shift >= 0 ? significand << shift : significand >> -shift;
    const std::uint64_t hidden = std::uint64_t{1} << f.fraction_bits;
    if (units < hidden && !f.has_zero) no_value(f);
    if (units < hidden) return units;
    const std::int64_t field = static_cast<std::int64_t>(power) + f.bias();
    if (field >= (std::int64_t{1} << f.exponent_bits)) no_value(f);
    return (static_cast<std::uint64_t>(field) << f.fraction_bits) | (units - hidden);
}

std::optional<NarrowFormat> read_narrow(std::string_view text) {
    const std::string_view head = text.substr(0, text.find(':'));
    const std::string_view policy = text.substr(head.size());
    std::string spelled;
    for (const Alias& a : kAliases)
        if (head == a.name) {
            spelled = std::string(a.text) + std::string(policy);
            return read_narrow(spelled);
        }
    std::optional<NarrowFormat> f;
    for (const Named& n : kNamed)
        if (head == n.name) f = n.format;
    if (!f) f = parse_p3109(head);
    if (!f) {
        if (!has_narrow_word(policy) || head.substr(0, 2) == "fx" || head.substr(0, 3) == "ufx") return std::nullopt;
        f = of(parse_format(head)); // its own line where the head is wrong
    }
    for (std::string_view rest = policy; !rest.empty();) {
        rest.remove_prefix(1);
        const std::string_view word = rest.substr(0, rest.find(':'));
        take_word(text, word, *f);
        rest.remove_prefix(word.size());
    }
    return f;
}

} // namespace

std::optional<NarrowFormat> parse_narrow(std::string_view text) {
    policy_words::refuse_twice(text);
    return read_narrow(text);
}

std::string to_string(const NarrowFormat& f) {
    std::string text;
    NarrowFormat plain = f;
    for (const Named& n : kNamed)
        if (same_numbers(n.format, f) && (n.name != "fp8_e5m2" || f.gradual) &&
            (f.coding != Coding::p3109 || f.beyond != Beyond::infinity)) {
            text = n.name;
            plain = n.format;
        }
    if (text.empty() && f.coding == Coding::p3109) {
        text = fmt::format("binary{}p{}{}{}", f.width(), f.fraction_bits + 1, f.is_signed ? 's' : 'u',
                           f.has_infinity ? 'e' : 'f');
        plain = p3109(f.width(), f.fraction_bits + 1, f.is_signed, f.has_infinity);
    }
    if (text.empty()) {
        text = fmt::format("s{}e{}", f.fraction_bits, f.exponent_bits);
        plain.gradual = false;
        plain.beyond = Beyond::infinity;
        plain.direction = Direction::toward_zero;
    }
    if (f.direction != plain.direction)
        for (const Word& w : kDirections)
            if (w.direction == f.direction) text += fmt::format(":{}", w.text);
    if (f.gradual != plain.gradual) text += f.gradual ? ":subnormals" : ":flush";
    if (f.beyond != plain.beyond)
        text += f.beyond == Beyond::infinity   ? ":inf"
                : f.beyond == Beyond::saturate ? ":sat"
                : f.beyond == Beyond::nan      ? ":nan"
                                               : ":satfinite";
    return text;
}

std::uint64_t encode(const NarrowFormat& f, const Value& value) {
    if (value.kind == Value::Kind::nan) {
        if (!f.has_nan)
            throw InvalidInput(fmt::format("{} has no NaN, so there is no bit pattern for it", to_string(f)));
        return nan_pattern(f);
    }
    const bool zero = value.kind == Value::Kind::finite && value.significand == 0;
    if (value.negative && !f.is_signed && !zero) no_value(f);
    const std::uint64_t sign = value.negative ? sign_bit(f) : 0;
    if (value.kind == Value::Kind::infinite) {
        if (!f.has_infinity)
            throw InvalidInput(fmt::format("{} has no infinities, so there is no bit pattern for one", to_string(f)));
        return sign | infinity_pattern(f);
    }
    if (zero) {
        if (!f.has_zero) no_value(f);
        return f.signed_zero() ? sign : 0;
    }
    const std::uint64_t bits = sign | magnitude_pattern(f, value.significand, value.exponent);
    const Value back = decode_value(f, bits); // another number, or none, where the pattern means something else
    if (back.kind != Value::Kind::finite || back.significand == 0) no_value(f);
    return bits;
}

std::uint64_t encode(const NarrowFormat& f, double value) {
    Value v;
    v.negative = std::signbit(value);
    if (std::isnan(value)) v.kind = Value::Kind::nan;
    else if (std::isinf(value)) v.kind = Value::Kind::infinite;
    else if (value != 0) {
        const int exponent = std::max(std::ilogb(value), -1022);
        v.exponent = exponent - 52;
        v.significand = static_cast<std::uint64_t>(std::ldexp(std::ldexp(std::fabs(value), -exponent), 52));
    }
    return encode(f, v);
}

Value decode_value(const NarrowFormat& f, std::uint64_t bits) {
    bits &= last_pattern(f);
    Value v;
    v.negative = (bits & sign_bit(f)) != 0;
    const std::uint64_t size = bits & ~sign_bit(f), fraction_ones = (std::uint64_t{1} << f.fraction_bits) - 1;
    const std::uint64_t ones = (std::uint64_t{1} << f.exponent_bits) - 1, field = size >> f.fraction_bits;
    const std::uint64_t fraction = size & fraction_ones;
    const bool inside_top = f.coding == Coding::top_exponent && field == ones;
    if (f.has_infinity && size == infinity_pattern(f)) {
        v.kind = Value::Kind::infinite;
        return v;
    }
    if (f.has_nan && ((f.coding == Coding::p3109 && bits == nan_pattern(f)) || (inside_top && f.has_infinity) ||
                      (inside_top && fraction == fraction_ones))) {
        v.kind = Value::Kind::nan;
        v.negative = v.negative && f.coding == Coding::top_exponent;
        return v;
    }
    const bool normal = field != 0 || !f.has_zero;
    v.significand = normal ? fraction + fraction_ones + 1 : (f.gradual ? fraction : 0);
    v.exponent = (normal ? static_cast<int>(field) - f.bias() : f.min_exponent) - f.fraction_bits;
    return v;
}

Value largest(const NarrowFormat& f) {
    // The last pattern of a positive number, in front of what is none.
    std::uint64_t bits = f.is_signed ? sign_bit(f) - 1 : last_pattern(f);
    if (f.coding == Coding::top_exponent && f.has_infinity) bits = infinity_pattern(f);
    while (decode_value(f, bits).kind != Value::Kind::finite) --bits;
    return decode_value(f, bits);
}

double decode(const NarrowFormat& f, std::uint64_t bits) {
    const Value v = decode_value(f, bits);
    const double size = v.kind == Value::Kind::nan        ? std::numeric_limits<double>::quiet_NaN()
                        : v.kind == Value::Kind::infinite ? std::numeric_limits<double>::infinity()
                                                          : std::ldexp(static_cast<double>(v.significand), v.exponent);
    return v.negative ? -size : size;
}

} // namespace mantissa::narrow
