#include "judge.hpp"

#include <bit>
#include <cmath>
#include <limits>

#include <fmt/format.h>

namespace mantissa::judge {

Judge::Judge(const Format& f, int operand_precision) {
    for (mpfr_ptr x : {a_, b_, c_}) mpfr_init2(x, operand_precision);
    for (mpfr_ptr x : {toward_zero_, nearest_, scratch_, max_}) mpfr_init2(x, f.precision());
    mpfr_set_ui_2exp(max_, 1, f.max_exponent() + 1, MPFR_RNDN);
    mpfr_nextbelow(max_);
}

Judge::~Judge() {
    for (mpfr_ptr x : {a_, b_, c_, toward_zero_, nearest_, scratch_, max_}) mpfr_clear(x);
}

void Judge::form(Op op, double a, double b, double c) {
    const auto apply = [&](mpfr_ptr out, mpfr_rnd_t rounding) {
        switch (op) {
        case Op::add:
            return mpfr_add(out, a_, b_, rounding);
        case Op::sub:
            return mpfr_sub(out, a_, b_, rounding);
        case Op::mul:
            return mpfr_mul(out, a_, b_, rounding);
        case Op::div:
            return mpfr_div(out, a_, b_, rounding);
        case Op::sqrt:
            return mpfr_sqrt(out, a_, rounding);
        case Op::fma:
            return mpfr_fma(out, a_, b_, c_, rounding);
        case Op::convert:
            return mpfr_set(out, a_, rounding);
        default: // those of two roundings are judged one by one
            return 0;
        }
    };
    mpfr_set_d(a_, a, MPFR_RNDN);
    if (arity(op) > 1) mpfr_set_d(b_, b, MPFR_RNDN);
    if (arity(op) > 2) mpfr_set_d(c_, c, MPFR_RNDN);
    toward_zero_ternary_ = apply(toward_zero_, MPFR_RNDZ);
    nearest_ternary_ = apply(nearest_, MPFR_RNDN);
}

bool Judge::form_text(const std::string& text, int base) {
    char* end = nullptr;
    toward_zero_ternary_ = mpfr_strtofr(toward_zero_, text.c_str(), &end, base, MPFR_RNDZ);
    nearest_ternary_ = mpfr_strtofr(nearest_, text.c_str(), &end, base, MPFR_RNDN);
    return end == text.c_str() + text.size();
}

double Judge::result(const Format& f) {
    const bool truncates = f.rounding == Rounding::toward_zero;
    mpfr_srcptr x = truncates ? toward_zero_ : nearest_;
    if (mpfr_nan_p(x)) return std::numeric_limits<double>::quiet_NaN();
    if (!mpfr_regular_p(x)) return mpfr_get_d(x, MPFR_RNDN);
    const double sign = mpfr_signbit(x) ? -1.0 : 1.0;
    const mpfr_exp_t exponent = mpfr_get_exp(x) - 1; // MPFR's significands are in [1/2, 1)
    if (exponent > f.max_exponent()) {
        if (truncates || f.overflow == Overflow::saturate) return sign * mpfr_get_d(max_, MPFR_RNDN);
        return sign * std::numeric_limits<double>::infinity();
    }
    if (exponent < f.min_exponent()) {
        if (f.subnormals == Subnormals::flush) return sign * 0.0;
        // MPFR's own emulation of gradual underflow, which mends double rounding by the ternary value.
        const mpfr_exp_t least = mpfr_get_emin(), greatest = mpfr_get_emax();
        const mpfr_rnd_t rounding = truncates ? MPFR_RNDZ : MPFR_RNDN;
        mpfr_set(scratch_, x, MPFR_RNDN);
        mpfr_set_emin(f.min_exponent() - f.fraction_bits + 1);
        mpfr_set_emax(f.max_exponent() + 1);
        const int ternary = mpfr_check_range(scratch_, truncates ? toward_zero_ternary_ : nearest_ternary_, rounding);
        mpfr_subnormalize(scratch_, ternary, rounding);
        mpfr_set_emin(least);
        mpfr_set_emax(greatest);
        return mpfr_get_d(scratch_, MPFR_RNDN);
    }
    return mpfr_get_d(x, MPFR_RNDN);
}

bool same(double x, double y) {
    return std::bit_cast<std::uint64_t>(x) == std::bit_cast<std::uint64_t>(y);
}

std::string mismatch(const Format& f, std::string_view subject, Op op, double a, double b, double c, double got,
                     double expected) {
    const auto text = [&](double x) {
        return representable(f, x) ? fmt::format("{} ({:a})", bit_string(f, x), x)
                                   : fmt::format("{} ({:a})", bit_string(formats::kDouble, x), x);
    };
    std::string line = fmt::format("{} {} {}:\n  a        {}\n", to_string(f), subject, name(op), text(a));
    if (arity(op) > 1) line += fmt::format("  b        {}\n", text(b));
    if (arity(op) > 2) line += fmt::format("  c        {}\n", text(c));
    return line + fmt::format("  got      {}\n  expected {}", text(got), text(expected));
}

} // namespace mantissa::judge
