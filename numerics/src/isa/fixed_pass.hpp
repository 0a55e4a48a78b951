// The inner loops of one emulated pass in fixed-point words, on a run of consecutive elements. Words of r, p and q lie
// in 32-bit integers; results are exact 32-bit integers that may be longer than their format's words: the caller looks
// at their range.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace mantissa::detail {

/// rnd(significand * word * 2^-shift) for a whole pass: half is 2^(shift-1), or 0 for rounding down (or no shift).
struct WordScale {
    std::int32_t significand = 0;
    int shift = 0; ///< 0..62
    std::int64_t half = 0;
    /// significand 2^-shift, where every result is below 2^21 in magnitude: one fused multiply-add in a float then
    /// forms and rounds it.
    float factor = 0;
    bool small = false;
};

/// The smallest and the largest word seen.
struct WordRange {
    std::int64_t low = 0, high = 0;
    void take(std::int64_t word) {
        low = std::min(low, word);
        high = std::max(high, word);
    }
    void merge(const WordRange& other) {
        low = std::min(low, other.low);
        high = std::max(high, other.high);
    }
};

/// r' = r - rnd(along_r q), p' = rnd(r') + rnd(along_p p): r' comes onto p's grid by `left` or `right`.
struct WordUpdate {
    WordScale along_r, along_p;
    int left = 0, right = 0;
    std::int32_t right_half = 0;
    bool down = false; ///< p's format rounds down (r's alike): what `factor`'s path adds
};

/// The end of a row sum: q = (sum + half) >> right, or sum << left.
struct WordRow {
    int left = 0, right = 0;
    std::int64_t half = 0;
};

inline constexpr std::size_t kSliceOfRows = 16; ///< rows side by side

/// Sparse rows in slices: entry k of row j of slice s is at (begin[s] + k) kSliceOfRows + j; what pads a row is a word
/// of 0 in a column that exists.
struct RowSlices {
    const std::size_t* begin;
    const std::uint32_t* column;
    const std::int32_t* word;
};

struct FixedPassKernels {
    void (*add_u32)(std::int32_t* u, const std::int32_t* p, const WordScale& s, WordRange& range, std::size_t n);
    void (*add_u64)(std::int64_t* u, const std::int32_t* p, const WordScale& s, WordRange& range, std::size_t n);
    void (*update)(std::int32_t* r, std::int32_t* p, const std::int32_t* q, const WordUpdate& s, WordRange& range_r,
                   WordRange& range_p, std::size_t n);
    /// One grid row of a stencil whose eight outer coefficients are equal: sum = centre p + outer (box of nine). p
    /// points at the first element's centre, box is scratch for n + 2 elements; sums fit 32 bits.
    void (*box_row)(const std::int32_t* p, std::ptrdiff_t row_length, std::int32_t centre, std::int32_t outer,
                    const WordRow& row, std::int32_t* box, std::int32_t* q, WordRange& range, std::size_t n);
    /// Nine products, sums in 32 bits.
    void (*stencil_row)(const std::int32_t* p, const std::ptrdiff_t* offset, const std::int32_t* coefficient,
                        const WordRow& row, std::int32_t* q, WordRange& range, std::size_t n);
    /// Nine products, sums in 64 bits.
    void (*stencil_row_wide)(const std::int32_t* p, const std::ptrdiff_t* offset, const std::int32_t* coefficient,
                             const WordRow& row, std::int32_t* q, WordRange& range, std::size_t n);
    /// Nine products of bands, sums in 64 bits; band[b] points at the first element's coefficient.
    void (*band_rows)(const std::int32_t* const* band, const std::int32_t* p, const std::ptrdiff_t* offset,
                      const WordRow& row, std::int32_t* q, WordRange& range, std::size_t n);
    /// Rows begin to end - 1, sums in 64 bits, which may wrap. begin is a multiple of kSliceOfRows; p and q point at
    /// the vectors' first elements.
    void (*slice_rows)(const RowSlices& a, const std::int32_t* p, const WordRow& row, std::int32_t* q, WordRange& range,
                       std::size_t begin, std::size_t end);
    /// Adds r.r, p.q and q.q to sums[0..2]; they fit 63 bits.
    void (*dots)(const std::int32_t* r, const std::int32_t* p, const std::int32_t* q, std::int64_t* sums,
                 std::size_t n);
};

namespace baseline {
const FixedPassKernels& fixed_pass_kernels();
} // namespace baseline
namespace avx2 {
const FixedPassKernels& fixed_pass_kernels();
} // namespace avx2
namespace avx512 {
const FixedPassKernels& fixed_pass_kernels();
} // namespace avx512

const FixedPassKernels& best_fixed_pass_kernels();

} // namespace mantissa::detail
