#include "outer_words.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <optional>

#include "../fixed_plan.hpp"

#ifdef _OPENMP
#include <omp.h>
#endif

namespace mantissa::detail {

namespace {

using fixed::Wide;
using fixed::Word;

constexpr Format kDefect = Format::fixed(64, kDefectFraction);
/// Elements whose products are added before the sum goes into the long one.
constexpr std::size_t kPart = 1024;

/// word - x 2^-shift, x rounded half up: the low 64 bits of the exact result, and whether they hold it.
template <class Sum> Word minus_shifted(Word word, Sum x, int shift, bool& over) {
    const auto slow = [&] {
        fixed::Rounded result;
        if (shift <= 0) result = fixed::fit_shifted(kDefect, -Wide{x}, shift, word);
        else result = fixed::fit(kDefect, word - fixed::shift_round(x, shift, Rounding::nearest_up));
        over |= result.overflow;
        return result.word;
    };
    if constexpr (sizeof(Sum) == sizeof(Word)) { // |x| < 2^62
        if (shift > 62) return word;             // (rounds to 0)
        Word t = 0, result = 0;
        if (shift > 0) {
            t = (x >> shift) + ((x >> (shift - 1)) & 1);
        } else if (shift > -63) {
            t = static_cast<Word>(static_cast<std::uint64_t>(x) << -shift);
            if (t >> -shift != x) return slow();
        } else {
            return slow();
        }
        over |= __builtin_sub_overflow(word, t, &result);
        return result;
    } else {
        return slow();
    }
}

} // namespace

/// How the words of c are formed.
struct OuterWords::Correction {
    const FixedScalar& alpha;
    int shift;                      ///< of alpha p onto u's grid
    std::optional<WordScale> scale; ///< the same in 64 bits, where they suffice
    Word low, high;
};

OuterWords::OuterWords(const System& system, const DatapathSpec& spec, const Format& iterate, int threads)
    : spec_(spec), iterate_(iterate), stencil_(resident_stencil(system, spec.coefficient)),
      threads_(std::max(1, threads)), columns_(system.row_length()), rows_(system.size() / system.row_length()),
      v_(system.size(), 0), d_(system.size(), 0) {
    std::uint64_t magnitudes = 0;
    for (const std::int64_t s : stencil_.s) magnitudes += static_cast<std::uint64_t>(std::abs(s));
    sum_bits_ = spec.u.word_bits + static_cast<int>(std::bit_width(magnitudes));
}

void OuterWords::load(std::span<const Word> b) {
    std::ranges::copy(b, d_.begin());
    std::ranges::fill(v_, 0);
    rounded_ = false;
}

bool OuterWords::defect_is_zero() const {
    return std::ranges::all_of(d_, [](Word w) { return w == 0; });
}

template <class Found, class Body, class Merge> void OuterWords::for_strips(Body&& body, Merge&& merge) const {
    const std::size_t strips =
        std::min<std::size_t>(static_cast<std::size_t>(threads_), std::max<std::size_t>(1, rows_ / 8));
    const auto n = static_cast<std::ptrdiff_t>(strips);
#pragma omp parallel for num_threads(static_cast <int>(strips)) if (strips > 1) schedule(static)
    for (std::ptrdiff_t k = 0; k < n; ++k) {
        const auto at = static_cast<std::size_t>(k);
        Found found;
        body(rows_ * at / strips, rows_ * (at + 1) / strips, found);
#pragma omp critical
        merge(found);
    }
}

void OuterWords::form_part(const InnerWords& words, int shift, std::size_t begin, std::size_t end,
                           Formed& formed) const {
    const Format& format = spec_.r;
    const bool narrow = 2 * format.word_bits - 2 + 10 <= 62; // the sums of a part
    for (std::size_t at = begin; at < end; at += kPart) {
        const std::size_t n = std::min(kPart, end - at);
        for (std::size_t i = at; i < at + n; ++i) {
            Wide x = 0;
            bool lost = false;
            if (shift > 0 && shift < 64) {
                x = (d_[i] >> shift) + ((d_[i] >> (shift - 1)) & 1);
            } else if (shift > -63) {
                x = fixed::shift_round(d_[i], shift, Rounding::nearest_up);
            } else {
                lost = d_[i] != 0;
            }
            const fixed::Rounded word = fixed::fit(format, x);
            formed.over |= word.overflow || lost;
            formed.range.take(word.word);
            words.r[i] = words.q[i] = static_cast<std::int32_t>(word.word);
        }
        if (narrow) {
            std::int64_t rr = 0, rp = 0;
            for (std::size_t i = at; i < at + n; ++i) {
                rr += std::int64_t{words.r[i]} * words.r[i];
                rp += std::int64_t{words.r[i]} * words.p[i];
            }
            formed.rr.add(rr);
            formed.rp.add(rp);
            continue;
        }
        for (std::size_t i = at; i < at + n; ++i) {
            formed.rr.add(std::int64_t{words.r[i]} * words.r[i]);
            formed.rp.add(std::int64_t{words.r[i]} * words.p[i]);
        }
    }
}

Formed OuterWords::form(const InnerWords& words, int e) const {
    const int shift = kDefectFraction + e - spec_.r.fraction_bits;
    Formed all;
    for_strips<Formed>([&](std::size_t first, std::size_t last,
                           Formed& formed) { form_part(words, shift, first * columns_, last * columns_, formed); },
                       [&](const Formed& formed) {
                           all.rr.merge(formed.rr);
                           all.rp.merge(formed.rp);
                           all.over |= formed.over;
                           all.range.merge(formed.range);
                       });
    return all;
}

void OuterWords::correction_row(const InnerWords& words, const Correction& c, std::size_t row, std::int64_t* out,
                                bool& over) const {
    const std::size_t begin = row * columns_;
    const auto u_at = [&](std::size_t i) {
        return words.long_u.empty() ? Word{words.short_u[begin + i]} : words.long_u[begin + i];
    };
    const std::int32_t* const p = words.p.data() + begin;
    bool beyond = false;
    if (c.scale) {
        const std::int64_t significand = c.scale->significand, half = c.scale->half;
        const int shift = c.scale->shift;
        const auto form = [&](const auto* u) {
            for (std::size_t i = 0; i < columns_; ++i) {
                const std::int64_t x = u[i] + ((significand * p[i] + half) >> shift);
                out[i] = std::clamp(x, c.low, c.high);
                beyond |= out[i] != x;
            }
        };
        if (words.long_u.empty()) form(words.short_u.data() + begin);
        else form(words.long_u.data() + begin);
        over |= beyond;
        return;
    }
    for (std::size_t i = 0; i < columns_; ++i) {
        bool lost = false;
        const Wide x = u_at(i) + scaled_word(c.alpha, p[i], c.shift, spec_.u.rounding, lost);
        const bool negative = lost ? (c.alpha.significand < 0) != (p[i] < 0) : x < 0;
        if (!lost && x >= c.low && x <= c.high) {
            out[i] = static_cast<Word>(x);
            continue;
        }
        out[i] = negative ? c.low : c.high;
        beyond = true;
    }
    over |= beyond;
}

void OuterWords::iterate_row(const std::int64_t* c, std::size_t row, int shift, bool& over) {
    Word* const v = v_.data() + row * columns_;
    for (std::size_t i = 0; i < columns_; ++i) {
        if (shift > 0 && shift < 64) {
            over |= __builtin_add_overflow(v[i], (c[i] >> shift) + ((c[i] >> (shift - 1)) & 1), &v[i]);
            continue;
        }
        const fixed::Rounded sum = fixed::fit_shifted(iterate_, c[i], shift, v[i]);
        over |= sum.overflow;
        v[i] = sum.word;
    }
}

template <class Sum> void OuterWords::defect_row(const std::int64_t* const* c, std::size_t row, int shift, bool& over) {
    Word* const d = d_.data() + row * columns_;
    const std::array<std::int64_t, kBands>& s = stencil_.s;
    for (std::size_t i = 1; i + 1 < columns_; ++i) {
        Sum sum = 0;
        for (std::size_t b = 0; b < kBands; ++b) sum += Sum{s[b]} * c[b / 3][i + b % 3 - 1];
        d[i] = minus_shifted<Sum>(d[i], sum, shift, over);
    }
}

Stepped OuterWords::step(const InnerWords& words, const FixedScalar& alpha, const WordRange& range_p, int e) {
    const Correction correction{alpha, alpha.shift(spec_.p, spec_.u), word_scale(alpha, spec_.p, spec_.u, range_p, 61),
                                fixed::min_word(spec_.u), fixed::max_word(spec_.u)};
    const int shift_v = spec_.u.fraction_bits - iterate_.fraction_bits - e,
              shift_d = stencil_.point + spec_.u.fraction_bits - kDefectFraction - e;
    rounded_ |= shift_v > 0 || shift_d > 0;
    Stepped all;
    for_strips<Stepped>(
        [&](std::size_t first, std::size_t last, Stepped& found) {
            std::vector<std::int64_t> lines(3 * columns_);
            const auto line = [&](std::size_t row) { return lines.data() + row % 3 * columns_; };
            bool beside = false; // c of the neighbours' rows, which they look at themselves
            if (first > 0) correction_row(words, correction, first - 1, line(first - 1), beside);
            correction_row(words, correction, first, line(first), found.over_c);
            for (std::size_t row = first; row < last; ++row) {
                if (row + 1 < rows_)
                    correction_row(words, correction, row + 1, line(row + 1), row + 1 < last ? found.over_c : beside);
                iterate_row(line(row), row, shift_v, found.over_v);
                if (row == 0 || row + 1 == rows_) continue;
                const std::int64_t* const c[3] = {line(row - 1), line(row), line(row + 1)};
                if (sum_bits_ <= 62) defect_row<std::int64_t>(c, row, shift_d, found.over_d);
                else defect_row<Wide>(c, row, shift_d, found.over_d);
            }
        },
        [&](const Stepped& found) {
            all.over_c |= found.over_c;
            all.over_v |= found.over_v;
            all.over_d |= found.over_d;
        });
    return all;
}

} // namespace mantissa::detail
