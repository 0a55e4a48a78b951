// The judge of fixed-point arithmetic: what an operation on words must give, by exact integers alone. An exact result
// is a fraction of integers in units of 2^-F, and a claimed word is right where the fraction lies in the interval that
// rounds to it: no shift and no formula of the library's is used. Integer is __int128 where that holds every product,
// else a Boost integer.
#pragma once

#include <cstdint>
#include <string>

#include <boost/multiprecision/cpp_int.hpp>
#include <fmt/format.h>

#include "mantissa/fixed_arithmetic.hpp"
#include "mantissa/operation.hpp"
#include "operands.hpp"

namespace mantissa::judge {

__extension__ using Int128 = __int128;
/// Of W = 64: products of 126 bits times 2^(F + 1).
using WideInteger = boost::multiprecision::int256_t;

/// What stands before the judge: Operation's, and x 2^exponent.
enum class FixedOp : std::uint8_t { add, sub, mul, div, fma, ldexp, scale, add_scaled, sub_scaled };
inline constexpr FixedOp kFixedOps[] = {FixedOp::add,   FixedOp::sub,        FixedOp::mul,
                                        FixedOp::div,   FixedOp::fma,        FixedOp::ldexp,
                                        FixedOp::scale, FixedOp::add_scaled, FixedOp::sub_scaled};
constexpr const char* name(FixedOp op) {
    constexpr const char* kNames[] = {"add", "sub", "mul", "div", "fma", "ldexp", "scale", "add_scaled", "sub_scaled"};
    return kNames[static_cast<int>(op)];
}
constexpr bool is_scaled(FixedOp op) {
    return op >= FixedOp::scale;
}

/// Words, a factor, and an exponent of ldexp's.
struct FixedCase {
    fixed::Word a = 0, b = 0, c = 0;
    fixed::Scalar s;
    int exponent = 0;
};

template <class Integer> class FixedJudge {
public:
    explicit FixedJudge(const Format& f) : f_(f), least_(-power(f.word_bits - 1)), above_(power(f.word_bits - 1)) {}

    /// Is `got` what the operation must give?
    bool right(FixedOp op, const FixedCase& x, const fixed::Rounded& got) const {
        const Integer a = x.a, b = x.b, c = x.c;
        const int f = f_.fraction_bits;
        switch (op) {
        case FixedOp::add:
            return judge(a + b, 1, got);
        case FixedOp::sub:
            return judge(a - b, 1, got);
        case FixedOp::mul:
            return f >= 0 ? judge(a * b, power(f), got) : judge(a * b * power(-f), 1, got);
        case FixedOp::fma:
            return f >= 0 ? judge(a * b + c * power(f), power(f), got) : judge(a * b * power(-f) + c, 1, got);
        case FixedOp::div: {
            if (b == 0) return got == fixed::Rounded{0, true};
            const Integer over = f >= 0 ? Integer(a * power(f)) : a, under = f >= 0 ? b : Integer(b * power(-f));
            return b < 0 ? judge(-over, -under, got) : judge(over, under, got);
        }
        case FixedOp::ldexp:
            return x.exponent >= 0 ? judge(a * power(x.exponent), 1, got) : judge(a, power(-x.exponent), got);
        default:
            break;
        }
        const Integer product = Integer(x.s.significand) * a;
        const int e = x.s.exponent;
        const Integer over = e >= 0 ? Integer(product * power(e)) : product, under = power(e >= 0 ? 0 : -e);
        if (op == FixedOp::scale) return judge(over, under, got);
        return judge(over, under, got, b, op == FixedOp::sub_scaled);
    }

    /// Is `got` `to` + rnd(over / under), or `to` - that? under > 0.
    bool judge(const Integer& over, const Integer& under, const fixed::Rounded& got, const Integer& to = 0,
               bool subtract = false) const {
        // rnd(x) = n just where n <= doubled / divisor < n + 1.
        const bool nearest = f_.rounding == Rounding::nearest_up;
        const Integer doubled = nearest ? Integer(2 * over + under) : over;
        const Integer divisor = nearest ? Integer(2 * under) : under;
        const Integer least = subtract ? Integer(to - above_ + 1) : Integer(least_ - to);
        const Integer above = subtract ? Integer(to - least_ + 1) : Integer(above_ - to);
        const bool fits = doubled >= least * divisor && doubled < above * divisor;
        if (got.overflow == fits) return false;
        if (fits) {
            const Integer n = subtract ? Integer(to - got.word) : Integer(Integer(got.word) - to);
            return doubled >= n * divisor && doubled < (n + 1) * divisor;
        }
        Integer n = doubled / divisor; // toward zero
        if (n * divisor > doubled) --n;
        const Integer exact = subtract ? Integer(to - n) : Integer(to + n);
        return (exact - got.word) % power(f_.word_bits) == 0 && got.word >= least_ && got.word < above_;
    }

    [[nodiscard]] std::string mismatch(FixedOp op, const FixedCase& x, const fixed::Rounded& got) const {
        return fmt::format("{} {}: a {} b {} c {} s {} 2^{} exponent {}: got {}{}", to_string(f_), name(op), x.a, x.b,
                           x.c, x.s.significand, x.s.exponent, x.exponent, got.word, got.overflow ? ", overflow" : "");
    }

private:
    static Integer power(int exponent) {
        Integer x = 1;
        x <<= exponent;
        return x;
    }
    Format f_;
    Integer least_, above_;
};

/// The library's definition.
inline fixed::Rounded define(const Format& f, FixedOp op, const FixedCase& x) {
    switch (op) {
    case FixedOp::add:
        return fixed::add(f, x.a, x.b);
    case FixedOp::sub:
        return fixed::sub(f, x.a, x.b);
    case FixedOp::mul:
        return fixed::mul(f, x.a, x.b);
    case FixedOp::div:
        return fixed::div(f, x.a, x.b);
    case FixedOp::fma:
        return fixed::fma(f, x.a, x.b, x.c);
    case FixedOp::ldexp:
        return fixed::ldexp(f, x.a, x.exponent);
    case FixedOp::scale:
        return fixed::scale(f, x.s, f, x.a);
    case FixedOp::add_scaled:
        return fixed::add_scaled(f, x.b, x.s, f, x.a);
    case FixedOp::sub_scaled:
        return fixed::sub_scaled(f, x.b, x.s, f, x.a);
    }
    return {};
}

} // namespace mantissa::judge
