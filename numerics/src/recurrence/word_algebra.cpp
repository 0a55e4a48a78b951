// Vectors of fixed-point words, as engine.hpp defines each step; u may be floating.
#include <algorithm>
#include <bit>
#include <utility>
#include <vector>

#include "../emulated/fixed_matrix.hpp"
#include "../emulated/fixed_scalar.hpp"
#include "../emulated/fixed_session.hpp"
#include "algebra.hpp"
#include "mantissa/accumulate.hpp"
#include "mantissa/exact.hpp"

namespace mantissa::recurrence {

namespace {

using fixed::Wide;
using fixed::Word;
using mantissa::detail::FixedScalar;

class WordAlgebra final : public Algebra {
public:
    WordAlgebra(const System& system, const DatapathSpec& spec, const Definition& definition, int threads)
        : spec_(spec), matrix_(mantissa::detail::fixed_matrix(system, spec.coefficient)),
          threads_(std::max(1, threads)) {
        for (std::size_t v = 0; v < definition.vectors; ++v) {
            fields_.push_back(definition.vector[v].field);
            formats_.push_back(format_of(spec, fields_.back()));
            words_.emplace_back(floating(v) ? 0 : system.size(), Word{0});
        }
        if (!spec.u.is_fixed()) u_.assign(system.size(), 0.0);
    }

    [[nodiscard]] std::size_t size() const override { return matrix_.size; }
    bool write(std::size_t v, std::span<const double> values) override {
        bool fits = true;
        for (std::size_t i = 0; i < values.size(); ++i) {
            const fixed::Rounded rounded = fixed::from_double(formats_[v], values[i]);
            words_[v][i] = rounded.word;
            fits = fits && !rounded.overflow;
        }
        return fits;
    }
    void clear(std::size_t v) override {
        std::ranges::fill(words_[v], 0);
        if (floating(v)) std::ranges::fill(u_, 0.0);
    }
    void read(std::size_t v, std::size_t first, std::span<double> values) const override {
        for (std::size_t i = 0; i < values.size(); ++i)
            values[i] = floating(v) ? u_[first + i] : fixed::to_double(formats_[v], words_[v][first + i]);
    }

    void update(std::size_t result, std::size_t a, double s, std::size_t b, bool minus) override {
        if (floating(result)) {
            for_elements(result, [&](std::size_t i, Found&) { u_[i] = floating_sum(i, s, b, minus); });
            return;
        }
        const FixedScalar scalar(s);
        for_elements(result, [&](std::size_t i, Found& found) {
            bool lost = false;
            const Wide sum = fixed_sum(result, a, scalar, b, minus, i, lost);
            found.overflow |= lost;
            keep(found, result, words_[result][i], sum);
        });
    }
    void copy(std::size_t result, std::size_t a) override {
        for_elements(result, [&](std::size_t i, Found& found) {
            bool lost = false;
            const Wide moved = onto(result, a, i, lost);
            found.overflow |= lost;
            keep(found, result, words_[result][i], moved);
        });
    }
    void apply(std::size_t result, std::size_t a) override {
        const int shift = spec_.coefficient.fraction_bits + formats_[a].fraction_bits - formats_[result].fraction_bits;
        for_elements(result, [&](std::size_t i, Found& found) {
            const Wide sum = mantissa::detail::row_sum(matrix_, words_[a].data(), i);
            const bool lost = -shift > 8 && sum != 0 && mantissa::detail::wide_bits(sum) - shift > 126;
            keep(found, result, words_[result][i], lost ? 0 : fixed::shift_round(sum, shift, formats_[result].rounding),
                 lost);
        });
    }
    DotResult dot(std::size_t a, std::size_t b) override {
        if (!spec_.dot.exact) {
            FixedAccumulator window(spec_.dot.window);
            for (std::size_t i = 0; i < size(); ++i)
                window.add_product(fixed::to_double(formats_[a], words_[a][i]),
                                   fixed::to_double(formats_[b], words_[b][i]));
            return {window.total(spec_.scalar), window.overflow()};
        }
        mantissa::detail::ExactSum sum;
        for (std::size_t i = 0; i < size(); ++i) sum.add(Wide{words_[a][i]} * words_[b][i]);
        if (sum.lost()) return {0.0, true};
        return {mantissa::detail::exact_total(sum.units(), formats_[a].fraction_bits + formats_[b].fraction_bits,
                                              spec_.scalar),
                false};
    }
    void peek(std::size_t u, double s, std::size_t p, std::size_t first, std::span<double> values) const override {
        const FixedScalar scalar(s);
        for (std::size_t k = 0; k < values.size(); ++k) {
            if (floating(u)) {
                values[k] = floating_sum(first + k, s, p, false);
                continue;
            }
            bool lost = false;
            values[k] = fixed::to_double(
                formats_[u], fixed::fit(formats_[u], fixed_sum(u, u, scalar, p, false, first + k, lost)).word);
        }
    }
    bool take_overflow() override { return std::exchange(overflow_, false); }
    WordUse take_words() override { return std::exchange(use_, {}); }

private:
    /// What one thread's part of a step found out.
    struct Found {
        bool overflow = false;
        int bits = 0;
    };
    [[nodiscard]] bool floating(std::size_t v) const { return fields_[v] == Field::u && !spec_.u.is_fixed(); }

    /// `lost`: the number is beyond any word, and `units` are its low bits.
    void keep(Found& found, std::size_t v, Word& into, Wide units, bool lost = false) const {
        const fixed::Rounded rounded = fixed::fit(formats_[v], units);
        into = rounded.word;
        const bool overflow = rounded.overflow || lost;
        found.overflow |= overflow;
        found.bits = std::max(found.bits, overflow ? formats_[v].word_bits + 1 : fixed::bits_of(rounded.word));
    }
    /// a on the result's grid.
    [[nodiscard]] Wide onto(std::size_t result, std::size_t a, std::size_t i, bool& lost) const {
        const int up = formats_[a].fraction_bits - formats_[result].fraction_bits;
        if (-up > 72 && words_[a][i] != 0) {
            lost = true;
            return 0;
        }
        return fixed::shift_round(words_[a][i], up, formats_[result].rounding);
    }
    [[nodiscard]] Wide fixed_sum(std::size_t result, std::size_t a, const FixedScalar& s, std::size_t b, bool minus,
                                 std::size_t i, bool& lost) const {
        const Wide along =
            scaled_word(s, words_[b][i], s.shift(formats_[b], formats_[result]), formats_[result].rounding, lost);
        const Wide from = onto(result, a, i, lost);
        return minus ? from - along : from + along;
    }
    [[nodiscard]] double floating_sum(std::size_t i, double s, std::size_t p, bool minus) const {
        const double along = exact::mul(spec_.u, s, fixed::to_double(formats_[p], words_[p][i]));
        return minus ? exact::sub(spec_.u, u_[i], along) : exact::add(spec_.u, u_[i], along);
    }

    template <class Body> void for_elements(std::size_t result, Body&& body) {
        const auto n = static_cast<std::ptrdiff_t>(size());
        Found all;
#pragma omp parallel num_threads(threads_) if (threads_ > 1)
        {
            Found found;
#pragma omp for schedule(static)
            for (std::ptrdiff_t i = 0; i < n; ++i) body(static_cast<std::size_t>(i), found);
#pragma omp critical
            {
                all.overflow |= found.overflow;
                all.bits = std::max(all.bits, found.bits);
            }
        }
        overflow_ |= all.overflow;
        WordUse use;
        const Field field = fields_[result];
        (field == Field::u ? use.u : field == Field::r ? use.r : field == Field::p ? use.p : use.q) = all.bits;
        use_.merge(use);
    }

    DatapathSpec spec_;
    mantissa::detail::FixedMatrix matrix_;
    int threads_;
    std::vector<Field> fields_;
    std::vector<Format> formats_;
    std::vector<std::vector<Word>> words_;
    std::vector<double> u_; ///< a floating u
    bool overflow_ = false;
    WordUse use_;
};

} // namespace

std::unique_ptr<Algebra> make_word_algebra(const System& system, const DatapathSpec& spec, const Definition& definition,
                                           int threads) {
    return std::make_unique<WordAlgebra>(system, spec, definition, threads);
}

} // namespace mantissa::recurrence
