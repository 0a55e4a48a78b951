// Operands for the random half of the judgement of fixed-point arithmetic: words, factors and exponents, by class.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>

#include "fixed_judge.hpp"

namespace mantissa::judge {

/// Where operands are looked for. Each class aims at what the operation at hand does there.
enum class FixedClass : std::uint8_t {
    uniform,       ///< all words alike
    extremes,      ///< the ends, zero, powers of two, and their neighbours
    ties,          ///< results halfway between two words, and beside that
    near_overflow, ///< results about the largest and the smallest word
    mixed,         ///< words of any length
};
inline constexpr FixedClass kFixedClasses[] = {FixedClass::uniform, FixedClass::extremes, FixedClass::ties,
                                               FixedClass::near_overflow, FixedClass::mixed};

class FixedOperands {
public:
    FixedOperands(const Format& f, std::uint64_t seed)
        : f_(f), random_(seed), least_(fixed::min_word(f)), greatest_(fixed::max_word(f)) {}

    /// The factor that the cases of one call of a kernel share: `a` is a word that it is aimed at.
    fixed::Scalar factor(FixedClass c, fixed::Word a) {
        const int length = random_.between(1, (random_() & 3) == 0 ? 63 : 18);
        auto significand = static_cast<std::int64_t>(random_() >> (64 - length) | 1U << 0);
        if (c == FixedClass::extremes && (random_() & 1) != 0)
            significand = static_cast<std::int64_t>((std::uint64_t{1} << random_.between(0, 62)) - (random_() & 1));
        const int bits = size(significand) + size(a) - f_.word_bits;
        // Mostly products as long as a word, at times much shorter or longer; what a shift does, not the value.
        int right = std::max(bits, 0) + random_.between(0, 4);
        if (c == FixedClass::near_overflow) right = std::max(bits, 0) + random_.between(-1, 2);
        if (c == FixedClass::ties) right = std::countr_zero(static_cast<std::uint64_t>(a) | std::uint64_t{1} << 62) + 1;
        if (c == FixedClass::mixed) right = random_.between(-8, 62);
        return {(random_() & 1) != 0 ? significand : -significand, -std::clamp(right, -8, 62)};
    }

    FixedCase draw(FixedOp op, FixedClass c) {
        FixedCase x;
        for (fixed::Word* word : {&x.a, &x.b, &x.c}) *word = draw_word(c);
        x.exponent = random_.between(-f_.word_bits - 2, f_.word_bits + 2);
        if (c == FixedClass::ties) make_tie(op, x);
        if (c == FixedClass::near_overflow) aim_at_limit(op, x);
        return x;
    }

private:
    static int size(fixed::Word x) { return fixed::bits_of(x) - 1; }
    fixed::Word clamp(long double x) {
        const auto limited = std::clamp(std::isnan(x) ? 0 : std::floor(x), static_cast<long double>(least_),
                                        static_cast<long double>(greatest_));
        return static_cast<fixed::Word>(limited);
    }
    fixed::Word beside(fixed::Word x, int reach) {
        return static_cast<fixed::Word>(
            std::clamp<Int128>(Int128{x} + random_.between(-reach, reach), least_, greatest_));
    }
    fixed::Word word() { return static_cast<fixed::Word>(random_()) >> (64 - f_.word_bits); }
    fixed::Word draw_word(FixedClass c) {
        if (c == FixedClass::extremes) {
            const int kind = random_.between(0, 3);
            if (kind == 0) return beside(least_, 2);
            if (kind == 1) return beside(greatest_, 2);
            if (kind == 2) return beside(0, 2);
            const fixed::Word power = fixed::Word{1} << random_.between(0, f_.word_bits - 2);
            return beside((random_() & 1) != 0 ? power : -power, 1);
        }
        if (c == FixedClass::mixed) return word() >> random_.between(0, f_.word_bits - 1);
        return word();
    }
    /// An odd number shifted left by `zeros`, as a word (or any word, where that is impossible).
    fixed::Word with_zeros(int zeros) {
        if (zeros < 0 || zeros > f_.word_bits - 2) return word();
        const fixed::Word odd = (word() >> (zeros + random_.between(0, f_.word_bits - 2 - zeros))) | 1;
        return static_cast<fixed::Word>(static_cast<std::uint64_t>(odd) << zeros);
    }
    void make_tie(FixedOp op, FixedCase& x) {
        const int f = f_.fraction_bits;
        if (op == FixedOp::mul || op == FixedOp::fma) {
            const int zeros = random_.between(0, std::max(f - 1, 0));
            x.a = with_zeros(std::min(zeros, f_.word_bits - 2));
            x.b = with_zeros(f - 1 - std::min(zeros, f_.word_bits - 2));
        } else if (op == FixedOp::div) {
            // a 2^F / b with an odd a and a b of F + 1 zeros, its odd part dividing a; or b = 2^j times that.
            x.a = with_zeros(0);
            x.b = f + 1 <= f_.word_bits - 2 ? fixed::Word{1} << std::max(f + 1, 0) : word();
            const fixed::Word odd = random_.between(0, 4) * 2 + 1;
            const Int128 a = Int128{x.a} * odd, b = Int128{x.b} * odd;
            if (a >= least_ && a <= greatest_ && b >= least_ && b <= greatest_)
                x.a = static_cast<fixed::Word>(a), x.b = static_cast<fixed::Word>(b);
            if ((random_() & 1) != 0 && x.b != least_) x.b = -x.b;
        } else if (op == FixedOp::ldexp) {
            const int zeros = random_.between(0, f_.word_bits - 2);
            x.a = with_zeros(zeros);
            x.exponent = -zeros - 1;
        }
        if ((random_() & 3) == 0) x.a = beside(x.a, 1); // by one unit no tie
    }
    void aim_at_limit(FixedOp op, FixedCase& x) {
        const long double limit = static_cast<long double>((random_() & 1) != 0 ? greatest_ : least_);
        const long double unit = std::ldexp(1.0L, f_.fraction_bits);
        const auto a = static_cast<long double>(x.a), b = static_cast<long double>(x.b);
        if (op == FixedOp::add) x.b = clamp(limit - a);
        if (op == FixedOp::sub) x.b = clamp(a - limit);
        if (op == FixedOp::mul) x.b = clamp(limit * unit / a);
        if (op == FixedOp::fma) x.c = clamp(limit - a * b / unit);
        if (op == FixedOp::div) {
            x.b = x.b >> random_.between(0, f_.word_bits - 1);
            x.a = clamp(limit * static_cast<long double>(x.b) / unit);
        }
        if (op == FixedOp::ldexp) x.exponent = f_.word_bits - 1 - size(x.a) + random_.between(-1, 1);
        if (is_scaled(op)) x.b = beside(static_cast<fixed::Word>(limit), 2) >> random_.between(0, 2);
        x.b = beside(x.b, 2);
    }

    Format f_;
    Random random_;
    fixed::Word least_, greatest_;
};

} // namespace mantissa::judge
