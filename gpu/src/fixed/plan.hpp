// How a fixed-point datapath runs a system on the device: which rows, in integers of which length.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdlib>

#include "mantissa/fixed_rows.hpp"
#include "mantissa/row_forms.hpp"
#include "params.cuh"

namespace mantissa::gpu {

inline constexpr int kResidentWord = 30; ///< bits of r, p and q, so that sums of two are 32-bit integers
inline constexpr int kShortU = 31;

/// Formats and the kind of matrix; sizes, rows and vectors are left.
inline void set_formats(const DatapathSpec& spec, System::Kind kind, FixedParams& a) {
    a.u = WordFormat(spec.u);
    a.r = WordFormat(spec.r);
    a.p = WordFormat(spec.p);
    a.q = WordFormat(spec.q);
    if (!spec.u.is_fixed()) a.u_unit = DoubleUnit(spec.u);
    a.operand = DoubleUnit(spec.operand);
    a.scalar = DoubleUnit(spec.scalar);
    a.quick = QuickScalars(spec.scalar, spec.operand);
    a.sum_unit[0] = Format::power_of_two(-2 * spec.r.fraction_bits);
    a.sum_unit[1] = Format::power_of_two(-spec.p.fraction_bits - spec.q.fraction_bits);
    a.sum_unit[2] = Format::power_of_two(-2 * spec.q.fraction_bits);
    a.kind = kind == System::Kind::symmetric ? System::Kind::bands : kind;
}

/// Fills in the rows of `a`. False where the resident kernels' integers are too short for them.
inline bool plan_rows(const fixed::ProductRows& rows, const DatapathSpec& spec, System::Kind kind, FixedParams& a) {
    const bool down = spec.q.rounding == Rounding::down;
    const auto half = [&](int shift) { return shift > 0 && !down ? 1ll << (shift - 1) : 0ll; };
    std::uint64_t magnitudes = 0;
    for (const fixed::Word c : rows.stencil) magnitudes += static_cast<std::uint64_t>(std::llabs(c));
    const bool constant = kind == System::Kind::stencil;
    const int sum_bits = constant ? spec.p.word_bits + std::bit_width(magnitudes)
                                  : rows.longest + spec.p.word_bits + std::bit_width(static_cast<unsigned>(rows.terms));
    a.row_shift = rows.shift;
    a.row = kind == System::Kind::sparse ? FixedRow::sparse : constant ? FixedRow::stencil : FixedRow::bands;
    std::ranges::copy(rows.stencil, a.stencil);
    a.wide = sum_bits > 62 || rows.shift < 0 || rows.shift > 61;
    if (!a.wide) a.row_half = half(rows.shift);
    if (sum_bits - rows.shift > 31 || rows.shift > 61 || sum_bits > 62 || a.row == FixedRow::sparse) return false;
    if (rows.shift < 0 && !constant) return false;
    if (!constant) return true;
    // A shift to the left goes into the coefficients, which the memory kernel then takes as they are.
    const int left = std::max(0, -rows.shift);
    if (rows.longest + left > 31) return false;
    for (long long& c : a.stencil) c *= 1ll << left;
    if (left > 0) a.row_shift = 0, a.wide = false, a.row_half = 0;
    bool equal = true;
    for (int b = 0; b < kBands; ++b) equal &= b == kBands / 2 || a.stencil[b] == a.stencil[0];
    if (!equal || sum_bits + left > 31 || a.row_shift > 29) return true;
    a.row = FixedRow::box;
    a.box_around = static_cast<int>(a.stencil[0]);
    a.box_centre = static_cast<int>(a.stencil[kBands / 2] - a.stencil[0]);
    return true;
}

/// Do the words of `spec` fit the resident kernels?
inline bool resident_words(const DatapathSpec& spec) {
    for (const Format& f : {spec.r, spec.p, spec.q})
        if (f.word_bits > kResidentWord) return false;
    return spec.u.is_fixed() && spec.r.fraction_bits == spec.p.fraction_bits;
}

} // namespace mantissa::gpu
