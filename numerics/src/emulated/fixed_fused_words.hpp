// The words of the fast session in fixed point: vectors in 32-bit integers, u in 32 or 64 bits or in doubles, bounds on
// what they hold, and sums over them. The passes are in fixed_fused.cpp.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "fixed_plan.hpp"
#include "fixed_session.hpp"
#include "mantissa/accumulate.hpp"
#include "mantissa/exact.hpp"
#include "mantissa/fixed_kernels.hpp"
#include "part_links.hpp"
#include "session_base.hpp"

namespace mantissa::detail {

/// u, r, p and q of a system of `size` elements, with `margin` zeros on either side that row sums may read.
class FixedFusedWords : public FixedWordsSession {
public:
    FixedFusedWords(const DatapathSpec& spec, std::size_t size, std::size_t margin)
        : spec_(spec), margin_(margin), size_(size), unit_(spec.u.is_fixed() ? formats::kDouble : spec.u) {
        for (Words32& v : words_) v = Words32(size, margin + 64);
        if (!spec.u.is_fixed()) u_double_.assign(size, 0.0);
        else if (spec.u.word_bits <= kMostWordBits + 1) u_short_.assign(size, 0);
        else u_long_.assign(size, 0);
    }

    void write(Vec v, std::size_t first, std::span<const double> values) override {
        check(first, values.size());
        const Format& f = format(v);
        if (floating(v)) {
            unit_.convert(values, std::span(u_double_).subspan(first, values.size()));
            return;
        }
        WordRange& range = range_[index(v)];
        const auto enter = [&](auto words) {
            using T = typename decltype(words)::value_type;
            unfit_ |= FixedUnit<T>(f).convert(values, words);
            T longest = 0; // its bits bound the words', and such a loop is fast with any instruction set
            for (const T word : words) longest |= word < 0 ? ~word : word;
            range.take(longest);
        };
        if (v != Vec::u) enter(std::span<std::int32_t>(data(v) + first, values.size()));
        else if (u_short_.empty()) enter(std::span(u_long_).subspan(first, values.size()));
        else enter(std::span(u_short_).subspan(first, values.size()));
    }
    void read(Vec v, std::size_t first, std::span<double> values) const override {
        check(first, values.size());
        const std::size_t n = values.size();
        if (floating(v)) std::copy_n(u_double_.begin() + static_cast<std::ptrdiff_t>(first), n, values.begin());
        else if (v != Vec::u)
            FixedUnit<std::int32_t>(format(v)).to_doubles(std::span<const std::int32_t>(data(v) + first, n), values);
        else if (u_short_.empty())
            FixedUnit<std::int64_t>(spec_.u).to_doubles(std::span(u_long_).subspan(first, n), values);
        else FixedUnit<std::int32_t>(spec_.u).to_doubles(std::span(u_short_).subspan(first, n), values);
    }
    void clear(Vec v) override {
        range_[index(v)] = {};
        if (v != Vec::u) std::fill_n(data(v), size(), 0);
        if (v == Vec::u) {
            std::fill(u_short_.begin(), u_short_.end(), 0);
            std::fill(u_long_.begin(), u_long_.end(), 0);
            std::fill(u_double_.begin(), u_double_.end(), 0.0);
        }
    }
    [[nodiscard]] std::span<std::int32_t> words(Vec v) override { return {data(v), size()}; }
    void enter(Vec v, const WordRange& range) override { range_[index(v)] = range; }
    [[nodiscard]] WordRange range(Vec v) const override { return range_[index(v)]; }
    [[nodiscard]] std::span<const std::int32_t> short_u() const override { return u_short_; }
    [[nodiscard]] std::span<const std::int64_t> long_u() const override { return u_long_; }

protected:
    using Wide = fixed::Wide;
    using Word = fixed::Word;
    /// 32-bit words with zeros on either side.
    using Words32 = Padded<std::int32_t>;

    /// What one thread's part of a pass leaves.
    struct Found {
        WordRange range[4];
        bool overflow = false; ///< a word that was cut already
        ExactSum sums[3];
    };

    static std::size_t index(Vec v) { return static_cast<std::size_t>(v); }
    [[nodiscard]] std::size_t size() const { return size_; }
    [[nodiscard]] bool floating(Vec v) const { return v == Vec::u && !u_double_.empty(); }
    [[nodiscard]] const Format& format(Vec v) const {
        return v == Vec::u ? spec_.u : v == Vec::r ? spec_.r : v == Vec::p ? spec_.p : spec_.q;
    }
    [[nodiscard]] std::int32_t* data(Vec v) { return words_[index(v) - 1].data(); }
    [[nodiscard]] const std::int32_t* data(Vec v) const { return words_[index(v) - 1].data(); }
    [[nodiscard]] Word get(Vec v, std::size_t i) const {
        if (v != Vec::u) return data(v)[i];
        return u_short_.empty() ? u_long_[i] : u_short_[i];
    }
    void put(Vec v, std::size_t i, Word word) {
        if (v != Vec::u) data(v)[i] = static_cast<std::int32_t>(word);
        else if (u_short_.empty()) u_long_[i] = word;
        else u_short_[i] = static_cast<std::int32_t>(word);
    }
    void check(std::size_t first, std::size_t count) const {
        if (first > size() || count > size() - first)
            throw InvalidInput("session: elements outside the vector; stay below the system's size");
    }

    /// The word that stays, noted.
    Word cut(Vec v, Wide units, Found& found) const {
        const fixed::Rounded rounded = fixed::fit(format(v), units);
        found.overflow |= rounded.overflow;
        // An overflow shows as one bit more than the word has.
        found.range[index(v)].take(rounded.overflow ? (Word{1} << (format(v).word_bits - 1)) : rounded.word);
        return rounded.word;
    }

    /// A sum of this session's elements before it is rounded: units of the exact products, or of the window.
    [[nodiscard]] PartSum part_sum(const ExactSum& sum, Vec a, Vec b) const {
        if (spec_.dot.exact) return {sum.units(), sum.lost()};
        FixedAccumulator window(spec_.dot.window);
        const int up = -spec_.dot.window.lsb - format(a).fraction_bits - format(b).fraction_bits;
        // No product is longer than the longest words'; where one might leave the window, each is looked at.
        if (bits_of(range_[index(a)]) + bits_of(range_[index(b)]) + up <= spec_.dot.window.width()) {
            window.add_units(sum.units() * (Wide{1} << up));
        } else {
            const double x = Format::power_of_two(-format(a).fraction_bits),
                         y = Format::power_of_two(-format(b).fraction_bits);
            for (std::size_t i = 0; i < size(); ++i) window.add_product(data(a)[i] * x, data(b)[i] * y);
        }
        return {window.units(), window.term_overflow()};
    }
    [[nodiscard]] DotResult total(const PartSum& sum, Vec a, Vec b) const {
        if (spec_.dot.exact) {
            const int point = format(a).fraction_bits + format(b).fraction_bits;
            return sum.lost ? DotResult{0.0, true} : DotResult{exact_total(sum.units, point, spec_.scalar), false};
        }
        FixedAccumulator window(spec_.dot.window);
        window.merge_units(sum.units, sum.lost);
        return {window.total(spec_.scalar), window.overflow()};
    }

    DatapathSpec spec_;
    std::size_t margin_, size_;
    VectorUnit<double> unit_; ///< of a floating u
    Words32 words_[3];        ///< r, p, q
    std::vector<std::int32_t> u_short_;
    std::vector<std::int64_t> u_long_;
    std::vector<double> u_double_;
    WordRange range_[4]; ///< bounds on what the vectors hold
    bool unfit_ = false; ///< a written element that did not fit
};

} // namespace mantissa::detail
