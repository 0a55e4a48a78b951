// The arithmetic of the level-1 vector operations, shared by the device's kernels and the processor's loops, so that
// both return the same bits.
//
//     axpy     y_i = y_i + (a x_i), two roundings
//     dot      sum of x_i y_i; float: of exact products, in double, rounded to float once; double: two roundings a term
//     nrm2     sqrt of the sum of x_i^2; float: in double, where no square overflows or underflows; double: in three
//              sums by size, those of large and small elements scaled (Blue 1978, with LAPACK's constants), so that no
//              element's square overflows or underflows
//
// Order of the sums. It depends on n alone, not on the device, its blocks or threads:
//
//     rows     of kBlas1Lanes elements; the last one may be shorter
//     segments of whole rows: segment s of S has rows s R / S to (s + 1) R / S, of R rows in all; S is 1 up to
//              kBlas1Alone rows, else R, at most kBlas1Segments
//     lanes    element k of a row is added to lane k of its segment, row by row
//     tree     lanes are added in adjacent pairs, then pairs of pairs, and so on
//     total    the S sums are then summed as one segment
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>

#if defined(__CUDACC__)
#define MANTISSA_BOTH __host__ __device__ __forceinline__
#else
#define MANTISSA_BOTH inline
#endif

namespace mantissa {

inline constexpr std::size_t kBlas1Lanes = 1024, kBlas1Alone = 8, kBlas1Segments = 528;

/// Rows of a vector of n elements, its segments, and the first row of segment s (s = segments: the end).
MANTISSA_BOTH std::size_t blas1_rows(std::size_t n) {
    return n / kBlas1Lanes + (n % kBlas1Lanes != 0 ? 1 : 0);
}
MANTISSA_BOTH std::size_t blas1_segments(std::size_t n) {
    const std::size_t rows = blas1_rows(n);
    if (rows <= kBlas1Alone) return rows == 0 ? 0 : 1;
    return rows < kBlas1Segments ? rows : kBlas1Segments;
}
MANTISSA_BOTH std::size_t blas1_segment_row(std::size_t n, std::size_t s) {
    return s * blas1_rows(n) / blas1_segments(n);
}

// Never contracted: a fused operation would be another value than the other side's.
MANTISSA_BOTH double blas1_add(double a, double b) {
#if defined(__CUDA_ARCH__)
    return __dadd_rn(a, b);
#else
    return a + b;
#endif
}
MANTISSA_BOTH double blas1_mul(double a, double b) {
#if defined(__CUDA_ARCH__)
    return __dmul_rn(a, b);
#else
    return a * b;
#endif
}
MANTISSA_BOTH float blas1_axpy(float a, float x, float y) {
#if defined(__CUDA_ARCH__)
    return __fadd_rn(y, __fmul_rn(a, x));
#else
    return y + a * x;
#endif
}
MANTISSA_BOTH double blas1_axpy(double a, double x, double y) {
    return blas1_add(y, blas1_mul(a, x));
}

/// A sum of products.
struct DotSum {
    double sum = 0;
    MANTISSA_BOTH void take(double x, double y) { sum = blas1_add(sum, blas1_mul(x, y)); }
    MANTISSA_BOTH void join(const DotSum& other) { sum = blas1_add(sum, other.sum); }
    [[nodiscard]] MANTISSA_BOTH double result() const { return sum; }
};

/// A sum of squares of floats.
struct FloatSquares {
    double sum = 0;
    MANTISSA_BOTH void take(double x, double /*unused*/) { sum = blas1_add(sum, blas1_mul(x, x)); }
    MANTISSA_BOTH void join(const FloatSquares& other) { sum = blas1_add(sum, other.sum); }
    [[nodiscard]] MANTISSA_BOTH double result() const { return ::sqrt(sum); }
};

/// A sum of squares of doubles: |x| above 2^486 and below 2^-511 have sums of their own, of x 2^-538 and x 2^537.
struct DoubleSquares {
    double middle = 0, large = 0, small = 0;
    static constexpr double kLarge = 0x1p486, kSmall = 0x1p-511, kDown = 0x1p-538, kUp = 0x1p537;

    MANTISSA_BOTH void take(double x, double /*unused*/) {
        const double size = x < 0 ? -x : x;
        if (size > kLarge) large = blas1_add(large, blas1_mul(x * kDown, x * kDown));
        else if (size < kSmall) small = blas1_add(small, blas1_mul(x * kUp, x * kUp));
        else middle = blas1_add(middle, blas1_mul(x, x)); // (and what is no number)
    }
    MANTISSA_BOTH void join(const DoubleSquares& other) {
        middle = blas1_add(middle, other.middle);
        large = blas1_add(large, other.large);
        small = blas1_add(small, other.small);
    }
    [[nodiscard]] MANTISSA_BOTH double result() const {
        const bool some = !(middle == 0);
        if (!(large == 0)) return ::sqrt(some ? blas1_add(large, blas1_mul(middle * kDown, kDown)) : large) / kDown;
        if (small == 0) return ::sqrt(middle);
        const double below = ::sqrt(small) / kUp;
        if (!some) return below;
        const double above = ::sqrt(middle);
        // One of the two may be far below the other: their ratio underflows to nothing that counts.
        const double high = below > above ? below : above, low = below > above ? above : below, ratio = low / high;
        return blas1_mul(high, ::sqrt(blas1_add(1, blas1_mul(ratio, ratio))));
    }
};

/// The order of summation of squares (`Sum`) for elements of T, float or double.
template <class T> struct Blas1Squares;
/// In double, where no float's square overflows or underflows.
template <> struct Blas1Squares<float> { using Sum = FloatSquares; };
/// In three sums by size.
template <> struct Blas1Squares<double> { using Sum = DoubleSquares; };

} // namespace mantissa

#undef MANTISSA_BOTH
