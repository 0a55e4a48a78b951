// Which specs the fast emulated session can run in a native type, and with which masks.
#pragma once

#include <algorithm>
#include <optional>

#include "../fp_mode.hpp"
#include "../isa/pass.hpp"
#include "mantissa/spec.hpp"

namespace mantissa::detail {

/// What the fused loops need to know of a spec; nothing when they cannot run it in T.
template <class T> struct FusedPlan {
    PassMasks<T> masks;
    bool masked = false;
    FpMode mode;
};

template <class T> std::optional<FusedPlan<T>> fused_plan(const DatapathSpec& s) {
#if !MANTISSA_HAS_FP_MODE
    return std::nullopt;
#endif
    if (s.fixed_vectors() || s.u.is_fixed() || s.has_blocks()) return std::nullopt;
    constexpr int kFraction = sizeof(T) == 4 ? 23 : 52, kExponent = sizeof(T) == 4 ? 8 : 11;
    const bool rounded_product = !s.dot.exact_product;
    FusedPlan<T> plan;
    const Format first = s.r;
    const Format formats[] = {s.u,           s.r,       s.p,   s.q,
                              s.coefficient, s.operand, s.row, rounded_product ? s.dot.product : s.r};
    for (const Format& f : formats) {
        if (f.exponent_bits != kExponent || f.fraction_bits > kFraction) return std::nullopt;
        if (f.rounding != first.rounding || f.subnormals != first.subnormals || f.overflow != Overflow::infinity)
            return std::nullopt;
        const bool whole = f.fraction_bits == kFraction;
        if (!whole && !(f.truncates() && f.flushes())) return std::nullopt;
        if (f.truncates() && !f.flushes()) return std::nullopt;
        plan.masked |= !whole;
    }
    plan.mode = {first.truncates() ? FpRounding::toward_zero : FpRounding::nearest, first.flushes()};
    if (!s.dot.fixed) {
        const Format wide = Format{52, 11, first.rounding, first.subnormals, Overflow::infinity}.canonical();
        if (!(s.dot.accumulator == wide)) return std::nullopt;
    } else {
        if (s.dot.window.lsb < -900 || s.dot.window.lsb > 900) return std::nullopt;
        // An exact product wider than a double's significand: only truncation composes with the grid's.
        const int bits = std::max({2 * s.r.precision(), 2 * s.q.precision(), s.p.precision() + s.q.precision()});
        if (s.dot.exact_product && bits > 53 && !(first.truncates() && first.flushes())) return std::nullopt;
    }
    const auto mask = [](const Format& f) {
        return static_cast<Bits<T>>(~((Bits<T>{1} << (kFraction - f.fraction_bits)) - 1));
    };
    plan.masks = {mask(s.u), mask(s.r),   mask(s.p),
                  mask(s.q), mask(s.row), rounded_product ? mask(s.dot.product) : Bits<T>{}};
    return plan;
}

} // namespace mantissa::detail
