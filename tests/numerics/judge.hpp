// The judge: what an operation in a format must return, worked out by GNU MPFR. It shares no formula with the library:
// MPFR rounds to the format's precision with an unbounded exponent and says which way it went (the ternary value), and
// the range policy is stated on MPFR's number.
#pragma once

#include <mpfr.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "mantissa/format.hpp"
#include "mantissa/operation.hpp"

namespace mantissa::judge {

using Op = Operation;
/// Those that MPFR judges; the scaled ones are made of them.
inline constexpr Op kAllOps[] = {Op::add, Op::sub, Op::mul, Op::div, Op::sqrt, Op::fma, Op::convert};
/// How many operands it takes.
constexpr int arity(Op op) {
    return op == Op::sqrt || op == Op::convert ? 1 : op == Op::fma ? 3 : 2;
}

/// Judges operations into formats with f's M and E, under every policy.
class Judge {
public:
    /// `operand_precision`: significant bits of the operands; at most 53.
    Judge(const Format& f, int operand_precision);
    ~Judge();
    Judge(const Judge&) = delete;
    Judge& operator=(const Judge&) = delete;

    /// Forms op(a, b, c), rounded to M + 1 bits both ways, with an unbounded exponent.
    void form(Op op, double a, double b, double c);
    /// The number that a text stands for, in base 10 or 16; true when all of the text is one.
    bool form_text(const std::string& text, int base);
    /// The result just formed under f's policies.
    double result(const Format& f);

private:
    mpfr_t a_, b_, c_, toward_zero_, nearest_, scratch_, max_;
    int toward_zero_ternary_ = 0, nearest_ternary_ = 0;
};

/// Bit-for-bit equality of two doubles that hold results; every NaN must be the canonical one.
bool same(double x, double y);

/// One line: the operation, operands and both results as bit strings of the format.
std::string mismatch(const Format& f, std::string_view subject, Op op, double a, double b, double c, double got,
                     double expected);

} // namespace mantissa::judge
