#include "mantissa/bit_operations.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <span>
#include <variant>

#include "mantissa/exact.hpp"
#include "mantissa/fixed_words.hpp"
#include "mantissa/narrow/block_format.hpp"
#include "mantissa/row_forms.hpp"

namespace mantissa {

namespace {

int width(const Format& f) {
    return f.is_fixed() ? f.word_bits : f.fraction_bits + 1;
}

/// ... or of the words of its blocks.
int width(const Format& f, const narrow::BlockFormat& blocks) {
    return blocks.given() ? blocks.factor_bits() : width(f);
}

int log2_up(std::uint64_t n) {
    return n < 2 ? 0 : static_cast<int>(std::bit_width(n - 1));
}

/// A constant as a core holds it: its first and its last bit that is one, as powers of two.
struct Constant {
    int first = 0, last = 0;
    bool zero = true;
    Constant(const Format& f, double value) {
        double rounded = value;
        if (!f.is_fixed()) {
            rounded = exact::convert(f, value);
        } else { // (a stencil's words have no limit of the format's, engine.hpp)
            Format wide = f;
            wide.word_bits = 64;
            rounded = fixed::to_double(wide, fixed::from_double(wide, value).word);
        }
        if (rounded == 0) return;
        int exponent = 0;
        const auto significand = static_cast<std::uint64_t>(std::ldexp(std::frexp(std::abs(rounded), &exponent), 53));
        zero = false;
        first = exponent - 1;
        last = exponent - 53 + std::countr_zero(significand);
    }
    /// What a multiplier sees; a power of two needs none.
    [[nodiscard]] int bits() const { return first == last ? 0 : first - last + 1; }
};

/// Adds up the operations of rows. Coefficients are streamed (all of the format's bits) or constants.
class Rows {
public:
    explicit Rows(const DatapathSpec& spec)
        : spec_(spec), fixed_(spec.fixed_vectors()), coefficient_(width(spec.coefficient, spec.coefficient_blocks)),
          p_(width(spec.p, spec.p_blocks)),
          kept_(spec.coefficient_blocks.given() ? formats::kDouble : spec.coefficient) {}

    /// Constants as a core holds them: in the words of blocks, where coefficients have them.
    template <std::size_t N> [[nodiscard]] std::array<double, N> held(std::array<double, N> constants) const {
        narrow::round_blocks(spec_.coefficient_blocks, constants, constants);
        return constants;
    }

    /// Coefficients are these constants from now on: words as long as hold them all, on one grid.
    void hold(std::span<const double> constants) {
        int first = -2000, last = 2000;
        for (const double value : constants)
            if (const Constant c(kept_, value); !c.zero) {
                first = std::max(first, c.first);
                last = std::min(last, c.last);
            }
        coefficient_ = std::max(1, first - last + 1);
    }

    [[nodiscard]] std::uint64_t constant(double value, int other) const {
        return static_cast<std::uint64_t>(Constant(kept_, value).bits()) * static_cast<std::uint64_t>(other);
    }
    [[nodiscard]] std::uint64_t streamed(int other) const {
        return static_cast<std::uint64_t>(coefficient_) * static_cast<std::uint64_t>(other);
    }
    /// The width of p's differences where they meet a multiplier.
    [[nodiscard]] int difference() const { return fixed_ ? p_ + 1 : width(spec_.row); }
    /// Of sums of `terms` products with a factor of `factor` bits.
    [[nodiscard]] std::uint64_t sum(int factor, std::uint64_t terms) const {
        return static_cast<std::uint64_t>(fixed_ ? coefficient_ + factor + log2_up(terms) : width(spec_.row));
    }
    [[nodiscard]] int p() const { return p_; }

    /// `terms` products added, of all rows together `products` bits.
    [[nodiscard]] BitOperations chain(std::uint64_t products, std::uint64_t terms) const {
        return {products, terms < 2 ? 0 : (terms - 1) * sum(p_, terms)};
    }
    /// Four fluxes, formed once and used twice.
    [[nodiscard]] BitOperations flux(std::uint64_t products, bool row_sums) const {
        const auto differences = 4 * static_cast<std::uint64_t>(difference());
        return {products, differences + (7 + (row_sums ? 1U : 0U)) * sum(difference(), 8)};
    }
    [[nodiscard]] BitOperations second(const SecondDifferences& s) const {
        const bool sums = s.c != 0;
        // a has two bits more than p, s is a sum of products, and a again enters at the end.
        const int a = fixed_ ? p_ + 2 : width(spec_.row);
        const std::uint64_t products =
            constant(s.beta, p_) + constant(s.gamma, a) + constant(s.alpha, a) + (sums ? constant(s.c, p_) : 0);
        const auto first = 2 * static_cast<std::uint64_t>(difference()) + static_cast<std::uint64_t>(a);
        return {products, first + (5 + (sums ? 1U : 0U)) * sum(a, 4)};
    }

private:
    const DatapathSpec& spec_;
    bool fixed_;
    int coefficient_, p_;
    Format kept_; ///< in which constants count, rounded into blocks or not
};

/// One row of a stencil, in the form that the spec names.
BitOperations one_row(Rows rows, RowOrder order, const Stencil& stencil) {
    if (order == RowOrder::second_difference)
        if (const auto s = second_differences(stencil)) {
            const std::array constants = rows.held(std::array{s->alpha, s->beta, s->gamma, s->c});
            rows.hold(constants);
            return rows.second({constants[0], constants[1], constants[2], constants[3]});
        }
    if (order == RowOrder::flux)
        if (const auto form = fluxes(stencil)) {
            std::array<double, kWeights + 1> constants{};
            std::copy(form->weight.begin(), form->weight.end(), constants.begin());
            constants.back() = form->c;
            constants = rows.held(constants);
            rows.hold(constants);
            std::uint64_t products = form->c != 0 ? rows.constant(constants.back(), rows.p()) : 0;
            for (std::size_t k = 0; k < kWeights; ++k) products += rows.constant(constants[k], rows.difference());
            return rows.flux(products, form->c != 0);
        }
    const std::array constants = rows.held(stencil.coefficients());
    rows.hold(constants);
    std::uint64_t products = 0;
    for (const double a : constants) products += rows.constant(a, rows.p());
    return rows.chain(products, kBands);
}

BitOperations one_row(const Rows& rows, RowOrder order, bool row_sums) {
    if (order != RowOrder::flux) return rows.chain(kBands * rows.streamed(rows.p()), kBands);
    return rows.flux(4 * rows.streamed(rows.difference()) + (row_sums ? rows.streamed(rows.p()) : 0), row_sums);
}

BitOperations all_rows(const Rows& rows, RowOrder order, const System& system) {
    const std::uint64_t size = system.size();
    return std::visit(
        Overloaded{[&](const Stencil& m) { return size * one_row(rows, order, m); },
                   [&](const Bands& m) {
                       const bool sums = order == RowOrder::flux && !SymmetricBands::from(m).row_sums().empty();
                       return size * one_row(rows, order, sums);
                   },
                   [&](const SymmetricBands& m) { return size * one_row(rows, order, !m.row_sums().empty()); },
                   [&](const CompressedRows& m) {
                       BitOperations all;
                       for (std::size_t i = 0; i < size; ++i) {
                           const std::uint64_t terms = m.row_begin()[i + 1] - m.row_begin()[i];
                           all += rows.chain(terms * rows.streamed(rows.p()), terms);
                       }
                       return all;
                   }},
        system.matrix());
}

} // namespace

BitOperations bit_operations(const DatapathSpec& spec, const System& system) {
    const auto times = [](int a, int b) { return static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b); };
    const int p = width(spec.p, spec.p_blocks), q = width(spec.q), r = width(spec.r);
    const std::uint64_t size = system.size();
    const auto accumulator = [&](const Format& a, const Format& b) {
        if (spec.dot.exact) {
            const int bits = width(a) + width(b) + log2_up(size);
            return static_cast<std::uint64_t>(bits);
        }
        return static_cast<std::uint64_t>(spec.dot.fixed ? spec.dot.window.width() : width(spec.dot.accumulator));
    };
    BitOperations element;
    const std::array operand{p, q, p}, result{width(spec.u), r, width(spec.p)};
    for (std::size_t k = 0; k < 3; ++k)
        element += {times(width(spec.operand), operand[k]), static_cast<std::uint64_t>(result[k])};
    element += {times(r, r), accumulator(spec.r, spec.r)};
    element += {times(p, q), accumulator(spec.p, spec.q)};
    element += {times(q, q), accumulator(spec.q, spec.q)};
    BitOperations pass = size * element;
    pass += all_rows(Rows(spec), spec.order, system);
    return pass;
}

} // namespace mantissa
