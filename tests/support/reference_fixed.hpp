// One pipelined-CG pass in fixed-point words, written out from engine.hpp: 128-bit integers, division for rounding,
// one element after the other. Against it the emulated engine's sessions are tested; the scalar unit is that of
// reference_pass.hpp.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <vector>

#include "reference_pass.hpp"

namespace mantissa::testing {

class ReferenceFixed {
public:
    __extension__ using Integer = __int128;

    ReferenceFixed(const System& system, const DatapathSpec& spec)
        : spec_(spec), system_(system), floating_u_(system.size(), 0.0), plain_(system, floating(spec)) {
        for (auto& v : words_) v.assign(system.size(), 0);
    }

    void write(Vec which, const std::vector<double>& values) {
        const Format f = format(which);
        for (std::size_t i = 0; i < values.size(); ++i) {
            if (which == Vec::u && !spec_.u.is_fixed()) {
                floating_u_[i] = exact::convert(spec_.u, values[i]);
                continue;
            }
            // A double is an integer times a power of two; onto 2^-F.
            int e = 0;
            const auto significand = static_cast<Integer>(std::ldexp(std::frexp(values[i], &e), 53));
            Integer units = rounded(significand, 53 - e - f.fraction_bits, f);
            const Integer top = (Integer{1} << (f.word_bits - 1)) - 1;
            if (units > top || units < -top - 1) {
                overflow_ = true;
                units = units > top ? top : -top - 1;
            }
            word(which, i) = units;
        }
    }
    [[nodiscard]] std::vector<double> read(Vec which) const {
        if (which == Vec::u && !spec_.u.is_fixed()) return floating_u_;
        std::vector<double> values;
        for (const Integer x : words_[static_cast<std::size_t>(which)])
            values.push_back(
                std::ldexp(static_cast<double>(static_cast<std::int64_t>(x)), -format(which).fraction_bits));
        return values;
    }
    void set_scalars(double alpha, double beta) {
        scalars.alpha = alpha;
        scalars.beta = beta;
    }

    ReferenceStep pass() {
        const double alpha = exact::convert(spec_.operand, scalars.alpha);
        const double beta = exact::convert(spec_.operand, scalars.beta);
        for (std::size_t i = 0; i < system_.size(); ++i) {
            const Integer direction = word(Vec::p, i);
            if (spec_.u.is_fixed()) keep(Vec::u, i, word(Vec::u, i) + product(alpha, direction, Vec::p, Vec::u));
            else
                floating_u_[i] =
                    exact::add(spec_.u, floating_u_[i],
                               exact::mul(spec_.u, alpha,
                                          std::ldexp(static_cast<double>(static_cast<std::int64_t>(direction)),
                                                     -spec_.p.fraction_bits)));
            keep(Vec::r, i, word(Vec::r, i) - product(alpha, word(Vec::q, i), Vec::q, Vec::r));
            keep(Vec::p, i,
                 rounded(word(Vec::r, i), spec_.r.fraction_bits - spec_.p.fraction_bits, spec_.p) +
                     product(beta, direction, Vec::p, Vec::p));
        }
        for (std::size_t i = 0; i < system_.size(); ++i)
            keep(Vec::q, i,
                 rounded(row(i), spec_.coefficient.fraction_bits + spec_.p.fraction_bits - spec_.q.fraction_bits,
                         spec_.q));
        ReferenceStep step = plain_.scalar_unit(dot(Vec::r, Vec::r), dot(Vec::p, Vec::q), dot(Vec::q, Vec::q));
        if (overflow_) step = {{}, RunEnd::window_overflow, false};
        overflow_ = false;
        scalars = step.scalars;
        return step;
    }

    Scalars scalars;

private:
    /// A spec whose scalar unit is ours: ReferenceSession wants floating vectors.
    static DatapathSpec floating(const DatapathSpec& spec) {
        DatapathSpec plain;
        plain.scalar = spec.scalar;
        return plain;
    }
    [[nodiscard]] const Format& format(Vec v) const {
        const Format* const f[] = {&spec_.u, &spec_.r, &spec_.p, &spec_.q};
        return *f[static_cast<std::size_t>(v)];
    }
    Integer& word(Vec v, std::size_t i) { return words_[static_cast<std::size_t>(v)][i]; }

    static Integer floor_divided(Integer x, Integer by) { return x / by - (x % by < 0 ? 1 : 0); }
    /// x 2^-drop, rounded as `f` does.
    static Integer rounded(Integer x, int drop, const Format& f) {
        // Bits that leave the integer lie far above every word: what a word keeps is the same without them.
        for (; drop < 0; ++drop) x = static_cast<Integer>(static_cast<unsigned __int128>(x) * 2);
        for (; drop > 62; --drop) x = floor_divided(x, 2) | (floor_divided(x, 2) * 2 != x ? 1 : 0); // sticky
        const Integer unit = Integer{1} << drop;
        const Integer whole = floor_divided(x, unit);
        // Twice x may not fit, twice what is left over does.
        return f.rounding != Rounding::down && 2 * (x - whole * unit) >= unit ? whole + 1 : whole;
    }
    Integer product(double s, Integer w, Vec from, Vec to) {
        int e = 0;
        const auto significand = static_cast<Integer>(std::ldexp(std::frexp(s, &e), 53)); // s = significand 2^(e-53)
        if (significand == 0) return 0;
        Integer odd = significand;
        int zeros = 0;
        for (; odd % 2 == 0; odd /= 2) ++zeros;
        return rounded(odd * w, format(from).fraction_bits - format(to).fraction_bits + 53 - e - zeros, format(to));
    }
    void keep(Vec v, std::size_t i, Integer units) {
        const Integer size = Integer{1} << format(v).word_bits;
        Integer low = units - floor_divided(units, size) * size;
        if (low >= size / 2) low -= size;
        if (low != units) overflow_ = true;
        word(v, i) = low;
    }

    [[nodiscard]] Integer coefficient(double a) const {
        int e = 0;
        const auto significand = static_cast<Integer>(std::ldexp(std::frexp(a, &e), 53));
        if (significand == 0) return 0;
        return rounded(significand, 53 - e - spec_.coefficient.fraction_bits, spec_.coefficient);
    }
    /// Row i from its nine coefficients and its row sum, where the matrix has that by itself.
    Integer nine_point(std::size_t i, const std::array<double, kBands>& a, std::optional<double> given = {}) {
        double sum = 0, magnitudes = 0;
        Integer total = 0, others = 0;
        for (int b = 0; b < kBands; ++b) {
            const double value = a[static_cast<std::size_t>(b)];
            sum += value;
            magnitudes += std::fabs(value);
            if (b == 4) continue;
            others += coefficient(value);
            const std::ptrdiff_t j = static_cast<std::ptrdiff_t>(i) + band_offset(b, system_.row_length());
            if (j >= 0 && j < static_cast<std::ptrdiff_t>(system_.size()))
                total += coefficient(value) * word(Vec::p, static_cast<std::size_t>(j));
        }
        if (magnitudes == 0) return 0;
        if (given) sum = *given;
        if (std::fabs(sum) <= std::ldexp(magnitudes, -50)) sum = 0;
        return total + (coefficient(sum) - others) * word(Vec::p, i);
    }
    Integer row(std::size_t i) {
        return std::visit(Overloaded{[&](const Stencil& m) {
                                         return ReferenceSession::dirichlet(m, i) ? Integer{0}
                                                                                  : nine_point(i, m.coefficients());
                                     },
                                     [&](const CompressedRows& m) {
                                         Integer sum = 0;
                                         for (auto k = m.row_begin()[i]; k < m.row_begin()[i + 1]; ++k)
                                             sum += coefficient(m.value()[k]) * word(Vec::p, m.column()[k]);
                                         return sum;
                                     },
                                     [&](const SymmetricBands& m) {
                                         return nine_point(i, ReferenceSession::nine(m, i),
                                                           m.row_sums().empty() ? 0.0 : m.row_sums()[i]);
                                     },
                                     [&](const Bands& m) {
                                         std::array<double, kBands> a{};
                                         for (std::size_t b = 0; b < kBands; ++b) a[b] = m.band(b)[i];
                                         return nine_point(i, a);
                                     }},
                          system_.matrix());
    }

    ReferenceDot dot(Vec a, Vec b) {
        const int point = format(a).fraction_bits + format(b).fraction_bits;
        Integer sum = 0;
        bool outside = false;
        for (std::size_t i = 0; i < system_.size(); ++i) {
            Integer term = word(a, i) * word(b, i);
            if (spec_.dot.fixed) {
                const int drop = point + spec_.dot.window.lsb; // toward zero, as the window truncates
                for (int k = drop; k < 0; ++k) term *= 2;
                if (drop > 0) term /= Integer{1} << drop;
                const Integer top = Integer{1} << (spec_.dot.window.msb - spec_.dot.window.lsb);
                outside |= term < -top || term >= top;
            }
            sum += term;
        }
        int unit = -point;
        if (spec_.dot.fixed) {
            unit = spec_.dot.window.lsb;
            const Integer top = Integer{1} << (spec_.dot.window.msb - spec_.dot.window.lsb);
            outside |= sum < -top || sum >= top;
        }
        if (outside) return {0.0, true};
        // Three parts that are doubles, the lowest one made sticky: rounding sees it as it would the exact sum.
        const bool negative = sum < 0;
        Integer magnitude = negative ? -sum : sum;
        int dropped = 0;
        bool sticky = false;
        while (magnitude >= (Integer{1} << 100)) {
            sticky |= magnitude % 2 != 0;
            magnitude /= 2;
            ++dropped;
        }
        if (sticky) magnitude |= 1;
        const Integer low = magnitude % (Integer{1} << 50), high = magnitude - low;
        const double value = exact::add(spec_.scalar, std::ldexp(static_cast<double>(high), unit + dropped),
                                        std::ldexp(static_cast<double>(low), unit + dropped));
        return {negative ? -value : value, false};
    }

    DatapathSpec spec_;
    System system_;
    std::vector<Integer> words_[4];
    std::vector<double> floating_u_;
    ReferenceSession plain_;
    bool overflow_ = false;
};

} // namespace mantissa::testing
