// Operands for the random half of the judgement: pairs and triples of a format's numbers, by class.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "judge.hpp"

namespace mantissa::judge {

/// Where the operands are looked for. Each class aims at what the operation at hand does there.
enum class Class : std::uint8_t {
    ordinary,           ///< exponents within a few of each other, near 1
    far_exponent,       ///< exponents far apart, beyond the precision
    cancellation,       ///< sums that cancel; products, quotients and roots that all but hit a number or a tie
    near_overflow,      ///< results about the largest finite number
    near_underflow,     ///< results about the smallest normal number, from normal operands
    specials,           ///< zeros, infinities, NaN, extreme numbers, among themselves and with others
    subnormal_operands, ///< for formats with gradual underflow only
};
inline constexpr Class kAllClasses[] = {Class::ordinary,          Class::far_exponent,   Class::cancellation,
                                        Class::near_overflow,     Class::near_underflow, Class::specials,
                                        Class::subnormal_operands};
std::string_view name(Class c);

/// SplitMix64.
class Random {
public:
    explicit Random(std::uint64_t seed) : state_(seed) {}
    std::uint64_t operator()() {
        std::uint64_t z = state_ += 0x9E3779B97F4A7C15;
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
        return z ^ (z >> 31);
    }
    /// Uniform in low..high, both included.
    int between(int low, int high) {
        return low + static_cast<int>(((*this)() >> 32) * static_cast<std::uint64_t>(high - low + 1) >> 32);
    }

private:
    std::uint64_t state_;
};

/// Draws operands that are numbers of a format; for Op::convert, doubles around a format's numbers and ties.
class Operands {
public:
    Operands(const Format& f, std::uint64_t seed);
    /// a, b, c; those beyond the operation's arity are +0.
    std::array<double, 3> draw(Op op, Class c);

private:
    double number(int exponent);
    double number_between(int low, int high);
    double subnormal();
    double special(Class c);
    double rounded(double x);
    double step(double x, int units);
    std::array<double, 3> draw_cancellation(Op op);
    double draw_unrounded(Class c);

    Format f_; ///< with gradual underflow, nearest
    Random random_;
};

} // namespace mantissa::judge
