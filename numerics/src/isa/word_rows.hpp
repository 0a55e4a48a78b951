// Sparse rows of words in slices, and what a multilevel cycle does with their sums (multilevel/cycle.hpp). Internal to
// the library.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cycle_rows.hpp"

namespace mantissa::detail {

inline constexpr std::size_t kSlice = 16; ///< rows side by side

/// Slices of kSlice rows: entry k of row j of slice s is at (begin[s] + k) kSlice + j; what pads a row is a word of 0.
struct WordSlices {
    const std::uint32_t* begin;
    const std::int32_t* column;
    const std::int16_t* word;
};

/// r = cut(r 2^r_left + half(-sum, down)) in words of the sum's type.
struct RestOfRow {
    int r_left = 0;
    HalfShift down;
    std::int32_t most = 0;
};
/// cut(half(m r, s), most)
struct WeighedStep {
    int m = 0;
    HalfShift s;
    std::int32_t most = 0;
};

/// What works with sums of type S.
template <class S> struct RowSumKernels {
    /// Sums of the rows of slices first to end - 1, kSlice each, into sums[0 ..].
    void (*sums)(const WordSlices& a, std::size_t first, std::size_t end, const std::int32_t* x, S* sums);
    /// left: what is left of r, which it may be; then g = step of it and f = cut(f + g).
    void (*leave)(const std::int32_t* r, const S* sums, RestOfRow rest, WeighedStep step, std::int32_t* left,
                  std::int32_t* g, std::int32_t* f, std::size_t n);
    /// Alone.
    void (*leave_last)(const std::int32_t* r, const S* sums, RestOfRow rest, std::int32_t* left, std::size_t n);
    /// e = half(f) + half(sum)
    void (*rise)(const std::int32_t* f, const S* sums, HalfShift of_f, HalfShift of_x, std::int32_t* e, std::size_t n);
    /// out = cut(e + half(m r'), most), r' what is left of r.
    void (*after)(const std::int32_t* r, const S* sums, RestOfRow rest, WeighedStep step, const std::int32_t* e,
                  std::int32_t* out, std::size_t n);
};

struct WordRowKernels {
    /// g = f = step of r.
    void (*begin)(const std::int32_t* r, WeighedStep step, std::int32_t* g, std::int32_t* f, std::size_t n);
    RowSumKernels<std::int32_t> of_32;
    RowSumKernels<std::int64_t> of_64;
};

namespace baseline {
const WordRowKernels& word_row_kernels();
}
namespace avx2 {
const WordRowKernels& word_row_kernels();
}
namespace avx512 {
const WordRowKernels& word_row_kernels();
}

const WordRowKernels& best_word_row_kernels();

} // namespace mantissa::detail
