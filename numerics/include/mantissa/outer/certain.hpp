// What decides a verdict: sums in doubled double precision, each with a bound on its own error (Ogita, Rump and Oishi,
// "Accurate sum and dot product", SIAM J. Sci. Comput. 26(6), 2005, algorithm 5.3 and its theorem 5.4). The same bits
// on every instruction set, for any number of threads and of parts.
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>

#include "mantissa/system.hpp"

namespace mantissa::certain {

/// A sum of products as a double and what was lost of it.
struct DoubledSum {
    double sum = 0, rest = 0;
    double size = 0; ///< the sum of magnitudes

    void add(double x) {
        const double before = sum;
        sum += x;
        const double part = sum - before;
        rest += (before - (sum - part)) + (x - part);
        size += std::abs(x);
    }
    /// Adds a x.
    void add_product(double a, double x) {
        const double product = a * x, lost = std::fma(a, x, -product);
        add(product);
        rest += lost;
    }
    [[nodiscard]] double value() const { return sum + rest; }
};

/// How far value() may be from the exact sum of so many terms, but for its own last rounding (2^-53 of it): at most
/// gamma_n^2 times the exact sum of magnitudes, with what products lose below 2^-1074. n 2^-53 < 2^-20 is assumed; the
/// factor 2 holds what forming gamma and `size` in double loses.
inline double error_bound(double size, std::size_t terms) {
    const double gamma = static_cast<double>(terms + 1) * 0x1p-53;
    return 2 * gamma * gamma * size + static_cast<double>(terms) * 0x1p-1070;
}

/// The largest sum of magnitudes and the most terms of some rows.
struct RowSizes {
    double size = 0;
    std::size_t terms = 0;

    void include(const RowSizes& other) {
        size = other.size > size ? other.size : size;
        terms = other.terms > terms ? other.terms : terms;
    }
    /// No element of theirs is further from the exact one, but for its last rounding.
    [[nodiscard]] double error() const { return error_bound(size, terms); }
};

/// A norm, and what the exact one differs by at most. Not finite where a number left the range of double precision.
struct Norm {
    double value = 0, error = 0;
};

/// Of a norm over `size` elements formed by outer_order.hpp: its own relative error, and that of elements rounded once.
/// (A block has 256 squares in a lane, closed by 4 sums; blocks are added one after the other; the root halves it all.)
inline double norm_error(std::size_t size) {
    return (static_cast<double>(size) / 4096 + 512) * 0x1p-53;
}

/// The norm of a vector of `size` elements from norm2() of what was formed of it, `largest_error` the largest of its
/// elements' bounds.
inline Norm norm_of(double norm, double largest_error, std::size_t size) {
    return {norm, norm * norm_error(size) + 1.01 * largest_error * std::sqrt(static_cast<double>(size))};
}

/// A quotient of two norms, and what it may be off by; `value` is NaN where nothing can be said.
struct Quotient {
    double value = 0, error = 0;

    /// Does the exact quotient lie on the side of t that `value` lies on?
    [[nodiscard]] bool decides(double t) const { return value + error < t || value - error > t; }
    /// Is at least this part of it sure, so that it may be printed?
    [[nodiscard]] bool sure() const { return error <= 1e-6 * value; }
};
inline Quotient quotient(const Norm& d, const Norm& b) {
    constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();
    // Below 2^-960 a norm's own error is no longer relative.
    if (!(std::isfinite(d.value) && std::isfinite(d.error) && std::isfinite(b.value) && b.value > 0x1p-960))
        return {kNothing, kNothing};
    const double value = d.value / b.value;
    return {value, 1.01 * (d.error / b.value + value * (b.error / b.value)) + 0x1p-1070};
}

/// Elements begin to end - 1 of d = b - A u, each a doubled sum rounded once, as outer::defect_piece() otherwise (d is
/// not b here). Where an element leaves the range of double precision, the size of its row does, too.
RowSizes defect_piece(const System& system, std::size_t begin, std::size_t end, const double* u, const double* b,
                      double* d);

} // namespace mantissa::certain
