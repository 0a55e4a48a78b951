// One emulated pass in fixed-point words, compiled once per instruction set. See fixed_pass.hpp.
#include "fixed_pass.hpp"

#include <limits>

#include "isa.hpp"
#include "words.hpp"

namespace mantissa::detail::MANTISSA_ISA {
namespace {

// A float in [2^22, 2^23) counts halves, and its bits count them too: 1.5 2^22 + x, rounded down, holds the floor of 2
// x.
constexpr float kFloatBase = 0x1.8p22F;
constexpr std::int32_t kHalfBaseBits = 0x4AC00000 / 2;
/// Keeps a 64-bit product above zero, so that a logical shift does.
constexpr std::int64_t kLift = std::int64_t{1} << 62;

MANTISSA_INLINE std::int64_t scaled1(const WordScale& s, std::int64_t word) {
    return (s.significand * word + s.half) >> s.shift;
}
MANTISSA_INLINE std::int32_t rounded1(const WordRow& row, std::int64_t sum) {
    return static_cast<std::int32_t>(row.left != 0
                                         ? static_cast<std::int64_t>(static_cast<std::uint64_t>(sum) << row.left)
                                         : (sum + row.half) >> row.right);
}

#if MANTISSA_HAS_WORDS

using V = Words::V;

/// rnd(significand w 2^-shift) for words w.
struct Scaler {
    V significand, lift, base;
    int shift;
    explicit Scaler(const WordScale& s)
        : significand(Words::all(s.significand)), lift(Words::all64(s.half + kLift)),
          base(Words::all(static_cast<std::int32_t>(static_cast<std::uint32_t>(kLift >> s.shift)))), shift(s.shift) {}
    MANTISSA_INLINE V operator()(V w) const {
        const V even = Words::shift_right64(Words::add64(Words::mul_even(w, significand), lift), shift);
        const V odd = Words::shift_right64(Words::add64(Words::mul_even(Words::odd(w), significand), lift), shift);
        return Words::sub(Words::blend(even, Words::to_odd(odd)), base);
    }
};
/// The same in a float, where WordScale::small allows it.
struct SmallScaler {
    float factor, start;
    V base;
    SmallScaler(const WordScale& s, bool down)
        : factor(s.factor), start(down ? kFloatBase : kFloatBase + 0.5F), base(Words::all(kHalfBaseBits)) {}
    MANTISSA_INLINE V operator()(V w) const {
        return Words::sub(Words::halve(Words::fma_down(w, factor, start)), base);
    }
};

struct RangeOf {
    V low = Words::zero(), high = Words::zero();
    MANTISSA_INLINE void take(V x) {
        low = Words::least(low, x);
        high = Words::most(high, x);
    }
    void into(WordRange& range) const {
        std::int32_t a[Words::kCount], b[Words::kCount];
        Words::store(a, low);
        Words::store(b, high);
        for (std::size_t j = 0; j < Words::kCount; ++j) {
            range.low = std::min<std::int64_t>(range.low, a[j]);
            range.high = std::max<std::int64_t>(range.high, b[j]);
        }
    }
};

MANTISSA_INLINE V rounded(V sum, const WordRow& row, V half) {
    if (row.left != 0) return Words::shift_left(sum, row.left);
    return Words::shift_right(Words::add(sum, half), row.right);
}

std::int64_t total64(V sums) {
    std::int64_t part[Words::kCount / 2], total = 0;
    Words::store(part, sums);
    for (const std::int64_t x : part) total += x;
    return total;
}

#endif

void add_u32(std::int32_t* u, const std::int32_t* p, const WordScale& s, WordRange& range, std::size_t n) {
    std::size_t i = 0;
#if MANTISSA_HAS_WORDS
    const Scaler along(s);
    RangeOf seen;
    for (; i + Words::kCount <= n; i += Words::kCount) {
        const V x = Words::add(Words::load(u + i), along(Words::load(p + i)));
        seen.take(x);
        Words::store(u + i, x);
    }
    seen.into(range);
#endif
    for (; i < n; ++i) {
        u[i] = static_cast<std::int32_t>(u[i] + scaled1(s, p[i]));
        range.take(u[i]);
    }
}

void add_u64(std::int64_t* u, const std::int32_t* p, const WordScale& s, WordRange& range, std::size_t n) {
    std::size_t i = 0;
#if MANTISSA_HAS_WORDS
    const V significand = Words::all(s.significand), lift = Words::all64(s.half + kLift),
            base = Words::all64(kLift >> s.shift);
    V bits = Words::zero();
    const auto part = [&](std::int64_t* at, V w) {
        const V x =
            Words::sub64(Words::shift_right64(Words::add64(Words::mul_even(w, significand), lift), s.shift), base);
        const V sum = Words::add64(Words::load(at), x);
        bits = Words::merge_or(bits, Words::differ(sum, Words::sign64(sum)));
        Words::store(at, sum);
    };
    for (; i + Words::kCount <= n; i += Words::kCount) {
        const V w = Words::load(p + i);
        part(u + i, Words::widen_low(w));
        part(u + i + Words::kCount / 2, Words::widen_high(w));
    }
    std::int64_t all[Words::kCount / 2];
    Words::store(all, bits);
    for (const std::int64_t x : all) range.take(x);
#endif
    for (; i < n; ++i) {
        u[i] += scaled1(s, p[i]);
        range.take(u[i]);
    }
}

#if MANTISSA_HAS_WORDS
template <class AlongR, class AlongP>
std::size_t update_words(std::int32_t* r, std::int32_t* p, const std::int32_t* q, const WordUpdate& s,
                         const AlongR& along_r, const AlongP& along_p, WordRange& range_r, WordRange& range_p,
                         std::size_t n) {
    RangeOf seen_r, seen_p;
    const V half = Words::all(s.right_half);
    const bool plain = s.left == 0 && s.right == 0;
    std::size_t i = 0;
    for (; i + Words::kCount <= n; i += Words::kCount) {
        const V residual = Words::sub(Words::load(r + i), along_r(Words::load(q + i)));
        Words::store(r + i, residual);
        seen_r.take(residual);
        V aligned = residual;
        if (!plain)
            aligned = s.left != 0 ? Words::shift_left(residual, s.left)
                                  : Words::shift_right(Words::add(residual, half), s.right);
        const V direction = Words::add(aligned, along_p(Words::load(p + i)));
        Words::store(p + i, direction);
        seen_p.take(direction);
    }
    seen_r.into(range_r);
    seen_p.into(range_p);
    return i;
}
#endif

void update(std::int32_t* r, std::int32_t* p, const std::int32_t* q, const WordUpdate& s, WordRange& range_r,
            WordRange& range_p, std::size_t n) {
    std::size_t i = 0;
#if MANTISSA_HAS_WORDS
    if (s.along_r.small && s.along_p.small)
        i = update_words(r, p, q, s, SmallScaler(s.along_r, s.down), SmallScaler(s.along_p, s.down), range_r, range_p,
                         n);
    else i = update_words(r, p, q, s, Scaler(s.along_r), Scaler(s.along_p), range_r, range_p, n);
#endif
    for (; i < n; ++i) {
        const auto residual = static_cast<std::int32_t>(r[i] - scaled1(s.along_r, q[i]));
        r[i] = residual;
        range_r.take(residual);
        const std::int64_t aligned = s.left != 0 ? std::int64_t{residual} * (std::int64_t{1} << s.left)
                                                 : (std::int64_t{residual} + s.right_half) >> s.right;
        p[i] = static_cast<std::int32_t>(aligned + scaled1(s.along_p, p[i]));
        range_p.take(p[i]);
    }
}

void box_row(const std::int32_t* p, std::ptrdiff_t row_length, std::int32_t centre, std::int32_t outer,
             const WordRow& row, std::int32_t* box, std::int32_t* q, WordRange& range, std::size_t n) {
    const std::int32_t* const north = p + row_length - 1;
    const std::int32_t* const here = p - 1;
    const std::int32_t* const south = p - row_length - 1;
    const std::int32_t inner = centre - outer;
    std::size_t i = 0;
#if MANTISSA_HAS_WORDS
    for (; i + Words::kCount <= n + 2; i += Words::kCount)
        Words::store(box + i,
                     Words::add(Words::add(Words::load(south + i), Words::load(here + i)), Words::load(north + i)));
#endif
    for (; i < n + 2; ++i) box[i] = static_cast<std::int32_t>(std::int64_t{south[i]} + here[i] + north[i]);
    i = 0;
#if MANTISSA_HAS_WORDS
    RangeOf seen;
    const V half = Words::all(static_cast<std::int32_t>(row.half)), a = Words::all(inner), b = Words::all(outer);
    for (; i + Words::kCount <= n; i += Words::kCount) {
        const V nine = Words::add(Words::add(Words::load(box + i), Words::load(box + i + 1)), Words::load(box + i + 2));
        const V around = outer == -1 ? Words::sub(Words::zero(), nine) : Words::mul(nine, b);
        const V x = rounded(Words::add(Words::mul(Words::load(p + i), a), around), row, half);
        Words::store(q + i, x);
        seen.take(x);
    }
    seen.into(range);
#endif
    for (; i < n; ++i) {
        q[i] = rounded1(row, std::int64_t{inner} * p[i] + outer * (std::int64_t{box[i]} + box[i + 1] + box[i + 2]));
        range.take(q[i]);
    }
}

void stencil_row(const std::int32_t* p, const std::ptrdiff_t* offset, const std::int32_t* coefficient,
                 const WordRow& row, std::int32_t* q, WordRange& range, std::size_t n) {
    std::size_t i = 0;
#if MANTISSA_HAS_WORDS
    RangeOf seen;
    const V half = Words::all(static_cast<std::int32_t>(row.half));
    V factor[9];
    for (int b = 0; b < 9; ++b) factor[b] = Words::all(coefficient[b]);
    for (; i + Words::kCount <= n; i += Words::kCount) {
        const auto at = static_cast<std::ptrdiff_t>(i);
        V sum = Words::zero();
        for (int b = 0; b < 9; ++b) sum = Words::add(sum, Words::mul(Words::load(p + at + offset[b]), factor[b]));
        const V x = rounded(sum, row, half);
        Words::store(q + i, x);
        seen.take(x);
    }
    seen.into(range);
#endif
    for (; i < n; ++i) {
        std::int64_t sum = 0;
        for (int b = 0; b < 9; ++b) sum += std::int64_t{coefficient[b]} * p[static_cast<std::ptrdiff_t>(i) + offset[b]];
        q[i] = rounded1(row, sum);
        range.take(q[i]);
    }
}

/// Coefficients of nine bands: one for each element, or one for all.
struct Streamed {
    const std::int32_t* const* band;
    MANTISSA_INLINE std::int32_t one(int b, std::size_t i) const { return band[b][i]; }
#if MANTISSA_HAS_WORDS
    MANTISSA_INLINE V at(int b, std::size_t i) const {
        return Words::load(band[b] + i);
    }
#endif
};
struct Constant {
    const std::int32_t* coefficient;
    MANTISSA_INLINE std::int32_t one(int b, std::size_t) const { return coefficient[b]; }
#if MANTISSA_HAS_WORDS
    MANTISSA_INLINE V at(int b, std::size_t) const {
        return Words::all(coefficient[b]);
    }
#endif
};

template <class Coefficients>
MANTISSA_INLINE void wide_rows(const Coefficients& c, const std::int32_t* p, const std::ptrdiff_t* offset,
                               const WordRow& row, std::int32_t* q, WordRange& range, std::size_t n) {
    std::size_t i = 0;
#if MANTISSA_HAS_WORDS
    if (row.left == 0) {
        RangeOf seen;
        const V lift = Words::all64(row.half + kLift);
        const V base = Words::all(static_cast<std::int32_t>(static_cast<std::uint32_t>(kLift >> row.right)));
        for (; i + Words::kCount <= n; i += Words::kCount) {
            const auto at = static_cast<std::ptrdiff_t>(i);
            V even = lift, odd = lift;
            for (int b = 0; b < 9; ++b) {
                const V a = c.at(b, i), x = Words::load(p + at + offset[b]);
                even = Words::add64(even, Words::mul_even(a, x));
                odd = Words::add64(odd, Words::mul_even(Words::odd(a), Words::odd(x)));
            }
            const V sum = Words::blend(Words::shift_right64(even, row.right),
                                       Words::to_odd(Words::shift_right64(odd, row.right)));
            const V x = Words::sub(sum, base);
            Words::store(q + i, x);
            seen.take(x);
        }
        seen.into(range);
    }
#endif
    for (; i < n; ++i) {
        std::uint64_t sum = 0; // which may wrap where a word of p has overflowed: then q is formed again
        for (int b = 0; b < 9; ++b)
            sum +=
                static_cast<std::uint64_t>(std::int64_t{c.one(b, i)} * p[static_cast<std::ptrdiff_t>(i) + offset[b]]);
        q[i] = rounded1(row, static_cast<std::int64_t>(sum));
        range.take(q[i]);
    }
}

void stencil_row_wide(const std::int32_t* p, const std::ptrdiff_t* offset, const std::int32_t* coefficient,
                      const WordRow& row, std::int32_t* q, WordRange& range, std::size_t n) {
    wide_rows(Constant{coefficient}, p, offset, row, q, range, n);
}

void band_rows(const std::int32_t* const* band, const std::int32_t* p, const std::ptrdiff_t* offset, const WordRow& row,
               std::int32_t* q, WordRange& range, std::size_t n) {
    wide_rows(Streamed{band}, p, offset, row, q, range, n);
}

/// Rows of a slice end together: no branch is mispredicted.
void slice_rows(const RowSlices& a, const std::int32_t* p, const WordRow& row, std::int32_t* q, WordRange& range,
                std::size_t begin, std::size_t end) {
    std::size_t i = begin;
#if MANTISSA_HAS_WORDS
    if (row.left == 0) {
        RangeOf seen;
        const V lift = Words::all64(row.half + kLift);
        const V base = Words::all(static_cast<std::int32_t>(static_cast<std::uint32_t>(kLift >> row.right)));
        for (; i + kSliceOfRows <= end; i += kSliceOfRows) {
            const std::size_t slice = i / kSliceOfRows;
            for (std::size_t first = 0; first < kSliceOfRows; first += Words::kCount) {
                V even = lift, odd = lift;
                for (std::size_t k = a.begin[slice]; k < a.begin[slice + 1]; ++k) {
                    const std::size_t at = k * kSliceOfRows + first;
                    const V word = Words::load(a.word + at), x = Words::pick(p, a.column + at);
                    even = Words::add64(even, Words::mul_even(word, x));
                    odd = Words::add64(odd, Words::mul_even(Words::odd(word), Words::odd(x)));
                }
                const V x = Words::sub(Words::blend(Words::shift_right64(even, row.right),
                                                    Words::to_odd(Words::shift_right64(odd, row.right))),
                                       base);
                Words::store(q + i + first, x);
                seen.take(x);
            }
        }
        seen.into(range);
    }
#endif
    for (; i < end; ++i) {
        std::uint64_t sum = 0; // which may wrap where a word of p has overflowed: then q is formed again
        for (std::size_t k = a.begin[i / kSliceOfRows]; k < a.begin[i / kSliceOfRows + 1]; ++k) {
            const std::size_t at = k * kSliceOfRows + i % kSliceOfRows;
            sum += static_cast<std::uint64_t>(std::int64_t{a.word[at]} * p[a.column[at]]);
        }
        q[i] = rounded1(row, static_cast<std::int64_t>(sum));
        range.take(q[i]);
    }
}

void dots(const std::int32_t* r, const std::int32_t* p, const std::int32_t* q, std::int64_t* sums, std::size_t n) {
    std::size_t i = 0;
#if MANTISSA_HAS_WORDS
    V rr = Words::zero(), pq = Words::zero(), qq = Words::zero();
    for (; i + Words::kCount <= n; i += Words::kCount) {
        const V a = Words::load(r + i), b = Words::load(p + i), c = Words::load(q + i);
        const V a1 = Words::odd(a), b1 = Words::odd(b), c1 = Words::odd(c);
        rr = Words::add64(rr, Words::add64(Words::mul_even(a, a), Words::mul_even(a1, a1)));
        pq = Words::add64(pq, Words::add64(Words::mul_even(b, c), Words::mul_even(b1, c1)));
        qq = Words::add64(qq, Words::add64(Words::mul_even(c, c), Words::mul_even(c1, c1)));
    }
    sums[0] += total64(rr);
    sums[1] += total64(pq);
    sums[2] += total64(qq);
#endif
    for (; i < n; ++i) {
        sums[0] += std::int64_t{r[i]} * r[i];
        sums[1] += std::int64_t{p[i]} * q[i];
        sums[2] += std::int64_t{q[i]} * q[i];
    }
}

} // namespace

const FixedPassKernels& fixed_pass_kernels() {
    static const FixedPassKernels kernels{add_u32,          add_u64,   update,     box_row, stencil_row,
                                          stencil_row_wide, band_rows, slice_rows, dots};
    return kernels;
}

} // namespace mantissa::detail::MANTISSA_ISA
