// A pipelined-CG pass in fixed-point words whose binary point moves, written out from engine.hpp: numbers are exact
// rationals, words are cut from them. Against it the emulated engine is tested.
#pragma once

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include <boost/multiprecision/cpp_int.hpp>

#include "reference_pass.hpp"

namespace mantissa::testing {

class ReferenceMoving {
public:
    using Integer = boost::multiprecision::cpp_int;

    ReferenceMoving(const System& system, const DatapathSpec& spec)
        : scalars(), spec_(spec), size_(system.size()), u_floating_(size_, 0.0), scalar_unit_(system, plain(spec)) {
        for (auto& w : words_) w.assign(size_, 0);
        load(system);
    }

    /// Into a session whose point has not moved, or after home().
    void write(Vec v, const std::vector<double>& values) {
        for (std::size_t i = 0; i < size_; ++i) {
            if (v == Vec::u && !spec_.u.is_fixed()) {
                u_floating_[i] = exact::convert(spec_.u, values[i]);
                continue;
            }
            Integer units = rounded(number(values[i]), format(v).fraction_bits, format(v).rounding);
            const Integer top = (Integer(1) << (format(v).word_bits - 1)) - 1;
            unfit_ = unfit_ || units > top || units < -top - 1;
            if (units > top) units = top;
            if (units < -top - 1) units = -top - 1;
            word(v, i) = units;
        }
    }
    /// r, p and q are cleared, one after the other.
    void home() {
        for (const Vec v : {Vec::r, Vec::p, Vec::q}) words_[static_cast<std::size_t>(v)].assign(size_, 0);
        moved_ = 0;
    }
    [[nodiscard]] std::vector<double> read(Vec v) const {
        if (v == Vec::u && !spec_.u.is_fixed()) return u_floating_;
        std::vector<double> values;
        for (const Integer& w : words_[static_cast<std::size_t>(v)])
            values.push_back(std::ldexp(w.convert_to<double>(), -point(v)));
        return values;
    }
    [[nodiscard]] int moved() const { return moved_; }
    [[nodiscard]] int guard() const { return guard_; }

    ReferenceStep pass() {
        const double alpha = exact::convert(spec_.operand, scalars.alpha),
                     beta = exact::convert(spec_.operand, scalars.beta);
        const Dyadic a = number(alpha), b = number(beta);
        const int f = point(Vec::r), to = f + rise(alpha, beta);
        bool overflow = unfit_, vectors = false;
        unfit_ = false;
        for (std::size_t i = 0; i < size_; ++i) {
            const Dyadic p{word(Vec::p, i), -f}, q{word(Vec::q, i), -f}, r{word(Vec::r, i), -f};
            if (spec_.u.is_fixed()) {
                const int fu = spec_.u.fraction_bits;
                overflow |= keep(Vec::u, i, word(Vec::u, i) + rounded(times(a, p), fu, spec_.u.rounding));
            } else {
                const double value = std::ldexp(p.significand.convert_to<double>(), -f);
                u_floating_[i] = exact::add(spec_.u, u_floating_[i], exact::mul(spec_.u, alpha, value));
            }
            vectors |= keep(Vec::r, i, rounded(minus(r, times(a, q)), to, spec_.r.rounding));
            // (A word of r that wrapped is what p is formed from.)
            vectors |= keep(
                Vec::p, i,
                rounded(minus({word(Vec::r, i), -to}, times(b, {-p.significand, p.exponent})), to, spec_.p.rounding));
        }
        moved_ += to - f;
        for (std::size_t i = 0; i < size_; ++i) {
            Integer sum = 0;
            for (const auto& [j, c] : rows_[i]) sum += c * word(Vec::p, j);
            vectors |= keep(Vec::q, i, rounded({sum, -to - spec_.coefficient.fraction_bits}, to, spec_.q.rounding));
        }
        if (vectors) ++guard_;
        ReferenceStep step = scalar_unit_.scalar_unit(dot(Vec::r, Vec::r), dot(Vec::p, Vec::q), dot(Vec::q, Vec::q));
        if (overflow || vectors) step = {{}, RunEnd::window_overflow, false};
        scalars = step.scalars;
        return step;
    }

    Scalars scalars;

private:
    /// significand 2^exponent
    struct Dyadic {
        Integer significand;
        int exponent = 0;
    };
    static Dyadic number(double x) {
        int e = 0;
        const auto significand = static_cast<long long>(std::ldexp(std::frexp(x, &e), 53));
        return {significand, significand == 0 ? 0 : e - 53};
    }
    static Dyadic times(const Dyadic& a, const Dyadic& b) {
        return {a.significand * b.significand, a.exponent + b.exponent};
    }
    static Dyadic minus(const Dyadic& a, const Dyadic& b) {
        const int e = std::min(a.exponent, b.exponent);
        const Integer left = a.significand * (Integer(1) << (a.exponent - e));
        return {left - b.significand * (Integer(1) << (b.exponent - e)), e};
    }
    static Integer floor_divided(const Integer& x, const Integer& by) {
        const Integer quotient = x / by;
        return quotient * by > x ? quotient - 1 : quotient;
    }
    /// x in units of 2^-point.
    static Integer rounded(const Dyadic& x, int point, Rounding rounding) {
        const int up = x.exponent + point;
        if (up >= 0) return x.significand * (Integer(1) << up);
        const Integer unit = Integer(1) << -up;
        if (rounding == Rounding::down) return floor_divided(x.significand, unit);
        return floor_divided(2 * x.significand + unit, 2 * unit);
    }

    static DatapathSpec plain(const DatapathSpec& spec) {
        DatapathSpec floating;
        floating.scalar = spec.scalar;
        return floating;
    }
    [[nodiscard]] const Format& format(Vec v) const {
        return v == Vec::u ? spec_.u : v == Vec::r ? spec_.r : v == Vec::p ? spec_.p : spec_.q;
    }
    [[nodiscard]] int point(Vec v) const { return format(v).fraction_bits + (v == Vec::u ? 0 : moved_); }
    Integer& word(Vec v, std::size_t i) { return words_[static_cast<std::size_t>(v)][i]; }
    /// The low bits stay; true where that is another number.
    bool keep(Vec v, std::size_t i, const Integer& units) {
        const Integer size = Integer(1) << format(v).word_bits;
        Integer low = units - floor_divided(units, size) * size;
        if (2 * low >= size) low -= size;
        word(v, i) = low;
        return low != units;
    }

    /// Bits of the longest word of a vector without its sign.
    int length(Vec v) {
        int longest = 0;
        for (const Integer& w : words_[static_cast<std::size_t>(v)])
            for (Integer m = w < 0 ? Integer(-1 - w) : w; (m >> longest) != 0;) ++longest;
        return longest;
    }
    int rise(double alpha, double beta) {
        const auto exponent = [](double s) { return std::ilogb(s) + 1; };
        std::vector<int> terms = {length(Vec::r)};
        if (alpha != 0) terms.push_back(exponent(alpha) + length(Vec::q));
        if (beta != 0) terms.push_back(exponent(beta) + length(Vec::p));
        const int w = std::max(std::min(spec_.r.word_bits, spec_.p.word_bits) - guard_, 8);
        const int t = *std::max_element(terms.begin(), terms.end());
        Integer sum = 0;
        for (const int x : terms) sum += Integer(1) << std::max(0, x - t + w - 4);
        int d = std::min(2, 2 * w - 5 - t - static_cast<int>(msb(sum) + 1));
        while (moved_ + d > 256) --d;
        while (moved_ + d < -256) ++d;
        return d;
    }

    ReferenceDot dot(Vec a, Vec b) {
        Integer sum = 0;
        for (std::size_t i = 0; i < size_; ++i) sum += word(a, i) * word(b, i);
        // 64 leading bits, the lowest one sticky, in two doubles.
        const bool negative = sum < 0;
        Integer magnitude = negative ? Integer(-sum) : sum;
        int e = -point(a) - point(b);
        if (magnitude != 0 && msb(magnitude) > 63) {
            const unsigned drop = static_cast<unsigned>(msb(magnitude)) - 63;
            const Integer kept = magnitude >> drop;
            const bool lost = (kept << drop) != magnitude;
            magnitude = lost ? Integer(kept | 1) : kept;
            e += static_cast<int>(drop);
        }
        const auto bits = magnitude.convert_to<std::uint64_t>();
        const double high = std::ldexp(static_cast<double>(bits >> 32), e + 32);
        const double low = std::ldexp(static_cast<double>(bits & 0xFFFFFFFF), e);
        const double value = exact::add(spec_.scalar, high, low);
        return {negative ? -value : value, false};
    }

    [[nodiscard]] Integer coefficient(double a) const {
        return rounded(number(a), spec_.coefficient.fraction_bits, spec_.coefficient.rounding);
    }
    /// Words of a grid's row: the diagonal is what the rounded row sum leaves.
    void nine_point(std::size_t i, std::size_t row_length, const std::array<double, kBands>& a, const double* given) {
        double sum = 0, magnitudes = 0;
        Integer others = 0;
        for (int b = 0; b < kBands; ++b) {
            const double value = a[static_cast<std::size_t>(b)];
            sum += value;
            magnitudes += std::fabs(value);
            if (b == 4 || value == 0) continue;
            const Integer c = coefficient(value);
            rows_[i][static_cast<std::size_t>(static_cast<std::ptrdiff_t>(i) + band_offset(b, row_length))] = c;
            others += c;
        }
        if (magnitudes == 0) return;
        if (given != nullptr) sum = *given;
        if (std::fabs(sum) <= std::ldexp(magnitudes, -50)) sum = 0;
        rows_[i][i] = coefficient(sum) - others;
    }
    void load(const System& system) {
        rows_.resize(size_);
        for (std::size_t i = 0; i < size_; ++i)
            std::visit(Overloaded{[&](const Stencil& m) {
                                      if (!ReferenceSession::dirichlet(m, i))
                                          nine_point(i, m.row_length(), m.coefficients(), nullptr);
                                  },
                                  [&](const CompressedRows& m) {
                                      for (auto k = m.row_begin()[i]; k < m.row_begin()[i + 1]; ++k)
                                          rows_[i][m.column()[k]] = coefficient(m.value()[k]);
                                  },
                                  [&](const SymmetricBands& m) {
                                      const double sum = m.row_sums().empty() ? 0.0 : m.row_sums()[i];
                                      nine_point(i, m.row_length(), ReferenceSession::nine(m, i), &sum);
                                  },
                                  [&](const Bands& m) {
                                      std::array<double, kBands> a{};
                                      for (std::size_t b = 0; b < kBands; ++b) a[b] = m.band(b)[i];
                                      nine_point(i, m.row_length(), a, nullptr);
                                  }},
                       system.matrix());
    }

    DatapathSpec spec_;
    std::size_t size_;
    std::vector<Integer> words_[4];
    std::vector<double> u_floating_;
    ReferenceSession scalar_unit_;
    std::vector<std::map<std::size_t, Integer>> rows_;
    int moved_ = 0, guard_ = 0;
    bool unfit_ = false;
};

} // namespace mantissa::testing
