// The datapath as a compile-time value: the template argument of every stage. It mirrors mantissa::DatapathSpec,
// without the parts of the standard library that an HLS compiler does not take.
#pragma once

#include <cstdint>
#ifdef __SYNTHESIS__
#include "ap_int.h"
#endif

/// Inline for certain: a lane's whole datapath becomes one straight line of code.
#ifdef __SYNTHESIS__
#define MANTISSA_HLS_INLINE inline
#else
#define MANTISSA_HLS_INLINE [[gnu::always_inline]] inline
#endif

namespace mantissa_hls {

/// 128 bits, where only a dot product's total or a long product needs them. An HLS compiler has integers of any width.
#ifdef __SYNTHESIS__
using Wide = ap_uint<128>;
using SignedWide = ap_int<128>;
#else
__extension__ using Wide = unsigned __int128;
__extension__ using SignedWide = __int128;
#endif

/// A number format. Floating: subnormals flushed; rounding toward zero (largest finite number on overflow) or to
/// nearest-even. Fixed: two's complement words, rounding down or to nearest, half up.
struct Fmt {
    int m = 23; ///< stored fraction bits; of a fixed format, the bits after the point, which may be none of the word's
    int e = 8;  ///< exponent bits
    bool nearest = false;
    bool saturate = false; ///< nearest-even only: overflow gives the largest finite number in place of an infinity
    int word = 0;          ///< bits of a fixed format's words; 0: floating

    [[nodiscard]] constexpr bool fixed() const { return word != 0; }
    [[nodiscard]] constexpr int width() const { return fixed() ? word : 1 + e + m; }
    [[nodiscard]] constexpr int bias() const { return (1 << (e - 1)) - 1; }
    [[nodiscard]] constexpr int special() const { return (1 << e) - 1; } ///< exponent field of infinities and NaNs
    friend constexpr bool operator==(const Fmt&, const Fmt&) = default;
};

/// How a row of A p is formed, and from which numbers of the matrix.
enum class RowForm : int {
    chain,             ///< nine products, one added after the other
    tree,              ///< nine products, added in adjacent pairs
    flux,              ///< four differences, each formed once and used by two rows; in words as well
    second_difference, ///< second differences along one axis and then the other; constant stencils
    integers,          ///< nine products of words and the integers of a constant stencil
    gathered,          ///< products of words with any columns: sparse rows (sparse/)
};

struct Datapath {
    Fmt u, r, p, q; ///< r, p, q and coefficient are floating or fixed together; u may be floating beside fixed ones
    Fmt coefficient, operand, row;
    RowForm form = RowForm::chain;
    bool exact = false; ///< dot products with every bit of every product (of words); else
    bool fixed = false; ///< in the window [msb:lsb], else in `partials` floating sums
    int msb = 13, lsb = -50;
    Fmt accumulator;
    int partials = 16; ///< element i belongs to partial sum i mod partials
    bool exact_product = false;
    Fmt product;
    Fmt scalar;
    int lanes = 1;
    bool given = false; ///< the Chebyshev recurrence: alpha and beta come with a pass, and nothing is summed

    /// Are r, p, q and the coefficients words?
    [[nodiscard]] constexpr bool words() const { return r.fixed(); }
    /// Streams of coefficients, at the most: nine bands; or four weights and the row sums.
    [[nodiscard]] constexpr int streams() const {
        return form == RowForm::chain || form == RowForm::tree ? 9 : form == RowForm::flux ? 5 : 0;
    }
};

/// The limits of the built line buffer.
inline constexpr int kMaxRow = 8193;

template <bool Wide> struct WordOf {
    using type = std::uint32_t;
    using index = std::int32_t;
};
template <> struct WordOf<true> {
    using type = std::uint64_t;
    using index = std::int64_t;
};

/// A word of a stream or of memory: the format's own bits, right-aligned. What stands above them has no meaning.
template <Fmt F> using Word = typename WordOf<(F.width() > 32)>::type;

/// A coefficient in memory. Weights and row sums in words take one bit more than the coefficient format's words.
template <Datapath D>
using Coefficient = typename WordOf<(D.coefficient.width() + (D.coefficient.fixed() ? 1 : 0) > 32)>::type;

/// `Lanes` words that move together.
template <class T, int Lanes> struct Beat { T lane[Lanes]; };

} // namespace mantissa_hls
