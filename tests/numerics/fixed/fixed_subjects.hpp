// Who stands before the judge of fixed-point arithmetic: the definition (fixed_arithmetic.hpp), which the judge hears
// itself; and the value type and the vector kernels on every path, which must say what the definition says.
#pragma once

#include <optional>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

#include "fixed_judge.hpp"
#include "mantissa/fixed.hpp"
#include "mantissa/fixed_kernels.hpp"

namespace mantissa::judge {

/// The value type. Fixed has no factors of its own: of the scaled operations nothing is asked.
template <Format F> std::optional<Fixed<F>> form(FixedOp op, const FixedCase& x) {
    using Number = Fixed<F>;
    const auto number = [](fixed::Word word) {
        return Number::from_word(static_cast<typename Number::word_type>(word));
    };
    const Number a = number(x.a), b = number(x.b);
    switch (op) {
    case FixedOp::add:
        return add_checked(a, b);
    case FixedOp::sub:
        return sub_checked(a, b);
    case FixedOp::mul:
        return mul_checked(a, b);
    case FixedOp::div:
        return div_checked(a, b);
    case FixedOp::fma:
        return fma_checked(a, b, number(x.c));
    default:
        return ldexp_checked(a, x.exponent);
    }
}
/// By the operators, where that cannot throw.
template <Format F> Fixed<F> operate(FixedOp op, const FixedCase& x) {
    using Number = Fixed<F>;
    const auto number = [](fixed::Word word) {
        return Number::from_word(static_cast<typename Number::word_type>(word));
    };
    Number a = number(x.a);
    const Number b = number(x.b);
    switch (op) {
    case FixedOp::add:
        return a += b;
    case FixedOp::sub:
        return a -= b;
    case FixedOp::mul:
        return a *= b;
    case FixedOp::div:
        return a /= b;
    case FixedOp::fma:
        return fma(a, b, number(x.c));
    default:
        return ldexp(a, x.exponent);
    }
}

/// Cases of one operation through every implementation.
template <class Integer> class FixedCourt {
public:
    explicit FixedCourt(const Format& f)
        : f_(f), judge_(f), fastest_(f), portable_(f, FixedUnit<std::int64_t>::Path::portable) {
        if (f.word_bits <= 32) fastest32_.emplace(f), portable32_.emplace(f, FixedUnit<std::int32_t>::Path::portable);
    }

    [[nodiscard]] std::size_t mismatches() const { return mismatches_; }

    /// Factors and exponents of the kernels are those of the first case: of all, where `op` is scaled.
    template <Format F> void hear(FixedOp op, const std::vector<FixedCase>& cases) {
        expected_.resize(cases.size());
        bool lost = false;
        for (std::size_t i = 0; i < cases.size(); ++i) {
            const fixed::Rounded got = define(f_, op, cases[i]);
            if (!judge_.right(op, cases[i], got)) fail("definition", op, cases[i], got);
            expected_[i] = got.word;
            lost |= got.overflow;
            if constexpr (F.is_fixed()) hear_number<F>(op, cases[i], got);
        }
        if (op == FixedOp::div || op == FixedOp::ldexp) return;
        if (fastest32_) hear_kernel<std::int32_t>("32-bit kernel", *fastest32_, op, cases, lost);
        hear_kernel<std::int64_t>("64-bit kernel", fastest_, op, cases, lost);
        if (heard_++ % 16 != 0) return; // the definition once more, in a loop
        if (portable32_) hear_kernel<std::int32_t>("portable 32-bit kernel", *portable32_, op, cases, lost);
        else hear_kernel<std::int64_t>("portable kernel", portable_, op, cases, lost);
    }

private:
    void fail(const char* subject, FixedOp op, const FixedCase& x, const fixed::Rounded& got) {
        if (++mismatches_ <= 4) ADD_FAILURE() << subject << ": " << judge_.mismatch(op, x, got);
    }
    template <Format F> void hear_number(FixedOp op, const FixedCase& x, const fixed::Rounded& want) {
        if (is_scaled(op)) return;
        const std::optional<Fixed<F>> number = form<F>(op, x);
        const bool good = number.has_value() != want.overflow && (want.overflow || number->word() == want.word);
        if (!good) fail("Fixed", op, x, {number ? number->word() : 0, !number});
        if (want.overflow) return;
        const Fixed<F> same = operate<F>(op, x);
        if (same.word() != want.word) fail("Fixed's operator", op, x, {same.word(), false});
    }
    template <class T>
    void hear_kernel(const char* subject, const FixedUnit<T>& unit, FixedOp op, const std::vector<FixedCase>& cases,
                     bool lost) {
        static thread_local std::vector<T> a, b, c, out;
        const std::size_t n = cases.size();
        for (auto* list : {&a, &b, &c, &out}) list->resize(n);
        for (std::size_t i = 0; i < n; ++i) {
            a[i] = static_cast<T>(cases[i].a);
            b[i] = static_cast<T>(cases[i].b);
            c[i] = static_cast<T>(cases[i].c);
        }
        const bool got = apply<T>(unit, op, cases.front().s, a, b, c, out);
        if (got != lost) fail(subject, op, cases.front(), {0, got});
        for (std::size_t i = 0; i < n; ++i)
            if (out[i] != expected_[i]) fail(subject, op, cases[i], {out[i], false});
    }
    template <class T>
    static bool apply(const FixedUnit<T>& unit, FixedOp op, fixed::Scalar s, const std::vector<T>& a,
                      const std::vector<T>& b, const std::vector<T>& c, std::vector<T>& out) {
        switch (op) {
        case FixedOp::add:
            return unit.add(a, b, out);
        case FixedOp::sub:
            return unit.sub(a, b, out);
        case FixedOp::mul:
            return unit.mul(a, b, out);
        case FixedOp::fma:
            return unit.fma(a, b, c, out);
        case FixedOp::scale:
            return unit.scale(s, a, out);
        case FixedOp::add_scaled:
            return unit.add_scaled(b, s, a, out);
        default:
            return unit.sub_scaled(b, s, a, out);
        }
    }

    Format f_;
    FixedJudge<Integer> judge_;
    FixedUnit<std::int64_t> fastest_, portable_;
    std::optional<FixedUnit<std::int32_t>> fastest32_, portable32_;
    std::vector<fixed::Word> expected_;
    std::size_t mismatches_ = 0, heard_ = 0;
};

} // namespace mantissa::judge
