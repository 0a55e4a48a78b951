#include "mantissa/narrow/narrow_format.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "mantissa/format.hpp"

namespace mantissa::narrow {

namespace {

struct Named {
    std::string_view name;
    NarrowFormat format;
};

constexpr NarrowFormat named(int m, int e, int min_exponent, double max, bool infinity, bool nan) {
    return {m,
            e,
            min_exponent,
            max,
            true,
            infinity,
            nan,
            infinity ? Beyond::infinity : Beyond::saturate,
            Direction::nearest_even};
}
constexpr std::array<Named, 5> kNamed = {{{"fp8_e4m3", named(3, 4, -6, 448, false, true)},
                                          {"fp8_e5m2", named(2, 5, -14, 57344, true, true)},
                                          {"fp6_e3m2", named(2, 3, -2, 28, false, false)},
                                          {"fp6_e2m3", named(3, 2, 0, 7.5, false, false)},
                                          {"fp4_e2m1", named(1, 2, 0, 6, false, false)}}};

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
    return word == "rna" || word == "odd" || word == "up" || word == "down" || word == "sr" || word == "nan";
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

NarrowFormat of(std::string_view text, const Format& f) {
    if (f.is_fixed())
        throw InvalidInput(fmt::format("format '{}': fixed-point formats have the roundings nearest and floor", text));
    if (f.fraction_bits > NarrowFormat::kMaxFraction || f.exponent_bits > NarrowFormat::kMaxExponent)
        throw InvalidInput(
            fmt::format("format '{}': the roundings rna, odd, up, down and sr are for formats of at most "
                        "23 fraction and 8 exponent bits",
                        text));
    return {f.fraction_bits,
            f.exponent_bits,
            f.min_exponent(),
            f.max(),
            !f.flushes(),
            true,
            true,
            f.overflow == Overflow::saturate ? Beyond::saturate : Beyond::infinity,
            f.truncates() ? Direction::toward_zero : Direction::nearest_even};
}

void take_word(std::string_view text, std::string_view word, NarrowFormat& f) {
    for (const Word& w : kDirections)
        if (word == w.text) {
            f.direction = w.direction;
            return;
        }
    if (word == "flush") f.gradual = false;
    else if (word == "subnormals") f.gradual = true;
    else if (word == "inf" && f.has_infinity) f.beyond = Beyond::infinity;
    else if (word == "sat") f.beyond = Beyond::saturate;
    else if (word == "nan" && f.has_nan) f.beyond = Beyond::nan;
    else
        throw InvalidInput(
            fmt::format("format '{}': {} is no policy word of it; there are rz, rne, rna, odd, up, down, "
                        "sr, flush, subnormals, sat, inf where it has infinities and nan where it has NaN",
                        text, word));
}

} // namespace

std::optional<NarrowFormat> parse_narrow(std::string_view text) {
    const std::string_view head = text.substr(0, text.find(':'));
    std::string_view policy = text.substr(head.size());
    std::optional<NarrowFormat> f;
    for (const Named& n : kNamed)
        if (head == n.name) f = n.format;
    if (!f) {
        if (!has_narrow_word(policy)) return std::nullopt;
        f = of(text, parse_format(head)); // its own line where the head is wrong
    }
    while (!policy.empty()) {
        policy.remove_prefix(1);
        const std::string_view word = policy.substr(0, policy.find(':'));
        take_word(text, word, *f);
        policy.remove_prefix(word.size());
    }
    return f;
}

std::string to_string(const NarrowFormat& f) {
    std::string text;
    NarrowFormat plain = {f.fraction_bits,  f.exponent_bits,       f.min_exponent, f.max, false, true, true,
                          Beyond::infinity, Direction::toward_zero};
    for (const Named& n : kNamed) {
        const NarrowFormat& g = n.format;
        if (g.fraction_bits == f.fraction_bits && g.exponent_bits == f.exponent_bits && g.max == f.max &&
            g.has_infinity == f.has_infinity && g.has_nan == f.has_nan && (g.max != 57344 || f.gradual)) {
            text = n.name;
            plain = g;
        }
    }
    if (text.empty()) text = fmt::format("s{}e{}", f.fraction_bits, f.exponent_bits);
    if (f.direction != plain.direction)
        for (const Word& w : kDirections)
            if (w.direction == f.direction) text += fmt::format(":{}", w.text);
    if (f.gradual != plain.gradual) text += f.gradual ? ":subnormals" : ":flush";
    if (f.beyond != plain.beyond)
        text += f.beyond == Beyond::infinity ? ":inf" : f.beyond == Beyond::saturate ? ":sat" : ":nan";
    return text;
}

std::uint32_t encode(const NarrowFormat& f, double value) {
    const std::uint32_t sign = std::signbit(value) ? 1U << (f.width() - 1) : 0, ones = (1U << f.exponent_bits) - 1;
    const std::uint32_t fraction_ones = (1U << f.fraction_bits) - 1;
    if (std::isnan(value)) {
        if (!f.has_nan)
            throw InvalidInput(fmt::format("{} has no NaN, so there is no bit pattern for it", to_string(f)));
        return (ones << f.fraction_bits) | (f.has_infinity ? 1U << (f.fraction_bits - 1) : fraction_ones);
    }
    if (std::isinf(value)) {
        if (!f.has_infinity)
            throw InvalidInput(fmt::format("{} has no infinities, so there is no bit pattern for one", to_string(f)));
        return sign | (ones << f.fraction_bits);
    }
    if (value == 0) return sign;
    const double size = std::fabs(value);
    const int exponent = std::max(std::ilogb(size), f.min_exponent);
    const double units = std::ldexp(size, f.fraction_bits - exponent);
    const bool normal = units >= std::ldexp(1.0, f.fraction_bits);
    if (units != std::floor(units) || size > f.max || (!normal && !f.gradual))
        throw InvalidInput(
            fmt::format("a number that is no value of {} has no bits in it; round it first", to_string(f)));
    const auto fraction = static_cast<std::uint32_t>(units) & fraction_ones;
    const auto field = normal ? static_cast<std::uint32_t>(exponent + f.bias()) : 0U;
    return sign | (field << f.fraction_bits) | fraction;
}

double decode(const NarrowFormat& f, std::uint32_t bits) {
    const std::uint32_t ones = (1U << f.exponent_bits) - 1, fraction_ones = (1U << f.fraction_bits) - 1;
    const std::uint32_t field = (bits >> f.fraction_bits) & ones, fraction = bits & fraction_ones;
    const bool negative = ((bits >> (f.width() - 1)) & 1U) != 0;
    double size = 0;
    if (field == ones && f.has_infinity)
        size = fraction == 0 ? std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
    else if (field == ones && fraction == fraction_ones && f.has_nan) size = std::numeric_limits<double>::quiet_NaN();
    else if (field != 0)
        size = std::ldexp(static_cast<double>(fraction + fraction_ones + 1),
                          static_cast<int>(field) - f.bias() - f.fraction_bits);
    else if (f.gradual) size = std::ldexp(static_cast<double>(fraction), f.min_exponent - f.fraction_bits);
    return negative ? -size : size;
}

} // namespace mantissa::narrow
