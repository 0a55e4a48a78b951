// What the fast fixed-point session knows before it runs: how rows are formed in 32-bit words, and what alpha and beta
// are to the kernels.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "../isa/fixed_pass.hpp"
#include "fixed_matrix.hpp"
#include "fixed_scalar.hpp"
#include "mantissa/engine.hpp"
#include "mantissa/exact.hpp"
#include "mantissa/fixed_words.hpp"
#include "mantissa/spec.hpp"

namespace mantissa::detail {

inline constexpr int kMostWordBits = 30;
inline constexpr std::size_t kDotPart = 4096; ///< elements whose products are added in 64 bits

inline int bits_of(const WordRange& range) {
    return std::max(fixed::bits_of(range.low), fixed::bits_of(range.high));
}

/// How rows are formed; nothing where the integers here are too short.
struct RowPlan {
    enum class Kind : std::uint8_t { box, stencil, wide_stencil, bands, sparse } kind = Kind::box;
    WordRow row;
    std::array<std::int32_t, kBands> stencil{};
};

inline std::optional<RowPlan> row_plan(const FixedMatrix& m, const DatapathSpec& s) {
    RowPlan plan;
    int shift = s.coefficient.fraction_bits + s.p.fraction_bits - s.q.fraction_bits;
    const int terms = std::bit_width(static_cast<unsigned>(m.terms));
    int sum_bits = m.longest + s.p.word_bits + terms;
    const bool constant = m.kind == System::Kind::stencil;
    if (constant) {
        const int common = common_power(m.stencil);
        std::int64_t magnitudes = 0;
        for (std::size_t b = 0; b < kBands; ++b) {
            const fixed::Word c = m.stencil[b] >> common;
            if (std::abs(c) >= fixed::Word{1} << 30) return std::nullopt;
            plan.stencil[b] = static_cast<std::int32_t>(c);
            magnitudes += std::abs(c);
        }
        shift -= common;
        // |sum| <= 2^(W - 1) magnitudes
        sum_bits =
            s.p.word_bits +
            static_cast<int>(std::bit_width(static_cast<std::uint64_t>(std::max<std::int64_t>(magnitudes - 1, 0))));
        bool equal = true;
        for (std::size_t b = 0; b < kBands; ++b) equal &= b == kBands / 2 || plan.stencil[b] == plan.stencil[0];
        plan.kind = equal ? RowPlan::Kind::box : RowPlan::Kind::stencil;
    } else {
        plan.kind = m.kind == System::Kind::sparse ? RowPlan::Kind::sparse : RowPlan::Kind::bands;
    }
    bool wide = !constant;
    if (constant && (sum_bits > 31 || shift > 30)) {
        plan.kind = RowPlan::Kind::wide_stencil;
        wide = true;
    }
    const int most = wide ? 61 : 31;
    if (sum_bits > most || (!constant && m.longest > 31)) return std::nullopt;
    if (shift < 0) {
        if (sum_bits - shift > 31) return std::nullopt;
        plan.row.left = -shift;
    } else {
        if (shift > most - 1) return std::nullopt;
        plan.row.right = shift;
        if (shift > 0 && s.q.rounding == Rounding::nearest_up) plan.row.half = std::int64_t{1} << (shift - 1);
        if (sum_bits - shift > 31) return std::nullopt; // the result, before it is looked at
    }
    return plan;
}

inline bool can_run(const DatapathSpec& s) {
    if (s.moves()) return false;
    if (s.r.word_bits > kMostWordBits || s.p.word_bits > kMostWordBits || s.q.word_bits > kMostWordBits) return false;
    const int up = s.r.fraction_bits - s.p.fraction_bits;
    if (up > 30 || -up + s.r.word_bits > 31) return false;
    if (s.dot.exact) return true;
    // A window that takes every bit of every product.
    const int lowest = std::max({2 * s.r.fraction_bits, s.p.fraction_bits + s.q.fraction_bits, 2 * s.q.fraction_bits});
    return s.dot.window.lsb <= -lowest && -s.dot.window.lsb - 2 * std::min(s.r.fraction_bits, s.q.fraction_bits) < 24 &&
           -s.dot.window.lsb - s.p.fraction_bits - s.q.fraction_bits < 24;
}

/// alpha or beta in front of words within `range`, for the kernels; nothing where their integers are too short.
inline std::optional<WordScale> word_scale(const FixedScalar& s, const Format& from, const Format& to,
                                           const WordRange& range, int most_bits) {
    WordScale scale;
    scale.small = true;
    if (s.significand == 0) return scale;
    std::int64_t significand = s.significand;
    int shift = s.shift(from, to);
    if (shift < 0) {
        if (-shift > 30 || std::abs(significand) >> (31 + shift) != 0) return std::nullopt;
        significand *= std::int64_t{1} << -shift;
        shift = 0;
    }
    const int product =
        static_cast<int>(std::bit_width(static_cast<std::uint64_t>(std::abs(significand)))) + bits_of(range);
    if (std::abs(significand) >> 31 != 0 || product > 61) return std::nullopt;
    shift = std::min(shift, 62); // from 62 on every result is that of rounding 0 or -1/2^62
    if (product - shift > most_bits) return std::nullopt;
    scale.significand = static_cast<std::int32_t>(significand);
    scale.shift = shift;
    if (shift > 0 && to.rounding == Rounding::nearest_up) scale.half = std::int64_t{1} << (shift - 1);
    scale.factor = static_cast<float>(std::ldexp(static_cast<double>(significand), -shift));
    scale.small = std::abs(significand) >> 24 == 0 && bits_of(range) <= 25 && product - shift <= 21;
    return scale;
}

/// What a pass multiplies with.
struct Factors {
    FixedScalar alpha, beta;
    double rounded_alpha = 0;
    std::optional<WordScale> u;
    std::optional<WordUpdate> update; ///< r and p; nothing: element by element
};
/// Those of a pass. `range_p` and `range_q` bound the words of p and q; results of u's update have `most_u` bits.
inline Factors pass_factors(const DatapathSpec& spec, const Scalars& scalars, const WordRange& range_p,
                            const WordRange& range_q, int most_u) {
    const double a = exact::convert(spec.operand, scalars.alpha), b = exact::convert(spec.operand, scalars.beta);
    Factors f{FixedScalar(a), FixedScalar(b), a, {}, {}};
    if (spec.u.is_fixed()) f.u = word_scale(f.alpha, spec.p, spec.u, range_p, most_u);
    const auto along_r = word_scale(f.alpha, spec.q, spec.r, range_q, 30),
               along_p = word_scale(f.beta, spec.p, spec.p, range_p, 30);
    if (!along_r || !along_p) return f;
    f.update = WordUpdate{*along_r, *along_p, 0, 0, 0, spec.p.rounding == Rounding::down};
    if (spec.p.rounding != spec.r.rounding) f.update->along_r.small = false;
    const int up = spec.r.fraction_bits - spec.p.fraction_bits;
    if (up < 0) f.update->left = -up;
    else f.update->right = up;
    if (up > 0 && spec.p.rounding == Rounding::nearest_up) f.update->right_half = 1 << (up - 1);
    return f;
}

} // namespace mantissa::detail
