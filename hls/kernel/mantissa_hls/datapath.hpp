// The datapath as a compile-time value: the template argument of every stage. It mirrors mantissa::DatapathSpec, without
// the parts of the standard library that an HLS compiler does not take.
#pragma once

#include <cstdint>

/// Inline for certain: a lane's whole datapath becomes one straight line of code.
#ifdef __SYNTHESIS__
#define MANTISSA_HLS_INLINE inline
#else
#define MANTISSA_HLS_INLINE [[gnu::always_inline]] inline
#endif

namespace mantissa_hls {

/// A number format: subnormals flushed; rounding toward zero (largest finite number on overflow) or to nearest-even.
struct Fmt {
    int m = 23; ///< stored fraction bits
    int e = 8;  ///< exponent bits
    bool nearest = false;
    bool saturate = false; ///< nearest-even only: overflow gives the largest finite number in place of an infinity

    [[nodiscard]] constexpr int width() const { return 1 + e + m; }
    [[nodiscard]] constexpr int bias() const { return (1 << (e - 1)) - 1; }
    [[nodiscard]] constexpr int special() const { return (1 << e) - 1; } ///< exponent field of infinities and NaNs
    friend constexpr bool operator==(const Fmt&, const Fmt&) = default;
};

struct Datapath {
    Fmt u, r, p, q;
    Fmt coefficient, operand, row;
    bool tree = false; ///< row sums by adjacent pairs, else in a chain
    bool fixed = false; ///< dot products in the window [msb:lsb], else in `partials` floating sums
    int msb = 13, lsb = -50;
    Fmt accumulator;
    int partials = 16; ///< element i belongs to partial sum i mod partials
    bool exact_product = false;
    Fmt product;
    Fmt scalar;
    int lanes = 1;
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

/// A word of a stream or of memory: the format's own bits, right-aligned.
template <Fmt F> using Word = typename WordOf<(F.width() > 32)>::type;

/// `Lanes` words that move together.
template <class T, int Lanes> struct Beat {
    T lane[Lanes];
};

} // namespace mantissa_hls
