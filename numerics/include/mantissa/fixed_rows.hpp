// The rows of a matrix in fixed-point words, as hardware takes them: the integers of a constant stencil, or the weights
// and row sums of fluxes, and the shift that brings a row's exact sum onto q's grid. They are formed from the words of
// the emulated engine, so every engine that adds them has its bits (engine.hpp, "Fixed-point words").
#pragma once

#include <array>
#include <vector>

#include "mantissa/fixed_words.hpp"
#include "mantissa/spec.hpp"
#include "mantissa/system.hpp"

namespace mantissa::fixed {

/// q_i = shift_round(sum over b of coefficient[b] p_(i + offset b), shift, q's rounding); edge nodes have q = 0.
struct StencilRow {
    std::array<Word, kBands> coefficient{}; ///< in the bands' order; a power of two common to all is taken out
    int shift = 0;                          ///< to the right; below zero to the left
};

/// Of a spec with fixed vectors. Throws InvalidInput where a coefficient does not fit 53 bits.
[[nodiscard]] StencilRow stencil_row(const Stencil& stencil, const DatapathSpec& spec);

/// q_i = shift_round(sum over d of [ w_d(i) (p_i - p_(i+d)) - w_d(i-d) (p_(i-d) - p_i) ] + c_i p_i, shift, ...), p
/// being 0 outside the vector.
struct FluxRows {
    std::array<std::vector<Word>, kWeights> weight; ///< to E, NW, N and NE: minus the words off the diagonal
    std::vector<Word> row_sum;                      ///< one for each element; empty where all are 0
    int shift = 0;
    int longest = 1; ///< bits of the longest of these words: the coefficient format's W, or W + 1
};

/// Of Bands or SymmetricBands and a spec with fixed vectors. Throws InvalidInput, one line, where a coefficient does
/// not fit, where a(i, j) is not a(j, i), and for other kinds of matrix.
[[nodiscard]] FluxRows flux_rows(const System& system, const DatapathSpec& spec);

} // namespace mantissa::fixed
