// The inner loops of one emulated pipelined-CG pass, on a run of consecutive elements. T carries the values; every
// format is the carrier's own (mask all ones, native rounding) or a truncation of it (mask, round-toward-zero mode).
#pragma once

#include <cstddef>
#include <cstdint>

namespace mantissa::detail {

template <class T> struct CarrierBits;
template <> struct CarrierBits<float> { using type = std::uint32_t; };
template <> struct CarrierBits<double> { using type = std::uint64_t; };
template <class T> using Bits = typename CarrierBits<T>::type;

template <class T> struct PassMasks { Bits<T> u, r, p, q, row, product; };

/// A run of rows formed by fluxes. n is the grid's row length, element 0 the run's first.
template <class T> struct FluxRun {
    const T* weight[4]; ///< towards E, NW, N, NE; readable one element before and one after; or one constant each
    const T* row_sum;   ///< where there are row sums: one for each element, or a constant
    T* from_below;      ///< what the grid row below gives elements 0, 1, ...; the run writes the first n if `first`
    T* to_above;        ///< becomes what elements 0, 1, ... give those n above them; from_below + n, or elsewhere
    std::size_t row_length;
    bool first; ///< element 0 is the vector's
};

/// A run of rows formed by second differences.
template <class T> struct SecondRun {
    T alpha, beta, gamma, c;
    T *a, *s;             ///< elements -n to the run's length + n
    std::ptrdiff_t ready; ///< a and s hold what is below this element
    std::size_t row_length;
};

template <class T> struct DifferenceKernels {
    /// q = row sums by fluxes; only to_above without q. Indices: [bands of weights][row sums].
    void (*flux[2][2])(const FluxRun<T>& run, const T* p, const PassMasks<T>& m, T* q, std::size_t n);
    /// q = row sums by second differences. Index: [row sum c].
    void (*second[2])(const SecondRun<T>& run, const T* p, const PassMasks<T>& m, T* q, std::size_t n);
};

template <class T> struct PassKernels {
    /// u += alpha p; r -= alpha q; p = r + beta p
    void (*update)(T* u, T* r, T* p, const T* q, T alpha, T beta, const PassMasks<T>& m, std::size_t n);
    /// out = c * p in the row format
    void (*scale)(const T* p, T c, Bits<T> mask, T* out, std::size_t n);
    /// q = row sum of nine product arrays, terms[b][i]
    void (*sum_rows)(const T* const* terms, const PassMasks<T>& m, T* q, std::size_t n);
    /// q = row sum of band[b][i] * p[i + offset[b]]
    void (*band_rows)(const T* const* band, const T* p, const std::ptrdiff_t* offset, const PassMasks<T>& m, T* q,
                      std::size_t n);
    /// Rows in compressed form; scratch holds the longest row (tree order only).
    void (*sparse_rows)(const std::uint64_t* row_begin, const std::uint32_t* column, const T* value, const T* p,
                        const PassMasks<T>& m, T* scratch, T* q, std::size_t rows);
    /// Adds the terms of r.r, p.q and q.q to partial sums; n <= chunk, the first term belongs to partial sum 0.
    void (*dot_lanes)(const T* r, const T* p, const T* q, Bits<T> product, double* rr, double* pq, double* qq,
                      int partials, std::size_t n);
    /// The same for one dot product.
    void (*dot_lanes_one)(const T* a, const T* b, Bits<T> product, double* sum, int partials, std::size_t n);
    /// Sum of a[i] b[i] * scale, each truncated to an integer; *largest becomes the largest |a[i] b[i]|, NaN counting
    /// as infinity. The sum is right only if largest * scale * n < 2^63.
    std::int64_t (*dot_fixed)(const T* a, const T* b, Bits<T> product, double scale, double* largest, std::size_t n);
    DifferenceKernels<T> differences;
};

/// Indices of a kernel set: [masked][tree][exact product].
template <class T> using PassTable = PassKernels<T>[2][2][2];

namespace baseline {
const PassTable<float>& pass_table(float);
const PassTable<double>& pass_table(double);
} // namespace baseline
namespace avx2 {
const PassTable<float>& pass_table(float);
const PassTable<double>& pass_table(double);
} // namespace avx2
namespace avx512 {
const PassTable<float>& pass_table(float);
const PassTable<double>& pass_table(double);
} // namespace avx512

template <class T> const PassTable<T>& best_pass_table();

} // namespace mantissa::detail
