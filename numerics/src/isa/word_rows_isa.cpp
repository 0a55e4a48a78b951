// Sparse rows of words, compiled once per instruction set. No library templates here: see isa.hpp.
#include "isa.hpp"
#include "word_rows.hpp"

namespace mantissa::detail::MANTISSA_ISA {

namespace {

using Word = std::int32_t;

template <class S> MANTISSA_INLINE S half(S x, HalfShift s) {
    return ((static_cast<S>(x << s.left) >> s.right) + s.one) >> s.one;
}
template <class S> MANTISSA_INLINE Word cut(S x, Word most) {
    const S low = x < -most ? -most : x;
    return static_cast<Word>(low > most ? most : low);
}

template <class S>
void sums(const WordSlices& a, std::size_t first, std::size_t end, const Word* __restrict x, S* __restrict out) {
    for (std::size_t slice = first; slice < end; ++slice) {
        S sum[kSlice] = {};
        for (std::size_t k = a.begin[slice]; k < a.begin[slice + 1]; ++k) {
            const Word* const column = a.column + k * kSlice;
            const std::int16_t* const word = a.word + k * kSlice;
            for (std::size_t j = 0; j < kSlice; ++j) sum[j] += static_cast<S>(word[j]) * x[column[j]];
        }
        for (std::size_t j = 0; j < kSlice; ++j) out[(slice - first) * kSlice + j] = sum[j];
    }
}

template <class S> MANTISSA_INLINE Word rest_of(Word r, S sum, const RestOfRow& rest) {
    return cut<S>((static_cast<S>(r) << rest.r_left) + half<S>(-sum, rest.down), rest.most);
}

template <class S>
void leave(const Word* r, const S* __restrict sums, RestOfRow rest, WeighedStep step, Word* left, Word* __restrict g,
           Word* __restrict f, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) {
        const Word x = rest_of(r[i], sums[i], rest),
                   found = cut(half<S>(static_cast<S>(step.m) * x, step.s), step.most);
        left[i] = x;
        g[i] = found;
        f[i] = cut(f[i] + found, step.most);
    }
}
template <class S> void leave_last(const Word* r, const S* __restrict sums, RestOfRow rest, Word* left, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) left[i] = rest_of(r[i], sums[i], rest);
}
void begin(const Word* __restrict r, WeighedStep step, Word* __restrict g, Word* __restrict f, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) g[i] = f[i] = cut(half(step.m * r[i], step.s), step.most);
}
template <class S>
void rise(const Word* __restrict f, const S* __restrict sums, HalfShift of_f, HalfShift of_x, Word* __restrict e,
          std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) e[i] = half(f[i], of_f) + static_cast<Word>(half(sums[i], of_x));
}
template <class S>
void after(const Word* __restrict r, const S* __restrict sums, RestOfRow rest, WeighedStep step,
           const Word* __restrict e, Word* __restrict out, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i)
        out[i] = cut(e[i] + half<S>(static_cast<S>(step.m) * rest_of(r[i], sums[i], rest), step.s), step.most);
}

template <class S> constexpr RowSumKernels<S> kOf{sums<S>, leave<S>, leave_last<S>, rise<S>, after<S>};
constexpr WordRowKernels kKernels{begin, kOf<std::int32_t>, kOf<std::int64_t>};

} // namespace

const WordRowKernels& word_row_kernels() {
    return kKernels;
}

} // namespace mantissa::detail::MANTISSA_ISA
