#include "outer_integer.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include <fmt/format.h>

#include "mantissa/format.hpp"

namespace mantissa::solving {

namespace {

using fixed::Wide;
using fixed::Word;

/// A double as an integer of 53 bits times 2^exponent.
struct Parts {
    std::int64_t significand = 0;
    int exponent = 0;
    explicit Parts(double x) {
        if (x == 0) return;
        int e = 0;
        significand = static_cast<std::int64_t>(std::ldexp(std::frexp(x, &e), 53));
        exponent = e - 53;
    }
};

/// units 2^-point as a double, rounded to odd: truncated, the last bit set where something was lost.
double to_odd(Wide units, int point) {
    const bool negative = units < 0;
    auto magnitude = negative ? static_cast<fixed::UnsignedWide>(0) - static_cast<fixed::UnsignedWide>(units)
                              : static_cast<fixed::UnsignedWide>(units);
    const auto high = static_cast<std::uint64_t>(magnitude >> 64);
    const int bits = high != 0 ? 64 + static_cast<int>(std::bit_width(high))
                               : static_cast<int>(std::bit_width(static_cast<std::uint64_t>(magnitude)));
    const int drop = std::max(0, bits - 53);
    std::uint64_t kept = static_cast<std::uint64_t>(magnitude >> drop);
    if ((static_cast<fixed::UnsignedWide>(kept) << drop) != magnitude) kept |= 1;
    const double value = std::ldexp(static_cast<double>(kept), drop - point);
    return negative ? -value : value;
}

/// Rows of any kind of matrix, entries that are not zero.
void for_row(const System& system, std::size_t i, const auto& entry) {
    const auto nine = [&](std::size_t row_length, const auto& coefficient) {
        for (std::size_t b = 0; b < kBands; ++b) {
            const double value = coefficient(b);
            if (value != 0)
                entry(static_cast<std::size_t>(static_cast<std::ptrdiff_t>(i) +
                                               band_offset(static_cast<int>(b), row_length)),
                      value);
        }
    };
    std::visit(Overloaded{[&](const Stencil& m) {
                              if (!m.on_edge(i))
                                  nine(m.row_length(), [&](std::size_t b) { return m.coefficients()[b]; });
                          },
                          [&](const Bands& m) { nine(m.row_length(), [&](std::size_t b) { return m.band(b)[i]; }); },
                          [&](const SymmetricBands& m) {
                              nine(m.row_length(), [&](std::size_t b) { return m.coefficient(b, i); });
                          },
                          [&](const CompressedRows& m) {
                              for (std::uint64_t k = m.row_begin()[i]; k < m.row_begin()[i + 1]; ++k)
                                  if (m.value()[k] != 0) entry(m.column()[k], m.value()[k]);
                          }},
               system.matrix());
}

} // namespace

IntegerArithmetic::IntegerArithmetic(const System& system, const Format& format, std::span<const double> b,
                                     std::span<double> u, int threads)
    : format_(format), u_(u), threads_(threads), words_(u.size(), 0), b_(u.size()) {
    for (std::size_t i = 0; i < b.size(); ++i) {
        const fixed::Rounded word = fixed::from_double(format, b[i]);
        if (word.overflow)
            throw InvalidInput(fmt::format("outer={}: right-hand side element {} is {} and does not fit; give fewer "
                                           "fraction bits",
                                           to_string(format), i + 1, b[i]));
        b_[i] = word.word;
        const fixed::Rounded start = fixed::from_double(format, u[i]);
        overflow_ |= start.overflow;
        words_[i] = start.word;
    }
    double largest = 0;
    std::size_t terms = 1, row = 0;
    row_begin_ = {0};
    for (std::size_t i = 0; i < u.size(); ++i) {
        row = 0;
        for_row(system, i, [&](std::size_t, double value) {
            largest = std::max(largest, std::abs(value));
            ++row;
        });
        terms = std::max(terms, row);
        row_begin_.push_back(row_begin_.back() + row);
    }
    if (!(largest < 0x1p500) || (largest != 0 && largest < 0x1p-500))
        throw InvalidInput(fmt::format("outer={}: the largest coefficient is {}: scale the equation", to_string(format),
                                       largest));
    // |sum| < terms 2^(bits-1) 2^(W-1), and b beside it, below 2^126.
    const int bits = std::min(63, 126 - format.word_bits - static_cast<int>(std::bit_width(terms + 1)));
    coefficient_point_ = bits - 2 - (largest == 0 ? 0 : std::ilogb(largest));
    column_.resize(row_begin_.back());
    value_.resize(row_begin_.back());
    for (std::size_t i = 0; i < u.size(); ++i) {
        std::uint64_t at = row_begin_[i];
        for_row(system, i, [&](std::size_t j, double value) {
            const Parts parts(value);
            column_[at] = static_cast<std::uint32_t>(j);
            value_[at++] = static_cast<Word>(
                fixed::shift_round(parts.significand, -parts.exponent - coefficient_point_, Rounding::nearest_up));
        });
    }
}

void IntegerArithmetic::defect(std::span<const double>, std::span<const double>, std::span<double> d) {
    const int point = format_.fraction_bits + coefficient_point_;
    const auto n = static_cast<std::ptrdiff_t>(d.size());
#pragma omp parallel for schedule(static) num_threads(threads_) if (threads_ > 1)
    for (std::ptrdiff_t i = 0; i < n; ++i) {
        const auto row = static_cast<std::size_t>(i);
        // b's words come onto the products' grid exactly: the coefficients' point is not below zero by more than b's
        // own bits (checked where it is set).
        Wide sum = coefficient_point_ >= 0 ? Wide{b_[row]} * (Wide{1} << std::min(coefficient_point_, 62))
                                           : fixed::shift_round(b_[row], -coefficient_point_, Rounding::nearest_up);
        for (std::uint64_t k = row_begin_[row]; k < row_begin_[row + 1]; ++k)
            sum -= Wide{value_[k]} * words_[column_[k]];
        d[row] = to_odd(sum, point);
    }
}

double IntegerArithmetic::norm(std::span<const double> v) {
    return norm2(v, threads_);
}

void IntegerArithmetic::correct(std::span<double> u, double s, std::span<const double> c) {
    const auto first = static_cast<std::size_t>(u.data() - u_.data());
    const Parts scale(s);
    for (std::size_t i = 0; i < u.size(); ++i) {
        const Parts part(c[i]);
        const Wide product = Wide{scale.significand} * part.significand; // 106 bits
        if (product == 0) continue;
        const int shift = -(scale.exponent + part.exponent) - format_.fraction_bits;
        if (shift < -18) {
            overflow_ = true;
            continue;
        }
        const Wide sum = words_[first + i] + fixed::shift_round(product, shift, format_.rounding);
        const fixed::Rounded word = fixed::fit(format_, sum);
        overflow_ |= word.overflow;
        words_[first + i] = word.word;
        u[i] = fixed::to_double(format_, word.word);
    }
}

} // namespace mantissa::solving
