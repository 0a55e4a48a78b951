// Accumulators for dot products: floating-point lanes and the fixed-point window, one term at a time. These are the
// definitions; the engines' fast loops must agree with them bit for bit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "mantissa/exact.hpp"
#include "mantissa/spec.hpp"

namespace mantissa {

/// n interleaved partial sums in one format, all starting at +0. Term number i (from 0) is added to partial sum
/// i mod n; the sums are closed by halving, s[j] += s[j + n/2].
class LaneAccumulator {
public:
    /// `partials` is a power of two.
    LaneAccumulator(const Format& format, int partials)
        : format_(format), partials_(static_cast<std::size_t>(partials), 0.0) {}

    void add(double term) {
        double& s = partials_[next_];
        s = exact::add(format_, s, term);
        next_ = (next_ + 1) & (partials_.size() - 1);
    }
    [[nodiscard]] double total() const {
        std::vector<double> s = partials_;
        close(format_, s);
        return s[0];
    }
    /// The closing tree on `s` (a power of two of values); the total is s[0].
    static void close(const Format& format, std::span<double> s) {
        for (std::size_t half = s.size() / 2; half > 0; half /= 2)
            for (std::size_t j = 0; j < half; ++j) s[j] = exact::add(format, s[j], s[j + half]);
    }

private:
    Format format_;
    std::vector<double> partials_;
    std::size_t next_ = 0;
};

/// A sum of terms truncated toward zero to multiples of 2^lsb, exact and therefore independent of order. It
/// overflows when a truncated term or the final sum lies outside [-2^msb, 2^msb), or a term is not finite; what the
/// running sum does in between does not matter (hardware carries 32 guard bits above the window).
class FixedAccumulator {
public:
    __extension__ using Wide = __int128;

    explicit FixedAccumulator(const FixedWindow& window) : window_(window) {}

    /// Adds the exact product a * b.
    void add_product(double a, double b) {
        bool fits = true;
        const std::int64_t units = product_units(window_, a, b, fits);
        sum_ += units;
        term_overflow_ |= !fits;
    }
    void add(double term) { add_product(term, 1.0); }
    /// Adds a sum of terms that the caller formed and checked, in units of 2^lsb.
    void add_units(Wide units) { sum_ += units; }
    /// Adds another accumulator of the same window.
    void merge(const FixedAccumulator& other) {
        sum_ += other.sum_;
        term_overflow_ |= other.term_overflow_;
    }

    /// Adds units that another accumulator of the same window holds, and whether one of its terms lay outside.
    void merge_units(Wide units, bool term_overflow) {
        sum_ += units;
        term_overflow_ |= term_overflow;
    }
    /// The running sum in units of 2^lsb.
    [[nodiscard]] Wide units() const { return sum_; }
    /// Has a term lain outside the window, or not been finite?
    [[nodiscard]] bool term_overflow() const { return term_overflow_; }

    [[nodiscard]] bool overflow() const {
        const Wide limit = Wide{1} << (window_.width() - 1);
        return term_overflow_ || sum_ < -limit || sum_ >= limit;
    }
    /// The sum rounded into f; +0 when it overflowed.
    [[nodiscard]] double total(const Format& f) const {
        if (overflow()) return 0.0;
        const bool negative = sum_ < 0;
        return exact::from_integer(f, static_cast<exact::detail::u128>(negative ? -sum_ : sum_), negative, window_.lsb);
    }

    /// trunc(a b / 2^lsb); `fits` becomes false, and 0 is returned, when it lies outside the window.
    static std::int64_t product_units(const FixedWindow& window, double a, double b, bool& fits);

private:
    FixedWindow window_;
    Wide sum_ = 0;
    bool term_overflow_ = false;
};

} // namespace mantissa
