#include "operands.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace mantissa::judge {

std::string_view name(Class c) {
    switch (c) {
    case Class::ordinary:
        return "ordinary";
    case Class::far_exponent:
        return "far exponent";
    case Class::cancellation:
        return "cancellation";
    case Class::near_overflow:
        return "near overflow";
    case Class::near_underflow:
        return "near underflow";
    case Class::specials:
        return "specials";
    case Class::subnormal_operands:
        return "subnormal operands";
    }
    return "?";
}

Operands::Operands(const Format& f, std::uint64_t seed)
    : f_(formats::ieee(f.fraction_bits, f.exponent_bits)), random_(seed) {}

/// A number of either sign with this exponent. Every fourth fraction is mostly zeros, every fourth mostly ones.
double Operands::number(int exponent) {
    exponent = std::clamp(exponent, f_.min_exponent(), f_.max_exponent());
    const std::uint64_t mask = (std::uint64_t{1} << f_.fraction_bits) - 1;
    const std::uint64_t kind = random_();
    std::uint64_t fraction = random_();
    if ((kind & 3) == 0) fraction &= random_() & random_() & random_();
    if ((kind & 3) == 1) fraction |= random_() | random_() | random_();
    const std::uint64_t bits = ((kind >> 8 & 1) << 63) | (static_cast<std::uint64_t>(exponent + 1023) << 52) |
                               ((fraction & mask) << (52 - f_.fraction_bits));
    return std::bit_cast<double>(bits);
}

double Operands::number_between(int low, int high) {
    return number(random_.between(low, high));
}

double Operands::subnormal() {
    const std::uint64_t random = random_();
    const int kept = 1 + static_cast<int>(random % static_cast<unsigned>(f_.fraction_bits));
    const auto units = static_cast<double>((random_() >> 11) & ((std::uint64_t{1} << kept) - 1));
    return std::copysign(std::ldexp(units, f_.min_exponent() - f_.fraction_bits), random >> 63 != 0 ? -1.0 : 1.0);
}

double Operands::special(Class c) {
    double x = 0;
    switch (random_() % (c == Class::subnormal_operands ? 10 : 8)) {
    case 0:
        x = 0;
        break;
    case 1:
        x = std::numeric_limits<double>::infinity();
        break;
    case 2:
        return std::numeric_limits<double>::quiet_NaN();
    case 3:
        x = f_.max();
        break;
    case 4:
        x = f_.min_normal();
        break;
    case 5:
        x = 1;
        break;
    case 6:
        x = 1 + f_.epsilon();
        break;
    case 7:
        x = 2 - f_.epsilon();
        break;
    case 8:
        x = f_.min_positive();
        break;
    case 9:
        x = f_.min_normal() - f_.min_positive();
        break;
    }
    return (random_() & 1) != 0 ? -x : x;
}

/// The nearest normal number of the format, for draws that aim at one.
double Operands::rounded(double x) {
    if (!(std::fabs(x) < f_.max())) return std::copysign(f_.max(), x);
    if (std::fabs(x) < f_.min_normal()) return std::copysign(f_.min_normal(), x);
    const int exponent = std::ilogb(x);
    const double units = std::nearbyint(std::ldexp(std::ldexp(x, -exponent), f_.fraction_bits));
    x = std::ldexp(std::ldexp(units, -f_.fraction_bits), exponent);
    return std::fabs(x) > f_.max() ? std::copysign(f_.max(), x) : x;
}

/// x moved by some units in the last place, kept normal.
double Operands::step(double x, int units) {
    const std::uint64_t unit = std::uint64_t{1} << (52 - f_.fraction_bits);
    const std::uint64_t moved = std::bit_cast<std::uint64_t>(x) + static_cast<std::uint64_t>(units) * unit;
    const auto y = std::bit_cast<double>(moved);
    return std::fabs(y) <= f_.max() && std::fabs(y) >= f_.min_normal() ? y : x;
}

std::array<double, 3> Operands::draw_cancellation(Op op) {
    const int reach = std::min(f_.max_exponent() / 2, 20);
    const double a = number_between(-reach, reach), b = number_between(-reach, reach);
    switch (op) {
    case Op::add:
    case Op::sub: {
        // Equal exponents or neighbours, differing in the last bits or anywhere.
        const double near =
            (random_() & 1) != 0 ? step(a, random_.between(-8, 8)) : number(std::ilogb(a) + random_.between(-2, 2));
        return {a, op == Op::add ? -std::copysign(near, a) : std::copysign(near, a), 0};
    }
    case Op::mul:
        return {rounded(a / b), step(b, random_.between(-1, 1)), 0};
    case Op::div:
        return {step(rounded(a * b), random_.between(-1, 1)), b, 0};
    case Op::sqrt:
        return {step(rounded(a * a), random_.between(-2, 2)), 0, 0};
    case Op::fma:
        return {a, b, step(rounded(-(a * b)), random_.between(-2, 2))};
    default: // conversions
        return {a, 0, 0};
    }
}

/// A double for conversion: a number of the class, then something in the bits below its last, ties among them.
double Operands::draw_unrounded(Class c) {
    const int low = f_.min_exponent(), high = f_.max_exponent();
    double x = 0;
    switch (c) {
    case Class::ordinary:
        x = number_between(-4, 4);
        break;
    case Class::far_exponent:
        x = number_between(low, high);
        break;
    case Class::cancellation:
        x = number_between(-4, 4);
        break;
    case Class::near_overflow:
        x = number_between(high - 1, high);
        break;
    case Class::near_underflow:
        x = number_between(low, low + 1);
        break;
    case Class::specials:
        x = (random_() & 3) != 0 ? special(Class::subnormal_operands) : std::bit_cast<double>(random_());
        if ((random_() & 7) == 0) { // a NaN of any sign and fraction: its first bits alone, its last alone, or all
            const std::uint64_t random = random_(), all = (std::uint64_t{1} << 52) - 1;
            const std::uint64_t fraction = (random & 1) != 0   ? all
                                           : (random & 2) != 0 ? (random >> 12) & all
                                                               : std::uint64_t{1} << (random >> 32) % 52;
            x = std::bit_cast<double>((random & (std::uint64_t{1} << 63)) | (std::uint64_t{0x7FF} << 52) | fraction);
        }
        break;
    case Class::subnormal_operands:
        x = (random_() & 7) != 0 ? subnormal() : special(c);
        break;
    }
    if (!std::isfinite(x)) return x;
    const int spare = 52 - f_.fraction_bits;
    if (spare > 0 && x != 0) { // the bits below the format's last: anything, a tie, or just beside one
        const std::uint64_t all = (std::uint64_t{1} << spare) - 1, tie = std::uint64_t{1} << (spare - 1);
        const std::uint64_t random = random_();
        const std::uint64_t tail = (random & 3) == 0   ? tie
                                   : (random & 3) == 1 ? (tie + (random >> 32 & 1) * 2 - 1) & all
                                                       : (random >> 8) & all;
        x = std::bit_cast<double>(std::bit_cast<std::uint64_t>(x) | tail);
    }
    // Across the range's edges, by a power of two that leaves double its bits or a rounded double: both are doubles.
    if (c == Class::near_overflow && f_.exponent_bits < 11) x *= (random_() & 1) != 0 ? 1.0 : 2.0;
    if (c == Class::near_underflow) x *= Format::power_of_two(-random_.between(0, f_.fraction_bits + 3));
    return x;
}

std::array<double, 3> Operands::draw(Op op, Class c) {
    if (op == Op::convert) return {draw_unrounded(c), 0, 0};
    const int low = f_.min_exponent(), high = f_.max_exponent();
    std::array<double, 3> x{};
    const auto fill = [&](auto one) {
        for (int i = 0; i < arity(op); ++i) x[static_cast<std::size_t>(i)] = one();
    };
    switch (c) {
    case Class::ordinary:
        fill([&] { return number_between(-4, 4); });
        break;
    case Class::far_exponent:
        // Half of the sums straddle the edge of the precision, where the smaller operand is a tail and no more.
        fill([&] { return number_between(low, high); });
        if ((random_() & 1) != 0 && arity(op) > 1)
            x[1] = number(std::ilogb(x[0]) - f_.precision() - random_.between(-3, 3));
        if (op == Op::fma) {
            x[2] = number(std::ilogb(x[0]) + std::ilogb(x[1]) + random_.between(-2, 2) +
                          ((random_() & 1) != 0 ? f_.precision() : -2 * f_.precision()));
        }
        break;
    case Class::cancellation:
        return draw_cancellation(op);
    case Class::near_overflow:
        if (op == Op::mul || op == Op::fma) {
            x[0] = number_between(low, high);
            x[1] = number(high - std::ilogb(x[0]) - random_.between(0, 1));
            if (op == Op::fma) x[2] = number_between(high - f_.precision() - 2, high);
        } else if (op == Op::div) {
            x[1] = number_between(low, high);
            x[0] = number(high + std::ilogb(x[1]) + random_.between(-1, 1));
        } else {
            fill([&] { return number_between(high - 2, high); });
            if ((random_() & 3) == 0) x[0] = std::copysign(f_.max(), x[0]);
            if (arity(op) > 1 && (random_() & 3) == 0) x[1] = number(high - f_.precision() + random_.between(-2, 2));
        }
        break;
    case Class::near_underflow:
        if (op == Op::mul || op == Op::fma) {
            x[0] = number_between(low, high);
            x[1] = number(low - std::ilogb(x[0]) - random_.between(-1, f_.fraction_bits + 3));
            if (op == Op::fma) x[2] = number_between(low, low + 2);
            if (op == Op::mul && (random_() & 3) == 0) { // close below the smallest normal number
                x[0] = step(std::ldexp(2.0, random_.between(low, 0) - 1), -random_.between(1, 4));
                x[1] = step(std::ldexp(1.0, std::clamp(low - std::ilogb(x[0]) - 1, low, high)), random_.between(0, 4));
            }
        } else if (op == Op::div) {
            x[1] = number_between(low, high);
            x[0] = number(low + std::ilogb(x[1]) - random_.between(-1, f_.fraction_bits + 3));
        } else {
            fill([&] { return number_between(low, low + 2); });
        }
        break;
    case Class::specials:
        fill([&] { return (random_() & 1) != 0 ? special(c) : number_between(low, high); });
        break;
    case Class::subnormal_operands:
        fill([&] {
            const std::uint64_t random = random_() & 7;
            return random < 5 ? subnormal() : random < 7 ? number_between(low, high) : special(c);
        });
        if (op == Op::fma && (random_() & 1) != 0) x[0] = number_between(low, high);
        break;
    }
    // Roots are mostly asked of positive numbers.
    if (op == Op::sqrt && x[0] < 0 && c != Class::specials) x[0] = -x[0];
    return x;
}

} // namespace mantissa::judge
